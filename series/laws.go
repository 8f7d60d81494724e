// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package series

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A Law is the distribution from which a Maclaurin map draws the degrees of its features: Prob(f, n) is the probability
// of degree n for the series f. If a degree with aₙ > 0 has probability 0, the estimate of the kernel is biased: see
// Maclaurin.Bias.
//
// Degrees with aₙ = 0 and exact degrees are not drawn, and the probabilities of the others are scaled to a sum of 1.
// They are summed until the rest is less than 2⁻⁶⁰ of the sum. A law that takes more than 2¹⁷ degrees for this, such as
// one whose probabilities fall as slowly as n⁻², is refused. For products and compositions of series the limit is 2¹³
// or less, and for a sum of n series it is 2¹⁸/n.
//
// Prob of this package's laws is the plain definition. It is NaN for a law or series that is refused, and sums up anew
// for each degree.
type Law interface {
	// Prob returns the probability of degree n for the series f.
	Prob(f Series, n int) float64
}

// mostDegrees is the highest degree of a law.
const mostDegrees = 1 << 17

// GeometricLaw is the law of Kar and Karnick (2012): probabilities proportional to p^{−(n+1)} on the degrees with aₙ >
// 0. (The paper's Algorithm 1 omits the normalization, which only p = 2 does not need.)
type GeometricLaw struct {
	P float64 // p > 1; 0 means 2
}

// Prob returns the probability of degree n.
func (l GeometricLaw) Prob(f Series, n int) float64 { return probability(l, f, n) }

// Validate returns an error if P is out of range.
func (l GeometricLaw) Validate(Series) error {
	if p := cmp.Or(l.P, 2); !(p > 1 && p <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: GeometricLaw P = %v: must be above 1 and finite (0 means 2)", l.P)
	}
	return nil
}

func (l GeometricLaw) weights(f Series) (weight func(n int) float64, sum float64) {
	p := cmp.Or(l.P, 2)
	weight = func(n int) float64 {
		if !(f.Coeff(n) > 0) {
			return 0
		}
		return arith.PowInt(1/p, n)
	}
	for n, rest := 0, p/(p-1); n <= mostDegrees && (sum == 0 || rest > sum*0x1p-60); n, rest = n+1, rest/p {
		sum += weight(n)
	}
	return weight, sum
}

// OptimalLaw is the law of least variance at points where the second moment μₙ of degree n (see Maclaurin.Variance) is
// M₀ⁿ: probabilities are proportional to aₙM₀^{n/2}. For points of norm r it takes M₀ = 2r⁴, because μₙ = Mⁿ for
// Rademacher sketches, with M from about r⁴ to 3r⁴. For exp(t/ℓ²) it is the Poisson distribution of mean √2·r²/ℓ².
//
// At points of another M, q draws have the variance [f(√M₀)·f(M/√M₀) − f(t)²]/q. The law is refused if √2·r² is not
// below the radius of convergence.
type OptimalLaw struct {
	Norm float64 // r > 0; 0 means 1
}

// Prob returns the probability of degree n, and 0 where aₙ is below the range of a float64.
func (l OptimalLaw) Prob(f Series, n int) float64 { return probability(l, f, n) }

// root returns √M₀ = √2·r².
func (l OptimalLaw) root() float64 {
	r := cmp.Or(l.Norm, 1)
	return math.Sqrt2 * float64(r*r)
}

