// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package copied finds rows that are copies of others, targets included, as in a file that was joined twice or with rows that
// were repeated. If one is left out of a fit, the others reveal its target.
//
// Rows that were drawn from few points, as of a table of categories, are no copies, since new rows come to these points, too.
// They have many numbers of rows at a point, where a joined file has one, two such as 1 and 2, or numbers that are alike. Few
// points must also be measured: some column has many values, and not only categories.
package copied

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// Most is the largest number of rows among which copies are found. With more rows, these are many for each feature, and a copy
// reveals little.
const Most = 1 << 18

const (
	fewCopies     = 10 // one row in so many is a copy, at least
	fewestCopied  = 8  // points have copies, at least
	fewConflicts  = 20 // so many points have copies for each with different targets, if targets may be the same by chance
	fewestOfClass = 3  // points of a class whose copies belong together, at least
	fewPoints     = 50 // fewer points must be measured,
	mostTimes     = 10 // and have so many rows at most: hardly any file is joined more often
)

// A Few is the first points of some rows, of which it tells whether they are measured if they are fewer than 50.
type Few struct {
	seen map[uint64]bool
	rows []rows.List
}

// Note takes the next rows.
func (f *Few) Note(x *rows.Reader) {
	if f.seen == nil {
		f.seen = make(map[uint64]bool)
	}
	for i := 0; i < x.N && len(f.rows) < fewPoints; i++ {
		if sum := x.Checksum(i); !f.seen[sum] {
			f.seen[sum], f.rows = true, append(f.rows, x.Copy(i))
		}
	}
}

// measured reports whether some column has half as many values as there are points, other than 0 in a list.
func (f *Few) measured() bool {
	values := make(map[int]map[float64]bool)
	for _, r := range f.rows {
		for e, v := range r.Values {
			j := r.Column(e)
			if values[j] == nil {
				values[j] = make(map[float64]bool)
			}
			if values[j][v] = true; 2*len(values[j]) >= len(f.rows) {
				return true
			}
		}
	}
	return false
}

// A point is the rows at a place.
type point struct {
	first, rows int
	agree       int  // the most rows with one target
	differ      bool // in targets
	rare        bool // of a class
}

// conflict returns twice the share of rows with another target than most have, at most 1, in thousandths.
func (p *point) conflict() int { return min(2*whole*(p.rows-p.agree)/p.rows, whole) }

const whole = 1000

// alone reports whether the rows are no copies of each other.
func (p *point) alone() bool { return p.differ || p.rare }

// Groups returns the first row of the group of each row, given checksums of points and of targets. Rows with other targets are other
// groups, and those of a class at fewer than three points are groups by themselves. It returns nil where rows are no copies:
//
//   - fewer than one row in ten is a copy,
//   - targets differ at more points than they are the same, or at more than one in twenty of these if there are fewer than half as
//     many targets as points; a point counts less if few of its rows differ,
//   - fewer than eight points have copies, or numbers of rows are more than two and not alike, unless numbers do not matter
//     (anyNumbers) and there are 50 points, or
//   - there are fewer than 50 points, which are not measured or have more than ten rows.
func Groups(points, targets []uint64, few *Few, classes, anyNumbers bool) (first []int) {
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
	countAgreeing(at, points, targets)
	copied, more, conflicts, most := 0, 0, 0, 0
	numbers := make(map[int]int)
	for _, p := range at {
		p.rare = classes && of[targets[p.first]] < fewestOfClass
		if p.differ {
			conflicts += p.conflict()
		}
		if p.alone() {
			continue
		}
		numbers[p.rows]++
		if most = max(most, p.rows); p.rows > 1 {
			copied++
			more += p.rows - 1
		}
	}
	if 2*len(of) < len(at) {
		conflicts *= fewConflicts
	}
	isFew := len(at) < fewPoints
	switch {
	case fewCopies*more < len(points), conflicts > whole*copied, isFew && (most > mostTimes || !few.measured()),
		(isFew || !anyNumbers) && (copied < fewestCopied || len(numbers) > 2 && (isFew || !alike(numbers))):
		return nil
	}
	equal := make(map[[2]uint64]int) // the first of rows with a target at a point where these differ
	for i, sum := range points {
		p, k := at[sum], [2]uint64{sum, targets[i]}
		switch g, seen := equal[k]; {
		case !p.alone():
			first = append(first, p.first)
		case seen && !p.rare:
			first = append(first, g)
		default:
			equal[k] = i
			first = append(first, i)
		}
	}
	return first
}

// countAgreeing sets at how many rows of points with different targets most agree.
func countAgreeing(at map[uint64]*point, points, targets []uint64) {
	rows := make(map[[2]uint64]int)
	for i, sum := range points {
		if p := at[sum]; p.differ {
			k := [2]uint64{sum, targets[i]}
			rows[k]++
			p.agree = max(p.agree, rows[k])
		}
	}
}

// alike reports whether numbers of rows, each of so many points, differ less than those of points that are drawn at random, as far as
// these are seen: by half the variance of a Poisson distribution without 0. A file that was joined several times and then lost or won some
// rows has such numbers.
func alike(numbers map[int]int) bool {
	points, sum, squares := 0, 0, 0
	for rows, of := range numbers {
		points, sum, squares = points+of, sum+of*rows, squares+of*rows*rows
	}
	mean := float64(sum) / float64(points)
	variance := float64(squares)/float64(points) - float64(mean*mean)
	rate := mean // of all points, with those that have no rows: mean = rate/(1 − exp(−rate))
	for range 1000 {
		rate = mean * (1 - detmath.Exp(-rate))
	}
	return variance <= float64(mean*(1+rate-mean))/2
}

// Checksum returns a checksum of numbers, the same for 0 and −0.
func Checksum(v []float64) (sum uint64) {
	for _, u := range v {
		sum = splitmix.Output(sum, math.Float64bits(u+0))
	}
	return sum
}
