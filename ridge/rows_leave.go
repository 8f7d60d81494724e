// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Leave-one-out on the rows' side: exact, for all rows and every λ.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// leftOutErrors returns the leave-one-out errors of all rows, for the targets of a solution, n×T: αᵢ/(qᵢ·Pᵢᵢ), P = M⁻¹
// − uuᵀ/(c + λ). They are infinite for a row that no other row predicts. rests are λPᵢᵢ, 1 minus the leverages. With
// copies both are of these, and p is the rest over λ.
func (f *rowFit) leftOutErrors(s *rowSolution, l *leftOut, lambda float64) (r blas64.General, rests []float64) {
	r, rests = f.y, make([]float64, f.Rows)
	r.Data = make([]float64, len(f.y.Data))
	for i, p := range s.inverse {
		rests[i] = l.copies.rest(i, func(i int) float64 { return float64(lambda * s.inverse[i]) })
		whole, root := f.rows.Deflated(i, lambda)+p, f.b.root(i)
		if l.copies.leave(i) {
			p, whole = rests[i]/lambda, 1/lambda
		}
		for t := range r.Cols {
			e := vector(s.alpha, t)[i] / (root * p)
			if !(p > leastRest*whole) || !(math.Abs(e) <= math.MaxFloat64) {
				e = infinite(vector(s.alpha, t)[i])
			}
			vector(r, i)[t] = e
		}
	}
	return r, rests
}

// set sets the errors of a candidate.
func (f *rowFit) set(l *leftOut, c *candidate) {
	r, _ := f.leftOutErrors(f.solved[c.Solution], l, c.Lambda)
	c.guess = 0
	for g, targets := range l.groups {
		of := &c.groups[g]
		of.errors = l.ofJudges(l.errors(r, f.all(), targets))
		of.sum = l.total(of.errors)
		of.bound, of.estimate = of.sum, of.sum
		if f.labels {
			of.wrong = l.ofJudges(f.wrong(r))
		}
	}
	c.guess = c.groups[searched].sum
}

// ofJudges returns the elements of v for rows that judge.
func (l *leftOut) ofJudges(v []float64) []float64 {
	if l.marks == nil {
		return v
	}
	some := make([]float64, 0, l.judges())
	for i, v := range v {
		if !l.marks[i] {
			some = append(some, v)
		}
	}
	return some
}

// wrong returns 1 for rows of labels whose largest prediction is for another class than their label, and 0 for the
// others, given their errors.
func (f *rowFit) wrong(errors blas64.General) []float64 {
	wrong := make([]float64, errors.Rows)
	for i := range wrong {
		label, name, most := 0, 0, math.Inf(-1)
		for t, y := range vector(f.y, i) {
			if y > 0 {
				label = t
			}
			if v := y - vector(errors, i)[t]; v > most {
				name, most = t, v
			}
		}
		if name != label {
			wrong[i] = 1
		}
	}
	return wrong
}

// namesErrors is the number of standard errors of the difference from the best that is tolerated.
const namesErrors = 2

// naming returns the candidates, for labels, that misclassify hardly more rows than the best: by at most namesErrors
// standard errors of the difference, row by row. For classes with a few rows each, the squared error is least where all
// predictions are nearly 0, and classes are bad. A standard error is errors times that of independent rows. If it is not
// known which rows are misclassified, all candidates are returned.
func naming(all []*candidate, g int, errors float64) (good []*candidate) {
	count := func(a *candidate) (sum float64) {
		for _, v := range a.groups[g].wrong {
			sum += v
		}
		return sum
	}
	best := all[0]
	for _, a := range all {
		if a.groups[g].wrong == nil {
			return all
		}
		if count(a) < count(best) {
			best = a
		}
	}
	for _, a := range all {
		var delta, squares float64
		for i, v := range a.groups[g].wrong {
			d := v - best.groups[g].wrong[i]
			delta, squares = delta+d, math.FMA(d, d, squares)
		}
		n := float64(len(a.groups[g].wrong))
		if delta <= errors*namesErrors*(1+10/n)*math.Sqrt(max(math.FMA(-delta/n, delta, squares), 0)) {
			good = append(good, a)
		}
	}
	return good
}

// all returns all rows, without features.
func (f *rowFit) all() *someRows { return &someRows{y: f.y, weights: f.b.weights} }

