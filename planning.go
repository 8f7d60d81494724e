// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A layout says which columns of a map belong to one draw. First come columns that are not
// random, then a column for each draw, and then, if parts is 2, another for each draw.
type layout struct {
	exact int
	draws int
	parts int

	// Draws that follow each other, so many from the first on, depend on each other: 1 if all
	// are independent, and 0 if there is more to it.
	block int
}

// A drawn map tells its layout. It is alike for the draws of the map: each is a fresh feature,
// drawn alike, times the same constant (which may depend on what was drawn, as a degree).
type drawn interface {
	layout() layout
}

var (
	_ drawn = (*Fourier)(nil)
	_ drawn = (*Maclaurin)(nil)
	_ drawn = (*Neurons)(nil)
)

func (m *Neurons) layout() layout { return layout{draws: m.out, parts: 1, block: 1} }

func (f *Fourier) layout() layout {
	l := layout{draws: f.forms(), parts: 2, block: 1}
	if f.opts.RandomPhase {
		l.parts = 1
	}
	switch f.design() {
	case Orthogonal:
		l.block = f.dim()
	case Structured:
		l.block = paddedDim(f.dim())
	}
	return l
}

// The degrees of a Maclaurin map's draws are sorted, which changes the order of independent
// draws and nothing else.
func (m *Maclaurin) layout() layout {
	l := layout{exact: m.exact(), draws: m.draws(), parts: 1, block: 1}
	if m.opts.Complex {
		l.parts = 2
	}
	if m.pairs != nil {
		l.block = 0
	}
	return l
}

// layoutOf returns the layout of a map with out features, or an error.
func layoutOf(m FeatureMap) (layout, error) {
	if isNil(m) {
		return layout{}, fmt.Errorf("featuremap: map m = nil")
	}
	switch m := m.(type) { // not of a caller's type that embeds one, and has other features
	case *Fourier:
		return m.layout(), nil
	case *Maclaurin:
		return m.layout(), nil
	case *Neurons:
		return m.layout(), nil
	}
	return layout{}, fmt.Errorf("featuremap: draws of %T: unknown", m)
}

// Interval returns a confidence interval of the given level, such as 0.95, for the kernel value
// that ⟨φ(x), φ(y)⟩ estimates. It looks at the features alone, not at the kernel, and asks how
// much the terms of single draws vary: with q of them, Tᵢ, it is
//
//	Σ Tᵢ ± t·√q·s,
//
// s the sample standard deviation of the terms and t the quantile of Student's t distribution
// with q − 1 degrees of freedom. Columns that are not random, as those of ExactLow, add to the
// sum and not to the width; a TruncatedLaw's Bias is taken off.
//
// A term is a pair cos, sin of a Fourier map or one feature with RandomPhase; for orthogonal
// and structured frequencies it is what a whole block adds, since the draws of a block depend
// on each other (the variance of a block that is not whole is interpolated between those of one
// draw and of a whole block). A term of a Maclaurin map is a feature, or a pair with Complex.
//
// The level is met as well as the central limit theorem holds. For bounded terms, as those of
// Fourier maps, some tens are enough. Terms of Maclaurin maps have heavy tails at large points:
// then s is too small in most maps, and the interval with it, before the rare large term is
// seen. Of 2,000 maps a level of 0.9 was met by
//
//	Gaussian{LengthScale: 1} in R⁴ at distance 1.3
//	    pairs, 16 features                                        0.856
//	    pairs, 64 features                                        0.891
//	    RandomPhase, 64 features                                  0.884
//	    Orthogonal pairs, 64 features (8 blocks)                  0.897
//	    Orthogonal pairs, 68 features (8 blocks and a half)       0.914
//	ExpDot{LengthScale: 1} in R⁸, ⟨x, y⟩ = ½‖x‖², 512 features
//	    OptimalLaw, ‖x‖ = ‖y‖ = 1                                 0.913
//	    OptimalLaw, 1.5                                           0.896
//	    OptimalLaw, 2                                             0.851
//	    GeometricLaw, 2                                           0.803
//
// It returns an error if level is not between 0 and 1, if the map is not one of the package
// that knows its draws (the draws of TensorSRHT share signs: it is refused), or if there are
// fewer than two terms. It panics with mat.ErrShape if x or y has not the map's input length.
// Features that are not finite give NaN or Inf.
func Interval(m FeatureMap, x, y []float64, level float64) (lo, hi float64, err error) {
	if !(level > 0 && level < 1) {
		return 0, 0, fmt.Errorf("featuremap: level = %v: must be between 0 and 1", level)
	}
	e, err := evidenceOf(m, x, y)
	if err != nil {
		return 0, 0, err
	}
	half := studentQuantile((1+level)/2, e.freedom) * math.Sqrt(e.variance)
	return e.mean - half, e.mean + half, nil
}

