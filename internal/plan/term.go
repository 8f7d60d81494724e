// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/neurons"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// The candidates of a term: which kinds of maps are possible, and which one is chosen for a number of columns.

// A plannedTerm is a term for which maps of several sizes are planned.
type plannedTerm struct {
	form.Term
	from   Origin
	in     int
	seeded random.New
	sample *sample.Sample
	pairs  int    // the least number of pairs for the means of statistics
	biased bool   // whether maps with a bias are candidates
	shared int    // the number of terms of the kernel
	most   int    // the number of columns of the whole map; 0 if a search finds it
	alone  bool   // whether it is the only term
	exact  *Exact // nil if the term has no exact features

	// For a mixture: its constant addend, and whether one of its terms would have exact features.
	constant float64
	hasExact bool

	center []float64 // the mean of the points, behind the warp; nil without points
	around bool      // whether points differ behind the warp

	fit       *fitter // for Compositional maps
	sobol     *sobolCandidate
	found     []candidate
	inPairs   bool             // whether the reference is Fourier maps of pairs
	reference int              // how many candidates, from the first on, are the reference: see limit
	unbounded bool             // see limit
	decisions map[int]decision // by the number of columns
}

// decision is the choice for a number of columns, and the choices that were not taken.
type decision struct {
	choice
	others []choice
	limit  *limit
}

func (p *planner) newTerm(t form.Term, from Origin) *plannedTerm {
	planned := &plannedTerm{Term: t, from: from, in: p.in, seeded: p.seeded, sample: p.sample, pairs: p.pairs, biased: p.biased, exact: exactOf(t, p.in),
		shared: p.terms, most: p.most, alone: p.terms == 1 && !from.Split, decisions: make(map[int]decision)}
	if s, ok := t.Base.(form.Stationary); ok && !(s.Trusted && s.Mixture != nil) {
		planned.pairs = min(planned.pairs, max(manyCoordinates/t.Warp.Dim(p.in), sample.MinPairs))
	}
	return planned
}

// manyCoordinates is the number of coordinates of all pairs together, beyond sample.MinPairs pairs, for stationary
// kernels that are computed coordinate by coordinate. All pairs of 300 points of R²²² have as many.
const manyCoordinates = 1e7

// newTerms returns the terms of a form to be planned. split says whether its exponentials were split off.
func (p *planner) newTerms(f form.Form, split bool) (terms []*plannedTerm) {
	for i, t := range f {
		terms = append(terms, p.newTerm(t, Origin{split, []int{i}}))
	}
	return terms
}

// decide returns the best map of the term in at most out columns. This is the one for out columns, or the one for
// out − 1 if it is clearly better, because pairs and complex features take an even number of columns.
func (t *plannedTerm) decide(out int) (decision, error) {
	if d, ok := t.decisions[out]; ok {
		return d, nil
	}
	d, err := t.decideFor(out)
	if out > leastShare && (err != nil || t.mayGainByOneLess(out, d)) {
		if less, refused := t.decideFor(out - 1); refused == nil && (err != nil || compareErrors(less.ranked()*cheaper*cheaper, d.ranked()) < 0) {
			d, err = less, nil
		}
	}
	if err == nil {
		t.decisions[out] = d
	}
	return d, err
}

// mayGainByOneLess tells whether the map with one column fewer may be clearly better than d, the map with out columns.
// Fourier maps of pairs never are, so if these are the reference only the other candidates are considered.
func (t *plannedTerm) mayGainByOneLess(out int, d decision) bool {
	if !t.inPairs {
		return true
	}
	for _, c := range t.found[t.reference:] {
		if _, ok := c.(*sobolCandidate); ok {
			continue
		}
		choices, err := c.choices(out-1, d.limit)
		gains := func(o choice) bool {
			return o.admitted(d.limit) && compareErrors(o.ranked()*cheaper*cheaper, d.ranked()) < 0
		}
		if err == nil && slices.ContainsFunc(choices, gains) {
			return true
		}
	}
	return false
}

