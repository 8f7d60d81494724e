// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// A DegreeLaw is the distribution from which a Maclaurin map draws the degrees of its
// features: Prob(f, n) is the probability of degree n for the series f. A law that gives
// some degree with aₙ > 0 no probability leaves the estimate biased: see Maclaurin.Bias.
//
// Degrees with aₙ = 0, and those that ExactLow takes out, are not drawn: probabilities of
// the others are scaled to a sum of 1. They are summed until what follows is less than 2⁻⁶⁰
// of the sum; a law that takes more than 2²⁰ degrees for that is refused, as are
// probabilities that fall as slowly as n⁻².
type DegreeLaw interface {
	Prob(f Series, n int) float64
}

// GeometricLaw is Kar and Karnick's law (2012), of probabilities proportional to
// p^{−(n+1)} on the degrees with aₙ > 0.
//
// The paper's Algorithm 1 has 1/p^{n+1} for the probability, which sums to 1/(p − 1): a
// distribution for p = 2 only. Here it is normalised for every p > 1.
type GeometricLaw struct {
	P float64 // p > 1; 0 stands for 2
}

// Prob returns the probability of degree n.
func (l GeometricLaw) Prob(f Series, n int) float64 { return prob(l, f, n) }

func (l GeometricLaw) p() float64 {
	if l.P == 0 {
		return 2
	}
	return l.P
}

func (l GeometricLaw) weights(f Series) func(n int) float64 {
	p, table := l.p(), growing{f: f}
	return func(n int) float64 {
		if !(table.coeff(n) > 0) {
			return 0
		}
		return powInt(1/p, n)
	}
}

func (l GeometricLaw) validate(Series) error {
	if p := l.p(); !(p > 1 && p <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: GeometricLaw P = %v: must be above 1 and finite (0 means 2)", l.P)
	}
	return nil
}

// OptimalLaw is the law of least variance at points for which the second moment μₙ of a
// feature of degree n is M₀ⁿ: probabilities proportional to aₙM₀^{n/2}. For points of norm
// r, M₀ is taken as 2r⁴: for Rademacher sketches μₙ = Mⁿ with M from about r⁴ to 3r⁴.
// For exp(t/ℓ²) the law is the Poisson distribution of mean √2·r²/ℓ².
//
// Met at points of another M, D times the variance is f(√M₀)·f(M/√M₀) − f(t)². A norm with
// √2·r² not below the radius of convergence is refused.
type OptimalLaw struct {
	Norm float64 // r > 0; 0 stands for 1
}

// Prob returns the probability of degree n.
func (l OptimalLaw) Prob(f Series, n int) float64 { return prob(l, f, n) }

// root returns √M₀.
func (l OptimalLaw) root() float64 {
	r := l.Norm
	if r == 0 {
		r = 1
	}
	return math.Sqrt2 * float64(r*r)
}

func (l OptimalLaw) weights(f Series) func(n int) float64 {
	table := growing{f: dilate(f, l.root())}
	return table.coeff
}

func (l OptimalLaw) validate(f Series) error {
	if !(l.Norm >= 0 && l.Norm <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: OptimalLaw Norm = %v: must be positive and finite (0 means 1)", l.Norm)
	}
	if s := l.root(); !(s > 0) {
		return fmt.Errorf("featuremap: OptimalLaw Norm = %v: its square must not underflow", l.Norm)
	} else if !(s < f.Radius()) {
		return fmt.Errorf("featuremap: OptimalLaw Norm = %v: √2·Norm² = %v must be below the radius of convergence %v",
			l.Norm, s, f.Radius())
	}
	return nil
}

// TruncatedLaw is another law restricted to some degrees: those up to Degree, or as many of
// the lowest as leave an error of at most Error for points of norm up to Norm (Kar and
// Karnick 2012, section 9), or those of a set. The map estimates that part of the series;
// Maclaurin.Bias tells what is left out.
type TruncatedLaw struct {
	Law DegreeLaw // nil is GeometricLaw{}

	Degree int // the highest degree, unless Error or Degrees is set

	// Σ aₙ·Norm²ⁿ over the degrees left out is at most Error. A Norm whose square is beyond
	// the radius of convergence is refused, and so is an Error that takes more than 2¹⁴
	// degrees or is less than the rounding of the sum.
	Error, Norm float64

	Degrees []int // the degrees
}

// Prob returns the probability of degree n.
func (l TruncatedLaw) Prob(f Series, n int) float64 { return prob(l, f, n) }

