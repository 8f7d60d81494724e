// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package warp implements the linear maps in front of kernels.
package warp

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

// Warp is the map x ↦ Ax − c. Project, ARD and Select put the linear map A in front of a kernel: it selects
// coordinates, and then multiplies them by factors or by a dense matrix. Only the planner subtracts a center
// c, as the last step: warps with a center are not composed. The zero value is the identity.
//
// Frequencies pass through warps, so products are rounded one by one, with the same bits on every machine.
type Warp struct {
	Cols  []int     // selected coordinates, in order; nil: all
	Diag  []float64 // a factor for each of them, or
	Dense []float64 // a matrix with P rows, in row-major order; nil both: no change
	P     int       // the rows of Dense, otherwise 0

	Center []float64 // c; nil: 0
}

// New returns the warp of a non-empty matrix.
func New(a mat.Matrix) Warp {
	p, n := a.Dims()
	if diag, ok := a.(*mat.DiagDense); ok {
		w := Warp{Diag: make([]float64, n)}
		for i := range w.Diag {
			w.Diag[i] = diag.At(i, i)
		}
		return w
	}
	w := Warp{Dense: make([]float64, p*n), P: p}
	for i := range w.Dense {
		w.Dense[i] = a.At(i/n, i%n)
	}
	return w
}

// Validate refuses elements that are not finite.
func (w Warp) Validate() error {
	refused := func(i, j int, v float64) error {
		if math.Abs(v) <= math.MaxFloat64 {
			return nil
		}
		return fmt.Errorf("featuremap: Project A(%d, %d) = %v: must be finite", i, j, v)
	}
	for i, v := range w.Diag {
		if err := refused(i, i, v); err != nil {
			return err
		}
	}
	for i, v := range w.Dense {
		n := len(w.Dense) / w.P
		if err := refused(i/n, i%n, v); err != nil {
			return err
		}
	}
	return nil
}

// Matrix returns diag or dense, one of which must be set, as a gonum matrix that shares its memory.
func (w Warp) Matrix() mat.Matrix {
	if w.Diag != nil {
		return mat.NewDiagDense(len(w.Diag), w.Diag)
	}
	return mat.NewDense(w.P, len(w.Dense)/w.P, w.Dense)
}

// Identity tells whether the warp is the identity.
func (w Warp) Identity() bool { return w.Cols == nil && w.Factorless() && w.Center == nil }

// Linear returns the warp without its center.
func (w Warp) Linear() Warp {
	w.Center = nil
	return w
}

// Centered returns the warp x ↦ w(x) − c.
func (w Warp) Centered(c []float64) Warp {
	w.Center = c
	return w
}

// Factorless tells whether the warp only selects coordinates.
func (w Warp) Factorless() bool { return w.Diag == nil && w.Dense == nil }

// Zero tells whether the matrix is 0, so that the images of all points are the same.
func (w Warp) Zero() bool {
	return !w.Factorless() && !slices.ContainsFunc(w.Elements(), func(v float64) bool { return v != 0 })
}

// Dim returns the dimension of the images of points of R^in.
func (w Warp) Dim(in int) int {
	switch {
	case w.Dense != nil:
		return w.P
	case w.Cols != nil:
		return len(w.Cols)
	}
	return in
}

// Equal tells whether two warps are stored in the same way with the same values. It may be false for the same map
// stored in another way.
func (w Warp) Equal(v Warp) bool {
	return (w.Cols == nil) == (v.Cols == nil) && slices.Equal(w.Cols, v.Cols) && slices.Equal(w.Diag, v.Diag) &&
		w.P == v.P && slices.Equal(w.Center, v.Center) && (len(w.Dense) == 0 || &w.Dense[0] == &v.Dense[0] || slices.Equal(w.Dense, v.Dense))
}

