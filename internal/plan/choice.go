// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// choice is a map of a term in some number of columns, before its recipe is made.
type choice struct {
	side   form.Side // the term in the form that is mapped
	from   int       // the index of its candidate in plannedTerm.found
	barred bool      // whether the limit rejects its error at far points

	// The mean square of the bias at pairs of a point and itself. Choices are ranked by the error of a kernel matrix.
	ownError float64

	squaredBias float64 // the part of squaredError that is bias

	estimated bool // whether its errors are estimates; then it must gain more: see sobolGain
	reference bool // whether it comes from the same candidate as the reference: see limit

	columns, exact int     // the number of columns, and of exact columns
	squaredError   float64 // the mean squared error over the pairs of the sample
	farError       float64 // the mean squared error over pairs of far points
	farValue       float64 // the mean square of the kernel over these pairs if the error is bounded, else 0
	work           float64 // about how many multiply-adds a transform takes for a point

	make func() (recipe.Recipe, error)
}

// A candidate is a kind of map for a term. Its method choices returns maps of at most out columns. Where several laws of
// degrees are possible it takes one that l admits, if there is one.
type candidate interface {
	choices(out int, l *limit) ([]choice, error)
}

// limit bounds the errors of maps at far points. The choices of some candidates, the reference, are the safest there,
// and the best of them sets the limit. If its error is bounded, the error of another map must be no larger at far
// points.
//
// If the error of no map is bounded, as with weighted features, the points of largest norm serve as far points (see
// plannedTerm.factor). Then the error of another map at far points may be larger by spoilt times the factor by which it
// is smaller over the whole sample.
type limit struct {
	forPoints              bool    // whether there are given points, and so pairs of far points
	unbounded              bool    // whether the error of no map is bounded
	squaredError, farError float64 // the mean squared errors of the reference, +Inf without one
	least                  float64 // the least error, as ranked, of the admitted choices so far that are not estimates
}

func newLimit() *limit {
	return &limit{squaredError: math.Inf(1), farError: math.Inf(1), least: math.Inf(1)}
}

// meet updates the limit by a choice.
func (l *limit) meet(c choice) {
	if !c.estimated && c.admitted(l) {
		l.least = min(l.least, c.ranked())
	}
}

// admits tells whether a choice with these errors is within the limit. Without a reference every choice is.
func (l *limit) admits(squaredError, farError float64) bool {
	switch {
	case l.farError == 0:
		return arith.Coarse(farError) == 0
	case l.unbounded && squaredError <= l.squaredError:
		farError *= squaredError / l.squaredError / spoilt
	}
	return math.IsInf(l.farError, 1) || arith.Coarse(farError) <= arith.Coarse(l.farError)
}

// admitted tells whether a choice may be taken. Choices of the reference's candidate always may: they hardly differ
// except in their numbers of columns (whole blocks and cut ones), and one of them has the least error at far points.
// Other choices may if the limit admits them, or if their error is bounded and, at far points, no larger than the error
// of features that are 0.
func (c choice) admitted(l *limit) bool {
	return c.reference || l.admits(c.squaredError, c.farError) || c.estimated && arith.Coarse(c.farError) <= arith.Coarse(sobolFar*l.farError) || arith.Coarse(c.farError) <= arith.Coarse(c.farValue)
}

// ranked returns the error by which choices are compared: the mean squared error over pairs, plus the bias at the
// points themselves with the share that they have in a kernel matrix of some rows.
func (c choice) ranked() float64 {
	const matrixRows = 1000
	return c.squaredError + c.ownError/matrixRows
}

// spoilt is the largest ratio of two factors: how much larger than the reference's a map's mean squared error may be at
// far points, and how much smaller it is over the sample.
const spoilt = 10

// refer makes a choice of a reference candidate the reference if it is better than the current one, and reports
// this.
func (l *limit) refer(c choice) (better bool) {
	if better = c.farError < l.farError || c.farError == l.farError && c.squaredError < l.squaredError; better {
		l.squaredError, l.farError = c.squaredError, c.farError
	}
	return better
}

// cheaper is the factor by which the error of a map with a cheaper transform may exceed the least error. lessWork is
// the part of the best map's work that its transform may take for this.
const (
	cheaper  = 1.05
	lessWork = 0.85

	// For a reference, such as structured frequencies compared with orthogonal ones, a map with much less work may have
	// more error: its transform takes a fifth of the time or less, and twice as many columns make up for the error.
	muchCheaper = 1.25
	muchLess    = 8
)

