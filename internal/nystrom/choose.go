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

	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// A Selection is a way to choose landmarks: see Selection of the root package.
type Selection int

const (
	KMeans Selection = iota
	RPCholesky
	RandomRows
)

// Chooser chooses n landmarks from some rows of points, or all different rows if there are fewer.
type Chooser struct {
	program *matrix.Program
	points  *rows.Reader
	from    []int // numbers of rows, in ascending order
	n       int
	s       random.Sampler
}

// NewChooser returns a chooser of up to n landmarks from all rows with a positive k(x, x); other rows are
// useless.
func NewChooser(p *matrix.Program, points mat.Matrix, n int, s random.Sampler) (*Chooser, error) {
	c := &Chooser{program: p, points: new(rows.Reader), n: n, s: s}
	c.points.Reset(points)
	diagonal := make([]float64, c.points.N)
	matrix.New(p, c.rows([]int{0})).DiagonalTo(diagonal, points)
	for i, v := range diagonal {
		if !(v <= 0) { // NaN is reported where it matters
			c.from = append(c.from, i)
		}
	}
	if len(c.from) == 0 {
		return nil, errors.New("featuremap: x: k(x, x) is positive for none")
	}
	return c, nil
}

// Choose returns the landmarks. ordered tells whether their order, given by the selection, spreads them
// well.
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

// Return turns landmarks that were chosen among images of the rows of x into points of the space of x. A landmark that
// is the image of a row becomes this row; others are mapped back by coordinates. Afterwards the points of the chooser
// are the rows of x.
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

// named returns the error of a kernel value at two landmarks with the numbers of their rows, unless landmarks are means
// of rows.
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

// candidates returns the numbers of up to most rows that include n different ones.
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

// firstOfEach returns the first rows at index that differ from each other, up to most of them. Rows are compared by
// all their bits, except the sign of 0.
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

// random returns different rows, in a random order that does not depend on the order of the rows
// given.
func (c *Chooser) random() *mat.Dense {
	order := c.byContent()
	for i := range order {
		j := i + c.s.IntN(len(order)-i)
		order[i], order[j] = order[j], order[i]
	}
	return c.rows(firstOfEach(c.points, order, c.n))
}

// byContent returns the numbers of the rows in an order that depends only on their contents: by a checksum, and where
// checksums are equal by their elements.
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

// others returns the chosen points and the first of the points that differ from them, n in all.
func (c *Chooser) others(points *mat.Dense, chosen []int) []int {
	var r rows.Reader
	r.Reset(points)
	return firstOfEach(&r, append(slices.Clone(chosen), indices(r.N)...), c.n)
}

// weighted samples up to n different numbers, with probabilities in proportion to weights. A number that comes up again
// is skipped, so there may be fewer, but at least one if a weight is positive.
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
