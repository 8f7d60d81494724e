// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
)

// The search for the least number of columns with a given error.

// bracket holds a number of columns that is too small for an error, low, and one that is enough, or the largest
// possible, high. atLow and atHigh are the logarithms of their errors over the wanted one, NaN if unknown.
type bracket struct {
	low, high     int
	atLow, atHigh float64
	slow          int // how many numbers in succession were on the same side of the least number that is enough: negative for the low side
}

// take makes n, whose error over the wanted one has the logarithm at, an end of the bracket. If the other end stays for
// the second time its logarithm is halved, so that the next guess is beyond the least number (the Illinois method:
// Dowell and Jarratt 1971).
func (b *bracket) take(n int, at float64) {
	if at > 0 {
		b.low, b.atLow, b.slow = n, at, min(b.slow, 0)-1
	} else {
		b.high, b.atHigh, b.slow = n, at, max(b.slow, 0)+1
	}
	switch {
	case b.slow <= -2:
		b.atHigh /= 2
	case b.slow >= 2:
		b.atLow /= 2
	}
}

// next returns the number to try next: where the line through the logarithms of the errors at both ends, over the
// logarithms of the numbers, is 0. It is the middle if these errors are not known, or if numbers were on one side more
// than twice.
func (b *bracket) next() int {
	first, last := math.Log(float64(b.low)), math.Log(float64(b.high))
	n := b.low + (b.high-b.low)/2
	if v := math.Exp(first + (last-first)*b.atLow/(b.atLow-b.atHigh)); arith.Finite(v) && arith.Finite(b.atHigh) && max(b.slow, -b.slow) <= 3 {
		n = int(math.Round(v))
	}
	return min(max(n, b.low+1), b.high-1)
}

// columnsAfter returns the number to try after n, while no number is known to be enough. It is enough if errors fall
// with the root of the number of columns, but it is at least twice and at most four times n.
func columnsAfter(n int, at float64) int {
	factor := min(1.1*math.Exp(2*at), 4)
	return int(min(math.Ceil(factor*float64(n)), math.MaxInt32))
}

// least returns the draft with the least number of columns, at most out, whose error is at most rmse.
func (p *planner) least(out int, rmse float64) (*draft, error) {
	best, err := p.bisect(rmse)
	if err != nil {
		return nil, err
	}
	// The error does not fall with every column: slightly fewer columns may be enough.
	for n, looked := best.columns()-1, 0; n >= leastShare && looked < mostLooked; n-- {
		looked++
		if d, err := p.draft(n); err == nil && d.rmse <= rmse {
			best, n, looked = d, d.columns(), 0
		}
	}
	if need := best.columns(); need > out {
		// Asking for this number of features makes sense only if their plan would not be refused.
		if plan, err := p.plan(best); err == nil {
			if err := p.validate(plan); err != nil {
				return nil, err
			}
		}
		few := &TooFew{out, need}
		d, err := p.draft(out)
		if err != nil {
			return nil, few
		}
		return nil, p.advised(d, few)
	}
	return best, nil
}

// bisect returns a draft whose error is at most rmse, and would be larger with one column fewer.
func (p *planner) bisect(rmse float64) (best *draft, err error) {
	b := bracket{0, math.MaxInt32, math.NaN(), math.NaN(), 0}
	for n := leastShare; b.high-b.low > 1; {
		d, err := p.draftNear(n, rmse)
		var few *TooFew
		switch {
		case errors.As(err, &few):
			b.low, n = few.Need-1, few.Need
			continue
		case err != nil:
			return nil, err
		case math.IsNaN(d.rmse):
			if plan, err := p.plan(d); err == nil {
				if err := p.validate(plan); err != nil {
					return nil, err
				}
			}
			return nil, errors.New("featuremap: PlanOptions RMSE: the variance is not known, of a BlackBox, or of a kernel or Weight that is not finite on the points")
		case d.rmse <= rmse:
			best = d
		case n == math.MaxInt32:
			return nil, p.advised(d, fmt.Errorf("featuremap: PlanOptions RMSE = %v: takes more than %d features, whose error is %.3g", p.asked, n, d.rmse))
		}
		at := math.Log(d.rmse / rmse)
		if b.take(n, at); best == nil {
			n = columnsAfter(n, at)
		} else {
			n = b.next()
		}
	}
	return best, nil
}

// draftNear returns the draft with n columns. While its error is far from the wanted one, its terms do not exchange
// columns.
func (p *planner) draftNear(n int, rmse float64) (*draft, error) {
	const far = 0.7
	p.rough = true
	d, err := p.draft(n)
	if p.rough = false; err == nil && math.Abs(math.Log(d.rmse/rmse)) > far {
		return d, nil
	}
	return p.draft(n)
}

// advised returns err, with advice if the predicted error of a draft is too large because of the norms of the
// points.
func (p *planner) advised(d *draft, err error) error {
	for _, t := range d.drawn {
		if !termGrowsFast(t.Term) && arith.Finite(d.rmse) {
			continue
		}
		if advice := sampleWarning(p.sample, p.kernel, d.rmse); advice != "" {
			return fmt.Errorf("%w; %s", err, advice)
		}
	}
	return err
}
