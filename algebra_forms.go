// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

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

// This file has the algebra of canonical forms: for each operation on kernels, the operation on their forms.

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

// warped returns the form of k(w(x), w(y)) on R^in, or an error if a product of matrices over- or underflows. It merges terms
// again, since terms that differ may be alike behind w.
func (f form) warped(w warp.Warp, in int) (form, error) {
	if w.Identity() {
		return f, nil
	}
	var forms []form
	for _, t := range f {
		var weights []weight
		for _, v := range t.weights {
			through, err := v.warp.Through(w, in)
			if err != nil {
				return nil, err
			}
			weights = append(weights, weight{v.weighter, v.from, through})
		}
		g, err := t.warpedBase(w, in)
		if err != nil {
			return nil, err
		}
		forms = append(forms, g.weighted(weights...).scaled(t.scale))
	}
	return sumForms(forms), nil
}

// warpedBase returns the form of base(Aw(x), Aw(y)) on R^in, where A is the warp of the term.
func (t term) warpedBase(w warp.Warp, in int) (form, error) {
	switch b := t.base.(type) {
	case constant:
		return constantForm(1), nil
	case product:
		factors := make([]form, len(b.factors))
		for i, f := range b.factors {
			var err error
			if factors[i], err = f.warped(w, in); err != nil {
				return nil, err
			}
		}
		return productForms(factors, in), nil
	case composed:
		k, err := b.k.warped(w, in)
		if err != nil {
			return nil, err
		}
		return composeForm(b.f, k)
	}
	through, err := t.warp.Through(w, in)
	if err != nil {
		return nil, err
	}
	if through.Zero() {
		switch b := t.base.(type) {
		case stationary:
			return constantForm(b.Mass), nil
		case dotProduct:
			return constantForm(b.F.Coeff(0)), nil
		}
	}
	t = term{scale: 1, warp: through, base: t.base}
	if _, ok := t.base.(space); ok && !t.warp.Factorless() {
		t.base = dotProduct{series.HermiteDual{N: 1}} // images are not on the base space, where alone its features hold
	}
	return form{t}, nil
}

// sumForms returns the form of a sum. Of terms with the same weights and warp, series are added up, and equal bases add up
// their scales. Constants join the series of ⟨x, y⟩ itself, if there is one. Series come first, then stationary kernels, then
// others, and at last the constant.
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
					others = others.plus(t)
				}
			case dotProduct:
				dots = dots.plus(t)
			case stationary:
				spectra = spectra.plus(t)
			default:
				others = others.plus(t)
			}
		}
	}
	if c != 0 {
		at := slices.IndexFunc(dots, func(t term) bool { return t.weights == nil && t.warp.Identity() })
		if at < 0 {
			others = append(others, constantForm(c)...)
		} else {
			dots[at] = dots[at].plus(series.Coefficients{c})
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
		if !slices.EqualFunc(u.weights, t.weights, weight.equal) || !u.warp.Equal(t.warp) {
			continue
		}
		if d, ok := t.base.(dotProduct); ok {
			f[i] = u.plus(scaleSeries(t.scale, d.F))
			return f
		}
		if sameBase(t.base, u.base) {
			f[i].scale += t.scale
			return f
		}
	}
	return append(f, t)
}

// plus returns the sum of a term whose base is a series and another series behind the same warp.
func (t term) plus(g series.Series) term {
	f := t.base.(dotProduct).F
	t.scale, t.base = 1, dotProduct{power.Sum{F: scaleSeries(t.scale, f), G: g}}
	return t
}

// sameBase tells whether two bases are known to be the same.
func sameBase(a, b base) bool {
	switch a := a.(type) {
	case stationary:
		b, ok := b.(stationary)
		return ok && expr.Equal(a.Kernel, b.Kernel)
	case mapped:
		b, ok := b.(mapped)
		if ok && reflect.ValueOf(a.m).Comparable() { // the arrays of two maps are not looked through
			return a.m == b.m
		}
		return ok && expr.Equal(a.Leaf, b.Leaf)
	case interface{ alone() *expr.Leaf }:
		return reflect.TypeOf(a) == reflect.TypeOf(b) && expr.Equal(a.alone(), b.(interface{ alone() *expr.Leaf }).alone())
	}
	return reflect.DeepEqual(a, b)
}

