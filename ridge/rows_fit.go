// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dual"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A rowFit is a fit on the rows' side, by the products of rows: see package dual. It provides the equations for the
// choice of λ, with the leave-one-out errors of all rows for every λ.
type rowFit struct {
	*normal.Facts
	a      *Accumulator // without sums
	b      *addition
	z      blas64.General // features of rows, centered if there is an intercept, times the roots q of the weights
	y      blas64.General // targets
	rows   *dual.Rows
	labels bool          // targets are those of Labels
	norm   float64       // ‖M‖₁ for λ = 0
	known  *normal.Noise // the noise, if it is known

	solved map[*normal.Solution]*rowSolution
}

// A rowSolution is the part of a solution that belongs to rows: see dual.Solution.
type rowSolution struct {
	alpha   blas64.General // a row a target
	inverse []float64
}

var _ equations = (*rowFit)(nil)

// fitRows is fitAll on the rows' side.
func fitRows(phi featuremap.FeatureMap, b *addition, o *Options, k *noise) (*Model, error) {
	_, targets := b.y.Dims()
	a := newAccumulator(phi, targets)
	a.raw = rawsOf(phi)
	if _, err := validateShapes(b.x, b.y, a.in, targets); err != nil {
		return nil, err
	}
	f := &rowFit{a: a, b: b, solved: make(map[*normal.Solution]*rowSolution)}
	o.labels = areLabels(b.y, b.size())
	o.SharedLambda, f.labels = o.SharedLambda || o.labels, o.labels
	if err := f.read(o); err != nil {
		return nil, err
	}
	c := &choice{Facts: f.Facts, equations: f, criterion: o.Criterion, labels: o.labels, marksJudge: linear.Of(o).MarksJudge, progress: o.Progress}
	return a.finish(c, f, o, k, func() *leftOut {
		l := newLeftOut(c, a, newMemoryRows(b.x, b.y, b.weights), f.Weight)
		l.own, l.largest = f, l.judges()
		return l
	})
}

// read reads the rows.
func (f *rowFit) read(o *Options) (err error) {
	a, b, n := f.a, f.b, f.b.size()
	a.reader.Reset(b.x)
	defer a.reader.Reset(nil)
	if err := b.validateFinite(&a.reader); err != nil {
		return err
	}
	if a.spans, err = b.validateTargets(a.spans[:0]); err != nil {
		return err
	}
	f.Facts = &normal.Facts{Rows: n, Features: a.out, Weight: total(b.weights, n)}
	f.z = blas64.General{Rows: n, Cols: a.out, Stride: tiled.Stride(a.out)}
	f.z.Data = make([]float64, n*f.z.Stride)
	step := min(a.chunkRows(), a.reader.Step())
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		if err := f.transform(lo, hi); err != nil {
			return err
		}
		a.addLeft(b, lo, hi)
		for done := (lo/tiled.BlockRows + 1) * tiled.BlockRows; done <= hi && o.Progress != nil; done += tiled.BlockRows {
			if err := o.Progress(done); err != nil {
				return interrupted(err)
			}
		}
	}
	a.diagonal, a.beyond = a.adding, a.farther
	if err := a.admit(n, n == 1 && f.Weight == 1, normal.Least, o); err != nil {
		return err
	}
	if f.Mean = centered(f.z, b.weights, !o.NoIntercept); b.weights != nil {
		if err := f.validateWeighted(); err != nil {
			return err
		}
	}
	targets, squares := f.readTargets(!o.NoIntercept)
	if err := validateWeights(f.Facts, a.spans, func(t int) bool {
		return min(squares[t], squares[t]/f.Weight) < normal.Least*normal.Least
	}); err != nil {
		return err
	}
	if f.rows = dual.NewRows(targets, b.weights); o.NoIntercept {
		f.rows = dual.NewRowsThroughZero(targets, b.weights)
	}
	f.rows.SetFeatures(f.z)
	f.norm = f.rows.Norm1()
	return f.validateFeatures()
}

