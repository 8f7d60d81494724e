// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A warp is a linear map in front of a kernel. It takes some columns of R^in (all if columns is nil), and has a
// diagonal matrix or, if that is nil, a dense one, by rows.
type warp struct {
	in       int
	columns  []int
	diagonal []float64
	dense    []float64
	rows     int // of dense
}

// width returns the number of columns that the matrix is for.
func (w *warp) width() int {
	if w.columns != nil {
		return len(w.columns)
	}
	return w.in
}

// out returns the number of coordinates of an image.
func (w *warp) out() int {
	if w.diagonal != nil {
		return len(w.diagonal)
	}
	return w.rows
}

// elements returns the elements of the matrix, or of its diagonal.
func (w *warp) elements() []float64 {
	if w.diagonal != nil {
		return w.diagonal
	}
	return w.dense
}

// with returns the warp with other elements.
func (w warp) with(elements []float64) warp {
	if w.diagonal != nil {
		w.diagonal = elements
	} else {
		w.dense = elements
	}
	return w
}

// column returns the coordinate of R^in that an element of the matrix multiplies.
func (w *warp) column(element int) int {
	j := element % w.width()
	if w.columns != nil {
		j = w.columns[j]
	}
	return j
}

// scaled returns the warp c·A.
func (w warp) scaled(c float64) warp {
	elements := slices.Clone(w.elements())
	for i := range elements {
		elements[i] *= c
	}
	return w.with(elements)
}

// inUnits returns the warp for points whose coordinates were divided by units: each element is multiplied by the unit
// of its column.
func (w warp) inUnits(units []float64) warp {
	elements := slices.Clone(w.elements())
	for i := range elements {
		elements[i] *= units[w.column(i)]
	}
	return w.with(elements)
}

// full returns the warp with a dense matrix.
func (w warp) full() warp {
	if w.diagonal == nil {
		return w
	}
	n := len(w.diagonal)
	dense := make([]float64, n*n)
	for i, v := range w.diagonal {
		dense[i*n+i] = v
	}
	return warp{in: w.in, columns: w.columns, dense: dense, rows: n}
}

// transposed sets dst, of in elements, to Aᵀv.
func (w *warp) transposed(dst, v []float64) {
	clear(dst)
	if w.diagonal != nil {
		for j, a := range w.diagonal {
			dst[w.column(j)] = a * v[j]
		}
		return
	}
	width := w.width()
	for j := range width {
		var sum float64
		for r, u := range v {
			sum = math.FMA(w.dense[r*width+j], u, sum)
		}
		dst[w.column(j)] = sum
	}
}

// image sets dst, of out elements, to Ax.
func (w *warp) image(dst, x []float64) {
	if w.diagonal != nil {
		for j, a := range w.diagonal {
			dst[j] = a * x[w.column(j)]
		}
		return
	}
	width := w.width()
	for r := range dst {
		var sum float64
		for j, a := range w.dense[r*width:][:width] {
			sum = math.FMA(a, x[w.column(j)], sum)
		}
		dst[r] = sum
	}
}

// then returns the linear map that applies w first, and then the linear map of k, an expression of one part behind a
// linear map.
func (w warp) then(k featuremap.Expression) warp {
	n := w.out()
	if k.Op() == "Select" {
		return w.chosen(selected(k, n))
	}
	var matrix, diagonal []float64
	if k.Op() == "ARD" {
		diagonal = inverses(k, n)
	} else {
		matrix = matrixOf(k, n)
		diagonal = positiveDiagonal(matrix, n)
	}
	switch {
	case diagonal != nil && w.diagonal != nil:
		for j, v := range w.diagonal {
			diagonal[j] *= v
		}
		return w.with(diagonal)
	case diagonal != nil:
		matrix = (&warp{in: n, diagonal: diagonal}).full().dense
	}
	// The product of the matrix, rows×n, and that of w, n×width.
	width, rows := w.width(), len(matrix)/n
	product := make([]float64, rows*width)
	own := w.full().dense
	for r := range rows {
		for i, a := range matrix[r*n:][:n] {
			for j, b := range own[i*width:][:width] {
				product[r*width+j] = math.FMA(a, b, product[r*width+j])
			}
		}
	}
	return warp{in: w.in, columns: w.columns, dense: product, rows: rows}
}

