// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package maclaurin implements the maps for power series of ⟨x, y⟩: products of random linear forms, and all monomials.
//
// Begin with recipe.go, a map before its degrees are sampled. sketch.go samples the forms, sum.go has the variant
// without random degrees, variance.go predicts the error of both, and taylor.go has the monomials.
package maclaurin

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Sketch says how the factors are sampled: see Sketch of the root package.
type Sketch int

const (
	RademacherSketch Sketch = iota
	GaussianSketch
	TensorSRHT
)

// String returns the name of the sketch.
func (s Sketch) String() string {
	return gosyntax.Name(s, []string{"RademacherSketch", "GaussianSketch", "TensorSRHT"})
}

// Options are the options of a map without its exact degrees: see MaclaurinOptions of the root package.
type Options struct {
	Law           series.Law
	Sketch        Sketch
	Complex       bool
	SumOfProducts bool
}

// Recipe is a Maclaurin map for f(⟨w(x), w(y)⟩), where w is the warp, before its degrees are
// sampled.
type Recipe struct {
	recipe.Frame
	seriesLoss // for a truncated series
	series     series.Series
	opts       Options
	law        power.Law

	low     recipe.Monomials    // the exact terms of the series, those of the lowest degrees
	tail    func() *recipe.Tail // the other terms; made in the first call
	degrees *power.Degrees      // from which degrees are sampled
	terms   []float64           // with SumOfProducts the coefficients by degree, 0 for exact degrees; otherwise nil
	pairs   func() []float64    // with TensorSRHT the result of blockPairs, by degree from degrees.from on; otherwise nil
}

// New returns the recipe of a map for f(⟨w(x), w(y)⟩) with exact degrees below from and tables of degrees up to most,
// or an error where the map is known to fail.
func New(f series.Series, w warp.Warp, in, out, from, most int, o Options) (*Recipe, error) {
	r := &Recipe{Frame: recipe.Frame{In: in, Warp: w, Columns: out}, series: f, opts: o}
	if err := power.Validate(f); err != nil {
		return nil, err
	}
	if s := o.Sketch; s < RademacherSketch || s > TensorSRHT {
		return nil, fmt.Errorf("featuremap: Sketch = %v: unknown", s)
	}
	if err := power.LawOf(o.Law).Validate(f); err != nil {
		return nil, err
	}
	r.law = power.Frozen(power.LawOf(o.Law), f)
	var err error
	if r.low, err = recipe.NewMonomials(f, r.Dim(), from); err != nil {
		return nil, err
	}
	if !o.SumOfProducts {
		r.degrees, err = power.NewDegrees(r.law, f, from, most)
	} else if r.terms, err = newSum(f, from, o); err == nil {
		r.degrees = sumDegrees(r.terms)
	}
	if err != nil {
		return nil, err
	}
	if !(float64(out) > r.low.Count) {
		return nil, fmt.Errorf("featuremap: out = %d: %s takes %.15g columns for the degrees %s, and there must be more",
			out, r.exactOption(), r.low.Count, [...]string{"0", "0 and 1", fmt.Sprintf("0 to %d", from-1)}[min(from-1, 2)])
	}
	if !r.complete() {
		r.seriesLoss = seriesLoss{f, r.keptTerms(0), w}
	}
	if o.Complex && (out-r.Exact())%2 != 0 {
		return nil, fmt.Errorf("featuremap: out = %d: less %d exact columns it must be even, for the real and imaginary parts of Complex", out, r.Exact())
	}
	r.tail = sync.OnceValue(func() *recipe.Tail { return recipe.NewTail(f, r.low) })
	r.pairs = func() []float64 { return nil }
	if o.Sketch == TensorSRHT && r.Dim() > 1 {
		r.pairs = sync.OnceValue(r.blockPairs)
	}
	return r, nil
}