// evidence is what the features of two points tell of ⟨φ(x), φ(y)⟩.
type evidence struct {
	mean     float64 // without the bias
	variance float64 // as estimated from the draws
	freedom  int     // the degrees of freedom of that estimate
}

// evidenceOf returns the evidence of a map that knows its draws.
func evidenceOf(m FeatureMap, x, y []float64) (evidence, error) {
	if isNil(m) {
		return evidence{}, fmt.Errorf("featuremap: map m = nil")
	}
	switch m := m.(type) {
	case *Compositional:
		return m.evidence(x, y)
	case variedAssembly:
		return m.evidence(x, y)
	case *assembly:
		return m.evidence(x, y)
	}
	l, err := layoutOf(m)
	if err != nil {
		return evidence{}, err
	}
	if l.block == 0 {
		return evidence{}, fmt.Errorf("featuremap: draws of %T with TensorSRHT: depend on each other", m)
	}
	blocks := l.draws / l.block
	if blocks < 2 {
		return evidence{}, fmt.Errorf("featuremap: %d draws in blocks of %d: must be at least two whole blocks", l.draws, l.block)
	}
	exact, terms := l.terms(m.TransformVec(nil, x), m.TransformVec(nil, y))
	e := evidence{mean: exact, variance: l.variance(terms), freedom: blocks - 1}
	for _, t := range terms {
		e.mean += t
	}
	if b, ok := m.(biaser); ok {
		e.mean -= b.Bias(x, y)
	}
	return e, nil
}

// evidence of draws, of which each feature stands for as many as were merged.
func (m *Compositional) evidence(x, y []float64) (evidence, error) {
	if m.draws < 2 {
		return evidence{}, fmt.Errorf("featuremap: %d draw: must be at least two", m.draws)
	}
	fx, fy := m.TransformVec(nil, x), m.TransformVec(nil, y)
	n := m.features.len()
	var sum, squares float64
	for i := range n {
		total, count := fx[i]*fy[i], float64(m.features.counts[i])
		if n+i < m.out {
			total += fx[n+i] * fy[n+i]
		}
		sum += total
		s := total * total / count
		if m.opts.RandomPhase && m.features.real(i) {
			// Its draws are not alike: with w = 2cos²b the total has the factor Σw, whose square has the
			// mean n² + n/2, and the squares have Σw², of mean 1.5·n.
			s = 1.5 * total * total / (count + 0.5)
		}
		squares += s
	}
	q := float64(m.draws)
	return evidence{sum, q / (q - 1) * max(squares-sum*sum/q, 0), m.draws - 1}, nil
}

// evidence of terms that are drawn independently: the degrees of freedom are those of
// Satterthwaite (1946).
func (m *assembly) evidence(x, y []float64) (evidence, error) {
	fx, fy := m.TransformVec(nil, x), m.TransformVec(nil, y)
	var sum evidence
	var variances []evidence
	at := 0
	for _, b := range m.blocks {
		if b.drawn == nil {
			sum.mean += inner(fx[at:at+b.columns], fy[at:at+b.columns])
		} else {
			e, err := evidenceOf(b.drawn, x, y)
			if err != nil {
				return evidence{}, err
			}
			w := 1.0
			if b.weight != nil {
				w = b.weight(x) * b.weight(y)
			}
			e.variance *= w * w
			sum.mean += w * e.mean
			sum.variance += e.variance
			variances = append(variances, e)
		}
		at += b.columns
	}
	var squares float64
	for _, e := range variances {
		squares += square(e.variance/sum.variance) / float64(e.freedom)
	}
	sum.freedom = 1
	if squares > 0 {
		sum.freedom = max(int(1/squares), 1)
	}
	return sum, nil
}

// A biaser knows the mean error of its estimate.
type biaser interface {
	Bias(x, y []float64) float64
}

// terms returns what the exact columns add to ⟨φ(x), φ(y)⟩, and what each draw adds.
func (l layout) terms(fx, fy []float64) (exact float64, terms []float64) {
	for i := range l.exact {
		exact += fx[i] * fy[i]
	}
	terms = make([]float64, l.draws)
	for part := range l.parts {
		at := l.exact + part*l.draws
		for i := range terms {
			terms[i] += fx[at+i] * fy[at+i]
		}
	}
	return exact, terms
}

