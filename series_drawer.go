// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A degreeDrawer draws degrees n with probability aₙcⁿ/f(c) for a series f and a c.
type degreeDrawer func(s *Sampler) int

// newDegreeDrawer returns the drawer of f at c ≥ 0. It returns an error if f(c) is not finite, the expected
// degree c·f′(c)/f(c) is above maxComplexity, or a coefficient is refused.
//
// It follows the structure of f. A sum picks a term in proportion to its value, a product adds a degree of
// each factor, and a composition adds one inner degree for each unit of the outer degree. Series of this
// package with long tails have laws of their own, so that no tail is cut. Any other series loses the terms
// beyond degree 2¹⁷, and is refused if they are more than a millionth of f(c).
func newDegreeDrawer(f Series, c float64) (degreeDrawer, error) {
	f = valueOf(f)
	mean, err := meanDegree(f, c)
	if err != nil {
		return nil, err
	}
	if !(mean <= maxComplexity) {
		return nil, fmt.Errorf("featuremap: f′(%v) = %v for %s: the expected degree is %v, and must be at most %v",
			c, f.Deriv(c), source(f), mean, maxComplexity)
	}
	switch f := f.(type) {
	case scaledSeries:
		return newDegreeDrawer(f.f, c)
	case sumSeries:
		u, v, err := newDegreeDrawers(f.f, c, f.g, c)
		w := f.f.Eval(c)
		p := w / (w + f.g.Eval(c))
		return func(s *Sampler) int {
			if s.Float64() < p {
				return u(s)
			}
			return v(s)
		}, err
	case productSeries:
		u, v, err := newDegreeDrawers(f.f, c, f.g, c)
		return func(s *Sampler) int { return u(s) + v(s) }, err
	case composedSeries:
		u, v, err := newDegreeDrawers(f.f, f.g.Eval(c), f.g, c)
		return func(s *Sampler) (n int) {
			for range u(s) {
				n += v(s)
			}
			return n
		}, err
	case IdentityDual:
		return newDegreeDrawer(HermiteDual{1}, c)
	case HermiteDual:
		return func(*Sampler) int { return f.N }, nil
	case Exp:
		return newPoissonDegrees(float64(f.Rate * c)), nil
	case Geometric:
		return geometricDegrees(float64(f.Ratio * c)), nil
	case ReLUDual:
		return newTailDegrees(f, c, 1.5, tailTable).draw, nil
	case StepDual:
		return newTailDegrees(f, c, 0.5, tailTable).draw, nil
	case ErfDual:
		// aₙcⁿ is proportional to StepDual's at 2c/3, for odd n.
		d := newTailDegrees(StepDual{}, float64(2*c)/3, 0.5, tailTable)
		return func(s *Sampler) int {
			for d.c > 0 {
				if n := d.draw(s); n%2 != 0 {
					return n
				}
			}
			return 1
		}, nil
	}
	d, err := newTableDegrees(f, c)
	return d.draw, err
}

func newDegreeDrawers(f Series, c float64, g Series, d float64) (u, v degreeDrawer, err error) {
	if u, err = newDegreeDrawer(f, c); err == nil {
		v, err = newDegreeDrawer(g, d)
	}
	return u, v, err
}

// meanDegree returns c·f′(c)/f(c), and 0 if f(c) is 0.
func meanDegree(f Series, c float64) (float64, error) {
	v := f.Eval(c)
	if !(v >= 0 && v <= math.MaxFloat64) {
		return 0, fmt.Errorf("featuremap: f(%v) = %v for %s: must be finite", c, v, source(f))
	}
	if v == 0 {
		return 0, nil
	}
	return times(c, f.Deriv(c)) / v, nil
}

// geometricDegrees draws n with probability (1 − r)rⁿ: ⌊log U/log r⌋.
func geometricDegrees(r float64) degreeDrawer {
	return func(s *Sampler) int {
		if r == 0 {
			return 0
		}
		return int(detmath.Log(s.open()) / detmath.Log(r))
	}
}

// newPoissonDegrees returns a Poisson drawer that adds draws of small means.
func newPoissonDegrees(mean float64) degreeDrawer {
	const largest = 1024
	terms := max(int(math.Ceil(mean/largest)), 1)
	of, err := newTableDegrees(ExpDual(mean/float64(terms)), 1)
	if err != nil {
		panic(err) // its coefficients are probabilities
	}
	return func(s *Sampler) (n int) {
		for range terms {
			n += of.draw(s)
		}
		return n
	}
}

// tableDegrees draws by inversion of a table.
type tableDegrees struct {
	cum []float64 // partial sums of the weights
}

// lostDegrees is the share of f(c) that a table may leave out.
const lostDegrees = 1e-6