func (r *Recipe) String() string {
	law := gosyntax.Of(r.law.Given())
	if l, ok := r.law.(power.TruncatedLaw); ok {
		if data, ok := l.Law.(power.DataLaw); ok && l.Degrees == nil {
			law = fmt.Sprintf("%v up to degree %d", data, l.Degree)
		}
	}
	s := fmt.Sprintf("Maclaurin, %s, %v", law, r.opts.Sketch)
	if r.terms != nil {
		s = fmt.Sprintf("Maclaurin, SumOfProducts, %v", r.opts.Sketch)
	}
	if r.opts.Complex {
		s += ", Complex"
	}
	if len(r.low.A) > 0 {
		s += ", " + r.exactOption()
	}
	return s
}

// exactOption returns the name of the option that makes the degrees of low exact.
func (r *Recipe) exactOption() string {
	n := len(r.low.A) - 1
	if n == 0 {
		return "exact constant"
	}
	return fmt.Sprintf("ExactDegree = %d", n)
}

// Exact returns the number of exact columns.
func (r *Recipe) Exact() int { return int(r.low.Count) }

// Number returns the number of sampled features.
func (r *Recipe) Number() int {
	if r.opts.Complex {
		return (r.Columns - r.Exact()) / 2
	}
	return r.Columns - r.Exact()
}

// The maximum degree n of a feature, without and with Complex, where 2^{−n} must be a normal float64.
const (
	maxFactors       = 1 << 14
	maxComplexDegree = 1000
)

// bytes estimates the memory of the weights, given the sampled degrees in ascending order. It refuses degrees that
// are too high, and degrees whose factor is not finite.
func (r *Recipe) bytes(drawn []int) (float64, error) {
	var factors float64
	for _, n := range drawn {
		factors += float64(n)
	}
	if r.terms != nil {
		factors = float64(len(drawn)) * sumFactors(r.terms)
	}
	for _, n := range slices.Compact(slices.Clone(drawn)) {
		if c := r.scale(n); !(c <= math.MaxFloat64) {
			return 0, fmt.Errorf("featuremap: features of degree %d have a factor of %v, by the coefficient %v: must be finite", n, c, r.series.Coeff(n))
		}
	}
	highest := drawn[len(drawn)-1]
	if highest > maxFactors {
		return 0, fmt.Errorf("featuremap: a feature of degree %d was drawn: must be at most %d", highest, maxFactors)
	}
	size := 8*factors*(float64(r.In)+24) + r.low.Bytes(r.In)
	if r.opts.Complex {
		size *= 2
		if highest > maxComplexDegree {
			return 0, fmt.Errorf("featuremap: Complex with a feature of degree %d: must be at most %d", highest, maxComplexDegree)
		}
	}
	return size, nil
}

// Draw samples degrees, then weights.
func (r *Recipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	s := next()
	ofDegrees, weights := s.Split(), s.Split()
	degrees := make([]int, r.Number())
	for i := range degrees {
		degrees[i] = r.degrees.Draw(ofDegrees)
	}
	slices.Sort(degrees)
	size, err := r.bytes(degrees)
	if err == nil {
		err = b.Reserve(size)
	}
	if err != nil {
		return nil, err
	}
	d := &Draws{r, degrees}
	d.compile(b, weights)
	return d, nil
}

// scale returns the factor √(aₙ/(qₙ·q)) of a feature of degree n. Complex features have factors whose real and
// imaginary parts each have variance 1, so it includes 2^{−n/2} for them. For a sum of products it is √(aₙ/q), the
// factor of its product of degree n.
func (r *Recipe) scale(n int) float64 {
	if r.terms != nil {
		return math.Sqrt(r.terms[n] / float64(r.Number()))
	}
	c := r.degrees.Coefficients[n] / float64(r.degrees.Prob(n)*float64(r.Number()))
	if r.opts.Complex {
		c = math.Ldexp(c, -n)
	}
	return math.Sqrt(c)
}

// Draws are the sampled degrees of a Maclaurin map.
type Draws struct {
	recipe *Recipe
	Drawn  []int // the degree of each feature, in ascending order
}

// Degrees returns the degree of each column.
func (d *Draws) Degrees() []int {
	r := d.recipe
	all := append(make([]int, 0, r.Columns), r.low.Degrees()...)
	all = append(all, d.Drawn...)
	if r.opts.Complex {
		all = append(all, d.Drawn...)
	}
	return all
}