// transform sets the features of the rows [lo, hi).
func (f *rowFit) transform(lo, hi int) error {
	part := f.z
	part.Rows, part.Data = hi-lo, f.z.Data[lo*f.z.Stride:hi*f.z.Stride]
	var view mat.Dense
	view.SetRawMatrix(part)
	f.a.phi.TransformTo(&view, f.a.reader.Matrix(lo, hi))
	for i := range part.Rows {
		for j, v := range part.Data[i*part.Stride:][:part.Cols] {
			if !(math.Abs(v) < tiled.Limit) {
				return f.a.refusal(&normal.RowError{Row: i, Column: j, Value: v, Limit: tiled.Limit}, f.b.row(lo+i))
			}
		}
	}
	return nil
}

// centered centers features by their weighted mean, which it returns, if there is an intercept, and multiplies them by
// the roots of the weights. A constant feature becomes exactly 0, since the first row is subtracted before.
func centered(z blas64.General, weights []float64, intercept bool) (mean []float64) {
	all := total(weights, z.Rows)
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	if intercept {
		mean = slices.Clone(z.Data[:z.Cols])
	}
	const work = 1 << 15
	parallel.Run(parallel.Func(func(lo, hi int) {
		d := make([]float64, hi-lo) // the mean minus the first row
		for i := 0; i < z.Rows && intercept; i++ {
			share := weight(i) / all
			for j, v := range z.Data[i*z.Stride:][lo:hi] {
				d[j] = math.FMA(share, v-mean[lo+j], d[j])
			}
		}
		for i := range z.Rows {
			row, root := z.Data[i*z.Stride:][lo:hi], 1.0
			if weights != nil {
				root = math.Sqrt(weights[i])
			}
			for j, v := range row {
				if intercept {
					v = v - mean[lo+j] - d[j]
				}
				row[j] = root * v
			}
		}
		for j := range d {
			if intercept {
				mean[lo+j] += d[j]
			}
		}
	}), z.Cols, 1+work/z.Rows)
	return mean
}

// validateWeighted refuses a feature whose product with the root of its row's weight is too large.
func (f *rowFit) validateWeighted() error {
	for i := range f.z.Rows {
		for j, v := range f.z.Data[i*f.z.Stride:][:f.z.Cols] {
			if !(math.Abs(v) < tiled.Limit) {
				root := f.b.root(i)
				return f.a.refusal(&normal.RowError{Row: i, Column: j, Value: v / root, Root: root, Limit: tiled.Limit}, f.b.row(i))
			}
		}
	}
	return nil
}

// readTargets sets the targets with their means and variances. It returns them with the first row subtracted, if there
// is an intercept, and their sums of squares, which are then centered.
func (f *rowFit) readTargets(intercept bool) (*mat.Dense, []float64) {
	n, targets := f.b.y.Dims()
	f.y = blas64.General{Rows: n, Cols: targets, Stride: targets, Data: make([]float64, n*targets)}
	less := mat.NewDense(n, targets, nil)
	squares := make([]float64, targets)
	f.Level, f.Variances, f.Squares = make([]float64, targets), make([]float64, targets), make([]float64, targets)
	for t := range targets {
		first, mean := f.b.y.At(0, t), 0.0
		for i := range n {
			y := f.b.y.At(i, t)
			vector(f.y, i)[t] = y
			if less.Set(i, t, y-first); !intercept {
				less.Set(i, t, y)
			}
			mean = math.FMA(f.b.weight(i)/f.Weight, y-first, mean)
		}
		if intercept {
			f.Level[t] = first + mean
		}
		for i := range n {
			y := f.b.y.At(i, t)
			d := y - first - mean
			if f.Variances[t] = math.FMA(float64(f.b.weight(i)*d), d, f.Variances[t]); !intercept {
				d = y
			}
			squares[t] = math.FMA(float64(f.b.weight(i)*d), d, squares[t])
		}
		f.Squares[t] = squares[t] / f.Weight
		if f.Variances[t] = f.Variances[t] / f.Weight; !(f.Variances[t] > 0) {
			f.Variances[t] = f.Squares[t]
		}
	}
	return less, squares
}

// trace returns tr(ΦᵀΦ), for centered features if there is an intercept.
func (f *rowFit) trace() float64 { return f.rows.Scale() * float64(f.Rows) }

