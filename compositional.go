// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// CompositionalOptions are the options of NewCompositional; nil is the zero value.
type CompositionalOptions struct {
	// KeepDuplicates gives each draw features of its own, where otherwise draws of the same
	// product of base features are merged. The inner products are the same.
	KeepDuplicates bool

	// RandomPhase takes one real feature √2·Re(ψ·e^{ib}) of each draw ψ, with b uniform on
	// {0, π/4, π/2, 3π/4}, in place of Re ψ and Im ψ. (Daniely et al. 2017, Comment 1, has b
	// uniform on {0, π/2}, which is unbiased too and adds ½·Re E ψ(x)²ψ(y)² to the variance of
	// a draw.) It is for as many columns as draws: the pair has a lower variance by draw, and
	// none where draws are real and alike.
	RandomPhase bool
}

// Compositional is the map of random features of a skeleton (Daniely, Frostig, Gupta and Singer
// 2017, "Random features for compositional kernels", Algorithm 1). A draw starts at the output
// and multiplies base features: a unit with the series Σ aₙtⁿ takes a degree n at random and then
// n of its children, each by itself; a product takes all of its children; an input its base's
// random feature. With q draws ψ₁, …, ψ_q the features are
//
//	Re ψⱼ/√q and Im ψⱼ/√q,
//
// and ⟨φ(x), φ(y)⟩ is an unbiased estimate of the skeleton's kernel.
//
// Masses. The mass of a node is its kernel at x = y on the base spaces: that of the base for an
// input, the product of its children's for a product, and f(c) for a unit, c the mean of its
// children's masses cᵤ. Where the kernel at x = y depends on x it is a nominal one: 1 for a
// BlackBox, and f(c) for f(⟨x, y⟩), c = 1 or a power of ½ for which f(c) is finite and the mean
// degree at most 64. A unit draws the degree n with probability aₙcⁿ/f(c) and a child with one
// proportional to its weight and mass. So every draw is a product of base features of mass 1,
// times the root of the output's mass, and series need not be normalised. (For masses of 1 this is
// the paper's scheme.)
//
// Draws are equal often: their base features are few for most spaces. Equal ones are merged into
// one feature, of weight √(count/q), after the q draws, which is a fixed number: stopping at a
// number of different features, as the code released with the paper does, is biased. Before
// that, equal factors of a draw are gathered into a power, z·z̄ on the circle and x² of a binary
// coordinate are left out, and of a draw and its conjugate, which have the same inner products,
// one is taken. A draw that is real, such as a constant, has one column and not two. So the
// number of columns depends on what is drawn: see Dims.
//
// Columns are in the order of the number of coordinates that the products of phases read; real
// parts come first, then real draws, then the imaginary parts in the order of the real ones.
// Each feature reads a handful of coordinates (see Support), and its cost does not grow with
// their number.
//
// The zero value is of no use: see NewCompositional.
type Compositional struct {
	of     Kernel // as the map was asked for
	kernel skeletonKernel
	opts   CompositionalOptions
	draws  int
	out    int

	features arrangement
	stack    *projection.Stack
}

var (
	_ FeatureMap = (*Compositional)(nil)
	_ Variancer  = (*Compositional)(nil)
)

// maxComplexity bounds the expected number of base features in a draw, and maxDraws the number of
// draws.
const (
	maxComplexity = 1 << 20
	maxDraws      = math.MaxInt32 / 2
)

// NewCompositional returns a map from the points of a skeleton, with features of the given
// number of draws from a Split of s. Its columns are at most two for each draw.
//
// It returns an error, and leaves s as it was, if sk or s is nil, if sk has an error (see
// Skeleton), if draws is less than 1 or above 2³⁰ − 1, if a unit's f(c) or f′(c) is infinite at
// the mean c of its children's masses (as StepDual's f′ is at 1: a kernel, but no random features
// of finite expected cost) or its expected degree beyond 2²⁰, if Complexity is beyond 2²⁰, if a
// BlackBox returns an error, if a frequency or form that is drawn is not finite, or if the
// features would not fit in memory.
//
// It takes a time proportional to draws times Complexity, for bases of few columns.
func NewCompositional(sk *Skeleton, draws int, s *Sampler, opts *CompositionalOptions) (*Compositional, error) {
	if sk == nil {
		return nil, fmt.Errorf("featuremap: skeleton sk = nil")
	}
	if s == nil {
		return nil, fmt.Errorf("featuremap: sampler s = nil")
	}
	if draws < 1 || draws > maxDraws {
		return nil, fmt.Errorf("featuremap: draws = %d: must be from 1 to %d", draws, maxDraws)
	}
	p, err := sk.plan()
	if err != nil {
		return nil, err
	}
	k := skeletonKernel{p}
	m := &Compositional{of: k, kernel: k, draws: draws}
	if opts != nil {
		m.opts = *opts
	}
	g, err := newGenerator(p, m.opts)
	if err != nil {
		return nil, err
	}
	before := *s
	drawn, err := g.generate(draws, s.Split())
	if err != nil {
		*s = before
		return nil, err
	}
	m.compile(drawn)
	return m, nil
}

