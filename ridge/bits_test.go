// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// addBatches adds rows in batches of the given size.
func addBatches(t *testing.T, a *Accumulator, x, y *mat.Dense, size int) {
	t.Helper()
	n, in := x.Dims()
	_, targets := y.Dims()
	for lo := 0; lo < n; lo += size {
		hi := min(lo+size, n)
		if err := a.Add(x.Slice(lo, hi, 0, in), y.Slice(lo, hi, 0, targets)); err != nil {
			t.Fatal(err)
		}
	}
}

// encoded returns the bits of all sums.
func encoded(a *Accumulator) []byte { return must(a.MarshalBinary()) }

// Sums and models have the same bits for any batches and any number of goroutines: few features and many rows, and the
// reverse, so that rows and tiles are shared out.
func TestBitsOfBatches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	type size struct{ n, in, out, targets int }
	sizes := []size{{10_300, 2, 8, 1}, {700, 3, 150, 2}}
	if testing.Short() {
		sizes = []size{{10_300, 2, 3, 1}, {520, 3, 90, 2}}
	}
	for _, c := range sizes {
		phi := fourier(c.in, c.out)
		x, y := data(c.n, c.in, c.targets, 20)
		test, _ := data(300, c.in, 1, 21)
		var want []byte
		var wantModel []uint64
		for i, batch := range []int{1, 2, 7, 128, 10_000, c.n} {
			procs := 1 + i%4
			runtime.GOMAXPROCS(procs)
			name := fmt.Sprintf("%+v, batches of %d, %d goroutines", c, batch, procs)
			a := must(NewAccumulator(phi, c.targets))
			addBatches(t, a, x, y, batch)
			if a.Rows() != c.n {
				t.Fatalf("%s: %d rows", name, a.Rows())
			}
			got, model := encoded(a), modelBits(must(a.Fit(nil)), test)
			if want == nil {
				want, wantModel = got, model
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the sums have other bits", name)
			}
			equal(t, name, model, wantModel)
			if !bytes.Equal(encoded(a), want) {
				t.Errorf("%s: a fit changed the sums", name)
			}
		}
		equal(t, "the function Fit", modelBits(must(Fit(phi, x, y, nil)), test), wantModel)
	}
}

// A prediction and a variance have the same bits for one row, and in batches.
func TestBitsOfRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, noIntercept := range []bool{false, true} {
		for _, out := range []int{1, 7, 8, 61, 130} {
			x, y := data(200, 3, 3, 22)
			m := must(Fit(fourier(3, out), x, y, &Options{Lambda: 0.1, NoIntercept: noIntercept}))
			test, _ := data(257, 3, 1, 23)
			var p, v mat.Dense
			for procs := 1; procs <= 4; procs++ {
				runtime.GOMAXPROCS(procs)
				m.PredictTo(&p, test)
				m.VarianceTo(&v, test)
				for i := range 257 {
					row := test.RawRowView(i)
					equal(t, fmt.Sprintf("prediction %d", i), bits(p.RawRowView(i)), bits(m.PredictVec(nil, row)))
					equal(t, fmt.Sprintf("variance %d", i), bits(v.RawRowView(i)), bits(m.VarianceVec(nil, row)))
				}
			}
		}
	}
}

// A fit can be continued: with more rows it has the bits of one fit of all.
func TestContinuedFit(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(900, 2, 2, 24)
	test, _ := data(20, 2, 1, 25)
	a := must(NewAccumulator(phi, 2))
	for _, c := range [][2]int{{0, 3}, {3, 144}, {144, 600}, {600, 900}} {
		if err := a.Add(x.Slice(c[0], c[1], 0, 2), y.Slice(c[0], c[1], 0, 2)); err != nil {
			t.Fatal(err)
		}
		for _, o := range []*Options{nil, {Lambda: 1}, {NoIntercept: true}} {
			want := must(Fit(phi, x.Slice(0, c[1], 0, 2), y.Slice(0, c[1], 0, 2), o))
			equal(t, fmt.Sprintf("%v, %+v", c, o), modelBits(must(a.Fit(o)), test), modelBits(want, test))
		}
	}
}

// Maps of several kinds, whose features have the same bits on every architecture.
var goldenMaps = []struct {
	name string
	phi  featuremap.FeatureMap
}{
	{"Gaussian by New", must(featuremap.New(featuremap.Gaussian{LengthScale: 1.5}, 3, 40, featuremap.NewSampler(1)))},
	{"Linear and a constant", must(featuremap.New(featuremap.Sum(featuremap.Linear{}, featuremap.Constant{Value: 2}), 3, 4, featuremap.NewSampler(1)))},
	{"neurons", must(featuremap.NewNeurons(featuremap.ArcCosine{Order: 1}, 3, 29, featuremap.NewSampler(2), nil))},
}

