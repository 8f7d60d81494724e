// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
)

// A dataLaw is a law by the data: probabilities proportional to aₙsⁿhₙ, with one h for each degree and for
// all degrees beyond a last one. With h = 1 it is the OptimalLaw of √M₀ = s.
//
// For points whose mean moments (over pairs, times squared weights) are Mₙ the variance is least where qₙ is
// proportional to aₙ√Mₙ, that is for hₙ = √Mₙ/sⁿ.
type dataLaw struct {
	s float64
	h []float64 // rounded to 16 bits: the moments it is from have no promise of bits
}

// Prob returns the probability of degree n.
func (l dataLaw) Prob(f Series, n int) float64 { return prob(l, f, n) }

// factor returns hₙ.
func (l dataLaw) factor(n int) float64 { return l.h[min(n, len(l.h)-1)] }

func (l dataLaw) weights(f Series) func(n int) float64 {
	table := growing{f: dilate(f, l.s)}
	return func(n int) float64 { return table.coeff(n) * l.factor(n) }
}

func (l dataLaw) squares(f Series, base float64) func(n int) float64 {
	table := growing{f: dilate(f, base/l.s)}
	return func(n int) float64 { return table.coeff(n) / l.factor(n) }
}

func (l dataLaw) validate(f Series) error {
	if !(l.s > 0 && l.s < f.Radius()) {
		return fmt.Errorf("featuremap: a law by the data with √M₀ = %v: must be positive, and below the radius of convergence %v", l.s, f.Radius())
	}
	return nil
}

// String tells that the law is by the data: it has no Go expression.
func (l dataLaw) String() string { return "law by the data" }

func (l dataLaw) source() string { return l.String() }

// second returns Σ aₙ²·baseⁿ/qₙ over the drawn degrees of f, whose table of weights is d.
func (l dataLaw) second(f Series, d *degrees, base float64) float64 {
	u := base / l.s / l.s
	if math.Abs(u) <= 1 {
		// Factors may be huge and tiny, so that the powers of u come in before their squares do.
		sum, power := 0.0, math.Pow(u, float64(d.from))
		for i, w := range d.w {
			h := l.factor(d.from + i)
			sum += w / h * (power / h)
			power *= u
		}
		return d.total * sum
	}
	// Beyond the table all factors are the last one's.
	last := l.h[len(l.h)-1]
	sum := f.Eval(base/l.s) / last
	terms := growing{f: dilate(f, math.Abs(base)/l.s)}
	for n := range max(len(l.h), d.from) {
		v := terms.coeff(n)
		if base < 0 && n%2 == 1 {
			v = -v
		}
		sum -= v / last
		if n >= d.from {
			sum += v / l.factor(n)
		}
	}
	return d.total * sum
}

// addShared adds c·aₙ²·baseⁿ/qₙ² to sums for each degree of a table of weights.
func (l dataLaw) addShared(sums []float64, d *degrees, base, c float64) {
	root := math.Sqrt(math.Abs(base)) / l.s
	power := d.total * math.Pow(root, float64(d.from)) // it may be large, and its square too large
	for i := range sums {
		n := d.from + i
		v := power / l.factor(n)
		if v *= c * v; base < 0 && n%2 == 1 {
			v = -v
		}
		sums[i] += v
		power *= root
	}
}

// A momentTable has the mean moments of Maclaurin features over pairs, for each degree n times s⁻²ⁿ: a law, a
// sketch and a number of columns then cost nothing to try.
type momentTable struct {
	terms []float64 // aₙsⁿ

	// Over the pairs, over those of points far out, and where errors far out are compared.
	near, reach, limit sketchMoments
}

// sketchMoments are by degree: μₙ of real and of complex draws, and the covariances of two in a block of
// TensorSRHT, as in docs/variance.md. rest is the mean square of Σ aₙtⁿ from each degree on.
type sketchMoments struct {
	second, shared [2][]float64
	rest           []float64
}

const (
	realDraws = iota
	complexDraws
)

// newMomentTable returns a table with room for degrees up to the one where the terms aₙsⁿ, which are the
// probabilities of the law of that s but for a factor, are negligible even with factors of margin between
// one and the next; or ok = false if they are too many, not finite, or grow beyond mostRange times the first:
// as exp(t/ℓ²) does for points some seven length scales from their mean, where no law is good.
func newMomentTable(f Series, s, margin float64, mostRest int) (t *momentTable, ok bool) {
	const negligible, mostRange = 0x1p-44, 1e60
	most := min(1200, highestDegree(f)-1)
	terms, ahead := growing{f: dilate(f, s)}, growing{f: dilate(f, min(s*margin, math.Sqrt(s*f.Radius())))}
	degree, polynomial := degreeOf(f)
	t = &momentTable{}
	var first, sum, tail float64
	for n := 0; ; n++ {
		v, w := terms.coeff(n), ahead.coeff(n)
		if n > most || !(w <= math.MaxFloat64) {
			return nil, false
		}
		t.terms = append(t.terms, v)
		if first == 0 {
			first = w
		}
		if sum += w; !polynomial && sum > mostRange*first {
			return nil, false
		}
		if tail = max(tail*0.5, w); n >= profileOf(f).gaps && n >= mostRest && (polynomial && n >= degree || sum > 0 && tail < negligible*sum) {
			break
		}
	}
	for _, m := range []*sketchMoments{&t.near, &t.reach, &t.limit} {
		for c := range m.second {
			m.second[c], m.shared[c] = make([]float64, len(t.terms)), make([]float64, len(t.terms))
		}
		m.rest = make([]float64, mostRest+1)
	}
	return t, true
}

