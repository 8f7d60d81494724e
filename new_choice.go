// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// A choice is a map of a term in some number of columns, before its recipe is made.
type choice struct {
	side otherSide // the term as it is mapped
	kind string    // the kind of map and its options
	from int       // the number of its candidate
	far  bool      // not admitted: it is too bad far out

	columns, exact int     // all columns, and those that are exact
	near           float64 // the mean over pairs of the squared error
	reach          float64 // that over pairs of points far out
	work           float64 // of a transform, in multiply-adds for a point, about

	make func() (recipe, error)
}

// A candidate is a kind of map of a term. It returns its choices for at most out columns. Of several laws it
// takes one that l admits, if there is one.
type candidate interface {
	choices(out int, l *limit) ([]choice, error)
}

// A limit is that of errors far out, where some maps, those of reference, are the safest. If their errors
// are bounded, and others' are not, the others must not be worse there. If none is bounded, as of weighted
// features, far out is where the farthest points are, and others may lose there not much more than they win at
// all points.
type limit struct {
	unbounded   bool
	near, reach float64 // the mean squared errors of the reference
}

// admits tells whether a choice with these errors is within the limit; any is if there is no reference.
func (l *limit) admits(near, reach float64) bool {
	switch {
	case l.reach == 0:
		return coarse(reach) == 0
	case l.unbounded && near <= l.near:
		reach *= near / l.near / spoilt
	}
	return math.IsInf(l.reach, 1) || coarse(reach) <= coarse(l.reach)
}

// spoilt is how much more of the mean squared error others may lose far out than they win at all points.
const spoilt = 10

// refer makes the better of the reference and a choice the reference.
func (l *limit) refer(c choice) {
	if c.reach < l.reach || c.reach == l.reach && c.near < l.near {
		l.near, l.reach = c.near, c.reach
	}
}

// cheaper is how much larger the error of a cheaper transform may be.
const cheaper = 1.05

// best returns, of the choices that the limit admits, the one of least work among those whose error is within a
// few per cent of the least. The others are the best of each other candidate, in the order of their errors.
func best(choices []choice, l *limit) (c choice, others []choice) {
	admitted := slices.DeleteFunc(slices.Clone(choices), func(c choice) bool { return !l.admits(c.near, c.reach) })
	if len(admitted) == 0 {
		admitted = choices[:1]
	}
	byError := func(a, b choice) int { return compareErrors(a.near, b.near) }
	byWork := func(a, b choice) int {
		return cmp.Or(cmp.Compare(coarse(a.work), coarse(b.work)), byError(a, b))
	}
	least := slices.MinFunc(admitted, byError).near
	c = slices.MinFunc(slices.DeleteFunc(slices.Clone(admitted), func(c choice) bool {
		return compareErrors(c.near, cheaper*cheaper*least) > 0
	}), byWork)
	candidates := map[int]bool{c.from: true}
	slices.SortStableFunc(choices, byError)
	for _, o := range choices {
		o.far = !l.admits(o.near, o.reach)
		if !candidates[o.from] {
			candidates[o.from] = true
			others = append(others, o)
		}
	}
	return c, others
}

// compareErrors orders mean squared errors, unknown ones last.
func compareErrors(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return -cmp.Compare(a, b) // cmp takes NaN for the least
	}
	return cmp.Compare(coarse(a), coarse(b))
}

// A recipeCandidate is a kind of map whose error follows from the statistics of its recipes.
type recipeCandidate struct {
	side   otherSide
	sample *sample
	pairs  int       // at least
	factor float64   // how far out
	centre []float64 // from there, if it is not nil and makes no difference to the kernel

	// make returns the recipes for at most out columns.
	make func(out int) ([]recipe, error)

	near, reach map[string][]float64 // means of statistics, by kind of recipe
}

func (t *plannedTerm) candidate(side otherSide, make func(out int) ([]recipe, error)) *recipeCandidate {
	return &recipeCandidate{side: side, sample: t.sample, pairs: t.pairs, factor: t.factor(), make: make,
		near: map[string][]float64{}, reach: map[string][]float64{}}
}

// factor returns how far out errors are compared.
func (t *plannedTerm) factor() float64 {
	if t.unbounded {
		return 1
	}
	return reachFactor
}

func (c *recipeCandidate) choices(out int, _ *limit) (all []choice, err error) {
	recipes, err := c.make(out)
	for _, r := range recipes {
		near, reach := c.means(r)
		exact := 0
		if of, ok := r.(interface{ exact() int }); ok {
			exact = of.exact()
		}
		all = append(all, choice{
			side: c.side, kind: r.String(), columns: r.shape().columns, exact: exact,
			near: r.variance(near), reach: r.variance(reach), work: workOf(r),
			make: func() (recipe, error) { return r, nil },
		})
	}
	return all, err
}

