// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The choice of λ where features are few.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// mostFew is the largest number of features with which all rows choose λ, if these are at most 4,096, as many as are kept: in the space
// of the features that takes about the time of 1,600 rows in the space of the rows.
var mostFew = 1024 // 0 in tests of the sample

// fewFeatures are what a pilot solves in the space of the features: the normal equations of its rows. They have the evidence and
// the leave-one-out errors of the equations in the space of the rows, up to a number that is the same for all λ.
type fewFeatures struct {
	equations *normal.Equations
	features  blas64.General // of the rows, minus their mean with an intercept
	y         blas64.General // a row for each row
	roots     []float64      // of the weights
}

// newFew returns the equations of rows with the given weights; nil if a number is too large for their sums.
func (f *iteration) newFew(x mat.Matrix, kept []keptRow, one *oneOfEach) *fewFeatures {
	m := len(one.rows)
	w := &fewFeatures{features: slabs.New(m, f.out), y: slabs.New(m, f.targets)}
	var reader rows.Reader
	reader.Reset(rows.Select(x, one.rows))
	var view mat.Dense
	for lo := 0; lo < m; lo += sampleBlock {
		hi := min(lo+sampleBlock, m)
		part := w.features
		part.Rows, part.Data = hi-lo, part.Data[lo*part.Stride:(hi-1)*part.Stride+part.Cols]
		view.SetRawMatrix(part)
		f.phi.TransformTo(&view, reader.Matrix(lo, hi))
	}
	for i, at := range one.rows {
		copy(vector(w.y, i), kept[at].y)
		w.roots = append(w.roots, math.Sqrt(one.weights[i]))
	}
	if w.equations = f.equationsOf(w); w.equations == nil {
		return nil
	}
	basis{mean: w.equations.Mean}.center(w.features)
	return w
}

// equationsOf returns the equations, or nil.
func (f *iteration) equationsOf(w *fewFeatures) *normal.Equations {
	sums := normal.New(f.out, f.targets)
	for lo := 0; lo < w.y.Rows; lo += sampleBlock {
		hi := min(lo+sampleBlock, w.y.Rows)
		next := sums.Next(hi - lo)
		for i := lo; i < hi; i++ {
			row := vector(next, i-lo)
			copy(row, vector(w.features, i))
			copy(row[f.out:], vector(w.y, i))
		}
		if sums.Append(w.roots[lo:hi], nil) != nil {
			return nil
		}
	}
	if !f.o.NoIntercept && !(sums.Weight() > 1) {
		return nil
	}
	return normal.NewEquations(sums, !f.o.NoIntercept)
}

// try returns the trial of a λ: see pilot.
func (w *fewFeatures) try(p *pilot, lambda float64, leaveOut bool) *trial {
	s, err := w.equations.Solve(lambda)
	if err != nil {
		return nil
	}
	t := &trial{lambda: lambda, evidence: s.Evidence}
	if leaveOut {
		t.errors = w.leaveOut(p, s)
		t.inverse = (float64(w.y.Rows-w.constants()-w.features.Cols))/lambda + traceOfInverse(s.Factor)
	}
	return t
}

// constants returns the number of directions of rows in which nothing is penalized: 1 with an intercept.
func (w *fewFeatures) constants() int {
	if w.equations.Mean == nil {
		return 0
	}
	return 1
}

// traceOfInverse returns tr A⁻¹.
func traceOfInverse(f *tiled.Factor) float64 {
	diagonal := make([]float64, f.Dim())
	f.InverseDiagonal(diagonal)
	return total(diagonal, 0)
}

// leaveOut returns the squared leave-one-out errors of the rows that judge, a row a target.
func (w *fewFeatures) leaveOut(p *pilot, s *normal.Solution) blas64.General {
	weights, _ := w.equations.Weights(s)
	leverages := make([]float64, w.y.Rows)
	s.Factor.SquaredNorms(leverages, w.features)
	products := slabs.New(w.y.Rows, w.y.Cols)
	tiled.Products(products, w.features, weights.Data, weights.Stride)
	all := slabs.New(p.targets, w.y.Rows-count(p.marks))
	k := 0
	for i, h := range leverages {
		if p.marks != nil && p.marks[i] {
			continue
		}
		if w.equations.Mean != nil {
			h += 1 / w.equations.Weight
		}
		rest := 1 - float64(h*w.roots[i]*w.roots[i])
		for t := range p.targets {
			e := w.roots[i] * (vector(w.y, i)[t] - w.equations.Level[t] - vector(products, i)[t]) / rest
			if vector(all, t)[k] = e * e * p.scales[t]; !(rest > leastRest) {
				vector(all, t)[k] = math.Inf(1)
			}
		}
		k++
	}
	return all
}

// traceOf returns the trace of equations of rows at λ: see pilot.trace.
func traceOf(e *normal.Equations, lambda float64) (freedom, determinant float64) {
	s, err := e.Solve(lambda)
	if err != nil {
		return float64(e.Rows), math.Inf(1)
	}
	freedom = float64(e.Features) - float64(lambda*traceOfInverse(s.Factor))
	if e.Mean != nil {
		freedom++
		determinant = detmath.Log(e.Weight)
	}
	for i := range e.Features {
		determinant += float64(2 * detmath.Log(s.Factor.At(i, i)))
	}
	return freedom, determinant - float64(float64(e.Features)*detmath.Log(lambda))
}
