// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Leave-one-out results: the error of each row, and the variance of the function there without it.

package ridge

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// seen is what has been seen of all rows: residuals for each target, and leverages for each λ that was taken.
type seen struct {
	rows      int
	residuals blas64.General
	leverages [][]float64
	rests     [][]float64 // 1 minus the leverages, where that difference would lose digits; nil: nowhere
	found     []int       // leverages, of each λ
}

// newSeen returns room for so many rows and targets, and no more λ than lambdas.
func newSeen(rows, targets, lambdas int) *seen {
	return &seen{
		rows:      rows,
		residuals: blas64.General{Rows: rows, Cols: targets, Stride: targets, Data: make([]float64, rows*targets)},
		leverages: make([][]float64, lambdas),
		found:     make([]int, lambdas),
	}
}

// add takes the residuals for some targets, and the leverages for their λ, of rows from number lo on. A nil s ignores
// them.
func (s *seen) add(lo, k int, targets []int, residuals blas64.General, leverages []float64) {
	if s == nil {
		return
	}
	if s.leverages[k] == nil {
		s.leverages[k] = make([]float64, s.rows)
	}
	copy(s.leverages[k][lo:], leverages)
	for i := range leverages {
		for _, t := range targets {
			vector(s.residuals, lo+i)[t] = vector(residuals, i)[t]
		}
	}
	s.found[k] += len(leverages)
}

// whole reports whether all rows have been seen.
func (s *seen) whole() bool { return s != nil && s.found[0] == s.rows }

// leaveOut leaves out rows, each with its copies, or its group.
func (c *calibrator) leaveOut() error {
	n, targets := c.l.n, c.m.targets()
	c.errors = blas64.General{Rows: n, Cols: targets, Stride: targets, Data: make([]float64, n*targets)}
	c.squares = c.errors
	c.squares.Data = make([]float64, n*targets)
	if c.options.Groups != nil {
		return c.leaveGroupsOut()
	}
	for k := range c.all {
		if err := c.eachGroup(func(members []int) error { return c.leaveCopiesOut(k, members) }); err != nil {
			return err
		}
	}
	return nil
}

// errAlone is the reason why there are no intervals if some row is predicted by itself alone.
var errAlone = errors.New("a row, or group of rows, has a leverage of 1, so that no other row predicts it: λ must be positive")

// leaveCopiesOut sets the errors and variances of copies of a row for the targets of a λ. With a = 1/Σw + φ̃ᵀA⁻¹φ̃ =
// h/w, where h is the leverage of one copy and w its weight in the fit, W the weight of all copies, r their residuals
// and r̄ the mean of these, they are
//
//	r + r̄·H/(1 − H) and a/(1 − H), H = W·a,
//
// which for one row are r/(1 − h) and (h/w)/(1 − h).
func (c *calibrator) leaveCopiesOut(k int, members []int) error {
	a, h, rest := c.leverage(k, members)
	if !(rest > leastRest) && c.all[k].Lambda == 0 {
		return errAlone
	}
	for _, t := range c.all[k].targets {
		mean := c.mean(members, func(i int) float64 { return vector(c.l.seen.residuals, i)[t] })
		for _, i := range members {
			e, square := &vector(c.errors, i)[t], &vector(c.squares, i)[t]
			if *e = vector(c.l.seen.residuals, i)[t]; rest > leastRest {
				*e, *square = *e+float64(mean*(h/rest)), a/rest
			} else {
				*e, *square = infinite(*e), a
			}
		}
	}
	return nil
}

// leverage returns a for copies of a row, their total leverage, and 1 minus that. The leverage of the heaviest has the most
// digits: on the rows' side it is a difference from 1, which rounding may make negative.
func (c *calibrator) leverage(k int, members []int) (a, h, rest float64) {
	heaviest := members[0]
	for _, i := range members {
		h += c.l.seen.leverages[k][i]
		if c.fit(i) > c.fit(heaviest) {
			heaviest = i
		}
	}
	if g := c.l.copies; g != nil && g.dropped {
		h = float64(c.l.seen.leverages[k][heaviest] * g.times[heaviest])
	}
	if rest = 1 - h; len(members) == 1 && c.l.seen.rests != nil {
		rest = c.l.seen.rests[k][members[0]]
	}
	return max(c.l.seen.leverages[k][heaviest]/c.fit(heaviest), 0), h, rest
}

