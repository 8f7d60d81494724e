// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A batch of another shape is told by its number and sizes, and the error that rows yield comes back, wrapped, in the first reading and in a later one.
func TestBatchesRefused(t *testing.T) {
	x, classes := rings(60)
	phi := fourier(2, 8)
	broken := errors.New("the disk is gone")
	spoiled := func(reading int, spoil func(b *ridge.Batch) error) iter.Seq2[ridge.Batch, error] {
		times := 0
		return func(yield func(ridge.Batch, error) bool) {
			times++
			number := 0
			for b, err := range batches(x, classes, nil, 20) {
				if times == reading && number == 1 {
					err = spoil(&b)
				}
				if number++; !yield(b, err) {
					return
				}
			}
		}
	}
	for want, spoil := range map[string]func(b *ridge.Batch) error{
		"logistic: rows: batch 1: x = nil":                                   func(b *ridge.Batch) error { b.X = nil; return nil },
		"logistic: rows: batch 1: y = nil":                                   func(b *ridge.Batch) error { b.Y = nil; return nil },
		"logistic: rows: batch 1: y is 20×2: must be 20×1":                   func(b *ridge.Batch) error { b.Y = b.X; return nil },
		"logistic: rows: batch 1: x is 20×1: must have a row, and 2 columns": func(b *ridge.Batch) error { b.X = b.Y; return nil },
		"logistic: rows: batch 1: 3 weights for 20 rows: must be as many":    func(b *ridge.Batch) error { b.Weights = make([]float64, 3); return nil },
		"the disk is gone": func(b *ridge.Batch) error { return broken },
	} {
		for reading := 1; reading <= 4; reading++ {
			m, err := FitBatches(phi, spoiled(reading, spoil), 3, &Options{Memory: 1})
			if m != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "logistic: ") || errors.Is(err, broken) != (want == "the disk is gone") {
				t.Errorf("reading %d: %v, want %s", reading, err, want)
			}
		}
	}
	none := func(func(ridge.Batch, error) bool) {}
	if _, err := FitBatches(phi, none, 3, nil); err == nil || err.Error() != "logistic: no row of positive weight: must be at least 2" {
		t.Errorf("no batch: %v", err)
	}
}

// Rows of weight 0 are left out whatever x has there: a fit without them has the same bits, and errors name the caller's rows.
func TestRowsOfWeightZero(t *testing.T) {
	for _, phi := range []featuremap.FeatureMap{fourier(2, 46), fourier(2, 400)} { // fitted by features, and by the span of the rows
		x, classes := rings(240)
		weights := make([]float64, 240)
		var left []int
		for i := range weights {
			switch {
			case i%3 == 1 || i < 30: // batches without other rows, too
				x.Set(i, i%2, []float64{math.NaN(), math.Inf(-1), 1e308}[i%7%3])
			default:
				weights[i] = float64(1 + i%2)
				left = append(left, i)
			}
		}
		z, c, w := mat.NewDense(len(left), 2, nil), make([]int, len(left)), make([]float64, len(left))
		for k, i := range left {
			z.SetRow(k, x.RawRowView(i))
			c[k], w[k] = classes[i], weights[i]
		}
		want := written(must(Fit(phi, z, c, &Options{Weights: w, PredictionSets: true})))
		if !bytes.Equal(want, written(must(Fit(phi, x, classes, &Options{Weights: weights, PredictionSets: true})))) {
			t.Error("other bits than without the rows of weight 0")
		}
		for _, memory := range []int64{0, 1} {
			if !bytes.Equal(want, written(must(FitBatches(phi, batches(x, classes, weights, 25), 3, &Options{Memory: memory, PredictionSets: true})))) {
				t.Errorf("batches, memory %d: other bits than without the rows of weight 0", memory)
			}
		}
		x.Set(32, 1, math.NaN())
		for _, err := range []error{
			second(Fit(phi, x, classes, &Options{Weights: weights})),
			second(FitBatches(phi, batches(x, classes, weights, 25), 3, nil)),
		} {
			if err == nil || err.Error() != "logistic: x: row 32, column 1 = NaN: must be finite" {
				t.Error(err)
			}
		}
		clear(weights)
		for _, err := range []error{
			second(Fit(phi, x, classes, &Options{Weights: weights})),
			second(FitBatches(phi, batches(x, classes, weights, 25), 3, nil)),
		} {
			if err == nil || err.Error() != "logistic: no row of positive weight: must be at least 2" {
				t.Error(err)
			}
		}
	}
}

// Copies of rows, as in a file that was joined several times, are held out together when λ is chosen: noise is told from what a fit has seen.
func TestCopiesChooseLambda(t *testing.T) {
	s := featuremap.NewSampler(5)
	const times = 4
	fresh := mat.NewDense(2000, 2, nil)
	s.FillNormal(fresh.RawMatrix().Data)
	for _, c := range []struct {
		points int
		other  bool // one copy is of another class
		third  bool // class, at two points
	}{{60, false, false}, {24, false, false}, {60, true, false}, {60, false, true}} {
		x, classes := mat.NewDense(c.points*times, 2, nil), make([]int, c.points*times)
		count := 2
		for i := range classes {
			if i < c.points {
				x.SetRow(i, []float64{s.Normal(), s.Normal()})
				if classes[i] = s.IntN(2); c.third && i < 2 {
					classes[i], count = 2, 3
				}
			} else {
				x.SetRow(i, x.RawRowView(i-c.points))
				classes[i] = classes[i-c.points]
			}
		}
		if c.other {
			classes[c.points] = 1 - classes[c.points]
		}
		for _, phi := range []featuremap.FeatureMap{fourier(2, 40), fourier(2, 600)} {
			m := must(Fit(phi, x, classes, nil))
			if !bytes.Equal(written(m), written(must(FitBatches(phi, batches(x, classes, nil, 50), count, nil)))) {
				t.Errorf("%+v: other bits from batches", c)
			}
			var p mat.Dense
			m.ProbabilityTo(&p, fresh)
			loss := 0.0 // of two classes at random
			for i := range 2000 {
				loss -= math.Log(p.At(i, 0)*p.At(i, 1)) / 4000
			}
			if loss > 1.2 {
				t.Errorf("%+v, %v: λ = %v, a log loss of %v for chance", c, phi, m.Lambda(), loss)
			}
		}
	}
}

// Rows at a few points are dealt one by one: new rows come to the same points, whose classes are certain.
func TestFewPoints(t *testing.T) {
	x, classes := mat.NewDense(320, 1, nil), make([]int, 320)
	for i := range classes {
		x.Set(i, 0, float64(i%8))
		classes[i] = i % 2 // unlike its neighbors
	}
	m := must(Fit(fourier(1, 40), x, classes, nil))
	for i := range 8 {
		if class, p := m.Predict(x.RawRowView(i)); class != classes[i] || p[class] < 0.9 {
			t.Errorf("point %d of class %d: %.3f", i, classes[i], p)
		}
	}
}

func second[T any](_ T, err error) error { return err }
