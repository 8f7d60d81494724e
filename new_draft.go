// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// leastShare is the least number of columns of a drawn term.
const leastShare = 2

// A planner makes the plans of a kernel.
type planner struct {
	kernel   Kernel
	in       int
	sample   *sample
	pairs    int                  // for each term, at least
	variants [][]*plannedTerm     // the terms, in different ways
	mixed    map[int]*plannedTerm // mixtures of stationary terms, by number of terms
}

// A draft is which terms are exact, which are drawn, and with how many columns each; and the predicted error.
type draft struct {
	exact, drawn []*plannedTerm
	shares       []int
	rmse         float64
}

// draft returns the draft with at most out columns: of those with different terms exact, and the stationary
// ones mixed or not, the one with the least error.
func (p *planner) draft(out int) (best *draft, err error) {
	few := &TooFewError{out, math.MaxInt}
	for _, terms := range p.variants {
		for _, exact := range exactSets(terms, out) {
			taken, drawn, left := take(terms, exact, out)
			for _, drawn := range p.mixtures(drawn) {
				if need := leastColumns(len(taken), len(drawn)); left < need {
					few.Need = min(few.Need, out-left+need)
					continue
				}
				d, refused := p.share(taken, drawn, left)
				switch {
				case refused != nil:
					err = cmp.Or(err, refused)
				case best == nil || compareErrors(d.rmse, best.rmse) < 0:
					best = d
				}
			}
		}
	}
	switch {
	case best != nil:
		return best, nil
	case err != nil:
		return nil, err
	}
	return nil, few
}

// take returns the exact and the drawn terms, and the columns left for these.
func take(terms []*plannedTerm, exact []bool, out int) (taken, drawn []*plannedTerm, left int) {
	left = out
	for i, t := range terms {
		if exact[i] {
			taken = append(taken, t)
			left -= t.exact.columns
		} else {
			drawn = append(drawn, t)
		}
	}
	return taken, drawn, left
}

// leastColumns returns the least number of columns of drawn terms beside exact ones.
func leastColumns(exact, drawn int) int {
	if drawn == 1 && exact == 0 {
		return 1
	}
	return leastShare * drawn
}

// exactSets returns sets of terms to make exact, within out columns: those that save most of the error for a
// column first, one more in each set. The largest set comes first.
func exactSets(terms []*plannedTerm, out int) (sets [][]bool) {
	type saving struct {
		term             int
		deviation, value float64
	}
	var all []saving
	var sum float64
	for i, t := range terms {
		s := saving{i, math.NaN(), math.Inf(1)}
		if len(terms) > 1 {
			if d, err := t.deviation(max(out/len(terms), leastShare)); err == nil {
				s.deviation = d
			}
		}
		if s.deviation > 0 {
			sum += s.deviation
		}
		if t.exact != nil && t.exact.columns <= out {
			if s.deviation >= 0 {
				s.value = coarse(s.deviation / float64(t.exact.columns))
			}
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b saving) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(terms[a.term].exact.columns, terms[b.term].exact.columns))
	})
	set, left := make([]bool, len(terms)), out
	sets = append(sets, set)
	about := []float64{sum * sum / float64(left)}
	for _, s := range all {
		if columns := terms[s.term].exact.columns; columns <= left {
			set = slices.Clone(set)
			set[s.term] = true
			sets = append(sets, set)
			left -= columns
			if s.deviation > 0 {
				sum -= s.deviation
			}
			if len(sets) > len(terms) { // all are exact
				sum = 0
			}
			about = append(about, sum*sum/float64(max(left, 1)))
		}
	}
	return promising(sets, about)
}

// promising returns the sets, the last first, or the few of the least error if there are many, given their
// errors, about.
func promising(sets [][]bool, about []float64) [][]bool {
	const most = 4
	slices.Reverse(sets)
	slices.Reverse(about)
	if len(sets) <= most {
		return sets
	}
	sorted := slices.Clone(about)
	slices.SortFunc(sorted, compareErrors)
	var few [][]bool
	for i, set := range sets {
		if len(few) < most && compareErrors(about[i], sorted[most-1]) <= 0 {
			few = append(few, set)
		}
	}
	return few
}

// mixtures returns the drawn terms, and if there are several stationary ones, these with their mixture.
func (p *planner) mixtures(drawn []*plannedTerm) [][]*plannedTerm {
	mixed := p.mix(drawn)
	if len(mixed) == len(drawn) {
		return [][]*plannedTerm{drawn}
	}
	return [][]*plannedTerm{drawn, mixed}
}

// mix returns terms with the stationary ones replaced by their mixture, in the place of the first.
func (p *planner) mix(terms []*plannedTerm) []*plannedTerm {
	var stationaries form
	var from origin
	var others []*plannedTerm
	first := 0
	for _, t := range terms {
		if f := (form{t.term}); f.isStationary() {
			if stationaries == nil {
				first = len(others)
			}
			stationaries = append(stationaries, t.term)
			from.terms = append(from.terms, t.from.terms...)
			from.split = t.from.split
		} else {
			others = append(others, t)
		}
	}
	if len(stationaries) < 2 {
		return terms
	}
	m := p.mixed[len(stationaries)]
	if m == nil {
		m = p.newTerm(mixture(stationaries), from)
		p.mixed[len(stationaries)] = m
	}
	return slices.Insert(others, first, m)
}

