// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// Compositional maps: features of skeletons, which stand for any kernel that the algebra makes.

// Compositional is the map of random features of a skeleton (Daniely, Frostig, Gupta and Singer 2017,
// "Random features for compositional kernels", Algorithm 1). A draw starts at the output and multiplies
// base features: a unit with the series Σ aₙtⁿ draws a degree n and then n of its children independently;
// a product takes all of its children; an input the random feature of its base. Draws ψ₁, …, ψ_q have the
// features Re ψⱼ/√q and Im ψⱼ/√q, and ⟨φ(x), φ(y)⟩ is an unbiased estimate of the skeleton's kernel.
//
// Equal draws, of which there are often many, are merged into one of weight √(count/q), so that the number of
// columns is random (see Dims). Each feature reads a handful of coordinates (see Support). docs/maps.md has
// the order of the columns, the probabilities of the draws and what counts as equal.
//
// The zero value is no map (see FeatureMap): see NewCompositional.
type Compositional struct {
	compiled
	drawn *compositionalDraws
}

// compositionalDraws is what a Compositional map knows of its draws: their recipe, and the features that they gave.
type compositionalDraws struct {
	recipe   *compositionalRecipe
	features arrangement
}

var (
	_ FeatureMap = (*Compositional)(nil)
	_ Variancer  = (*Compositional)(nil)
)

// NewCompositional returns a map from the points of a skeleton, with features of the given number of
// draws from a Split of s. It has at most two columns for each draw.
//
// It returns an error, and leaves s as it was, if sk or s is nil, if sk has an error (see Skeleton), if
// draws is less than 1 or above 2³⁰ − 1, if a unit's f(c) or f′(c) is infinite at the mean c of its
// children's masses (as f′ of StepDual at 1: a kernel, but no random features of finite expected cost) or
// its expected degree above 2¹⁴, if Complexity is above 2¹⁴, if a BlackBox returns an error, if a
// frequency or form that is drawn is not finite, or if the features would not fit in memory.
//
// Its time is proportional to draws times Complexity, for bases of few columns.
func NewCompositional(sk *Skeleton, draws int, s *Sampler) (*Compositional, error) {
	if sk == nil {
		return nil, errors.New("featuremap: skeleton sk = nil")
	}
	if err := validateSampler(s); err != nil {
		return nil, err
	}
	g, err := sk.graph()
	if err != nil {
		return nil, err
	}
	r := &compositionalRecipe{Frame: recipe.Frame{In: g.in, Columns: 2 * draws}, graph: g, draws: draws}
	if err := r.validate(); err != nil {
		return nil, err
	}
	return drawnFrom[*Compositional](recipePlan(skeletonKernel{g}, r), s)
}

// A compositionalRecipe is a Compositional map before its features are drawn.
type compositionalRecipe struct {
	recipe.Frame // its columns are the most that the drawn features may take
	graph        *graph
	draws        int

	planted bool // whether the graph was made of an expression, not of a caller's Skeleton
}

// maxDraws is the largest number of draws of a map.
const maxDraws = math.MaxInt32 / 2

func (r *compositionalRecipe) validate() error {
	if r.draws < 1 || r.draws > maxDraws {
		return fmt.Errorf("featuremap: draws = %d: must be from 1 to %d", r.draws, maxDraws)
	}
	return r.graph.validateDraws()
}

func (r *compositionalRecipe) String() string {
	return fmt.Sprintf("Compositional, %d draws", r.draws)
}

// explain removes the node from an error if the graph was made of an expression: its caller knows of no nodes.
func (r *compositionalRecipe) explain(err error) error {
	if n := (*nodeError)(nil); r.planted && errors.As(err, &n) {
		return n.err
	}
	return err
}

// Draw draws the features and compiles them. If they take more columns than there are, it draws fewer once more.
func (r *compositionalRecipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	g, err := newGenerator(r.graph)
	if err != nil {
		return nil, err
	}
	drawn, err := g.generate(r.draws, next(), b.Room)
	if err == nil && drawn.width() > r.Columns {
		// The number of draws in a plan makes this less probable than 1e-9. Half as many draws as columns always fit,
		// except in a single column, which a file may ask for.
		fewer := *r
		fewer.draws = max(r.Columns/2, 1)
		r = &fewer
		if drawn, err = g.generate(r.draws, next(), b.Room); err == nil && drawn.width() > r.Columns {
			err = fmt.Errorf("featuremap: columns = %d: a feature takes %d", r.Columns, drawn.width())
		}
	}
	if err != nil {
		return nil, r.explain(err)
	}
	if err := b.Reserve(2 * float64(drawn.bytes())); err != nil {
		return nil, err
	}
	d := &compositionalDraws{recipe: r}
	d.compile(b, drawn)
	return d, nil
}