// Apply sets dst to Ax − c. It panics with mat.ErrShape if x has another length than the warp takes.
func (w Warp) Apply(dst, x []float64) {
	if w.Cols != nil {
		if slices.Max(w.Cols) >= len(x) {
			panic(mat.ErrShape)
		}
		u := dst
		if w.Dense != nil {
			u = make([]float64, len(w.Cols))
		}
		for i, c := range w.Cols {
			u[i] = x[c]
		}
		x = u
	}
	switch {
	case w.Diag != nil && len(x) != len(w.Diag), w.Dense != nil && len(x)*w.P != len(w.Dense):
		panic(mat.ErrShape)
	case w.Diag != nil:
		for i, v := range w.Diag {
			dst[i] = v * x[i]
		}
	case w.Dense != nil:
		for i := range w.P {
			var sum float64
			for j, v := range w.Dense[i*len(x) : (i+1)*len(x)] {
				sum += float64(v * x[j])
			}
			dst[i] = sum
		}
	case w.Cols == nil:
		copy(dst, x)
	}
	for i, c := range w.Center {
		dst[i] -= c
	}
}

// Image returns Ax − c, which is x itself if the warp is the identity.
func (w Warp) Image(x []float64) []float64 {
	if w.Identity() {
		return x
	}
	u := make([]float64, w.Dim(len(x)))
	w.Apply(u, x)
	return u
}

// Pull sets dst, of R^in, to Aᵀu, so that dst·x = u·Ax. It ignores the center.
func (w Warp) Pull(dst, u []float64) {
	v := dst
	if w.Cols != nil {
		v = make([]float64, len(w.Cols))
	}
	switch {
	case w.Diag != nil:
		for i, a := range w.Diag {
			v[i] = a * u[i]
		}
	case w.Dense != nil:
		clear(v)
		for i, b := range u {
			if b == 0 {
				continue
			}
			for j, a := range w.Dense[i*len(v) : (i+1)*len(v)] {
				v[j] += float64(b * a)
			}
		}
	default:
		copy(v, u)
	}
	if w.Cols != nil {
		clear(dst)
		for i, c := range w.Cols {
			dst[c] = v[i]
		}
	}
}

// Bias returns −u·c: as a function of x, u·(Ax − c) is the linear form with the weights Aᵀu and this bias.
func (w Warp) Bias(u []float64) float64 {
	if w.Center == nil {
		return 0
	}
	return 0 - arith.Chain(u, w.Center)
}

// Rows calls each with i and scale times row i of A, for every row, each with in elements. The slice is
// reused.
func (w Warp) Rows(in int, scale float64, each func(i int, row []float64)) {
	unit, row := make([]float64, w.Dim(in)), make([]float64, in)
	for i := range unit {
		unit[i] = scale
		w.Pull(row, unit)
		each(i, row)
		unit[i] = 0
	}
}

// After returns the warp x ↦ w(v(x)).
func (w Warp) After(v Warp) Warp {
	switch {
	case v.Identity():
		return w
	case w.Identity():
		return v
	case v.Dense != nil:
		c := Warp{Cols: v.Cols, P: w.Dim(v.P)}
		v.Cols = nil
		c.Dense = make([]float64, len(v.Dense)/v.P*c.P)
		n := len(c.Dense) / c.P
		w.Rows(v.P, 1, func(i int, row []float64) { v.Pull(c.Dense[i*n:(i+1)*n], row) })
		return c
	}
	// v is not dense: w selects some of its coordinates, each with its factor.
	factors := v.Diag
	if factors != nil && w.Cols != nil {
		factors = Pick(factors, w.Cols)
	}
	switch {
	case w.Cols == nil:
		w.Cols = v.Cols
	case v.Cols != nil:
		w.Cols = Pick(v.Cols, w.Cols)
	}
	switch {
	case factors == nil:
	case w.Dense != nil:
		w.Dense = slices.Clone(w.Dense)
		for i := range w.Dense {
			w.Dense[i] *= factors[i%len(factors)]
		}
	case w.Diag != nil:
		w.Diag = slices.Clone(w.Diag)
		for i, v := range factors {
			w.Diag[i] *= v
		}
	default:
		w.Diag = factors
	}
	return w
}