// Dims returns the numbers of coordinates in and features out.
func (m *Compositional) Dims() (in, out int) { return m.kernel.in, m.out }

// Kernel returns the exact kernel of the skeleton, or the kernel that New was asked for.
func (m *Compositional) Kernel() Kernel { return m.of }

// Draws returns the number of draws.
func (m *Compositional) Draws() int { return m.draws }

// Distinct returns the number of different features among the draws, which is the number of
// draws with KeepDuplicates.
func (m *Compositional) Distinct() int { return m.features.len() }

// Count returns the number of draws that were merged into output column i.
func (m *Compositional) Count(i int) int {
	f, _ := m.feature(i)
	return int(m.features.counts[f])
}

// Support returns the coordinates that output column i reads, in ascending order.
func (m *Compositional) Support(i int) []int {
	f, imag := m.feature(i)
	var cols []int
	m.features.each(f, imag, func(c uint32) { cols = append(cols, int(c)) })
	slices.Sort(cols)
	return slices.Compact(cols)
}

// feature returns the feature of output column i, and whether that is the imaginary part.
func (m *Compositional) feature(i int) (f int, imag bool) {
	if i < 0 || i >= m.out {
		panic(mat.ErrColAccess)
	}
	if n := m.features.len(); i >= n {
		return i - n, true
	}
	return i, false
}

// Validate returns an error that names row and column of the first element of x that lies off
// its base space: see Skeleton.Validate. Features of such points are those of the formula, but
// where powers were left out that are 1 on the space, and estimate nothing.
func (m *Compositional) Validate(x mat.Matrix) error { return m.kernel.validatePoints(x) }

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with
// n ≥ 1: see FeatureMap.
func (m *Compositional) TransformTo(dst *mat.Dense, x mat.Matrix) {
	prepareTransform(dst, x, m.kernel.in, m.out)
	m.stack.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *Compositional) TransformVec(dst, x []float64) []float64 {
	dst = prepareVec(dst, x, m.kernel.in, m.out)
	m.stack.TransformVec(dst, x)
	return dst
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map, for points on the base
// spaces. With k = k(x, y) and the moments M = E|ψ(x)|²|ψ(y)|² and M′ = E(ψ(x)·conj ψ(y))² of a
// draw it is
//
//	[½(M + M′) − k²]/q  of the pairs,
//	[M + ½M′ − k²]/q    with RandomPhase,
//
// q being the number of draws. The moments follow the skeleton: with normalised moments μ = M/mass²,
// a product has that of its children multiplied, and a unit, c the mean of their masses,
//
//	μ = f(c·μ̄)/f(c),  μ̄ the mean over the children by their probabilities,
//
// and so for M′. It is exact, merged or not. It is +Inf where c·μ̄ leaves the disc of convergence
// of a series, and NaN if there is a BlackBox, whose moments nobody knows, or for a NaN in a
// point. Where the terms cancel, the absolute error is some 1e-15·M.
func (m *Compositional) Variance(x, y []float64) float64 {
	k, abs, sq := m.kernel.moments(x, y)
	if math.IsNaN(abs) || math.IsNaN(k) {
		return math.NaN()
	}
	mass := m.kernel.masses[len(m.kernel.masses)-1]
	v := 0.5*(abs+sq) - k*k
	if m.opts.RandomPhase {
		v = abs + 0.5*sq - k*k
	}
	if math.IsNaN(v) {
		return math.Inf(1) // beyond the disc
	}
	return max(v, 0) * mass / float64(m.draws) * mass
}

// knownMoments tells whether all bases know the moments of their features.
func (p *plan) knownMoments() bool {
	for _, n := range p.nodes {
		if f, ok := n.base.(*functionScheme); ok && f.moment == nil {
			return false
		}
	}
	return true
}

// moments returns the kernel, over the mass, and the moments of a draw, over its square.
func (p *plan) moments(x, y []float64) (k, abs, sq float64) {
	if len(x) != p.in || len(y) != p.in {
		panic(mat.ErrShape)
	}
	b := p.buffer()
	defer p.buffers.Put(b)
	over := func(v, mass float64) float64 {
		if mass == 0 {
			return 0
		}
		return v / mass
	}
	for i, n := range p.nodes {
		switch {
		case n.base != nil:
			u, v := b.gather(n.cols, x, y)
			b.k[i] = over(n.base.Eval(u, v), p.masses[i])
			b.abs[i], b.sq[i] = n.base.moments(u, v)
		case n.series == nil:
			b.k[i], b.abs[i], b.sq[i] = n.product(b.k), n.product(b.abs), n.product(b.sq)
		default:
			c := n.mean(p.masses)
			value := func(of []float64) float64 { return over(n.series.Eval(c*p.expected(i, of)), p.masses[i]) }
			b.k[i], b.abs[i], b.sq[i] = value(b.k), value(b.abs), value(b.sq)
		}
	}
	last := len(p.nodes) - 1
	return b.k[last], b.abs[last], b.sq[last]
}
