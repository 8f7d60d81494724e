// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// Project returns the kernel k(Ax, Ay) on R^n for a p×n matrix A and a kernel k on
// R^p. A is copied.
//
// It is stationary if k is, with frequencies Aᵀω. If k is radial, the frequency
// designs of radial kernels apply as well: the frequencies are designed in R^p and
// then taken to R^n.
//
// A constructor refuses the result if k is nil or refused itself, or if A is nil,
// empty or has an element that is not finite (then Eval is NaN), and if the map's in
// is not n. Eval panics with mat.ErrShape on points of another length than n.
//
// Eval rounds Ax and Ay: far from the origin, centre the data first.
func Project(a mat.Matrix, k Kernel) Kernel {
	if isNil(a) {
		return refused{fmt.Errorf("featuremap: Project A = nil")}
	}
	if diag, ok := a.(*mat.DiagDense); ok && !diag.IsEmpty() {
		n, _ := diag.Dims()
		scale := make([]float64, n)
		for i := range scale {
			scale[i] = diag.At(i, i)
		}
		return project(linear{p: n, n: n, diag: scale}, k)
	}
	p, n := a.Dims()
	if p == 0 || n == 0 {
		return refused{fmt.Errorf("featuremap: Project A is %d×%d: must not be empty", p, n)}
	}
	l := linear{p: p, n: n, dense: make([]float64, p*n)}
	for i := range p {
		for j := range n {
			l.dense[i*n+j] = a.At(i, j)
		}
	}
	return project(l, k)
}

// ARD returns the kernel k(x/ℓ, y/ℓ), where coordinate i of x and y is divided by
// lengthScales[i]: one length scale for each coordinate, and automatic relevance
// determination when they are fitted (MacKay 1994; Neal 1996). It is Project with
// the diagonal matrix of the 1/ℓᵢ. The length scale of k itself remains and is
// usually 1.
//
// A constructor refuses the result if a length scale is not positive and finite,
// and for Project's reasons.
func ARD(lengthScales []float64, k Kernel) Kernel {
	n := len(lengthScales)
	if n == 0 {
		return refused{fmt.Errorf("featuremap: ARD lengthScales = []: must not be empty")}
	}
	scale := make([]float64, n)
	for i, l := range lengthScales {
		if err := validateLength("ARD", fmt.Sprintf("lengthScales[%d]", i), l); err != nil {
			return refused{err}
		}
		scale[i] = 1 / l
	}
	return project(linear{p: n, n: n, diag: scale}, k)
}

// Sum returns the kernel k₁ + k₂ + … of at least one kernel. A sum of dot product kernels
// is one.
//
// A constructor refuses the result if a kernel is nil or refused itself, or if there is
// none.
func Sum(ks ...Kernel) Kernel {
	return combine("Sum", opSum, ks, func(f, g Series) Series { return sumSeries{f, g} })
}

// Product returns the kernel k₁·k₂ ⋯ of at least one kernel. A product of dot product
// kernels is one. A constructor refuses it as it does a Sum.
func Product(ks ...Kernel) Kernel {
	return combine("Product", opProduct, ks, func(f, g Series) Series { return productSeries{f, g} })
}

// combine returns the kernel of an operation, a dot product kernel if all of ks are.
func combine(name string, op operation, ks []Kernel, onSeries func(f, g Series) Series) Kernel {
	if len(ks) == 0 {
		return refused{fmt.Errorf("featuremap: %s of no kernels", name)}
	}
	if i := slices.IndexFunc(ks, func(k Kernel) bool { return isNil(k) }); i >= 0 {
		return refused{fmt.Errorf("featuremap: %s kernel %d = nil", name, i)}
	}
	if len(ks) == 1 {
		return ks[0]
	}
	var f Series
	for _, k := range ks {
		dot, ok := k.(DotProduct)
		switch {
		case !ok:
			return expression{op: op, ks: slices.Clone(ks)}
		case f == nil:
			f = checkedSeries{dot.Series(), k}
		default:
			f = onSeries(f, checkedSeries{dot.Series(), k})
		}
	}
	return Dot(f)
}

