// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// How the columns of a draft are divided among its terms.

// share returns the draft in which the random terms share the given number of columns in proportion to their deviations
// (see deviation). This is best if errors fall with the square root of the number of columns. They do not where more
// columns allow more exact degrees. So for given points it also tries equal shares, and moves columns between terms
// while this lowers the error.
//
// If a number of columns is searched for, for given points, a few columns (see roundedColumns) are kept for the term
// with the largest share, so that drafts with nearly as many columns differ in one share only.
func (p *planner) share(exact, drawn []*plannedTerm, columns int) (*draft, error) {
	if len(drawn) < 2 {
		d := &draft{exact: exact, drawn: drawn, shares: []int{columns}}
		return d, d.predict()
	}
	rounded := columns
	if p.most == 0 {
		rounded = max(roundedColumns(p.sample, columns), leastShare*len(drawn))
	}
	d, err := p.shareRounded(exact, drawn, rounded)
	if err != nil || rounded == columns {
		return d, err
	}
	d.shares = slices.Clone(d.shares)
	d.shares[slices.Index(d.shares, slices.Max(d.shares))] += columns - rounded
	return d, d.predict()
}

// roundedColumns returns a number of columns near n, at most n: for given points the largest with six significant bits,
// otherwise n.
func roundedColumns(p *sample.Sample, n int) int {
	if p.Center == nil {
		return n
	}
	return roundedTo(6, n)
}

// roundedTo returns the largest number with this many significant bits that is not above n.
func roundedTo(significant, n int) int {
	shift := max(bits.Len(uint(n))-significant, 0)
	return n >> shift << shift
}

// shareRounded shares all columns.
func (p *planner) shareRounded(exact, drawn []*plannedTerm, columns int) (*draft, error) {
	best := &draft{exact: exact, drawn: drawn}
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
		shares = DivideColumns(columns, known(deviations))
		d := &draft{exact: exact, drawn: drawn, shares: shares}
		if err := d.predict(); err != nil {
			return nil, err
		}
		if p.sample.Center == nil || compareErrors(d.rmse, best.rmse) < 0 {
			best = d
		}
	}
	if p.rough || p.sample.Center == nil || len(drawn) > mostExchanged {
		return best, nil
	}
	return best, best.exchange(columns)
}

// exchange moves columns from one term to another while this lowers the error: first many at a time, then fewer.
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

// move moves step columns from one term to another. It takes the two terms for which this lowers the error most, if
// it does.
func (d *draft) move(step int) (moved bool, err error) {
	at := make([][3]errorSum, len(d.shares)) // for each term, with fewer columns, with its columns and with more
	for i, n := range d.shares {
		for k, columns := range [...]int{n - step, n, n + step} {
			if columns < leastShare {
				at[i][k].variance = math.Inf(1)
				continue
			}
			decided, err := d.drawn[i].decide(columns)
			if err != nil {
				return false, err
			}
			at[i][k] = errorSum{}.plus(decided.choice)
		}
	}
	from, to, least := -1, -1, d.rmse*d.rmse
	for i := range at {
		for j := range at {
			var sum errorSum
			for k := range at {
				switch {
				case i == j:
				case k == i:
					sum = sum.and(at[k][0])
				case k == j:
					sum = sum.and(at[k][2])
				default:
					sum = sum.and(at[k][1])
				}
			}
			if v := sum.squaredError(); i != j && arith.Coarse(v) < arith.Coarse(least) {
				from, to, least = i, j, v
			}
		}
	}
	if from < 0 {
		return false, nil
	}
	d.shares = slices.Clone(d.shares)
	d.shares[from] -= step
	d.shares[to] += step
	return true, d.predict()
}

// errorSum is the error of a sum of terms. Terms are sampled independently, so their variances add up. Their biases are
// assumed to be proportional to each other: the omitted parts of series are mostly positive, and largest at the same
// pairs.
type errorSum struct{ variance, bias float64 }

// plus returns the error with one more term.
func (s errorSum) plus(c choice) errorSum {
	s.variance += c.squaredError
	if b := c.squaredBias; b > 0 && b <= math.MaxFloat64 {
		s.variance -= b
		s.bias += math.Sqrt(b)
	}
	return s
}

// and returns the error of two sums together.
func (s errorSum) and(t errorSum) errorSum { return errorSum{s.variance + t.variance, s.bias + t.bias} }

func (s errorSum) squaredError() float64 { return max(s.variance, 0) + s.bias*s.bias }

// predict sets the predicted error of the draft.
func (d *draft) predict() error {
	var sum errorSum
	for i, t := range d.drawn {
		decided, err := t.decide(d.shares[i])
		if err != nil {
			return err
		}
		sum = sum.plus(decided.choice)
	}
	d.rmse = math.Sqrt(sum.squaredError())
	return nil
}

// mostLooked is how many numbers of columns in succession, below the least one known to be enough, least tries
// in vain.
const mostLooked = 8

const (
	shareRounds   = 3 // how often share computes shares, each time from the deviations for the last shares
	mostExchanged = 8 // the largest number of random terms that exchange columns
)

// known replaces deviations that are unknown or not finite by the mean of the positive ones, or by 1 if there are no
// positive ones.
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

// DivideColumns divides columns in proportion to weights: at least leastShare each, and all but one
// of them even.
func DivideColumns(columns int, weights []float64) []int {
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
			// The 1e-3 keeps whole numbers whole despite rounding.
			shares[i] += int(float64(rest)*(w/sum)+1e-3) &^ 1
		}
		left -= shares[i]
	}
	shares[largest] += left
	return shares
}
