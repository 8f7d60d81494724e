// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package form

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// The exponential can be written in two ways. For u = x − c and v = y − c with any center c,
//
//	exp(−‖x − y‖²/2ℓ²) = exp(−‖u‖²/2ℓ²)·exp(⟨u, v⟩/ℓ²)·exp(−‖v‖²/2ℓ²),
//	exp(⟨x, y⟩/ℓ²) = w(x)·exp(⟨u, v⟩/ℓ²)·w(y),  w(x) = exp((⟨c, u⟩ + ‖c‖²/2)/ℓ²),
//
// By the first line a Gaussian kernel is a weighted dot product kernel of centered points. With c = 0 and the weights
// moved to the other side, ExpDot is a weighted Gaussian kernel. By the second line ExpDot is a weighted ExpDot of
// centered points.

// An ExponentialWeight is the function exp(half·‖x‖² + ⟨linear, x⟩ + shift), with the same bits on every machine. It is NaN
// if a coordinate is not finite.
type ExponentialWeight struct {
	half   float64
	linear []float64 // nil: 0
	shift  float64
}

func (w ExponentialWeight) Weight(x []float64) float64 {
	square := arith.Chain(x, x)
	if math.IsInf(square, 1) && slices.ContainsFunc(x, func(v float64) bool { return math.IsInf(v, 0) }) {
		return math.NaN()
	}
	e := math.FMA(w.half, square, w.shift)
	if w.linear != nil {
		e += arith.Chain(w.linear, x)
	}
	return detmath.Exp(e)
}

// GradientTo sets dst to the gradient of Weight at x: Weight(x)·(2·half·x + linear).
func (w ExponentialWeight) GradientTo(dst, x []float64) {
	value := w.Weight(x)
	for i, v := range x {
		slope := float64(2 * w.half * v)
		if w.linear != nil {
			slope += w.linear[i]
		}
		dst[i] = value * slope
	}
}

var _ expr.Gradienter = ExponentialWeight{}

// A Side is another way to write a term, as the same kernel with another kind of base. Without a name it is
// the original.
type Side struct {
	Term
	Name  string
	Added Weight // a weight in addition to those of the original
}

// The names of the sides in saved plans: what AsDot, AsCentered and AsStationary return.
const (
	SideDot        = "dot"
	SideCentered   = "centered"
	SideStationary = "stationary"
)

// otherSide returns the term, whose new base is already set, with one more weight: w of points behind the warp at.
func (t Term) otherSide(name string, w ExponentialWeight, at warp.Warp) Side {
	added := Weight{Weighter: w, warp: at}
	t.Weights = append(t.Weights[:len(t.Weights):len(t.Weights)], added)
	return Side{t, name, added}
}

// AsDot returns a Gaussian term as a weighted dot product kernel of w(x) − c and w(y) − c, where w is its warp; a nil c
// stands for 0. If c is nil, the term may also be the product of a Gaussian and a dot product kernel behind the same
// warp.
func (t Term) AsDot(c []float64) (o Side, ok bool) {
	gaussian, g := Form{t}, series.Series(nil)
	if p, is := t.Base.(Product); is && c == nil && len(p.Factors) == 2 {
		var w warp.Warp
		if g, w, ok = p.Factors[0].Series(); !ok || !w.Equal(factorWarp(p.Factors[1])) {
			return o, false
		}
		gaussian = p.Factors[1]
	}
	s, ok := gaussian[0].Base.(Stationary)
	if !ok || len(gaussian) > 1 || !(s.Length > 0) || s.Angle {
		return o, false
	}
	rate := 1 / (s.Length * s.Length)
	if !(rate > 0 && rate <= math.MaxFloat64) {
		return o, false
	}
	f := series.Series(series.Exp{Rate: rate})
	if g != nil {
		f = power.Multiply(f, g)
		t.Scale *= gaussian[0].Scale
		t.Warp = gaussian[0].Warp
	}
	if power.Validate(f) != nil {
		return o, false
	}
	t.Scale *= s.Mass
	t.Warp = t.Warp.Centered(c)
	t.Base = Dot{f}
	return t.otherSide(SideDot, ExponentialWeight{half: -rate / 2}, t.Warp), true
}

// factorWarp returns the warp of a form's first term.
func factorWarp(f Form) warp.Warp { return f[0].Warp }

// AsCentered returns a term with the base a·exp(γ⟨x, y⟩) as a weighted kernel of w(x) − c and w(y) − c, with w its
// warp.
func (t Term) AsCentered(c []float64) (o Side, ok bool) {
	scale, rate, ok := t.exponential()
	if !ok {
		return o, false
	}
	w := ExponentialWeight{linear: make([]float64, len(c)), shift: rate * arith.Chain(c, c) / 2}
	for i, v := range c {
		w.linear[i] = rate * v
	}
	t.Scale *= scale
	t.Warp = t.Warp.Centered(c)
	t.Base = Dot{series.Exp{Rate: rate}}
	return t.otherSide(SideCentered, w, t.Warp), true
}