// Scale returns the kernel c·k for c ≥ 0. If k is a dot product kernel, so is the result. A
// constructor refuses it if c is negative or not finite, or if k is nil or refused itself.
func Scale(c float64, k Kernel) Kernel {
	if !(c >= 0 && c <= math.MaxFloat64) {
		return refused{fmt.Errorf("featuremap: Scale c = %v: must be finite and at least 0", c)}
	}
	if isNil(k) {
		return refused{fmt.Errorf("featuremap: Scale kernel = nil")}
	}
	if dot, ok := k.(DotProduct); ok {
		return Dot(scaledSeries{c, checkedSeries{dot.Series(), k}})
	}
	return expression{op: opCompose, ks: []Kernel{k}, f: Coefficients{0, c}}
}

// Compose returns the kernel f(k(x, y)) for a series f (Kar and Karnick 2012, section 10). It
// is a dot product kernel if k is one and f is an Exp, a Geometric or a polynomial. A
// constructor refuses it if f or k is nil or refused itself, or if k is a dot product kernel
// whose value at 0 is not inside f's radius of convergence.
func Compose(f Series, k Kernel) Kernel {
	if err := validateSeries(f); err != nil {
		return refused{err}
	}
	if isNil(k) {
		return refused{fmt.Errorf("featuremap: Compose kernel = nil")}
	}
	if dot, ok := k.(DotProduct); ok {
		if composed, ok := compose(f, checkedSeries{dot.Series(), k}); ok {
			return Dot(composed)
		}
	}
	return expression{op: opCompose, ks: []Kernel{k}, f: f}
}

// A checkedSeries is the series of a kernel, whose parameters are checked with it.
type checkedSeries struct {
	Series
	of Kernel
}

func (s checkedSeries) validate() error {
	if err := validateKernel(s.of, 1); err != nil {
		return err
	}
	return validateSeries(s.Series)
}

func (s checkedSeries) slow() bool                   { return highestDegree(s.Series) < maxDegree }
func (s checkedSeries) lastDegree() int              { return lastDegree(s.Series) }
func (s checkedSeries) coefficients(n int) []float64 { return coefficients(s.Series, n) }

// An expression is a sum, a product or a composition of kernels that is of no simpler form.
type expression struct {
	op operation
	ks []Kernel
	f  Series // of a composition
}

type operation int

const (
	opSum operation = iota
	opProduct
	opCompose
)

func (e expression) Eval(x, y []float64) float64 {
	v := e.ks[0].Eval(x, y)
	for _, k := range e.ks[1:] {
		if u := k.Eval(x, y); e.op == opSum {
			v += u
		} else {
			v *= u
		}
	}
	if e.op == opCompose {
		return e.f.Eval(v)
	}
	return v
}

func (e expression) validate(in int) error {
	for _, k := range e.ks {
		if err := validateKernel(k, in); err != nil {
			return err
		}
	}
	if e.op == opCompose {
		return validateSeries(e.f)
	}
	return nil
}

// project returns k(Ax, Ay) in the normal form that k allows.
func project(a linear, k Kernel) Kernel {
	if err := validateKernel(k, a.p); err != nil {
		return refused{err}
	}
	if inner, ok := k.(projector); ok {
		b, base := inner.projection()
		a, k = b.times(a), base
	}
	if err := a.validate(); err != nil {
		return refused{err}
	}
	if _, ok := k.(Stationary); ok {
		return stationaryProjected{projected{a, k}}
	}
	return projected{a, k}
}

// A projector is a kernel k(Ax, Ay).
type projector interface {
	projection() (linear, Kernel)
}

// projected is the kernel k(Ax, Ay).
type projected struct {
	a linear
	k Kernel
}

func (p projected) projection() (linear, Kernel) { return p.a, p.k }

