// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package power

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"

	"github.com/seed-0f95ebc1/featuremap/series"
)

// Law is a series.Law in the form that maps use: with tables of coefficients, and without numbers outside a float64's
// range.
type Law interface {
	Given() series.Law // as the caller gave it
	Validate(f series.Series) error

	// Weights returns a function n ↦ wₙ to which the probabilities of degrees are proportional, given the table of f.
	Weights(f *Table) func(n int) float64

	// Squares returns the function n ↦ aₙ²·baseⁿ/wₙ, 0 where aₙ or wₙ is 0. The laws of the library do not
	// divide, because both numbers may be out of the range of a float64.
	Squares(f series.Series, base float64) func(n int) float64
}

// LawOf returns l as a law, and the zero GeometricLaw for nil.
func LawOf(l series.Law) Law {
	switch own := check.Value(l).(type) {
	case nil:
		return GeometricLaw{}
	case series.GeometricLaw:
		return GeometricLaw(own)
	case series.OptimalLaw:
		return OptimalLaw(own)
	case series.TruncatedLaw:
		return TruncatedLaw(own)
	case DataLaw:
		return own
	}
	return callersLaw{l}
}

// A callersLaw is a series.Law of another package.
type callersLaw struct{ series.Law }

func (l callersLaw) Given() series.Law { return l.Law }

func (l callersLaw) Validate(series.Series) error {
	if check.IsNil(l.Law) {
		return fmt.Errorf("featuremap: Law = nil pointer of type %T", l.Law)
	}
	return nil
}

func (l callersLaw) Weights(f *Table) func(n int) float64 {
	return func(n int) float64 {
		if !(f.Coeff(n) > 0) {
			return 0
		}
		return l.Prob(f.F, n)
	}
}

func (l callersLaw) Squares(f series.Series, base float64) func(n int) float64 {
	weights, table := l.Weights(&Table{F: f}), Table{F: Dilate(f, math.Sqrt(base))}
	return func(n int) float64 {
		w := weights(n)
		if w == 0 {
			return 0
		}
		return arith.Square(table.Coeff(n)) / w
	}
}

// A GeometricLaw is series.GeometricLaw.
type GeometricLaw series.GeometricLaw

func (l GeometricLaw) Given() series.Law              { return series.GeometricLaw(l) }
func (l GeometricLaw) Validate(f series.Series) error { return series.GeometricLaw(l).Validate(f) }

// Base returns P, or 2 for 0.
func (l GeometricLaw) Base() float64 { return cmp.Or(l.P, 2) }

func (l GeometricLaw) Weights(f *Table) func(n int) float64 {
	p := l.Base()
	return func(n int) float64 {
		if !(f.Coeff(n) > 0) {
			return 0
		}
		return arith.PowInt(1/p, n)
	}
}

func (l GeometricLaw) Squares(f series.Series, base float64) func(n int) float64 {
	table := Table{F: Dilate(f, math.Sqrt(base*l.Base()))}
	return func(n int) float64 { return arith.Square(table.Coeff(n)) }
}

// An OptimalLaw is series.OptimalLaw.
type OptimalLaw series.OptimalLaw

func (l OptimalLaw) Given() series.Law              { return series.OptimalLaw(l) }
func (l OptimalLaw) Validate(f series.Series) error { return series.OptimalLaw(l).Validate(f) }

// Root returns √M₀ = √2·r².
func (l OptimalLaw) Root() float64 {
	r := cmp.Or(l.Norm, 1)
	return math.Sqrt2 * float64(r*r)
}

func (l OptimalLaw) Weights(f *Table) func(n int) float64 {
	table := Table{F: Dilate(f.F, l.Root())}
	return table.Coeff
}

func (l OptimalLaw) Squares(f series.Series, base float64) func(n int) float64 {
	table := Table{F: Dilate(f, base/l.Root())}
	return table.Coeff
}

// A TruncatedLaw is series.TruncatedLaw.
type TruncatedLaw series.TruncatedLaw

func (l TruncatedLaw) Given() series.Law { return series.TruncatedLaw(l) }

