// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// single returns a matrix in float32.
func single(x *mat.Dense) blas32.General {
	raw := x.RawMatrix()
	g := blas32.General{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Cols, Data: make([]float32, raw.Rows*raw.Cols)}
	for i := range g.Data {
		g.Data[i] = float32(raw.Data[i/raw.Cols*raw.Stride+i%raw.Cols])
	}
	return g
}

// BenchmarkFit32 fits 12,000 rows of 784 coordinates on 2048 features in float64 and in float32, in turns, and reports how many
// times as fast the latter is, by medians of CPU time: rows added, and a whole fit at one λ. Run it with -cpu 1 and -benchtime 5x.
func BenchmarkFit32(b *testing.B) {
	const n, d, features = 12_000, 784, 2048
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	fillUniform(s, x.RawMatrix().Data)
	s.FillNormal(y.RawMatrix().Data)
	x32 := single(x)
	for _, design := range []featuremap.Design{featuremap.Orthogonal, featuremap.Structured} {
		b.Run(design.String(), func(b *testing.B) {
			phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 20}, d, features, s, &featuremap.FourierOptions{Design: design})
			if err != nil {
				b.Fatal(err)
			}
			phi32, err := featuremap.Float32(phi)
			if err != nil {
				b.Fatal(err)
			}
			var times [4][]time.Duration // adding and all, in float64 and in float32
			fit := func(k int, add, solve func() error) {
				start := peak.CPU()
				if err := add(); err != nil {
					b.Fatal(err)
				}
				added := peak.CPU()
				if err := solve(); err != nil {
					b.Fatal(err)
				}
				times[k], times[k+1] = append(times[k], added-start), append(times[k+1], peak.CPU()-start)
			}
			given := &ridge.Options{Lambda: 0.1}
			for range b.N {
				a := must(ridge.NewAccumulator(phi, 1))
				fit(0, func() error { return a.Add(x, y) }, func() error { _, err := a.Fit(given); return err })
				a32 := must(ridge.NewAccumulator32(phi32, 1))
				fit(2, func() error { return a32.Add(x32, y) }, func() error { _, err := a32.Fit(given); return err })
			}
			median := func(k int) float64 {
				slices.Sort(times[k])
				return times[k][len(times[k])/2].Seconds()
			}
			b.ReportMetric(median(0)/median(2), "times-add")
			b.ReportMetric(median(1)/median(3), "times-fit")
			b.ReportMetric(median(1), "s-fit64")
			b.ReportMetric(median(3), "s-fit32")
		})
	}
}
