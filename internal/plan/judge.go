// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// Judges: rows that judge the maps that other rows chose.

const (
	// Maps are judged by at least leastJudged pairs. More pairs are added until the choice of pairs accounts for
	// surePairing of the error, or there are enough (see MostPairs of recipe.Recipe).
	leastJudged = 1000
	surePairing = 0.03

	// sureJudges is the relative standard error from which on a judgment is unsure, about other rows or about these
	// rows.
	sureJudges = 0.1

	// fewJudges is the number of judges for maps whose variance is slow to compute at a pair.
	fewJudges = 160

	// moreJudges is the largest factor for the number of judges, where fewer do not determine the
	// error over all rows.
	moreJudges = 4

	// farJudges is the number of farthest judges of which all pairs are used, because pairs of a few points may
	// contribute most of the error. With more judges than fewJudges they are the same share of them, and the number of
	// other pairs is no larger than with fewJudges.
	farJudges = 32
)

// A judgment is the mean squared error of a map over pairs of rows that did not choose it, and the part of it that is
// bias. It also has relative standard errors of its root: about other rows like these, and about these rows, of which
// only some are judges.
type judgment struct{ squaredError, squaredBias, relative, ofJudges float64 }

// judgedRecipe is a recipe whose variance is estimated: see the methods of fourier.Recipe.
type judgedRecipe interface {
	JudgedRows() int
	JudgedErrors(points []sample.Point, weights []float64, total float64) (byPoint []float64, relative float64)
}

// judgeSegment returns the judgment of a segment. ok is false without judges, or if its variance is unknown. Where the
// judges do not determine the error over all rows it doubles their number, up to moreJudges times. It does not if
// scrambles estimate the variance, because they are less certain than the rows.
func judgeSegment(p *sample.Sample, b Segment) (said judgment, ok bool) {
	most := sample.MostRows
	estimate, estimated := b.Recipe.(judgedRecipe)
	if estimated {
		if most = estimate.JudgedRows(); most == 0 {
			estimate, most = nil, sample.MostRows
		}
	}
	_, cheap := b.Recipe.(interface{ CheapAtPairs() })
	if cheap = cheap || b.ByDistance(); estimate == nil && !cheap {
		most = fewJudges
	}
	w := b.Shape().Warp
	for last := moreJudges * most; ; most *= 2 {
		j := p.Judges(w, most)
		switch {
		case j == nil || !b.Known() || len(j.Rows) < 2:
			return said, false
		case estimate != nil:
			return newTally(j.Shares).ofEstimate(estimate, j.Behind(w, j.Rows), j.Weights(b.Weighing(j.In), j.Rows)), true
		}
		if said = b.judgedBy(j, cheap); said.ofJudges <= sureJudges || most >= last {
			return said, true
		}
	}
}

// judgedBy returns the judgment of a segment with a known variance, which may be cheap to compute
// at a pair.
func (b Segment) judgedBy(j *sample.Sample, cheap bool) judgment {
	t := newTally(j.Shares)
	at := (&Plan{In: j.In, Segments: []Segment{b}}).MomentsOver(j)
	if b.ByDistance() {
		at = b.momentsByDistance(j)
	}
	add := func(t *tally, ij [2]int) {
		variance, bias := at(ij[0], ij[1])
		squaredBias := float64(bias * bias)
		t.add(ij[0], ij[1], variance+squaredBias, squaredBias)
	}
	farthest, enough := farJudges, max(manyCoordinates/max(len(j.Rows[0].Values), 1), leastJudged) // for values that are computed coordinate by coordinate
	if !cheap {
		farthest, enough = max(farJudges*len(j.Rows)/fewJudges, farJudges), min(enough, fewJudges*fewJudges/2)
	}
	far := newTally(j.Shares)
	for i := range min(farthest, len(j.Rows)) {
		for k := range i {
			add(far, [2]int{k, i})
		}
	}
	pairs := 0
	for _, step := range BalancedPairs(len(j.Rows)) {
		if pairs >= min(b.MostPairs(), enough) || pairs >= leastJudged && !cheap && far.plus(t).sure() {
			break
		}
		for _, ij := range step {
			if max(ij[0], ij[1]) >= farthest {
				add(t, ij)
			}
		}
		pairs += len(step)
	}
	return far.plus(t).judgment()
}

