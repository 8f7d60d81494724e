// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// A Plan is a map before its weights are drawn: immutable, safe for concurrent use, and a Variancer.
type Plan struct {
	kernel Kernel
	in     int
	blocks []block
	given  bool // the weights were given: it is not for drawing

	forPoints bool                    // it was made for given points
	sample    func() (*sample, error) // the points that the plan was made for
	rmse      func() float64
}

// A block is the features of a term.
type block struct {
	term
	recipe
	of     term          // the term as it was given, if term is the other side of an exponential
	from   origin        // of that term
	side   string        // which side of the exponential term is
	exact  int           // number of columns that would make it exact but do not fit; 0 if none would
	near   float64       // the mean squared error over the pairs that the plan was made for
	reach  float64       // the largest norm that it was made for
	others []alternative // in the order of their errors
}

// An origin is the numbers of a term in the canonical form of a kernel, several of a mixture; nil for the whole kernel.
type origin struct {
	split bool // with exponentials as terms of their own
	terms []int
}

// An alternative is features of a term that were not chosen.
type alternative struct {
	term
	near float64 // see block
	far  bool    // its error is too large far out
	make func() (recipe, error)
}

var _ Variancer = (*Plan)(nil)

// recipePlan returns the plan of a map with one recipe.
func recipePlan(k Kernel, r recipe) *Plan {
	p := &Plan{kernel: k, in: r.shape().in, blocks: []block{{recipe: r, near: math.NaN(), reach: math.NaN()}}}
	p.sample = sphereOnce(p.in)
	p.rmse = sync.OnceValue(func() float64 {
		rmse, _ := p.rmseOver(samplePairs)
		return rmse
	})
	return p
}

// sphereOnce returns the function that makes the sample of the unit sphere.
func sphereOnce(in int) func() (*sample, error) {
	return sync.OnceValues(func() (*sample, error) { return newSample(nil, in) })
}

// constructed tells whether the plan is that of a constructor of one kind of map.
func (p *Plan) constructed() bool { return p.blocks[0].from.terms == nil }

// rmseOver returns the predicted root mean square error over at least most pairs of the sample, and its
// relative standard error for other rows like the sample's. The mean over pairs is a U-statistic, whose
// error follows from the means over the pairs of each row (Hoeffding 1948).
func (p *Plan) rmseOver(most int) (rmse, relative float64) {
	s, err := p.sample()
	if err != nil {
		return math.NaN(), math.NaN()
	}
	n := float64(len(s.rows))
	var mean float64
	byRow := make([]float64, len(s.rows))
	pairs := s.numbers(most)
	part := 1 / float64(len(pairs))
	for _, of := range pairs {
		variance, bias := p.moments(s.rows[of[0]], s.rows[of[1]])
		v := part * (variance + bias*bias)
		mean += v
		byRow[of[0]] += v * n / 2
		byRow[of[1]] += v * n / 2
	}
	var spread float64
	for _, v := range byRow {
		spread += square(v - mean)
	}
	if mean == 0 {
		return 0, 0
	}
	// The relative error of a root is half that of its square.
	return math.Sqrt(mean), math.Sqrt(spread/(n*(n-1))) / mean
}

// Dims returns the number of coordinates in, and the number of features out. For Compositional features
// that is the maximum, since equal draws are merged.
func (p *Plan) Dims() (in, out int) {
	for _, b := range p.blocks {
		out += b.shape().columns
	}
	return p.in, out
}

// Kernel returns the kernel as it was given.
func (p *Plan) Kernel() Kernel { return p.kernel }

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map: the sum over the terms, which are
// drawn independently. It is NaN if that of a term is unknown, as for a BlackBox.
func (p *Plan) Variance(x, y []float64) float64 {
	v, _ := p.moments(x, y)
	return v
}

// Bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y) over the draw of the map: 0, except for a Maclaurin map
// whose law leaves degrees out.
func (p *Plan) Bias(x, y []float64) float64 {
	_, b := p.moments(x, y)
	return b
}

func (p *Plan) moments(x, y []float64) (variance, bias float64) {
	if len(x) != p.in || len(y) != p.in {
		panic(mat.ErrShape)
	}
	for _, b := range p.blocks {
		v, c := moments(b.recipe, x, y)
		if b.weights != nil {
			w := b.weight(x) * b.weight(y)
			if c *= w; !math.IsInf(v, 1) { // else it stays so, though the weights underflow
				v *= w * w
			}
		}
		variance, bias = variance+v, bias+c
	}
	return variance, bias
}

