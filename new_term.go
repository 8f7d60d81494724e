// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// A plannedTerm is a term for which maps of several sizes are planned.
type plannedTerm struct {
	term
	from   origin
	in     int
	sample *sample
	pairs  int          // the number of pairs, at least, for its statistics
	exact  *exactRecipe // nil if there is none

	fit       *fitter // of Compositional maps
	found     []candidate
	reference int // the number of candidates, of the first, whose error far out is the limit of the others'
	unbounded bool
	decisions map[int]decision
}

// A decision is the choice for a number of columns.
type decision struct {
	choice
	others []choice
}

func (p *planner) newTerm(t term, from origin) *plannedTerm {
	of := &plannedTerm{term: t, from: from, in: p.in, sample: p.sample, pairs: p.pairs, exact: t.exact(p.in), decisions: make(map[int]decision)}
	if s, ok := t.base.(stationary); ok && !(s.trusted && s.mixture != nil) {
		of.pairs = min(of.pairs, max(manyCoordinates/t.warp.dim(p.in), samplePairs))
	}
	return of
}

// manyCoordinates is the number of coordinates of all pairs together, above samplePairs, for stationary kernels
// that are computed coordinate by coordinate: those of all pairs of 300 points of R²²².
const manyCoordinates = 1e7

// newTerms returns the terms of a form, in which exponentials may be split off.
func (p *planner) newTerms(f form, split bool) (terms []*plannedTerm) {
	for i, t := range f {
		terms = append(terms, p.newTerm(t, origin{split, []int{i}}))
	}
	return terms
}

// isStationary reports whether a form of one term is stationary, without weights or exact features.
func (f form) isStationary() bool {
	s, ok := f[0].base.(stationary)
	return ok && !s.angle && f[0].weights == nil
}

// decide returns the best map of the term in at most out columns: of those for out and for one less, since
// pairs and complex draws take an even number.
func (t *plannedTerm) decide(out int) (decision, error) {
	if d, ok := t.decisions[out]; ok {
		return d, nil
	}
	d, err := t.decideFor(out)
	if out > leastShare {
		if less, refused := t.decideFor(out - 1); refused == nil && (err != nil || compareErrors(less.near*cheaper*cheaper, d.near) < 0) {
			d, err = less, nil
		}
	}
	if err == nil {
		t.decisions[out] = d
	}
	return d, err
}

// decideFor returns the best map of those that candidates have for at most out columns.
func (t *plannedTerm) decideFor(out int) (decision, error) {
	if t.found == nil {
		t.find()
	}
	l := &limit{unbounded: t.unbounded, near: math.Inf(1), reach: math.Inf(1)}
	var all []choice
	var refused error
	for i, c := range t.found {
		choices, err := c.choices(out, l)
		if err != nil && refused == nil {
			refused = err
		}
		for j, of := range choices {
			choices[j].from = i
			if i < t.reference {
				l.refer(of)
			}
		}
		all = append(all, choices...)
	}
	if len(all) == 0 {
		return decision{}, refused
	}
	var d decision
	d.choice, d.others = best(all, l)
	return d, nil
}

// find finds the candidates. Those whose error does not grow without bound, or grows least, come first, as
// the reference for the others.
func (t *plannedTerm) find() {
	self := otherSide{term: t.term}
	var centre []float64
	given := t.sample.centre != nil
	if given {
		centre = t.warp.image(t.sample.centre)
		given = len(t.sample.reach(t.warp.centred(centre), reachFactor).pairs) > 0
	}
	switch b := t.base.(type) {
	case stationary:
		c := t.fourier(self)
		c.centre = centre
		t.found = append(t.found, c)
		t.reference = 1
		if given {
			if side, ok := t.asDot(centre); ok {
				t.found = append(t.found, t.maclaurin(side))
			}
		}
	case dot:
		if side, ok := t.asStationary(); ok {
			t.reference, t.unbounded = 1, true
			t.found = append(t.found, t.fourier(side))
		}
		t.found = append(t.found, t.maclaurin(self))
		if c, ok := t.sums(self); ok {
			t.found = append(t.found, c)
		}
		if side, ok := t.asCentred(centre); ok && given {
			t.found = append(t.found, t.maclaurin(side))
		}
	case neuron:
		t.found = append(t.found, t.neurons(self, b.ArcCosine))
		t.reference = 1
	default:
		t.found = append(t.found, t.candidate(self, func(out int) ([]recipe, error) {
			r, err := t.compositional(out)
			if err != nil {
				return nil, err
			}
			return []recipe{r}, nil
		}))
		t.reference = 1
		if side, ok := t.asStationary(); ok {
			t.found = append([]candidate{t.fourier(side)}, t.found...)
			t.reference = 2
		}
		if side, ok := t.asDot(nil); ok && given {
			t.found = append(t.found, t.maclaurin(side))
		}
	}
}