// productForms returns the form of a product of kernels on R^in. Scales and weights are multiplied, series behind the same
// warp become one series, and stationary kernels become one with a joint spectrum.
func productForms(forms []form, in int) form {
	t := term{scale: 1, base: constant{}}
	var factors []form
	for _, f := range forms {
		if len(f) > 1 {
			common, f := f.factorWeights()
			t.weights = append(t.weights, common...)
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
	if len(factors) > 1 { // a single factor, which may be a sum, keeps its terms
		factors = mergeFactors(factors, in)
	}
	switch len(factors) {
	case 0:
		return form{t}
	case 1:
		return factors[0].weighted(t.weights...).scaled(t.scale)
	}
	t.base = product{factors}
	return form{t}
}

// factorWeights returns the weights that all terms of f have in common, and f without them.
func (f form) factorWeights() (common []weight, rest form) {
	rest = slices.Clone(f)
	for _, w := range f[0].weights {
		without := slices.Clone(rest)
		for i, t := range rest {
			at := slices.IndexFunc(t.weights, w.equal)
			if at < 0 {
				without = nil
				break
			}
			without[i].weights = slices.Delete(slices.Clone(t.weights), at, at+1)
			if len(without[i].weights) == 0 {
				without[i].weights = nil
			}
		}
		if without != nil {
			common, rest = append(common, w), without
		}
	}
	return common, rest
}

// mergeFactors merges factors: at most one series for each warp, and one spectrum.
func mergeFactors(factors []form, in int) []form {
	var dots, others []form
	var spectra []spectrum.Warped
	for _, f := range factors {
		if g, w, ok := f.series(); ok {
			at := slices.IndexFunc(dots, func(u form) bool { return u[0].warp.Equal(w) })
			if at < 0 {
				dots = append(dots, f)
				continue
			}
			u, _, _ := dots[at].series()
			dots[at] = form{{scale: 1, warp: w, base: dotProduct{power.Multiply(u, g)}}}
		} else if s, ok := f.spectrum(); ok {
			spectra = append(spectra, s)
		} else {
			others = append(others, f)
		}
	}
	merged := dots
	if len(spectra) > 0 {
		s := spectrum.Product(spectra, in)
		merged = append(merged, form{{scale: 1, warp: s.Warp, base: stationary{s.Spectrum}}})
	}
	return append(merged, others...)
}

// composeForm returns the form of f(k), or an error if f is not finite at the values of k.
func composeForm(f series.Series, k form) (form, error) {
	if n, ok := power.DegreeOf(f); ok && n <= 1 {
		return sumForms([]form{constantForm(f.Coeff(0)), k.scaled(f.Coeff(1))}), nil
	}
	if c, ok := k.constant(); ok {
		v := f.Eval(c)
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: Compose of %s with a constant: its value at %v is %v, and must be finite", gosyntax.Of(f), c, v)
		}
		return constantForm(v), nil
	}
	if g, w, ok := k.series(); ok {
		var s series.Series
		if n, linear := power.DegreeOf(g); linear && n == 1 && g.Coeff(0) == 0 {
			s = power.Dilate(f, g.Coeff(1)) // f(c·⟨x, y⟩)
		} else if power.Composable(f) {
			s = power.Compose(f, g)
		} else {
			return form{{scale: 1, base: composed{f, k}}}, nil
		}
		return form{{scale: 1, warp: w, base: dotProduct{s}}}, power.Validate(s)
	}
	if s, ok := k.spectrum(); ok {
		if c, err := spectrum.Series(f, s.Spectrum); err == nil {
			return form{{scale: 1, warp: s.Warp, base: stationary{c}}}, c.Validate()
		}
	}
	return form{{scale: 1, base: composed{f, k}}}, nil
}

// series returns the series and the warp of a dot product kernel or a constant, and whether f is one.
func (f form) series() (g series.Series, w warp.Warp, ok bool) {
	var c float64
	for _, t := range f {
		if t.weights != nil {
			return nil, warp.Warp{}, false
		}
		switch b := t.base.(type) {
		case constant:
			c += t.scale
		case dotProduct:
			if g != nil { // a series behind another warp
				return nil, warp.Warp{}, false
			}
			g, w = scaleSeries(t.scale, b.F), t.warp
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

// scaleSeries returns c·f.
func scaleSeries(c float64, f series.Series) series.Series {
	if c == 1 {
		return f
	}
	return power.Scaled{C: c, F: f}
}

// spectrum returns the spectrum and the warp of a stationary kernel or a constant, and whether f is one.
func (f form) spectrum() (warped spectrum.Warped, ok bool) {
	var c float64
	var parts []spectrum.Warped
	for _, t := range f {
		if t.weights != nil {
			return warped, false
		}
		switch b := t.base.(type) {
		case constant:
			c += t.scale
		case stationary:
			parts = append(parts, spectrum.Warped{Spectrum: b.Spectrum.Scaled(t.scale), Warp: t.warp})
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

// isStationary tells whether a term is stationary, has no weights, and is not a Circle, which has exact features.
func (t term) isStationary() bool {
	s, ok := t.base.(stationary)
	return ok && !s.Angle && t.weights == nil
}

// isMixable tells whether a term may be part of a mixture: it is stationary or a constant, and has no weights.
func (t term) isMixable() bool {
	_, ok := form{t}.spectrum()
	return ok
}

// mixture returns the sum of mixable terms as one stationary term.
func mixture(f form) term {
	warped, _ := f.spectrum()
	return term{scale: 1, warp: warped.Warp, base: stationary{warped.Spectrum}}
}