// add adds part times the moments of a pair of points of padded dimension pad; terms are aₙsⁿ.
func (m *sketchMoments) add(terms []float64, s float64, of *pair, pad int, part float64) {
	scale := 1 / s / s
	p, n, q := of.t*of.t*scale, of.a.square*of.b.square*scale, of.s*scale
	addPowers(m.second[realDraws], part, n+2*(p-q))
	addPowers(m.second[complexDraws], part/2, n+p-q)
	addPowers(m.second[complexDraws], part/2, 2*p-q)
	if pad > 1 {
		rest := float64(pad - 1)
		addPowers(m.shared[realDraws], part, p-(n+p-2*q)/rest)
		addPowers(m.shared[realDraws], -part, p)
		addPowers(m.shared[complexDraws], part/2, p-(n-q)/rest)
		addPowers(m.shared[complexDraws], part/2, p-(p-q)/rest)
		addPowers(m.shared[complexDraws], -part, p)
	}
	x, tail := of.t/s, 0.0
	for i := len(terms) - 1; i >= 0; i-- {
		if tail = tail*x + terms[i]; i < len(m.rest) {
			m.rest[i] += part * square(tail*math.Pow(x, float64(i)))
		}
	}
}

// underflow is the size of moments below which they are not summed.
const underflow = 1e-280

// addPowers adds part·uⁿ to sums.
func addPowers(sums []float64, part, u float64) {
	for i := range sums {
		if part == 0 || math.Abs(part) < underflow {
			return
		}
		sums[i] += part
		part *= u
	}
}

// law returns the best law from a degree on for the moments of near pairs plus far times those far out, and
// whether there is a degree to draw.
func (t *momentTable) law(s float64, parts, from int, far float64) (l dataLaw, ok bool) {
	l = dataLaw{s: s, h: make([]float64, len(t.terms)+1)}
	var total, terms float64
	for n, w := range t.terms {
		square := max(t.near.second[parts][n], 0)
		if far > 0 {
			square += far * max(t.reach.second[parts][n], 0)
		}
		if l.h[n] = math.Sqrt(square); square < underflow && n > 1 && l.h[n-2] > 0 { // falling on as it did
			l.h[n] = l.h[n-1] * min(l.h[n-1]/l.h[n-2], 1)
		}
		if n >= from {
			terms += w
			total += w * l.h[n]
		}
	}
	if !(total > 0 && total <= math.MaxFloat64) {
		return l, false
	}
	// A small part of the law is OptimalLaw, so that every degree is drawn. The scale is such that neither the
	// largest factor nor that part have squares beyond a float64.
	mean := total / terms
	scale := 1 / math.Sqrt(max(slices.Max(l.h)/mean, 1))
	for n, h := range l.h {
		l.h[n] = coarse(h/mean*scale + leastShareOfOptimal*scale)
	}
	return l, true
}

const leastShareOfOptimal = 0x1p-20

// single returns the mean of the variance of one draw by a law, from a degree on.
func (t *momentTable) single(m *sketchMoments, l dataLaw, parts, from int) float64 {
	var total, sum float64
	for n := from; n < len(t.terms); n++ {
		if w := t.terms[n]; w > 0 {
			h := l.factor(n)
			total += w * h
			sum += w * m.second[parts][n] / h
		}
	}
	return total*sum - m.rest[from]
}

// sharedPart returns what TensorSRHT adds to the mean variance of a number of draws.
func (t *momentTable) sharedPart(m *sketchMoments, l dataLaw, parts, from, draws, pad int) float64 {
	var total, sum float64
	for n := from; n < len(t.terms); n++ {
		total += t.terms[n] * l.factor(n)
	}
	for n := from; n < len(t.terms); n++ {
		w, h := t.terms[n], l.factor(n)
		if q := w * h / total; q > 0 && n > 0 && m.shared[parts][n] != 0 {
			sum += meanBlockPairs(draws, q, pad) * (total / h) * m.shared[parts][n] * (total / h)
		}
	}
	return sum / square(float64(draws))
}

// validateFactors refuses factors that no data gives.
func (l dataLaw) validateFactors() error {
	for _, h := range l.h {
		if !(h > 0 && h <= math.MaxFloat64) {
			return fmt.Errorf("featuremap: a law by the data with the factor %v: must be positive and finite", h)
		}
	}
	if len(l.h) == 0 {
		return fmt.Errorf("featuremap: a law by the data without factors")
	}
	return nil
}
