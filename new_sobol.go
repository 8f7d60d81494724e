// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/eigen"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A sobolCandidate is the Fourier maps with Sobol frequencies along the principal axes of the points, as the kernel sees them.
// Their error is estimated: the mean squared error, over pairs of the points, of the scrambles that fourierRecipe.add has too. Maps of
// fewer frequencies have the first of those of more, so that one pass gives the errors of many numbers of them.
type sobolCandidate struct {
	*plannedTerm
	side         form.Side
	orthogonal   *recipeCandidate // of maps whose error depends on distances alone
	family       *fourierFamily
	axes         *mat.Dense
	errors       map[int]sobolErrors // by the number of frequencies; NaN where they are not worth an estimate
	worse        []int               // numbers of frequencies that had many times the error of other maps
	rows         int                 // the number of rows of sampled
	sampled, far *sobolPairs
	everyPair    *sobolPairs // of the sample
	kernel       func(p *sample.Pair) float64
}

// sobolErrors are mean squared errors over pairs of points and of far ones.
type sobolErrors struct{ sampled, far float64 }

const (
	// leastSobol is the least number of Sobol frequencies in a plan.
	leastSobol = 16

	// sobolWork is about how many multiply-adds the estimates for all terms of a kernel may take: all pairs of 300 rows for
	// 16 scrambles of 1024 frequencies, or those of fewer rows. leastSobolRows is the least number of rows.
	sobolWork      = 1.5e9
	leastSobolRows = 64

	// mostPlannedSobol is the largest number of Sobol frequencies in a plan.
	mostPlannedSobol = 1 << 16

	// sobolGain is what part of the best other map's mean squared error an estimated one must be below, and sobolFar how many
	// times that of the reference it may be far out, where it differs from it in little but the scatter of an estimate.
	sobolGain = 0.8
	sobolFar  = 1.25
)

// sobolCandidate returns the candidate of Sobol frequencies for a stationary term, beside that of orthogonal ones, or nil if it has none: without
// points, above mostSobol coordinates behind the warp, or where no factor of the kernel is known by quantiles.
func (t *plannedTerm) sobolCandidate(orthogonal *recipeCandidate) *sobolCandidate {
	if t.sample.Centre == nil || !t.around || t.Warp.Dim(t.in) > mostSobol {
		return nil
	}
	side := orthogonal.side
	c := &sobolCandidate{plannedTerm: t, side: side, orthogonal: orthogonal, family: t.newFourierFamily(side), errors: make(map[int]sobolErrors)}
	if _, err := c.recipe(leastSobol); err != nil {
		return nil
	}
	axes, err := principalAxes(t.sample.Behind(t.Warp, t.sample.Rows))
	if err != nil {
		return nil // too large for it
	}
	c.axes = axes
	return c
}

// recipe returns the recipe of a map of n frequencies.
func (c *sobolCandidate) recipe(n int) (*fourierRecipe, error) {
	o := FourierOptions{Design: Sobol}
	if c.axes != nil {
		o.Axes = c.axes
	}
	return c.family.recipe(2*n, o)
}

// principalAxes returns the principal axes of some points as rows, by descending variance, in one set of bits.
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

// hopeless tells whether nearly as many frequencies had far more error than other maps.
func (c *sobolCandidate) hopeless(n int) bool {
	return slices.ContainsFunc(c.worse, func(m int) bool { return 4*n >= 3*m && n <= 2*m })
}

// significant returns the number of significant bits of numbers of frequencies: five, so that at most a sixteenth of them is
// unused, or four beside other terms, which take the columns that are left.
func (c *sobolCandidate) significant() int {
	if c.alone {
		return 5
	}
	return 4
}

// counts returns the numbers of frequencies for which one pass finds the errors: n, and those that are likely to be asked for next.
// That is the one before for a term alone with a given number of columns, else all up to twice as many.
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

