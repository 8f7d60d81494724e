// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Maclaurin maps: products of random linear forms, for functions of ⟨x, y⟩ that are power series.

// A Sketch is the distribution of random vectors w with E(w·x)(w·y) = ⟨x, y⟩. The features of a Maclaurin
// map are products of factors w·x.
type Sketch int

const (
	// RademacherSketch has independent random signs as coordinates: Kar and Karnick's choice.
	RademacherSketch Sketch = iota

	// GaussianSketch has standard normal coordinates. Its variance is higher.
	GaussianSketch

	// TensorSRHT has rows of signed Walsh-Hadamard matrices (Wacker, Kanagawa and Filippone 2022). Features
	// of one degree come in blocks of p, the number of coordinates padded to a power of two. Each factor of
	// a block has one diagonal of signs, and another row for each feature, drawn without replacement:
	// p·log₂p additions in place of p·d multiply-adds. Its variance is usually lower than with independent
	// signs.
	TensorSRHT
)

// String returns the name of the sketch.
func (s Sketch) String() string {
	return gosyntax.Name(s, []string{"RademacherSketch", "GaussianSketch", "TensorSRHT"})
}

// MaclaurinOptions are the options of NewMaclaurin; nil is the zero value, Kar and Karnick's algorithm.
type MaclaurinOptions struct {
	// Law is the distribution of the degrees; GeometricLaw{} if nil.
	Law series.Law

	// Sketch is what the factors are drawn from; RademacherSketch if zero.
	Sketch Sketch

	// ExactLow makes degrees 0 and 1 exact, where a₀ and a₁ are not zero: the constant √a₀ and the d columns
	// √a₁·x, within the out features. The rest is drawn from degree 2 on: Kar and Karnick's H0/1.
	ExactLow bool

	// ExactDegree makes all degrees up to this one exact, if it is positive: in monomials of the in
	// coordinates, those of degree n times √(aₙ·n!/∏αᵢ!), αᵢ the exponents. That is C(in+n, n) columns for
	// the degrees up to n, or fewer if there are coefficients of 0. ExactLow is an ExactDegree of 1; of both
	// the larger counts. Where the columns are affordable nothing lowers the variance as much.
	ExactDegree int

	// Complex draws complex factors, with coordinates (±1 ± i)/√2 or complex normal, and returns the real
	// and imaginary parts of each draw (complex-to-real sketches, Wacker, Ohana and Filippone 2022). These
	// are half as many draws for the same number of features, but for high degrees and nearly parallel
	// points each has less than half the variance.
	Complex bool

	// SumOfProducts is Kakade's scheme for polynomials (lecture notes, "Random features"): no degree is
	// drawn, and each of q features is the sum over all degrees that are not exact,
	//
	//	Σ √(aₙ/q)·∏ⱼ wₙⱼ·x,
	//
	// with independent vectors for every factor of every degree. That is up to l(l + 1)/2 vectors for each
	// feature of a polynomial of degree l, where a draw takes its degree: for as many features its variance
	// is often lower, for as many vectors it is not. See docs/variance.md. Other series, a Law, Complex and
	// TensorSRHT are refused. Degrees tells the degree of the polynomial for these columns.
	SumOfProducts bool
}

// String returns the Go expression that makes the options.
func (o MaclaurinOptions) String() string { return gosyntax.Of(o) }

// Maclaurin is the map of random Maclaurin features (Kar and Karnick 2012, "Random feature maps for dot
// product kernels") for a kernel f(⟨x, y⟩), f(t) = Σ aₙtⁿ. Each of q draws takes a degree n with
// probability qₙ and n random vectors w, and has the feature
//
//	√(aₙ/(qₙ·q))·∏ⱼ wⱼ·x.
//
// ⟨φ(x), φ(y)⟩ is an unbiased estimate of the kernel unless the law leaves degrees out: see Bias. Columns
// are sorted by degree: see Degrees. Outside the radius of convergence features estimate nothing.
//
// Degrees may be exact instead (ExactLow, ExactDegree), or, of a polynomial, all in every feature
// (SumOfProducts).
//
// The zero value is no map (see FeatureMap): see NewMaclaurin.
type Maclaurin struct {
	compiled
	drawn *maclaurinDraws
}

// maclaurinDraws are the draws of a Maclaurin map.
type maclaurinDraws struct {
	recipe  *maclaurinRecipe
	degrees []int // the degree of each draw, in ascending order
}

var (
	_ FeatureMap = (*Maclaurin)(nil)
	_ Variancer  = (*Maclaurin)(nil)
)