func (l TruncatedLaw) Validate(f series.Series) error {
	if err := series.TruncatedLaw(l).Validate(f); err != nil {
		return err
	}
	if _, ok := l.highest(f); !ok {
		return fmt.Errorf("featuremap: TruncatedLaw Error = %v: not reached by %d degrees of a sum of %v",
			l.Error, ErrorDegrees(f), f.Eval(l.Norm*l.Norm))
	}
	return LawOf(l.Law).Validate(f)
}

func (l TruncatedLaw) Weights(f *Table) func(n int) float64 {
	return l.restricted(f.F, LawOf(l.Law).Weights(f))
}

func (l TruncatedLaw) Squares(f series.Series, base float64) func(n int) float64 {
	return l.restricted(f, LawOf(l.Law).Squares(f, base))
}

// restricted returns a function that is weightOf on the law's degrees, and 0 on other degrees.
func (l TruncatedLaw) restricted(f series.Series, weightOf func(n int) float64) func(n int) float64 {
	has := l.set(f)
	return func(n int) float64 {
		if !has(n) {
			return 0
		}
		return weightOf(n)
	}
}

// set returns a function that tells whether a degree belongs to the law.
func (l TruncatedLaw) set(f series.Series) func(n int) bool {
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
func (l TruncatedLaw) highest(f series.Series) (n int, ok bool) {
	if l.Error == 0 {
		return l.Degree, true
	}
	square := float64(l.Norm * l.Norm)
	rest, table := f.Eval(square), Table{F: Dilate(f, square)}
	for most := ErrorDegrees(f); n <= most; n++ {
		rest -= table.Coeff(n)
		if rest <= l.Error {
			return n, true
		}
	}
	return 0, false
}

// ErrorDegrees returns the highest degree that highest considers to meet an Error.
func ErrorDegrees(f series.Series) int { return min(HighestDegree(f), 1<<14) }

// DataLaw is a law by the data. Its probabilities are proportional to aₙsⁿhₙ, with a factor hₙ for each degree up
// to a last one, and the last factor for all degrees beyond. If all hₙ are 1 it is the OptimalLaw with √M₀ = s.
//
// Let Mₙ be the means of the second moments μₙ of points, over pairs and times squared weights. The variance is
// least if qₙ is proportional to aₙ√Mₙ, that is, if hₙ = √Mₙ/sⁿ.
type DataLaw struct {
	Root    float64   `save:"root"`    // s
	Factors []float64 `save:"factors"` // hₙ, rounded to 16 bits, because the bits of the moments may differ between machines
}

// Prob returns the probability of degree n.
func (l DataLaw) Prob(f series.Series, n int) float64 { return Probability(l, f, n) }

// Factor returns hₙ.
func (l DataLaw) Factor(n int) float64 { return l.Factors[min(n, len(l.Factors)-1)] }

func (l DataLaw) Weights(f *Table) func(n int) float64 {
	table := Table{F: Dilate(f.F, l.Root)}
	return func(n int) float64 { return table.Coeff(n) * l.Factor(n) }
}

func (l DataLaw) Squares(f series.Series, base float64) func(n int) float64 {
	table := Table{F: Dilate(f, base/l.Root)}
	return func(n int) float64 { return table.Coeff(n) / l.Factor(n) }
}

func (l DataLaw) Given() series.Law { return l }

func (l DataLaw) Validate(f series.Series) error {
	if !(l.Root > 0 && l.Root < f.Radius()) {
		return fmt.Errorf("featuremap: a law by the data with √M₀ = %v: must be positive, and below the radius of convergence %v", l.Root, f.Radius())
	}
	return nil
}

// String returns "law by the data", because no Go expression makes the law.
func (l DataLaw) String() string { return "law by the data" }

func (l DataLaw) GoString() string { return l.String() }

// Second returns Σ aₙ²·baseⁿ/qₙ over the random degrees of f. d has their weights.
func (l DataLaw) Second(f series.Series, d *Degrees, base float64) float64 {
	u := base / l.Root / l.Root
	if math.Abs(u) <= 1 {
		// Factors may be huge or tiny, and their squares beyond a float64, so powers of u are multiplied between
		// two divisions.
		sum, power := 0.0, math.Pow(u, float64(d.From))
		for i, w := range d.Weights {
			h := l.Factor(d.From + i)
			sum += w / h * (power / h)
			power *= u
		}
		return d.Total * sum
	}
	// The whole series with the last factor, corrected for degrees that have another factor or are not random.
	last := l.Factors[len(l.Factors)-1]
	sum := f.Eval(base/l.Root) / last
	terms := Table{F: Dilate(f, math.Abs(base)/l.Root)}
	for n := range max(len(l.Factors), d.From) {
		v := terms.Coeff(n)
		if base < 0 && n%2 == 1 {
			v = -v
		}
		sum -= v / last
		if n >= d.From {
			sum += v / l.Factor(n)
		}
	}
	return d.Total * sum
}

// AddShared adds c·aₙ²·baseⁿ/qₙ² to sums for each degree that d has a weight for.
func (l DataLaw) AddShared(sums []float64, d *Degrees, base, c float64) {
	root := math.Sqrt(math.Abs(base)) / l.Root
	power := d.Total * math.Pow(root, float64(d.From)) // it may be large, and its square too large
	for i := range sums {
		n := d.From + i
		v := power / l.Factor(n)
		if v *= c * v; base < 0 && n%2 == 1 {
			v = -v
		}
		sums[i] += v
		power *= root
	}
}

// ValidateFactors refuses factors that no data can produce, but a file may contain.
func (l DataLaw) ValidateFactors() error {
	for _, h := range l.Factors {
		if !(h > 0 && h <= math.MaxFloat64) {
			return fmt.Errorf("featuremap: a law by the data with the factor %v: must be positive and finite", h)
		}
	}
	if len(l.Factors) == 0 {
		return fmt.Errorf("featuremap: a law by the data without factors")
	}
	return nil
}

// Frozen returns l. For a TruncatedLaw it returns a copy for one series, with its highest degree computed and without
// the caller's memory.
func Frozen(l Law, f series.Series) Law {
	t, ok := l.(TruncatedLaw)
	if !ok {
		return l
	}
	if t.Degrees == nil {
		t.Degree, _ = t.highest(f)
	}
	return TruncatedLaw{Law: Frozen(LawOf(t.Law), f).Given(), Degree: t.Degree, Degrees: slices.Clone(t.Degrees)}
}

// gapsIn returns the degree up to which there may be gaps between the degrees that a law samples for a
// series.
func gapsIn(l Law, f series.Series) int {
	if d, ok := l.(DataLaw); ok { // its factors may be almost 0 between the degrees for the sample and those for far points
		return max(ProfileOf(f).Gaps, len(d.Factors))
	}
	t, ok := l.(TruncatedLaw)
	switch {
	case ok && t.Degrees != nil:
		return slices.Max(t.Degrees)
	case ok:
		return gapsIn(LawOf(t.Law), f)
	}
	return ProfileOf(f).Gaps
}

// Probability returns the normalized weight of degree n, or NaN if the law is refused.
func Probability(l Law, f series.Series, n int) float64 {
	if Validate(f) != nil || l.Validate(f) != nil {
		return math.NaN()
	}
	d, err := NewDegrees(l, f, 0, MaxDegree)
	if err != nil {
		return math.NaN()
	}
	return d.Prob(n)
}

// Degrees is a distribution of degrees.
type Degrees struct {
	From         int       // the lowest degree
	Total        float64   // the sum of Weights
	Weights      []float64 // the weights of the degrees From, From + 1, …; higher degrees have less than 2⁻⁶⁰ of the sum
	sums         []float64 // partial sums of Weights
	Coefficients []float64 // the coefficients of the series, from degree 0 on
}

// OneDegree returns the distribution of a degree that is always n.
func OneDegree(n int) *Degrees {
	return &Degrees{From: n, Total: 1, Weights: []float64{1}, sums: []float64{1}}
}

// NewDegrees sums the weights of the degrees from a lowest one on, until a batch of batchDegrees degrees
// adds at most 2⁻⁶⁰ of the sum.
func NewDegrees(l Law, f series.Series, from, most int) (*Degrees, error) {
	// firstDegree is a degree by which a series without gaps has a term that can be sampled, or its terms
	// have underflowed.
	const batchDegrees, firstDegree = 32, 1 << 12
	gaps, highest := gapsIn(l, f), min(HighestDegree(f), most)
	if gaps > highest {
		return nil, fmt.Errorf("featuremap: %s with %s has terms of degrees up to %d: must be at most %d", gosyntax.Of(l.Given()), gosyntax.Of(f), gaps, highest)
	}
	d := &Degrees{From: from}
	table := &Table{F: f}
	weights := l.Weights(table)
	degree, polynomial := DegreeOf(f)
	for n := from; ; n++ {
		if err := ValidateCoefficient(f, n, table.Coeff(n)); err != nil {
			return nil, err
		}
		w := weights(n)
		if !(w >= 0 && w <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: %s gives degree %d of %s the weight %v: must be finite and at least 0", gosyntax.Of(l.Given()), n, gosyntax.Of(f), w)
		}
		d.Total += w
		d.Weights = append(d.Weights, w)
		d.sums = append(d.sums, d.Total)
		i := len(d.sums)
		if i%batchDegrees != 0 || n < gaps {
			continue
		}
		var before float64
		if i > batchDegrees {
			before = d.sums[i-1-batchDegrees]
		}
		switch {
		case d.Total > 0 && d.Total-before <= d.Total*0x1p-60:
			d.Coefficients = table.Values
			return d, d.validateSum(l, f, table)
		case d.Total == 0 && (polynomial && n >= degree || n > min(highest, max(gaps, firstDegree))):
			return nil, fmt.Errorf("featuremap: %s gives %s no degree from %d on to draw", gosyntax.Of(l.Given()), gosyntax.Of(f), from)
		case n > highest:
			return nil, fmt.Errorf("featuremap: the probabilities of %s do not sum up within %d degrees of %s", gosyntax.Of(l.Given()), n, gosyntax.Of(f))
		}
	}
}

// validateSum refuses an OptimalLaw for f if its weights, with the weights of degrees below d.From, sum to less than
// f(√M₀), because high degrees are then missing. table has the coefficients of f.
func (d *Degrees) validateSum(l Law, f series.Series, table *Table) error {
	optimal, ok := l.(OptimalLaw)
	if !ok {
		return nil
	}
	want := f.Eval(optimal.Root())
	sum := d.Total
	for n := range d.From {
		sum += table.Coeff(n) * math.Pow(optimal.Root(), float64(n))
	}
	if !(want-sum <= LostDegrees*want) {
		return fmt.Errorf("featuremap: the terms of %s up to degree %d have the sum %v at %v, and the series %v", gosyntax.Of(f), d.From+len(d.Weights)-1, sum, optimal.Root(), want)
	}
	return nil
}

// Prob returns the probability of degree n: 0 for degrees outside the table.
func (d *Degrees) Prob(n int) float64 {
	if n < d.From || n >= d.From+len(d.Weights) {
		return 0
	}
	return d.Weights[n-d.From] / d.Total
}

// Draw samples a degree, by inverse CDF.
func (d *Degrees) Draw(s Uniforms) int {
	u := float64(s.Float64() * d.Total)
	i := sort.Search(len(d.sums), func(i int) bool { return d.sums[i] > u })
	if i == len(d.sums) {
		// Rounding put u at the total: take the last degree with a weight.
		i = sort.SearchFloat64s(d.sums, d.Total)
	}
	return d.From + i
}

// At returns Σ wₙuⁿ over the weights wₙ.
func (d *Degrees) At(u float64) float64 {
	var sum float64
	for i := len(d.Weights) - 1; i >= 0; i-- {
		sum = sum*u + d.Weights[i]
	}
	return sum * math.Pow(u, float64(d.From))
}
