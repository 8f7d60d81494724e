// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

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

// A form is a kernel in canonical form, a sum of at least one term. The same kernel written in different
// ways has the same form: weights, factors, matrices and selections are moved outward, sums and products
// flattened, constants folded, neutral elements dropped, like kernels merged, and pointers dereferenced.
type form []term

// A term is the kernel scale·w(x)·base(Ax, Ay)·w(y), where w is the product of the weights.
type term struct {
	scale   float64 // not negative
	weights []weight
	warp    warp.Warp // A
	base    base
}

// A base is a kernel that is not taken apart any further.
type base interface {
	// kernel returns the base as an expression.
	kernel() expr.Kernel
}

// A weight is a function of points behind a warp, with a pointer to the kernel that it is from, as functions cannot be compared.
type weight struct {
	weighter expr.Weighter
	from     any
	warp     warp.Warp
}

// equal tells whether two weights are known to be the same.
func (w weight) equal(v weight) bool {
	a, b := reflect.ValueOf(w.weighter), reflect.ValueOf(v.weighter)
	return w.warp.Equal(v.warp) && (w.from == v.from || a.Comparable() && b.Comparable() && w.weighter == v.weighter)
}

func (w weight) at(x []float64) float64 { return w.weighter.Weight(w.warp.Image(x)) }

// The bases, besides the kernel of a skeleton. A constant is the kernel 1, stationary a function of x − y, dotProduct one of
// ⟨x, y⟩, space ⟨x, y⟩ on a base space (the sphere, or signs), categories, neuron and box the kernels of those types, mapped the
// kernel of a map, opaque a kernel of which only the values are known, product a product of kernels of different kinds, and
// composed f(k) where that has no simpler form.
type (
	constant   struct{}
	stationary struct{ spectrum.Spectrum }
	dotProduct struct{ F series.Series }
	space      struct {
		leaf
		sphere bool
	}
	categories struct {
		leaf
		n int
	}
	neuron struct {
		leaf
		order arccosine.Order
	}
	box struct {
		leaf
		draw  func(s random.Sampler) (w func(x []float64) float64, err error)
		bound float64 // sup|w|, or 0 if it is not known
	}
	mapped struct {
		leaf
		m featureMap

		// back returns the function that takes a point of m and a gradient by its features to that by the point; nil: none.
		back func() func(dst, x, g []float64)
	}
	opaque   struct{ leaf }
	product  struct{ factors []form }
	composed struct {
		f series.Series
		k form
	}
)

// A featureMap is a map whose inner products are a kernel.
type featureMap interface {
	Dims() (in, out int)
	TransformVec(dst, x []float64) []float64
}

// A leaf is a base that is evaluated as a leaf of expressions, and is the same as another of its type if that is.
type leaf struct{ *expr.Leaf }

func (l leaf) kernel() expr.Kernel       { return l.Leaf }
func (l leaf) alone() *expr.Leaf         { return l.Leaf }
func (constant) kernel() expr.Kernel     { return expr.Constant{Value: 1} }
func (s stationary) kernel() expr.Kernel { return s.Spectrum.Kernel }
func (d dotProduct) kernel() expr.Kernel { return expr.Dot{F: d.F} }
func (p product) kernel() expr.Kernel    { return expr.Product(kernelsOf(p.factors)) }
func (c composed) kernel() expr.Kernel   { return &expr.Compose{F: c.f, K: c.k.kernel()} }

// kernel returns the form as an expression with the same values.
func (f form) kernel() expr.Kernel {
	if len(f) == 1 {
		return f[0].kernel()
	}
	return expr.Sum(kernelsOf(f))
}

// kernelsOf returns forms or terms as expressions.
func kernelsOf[T base](all []T) []expr.Kernel {
	kernels := make([]expr.Kernel, len(all))
	for i, f := range all {
		kernels[i] = f.kernel()
	}
	return kernels
}

// kernel returns the term as an expression with the same values. A centre, which no function that makes kernels takes, stays
// in the warp: Eval subtracts it, and String leaves it out.
func (t term) kernel() expr.Kernel {
	if _, ok := t.base.(constant); ok && t.weights == nil {
		return expr.Constant{Value: t.scale}
	}
	k := expr.BehindWarp(t.warp, expr.Scaled(t.scale, t.base.kernel()))
	for _, w := range t.weights {
		if w.warp.Identity() {
			k = &expr.Weight{W: w.weighter, K: k}
		} else {
			k = expr.Product{expr.BehindWarp(w.warp, &expr.Weight{W: w.weighter, K: expr.Constant{Value: 1}}), k}
		}
	}
	return k
}

// String returns the Go expression of the form.
func (f form) String() string { return gosyntax.Of(f.kernel()) }

// String returns the Go expression of the term.
func (t term) String() string { return gosyntax.Of(t.kernel()) }

// GoString returns the Go expression of the form.
func (f form) GoString() string { return f.String() }

// weight returns the product of the weights at x.
func (t term) weight(x []float64) float64 {
	p := 1.0
	for _, w := range t.weights {
		p *= w.at(x)
	}
	return p
}

// weighing returns the product of the weights of a term at points of R^in, or nil if there are none.
func (t term) weighing(in int) func(x []float64) float64 {
	if t.weights == nil {
		return nil
	}
	return t.weigher(in)
}

// weigher returns the method weight as a function on R^in that allocates no memory in each call.
func (t term) weigher(in int) func(x []float64) float64 {
	var all []func(x []float64) float64
	for _, w := range t.weights {
		all = append(all, w.warp.Then(in, w.weighter.Weight))
	}
	return func(x []float64) float64 {
		p := 1.0
		for _, f := range all {
			p *= f(x)
		}
		return p
	}
}

// weightGradient returns the gradient of the method weight as a function on R^in, nil if a Weighter is no WeightGradienter.
func (t term) weightGradient(in int) func(dst, x []float64) {
	var weights []func(x []float64) float64
	var gradients []func(dst, x []float64)
	for _, w := range t.weights {
		g, ok := w.weighter.(expr.Gradienter)
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

// validate refuses scales that are not finite, and constants above maxMass, since the scale of a constant is its mass.
func (f form) validate() error {
	for _, t := range f {
		if _, ok := t.base.(constant); !(t.scale <= math.MaxFloat64) || ok && t.scale > check.MaxMass {
			return fmt.Errorf("featuremap: the scale of %s is %v: must be at most %v", gosyntax.Of(t.base.kernel()), t.scale, check.MaxMass)
		}
	}
	return nil
}

// constantForm returns the form of a constant.
func constantForm(c float64) form { return form{{scale: c, base: constant{}}} }

// constant returns the value of a constant kernel, and whether f is one.
func (f form) constant() (c float64, ok bool) {
	if len(f) != 1 || f[0].weights != nil {
		return 0, false
	}
	_, ok = f[0].base.(constant)
	return f[0].scale, ok
}