func (p projected) Eval(x, y []float64) float64 {
	sameLength(x, y)
	buf := make([]float64, 2*p.a.p) // not shared: Eval may run concurrently
	ax, ay := buf[:p.a.p], buf[p.a.p:]
	p.a.apply(ax, x)
	p.a.apply(ay, y)
	return p.k.Eval(ax, ay)
}

func (p projected) validate(in int) error {
	if in != p.a.n {
		return fmt.Errorf("featuremap: in = %d: the matrix of Project or ARD has %d columns", in, p.a.n)
	}
	return validateKernel(p.k, p.a.p)
}

// stationaryProjected is k(Ax, Ay) for a stationary k.
type stationaryProjected struct{ projected }

func (p stationaryProjected) Mass() float64 { return p.k.(Stationary).Mass() }

// Frequency draws Aᵀω.
func (p stationaryProjected) Frequency(dst []float64, s *Sampler) {
	if len(dst) != p.a.n {
		panic(mat.ErrShape)
	}
	w := make([]float64, p.a.p)
	p.k.(Stationary).Frequency(w, s)
	p.a.pull(dst, w)
}

// refused is what an expression with a bad part becomes: a kernel that carries the
// error to the constructor that takes it.
type refused struct{ err error }

func (r refused) Eval(x, y []float64) float64 {
	sameLength(x, y)
	return math.NaN()
}

func (r refused) validate(int) error { return r.err }

// linear is a p×n matrix, dense in row-major order, or square and diagonal. Its
// products are rounded one operation at a time, in one set of bits, because
// frequencies pass through it.
type linear struct {
	p, n        int
	dense, diag []float64
}

func (a linear) validate() error {
	for _, s := range [2][]float64{a.dense, a.diag} {
		for i, v := range s {
			if !(math.Abs(v) <= math.MaxFloat64) {
				if a.diag != nil {
					i *= a.n + 1
				}
				return fmt.Errorf("featuremap: Project A(%d, %d) = %v: must be finite", i/a.n, i%a.n, v)
			}
		}
	}
	return nil
}

// apply sets dst to Ax.
func (a linear) apply(dst, x []float64) {
	if len(x) != a.n {
		panic(mat.ErrShape)
	}
	if a.diag != nil {
		for i, v := range a.diag {
			dst[i] = v * x[i]
		}
		return
	}
	for i := range a.p {
		var sum float64
		for j, v := range a.dense[i*a.n : (i+1)*a.n] {
			sum += float64(v * x[j])
		}
		dst[i] = sum
	}
}

// pull sets dst to Aᵀw.
func (a linear) pull(dst, w []float64) {
	if a.diag != nil {
		for i, v := range a.diag {
			dst[i] = v * w[i]
		}
		return
	}
	clear(dst)
	for i, u := range w {
		for j, v := range a.dense[i*a.n : (i+1)*a.n] {
			dst[j] += float64(u * v)
		}
	}
}

// before returns a as what structured projections put points through first: nothing
// if a is nil.
func (a *linear) before() projection.Before {
	if a == nil {
		return projection.Before{}
	}
	if a.diag != nil {
		return projection.Before{Diagonal: a.diag}
	}
	p := projection.New(a.p, a.n, projection.Store, 1)
	for i := range a.p {
		p.Set(i, a.dense[i*a.n:(i+1)*a.n], 0)
	}
	return projection.Before{Linear: p}
}

// times returns the product a·b.
func (a linear) times(b linear) linear {
	if a.diag != nil && b.diag != nil {
		c := linear{p: a.p, n: b.n, diag: make([]float64, a.p)}
		b.pull(c.diag, a.diag)
		return c
	}
	c := linear{p: a.p, n: b.n, dense: make([]float64, a.p*b.n)}
	for i := range a.p {
		row := c.dense[i*b.n : (i+1)*b.n]
		if a.diag == nil {
			b.pull(row, a.dense[i*a.n:(i+1)*a.n]) // bᵀ times row i of a
			continue
		}
		for j := range row {
			row[j] = a.diag[i] * b.dense[i*b.n+j]
		}
	}
	return c
}