// NewMaclaurin returns a map R^in → R^out for the dot product kernel k, or Project of one, with weights
// drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k or s is nil, if a parameter of k or of an option is
// refused, if k is not a DotProduct (ErrNotDotProduct) or not positive semi-definite (ErrNotPSD), if in or
// out is less than 1, if in is not the number of columns of k's Project, if out does not exceed the number
// of exact columns (with Complex by an even number), if the law has no degree to draw or its
// probabilities do not sum up, if a degree above 2¹⁴ is drawn, or above 1000 with Complex, if SumOfProducts
// is for no polynomial of such a degree or with an option that it excludes, or if the weights do not fit in
// memory.
//
// Construction draws about in numbers for each factor of each feature.
func NewMaclaurin(k Kernel, in, out int, s *Sampler, opts *MaclaurinOptions) (*Maclaurin, error) {
	return construct[*Maclaurin](k, in, out, s, func(f form.Form) (recipe.Recipe, error) {
		g, w, ok := f.Series()
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrNotDotProduct, gosyntax.Of(k))
		}
		var o MaclaurinOptions
		if opts != nil {
			o = *opts
		}
		return newMaclaurinRecipe(g, w, in, out, o)
	})
}

// A maclaurinRecipe is a Maclaurin map for f(⟨w(x), w(y)⟩), w the warp, before its degrees are drawn.
type maclaurinRecipe struct {
	recipe.Frame
	seriesLoss // of a cut series
	series     series.Series
	opts       MaclaurinOptions
	law        power.Law

	low     recipe.Monomials    // the terms of the series that are exact, those of the lowest degrees
	tail    func() *recipe.Tail // the other terms; made in the first call
	degrees *power.Degrees      // from which degrees are drawn
	terms   []float64           // with SumOfProducts the coefficients by degree, 0 for exact degrees; else nil
	pairs   func() []float64    // with TensorSRHT what blockPairs returns, by degree from degrees.from on; else none
}

// newMaclaurinRecipe returns the recipe of a map for f(⟨w(x), w(y)⟩), or an error if it can be told without a draw.
func newMaclaurinRecipe(f series.Series, w warp.Warp, in, out int, o MaclaurinOptions) (*maclaurinRecipe, error) {
	from := 0
	switch {
	case o.ExactDegree < 0:
		return nil, fmt.Errorf("featuremap: ExactDegree = %d: must be at least 0", o.ExactDegree)
	case o.ExactDegree > 0:
		from = o.ExactDegree + 1
	case o.ExactLow:
		from = 2
	}
	return newMaclaurinFrom(f, w, in, out, from, power.MaxDegree, o)
}

// newMaclaurinFrom is newMaclaurinRecipe with degrees below from exact, whatever the options say, and tables of degrees up to most.
func newMaclaurinFrom(f series.Series, w warp.Warp, in, out, from, most int, o MaclaurinOptions) (*maclaurinRecipe, error) {
	r := &maclaurinRecipe{Frame: recipe.Frame{In: in, Warp: w, Columns: out}, series: f, opts: o}
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

func (r *maclaurinRecipe) String() string {
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

// exactOption returns the option that makes the degrees of low exact, by its name.
func (r *maclaurinRecipe) exactOption() string {
	switch n := len(r.low.A) - 1; n {
	case 0:
		return "exact constant"
	case 1:
		return "ExactLow"
	default:
		return fmt.Sprintf("ExactDegree = %d", n)
	}
}

// Exact returns the number of exact columns.
func (r *maclaurinRecipe) Exact() int { return int(r.low.Count) }

// draws returns the number of draws.
func (r *maclaurinRecipe) draws() int {
	if r.opts.Complex {
		return (r.Columns - r.Exact()) / 2
	}
	return r.Columns - r.Exact()
}

// The maximum degree n of a feature, and the one with Complex, where 2^{−n} must be a normal float64.
const (
	maxFactors       = 1 << 14
	maxComplexDegree = 1000
)

// bytes estimates the memory that the weights take, given the degrees drawn, in ascending order. It refuses degrees
// that are too high, and those whose factor is not finite.
func (r *maclaurinRecipe) bytes(drawn []int) (float64, error) {
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

// Draw draws degrees, then weights.
func (r *maclaurinRecipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	s := next()
	ofDegrees, weights := s.Split(), s.Split()
	degrees := make([]int, r.draws())
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
	d := &maclaurinDraws{r, degrees}
	d.compile(b, weights)
	return d, nil
}

// Degrees returns the degree of each column: first the exact ones (the constant, then x, then the monomials
// of degree 2, and so on), then the drawn ones in ascending order, or for each sum of products the
// degree of the polynomial; with Complex all real parts, then all imaginary parts.
func (m *Maclaurin) Degrees() []int {
	if m.plan == nil {
		return nil
	}
	r := m.drawn.recipe
	d := append(make([]int, 0, r.Columns), r.low.Degrees()...)
	d = append(d, m.drawn.degrees...)
	if r.opts.Complex {
		d = append(d, m.drawn.degrees...)
	}
	return d
}

// scale returns the factor √(aₙ/(qₙ·q)) of a draw of degree n, times 2^{−n/2} for complex draws, whose factors have
// real and imaginary parts of variance 1 each. For a sum of products it is √(aₙ/q), the factor of its product of degree n.
func (r *maclaurinRecipe) scale(n int) float64 {
	if r.terms != nil {
		return math.Sqrt(r.terms[n] / float64(r.draws()))
	}
	c := r.degrees.Coefficients[n] / float64(r.degrees.Prob(n)*float64(r.draws()))
	if r.opts.Complex {
		c = math.Ldexp(c, -n)
	}
	return math.Sqrt(c)
}