// decideFor returns the best map of all candidates' maps with at most out columns.
func (t *plannedTerm) decideFor(out int) (decision, error) {
	if t.found == nil {
		t.find()
	}
	l := newLimit()
	l.forPoints, l.unbounded = t.sample.Center != nil, t.unbounded
	var all []choice
	var refused error
	reference := 0 // the candidate of the reference
	for i, c := range t.found {
		choices, err := c.choices(out, l)
		if err != nil && refused == nil {
			refused = err
		}
		for j, offered := range choices {
			choices[j].from = i
			if i < t.reference && l.refer(offered) {
				reference = i
			}
			l.meet(offered)
		}
		all = append(all, choices...)
	}
	if len(all) == 0 {
		return decision{}, refused
	}
	for i := range all {
		all[i].reference = all[i].from == reference && reference < t.reference
	}
	d := decision{limit: l}
	d.choice, d.others = best(all, l)
	return d, nil
}

// find finds the candidates. Those whose errors are bounded, or grow most slowly with the norms of points, come
// first: they are the reference for the others.
func (t *plannedTerm) find() {
	if c := t.sample.Center; c != nil {
		t.center = t.Warp.Image(c)
		t.around = len(t.sample.FarView(t.Warp.Centered(t.center), sample.FarFactor).Pairs) > 0
	}
	if _, ok := t.Base.(form.Dot); ok {
		_, t.unbounded = t.AsStationary()
	}
	var others []candidate
	for _, k := range Kinds {
		if k.candidates != nil {
			found, more := k.candidates(t)
			t.found, others = append(t.found, found...), append(others, more...)
		}
	}
	t.reference = len(t.found)
	t.found = append(t.found, others...)
	if t.sobol != nil { // the last, because it takes long to find that others are better
		t.found = append(t.found, t.sobol)
	}
}

// neuronsCandidates returns Neurons maps of each design, and of whole blocks of orthogonal directions.
func (t *plannedTerm) neuronsCandidates() (reference, others []candidate) {
	b, ok := t.Base.(form.Neuron)
	if !ok {
		return nil, nil
	}
	return []candidate{t.candidate(form.Side{Term: t.Term}, func(out int) (all []recipe.Recipe, err error) {
		add := func(out int, form neurons.Layout) {
			r := neurons.New(b.Order, t.Scale, t.Warp, t.in, out, form != neurons.Normal)
			r.Layout = form
			if r.Exact() < out {
				all = append(all, r)
			}
		}
		add(out, neurons.Normal)
		add(out, neurons.Paired)
		add(out, neurons.Folded)
		if len(all) == 3 {
			exact, d := all[2].Exact(), all[2].Shape().Dim()
			if drawn := out - exact; drawn > d && drawn%d > 0 {
				add(exact+drawn/d*d, neurons.Folded)
			}
		}
		return all, nil
	})}, nil
}

// fourierCandidates returns Fourier maps of a stationary term, or of the other side of an exponential.
func (t *plannedTerm) fourierCandidates() (reference, others []candidate) {
	if _, ok := t.Base.(form.Stationary); ok {
		c := t.fourier(form.Side{Term: t.Term})
		c.center = t.center
		t.inPairs, t.sobol = true, t.sobolCandidate(c)
		return []candidate{c}, nil
	}
	if side, ok := t.AsStationary(); ok {
		t.inPairs = true
		return []candidate{t.fourier(side)}, nil
	}
	return nil, nil
}

// fourier returns the candidate of Fourier maps of a stationary side of the term: for each design and each kind of
// radii, with as many columns as there are, and with as many whole blocks as fit.
func (t *plannedTerm) fourier(side form.Side) *recipeCandidate {
	family := t.newFourierFamily(side)
	return t.candidate(side, func(out int) (all []recipe.Recipe, err error) {
		phase := out == 1
		if !phase {
			out &^= 1
		}
		for _, o := range family.options(out) {
			o.RandomPhase = phase
			r, err := family.recipe(out, o)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
			if whole := r.Forms() / r.Block() * r.Block(); r.Block() > 1 && whole > 0 && whole < r.Forms() {
				r, err := family.recipe(2*whole, o)
				if err != nil {
					return nil, err
				}
				all = append(all, r)
			}
		}
		return all, nil
	})
}

// fourierFamily makes the recipes of Fourier maps of a stationary side of a term. By the size of orthogonal blocks,
// recipes share what is slow to compute.
type fourierFamily struct {
	*plannedTerm
	spectrum.Warped
	covariances map[int]func() *fourier.Covariance
	laws        map[int]func() *radial.Law
	strata      map[int]func() *fourier.StrataFamily
	quantiles   func() [][]fourier.TauQuantile
}