// best returns the choice c that the planner takes, among those that the limit admits (the first of all if it admits
// none). It has the least work among the choice with the least error and those whose error is at most cheaper times
// this error; for given points their work must be clearly less. others are the best choices of the other candidates, by
// ascending errors.
func best(choices []choice, l *limit) (c choice, others []choice) {
	admitted := slices.DeleteFunc(slices.Clone(choices), func(c choice) bool { return !c.admitted(l) })
	if len(admitted) == 0 {
		admitted = choices[:1]
	}
	byError := func(a, b choice) int { return compareErrors(a.ranked(), b.ranked()) }
	admitted = withoutSmallGains(admitted, byError)
	byWork := func(a, b choice) int {
		return cmp.Or(cmp.Compare(arith.Coarse(a.work), arith.Coarse(b.work)), byError(a, b))
	}
	least := slices.MinFunc(admitted, byError)
	c = slices.MinFunc(slices.DeleteFunc(slices.Clone(admitted), func(c choice) bool {
		factor := cheaper
		if c.reference && c.from == least.from && arith.Coarse(c.work) <= arith.Coarse(least.work/muchLess) {
			factor = muchCheaper
		}
		return compareErrors(c.ranked(), factor*factor*least.ranked()) > 0 ||
			l.forPoints && compareErrors(c.ranked(), least.ranked()) > 0 && arith.Coarse(c.work) > arith.Coarse(lessWork*least.work)
	}), byWork)
	candidates := map[int]bool{c.from: true}
	slices.SortStableFunc(choices, byError)
	for _, o := range choices {
		o.barred = !o.admitted(l)
		if !candidates[o.from] {
			candidates[o.from] = true
			others = append(others, o)
		}
	}
	return c, others
}

// withoutSmallGains returns choices without the estimated ones that are not clearly better than the best other choice.
func withoutSmallGains(choices []choice, byError func(a, b choice) int) []choice {
	sure := slices.DeleteFunc(slices.Clone(choices), func(c choice) bool { return c.estimated })
	if len(sure) == 0 {
		return choices
	}
	least := slices.MinFunc(sure, byError)
	return slices.DeleteFunc(choices, func(c choice) bool {
		return c.estimated && !(compareErrors(c.ranked(), sobolGain*least.ranked()) < 0)
	})
}

// compareErrors orders mean squared errors, unknown ones last.
func compareErrors(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return -cmp.Compare(a, b) // cmp takes NaN for the smallest
	}
	return cmp.Compare(arith.Coarse(a), arith.Coarse(b))
}

// recipeCandidate is a kind of map whose error follows from the statistics of its recipes.
type recipeCandidate struct {
	side   form.Side
	sample *sample.Sample
	pairs  int       // the least number of pairs for the means of statistics
	factor float64   // the factor by which far points are moved outward
	center []float64 // the point from which they are moved, where the kernel allows any; nil: 0

	// make returns the recipes for at most out columns.
	make func(out int) ([]recipe.Recipe, error)

	means, farMeans map[any][]float64 // means of statistics, by the keys of recipes
	seen            *seenPairs        // the pairs of the last recipe; the next one usually needs the same
}

// seenPairs are the pairs of a sample and of far points behind a warp: one set for recipes whose statistics depend on
// distances only, and one for other recipes.
type seenPairs struct {
	warp       warp.Warp
	most       int
	byDistance bool
	pairs, far weightedPairs
}

// candidate returns the candidate of the recipes that make returns for a side of the term.
func (t *plannedTerm) candidate(side form.Side, make func(out int) ([]recipe.Recipe, error)) *recipeCandidate {
	return &recipeCandidate{side: side, sample: t.sample, pairs: t.pairs, factor: t.factor(), make: make,
		means: map[any][]float64{}, farMeans: map[any][]float64{}}
}

// factor returns the factor by which rows are moved outward to get the far points at which errors are compared: see
// limit.
func (t *plannedTerm) factor() float64 {
	if t.unbounded {
		return 1
	}
	return sample.FarFactor
}

func (c *recipeCandidate) choices(out int, _ *limit) (all []choice, err error) {
	recipes, err := c.make(out)
	for _, r := range recipes {
		means, farMeans := c.meansOf(r)
		all = append(all, choice{
			side: c.side, columns: r.Shape().Columns, exact: r.Exact(),
			squaredError: r.Variance(means), farError: r.Variance(farMeans), work: r.Work(),
			make: func() (recipe.Recipe, error) { return r, nil },
		})
	}
	return all, err
}

// meansOf returns the means of a recipe's statistics over the pairs of the sample, and over pairs of far points.
func (c *recipeCandidate) meansOf(r recipe.Recipe) (means, farMeans []float64) {
	key := r.Key()
	if c.means[key] == nil {
		p := c.pairsFor(r)
		c.means[key], c.farMeans[key] = p.pairs.means(r), p.far.means(r)
	}
	return c.means[key], c.farMeans[key]
}

// pairsFor returns the pairs for a recipe.
func (c *recipeCandidate) pairsFor(r recipe.Recipe) *seenPairs {
	w, most, byDistance := r.Shape().Warp, min(c.pairs, r.MostPairs()), r.ByDistance()
	if p := c.seen; p != nil && p.most == most && p.byDistance == byDistance && p.warp.Equal(w) {
		return p
	}
	at := w
	if c.center != nil {
		at = at.Centered(c.center)
	}
	p := &seenPairs{w, most, byDistance, weightedView(c.sample, c.side.Term, w, most), weightedFarView(c.sample, c.side, at, c.factor)}
	if byDistance {
		p.pairs, p.far = p.pairs.byDistance(), p.far.byDistance()
	}
	c.seen = p
	return p
}

