// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// Sum returns the kernel k₁ + k₂ + … of at least one kernel. Sum(Constant{1}, k) is k with an
// intercept, for which New has an exact feature.
//
// It is Stationary, Radial or a DotProduct if all of its terms are: spectral measures mix, and series add up. For
// terms of different kinds New puts the features of each side by side.
//
// A constructor refuses the result if a kernel is nil or refused itself, or if there is none.
func Sum(ks ...Kernel) Kernel {
	return newExpression(&expression{op: opSum, name: "Sum", args: slices.Clone(ks)})
}

// Product returns the kernel k₁·k₂ ⋯ of at least one kernel.
//
// It is Stationary, Radial or a DotProduct if all of its factors are: frequencies add up, so that there is
// one for each feature and no tensor product, and series multiply. For factors of different kinds New takes
// random products of their features. A constructor refuses a Product as it does a Sum.
func Product(ks ...Kernel) Kernel {
	return newExpression(&expression{op: opProduct, name: "Product", args: slices.Clone(ks)})
}

// Scale returns the kernel c·k for c ≥ 0: Stationary, Radial or a DotProduct if k is. A constructor refuses
// it if c is negative or not finite, k is nil or refused, or a stationary c·k has a mass above 1e150.
func Scale(c float64, k Kernel) Kernel {
	return newExpression(&expression{op: opScale, name: "Scale", scale: c, given: c, args: []Kernel{k}})
}

// Compose returns the kernel f(k(x, y)) for a series f (Kar and Karnick 2012, section 10).
//
// It is a DotProduct if k is one and f is an Exp, a Geometric or a polynomial. (If k is a multiple of ⟨x, y⟩,
// constructors take any f for a dot product kernel.) It is Stationary if k is and f and its derivative are
// finite at k's mass: the spectral measure of kⁿ is that of the sum of n frequencies. For other kernels New takes products of a random number of features of k: see Skeleton.
//
// A constructor refuses it if f or k is nil or refused itself, or if k is a dot product kernel whose value
// at 0 is not inside f's radius of convergence.
func Compose(f Series, k Kernel) Kernel {
	if !isNil(f) {
		f = ownSeries(f)
	}
	return newExpression(&expression{op: opCompose, name: "Compose", series: f, given: f, args: []Kernel{k}})
}

// A Weighter is a function of points, for Weight. It must be safe for concurrent use, and may not keep or
// change its argument.
type Weighter interface {
	Weight(x []float64) float64
}

// A WeightFunc is a function as a Weighter.
type WeightFunc func(x []float64) float64

// Weight returns f(x).
func (f WeightFunc) Weight(x []float64) float64 { return f(x) }

// Weight returns the kernel w(x)·k(x, y)·w(y) for any function w: its features are those of k times w(x).
// Planning calls w at the plan's points. A constructor refuses it if w or k is nil, or k is refused itself.
func Weight(w Weighter, k Kernel) Kernel {
	return newExpression(&expression{op: opWeight, name: "Weight", weight: w, given: w, args: []Kernel{k}})
}

// An operation is a constructor of the kernel algebra.
type operation int

const (
	opSum operation = iota
	opProduct
	opScale
	opCompose
	opWeight
	opWarp // Project, ARD, Select and Quadratic
)

// An expression is a kernel made from others by an operation, as it was written.
type expression struct {
	op    operation
	name  string // of the function that made it
	given any    // its first argument, unless that is a kernel
	args  []Kernel

	// The operation's arguments besides kernels.
	scale  float64
	series Series
	weight Weighter
	warp   warp
	in     int // the coordinates that the warp takes; 0 if it selects from any number of them

	err error // why its other arguments are refused
	n   int   // the number of kernels in it

	general func() general
	known   sync.Map // canonical forms, by in
}

// maxSize bounds the number of kernels in an expression: k = Sum(k, k), forty times, is too large to walk.
const maxSize = 1 << 12

