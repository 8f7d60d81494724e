// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// BenchmarkEpilogues transforms 1000 rows by 2048 forms in every tier of the machine,
// and says what part of the peak of fused multiply-adds of one core that is. The peak
// is measured beside it. Run it with -cpu 1.
func BenchmarkEpilogues(b *testing.B) {
	const rows, forms = 1000, 2048
	for _, t := range tier.Available() {
		for _, e := range []Epilogue{Store, Cos, CosSin, Multiply} {
			for _, in := range []int{16, 64, 256, 784} {
				b.Run(fmt.Sprintf("%v/%v/d=%d", t, e, in), func(b *testing.B) {
					p := newIn(t, forms, in, e, 1)
					x := mat.NewDense(rows, in, nil)
					for i := range x.RawMatrix().Data {
						x.RawMatrix().Data[i] = float64(i%17) / 8
					}
					w := make([]float64, in)
					for i := range forms {
						for k := range w {
							w[k] = float64((i+k)%23-11) / 50
						}
						p.Set(i, w, 0.5)
					}
					z := mat.NewDense(rows, p.outputs(), nil)
					p.Transform(z, x)
					before := peak.FMA(t)
					b.ResetTimer()
					for range b.N {
						p.Transform(z, x)
					}
					b.StopTimer()
					seconds := b.Elapsed().Seconds() / float64(b.N)
					rate := 2 * rows * forms * float64(in) / seconds / 1e9
					b.ReportMetric(rate, "GFLOP/s")
					b.ReportMetric(seconds*1e9/rows/float64(p.outputs()), "ns/output")
					if best := max(before, peak.FMA(t)); best > 0 {
						b.ReportMetric(100*rate/best, "%peak")
						b.ReportMetric(best, "peakGFLOP/s")
					}
				})
			}
		}
	}
}

// BenchmarkStructured makes 4096 features of 1000 rows, or of one.
func BenchmarkStructured(b *testing.B) {
	const forms = 2048
	for _, t := range tier.Available() {
		for _, in := range []int{64, 256, 784} {
			for _, rows := range []int{8, 1000, 1} {
				b.Run(fmt.Sprintf("%v/d=%d/rows=%d", t, in, rows), func(b *testing.B) {
					p := 1
					for p < in {
						p *= 2
					}
					s := newStructuredIn(t, forms, in, p, CosSin, 1, Before{})
					for i := range forms {
						s.Set(i, 1, 0)
					}
					stack := NewStack(in, s)
					x, z := mat.NewDense(rows, in, nil), mat.NewDense(rows, 2*forms, nil)
					for i := range x.RawMatrix().Data {
						x.RawMatrix().Data[i] = float64(i%17) / 8
					}
					stack.Transform(z, x)
					b.ResetTimer()
					for range b.N {
						if rows == 1 {
							stack.TransformVec(z.RawRowView(0), x.RawRowView(0))
						} else {
							stack.Transform(z, x)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*2*forms), "ns/feature")
				})
			}
		}
	}
}
