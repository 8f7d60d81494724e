// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// A Sketch says from what the factors of a Maclaurin map's features are drawn: random
// vectors w with E(w·x)(w·y) = ⟨x, y⟩.
type Sketch int

const (
	// RademacherSketch has independent signs for coordinates: Kar and Karnick's choice.
	RademacherSketch Sketch = iota

	// GaussianSketch has standard normal coordinates. Its variance is higher.
	GaussianSketch

	// TensorSRHT has rows of signed Walsh-Hadamard matrices (Wacker, Kanagawa and Filippone
	// 2022): the features of one degree, in blocks of as many as there are coordinates
	// padded to a power of two, p, share for each of their factors one diagonal of signs,
	// and differ in the row, drawn without replacement. A block of p features takes
	// p·log₂p additions in place of p·d multiply-adds for each factor, and its variance is
	// usually lower than that of independent signs.
	TensorSRHT
)

// String returns the name of the sketch.
func (s Sketch) String() string {
	switch s {
	case RademacherSketch:
		return "RademacherSketch"
	case GaussianSketch:
		return "GaussianSketch"
	case TensorSRHT:
		return "TensorSRHT"
	}
	return fmt.Sprintf("Sketch(%d)", int(s))
}

// MaclaurinOptions are the options of NewMaclaurin; nil is the zero value, the algorithm
// of Kar and Karnick 2012.
type MaclaurinOptions struct {
	// Law is the distribution of the features' degrees; GeometricLaw{} if nil.
	Law DegreeLaw

	// Sketch is what the factors are drawn from; RademacherSketch if zero.
	Sketch Sketch

	// ExactLow gives degrees 0 and 1 exact features, the constant √a₀ and the d columns
	// √a₁·x, within the out features (where a₀ and a₁ are not zero), and draws the rest
	// from degree 2 on: Kar and Karnick's H0/1.
	ExactLow bool

	// Complex draws complex factors, with coordinates from {±1, ±i} or complex normal ones,
	// and returns the real and the imaginary part of each feature (complex-to-real sketches,
	// Wacker, Ohana and Filippone 2022): for the same number of features half as many draws,
	// whose variance is lower by more than that for high degrees and nearly parallel points.
	Complex bool
}

// Maclaurin is the map of random Maclaurin features (Kar and Karnick 2012, "Random feature
// maps for dot product kernels") for a kernel f(⟨x, y⟩), f(t) = Σ aₙtⁿ. Each of q draws takes
// a degree n with probability qₙ and n random vectors w, and has the feature
//
//	√(aₙ/(qₙ·q))·∏ⱼ wⱼ·x.
//
// ⟨φ(x), φ(y)⟩ is an unbiased estimate of the kernel unless the law leaves degrees out: see
// Bias. Columns are sorted by degree: see Degrees. Points outside the radius of convergence
// have large features, which estimate nothing.
//
// Kakade's scheme (lecture notes, section 1.1.3) has in each feature the sum over all degrees
// i of √aᵢ·∏ⱼ wᵢⱼ·x, for polynomials of degree l, in place of one degree at random. It takes
// l(l+1)/2 random vectors for a feature (the notes have l(l−1)/2), where a draw of OptimalLaw
// takes their mean degree: 1.2 for (1 + t)², 1.8 for (1 + t)³, 5.9 for (1 + t)¹⁰, 1.4 for
// exp(t). For unit vectors in general position (N = 1, S near 0) at t = 0, ½ and 1 its exact
// variance is, in parts of OptimalLaw's,
//
//	              for as many features    for as many random vectors
//	(1 + t)²      0.94  1.03  0.88          2.4   2.6   2.3
//	(1 + t)³      0.91  0.77  0.56          3.1   2.6   1.9
//	(1 + t)¹⁰     0.74  0.26  0.17          7.0   2.5   1.6
//	exp, to t⁸    0.87  0.92  0.56           22    24    14
//
// So it wins where features cost more than their computation, for high degrees and nearly
// parallel points, and loses where the transform is what costs. It has no place for infinite
// series, and no map here.
//
// The zero value is of no use: see NewMaclaurin.
type Maclaurin struct {
	kernel  Kernel
	series  Series
	opts    MaclaurinOptions
	in, out int

	// The kernel is f(⟨Ax, Ay⟩), with A nil for the identity.
	warp *linear

	constant, linear bool // exact columns
	law              *degrees
	drawn            []int     // degrees of the draws, ascending
	pairs            []float64 // of TensorSRHT, by degree from law.from on: see blockPairs
	stack            *projection.Stack
}

