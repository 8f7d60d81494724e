// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// A warp is the map x ↦ Ax − c. Project, ARD and Select put the linear map A in front of a kernel: it selects
// coordinates, and then multiplies them by factors or by a dense matrix. The planner alone subtracts a
// centre c, as the last step: warps with one are not composed. The zero value is the identity.
// Frequencies pass through warps, so products are rounded one by one, to the same bits on every machine.
type warp struct {
	cols  []int     // selected coordinates, in order; nil: all
	diag  []float64 // a factor for each of them, or
	dense []float64 // a matrix of p rows, in row-major order; nil both: they stay as they are
	p     int       // the rows of dense, else 0

	centre []float64 // c; nil: 0
}

// newWarp returns the warp of a non-empty matrix.
func newWarp(a mat.Matrix) warp {
	p, n := a.Dims()
	if diag, ok := a.(*mat.DiagDense); ok {
		w := warp{diag: make([]float64, n)}
		for i := range w.diag {
			w.diag[i] = diag.At(i, i)
		}
		return w
	}
	w := warp{dense: make([]float64, p*n), p: p}
	for i := range w.dense {
		w.dense[i] = a.At(i/n, i%n)
	}
	return w
}

// validate refuses elements that are not finite.
func (w warp) validate() error {
	refused := func(i, j int, v float64) error {
		if math.Abs(v) <= math.MaxFloat64 {
			return nil
		}
		return fmt.Errorf("featuremap: Project A(%d, %d) = %v: must be finite", i, j, v)
	}
	for i, v := range w.diag {
		if err := refused(i, i, v); err != nil {
			return err
		}
	}
	for i, v := range w.dense {
		n := len(w.dense) / w.p
		if err := refused(i/n, i%n, v); err != nil {
			return err
		}
	}
	return nil
}

// matrix returns diag or dense, one of which must be set, as a gonum matrix that shares its memory.
func (w warp) matrix() mat.Matrix {
	if w.diag != nil {
		return mat.NewDiagDense(len(w.diag), w.diag)
	}
	return mat.NewDense(w.p, len(w.dense)/w.p, w.dense)
}

// identity tells whether the warp is the identity.
func (w warp) identity() bool { return w.cols == nil && w.factorless() && w.centre == nil }

// linear returns the warp without its centre.
func (w warp) linear() warp {
	w.centre = nil
	return w
}

// centred returns the warp x ↦ w(x) − c.
func (w warp) centred(c []float64) warp {
	w.centre = c
	return w
}

// factorless tells whether the warp only selects coordinates.
func (w warp) factorless() bool { return w.diag == nil && w.dense == nil }

// zero tells whether the matrix is 0, so that the images of all points are the same.
func (w warp) zero() bool {
	return !w.factorless() && !slices.ContainsFunc(w.elements(), func(v float64) bool { return v != 0 })
}

// dim returns the dimension of the images of points of R^in.
func (w warp) dim(in int) int {
	switch {
	case w.dense != nil:
		return w.p
	case w.cols != nil:
		return len(w.cols)
	}
	return in
}

// equal tells whether two warps are stored in the same way with the same values; the same map may be stored in another way.
func (w warp) equal(v warp) bool {
	return (w.cols == nil) == (v.cols == nil) && slices.Equal(w.cols, v.cols) && slices.Equal(w.diag, v.diag) &&
		w.p == v.p && slices.Equal(w.centre, v.centre) && (len(w.dense) == 0 || &w.dense[0] == &v.dense[0] || slices.Equal(w.dense, v.dense))
}

// apply sets dst to Ax − c. It panics with mat.ErrShape if x has another length than the warp takes.
func (w warp) apply(dst, x []float64) {
	if w.cols != nil {
		if slices.Max(w.cols) >= len(x) {
			panic(mat.ErrShape)
		}
		u := dst
		if w.dense != nil {
			u = make([]float64, len(w.cols))
		}
		for i, c := range w.cols {
			u[i] = x[c]
		}
		x = u
	}
	switch {
	case w.diag != nil && len(x) != len(w.diag), w.dense != nil && len(x)*w.p != len(w.dense):
		panic(mat.ErrShape)
	case w.diag != nil:
		for i, v := range w.diag {
			dst[i] = v * x[i]
		}
	case w.dense != nil:
		for i := range w.p {
			var sum float64
			for j, v := range w.dense[i*len(x) : (i+1)*len(x)] {
				sum += float64(v * x[j])
			}
			dst[i] = sum
		}
	case w.cols == nil:
		copy(dst, x)
	}
	for i, c := range w.centre {
		dst[i] -= c
	}
}

// image returns Ax − c, which is x itself if the warp is the identity.
func (w warp) image(x []float64) []float64 {
	if w.identity() {
		return x
	}
	u := make([]float64, w.dim(len(x)))
	w.apply(u, x)
	return u
}

