// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A training is the state of a fit: the rows, their classes and weights, and their features.
type training struct {
	Options
	phi     featuremap.FeatureMap
	in, out int
	x       mat.Matrix // the rows that count; nil for batches
	read    iter.Seq2[ridge.Batch, error]
	first   int                // the caller's number of the first row of the batch that is read
	index   []int              // the numbers in the batch of its rows that count; nil: all do
	begun   linear.Ridge       // of the labels, to begin with; nil: fitted here
	from    linear.Functionals // to start from; nil: from begun

	mostPasses int       // see linear.LogisticOptions
	wrong      []float64 // the probability that a row of each class counts as one of the likeliest other: see wrongShares; nil: 0

	// Set by survey.
	notJudging   []bool // landmarks, which are fitted but do not judge λ; nil: no rows
	classes      []int32
	weights      []float64 // of rows; nil: 1 for each
	count        int       // of classes
	total        float64   // the sum of the weights
	classWeights []float64 // the sum for each class
	unit         float64   // factor by which the caller's weights, and with them λ, were multiplied

	points []uint64   // checksums of the points of rows, for prediction sets and, for batches, the choice of λ
	few    copied.Few // of these points, for the choice of λ

	// Of prediction sets, where they are wanted.
	given []float64 // weights as given, times a common factor; nil: 1 for each
	folds []int8    // of rows

	// The features of passes are raw ones where the map has some.
	features featuremap.FeatureMap
	raw      *tiled.Factor // U of φ(x) = U⁻ᵀr(x); nil if features are φ
	mean     []float64     // that features are centered by, once it is known
	stride   int
	chunk    blas64.General   // features that are computed at once
	kept     []blas64.General // the features of all rows, chunk by chunk; nil if they are not kept
	slab     blas64.General   // where these are, one after the other, for rows in memory; empty for batches
	keeping  bool
	spanned  *span // nil: features are not replaced by coordinates
	whole    bool  // they must not be

	reader rows.Reader      // the points of a batch
	seen   rows.Fingerprint // of the first reading of batches

	sampled  bool // the rows are those of a sample, to choose λ
	pass     int
	partials *partials // memory of passes
	spreads  []float64 // 1 − Σp², of the rows in the pass; nil: not wanted
	scores   *scores   // of the rows in the pass; nil: not wanted
}

// newTraining checks the map and the options.
func newTraining(phi featuremap.FeatureMap, opts *Options) (*training, error) {
	t := &training{phi: phi}
	if opts != nil {
		t.Options = *opts
	}
	if err := t.validate(); err != nil {
		return nil, err
	}
	if r := reflect.ValueOf(phi); phi == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, errors.New("logistic: phi = nil")
	}
	if t.in, t.out = phi.Dims(); t.in < 1 || t.out < 1 {
		return nil, fmt.Errorf("logistic: phi: R^%d → R^%d is no map", t.in, t.out)
	}
	if t.Tolerance == 0 {
		t.Tolerance = defaultTolerance
	}
	hidden := linear.Of(&t.Options)
	t.mostPasses = hidden.MostPasses
	t.features = phi
	if raw, u := linear.Raw(phi); raw != nil {
		t.features, t.raw = raw, u
	}
	t.stride = tiled.Stride(t.out)
	return t, nil
}

// tell calls Progress.
func (t *training) tell(pass int, loss float64) error {
	if err := t.progress(pass, loss); err != nil {
		return &interruption{err}
	}
	return nil
}

// progress calls Progress, if there is one.
func (t *training) progress(pass int, loss float64) error {
	if t.Progress == nil {
		return nil
	}
	return t.Progress(pass, loss)
}

// An interruption is an error of Progress.
type interruption struct{ err error }

func (i *interruption) Error() string { return "logistic: interrupted by Progress: " + i.err.Error() }
func (i *interruption) Unwrap() error { return i.err }

// outer returns an error from reading rows or from ridge as one of this package.
func outer(err error) error {
	var i *interruption
	if errors.As(err, &i) {
		return i
	}
	return fmt.Errorf("logistic: %w", err)
}

