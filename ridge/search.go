// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// A path is the λ to choose from, and what is known of some of them. If the criterion grows up to its best λ and falls
// after it, a search solves as few λ as it takes to find it. If the known ones show that it does not, all are solved.
type path struct {
	*choice
	lambdas []float64    // in ascending order, each once
	found   []*candidate // of each λ; nil if it has not been solved, or cannot be
	closed  bool         // a search solves no more λ
}

func newPath(c *choice, lambdas []float64) *path {
	lambdas = slices.Compact(slices.Sorted(slices.Values(lambdas)))
	return &path{choice: c, lambdas: lambdas, found: make([]*candidate, len(lambdas))}
}

// A path is searched if it is so long that this solves fewer λ, and the map has so many features that it matters: with
// fewer, all take a few milliseconds.
const (
	leastSearched         = 6
	leastSearchedFeatures = 512
)

// errSearch says that a search is not possible: a λ cannot be solved, or the criterion has several peaks or a flat
// stretch.
var errSearch = errors.New("ridge: the criterion has not one peak")

// best returns the candidate that the criterion takes for each group. With several groups each would search for its own
// λ, most of which others need as well: so all are solved.
func (p *path) best() ([]*candidate, error) {
	if len(p.lambdas) < leastSearched || p.Features < leastSearchedFeatures || len(p.groups) > 1 || p.left != nil && p.left.own != nil && p.left.own.labels {
		return p.bestOfAll()
	}
	best, err := p.search()
	if err == errSearch {
		return p.bestOfAll()
	}
	return []*candidate{best}, err
}

