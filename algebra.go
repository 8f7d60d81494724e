// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// This file says what kernels mean: canonical takes the expression of a kernel apart into its canonical form, and all maps
// are made of forms.

// canonical returns the canonical form of a kernel on R^in, where in = 0 stands for points of any dimension, or the error
// with which constructors refuse the kernel. expressionForm and leafForm are the two places that look at types of kernels.
func canonical(k Kernel, in int) (form, error) {
	if check.IsNil(k) {
		return nil, errors.New("featuremap: kernel k = nil")
	}
	e, ok := k.(expression)
	if !ok {
		return leafForm(check.Value(k), in)
	}
	if err := e.head().err; err != nil {
		return nil, err
	}
	f, err := expressionForm(e, in)
	if err == nil {
		err = f.validate()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// expressionForm returns the form of an expression whose arguments have been found valid.
func expressionForm(e expression, in int) (form, error) {
	if l, ok := e.(interface{ linear() *behind }); ok {
		return l.linear().form(in)
	}
	forms, err := partForms(nil, e.(Composite), in)
	if err != nil {
		return nil, err
	}
	switch k := e.(type) {
	case *sumKernel:
		return sumForms(forms), nil
	case *productKernel:
		return productForms(forms, in), nil
	case *scaleKernel:
		return forms[0].scaled(k.C), nil
	case *weightKernel:
		return forms[0].weighted(weight{weighter: k.W, from: k}), nil
	}
	return composeForm(e.(*composeKernel).F, forms[0])
}

// partForms appends the canonical forms of the parts of a composite on R^in. Of a sum in a sum, or a product in a product, it
// appends the forms of the parts.
func partForms(forms []form, c Composite, in int) ([]form, error) {
	n := c.(expression).head()
	for _, k := range c.Parts() {
		var err error
		if e, ok := k.(expression); ok && n.flat() && e.head().op == n.op {
			forms, err = partForms(forms, k.(Composite), in)
		} else {
			var f form
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
func (l *behind) form(in int) (form, error) {
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
	return f.warped(l.warp, in)
}

// StationaryOf returns k as a Stationary kernel with the same values: k itself if it has the methods, and for a Composite
// what follows from its parts. The result is Radial if k is a mixture of Gaussian kernels, and nil if k is not stationary or
// constructors refuse it. Its Frequency takes a dst of as many elements as points have coordinates.
func StationaryOf(k Kernel) Stationary {
	if s, ok := k.(Stationary); ok && !check.IsNil(k) {
		return s
	}
	f, err := canonical(k, 0)
	if err != nil {
		return nil
	}
	warped, ok := f.spectrum()
	if !ok {
		return nil
	}
	s := spectralKernel{warped.pulled(warped.warp)}
	s.Kernel = k
	if s.mixture != nil {
		return radialKernel{s}
	}
	return s
}

// SeriesOf returns the series f of a kernel k(x, y) = f(⟨x, y⟩): what Series returns for a DotProduct, a polynomial of degree
// 0 for a constant, and for a Composite what follows from its parts. It is nil for other kernels and refused ones.
func SeriesOf(k Kernel) series.Series {
	if d, ok := k.(DotProduct); ok && !check.IsNil(k) {
		return d.Series()
	}
	f, err := canonical(k, 0)
	if err != nil {
		return nil
	}
	if g, w, ok := f.series(); ok && w.Identity() {
		return g
	}
	return nil
}

// A spectralKernel is a kernel with the methods of Stationary, by its spectrum. A radialKernel has those of Radial.
type (
	spectralKernel struct{ spectrum }
	radialKernel   struct{ spectralKernel }
)

// Mass returns k(x, x).
func (k spectralKernel) Mass() float64 { return k.mass }

// Frequency draws a frequency.
func (k spectralKernel) Frequency(dst []float64, s *Sampler) { k.frequency(dst, s) }

func (k spectralKernel) GoString() string { return gosyntax.Of(k.Kernel) }
func (k spectralKernel) Saved() any       { return k.Kernel }

// Mixture draws τ.
func (k radialKernel) Mixture(s *Sampler) float64 { return k.mixture(s) }

// kernel returns the form as an expression with the same values.
func (f form) kernel() Kernel {
	if len(f) == 1 {
		return f[0].kernel()
	}
	return &sumKernel{Terms: kernelsOf(f)}
}

// kernelsOf returns forms or terms as expressions.
func kernelsOf[T base](all []T) []Kernel {
	kernels := make([]Kernel, len(all))
	for i, f := range all {
		kernels[i] = f.kernel()
	}
	return kernels
}

// kernel returns the term as an expression with the same values. A centre, which no function that makes kernels takes, stays
// in the warp: Eval subtracts it, and String leaves it out.
func (t term) kernel() Kernel {
	if _, ok := t.base.(constant); ok && t.weights == nil {
		return Constant{t.scale}
	}
	k := behindWarp(t.warp, scaledKernel(t.scale, t.base.kernel()))
	for _, w := range t.weights {
		if w.warp.Identity() {
			k = &weightKernel{W: w.weighter, K: k}
		} else {
			k = &productKernel{Factors: []Kernel{behindWarp(w.warp, &weightKernel{W: w.weighter, K: Constant{1}}), k}}
		}
	}
	return k
}

// scaledKernel returns c·k.
func scaledKernel(c float64, k Kernel) Kernel {
	if c == 1 {
		return k
	}
	return &scaleKernel{C: c, K: k}
}

// behindWarp returns k(w(x), w(y)).
func behindWarp(w warp.Warp, k Kernel) Kernel {
	if w.Identity() {
		return k
	}
	return &behind{warp: w, k: k}
}

// String returns the Go expression of the form.
func (f form) String() string { return gosyntax.Of(f.kernel()) }

// String returns the Go expression of the term.
func (t term) String() string { return gosyntax.Of(t.kernel()) }

// source returns the Go expression of the form.
func (f form) GoString() string { return f.String() }
