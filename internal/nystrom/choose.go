// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package nystrom

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

const (
	mostClustered = 6000 // rows that KMeans looks at, or as many as there are to be landmarks
	seedBlock     = 16   // seeds that are drawn together
	lloydSteps    = 3
)

// A Selection is a way to choose landmarks: see Selection of the root package.
type Selection int

const (
	KMeans Selection = iota
	RPCholesky
	RandomRows
)

// A Chooser chooses n landmarks, or as many as there are different rows, from some rows of points.
type Chooser struct {
	program *matrix.Program
	points  *rows.Reader
	from    []int // numbers of rows, in ascending order
	n       int
	s       random.Sampler
}

// NewChooser returns a chooser of up to n landmarks from all rows with a positive k(x, x): others tell nothing.
func NewChooser(p *matrix.Program, points mat.Matrix, n int, s random.Sampler) (*Chooser, error) {
	c := &Chooser{program: p, points: new(rows.Reader), n: n, s: s}
	c.points.Reset(points)
	diagonal := make([]float64, c.points.N)
	matrix.New(p, c.rows([]int{0})).DiagonalTo(diagonal, points)
	for i, v := range diagonal {
		if !(v <= 0) { // NaN is told where it matters
			c.from = append(c.from, i)
		}
	}
	if len(c.from) == 0 {
		return nil, errors.New("featuremap: x: k(x, x) is positive for none")
	}
	return c, nil
}

// Choose returns the landmarks, and whether they come in an order of the selection, which spreads them.
func (c *Chooser) Choose(how Selection) (chosen *mat.Dense, ordered bool, err error) {
	if all := firstOfEach(c.points, c.from, c.n+1); len(all) <= c.n {
		return c.rows(all), false, nil
	}
	switch how {
	case RandomRows:
		return c.random(), false, nil
	case RPCholesky:
		chosen, err = c.pivoted()
	default:
		chosen, err = c.kMeans()
	}
	return chosen, true, err
}

// Return takes landmarks from images of the rows of x, which the chooser was made for, to points of the space of x: to the row of which one is the
// image, and otherwise back by coordinates. The points of the chooser are the rows of x from now on.
func (c *Chooser) Return(x mat.Matrix, chosen *mat.Dense, back func(v float64, column int) float64) {
	images := c.points
	c.points = new(rows.Reader)
	c.points.Reset(x)
	from := make(map[uint64]int, len(c.from)) // the first row with an image, by its checksum
	for _, i := range slices.Backward(c.from) {
		from[images.Checksum(i)] = i
	}
	var landmarks rows.Reader
	landmarks.Reset(chosen)
	n, _ := chosen.Dims()
	for l := range n {
		row := chosen.RawRowView(l)
		if i, ok := from[landmarks.Checksum(l)]; ok && slices.Equal(images.Row(i), row) {
			copy(row, c.rows([]int{i}).RawRowView(0))
			continue
		}
		for j, v := range row {
			row[j] = back(v, j)
		}
	}
}

// rows returns some rows of the points, with 0 for −0.
func (c *Chooser) rows(index []int) *mat.Dense {
	dst := mat.NewDense(len(index), c.points.Cols, nil)
	for i, at := range index {
		to := dst.RawRowView(i)
		for k, v := range c.points.Row(at) {
			to[k] = v + 0
		}
	}
	return dst
}

// named returns the error of a kernel value at two landmarks by the rows of the points that they are, unless they are means of rows.
func (c *Chooser) named(err error, landmarks *mat.Dense) error {
	bad, ok := err.(*notFiniteError)
	if !ok {
		return err
	}
	at := [2]int{bad.i, bad.j}
	for k, landmark := range at {
		i := slices.IndexFunc(c.from, func(i int) bool { return slices.Equal(c.points.Row(i), landmarks.RawRowView(landmark)) })
		if i < 0 {
			return err
		}
		at[k] = c.from[i]
	}
	return fmt.Errorf("featuremap: x: k(s, t) = %v for s = row %d, t = row %d: must be finite", bad.value, at[0], at[1])
}

// candidates returns the numbers of up to most rows, among which there are n different ones.
func (c *Chooser) candidates(most int) []int {
	var index []int
	for _, i := range subset.Rows(len(c.from), max(most, c.n)) {
		index = append(index, c.from[i])
	}
	if len(firstOfEach(c.points, index, c.n)) < c.n {
		index = firstOfEach(c.points, c.from, len(c.from))
	}
	return index
}

// firstOfEach returns the first of the rows at index that are different from each other, up to most of them. Rows are
// told apart by all their bits, but for the sign of 0.
func firstOfEach(points *rows.Reader, index []int, most int) (first []int) {
	seen := make(map[string]bool)
	var key []byte
	for _, i := range index {
		key = key[:0]
		add := func(bits uint64) { key = binary.LittleEndian.AppendUint64(key, bits) }
		if points.Lists == nil {
			for _, v := range points.Row(i) {
				add(math.Float64bits(v + 0))
			}
		} else {
			for _, e := range points.NonZeros(i) {
				add(uint64(e.Column))
				add(math.Float64bits(e.Value))
			}
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			if first = append(first, i); len(first) == most {
				break
			}
		}
	}
	return first
}

// random returns different rows, by a random order of all, whatever the order they are given in.
func (c *Chooser) random() *mat.Dense {
	order := c.byContent()
	for i := range order {
		j := i + c.s.IntN(len(order)-i)
		order[i], order[j] = order[j], order[i]
	}
	return c.rows(firstOfEach(c.points, order, c.n))
}

