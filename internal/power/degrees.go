// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package power

import (
	"fmt"
	"math"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Sampling degrees of power series: the number of factors of a feature, with probability in proportion to
// aₙcⁿ.

// Uniforms are the random numbers from which degrees are sampled: a Sampler.
type Uniforms interface {
	Float64() float64
	Uint64() uint64
}

// MaxComplexity bounds the expected degree, and the expected number of base features of a sample.
const MaxComplexity = 1 << 14

// Drawer samples degrees n with probability aₙcⁿ/f(c), for a series f and a number c ≥ 0.
type Drawer func(s Uniforms) int

// NewDrawer returns the drawer of f at c ≥ 0. It returns an error if f(c) is not finite, the expected degree
// c·f′(c)/f(c) is above MaxComplexity, or a coefficient is refused.
//
// It follows the structure of f. For a sum it samples from one of the two series, in proportion to their values at c.
// For a product it adds a degree of each factor. For f∘g it adds one degree of g for each unit of a degree of f.
//
// ReLUDual, StepDual and ErfDual have long tails, and their own drawers, which do not cut the tails, even where these
// series are dilated. Any other series loses the terms beyond degree 2¹⁷. It is refused if they are more than a
// millionth of f(c).
func NewDrawer(f series.Series, c float64) (Drawer, error) {
	mean, err := MeanDegree(f, c)
	if err != nil {
		return nil, err
	}
	if !(mean <= MaxComplexity) {
		return nil, fmt.Errorf("featuremap: f′(%v) = %v for %s: the expected degree is %v, and must be at most %v",
			c, f.Deriv(c), gosyntax.Of(f), mean, MaxComplexity)
	}
	switch f := f.(type) {
	case Scaled:
		return NewDrawer(f.F, c)
	case Sum:
		u, v, err := newDrawers(f.F, c, f.G, c)
		w := f.F.Eval(c)
		p := w / (w + f.G.Eval(c))
		return func(s Uniforms) int {
			if s.Float64() < p {
				return u(s)
			}
			return v(s)
		}, err
	case Product:
		u, v, err := newDrawers(f.F, c, f.G, c)
		return func(s Uniforms) int { return u(s) + v(s) }, err
	case Composed:
		u, v, err := newDrawers(f.F, f.G.Eval(c), f.G, c)
		return func(s Uniforms) (n int) {
			for range u(s) {
				n += v(s)
			}
			return n
		}, err
	case Dilated:
		if LongTailed(f) {
			return NewDrawer(f.F, float64(f.C*c))
		}
	case series.HermiteDual:
		return func(Uniforms) int { return f.N }, nil
	case series.Exp:
		return newPoissonDegrees(float64(f.Rate * c))
	case series.Geometric:
		return geometricDegrees(float64(f.Ratio * c)), nil
	case series.ReLUDual:
		return newTailDegrees(f, c, 1.5, tailTable).draw, nil
	case series.StepDual:
		return newTailDegrees(f, c, 0.5, tailTable).draw, nil
	case series.ErfDual:
		// For odd n, aₙcⁿ is proportional to the coefficient of StepDual at 2c/3; for even n it is
		// 0.
		d := newTailDegrees(series.StepDual{}, float64(2*c)/3, 0.5, tailTable)
		return func(s Uniforms) int {
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

// DrawerSteps returns about how many steps NewDrawer takes, for any c if c is NaN: see TableSteps.
func DrawerSteps(f series.Series, c float64) float64 {
	steps := ProfileOf(f).EvaluationSteps()
	switch f := f.(type) {
	case Scaled:
		return steps + DrawerSteps(f.F, c)
	case Sum:
		return steps + DrawerSteps(f.F, c) + DrawerSteps(f.G, c)
	case Product:
		return steps + DrawerSteps(f.F, c) + DrawerSteps(f.G, c)
	case Composed:
		return steps + DrawerSteps(f.F, f.G.Eval(c)) + DrawerSteps(f.G, c)
	case Dilated:
		if LongTailed(f) {
			return steps + DrawerSteps(f.F, float64(f.C*c))
		}
	case series.HermiteDual, series.Geometric:
		return steps
	case series.ReLUDual, series.StepDual, series.ErfDual:
		return 2 * tailTable * coefficientSteps
	case series.Exp:
		if mean := float64(f.Rate * c); !(mean < mostMean) {
			return TableSteps(f, 2*mostMean)
		}
	}
	last := HighestDegree(f)
	if c == c {
		last = min(last, lastDegree(f, c))
	}
	return TableSteps(f, max(last, ProfileOf(f).Gaps)+64)
}

// LongTailed tells whether f, or the series that it dilates, has a long tail with its own drawer.
func LongTailed(f series.Series) bool {
	switch f := f.(type) {
	case series.ReLUDual, series.StepDual, series.ErfDual:
		return true
	case Dilated:
		return LongTailed(f.F)
	}
	return false
}

func newDrawers(f series.Series, c float64, g series.Series, d float64) (u, v Drawer, err error) {
	if u, err = NewDrawer(f, c); err == nil {
		v, err = NewDrawer(g, d)
	}
	return u, v, err
}

// MeanDegree returns the expected degree c·f′(c)/f(c), and 0 if f(c) is 0.
func MeanDegree(f series.Series, c float64) (float64, error) {
	v := f.Eval(c)
	if !(v >= 0 && v <= math.MaxFloat64) {
		return 0, fmt.Errorf("featuremap: f(%v) = %v for %s: must be finite", c, v, gosyntax.Of(f))
	}
	if v == 0 {
		return 0, nil
	}
	return arith.Times(c, f.Deriv(c)) / v, nil
}

// geometricDegrees samples n with probability (1 − r)rⁿ: ⌊log U/log r⌋.
func geometricDegrees(r float64) Drawer {
	return func(s Uniforms) int {
		if r == 0 {
			return 0
		}
		return int(detmath.Log(arith.OpenUnit(s.Uint64())) / detmath.Log(r))
	}
}

// newPoissonDegrees returns a drawer of Poisson degrees, as sums of variates with means up to mostMean, which have a
// table.
func newPoissonDegrees(mean float64) (Drawer, error) {
	terms := max(int(math.Ceil(mean/mostMean)), 1)
	part, err := newTableDegrees(series.ExpDual(mean/float64(terms)), 1)
	return func(s Uniforms) (n int) {
		for range terms {
			n += part.draw(s)
		}
		return n
	}, err
}

const mostMean = 1024

// tableDegrees samples degrees by inversion, from a table of their weights.
type tableDegrees struct {
	cum []float64 // the sums of the weights of degrees 0 … n
}

// LostDegrees is the share of f(c) that a table may omit.
const LostDegrees = 1e-6

// newTableDegrees sums the terms aₙcⁿ: first of all degrees up to which gaps may be long, and then until the sum is
// within 1e-9 of f(c) and 64 successive terms have added nothing to it, or the highest degree is reached.
func newTableDegrees(f series.Series, c float64) (*tableDegrees, error) {
	const gap = 64
	d := new(tableDegrees)
	terms, value := Table{F: Dilate(f, c)}, f.Eval(c)
	gaps, highest := ProfileOf(f).Gaps, HighestDegree(f)
	if gaps > highest {
		return nil, fmt.Errorf("featuremap: %s has terms of degrees up to %d: must be at most %d", gosyntax.Of(f), gaps, highest)
	}
	highest = min(highest, lastDegree(f, c))
	var sum float64
	for n, still := 0, 0; n <= gaps || still < gap && n <= highest; n++ {
		w := terms.Coeff(n)
		if err := ValidateCoefficient(f, n, w); err != nil {
			return nil, err
		}
		sum += w
		d.cum = append(d.cum, sum)
		if still++; w > sum*0x1p-60 || !(sum >= value*(1-1e-9)) {
			still = 0
		}
	}
	if !(sum <= math.MaxFloat64) || !(value-sum <= LostDegrees*value) || !(sum <= value*(1+1e-6)) {
		return nil, fmt.Errorf("featuremap: the coefficients of %s up to degree %d have the sum %v at %v, and the series %v",
			gosyntax.Of(f), len(d.cum)-1, sum, c, value)
	}
	// Trailing degrees without weight are never sampled.
	for n := len(d.cum) - 1; n > 0 && d.cum[n-1] == sum; n-- {
		d.cum = d.cum[:n]
	}
	return d, nil
}

func (d *tableDegrees) draw(s Uniforms) int {
	return d.find(float64(s.Float64() * d.cum[len(d.cum)-1]))
}

// find returns the first degree whose partial sum is above u, or the last degree if rounding put u at the
// end.
func (d *tableDegrees) find(u float64) int {
	const first = 8 // most degrees are small
	for n, c := range d.cum[:min(first, len(d.cum))] {
		if u < c {
			return n
		}
	}
	n := sort.Search(len(d.cum), func(n int) bool { return u < d.cum[n] })
	return min(n, len(d.cum)-1)
}

// tailDegrees samples degrees of ReLUDual or StepDual, whose probabilities at c = 1 fall as n^{−5/2} and
// n^{−3/2}: small degrees from a table, and larger ones, n = 2k + first with k ≥ K, by rejection.
//
// With p = 3/2 or ½ and U uniform, a candidate ⌊K·U^{−1/p}⌋ is k with a probability proportional to k^{−p}
// − (k + 1)^{−p}. The ratio of aₙ to this is monotone in k, so it is at most the larger of its value at K
// and its limit. For c < 1 a candidate n is accepted with probability cⁿ⁻ᵐ, where m is the degree of k = K.
type tailDegrees struct {
	f       series.Series
	c, p    float64
	first   int // the degree of k = 0
	k       int // K
	table   tableDegrees
	tail    float64 // Σ aₙ beyond the table, times cⁿ for the first n there
	largest float64 // an upper bound of the ratio
}

// tailTable is K, the index from which on degrees are sampled by rejection.
const tailTable = 512

func newTailDegrees(f series.Series, c, p float64, k int) *tailDegrees {
	d := &tailDegrees{f: f, c: c, p: p, first: 1, k: k}
	limit := 1 / (math.Pi * math.Sqrt(math.Pi)) // the limit of the ratio for StepDual: aₙ → k^{−3/2}/(2π^{3/2})
	if _, relu := f.(series.ReLUDual); relu {
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

// degree returns the degree n of index k, which is a whole number.
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

func (d *tailDegrees) draw(s Uniforms) int {
	sum := d.table.cum[len(d.table.cum)-1]
	for {
		u := float64(s.Float64() * (sum + d.tail))
		if u < sum {
			return d.table.find(u)
		}
		n := d.drawTail(s)
		if d.c >= 1 || s.Float64() < arith.PowInt(d.c, n-d.degree(float64(d.k))) {
			return n
		}
	}
}

// drawTail samples a degree beyond the table with probability proportional to aₙ.
func (d *tailDegrees) drawTail(s Uniforms) int {
	const largest = 1 << 60 // beyond this, cⁿ = 0 or the probability is below 1e-27
	for {
		k := math.Floor(float64(d.k) * detmath.Exp(-detmath.Log(arith.OpenUnit(s.Uint64()))/d.p))
		k = max(k, float64(d.k)) // rounding
		if k < largest && float64(s.Float64()*d.largest) < d.ratio(k) {
			return d.degree(k)
		}
	}
}
