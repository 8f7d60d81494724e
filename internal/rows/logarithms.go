// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// Logarithm returns c·sign(v)·log(1 + |v|/c), which is about v for |v| far below c. If c is 0 it
// returns v itself.
func Logarithm(v, c float64) float64 {
	t := math.Abs(v) / c
	switch {
	case c == 0 || t < 0x1p-60: // the next term of the series is below rounding
		return v
	case math.IsInf(t, 1) && !math.IsInf(v, 0): // the quotient overflows
		return math.Copysign(float64(c*(detmath.Log(math.Abs(v))-detmath.Log(c))), v)
	}
	return math.Copysign(float64(c*detmath.Log1p(t)), v)
}

// Exponential returns the v whose Logarithm is u, except for the rounding of both.
func Exponential(u, c float64) float64 {
	t := math.Abs(u) / c
	switch {
	case c == 0 || t < 0x1p-60:
		return u
	case t > 700: // near the overflow of the exponential
		return math.Copysign(detmath.Exp(t+detmath.Log(c)), u)
	}
	return math.Copysign(float64(c*detmath.Expm1(t)), u)
}

// Chain multiplies a gradient with respect to the logarithms of a row, with a scale for each column, by their
// derivatives 1/(1 + |v|/c). The result is the gradient with respect to the row.
func Chain(gradient, row, scales []float64) {
	for j, c := range scales {
		if c != 0 {
			gradient[j] /= 1 + math.Abs(row[j])/c
		}
	}
}

// LogarithmsVec sets dst to the logarithms of a row, which may be dst, with a scale for each column.
func LogarithmsVec(dst, row, scales []float64) {
	for j, v := range row {
		dst[j] = Logarithm(v, scales[j])
	}
}

// logarithms is a view of a matrix in logarithms.
type logarithms struct {
	x      mat.Matrix
	scales []float64
}

// listLogarithms is a view in logarithms of a matrix whose rows are lists.
type listLogarithms struct {
	logarithms
	lists mat.RowNonZeroDoer // x
}

var _ mat.RowNonZeroDoer = (*listLogarithms)(nil)

// Logarithms returns a view of x in logarithms, with a scale for each column: nothing is copied. Its rows are lists if those of x are.
func Logarithms(x mat.Matrix, scales []float64) mat.Matrix {
	l := logarithms{x, scales}
	if _, raw := x.(mat.RawMatrixer); !raw {
		if lists, ok := x.(mat.RowNonZeroDoer); ok {
			return &listLogarithms{l, lists}
		}
	}
	return &l
}

// Dims returns the shape of the matrix.
func (l *logarithms) Dims() (r, c int) { return l.x.Dims() }

// At returns the logarithm of element (i, j).
func (l *logarithms) At(i, j int) float64 { return Logarithm(l.x.At(i, j), l.scales[j]) }

// T returns the transpose of the view.
func (l *logarithms) T() mat.Matrix { return mat.Transpose{Matrix: l} }

// T returns the transpose of the view.
func (l *listLogarithms) T() mat.Matrix { return mat.Transpose{Matrix: l} }

// DoRowNonZero calls fn for each entry of row i. It does not change an entry outside the matrix, which readers refuse.
func (l *listLogarithms) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	l.lists.DoRowNonZero(i, func(i, j int, v float64) {
		if uint(j) < uint(len(l.scales)) {
			v = Logarithm(v, l.scales[j])
		}
		fn(i, j, v)
	})
}
