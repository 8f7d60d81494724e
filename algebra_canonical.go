// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// A form is a kernel in canonical form, a sum of at least one term. The same kernel written in different
// ways has the same form: weights, factors, matrices and selections are moved outward, sums and products
// flattened, constants folded, neutral elements dropped, like kernels merged, and pointers dereferenced.
type form []term

// A term is the kernel scale·w(x)·base(Ax, Ay)·w(y), w the product of the weights.
type term struct {
	scale   float64 // not negative
	weights []weight
	warp    warp // A
	base    base
}

// A base is a kernel that is not taken apart any further. String returns its Go expression.
type base interface {
	Eval(x, y []float64) float64
	String() string
}

// An ownBase is a kernel that is its own base, such as that of a skeleton.
type ownBase interface {
	base
	isBase()
}

// A weight is a function of Ax, and the expression it is from, as functions cannot be compared.
type weight struct {
	of   Weighter
	from *expression
	warp warp
}

// equal tells whether two weights are known to be the same.
func (w weight) equal(v weight) bool {
	a, b := reflect.ValueOf(w.of), reflect.ValueOf(v.of)
	return w.warp.equal(v.warp) && (w.from == v.from || a.Comparable() && b.Comparable() && w.of == v.of)
}

func (w weight) at(x []float64) float64 { return w.of.Weight(w.warp.image(x)) }

// constant is the kernel 1.
type constant struct{}

func (constant) Eval(x, y []float64) float64 {
	sameLength(x, y)
	return 1
}

func (constant) String() string { return source(Constant{1}) }

type stationary struct{ spectrum }

// space is ⟨x, y⟩ on a base space (Binary, Sphere and the like), neuron an arc-cosine kernel, mapped the
// kernel of a map, and opaque a kernel known by its values only.
type (
	space      struct{ base }
	categories struct{ Categories }
	neuron     struct{ ArcCosine }
	box        struct{ BlackBox }
	mapped     struct{ fromMap }
	opaque     struct{ Kernel }
)

func (o opaque) String() string { return source(o.Kernel) }

// product is a product of kernels of different kinds.
type product struct{ factors []form }

func (p product) Eval(x, y []float64) float64 {
	v := 1.0
	for _, f := range p.factors {
		v *= f.Eval(x, y)
	}
	return v
}

func (p product) String() string { return call("Product", anys(p.factors)...) }

// composed is f(k) where that has no simpler form.
type composed struct {
	f Series
	k form
}

func (c composed) Eval(x, y []float64) float64 { return c.f.Eval(c.k.Eval(x, y)) }
func (c composed) String() string              { return call("Compose", c.f, c.k) }

func (f form) Eval(x, y []float64) float64 {
	var v float64
	for _, t := range f {
		v += t.Eval(x, y)
	}
	return v
}

func (f form) String() string { return f.source() }

func (f form) source() string {
	if len(f) == 1 {
		return f[0].source()
	}
	return call("Sum", anys(f)...)
}

func (t term) Eval(x, y []float64) float64 {
	v := t.scale * t.base.Eval(t.warp.image(x), t.warp.image(y))
	if t.weights != nil {
		v *= t.weight(x) * t.weight(y)
	}
	return v
}

// weight returns the product of the weights at x.
func (t term) weight(x []float64) float64 {
	p := 1.0
	for _, w := range t.weights {
		p *= w.at(x)
	}
	return p
}

// weigher returns weight as a function that needs no memory of its own, for points of R^in.
func (t term) weigher(in int) func(x []float64) float64 {
	var all []func(x []float64) float64
	for _, w := range t.weights {
		all = append(all, w.warp.then(in, w.of.Weight))
	}
	return func(x []float64) float64 {
		p := 1.0
		for _, f := range all {
			p *= f(x)
		}
		return p
	}
}

func (t term) String() string { return t.source() }

func (t term) source() string {
	if _, ok := t.base.(constant); ok && t.weights == nil {
		return source(Constant{t.scale})
	}
	s := t.base.String()
	if t.scale != 1 {
		s = "Scale(" + source(t.scale) + ", " + s + ")"
	}
	s = t.warp.source(s)
	for _, w := range t.weights {
		if w.warp.identity() {
			s = "Weight(" + source(w.of) + ", " + s + ")"
		} else {
			s = "Product(" + w.warp.source("Weight("+source(w.of)+", "+source(Constant{1})+")") + ", " + s + ")"
		}
	}
	return s
}

// validate refuses scales that are not finite, and constants that are masses beyond their limit.
func (f form) validate() error {
	for _, t := range f {
		if _, ok := t.base.(constant); !(t.scale <= math.MaxFloat64) || ok && t.scale > maxMass {
			return fmt.Errorf("featuremap: the scale of %s is %v: must be at most %v", t.base, t.scale, maxMass)
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

// canonical returns the canonical form of a kernel on R^in, or of points of any dimension if in is 0, or
// the reason why constructors refuse it. It and leafForm are the one place that looks at types of kernels.
func canonical(k Kernel, in int) (form, error) {
	if isNil(k) {
		return nil, errors.New("featuremap: kernel k = nil")
	}
	if e, ok := k.(expressed); ok {
		return e.written().canonical(in)
	}
	k = valueOf(k)
	if err := validateKernel(k, in); err != nil {
		return nil, err
	}
	return leafForm(k)
}

// leafForm returns the form of a kernel that is not an expression.
func leafForm(k Kernel) (form, error) {
	of := func(b base) (form, error) { return form{{scale: 1, base: b}}, nil }
	own := func(s spectrum) (form, error) { return of(stationary{s}) }
	switch k := k.(type) {
	case Gaussian:
		return own(gaussianSpectrum(k))
	case RationalQuadratic:
		return own(ownSpectrum(k, 1/k.LengthScale, func() []tauNode { return gammaNodes(k.Alpha, k.tau) }))
	case Matern:
		root := math.Inf(1)
		if k.Nu > 1 {
			root = math.Sqrt(k.Nu/(k.Nu-1)) / k.LengthScale
		}
		return own(ownSpectrum(k, root, func() []tauNode { return gammaNodes(k.Nu, k.tau) }))
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
		k = k.copied()
		return own(ownSpectrum(k, k.root(), nil))
	case Constant:
		return constantForm(k.Value), nil
	case Circle:
		s := ownSpectrum(k, 1, nil)
		s.angle = true
		return own(s)
	case Binary, Sphere, SphereUniform, SphereCoordinate:
		return of(space{k.(base)})
	case Categories:
		return of(categories{k})
	case ArcCosine:
		return of(neuron{k})
	case BlackBox:
		return of(box{k})
	case fromMap:
		return of(mapped{k})
	case ownBase:
		return of(k)
	case Stationary:
		s := spectrumOf(k)
		if err := s.validate(); err != nil {
			return nil, err
		}
		return own(s)
	case DotProduct:
		return dotForm(k)
	}
	return of(opaque{k})
}

func dotForm(k DotProduct) (form, error) {
	f := k.Series()
	if isNil(f) {
		return nil, fmt.Errorf("featuremap: %s Series() = nil", source(k))
	}
	if err := validateSeries(f); err != nil {
		return nil, err
	}
	f = ownSeries(f)
	if n, ok := degreeOf(f); ok && n == 0 {
		return constantForm(f.Coeff(0)), nil
	}
	return form{{scale: 1, base: dot{f}}}, nil
}