var (
	_ FeatureMap = (*Maclaurin)(nil)
	_ Variancer  = (*Maclaurin)(nil)
)

// NewMaclaurin returns a map R^in → R^out for the dot product kernel k, or Project of one,
// with weights drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k or s is nil, if a parameter of k or of
// an option is refused, if k is not a DotProduct (ErrNotDotProduct) or not positive
// semi-definite (ErrNotPSD), if in or out is less than 1, if in is not the number of columns
// of k's Project, if out does not hold the exact columns of ExactLow and a feature besides,
// or, with Complex, an even number besides, if the law has no degree to draw or its
// probabilities do not sum up, if a degree above 1000 is drawn with Complex, or if the
// weights would not fit in memory.
//
// Construction draws about in numbers for each factor of each feature.
func NewMaclaurin(k Kernel, in, out int, s *Sampler, opts *MaclaurinOptions) (*Maclaurin, error) {
	m := &Maclaurin{kernel: k, in: in, out: out}
	if opts != nil {
		m.opts = *opts
	}
	if s == nil {
		return nil, fmt.Errorf("featuremap: sampler s = nil")
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	before := *s
	child := s.Split()
	degrees, weights := child.Split(), child.Split()
	m.drawn = make([]int, m.draws())
	for i := range m.drawn {
		m.drawn[i] = m.law.draw(degrees)
	}
	sort.Ints(m.drawn)
	if err := m.validateSize(); err != nil {
		*s = before
		return nil, err
	}
	if m.opts.Sketch == TensorSRHT && m.dim() > 1 {
		m.pairs = m.blockPairs()
	}
	m.compile(weights)
	return m, nil
}

// validate checks all that can be checked without drawing, and sets what follows from k and
// the options.
func (m *Maclaurin) validate() error {
	if m.in < 1 {
		return fmt.Errorf("featuremap: in = %d: must be at least 1", m.in)
	}
	if m.out < 1 {
		return fmt.Errorf("featuremap: out = %d: must be at least 1", m.out)
	}
	if err := validateMemory(m.in, m.out); err != nil {
		return err
	}
	if err := validateKernel(m.kernel, m.in); err != nil {
		return err
	}
	base := bind(m.kernel, m.in)
	if p, ok := base.(projector); ok {
		a, inner := p.projection()
		m.warp, base = &a, inner
	}
	dot, ok := base.(DotProduct)
	if !ok {
		return fmt.Errorf("%w: %T", ErrNotDotProduct, base)
	}
	m.series = dot.Series()
	if err := validateSeries(m.series); err != nil {
		return err
	}
	if m.opts.Law == nil {
		m.opts.Law = GeometricLaw{}
	}
	if s := m.opts.Sketch; s < RademacherSketch || s > TensorSRHT {
		return fmt.Errorf("featuremap: Sketch = %v: unknown", s)
	}
	if err := validateLaw(m.opts.Law, m.series); err != nil {
		return err
	}
	m.opts.Law = frozen(m.opts.Law, m.series)
	return m.validateDraws()
}

// validateDraws sets the exact columns and the law of the rest.
func (m *Maclaurin) validateDraws() (err error) {
	from := 0
	if m.opts.ExactLow {
		from = 2
		for n := range from {
			if err := validateCoefficient(m.series, n, m.series.Coeff(n)); err != nil {
				return err
			}
		}
		m.constant, m.linear = m.series.Coeff(0) > 0, m.series.Coeff(1) > 0
	}
	m.law, err = newDegrees(m.opts.Law, m.series, from)
	if err != nil {
		return err
	}
	rest := m.out - m.exact()
	if rest < 1 {
		return fmt.Errorf("featuremap: out = %d: ExactLow takes %d columns for the degrees 0 and 1, and there must be more", m.out, m.exact())
	}
	if m.opts.Complex && rest%2 != 0 {
		return fmt.Errorf("featuremap: out = %d: less %d exact columns it must be even, for the real and imaginary parts of Complex", m.out, m.exact())
	}
	return nil
}

// exact returns the number of exact columns.
func (m *Maclaurin) exact() int {
	n := 0
	if m.constant {
		n++
	}
	if m.linear {
		n += m.dim()
	}
	return n
}

// dim returns the number of coordinates that the random vectors have.
func (m *Maclaurin) dim() int {
	if m.warp != nil {
		return m.warp.p
	}
	return m.in
}

// draws returns the number of draws.
func (m *Maclaurin) draws() int {
	if m.opts.Complex {
		return (m.out - m.exact()) / 2
	}
	return m.out - m.exact()
}

// maxComplexDegree bounds the degrees with Complex.
const maxComplexDegree = 1000

// validateSize refuses weights that the memory does not hold.
func (m *Maclaurin) validateSize() error {
	var factors float64
	for _, n := range m.drawn {
		factors += float64(n)
	}
	size := 8 * (factors + float64(m.exact())) * (float64(m.in) + 24)
	if m.opts.Complex {
		size *= 2
		// The square of 2^{−n/2} is to be a float64.
		if n := m.drawn[len(m.drawn)-1]; n > maxComplexDegree {
			return fmt.Errorf("featuremap: Complex with a feature of degree %d: must be at most %d", n, maxComplexDegree)
		}
	}
	if limit := float64(memory.Limit()); size > limit {
		return fmt.Errorf("featuremap: out = %d with in = %d: the weights of %v factors take up to %.3g bytes, and there are %.3g",
			m.out, m.in, factors, size, limit)
	}
	return nil
}

// Dims returns the numbers of coordinates in and features out.
func (m *Maclaurin) Dims() (in, out int) { return m.in, m.out }

// Kernel returns the kernel the map was made for.
func (m *Maclaurin) Kernel() Kernel { return m.kernel }

// Degrees returns the degree of each column: the exact ones of ExactLow first, a constant
// and x, then those drawn in ascending order; with Complex all real parts, then all
// imaginary ones.
func (m *Maclaurin) Degrees() []int {
	d := make([]int, 0, m.out)
	if m.constant {
		d = append(d, 0)
	}
	for len(d) < m.exact() {
		d = append(d, 1)
	}
	d = append(d, m.drawn...)
	if m.opts.Complex {
		d = append(d, m.drawn...)
	}
	return d
}

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with
// n ≥ 1: see FeatureMap, and Degrees for the order of columns.
func (m *Maclaurin) TransformTo(dst *mat.Dense, x mat.Matrix) {
	prepareTransform(dst, x, m.in, m.out)
	m.stack.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *Maclaurin) TransformVec(dst, x []float64) []float64 {
	dst = prepareVec(dst, x, m.in, m.out)
	m.stack.TransformVec(dst, x)
	return dst
}

// scale returns the factor of a draw of degree n, √(aₙ/(qₙ·q)), and 2^{−n/2} besides for
// complex draws, whose real and imaginary parts are drawn with variance 1 each.
func (m *Maclaurin) scale(n int) float64 {
	c := m.series.Coeff(n) / float64(m.law.prob(n)*float64(m.draws()))
	if m.opts.Complex {
		c = math.Ldexp(c, -n)
	}
	return math.Sqrt(c)
}