func (t *plannedTerm) newFourierFamily(side form.Side) *fourierFamily {
	return &fourierFamily{t, spectrum.Warped{Spectrum: side.Base.(form.Stationary).Spectrum.Scaled(side.Scale), Warp: side.Warp},
		map[int]func() *fourier.Covariance{}, map[int]func() *radial.Law{}, map[int]func() *fourier.StrataFamily{}, nil}
}

// recipe returns the recipe of a map.
func (f *fourierFamily) recipe(out int, o fourier.Options) (*fourier.Recipe, error) {
	r, err := fourier.New(f.Warped, f.in, out, o, f.seeded)
	if err != nil {
		return nil, err
	}
	d := r.Block()
	if f.covariances[d] == nil {
		f.covariances[d] = r.Table
	}
	r.Table = f.covariances[d]
	if o.Stratified {
		if f.strata[d] == nil {
			f.laws[d], f.strata[d] = r.Law, r.Family
		}
		r.Law, r.Family = f.laws[d], f.strata[d]
	}
	if o.Design == design.Sobol {
		if f.quantiles == nil {
			f.quantiles = r.Quantiles
		}
		r.Quantiles = f.quantiles
	}
	return r, nil
}

// options returns the designs to try for a number of columns, with their kinds of radii.
func (f *fourierFamily) options(out int) (all []fourier.Options) {
	if f.Mixture == nil || !f.Trusted {
		return []fourier.Options{{Design: design.Independent}}
	}
	designs := []design.Design{design.Orthogonal}
	if d := f.Warp.Dim(f.in); design.PaddedDim(d) >= leastStructured {
		designs = append(designs, design.Structured)
		if float64(out/2)*float64(d)*float64(d) > mostOrthogonal {
			designs = designs[1:]
		}
	}
	for _, d := range designs {
		all = append(all, fourier.Options{Design: d})
		if f.Warped.Laws != nil {
			all = append(all, fourier.Options{Design: d, Stratified: true})
		}
	}
	return all
}

const (
	// leastStructured is the least padded dimension for which structured frequencies are tried. From there on
	// they are faster than orthogonal ones, and their variance is known to a tenth.
	leastStructured = 128

	// mostOrthogonal is the number of multiply-adds beyond which orthogonal frequencies are not used if
	// structured ones are possible: sampling them takes a second or two.
	mostOrthogonal = 1e10
)

// compositionalCandidates returns Compositional maps for terms without a map of another kind.
func (t *plannedTerm) compositionalCandidates() (reference, others []candidate) {
	switch t.Base.(type) {
	case form.Stationary, form.Dot, form.Neuron:
		return nil, nil
	}
	return []candidate{t.candidate(form.Side{Term: t.Term}, func(out int) ([]recipe.Recipe, error) {
		r, err := t.compositional(out)
		if err != nil {
			return nil, err
		}
		return []recipe.Recipe{r}, nil
	})}, nil
}

// compositional returns a Compositional map in at most out columns, with as many samples as are sure to fit: see
// fitter.
func (t *plannedTerm) compositional(out int) (recipe.Recipe, error) {
	if t.fit == nil {
		g, err := graph.GraphOf(t.Term, t.in)
		if err != nil {
			return nil, graph.NoMap(err)
		}
		if t.fit, err = newFitter(g, t.seeded); err != nil {
			return nil, graph.NoMap(err)
		}
	}
	if out < t.fit.perDraw {
		return nil, &TooFew{out, t.fit.perDraw}
	}
	r := &graph.Recipe{Frame: recipe.Frame{In: t.in, Columns: out}, Graph: t.fit.graph}
	_, written := t.Base.(graph.Kernel)
	r.Planted = !written
	r.Draws = t.fit.draws(out)
	return r, r.Validate()
}

// deviation returns the root mean square error over the sample of the term's map in about the given number of
// columns, times the square root of the number of random columns.
func (t *plannedTerm) deviation(columns int) (float64, error) {
	d, err := t.decide(columns)
	if err != nil {
		return 0, err
	}
	deviation := math.Sqrt(d.squaredError * float64(d.columns-d.exact))
	if s, ok := t.Base.(form.Stationary); ok && t.sample.Center == nil {
		// Points may be farther from each other than points of the sphere. So this is a geometric mean with
		// the deviation at points so far from each other that the kernel is 0, which counts twice.
		atFar := t.Scale * s.Mass
		deviation = math.Cbrt(deviation * atFar * atFar)
	}
	return arith.Coarse(deviation), nil
}