// look finds the errors for n frequencies and for others. least is the least mean squared error of other maps, of which four fifths are
// asked: n frequencies are given up if they have 1.3 times that after two scrambles, 1.05 after four, or .9 after eight.
func (c *sobolCandidate) look(n int, least float64) error {
	counts := c.counts(n)
	r, err := c.recipe(n)
	if err != nil {
		return err
	}
	heavy, rare := r.heavy(), 0.0
	if heavy != nil {
		rare = cutFor(n)
		counts = slices.DeleteFunc(counts, func(n int) bool { return cutFor(n) != rare })
	}
	largest := slices.Max(counts)
	c.lookAt(r, c.rowsFor(largest))
	sums, block := make([]sobolErrors, len(counts)), mat.NewDense(sobolBlock, r.Dim(), nil)
	for k := range sobolScrambles(1) {
		points := r.estimatePoints(sobolSeed+uint64(k), rare)
		at := 0
		for i, n := range counts {
			scrambles := sobolScrambles(n)
			if k >= scrambles {
				break
			}
			points.blocks(block, n-at, func(w *mat.Dense) {
				c.sampled.add(w)
				c.far.add(w)
			})
			at = max(at, n)
			sums[i].sampled += c.sampled.squaredError(n) / float64(scrambles)
			sums[i].far += c.far.squaredError(n) / float64(scrambles)
		}
		c.sampled.sums.Clear()
		c.far.sums.Clear()
		soFar := sums[slices.Index(counts, n)].sampled * float64(sobolScrambles(n)) / float64(k+1)
		if k == 1 && soFar > 1.3*least || k == 3 && soFar > 1.05*least || k == 7 && soFar > 0.9*least {
			c.errors[n] = sobolErrors{math.NaN(), math.NaN()}
			if soFar > 8*least {
				c.worse = append(c.worse, n)
			}
			return nil
		}
	}
	if heavy != nil {
		o, err := c.family.recipe(2, FourierOptions{Design: Orthogonal})
		if err != nil {
			return err
		}
		p := c.orthogonal.pairsFor(o)
		for i, n := range counts {
			rest := heavy.rest(n, rare)
			sums[i].sampled += p.pairs.mean(rest)
			sums[i].far += p.far.mean(rest)
		}
	}
	for i, n := range counts {
		c.errors[n] = sums[i]
	}
	return nil
}

// turns tells whether frequencies are along the axes of the recipe and nothing else, so that points may be turned in their place, which takes
// less.
func (r *fourierRecipe) turns() bool {
	return r.opts.Axes != nil && !slices.ContainsFunc(r.AllFactors(), func(f spectrum.Factor) bool { return f.Taus == nil || f.Warps != nil })
}

// turned returns the components of a point along axes.
func turned(x []float64, axes mat.Matrix) []float64 {
	z := make([]float64, len(x))
	for i := range z {
		for j, v := range x {
			z[i] += float64(v * axes.At(i, j))
		}
	}
	return z
}

// quantiles are those of the normal law at multiples of 1/(len − 1).
var quantiles = sync.OnceValue(func() *[1<<12 + 1]float64 {
	var q [1<<12 + 1]float64
	for i := range q {
		q[i] = detmath.NormalQuantile(float64(i) / float64(len(q)-1))
	}
	return &q
})

// nearQuantile is NormalQuantile to 2e-4, for estimates: between values known beforehand by lines, but far out, where it is itself.
func nearQuantile(u float64) float64 {
	q := quantiles()
	const n = float64(len(q) - 1)
	if u < 16/n || u > 1-16/n {
		return detmath.NormalQuantile(u)
	}
	i := int(u * n)
	return q[i] + (float64(u*n)-float64(i))*(q[i+1]-q[i])
}

// rowsFor returns the number of rows whose pairs are looked at for n frequencies. It changes seldom, as values of the kernel take
// time too.
func (c *sobolCandidate) rowsFor(n int) int {
	n = max(1<<bits.Len(uint(n-1)), c.most/2)
	work := sobolWork / float64(c.shared)
	return max(int(math.Sqrt(work/float64(sobolScrambles(n)*n))), leastSobolRows)
}

// sobolBlock is the number of frequencies whose cosines and sines fill a tiled.Block.
const sobolBlock = tiled.BlockRows / 2

// estimatePoints returns the frequencies of a scramble for sobolPairs, whose points are turned in the place of frequencies where that
// does.
func (r *fourierRecipe) estimatePoints(seed uint64, rare float64) *sobolFrequencies {
	points := r.points(seeded(seed))
	points.normal, points.rare = nearQuantile, rare
	if r.turns() {
		points.axes = nil
	}
	return points
}

