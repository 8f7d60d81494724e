// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A law is a series.Law in the form that maps use: with tables of coefficients, and without numbers out of a float64's range.
type law interface {
	given() series.Law // as the caller gave it
	validate(f series.Series) error

	// weights returns the function n ↦ wₙ, to which the probabilities of degrees are proportional, given the table of f.
	weights(f *power.Table) func(n int) float64

	// squares returns the function n ↦ aₙ²·baseⁿ/wₙ, 0 where aₙ or wₙ is 0. The laws of the package do not
	// divide, since both numbers may be out of the range of a float64.
	squares(f series.Series, base float64) func(n int) float64
}

// lawOf returns l as a law; the zero GeometricLaw if l is nil.
func lawOf(l series.Law) law {
	switch own := check.Value(l).(type) {
	case nil:
		return geometricLaw{}
	case series.GeometricLaw:
		return geometricLaw(own)
	case series.OptimalLaw:
		return optimalLaw(own)
	case series.TruncatedLaw:
		return truncatedLaw(own)
	case dataLaw:
		return own
	}
	return callersLaw{l}
}

// A callersLaw is a series.Law of another package.
type callersLaw struct{ series.Law }

func (l callersLaw) given() series.Law { return l.Law }

func (l callersLaw) validate(series.Series) error {
	if check.IsNil(l.Law) {
		return fmt.Errorf("featuremap: Law = nil pointer of type %T", l.Law)
	}
	return nil
}

func (l callersLaw) weights(f *power.Table) func(n int) float64 {
	return func(n int) float64 {
		if !(f.Coeff(n) > 0) {
			return 0
		}
		return l.Prob(f.F, n)
	}
}

func (l callersLaw) squares(f series.Series, base float64) func(n int) float64 {
	weights, table := l.weights(&power.Table{F: f}), power.Table{F: power.Dilate(f, math.Sqrt(base))}
	return func(n int) float64 {
		w := weights(n)
		if w == 0 {
			return 0
		}
		return arith.Square(table.Coeff(n)) / w
	}
}

// A geometricLaw is GeometricLaw.
type geometricLaw series.GeometricLaw

func (l geometricLaw) given() series.Law              { return series.GeometricLaw(l) }
func (l geometricLaw) validate(f series.Series) error { return series.GeometricLaw(l).Validate(f) }

// p returns P, or 2 for 0.
func (l geometricLaw) p() float64 { return cmp.Or(l.P, 2) }

func (l geometricLaw) weights(f *power.Table) func(n int) float64 {
	p := l.p()
	return func(n int) float64 {
		if !(f.Coeff(n) > 0) {
			return 0
		}
		return arith.PowInt(1/p, n)
	}
}

func (l geometricLaw) squares(f series.Series, base float64) func(n int) float64 {
	table := power.Table{F: power.Dilate(f, math.Sqrt(base*l.p()))}
	return func(n int) float64 { return arith.Square(table.Coeff(n)) }
}

// An optimalLaw is OptimalLaw.
type optimalLaw series.OptimalLaw

func (l optimalLaw) given() series.Law              { return series.OptimalLaw(l) }
func (l optimalLaw) validate(f series.Series) error { return series.OptimalLaw(l).Validate(f) }

// root returns √M₀ = √2·r².
func (l optimalLaw) root() float64 {
	r := cmp.Or(l.Norm, 1)
	return math.Sqrt2 * float64(r*r)
}

func (l optimalLaw) weights(f *power.Table) func(n int) float64 {
	table := power.Table{F: power.Dilate(f.F, l.root())}
	return table.Coeff
}

func (l optimalLaw) squares(f series.Series, base float64) func(n int) float64 {
	table := power.Table{F: power.Dilate(f, base/l.root())}
	return table.Coeff
}

// A truncatedLaw is TruncatedLaw.
type truncatedLaw series.TruncatedLaw

func (l truncatedLaw) given() series.Law { return series.TruncatedLaw(l) }

func (l truncatedLaw) validate(f series.Series) error {
	if err := series.TruncatedLaw(l).Validate(f); err != nil {
		return err
	}
	if _, ok := l.highest(f); !ok {
		return fmt.Errorf("featuremap: TruncatedLaw Error = %v: not reached by %d degrees of a sum of %v",
			l.Error, errorDegrees(f), f.Eval(l.Norm*l.Norm))
	}
	return lawOf(l.Law).validate(f)
}

func (l truncatedLaw) weights(f *power.Table) func(n int) float64 {
	return l.restricted(f.F, lawOf(l.Law).weights(f))
}

func (l truncatedLaw) squares(f series.Series, base float64) func(n int) float64 {
	return l.restricted(f, lawOf(l.Law).squares(f, base))
}

// restricted returns the function that is weightOf on the law's degrees, and 0 on the others.
func (l truncatedLaw) restricted(f series.Series, weightOf func(n int) float64) func(n int) float64 {
	has := l.set(f)
	return func(n int) float64 {
		if !has(n) {
			return 0
		}
		return weightOf(n)
	}
}

// set returns a function that tells whether a degree is one of the law's.
func (l truncatedLaw) set(f series.Series) func(n int) bool {
	if l.Degrees != nil {
		set := make(map[int]bool, len(l.Degrees))
		for _, n := range l.Degrees {
			set[n] = true
		}
		return func(n int) bool { return set[n] }
	}
	highest, _ := l.highest(f)
	return func(n int) bool { return n <= highest }
}

// highest returns the highest degree of a law without a set, and whether Error can be met.
func (l truncatedLaw) highest(f series.Series) (n int, ok bool) {
	if l.Error == 0 {
		return l.Degree, true
	}
	square := float64(l.Norm * l.Norm)
	rest, table := f.Eval(square), power.Table{F: power.Dilate(f, square)}
	for most := errorDegrees(f); n <= most; n++ {
		rest -= table.Coeff(n)
		if rest <= l.Error {
			return n, true
		}
	}
	return 0, false
}

