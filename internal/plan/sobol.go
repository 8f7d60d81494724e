// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/eigen"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// A sobolCandidate is the Fourier maps with Sobol frequencies along the principal axes of the points in the space of
// the kernel. Their error is estimated: it is the mean squared error, over pairs of the points, of the scrambles that
// fourier.Recipe.Add uses too. A map with fewer frequencies has the first of those with more, so one pass gives the
// errors for many numbers of frequencies.
type sobolCandidate struct {
	*plannedTerm
	side         form.Side
	orthogonal   *recipeCandidate // maps whose error depends on distances only
	family       *fourierFamily
	axes         *mat.Dense
	errors       map[int]sobolErrors // by the number of frequencies; NaN where an estimate does not pay
	worse        []int               // numbers of frequencies whose error was many times the error of other maps
	rows         int                 // the number of rows of sampled
	sampled, far *fourier.SobolPairs
	everyPair    *fourier.SobolPairs // of the sample
	kernel       func(p *sample.Pair) float64
}

// sobolErrors are mean squared errors over pairs of points and over far pairs.
type sobolErrors struct{ sampled, far float64 }

const (
	// leastSobol is the least number of Sobol frequencies in a plan.
	leastSobol = 16

	// sobolWork is about how many multiply-adds the estimates for all terms of a kernel may take: enough for all pairs
	// of 300 rows and 16 scrambles of 1024 frequencies. Larger ones use fewer rows.
	sobolWork = 1.5e9

	// mostPlannedSobol is the largest number of Sobol frequencies in a plan.
	mostPlannedSobol = 1 << 16

	// sobolGain is the part of the best other map's mean squared error below which an estimated error must be. sobolFar
	// is how many times the reference's error it may be at far points, because there they differ by little except the
	// scatter of an estimate.
	sobolGain = 0.8
	sobolFar  = 1.25
)

// sobolCandidate returns the candidate of Sobol frequencies for a stationary term, given the one of orthogonal
// frequencies. It returns nil without points, above fourier.MostSobol coordinates behind the warp, or if the quantiles
// of no factor of the kernel are known.
func (t *plannedTerm) sobolCandidate(orthogonal *recipeCandidate) *sobolCandidate {
	if t.sample.Center == nil || !t.around || t.Warp.Dim(t.in) > fourier.MostSobol {
		return nil
	}
	side := orthogonal.side
	c := &sobolCandidate{plannedTerm: t, side: side, orthogonal: orthogonal, family: t.newFourierFamily(side), errors: make(map[int]sobolErrors)}
	if _, err := c.recipe(leastSobol); err != nil {
		return nil
	}
	axes, err := principalAxes(t.sample.Behind(t.Warp, t.sample.Rows))
	if err != nil {
		return nil // too large
	}
	c.axes = axes
	return c
}

// recipe returns the recipe of a map of n frequencies.
func (c *sobolCandidate) recipe(n int) (*fourier.Recipe, error) {
	o := fourier.Options{Design: design.Sobol}
	if c.axes != nil {
		o.Axes = c.axes
	}
	return c.family.recipe(2*n, o)
}

// principalAxes returns the principal axes of some points as rows, by descending variance, with the same bits
// on every machine.
func principalAxes(points []sample.Point) (*mat.Dense, error) {
	var rows [][]float64
	for _, p := range points {
		rows = append(rows, p.Values)
	}
	d := len(rows[0])
	mean := make([]float64, d)
	for _, row := range rows {
		for j, v := range row {
			mean[j] += v / float64(len(rows))
		}
	}
	sums, deviation := mat.NewSymDense(d, nil), make([]float64, d)
	for _, row := range rows {
		for j, v := range row {
			deviation[j] = v - mean[j]
		}
		for i, u := range deviation {
			for j, v := range deviation[:i+1] {
				sums.SetSym(i, j, math.FMA(u, v, sums.At(i, j)))
			}
		}
	}
	_, axes, err := eigen.Symmetric(sums)
	return axes, err
}

func (c *sobolCandidate) choices(out int, l *limit) ([]choice, error) {
	n := roundedTo(c.significant(), min(out/2, mostPlannedSobol))
	if n < leastSobol {
		return nil, nil
	}
	r, err := c.recipe(n)
	if err != nil {
		return nil, err
	}
	if c.hopeless(n) {
		return nil, nil
	}
	if _, ok := c.errors[n]; !ok {
		if err := c.look(n, min(l.squaredError, l.least)); err != nil {
			return nil, err
		}
	}
	e := c.errors[n]
	if math.IsNaN(e.sampled) {
		return nil, nil
	}
	return []choice{{
		side: c.side, columns: 2 * n, squaredError: e.sampled, farError: e.far, work: r.Work(), estimated: true,
		make: func() (recipe.Recipe, error) { return r, nil },
	}}, nil
}

// hopeless tells whether a similar number of frequencies had a far larger error than other maps.
func (c *sobolCandidate) hopeless(n int) bool {
	return slices.ContainsFunc(c.worse, func(m int) bool { return 4*n >= 3*m && n <= 2*m })
}

