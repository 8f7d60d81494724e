// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
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
	kernel() Kernel
}

// A weight is a function of points behind a warp, with the Weight kernel that it is from, as functions cannot be compared.
type weight struct {
	weighter Weighter
	from     *weightKernel
	warp     warp.Warp
}

// equal tells whether two weights are known to be the same.
func (w weight) equal(v weight) bool {
	a, b := reflect.ValueOf(w.weighter), reflect.ValueOf(v.weighter)
	return w.warp.Equal(v.warp) && (w.from == v.from || a.Comparable() && b.Comparable() && w.weighter == v.weighter)
}

func (w weight) at(x []float64) float64 { return w.weighter.Weight(w.warp.Image(x)) }

// The bases, besides dot and skeletonKernel. A constant is the kernel 1, stationary a function of x − y, space ⟨x, y⟩ on a
// base space (Binary and Sphere), categories, neuron and box the kernels of those types, mapped the kernel of a map,
// opaque a kernel of which only the values are known, product a product of kernels of different kinds, and composed f(k)
// where that has no simpler form.
type (
	constant   struct{}
	stationary struct{ spectrum }
	space      struct{ k Kernel }
	categories struct{ Categories }
	neuron     struct{ ArcCosine }
	box        struct{ BlackBox }
	mapped     struct{ fromMap }
	opaque     struct{ k Kernel }
	product    struct{ factors []form }
	composed   struct {
		f series.Series
		k form
	}
)

func (constant) kernel() Kernel     { return Constant{1} }
func (s stationary) kernel() Kernel { return s.spectrum.Kernel }
func (d dot) kernel() Kernel        { return d }
func (s space) kernel() Kernel      { return s.k }
func (c categories) kernel() Kernel { return c.Categories }
func (n neuron) kernel() Kernel     { return n.ArcCosine }
func (b box) kernel() Kernel        { return b.BlackBox }
func (m mapped) kernel() Kernel     { return m.fromMap }
func (o opaque) kernel() Kernel     { return o.k }
func (p product) kernel() Kernel    { return &productKernel{Factors: kernelsOf(p.factors)} }
func (c composed) kernel() Kernel   { return &composeKernel{F: c.f, K: c.k.kernel()} }

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
		g, ok := w.weighter.(WeightGradienter)
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

// leafForm returns the form of a kernel that is not an expression, on R^in.
func leafForm(k Kernel, in int) (form, error) {
	if v, ok := k.(validator); ok {
		if err := v.validate(in); err != nil {
			return nil, err
		}
	}
	leaf := func(base base) (form, error) { return form{{scale: 1, base: base}}, nil }
	own := func(s spectrum) (form, error) { return leaf(stationary{s}) }
	switch k := k.(type) {
	case spectralKernel:
		return canonical(k.Kernel, in)
	case radialKernel:
		return canonical(k.Kernel, in)
	case Gaussian:
		return own(gaussianSpectrum(k))
	case RationalQuadratic:
		return own(ownSpectrum(k, 1/k.LengthScale, func() []tauNode { return gammaNodes(k.Alpha, k.tau) }).withLaw(k.law()))
	case Matern:
		root := math.Inf(1)
		if k.Nu > 1 {
			root = math.Sqrt(k.Nu/(k.Nu-1)) / k.LengthScale
		}
		return own(ownSpectrum(k, root, func() []tauNode { return gammaNodes(k.Nu, k.tau) }).withLaw(k.law()))
	case Laplacian:
		return own(ownSpectrum(k, math.Inf(1), nil))
	case Cauchy:
		return own(ownSpectrum(k, math.Sqrt2/k.LengthScale, nil))
	case Periodic:
		s := ownSpectrum(k, k.root(), nil)
		s.slow = k.slow()
		return own(s)
	case SpectralMixture:
		if k.Mass() == 0 {
			return constantForm(0), nil
		}
		k = k.copied().(SpectralMixture)
		return own(ownSpectrum(k, k.root(), nil))
	case Constant:
		return constantForm(k.Value), nil
	case Circle:
		s := ownSpectrum(k, 1, nil)
		s.angle = true
		return own(s)
	case Binary, Sphere:
		return leaf(space{k})
	case Categories:
		return leaf(categories{k})
	case ArcCosine:
		return leaf(neuron{k})
	case BlackBox:
		if _, err := canonical(k.Of, in); err != nil {
			return nil, err
		}
		return leaf(box{k})
	case fromMap:
		return leaf(mapped{k})
	case Stationary:
		s := spectrumOf(k)
		if err := s.validate(); err != nil {
			return nil, err
		}
		return own(s)
	case DotProduct:
		return dotForm(k)
	case base: // the kernel of a skeleton
		return leaf(k)
	}
	return leaf(opaque{k})
}

func dotForm(k DotProduct) (form, error) {
	f := k.Series()
	if check.IsNil(f) {
		return nil, fmt.Errorf("featuremap: %s Series() = nil", gosyntax.Of(k))
	}
	if err := power.Validate(f); err != nil {
		return nil, err
	}
	f = power.Copy(f)
	if n, ok := power.DegreeOf(f); ok && n == 0 {
		return constantForm(f.Coeff(0)), nil
	}
	return form{{scale: 1, base: dot{f}}}, nil
}