// share returns the draft in which the drawn terms share the given number of columns: in proportion to their
// deviations, which is best if errors fall as the root of the columns. For given points also equally, and, since
// errors do not fall so where exact degrees come to fit, with columns moved from term to term as long as that
// is better.
func (p *planner) share(exact, drawn []*plannedTerm, columns int) (*draft, error) {
	best := &draft{exact, drawn, []int{columns}, 0}
	if len(drawn) < 2 {
		return best, best.predict()
	}
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
	if p.sample.centre == nil || len(drawn) > mostExchanged {
		return best, nil
	}
	return best, best.exchange(columns)
}

// exchange moves columns from one term to another while that lowers the error: first many, then fewer.
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

// move moves columns from the term that loses least to that which gains most, if that lowers the error.
func (d *draft) move(step int) (moved bool, err error) {
	from, to := -1, -1
	var loss, gain float64
	near := func(i, columns int) float64 {
		of, refused := d.drawn[i].decide(columns)
		err = cmp.Or(err, refused)
		return of.near
	}
	for i, n := range d.shares {
		now := near(i, n)
		if g := now - near(i, n+step); to < 0 || g > gain {
			to, gain = i, g
		}
		if n-step < leastShare {
			continue
		}
		if l := near(i, n-step) - now; from < 0 || l < loss {
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

// predict sets the predicted error.
func (d *draft) predict() error {
	var sum float64
	for i, t := range d.drawn {
		of, err := t.decide(d.shares[i])
		if err != nil {
			return err
		}
		sum += of.near
	}
	d.rmse = math.Sqrt(sum)
	return nil
}

// mostLooked is the number of numbers of columns below the one found by bisection that are tried.
const mostLooked = 8

const (
	shareRounds   = 3
	mostExchanged = 8 // terms
)

// known replaces deviations that are unknown or not finite by the mean of the others.
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
			// 1e-3: a whole number stays one despite rounding.
			shares[i] += int(float64(rest)*(w/sum)+1e-3) &^ 1
		}
		left -= shares[i]
	}
	shares[largest] += left
	return shares
}

// plan returns the plan of a draft.
func (p *planner) plan(d *draft) (*Plan, error) {
	plan := &Plan{kernel: p.kernel, in: p.in, sample: func() (*sample, error) { return p.sample, nil }}
	plan.forPoints = p.sample.centre != nil
	for _, t := range d.exact {
		plan.blocks = append(plan.blocks, block{term: t.term, recipe: t.exact, of: t.term, from: t.from, reach: math.Inf(1)})
	}
	for i, t := range d.drawn {
		of, err := t.decide(d.shares[i])
		if err != nil {
			return nil, err
		}
		r, err := of.make()
		if err != nil {
			return nil, err
		}
		b := block{term: of.side.term, recipe: r, of: t.term, from: t.from, side: of.side.name, near: of.near, reach: p.sample.reachOf(of.side, r)}
		for _, o := range of.others {
			b.others = append(b.others, alternative{o.side.term, o.near, o.far, o.make})
		}
		if t.exact != nil {
			b.exact = t.exact.columns
		}
		plan.blocks = append(plan.blocks, b)
	}
	plan.rmse = func() float64 { return d.rmse }
	return plan, nil
}

// least returns the draft with the least number of columns, at most out, whose error is at most rmse.
func (p *planner) least(out int, rmse float64) (*draft, error) {
	var best *draft
	low, high := 0, math.MaxInt32 // low has too large an error or too few columns; high has not
	for n := leastShare; high-low > 1; {
		d, err := p.draft(n)
		var few *TooFewError
		switch {
		case errors.As(err, &few):
			low, n = few.Need-1, few.Need
			continue
		case err != nil:
			return nil, err
		case math.IsNaN(d.rmse):
			return nil, errors.New("featuremap: PlanOptions RMSE: the variance is not known, of a BlackBox, or of a kernel or Weight that is not finite on the points")
		case d.rmse <= rmse:
			best, high = d, n
		case n == math.MaxInt32:
			return nil, p.advised(d, fmt.Errorf("featuremap: PlanOptions RMSE = %v: takes more than %d features, whose error is %.3g", rmse, n, d.rmse))
		default:
			low = n
		}
		if best == nil {
			n += min(n, math.MaxInt32-n) // twice n, which may be too large for an int
		} else {
			n = low + (high-low)/2
		}
	}
	// Errors do not quite fall with every column: some fewer may do.
	for n, looked := best.columns()-1, 0; n >= leastShare && looked < mostLooked; n-- {
		looked++
		if d, err := p.draft(n); err == nil && d.rmse <= rmse {
			best, n, looked = d, d.columns(), 0
		}
	}
	if need := best.columns(); need > out {
		few := &TooFewError{out, need}
		d, err := p.draft(out)
		if err != nil {
			return nil, few
		}
		return nil, p.advised(d, few)
	}
	return best, nil
}

// advised returns an error, with what to do if the best error of a draft is no good because of the norms of
// the points.
func (p *planner) advised(d *draft, err error) error {
	for _, t := range d.drawn {
		if !t.growsFast() {
			continue
		}
		if advice := p.sample.warning(p.kernel, d.rmse); advice != "" {
			return fmt.Errorf("%w; %s", err, advice)
		}
	}
	return err
}

// columns returns the number of columns that a draft uses.
func (d *draft) columns() (n int) {
	for _, t := range d.exact {
		n += t.exact.columns
	}
	for i, t := range d.drawn {
		n += t.decisions[d.shares[i]].columns
	}
	return n
}
