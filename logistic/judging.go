// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Rows that must not judge λ, since they are landmarks of the map.

package logistic

import (
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A landmarks tells which rows are landmarks of a map.
//
// The features of a landmark s have all of its kernel, ‖φ(s)‖² = k(s, s), and those of other rows far from all
// landmarks nearly nothing. A training row x far from s uses k(s, ·) with a weight of about 1/k(s, x), which nothing
// limits at s unless s is a training row too. So a held-out landmark has scores that no new row has, and demands a far
// larger λ. With 3,600 texts, 1,048 of them landmarks of a polynomial of degree 4, the demand was 1e-4, where 1e-6 has
// the least log loss on new rows, 0.23 instead of 0.55.
type landmarks struct {
	at     map[uint64]int // the row at each, by the checksum of its point, or none or several
	rows   int
	judges int // the rows of positive weight
}

// Places of landmarks without a row, and of those with several: each of these rows has a copy that may be fitted.
const (
	none    = -1
	several = -2
)

// newLandmarks returns the landmarks of the map; nil if it has none.
func (t *training) newLandmarks() *landmarks {
	points := linear.PointsOf(t.phi)
	if points == nil {
		return nil
	}
	l := &landmarks{at: make(map[uint64]int)}
	var reader rows.Reader
	reader.Reset(points)
	for i := range reader.N {
		l.at[reader.Checksum(i)] = none
	}
	return l
}

// note looks for landmarks among rows with weights; nil weights are 1.
func (l *landmarks) note(reader *rows.Reader, weights []float64) {
	for i := range reader.N {
		row := l.rows
		l.rows++
		if weights != nil && weights[i] == 0 {
			continue
		}
		l.judges++
		sum := reader.Checksum(i)
		if at, is := l.at[sum]; is {
			if l.at[sum] = row; at != none {
				l.at[sum] = several
			}
		}
	}
}

// enoughJudges is the number of other rows from which these judge alone, even if landmarks are most of the rows: a third
// of so many tells neighbors on the path of λ apart.
const enoughJudges = 300

// notJudging returns which rows must not judge λ: landmarks, if these were chosen among the rows and there are enough
// others. It is nil if all may judge. Centers of clusters that are rows judge: they are outliers, which others do not
// stand for.
func (l *landmarks) notJudging() []bool {
	if l == nil {
		return nil
	}
	are := make([]bool, l.rows)
	found, count := 0, 0
	for _, row := range l.at {
		if row != none {
			found++
		}
		if row >= 0 {
			are[row] = true
			count++
		}
	}
	others := l.judges - count
	if count == 0 || 10*found < 9*len(l.at) || others < enoughJudges && others <= count {
		return nil
	}
	return are
}