// RMSE returns the predicted root mean square error of ⟨φ(x), φ(y)⟩ over the pairs that the plan was made
// for: NaN if the variance is unknown.
func (p *Plan) RMSE() float64 { return p.rmse() }

// Reach returns the largest norm that the plan was made for: one and a half times that of Points, 1 without
// points, and +Inf where the error does not grow with the norm, apart from a Weight's. The norm of Points
// is that from their mean if features are of points less their mean. It is NaN for the plan of a map that
// was drawn by itself, of NewMaclaurin for instance.
func (p *Plan) Reach() float64 {
	reach := math.Inf(1)
	for _, b := range p.blocks {
		reach = min(reach, b.reach)
	}
	return reach
}

// Draw draws the weights from a Split of s; two draws from one sampler are independent maps. A single
// random term, without weight and of known variance, gives a *Fourier, *Maclaurin, *Neurons or
// *Compositional.
//
// It returns an error, and leaves s as it was, if s is nil or the zero value, if the weights do not fit in
// memory, if a weight is not finite, if a degree is too high, or if a BlackBox returns an error.
func (p *Plan) Draw(s *Sampler) (FeatureMap, error) {
	if err := validateSampler(s); err != nil {
		return nil, err
	}
	if p.kernel == nil {
		return nil, errors.New("featuremap: the zero Plan")
	}
	before := *s
	m, err := p.build(start{*s.Split(), p.splits()}, nil)
	if err != nil {
		*s = before
		return nil, err
	}
	return m, nil
}

// A start is the sampler that a map is drawn from, and how often it is split for each random block.
type start struct {
	sampler Sampler
	splits  int
}

// splits returns how often Draw splits a sampler for each random block. Constructors do not.
func (p *Plan) splits() int {
	if p.single() {
		return 1
	}
	return 2
}

// single tells whether there is one block, without weights.
func (p *Plan) single() bool { return len(p.blocks) == 1 && p.blocks[0].weights == nil }

// build draws the map, within a budget. It returns the map of the only block, if there is no other, for constructors or
// if its variance is known, unless it is exact.
func (p *Plan) build(from start, within *budget) (FeatureMap, error) {
	_, out := p.Dims()
	b := &builder{in: p.in, out: out, budget: within}
	sampler := from.sampler
	next := func() *Sampler {
		s := &sampler
		for range from.splits {
			s = s.Split()
		}
		return s
	}
	alone := from.splits == 0 || p.single() && p.blocks[0].known()
	if err := b.reserve(8 * (float64(p.in) + float64(out))); err != nil {
		return nil, err
	}
	m := &sumMap{}
	known := true
	for _, of := range p.blocks {
		first := b.at
		d, err := of.draw(b, next)
		if err != nil {
			return nil, err
		}
		columns := b.at - first
		if of.weights != nil {
			b.parts = append(b.parts, projection.Weighted{At: first, Columns: columns, Weight: of.weigher(p.in)})
		}
		m.blocks = append(m.blocks, drawnBlock{of, columns, d})
		known = known && of.known()
	}
	c := compiled{p, from, projection.NewStack(p.in, b.at, b.parts...)}
	if d := m.blocks[0].drawn; alone && d != nil {
		*d.common() = c
		return d, nil
	}
	m.compiled = c
	if known {
		return variedMap{m}, nil
	}
	return m, nil
}

// PlanOf returns the plan that a map of the package was drawn from. The plan of a map of NewFourier,
// NewMaclaurin, NewNeurons or NewCompositional is made for points uniform on the unit sphere. It returns an
// error if m is nil, of another package, a DataDependent, or of NewFourierFrom.
func PlanOf(m FeatureMap) (*Plan, error) {
	if isNil(m) {
		return nil, errors.New("featuremap: map m = nil")
	}
	if c, ok := m.(interface{ common() *compiled }); ok && isOwn(m) && c.common().plan != nil && !c.common().plan.given {
		return c.common().plan, nil
	}
	return nil, fmt.Errorf("featuremap: a %T was drawn from no plan", m)
}