// BalancedPairs returns all pairs of the numbers below n, always in the same order, in steps. Each step contains every
// number twice (or once, if no more pairs are left), so that no number is missing from the first steps.
func BalancedPairs(n int) (steps [][][2]int) {
	order, half := subset.Shuffled(n), n/2
	stride := int(0.618 * float64(half))
	for ; stride > 1 && sample.Gcd(stride, half) > 1; stride-- {
	}
	for k := range half {
		by := 1 + k*max(stride, 1)%half
		var step [][2]int
		for i := range n {
			if 2*by < n || i < by {
				step = append(step, [2]int{order[i], order[(i+by)%n]})
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// momentsByDistance returns the variance at rows i and k of a sample, and a bias of 0, for a map whose variance depends
// on their distance.
func (b Segment) momentsByDistance(s *sample.Sample) func(i, k int) (variance, bias float64) {
	points, weights, memory := s.Behind(b.Shape().Warp, s.Rows), s.Weights(b.Weighing(s.In), s.Rows), new(sample.Memory)
	at := sample.Interpolated(func(distance float64) float64 {
		variance, _ := recipe.MomentsAt(b.Recipe, &sample.Pair{Distance: distance})
		return variance
	})
	return func(i, k int) (variance, bias float64) {
		return at(sample.NewPair(points[i], points[k], memory).Distance) * arith.Square(weights[i]*weights[k]), 0
	}
}

// tally adds up the squared errors at pairs of rows. Each row stands for a number of rows, its share. The share of a
// pair is the product of its rows' shares.
type tally struct {
	shares         []float64
	part           float64   // 1 over the sum of the shares
	errors, masses []float64 // by row, over its pairs: the sums of share times squared error, and of shares
	squaredBias    float64
	squares        [3]float64 // over pairs that stand for others: the sums of the squared share times the squared error to the powers of 0, 1 and 2
}

func newTally(shares []float64) *tally {
	n := len(shares)
	return &tally{shares: shares, part: 1 / floats.Sum(shares), errors: make([]float64, n), masses: make([]float64, n)}
}

// plus returns the tally of all pairs: the pairs of t, and all other pairs, for which some stand.
func (t *tally) plus(some *tally) *tally {
	_, whole := t.mean()
	_, mass := some.mean()
	if mass == 0 {
		return t
	}
	scale := ((1-floats.Dot(t.shares, t.shares)*t.part*t.part)/2 - whole) / mass
	all := newTally(t.shares)
	floats.AddScaledTo(all.errors, t.errors, scale, some.errors)
	floats.AddScaledTo(all.masses, t.masses, scale, some.masses)
	all.squaredBias = t.squaredBias + float64(scale*some.squaredBias)
	for k, v := range some.squares {
		all.squares[k] = scale * scale * v
	}
	return all
}

func (t *tally) add(i, j int, squaredError, squaredBias float64) {
	share := t.part * t.shares[i] * (t.part * t.shares[j])
	for _, row := range []int{i, j} {
		t.errors[row] += float64(share * squaredError)
		t.masses[row] += share
	}
	t.squaredBias += float64(share * squaredBias)
	for k, v := range [...]float64{1, squaredError, squaredError * squaredError} {
		t.squares[k] += float64(share * share * v)
	}
}

// mean returns the mean squared error, and the sum of shares.
func (t *tally) mean() (mean, mass float64) {
	mass = floats.Sum(t.masses) / 2
	return floats.Sum(t.errors) / 2 / mass, mass
}

// pairing returns the part of the relative standard error of the root mean square that is due to the choice of
// pairs.
func (t *tally) pairing() float64 {
	mean, mass := t.mean()
	return math.Sqrt(t.squares[2]/mean/mean-2*t.squares[1]/mean+t.squares[0]) / mass / 2
}

// sure tells whether more pairs would add little information. It is false where some rows have much of the error,
// because most of this may lie in few pairs.
func (t *tally) sure() bool { return t.pairing() < surePairing && t.judgment().relative < sureJudges }

// judgment returns the means with their standard errors. The mean over pairs is a U-statistic, whose variance follows
// from the deviations of rows (Hoeffding 1948). The part that is due to the choice of judges among all rows follows
// from the differences between neighboring judges, because judges are in an order. The part due to all rows, as a
// sample of possible rows, is added to it.
func (t *tally) judgment() (said judgment) {
	mean, mass := t.mean()
	if mean == 0 {
		return judgment{}
	}
	var ofRows, ofJudges, last float64
	for i, share := range t.shares {
		z := (t.errors[i]/mean - t.masses[i]) / mass
		ofRows += float64(z * z / share)
		if i > 0 {
			ofJudges += float64(0.5 * (1 - 1/share) * arith.Square(z-last))
		}
		last = z
	}
	// The relative error of a root is half the relative error of its square.
	return judgment{mean, t.squaredBias / mass, math.Sqrt(ofRows+ofJudges) / 2, math.Sqrt(ofJudges) / 2}
}

// ofEstimate returns the judgment of a map whose error is estimated, for the points behind its warp and their weights.
func (t *tally) ofEstimate(r judgedRecipe, points []sample.Point, weights []float64) judgment {
	sum, squares := floats.Sum(t.shares), floats.Dot(t.shares, t.shares)
	total := (float64(sum*sum) - squares) / 2
	for i, share := range t.shares {
		weights[i] *= math.Sqrt(share)
		t.masses[i] = share * (sum - share) / total
	}
	var ofScrambles float64
	t.errors, ofScrambles = r.JudgedErrors(points, weights, total)
	said := t.judgment()
	said.relative = math.Hypot(said.relative, ofScrambles/2)
	said.ofJudges = math.Hypot(said.ofJudges, ofScrambles/2)
	return said
}

// judged returns the draft with the least error among those with at most out columns. If rmse is positive it returns
// the draft with the fewest columns and an error of at most rmse. Errors are over rows that did not choose the draft.
// If these have an error above rmse, it searches again for a smaller one.
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

// judge sets the predicted error of a draft to its error over rows that did not choose it. There is an exception: if
// these rows are too few to determine the error over all rows, and the rows that chose have an error that is larger by
// more than two standard errors, their error counts, because one row in a thousand may contribute most of an error. The
// exception does not apply where only new rows may have another error: then the judges stand for all rows, including
// those that chose.
func (p *planner) judge(d *draft) error {
	if err := d.fix(); err != nil {
		return err
	}
	var sum errorSum
	var spread float64
	for i, t := range d.drawn {
		decided := d.decided[i]
		r, err := decided.make()
		if err != nil {
			return err
		}
		said, ok := judgeSegment(p.sample, Segment{Term: decided.side.Term, Recipe: r, Given: t.Term})
		if !ok {
			sum = sum.plus(decided.choice)
			continue
		}
		if known := decided.squaredError; said.ofJudges > sureJudges && known > said.squaredError*arith.Square(1+2*said.ofJudges) {
			said.squaredBias *= known / said.squaredError
			said.squaredError = known
		}
		d.squaredErrors[i] = said.squaredError
		sum = sum.plus(choice{squaredError: said.squaredError, squaredBias: said.squaredBias})
		spread += arith.Square(said.squaredError * said.relative)
	}
	d.rmse = math.Sqrt(sum.squaredError())
	d.relative = math.Sqrt(spread) / sum.squaredError()
	return nil
}

// fix records the decision for each random term, if this has not been done.
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