// Draws returns the number of draws.
func (m *Compositional) Draws() int {
	if m.plan == nil {
		return 0
	}
	return m.drawn.recipe.draws
}

// Distinct returns the number of different features among the draws.
func (m *Compositional) Distinct() int {
	if m.plan == nil {
		return 0
	}
	return m.drawn.features.len()
}

// Count returns the number of draws that were merged into output column i.
func (m *Compositional) Count(i int) int {
	f, _ := m.feature(i)
	return int(m.drawn.features.counts[f])
}

// Support returns the coordinates that output column i reads, in ascending order.
func (m *Compositional) Support(i int) []int {
	f, imag := m.feature(i)
	var cols []int
	m.drawn.features.each(f, imag, func(c uint32) { cols = append(cols, int(c)) })
	slices.Sort(cols)
	return slices.Compact(cols)
}

// feature returns the feature of output column i, and whether the column is its imaginary part.
func (m *Compositional) feature(i int) (f int, imag bool) {
	if m.plan == nil || i < 0 || i >= m.drawn.features.columns {
		panic(mat.ErrColAccess)
	}
	if n := m.drawn.features.len(); i >= n {
		return i - n, true
	}
	return i, false
}

// Validate returns an error that names row and column of the first element of x that lies off its base
// space: see Skeleton.Validate. Features of such points follow the formula, except that powers equal to 1
// on the base space are left out, and they estimate nothing.
func (m *Compositional) Validate(x mat.Matrix) error {
	if err := validateMap("map m", m); err != nil {
		return err
	}
	return m.drawn.recipe.graph.validatePoints(x)
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map, for points on the base spaces. It
// is exact: merging changes nothing. With k = k(x, y), the moments M = E|ψ(x)|²|ψ(y)|² and
// M′ = E(ψ(x)·conj ψ(y))² of a draw, which are computed from the inputs up, and q draws it is [½(M + M′) − k²]/q.
//
// It is +Inf where a moment is outside the radius of convergence of a series, and NaN if there is a BlackBox,
// whose moments are unknown, or for a NaN in a point. docs/variance.md has the recurrence. Where the terms
// cancel, the absolute error is some 1e-15·M.
func (m *Compositional) Variance(x, y []float64) float64 {
	return m.drawnPlan().Variance(x, y)
}

func (r *compositionalRecipe) Key() any { return nil }

// MostPairs limits the pairs, since the moments of a graph take longer to compute than the statistics of other maps.
func (r *compositionalRecipe) MostPairs() int { return sample.MinPairs }

func (r *compositionalRecipe) Add(sums []float64, p *sample.Pair, part float64) {
	sums[0] += part * r.single(p)
}

func (r *compositionalRecipe) Variance(sums []float64) float64 { return sums[0] / float64(r.draws) }

// single returns the variance of the estimate by one draw: see Variance.
func (r *compositionalRecipe) single(p *sample.Pair) float64 {
	k, abs, sq := r.graph.moments(p)
	if math.IsNaN(abs) || math.IsNaN(k) {
		return math.NaN()
	}
	mass := r.graph.mass()
	v := 0.5*(abs+sq) - k*k
	if math.IsNaN(v) {
		return math.Inf(1) // a moment is beyond the radius of convergence
	}
	return max(v, 0) * mass * mass
}

// Known reports whether all bases know the moments of their features. A BlackBox does not.
func (r *compositionalRecipe) Known() bool {
	for _, n := range r.graph.nodes {
		if f, ok := n.base.(*functionScheme); ok && f.moment == nil {
			return false
		}
	}
	return true
}

// moments returns k = k(x, y)/mass and, of a draw, abs = M/mass² and sq = Re M′/mass²: see Compositional.Variance.
func (p *graph) moments(xy *sample.Pair) (k, abs, sq float64) {
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
		case n.base != nil && xy.A.Columns != nil:
			k, b.abs[i], b.sq[i] = p.lists()[i](xy)
			b.k[i] = over(k, p.masses[i])
		case n.base != nil:
			u, v := b.gather(&n, xy.A.Values, xy.B.Values)
			b.k[i] = over(n.base.Eval(u, v), p.masses[i])
			b.abs[i], b.sq[i] = n.base.moments(u, v)
		case n.series == nil:
			b.k[i], b.abs[i], b.sq[i] = n.product(b.k), n.product(b.abs), n.product(b.sq)
		default:
			c := n.mean(p.masses)
			value := func(children []float64) float64 { return over(n.series.Eval(c*p.expected(i, children)), p.masses[i]) }
			b.k[i], b.abs[i], b.sq[i] = value(b.k), value(b.abs), value(b.sq)
		}
	}
	last := len(p.nodes) - 1
	return b.k[last], b.abs[last], b.sq[last]
}
