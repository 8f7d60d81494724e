// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A level is what a λ with m rows tells about other λ with other numbers of rows. The error on a new row is about
//
//	E(κ)/(1 − d₂(κ)/m),   m = d₁(κ) + λ/κ,   d₁ = tr Σ(Σ + κI)⁻¹,   d₂ = tr Σ²(Σ + κI)⁻²,
//
// with Σ the covariance of features: E, d₁ and d₂ depend on κ alone, whatever λ and m are (Hastie, Montanari, Rosset,
// Tibshirani, Surprises in high-dimensional ridgeless least squares interpolation, 2022). A sample has 1/κ = tr (K +
// λI)⁻¹, 1 − d₂/m = (1 − d₁/m)·d log λ/d log κ, and the error is the leave-one-out error. Few rows need a larger λ than
// many, up to 100 times, if they are hardly more than the degrees of freedom.
type level struct {
	log           float64 // of κ
	first, second float64 // d₁ and d₂
	error         float64 // log E
}

// standings returns the standings of trials for a group of targets, in the order of λ, with errors as they would be
// with all rows.
func (p *pilot) standings(trials []*trial, group []int, scales []float64) []*standing {
	all := make([]*standing, len(trials))
	for i, t := range trials {
		all[i] = t.standing(group, scales)
	}
	if len(all) < 3 || !(p.all > p.weight) || all[0].errors == nil {
		return all
	}
	levels := p.levels(trials, all)
	m := float64(p.rows)
	n := m * p.all / p.weight
	for i, t := range trials {
		const most = 0.999 // of the number of rows, for degrees of freedom
		l := p.levelOf(levels, t.lambda, n)
		factor := detmath.Exp(l.error) / (1 - min(l.second/n, most)) / all[i].sum
		if !(factor > 0 && factor <= math.MaxFloat64) {
			continue
		}
		for k := range all[i].errors {
			all[i].errors[k] *= factor
		}
		all[i].sum = total(all[i].errors, 0)
	}
	return all
}

// levels returns the levels of trials.
func (p *pilot) levels(trials []*trial, standings []*standing) []level {
	const least = 1e-3 // for the slope, which rounding may make 0
	m := float64(p.rows)
	levels := make([]level, len(trials))
	for i, t := range trials {
		levels[i].log, levels[i].first = -detmath.Log(t.inverse), m-float64(t.lambda*t.inverse)
	}
	for i, t := range trials {
		lo, hi := max(i-1, 0), min(i+1, len(trials)-1)
		slope := (levels[hi].log - levels[lo].log) / (detmath.Log(trials[hi].lambda) - detmath.Log(trials[lo].lambda))
		rest := min(float64(t.lambda*t.inverse)/max(slope, least), m) // m − d₂
		levels[i].second = m - rest
		levels[i].error = detmath.Log(max(standings[i].sum*rest/m, math.SmallestNonzeroFloat64))
	}
	return levels
}

// levelOf returns the level of a λ with n rows.
func (p *pilot) levelOf(levels []level, lambda, n float64) level {
	const far, halvings = 20, 60
	lo, hi := levels[0].log-far, levels[len(levels)-1].log+far
	for range halvings {
		middle := 0.5 * (lo + hi)
		if p.level(levels, middle).first+float64(lambda*detmath.Exp(-middle)) > n {
			lo = middle
		} else {
			hi = middle
		}
	}
	return p.level(levels, 0.5*(lo+hi))
}

// level returns the level of a log κ, by linear interpolation. Below the first one log E falls half as steeply, since
// it cannot fall below the noise; above the last one nothing changes.
func (p *pilot) level(levels []level, log float64) level {
	i := 0
	for i+2 < len(levels) && levels[i+1].log < log {
		i++
	}
	a, b := levels[i], levels[i+1]
	w := min((log-a.log)/(b.log-a.log), 1)
	on := func(w, x, y float64) float64 { return x + float64(w*(y-x)) }
	return level{log, min(on(w, a.first, b.first), p.features), min(on(w, a.second, b.second), p.features), on(max(w, 0.5*w), a.error, b.error)}
}
