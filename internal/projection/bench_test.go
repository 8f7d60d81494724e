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
// and reports the share of one core's peak of fused multiply-adds, which it measures
// too. Rates are by CPU time. Run it with -cpu 1.
func BenchmarkEpilogues(b *testing.B) {
	const rows, forms = 1000, 2048
	for _, t := range tier.Available() {
		for _, e := range []Epilogue{Store, Cos, CosSin, Multiply} {
			for _, in := range []int{16, 64, 256, 784} {
				b.Run(fmt.Sprintf("%v/%v/d=%d", t, e, in), func(b *testing.B) {
					p := NewIn(t, forms, in, e, 1)
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
					stack, z := p.Stack(), mat.NewDense(rows, p.outputs(), nil)
					stack.Transform(z, x)
					before := peak.FMA(t)
					b.ResetTimer()
					start := peak.CPU()
					for range b.N {
						stack.Transform(z, x)
					}
					b.StopTimer()
					seconds := (peak.CPU() - start).Seconds() / float64(b.N)
					b.ReportMetric(seconds*1e9, "cpu-ns/op")
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
					s := newStructuredIn(t, 0, forms, in, p, CosSin, 1, Before{})
					for i := range forms {
						s.Set(i, 1, 0)
					}
					stack := NewStack(in, 2*forms, s)
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

// BenchmarkSparse makes cosines and sines of forms of three to four terms: very many of
// them, and few. Run it with -cpu 1.
func BenchmarkSparse(b *testing.B) {
	for _, size := range []struct{ in, forms int }{{1728, 500_000}, {64, 2048}} {
		terms, runs := 0, []SparseRun{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}} // 3.5 on average
		for i := range runs {
			runs[i].Forms = size.forms * (i + 1) / len(runs)
			if i > 0 {
				runs[i].Forms -= size.forms * i / len(runs)
			}
			terms += runs[i].Forms * runs[i].Terms
		}
		cols, weights := make([]uint32, terms), make([]float64, terms)
		amplitude := make([]float64, size.forms)
		for i := range cols {
			cols[i] = uint32(i % 9973 * 7919 % size.in)
			weights[i] = float64(i%23-11) / 50
		}
		for i := range amplitude {
			amplitude[i] = 0.5
		}
		for _, t := range tier.Available() {
			stack := NewStack(size.in, 2*size.forms, newSparseIn(t, size.in, 0, size.forms, runs, cols, weights, amplitude))
			for _, rows := range []int{64, 256, 1} {
				b.Run(fmt.Sprintf("%v/d=%d/columns=%d/rows=%d", t, size.in, 2*size.forms, rows), func(b *testing.B) {
					x, z := mat.NewDense(rows, size.in, nil), mat.NewDense(rows, 2*size.forms, nil)
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
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*2*size.forms), "ns/column·row")
				})
			}
		}
	}
}
