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

// A compositionalRecipe is a Compositional map before its features are drawn.
type compositionalRecipe struct {
	recipe.Frame // its columns are the most that the drawn features may take
	graph        *graph
	draws        int

	planted bool // whether the graph was made of an expression, not of a caller's Skeleton
}

// newCompositional returns the recipe of a map with features of some draws of a graph, in at most some columns. planted tells whether the
// graph was made of an expression.
func newCompositional(g *graph, draws, columns int, planted bool) (*compositionalRecipe, error) {
	r := &compositionalRecipe{Frame: recipe.Frame{In: g.in, Columns: columns}, graph: g, draws: draws, planted: planted}
	return r, r.validate()
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

// compositionalDraws is what a Compositional map knows of its draws: their recipe, and the features that they gave.
type compositionalDraws struct {
	recipe   *compositionalRecipe
	features arrangement
}

// number returns the number of draws, and distinct that of different features among them.
func (d *compositionalDraws) number() int   { return d.recipe.draws }
func (d *compositionalDraws) distinct() int { return d.features.len() }

// count returns the number of draws that were merged into output column i.
func (d *compositionalDraws) count(i int) int {
	f, _ := d.feature(i)
	return int(d.features.counts[f])
}

// support returns the coordinates that output column i reads, in ascending order.
func (d *compositionalDraws) support(i int) []int {
	f, imag := d.feature(i)
	var cols []int
	d.features.each(f, imag, func(c uint32) { cols = append(cols, int(c)) })
	slices.Sort(cols)
	return slices.Compact(cols)
}

// feature returns the feature of output column i, and whether the column is its imaginary part.
func (d *compositionalDraws) feature(i int) (f int, imag bool) {
	if i < 0 || i >= d.features.columns {
		panic(mat.ErrColAccess)
	}
	if n := d.features.len(); i >= n {
		return i - n, true
	}
	return i, false
}

// validate refuses points off the base spaces.
func (d *compositionalDraws) validate(x mat.Matrix) error { return d.recipe.graph.validatePoints(x) }
