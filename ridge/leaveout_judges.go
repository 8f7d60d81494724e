// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The rows that judge λ, and what they say.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// mark finds the rows that must not judge λ, given the number of all rows of the fit. The weight of those that judge may
// be a rounding of the weight of all.
func (l *leftOut) mark(all int) {
	marks, of, others := l.rows.marks(l.phi).NotJudging(all, l.copies.together())
	if share := float64(l.n-count(marks)) / others; marks != nil && share <= math.MaxFloat64 {
		l.marks, l.marked = marks, count(marks)
		l.share, l.part = share, others/(others+of)
	}
}

// judges returns the number of rows that judge λ.
func (l *leftOut) judges() int { return l.n - l.marked }

// judging returns up to most of the rows that judge, in ascending order.
func (l *leftOut) judging(most int) []int {
	index := subset.Rows(l.judges(), most)
	if l.marks == nil {
		return index
	}
	judges := slices.DeleteFunc(places(0, l.n), func(i int) bool { return l.marks[i] })
	for k, i := range index {
		index[k] = judges[i]
	}
	return index
}

// count returns how many are true.
func count(are []bool) (n int) {
	for _, is := range are {
		if is {
			n++
		}
	}
	return n
}

// silence sets the errors to 0 of those rows, from number lo on, that must not judge.
func (l *leftOut) silence(errors blas64.General, lo int) {
	for i := range errors.Rows {
		if l.marks != nil && l.marks[lo+i] {
			clear(errors.Data[i*errors.Stride:][:errors.Cols])
		}
	}
}

// A judgment is what the rows that judge say of a model.
type judgment struct {
	squares []float64 // the leave-one-out error of each target
	noise   []float64 // σ² of each target: a leave-one-out error has the variance σ²/(1 − h)
	stray   stray
	judges  float64 // number of rows
}

// newJudgment returns the judgment of rows that are still to be added.
func (l *leftOut) newJudgment() judgment {
	return judgment{squares: make([]float64, l.targets()), noise: make([]float64, l.targets()), judges: float64(l.judges())}
}

// add adds the error of a row with its weight and 1 − h.
func (j *judgment) add(target int, weight, e, rest float64) {
	part := weight * e / j.judges
	j.squares[target] = math.FMA(part, e, j.squares[target])
	if rest > leastRest {
		j.noise[target] = math.FMA(part*rest, e, j.noise[target])
	}
}

// judge returns the judgment of the λ taken: from all rows if there are up to everyRow of them, and otherwise from
// some.
func (l *leftOut) judge(all []taken, spans []span, step func() error) (by judgment, err error) {
	by = l.newJudgment()
	if l.n > everyRow || l.largest == l.judges() && (l.marks == nil || l.seen == nil) {
		for k, s := range all {
			r, leverages := l.residuals(s.weights, &l.some), l.measure(s.Solution)
			if l.n == l.some.y.Rows {
				l.seen.add(0, k, s.targets, r, leverages)
			}
			leave(r, l.some.withCopies(leverages))
			by.stray.look(r, &l.some, spans, s.targets)
			v, noise := make([]float64, r.Rows), make([]float64, r.Rows)
			for _, t := range s.targets {
				for i := range v {
					v[i] = l.weight(&l.some, i) * (r.Data[i*r.Stride+t] * r.Data[i*r.Stride+t])
					if rest := 1 - leverages[i]; rest > leastRest {
						noise[i] = v[i] * rest
					}
				}
				by.squares[t], by.noise[t] = l.total(v)/by.judges, l.total(noise)/by.judges
			}
		}
		return by, step()
	}
	err = l.sweep(all, step, func(lo, k int, rows *someRows, r blas64.General, leverages []float64) {
		l.seen.add(lo, k, all[k].targets, r, leverages)
		leave(r, rows.withCopies(leverages))
		l.silence(r, lo)
		by.stray.look(r, rows, spans, all[k].targets)
		for i := range r.Rows {
			for _, t := range all[k].targets {
				by.add(t, l.weight(rows, i), r.Data[i*r.Stride+t], 1-leverages[i])
			}
		}
	})
	if err != nil {
		return judgment{}, err
	}
	return by, nil
}