// newTableDegrees sums aₙcⁿ until, beyond the gaps and with f(c) reached up to rounding, 64 successive
// terms add nothing.
func newTableDegrees(f Series, c float64) (*tableDegrees, error) {
	const gap = 64
	d := new(tableDegrees)
	terms, value := growing{f: dilate(f, c)}, f.Eval(c)
	gaps, highest := profileOf(f).gaps, highestDegree(f)
	if gaps > highest {
		return nil, fmt.Errorf("featuremap: %s has terms of degrees up to %d: must be at most %d", source(f), gaps, highest)
	}
	var sum float64
	for n, still := 0, 0; n <= gaps || still < gap && n <= highest; n++ {
		w := terms.coeff(n)
		if err := validateCoefficient(f, n, w); err != nil {
			return nil, err
		}
		sum += w
		d.cum = append(d.cum, sum)
		if still++; w > sum*0x1p-60 || !(sum >= value*(1-1e-9)) {
			still = 0
		}
	}
	if !(sum <= math.MaxFloat64) || !(value-sum <= lostDegrees*value) || !(sum <= value*(1+1e-6)) {
		return nil, fmt.Errorf("featuremap: the coefficients of %s up to degree %d have the sum %v at %v, and the series %v",
			source(f), len(d.cum)-1, sum, c, value)
	}
	// Trailing degrees without weight are never drawn.
	for n := len(d.cum) - 1; n > 0 && d.cum[n-1] == sum; n-- {
		d.cum = d.cum[:n]
	}
	return d, nil
}

func (d *tableDegrees) draw(s *Sampler) int {
	return d.find(float64(s.Float64() * d.cum[len(d.cum)-1]))
}

// find returns the first degree whose partial sum is above u, or the last one if rounding put u at the end.
func (d *tableDegrees) find(u float64) int {
	const near = 8 // most degrees are small
	for n, c := range d.cum[:min(near, len(d.cum))] {
		if u < c {
			return n
		}
	}
	n := sort.Search(len(d.cum), func(n int) bool { return u < d.cum[n] })
	return min(n, len(d.cum)-1)
}

// tailDegrees draws degrees of ReLUDual or StepDual, whose probabilities at c = 1 fall as n^{−5/2} and
// n^{−3/2}: small degrees from a table, the others, n = 2k + first with k ≥ K, by rejection. With p = 3/2
// or ½ and U uniform, a candidate ⌊K·U^{−1/p}⌋ is k with a probability proportional to k^{−p} −
// (k + 1)^{−p}. The ratio of aₙ to that is monotone in k, so it is at most the larger of its value at K and
// its limit. For c < 1 a factor cⁿ thins the candidates out.
type tailDegrees struct {
	f       Series
	c, p    float64
	first   int // the degree of k = 0
	k       int // K
	table   tableDegrees
	tail    float64 // Σ aₙ beyond the table, times cⁿ for the first n there
	largest float64 // upper bound of the ratio
}

// tailTable is K, from which on degrees are drawn by rejection.
const tailTable = 512

func newTailDegrees(f Series, c, p float64, k int) *tailDegrees {
	d := &tailDegrees{f: f, c: c, p: p, first: 1, k: k}
	limit := 1 / (math.Pi * math.Sqrt(math.Pi)) // of StepDual's: aₙ → k^{−3/2}/(2π^{3/2})
	if _, relu := f.(ReLUDual); relu {
		d.first, limit = 2, 1/(6*math.Sqrt(math.Pi))
	}
	d.largest = max(limit, d.ratio(float64(k)))
	var sum, ones float64
	power := 1.0
	for n := range d.degree(float64(k)) {
		a := f.Coeff(n)
		ones += a
		sum += float64(a * power)
		d.table.cum = append(d.table.cum, sum)
		power *= c
	}
	d.tail = float64((1 - ones) * power) // f(1) = 1
	return d
}

// degree returns the degree n of index k.
func (d *tailDegrees) degree(k float64) int { return 2*int(k) + d.first }

// ratio returns aₙ/(k^{−p} − (k + 1)^{−p}), by
//
//	k^{−½} − (k + 1)^{−½} = 1/(√k·√(k + 1)·(√k + √(k + 1))),
//	k^{−3/2} − (k + 1)^{−3/2} = (3k² + 3k + 1)/(k^{3/2}·(k + 1)^{3/2}·(k^{3/2} + (k + 1)^{3/2})).
func (d *tailDegrees) ratio(k float64) float64 {
	low, high, top := math.Sqrt(k), math.Sqrt(k+1), 1.0
	if d.p == 1.5 {
		low, high = float64(k*low), float64((k+1)*high)
		top = float64(3*float64(k*k)) + (float64(3*k) + 1)
	}
	return d.f.Coeff(d.degree(k)) * (low * high) * (low + high) / top
}

func (d *tailDegrees) draw(s *Sampler) int {
	sum := d.table.cum[len(d.table.cum)-1]
	for {
		u := float64(s.Float64() * (sum + d.tail))
		if u < sum {
			return d.table.find(u)
		}
		n := d.drawTail(s)
		if d.c >= 1 || s.Float64() < powInt(d.c, n-d.degree(float64(d.k))) {
			return n
		}
	}
}

// drawTail draws a degree beyond the table with probability proportional to aₙ.
func (d *tailDegrees) drawTail(s *Sampler) int {
	const largest = 1 << 60 // beyond it cⁿ = 0, or the probability is below 1e-27
	for {
		k := math.Floor(float64(d.k) * detmath.Exp(-detmath.Log(s.open())/d.p))
		k = max(k, float64(d.k)) // rounding
		if k < largest && float64(s.Float64()*d.largest) < d.ratio(k) {
			return d.degree(k)
		}
	}
}

// maxComplexity bounds the expected number of base features in a draw, maxDraws the number of draws.
const (
	maxComplexity = 1 << 14
	maxDraws      = math.MaxInt32 / 2
)
