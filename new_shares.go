// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// How the columns of a draft are shared out to its terms.

// share returns the draft in which the drawn terms share the given number of columns in proportion to their deviations
// (see deviation), which is best if errors fall with the square root of the columns. They do not where more exact degrees
// come to fit: for given points it tries equal shares too, and moves columns between terms while that lowers the error.
//
// For given points a few columns (see sample.rounded) are left for the term with the largest share, so that drafts of nearly as many columns
// differ in one share.
func (p *planner) share(exact, drawn []*plannedTerm, columns int) (*draft, error) {
	if len(drawn) < 2 {
		d := &draft{exact, drawn, []int{columns}, 0}
		return d, d.predict()
	}
	rounded := max(p.sample.rounded(columns), leastShare*len(drawn))
	d, err := p.shareRounded(exact, drawn, rounded)
	if err != nil || rounded == columns {
		return d, err
	}
	d.shares = slices.Clone(d.shares)
	d.shares[slices.Index(d.shares, slices.Max(d.shares))] += columns - rounded
	return d, d.predict()
}

// rounded returns a number of columns near n, at most n: for given points the largest one of six significant bits, else n.
func (p *sample) rounded(n int) int {
	if p.centre == nil {
		return n
	}
	return roundedTo(6, n)
}

// roundedTo returns the largest number with some significant bits that is not above n.
func roundedTo(significant, n int) int {
	shift := max(bits.Len(uint(n))-significant, 0)
	return n >> shift << shift
}

// shareRounded shares all columns.
func (p *planner) shareRounded(exact, drawn []*plannedTerm, columns int) (*draft, error) {
	best := &draft{exact, drawn, nil, 0}
	equal := columns / len(drawn) &^ 1
	best.shares = slices.Repeat([]int{equal}, len(drawn))
	best.shares[0] += columns - equal*len(drawn)
	if err := best.predict(); err != nil {
		return nil, err
	}
	shares := best.shares
	for range shareRounds {
		deviations := make([]float64, len(drawn))
		for i, t := range drawn {
			var err error
			if deviations[i], err = t.deviation(shares[i]); err != nil {
				return nil, err
			}
		}
		shares = divideColumns(columns, known(deviations))
		d := &draft{exact, drawn, shares, 0}
		if err := d.predict(); err != nil {
			return nil, err
		}
		if p.sample.centre == nil || compareErrors(d.rmse, best.rmse) < 0 {
			best = d
		}
	}
	// The shares are right where the errors of all terms fall with the root of the columns, as those of Fourier maps do.
	steady := func(i int) bool { return drawn[i].decisions[best.shares[i]].reference && drawn[i].inPairs }
	uneven := false
	for i := range drawn {
		uneven = uneven || !steady(i)
	}
	if p.sample.centre == nil || len(drawn) > mostExchanged || !uneven {
		return best, nil
	}
	return best, best.exchange(columns)
}

// exchange moves columns from one term to another while that lowers the error: first many at a time, then fewer.
func (d *draft) exchange(columns int) error {
	const halvings, moves = 5, 4
	step := columns / 2
	for range halvings {
		step = step / 2 &^ 1
		for range moves {
			if step < leastShare {
				return nil
			}
			moved, err := d.move(step)
			if err != nil {
				return err
			}
			if !moved {
				break
			}
		}
	}
	return nil
}

// move moves step columns from the term that loses least to the one that gains most, if that lowers the error.
func (d *draft) move(step int) (moved bool, err error) {
	from, to := -1, -1
	var loss, gain float64
	squaredError := func(i, columns int) float64 {
		decided, refused := d.drawn[i].decide(columns)
		err = cmp.Or(err, refused)
		return decided.squaredError
	}
	for i, n := range d.shares {
		now := squaredError(i, n)
		if g := now - squaredError(i, n+step); to < 0 || g > gain {
			to, gain = i, g
		}
		if n-step < leastShare {
			continue
		}
		if l := squaredError(i, n-step) - now; from < 0 || l < loss {
			from, loss = i, l
		}
	}
	if err != nil || from < 0 || from == to || !(coarse(gain) > coarse(loss)) {
		return false, err
	}
	d.shares = slices.Clone(d.shares)
	d.shares[from] -= step
	d.shares[to] += step
	return true, d.predict()
}

// predict sets the predicted error of the draft. Terms are drawn independently, so that their variances add up. Their biases
// are taken for proportional to each other: what is left out of series is mostly positive, and largest at the same pairs.
func (d *draft) predict() error {
	var sum, bias float64
	for i, t := range d.drawn {
		decided, err := t.decide(d.shares[i])
		if err != nil {
			return err
		}
		sum += decided.squaredError
		if b := decided.squaredBias; b > 0 && b <= math.MaxFloat64 {
			sum -= b
			bias += math.Sqrt(b)
		}
	}
	d.rmse = math.Sqrt(max(sum, 0) + bias*bias)
	return nil
}

// mostLooked is how many numbers of columns in succession, below the least one known to do, least tries in vain.
const mostLooked = 8

const (
	shareRounds   = 3 // how often share computes shares, each time from the deviations at the last ones
	mostExchanged = 8 // the largest number of drawn terms that exchange columns
)

// known replaces deviations that are unknown or not finite by the mean of the positive ones, or by 1 if there are none.
func known(deviations []float64) []float64 {
	var sum, count float64
	for _, d := range deviations {
		if d > 0 && d <= math.MaxFloat64 {
			sum += d
			count++
		}
	}
	for i, d := range deviations {
		if !(d >= 0 && d <= math.MaxFloat64) {
			deviations[i] = 1
			if count > 0 {
				deviations[i] = sum / count
			}
		}
	}
	return deviations
}

// divideColumns divides columns in proportion to weights, at least leastShare each, all but one even.
func divideColumns(columns int, weights []float64) []int {
	var sum float64
	largest := 0
	for i, w := range weights {
		sum += w
		if w > weights[largest] {
			largest = i
		}
	}
	shares := make([]int, len(weights))
	rest := columns - leastShare*len(weights)
	left := columns
	for i, w := range weights {
		shares[i] = leastShare
		if sum > 0 {
			// The 1e-3 lets a whole number stay one despite rounding.
			shares[i] += int(float64(rest)*(w/sum)+1e-3) &^ 1
		}
		left -= shares[i]
	}
	shares[largest] += left
	return shares
}
