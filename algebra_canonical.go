// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
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

// A weight is a function of Ax.
type weight struct {
	of   Weighter
	warp warp
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
		s = "Weight(" + source(w.of) + ", " + s + ")"
	}
	return s
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

// scaled returns the form of c·k.
func (f form) scaled(c float64) form {
	if c == 0 {
		return constantForm(0)
	}
	g := slices.Clone(f)
	for i := range g {
		g[i].scale *= c
	}
	return g
}

// weighted returns the form of w(x)·k(x, y)·w(y).
func (f form) weighted(w ...weight) form {
	g := slices.Clone(f)
	for i, t := range g {
		g[i].weights = append(slices.Clip(t.weights), w...)
	}
	return g
}

// warped returns the form of k(w(x), w(y)) on R^in, or an error if a product of matrices overflows.
func (f form) warped(w warp, in int) (form, error) {
	g := slices.Clone(f)
	for i, t := range g {
		g[i].weights = nil
		for _, v := range t.weights {
			g[i].weights = append(g[i].weights, weight{v.of, v.warp.after(w).simplified(in)})
		}
		var err error
		switch b := t.base.(type) {
		case constant:
		case product:
			factors := make([]form, len(b.factors))
			for j, f := range b.factors {
				if factors[j], err = f.warped(w, in); err != nil {
					return nil, err
				}
			}
			g[i].base = product{factors}
		case composed:
			b.k, err = b.k.warped(w, in)
			g[i].base = b
		default:
			g[i].warp = t.warp.after(w).simplified(in)
			err = g[i].warp.validate()
			if _, ok := b.(space); ok && !g[i].warp.factorless() {
				g[i].base = dot{IdentityDual{}} // schemes hold only on their own spaces
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// sumForms returns the form of a sum. Series of the same points are added up, constants join the series
// of the untransformed points, and equal terms add up their scales. Series come first, then stationary
// kernels, then others and the constant.
func sumForms(forms []form) form {
	var dots, spectra, others form
	var c float64
	for _, f := range forms {
		for _, t := range f {
			if t.scale == 0 {
				continue
			}
			switch t.base.(type) {
			case constant:
				if t.weights == nil {
					c += t.scale
				} else {
					others = append(others, t)
				}
			case dot:
				dots = dots.plus(t)
			case stationary:
				spectra = spectra.plus(t)
			default:
				others = others.plus(t)
			}
		}
	}
	if c != 0 {
		at := slices.IndexFunc(dots, func(t term) bool { return t.weights == nil && t.warp.identity() })
		if at < 0 {
			others = append(others, constantForm(c)...)
		} else {
			dots[at] = dots[at].plus(Coefficients{c})
		}
	}
	sum := slices.Concat(dots, spectra, others)
	if len(sum) == 0 {
		return constantForm(0)
	}
	return sum
}

// plus returns f + t, with t merged into a term of f if possible.
func (f form) plus(t term) form {
	for i, u := range f {
		if u.weights != nil || t.weights != nil || !u.warp.equal(t.warp) {
			continue
		}
		if d, ok := t.base.(dot); ok {
			f[i] = u.plus(scaleSeries(t.scale, d.f))
			return f
		}
		if sameBase(t.base, u.base) {
			f[i].scale += t.scale
			return f
		}
	}
	return append(f, t)
}

// plus returns the sum of a term with a series and another series of the same points.
func (t term) plus(g Series) term {
	f := t.base.(dot).f
	return term{scale: 1, warp: t.warp, base: dot{sumSeries{scaleSeries(t.scale, f), g}}}
}

// sameBase tells whether two bases are known to be the same.
func sameBase(a, b base) bool {
	s, ok := a.(stationary)
	u, ok2 := b.(stationary)
	if ok && ok2 {
		return reflect.DeepEqual(s.Kernel, u.Kernel)
	}
	return ok == ok2 && reflect.DeepEqual(a, b)
}

// productForms returns the form of a product of kernels on R^in. Scales and weights are multiplied, as are
// series of the same points, and stationary kernels share one spectrum.
func productForms(forms []form, in int) form {
	t := term{scale: 1, base: constant{}}
	var factors []form
	for _, f := range forms {
		if len(f) > 1 {
			factors = append(factors, f)
			continue
		}
		u := f[0]
		t.scale *= u.scale
		t.weights = append(t.weights, u.weights...)
		switch b := u.base.(type) {
		case constant:
		case product:
			factors = append(factors, b.factors...)
		default:
			factors = append(factors, form{{scale: 1, warp: u.warp, base: b}})
		}
	}
	if t.scale == 0 {
		return constantForm(0)
	}
	switch factors = mergeFactors(factors, in); len(factors) {
	case 0:
		return form{t}
	case 1:
		return factors[0].weighted(t.weights...).scaled(t.scale)
	}
	t.base = product{factors}
	return form{t}
}

// mergeFactors merges factors: at most one series for each warp, and one spectrum.
func mergeFactors(factors []form, in int) []form {
	var dots, others []form
	var spectra []warpedSpectrum
	for _, f := range factors {
		if g, w, ok := f.series(); ok {
			at := slices.IndexFunc(dots, func(u form) bool { return u[0].warp.equal(w) })
			if at < 0 {
				dots = append(dots, f)
				continue
			}
			u, _, _ := dots[at].series()
			dots[at] = form{{scale: 1, warp: w, base: dot{multiplySeries(u, g)}}}
		} else if s, ok := f.spectrum(); ok {
			spectra = append(spectra, s)
		} else {
			others = append(others, f)
		}
	}
	merged := dots
	if len(spectra) > 0 {
		s := productOfSpectra(spectra, in)
		merged = append(merged, form{{scale: 1, warp: s.warp, base: stationary{s.spectrum}}})
	}
	return append(merged, others...)
}

// composeForm returns the form of f(k), or an error if f is not finite at the values of k.
func composeForm(f Series, k form) (form, error) {
	if n, ok := degreeOf(f); ok && n <= 1 {
		return sumForms([]form{constantForm(f.Coeff(0)), k.scaled(f.Coeff(1))}), nil
	}
	if c, ok := k.constant(); ok {
		v := f.Eval(c)
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: Compose of %s with a constant: its value at %v is %v, and must be finite", source(f), c, v)
		}
		return constantForm(v), nil
	}
	if g, w, ok := k.series(); ok && composable(f) {
		s := composeSeries(f, g)
		return form{{scale: 1, warp: w, base: dot{s}}}, validateSeries(s)
	}
	if s, ok := k.spectrum(); ok {
		if c, err := spectrumSeries(f, s.spectrum); err == nil {
			return form{{scale: 1, warp: s.warp, base: stationary{c}}}, c.validate()
		}
	}
	return form{{scale: 1, base: composed{f, k}}}, nil
}

// series returns the series and the warp of a dot product kernel, and whether f is one.
func (f form) series() (g Series, w warp, ok bool) {
	var c float64
	for _, t := range f {
		if t.weights != nil {
			return nil, warp{}, false
		}
		switch b := t.base.(type) {
		case constant:
			c += t.scale
		case dot:
			if g != nil { // a series of other points
				return nil, warp{}, false
			}
			g, w = scaleSeries(t.scale, b.f), t.warp
		default:
			return nil, warp{}, false
		}
	}
	switch {
	case g == nil:
		g = Coefficients{c}
	case c != 0:
		g = sumSeries{g, Coefficients{c}}
	}
	return g, w, true
}

// scaleSeries returns c·f.
func scaleSeries(c float64, f Series) Series {
	if c == 1 {
		return f
	}
	return scaledSeries{c, f}
}

// spectrum returns the spectrum of a stationary kernel, and whether f is one.
func (f form) spectrum() (of warpedSpectrum, ok bool) {
	var c float64
	var parts []warpedSpectrum
	for _, t := range f {
		if t.weights != nil {
			return of, false
		}
		switch b := t.base.(type) {
		case constant:
			c += t.scale
		case stationary:
			parts = append(parts, warpedSpectrum{b.spectrum.scaled(t.scale), t.warp})
		default:
			return of, false
		}
	}
	spectra, w := commonWarp(parts)
	if c != 0 || len(spectra) == 0 {
		spectra = append(spectra, constantSpectrum(c))
	}
	return warpedSpectrum{spectrumSum(spectra), w}, true
}
