// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

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

// Recipe is a Compositional map before its features are sampled.
type Recipe struct {
	recipe.Frame // its columns are the largest number that the features may take
	Graph        *Graph
	Draws        int

	Planted bool // whether the graph was made from an expression, not from a caller's Skeleton
}

// New returns the recipe of a map that samples this number of features of a graph, in at most this number of columns.
// planted tells whether the graph was made from an expression.
func New(g *Graph, draws, columns int, planted bool) (*Recipe, error) {
	r := &Recipe{Frame: recipe.Frame{In: g.In, Columns: columns}, Graph: g, Draws: draws, Planted: planted}
	return r, r.Validate()
}

// MaxDraws is the largest number of features that a map samples.
const MaxDraws = math.MaxInt32 / 2

func (r *Recipe) Validate() error {
	if r.Draws < 1 || r.Draws > MaxDraws {
		return fmt.Errorf("featuremap: draws = %d: must be from 1 to %d", r.Draws, MaxDraws)
	}
	return r.Graph.validateDraws()
}

func (r *Recipe) String() string {
	return fmt.Sprintf("Compositional, %d draws", r.Draws)
}

// explain removes the node from an error if the graph was made from an expression, because its caller knows of
// no nodes.
func (r *Recipe) explain(err error) error {
	if n := (*nodeError)(nil); r.Planted && errors.As(err, &n) {
		return n.err
	}
	return err
}

// Draw samples the features and compiles them. If they need more columns than there are, it samples fewer once
// more.
func (r *Recipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	g, err := NewGenerator(r.Graph)
	if err != nil {
		return nil, err
	}
	drawn, err := g.generate(r.Draws, next(), b.Room)
	if err == nil && drawn.width() > r.Columns {
		// The number of samples in a plan makes this less probable than 1e-9. Half as many samples as columns always
		// fit, except in a single column, which a file may ask for.
		fewer := *r
		fewer.Draws = max(r.Columns/2, 1)
		r = &fewer
		if drawn, err = g.generate(r.Draws, next(), b.Room); err == nil && drawn.width() > r.Columns {
			err = fmt.Errorf("featuremap: columns = %d: a feature takes %d", r.Columns, drawn.width())
		}
	}
	if err != nil {
		return nil, r.explain(err)
	}
	if err := b.Reserve(2 * float64(drawn.bytes())); err != nil {
		return nil, err
	}
	d := &Draws{Recipe: r}
	d.Compile(b, drawn)
	return d, nil
}

func (r *Recipe) Key() any { return nil }

// MostPairs limits the pairs, because the moments of a graph are slower to compute than the statistics of other
// maps.
func (r *Recipe) MostPairs() int { return sample.MinPairs }

func (r *Recipe) Add(sums []float64, p *sample.Pair, part float64) {
	sums[0] += part * r.single(p)
}

func (r *Recipe) Variance(sums []float64) float64 { return sums[0] / float64(r.Draws) }

// single returns the variance of the estimate by one sample: see Variance.
func (r *Recipe) single(p *sample.Pair) float64 {
	k, abs, sq := r.Graph.moments(p)
	if math.IsNaN(abs) || math.IsNaN(k) {
		return math.NaN()
	}
	mass := r.Graph.mass()
	v := 0.5*(abs+sq) - k*k
	if math.IsNaN(v) {
		return math.Inf(1) // a moment is beyond the radius of convergence
	}
	return max(v, 0) * mass * mass
}

// Known reports whether all bases know the moments of their features. A BlackBox does not.
func (r *Recipe) Known() bool {
	for _, n := range r.Graph.Nodes {
		if f, ok := n.Base.(*functionScheme); ok && f.moment == nil {
			return false
		}
	}
	return true
}

// moments returns k = k(x, y)/mass and, for one sample, abs = M/mass² and sq = Re M′/mass²: see
// Compositional.Variance.
func (p *Graph) moments(xy *sample.Pair) (k, abs, sq float64) {
	b := p.buffer()
	defer p.buffers.Put(b)
	over := func(v, mass float64) float64 {
		if mass == 0 {
			return 0
		}
		return v / mass
	}
	for i, n := range p.Nodes {
		switch {
		case n.Base != nil && xy.A.Columns != nil:
			k, b.abs[i], b.sq[i] = p.lists()[i](xy)
			b.k[i] = over(k, p.Masses[i])
		case n.Base != nil:
			u, v := b.gather(&n, xy.A.Values, xy.B.Values)
			b.k[i] = over(n.Base.Eval(u, v), p.Masses[i])
			b.abs[i], b.sq[i] = n.Base.moments(u, v)
		case n.Series == nil:
			b.k[i], b.abs[i], b.sq[i] = n.product(b.k), n.product(b.abs), n.product(b.sq)
		default:
			c := n.mean(p.Masses)
			value := func(children []float64) float64 { return over(n.Series.Eval(c*p.expected(i, children)), p.Masses[i]) }
			b.k[i], b.abs[i], b.sq[i] = value(b.k), value(b.abs), value(b.sq)
		}
	}
	last := len(p.Nodes) - 1
	return b.k[last], b.abs[last], b.sq[last]
}

// Draws is what a Compositional map knows of its samples: their recipe and the features.
type Draws struct {
	Recipe   *Recipe
	features arrangement
}

// Number returns the number of samples, and Distinct the number of different features among them.
func (d *Draws) Number() int   { return d.Recipe.Draws }
func (d *Draws) Distinct() int { return d.features.len() }

// Count returns the number of samples that were merged into output column i.
func (d *Draws) Count(i int) int {
	f, _ := d.feature(i)
	return int(d.features.counts[f])
}

// Support returns the coordinates that output column i reads, in ascending order.
func (d *Draws) Support(i int) []int {
	f, imag := d.feature(i)
	var cols []int
	d.features.each(f, imag, func(c uint32) { cols = append(cols, int(c)) })
	slices.Sort(cols)
	return slices.Compact(cols)
}

// feature returns the feature of output column i, and whether the column is its imaginary part.
func (d *Draws) feature(i int) (f int, imag bool) {
	if i < 0 || i >= d.features.columns {
		panic(mat.ErrColAccess)
	}
	if n := d.features.len(); i >= n {
		return i - n, true
	}
	return i, false
}

// Validate refuses points off the base spaces.
func (d *Draws) Validate(x mat.Matrix) error { return d.Recipe.Graph.ValidatePoints(x) }
