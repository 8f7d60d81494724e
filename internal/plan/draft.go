// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// The draft of a plan: which terms are exact, and how the other columns are divided. term.go has the candidates of a
// term, and choice.go decides among them.

// leastShare is the least number of columns of a random term if there are other terms.
const leastShare = 2

// planner makes the plans of a kernel.
type planner struct {
	kernel   expr.Kernel
	seeded   random.New
	in       int
	sample   *sample.Sample
	biased   bool                    // whether maps with a bias are candidates
	terms    int                     // the number of terms of the kernel
	most     int                     // the number of columns; 0 if a search finds it
	asked    float64                 // the error for which a search finds the number of columns
	rough    bool                    // whether terms do not exchange columns
	pairs    int                     // the least number of pairs of the sample that each term uses
	variants [][]*plannedTerm        // the terms of the canonical form, and the same with exponentials split off
	mixed    map[string]*plannedTerm // mixtures made so far, by the numbers of their terms
}

// Options are the options of a plan: see PlanOptions of the root package.
type Options struct {
	RMSE     float64 // 0: the best use of all columns
	Unbiased bool
}

// New plans a map of a kernel k of form f on R^in, with at most out features, for some points.
func New(k expr.Kernel, f form.Form, in, out int, points *sample.Sample, o Options, seeded random.New) (*Plan, error) {
	p := newPlanner(k, f, in, points, seeded)
	p.biased = points.Center != nil && !o.Unbiased
	if o.RMSE == 0 {
		p.most = out
	}
	p.variants = append(p.variants, p.newTerms(f, false))
	if split, ok := f.SplitExponentials(); ok {
		p.variants = append(p.variants, p.newTerms(split, true))
	}
	d, err := p.judged(out, o.RMSE)
	if err != nil {
		return nil, err
	}
	plan, err := p.plan(d)
	if err == nil {
		err = p.validate(plan)
	}
	if err != nil {
		return nil, err
	}
	points.Release() // the plan keeps the sample, not all points
	return plan, nil
}

// newPlanner returns the planner of a kernel of form f.
func newPlanner(k expr.Kernel, f form.Form, in int, s *sample.Sample, seeded random.New) *planner {
	return &planner{kernel: k, seeded: seeded, in: in, sample: s, terms: len(f), pairs: max(sample.MinPairs, sample.ManyPairs/len(f)), mixed: make(map[string]*plannedTerm)}
}

// A draft says which terms are exact, which are random, with how many columns each, and with what predicted error.
type draft struct {
	exact, drawn []*plannedTerm
	shares       []int // the largest number of columns for each random term
	rmse         float64
	relative     float64 // its relative standard error; 0 if no rows judged it

	// For the random terms: see fix.
	decided       []decision
	squaredErrors []float64
}