// Validate returns an error if Norm is out of range for f.
func (l OptimalLaw) Validate(f Series) error {
	if check.IsNil(f) {
		return errNil
	}
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

func (l OptimalLaw) weights(f Series) (weight func(n int) float64, sum float64) {
	s := detmath.NewWide(l.root())
	return func(n int) float64 { return detmath.NewWide(f.Coeff(n)).Mul(s.Pow(n)).Float64() }, f.Eval(l.root())
}

// TruncatedLaw restricts another law to some degrees: to the degrees up to Degree, to the fewest low degrees that leave
// an error of at most Error for points of norm up to Norm (Kar and Karnick 2012, section 9), or to a set Degrees. The
// terms that are left out bias the estimate of the kernel: see Maclaurin.Bias.
type TruncatedLaw struct {
	Law Law // the law; GeometricLaw{} if nil

	Degree int // the highest degree, unless Error or Degrees is set

	// Error bounds Σ aₙ·Norm²ⁿ over the degrees that are left out, for points of norm up to Norm. A Norm whose square
	// is beyond the radius of convergence is refused. An Error is refused if it takes more than 2¹⁴ degrees (fewer if
	// the series is a product or a composition) or is less than the rounding of the sum.
	Error, Norm float64

	Degrees []int // the set of degrees, each at most 2¹⁷
}

// Prob returns the probability of degree n.
func (l TruncatedLaw) Prob(f Series, n int) float64 { return probability(l, f, n) }

// Validate returns an error if a field is out of range for f or if Law is refused. It does not check that Error can be
// reached.
func (l TruncatedLaw) Validate(f Series) error {
	switch square := l.Norm * l.Norm; {
	case check.IsNil(f):
		return errNil
	case l.nested(mostLaws):
		return fmt.Errorf("featuremap: TruncatedLaw Law: more than %d laws in one another", mostLaws)
	case l.Degrees != nil && len(l.Degrees) == 0:
		return fmt.Errorf("featuremap: TruncatedLaw Degrees = []: must not be empty")
	case l.Degrees != nil && slices.Min(l.Degrees) < 0:
		return fmt.Errorf("featuremap: TruncatedLaw Degrees has %d: must be at least 0", slices.Min(l.Degrees))
	case l.Degrees != nil && slices.Max(l.Degrees) > mostDegrees:
		return fmt.Errorf("featuremap: TruncatedLaw Degrees has %d: must be at most %d", slices.Max(l.Degrees), mostDegrees)
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
	if inner, ok := check.Value(l.Law).(weightedLaw); ok && check.Own(l.Law) {
		return inner.Validate(f)
	}
	return nil
}

var errNil = errors.New("featuremap: series f = nil")

// mostLaws is how deep laws may be nested.
const mostLaws = 16

// nested tells whether more than n laws are nested. By a pointer a law may even contain itself.
func (l TruncatedLaw) nested(n int) bool {
	for ; n >= 0; n-- {
		inner, ok := check.Value(l.Law).(TruncatedLaw)
		if !ok {
			return false
		}
		l = inner
	}
	return true
}

func (l TruncatedLaw) weights(f Series) (weight func(n int) float64, sum float64) {
	inner := weightsOf(l.Law, f)
	if l.Degrees != nil {
		for _, n := range slices.Compact(slices.Sorted(slices.Values(l.Degrees))) {
			sum += inner(n)
		}
		return func(n int) float64 {
			if !slices.Contains(l.Degrees, n) {
				return 0
			}
			return inner(n)
		}, sum
	}
	last := l.last(f)
	for n := range last + 1 {
		sum += inner(n)
	}
	return func(n int) float64 {
		if n > last {
			return 0
		}
		return inner(n)
	}, sum
}

// last returns the highest degree of a law without a set, and −1 if Error cannot be reached.
func (l TruncatedLaw) last(f Series) int {
	const most = 1 << 14
	if l.Error == 0 {
		return l.Degree
	}
	square := float64(l.Norm * l.Norm)
	rest := f.Eval(square)
	for n := range most + 1 {
		rest -= arith.Times(f.Coeff(n), arith.PowInt(square, n))
		if rest <= l.Error {
			return n
		}
	}
	return -1
}

// weightsOf returns numbers to which the probabilities of a law are proportional.
func weightsOf(l Law, f Series) func(n int) float64 {
	if l == nil {
		l = GeometricLaw{}
	}
	if own, ok := l.(weightedLaw); ok && check.Own(l) {
		weight, _ := own.weights(f)
		return weight
	}
	return func(n int) float64 {
		if !(f.Coeff(n) > 0) {
			return 0
		}
		return l.Prob(f, n)
	}
}

// A weighted law is one of this package, by numbers to which its probabilities are proportional, and their sum.
type weightedLaw interface {
	Validate(f Series) error
	weights(f Series) (weight func(n int) float64, sum float64)
}

// probability returns the probability of degree n, by the definition.
func probability(l weightedLaw, f Series, n int) float64 {
	if check.IsNil(f) || l.Validate(f) != nil {
		return math.NaN()
	}
	weight, sum := l.weights(f)
	switch {
	case !(sum > 0 && sum <= math.MaxFloat64):
		return math.NaN()
	case n < 0:
		return 0
	}
	return weight(n) / sum
}
