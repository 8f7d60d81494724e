// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/region"
)

// Errors that constructors wrap; test for them with errors.Is.
var (
	// ErrNotStationary: the map needs a kernel of x − y.
	ErrNotStationary = errors.New("featuremap: kernel is not stationary")

	// ErrNotRadial: the frequency design needs a mixture of Gaussian kernels.
	ErrNotRadial = errors.New("featuremap: kernel is not radial")

	// ErrNotDotProduct: the map needs a kernel of ⟨x, y⟩.
	ErrNotDotProduct = errors.New("featuremap: kernel is not a dot product kernel")

	// ErrNotPSD: the function is not positive semi-definite, so it is no kernel.
	ErrNotPSD = errors.New("featuremap: not positive semi-definite")

	// ErrNoMap: nothing known of the kernel gives a random map.
	ErrNoMap = errors.New("featuremap: no map for the kernel")
)

// ErrDuplicate is the panic of TransformTo for a mat.RowNonZeroDoer with two entries of one coordinate in a row.
var ErrDuplicate = projection.ErrDuplicate

// A Kernel is a positive semi-definite function on R^d: symmetric, with Σᵢⱼ cᵢcⱼk(xᵢ, xⱼ) ≥ 0 for all
// points and weights.
//
// A kernel must be safe for concurrent use. Those of this package panic with mat.ErrShape if x and y differ
// in length. Their parameters are checked by the constructors that take them, not by Eval, which returns
// the value of the formula. Kernels are not compared with ==. One given by pointer must not change
// afterwards.
type Kernel interface {
	// Eval returns k(x, y).
	Eval(x, y []float64) float64
}

// A FeatureMap is an explicit map φ: R^in → R^out with ⟨φ(x), φ(y)⟩ ≈ k(x, y) for the kernel k that Kernel
// returns. The estimates of this package's maps are unbiased, except those of a Maclaurin map with a
// TruncatedLaw and of a DataDependent.
//
// Maps are immutable and safe for concurrent use. Both transformations give the same bits for the same
// point, whatever the batch, its layout, and the number of goroutines. A feature that reads a NaN is NaN,
// one that reads an Inf is NaN or Inf; the features of other rows are untouched.
type FeatureMap interface {
	// Dims returns the numbers of coordinates in and features out.
	Dims() (in, out int)

	// Kernel returns the kernel that the inner products of features estimate.
	Kernel() Kernel

	// TransformTo sets row i of dst to the features of row i of x, an n×in matrix, over up to GOMAXPROCS
	// goroutines. An empty dst is sized. It panics with mat.ErrZeroLength if n is 0, with mat.ErrShape if
	// the width of x is not in or dst is neither empty nor n×out, and as gonum does if dst overlaps x.
	//
	// Rows of a mat.RowNonZeroDoer, such as compressed sparse rows, cost their non-zeros in most maps. It
	// panics with ErrDuplicate if two entries of a row have the same coordinate, and with mat.ErrColAccess
	// if one is outside the matrix. docs/maps.md has more on such rows, and on streams of batches.
	TransformTo(dst *mat.Dense, x mat.Matrix)

	// TransformVec writes the features of x to dst and returns dst; a nil dst is allocated. It panics with
	// mat.ErrShape if the length of x is not in or that of dst not out, and as gonum does if they overlap.
	TransformVec(dst, x []float64) []float64
}

// A Variancer knows the variance of the estimate ⟨φ(x), φ(y)⟩ of k(x, y) over the draw of the map. Every
// map of the package says where its variance is exact.
//
// Variance panics with mat.ErrShape if x or y has not the map's input length.
type Variancer interface {
	// Variance returns the variance of ⟨φ(x), φ(y)⟩.
	Variance(x, y []float64) float64
}