// means returns the means of a recipe's statistics over pairs, and over those of points far out.
func (c *recipeCandidate) means(r recipe) (near, reach []float64) {
	kind, most := r.String(), c.pairs
	if of, ok := r.(*compositionalRecipe); ok {
		kind, most = fmt.Sprint(of.opts), samplePairs
	}
	if c.near[kind] == nil {
		c.near[kind] = c.sample.near(c.side.term, r.shape().warp, most).means(r)
		at := r.shape().warp
		if c.centre != nil {
			at = at.centred(c.centre)
		}
		c.reach[kind] = c.sample.out(c.side, at, c.factor).means(r)
	}
	return c.near[kind], c.reach[kind]
}

// weightedPairs are pairs with the squared weights of a term at both points.
type weightedPairs struct {
	pairs   []pair
	squares []float64
}

// near returns at least most pairs behind a warp, with the weights of a term.
func (p *sample) near(t term, w warp, most int) weightedPairs {
	v := p.view(w, most)
	at := make([]float64, len(p.rows))
	for i, row := range p.rows {
		at[i] = square(t.weight(row))
	}
	of := weightedPairs{v.pairs, make([]float64, len(v.pairs))}
	for k, n := range v.numbers {
		of.squares[k] = at[n[0]] * at[n[1]]
	}
	return of
}

// out returns the pairs far out behind a warp, by a factor, with the weights that the side of a term adds.
func (p *sample) out(side otherSide, w warp, factor float64) weightedPairs {
	v := p.reach(w, factor)
	of := weightedPairs{v.pairs, make([]float64, len(v.pairs))}
	for k, q := range v.pairs {
		of.squares[k] = 1
		if side.added.of != nil {
			of.squares[k] = square(side.added.of.Weight(q.a.x)) * square(side.added.of.Weight(q.b.x))
		}
	}
	return of
}

// reachOf returns the largest norm that a recipe is made for.
func (p *sample) reachOf(side otherSide, r recipe) float64 {
	switch r := r.(type) {
	case *fourierRecipe:
		if side.added.of == nil {
			return math.Inf(1)
		}
	case *neuronsRecipe:
		if r.arc.Order == 0 {
			return math.Inf(1)
		}
	}
	if p.centre == nil {
		return 1
	}
	var largest float64
	for _, row := range slices.Concat(p.distant, p.long, p.rows) {
		if norm := floats.Norm(row, 2); r.shape().warp.centre == nil {
			largest = max(largest, norm)
		} else {
			largest = max(largest, floats.Distance(row, p.centre, 2))
		}
	}
	return coarse(reachFactor * largest)
}

// byDistance returns pairs at a few hundred distances, with weights such that means of smooth functions of
// the distance over them are those over w: each pair is shared out to four distances, a fixed ratio apart,
// by the weights of cubic interpolation. The error is about 1e-6 of a function such as z⁴.
func (w weightedPairs) byDistance() weightedPairs {
	const step = 0.02 // of log z
	shares := make(map[int]float64)
	var zero float64
	for k, p := range w.pairs {
		if p.distance == 0 {
			zero += w.squares[k]
			continue
		}
		u := math.Log(p.distance) / step
		if !(math.Abs(u) <= 1e6) {
			return w // not finite
		}
		i := math.Floor(u)
		t := u - i
		for j, c := range [...]float64{-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2, -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6} {
			shares[int(i)+j-1] += c * w.squares[k]
		}
	}
	of := weightedPairs{[]pair{{}}, []float64{zero}}
	for _, i := range slices.Sorted(maps.Keys(shares)) {
		of.pairs = append(of.pairs, pair{distance: math.Exp(step * float64(i))})
		of.squares = append(of.squares, shares[i])
	}
	scale := float64(len(of.pairs)) / float64(len(w.pairs)) // of means over so many pairs
	for i := range of.squares {
		of.squares[i] *= scale
	}
	return of
}

// means returns the means of a recipe's statistics.
func (w weightedPairs) means(r recipe) []float64 {
	if f, ok := r.(*fourierRecipe); ok && f.mixture != nil && f.trusted {
		w = w.byDistance()
	}
	means := make([]float64, r.statistics())
	var of pair // keeps its buffers
	for k := range w.pairs {
		delta, zero := of.delta, of.zero
		of = w.pairs[k]
		of.delta, of.zero = delta, zero
		r.add(means, &of, w.squares[k]/float64(len(w.pairs)))
	}
	return means
}

// workOf returns about how many multiply-adds a transform takes for a point.
func workOf(r recipe) float64 {
	const cosine = 10 // of a pair of columns
	in, columns := float64(r.shape().in), float64(r.shape().columns)
	switch r := r.(type) {
	case *fourierRecipe:
		forms := float64(r.forms())
		if r.design() == Structured {
			p := paddedDim(r.dim())
			return 3*math.Ceil(forms/float64(p))*float64(p*bits.Len(uint(p-1))) + cosine*forms
		}
		return forms * (in + cosine)
	case *maclaurinRecipe:
		if r.terms != nil {
			return float64(r.draws()) * sumFactors(r.terms) * in
		}
	}
	return in * columns
}