// blocks calls each with the next n frequencies, in turns, in rows of w.
func (f *sobolFrequencies) blocks(w *mat.Dense, n int, each func(w *mat.Dense)) {
	most, d := w.Dims()
	for ; n > 0; n -= most {
		some := w.Slice(0, min(most, n), 0, d).(*mat.Dense)
		for i := range some.RawMatrix().Rows {
			f.next(some.RawRowView(i))
			arith.Divide(some.RawRowView(i), 2*math.Pi)
		}
		each(some)
	}
}

// sobolPairs are all pairs of some points, and the sums over frequencies of the cosines of their differences. The frequencies are
// the rows of a transform whose forms are the points, so that each cosine is that of a point alone.
type sobolPairs struct {
	stack           *projection.Stack
	kernel, squares *tiled.Matrix // of each pair: the kernel, and the squares of weights over the number of pairs
	mass            float64
	points          []sample.Point
	weights         []float64 // of the points, whose products are the square roots of the pairs' shares in means
	total           float64   // the sum of the shares
	features        *mat.Dense
	block           *tiled.Block
	sums            *tiled.Matrix
}

// lookAt sets the pairs: those of up to a number of rows of the sample, and those of far points.
func (c *sobolCandidate) lookAt(r *fourierRecipe, rows int) {
	if c.sampled != nil && rows == c.rows {
		return
	}
	if c.kernel == nil {
		c.kernel = r.kernelAt()
	}
	if c.everyPair == nil {
		all, weights := c.sample.Behind(c.Warp, c.sample.Rows), c.sample.Weights(c.side.Weighing(c.sample.In), c.sample.Rows)
		c.everyPair = newSobolPairs(r, c.kernel, all, weights, countPairs(len(all)))
	}
	c.rows, c.sampled = rows, c.everyPair.among(r, subset.Rows(len(c.everyPair.points), rows))
	if c.far == nil {
		far := c.sample.FarView(c.Warp.Centred(c.centre), c.factor()).Points
		c.far = newSobolPairs(r, c.kernel, far, slices.Repeat([]float64{1}, len(far)), countPairs(len(far)))
	}
}

// countPairs returns the number of pairs of n points.
func countPairs(n int) float64 { return float64(n*(n-1)) / 2 }

// newSobolPairs returns the pairs of points behind the warp of a recipe, with their weights, and the sum of their shares.
func newSobolPairs(r *fourierRecipe, kernel func(p *sample.Pair) float64, points []sample.Point, weights []float64, total float64) *sobolPairs {
	s := &sobolPairs{points: points, kernel: tiled.New(len(points)), weights: weights, total: total}
	memory := new(sample.Memory)
	for i, x := range points {
		for j, y := range points[:i] {
			p := sample.NewPair(x, y, memory)
			s.kernel.Set(i, j, kernel(&p))
		}
	}
	s.prepare(r)
	return s
}

// among returns the pairs of some of the points.
func (s *sobolPairs) among(r *fourierRecipe, rows []int) *sobolPairs {
	if len(rows) == len(s.points) {
		return s
	}
	some := &sobolPairs{kernel: tiled.New(len(rows)), total: countPairs(len(rows))}
	for i, row := range rows {
		some.points, some.weights = append(some.points, s.points[row]), append(some.weights, s.weights[row])
		for j, other := range rows[:i] {
			some.kernel.Set(i, j, s.kernel.At(row, other))
		}
	}
	some.prepare(r)
	return some
}

// prepare makes what the sums take.
func (s *sobolPairs) prepare(r *fourierRecipe) {
	n := len(s.points)
	forms := projection.New(n, r.Dim(), projection.CosSin, 1)
	s.features = mat.NewDense(sobolBlock, 2*n, nil)
	s.squares, s.mass, s.block, s.sums = tiled.New(n), r.Mass, tiled.NewBlock(n), tiled.New(n)
	for i, x := range s.points {
		at := x.Values
		if r.turns() {
			at = turned(at, r.opts.Axes)
		}
		forms.Set(i, at, 0)
		for j := range i {
			s.squares.Set(i, j, arith.Square(s.weights[i]*s.weights[j])/s.total)
		}
	}
	s.stack = projection.NewStack(r.Dim(), 2*n, projection.Forms{Projection: forms})
}

