// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Whether landmarks are like other rows.

package linear

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

const (
	mostCompared  = 2048 // rows,
	leastCompared = 256  // or fewer if they are wide,
	comparedSize  = 1 << 20
	towards       = 128 // landmarks, of which rows have a mean kernel
	comparedBlock = 256 // rows whose features are in memory at once

	// Landmarks are unlike the rows if they were drawn at random with a probability of about 1e-4 at most: by the standard
	// score of their rank sum, or by how many of them are outermost.
	mostScore  = 4
	mostInform = 9.9 // ln 2e4, for either end
	outermost  = 23  // ln 1e10: all of so many rows are landmarks by a probability of 1e-10
	leastOuter = 16
)

// A drawn is a row with the checksum of its point.
type drawn struct {
	sum  uint64
	mark bool // it is a landmark
	row  rows.List
}

// lowest are the different rows of the lowest checksums, which are the same in whatever order rows come.
type lowest struct {
	rows  []drawn
	count int    // of rows to keep
	most  uint64 // a row above is not among them
}

// add adds row i of a reader.
func (l *lowest) add(reader *rows.Reader, i int, sum uint64, mark bool) {
	if sum > l.most {
		return
	}
	if l.rows = append(l.rows, drawn{sum, mark, reader.Copy(i)}); len(l.rows) == 2*l.count {
		l.trim()
	}
}

// trim leaves the rows that count.
func (l *lowest) trim() {
	slices.SortStableFunc(l.rows, func(a, b drawn) int { return cmp.Compare(a.sum, b.sum) })
	l.rows = slices.CompactFunc(l.rows, func(a, b drawn) bool { return a.sum == b.sum })
	if len(l.rows) >= l.count {
		clear(l.rows[l.count:])
		l.rows = l.rows[:l.count]
		l.most = l.rows[l.count-1].sum
	}
}

// newLowest returns the lowest of rows that are still to be added.
func newLowest(count int) lowest { return lowest{count: count, most: math.MaxUint64} }

// features calls do with the features of the rows.
func (l *lowest) features(phi featuremap.FeatureMap, do func(r *drawn, features []float64)) {
	l.trim()
	in, _ := phi.Dims()
	var features mat.Dense
	for lo := 0; lo < len(l.rows); lo += comparedBlock {
		block := l.rows[lo:min(lo+comparedBlock, len(l.rows))]
		points := make([]rows.List, len(block))
		for i, r := range block {
			points[i] = r.row
		}
		features.Reset()
		phi.TransformTo(&features, rows.Join(points, in))
		for i := range block {
			do(&block[i], features.RawRowView(i))
		}
	}
}

// unlike reports whether landmarks are unlike the other rows: whether the means of their kernel to landmarks, without
// themselves, have other ranks (Mann and Whitney 1947), or more of them are outermost. Landmarks that were chosen
// because they are far from each other are the outer rows, which others do not stand for.
func (m *Marks) unlike() bool {
	_, d := m.phi.Dims()
	sum, landmarks := make([]float64, d), make(map[uint64]bool)
	largest := 0.0
	m.some.features(m.phi, func(r *drawn, features []float64) {
		landmarks[r.sum] = true
		largest = max(largest, chain.Dot(features, features))
		for j, v := range features {
			sum[j] += v
		}
	})
	var means []float64
	var marks []bool
	m.sample.features(m.phi, func(r *drawn, features []float64) {
		mean, n := chain.Dot(features, sum), float64(len(landmarks))
		if landmarks[r.sum] {
			mean, n = mean-chain.Dot(features, features), n-1
		}
		const rounding = 1e-9 // has equal ranks
		means, marks = append(means, math.Round(mean/max(n, 1)/(rounding*largest))), append(marks, r.mark)
	})
	order := make([]int, len(means))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(means[a], means[b]) })
	return math.Abs(rankScore(means, marks, order)) > mostScore || outer(marks, order)
}

// rankScore returns the standard score of the rank sum of the marked ones among numbers v, given their order.
func rankScore(v []float64, marked []bool, order []int) float64 {
	var sum, some float64
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			if marked[i] {
				sum += float64(lo+hi+1) / 2
				some++
			}
		}
		lo = hi
	}
	all := float64(len(v))
	variance := some * (all - some) * (all + 1) / 12
	if variance == 0 {
		return 0
	}
	return (sum - float64(some*(all+1))/2) / math.Sqrt(variance)
}

// outer reports whether too many at one end of an order are marked, by the bound of Chernoff (1952) for the
// binomial distribution.
func outer(marked []bool, order []int) bool {
	count := 0.0
	for _, is := range marked {
		if is {
			count++
		}
	}
	all := float64(len(marked))
	part := count / all
	if part == 0 || part == 1 {
		return false
	}
	k := int(min(max(outermost/-detmath.Log(part), leastOuter), all/4))
	ends := [2]float64{}
	for i := range k {
		for e, at := range [2]int{order[i], order[len(order)-1-i]} {
			if marked[at] {
				ends[e]++
			}
		}
	}
	for _, c := range ends {
		share := c / float64(k)
		if share <= part {
			continue
		}
		information := share * detmath.Log(share/part)
		if share < 1 {
			information += float64((1 - share) * detmath.Log((1-share)/(1-part)))
		}
		if float64(k)*information > mostInform {
			return true
		}
	}
	return false
}