// survey reads all rows once. It sets classes and weights, and keeps the features if Memory has room for them.
func (t *training) survey(count int) error {
	t.count = count
	limit := float64(t.Memory)
	if t.Memory == 0 {
		limit = float64(memory.Free() / 4)
	}
	t.keeping = true
	if t.x != nil {
		n, _ := t.x.Dims()
		if t.keeping = float64(n)*float64(8*t.stride) <= limit; t.keeping {
			t.slab = blas64.General{Rows: n, Cols: t.out, Stride: t.stride, Data: t.newSlab(n)}
		}
	}
	var marks *linear.Marks
	if t.Lambda == 0 {
		marks = linear.NewMarks(t.phi)
	}
	var taken float64
	err := t.each(func(x, y mat.Matrix, weights []float64) error {
		if err := t.note(y, weights); err != nil {
			return err
		}
		n, _ := x.Dims()
		if t.PredictionSets || t.x == nil && t.Lambda == 0 {
			t.notePoints(n)
		}
		if t.Lambda == 0 {
			t.few.Note(&t.reader)
		}
		marks.Note(&t.reader, weights)
		if t.x == nil {
			t.seen.Add(&t.reader, y, weights)
		}
		if taken += float64(n) * float64(8*t.stride); taken > limit {
			t.keeping, t.kept, t.chunk = false, nil, blas64.General{}
		}
		if !t.keeping {
			return t.tell(0, math.NaN())
		}
		return t.fill(x, func() error {
			t.kept, t.chunk = append(t.kept, t.chunk), blas64.General{}
			return t.tell(0, math.NaN())
		})
	})
	if err != nil {
		return err
	}
	t.notJudging, _, _ = marks.NotJudging(0, nil)
	t.judgeScarce()
	if t.chunk.Rows > 0 {
		t.kept, t.chunk = append(t.kept, t.chunk), blas64.General{}
	}
	if len(t.classes) == 0 {
		return errNoRow
	}
	return t.balance()
}

var errNoRow = errors.New("logistic: no row of positive weight: must be at least 2")

// each reads all rows, batch by batch, and checks them.
func (t *training) each(add func(x, y mat.Matrix, weights []float64) error) error {
	first, batch := 0, 0
	defer t.reader.Reset(nil)
	for b, err := range t.read {
		if err != nil {
			return outer(err)
		}
		if err := t.checkShape(batch, b); err != nil {
			return err
		}
		n, _ := b.X.Dims()
		if t.x == nil {
			b, t.index = counting(b)
		}
		t.first = first
		first += n
		batch++
		if t.reader.Reset(b.X); t.reader.N == 0 {
			continue
		}
		if row, column, v, found := t.reader.NotFinite(); found {
			return fmt.Errorf("logistic: x: row %d, column %d = %v: must be finite", t.row(row), column, v)
		}
		if err := add(b.X, b.Y, b.Weights); err != nil {
			return err
		}
	}
	return nil
}

// checkShape refuses a batch of the wrong shape.
func (t *training) checkShape(batch int, b ridge.Batch) error {
	x, y, weights := b.X, b.Y, b.Weights
	for _, m := range []struct {
		name string
		x    mat.Matrix
	}{{"x", x}, {"y", y}} {
		if r := reflect.ValueOf(m.x); m.x == nil || r.Kind() == reflect.Pointer && r.IsNil() {
			return fmt.Errorf("logistic: rows: batch %d: %s = nil", batch, m.name)
		}
	}
	n, c := x.Dims()
	rows, columns := y.Dims()
	switch {
	case n == 0 || c != t.in:
		return fmt.Errorf("logistic: rows: batch %d: x is %d×%d: must have a row, and %d columns as phi takes", batch, n, c, t.in)
	case rows != n || columns != 1:
		return fmt.Errorf("logistic: rows: batch %d: y is %d×%d: must be %d×1", batch, rows, columns, n)
	case weights != nil && len(weights) != n:
		return fmt.Errorf("logistic: rows: batch %d: %d weights for %d rows: must be as many", batch, len(weights), n)
	}
	return nil
}

// row returns the caller's number of a row of the batch.
func (t *training) row(i int) int {
	if t.index != nil {
		i = t.index[i]
	}
	return t.first + i
}

