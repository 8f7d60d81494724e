// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Errors of Sobol frequencies, estimated over all pairs of some points.

const (
	// LeastSobolRows is the least number of rows whose pairs are used.
	LeastSobolRows = 64

	// judgeWork is about how many multiply-adds it may take to measure the errors of estimated maps at
	// pairs of judges.
	judgeWork = 5e7
)

// turns tells whether frequencies lie along the axes of the recipe only. Then points are rotated instead of
// frequencies, which is cheaper.
func (r *Recipe) turns() bool {
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

// quantiles are the quantiles of the normal distribution at multiples of 1/(len − 1).
var quantiles = sync.OnceValue(func() *[1<<12 + 1]float64 {
	var q [1<<12 + 1]float64
	for i := range q {
		q[i] = detmath.NormalQuantile(float64(i) / float64(len(q)-1))
	}
	return &q
})

// NearQuantile approximates detmath.NormalQuantile to 2e-4, for estimates. It interpolates linearly in a table, and
// calls NormalQuantile in the tails.
func NearQuantile(u float64) float64 {
	q := quantiles()
	const n = float64(len(q) - 1)
	if u < 16/n || u > 1-16/n {
		return detmath.NormalQuantile(u)
	}
	i := int(u * n)
	return q[i] + (float64(u*n)-float64(i))*(q[i+1]-q[i])
}

// SobolBlock is the number of frequencies whose cosines and sines fill a tiled.Block.
const SobolBlock = tiled.BlockRows / 2

// EstimatePoints returns the frequencies of a scramble for SobolPairs. Points are rotated instead of frequencies where
// that is cheaper.
func (r *Recipe) EstimatePoints(seed uint64, rare float64) *sobolFrequencies {
	points := r.points(r.seeded(seed))
	points.normal, points.rare = NearQuantile, rare
	if r.turns() {
		points.axes = nil
	}
	return points
}

// Blocks calls each with the next n frequencies, in turns, in rows of w.
func (f *sobolFrequencies) Blocks(w *mat.Dense, n int, each func(w *mat.Dense)) {
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

// SobolPairs are all pairs of some points, with the sums over frequencies of the cosines of their differences. The
// frequencies are the rows of a transform whose forms are the points, so cosines are computed for single points only.
type SobolPairs struct {
	stack           *projection.Stack
	kernel, squares *tiled.Matrix // for each pair: the kernel, and the squares of weights over the number of pairs
	mass            float64
	Points          []sample.Point
	weights         []float64 // one for each point; their products are the square roots of the pairs' shares in means
	total           float64   // the sum of the shares
	features        *mat.Dense
	block           *tiled.Block
	Sums            *tiled.Matrix
}

// CountPairs returns the number of pairs of n points.
func CountPairs(n int) float64 { return float64(n*(n-1)) / 2 }

// NewSobolPairs returns the pairs of points behind the warp of a recipe. The points have weights, and total is the sum
// of the pairs' shares.
func NewSobolPairs(r *Recipe, kernel func(p *sample.Pair) float64, points []sample.Point, weights []float64, total float64) *SobolPairs {
	s := &SobolPairs{Points: points, kernel: tiled.New(len(points)), weights: weights, total: total}
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

// Among returns the pairs of some of the points.
func (s *SobolPairs) Among(r *Recipe, rows []int) *SobolPairs {
	if len(rows) == len(s.Points) {
		return s
	}
	some := &SobolPairs{kernel: tiled.New(len(rows)), total: CountPairs(len(rows))}
	for i, row := range rows {
		some.Points, some.weights = append(some.Points, s.Points[row]), append(some.weights, s.weights[row])
		for j, other := range rows[:i] {
			some.kernel.Set(i, j, s.kernel.At(row, other))
		}
	}
	some.prepare(r)
	return some
}

// prepare allocates the sums.
func (s *SobolPairs) prepare(r *Recipe) {
	n := len(s.Points)
	forms := projection.New(n, r.Dim(), projection.CosSin, 1)
	s.features = mat.NewDense(SobolBlock, 2*n, nil)
	s.squares, s.mass, s.block, s.Sums = tiled.New(n), r.Mass, tiled.NewBlock(n), tiled.New(n)
	for i, x := range s.Points {
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

// KernelAt returns the kernel as a function of a pair. Radial kernels other than Gaussian ones may be slow. They are
// interpolated by cubics between values whose logarithms of the distance are a fiftieth apart, to about 1e-7.
func (r *Recipe) KernelAt() func(p *sample.Pair) float64 {
	at := func(distance float64) float64 { return r.Eval([]float64{distance}, []float64{0}) }
	switch {
	case r.Mixture == nil || !r.Trusted:
		return func(p *sample.Pair) float64 { k, _ := r.values(p); return k }
	case r.Length > 0:
		return func(p *sample.Pair) float64 { return at(p.Distance) }
	}
	interpolate := sample.Interpolated(at)
	return func(p *sample.Pair) float64 { return interpolate(p.Distance) }
}

// Add adds the cosines for some frequencies, at most SobolBlock.
func (s *SobolPairs) Add(w *mat.Dense) {
	n, _ := w.Dims()
	features := s.features.Slice(0, n, 0, 2*len(s.Points)).(*mat.Dense)
	s.stack.Transform(features, w)
	raw := features.RawMatrix()
	s.block.Truncate(0)
	for _, first := range []int{0, len(s.Points)} {
		s.block.Append(blas64.General{Rows: n, Cols: len(s.Points), Stride: raw.Stride, Data: raw.Data[first:]})
	}
	s.Sums.Update(s.block)
}

// SquaredError returns the mean squared error over the pairs, for the n frequencies that were added.
func (s *SobolPairs) SquaredError(n int) float64 {
	return s.Sums.SquaredError(s.mass/float64(n), s.kernel, s.squares)
}

// JudgedRows returns the number of rows on which maps with an estimated variance are judged; 0 for
// other maps.
func (r *Recipe) JudgedRows() int {
	if r.Design() != design.Sobol {
		return 0
	}
	n := r.Forms()
	return min(max(int(math.Sqrt(judgeWork/float64(SobolScrambles(n)*n))), LeastSobolRows), sample.MostRows)
}

// JudgedErrors returns for each point the sum, over its pairs, of share times squared error, and the relative standard
// error of the sum of everything that follows from these. The points have weights, and total is the sum of the shares
// (see SobolPairs). The scrambles are not those that chose the map.
func (r *Recipe) JudgedErrors(points []sample.Point, weights []float64, total float64) (byPoint []float64, relative float64) {
	const otherSeeds = SobolSeed + 1<<32
	pairs, block := NewSobolPairs(r, r.KernelAt(), points, weights, total), mat.NewDense(SobolBlock, r.Dim(), nil)
	n, rare := r.Forms(), 0.0
	heavy := r.Heavy()
	if heavy != nil {
		rare = CutFor(n)
	}
	means := make([]float64, SobolScrambles(n))
	byPoint = make([]float64, len(points))
	var before float64
	for k := range means {
		r.EstimatePoints(otherSeeds+uint64(k), rare).Blocks(block, n, pairs.Add)
		pairs.Sums.AddSquaredErrors(byPoint, r.Mass/float64(n), pairs.kernel, pairs.squares)
		pairs.Sums.Clear()
		sum := floats.Sum(byPoint)
		means[k], before = sum-before, sum
	}
	mean, deviation := stat.MeanStdDev(means, nil)
	floats.Scale(1/float64(len(means)), byPoint)
	if heavy != nil {
		rest, memory := sample.Interpolated(heavy.Rest(n, rare)), new(sample.Memory)
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
