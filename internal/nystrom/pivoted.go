// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package nystrom

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

const (
	MostPivoted = 10000 // the number of rows that RPCholesky uses, unless there are more landmarks
	pivotBlock  = 64    // pivots that are proposed together
)

// pivoting is a randomly pivoted Cholesky factorization of the kernel matrix of points, K ≈ FFᵀ.
type pivoting struct {
	chooser  *Chooser
	points   *mat.Dense
	factor   *mat.Dense // F, one column for each pivot
	diagonal []float64  // of K − FFᵀ
	pivots   []int
}

// pivoted returns rows by accelerated randomly pivoted Cholesky factorization (Epperly, Tropp and Webber 2024, Algorithm 2).
func (c *Chooser) pivoted() (*mat.Dense, error) {
	points := c.rows(c.candidates(MostPivoted))
	n, _ := points.Dims()
	p := &pivoting{chooser: c, points: points, factor: mat.NewDense(n, c.n, nil), diagonal: make([]float64, n)}
	matrix.New(c.program, points.Slice(0, 1, 0, c.points.Cols)).DiagonalTo(p.diagonal, points)
	var trace float64
	for _, v := range p.diagonal {
		trace += max(v, 0)
	}
	if !arith.Finite(trace) {
		return nil, fmt.Errorf("featuremap: x: k(x, x) has the sum %v: must be finite", trace)
	}
	for len(p.pivots) < c.n {
		proposed := p.propose(pivotTiny * trace / float64(n))
		if len(proposed) == 0 {
			break // what is left is rounding
		}
		p.add(p.accept(proposed))
	}
	return rows.Pick(points, c.others(points, p.pivots)), nil
}

// propose samples different points with probabilities in proportion to the diagonal, where it is above tiny.
func (p *pivoting) propose(tiny float64) []int {
	weights := make([]float64, len(p.diagonal))
	for i, v := range p.diagonal {
		if v > tiny {
			weights[i] = v
		}
	}
	return p.chooser.weighted(weights, pivotBlock)
}

// columns returns the columns of K − FFᵀ of some points.
func (p *pivoting) columns(at []int) *mat.Dense {
	n, _ := p.points.Dims()
	columns := mat.NewDense(n, len(at), nil)
	matrix.New(p.chooser.program, rows.Pick(p.points, at)).RowsTo(columns.RawMatrix(), p.points)
	if k := len(p.pivots); k > 0 {
		f := p.factor.Slice(0, n, 0, k).(*mat.Dense)
		columns.Sub(columns, projection.RowProducts(f, rows.Pick(f, at)))
	}
	return columns
}

// accept selects the proposed points that sampling one by one would have selected. It accepts a point with the
// probability that is left of its element of the diagonal after the points before it. It returns the points with
// their columns of K − FFᵀ.
func (p *pivoting) accept(proposed []int) (accepted []int, columns *mat.Dense) {
	all := p.columns(proposed)
	rest := rows.Pick(all, proposed)
	var taken []int
	for j, i := range proposed {
		pivot := rest.At(j, j)
		if !(float64(p.chooser.s.Float64()*p.diagonal[i]) < pivot) || len(p.pivots)+len(accepted) == p.chooser.n {
			continue
		}
		accepted, taken = append(accepted, i), append(taken, j)
		row := rest.RawRowView(j)
		for a := j + 1; a < len(proposed); a++ {
			c := -row[a] / pivot
			for b := j + 1; b < len(proposed); b++ {
				rest.Set(a, b, math.FMA(c, row[b], rest.At(a, b)))
			}
		}
	}
	n, _ := all.Dims()
	columns = mat.NewDense(n, len(taken), nil)
	for i := range n {
		for k, j := range taken {
			columns.Set(i, k, all.At(i, j))
		}
	}
	return accepted, columns
}

// add makes points pivots: the new columns G of F are their columns of K − FFᵀ, solved by the factor of their rows at
// these points.
func (p *pivoting) add(accepted []int, columns *mat.Dense) {
	k, n := len(p.pivots), len(accepted)
	lower := rows.Pick(columns, accepted) // of its own factor, below the diagonal
	for j := range n {
		row := lower.RawRowView(j)
		for i := range j {
			v := row[i]
			for m := range i {
				v = math.FMA(-row[m], lower.At(i, m), v)
			}
			row[i] = v / lower.At(i, i)
			row[j] = math.FMA(-row[i], row[i], row[j])
		}
		row[j] = math.Sqrt(max(row[j], math.SmallestNonzeroFloat64))
	}
	parallel.Run(parallel.Func(func(from, to int) {
		for i := from; i < to; i++ {
			row, f := columns.RawRowView(i), p.factor.RawRowView(i)[k:k+n]
			for j, v := range row {
				for m, w := range f[:j] {
					v = math.FMA(-w, lower.At(j, m), v)
				}
				f[j] = v / lower.At(j, j)
				p.diagonal[i] = math.FMA(-f[j], f[j], p.diagonal[i])
			}
		}
	}), len(p.diagonal), 64)
	for _, i := range accepted {
		p.diagonal[i] = 0
	}
	p.pivots = append(p.pivots, accepted...)
}
