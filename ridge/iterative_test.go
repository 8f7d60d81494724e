// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// The weights of FitIterative are those of a direct fit, to the residual times the condition, above and below n features, with weights
// of rows and without, with an intercept and without.
func TestFitIterative(t *testing.T) {
	for _, c := range []struct{ n, features, targets int }{{300, 30, 2}, {60, 200, 1}, {700, 130, 3}, {40, 16, 1}} {
		phi := fourier(2, c.features)
		x, y := data(c.n, 2, c.targets, 70)
		test, _ := data(20, 2, 1, 71)
		for _, weights := range [][]float64{nil, weightsFrom(c.n, 3)} {
			for _, no := range []bool{false, true} {
				for _, lambda := range []float64{1, 1e-3} {
					name := fmt.Sprintf("%+v, weights %v, no intercept %v, λ = %v", c, weights != nil, no, lambda)
					want := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: no, Weights: weights}))
					m, err := FitIterative(phi, inBatches(x, y, weights, 33), &IterativeOptions{Lambda: lambda, NoIntercept: no, Tolerance: 1e-11})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if m.Residual() > 1e-9 || m.Passes() < 1 || want.Passes() != 0 || want.Residual() != 0 {
						t.Errorf("%s: residual %v after %d passes", name, m.Residual(), m.Passes())
					}
					var a, b mat.Dense
					m.PredictTo(&a, test)
					want.PredictTo(&b, test)
					limit := 1e-9 * math.Max(conditionOf(want), 1)
					if !mat.EqualApprox(&a, &b, limit) {
						a.Sub(&a, &b)
						t.Errorf("%s: predictions differ by %v, more than %v", name, mat.Norm(&a, math.Inf(1)), limit)
					}
					for k, v := range m.NoiseVariance() {
						if w := want.NoiseVariance()[k]; math.Abs(v-w) > 1e-6*w+1e-9 {
							t.Errorf("%s: noise %v, want %v", name, v, w)
						}
					}
				}
			}
		}
	}
}

// One set of bits: on any number of goroutines, for any batches, and whether features are kept or not.
func TestFitIterativeBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer SetLeastSample(256)()
	const n = 330 // more than are a sample
	phi := fourier(2, 102)
	x, y := data(n, 2, 2, 70)
	test, _ := data(5, 2, 1, 71)
	want := must(FitIterative(phi, inBatches(x, y, nil, n), &IterativeOptions{Samples: 3}))
	for i, size := range []int{7, 300} {
		runtime.GOMAXPROCS(1 + i)
		m := must(FitIterative(phi, inBatches(x, y, nil, size), &IterativeOptions{Samples: 3, Memory: int64(i) * 5e5}))
		var a, b mat.Dense
		m.PredictTo(&a, test)
		want.PredictTo(&b, test)
		if !mat.Equal(&a, &b) || m.Lambda()[0] != want.Lambda()[0] {
			t.Errorf("batches of %d: other bits", size)
		}
		posteriorOf(m).VarianceTo(&a, test)
		posteriorOf(want).VarianceTo(&b, test)
		if !mat.Equal(&a, &b) {
			t.Errorf("batches of %d: other variances", size)
		}
	}
	read := must(ReadModel(bytes.NewReader(written(want)), nil))
	if read.String() != want.String() || read.Residual() != want.Residual() {
		t.Fatalf("read as %v", read)
	}
	var a, b mat.Dense
	posteriorOf(read).VarianceTo(&a, test)
	posteriorOf(want).VarianceTo(&b, test)
	if !mat.Equal(&a, &b) || !math.IsInf(evidenceOf(read), -1) || !math.IsNaN(conditionOf(read)) || refused(read.MeanOnly()) == "" {
		t.Error("the model that was read has other variances, or an evidence")
	}
	if s := want.String(); !strings.Contains(s, "(by a sample of 290 rows)") {
		t.Errorf("%s", s)
	}
	if s := must(FitIterative(phi, inBatches(x, y, nil, 100), &IterativeOptions{Lambda: 1, Passes: 1})).String(); !strings.Contains(s, " after 1 pass, too few: predictions still change") {
		t.Errorf("%s", s)
	}
}

// The variance by samples is within five standard errors of the exact one.
func TestFitIterativeVariance(t *testing.T) {
	phi := fourier(2, 100)
	x, y := data(400, 2, 1, 70)
	test, _ := data(20, 2, 1, 71)
	const samples = 200
	exact := must(Fit(phi, x, y, &Options{Lambda: 0.1}))
	m := must(FitIterative(phi, inBatches(x, y, nil, 100), &IterativeOptions{Lambda: 0.1, Samples: samples, Tolerance: 1e-6}))
	for i := range 20 {
		got, want := posteriorOf(m).VarianceVec(nil, test.RawRowView(i))[0], posteriorOf(exact).VarianceVec(nil, test.RawRowView(i))[0]
		if math.Abs(got/want-1) > 5*math.Sqrt(2./samples) {
			t.Errorf("row %d: variance %v, want %v", i, got, want)
		}
	}
	s := must(posteriorOf(m).Sample(featuremap.NewSampler(1)))
	if v := s.EvalVec(nil, test.RawRowView(0))[0]; math.IsNaN(v) || v == m.PredictVec(nil, test.RawRowView(0))[0] {
		t.Errorf("a sample predicts %v", v)
	}
}

