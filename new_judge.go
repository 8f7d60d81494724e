// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
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

	// worse is by which factor the mean squared error of rows that judge must be larger than that of those that chose for the choice to be
	// made anew.
	worse = 2
)

// A judgement is the mean squared error of a map over pairs of rows that did not choose it, the part of it that is that of a bias, and
// the relative standard error of its root.
type judgement struct{ squaredError, squaredBias, relative float64 }

// judges returns rows that took no part in choices, with their shares in means. There are as many of all as of those farthest from the mean
// and of those of the largest norms, behind a warp, the more of them the farther they are. It returns nil if there are none.
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

// settled returns a draft that has been judged: the one that others make way for, while they are much worse by the rows that judge than by
// those that chose. find makes a draft.
func (p *planner) settled(rmse float64, find func() (*draft, error)) (best *draft, err error) {
	most := 6
	if rmse > 0 {
		most = 20
	}
	for range most {
		d, err := find()
		if err != nil {
			return best, err
		}
		again, err := p.judge(d, rmse)
		if err != nil {
			return nil, err
		}
		if best == nil || rmse > 0 || compareErrors(d.rmse, best.rmse) < 0 {
			best = d
		}
		if !again {
			break
		}
	}
	return best, nil
}

// judge sets the predicted error of a draft to what rows that did not choose say of it, and reports whether it is so much more than what
// was known that another might be better, or, if rmse is positive, too large.
func (p *planner) judge(d *draft, rmse float64) (again bool, err error) {
	if err := d.fix(); err != nil {
		return false, err
	}
	var sum errorSum
	var spread float64
	for i, t := range d.drawn {
		decided := d.decided[i]
		factor := max(t.factors[decided.from], 1)
		known := decided.squaredError / factor
		said, ok := t.judged[decided.choiceKey()]
		if !ok {
			r, err := decided.make()
			if err != nil {
				return false, err
			}
			if said, ok = p.sample.judge(segment{term: decided.side.term, recipe: r, given: t.term}); !ok {
				sum = sum.plus(decided.choice)
				continue
			}
			t.judged[decided.choiceKey()] = said
		}
		const sure = 0.1
		if said.relative > sure && known > said.squaredError {
			said.squaredBias *= known / said.squaredError
			said.squaredError = known
		}
		if ratio := said.squaredError / known; ratio > factor && (ratio > worse || rmse > 0) {
			if rmse > 0 && factor > 1 {
				ratio *= 1.5 // a kind of map that is worse with every number of columns makes way sooner
			}
			t.factors[decided.from], again = ratio, true
		}
		d.squaredErrors[i] = said.squaredError
		sum = sum.plus(choice{squaredError: said.squaredError, squaredBias: said.squaredBias})
		spread += square(said.squaredError * said.relative)
	}
	d.rmse = math.Sqrt(sum.squaredError())
	d.relative = math.Sqrt(spread) / sum.squaredError()
	if again = again && !(rmse > 0 && d.rmse <= rmse); again {
		for _, t := range d.drawn {
			clear(t.decisions)
			if t.sobol != nil {
				t.sobol.reconsider()
			}
		}
	}
	return again, nil
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

// A choiceKey tells the choices of a term apart.
type choiceKey struct{ from, columns, exact int }

func (c choice) choiceKey() choiceKey { return choiceKey{c.from, c.columns, c.exact} }
