// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package copied finds rows that are copies of others, targets included, as in a file that was joined twice or with rows that
// were repeated. If one is left out of a fit, the others reveal its target.
//
// Rows that were drawn from few points, as of a table of categories, are no copies, since new rows come to these points, too.
// They have many numbers of rows at a point, where a joined file has one, or two such as 1 and 2.
package copied

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

const (
	fewCopies     = 10 // one row in so many is a copy, at least
	fewestCopied  = 8  // points with copies
	fewConflicts  = 20 // points with copies for each with different targets, if targets may be the same by chance
	fewestOfClass = 3  // points of a class whose copies belong together
	fewPoints     = 50 // with fewer
	mostTimes     = 10 // rows at a point, at most: hardly any file is joined more often
)

// A point is the rows at a place.
type point struct {
	first, rows int
	differ      bool // in targets
	rare        bool // of a class
}

// alone reports whether the rows are no copies of each other.
func (p *point) alone() bool { return p.differ || p.rare }

// Groups returns the first row of the group of each row, given checksums of points and of targets. Rows at a point with different
// targets are groups by themselves, as are those of a class at fewer than three points. It returns nil if copies are few, or are
// no copies: if one row in ten is no copy; if targets differ at more points than they are the same, or at one in twenty if there
// are fewer than half as many targets as points; if fewer than eight points have copies, or if they have more than two numbers
// of rows, unless numbers do not matter to the caller and there are 50 points; and if fewer points have more than ten rows.
func Groups(points, targets []uint64, classes, anyNumbers bool) (first []int) {
	at := make(map[uint64]*point)
	of := make(map[uint64]int) // points of each target
	for i, sum := range points {
		p := at[sum]
		if p == nil {
			p = &point{first: i}
			at[sum] = p
			of[targets[i]]++
		}
		p.rows++
		p.differ = p.differ || targets[i] != targets[p.first]
	}
	copied, more, conflicts, most := 0, 0, 0, 0
	numbers := make(map[int]bool)
	for _, p := range at {
		p.rare = classes && of[targets[p.first]] < fewestOfClass
		if p.differ {
			conflicts++
		}
		if p.alone() {
			continue
		}
		numbers[p.rows], most = true, max(most, p.rows)
		if p.rows > 1 {
			copied++
			more += p.rows - 1
		}
	}
	if 2*len(of) < len(at) {
		conflicts *= fewConflicts
	}
	few := len(at) < fewPoints
	switch {
	case fewCopies*more < len(points), conflicts > copied, few && most > mostTimes,
		(few || !anyNumbers) && (copied < fewestCopied || len(numbers) > 2):
		return nil
	}
	for i, sum := range points {
		if p := at[sum]; p.alone() {
			first = append(first, i)
		} else {
			first = append(first, p.first)
		}
	}
	return first
}

// Checksum returns a checksum of numbers, the same for 0 and −0.
func Checksum(v []float64) (sum uint64) {
	for _, u := range v {
		sum = splitmix.Output(sum, math.Float64bits(u+0))
	}
	return sum
}