// significant returns the number of significant bits of numbers of frequencies. It is five, so that at most a sixteenth
// of the columns is unused, or four if there are other terms, which use the remaining columns.
func (c *sobolCandidate) significant() int {
	if c.alone {
		return 5
	}
	return 4
}

// counts returns the numbers of frequencies for which one pass finds the errors: n, and numbers that are likely to be
// needed next. For a single term with a given number of columns this is the number before n, otherwise all numbers up
// to twice n.
func (c *sobolCandidate) counts(n int) (all []int) {
	last := min(2*n, mostPlannedSobol)
	if c.most > 0 {
		last = max(n, min(last, c.most/2))
	}
	if c.alone && c.most > 0 {
		if before := roundedTo(c.significant(), n-1); before >= leastSobol {
			all = append(all, before)
		}
		last = n
	}
	for at := n; at <= last; at += 1 << (bits.Len(uint(at)) - c.significant()) {
		all = append(all, at)
	}
	return slices.DeleteFunc(all, func(n int) bool { _, ok := c.errors[n]; return ok })
}

// look finds the errors for n frequencies and for other numbers. least is the least mean squared error of other maps;
// the goal is four fifths of it. n frequencies are given up if their error is above 1.3 times least after two
// scrambles, 1.05 times after four, or 0.9 times after eight.
func (c *sobolCandidate) look(n int, least float64) error {
	counts := c.counts(n)
	r, err := c.recipe(n)
	if err != nil {
		return err
	}
	heavy, rare := r.Heavy(), 0.0
	if heavy != nil {
		rare = fourier.CutFor(n)
		counts = slices.DeleteFunc(counts, func(n int) bool { return fourier.CutFor(n) != rare })
	}
	largest := slices.Max(counts)
	c.lookAt(r, c.rowsFor(largest))
	sums, block := make([]sobolErrors, len(counts)), mat.NewDense(fourier.SobolBlock, r.Dim(), nil)
	for k := range fourier.SobolScrambles(1) {
		points := r.EstimatePoints(fourier.SobolSeed+uint64(k), rare)
		at := 0
		for i, n := range counts {
			scrambles := fourier.SobolScrambles(n)
			if k >= scrambles {
				break
			}
			points.Blocks(block, n-at, func(w *mat.Dense) {
				c.sampled.Add(w)
				c.far.Add(w)
			})
			at = max(at, n)
			sums[i].sampled += c.sampled.SquaredError(n) / float64(scrambles)
			sums[i].far += c.far.SquaredError(n) / float64(scrambles)
		}
		c.sampled.Sums.Clear()
		c.far.Sums.Clear()
		soFar := sums[slices.Index(counts, n)].sampled * float64(fourier.SobolScrambles(n)) / float64(k+1)
		if k == 1 && soFar > 1.3*least || k == 3 && soFar > 1.05*least || k == 7 && soFar > 0.9*least {
			c.errors[n] = sobolErrors{math.NaN(), math.NaN()}
			if soFar > 8*least {
				c.worse = append(c.worse, n)
			}
			return nil
		}
	}
	if heavy != nil {
		o, err := c.family.recipe(2, fourier.Options{Design: design.Orthogonal})
		if err != nil {
			return err
		}
		p := c.orthogonal.pairsFor(o)
		for i, n := range counts {
			rest := heavy.Rest(n, rare)
			sums[i].sampled += p.pairs.mean(rest)
			sums[i].far += p.far.mean(rest)
		}
	}
	for i, n := range counts {
		c.errors[n] = sums[i]
	}
	return nil
}

// rowsFor returns the number of rows whose pairs are used for n frequencies. It changes seldom, because computing
// values of the kernel takes time too.
func (c *sobolCandidate) rowsFor(n int) int {
	n = max(1<<bits.Len(uint(n-1)), c.most/2)
	work := sobolWork / float64(c.shared)
	return max(int(math.Sqrt(work/float64(fourier.SobolScrambles(n)*n))), fourier.LeastSobolRows)
}

// lookAt sets the pairs: pairs of up to this number of rows of the sample, and far pairs.
func (c *sobolCandidate) lookAt(r *fourier.Recipe, rows int) {
	if c.sampled != nil && rows == c.rows {
		return
	}
	if c.kernel == nil {
		c.kernel = r.KernelAt()
	}
	if c.everyPair == nil {
		all, weights := c.sample.Behind(c.Warp, c.sample.Rows), c.sample.Weights(c.side.Weighing(c.sample.In), c.sample.Rows)
		c.everyPair = fourier.NewSobolPairs(r, c.kernel, all, weights, fourier.CountPairs(len(all)))
	}
	c.rows, c.sampled = rows, c.everyPair.Among(r, subset.Rows(len(c.everyPair.Points), rows))
	if c.far == nil {
		far := c.sample.FarView(c.Warp.Centered(c.center), c.factor()).Points
		c.far = fourier.NewSobolPairs(r, c.kernel, far, slices.Repeat([]float64{1}, len(far)), fourier.CountPairs(len(far)))
	}
}

// mean returns the weighted mean of a function of distances.
func (w weightedPairs) mean(at func(distance float64) float64) (mean float64) {
	for k, p := range w.pairs {
		mean += w.squares[k] * at(p.Distance) / float64(len(w.pairs))
	}
	return mean
}
