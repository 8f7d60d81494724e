// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Starting points of searches.

package learn

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// start returns the setting of the given kernel, with scales such that a row has variance 1, and λ the best of a path.
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
	if !(total > 0 && total <= math.MaxFloat64) { // constant features, for which any scale will do, or features that are too large at any scale
		total = 1
	}
	for i := range set.scales {
		set.scales[i] /= total
	}
	l.bestLambda(&set)
	return set
}

// variance returns the mean of k(x, x) of a group, minus that of the mean features if there is an intercept and the
// features are fixed.
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

// scan returns the best of the given length scales and of multiples of them, from four times the one at which the
// median distance of two rows is √2 down to the distance of neighbors.
func (l *learner) scan(given *setting) setting {
	return l.bestOf(append([]setting{*given}, l.octaves(given, 0.25)...)...)
}

// mostShare bounds how much shorter the first length scales are than the median distance of two rows: 12 octaves from
// 0.25 on.
const mostShare = 1 << 10

// octaves returns settings whose length scales are the median distance of two rows over √2 and over share, twice share,
// four times share and so on: up to 4, and beyond while they are at least the distance of neighbors.
func (l *learner) octaves(from *setting, share float64) (settings []setting) {
	median, neighbors := l.distances(from)
	if !(median > 0) {
		return nil
	}
	c := math.Sqrt(2 / median)
	for ; share <= 4 || share <= mostShare && float64(2*share*share)*neighbors <= median; share *= 2 {
		settings = append(settings, l.multiplied(from, share*c))
	}
	return settings
}

// multiplied returns a setting with the warps of all stationary terms multiplied by c.
func (l *learner) multiplied(from *setting, c float64) setting {
	set := from.clone()
	for i, t := range l.terms {
		if t.kind == stationary {
			set.warps[i] = set.warps[i].scaled(c)
		}
	}
	return set
}

// deviations returns the best of several settings: the given one; length scales in proportion to the standard
// deviations of the columns, for columns of different units; the same, longer for columns that do not tell about the
// targets by themselves; and the same, short for columns over which targets of neighbors are alike. Tied columns share
// a length scale; nil ties: no columns are tied.
func (l *learner) deviations(from *setting, ties *tying) setting {
	even := l.even(from, nil, ties)
	settings := append([]setting{*from}, l.octaves(&even, 0.5)...)
	if telling := telling(l.model.table); telling != nil {
		even := l.even(from, telling, ties)
		settings = append(settings, l.octaves(&even, 0.5)...)
	}
	if reaches := reaches(l.model.table); reaches != nil {
		for _, share := range []float64{1, 1. / untold} {
			settings = append(settings, l.reaching(&even, share, reaches))
		}
	}
	return l.bestOf(settings...)
}

// reaching returns a setting with given length scales of columns, and where these are 0 a share of the length scales of
// even.
func (l *learner) reaching(even *setting, share float64, reaches []float64) setting {
	median, _ := l.distances(even)
	set := l.multiplied(even, share*math.Sqrt(2/median))
	for i, t := range l.terms {
		if w := &set.warps[i]; t.kind == stationary && w.diagonal != nil {
			for j := range w.diagonal {
				if reach := reaches[w.column(j)]; reach > 0 {
					w.diagonal[j] = 1 / reach
				}
			}
		}
	}
	return set
}

// even returns a setting with length scales in proportion to the standard deviations of the columns, and untold times
// as long where telling is false; nil is true everywhere. Columns of a tied group share a length scale, the root of the
// sum of their variances.
func (l *learner) even(from *setting, telling []bool, ties *tying) setting {
	set, columns := from.clone(), l.model.table.columns
	deviation := columns.deviation
	if ties != nil {
		deviation, telling = ties.together(deviation), ties.anyOf(telling)
	}
	for i, t := range l.terms {
		if w := &set.warps[i]; t.kind == stationary && w.diagonal != nil {
			for j := range w.diagonal {
				c := w.column(j)
				if w.diagonal[j] = 1; columns.unit[c] > 0 {
					w.diagonal[j] = columns.unit[c] / deviation[c]
				}
				if telling != nil && !telling[c] {
					w.diagonal[j] /= untold
				}
			}
		}
	}
	return set
}

// neighborRows is the number of rows whose neighbors are searched for.
const neighborRows = 256

// distances returns the median squared distance of two rows, and of a row and its nearest one, by the warp of the first
// stationary term; rows at the same place do not count. Both are 0 if there are no distances, or they are not finite.
func (l *learner) distances(set *setting) (median, neighbors float64) {
	i := slices.IndexFunc(l.terms, func(t term) bool { return t.kind == stationary })
	w, x := &set.warps[i], l.model.table.x
	distance := l.model.table.distances(w)
	var all, nearest []float64
	order := subset.Shuffled(x.Rows)
	for r, s := range order {
		if v := distance(s, order[(r+1)%len(order)]); v > 0 && v <= math.MaxFloat64 {
			all = append(all, v)
		}
		if r >= neighborRows {
			continue
		}
		least := math.Inf(1)
		for other := range x.Rows {
			if v := distance(s, other); v > 0 {
				least = min(least, v)
			}
		}
		nearest = append(nearest, least)
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	slices.Sort(nearest)
	return all[len(all)/2], nearest[len(nearest)/2]
}

// distances returns the function of the squared distance of two rows by a warp.
func (t *table) distances(w *warp) func(r, s int) float64 {
	if t.lists != nil && w.diagonal != nil {
		return distancesOfLists(t.lists, w)
	}
	var reader rows.Reader
	reader.Reset(t.points())
	images := newGeneral(reader.N, w.out(), w.out())
	for r := range reader.N {
		w.image(images.Data[r*images.Stride:][:images.Cols], reader.Row(r))
	}
	return func(r, s int) (sum float64) {
		a, b := images.Data[r*images.Stride:][:images.Cols], images.Data[s*images.Stride:][:images.Cols]
		for j, v := range a {
			sum = math.FMA(v-b[j], v-b[j], sum)
		}
		return sum
	}
}

// distancesOfLists is distances of rows that are lists, by a warp that is diagonal.
func distancesOfLists(x *rows.Lists, w *warp) func(r, s int) float64 {
	squares := make([]float64, x.Cols) // factor of a squared difference in a column
	for e, v := range w.diagonal {
		j := w.column(e)
		squares[j] = math.FMA(v, v, squares[j])
	}
	return func(r, s int) (sum float64) {
		a, b := &x.Rows[r], &x.Rows[s]
		for p, q := 0, 0; p < len(a.Columns) || q < len(b.Columns); {
			var j int
			var d float64
			switch {
			case q == len(b.Columns) || p < len(a.Columns) && a.Columns[p] < b.Columns[q]:
				j, d, p = a.Columns[p], a.Values[p], p+1
			case p == len(a.Columns) || b.Columns[q] < a.Columns[p]:
				j, d, q = b.Columns[q], b.Values[q], q+1
			default:
				j, d, p, q = a.Columns[p], a.Values[p]-b.Values[q], p+1, q+1
			}
			sum = math.FMA(d*squares[j], d, sum)
		}
		return sum
	}
}
