// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// Parts that are merged have the sums of the whole except for rounding: a relative 1e-12 of the predictions, with about 500
// additions and a condition number of some hundreds.
func TestMerge(t *testing.T) {
	const n = 400
	phi := fourier(2, 30)
	x, y := data(n, 2, 3, 26)
	for i := range n { // another shift in every part
		for t := range 3 {
			y.Set(i, t, y.At(i, t)+100*float64(t)*float64(i/50))
		}
	}
	test, _ := data(30, 2, 1, 27)
	part := func(lo, hi int) *Accumulator {
		a := must(NewAccumulator(phi, 3))
		if lo < hi {
			if err := a.Add(x.Slice(lo, hi, 0, 2), y.Slice(lo, hi, 0, 3)); err != nil {
				t.Fatal(err)
			}
		}
		return a
	}
	for _, o := range []*Options{{Lambda: 1}, {Lambda: 1, NoIntercept: true}} {
		want := must(Fit(phi, x, y, o))
		for _, cuts := range [][]int{{0, 1, n}, {0, 200, n}, {0, 10, 300, 301, n}, {0, 399, n}, {0, 0, 50, n, n}} {
			a := part(0, cuts[1])
			for i, lo := range cuts[1 : len(cuts)-1] {
				b := part(lo, cuts[i+2])
				before := encoded(b)
				if err := a.Merge(b); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(encoded(b), before) {
					t.Error("Merge changed its argument")
				}
			}
			if a.Rows() != n {
				t.Errorf("%v: %d rows", cuts, a.Rows())
			}
			m := must(a.Fit(o))
			for name, f := range map[string]func(m *Model) []float64{
				"predictions": func(m *Model) []float64 { return predictions(m, test) },
				"noise":       (*Model).NoiseVariance,
				"evidence":    func(m *Model) []float64 { return []float64{evidenceOf(m)} },
				"variance":    func(m *Model) []float64 { return posteriorOf(m).VarianceVec(nil, test.RawRowView(0)) },
			} {
				g, w := mat.NewVecDense(len(f(m)), f(m)), mat.NewVecDense(len(f(m)), f(want))
				if e := relative(g, w); !(e < 1e-12) {
					t.Errorf("%v, %+v: %s are off by %.1e", cuts, o, name, e)
				}
			}
		}
	}
}

// Merging into an accumulator without rows copies bits, and merging one without rows changes nothing.
func TestMergeEmpty(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(300, 2, 2, 28)
	a, b, empty := must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2))
	addBatches(t, b, x, y, 77)
	want := encoded(b)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if err := a.Merge(empty); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(a), want) {
		t.Error("other bits")
	}
	// The parts stay apart.
	addBatches(t, a, x, y, 300)
	if !bytes.Equal(encoded(b), want) || empty.Rows() != 0 {
		t.Error("rows of one accumulator went to another")
	}
	// An accumulator and itself: all rows twice.
	if err := b.Merge(b); err != nil || b.Rows() != 600 {
		t.Error(b.Rows(), err)
	}
	two, once := must(b.Fit(&Options{Lambda: 2})), must(Fit(phi, x, y, &Options{Lambda: 1}))
	near(t, "prediction", two.PredictVec(nil, []float64{1, 2})[1], once.PredictVec(nil, []float64{1, 2})[1], 1e-12)
}