// counting returns the rows of a batch that count, and their numbers; nil: all do. Those of weight 0 do not.
func counting(b ridge.Batch) (ridge.Batch, []int) {
	if !slices.Contains(b.Weights, 0) {
		return b, nil
	}
	var index []int
	var weights []float64
	for i, w := range b.Weights {
		if w != 0 {
			index, weights = append(index, i), append(weights, w)
		}
	}
	return ridge.Batch{X: rows.Select(b.X, index), Y: rows.Select(b.Y, index), Weights: weights}, index
}

// note records the classes and weights of a batch.
func (t *training) note(y mat.Matrix, weights []float64) error {
	n, _ := y.Dims()
	first := len(t.classes)
	for i := range n {
		c := y.At(i, 0)
		if !(c >= 0 && c < float64(t.count)) || c != math.Trunc(c) {
			return fmt.Errorf("logistic: row %d: class %v: must be a whole number from 0 to %d", t.row(i), c, t.count-1)
		}
		t.classes = append(t.classes, int32(c))
	}
	if weights != nil && t.weights == nil {
		t.weights = ones(first)
	}
	for i, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("logistic: row %d: weight %v: must be finite and at least 0", t.row(i), w)
		}
		t.weights = append(t.weights, w)
	}
	if weights == nil && t.weights != nil {
		t.weights = append(t.weights, ones(n)...)
	}
	return nil
}

// fill computes the features of rows into the chunk, and calls full whenever it is full, which takes or empties it.
func (t *training) fill(x mat.Matrix, full func() error) error {
	var reader rows.Reader
	reader.Reset(x)
	var view mat.Dense
	for lo, n := 0, reader.N; lo < n; {
		if t.chunk.Data == nil {
			size := partRows(t.stride)
			if t.x != nil { // what is left may be less
				size = min(size, n-lo)
			}
			t.chunk = blas64.General{Cols: t.out, Stride: t.stride}
			if at := len(t.kept) * partRows(t.stride); t.slab.Data != nil {
				t.chunk.Data = t.slab.Data[at*t.stride:][:size*t.stride]
			} else {
				t.chunk.Data = make([]float64, size*t.stride)
			}
		}
		room := len(t.chunk.Data)/t.stride - t.chunk.Rows
		take := min(room, n-lo, reader.Step())
		part := t.chunk
		part.Rows, part.Data = take, t.chunk.Data[t.chunk.Rows*t.stride:]
		view.SetRawMatrix(part)
		t.features.TransformTo(&view, reader.Matrix(lo, lo+take))
		t.chunk.Rows += take
		lo += take
		if take == room {
			if err := full(); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunks calls f with all centered features, chunk by chunk, and the number of the first row of each.
func (t *training) chunks(f func(first int, features blas64.General) error) error {
	first := 0
	if t.keeping {
		for _, chunk := range t.kept {
			if err := f(first, chunk); err != nil {
				return err
			}
			first += chunk.Rows
		}
		return nil
	}
	full := func() error {
		t.center(t.chunk)
		if err := f(first, t.chunk); err != nil {
			return err
		}
		first += t.chunk.Rows
		t.chunk.Rows = 0
		return nil
	}
	t.chunk.Rows = 0 // what an error left
	check := t.seen.Check()
	err := t.each(func(x, y mat.Matrix, weights []float64) error {
		if t.x == nil {
			if lo, _, same := check.Add(&t.reader, y, weights); !same {
				return fmt.Errorf("logistic: the rows are not the same each time: row %d or one after it has changed", lo)
			}
		}
		return t.fill(x, full)
	})
	if err == nil && t.x == nil {
		if lo, _, same := check.End(); !same {
			return fmt.Errorf("logistic: the rows are not the same each time: row %d or one after it has changed, or is missing", lo)
		}
	}
	if err == nil && t.chunk.Rows > 0 {
		err = full()
	}
	return err
}

// center subtracts the mean from features.
func (t *training) center(features blas64.General) {
	const work = 1 << 15
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := features.Data[i*features.Stride:][:features.Cols]
			for j, v := range t.mean {
				row[j] -= v
			}
		}
	}), features.Rows, 1+work/features.Cols)
}