// Gram sets dst to the n×n matrix of k between every pair of rows of x, computed in parallel. An empty dst
// is sized. It panics with mat.ErrZeroLength if x has no rows, with mat.ErrShape if dst is not n×n or k is
// a Project or ARD of another width, and as gonum does if dst overlaps x. A panic of the kernel's own is
// raised again in the caller's goroutine.
//
// The kernel's parameters are not checked, as the constructors of maps check them: a kernel that they
// refuse gives the values of its formula, or NaN if Project or ARD refused its arguments.
func Gram(dst *mat.SymDense, k Kernel, x mat.Matrix) {
	n, _ := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	k, rows := unproject(k, rowsOf(x))
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	} else if dst.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	raw := dst.RawSymmetric()
	region.CheckMatrix(blas64.General{Rows: n, Cols: n, Stride: raw.Stride, Data: raw.Data}, x)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			upper := raw.Data[i*raw.Stride : i*raw.Stride+n]
			for j := i; j < n; j++ {
				upper[j] = k.Eval(rows[i], rows[j])
			}
		}
	}), n, gramGrain)
}

// CrossGram sets dst to the n×m matrix of k between the n rows of x and the m rows of y, computed in
// parallel. As with Gram, the kernel's parameters are not checked. An empty dst is sized. It panics
// with mat.ErrZeroLength if x or y has no rows, with mat.ErrShape if they differ in width, dst is not
// n×m or k is a Project or ARD of another width, and as gonum does if dst overlaps x or y.
func CrossGram(dst *mat.Dense, k Kernel, x, y mat.Matrix) {
	n, c := x.Dims()
	m, d := y.Dims()
	if n == 0 || m == 0 {
		panic(mat.ErrZeroLength)
	}
	if c != d {
		panic(mat.ErrShape)
	}
	inner, xs := unproject(k, rowsOf(x))
	_, ys := unproject(k, rowsOf(y))
	prepare(dst, n, m)
	raw := dst.RawMatrix()
	region.CheckMatrix(raw, x)
	region.CheckMatrix(raw, y)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := raw.Data[i*raw.Stride : i*raw.Stride+m]
			for j := range row {
				row[j] = inner.Eval(xs[i], ys[j])
			}
		}
	}), n, gramGrain)
}

// gramGrain is the number of rows of a Gram matrix that a goroutine takes at once.
const gramGrain = 8

// rowsOf returns the rows of x: views if it shows its data (mat.RawMatrixer), otherwise copies.
func rowsOf(x mat.Matrix) [][]float64 {
	n, d := x.Dims()
	rows := make([][]float64, n)
	if r, ok := x.(mat.RawMatrixer); ok {
		raw := r.RawMatrix()
		for i := range rows {
			rows[i] = raw.Data[i*raw.Stride : i*raw.Stride+d]
		}
		return rows
	}
	data := make([]float64, n*d)
	for i := range rows {
		rows[i] = data[i*d : (i+1)*d]
		for j := range rows[i] {
			rows[i][j] = x.At(i, j)
		}
	}
	return rows
}

// unproject replaces a kernel k(Ax, Ay) by k and the rows by their images, computed once for each row.
func unproject(k Kernel, rows [][]float64) (Kernel, [][]float64) {
	if p, ok := k.(interface {
		unproject(rows [][]float64) (Kernel, [][]float64)
	}); ok {
		return p.unproject(rows)
	}
	return k, rows
}

// prepareTransform checks the arguments of TransformTo for a map R^in → R^out, and sizes dst.
func prepareTransform(dst *mat.Dense, x mat.Matrix, in, out int) {
	n, c := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	if c != in {
		panic(mat.ErrShape)
	}
	prepare(dst, n, out)
	region.CheckMatrix(dst.RawMatrix(), x)
}

// prepareVec checks the arguments of TransformVec for a map R^in → R^out and returns dst, which may be nil.
func prepareVec(dst, x []float64, in, out int) []float64 {
	if len(x) != in {
		panic(mat.ErrShape)
	}
	if dst == nil {
		return make([]float64, out)
	}
	if len(dst) != out {
		panic(mat.ErrShape)
	}
	region.Check(region.Vector(dst), region.Vector(x))
	return dst
}

// prepare sizes an empty dst to r×c, and panics if dst has another shape.
func prepare(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		dst.ReuseAs(r, c)
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
}