// newExpression returns an expression, as a Stationary, Radial or DotProduct kernel if its parts make it
// one.
func newExpression(e *expression) Kernel {
	if e.flat() && len(e.args) == 1 && !isNil(e.args[0]) {
		return e.args[0]
	}
	e.n = 1
	for _, k := range e.args {
		e.n = min(e.n+sizeOf(k), maxSize+1)
	}
	if e.err == nil {
		e.err = e.validateArguments()
	}
	e.general = sync.OnceValue(e.generalise)
	switch {
	case e.err != nil || e.op == opWeight:
		return e
	case e.all(isStationary) && e.composes(drawable):
		if e.op != opWarp && e.all(isRadial) {
			return radialExpression{stationaryExpression{e}}
		}
		return stationaryExpression{e}
	case e.op != opWarp && e.all(isSeries) && e.composes(func(f Series, _ Kernel) bool { return composable(f) }):
		return dotExpression{e}
	}
	return e
}

// flat tells whether the expression is a sum or a product, whose parts may be taken out of parentheses.
func (e *expression) flat() bool { return e.op == opSum || e.op == opProduct }

// all tells whether all kernels of the expression are of a kind.
func (e *expression) all(is func(k Kernel) bool) bool {
	return !slices.ContainsFunc(e.args, func(k Kernel) bool { return !is(k) })
}

// composes tells whether the expression, if it is a composition, keeps the kind of its kernel.
func (e *expression) composes(keeps func(f Series, k Kernel) bool) bool {
	return e.op != opCompose || keeps(e.series, e.args[0])
}

func isRadial(k Kernel) bool     { _, ok := k.(Radial); return ok }
func isStationary(k Kernel) bool { _, ok := k.(Stationary); return ok }

func isSeries(k Kernel) bool {
	switch k.(type) {
	case DotProduct, interface{ isConstant() }:
		return true
	}
	return false
}

// drawable tells whether f(k) has a spectral measure that can be drawn from.
func drawable(f Series, k Kernel) bool {
	mass := k.(Stationary).Mass()
	if !(mass >= 0 && mass <= maxMass) {
		return false
	}
	_, err := newDegreeDrawer(f, mass)
	return err == nil
}

// An expressed kernel was made by the algebra.
type expressed interface{ written() *expression }

func (e *expression) written() *expression { return e }

// sizeOf returns the number of kernels in k.
func sizeOf(k Kernel) int {
	if e, ok := k.(expressed); ok {
		return e.written().n
	}
	return 1
}