// weightedPairs are pairs, each with the square of the product of the weights at its two points.
type weightedPairs struct {
	pairs   []sample.Pair
	squares []float64
}

// weightedView returns pairs of the sample behind a warp, most or somewhat more (see sample.Sample.Numbers), with the
// weights of a term.
func weightedView(p *sample.Sample, t form.Term, w warp.Warp, most int) weightedPairs {
	v := p.View(w, most)
	at := p.Weights(t.Weighing(p.In), p.Rows)
	weighted := weightedPairs{v.Pairs, make([]float64, len(v.Pairs))}
	for k, n := range v.Numbers {
		weighted.squares[k] = arith.Square(at[n[0]]) * arith.Square(at[n[1]])
	}
	return weighted
}

// ownPairs returns the pairs of each row of the sample and itself, behind a warp, with the weights of a
// term.
func ownPairs(p *sample.Sample, t form.Term, w warp.Warp) weightedPairs {
	at := p.Weights(t.Weighing(p.In), p.Rows)
	weighted, memory := weightedPairs{squares: make([]float64, len(at))}, new(sample.Memory)
	for i, x := range p.Behind(w, p.Rows) {
		weighted.pairs = append(weighted.pairs, sample.NewPair(x, x, memory))
		weighted.squares[i] = arith.Square(arith.Square(at[i]))
	}
	return weighted
}

// weightedFarView returns the pairs of points that FarView moves outward by a factor, behind a warp. It uses only the
// weight that the side adds to the term's own weights.
func weightedFarView(p *sample.Sample, side form.Side, w warp.Warp, factor float64) weightedPairs {
	v := p.FarView(w, factor)
	weighted := weightedPairs{v.Pairs, make([]float64, len(v.Pairs))}
	at := make([]float64, len(v.Points))
	for i, x := range v.Points {
		if at[i] = 1; side.Added.Weighter != nil {
			at[i] = arith.Square(side.Added.Weighter.Weight(x.Coordinates(w.Dim(p.In))))
		}
	}
	for k, n := range v.Numbers {
		weighted.squares[k] = at[n[0]] * at[n[1]]
	}
	return weighted
}

// maxNormOf returns the largest norm, behind its warp, of the points that a recipe is made for; +Inf if its error is
// bounded.
func maxNormOf(p *sample.Sample, side form.Side, r recipe.Recipe) float64 {
	switch {
	case r.Bounded() && side.Added.Weighter == nil:
		return math.Inf(1)
	case p.Center == nil:
		return 1
	}
	return arith.Coarse(sample.FarFactor * p.Outermost(r.Shape().Warp).Norm)
}

// byDistance returns pairs at a few hundred distances, with weights such that the mean of a smooth function of
// the distance z is the same as over w. Each pair is divided among four distances, a fixed ratio apart, by the
// weights of cubic interpolation. The relative error is about 1e-6 for a function such as z⁴.
func (w weightedPairs) byDistance() weightedPairs {
	var shared sharedDistances
	for k, p := range w.pairs {
		if !shared.add(p.Distance, w.squares[k]) {
			return w
		}
	}
	return shared.gathered()
}

// sharedDistances collects distances for weightedPairs.byDistance.
type sharedDistances struct {
	shares [2 * sample.MostLogs]float64
	taken  [2 * sample.MostLogs]bool
	zero   float64 // the total weight of distances of 0
	count  int
}

// add divides a distance with its weight among the table's distances. It returns false if the distance is not finite,
// or unreasonably large.
func (s *sharedDistances) add(distance, weight float64) (ok bool) {
	s.count++
	if distance == 0 {
		s.zero += weight
		return true
	}
	first, weights, ok := sample.AroundLog(distance)
	if ok {
		for j, c := range weights {
			s.shares[first+j] += float64(c * weight)
			s.taken[first+j] = true
		}
	}
	return ok
}

// gathered returns the distances that have a share.
func (s *sharedDistances) gathered() weightedPairs {
	gathered := weightedPairs{[]sample.Pair{{}}, []float64{s.zero}}
	for i, taken := range s.taken {
		if taken {
			gathered.pairs = append(gathered.pairs, sample.Pair{Distance: sample.AtLog(i)})
			gathered.squares = append(gathered.squares, s.shares[i])
		}
	}
	scale := float64(len(gathered.pairs)) / float64(s.count) // because means divides by the number of pairs
	for i := range gathered.squares {
		gathered.squares[i] *= scale
	}
	return gathered
}

// means returns the means of a recipe's statistics over pairs, multiplied by their squared weights.
func (w weightedPairs) means(r recipe.Recipe) []float64 {
	means := make([]float64, r.Statistics())
	for k := range w.pairs {
		r.Add(means, &w.pairs[k], w.squares[k]/float64(len(w.pairs)))
	}
	return means
}
