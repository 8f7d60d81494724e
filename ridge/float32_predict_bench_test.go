// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// BenchmarkPredict32 predicts 1000 rows, in a batch and one by one, in float64 and in float32, in turns, and reports how many times
// as fast the latter is, by medians of CPU time. Run it with -cpu 1 and -benchtime 20x.
func BenchmarkPredict32(b *testing.B) {
	const n, features = 1000, 4096
	for _, d := range []int{64, 784} {
		for _, design := range []featuremap.Design{featuremap.Orthogonal, featuremap.Structured} {
			b.Run(fmt.Sprintf("%v/d=%d", design, d), func(b *testing.B) {
				s := featuremap.NewSampler(1)
				x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
				s.FillNormal(x.RawMatrix().Data)
				s.FillNormal(y.RawMatrix().Data)
				phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 20}, d, features, s, &featuremap.FourierOptions{Design: design}))
				m := must(ridge.FitIterative(phi, batchOf(x, y), &ridge.IterativeOptions{Lambda: 1}))
				in32, x32, p := must(m.Float32()), single(x), mat.NewDense(n, 1, nil)
				p32, one, one32 := blas32.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float32, n)}, make([]float64, 1), make([]float32, 1)
				runs := []func(){
					func() { m.PredictTo(p, x) }, func() { in32.PredictTo(p32, x32) },
					func() {
						for i := range n {
							m.PredictVec(one, x.RawRowView(i))
						}
					},
					func() {
						for i := range n {
							in32.PredictVec(one32, x32.Data[i*d:][:d])
						}
					},
				}
				times := make([][]float64, len(runs))
				for range b.N {
					for k, run := range runs {
						start := peak.CPU()
						run()
						times[k] = append(times[k], (peak.CPU()-start).Seconds()*1e6/n)
					}
				}
				median := func(k int) float64 {
					slices.Sort(times[k])
					return times[k][len(times[k])/2]
				}
				b.ReportMetric(median(0)/median(1), "times-batch")
				b.ReportMetric(median(2)/median(3), "times-row")
				b.ReportMetric(median(1), "µs/row-batch32")
				b.ReportMetric(median(3), "µs/row32")
			})
		}
	}
}

// batchOf returns rows as one batch.
func batchOf(x, y *mat.Dense) iter.Seq2[ridge.Batch, error] {
	return ridge.Rows(x, y)
}