// neurons returns the candidate of Neurons maps: of each design, and in whole blocks of directions.
func (t *plannedTerm) neurons(side otherSide, arc ArcCosine) candidate {
	return t.candidate(side, func(out int) (all []recipe, err error) {
		add := func(out int, d Design, form neuronForm) {
			r, refused := newNeuronsRecipe(arc, t.scale, t.warp, t.in, out, NeuronsOptions{Design: d})
			if err = cmp.Or(err, refused); err != nil {
				return
			}
			r.form = form
			if r.exact() < out {
				all = append(all, r)
			}
		}
		add(out, Independent, normalNeurons)
		add(out, Orthogonal, pairedNeurons)
		add(out, Orthogonal, foldedNeurons)
		if err == nil && len(all) == 3 {
			r := all[2].(*neuronsRecipe)
			if drawn, d := out-r.exact(), r.dim(); drawn > d && drawn%d > 0 {
				add(r.exact()+drawn/d*d, Orthogonal, foldedNeurons)
			}
		}
		return all, err
	})
}

// fourier returns the candidate of Fourier maps of a stationary term: of each design, in as many columns as
// there are or in whole blocks.
func (t *plannedTerm) fourier(side otherSide) *recipeCandidate {
	of := warpedSpectrum{side.base.(stationary).spectrum.scaled(side.scale), side.warp}
	tables := make(map[int]func() *covariance) // by block: recipes share them
	recipeOf := func(out int, o FourierOptions) (*fourierRecipe, error) {
		r, err := newFourierRecipe(of, t.in, out, o)
		if err != nil {
			return nil, err
		}
		if tables[r.block()] == nil {
			tables[r.block()] = r.table
		}
		r.table = tables[r.block()]
		return r, nil
	}
	return t.candidate(side, func(out int) (all []recipe, err error) {
		designs := []Design{Independent}
		if of.mixture != nil && of.trusted {
			designs[0] = Orthogonal
			if d := of.warp.dim(t.in); paddedDim(d) >= leastStructured {
				designs = append(designs, Structured)
				if float64(out/2)*float64(d)*float64(d) > mostOrthogonal {
					designs = designs[1:]
				}
			}
		}
		phase := out == 1
		if !phase {
			out &^= 1
		}
		for _, d := range designs {
			r, err := recipeOf(out, FourierOptions{Design: d, RandomPhase: phase})
			if err != nil {
				return nil, err
			}
			all = append(all, r)
			if whole := r.forms() / r.block() * r.block(); r.block() > 1 && whole > 0 && whole < r.forms() {
				r, err := recipeOf(2*whole, FourierOptions{Design: d})
				if err != nil {
					return nil, err
				}
				all = append(all, r)
			}
		}
		return all, nil
	})
}

const (
	// leastStructured is the least padded dimension for which structured frequencies are taken: there they
	// are faster, and their variance is predicted to a tenth.
	leastStructured = 128

	// mostOrthogonal is the number of multiply-adds beyond which orthogonal frequencies are not drawn where
	// structured ones are to be had: those of a second or two.
	mostOrthogonal = 1e10
)

// compositional returns the Compositional map that NewPlan describes.
func (t *plannedTerm) compositional(out int) (recipe, error) {
	if t.fit == nil {
		g, err := t.graph(t.in)
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

// graph returns the graph of the term on R^in, without its weights.
func (t term) graph(in int) (*graph, error) {
	if k, ok := t.base.(skeletonKernel); ok && t.scale == 1 && t.warp.identity() {
		return k.graph, k.graph.validateDraws()
	}
	sk := NewSkeleton(in)
	cols := make([]int, in)
	for i := range cols {
		cols[i] = i
	}
	t.weights = nil
	sk.plantTerm(t, cols)
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
	d, err := t.decide(columns)
	if err != nil {
		return 0, err
	}
	deviation := math.Sqrt(d.near * float64(d.columns-d.exact))
	if s, ok := t.base.(stationary); ok && t.sample.centre == nil {
		// Points may be farther from each other than those of the sphere: a geometric mean with that of points
		// so far that the kernel is 0, which counts twice.
		far := t.scale * s.mass
		deviation = math.Cbrt(deviation * far * far)
	}
	return coarse(deviation), nil
}
