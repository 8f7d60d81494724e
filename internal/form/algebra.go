// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package form

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// The algebra of canonical forms: for each operation on kernels, the operation on their forms.

// Scaled returns the form of c·k.
func (f Form) Scaled(c float64) Form {
	if c == 0 {
		return ConstantForm(0)
	}
	g := slices.Clone(f)
	for i := range g {
		g[i].Scale *= c
	}
	return g
}

// Weighted returns the form of w(x)·k(x, y)·w(y).
func (f Form) Weighted(w ...Weight) Form {
	g := slices.Clone(f)
	for i, t := range g {
		g[i].Weights = append(slices.Clip(t.Weights), w...)
	}
	return g
}

// Warped returns the form of k(w(x), w(y)) on R^in, or an error if a product of matrices overflows or underflows. It
// merges terms again, since different terms may be the same behind w.
func (f Form) Warped(w warp.Warp, in int) (Form, error) {
	if w.Identity() {
		return f, nil
	}
	var forms []Form
	for _, t := range f {
		var weights []Weight
		for _, v := range t.Weights {
			through, err := v.warp.Through(w, in)
			if err != nil {
				return nil, err
			}
			weights = append(weights, Weight{v.Weighter, v.From, through})
		}
		g, err := t.warpedBase(w, in)
		if err != nil {
			return nil, err
		}
		forms = append(forms, g.Weighted(weights...).Scaled(t.Scale))
	}
	return SumForms(forms), nil
}

// warpedBase returns the form of base(Aw(x), Aw(y)) on R^in, where A is the warp of the term.
func (t Term) warpedBase(w warp.Warp, in int) (Form, error) {
	switch b := t.Base.(type) {
	case Constant:
		return ConstantForm(1), nil
	case Product:
		factors := make([]Form, len(b.Factors))
		for i, f := range b.Factors {
			var err error
			if factors[i], err = f.Warped(w, in); err != nil {
				return nil, err
			}
		}
		return ProductForms(factors, in), nil
	case Composed:
		k, err := b.K.Warped(w, in)
		if err != nil {
			return nil, err
		}
		return ComposeForm(b.F, k)
	}
	through, err := t.Warp.Through(w, in)
	if err != nil {
		return nil, err
	}
	if through.Zero() {
		switch b := t.Base.(type) {
		case Stationary:
			return ConstantForm(b.Mass), nil
		case Dot:
			return ConstantForm(b.F.Coeff(0)), nil
		}
	}
	t = Term{Scale: 1, Warp: through, Base: t.Base}
	if _, ok := t.Base.(Space); ok && !t.Warp.Factorless() {
		t.Base = Dot{series.HermiteDual{N: 1}} // images do not lie on the base space, and its features hold only there
	}
	return Form{t}, nil
}

// SumForms returns the form of a sum. Terms with the same weights and warp are merged: their series are added, and
// equal bases add their scales. Constants join the series of ⟨x, y⟩ itself, if there is one. Series come first, then
// stationary kernels, then other kernels, and the constant last.
func SumForms(forms []Form) Form {
	var dots, spectra, others Form
	var c float64
	for _, f := range forms {
		for _, t := range f {
			if t.Scale == 0 {
				continue
			}
			switch t.Base.(type) {
			case Constant:
				if t.Weights == nil {
					c += t.Scale
				} else {
					others = others.plus(t)
				}
			case Dot:
				dots = dots.plus(t)
			case Stationary:
				spectra = spectra.plus(t)
			default:
				others = others.plus(t)
			}
		}
	}
	if c != 0 {
		at := slices.IndexFunc(dots, func(t Term) bool { return t.Weights == nil && t.Warp.Identity() })
		if at < 0 {
			others = append(others, ConstantForm(c)...)
		} else {
			dots[at] = dots[at].plus(series.Coefficients{c})
		}
	}
	sum := slices.Concat(dots, spectra, others)
	if len(sum) == 0 {
		return ConstantForm(0)
	}
	return sum
}

// plus returns f + t, with t merged into a term of f if possible.
func (f Form) plus(t Term) Form {
	for i, u := range f {
		if !slices.EqualFunc(u.Weights, t.Weights, Weight.equal) || !u.Warp.Equal(t.Warp) {
			continue
		}
		if d, ok := t.Base.(Dot); ok {
			f[i] = u.plus(ScaleSeries(t.Scale, d.F))
			return f
		}
		if sameBase(t.Base, u.Base) {
			f[i].Scale += t.Scale
			return f
		}
	}
	return append(f, t)
}