// validateArguments makes the checks that do not depend on the points' dimension.
func (e *expression) validateArguments() error {
	switch {
	case len(e.args) == 0:
		return fmt.Errorf("featuremap: %s of no kernels", e.name)
	case e.op == opScale && !(e.scale >= 0 && e.scale <= math.MaxFloat64):
		return fmt.Errorf("featuremap: Scale c = %v: must be finite and at least 0", e.scale)
	case e.op == opWeight && isNil(e.weight):
		return errors.New("featuremap: Weight w = nil")
	case e.op == opCompose:
		if err := validateSeries(e.series); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(e.args, func(k Kernel) bool { return isNil(k) }); i >= 0 {
		if e.flat() {
			return fmt.Errorf("featuremap: %s kernel %d = nil", e.name, i)
		}
		return fmt.Errorf("featuremap: %s kernel = nil", e.name)
	}
	if e.n > maxSize {
		return fmt.Errorf("featuremap: %s of more than %d kernels", e.name, maxSize)
	}
	return nil
}

// Eval returns the value of the expression's canonical form, and NaN if it is refused.
func (e *expression) Eval(x, y []float64) float64 {
	sameLength(x, y)
	return e.general().form.Eval(x, y)
}

// unproject returns k and the images of rows if the expression is k(Ax, Ay), and else its arguments.
func (e *expression) unproject(rows [][]float64) (Kernel, [][]float64) {
	if e.op != opWarp || e.err != nil {
		return e, rows
	}
	images := make([][]float64, len(rows))
	for i, row := range rows {
		images[i] = e.warp.image(row)
	}
	return e.args[0], images
}

func (e *expression) validate(in int) error {
	_, err := e.canonical(in)
	return err
}

// canonical returns the canonical form of the expression on R^in, worked out once for each in: kernels may
// be part of others many times over.
func (e *expression) canonical(in int) (form, error) {
	type result struct {
		form form
		err  error
	}
	if r, ok := e.known.Load(in); ok {
		return r.(result).form, r.(result).err
	}
	f, err := e.canonicalForm(in)
	if err == nil {
		err = f.validate()
	}
	if err != nil {
		f = nil
	}
	e.known.Store(in, result{f, err})
	return f, err
}

func (e *expression) canonicalForm(in int) (form, error) {
	if e.err != nil {
		return nil, e.err
	}
	if err := e.takes(in); err != nil {
		return nil, err
	}
	of := in
	if e.op == opWarp {
		of = e.warp.dim(e.in)
	}
	forms, err := e.forms(nil, of)
	if err != nil {
		return nil, err
	}
	switch f := forms[0]; e.op {
	case opSum:
		return sumForms(forms), nil
	case opProduct:
		return productForms(forms, in), nil
	case opScale:
		return f.scaled(e.scale), nil
	case opWeight:
		return f.weighted(weight{of: e.weight, from: e}), nil
	case opCompose:
		return composeForm(e.series, f)
	default:
		return f.warped(e.warp, cmp.Or(e.in, in))
	}
}

// takes returns an error if the expression cannot take points of R^in.
func (e *expression) takes(in int) error {
	if e.op != opWarp || in == 0 {
		return nil
	}
	if e.in != 0 && e.in != in {
		return fmt.Errorf("featuremap: in = %d: the matrix of %s has %d columns", in, e.name, e.in)
	}
	if c := e.warp.cols; c != nil && slices.Max(c) >= in {
		return fmt.Errorf("featuremap: in = %d: Select takes column %d", in, slices.Max(c))
	}
	return nil
}

// forms appends the canonical forms of the kernels on R^in, with nested sums and products flattened.
func (e *expression) forms(fs []form, in int) ([]form, error) {
	for _, k := range e.args {
		if of, ok := k.(expressed); ok && e.flat() && of.written().op == e.op {
			var err error
			if fs, err = of.written().forms(fs, in); err != nil {
				return nil, err
			}
			continue
		}
		f, err := canonical(k, in)
		if err != nil {
			return nil, err
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// String returns the Go expression that makes the kernel, without the name of the package.
func (e *expression) String() string { return source(e) }

func (e *expression) source() string {
	var args []any
	if e.given != nil {
		args = append(args, e.given)
	}
	if e.name != "Quadratic" {
		for _, k := range e.args {
			args = append(args, k)
		}
	}
	return call(e.name, args...)
}

// Expressions of stationary, of radial and of dot product kernels.
type (
	stationaryExpression struct{ *expression }
	radialExpression     struct{ stationaryExpression }
	dotExpression        struct{ *expression }
)

var (
	_ Stationary = stationaryExpression{}
	_ Radial     = radialExpression{}
	_ DotProduct = dotExpression{}
)

// Mass returns k(x, x), and NaN if a kernel of the expression is refused.
func (e stationaryExpression) Mass() float64 { return e.general().spectrum.mass }

// Frequency draws a frequency.
func (e stationaryExpression) Frequency(dst []float64, s *Sampler) {
	e.general().spectrum.frequency(dst, s)
}

// Mixture draws τ.
func (e radialExpression) Mixture(s *Sampler) float64 { return e.general().spectrum.mixture(s) }

// Series returns f of the expression f(⟨x, y⟩).
func (e dotExpression) Series() Series { return e.general().series }

// general is an expression compiled for points of any dimension.
type general struct {
	form     form
	spectrum spectrum
	series   Series
}

// generalise compiles the expression for points of any dimension. Its values are NaN if it is refused.
func (e *expression) generalise() general {
	f, err := e.canonical(0)
	if err != nil {
		f = constantForm(math.NaN())
	}
	g := general{form: f, series: Coefficients{math.NaN()}}
	g.spectrum = spectrumOf(Constant{math.NaN()})
	if s, ok := f.spectrum(); ok {
		g.spectrum = s.pulled(s.warp)
	}
	if f, w, ok := f.series(); ok && w.identity() {
		g.series = f
	}
	return g
}
