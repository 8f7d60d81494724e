// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
)

var gramRows = flag.Int("gramrows", 2000, "the number of rows of BenchmarkGram")

// BenchmarkGram computes the exact kernel matrix that features replace, in new memory. bench/gram compares it with
// scikit-learn's.
func BenchmarkGram(b *testing.B) {
	for _, d := range []int{8, 64, 784} {
		l := math.Sqrt(float64(d))
		scales := make([]float64, d)
		for i := range scales {
			scales[i] = 0.5 + float64(i)/float64(d)
		}
		for _, c := range []struct {
			name string
			k    Kernel
		}{
			{"Gaussian", Gaussian{LengthScale: l}},
			{"Matern32", Matern{Nu: 1.5, LengthScale: l}},
			{"Matern52", Matern{Nu: 2.5, LengthScale: l}},
			{"ARD", ARD(scales, Gaussian{LengthScale: l})},
			{"Sum", Sum(Gaussian{LengthScale: l}, Matern{Nu: 1.5, LengthScale: 2 * l})},
			{"Product", Product(Gaussian{LengthScale: l}, RBF(0.1/l))},
			{"RationalQuadratic", RationalQuadratic{Alpha: 1, LengthScale: l}},
			{"Laplacian", Laplacian{LengthScale: float64(d)}},
			{"Cauchy", Cauchy{LengthScale: l}},
			{"Polynomial", Polynomial{Degree: 3, Gamma: 1 / float64(d), Offset: 1}},
			{"ArcCosine", ArcCosine{Order: 1}},
			{"Periodic", Periodic{Period: 5, LengthScale: 1}},
			{"Matern", Matern{Nu: 0.8, LengthScale: l}},
		} {
			b.Run(fmt.Sprintf("d=%d/%s", d, c.name), func(b *testing.B) {
				s := NewSampler(1)
				x := mat.NewDense(*gramRows, d, nil)
				s.FillNormal(x.RawMatrix().Data)
				start := peak.CPU()
				b.ResetTimer()
				for range b.N {
					var dst mat.SymDense
					Gram(&dst, c.k, x)
				}
				seconds := (peak.CPU() - start).Seconds() / float64(b.N)
				b.ReportMetric(seconds, "cpu-s/op")
				b.ReportMetric(seconds*1e9/(float64(*gramRows)*float64(*gramRows+1)/2), "cpu-ns/pair")
			})
		}
	}
}

// BenchmarkGramClusters has two clusters far from each other. Half of the pairs are near relative to their norms, so
// that squared distances are computed from differences.
func BenchmarkGramClusters(b *testing.B) {
	for _, d := range []int{16, 64, 784} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			n := *gramRows
			x := mat.NewDense(n, d, nil)
			NewSampler(1).FillNormal(x.RawMatrix().Data)
			for i := range n / 2 {
				for k, v := range x.RawRowView(i) {
					x.Set(i, k, v+10)
				}
			}
			dst := mat.NewSymDense(n, nil)
			for range b.N {
				Gram(dst, Gaussian{LengthScale: math.Sqrt(float64(d))}, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n)/float64(n+1)*2, "ns/pair")
		})
	}
}

// BenchmarkGramRow is one row against prepared points, as a map of landmarks has it.
func BenchmarkGramRow(b *testing.B) {
	for _, d := range []int{8, 64, 784} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			s, x := mat.NewDense(1024, d, nil), mat.NewDense(1, d, nil)
			NewSampler(1).FillNormal(s.RawMatrix().Data)
			m := NewKernelMatrix(Gaussian{LengthScale: math.Sqrt(float64(d))}, s)
			dst := mat.NewDense(1, 1024, nil)
			for range b.N {
				m.RowsTo(dst, x)
			}
		})
	}
}
