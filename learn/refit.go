// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// A refit is a setting with fresh frequencies.
type refit struct {
	set      setting
	solution *normal.Solution // the solution of most evidence over λ; nil if there is no solution. Its factor is not valid
	leftOut  string           // why there is no solution
	evidence float64          // log evidence, per row and target
}

// refitted refits a setting.
func (l *learner) refitted(set setting) *refit {
	r := &refit{set: set, evidence: noEvidence}
	e, err := l.refreshed(r)
	if err != nil {
		r.leftOut = err.Error()
		return r
	}
	if r.solution = l.fresh.climbed(e, set.lambda); r.solution == nil {
		r.leftOut = "not to be solved with fresh frequencies"
	} else {
		unit, shift := l.fresh.table.perRow()
		r.evidence = float64(l.fresh.evidence(r.solution)/unit) - shift
	}
	return r
}

// refreshed sets the features of fresh frequencies to those of a refit, unless they already are, and returns their
// normal equations.
func (l *learner) refreshed(r *refit) (*normal.Equations, error) {
	if l.latest == r {
		return l.equations, nil
	}
	// The units of the columns are those of other rows.
	moved := r.set.clone()
	ours, theirs := l.model.table.columns.scales(), l.fresh.table.columns.scales()
	for j := range ours {
		ours[j] = theirs[j] / ours[j]
	}
	for i := range moved.warps {
		moved.warps[i] = moved.warps[i].inUnits(ours)
	}
	l.fresh.transform(&moved)
	e, err := l.fresh.equations()
	l.latest, l.equations = r, e
	return e, err
}

// climbed returns the solution of most evidence, to about a tenth of log λ. It climbs in steps of log λ, and from the
// top goes to the maximum of the parabola through it and its neighbors.
func (m *model) climbed(e *normal.Equations, lambda float64) *normal.Solution {
	const step = 0.5
	solve := func(t float64) *normal.Solution {
		lambda := detmath.Exp(t)
		if !m.solvable(lambda) {
			return nil
		}
		s, err := e.Solve(lambda)
		if err != nil || !(math.Abs(m.evidence(s)) <= math.MaxFloat64) {
			return nil
		}
		return s
	}
	value := func(s *normal.Solution) float64 {
		if s == nil {
			return math.Inf(-1)
		}
		return m.evidence(s)
	}
	at := detmath.Log(lambda)
	best := solve(at)
	for best == nil && at < farthest { // too small
		at += 2
		best = solve(at)
	}
	if best == nil {
		return nil
	}
	up, down := solve(at+step), solve(at-step)
	for value(up) > value(best) {
		down, best, at = best, up, at+step
		up = solve(at + step)
	}
	for value(down) > value(best) {
		up, best, at = best, down, at-step
		down = solve(at - step)
	}
	if up != nil && down != nil {
		rise, fall := m.evidence(best)-m.evidence(down), m.evidence(best)-m.evidence(up)
		if s := solve(at + float64(0.5*step*(rise-fall)/(rise+fall))); value(s) > value(best) {
			best = s
		}
	}
	return best
}

// outcome returns the noise of each target and the kernel of a setting, given its solution.
func (l *learner) outcome(set *setting, s *normal.Solution) (noise []float64, k featuremap.Kernel) {
	noise = make([]float64, l.count)
	var mean float64
	for i, t := range l.targets {
		unit := l.fresh.table.targets.unit[i]
		noise[t] = float64(s.Noise[i]*unit) * unit
		mean += noise[t]
	}
	amplitude := mean / float64(len(l.targets)) / s.Lambda
	inverse := l.model.table.columns.scales()
	for j, u := range inverse {
		inverse[j] = 1 / u
	}
	var terms []featuremap.Kernel
	for i, t := range l.terms {
		w := set.warps[i].inUnits(inverse)
		if t.kind != stationary {
			w = t.warp
		}
		terms = append(terms, t.expression(amplitude*set.scales[i], w))
	}
	return noise, featuremap.Sum(terms...)
}
