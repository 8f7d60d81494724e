// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
)

// A plannedTerm is a term for which maps of several sizes are planned.
type plannedTerm struct {
	term
	in     int
	sample *sample
	pairs  int          // the number of pairs, at least, for its statistics
	exact  *exactRecipe // nil if there is none

	fit   *fitter              // of Compositional maps
	means map[string][]float64 // of the statistics of recipes, by kind of recipe
}

func (p *planner) newTerm(t term) *plannedTerm {
	return &plannedTerm{term: t, in: p.in, sample: p.sample, pairs: p.pairs, exact: t.exact(p.in), means: make(map[string][]float64)}
}

// isStationary reports whether a form of one term is stationary, without weights or exact features.
func (f form) isStationary() bool {
	s, ok := f[0].base.(stationary)
	return ok && !s.angle && f[0].weights == nil
}

// recipe returns the recipe of the term, without its weights, in at most out columns.
func (t *plannedTerm) recipe(out int) (recipe, error) {
	switch b := t.base.(type) {
	case stationary:
		return t.fourier(warpedSpectrum{b.spectrum.scaled(t.scale), t.warp}, out)
	case dot:
		return t.maclaurin(scaleSeries(t.scale, b.f), out)
	case neuron:
		return newNeuronsRecipe(b.ArcCosine, t.scale, t.warp, t.in, out, NeuronsOptions{})
	}
	return t.compositional(out)
}

// fourier returns the Fourier map that NewPlan describes.
func (t *plannedTerm) fourier(of warpedSpectrum, out int) (recipe, error) {
	var o FourierOptions
	if o.RandomPhase = out == 1; !o.RandomPhase {
		out &^= 1
	}
	if of.mixture != nil && of.trusted {
		o.Design = Orthogonal
	}
	return newFourierRecipe(of, t.in, out, o)
}

// maclaurin returns the Maclaurin map that NewPlan describes.
func (t *plannedTerm) maclaurin(f Series, out int) (recipe, error) {
	o := MaclaurinOptions{Law: OptimalLaw{}}
	if r := f.Radius(); r < 2*math.Sqrt2 { // √2·Norm² is half of it
		o.Law = OptimalLaw{Norm: math.Sqrt(r / 2 / math.Sqrt2)}
	}
	if t.in >= 64 {
		o.Sketch = TensorSRHT
	}
	if o.ExactLow = 2*(t.warp.dim(t.in)+1) <= out; o.ExactLow {
		if r, err := newMaclaurinRecipe(f, t.warp, t.in, out, o); err == nil {
			return r, nil
		}
		o.ExactLow = false
	}
	return newMaclaurinRecipe(f, t.warp, t.in, out, o)
}

// compositional returns the Compositional map that NewPlan describes.
func (t *plannedTerm) compositional(out int) (recipe, error) {
	if t.fit == nil {
		g, err := t.graph()
		if err != nil {
			return nil, noMap(err)
		}
		if t.fit, err = newFitter(g); err != nil {
			return nil, noMap(err)
		}
	}
	r := &compositionalRecipe{frame: frame{in: t.in, columns: out}, graph: t.fit.graph, draws: 1}
	_, written := t.base.(skeletonKernel)
	r.planted = !written
	if r.opts.RandomPhase = out == 1 && t.fit.perDraw > 1; out > 1 || t.fit.perDraw == 1 {
		r.draws = t.fit.draws(out)
	}
	return r, r.validate()
}

// graph returns the graph of the term without its weights.
func (t *plannedTerm) graph() (*graph, error) {
	if k, ok := t.base.(skeletonKernel); ok && t.scale == 1 && t.warp.identity() {
		return k.graph, k.graph.validateDraws()
	}
	sk := NewSkeleton(t.in)
	cols := make([]int, t.in)
	for i := range cols {
		cols[i] = i
	}
	of := t.term
	of.weights = nil
	sk.plantTerm(of, cols)
	g, err := sk.graph()
	if err != nil {
		return nil, err
	}
	return g, g.validateDraws()
}

// noMap returns the error of a term without a map. It drops the node: the caller wrote no skeleton.
func noMap(err error) error {
	var n *nodeError
	if errors.As(err, &n) {
		err = n.err
	}
	if errors.Is(err, ErrNoMap) || errors.Is(err, ErrNotPSD) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoMap, err)
}

// deviation returns the root mean square error of the term's map over the sample, with about the given
// number of columns, times the root of the number of drawn columns.
func (t *plannedTerm) deviation(columns int) (float64, error) {
	r, err := t.recipe(columns)
	if m, ok := r.(*maclaurinRecipe); ok && err == nil {
		columns -= m.exact()
	}
	if err != nil {
		return 0, err
	}
	return coarse(math.Sqrt(t.mean(r) * float64(columns))), nil
}

// mean returns the mean over the sample of a recipe's variance times the squared weights.
func (t *plannedTerm) mean(r recipe) float64 {
	kind, most := r.String(), t.pairs
	if c, ok := r.(*compositionalRecipe); ok {
		kind, most = fmt.Sprint(c.opts), samplePairs
	}
	if t.means[kind] == nil {
		t.means[kind] = t.sample.means(r, t.term, most)
	}
	return r.variance(t.means[kind])
}