// Through returns the simplified warp x ↦ w(v(x)) of R^in. It returns an error if an element of the product of the
// matrices overflows, or loses digits by underflow.
func (w Warp) Through(v Warp, in int) (Warp, error) {
	product := w.After(v)
	if err := product.Validate(); err != nil {
		return Warp{}, err
	}
	if !w.Factorless() && !v.Factorless() {
		// An element that lost no digits is 2⁻²⁰⁰⁰ times the element of the product of both matrices times 2¹⁰⁰⁰, if
		// this is finite.
		const exponent = 1000
		large := w.scaledBy(exponent).After(v.scaledBy(exponent))
		elements, scaled := product.Elements(), large.Elements()
		for i, a := range elements {
			if b := scaled[i]; math.Abs(a) < 0x1p-1000 && math.Abs(b) <= math.MaxFloat64 && b != math.Ldexp(a, 2*exponent) {
				return Warp{}, fmt.Errorf("featuremap: a product of the matrices of Project or ARD has an element of about %.3g·2^%d, which underflows", b, -2*exponent)
			}
		}
	}
	return product.Simplified(in), nil
}

// Elements returns diag or dense, whichever is set; nil if neither is.
func (w Warp) Elements() []float64 {
	if w.Diag != nil {
		return w.Diag
	}
	return w.Dense
}

// scaledBy returns the warp with its elements multiplied by 2^exponent.
func (w Warp) scaledBy(exponent int) Warp {
	scaled := make([]float64, len(w.Elements()))
	for i, v := range w.Elements() {
		scaled[i] = math.Ldexp(v, exponent)
	}
	if w.Diag != nil {
		w.Diag = scaled
	} else {
		w.Dense = scaled
	}
	return w
}

// Pick returns the elements of a slice at the given indices.
func Pick[T any](from []T, at []int) []T {
	picked := make([]T, len(at))
	for i, c := range at {
		picked[i] = from[c]
	}
	return picked
}

// Simplified returns an equal warp of R^in, without factors of 1 and selections of all coordinates in order. A dense
// matrix that only selects coordinates becomes a selection, and a diagonal one becomes factors.
func (w Warp) Simplified(in int) Warp {
	if cols, ok := w.selection(); ok {
		w = Warp{Cols: cols}.After(Warp{Cols: w.Cols})
	} else if diag, ok := w.diagonal(); ok {
		w = Warp{Cols: w.Cols, Diag: diag}
	}
	if !slices.ContainsFunc(w.Diag, func(v float64) bool { return v != 1 }) {
		w.Diag = nil
	}
	if len(w.Cols) == in && slices.IsSorted(w.Cols) {
		w.Cols = nil
	}
	return w
}

// diagonal returns the diagonal of a dense matrix that is square, and whether all other elements are 0.
func (w Warp) diagonal() (diag []float64, ok bool) {
	if w.Dense == nil || w.P*w.P != len(w.Dense) {
		return nil, false
	}
	for i, v := range w.Dense {
		if i%(w.P+1) == 0 {
			diag = append(diag, v)
		} else if v != 0 {
			return nil, false
		}
	}
	return diag, true
}

// selection returns the coordinates that a dense matrix selects. ok tells whether it only selects: every
// row has one 1, each in another column, and zeros elsewhere.
func (w Warp) selection() (cols []int, ok bool) {
	taken := make(map[int]bool)
	for i := range w.P {
		n := len(w.Dense) / w.P
		row := w.Dense[i*n : (i+1)*n]
		at := slices.IndexFunc(row, func(v float64) bool { return v != 0 })
		if at < 0 || row[at] != 1 || taken[at] || slices.ContainsFunc(row[at+1:], func(v float64) bool { return v != 0 }) {
			return nil, false
		}
		cols, taken[at] = append(cols, at), true
	}
	return cols, w.Dense != nil
}