// chosen returns the warp to some of the coordinates of w.
func (w warp) chosen(coordinates []int) warp {
	if w.diagonal != nil {
		chosen := warp{in: w.in}
		for _, j := range coordinates {
			chosen.columns = append(chosen.columns, w.column(j))
			chosen.diagonal = append(chosen.diagonal, w.diagonal[j])
		}
		return chosen
	}
	width, dense := w.width(), []float64(nil)
	for _, r := range coordinates {
		dense = append(dense, w.dense[r*width:][:width]...)
	}
	return warp{in: w.in, columns: w.columns, dense: dense, rows: len(coordinates)}
}

// An observer is a kernel that keeps the point it is evaluated at: behind a linear map, the image.
type observer struct{ image []float64 }

// Eval keeps x.
func (o *observer) Eval(x, _ []float64) float64 {
	o.image = slices.Clone(x)
	return 0
}

// selected returns the columns that a Select of points of n coordinates takes.
func selected(k featuremap.Expression, n int) []int {
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	var o observer
	k.With(&o).Eval(numbers, numbers)
	columns := make([]int, len(o.image))
	for i, v := range o.image {
		columns[i] = int(v)
	}
	return columns
}

// inverses returns the inverse length scales of an ARD of points of n coordinates: the image of ones.
func inverses(k featuremap.Expression, n int) []float64 {
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	var o observer
	k.With(&o).Eval(ones, ones)
	return o.image
}

// matrixOf returns the matrix of a Project of points of n coordinates, by rows: the images of unit vectors.
func matrixOf(k featuremap.Expression, n int) []float64 {
	var o observer
	seen := k.With(&o)
	unit := make([]float64, n)
	var matrix []float64
	for j := range unit {
		unit[j] = 1
		seen.Eval(unit, unit)
		unit[j] = 0
		if matrix == nil {
			matrix = make([]float64, len(o.image)*n)
		}
		for r, v := range o.image {
			matrix[r*n+j] = v
		}
	}
	return matrix
}

// positiveDiagonal returns the diagonal of a matrix of n columns if it is diagonal with positive elements, and nil otherwise.
func positiveDiagonal(matrix []float64, n int) []float64 {
	if len(matrix) != n*n {
		return nil
	}
	diagonal := make([]float64, n)
	for i, v := range matrix {
		switch r, j := i/n, i%n; {
		case r == j && v > 0:
			diagonal[r] = v
		case r == j || v != 0:
			return nil
		}
	}
	return diagonal
}

// expression returns the kernel base(Ax, Ay), by way of base's own length scale if A is a multiple of the identity.
func (w *warp) expression(base featuremap.Kernel) featuremap.Kernel {
	k := base
	switch {
	case w.diagonal == nil:
		k = featuremap.Project(mat.NewDense(w.rows, w.width(), slices.Clone(w.dense)), base)
	case !w.uniform() || w.diagonal[0] != 1 && !hasLength(base):
		lengths := make([]float64, len(w.diagonal))
		for j, a := range w.diagonal {
			lengths[j] = 1 / a
		}
		k = featuremap.ARD(lengths, base)
	case hasLength(base):
		if own, err := featuremap.WithParameters(base, []float64{1 / w.diagonal[0]}); err == nil {
			k = own
		}
	}
	if w.columns != nil {
		k = featuremap.Select(w.columns, k)
	}
	return k
}

// uniform reports whether all elements of the diagonal are equal.
func (w *warp) uniform() bool {
	return !slices.ContainsFunc(w.diagonal, func(a float64) bool { return a != w.diagonal[0] })
}

// hasLength reports whether the only parameter of a kernel is the length scale by which its argument is divided.
func hasLength(k featuremap.Kernel) bool {
	switch k.(type) {
	case featuremap.Gaussian, featuremap.Laplacian, featuremap.Cauchy, featuremap.Matern, featuremap.RationalQuadratic:
		return true
	}
	return false
}
