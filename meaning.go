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

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arccosine"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// What kernels mean. This file alone looks at the types of kernels: canonical turns an expression into its canonical
// form, from which all maps are made, and exprOf says how it is evaluated.

// canonical returns the canonical form of a kernel on R^in, or the error with which constructors refuse it. in = 0
// means points of any dimension.
func canonical(k Kernel, in int) (form.Form, error) {
	if k = plainKernel(k); check.IsNil(k) {
		return nil, errors.New("featuremap: kernel k = nil")
	}
	e, ok := k.(ownExpression)
	if !ok {
		return leafForm(check.Value(k), in)
	}
	if err := e.head().err; err != nil {
		return nil, err
	}
	if e.head().logarithms {
		return logarithmForm(k)
	}
	f, err := expressionForm(e, in)
	if err == nil {
		err = f.Validate()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// expressionForm returns the form of an expression whose arguments have been found valid.
func expressionForm(e ownExpression, in int) (form.Form, error) {
	if l, ok := e.(interface{ linear() *behind }); ok {
		return l.linear().form(in)
	}
	forms, err := partForms(nil, e.(Expression), in)
	if err != nil {
		return nil, err
	}
	switch k := e.(type) {
	case *sumKernel:
		return form.SumForms(forms), nil
	case *productKernel:
		return form.ProductForms(forms, in), nil
	case *scaleKernel:
		return forms[0].Scaled(k.C), nil
	case *weightKernel:
		return forms[0].Weighted(form.Weight{Weighter: k.W, From: k}), nil
	}
	return form.ComposeForm(e.(*composeKernel).F, forms[0])
}

// partForms appends the canonical forms of the parts of an expression on R^in. For a sum in a sum, or a product in a
// product, it appends the forms of the inner parts.
func partForms(forms []form.Form, c Expression, in int) ([]form.Form, error) {
	n := c.(ownExpression).head()
	for _, k := range c.Parts() {
		var err error
		if e, ok := k.(ownExpression); ok && n.flat() && e.head().op == n.op {
			forms, err = partForms(forms, k.(Expression), in)
		} else {
			var f form.Form
			f, err = canonical(k, in)
			forms = append(forms, f)
		}
		if err != nil {
			return nil, err
		}
	}
	return forms, nil
}

// form returns the canonical form of k(Ax, Ay) on R^in.
func (l *behind) form(in int) (form.Form, error) {
	if l.in != 0 && in != 0 && l.in != in {
		return nil, fmt.Errorf("featuremap: in = %d: the matrix of %s has %d columns", in, l.op, l.in)
	}
	if c := l.warp.Cols; c != nil && in != 0 && slices.Max(c) >= in {
		return nil, fmt.Errorf("featuremap: in = %d: %s takes column %d", in, l.op, slices.Max(c))
	}
	dim, in := l.warp.Dim(l.in), cmp.Or(l.in, in)
	f, err := canonical(l.k, dim)
	if err != nil {
		return nil, err
	}
	return f.Warped(l.warp, in)
}

// StationaryOf returns k as a Stationary kernel with the same values: k itself if it has the methods, and for an
// Expression the kernel that follows from its parts. The result is Radial if k is a mixture of Gaussian kernels. Its
// Frequency takes a dst with one element for each coordinate of points.
//
// StationaryOf returns nil and false if k is not stationary or constructors refuse it.
func StationaryOf(k Kernel) (Stationary, bool) {
	s := stationaryOf(k)
	return s, s != nil
}

func stationaryOf(k Kernel) Stationary {
	k = plainKernel(k)
	if s, ok := k.(Stationary); ok && !check.IsNil(k) {
		return s
	}
	f, err := canonical(k, 0)
	if err != nil {
		return nil
	}
	warped, ok := f.Spectrum()
	if !ok {
		return nil
	}
	s := spectralKernel{k, warped.Pulled(warped.Warp)}
	if s.of.Mixture != nil {
		return radialKernel{s}
	}
	return s
}

// seriesOf returns the series f of a kernel k(x, y) = f(⟨x, y⟩): the Series of a DotProduct, a polynomial of degree 0
// for a constant, and for an Expression the series that follows from its parts. It is nil for other kernels and refused
// ones.
func seriesOf(k Kernel) series.Series {
	k = plainKernel(k)
	if d, ok := k.(DotProduct); ok && !check.IsNil(k) {
		return d.Series()
	}
	f, err := canonical(k, 0)
	if err != nil {
		return nil
	}
	if g, w, ok := f.Series(); ok && w.Identity() {
		return g
	}
	return nil
}

// A spectralKernel is a Stationary kernel known by its spectrum. A radialKernel is a Radial one.
type (
	spectralKernel struct {
		Kernel
		of spectrum.Spectrum
	}
	radialKernel struct{ spectralKernel }
)

// Mass returns k(x, x).
func (k spectralKernel) Mass() float64 { return k.of.Mass }

// Frequency draws a frequency.
func (k spectralKernel) Frequency(dst []float64, s *Sampler) { k.of.Frequency(dst, drawing{s}) }

func (k spectralKernel) String() string   { return k.GoString() }
func (k spectralKernel) GoString() string { return gosyntax.Of(k.Kernel) }
func (k spectralKernel) Saved() any       { return k.Kernel }

// Mixture draws τ.
func (k radialKernel) Mixture(s *Sampler) float64 { return k.of.Mixture(drawing{s}) }

// leafForm returns the form of a kernel that is not an expression, on R^in.
func leafForm(k Kernel, in int) (form.Form, error) {
	if check.Own(k) && fmt.Sprintf("%T", k) == "learn.Fixed" {
		return nil, fmt.Errorf("featuremap: %s is for package learn only: use the kernel inside it", gosyntax.Of(k))
	}
	if v, ok := k.(validator); ok {
		if err := v.validate(in); err != nil {
			return nil, err
		}
	}
	at := func(base form.Base) (form.Form, error) { return form.Form{{Scale: 1, Base: base}}, nil }
	own := func(s spectrum.Spectrum) (form.Form, error) { return at(form.Stationary{Spectrum: s}) }
	switch k := k.(type) {
	case spectralKernel:
		return canonical(k.Kernel, in)
	case radialKernel:
		return canonical(k.Kernel, in)
	case Gaussian:
		s := spectrum.Gaussian(k.LengthScale)
		s.Drawn = third
		return own(s)
	case RationalQuadratic:
		return own(ownSpectrum(k, 1/k.LengthScale, func() []spectrum.Node { return spectrum.GammaNodes(k.Alpha, k.tau) }).WithLaw(k.law()))
	case Matern:
		root := math.Inf(1)
		if k.Nu > 1 {
			root = math.Sqrt(k.Nu/(k.Nu-1)) / k.LengthScale
		}
		return own(ownSpectrum(k, root, func() []spectrum.Node { return spectrum.GammaNodes(k.Nu, k.tau) }).WithLaw(k.law()))
	case Laplacian:
		return own(ownSpectrum(k, math.Inf(1), nil))
	case Cauchy:
		return own(ownSpectrum(k, math.Sqrt2/k.LengthScale, nil))
	case Periodic:
		s := ownSpectrum(k, k.root(), nil)
		s.Slow = k.slow()
		return own(s)
	case SpectralMixture:
		if k.Mass() == 0 {
			return form.ConstantForm(0), nil
		}
		k = k.copied().(SpectralMixture)
		return own(ownSpectrum(k, k.root(), nil))
	case Constant:
		return form.ConstantForm(k.Value), nil
	case Circle:
		s := ownSpectrum(k, 1, nil)
		s.Angle = true
		return own(s)
	case Binary:
		return at(form.Space{Leaf: leafOf(k), Sphere: false})
	case Sphere:
		return at(form.Space{Leaf: leafOf(k), Sphere: true})
	case Categories:
		return at(form.Categories{Leaf: leafOf(k), N: k.N})
	case ArcCosine:
		return at(form.Neuron{Leaf: leafOf(k), Order: arccosine.Order(k.Order)})
	case BlackBox:
		if _, err := canonical(k.Of, in); err != nil {
			return nil, err
		}
		return at(form.Box{Leaf: leafOf(k), Draw: func(s random.Sampler) (func(x []float64) float64, error) { return k.Draw.Draw(samplerFrom(s)) }, Bound: k.Bound})
	case fromMap:
		return at(form.Mapped{Leaf: leafOf(k), M: k.M, Back: func() func(dst, x, g []float64) { return backOf(k.M) }})
	case Stationary:
		s := spectrumOf(k)
		if err := s.Validate(); err != nil {
			return nil, err
		}
		return own(s)
	case DotProduct:
		return dotForm(k)
	case skeletonKernel:
		return at(k.Kernel)
	case graph.Kernel: // of a term that is mapped again: see kernelFrom
		return at(k)
	}
	return at(form.Opaque{Leaf: leafOf(k)})
}

func dotForm(k DotProduct) (form.Form, error) {
	f := k.Series()
	if check.IsNil(f) {
		return nil, fmt.Errorf("featuremap: %s Series() = nil", gosyntax.Of(k))
	}
	if err := power.Validate(f); err != nil {
		return nil, err
	}
	f = power.Copy(f)
	if n, ok := power.DegreeOf(f); ok && n == 0 {
		return form.ConstantForm(f.Coeff(0)), nil
	}
	return form.Form{{Scale: 1, Base: form.Dot{F: f}}}, nil
}

// spectrumOf returns the spectrum of a caller's kernel, which is not trusted: Frequency and Mixture may disagree.
func spectrumOf(k Stationary) spectrum.Spectrum {
	s := spectrum.Spectrum{
		Kernel: exprOf(k), Mass: k.Mass(), Root: math.NaN(), Work: 1,
		Frequency: func(dst []float64, s random.Sampler) { k.Frequency(dst, samplerFrom(s)) },
		Drawn:     third,
	}
	if r, ok := k.(Radial); ok {
		s.Mixture = func(s random.Sampler) float64 { return r.Mixture(samplerFrom(s)) }
	}
	return s
}

// third returns the sampler by which distributions of τ are estimated.
func third() random.Sampler { return seeded(3) }

// ownSpectrum returns the spectrum of a kernel of this package, given √E ωᵢ² and the distribution of τ, which may be nil.
func ownSpectrum(k Stationary, root float64, nodes func() []spectrum.Node) spectrum.Spectrum {
	s := spectrumOf(k)
	s.Symmetric, s.Trusted, s.Root, s.Nodes = true, true, root, nodes
	return s
}

// exprOf returns a kernel as it is evaluated.
func exprOf(k Kernel) expr.Kernel {
	if k = plainKernel(k); check.IsNil(k) {
		return &expr.Leaf{Kernel: k}
	}
	k = check.Value(k)
	if g, ok := k.(graph.Kernel); ok {
		return g
	}
	if check.Own(k) { // and not a caller's type, which has the methods of one of these by embedding it
		switch k := k.(type) {
		case ownExpression:
			if h := k.head(); h.err == nil {
				return h.value
			}
			return &expr.Leaf{Kernel: k}
		case Gaussian:
			return expr.Gaussian{LengthScale: k.LengthScale}
		case Constant:
			return expr.Constant{Value: k.Value}
		case dot:
			if !check.IsNil(k.F) {
				return expr.Dot{F: k.F}
			}
		case skeletonKernel:
			return k.Kernel
		}
	}
	return leafOf(k).Leaf
}

// leafOf returns a kernel that is not made of others, with what is known of it.
func leafOf(k Kernel) form.Leaf {
	_, stationary := k.(Stationary)
	l := &expr.Leaf{Kernel: k, Difference: stationary}
	if !check.Own(k) {
		return form.Leaf{Leaf: l}
	}
	l.Alike = true
	switch k := k.(type) {
	case fromMap:
		if !check.IsNil(k.M) {
			l.Features = k.M
			l.In, _ = k.M.Dims()
		}
	case BlackBox:
		if !check.IsNil(k.Of) {
			l.As = exprOf(k.Of)
		}
	case SpectralMixture:
		l.AtList = k.atSome
	case Periodic:
		l.Length, l.Step = k.LengthScale, 2*math.Pi/k.Period
	case spectralKernel, radialKernel:
		l.Alike = false // it may be behind a linear map
	}
	if p, ok := k.(pairwise); ok {
		l.Function = p.pairwise
	}
	return form.Leaf{Leaf: l}
}

// exprsOf returns kernels as they are evaluated.
func exprsOf(ks []Kernel) []expr.Kernel {
	all := make([]expr.Kernel, len(ks))
	for i, k := range ks {
		all[i] = exprOf(k)
	}
	return all
}

// A pairwise kernel is a function of one number that belongs to two points, so kernel matrices compute it by tiles.
type pairwise interface {
	// pairwise returns the number and the function, and a weight of both points, which is nil for 1. It is not ok where
	// the kernel needs Eval.
	pairwise() (f matrix.Function, ok bool)
}

// compileGram returns the program of k on R^in. It panics with mat.ErrShape if a Project, ARD or Select in k is for
// points of another dimension.
func compileGram(k Kernel, in int) *matrix.Program { return expr.Compile(exprOf(k), in) }

// backOf returns the function from a point and a gradient by its features to the gradient by the point, or nil if the
// map has no derivative.
func backOf(m FeatureMap) func(dst, x, g []float64) {
	d, err := Derivative(m)
	if err != nil {
		return nil
	}
	return func(dst, x, g []float64) {
		var back mat.Dense
		d.PullbackTo(&back, mat.NewDense(1, len(x), x), mat.NewDense(1, len(g), g))
		copy(dst, back.RawRowView(0))
	}
}

// kernelFrom returns an expression as a kernel, which maps are made of again.
func kernelFrom(k expr.Kernel) Kernel {
	all := func(ks []expr.Kernel) []Kernel {
		kernels := make([]Kernel, len(ks))
		for i, k := range ks {
			kernels[i] = kernelFrom(k)
		}
		return kernels
	}
	switch k := k.(type) {
	case *expr.Leaf:
		return k.Kernel
	case expr.Gaussian:
		return Gaussian(k)
	case expr.Constant:
		return Constant(k)
	case expr.Dot:
		return dot(k)
	case expr.Sum:
		return Sum(all(k)...)
	case expr.Product:
		return Product(all(k)...)
	case *expr.Scale:
		return Scale(k.C, kernelFrom(k.K))
	case *expr.Compose:
		return Compose(k.F, kernelFrom(k.K))
	case *expr.Weight:
		return Weight(k.W, kernelFrom(k.K))
	case *expr.Behind:
		b := &behind{warp: k.Warp, in: k.In, k: kernelFrom(k.K)}
		b.made("Project", nil)
		return b
	}
	return k
}