// Norms returns the Frobenius and the spectral norm of A, for points of R^in.
func (w Warp) Norms(in int) (frobenius, spectral float64) {
	values := w.Diag
	switch {
	case w.Factorless():
		return math.Sqrt(float64(w.Dim(in))), 1
	case w.Dense != nil:
		var svd mat.SVD
		if !svd.Factorize(w.Matrix(), mat.SVDNone) {
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

// Before returns the warp in the form that the structured projections and powers of package projection apply first.
func (w Warp) Before(in int) projection.Before {
	switch {
	case w.Identity():
		return projection.Before{}
	case w.Cols == nil && w.Diag != nil:
		return projection.Before{Diagonal: w.Diag, Center: w.Center}
	case w.Linear().Identity():
		return projection.Before{Center: w.Center}
	}
	return projection.Before{Linear: w.Forms(in, 1)}
}

// Forms returns the projection x ↦ scale·(Ax − c), for points of R^in.
func (w Warp) Forms(in int, scale float64) *projection.Projection {
	p := projection.New(w.Dim(in), in, projection.Store, 1)
	w.Rows(in, scale, func(i int, row []float64) {
		bias := 0.0
		if w.Center != nil {
			bias = 0 - float64(scale*w.Center[i])
		}
		p.Set(i, row, bias)
	})
	return p
}

// Then returns the function x ↦ f(Ax − c) on R^in, which may be called concurrently if f may.
func (w Warp) Then(in int, f func(x []float64) float64) func(x []float64) float64 {
	if w.Identity() {
		return f
	}
	images := w.images(in)
	return func(x []float64) float64 {
		u := images.Get().(*[]float64)
		defer images.Put(u)
		w.Apply(*u, x)
		return f(*u)
	}
}

// Gradient returns the gradient of the function x ↦ f(Ax − c) on R^in, given the gradient of f:
// Aᵀ∇f(Ax − c).
func (w Warp) Gradient(in int, f func(dst, x []float64)) func(dst, x []float64) {
	if w.Identity() {
		return f
	}
	points, gradients := w.images(in), w.images(in)
	return func(dst, x []float64) {
		u, v := points.Get().(*[]float64), gradients.Get().(*[]float64)
		defer points.Put(u)
		defer gradients.Put(v)
		w.Apply(*u, x)
		f(*v, *u)
		w.Pull(dst, *v)
	}
}

// ThenVector returns the function on R^in that calls f(dst, Ax − c) for a point x.
func (w Warp) ThenVector(in int, f func(dst, x []float64)) func(dst, x []float64) {
	if w.Identity() {
		return f
	}
	images := w.images(in)
	return func(dst, x []float64) {
		u := images.Get().(*[]float64)
		defer images.Put(u)
		w.Apply(*u, x)
		f(dst, *u)
	}
}

// images returns a pool of memory for the images of points of R^in.
func (w Warp) images(in int) *sync.Pool {
	return &sync.Pool{New: func() any {
		u := make([]float64, w.Dim(in))
		return &u
	}}
}

// GoSyntax returns the Go expression of k(Ax, Ay), given the expression of k. It omits the center.
func (w Warp) GoSyntax(k string) string {
	switch {
	case w.Diag != nil && !slices.Contains(w.Diag, 0):
		lengths := make([]float64, len(w.Diag))
		for i, v := range w.Diag {
			lengths[i] = 1 / v
		}
		k = "ARD(" + gosyntax.Of(lengths) + ", " + k + ")"
	case !w.Factorless():
		k = "Project(" + gosyntax.Of(w.Matrix()) + ", " + k + ")"
	}
	if w.Cols != nil {
		k = "Select(" + gosyntax.Of(w.Cols) + ", " + k + ")"
	}
	return k
}
