// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// Both sides of the exponential. For u = x − c and v = y − c with any centre c,
//
//	exp(−‖x − y‖²/2ℓ²) = exp(−‖u‖²/2ℓ²)·exp(⟨u, v⟩/ℓ²)·exp(−‖v‖²/2ℓ²),
//	exp(⟨x, y⟩/ℓ²) = w(x)·exp(⟨u, v⟩/ℓ²)·w(y),  w(x) = exp((⟨c, u⟩ + ‖c‖²/2)/ℓ²),
//
// so that a Gaussian kernel is a weighted dot product kernel of centred points, and ExpDot is one, and is a
// weighted Gaussian kernel.

// An exponentialWeight is the function exp(half·‖x‖² + ⟨linear, x⟩ + shift), in one set of bits, and NaN where a
// coordinate is not finite.
type exponentialWeight struct {
	half   float64
	linear []float64 // nil: 0
	shift  float64
}

func (w exponentialWeight) Weight(x []float64) float64 {
	square := chain(x, x)
	if math.IsInf(square, 1) && slices.ContainsFunc(x, func(v float64) bool { return math.IsInf(v, 0) }) {
		return math.NaN()
	}
	e := math.FMA(w.half, square, w.shift)
	if w.linear != nil {
		e += chain(w.linear, x)
	}
	return detmath.Exp(e)
}

// An otherSide is a term written with another kind of base, equal to the original.
type otherSide struct {
	term
	name  string
	added weight // the weight it has besides those of the original
}

// The names of the sides, for saved plans: as a dot product kernel, as one of points less a centre, and as a stationary one.
const (
	sideDot        = "dot"
	sideCentred    = "centred"
	sideStationary = "stationary"
)

func (t term) otherSide(name string, w exponentialWeight, at warp) otherSide {
	added := weight{of: w, warp: at}
	t.weights = append(t.weights[:len(t.weights):len(t.weights)], added)
	return otherSide{t, name, added}
}

// asDot returns a term as a weighted dot product kernel of points less c, which are behind its warp, if it
// is a Gaussian kernel, or c is nil and it is the product of one and a dot product kernel.
func (t term) asDot(c []float64) (o otherSide, ok bool) {
	gaussian, g := form{t}, Series(nil)
	if p, is := t.base.(product); is && c == nil && len(p.factors) == 2 {
		var w warp
		if g, w, ok = p.factors[0].series(); !ok || !w.equal(factorWarp(p.factors[1])) {
			return o, false
		}
		gaussian = p.factors[1]
	}
	s, ok := gaussian[0].base.(stationary)
	if !ok || len(gaussian) > 1 || !(s.length > 0) || s.angle {
		return o, false
	}
	rate := 1 / (s.length * s.length)
	if !(rate > 0 && rate <= math.MaxFloat64) {
		return o, false
	}
	f := Series(Exp{Rate: rate})
	if g != nil {
		f = multiplySeries(f, g)
		t.scale *= gaussian[0].scale
		t.warp = gaussian[0].warp
	}
	if validateSeries(f) != nil {
		return o, false
	}
	t.scale *= s.mass
	t.warp = t.warp.centred(c)
	t.base = dot{f}
	return t.otherSide(sideDot, exponentialWeight{half: -rate / 2}, t.warp), true
}

// factorWarp returns the warp of a form of one term.
func factorWarp(f form) warp { return f[0].warp }

// asCentred returns a term with the base exp(γ⟨x, y⟩) as one of points less c, which are behind its warp.
func (t term) asCentred(c []float64) (o otherSide, ok bool) {
	scale, rate, ok := t.exponential()
	if !ok {
		return o, false
	}
	w := exponentialWeight{linear: make([]float64, len(c)), shift: rate * chain(c, c) / 2}
	for i, v := range c {
		w.linear[i] = rate * v
	}
	t.scale *= scale
	t.warp = t.warp.centred(c)
	t.base = dot{Exp{Rate: rate}}
	return t.otherSide(sideCentred, w, t.warp), true
}