// bestOfAll returns the candidate that the criterion takes for each group, among all that can be solved. If none can,
// it returns the error of the largest λ.
func (p *path) bestOfAll() ([]*candidate, error) {
	var rest []float64
	for i, a := range p.found {
		if a == nil {
			rest = append(rest, p.lambdas[i])
		}
	}
	var failed error
	for s, err := range p.equations.Solutions(rest) {
		if err != nil {
			failed = err
			break
		}
		i, _ := slices.BinarySearch(p.lambdas, s.Lambda)
		if err := p.add(i, s); err != nil {
			return nil, err
		}
	}
	known := p.known()
	if len(known) == 0 {
		return nil, fmt.Errorf("ridge: %w", failed)
	}
	if p.criterion != Evidence {
		if err := p.left.prepare(known, p.step); err != nil {
			return nil, err
		}
	}
	all := make([]*candidate, len(p.groups))
	for g := range all {
		some := known
		if p.given != nil {
			some = slices.DeleteFunc(slices.Clone(known), func(a *candidate) bool { return a.Lambda != p.given[g] })
		}
		if len(some) == 0 {
			return nil, fmt.Errorf("ridge: %w", failed)
		}
		var err error
		if all[g], err = p.bestOf(some, g); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bestOf returns the candidate that the criterion takes for a group.
func (p *path) bestOf(known []*candidate, g int) (*candidate, error) {
	if p.criterion == Evidence {
		return p.likeliest(known, g), nil
	}
	known = naming(known, g, p.left.copies.errors())
	best, err := p.least(known, g)
	// If each λ has a row that nothing else predicts, the evidence chooses.
	if err == nil && (p.criterion == GuardedEvidence || math.IsInf(best.groups[g].sum, 1)) {
		best, err = p.cautious(known, best, g)
	}
	return best, err
}

// known returns the candidates that have been found, in the order of their λ.
func (p *path) known() []*candidate {
	return slices.DeleteFunc(slices.Clone(p.found), func(a *candidate) bool { return a == nil })
}

// add records the solution of λ i.
func (p *path) add(i int, s *normal.Solution) error {
	p.found[i] = p.newCandidate(s)
	if p.criterion != Evidence {
		p.left.project(p.found[i])
	}
	return p.step()
}

// solve returns the candidate of λ i, or errSearch if it cannot be solved, or must not be.
func (p *path) solve(i int) (*candidate, error) {
	if p.found[i] == nil {
		if p.closed {
			return nil, errSearch
		}
		s, err := p.equations.Solve(p.lambdas[i])
		if err != nil {
			return nil, errSearch
		}
		if err := p.add(i, s); err != nil {
			return nil, err
		}
	}
	return p.found[i], nil
}

// A search is for one group.
const searched = 0

// search returns the candidate that the criterion takes if it has one peak over the path, and errSearch otherwise.
func (p *path) search() (*candidate, error) {
	value := evidence
	if p.criterion != Evidence {
		if err := p.left.setFew(p.step); err != nil {
			return nil, err
		}
		value = func(a *candidate) float64 { return -a.guess }
	}
	n := len(p.lambdas)
	start := n - section(n)
	for _, i := range []int{0, start} { // what lies beyond the first λ solved is not visible
		if _, err := p.solve(i); err != nil {
			return nil, err
		}
	}
	if err := p.climb(0, start, n, value); err != nil {
		return nil, err
	}
	if !onePeak(p.known(), value) {
		return nil, errSearch
	}
	if p.criterion == Evidence {
		return p.likeliest(p.known(), searched), nil
	}
	many := p.left.judges() > keptMost && p.left.own == nil // whose choice depends on what is known
	if many && p.criterion == GuardedEvidence {
		lo, at, hi := p.neighbors(p.likeliest(p.known(), searched))
		if err := p.climb(lo, at, hi, evidence); err != nil {
			return nil, err
		}
	}
	best, err := p.nearLeast(many)
	if err == nil && p.criterion == GuardedEvidence {
		p.closed = many
		best, err = p.nearGuarded(best)
	}
	exact := slices.DeleteFunc(p.known(), func(a *candidate) bool { return a.groups[searched].errors == nil })
	if err == nil && !onePeak(exact, func(a *candidate) float64 { return -a.groups[searched].sum }) {
		return nil, errSearch
	}
	return best, err
}

// evidence returns that of a candidate.
func evidence(a *candidate) float64 { return a.groups[searched].evidence }

// climb solves λ until those on both sides of the one with the largest value have been solved. Only those between lo,
// best and hi are unknown, and best is the best of these three.
func (p *path) climb(lo, best, hi int, value func(a *candidate) float64) error {
	return climb(lo, best, hi, func(next, best int) (bool, error) {
		a, err := p.solve(next)
		return err == nil && value(a) > value(p.found[best]), err
	})
}

// climb calls better, which reports whether the first of two places is the better one, until the places on both sides
// of the best one are known, or are lo or hi. It uses golden sections, which need the fewest calls for any single peak.
func climb(lo, best, hi int, better func(next, best int) (bool, error)) error {
	for hi-lo > 2 {
		next := best + section(hi-best)
		if best-lo > hi-best {
			next = best - section(best-lo)
		}
		switch is, err := better(next, best); {
		case err != nil:
			return err
		case is && next > best:
			lo, best = best, next
		case is:
			hi, best = best, next
		case next > best:
			hi = next
		default:
			lo = next
		}
	}
	return nil
}

// section returns the smaller part of a golden section of n steps, 1 at least.
func section(n int) int {
	const golden = 0.3819660112501051
	return max(int(math.Round(golden*float64(n))), 1)
}

// onePeak reports whether the values of known candidates grow up to one of them and fall after it.
func onePeak(known []*candidate, value func(a *candidate) float64) bool {
	falls := false
	for i := 1; i < len(known); i++ {
		switch before, v := value(known[i-1]), value(known[i]); {
		case v < before:
			falls = true
		case !(v > before) || falls:
			return false
		}
	}
	return true
}

// neighbors returns the indices of a candidate and of the next known ones on both sides, −1 and n if there are no such.
func (p *path) neighbors(a *candidate) (before, at, after int) {
	at = slices.Index(p.found, a)
	for before = at - 1; before >= 0 && p.found[before] == nil; {
		before--
	}
	for after = at + 1; after < len(p.found) && p.found[after] == nil; {
		after++
	}
	return before, at, after
}

// nearLeast returns the known candidate with the least leave-one-out error, once those next to it are known. They may
// not be, if the few rows that a search uses led elsewhere than all rows do. Rows are chosen again with every λ, or
// only once.
func (p *path) nearLeast(again bool) (*candidate, error) {
	for first := true; ; first = false {
		known := p.known()
		if first || again {
			if err := p.left.prepare(known, p.step); err != nil {
				return nil, err
			}
		}
		best, err := p.least(known, searched)
		if err != nil {
			return nil, err
		}
		if math.IsInf(best.groups[searched].sum, 1) {
			return nil, errSearch
		}
		before, at, after := p.neighbors(best)
		if before == at-1 && after == at+1 {
			return best, nil
		}
		for _, i := range []int{max(at-1, 0), min(at+1, len(p.found)-1)} {
			if _, err := p.solve(i); err != nil {
				return nil, err
			}
		}
	}
}

// nearGuarded returns the candidate that GuardedEvidence takes, given the one with the least leave-one-out error.
// Evidence, and the set of errors that are as good as the least, have one peak, and so the evidence over that set has
// one.
func (p *path) nearGuarded(least *candidate) (*candidate, error) {
	best, err := p.cautious(p.known(), least, searched)
	if err != nil {
		return nil, err
	}
	lo, at, hi := p.neighbors(best)
	if err := climb(lo, at, hi, func(next, best int) (bool, error) {
		a, err := p.solve(next)
		if err != nil || !a.likelier(p.found[best], searched) {
			return false, err
		}
		if err := p.leaveOut(a); err != nil {
			return false, err
		}
		of, to := &a.groups[searched], &least.groups[searched]
		if of.sum <= to.sum {
			return false, errSearch
		}
		return p.left.equalTo(of, to), nil
	}); err != nil {
		return nil, err
	}
	if !onePeak(p.known(), evidence) {
		return nil, errSearch
	}
	return p.cautious(p.known(), least, searched)
}

// likeliest returns the candidate with the largest evidence for a group, or the one with the smallest λ that has nearly
// as much.
func (c *choice) likeliest(all []*candidate, g int) (best *candidate) {
	for _, a := range all {
		if a.likelier(best, g) {
			best = a
		}
	}
	most := best.groups[g].evidence
	for _, a := range all {
		if a.Lambda < best.Lambda && a.groups[g].evidence >= most-c.slack && c.slack > 0 {
			best = a
		}
	}
	return best
}