// judge returns what leftOut.judge does.
func (f *rowFit) judge(l *leftOut, all []taken, spans []span) judgment {
	by := l.newJudgment()
	for _, s := range all {
		own := f.solved[s.Solution]
		r, rests := f.leftOutErrors(own, l, s.Lambda)
		l.silence(r, 0)
		by.stray.look(r, f.all(), spans, s.targets)
		for i := range r.Rows {
			for _, t := range s.targets {
				by.add(t, l.weight(f.all(), i), vector(r, i)[t], rests[i])
			}
		}
	}
	return by
}

// row returns the number among all rows of row i of those that are left out.
func (l *leftOut) row(i int) int {
	if l.index == nil {
		return i
	}
	return l.index[i]
}

// see returns what has been seen of the rows to be left out.
func (f *rowFit) see(l *leftOut, all []taken) *seen {
	s := newSeen(l.n, l.targets(), len(all))
	s.rests = make([][]float64, len(all))
	for k, taken := range all {
		own := f.solved[taken.Solution]
		residuals := blas64.General{Rows: l.n, Cols: l.targets(), Stride: l.targets(), Data: make([]float64, l.n*l.targets())}
		leverages := make([]float64, l.n)
		s.rests[k] = make([]float64, l.n)
		for i := range l.n {
			at := l.row(i)
			s.rests[k][i] = float64(taken.Lambda * own.inverse[at])
			leverages[i] = 1 - s.rests[k][i]
			for _, t := range taken.targets {
				vector(residuals, i)[t] = f.residual(own, taken.Lambda, at, t)
			}
		}
		s.add(0, k, taken.targets, residuals, leverages)
	}
	return s
}

// residual returns the residual of a row, λ·αᵢ/qᵢ.
func (f *rowFit) residual(s *rowSolution, lambda float64, i, t int) float64 {
	return lambda * vector(s.alpha, t)[i] / f.b.root(i)
}

// block returns S = I − λP of some rows, λP, and the residuals of the targets of a λ taken.
func (f *rowFit) block(l *leftOut, s *taken, members []int) (of blas64.General, rest *tiled.Matrix, residuals blas64.General) {
	n := len(members)
	unit := blas64.General{Rows: n, Cols: f.Rows, Stride: f.Rows, Data: make([]float64, n*f.Rows)}
	residuals = blas64.General{Rows: n, Cols: l.targets(), Stride: l.targets(), Data: make([]float64, n*l.targets())}
	for j, i := range members {
		vector(unit, j)[l.row(i)] = 1
		for _, t := range s.targets {
			vector(residuals, j)[t] = f.residual(f.solved[s.Solution], s.Lambda, l.row(i), t)
		}
	}
	factor := s.inverse.(*byRows).factor
	factor.SolveTransVecs(unit)
	of = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	tiled.Products(of, unit, unit.Data, unit.Stride)
	rest = tiled.New(n)
	for i := range n {
		for j := range n {
			v := float64(s.Lambda * (of.Data[i*n+j] - f.rows.DeflatedPair(l.row(members[i]), l.row(members[j]), s.Lambda)))
			if j <= i {
				rest.Set(j, i, v)
			}
			if of.Data[i*n+j] = -v; i == j {
				of.Data[i*n+j] = 1 - v
			}
		}
	}
	return of, rest, residuals
}

// noise returns the weights of the regressions of z, n×T numbers with mean 0, on the features of the rows to be left
// out, a row a target, and their predictions. Sums of these rows are multiplied by ratio.
func (f *rowFit) noise(l *leftOut, all []taken, z blas64.General, ratio float64) (weights [][]float64, g blas64.General) {
	weights, g = make([][]float64, z.Cols), z
	g.Data = make([]float64, len(z.Data))
	for _, s := range all {
		factor := s.inverse.(*byRows).factor
		alpha := blas64.General{Rows: len(s.targets), Cols: f.Rows, Stride: f.Rows, Data: make([]float64, len(s.targets)*f.Rows)}
		for j, t := range s.targets {
			for i := range l.n {
				at := l.row(i)
				vector(alpha, j)[at] = ratio * f.b.root(at) * vector(z, i)[t]
			}
		}
		factor.SolveTransVecs(alpha)
		factor.SolveVecs(alpha)
		u := blas64.General{Rows: f.Rows, Cols: len(s.targets), Stride: len(s.targets), Data: make([]float64, len(alpha.Data))}
		for j, t := range s.targets {
			for i, v := range vector(alpha, j) {
				vector(u, i)[j] = v
			}
			for i := range l.n {
				at := l.row(i)
				vector(g, i)[t] = math.FMA(ratio, vector(z, i)[t], -s.Lambda*vector(alpha, j)[at]/f.b.root(at))
			}
		}
		for j, w := range f.combine(u) {
			weights[s.targets[j]] = w
		}
	}
	return weights, g
}