// asStationary returns a term as a weighted stationary kernel, if it is exp(γ⟨x, y⟩), or its product with
// one behind the same warp.
func (t term) asStationary() (o otherSide, ok bool) {
	of, parts := t, []warpedSpectrum(nil)
	if p, is := t.base.(product); is && len(p.factors) == 2 {
		f, g := p.factors[0], p.factors[1]
		s, is := g.spectrum()
		if !is || len(f) > 1 || !f[0].warp.equal(s.warp) {
			return o, false
		}
		of, parts = f[0], []warpedSpectrum{{s.spectrum, warp{}}}
		t.warp = s.warp
		t.scale *= of.scale
	}
	scale, rate, ok := of.exponential()
	if !ok {
		return o, false
	}
	gaussian := gaussianSpectrum(Gaussian{LengthScale: 1 / math.Sqrt(rate)})
	t.scale *= scale
	t.base = stationary{productOfSpectra(append(parts, warpedSpectrum{gaussian, warp{}}), 0).spectrum}
	return t.otherSide(sideStationary, exponentialWeight{half: rate / 2}, t.warp), true
}

// exponential returns c and γ > 0 if the base of a term is the kernel c·exp(γ⟨x, y⟩).
func (t term) exponential() (c, gamma float64, ok bool) {
	d, ok := t.base.(dot)
	if !ok {
		return 0, 0, false
	}
	return exponentialOf(d.f)
}

func exponentialOf(f Series) (c, gamma float64, ok bool) {
	switch f := f.(type) {
	case Exp:
		c, gamma = detmath.Exp(f.Shift), f.Rate
		root := 1 / math.Sqrt(gamma)
		return c, gamma, c > 0 && c <= math.MaxFloat64 && root > 0 && root <= math.MaxFloat64
	case scaledSeries:
		c, gamma, ok = exponentialOf(f.f)
		return f.c * c, gamma, ok && f.c*c > 0
	case sumSeries:
		c, gamma, ok = exponentialOf(f.f)
		if d, delta, also := exponentialOf(f.g); ok && also && delta == gamma {
			return c + d, gamma, true
		}
		return 0, 0, false
	case productSeries:
		c, gamma, ok = exponentialOf(f.f)
		if d, delta, also := exponentialOf(f.g); ok && also {
			return c * d, gamma + delta, c*d > 0
		}
	}
	return 0, 0, false
}

// splitExponentials returns the form with the exponentials that are addends of its series as terms of their
// own, and whether there are any.
func (f form) splitExponentials() (split form, ok bool) {
	for _, t := range f {
		if d, is := t.base.(dot); is {
			if e, rest, has := exponentialPart(d.f); has && rest != nil {
				u := t
				u.base, t.base = dot{e}, dot{rest}
				split, ok = append(split, u), true
			}
		}
		split = append(split, t)
	}
	return split, ok
}

// exponentialPart splits a series with an exponential among its addends: f = c·exp(γt) + rest.
func exponentialPart(f Series) (exponential, rest Series, ok bool) {
	if _, _, ok := exponentialOf(f); ok {
		return f, nil, true
	}
	switch f := f.(type) {
	case scaledSeries:
		if e, rest, ok := exponentialPart(f.f); ok && rest != nil {
			return scaleSeries(f.c, e), scaleSeries(f.c, rest), true
		}
	case sumSeries:
		if e, rest, ok := exponentialPart(f.f); ok {
			return e, addSeries(rest, f.g), true
		}
		if e, rest, ok := exponentialPart(f.g); ok {
			return e, addSeries(rest, f.f), true
		}
	}
	return nil, nil, false
}

// addSeries returns f + g, where f may be nil.
func addSeries(f, g Series) Series {
	if f == nil {
		return g
	}
	return sumSeries{f, g}
}