// variance returns an estimate of the variance of the sum of terms.
func (l layout) variance(terms []float64) float64 {
	single := stat.Variance(terms, nil)
	if l.block == 1 {
		return float64(l.draws) * single
	}
	whole := make([]float64, l.draws/l.block)
	for i := range whole {
		for _, t := range terms[i*l.block : (i+1)*l.block] {
			whole[i] += t
		}
	}
	v := stat.Variance(whole, nil)
	sum := float64(len(whole)) * v
	// r draws of a block have the variance r·(single + (r − 1)·c), c the covariance of two.
	if r := float64(l.draws % l.block); r > 0 {
		n := float64(l.block)
		c := (v/n - single) / (n - 1)
		sum += r * (single + (r-1)*c)
	}
	return sum
}

// studentQuantile returns the quantile of Student's t distribution: from 1,000 degrees of freedom
// on, where gonum's inverse of the incomplete beta function may stop far from it, by the
// expansion in 1/ν (Abramowitz and Stegun 1964, 26.7.5), which is off by less than 1e-7 there.
func studentQuantile(p float64, freedom int) float64 {
	nu := float64(freedom)
	if freedom < 1000 {
		return distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(p)
	}
	z := distuv.UnitNormal.Quantile(p)
	z2 := z * z
	return z * (1 + (z2+1)/(4*nu) + ((5*z2+16)*z2+3)/(96*nu*nu))
}

// RMSE returns the root mean square error that a map will have over pairs of rows of x: the
// root of the mean over pairs of the exact Variance, plus Bias² where the map has a Bias. It is
// what the error of one map comes to over many pairs, give or take how much one map differs
// from another, and takes no features. Pairs are of different rows, drawn from s with
// replacement: as many as pairs says; the mean over them is known up to a part of some
// 1/√pairs.
//
// Variance may be an approximation (Fourier says for which designs), and +Inf.
//
// It calls s.Split once. It returns an error, and leaves s as it was, if the map is nil or is no
// Variancer, if x is nil, has fewer than 2 rows or another width than the map takes, if pairs is
// less than 1, or if s is nil.
func RMSE(m FeatureMap, x mat.Matrix, pairs int, s *Sampler) (float64, error) {
	variance, bias, err := meanSquares(m, x, pairs, s)
	return math.Sqrt(variance + bias), err
}

// meanSquares returns the means over pairs of rows of the variance and of the squared bias.
func meanSquares(m FeatureMap, x mat.Matrix, pairs int, s *Sampler) (variance, bias float64, err error) {
	v, err := validatePairs(m, x, pairs, s)
	if err != nil {
		return 0, 0, err
	}
	s = s.Split()
	rows := rowsOf(x)
	n := len(rows)
	for range pairs {
		i, j := s.IntN(n), s.IntN(n-1)
		if j >= i {
			j++
		}
		variance += v.Variance(rows[i], rows[j]) / float64(pairs)
		if b, ok := m.(biaser); ok {
			bias += square(b.Bias(rows[i], rows[j])) / float64(pairs)
		}
	}
	return variance, bias, nil
}

func validatePairs(m FeatureMap, x mat.Matrix, pairs int, s *Sampler) (Variancer, error) {
	if isNil(m) {
		return nil, fmt.Errorf("featuremap: map m = nil")
	}
	v, ok := m.(Variancer)
	if !ok {
		return nil, fmt.Errorf("featuremap: variance of %T: unknown, it is no Variancer", m)
	}
	if isNil(x) {
		return nil, fmt.Errorf("featuremap: x = nil")
	}
	in, _ := m.Dims()
	switch n, c := x.Dims(); {
	case c != in:
		return nil, fmt.Errorf("featuremap: x has %d columns: must have the %d coordinates of the map", c, in)
	case n < 2:
		return nil, fmt.Errorf("featuremap: x has %d rows: must have at least 2", n)
	}
	if pairs < 1 {
		return nil, fmt.Errorf("featuremap: pairs = %d: must be at least 1", pairs)
	}
	if s == nil {
		return nil, fmt.Errorf("featuremap: sampler s = nil")
	}
	return v, nil
}

// pairsFor is the number of pairs of points that FeaturesFor looks at, and largestPilot of the
// features up to which it makes the maps themselves.
const (
	pairsFor     = 1000
	largestPilot = 1 << 14
)

