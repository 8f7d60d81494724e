// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Rows that must not judge λ, since they are landmarks of the map.

package linear

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Marks tell which rows are landmarks of a map.
//
// The features of a landmark s have all of its kernel, ‖φ(s)‖² = k(s, s), and those of other rows far from all
// landmarks nearly nothing. A training row x far from s uses k(s, ·) with a weight of about 1/k(s, x), which nothing
// limits at s unless s is a training row too. So a landmark that is left out has predictions that no new row has, and
// demands a far larger λ. In a logistic regression of 3,600 texts, 1,048 of them landmarks of a polynomial of degree 4,
// the demand was 1e-4, where 1e-6 has the least log loss on new rows, 0.23 instead of 0.55.
type Marks struct {
	phi    featuremap.FeatureMap
	at     map[uint64]place // by the checksum of the landmark's point
	rows   int
	judges int     // the rows of positive weight
	others float64 // the weight of those that are no place's only row
	some   lowest  // landmarks
	sample lowest  // of the rows of positive weight
}

// A place is the first row at a landmark, with its weight, or none. If there are several, each of these has a copy that
// may be fitted.
type place struct {
	row     int
	weight  float64
	several bool
}

const none = -1

// NewMarks returns the landmarks of a map; nil if it has none.
func NewMarks(phi featuremap.FeatureMap) *Marks {
	points := PointsOf(phi)
	if points == nil {
		return nil
	}
	in, _ := phi.Dims()
	m := &Marks{phi: phi, at: make(map[uint64]place), some: newLowest(towards)}
	m.sample = newLowest(min(max(comparedSize/in, leastCompared), mostCompared))
	var reader rows.Reader
	reader.Reset(points)
	for i := range reader.N {
		sum := reader.Checksum(i)
		m.at[sum] = place{row: none}
		m.some.add(&reader, i, sum, true)
	}
	return m
}

// Note looks for landmarks among rows with weights; nil weights are 1. A nil m notes nothing.
func (m *Marks) Note(reader *rows.Reader, weights []float64) {
	if m == nil {
		return
	}
	for i := range reader.N {
		found := place{row: m.rows, weight: 1}
		m.rows++
		if weights != nil {
			if found.weight = weights[i]; found.weight == 0 {
				continue
			}
		}
		m.judges++
		sum := reader.Checksum(i)
		at, is := m.at[sum]
		m.sample.add(reader, i, sum, is)
		switch {
		case is && at.row == none:
			m.at[sum] = found
			continue
		case is && !at.several:
			m.others += at.weight
			at.several = true
			m.at[sum] = at
		}
		m.others += found.weight
	}
}

// enoughJudges is the number of other rows from which these judge alone, even if landmarks are most of the rows. Half as
// many may choose λ by chance.
const enoughJudges = 150

// NotJudging returns which rows must not judge λ, their weight and the others' weight: landmarks, if these were
// chosen among the rows and are like the others, of which there are enough. It is nil if all may judge. Centers of
// clusters that are rows judge: they are outliers, which others do not stand for. The rows may be a sample of a number
// of all rows, of which a part of the landmarks is expected, less two standard errors. together returns the rows that are
// left out together with a row, itself included, and their weights: such rows are landmarks as single ones are; nil: all
// rows leave alone.
func (m *Marks) NotJudging(all int, together func(row int) (rows []int, weights []float64)) (are []bool, weight, others float64) {
	if m == nil {
		return nil, 0, 0
	}
	are = make([]bool, m.rows)
	weights := make([]float64, m.rows)
	found, count := 0, 0
	copies := make([]float64, m.rows) // weights that are among others' so far
	for _, at := range m.at {
		switch {
		case at.row == none:
			continue
		case !at.several:
			are[at.row], weights[at.row] = true, at.weight
			count++
		case together != nil:
			if group, w := together(at.row); len(group) > 1 {
				for k, i := range group {
					are[i], copies[i] = true, w[k]
				}
				count += len(group)
			}
		}
		found++
	}
	others = m.others
	for i, w := range weights {
		weight += w + copies[i]
		others -= copies[i]
	}
	expected := float64(len(m.at))
	if all > m.rows {
		part := float64(m.rows) / float64(all)
		expected *= part
		expected -= 2 * math.Sqrt(expected*(1-part))
	}
	left := m.judges - count
	if count == 0 || float64(10*found) < 9*expected || left < enoughJudges && left <= count || m.unlike() {
		return nil, 0, 0
	}
	return are, weight, others
}