func (l TruncatedLaw) law() DegreeLaw {
	if l.Law == nil {
		return GeometricLaw{}
	}
	return l.Law
}

func (l TruncatedLaw) weights(f Series) func(n int) float64 {
	of, has := weightsOf(l.law(), f), l.set(f)
	return func(n int) float64 {
		if !has(n) {
			return 0
		}
		return of(n)
	}
}

// set returns a function that tells whether a degree is one of the law's.
func (l TruncatedLaw) set(f Series) func(n int) bool {
	if l.Degrees != nil {
		set := slices.Clone(l.Degrees)
		return func(n int) bool { return slices.Contains(set, n) }
	}
	highest, _ := l.highest(f)
	return func(n int) bool { return n <= highest }
}

// highest returns the highest degree, where there is no set of them, and whether there is
// one that leaves no more than Error.
func (l TruncatedLaw) highest(f Series) (n int, ok bool) {
	if l.Error == 0 {
		return l.Degree, true
	}
	square := float64(l.Norm * l.Norm)
	rest, table := f.Eval(square), growing{f: dilate(f, square)}
	for ; n <= maxSlowDegree; n++ {
		rest -= table.coeff(n)
		if rest <= l.Error {
			return n, true
		}
	}
	return 0, false
}

func (l TruncatedLaw) validate(f Series) error {
	switch square := l.Norm * l.Norm; {
	case l.Degrees != nil && len(l.Degrees) == 0:
		return fmt.Errorf("featuremap: TruncatedLaw Degrees = []: must not be empty")
	case l.Degrees != nil && slices.Min(l.Degrees) < 0:
		return fmt.Errorf("featuremap: TruncatedLaw Degrees has %d: must be at least 0", slices.Min(l.Degrees))
	case l.Degree < 0:
		return fmt.Errorf("featuremap: TruncatedLaw Degree = %d: must be at least 0", l.Degree)
	case l.Error != 0 && !(l.Error > 0 && l.Error <= math.MaxFloat64):
		return fmt.Errorf("featuremap: TruncatedLaw Error = %v: must be positive and finite", l.Error)
	case l.Error > 0 && !(l.Norm > 0 && l.Norm <= math.MaxFloat64):
		return fmt.Errorf("featuremap: TruncatedLaw Norm = %v: must be positive and finite", l.Norm)
	case l.Error > 0 && !(square <= f.Radius() && f.Eval(square) <= math.MaxFloat64):
		return fmt.Errorf("featuremap: TruncatedLaw Norm = %v: its square must be within the radius of convergence %v",
			l.Norm, f.Radius())
	}
	if _, ok := l.highest(f); !ok {
		return fmt.Errorf("featuremap: TruncatedLaw Error = %v: not reached by %d degrees of a sum of %v",
			l.Error, maxSlowDegree, f.Eval(l.Norm*l.Norm))
	}
	return validateLaw(l.law(), f)
}

// weightsOf returns a function for what the probability of a degree is a multiple of. What
// it reads of the law it has copied.
func weightsOf(l DegreeLaw, f Series) func(n int) float64 {
	switch l := direct(l).(type) {
	case GeometricLaw:
		return l.weights(f)
	case OptimalLaw:
		return l.weights(f)
	case TruncatedLaw:
		return l.weights(f)
	default:
		table := growing{f: f}
		return func(n int) float64 {
			if !(table.coeff(n) > 0) {
				return 0
			}
			return l.Prob(f, n)
		}
	}
}

// validateLaw checks a law for a series.
func validateLaw(l DegreeLaw, f Series) error {
	if isNil(l) {
		return fmt.Errorf("featuremap: Law = nil pointer of type %T", l)
	}
	switch l := direct(l).(type) {
	case GeometricLaw:
		return l.validate(f)
	case OptimalLaw:
		return l.validate(f)
	case TruncatedLaw:
		return l.validate(f)
	}
	return nil
}

// direct returns a law of the package that is given by a pointer as a value. (A caller's
// type that embeds one is the caller's: it has a Prob of its own.)
func direct(l DegreeLaw) DegreeLaw {
	switch p := l.(type) {
	case *GeometricLaw:
		return *p
	case *OptimalLaw:
		return *p
	case *TruncatedLaw:
		return *p
	}
	return l
}