// pull sets dst, of R^in, to Aᵀu, so that dst·x = u·Ax. The centre takes no part.
func (w warp) pull(dst, u []float64) {
	v := dst
	if w.cols != nil {
		v = make([]float64, len(w.cols))
	}
	switch {
	case w.diag != nil:
		for i, a := range w.diag {
			v[i] = a * u[i]
		}
	case w.dense != nil:
		clear(v)
		for i, b := range u {
			if b == 0 {
				continue
			}
			for j, a := range w.dense[i*len(v) : (i+1)*len(v)] {
				v[j] += float64(b * a)
			}
		}
	default:
		copy(v, u)
	}
	if w.cols != nil {
		clear(dst)
		for i, c := range w.cols {
			dst[c] = v[i]
		}
	}
}

// bias returns −u·c: as a function of x, u·(Ax − c) is the linear form with the weights Aᵀu and this bias.
func (w warp) bias(u []float64) float64 {
	if w.centre == nil {
		return 0
	}
	return 0 - arith.Chain(u, w.centre)
}

// rows calls each with i and scale times row i of A, for every row, of in elements. The slice is reused.
func (w warp) rows(in int, scale float64, each func(i int, row []float64)) {
	unit, row := make([]float64, w.dim(in)), make([]float64, in)
	for i := range unit {
		unit[i] = scale
		w.pull(row, unit)
		each(i, row)
		unit[i] = 0
	}
}

// after returns the warp x ↦ w(v(x)).
func (w warp) after(v warp) warp {
	switch {
	case v.identity():
		return w
	case w.identity():
		return v
	case v.dense != nil:
		c := warp{cols: v.cols, p: w.dim(v.p)}
		v.cols = nil
		c.dense = make([]float64, len(v.dense)/v.p*c.p)
		n := len(c.dense) / c.p
		w.rows(v.p, 1, func(i int, row []float64) { v.pull(c.dense[i*n:(i+1)*n], row) })
		return c
	}
	// v is not dense: w selects some of its coordinates, each with its factor.
	factors := v.diag
	if factors != nil && w.cols != nil {
		factors = pick(factors, w.cols)
	}
	switch {
	case w.cols == nil:
		w.cols = v.cols
	case v.cols != nil:
		w.cols = pick(v.cols, w.cols)
	}
	switch {
	case factors == nil:
	case w.dense != nil:
		w.dense = slices.Clone(w.dense)
		for i := range w.dense {
			w.dense[i] *= factors[i%len(factors)]
		}
	case w.diag != nil:
		w.diag = slices.Clone(w.diag)
		for i, v := range factors {
			w.diag[i] *= v
		}
	default:
		w.diag = factors
	}
	return w
}

// through returns the simplified warp x ↦ w(v(x)) of R^in, or an error if an element of the product of the matrices overflows,
// or underflows so that it loses digits.
func (w warp) through(v warp, in int) (warp, error) {
	product := w.after(v)
	if err := product.validate(); err != nil {
		return warp{}, err
	}
	if !w.factorless() && !v.factorless() {
		// An element that lost no digits is 2⁻²⁰⁰⁰ times that of the product of both matrices times 2¹⁰⁰⁰, if that is finite.
		const exponent = 1000
		large := w.scaledBy(exponent).after(v.scaledBy(exponent))
		elements, scaled := product.elements(), large.elements()
		for i, a := range elements {
			if b := scaled[i]; math.Abs(a) < 0x1p-1000 && math.Abs(b) <= math.MaxFloat64 && b != math.Ldexp(a, 2*exponent) {
				return warp{}, fmt.Errorf("featuremap: a product of the matrices of Project or ARD has an element of about %.3g·2^%d, which underflows", b, -2*exponent)
			}
		}
	}
	return product.simplified(in), nil
}

// elements returns diag or dense, whichever is set; nil if neither is.
func (w warp) elements() []float64 {
	if w.diag != nil {
		return w.diag
	}
	return w.dense
}

// scaledBy returns the warp with its elements multiplied by 2^exponent.
func (w warp) scaledBy(exponent int) warp {
	scaled := make([]float64, len(w.elements()))
	for i, v := range w.elements() {
		scaled[i] = math.Ldexp(v, exponent)
	}
	if w.diag != nil {
		w.diag = scaled
	} else {
		w.dense = scaled
	}
	return w
}

// pick returns the elements of a slice at the given indices.
func pick[T any](from []T, at []int) []T {
	picked := make([]T, len(at))
	for i, c := range at {
		picked[i] = from[c]
	}
	return picked
}

// simplified returns an equal warp of R^in, without factors of 1 and selections of all coordinates in order. A dense
// matrix that only selects coordinates becomes a selection, and a diagonal one becomes factors.
func (w warp) simplified(in int) warp {
	if cols, ok := w.selection(); ok {
		w = warp{cols: cols}.after(warp{cols: w.cols})
	} else if diag, ok := w.diagonal(); ok {
		w = warp{cols: w.cols, diag: diag}
	}
	if !slices.ContainsFunc(w.diag, func(v float64) bool { return v != 1 }) {
		w.diag = nil
	}
	if len(w.cols) == in && slices.IsSorted(w.cols) {
		w.cols = nil
	}
	return w
}