// AsStationary returns a term as a weighted stationary kernel. Its base must be a·exp(γ⟨x, y⟩), or the product of this
// and a stationary kernel behind the same warp.
func (t Term) AsStationary() (o Side, ok bool) {
	exponential, parts := t, []spectrum.Warped(nil)
	if p, is := t.Base.(Product); is && len(p.Factors) == 2 {
		f, g := p.Factors[0], p.Factors[1]
		s, is := g.Spectrum()
		if !is || len(f) > 1 || !f[0].Warp.Equal(s.Warp) {
			return o, false
		}
		exponential, parts = f[0], []spectrum.Warped{{Spectrum: s.Spectrum}}
		t.Warp = s.Warp
		t.Scale *= exponential.Scale
	}
	scale, rate, ok := exponential.exponential()
	if !ok {
		return o, false
	}
	gaussian := spectrum.Gaussian(1 / math.Sqrt(rate))
	t.Scale *= scale
	t.Base = Stationary{spectrum.Product(append(parts, spectrum.Warped{Spectrum: gaussian}), 0).Spectrum}
	return t.otherSide(SideStationary, ExponentialWeight{half: rate / 2}, t.Warp), true
}

// exponential returns c and γ > 0 if the base of a term is the kernel c·exp(γ⟨x, y⟩).
func (t Term) exponential() (c, gamma float64, ok bool) {
	d, ok := t.Base.(Dot)
	if !ok {
		return 0, 0, false
	}
	return exponentialOf(d.F)
}

// exponentialOf returns c and γ > 0 if f is c·exp(γt), with c and 1/√γ in the range of a float64.
func exponentialOf(f series.Series) (c, gamma float64, ok bool) {
	switch f := f.(type) {
	case series.Exp:
		c, gamma = detmath.Exp(f.Shift), f.Rate
		root := 1 / math.Sqrt(gamma)
		return c, gamma, c > 0 && c <= math.MaxFloat64 && root > 0 && root <= math.MaxFloat64
	case power.Scaled:
		c, gamma, ok = exponentialOf(f.F)
		return f.C * c, gamma, ok && f.C*c > 0
	case power.Sum:
		c, gamma, ok = exponentialOf(f.F)
		if d, delta, also := exponentialOf(f.G); ok && also && delta == gamma {
			return c + d, gamma, true
		}
		return 0, 0, false
	case power.Product:
		c, gamma, ok = exponentialOf(f.F)
		if d, delta, also := exponentialOf(f.G); ok && also {
			return c * d, gamma + delta, c*d > 0
		}
	}
	return 0, 0, false
}

// SplitExponentials returns the form with each series c·exp(γt) + rest split into two terms: the exponential and the
// rest. It reports whether there is such a series.
func (f Form) SplitExponentials() (split Form, ok bool) {
	for _, t := range f {
		if d, is := t.Base.(Dot); is {
			if e, rest, has := exponentialPart(d.F); has && rest != nil {
				u := t
				u.Base, t.Base = Dot{e}, Dot{rest}
				split, ok = append(split, u), true
			}
		}
		split = append(split, t)
	}
	return split, ok
}

// exponentialPart splits a series with an exponential among its addends: f = c·exp(γt) + rest. A nil rest is 0.
func exponentialPart(f series.Series) (exponential, rest series.Series, ok bool) {
	if _, _, ok := exponentialOf(f); ok {
		return f, nil, true
	}
	switch f := f.(type) {
	case power.Scaled:
		if e, rest, ok := exponentialPart(f.F); ok && rest != nil {
			return ScaleSeries(f.C, e), ScaleSeries(f.C, rest), true
		}
	case power.Sum:
		e, rest, ok := exponentialPart(f.F)
		other, left, also := exponentialPart(f.G)
		switch {
		case also && (!ok || rateOf(other) > rateOf(e)): // whatever the order of the addends
			return other, addSeries(left, f.F), true
		case ok:
			return e, addSeries(rest, f.G), true
		}
	}
	return nil, nil, false
}

// rateOf returns γ of a series c·exp(γt).
func rateOf(f series.Series) float64 {
	_, gamma, _ := exponentialOf(f)
	return gamma
}

// addSeries returns f + g, where f may be nil.
func addSeries(f, g series.Series) series.Series {
	if f == nil {
		return g
	}
	return power.Sum{F: f, G: g}
}