// mean returns the mean of numbers of rows, by their weights in the fit.
func (c *calibrator) mean(members []int, of func(i int) float64) (mean float64) {
	var weight float64
	for _, i := range members {
		weight += c.fit(i)
		mean = math.FMA(of(i)-mean, c.fit(i)/weight, mean)
	}
	return mean
}

// infinite returns an infinite error in the direction of a residual, 0 if that is 0.
func infinite(residual float64) float64 {
	if residual == 0 {
		return 0
	}
	return math.Copysign(math.Inf(1), residual)
}

// leaveGroupsOut sets the errors and variances of the rows of groups. With the matrix a of aᵢⱼ = 1/Σw + φ̃ᵢᵀA⁻¹φ̃ⱼ, the
// residuals r of a group, and the diagonal matrix W of its weights in the fit, they are
//
//	(I − aW)⁻¹r and the diagonal of a·(I − Wa)⁻¹.
func (c *calibrator) leaveGroupsOut() error {
	return c.eachGroup(func(members []int) error {
		return c.eachBlock(members, func(k int, b *block, residuals blas64.General) error {
			if b.factor == nil && c.all[k].Lambda == 0 {
				return errAlone
			}
			inverse := make([]float64, len(members))
			if b.factor != nil {
				b.factor.InverseDiagonal(inverse)
			}
			r := make([]float64, len(members))
			for _, t := range c.all[k].targets {
				for j := range members {
					r[j] = vector(residuals, j)[t]
				}
				b.leave(r)
				for j, i := range members {
					vector(c.errors, i)[t] = r[j]
					vector(c.squares, i)[t] = (inverse[j] - 1) / float64(b.roots[j]*b.roots[j])
				}
			}
			return nil
		})
	})
}

// A block is a group for one λ: S = W^½·a·W^½, and the factor of I − S, which is nil if only the group itself predicts
// its rows.
type block struct {
	s      blas64.General
	factor *tiled.Factor
	roots  []float64 // of the weights
}

// eachBlock calls do with the block of a group for each λ, and its residuals.
func (c *calibrator) eachBlock(members []int, do func(k int, b *block, residuals blas64.General) error) error {
	var some someRows
	if c.l.own == nil {
		var err error
		if some, err = c.l.gather(members); err != nil {
			return err
		}
	}
	b := &block{roots: make([]float64, len(members))}
	for j, i := range members {
		b.roots[j] = math.Sqrt(c.fit(i))
	}
	for k := range c.all {
		var rest *tiled.Matrix
		var residuals blas64.General
		if c.l.own != nil {
			b.s, rest, residuals = c.l.own.block(c.l, &c.all[k], members)
		} else {
			residuals = c.l.residuals(c.all[k].weights, &some)
			rest = b.set(c.l.e, c.all[k].Factor, some.features)
		}
		factor, bad := rest.Factorize(leastRest)
		if b.factor = factor; bad >= 0 {
			b.factor = nil
		}
		if err := do(k, b, residuals); err != nil {
			return err
		}
	}
	return nil
}

// set sets S of features of rows, and returns I − S.
func (b *block) set(e *normal.Facts, factor *tiled.Factor, features blas64.General) *tiled.Matrix {
	n, v := features.Rows, features
	v.Data = append([]float64(nil), v.Data...)
	factor.SolveTransVecs(v)
	b.s = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	tiled.Products(b.s, v, v.Data, v.Stride)
	rest := tiled.New(n)
	for i := range n {
		for j := range n {
			s := &b.s.Data[i*n+j]
			if e.Mean != nil {
				*s += 1 / e.Weight
			}
			*s = float64(*s * float64(b.roots[i]*b.roots[j]))
			if unit := 0.0; j <= i {
				if i == j {
					unit = 1
				}
				rest.Set(j, i, unit-*s)
			}
		}
	}
	return rest
}

// leave turns numbers r of a group into (I − aW)⁻¹r = W^−½·(I − S)⁻¹·W^½·r. They become infinite if only the group
// itself predicts its rows.
func (b *block) leave(r []float64) {
	if b.factor == nil {
		for j, v := range r {
			r[j] = infinite(v)
		}
		return
	}
	for j := range r {
		r[j] *= b.roots[j]
	}
	b.factor.SolveTransVec(r)
	b.factor.SolveVec(r)
	for j := range r {
		r[j] /= b.roots[j]
	}
}
