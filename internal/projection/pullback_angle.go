// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// An Angle is a Sparse of one form: the cosine and the sine of an angle. It has a derivative.
type Angle struct{ *Sparse }

func (a Angle) pullback() (partPullback, bool) { return a, true }

// pull adds 2πw times the amplitude times g₁·cos − g₀·sin to the coordinates that the form reads.
func (a Angle) pull(dst, x, g blas64.General, b *pullBuffer) {
	waves := wavesIn(&b.features, 1, 1)
	for i := range x.Rows {
		to, row := dst.Data[i*dst.Stride:], g.Data[i*g.Stride+a.at:]
		s := sums{forms: 1, terms: len(a.cols), cols: a.cols, weights: a.weights, points: x.Data[i*x.Stride:], v: waves.Data}
		s.plain(0, 1)
		waves.Data[0], waves.Data[1] = a.table.coeffs.cosSin(waves.Data[0])
		waveSlopes(tier.Plain, CosSin, 1, waves.Data, 1, row, 1)
		slope := 2 * math.Pi * float64(a.amplitude[0]*waves.Data[0])
		for k, c := range a.cols {
			to[c] += float64(slope * a.weights[k])
		}
	}
}