// plus returns the sum of a term whose base is a series and another series behind the same warp.
func (t Term) plus(g series.Series) Term {
	f := t.Base.(Dot).F
	t.Scale, t.Base = 1, Dot{power.Sum{F: ScaleSeries(t.Scale, f), G: g}}
	return t
}

// sameBase tells whether two bases are known to be the same.
func sameBase(a, b Base) bool {
	switch a := a.(type) {
	case Stationary:
		b, ok := b.(Stationary)
		return ok && expr.Equal(a.Kernel, b.Kernel)
	case Mapped:
		b, ok := b.(Mapped)
		if ok && reflect.ValueOf(a.M).Comparable() { // the arrays of two maps are not compared
			return a.M == b.M
		}
		return ok && expr.Equal(a.Leaf, b.Leaf)
	case Product:
		b, ok := b.(Product)
		return ok && slices.EqualFunc(a.Factors, b.Factors, same)
	case Composed:
		b, ok := b.(Composed)
		return ok && reflect.DeepEqual(a.F, b.F) && same(a.K, b.K)
	case interface{ alone() *expr.Leaf }:
		return reflect.TypeOf(a) == reflect.TypeOf(b) && expr.Equal(a.alone(), b.(interface{ alone() *expr.Leaf }).alone())
	}
	return reflect.DeepEqual(a, b)
}

// same tells whether two forms are known to be the same, term by term.
func same(f, g Form) bool {
	return slices.EqualFunc(f, g, func(t, u Term) bool {
		return t.Scale == u.Scale && slices.EqualFunc(t.Weights, u.Weights, Weight.equal) && t.Warp.Equal(u.Warp) && sameBase(t.Base, u.Base)
	})
}

// ProductForms returns the form of a product of kernels on R^in. Scales and weights are multiplied, series behind the same
// warp become one series, and stationary kernels become one with a joint spectrum.
func ProductForms(forms []Form, in int) Form {
	t := Term{Scale: 1, Base: Constant{}}
	var factors []Form
	for _, f := range forms {
		if len(f) > 1 {
			common, f := f.factorWeights()
			t.Weights = append(t.Weights, common...)
			factors = append(factors, f)
			continue
		}
		u := f[0]
		t.Scale *= u.Scale
		t.Weights = append(t.Weights, u.Weights...)
		switch b := u.Base.(type) {
		case Constant:
		case Product:
			factors = append(factors, b.Factors...)
		default:
			factors = append(factors, Form{{Scale: 1, Warp: u.Warp, Base: b}})
		}
	}
	if t.Scale == 0 {
		return ConstantForm(0)
	}
	if len(factors) > 1 { // a single factor, which may be a sum, keeps its terms
		factors = mergeFactors(factors, in)
	}
	switch len(factors) {
	case 0:
		return Form{t}
	case 1:
		return factors[0].Weighted(t.Weights...).Scaled(t.Scale)
	}
	t.Base = Product{factors}
	return Form{t}
}

// factorWeights returns the weights that all terms of f have in common, and f without them.
func (f Form) factorWeights() (common []Weight, rest Form) {
	rest = slices.Clone(f)
	for _, w := range f[0].Weights {
		without := slices.Clone(rest)
		for i, t := range rest {
			at := slices.IndexFunc(t.Weights, w.equal)
			if at < 0 {
				without = nil
				break
			}
			without[i].Weights = slices.Delete(slices.Clone(t.Weights), at, at+1)
			if len(without[i].Weights) == 0 {
				without[i].Weights = nil
			}
		}
		if without != nil {
			common, rest = append(common, w), without
		}
	}
	return common, rest
}

// mergeFactors merges factors: at most one series for each warp, and one spectrum.
func mergeFactors(factors []Form, in int) []Form {
	var dots, others []Form
	var spectra []spectrum.Warped
	for _, f := range factors {
		if g, w, ok := f.Series(); ok {
			at := slices.IndexFunc(dots, func(u Form) bool { return u[0].Warp.Equal(w) })
			if at < 0 {
				dots = append(dots, f)
				continue
			}
			u, _, _ := dots[at].Series()
			dots[at] = Form{{Scale: 1, Warp: w, Base: Dot{power.Multiply(u, g)}}}
		} else if s, ok := f.Spectrum(); ok {
			spectra = append(spectra, s)
		} else {
			others = append(others, f)
		}
	}
	merged := dots
	if len(spectra) > 0 {
		s := spectrum.Product(spectra, in)
		merged = append(merged, Form{{Scale: 1, Warp: s.Warp, Base: Stationary{s.Spectrum}}})
	}
	return append(merged, others...)
}

