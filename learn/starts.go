// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Where searches begin.

package learn

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// start returns the setting of the given kernel: scales such that a row has the variance 1, and λ the best of a path.
func (l *learner) start() setting {
	m := l.model
	set := setting{lambda: 1}
	units := m.table.columns.scales()
	var total float64
	for i, t := range l.terms {
		set.scales = append(set.scales, t.scale)
		set.warps = append(set.warps, t.warp.inUnits(units))
		total += float64(t.scale * m.groups[i].variance(m.table.intercept))
	}
	if !(total > 0 && total <= math.MaxFloat64) { // features that are constant, where any scale will do, or are too large at any
		total = 1
	}
	for i := range set.scales {
		set.scales[i] /= total
	}
	l.bestLambda(&set)
	return set
}

// variance returns the mean of k(x, x) of a group, less that of the mean features if there is an intercept and they are fixed.
func (g *group) variance(intercept bool) float64 {
	if g.frequencies != nil {
		return g.mass
	}
	var sum float64
	for j := range g.columns {
		mean, deviation := moments(g.fixed, j)
		sum += float64(deviation * deviation)
		if !intercept {
			sum += float64(mean * mean)
		}
	}
	return sum
}

// bestLambda sets λ to the best of a few, and returns the log evidence: −Inf if features are too large.
func (l *learner) bestLambda(set *setting) float64 {
	best, lambda := math.Inf(-1), set.lambda
	l.model.transform(set)
	e, err := l.model.equations()
	if err != nil {
		return best
	}
	for power := 4.0; power >= -10; power -= 2 { // e⁻² is the usual one
		v := detmath.Exp(power)
		s, err := e.Solve(v)
		if err != nil {
			continue
		}
		if value := l.model.evidence(s); value > best && value <= math.MaxFloat64 {
			best, lambda = value, v
		}
	}
	set.lambda = lambda
	return best
}

// bestOf returns the setting of most evidence.
func (l *learner) bestOf(settings ...setting) setting {
	best := settings[0]
	value := l.bestLambda(&best)
	for i := range settings[1:] {
		set := settings[1+i]
		if v := l.bestLambda(&set); v > value {
			best, value = set, v
		}
	}
	return best
}

// scan returns the best of the given lengths, and of multiples of them about the one at which the median distance of two rows is √2.
func (l *learner) scan(given *setting) setting {
	settings := []setting{*given}
	if c := l.medianFactor(given); c > 0 {
		for _, share := range []float64{0.25, 0.5, 1, 2, 4} {
			settings = append(settings, l.multiplied(given, share*c))
		}
	}
	return l.bestOf(settings...)
}

// multiplied returns a setting with the warps of all stationary terms times c.
func (l *learner) multiplied(from *setting, c float64) setting {
	set := from.clone()
	for i, t := range l.terms {
		if t.kind == stationary {
			set.warps[i] = set.warps[i].scaled(c)
		}
	}
	return set
}

// deviations returns the best of a setting, of those whose lengths are in proportion to the deviations of the columns, for columns of
// different units, and of such with longer lengths for the columns that do not tell of the targets by themselves.
func (l *learner) deviations(from *setting) setting {
	settings := []setting{*from}
	add := func(telling []bool) {
		even := l.even(from, telling)
		if c := l.medianFactor(&even); c > 0 {
			for _, share := range []float64{0.5, 1, 2} {
				settings = append(settings, l.multiplied(&even, share*c))
			}
		}
	}
	add(nil)
	if telling := telling(l.model.table); telling != nil {
		add(telling)
	}
	return l.bestOf(settings...)
}

// even returns a setting with lengths in proportion to the deviations of the columns, and untold times as long where telling is false; nil
// is true everywhere.
func (l *learner) even(from *setting, telling []bool) setting {
	set, columns := from.clone(), l.model.table.columns
	for i, t := range l.terms {
		if w := &set.warps[i]; t.kind == stationary && w.diagonal != nil {
			for j := range w.diagonal {
				c := w.column(j)
				if w.diagonal[j] = 1; columns.unit[c] > 0 {
					w.diagonal[j] = columns.unit[c] / columns.deviation[c]
				}
				if telling != nil && !telling[c] {
					w.diagonal[j] /= untold
				}
			}
		}
	}
	return set
}

// medianFactor returns by what the warp of the first stationary term is to be multiplied, so that the median squared distance of
// two rows is 2; 0 if that is no number.
func (l *learner) medianFactor(set *setting) float64 {
	i := slices.IndexFunc(l.terms, func(t term) bool { return t.kind == stationary })
	w, x := &set.warps[i], l.model.table.x
	a, b := make([]float64, w.out()), make([]float64, w.out())
	var distances []float64
	order := subset.Shuffled(x.Rows)
	for r, s := range order {
		next := order[(r+1)%len(order)]
		w.image(a, x.Data[s*x.Stride:][:x.Cols])
		w.image(b, x.Data[next*x.Stride:][:x.Cols])
		var sum float64
		for j, v := range a {
			sum = math.FMA(v-b[j], v-b[j], sum)
		}
		if sum > 0 && sum <= math.MaxFloat64 {
			distances = append(distances, sum)
		}
	}
	if len(distances) == 0 {
		return 0
	}
	slices.Sort(distances)
	return math.Sqrt(2 / distances[len(distances)/2])
}
