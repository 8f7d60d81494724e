// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"errors"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Matrices and a map that replace the caller's in ridge regression.

// ridgeBy fits the labels. If features are kept, x is the numbers of their rows.
func (t *training) ridgeBy(o *ridge.Options) (*ridge.Model, error) {
	y := &labels{t.classes, t.count}
	o.SharedLambda, o.Side = true, ridge.FeatureSide // the descent uses its factor
	linear.Of(o).Unjudged = true
	switch {
	case t.keeping:
		return ridge.Fit(&keptMap{t: t}, &rowNumbers{len(t.classes)}, y, o)
	case t.x != nil:
		return ridge.Fit(t.phi, t.x, y, o)
	}
	all := o.Weights
	o.Weights = nil
	return ridge.FitBatches(t.phi, t.labeled(all), o)
}

// labeled returns the rows with labels as targets, and with the given weights, which are 1 if nil.
func (t *training) labeled(all []float64) iter.Seq2[ridge.Batch, error] {
	return func(yield func(ridge.Batch, error) bool) {
		first, left := 0, errors.New("logistic: no more rows are wanted")
		err := t.each(func(x, _ mat.Matrix, _ []float64) error {
			n, _ := x.Dims()
			lo, hi := first, first+n
			if first = hi; hi > len(t.classes) {
				return fmt.Errorf("logistic: the rows are not the same each time: there are more than %d", len(t.classes))
			}
			b := ridge.Batch{X: x, Y: &labels{t.classes[lo:hi], t.count}}
			if all != nil {
				b.Weights = all[lo:hi]
			}
			if !yield(b, nil) {
				return left
			}
			return nil
		})
		if err != nil && err != left {
			yield(ridge.Batch{}, err)
		}
	}
}

// labels are the targets of ridge regression, +1 for the class of a row and −1 for the others, as ridge.Labels returns them.
type labels struct {
	classes []int32
	count   int
}

// Dims returns the numbers of rows and classes.
func (l *labels) Dims() (rows, columns int) { return len(l.classes), l.count }

// At returns the label of row i for class c.
func (l *labels) At(i, c int) float64 {
	if int(l.classes[i]) == c {
		return 1
	}
	return -1
}

// T returns the transpose.
func (l *labels) T() mat.Matrix { return mat.Transpose{Matrix: l} }

// rowNumbers is the column 0, 1, …, n−1.
type rowNumbers struct{ n int }

// Dims returns n and 1.
func (r *rowNumbers) Dims() (rows, columns int) { return r.n, 1 }

// At returns i.
func (r *rowNumbers) At(i, j int) float64 { return float64(i) }

// T returns the transpose.
func (r *rowNumbers) T() mat.Matrix { return mat.Transpose{Matrix: r} }

// A keptMap maps the number of a row to its kept features, or to the features whose raw features are kept.
type keptMap struct {
	t    *training
	kept bool // return the kept r themselves, not the features φ = U⁻ᵀr
}

// Dims returns 1 and the number of features.
func (m *keptMap) Dims() (in, out int) { return 1, m.t.out }

// Kernel returns the kernel of the features.
func (m *keptMap) Kernel() featuremap.Kernel { return featuremap.FromMap(m) }

// KeptRaw returns the map of the raw features, and U: see linear.Kept.
func (m *keptMap) KeptRaw() (raw featuremap.FeatureMap, u *mat.TriDense) {
	landmarks := linear.LandmarksOf(m.t.phi)
	if landmarks == nil || m.kept || m.t.spanned != nil {
		return nil, nil
	}
	_, u = landmarks.Raw()
	return &keptMap{m.t, true}, u
}

// TransformTo sets row i of dst to the features of the row whose number is in row i of x.
func (m *keptMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, m.t.out)
	}
	const work = 1 << 15
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.copyRow(dst.RawRowView(i), x.At(i, 0))
		}
	}), n, 1+work/m.t.out)
	m.solve(dst.RawMatrix())
}

// TransformVec sets dst to the features of the row with the number x[0].
func (m *keptMap) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, m.t.out)
	}
	m.copyRow(dst, x[0])
	m.solve(blas64.General{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst})
	return dst
}

// solve turns kept raw features into features of the map.
func (m *keptMap) solve(features blas64.General) {
	if m.t.raw != nil && !m.kept {
		m.t.raw.SolveTransVecs(features)
	}
}

// copyRow copies the kept features of a row. Package ridge compares maps at points that are not row numbers: they get
// the features of the first row.
func (m *keptMap) copyRow(dst []float64, number float64) {
	i := 0
	if number >= 0 && number < float64(len(m.t.classes)) {
		i = int(number)
	}
	size := m.t.kept[0].Rows
	chunk := m.t.kept[i/size]
	copy(dst, chunk.Data[i%size*chunk.Stride:][:chunk.Cols])
}
