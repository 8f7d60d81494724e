// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// Errors that constructors wrap; test for them with errors.Is.
var (
	// ErrNotStationary: the map needs a kernel of x − y.
	ErrNotStationary = errors.New("featuremap: kernel is not stationary")

	// ErrNotRadial: the frequency design needs a mixture of Gaussian kernels.
	ErrNotRadial = errors.New("featuremap: kernel is not radial")

	// ErrNotPSD: the function is not positive semi-definite, so no kernel.
	ErrNotPSD = errors.New("featuremap: not positive semi-definite")
)

// A FeatureMap is an explicit map φ: R^in → R^out with ⟨φ(x), φ(y)⟩ ≈ k(x, y) for
// the k that Kernel returns.
//
// Maps are immutable and safe for concurrent use. Both transformations give the
// same bits for the same point, whatever the batch, its layout, and the number of
// goroutines. A feature that reads a NaN is NaN, one that reads an Inf is NaN or
// Inf; the features of other rows are untouched.
type FeatureMap interface {
	// Dims returns the numbers of coordinates in and features out.
	Dims() (in, out int)

	// Kernel returns the kernel that the inner products of features estimate.
	Kernel() Kernel

	// TransformTo sets row i of dst to the features of row i of x, over up to
	// GOMAXPROCS goroutines. An empty dst is sized. It panics with
	// mat.ErrZeroLength if x has no rows, with mat.ErrShape if x has not in columns
	// or dst another shape than len(x)×out, and as gonum does if dst overlaps x.
	TransformTo(dst *mat.Dense, x mat.Matrix)

	// TransformVec writes the features of x to dst and returns dst; a nil dst is
	// allocated. It panics with mat.ErrShape if x has not length in or dst has not
	// length out, and as gonum does if they overlap.
	TransformVec(dst, x []float64) []float64
}

// A Variancer knows the variance of the estimate ⟨φ(x), φ(y)⟩ of k(x, y) over the
// draw of the map. Every map of the package says where its variance is exact.
//
// Variance panics with mat.ErrShape if x or y has not the map's input length.
type Variancer interface {
	Variance(x, y []float64) float64
}

// Gram sets dst to the n×n matrix of k between every pair of rows of x, computed in
// parallel. An empty dst is sized. It panics with mat.ErrZeroLength if x has no
// rows, with mat.ErrShape if dst is not n×n, and as gonum does if dst overlaps x.
func Gram(dst *mat.SymDense, k Kernel, x mat.Matrix) {
	n, _ := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	} else if dst.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	raw := dst.RawSymmetric()
	checkOverlap(blas64.General{Rows: n, Cols: n, Stride: raw.Stride, Data: raw.Data}, x)
	rows := rowsOf(x)
	k, rows = unproject(k, rows)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			upper := raw.Data[i*raw.Stride : i*raw.Stride+n]
			for j := i; j < n; j++ {
				upper[j] = k.Eval(rows[i], rows[j])
			}
		}
	}), n, gramGrain)
}