// diagonal returns the diagonal of a dense matrix that is square, and whether all other elements are 0.
func (w warp) diagonal() (diag []float64, ok bool) {
	if w.dense == nil || w.p*w.p != len(w.dense) {
		return nil, false
	}
	for i, v := range w.dense {
		if i%(w.p+1) == 0 {
			diag = append(diag, v)
		} else if v != 0 {
			return nil, false
		}
	}
	return diag, true
}

// selection returns the coordinates that a dense matrix selects, and whether it only selects: every row has
// one 1 in a column of its own, and zeros elsewhere.
func (w warp) selection() (cols []int, ok bool) {
	taken := make(map[int]bool)
	for i := range w.p {
		n := len(w.dense) / w.p
		row := w.dense[i*n : (i+1)*n]
		at := slices.IndexFunc(row, func(v float64) bool { return v != 0 })
		if at < 0 || row[at] != 1 || taken[at] || slices.ContainsFunc(row[at+1:], func(v float64) bool { return v != 0 }) {
			return nil, false
		}
		cols, taken[at] = append(cols, at), true
	}
	return cols, w.dense != nil
}

// norms returns the Frobenius and the spectral norm of A, for points of R^in.
func (w warp) norms(in int) (frobenius, spectral float64) {
	values := w.diag
	switch {
	case w.factorless():
		return math.Sqrt(float64(w.dim(in))), 1
	case w.dense != nil:
		var svd mat.SVD
		if !svd.Factorize(w.matrix(), mat.SVDNone) {
			return math.Inf(1), math.Inf(1)
		}
		values = svd.Values(nil)
	}
	for _, v := range values {
		frobenius = math.Hypot(frobenius, v)
		spectral = max(spectral, math.Abs(v))
	}
	return frobenius, spectral
}

// before returns the warp in the form that the structured projections and powers of package projection apply first.
func (w warp) before(in int) projection.Before {
	switch {
	case w.identity():
		return projection.Before{}
	case w.cols == nil && w.diag != nil:
		return projection.Before{Diagonal: w.diag, Centre: w.centre}
	case w.linear().identity():
		return projection.Before{Centre: w.centre}
	}
	return projection.Before{Linear: w.forms(in, 1)}
}

// forms returns the projection x ↦ scale·(Ax − c), for points of R^in.
func (w warp) forms(in int, scale float64) *projection.Projection {
	p := projection.New(w.dim(in), in, projection.Store, 1)
	w.rows(in, scale, func(i int, row []float64) {
		bias := 0.0
		if w.centre != nil {
			bias = 0 - float64(scale*w.centre[i])
		}
		p.Set(i, row, bias)
	})
	return p
}

// then returns the function x ↦ f(Ax − c) on R^in, which may be called concurrently if f may.
func (w warp) then(in int, f func(x []float64) float64) func(x []float64) float64 {
	if w.identity() {
		return f
	}
	images := w.images(in)
	return func(x []float64) float64 {
		u := images.Get().(*[]float64)
		defer images.Put(u)
		w.apply(*u, x)
		return f(*u)
	}
}

// gradient returns the gradient of the function x ↦ f(Ax − c) on R^in, given that of f: Aᵀ∇f(Ax − c).
func (w warp) gradient(in int, f func(dst, x []float64)) func(dst, x []float64) {
	if w.identity() {
		return f
	}
	points, gradients := w.images(in), w.images(in)
	return func(dst, x []float64) {
		u, v := points.Get().(*[]float64), gradients.Get().(*[]float64)
		defer points.Put(u)
		defer gradients.Put(v)
		w.apply(*u, x)
		f(*v, *u)
		w.pull(dst, *v)
	}
}

// thenVector returns the function on R^in that calls f(dst, Ax − c) for a point x.
func (w warp) thenVector(in int, f func(dst, x []float64)) func(dst, x []float64) {
	if w.identity() {
		return f
	}
	images := w.images(in)
	return func(dst, x []float64) {
		u := images.Get().(*[]float64)
		defer images.Put(u)
		w.apply(*u, x)
		f(dst, *u)
	}
}

// images returns a pool of memory for the images of points of R^in.
func (w warp) images(in int) *sync.Pool {
	return &sync.Pool{New: func() any {
		u := make([]float64, w.dim(in))
		return &u
	}}
}

// source returns the Go expression of k(Ax, Ay), given that of k. The centre is left out.
func (w warp) source(k string) string {
	switch {
	case w.diag != nil && !slices.Contains(w.diag, 0):
		lengths := make([]float64, len(w.diag))
		for i, v := range w.diag {
			lengths[i] = 1 / v
		}
		k = "ARD(" + gosyntax.Of(lengths) + ", " + k + ")"
	case !w.factorless():
		k = "Project(" + gosyntax.Of(w.matrix()) + ", " + k + ")"
	}
	if w.cols != nil {
		k = "Select(" + gosyntax.Of(w.cols) + ", " + k + ")"
	}
	return k
}
