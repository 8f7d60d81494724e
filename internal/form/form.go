// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package form implements kernels in canonical form, sums of terms from which maps are made, and their algebra.
//
// Begin with form.go, which defines forms, terms and bases. algebra.go has sums, products and compositions of forms,
// and exponential.go the two ways to write the exponential.
package form

import (
	"fmt"
	"math"
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/arccosine"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Form is a kernel in canonical form: a sum of at least one term. However a kernel is written, its
// form is the same. Weights, factors, matrices and selections are moved outward, sums and products are
// flattened, constants are folded, neutral elements are dropped, like kernels are merged, and pointers
// are dereferenced.
type Form []Term

// A Term is the kernel scale·w(x)·base(Ax, Ay)·w(y), where w is the product of the weights.
type Term struct {
	Scale   float64 // not negative
	Weights []Weight
	Warp    warp.Warp // A
	Base    Base
}

// A Base is a kernel that is not taken apart any further.
type Base interface {
	// Expr returns the base as an expression.
	Expr() expr.Kernel
}

// A Weight is a function of points behind a warp. It has a pointer to the kernel that it comes from, because functions
// cannot be compared.
type Weight struct {
	Weighter expr.Weighter
	From     any
	warp     warp.Warp
}

// equal tells whether two weights are known to be the same.
func (w Weight) equal(v Weight) bool {
	a, b := reflect.ValueOf(w.Weighter), reflect.ValueOf(v.Weighter)
	return w.warp.Equal(v.warp) && (w.From == v.From || a.Comparable() && b.Comparable() && w.Weighter == v.Weighter)
}

func (w Weight) at(x []float64) float64 { return w.Weighter.Weight(w.warp.Image(x)) }

// The bases; the kernel of a skeleton is another. Constant is the kernel 1, Stationary a function of x − y, Dot a
// function of ⟨x, y⟩, and Space ⟨x, y⟩ on a base space (the sphere, or signs). Categories is the kernel of that name,
// Neuron an arc-cosine kernel, Box the kernel of a BlackBox, Mapped the kernel of a map, and Opaque a kernel of which
// only the values are known. Product is a product of kernels of different kinds, and Composed is f(k) where there is no
// simpler form.
type (
	Constant   struct{}
	Stationary struct{ spectrum.Spectrum }
	Dot        struct{ F series.Series }
	Space      struct {
		Leaf
		Sphere bool
	}
	Categories struct {
		Leaf
		N int
	}
	Neuron struct {
		Leaf
		Order arccosine.Order
	}
	Box struct {
		Leaf
		Draw  func(s random.Sampler) (w func(x []float64) float64, err error)
		Bound float64 // sup|w|, or 0 if unknown
	}
	Mapped struct {
		Leaf
		M FeatureMap

		// Back returns a function that takes a point of m and a gradient with respect to its features, and computes the
		// gradient with respect to the point; nil if there is no such function.
		Back func() func(dst, x, g []float64)
	}
	Opaque   struct{ Leaf }
	Product  struct{ Factors []Form }
	Composed struct {
		F series.Series
		K Form
	}
)

// A FeatureMap is a map whose inner products are a kernel.
type FeatureMap interface {
	Dims() (in, out int)
	TransformVec(dst, x []float64) []float64
}

// A Leaf is a base that is evaluated as a leaf of expressions. Two of the same type are the same if the leaves
// are.
type Leaf struct{ *expr.Leaf }

func (l Leaf) Expr() expr.Kernel       { return l.Leaf }
func (l Leaf) alone() *expr.Leaf       { return l.Leaf }
func (Constant) Expr() expr.Kernel     { return expr.Constant{Value: 1} }
func (s Stationary) Expr() expr.Kernel { return s.Spectrum.Kernel }
func (d Dot) Expr() expr.Kernel        { return expr.Dot{F: d.F} }
func (p Product) Expr() expr.Kernel    { return expr.Product(kernelsOf(p.Factors)) }
func (c Composed) Expr() expr.Kernel   { return &expr.Compose{F: c.F, K: c.K.Expr()} }

// Expr returns the form as an expression with the same values.
func (f Form) Expr() expr.Kernel {
	if len(f) == 1 {
		return f[0].Expr()
	}
	return expr.Sum(kernelsOf(f))
}

// kernelsOf returns forms or terms as expressions.
func kernelsOf[T Base](all []T) []expr.Kernel {
	kernels := make([]expr.Kernel, len(all))
	for i, f := range all {
		kernels[i] = f.Expr()
	}
	return kernels
}

// Expr returns the term as an expression with the same values. A center, which no kernel constructor takes, stays in
// the warp: Eval subtracts it, and String leaves it out.
func (t Term) Expr() expr.Kernel {
	if _, ok := t.Base.(Constant); ok && t.Weights == nil {
		return expr.Constant{Value: t.Scale}
	}
	k := expr.BehindWarp(t.Warp, expr.Scaled(t.Scale, t.Base.Expr()))
	for _, w := range t.Weights {
		if w.warp.Identity() {
			k = &expr.Weight{W: w.Weighter, K: k}
		} else {
			k = expr.Product{expr.BehindWarp(w.warp, &expr.Weight{W: w.Weighter, K: expr.Constant{Value: 1}}), k}
		}
	}
	return k
}

// String returns the Go expression of the form.
func (f Form) String() string { return gosyntax.Of(f.Expr()) }

// String returns the Go expression of the term.
func (t Term) String() string { return gosyntax.Of(t.Expr()) }

// GoString returns the Go expression of the form.
func (f Form) GoString() string { return f.String() }

// Weight returns the product of the weights at x.
func (t Term) Weight(x []float64) float64 {
	p := 1.0
	for _, w := range t.Weights {
		p *= w.at(x)
	}
	return p
}

// Weighing returns the product of the weights of a term at points of R^in, or nil without weights.
func (t Term) Weighing(in int) func(x []float64) float64 {
	if t.Weights == nil {
		return nil
	}
	return t.Weigher(in)
}

// Weigher returns the method Weight as a function on R^in that allocates no memory in a call.
func (t Term) Weigher(in int) func(x []float64) float64 {
	var all []func(x []float64) float64
	for _, w := range t.Weights {
		all = append(all, w.warp.Then(in, w.Weighter.Weight))
	}
	return func(x []float64) float64 {
		p := 1.0
		for _, f := range all {
			p *= f(x)
		}
		return p
	}
}

// WeightGradient returns the gradient of the method Weight as a function on R^in, or nil if a Weighter is not a
// Gradienter.
func (t Term) WeightGradient(in int) func(dst, x []float64) {
	var weights []func(x []float64) float64
	var gradients []func(dst, x []float64)
	for _, w := range t.Weights {
		g, ok := w.Weighter.(expr.Gradienter)
		if !ok {
			return nil
		}
		weights, gradients = append(weights, w.warp.Then(in, g.Weight)), append(gradients, w.warp.Gradient(in, g.GradientTo))
	}
	return func(dst, x []float64) {
		clear(dst)
		one := make([]float64, in)
		for i, gradient := range gradients {
			gradient(one, x)
			others := 1.0
			for j, f := range weights {
				if j != i {
					others *= f(x)
				}
			}
			for k, v := range one {
				dst[k] += float64(others * v)
			}
		}
	}
}

// Validate refuses scales that are not finite, and constants above check.MaxMass, since the scale of a constant is its mass.
func (f Form) Validate() error {
	for _, t := range f {
		if _, ok := t.Base.(Constant); !(t.Scale <= math.MaxFloat64) || ok && t.Scale > check.MaxMass {
			return fmt.Errorf("featuremap: the scale of %s is %v: must be at most %v", gosyntax.Of(t.Base.Expr()), t.Scale, check.MaxMass)
		}
	}
	return nil
}

// ConstantForm returns the form of a constant.
func ConstantForm(c float64) Form { return Form{{Scale: c, Base: Constant{}}} }

// Constant returns the value of a constant kernel, and whether f is one.
func (f Form) Constant() (c float64, ok bool) {
	if len(f) != 1 || f[0].Weights != nil {
		return 0, false
	}
	_, ok = f[0].Base.(Constant)
	return f[0].Scale, ok
}