// CrossGram sets dst to the n×m matrix of k between the n rows of x and the m rows
// of y, computed in parallel. An empty dst is sized. It panics with
// mat.ErrZeroLength if x or y has no rows, with mat.ErrShape if they differ in width
// or dst is not n×m, and as gonum does if dst overlaps x or y.
func CrossGram(dst *mat.Dense, k Kernel, x, y mat.Matrix) {
	n, c := x.Dims()
	m, d := y.Dims()
	if n == 0 || m == 0 {
		panic(mat.ErrZeroLength)
	}
	if c != d {
		panic(mat.ErrShape)
	}
	prepare(dst, n, m)
	raw := dst.RawMatrix()
	checkOverlap(raw, x)
	checkOverlap(raw, y)
	inner, xs := unproject(k, rowsOf(x))
	_, ys := unproject(k, rowsOf(y))
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

// rowsOf returns the rows of x: views of its data if they are contiguous there,
// otherwise copies.
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

// unproject replaces a kernel k(Ax, Ay) by k, and the rows by their images under A:
// once for each row, rather than once for each pair.
func unproject(k Kernel, rows [][]float64) (Kernel, [][]float64) {
	p, ok := k.(projector)
	if !ok {
		return k, rows
	}
	a, inner := p.projection()
	data := make([]float64, len(rows)*a.p)
	images := make([][]float64, len(rows))
	for i, row := range rows {
		images[i] = data[i*a.p : (i+1)*a.p]
		a.apply(images[i], row)
	}
	return inner, images
}

// prepareTransform checks and sizes what TransformTo of a map R^in → R^out is given.
func prepareTransform(dst *mat.Dense, x mat.Matrix, in, out int) {
	n, c := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	if c != in {
		panic(mat.ErrShape)
	}
	prepare(dst, n, out)
	checkOverlap(dst.RawMatrix(), x)
}

// prepareVec checks what TransformVec of a map R^in → R^out is given, and returns
// dst, allocated if nil.
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
	checkRegions(vector(dst), vector(x))
	return dst
}

// prepare makes dst r×c, or panics if it is of another shape.
func prepare(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		dst.ReuseAs(r, c)
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
}

// checkOverlap panics as gonum does if dst shares an element with x, for an x whose
// data can be seen.
func checkOverlap(dst blas64.General, x mat.Matrix) {
	for {
		u, ok := x.(mat.Untransposer)
		if !ok {
			break
		}
		x = u.Untranspose()
	}
	n, d := x.Dims()
	switch x := x.(type) {
	case mat.RawMatrixer:
		checkRegions(dst, x.RawMatrix())
	case mat.RawSymmetricer:
		raw := x.RawSymmetric()
		checkRegions(dst, blas64.General{Rows: n, Cols: d, Stride: raw.Stride, Data: raw.Data})
	case mat.RawTriangular:
		raw := x.RawTriangular()
		checkRegions(dst, blas64.General{Rows: n, Cols: d, Stride: raw.Stride, Data: raw.Data})
	case mat.RawVectorer:
		raw := x.RawVector()
		checkRegions(dst, blas64.General{Rows: raw.N, Cols: 1, Stride: raw.Inc, Data: raw.Data})
	}
}

// vector returns v as a matrix of one row.
func vector(v []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(v), Stride: max(len(v), 1), Data: v}
}

// checkRegions panics, in gonum's words, if a and b share an element.
func checkRegions(a, b blas64.General) {
	const size = unsafe.Sizeof(float64(0))
	endA, endB := end(a), end(b)
	if endA == 0 || endB == 0 {
		return
	}
	startA := uintptr(unsafe.Pointer(unsafe.SliceData(a.Data)))
	startB := uintptr(unsafe.Pointer(unsafe.SliceData(b.Data)))
	if startB < startA {
		a, b, startA, startB, endA = b, a, startB, startA, endB
	}
	off := int((startB - startA) / size)
	switch {
	case off >= endA:
		return // a ends before b begins
	case off == 0 && a.Rows == b.Rows && a.Cols == b.Cols && a.Stride == b.Stride:
		panic("mat: bad region: identical")
	case a.Rows == 1 || b.Rows == 1:
		// One row against a rectangle: as if both had the rectangle's stride.
		stride := a.Stride
		if a.Rows == 1 {
			stride = b.Stride
		}
		a.Stride, b.Stride = stride, stride
	case a.Stride != b.Stride:
		panic("mat: bad region: different strides")
	}
	// Columns relative to a's first, modulo the stride: b's are disjoint from a's
	// only if they neither begin among them nor wrap round to them.
	from := off % a.Stride
	if from < a.Cols || from+b.Cols > a.Stride {
		panic("mat: bad region: overlap")
	}
}

// end returns the length of the data from the first element of a to its last.
func end(a blas64.General) int {
	if a.Rows == 0 || a.Cols == 0 {
		return 0
	}
	return (a.Rows-1)*a.Stride + a.Cols
}
