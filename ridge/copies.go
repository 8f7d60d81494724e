// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Rows that are copies of others, which are left out together to choose λ.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A copyFinder finds rows that are copies of others, targets included. A nil one finds none.
type copyFinder struct {
	rows            int
	points, targets []uint64 // checksums of each row
	weights         []float64
	few             copied.Few

	known  bool // whether the groups are
	groups *groupsOfCopies
}

// note takes the next rows, with their weights; nil: 1 each.
func (f *copyFinder) note(x *rows.Reader, y mat.Matrix, weights []float64) {
	if f == nil {
		return
	}
	if f.rows += x.N; f.rows > copied.Most {
		f.points, f.targets, f.weights = nil, nil, nil
		return
	}
	f.few.Note(x)
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
		f.points, f.targets, f.weights = append(f.points, x.Checksum(i)), append(f.targets, copied.Checksum(row)), append(f.weights, weight)
	}
}

// groupsOfCopies are the rows of a fit as groups that are left out together.
type groupsOfCopies struct {
	first    []int     // the first row of each row's group
	weights  []float64 // of rows
	times    []float64 // by how many times the weight of each row its group weighs
	heaviest []int     // the heaviest row of each row's group
	each     float64   // the weight of all rows over that of one for each group, the heaviest
	dropped  bool      // whether some of a group's rows are not among the rows
}

// copies returns the groups; nil if copies are few, or are no copies.
func (f *copyFinder) copies(labels bool) *groupsOfCopies {
	switch {
	case f == nil:
		return nil
	case f.known:
		return f.groups
	case f.points == nil:
		return nil
	}
	first := copied.Groups(f.points, f.targets, &f.few, labels, false)
	if first == nil {
		return nil
	}
	c := &groupsOfCopies{first: first, weights: f.weights, times: make([]float64, f.rows), heaviest: make([]int, f.rows)}
	weights, heaviest, count := make([]float64, f.rows), slices.Clone(first), make([]int, f.rows) // of groups
	var all, one float64
	for i, g := range first {
		weights[g] += f.weights[i]
		if count[g]++; f.weights[i] > f.weights[heaviest[g]] {
			heaviest[g] = i
		}
	}
	for i, g := range first {
		if count[g] == 1 || f.weights[i] == 0 {
			c.times[i], c.heaviest[i] = 1, i
		} else {
			c.times[i], c.heaviest[i] = weights[g]/f.weights[i], heaviest[g]
		}
		if all += f.weights[i]; i == heaviest[g] {
			one += f.weights[i]
		}
	}
	c.each = all / one
	return c
}

// leave reports whether copies leave with a row.
func (c *groupsOfCopies) leave(i int) bool { return c != nil && c.times[i] != 1 }

// rest returns 1 minus the leverage of a row with its copies, given a function for single rows. The heaviest loses the fewest
// digits.
func (c *groupsOfCopies) rest(i int, of func(i int) float64) float64 {
	if !c.leave(i) {
		return of(i)
	}
	return math.FMA(-c.times[c.heaviest[i]], 1-of(c.heaviest[i]), 1)
}

// repeated returns what the log evidence of targets, of rows with the given weight, gains by an observation for each group rather than one
// for each row, up to a number that is the same for all λ.
func (c *groupsOfCopies) repeated(s *normal.Solution, targets []int, weight float64) (sum float64) {
	more := weight * (1 - 1/c.each)
	for t, v := range s.Noise {
		if v > 0 && s.Lambda > 0 && (targets == nil || slices.Contains(targets, t)) {
			sum += float64(0.5 * more * detmath.Log(v))
		}
	}
	return sum
}

// together returns a function for linear.Marks; nil if each row leaves alone.
func (c *groupsOfCopies) together() func(row int) ([]int, []float64) {
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
func (c *groupsOfCopies) errors() float64 {
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
