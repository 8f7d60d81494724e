// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sample

import (
	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// leastJudges is the number of rows that took no part in choices from which on only these are
// judges.
const leastJudges = 100

// judging is the judges of maps with a warp, up to a number of them.
type judging struct {
	warp   warp.Warp
	most   int
	sample *Sample
}

// Judges returns rows that took no part in choices, at most most of them, with their shares in means, in descending
// order of their size. Half of them come from all rows, and half from the rows farthest from the mean and those with
// the largest norms, behind a warp; of these, the farther a row is the more likely it is chosen.
//
// Of rows that took part in choices it takes only those that are so far out that they are judges with certainty: they
// stand for no other rows, and no row stands for them. If fewer than leastJudges rows are left, rows that took part are
// treated as any other. It returns nil if all rows took part.
func (p *Sample) Judges(w warp.Warp, most int) *Sample {
	if p.All == nil || p.All.N <= len(p.Rows) {
		return nil
	}
	w = w.Linear()
	if p.Wide {
		w = warp.Warp{} // distances of lists behind warps would be slow
	}
	for _, known := range p.judging {
		if known.most == most && known.warp.Equal(w) {
			return known.sample
		}
	}
	orders := p.orders
	if !w.Identity() {
		orders = p.behindWarp(w)
	}
	n := p.All.N
	sizes := make([]float64, n)
	for _, order := range orders {
		for rank, i := range order {
			sizes[i] += 1 / (float64(rank) + nearTail)
		}
	}
	floats.Scale(1/floats.Sum(sizes), sizes)
	floats.AddConst(1/float64(n), sizes)
	order, first := descending(sizes), chancesOf(sizes, most)
	chances, standing := first, 1.0
	if n-len(p.Rows) >= leastJudges {
		gone, by := 0.0, 0.0
		for _, i := range subset.Rows(n, MostRows) {
			if first[i] < 1 {
				sizes[i] = 0
				gone++
			}
		}
		for _, c := range first {
			if c < 1 {
				by++
			}
		}
		chances, standing = chancesOf(sizes, min(most, n-int(gone))), by/(by-gone)
	}
	inOrder := make([]float64, n)
	for k, i := range order {
		inOrder[k] = chances[i]
	}
	j := &Sample{In: p.In, Wide: p.Wide, Common: p.Common, Center: p.Center}
	var taken []int
	for _, k := range subset.Unequal(inOrder) {
		i, share := order[k], 1.0
		if first[i] < 1 {
			share = standing / chances[i]
		}
		taken, j.Shares = append(taken, i), append(j.Shares, share)
	}
	j.Rows = p.Copies(p.All, taken)
	p.judging = append(p.judging, judging{w, most, j})
	return j
}

// nearTail is the rank from which on a row is the less likely to be a judge the nearer it is.
const nearTail = 8

// chancesOf returns probabilities in proportion to sizes, each at most 1, whose sum is most.
func chancesOf(sizes []float64, most int) []float64 {
	chances := make([]float64, len(sizes))
	for certain := -1; ; {
		left, sum, now := float64(most), 0.0, 0
		for i, v := range sizes {
			if chances[i] >= 1 {
				left--
				now++
			} else {
				sum += v
			}
		}
		if now == certain || sum == 0 {
			return chances
		}
		certain = now
		for i, v := range sizes {
			if chances[i] < 1 {
				chances[i] = min(v*left/sum, 1)
			}
		}
	}
}

// behindWarp returns the numbers of all rows, in descending order of their norms behind a warp and of their distances
// from the mean.
func (p *Sample) behindWarp(w warp.Warp) [2][]int {
	center := w.Image(p.Center)
	zero, image := make([]float64, len(center)), make([]float64, len(center))
	var sizes [2][]float64
	for i := range p.All.N {
		w.Apply(image, p.All.Row(i))
		sizes[0], sizes[1] = append(sizes[0], arith.SquaredDistance(image, zero, 1)), append(sizes[1], arith.SquaredDistance(image, center, 1))
	}
	return [2][]int{descending(sizes[0]), descending(sizes[1])}
}

// Release drops the points.
func (p *Sample) Release() {
	p.All, p.norms, p.orders, p.judging = nil, nil, [2][]int{}, nil
}