// Targets that are nearly the same, features that are the same, landmarks by their raw features, lists of non-zeros, and a
// tolerance beyond float64 come to the predictions of a direct fit, in no more passes than one target alone except for a few.
func TestFitIterativeHard(t *testing.T) {
	const n = 600
	x, y := data(n, 3, 4, 80)
	for i := range n {
		y.Set(i, 1, y.At(i, 0)+1e-7*y.At(i, 1))
		y.Set(i, 2, -3*y.At(i, 0))
		y.Set(i, 3, 1) // constant
	}
	test, _ := data(20, 3, 1, 81)
	twice := must(featuremap.NewFourierFrom(featuremap.Gaussian{LengthScale: 1}, doubled(60), nil))
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 2}, x, 80, featuremap.NewSampler(1), nil))
	for name, phi := range map[string]featuremap.FeatureMap{"random": fourier(3, 120), "twice": twice, "landmarks": landmarks} {
		want := must(Fit(phi, x, y, &Options{Lambda: 1e-2}))
		alone := must(FitIterative(phi, inBatches(x, mat.DenseCopyOf(y.Slice(0, n, 0, 1)), nil, 100), &IterativeOptions{Lambda: 1e-2, Tolerance: 1e-10}))
		for _, tolerance := range []float64{1e-10, 1e-16} {
			m, err := FitIterative(phi, inBatches(x, y, nil, 100), &IterativeOptions{Lambda: 1e-2, Tolerance: tolerance})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var a, b mat.Dense
			m.PredictTo(&a, test)
			want.PredictTo(&b, test)
			if a.Sub(&a, &b); !(mat.Max(&a) < 1e-6 && mat.Min(&a) > -1e-6) {
				t.Errorf("%s, tolerance %v: predictions differ by %v", name, tolerance, mat.Norm(&a, math.Inf(1)))
			}
			if tolerance > 1e-15 && m.Passes() > alone.Passes()+5 {
				t.Errorf("%s: %d passes, %d for the first target alone", name, m.Passes(), alone.Passes())
			}
			if !(m.Residual() < 1e-9) {
				t.Errorf("%s, tolerance %v: residual %v", name, tolerance, m.Residual())
			}
		}
	}
}

// doubled returns frequencies of which the second half repeats the first.
func doubled(n int) *mat.Dense {
	half, _ := data(n/2, 3, 1, 82)
	var all mat.Dense
	all.Stack(half, half)
	return &all
}

// A fit that Progress has stopped goes on from where it was.
func TestFitIterativeInterrupted(t *testing.T) {
	phi := fourier(2, 300)
	x, y := data(500, 2, 2, 70)
	stop := errors.New("stop")
	o := IterativeOptions{Lambda: 1e-3, Tolerance: 1e-8, Progress: func(pass int, _ float64) error {
		if pass == 1 {
			return stop
		}
		return nil
	}}
	_, err := FitIterative(phi, inBatches(x, y, nil, 100), &o)
	var i *InterruptedError
	if !errors.As(err, &i) || !errors.Is(err, stop) || i.Model.Passes() != 1 {
		t.Fatalf("%v", err)
	}
	m := must(FitIterative(phi, inBatches(x, y, nil, 100), &IterativeOptions{Start: i.Model, Tolerance: 1e-8}))
	if m.Residual() > 1e-8 || m.Lambda()[0] != 1e-3 {
		t.Errorf("%v", m)
	}
}

// What is refused is named.
func TestFitIterativeRefuses(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(100, 2, 1, 74)
	rows := inBatches(x, y, nil, 30)
	for _, c := range []struct {
		rows iter.Seq2[Batch, error]
		o    *IterativeOptions
		want string
	}{
		{nil, nil, "ridge: rows = nil"},
		{rows, &IterativeOptions{Path: []float64{1, 0}}, "ridge: Path[1] = 0: least squares"},
		{rows, &IterativeOptions{Lambda: -1}, "ridge: Lambda = -1: must be finite and at least 0"},
		{rows, &IterativeOptions{Lambda: 5e-309}, "ridge: Lambda = 5e-309: must be 0 or at least 2^-1000"},
		{rows, &IterativeOptions{Path: []float64{5e-309}}, "ridge: Path[0] = 5e-309: must be at least 2^-1000"},
		{rows, &IterativeOptions{Tolerance: 1}, "ridge: Tolerance = 1: must be at least 0 and less than 1"},
		{rows, &IterativeOptions{Memory: -1}, "ridge: Memory = -1: must be at least 0"},
		{noRows, nil, "ridge: rows has no batch: must have a row at least"},
	} {
		_, err := FitIterative(phi, c.rows, c.o)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	other, readings := mat.DenseCopyOf(x), 0
	other.Set(17, 0, 9)
	_, err := FitIterative(phi, func(yield func(Batch, error) bool) {
		if readings++; readings == 2 {
			Rows(other, y)(yield)
			return
		}
		Rows(x, y)(yield)
	}, &IterativeOptions{Lambda: 1})
	if err == nil || !strings.Contains(err.Error(), "must be the same each time") {
		t.Errorf("%v", err)
	}
}

// Rows that can be read only once are told what serves FitIterative, which has no Criterion.
func TestFitIterativeReadOnce(t *testing.T) {
	x, y := data(100, 2, 1, 74)
	broken := errors.New("the pipe is closed")
	for _, second := range []error{nil, broken} {
		readings := 0
		_, err := FitIterative(fourier(2, 10), func(yield func(Batch, error) bool) {
			if readings++; readings > 1 {
				if second != nil {
					yield(Batch{}, second)
				}
				return
			}
			Rows(x, y)(yield)
		}, &IterativeOptions{Lambda: 1})
		const want = "rows are read again in each pass; rows that can be read only once must be kept in a file or in memory"
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Evidence") || !errors.Is(err, second) && second != nil {
			t.Errorf("%v", err)
		}
	}
}