// frozen returns a law for one series, which shares nothing with the caller's and has no
// highest degree to look for any more.
func frozen(l DegreeLaw, f Series) DegreeLaw {
	l = direct(l)
	t, ok := l.(TruncatedLaw)
	if !ok {
		return l
	}
	if t.Degrees == nil {
		t.Degree, _ = t.highest(f)
	}
	return TruncatedLaw{Law: frozen(t.law(), f), Degree: t.Degree, Degrees: slices.Clone(t.Degrees)}
}

// leastDegrees returns a degree up to which a law's and a series's degrees are looked at,
// whatever gaps there are between them.
func leastDegrees(l DegreeLaw, f Series) int {
	last := lastDegree(f)
	if b, ok := f.(binomial); ok && b.offset > 0 {
		last = 0 // no gaps
	}
	if t, ok := direct(l).(TruncatedLaw); ok {
		last = max(last, leastDegrees(t.law(), f))
		if t.Degrees != nil {
			last = max(last, slices.Max(t.Degrees))
		}
	}
	return last
}

// prob returns the normalised weight of degree n, or NaN if the law is refused.
func prob(l DegreeLaw, f Series, n int) float64 {
	if validateSeries(f) != nil || validateLaw(l, f) != nil {
		return math.NaN()
	}
	d, err := newDegrees(l, f, 0)
	if err != nil {
		return math.NaN()
	}
	return d.prob(n)
}

// maxDegree bounds the degrees that are looked at, and maxSlowDegree those of series whose
// first n coefficients take a time of order n². Products of so many forms are of no use.
const (
	maxDegree     = 1 << 20
	maxSlowDegree = 1 << 14
)

// highestDegree returns the bound for a series.
func highestDegree(f Series) int {
	if s, ok := f.(interface{ slow() bool }); ok && s.slow() {
		return max(maxSlowDegree, lastDegree(f))
	}
	return max(maxDegree, lastDegree(f))
}

// degrees is a distribution of degrees.
type degrees struct {
	from  int       // the lowest degree
	total float64   // the sum of all weights
	w     []float64 // weights of from, from + 1, …: what follows has less than 2⁻⁶⁰ of the sum
	cum   []float64 // their sums
}

// newDegrees sums the weights of the degrees from a lowest one on, until nothing is left
// of them for a float64: the last block of blockDegrees adds less than 2⁻⁶⁰ of the sum.
func newDegrees(l DegreeLaw, f Series, from int) (*degrees, error) {
	const blockDegrees = 32
	d := &degrees{from: from}
	weights, table := weightsOf(l, f), growing{f: f}
	least := leastDegrees(l, f)
	for n := from; ; n++ {
		if err := validateCoefficient(f, n, table.coeff(n)); err != nil {
			return nil, err
		}
		w := weights(n)
		if !(w >= 0 && w <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: %T gives degree %d of %T the weight %v: must be finite and at least 0", l, n, f, w)
		}
		d.total += w
		d.w = append(d.w, w)
		d.cum = append(d.cum, d.total)
		if i := len(d.cum); i%blockDegrees == 0 && n >= least {
			var before float64
			if i > blockDegrees {
				before = d.cum[i-1-blockDegrees]
			}
			ended := lastDegree(f) > 0 && n >= lastDegree(f) || n > highestDegree(f)
			if d.total > 0 && d.total-before <= d.total*0x1p-60 || d.total == 0 && ended {
				break
			}
			if n > highestDegree(f) {
				return nil, fmt.Errorf("featuremap: the probabilities of %T do not sum up within %d degrees of the series", l, n)
			}
		}
	}
	if d.total == 0 {
		return nil, fmt.Errorf("featuremap: %T gives %T no degree from %d on to draw", l, f, from)
	}
	return d, nil
}

// validateCoefficient refuses a coefficient that a caller's series must not have.
func validateCoefficient(f Series, n int, a float64) error {
	if a < 0 {
		return fmt.Errorf("%w: %T has the coefficient %v at degree %d", ErrNotPSD, f, a, n)
	}
	if math.IsNaN(a) {
		return fmt.Errorf("featuremap: %T has the coefficient NaN at degree %d", f, n)
	}
	return nil
}

// prob returns the probability of degree n, 0 where it is below 2⁻⁶⁰ and not looked at.
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
		// u was rounded up to the total: the last degree that has some weight.
		i = sort.SearchFloat64s(d.cum, d.total)
	}
	return d.from + i
}

// powInt returns xⁿ for n ≥ 0 in one set of bits, by squaring.
func powInt(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	return p
}
