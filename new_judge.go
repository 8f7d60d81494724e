// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// The rows that judge the maps that others chose.

const (
	// mostJudged is the largest number of pairs of rows that judge, and judgeWork about how many cosines may be computed for those
	// pairs of which the error is an estimate.
	mostJudged  = 1000
	leastJudged = 300
	judgeWork   = 1e7
)

// A judgement is the mean squared error of a map over pairs of rows that did not choose it, the part of it that is that of a bias, and
// the relative standard error of its root.
type judgement struct{ squaredError, squaredBias, relative float64 }

// judges returns rows that took no part in choices, with their shares in means. As many are from all rows as from the farthest from the mean
// and from the largest norms, behind a warp, the more of them the farther they are. It returns nil if there are none.
func (p *sample) judges(w warp) *sample {
	if p.all == nil || p.all.N <= len(p.rows) {
		return nil
	}
	w = w.linear()
	if p.wide {
		w = warp{} // the distances of lists behind warps would take long
	}
	for i, known := range p.judgeWarps {
		if known.equal(w) {
			return p.judgeSamples[i]
		}
	}
	outward := p.sizes
	if !w.identity() {
		outward = p.behindWarp(w)
	}
	n := p.all.N
	sizes := make([]float64, n)
	for _, by := range outward {
		for rank, i := range descending(by) {
			sizes[i] += 1 / (float64(rank) + nearTail)
		}
	}
	floats.Scale(1/floats.Sum(sizes), sizes)
	floats.AddConst(1/float64(n), sizes)
	for _, i := range subset.Rows(n, mostRows) {
		sizes[i] = 0
	}
	chances := chancesOf(sizes, min(mostRows, n-len(p.rows)))
	taken := subset.Unequal(chances)
	j := &sample{in: p.in, wide: p.wide, common: p.common, centre: p.centre, rows: p.copies(p.all, taken)}
	for _, i := range taken {
		j.shares = append(j.shares, 1/chances[i])
	}
	p.judgeWarps, p.judgeSamples = append(p.judgeWarps, w), append(p.judgeSamples, j)
	return j
}

// nearTail is the rank from which on rows are the less likely to judge the nearer they are.
const nearTail = 8

// chancesOf returns chances in proportion to sizes, but at most 1, whose sum is most.
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

// behindWarp returns the squared norms of all rows behind a warp, and their squared distances from the mean.
func (p *sample) behindWarp(w warp) (sizes [2][]float64) {
	centre := w.image(p.centre)
	zero, image := make([]float64, len(centre)), make([]float64, len(centre))
	for i := range p.all.N {
		w.apply(image, p.all.Row(i))
		sizes[0], sizes[1] = append(sizes[0], squaredDistance(image, zero, 1)), append(sizes[1], squaredDistance(image, centre, 1))
	}
	return sizes
}

// judge returns what judges say of a segment; ok is false if there are none, or its variance is unknown.
func (p *sample) judge(b segment) (said judgement, ok bool) {
	j := p.judges(b.shape().warp)
	if j == nil || !b.known() || len(j.rows) < 2 {
		return said, false
	}
	most := mostJudged
	if r, is := b.recipe.(interface{ judged() (recipe, float64) }); is {
		var cosines float64
		b.recipe, cosines = r.judged()
		most = int(min(max(judgeWork/cosines, leastJudged), mostJudged))
	}
	at := (&Plan{in: p.in, segments: []segment{b}}).momentsOver(j)
	return j.mean(j.numbers(most), func(i, k int) (squaredError, squaredBias float64) {
		variance, bias := at(i, k)
		return variance + bias*bias, bias * bias
	}), true
}

// mean returns the weighted means of two functions over pairs of rows, and half the relative standard error of the first: that of
// its root.
func (p *sample) mean(pairs [][2]int, at func(i, j int) (v, part float64)) (m judgement) {
	values := make([]float64, len(pairs))
	var sum float64
	share := func(ij [2]int) float64 {
		if p.shares == nil {
			return 1
		}
		return p.shares[ij[0]] * p.shares[ij[1]]
	}
	for _, ij := range pairs {
		sum += share(ij)
	}
	for k, ij := range pairs {
		v, part := at(ij[0], ij[1])
		values[k] = v
		m.squaredError += share(ij) / sum * v
		m.squaredBias += share(ij) / sum * part
	}
	byRow := make([]float64, len(p.rows)) // relative, since squares of errors may overflow
	for k, ij := range pairs {
		v := share(ij) / sum * (values[k]/m.squaredError - 1)
		byRow[ij[0]] += v
		byRow[ij[1]] += v
	}
	for _, v := range byRow {
		m.relative += v * v
	}
	m.relative = math.Sqrt(m.relative) / 2
	return m
}

// release lets go of the points.
func (p *sample) release() {
	p.all, p.norms, p.sizes, p.judgeWarps, p.judgeSamples = nil, nil, [2][]float64{}, nil, nil
}

// judged returns the draft of at most out columns that has the least error, or, if rmse is positive, the least number of columns with an error of
// at most rmse, with the error that rows have that did not choose. Where these have more than rmse, less is searched for.
func (p *planner) judged(out int, rmse float64) (d *draft, err error) {
	if rmse == 0 {
		if d, err = p.draft(out); err == nil {
			err = p.judge(d)
		}
		return d, err
	}
	const most, margin = 20, 0.99
	p.asked = rmse
	target := rmse
	for range most {
		next, err := p.least(out, target)
		if err != nil {
			if d != nil {
				err = p.advised(d, err)
			}
			return nil, err
		}
		d = next
		if err := p.judge(d); err != nil || !(d.rmse > rmse) {
			return d, err
		}
		target *= margin * rmse / d.rmse
	}
	err = fmt.Errorf("featuremap: PlanOptions RMSE = %v: rows that did not choose its %d features have an error of %.3g", rmse, d.columns(), d.rmse)
	return nil, p.advised(d, err)
}

// judge sets the predicted error of a draft to what rows that did not choose say of it. Where they are unsure, the larger figure counts.
func (p *planner) judge(d *draft) error {
	if err := d.fix(); err != nil {
		return err
	}
	const sure = 0.1
	var sum errorSum
	var spread float64
	for i, t := range d.drawn {
		decided := d.decided[i]
		r, err := decided.make()
		if err != nil {
			return err
		}
		said, ok := p.sample.judge(segment{term: decided.side.term, recipe: r, given: t.term})
		if !ok {
			sum = sum.plus(decided.choice)
			continue
		}
		if known := decided.squaredError; said.relative > sure && known > said.squaredError {
			said.squaredBias *= known / said.squaredError
			said.squaredError = known
		}
		d.squaredErrors[i] = said.squaredError
		sum = sum.plus(choice{squaredError: said.squaredError, squaredBias: said.squaredBias})
		spread += square(said.squaredError * said.relative)
	}
	d.rmse = math.Sqrt(sum.squaredError())
	d.relative = math.Sqrt(spread) / sum.squaredError()
	return nil
}

// fix takes down what is decided of each drawn term, if that is not done.
func (d *draft) fix() error {
	if d.decided != nil {
		return nil
	}
	for i, t := range d.drawn {
		decided, err := t.decide(d.shares[i])
		if err != nil {
			return err
		}
		d.decided, d.squaredErrors = append(d.decided, decided), append(d.squaredErrors, decided.squaredError)
	}
	return nil
}