// ComposeForm returns the form of f(k), or an error if f is not finite at the values of k.
func ComposeForm(f series.Series, k Form) (Form, error) {
	if n, ok := power.DegreeOf(f); ok && n <= 1 {
		return SumForms([]Form{ConstantForm(f.Coeff(0)), k.Scaled(f.Coeff(1))}), nil
	}
	if c, ok := k.Constant(); ok {
		v := f.Eval(c)
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: Compose of %s with a constant: its value at %v is %v, and must be finite", gosyntax.Of(f), c, v)
		}
		return ConstantForm(v), nil
	}
	if g, w, ok := k.Series(); ok {
		var s series.Series
		if n, linear := power.DegreeOf(g); linear && n == 1 && g.Coeff(0) == 0 {
			s = power.Dilate(f, g.Coeff(1)) // f(c·⟨x, y⟩)
		} else if power.Composable(f) {
			s = power.Compose(f, g)
		} else {
			return Form{{Scale: 1, Base: Composed{f, k}}}, nil
		}
		return Form{{Scale: 1, Warp: w, Base: Dot{s}}}, power.Validate(s)
	}
	if s, ok := k.Spectrum(); ok {
		if c, err := spectrum.Series(f, s.Spectrum); err == nil {
			return Form{{Scale: 1, Warp: s.Warp, Base: Stationary{c}}}, c.Validate()
		}
	}
	return Form{{Scale: 1, Base: Composed{f, k}}}, nil
}

// Series returns the series and the warp of a dot product kernel or a constant, and whether f is one.
func (f Form) Series() (g series.Series, w warp.Warp, ok bool) {
	var c float64
	for _, t := range f {
		if t.Weights != nil {
			return nil, warp.Warp{}, false
		}
		switch b := t.Base.(type) {
		case Constant:
			c += t.Scale
		case Dot:
			if g != nil { // a series behind another warp
				return nil, warp.Warp{}, false
			}
			g, w = ScaleSeries(t.Scale, b.F), t.Warp
		default:
			return nil, warp.Warp{}, false
		}
	}
	switch {
	case g == nil:
		g = series.Coefficients{c}
	case c != 0:
		g = power.Sum{F: g, G: series.Coefficients{c}}
	}
	return g, w, true
}

// ScaleSeries returns c·f.
func ScaleSeries(c float64, f series.Series) series.Series {
	if c == 1 {
		return f
	}
	return power.Scaled{C: c, F: f}
}

// Spectrum returns the spectrum and the warp of a stationary kernel or a constant, and whether f is one.
func (f Form) Spectrum() (warped spectrum.Warped, ok bool) {
	var c float64
	var parts []spectrum.Warped
	for _, t := range f {
		if t.Weights != nil {
			return warped, false
		}
		switch b := t.Base.(type) {
		case Constant:
			c += t.Scale
		case Stationary:
			parts = append(parts, spectrum.Warped{Spectrum: b.Spectrum.Scaled(t.Scale), Warp: t.Warp})
		default:
			return warped, false
		}
	}
	spectra, w := spectrum.CommonWarp(parts)
	if c != 0 || len(spectra) == 0 {
		spectra = append(spectra, spectrum.Constant(c))
	}
	return spectrum.Warped{Spectrum: spectrum.Sum(spectra), Warp: w}, true
}

// IsStationary tells whether a term is stationary, has no weights, and is not a Circle, which has exact features.
func (t Term) IsStationary() bool {
	s, ok := t.Base.(Stationary)
	return ok && !s.Angle && t.Weights == nil
}

// IsMixable tells whether a term may be part of a mixture: it is stationary or a constant, and has no weights.
func (t Term) IsMixable() bool {
	_, ok := Form{t}.Spectrum()
	return ok
}

// Mixture returns the sum of mixable terms as one stationary term.
func Mixture(f Form) Term {
	warped, _ := f.Spectrum()
	return Term{Scale: 1, Warp: warped.Warp, Base: Stationary{warped.Spectrum}}
}
