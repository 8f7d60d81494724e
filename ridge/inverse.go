// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// An inverse is A⁻¹ for a λ, the covariance of the weights in units of σ², by a factor of A itself or of the matrix of
// rows. It is safe for concurrent use.
type inverse interface {
	// squaredNorms sets dst to vᵀA⁻¹v for each row v.
	squaredNorms(dst []float64, rows blas64.General)

	// squaredNorm returns vᵀA⁻¹v, with the bits of squaredNorms. It may overwrite v.
	squaredNorm(v []float64) float64

	// solve overwrites v by A⁻¹v.
	solve(v []float64)

	// products calls yield with the number of each row v and a slice of vᵀA⁻¹u for all rows u, until it returns false. It may overwrite rows.
	products(rows blas64.General, yield func(i int, row []float64) bool)

	// draw sets z to a random vector from N(0, A⁻¹).
	draw(z []float64, s *featuremap.Sampler)
}

// byFeatures is the inverse by the factor U of A = UᵀU.
type byFeatures struct{ *tiled.Factor }

func (f byFeatures) squaredNorms(dst []float64, rows blas64.General) { f.SquaredNorms(dst, rows) }

func (f byFeatures) squaredNorm(v []float64) float64 { return f.SquaredNorm(v) }

func (f byFeatures) solve(v []float64) {
	f.SolveTransVec(v)
	f.SolveVec(v)
}

func (f byFeatures) products(rows blas64.General, yield func(int, []float64) bool) {
	f.SolveTransVecs(rows)
	eachProduct(rows, 1, yield)
}

func (f byFeatures) draw(z []float64, s *featuremap.Sampler) {
	s.FillNormal(z)
	f.SolveVec(z)
}

// eachProduct calls yield with the products of each row with all of them, times a scale, until it returns false.
func eachProduct(rows blas64.General, scale float64, yield func(int, []float64) bool) {
	row := make([]float64, rows.Rows)
	for i := range rows.Rows {
		tiled.Dots(row, rows.Data[i*rows.Stride:][:rows.Cols], rows.Data, rows.Stride)
		for j := range row {
			row[j] *= scale
		}
		if !yield(i, row) {
			return
		}
	}
}
