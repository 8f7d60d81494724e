// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/region"
)

// Gram sets dst to the n×n matrix of k between all pairs of rows of x, in parallel. An empty dst is sized.
//
// Kernels of this package are computed by tiles, about twenty times as fast as by Eval, and equal up to rounding. These
// are the stationary (except SpectralMixture and Circle) and dot product kernels, ArcCosine, and what the algebra makes
// of them. Distances lose no digits far from the origin (behind a dense Project if rows spread over less than about 1e6
// length scales), and equal points have the value k(x, x). Values have the same bits on every machine (except at
// distances above 1e70 or below 1e-80 length scales), whatever the number of goroutines and, in CrossGram, the other
// rows of x. Other kernels are evaluated once for each pair, and the map of FromMap once for each row.
//
// Parameters are not checked: refused ones give the values of the formula, or NaN in Project and ARD. Gram panics with
// mat.ErrZeroLength if x has no rows, and with mat.ErrShape if dst is not n×n or k is a Project or ARD of another
// width. It panics as gonum does if dst overlaps x, with the size if there is no memory for the values or the rows, and
// as the kernel does.
func Gram(dst *mat.SymDense, k Kernel, x mat.Matrix) {
	n, d := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	program := compileGram(k, d)
	if dst.IsEmpty() {
		check.MustFit("values", n, n, float64(n)*float64(d))
		dst.ReuseAsSym(n)
	} else if dst.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	raw := dst.RawSymmetric()
	region.CheckMatrix(blas64.General{Rows: n, Cols: n, Stride: raw.Stride, Data: raw.Data}, x)
	matrix.New(program, x).SymmetricTo(raw)
}

// CrossGram sets dst to the n×m matrix of k between the n rows of x and the m rows of y, in parallel, as Gram does. An
// empty dst is sized. As in Gram, parameters of the kernel are not checked.
//
// It panics with mat.ErrZeroLength if x or y has no rows, and with mat.ErrShape if they differ in width, if dst is not
// n×m, or if k is a Project or ARD of another width. It panics as gonum does if dst overlaps x or y, and as Gram if
// there is no memory.
func CrossGram(dst *mat.Dense, k Kernel, x, y mat.Matrix) {
	n, c := x.Dims()
	m, d := y.Dims()
	if n == 0 || m == 0 {
		panic(mat.ErrZeroLength)
	}
	if c != d {
		panic(mat.ErrShape)
	}
	program := compileGram(k, d)
	if dst.IsEmpty() {
		check.MustFit("values", n, m, float64(m)*float64(d))
	}
	check.Size(dst, n, m)
	raw := dst.RawMatrix()
	region.CheckMatrix(raw, x)
	region.CheckMatrix(raw, y)
	matrix.New(program, y).RowsTo(raw, x)
}
