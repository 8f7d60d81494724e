// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"strings"
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

	sample func() (*sample, error) // the points that the plan was made for
	rmse   func() float64
}

// A block is the features of a term.
type block struct {
	term
	recipe
	exact int // number of columns that would make it exact but do not fit; 0 if none would
}

func (b block) String() string { return b.term.String() + ": " + b.recipe.String() }

var _ Variancer = (*Plan)(nil)

// recipePlan returns the plan of a map with one recipe.
func recipePlan(k Kernel, r recipe) *Plan {
	p := &Plan{kernel: k, in: r.shape().in, blocks: []block{{recipe: r}}}
	p.sample = sync.OnceValues(func() (*sample, error) { return newSample(nil, p.in) })
	p.rmse = sync.OnceValue(func() float64 {
		rmse, _ := p.rmseOver(samplePairs)
		return rmse
	})
	return p
}

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
			v, c = v*w*w, c*w
		}
		variance, bias = variance+v, bias+c
	}
	return variance, bias
}

// RMSE returns the predicted root mean square error of ⟨φ(x), φ(y)⟩ over the pairs that the plan was made
// for: NaN if the variance is unknown.
func (p *Plan) RMSE() float64 { return p.rmse() }

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
	child := s.Split()
	single := len(p.blocks) == 1 && p.blocks[0].weights == nil
	m, err := p.build(single && p.blocks[0].known(), func() *Sampler {
		if single {
			return child.Split()
		}
		return child.Split().Split()
	})
	if err != nil {
		*s = before
		return nil, err
	}
	return m, nil
}

// build draws the map, with a sampler of next for each random block. If alone is set, it returns the map of
// the only block, unless that is exact.
func (p *Plan) build(alone bool, next func() *Sampler) (FeatureMap, error) {
	_, out := p.Dims()
	b := &builder{in: p.in, out: out}
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
			b.parts = append(b.parts, projection.Weighted{At: first, Columns: columns, Weight: of.weight})
		}
		m.blocks = append(m.blocks, drawnBlock{of, columns, d})
		known = known && of.known()
	}
	c := compiled{p, projection.NewStack(p.in, b.at, b.parts...)}
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

// MarshalJSON returns an error: a plan cannot be saved as JSON yet.
func (p *Plan) MarshalJSON() ([]byte, error) {
	return nil, fmt.Errorf("featuremap: a plan cannot be saved as JSON yet: %v", p.kernel)
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

// String returns a table of the terms with their columns, the kind of map and its options, and the
// predicted error, give or take its standard error for other rows like those that the plan was made for.
// The latter is unreliable if a few of these rows have most of the error.
func (p *Plan) String() string {
	if p.kernel == nil {
		return "a zero value, which is no plan"
	}
	columns := make([]int, len(p.blocks))
	for i, b := range p.blocks {
		columns[i] = b.shape().columns
	}
	_, relative := p.rmseOver(surePairs)
	return fmt.Sprintf("%s\n\tpredicted root mean square error %.3g, give or take %.0f %%", p.describe(columns), p.RMSE(), 100*relative)
}

// surePairs is the number of pairs for the standard error of a predicted error.
const surePairs = 1000

// describe returns the table of the terms, given their numbers of columns.
func (p *Plan) describe(columns []int) string {
	var b strings.Builder
	out := 0
	for _, n := range columns {
		out += n
	}
	fmt.Fprintf(&b, "%s: R^%d → R^%d", source(p.kernel), p.in, out)
	if len(p.blocks) == 1 {
		fmt.Fprintf(&b, ", %v", p.blocks[0].recipe)
		if n := p.blocks[0].exact; n > 0 {
			fmt.Fprintf(&b, " (%d columns would be exact)", n)
		}
		return b.String()
	}
	at := 0
	for i, of := range p.blocks {
		fmt.Fprintf(&b, "\n\tcolumns %d to %d: %v, of %v", at, at+columns[i]-1, of.recipe, of.term)
		if of.exact > 0 {
			fmt.Fprintf(&b, " (%d columns would be exact)", of.exact)
		}
		at += columns[i]
	}
	return b.String()
}