// byContent returns the numbers of the rows in an order that depends on what is in them alone: by a checksum, and where two have the
// same by their elements.
func (c *Chooser) byContent() []int {
	sums := make([]uint64, c.points.N)
	for _, i := range c.from {
		sums[i] = c.points.Checksum(i)
	}
	order := slices.Clone(c.from)
	slices.SortFunc(order, func(i, j int) int {
		if by := cmp.Compare(sums[i], sums[j]); by != 0 {
			return by
		}
		return slices.CompareFunc(slices.Clone(c.points.NonZeros(i)), c.points.NonZeros(j), func(a, b rows.Entry) int {
			return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(a.Value, b.Value))
		})
	})
	return order
}

// kMeans returns the centers of clusters, or the seeds where the kernel has no coordinates to move centers in.
func (c *Chooser) kMeans() (*mat.Dense, error) {
	points := c.rows(c.candidates(mostClustered))
	z, ok := c.program.Coordinates(points)
	distance := func(at []int) (*mat.Dense, error) { return squaredDistances(z, rows.Pick(z, at)), nil }
	if !ok {
		distance = func(at []int) (*mat.Dense, error) { return c.program.Distances(points, at) }
	}
	seeds, err := c.seeds(points, distance)
	if err != nil {
		return nil, err
	}
	if !ok {
		return rows.Pick(points, seeds), nil
	}
	centers := rows.Pick(points, seeds)
	for range lloydSteps {
		at, _ := c.program.Coordinates(centers)
		moveCenters(centers, points, nearestCenters(z, at))
	}
	return centers, nil
}

// seeds returns the numbers of n different points by k-means++: each with a probability in proportion to the squared distance
// from the nearest seed before, in blocks of seedBlock for which these probabilities are the same.
func (c *Chooser) seeds(points *mat.Dense, distance func(at []int) (*mat.Dense, error)) ([]int, error) {
	n, _ := points.Dims()
	nearest := slices.Repeat([]float64{math.Inf(1)}, n)
	chosen := []int{c.s.IntN(n)}
	for block := chosen; ; {
		d, err := distance(block)
		if err != nil {
			return nil, err
		}
		for i := range nearest {
			nearest[i] = min(nearest[i], slices.Min(d.RawRowView(i)))
		}
		chosen = append(chosen[:len(chosen)-len(block)], withoutTwins(d, block)...)
		for _, i := range chosen {
			nearest[i] = 0
		}
		if len(chosen) == c.n {
			return chosen, nil
		}
		block = c.weighted(nearest, min(seedBlock, c.n-len(chosen)))
		if len(block) == 0 { // all other points have no distance from a seed, to rounding: take those that are different
			return c.others(points, chosen), nil
		}
		chosen = append(chosen, block...)
	}
}

// withoutTwins returns the points of a block that have a distance from all before them in it, given those of all points from the block's.
func withoutTwins(d *mat.Dense, block []int) (apart []int) {
	for j, at := range block {
		if !slices.Contains(d.RawRowView(at)[:j], 0) {
			apart = append(apart, at)
		}
	}
	return apart
}

// others returns the chosen points and the first of those that are different from them, n in all.
func (c *Chooser) others(points *mat.Dense, chosen []int) []int {
	var r rows.Reader
	r.Reset(points)
	return firstOfEach(&r, append(slices.Clone(chosen), indices(r.N)...), c.n)
}

// weighted draws up to n different numbers, with probabilities in proportion to weights. A number that is drawn again is left
// out, so that there may be fewer; there is one at least if a weight is positive.
func (c *Chooser) weighted(weights []float64, n int) (drawn []int) {
	sums := make([]float64, len(weights))
	var total float64
	for i, w := range weights {
		total += max(w, 0)
		sums[i] = total
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil
	}
	for range n {
		u := float64(c.s.Float64() * total)
		i, _ := slices.BinarySearchFunc(sums, u, func(sum, u float64) int {
			if sum <= u {
				return -1
			}
			return 1
		})
		if i = min(i, len(sums)-1); weights[i] > 0 && !slices.Contains(drawn, i) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

// squaredDistances returns ‖xᵢ − yⱼ‖² for the rows of x and y.
func squaredDistances(x, y *mat.Dense) *mat.Dense {
	_, d := x.Dims()
	p := matrix.NewProgram(matrix.Function{Measure: gram.Measure{Of: gram.Squares, Scale: 1}}, d)
	n, _ := x.Dims()
	m, _ := y.Dims()
	dst := mat.NewDense(n, m, nil)
	matrix.New(p, y).RowsTo(dst.RawMatrix(), x)
	return dst
}

// nearestCenters returns the number of the nearest center for each row of z, the first of several.
func nearestCenters(z, centers *mat.Dense) []int {
	const together = 512
	n, cols := z.Dims()
	nearest := make([]int, n)
	for lo := 0; lo < n; lo += together {
		hi := min(lo+together, n)
		d := squaredDistances(z.Slice(lo, hi, 0, cols).(*mat.Dense), centers)
		parallel.Run(parallel.Func(func(from, to int) {
			for i := from; i < to; i++ {
				row := d.RawRowView(i)
				for j, v := range row {
					if v < row[nearest[lo+i]] {
						nearest[lo+i] = j
					}
				}
			}
		}), hi-lo, 16)
	}
	return nearest
}

// moveCenters makes each center the mean of the points that it is nearest to, if there are some. The mean of images under a
// linear map is the image of the mean.
func moveCenters(centers, points *mat.Dense, nearest []int) {
	m, cols := centers.Dims()
	sums, counts := mat.NewDense(m, cols, nil), make([]float64, m)
	for i, j := range nearest {
		counts[j]++
		for k, v := range points.RawRowView(i) {
			sums.RawRowView(j)[k] += v
		}
	}
	for j, n := range counts {
		if n == 0 {
			continue
		}
		for k, v := range sums.RawRowView(j) {
			centers.Set(j, k, v/n)
		}
	}
}
