// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/eigen"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A sobolCandidate is the Fourier maps with Sobol frequencies along the principal axes of the points, as the kernel sees them.
// Their error is estimated: the mean squared error, over pairs of the points, of the scrambles that fourierRecipe.add has too. Maps of
// fewer frequencies have the first of those of more, so that one pass gives the errors of many numbers of them.
type sobolCandidate struct {
	*plannedTerm
	side   otherSide
	family *fourierFamily
	axes   *mat.Dense
	errors map[int]sobolErrors // by the number of frequencies
}

// sobolErrors are mean squared errors over pairs of points and of far ones.
type sobolErrors struct{ near, far float64 }

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

// sobolCandidate returns the candidate of Sobol frequencies for a stationary term, or nil if it has none: without points,
// above mostSobol coordinates behind the warp, or where no factor of the kernel is known by quantiles.
func (t *plannedTerm) sobolCandidate(side otherSide) *sobolCandidate {
	if t.sample.centre == nil || !t.around || t.warp.dim(t.in) > mostSobol {
		return nil
	}
	c := &sobolCandidate{t, side, t.newFourierFamily(side), nil, make(map[int]sobolErrors)}
	if _, err := c.recipe(leastSobol); err != nil {
		return nil
	}
	axes, err := principalAxes(t.sample.behind(t.warp, t.sample.rows))
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
func principalAxes(points []point) (*mat.Dense, error) {
	var rows [][]float64
	for _, p := range points {
		rows = append(rows, p.coordinates())
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

func (c *sobolCandidate) choices(out int, _ *limit) ([]choice, error) {
	n := rounder(min(out/2, mostPlannedSobol))
	if n < leastSobol {
		return nil, nil
	}
	r, err := c.recipe(n)
	if err != nil {
		return nil, err
	}
	if _, ok := c.errors[n]; !ok {
		if err := c.look(n); err != nil {
			return nil, err
		}
	}
	e := c.errors[n]
	return []choice{{
		side: c.side, columns: 2 * n, squaredError: e.near, farError: e.far, work: r.work(), estimated: true,
		make: func() (recipe, error) { return r, nil },
	}}, nil
}

// rounder returns the largest number of five significant bits that is not above n: at most a sixteenth less.
func rounder(n int) int {
	shift := max(bits.Len(uint(n))-5, 0)
	return n >> shift << shift
}

// look finds the errors for n frequencies, and for the numbers that are likely to be asked for next: the one before for a term alone
// with a given number of columns, else all up to twice as many.
func (c *sobolCandidate) look(n int) error {
	counts := []int{rounder(n - 1), n}
	if !c.alone || c.most == 0 {
		last := min(2*n, mostPlannedSobol)
		if c.most > 0 {
			last = max(n, min(last, rounder(c.most/2)))
		}
		counts = nil
		for at := leastSobol; at <= last; at = rounder(at + at/16) {
			counts = append(counts, at)
		}
	}
	largest := counts[len(counts)-1]
	r, err := c.recipe(largest)
	if err != nil {
		return err
	}
	near, far := c.pairsOf(r, c.rowsFor(largest)), c.farPairsOf(r)
	sums := make([]sobolErrors, len(counts))
	for k := range sobolScrambles(1) {
		points := r.points(NewSampler(sobolSeed + uint64(k)))
		at := 0
		for i, n := range counts {
			scrambles := sobolScrambles(n)
			if k >= scrambles {
				break
			}
			for at < n {
				w := points.block(min(sobolBlock, n-at), r.dim())
				near.add(w)
				far.add(w)
				at += w.RawMatrix().Rows
			}
			sums[i].near += near.squaredError(n) / float64(scrambles)
			sums[i].far += far.squaredError(n) / float64(scrambles)
		}
		near.reset()
		far.reset()
	}
	for i, n := range counts {
		if _, ok := c.errors[n]; !ok {
			c.errors[n] = sums[i]
		}
	}
	return nil
}

// rowsFor returns the number of rows whose pairs are looked at for n frequencies.
func (c *sobolCandidate) rowsFor(n int) int {
	work := sobolWork / float64(c.shared)
	return max(int(math.Sqrt(work/float64(sobolScrambles(n)*n))), leastSobolRows)
}

// sobolBlock is the number of frequencies whose cosines and sines fill a tiled.Block.
const sobolBlock = tiled.BlockRows / 2

// block returns the next n frequencies as rows, in turns.
func (f *sobolFrequencies) block(n, d int) *mat.Dense {
	w := mat.NewDense(n, d, nil)
	for i := range n {
		f.next(w.RawRowView(i))
		divide(w.RawRowView(i), 2*math.Pi)
	}
	return w
}

// sobolPairs are all pairs of some points, and the sums over frequencies of the cosines of their differences. The frequencies are
// the rows of a transform whose forms are the points, so that each cosine is that of a point alone.
type sobolPairs struct {
	stack           *projection.Stack
	kernel, squares []float64 // of each pair: the kernel, and the squares of weights over the number of pairs
	mass            float64
	points          int
	block           *tiled.Block
	sums            *tiled.Matrix
	column          []float64
}

// pairsOf returns the pairs of up to a number of rows of the sample.
func (c *sobolCandidate) pairsOf(r *fourierRecipe, rows int) *sobolPairs {
	all, weights := c.sample.behind(c.warp, c.sample.rows), c.sample.weights(c.side.term, c.sample.rows)
	var some []point
	var at []float64
	for _, i := range subset.Rows(len(all), rows) {
		some, at = append(some, all[i]), append(at, weights[i])
	}
	return newSobolPairs(r, some, at)
}

// farPairsOf returns the pairs of far points.
func (c *sobolCandidate) farPairsOf(r *fourierRecipe) *sobolPairs {
	return newSobolPairs(r, c.sample.farView(c.warp.centred(c.centre), c.factor()).points, nil)
}

// newSobolPairs returns the pairs of points behind the warp of a recipe, with their weights; nil stands for 1.
func newSobolPairs(r *fourierRecipe, points []point, weights []float64) *sobolPairs {
	n := len(points)
	forms := projection.New(n, r.dim(), projection.CosSin, 1)
	s := &sobolPairs{mass: r.mass, points: n, block: tiled.NewBlock(n), sums: tiled.New(n), column: make([]float64, n)}
	pairs := float64(n*(n-1)) / 2
	for i, x := range points {
		forms.Set(i, x.coordinates(), 0)
		for j, y := range points[:i] {
			p := newPair(x, y)
			s.kernel = append(s.kernel, r.kernelAt(&p))
			square := 1.0
			if weights != nil {
				square = math.Pow(weights[i]*weights[j], 2)
			}
			s.squares = append(s.squares, square/pairs)
		}
	}
	s.stack = projection.NewStack(r.dim(), 2*n, projection.Forms{Projection: forms})
	return s
}

// kernelAt returns the kernel at a pair.
func (r *fourierRecipe) kernelAt(p *pair) float64 {
	if r.mixture != nil && r.trusted {
		return r.Eval([]float64{p.distance}, []float64{0})
	}
	k, _ := r.values(p)
	return k
}

// add adds the cosines for some frequencies, at most sobolBlock.
func (s *sobolPairs) add(w *mat.Dense) {
	n, _ := w.Dims()
	features := mat.NewDense(n, 2*s.points, nil)
	s.stack.Transform(features, w)
	raw := features.RawMatrix()
	s.block.Truncate(0)
	for _, first := range []int{0, s.points} {
		s.block.Append(blas64.General{Rows: n, Cols: s.points, Stride: raw.Stride, Data: raw.Data[first:]})
	}
	s.sums.Update(s.block)
}

// squaredError returns the mean squared error over the pairs, for the n frequencies that were added.
func (s *sobolPairs) squaredError(n int) (sum float64) {
	at, scale := 0, s.mass/float64(n)
	for j := range s.points {
		s.sums.Column(s.column, j)
		for _, v := range s.column[:j] {
			e := scale*v - s.kernel[at]
			sum += s.squares[at] * e * e
			at++
		}
	}
	return sum
}

// reset forgets the frequencies.
func (s *sobolPairs) reset() { s.sums.Clear() }