// kernelAt returns the function that is the kernel at a pair. Radial kernels but Gaussian ones, which may take long, are interpolated
// by cubics between values at logarithms of the distance that are a fiftieth apart, to about 1e-7.
func (r *fourierRecipe) kernelAt() func(p *sample.Pair) float64 {
	at := func(distance float64) float64 { return r.Eval([]float64{distance}, []float64{0}) }
	switch {
	case r.Mixture == nil || !r.Trusted:
		return func(p *sample.Pair) float64 { k, _ := r.values(p); return k }
	case r.Length > 0:
		return func(p *sample.Pair) float64 { return at(p.Distance) }
	}
	interpolate := interpolated(at)
	return func(p *sample.Pair) float64 { return interpolate(p.Distance) }
}

// add adds the cosines for some frequencies, at most sobolBlock.
func (s *sobolPairs) add(w *mat.Dense) {
	n, _ := w.Dims()
	features := s.features.Slice(0, n, 0, 2*len(s.points)).(*mat.Dense)
	s.stack.Transform(features, w)
	raw := features.RawMatrix()
	s.block.Truncate(0)
	for _, first := range []int{0, len(s.points)} {
		s.block.Append(blas64.General{Rows: n, Cols: len(s.points), Stride: raw.Stride, Data: raw.Data[first:]})
	}
	s.sums.Update(s.block)
}

// mean returns the weighted mean of a function of distances.
func (w weightedPairs) mean(at func(distance float64) float64) (mean float64) {
	for k, p := range w.pairs {
		mean += w.squares[k] * at(p.Distance) / float64(len(w.pairs))
	}
	return mean
}

// squaredError returns the mean squared error over the pairs, for the n frequencies that were added.
func (s *sobolPairs) squaredError(n int) float64 {
	return s.sums.SquaredError(s.mass/float64(n), s.kernel, s.squares)
}

// judgedRows returns by how many rows maps of an estimated variance are judged; 0 for others.
func (r *fourierRecipe) judgedRows() int {
	if r.design() != Sobol {
		return 0
	}
	n := r.forms()
	return min(max(int(math.Sqrt(judgeWork/float64(sobolScrambles(n)*n))), leastSobolRows), sample.MostRows)
}

// judgedErrors returns, for points with weights whose pairs have shares that add up to total (see sobolPairs), the sum of share times squared error
// over the pairs of each point, by scrambles that did not choose, and the relative standard error of the sum of all that comes of these.
func (r *fourierRecipe) judgedErrors(points []sample.Point, weights []float64, total float64) (byPoint []float64, relative float64) {
	const otherSeeds = sobolSeed + 1<<32
	pairs, block := newSobolPairs(r, r.kernelAt(), points, weights, total), mat.NewDense(sobolBlock, r.Dim(), nil)
	n, rare := r.forms(), 0.0
	heavy := r.heavy()
	if heavy != nil {
		rare = cutFor(n)
	}
	means := make([]float64, sobolScrambles(n))
	byPoint = make([]float64, len(points))
	var before float64
	for k := range means {
		r.estimatePoints(otherSeeds+uint64(k), rare).blocks(block, n, pairs.add)
		pairs.sums.AddSquaredErrors(byPoint, r.Mass/float64(n), pairs.kernel, pairs.squares)
		pairs.sums.Clear()
		sum := floats.Sum(byPoint)
		means[k], before = sum-before, sum
	}
	mean, deviation := stat.MeanStdDev(means, nil)
	floats.Scale(1/float64(len(means)), byPoint)
	if heavy != nil {
		rest, memory := interpolated(heavy.rest(n, rare)), new(sample.Memory)
		for i, x := range points {
			for j, y := range points[:i] {
				v := float64(pairs.squares.At(i, j) * rest(sample.NewPair(x, y, memory).Distance))
				byPoint[i] += v
				byPoint[j] += v
			}
		}
		mean = floats.Sum(byPoint)
	}
	return byPoint, deviation / math.Sqrt(float64(len(means))) / mean
}