// FeaturesFor returns the number of features with which the map of New for k has the given root
// mean square error over pairs of rows of x, by RMSE: by exact variances, without a look at a
// single feature. That is about the least number with that error: to a per cent where the maps of
// that size were looked at, to a block of orthogonal frequencies else. For a kernel with exact
// features it is their number.
//
// The variance of drawn features falls in inverse proportion to their number, exact ones apart.
// Where that is not exact, as for blocks of orthogonal frequencies that are not whole or draws
// that are merged, the number is corrected by the maps of that size, up to 2¹⁴ features.
//
// It looks at 1000 pairs, drawn from s: where the variances of pairs are of one size the mean over
// all is known to some per cent, and where a few pairs have most of it, as ArcCosine of order 2 has
// on points of very different norms, it may be off by half. It calls s.Split once. It returns an error, and leaves s as it was, if x or s is nil, if x has fewer than
// two rows, if rmse is not positive and finite, if New refuses k, or if the map does not know its
// variance or the number is beyond an int.
func FeaturesFor(k Kernel, x mat.Matrix, rmse float64, s *Sampler) (int, error) {
	if isNil(x) {
		return 0, fmt.Errorf("featuremap: x = nil")
	}
	if s == nil {
		return 0, fmt.Errorf("featuremap: sampler s = nil")
	}
	if err := validatePositive("FeaturesFor", "rmse", rmse); err != nil {
		return 0, err
	}
	if n, in := x.Dims(); n < 2 || in < 1 {
		return 0, fmt.Errorf("featuremap: x has %d rows of %d columns: must have at least 2 of 1", n, in)
	}
	_, in := x.Dims()
	if err := validateArguments(k, in, 1, s); err != nil {
		return 0, err
	}
	before := *s
	child := s.Split()
	n, err := featuresFor(k, in, x, rmse, child)
	if err != nil {
		*s = before
	}
	return n, err
}

// featuresFor finds the number by maps of some sizes: one that has less than the error asked for,
// one that has more, and between them by proportion.
func featuresFor(k Kernel, in int, x mat.Matrix, rmse float64, s *Sampler) (int, error) {
	low, high := 0, math.MaxInt32
	for n := firstSize(k, in); ; {
		m, err := New(k, in, n, s.copy())
		if err != nil {
			if high == math.MaxInt32 {
				return 0, err
			}
			if low = n; high-low <= 1 { // too few for the terms
				return high, nil
			}
			n = low + (high-low)/2
			continue
		}
		variance, _, err := meanSquares(m, x, pairsFor, s.copy())
		if err != nil {
			return 0, err
		}
		_, columns := m.Dims()
		if variance == 0 {
			return columns, nil
		}
		exact := exactColumns(m)
		want := float64(exact) + float64(n-exact)*(variance/rmse/rmse)
		if !(want <= math.MaxInt32) {
			return 0, fmt.Errorf("featuremap: rmse = %v: takes %.3g features", rmse, want)
		}
		next := max(int(math.Ceil(want)), exact+leastShare)
		if _, ok := m.(*Fourier); ok {
			next += next % 2 // pairs
		}
		if variance/rmse <= rmse {
			high = min(high, n)
		} else {
			low = max(low, n)
		}
		switch tight := high-low <= max(2, n/200); {
		case tight:
			return high, nil
		case next > max(n, largestPilot), math.Abs(float64(next-n)) <= 0.005*float64(n):
			return next, nil
		case next <= low || next >= high:
			next = low + (high-low)/2
		}
		n = next
	}
}

// firstSize returns a number of features with which all that has exact features has them, with some
// for each of the other terms and for the exact columns of low degrees; of a lone term whole blocks
// of orthogonal frequencies.
func firstSize(k Kernel, in int) int {
	terms := termsOf(k, nil)
	if len(terms) == 1 {
		if b, ok := terms[0].exact(in, largestPilot); ok {
			return b.columns
		}
		d := terms[0].dim(in)
		return 2 * d * max(2, 256/d)
	}
	n := 0
	for _, t := range terms {
		if b, ok := t.exact(in, largestPilot); ok {
			n += b.columns
		} else {
			n += max(256, 4*t.dim(in))
		}
	}
	return n
}

// dim returns the number of coordinates in which the features of a term are drawn.
func (t term) dim(in int) int {
	if p, ok := bind(t.k, in).(projector); ok {
		a, _ := p.projection()
		return a.p
	}
	return in
}

// exactColumns returns the number of columns of a map that are not drawn.
func exactColumns(m FeatureMap) int {
	switch m := m.(type) {
	case *Maclaurin:
		return m.exact()
	case variedAssembly:
		return m.exactColumns()
	case *assembly:
		return m.exactColumns()
	}
	return 0
}

func (m *assembly) exactColumns() (n int) {
	for _, b := range m.blocks {
		if b.drawn == nil {
			n += b.columns
		} else {
			n += exactColumns(b.drawn)
		}
	}
	return n
}
