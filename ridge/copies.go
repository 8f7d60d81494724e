// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Rows that are copies of others, which are left out together to choose λ.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Copies are left out together if one row in fewCopies of at most mostNoted is a copy, if at least fewestCopied points have
// copies, and if there are at least fewestOfClass points of each class of labels. With more rows, these are many for each
// feature, and a copy reveals little.
//
// Files that were joined, or in which rows were repeated, have points with at most two numbers of rows, such as 1 and 2. Rows
// drawn from few points, as of a table of categories, have many numbers: new rows come to these points, too. At one point in
// fewConflicts targets may differ, by an error or by rounding. These rows are left out one by one.
const (
	fewCopies     = 10
	mostNoted     = 1 << 18
	fewestCopied  = 20
	fewConflicts  = 20
	fewestOfClass = 3
)

// A copyFinder finds rows that are copies of others, targets included. A nil one finds none.
type copyFinder struct {
	rows            int
	points, targets []uint64 // checksums of each row
	weights         []float64
}

// note takes the next rows, with their weights; nil: 1 each.
func (f *copyFinder) note(x *rows.Reader, y mat.Matrix, weights []float64) {
	if f == nil {
		return
	}
	if f.rows += x.N; f.rows > mostNoted {
		f.points, f.targets, f.weights = nil, nil, nil
		return
	}
	_, targets := y.Dims()
	row := make([]float64, targets)
	for i := range x.N {
		for t := range row {
			row[t] = y.At(i, t)
		}
		weight := 1.0
		if weights != nil {
			weight = weights[i]
		}
		f.points, f.targets, f.weights = append(f.points, x.Checksum(i)), append(f.targets, checksum(row)), append(f.weights, weight)
	}
}

// copies are the rows of a fit as groups that are left out together.
type copies struct {
	weights  []float64 // of rows
	times    []float64 // by how many times the weight of each row its group weighs
	heaviest []int     // the heaviest row of each row's group
	each     float64   // rows for each group
}

// A samePoint is the rows at a point.
type samePoint struct {
	first, heaviest, rows int
	weight                float64
	differ                bool // in targets
}

// copies returns the groups; nil if copies are few, or are no copies.
func (f *copyFinder) copies(labels bool) *copies {
	if f == nil || f.points == nil {
		return nil
	}
	at := make(map[uint64]*samePoint)
	classes := make(map[uint64]int) // points of each class
	for i, p := range f.points {
		g := at[p]
		if g == nil {
			g = &samePoint{first: i, heaviest: i}
			at[p] = g
			classes[f.targets[i]]++
		}
		g.rows++
		g.weight += f.weights[i]
		g.differ = g.differ || f.targets[i] != f.targets[g.first]
		if f.weights[i] > f.weights[g.heaviest] {
			g.heaviest = i
		}
	}
	copied, more, conflicts, groups := 0, 0, 0, 0
	numbers := make(map[int]bool)
	for _, g := range at {
		if g.differ {
			conflicts++
			groups += g.rows
			continue
		}
		numbers[g.rows] = true
		groups++
		if g.rows > 1 {
			copied++
			more += g.rows - 1
		}
	}
	if copied < fewestCopied || fewCopies*more < f.rows || fewConflicts*conflicts > copied || len(numbers) > 2 {
		return nil
	}
	for _, n := range classes {
		if labels && n < fewestOfClass {
			return nil
		}
	}
	c := &copies{weights: f.weights, times: make([]float64, f.rows), heaviest: make([]int, f.rows), each: float64(f.rows) / float64(groups)}
	for i, p := range f.points {
		if g := at[p]; g.differ || g.rows == 1 || f.weights[i] == 0 {
			c.times[i], c.heaviest[i] = 1, i
		} else {
			c.times[i], c.heaviest[i] = g.weight/f.weights[i], g.heaviest
		}
	}
	return c
}

// leave reports whether copies leave with a row.
func (c *copies) leave(i int) bool { return c != nil && c.times[i] != 1 }

// rest returns 1 minus the leverage of a row with its copies, given a function for single rows. The heaviest loses the fewest
// digits.
func (c *copies) rest(i int, of func(i int) float64) float64 {
	if !c.leave(i) {
		return of(i)
	}
	return math.FMA(-c.times[c.heaviest[i]], 1-of(c.heaviest[i]), 1)
}

// together returns a function for linear.Marks; nil if each row leaves alone.
func (c *copies) together() func(row int) ([]int, []float64) {
	if c == nil {
		return nil
	}
	groups := make(map[int][]int)
	for i, h := range c.heaviest {
		groups[h] = append(groups[h], i)
	}
	return func(row int) (group []int, weights []float64) {
		group = groups[c.heaviest[row]]
		for _, i := range group {
			weights = append(weights, c.weights[i])
		}
		return group, weights
	}
}

// errors returns the number of standard errors of independent rows that is one of rows in copies.
func (c *copies) errors() float64 {
	if c == nil {
		return 1
	}
	return math.Sqrt(c.each)
}

// read returns the rows with the given numbers, without features.
func (l *leftOut) read(index []int) (part, error) {
	p, err := l.rows.gather(index)
	if l.copies != nil {
		for _, i := range index {
			p.times = append(p.times, l.copies.times[i])
		}
	}
	return p, err
}

// each calls do for parts of the rows, as a rereader does.
func (l *leftOut) each(most int, do func(lo int, p part) error) error {
	return l.rows.each(most, func(lo int, p part) error {
		if l.copies != nil {
			p.times = l.copies.times[lo:][:p.y.Rows]
		}
		return do(lo, p)
	})
}

// withCopies turns leverages of some rows into those of all copies of each.
func (r *someRows) withCopies(leverages []float64) []float64 {
	for i, v := range r.times {
		leverages[i] *= v
	}
	return leverages
}