// The bits of models, which every architecture computes. The file is rewritten by
//
//	go test ./ridge -update
//
// which is right only when bits change on purpose.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	x, y := mat.NewDense(70, 3, nil), mat.NewDense(70, 2, nil)
	s := featuremap.NewSampler(30)
	s.FillNormal(x.RawMatrix().Data)
	for i := range 70 { // of sums and products that are rounded one by one
		y.Set(i, 0, 1000+float64(x.At(i, 0)*x.At(i, 1))+float64(0.1*s.Normal()))
		y.Set(i, 1, x.At(i, 2)+float64(0.3*s.Normal()))
	}
	for _, c := range goldenMaps {
		for _, o := range []Options{{}, {Lambda: 0.25}, {NoIntercept: true, Path: []float64{1e-4, 0.125, 3}}} {
			m := must(Fit(c.phi, x, y, &o))
			fmt.Fprintf(&b, "%s, Lambda %v, NoIntercept %v\n", c.name, o.Lambda, o.NoIntercept)
			line := func(name string, v ...float64) { fmt.Fprintf(&b, "%s %x\n", name, v) }
			line("weights", m.Weights().RawMatrix().Data...)
			line("intercept", m.Intercept()...)
			line("noise", m.Noise()...)
			line("λ, log evidence, condition", m.Lambda(), m.LogEvidence(), m.Condition())
			line("prediction", m.PredictVec(nil, []float64{0.5, -0.25, 1})...)
			line("variance", m.VarianceVec(nil, []float64{0.5, -0.25, 1})...)
			line("sample", m.Sample(featuremap.NewSampler(5)).PredictVec(nil, []float64{0.5, -0.25, 1})...)
		}
	}
	path := filepath.Join("testdata", "models.golden")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := bytes.Split(must(os.ReadFile(path)), []byte("\n"))
	got := bytes.Split(b.Bytes(), []byte("\n"))
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("%s:%d: got %s\nwant %s", path, i+1, got[i], want[i])
		}
	}
}

// Parts that are merged have the sums of the whole but for rounding: a relative 1e-12 of the predictions, with some 500
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
				"noise":       (*Model).Noise,
				"evidence":    func(m *Model) []float64 { return []float64{m.LogEvidence()} },
				"variance":    func(m *Model) []float64 { return m.VarianceVec(nil, test.RawRowView(0)) },
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

// A large mean of the targets costs no digits: with y = 1e9 + v the sums are those of v, up to the rounding of y itself,
// 2⁻²⁴, relative to deviations of about 1. So noise and weights agree to some 1e-7, where squares of 1e18 would leave no
// digit of a noise of .01.
func TestLargeMean(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(300, 2, 1, 29)
	far := mat.DenseCopyOf(y)
	far.Apply(func(_, _ int, v float64) float64 { return v + 1e9 }, far)
	m, f := must(Fit(phi, x, y, &Options{Lambda: 0.1})), must(Fit(phi, x, far, &Options{Lambda: 0.1}))
	near(t, "noise", f.Noise()[0], m.Noise()[0], 1e-6*m.Noise()[0])
	near(t, "evidence", f.LogEvidence(), m.LogEvidence(), 1e-4)
	if e := relative(f.Weights(), m.Weights()); !(e < 1e-6) {
		t.Errorf("weights are off by %.1e", e)
	}
	near(t, "prediction", f.PredictVec(nil, []float64{1, 1})[0]-1e9, m.PredictVec(nil, []float64{1, 1})[0], 1e-6)
	// And with a later part far from the first.
	a, b := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
	addBatches(t, a, x, far, 300)
	far.Apply(func(_, _ int, v float64) float64 { return v + 5 }, far)
	addBatches(t, b, x, far, 300)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	both, bothY := mat.NewDense(600, 2, nil), mat.NewDense(600, 1, nil)
	both.Stack(x, x)
	bothY.Slice(0, 300, 0, 1).(*mat.Dense).Copy(y)
	bothY.Slice(300, 600, 0, 1).(*mat.Dense).Apply(func(i, _ int, _ float64) float64 { return y.At(i, 0) + 5 }, y)
	want := must(Fit(phi, both, bothY, &Options{Lambda: 0.1}))
	near(t, "noise of merged parts", must(a.Fit(&Options{Lambda: 0.1})).Noise()[0], want.Noise()[0], 1e-6)
	if math.Abs(want.Noise()[0]-6.3) > 0.5 { // the deviations of ±2.5
		t.Errorf("a noise of %v", want.Noise()[0])
	}
}