// errorDegrees returns the highest degree that highest looks at to meet an Error.
func errorDegrees(f series.Series) int { return min(power.HighestDegree(f), 1<<14) }

// frozen returns l; of a TruncatedLaw a copy for one series, with its highest degree computed and no memory of the caller's.
func frozen(l law, f series.Series) law {
	t, ok := l.(truncatedLaw)
	if !ok {
		return l
	}
	if t.Degrees == nil {
		t.Degree, _ = t.highest(f)
	}
	return truncatedLaw{Law: frozen(lawOf(t.Law), f).given(), Degree: t.Degree, Degrees: slices.Clone(t.Degrees)}
}

// gapsIn returns the degree up to which there may be gaps between the degrees that a law draws for a series.
func gapsIn(l law, f series.Series) int {
	if d, ok := l.(dataLaw); ok { // its factors may be next to 0 between the degrees for the sample and those for far points
		return max(power.ProfileOf(f).Gaps, len(d.Factors))
	}
	t, ok := l.(truncatedLaw)
	switch {
	case ok && t.Degrees != nil:
		return slices.Max(t.Degrees)
	case ok:
		return gapsIn(lawOf(t.Law), f)
	}
	return power.ProfileOf(f).Gaps
}

// prob returns the normalised weight of degree n, or NaN if the law is refused.
func prob(l law, f series.Series, n int) float64 {
	if power.Validate(f) != nil || l.validate(f) != nil {
		return math.NaN()
	}
	d, err := newDegrees(l, f, 0, power.MaxDegree)
	if err != nil {
		return math.NaN()
	}
	return d.prob(n)
}

// degrees is a distribution of degrees.
type degrees struct {
	from  int       // the lowest degree
	total float64   // the sum of w
	w     []float64 // the weights of the degrees from, from + 1, …; those beyond are below 2⁻⁶⁰ of the sum
	cum   []float64 // partial sums of w
	a     []float64 // the coefficients of the series, from degree 0 on
}

// newDegrees sums the weights of the degrees from a lowest one on, until a batch of batchDegrees degrees
// adds at most 2⁻⁶⁰ of the sum.
func newDegrees(l law, f series.Series, from, most int) (*degrees, error) {
	// firstDegree is the degree by which a series without gaps has a term that is drawn, or has underflowed.
	const batchDegrees, firstDegree = 32, 1 << 12
	gaps, highest := gapsIn(l, f), min(power.HighestDegree(f), most)
	if gaps > highest {
		return nil, fmt.Errorf("featuremap: %s with %s has terms of degrees up to %d: must be at most %d", gosyntax.Of(l.given()), gosyntax.Of(f), gaps, highest)
	}
	d := &degrees{from: from}
	table := &power.Table{F: f}
	weights := l.weights(table)
	degree, polynomial := power.DegreeOf(f)
	for n := from; ; n++ {
		if err := power.ValidateCoefficient(f, n, table.Coeff(n)); err != nil {
			return nil, err
		}
		w := weights(n)
		if !(w >= 0 && w <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: %s gives degree %d of %s the weight %v: must be finite and at least 0", gosyntax.Of(l.given()), n, gosyntax.Of(f), w)
		}
		d.total += w
		d.w = append(d.w, w)
		d.cum = append(d.cum, d.total)
		i := len(d.cum)
		if i%batchDegrees != 0 || n < gaps {
			continue
		}
		var before float64
		if i > batchDegrees {
			before = d.cum[i-1-batchDegrees]
		}
		switch {
		case d.total > 0 && d.total-before <= d.total*0x1p-60:
			d.a = table.Values
			return d, d.validateSum(l, f, table)
		case d.total == 0 && (polynomial && n >= degree || n > min(highest, max(gaps, firstDegree))):
			return nil, fmt.Errorf("featuremap: %s gives %s no degree from %d on to draw", gosyntax.Of(l.given()), gosyntax.Of(f), from)
		case n > highest:
			return nil, fmt.Errorf("featuremap: the probabilities of %s do not sum up within %d degrees of %s", gosyntax.Of(l.given()), n, gosyntax.Of(f))
		}
	}
}

// validateSum refuses an OptimalLaw for f if its weights, with those of the degrees below d.from, sum to less than f(√M₀):
// then high degrees were missed. table has the coefficients of f.
func (d *degrees) validateSum(l law, f series.Series, table *power.Table) error {
	optimal, ok := l.(optimalLaw)
	if !ok {
		return nil
	}
	want := f.Eval(optimal.root())
	sum := d.total
	for n := range d.from {
		sum += table.Coeff(n) * math.Pow(optimal.root(), float64(n))
	}
	if !(want-sum <= power.LostDegrees*want) {
		return fmt.Errorf("featuremap: the terms of %s up to degree %d have the sum %v at %v, and the series %v", gosyntax.Of(f), d.from+len(d.w)-1, sum, optimal.root(), want)
	}
	return nil
}

// prob returns the probability of degree n: 0 for degrees outside the table.
func (d *degrees) prob(n int) float64 {
	if n < d.from || n >= d.from+len(d.w) {
		return 0
	}
	return d.w[n-d.from] / d.total
}

// draw draws a degree, by inverse CDF.
func (d *degrees) draw(s *Sampler) int {
	u := float64(s.Float64() * d.total)
	i := sort.Search(len(d.cum), func(i int) bool { return d.cum[i] > u })
	if i == len(d.cum) {
		// u was rounded up to the total: take the last degree with a weight.
		i = sort.SearchFloat64s(d.cum, d.total)
	}
	return d.from + i
}