// validateFeatures refuses features whose squares all underflow, and which would seem constant.
func (f *rowFit) validateFeatures() error {
	if f.trace() > float64(f.Features)*(normal.Least*normal.Least) {
		return nil
	}
	for i := range f.z.Rows {
		for j, v := range f.z.Data[i*f.z.Stride:][:f.z.Cols] {
			if v != 0 {
				return fmt.Errorf("ridge: x: squares of all features underflow, such as of feature %d, %.3g from its mean: multiply the features by a power of ten", j, v)
			}
		}
	}
	return nil
}

func (f *rowFit) path() []float64         { return f.Path(f.trace()) }
func (f *rowFit) spread() float64         { return f.trace() / f.Weight }
func (f *rowFit) meanSquare() float64     { return f.MeanSquare(f.trace()) }
func (f *rowFit) setNoise(n normal.Noise) { f.known = &n }

func (f *rowFit) most() int {
	each := 8 * float64(triangle(f.Rows))
	free := float64(memory.Limit()) - bytesByRows(f.Rows, f.Features, f.a.targets)
	return int(max(min(mostFactors, factorBytes/each, 1+free/each), 1))
}

func (f *rowFit) freedom(s *taken) (sum float64) {
	for _, v := range f.solved[s.Solution].inverse {
		sum += 1 - float64(s.Lambda*v)
	}
	return sum
}

func (f *rowFit) Solve(lambda float64) (*normal.Solution, error) {
	if lambda == 0 {
		if err := f.Undetermined(); err != nil {
			return nil, err
		}
		return nil, errors.New("λ = 0 and RowSide: must be positive, or on the features' side")
	}
	s, err := f.rows.Solve(lambda)
	if err != nil {
		return nil, fmt.Errorf("λ = %v is too small for float64 compared with the squares of rows of features, whose mean is %v: must be larger", lambda, f.rows.Scale())
	}
	left := f.rows.Left(s)
	for t, v := range left {
		left[t] = max(v, 0x1p-52*f.rows.Square(t))
	}
	solution := f.Solution(lambda, left, f.rows.LogDet(s), f.known)
	own := &rowSolution{alpha: s.Alpha, inverse: slices.Clone(s.Inverse)}
	own.alpha.Data = slices.Clone(s.Alpha.Data)
	f.solved[solution] = own
	return solution, nil
}

func (f *rowFit) Solutions(path []float64) iter.Seq2[*normal.Solution, error] {
	return normal.Solutions(path, f.Solve)
}

// Again returns s, which needs no factor.
func (f *rowFit) Again(s *normal.Solution) *normal.Solution { return s }

// take returns the λ taken, with w = Zᵀα for their targets.
func (f *rowFit) take(groups [][]int, solutions []*normal.Solution) []taken {
	side := f.side()
	all := gathered(groups, solutions)
	for k := range all {
		s := &all[k]
		own := f.solved[s.Solution]
		again, _ := f.rows.Factor(s.Lambda) // as before
		u := blas64.General{Rows: f.Rows, Cols: len(s.targets), Stride: len(s.targets), Data: make([]float64, f.Rows*len(s.targets))}
		for j, t := range s.targets {
			for i := range f.Rows {
				vector(u, i)[j] = vector(own.alpha, t)[i]
			}
		}
		s.weights = blas64.General{Rows: f.a.targets, Cols: f.Features, Stride: f.Features, Data: make([]float64, f.a.targets*f.Features)}
		s.intercept = make([]float64, f.a.targets)
		for j, w := range f.combine(u) {
			t := s.targets[j]
			copy(vector(s.weights, t), w)
			if f.Mean != nil {
				s.intercept[t] = f.Level[t] - tiled.Dot(f.Mean, w)
			}
		}
		factor, norm := again.Clone(), f.norm+s.Lambda
		s.inverse = &byRows{side, factor, s.Lambda}
		s.condition = func() float64 {
			if v := norm * factor.InverseNorm1(); !math.IsNaN(v) {
				return v
			}
			return math.Inf(1)
		}
	}
	return all
}

// combine returns the columns of Zᵀu.
func (f *rowFit) combine(u blas64.General) [][]float64 {
	sums := blas64.General{Rows: u.Cols, Cols: f.Features, Stride: f.Features, Data: make([]float64, u.Cols*f.Features)}
	slabs.CombineUnpadded(sums, f.z, u)
	all := make([][]float64, u.Cols)
	for j := range all {
		all[j] = vector(sums, j)
	}
	return all
}