// draft returns the draft with the least error among those with at most out columns. Drafts differ in the terms that
// are exact, and in whether stationary terms are mixed.
func (p *planner) draft(out int) (best *draft, err error) {
	few := &TooFew{out, math.MaxInt}
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
				case p.better(d, best):
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

// take divides terms into exact and random ones, and returns how many of out columns are left for the random
// ones.
func take(terms []*plannedTerm, exact []bool, out int) (taken, drawn []*plannedTerm, left int) {
	left = out
	for i, t := range terms {
		if exact[i] {
			taken = append(taken, t)
			left -= t.exact.Columns
		} else {
			drawn = append(drawn, t)
		}
	}
	return taken, drawn, left
}

// leastColumns returns the least number of columns of a number of random terms, given a number of exact terms.
func leastColumns(exact, drawn int) int {
	if drawn == 1 && exact == 0 {
		return 1
	}
	return leastShare * drawn
}

// exactSets returns sets of terms to make exact, within out columns. Terms are added one by one, first those that
// reduce the error most per column, and each addition makes one more set. The largest set comes first.
func exactSets(terms []*plannedTerm, out int) (sets [][]bool) {
	type saving struct {
		index            int
		deviation, value float64
	}
	var all []saving
	var sum float64
	for i, t := range terms {
		s := saving{i, math.NaN(), math.Inf(1)}
		if len(terms) > 1 {
			if d, err := t.deviation(max(roundedColumns(t.sample, out/len(terms)), leastShare)); err == nil {
				s.deviation = d
			}
		}
		if s.deviation > 0 {
			sum += s.deviation
		}
		if t.exact != nil && t.exact.Columns <= out {
			if s.deviation >= 0 {
				s.value = arith.Coarse(s.deviation / float64(t.exact.Columns))
			}
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b saving) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(terms[a.index].exact.Columns, terms[b.index].exact.Columns))
	})
	set, left := make([]bool, len(terms)), out
	sets = append(sets, set)
	about := []float64{sum * sum / float64(left)}
	for _, s := range all {
		if columns := terms[s.index].exact.Columns; columns <= left {
			set = slices.Clone(set)
			set[s.index] = true
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

// promising returns the sets in reverse order: all of them or, if there are many, those with the least errors.
// about lists their approximate mean squared errors.
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

// mixtures returns the lists of random terms to try. They are: the terms as they are; if several are stationary, one
// mixture instead of these; and if terms that could be exact are random and can be mixed, a mixture that includes them.
func (p *planner) mixtures(drawn []*plannedTerm) [][]*plannedTerm {
	all := [][]*plannedTerm{drawn}
	for _, mixes := range []func(t form.Term) bool{form.Term.IsStationary, form.Term.IsMixable} {
		if mixed := p.mix(drawn, mixes); len(mixed) < len(all[len(all)-1]) {
			all = append(all, mixed)
		}
	}
	return all
}

// mix returns terms in which one mixture, at the place of the first, replaces those for which mixes is true. It changes
// nothing if there are fewer than two of these, or if all of them have exact features.
func (p *planner) mix(terms []*plannedTerm, mixes func(t form.Term) bool) []*plannedTerm {
	var stationaries form.Form
	var from Origin
	var others []*plannedTerm
	first, constant, exact := 0, 0.0, 0
	for _, t := range terms {
		if !mixes(t.Term) {
			others = append(others, t)
			continue
		}
		if stationaries == nil {
			first = len(others)
		}
		stationaries = append(stationaries, t.Term)
		from.Terms = append(from.Terms, t.from.Terms...)
		from.Split = t.from.Split
		if t.exact != nil {
			exact++
		}
		if c, ok := (form.Form{t.Term}).Constant(); ok {
			constant = c
		}
	}
	if len(stationaries) < 2 || exact == len(stationaries) {
		return terms
	}
	key := fmt.Sprint(from)
	m := p.mixed[key]
	if m == nil {
		m = p.newTerm(form.Mixture(stationaries), from)
		m.constant, m.hasExact = constant, exact > 0
		p.mixed[key] = m
	}
	return slices.Insert(others, first, m)
}

// farError returns the sum of the mean squared errors of the stationary terms, with independent frequencies, for points
// so far from each other that all kernels except constants are 0.
func (d *draft) farError() (sum float64) {
	for i, t := range d.drawn {
		if s, ok := t.Base.(form.Stationary); ok {
			m, c := t.Scale*s.Mass, t.constant
			sum += (m*m + m*c - 2*c*c) / float64(t.decisions[d.shares[i]].columns)
		}
	}
	return sum
}

// better tells whether a draft is better than another. Without given points, points may be farther from each other than
// points of the sphere. Then a mixture replaces exact features only if its farError is no larger.
func (p *planner) better(d, than *draft) bool {
	hasExact := func(t *plannedTerm) bool { return t.hasExact }
	switch {
	case than == nil:
		return true
	case p.sample.Center == nil && slices.ContainsFunc(d.drawn, hasExact) && compareErrors(d.farError(), than.farError()) > 0:
		return false
	}
	return compareErrors(d.rmse, than.rmse) < 0
}

// plan returns the plan of a draft.
func (p *planner) plan(d *draft) (*Plan, error) {
	plan := &Plan{Kernel: p.kernel, In: p.in, Sample: func() (*sample.Sample, error) { return p.sample, nil }}
	plan.ForPoints = p.sample.Center != nil
	for _, t := range d.exact {
		plan.Segments = append(plan.Segments, Segment{Term: t.Term, Recipe: t.exact, Given: t.Term, From: t.from, MaxNorm: math.Inf(1)})
	}
	if err := d.fix(); err != nil {
		return nil, err
	}
	for i, t := range d.drawn {
		decided := d.decided[i]
		r, err := decided.make()
		if err != nil {
			return nil, err
		}
		b := Segment{Term: decided.side.Term, Recipe: r, Given: t.Term, From: t.from, Side: decided.side.Name, SquaredError: d.squaredErrors[i], MaxNorm: maxNormOf(p.sample, decided.side, r)}
		for _, o := range decided.others {
			b.others = append(b.others, alternative{o.side.Term, o.squaredError, o.barred, o.make})
		}
		if t.exact != nil {
			b.ExactWith = t.exact.Columns
		}
		plan.Segments = append(plan.Segments, b)
	}
	plan.RMSE, plan.relative = func() float64 { return d.rmse }, d.relative
	return plan, nil
}

// columns returns the number of columns that a draft uses.
func (d *draft) columns() (n int) {
	for _, t := range d.exact {
		n += t.exact.Columns
	}
	for i, t := range d.drawn {
		n += t.decisions[d.shares[i]].columns
	}
	return n
}

// TooFew says that a plan needs more features than it may have.
type TooFew struct{ Out, Need int }

func (e *TooFew) Error() string {
	return fmt.Sprintf("featuremap: %d features are too few: it takes at least %d", e.Out, e.Need)
}
