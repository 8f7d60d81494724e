// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// The noise and what landmarks leave are parts of the σ² that was fitted, and beyond twice its mean what is left has the prior's variance, for kernels whose k(x, x) differs
// and rows of any weight, whether their sums are of raw features or not. Batches, merged sums and files have the same parts.
func TestLeft(t *testing.T) {
	x, y := landmarkRows(400, 1)
	weights := make([]float64, 400)
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	for name, k := range map[string]featuremap.Kernel{
		"few that leave much": featuremap.Matern{Nu: 0.5, LengthScale: 1},
		"smooth":              featuremap.Gaussian{LengthScale: 2},
		"not stationary":      featuremap.Sum(featuremap.Linear{}, featuremap.Matern{Nu: 1.5, LengthScale: 2}),
	} {
		phi := must(featuremap.NewLandmarks(k, x, 20, featuremap.NewSampler(1), nil))
		o := &Options{Lambda: 0.3, Weights: weights}
		m, plain := must(Fit(phi, x, y, o)), must(Fit(plainMap{phi}, x, y, o))
		sigma := plain.Noise()[0]
		left := make([]float64, 400)
		phi.RemainderTo(left, x, nil)
		var mean, total float64
		for i, w := range weights {
			mean += w * left[i]
			total += w
		}
		mean /= total
		c := min(mean/0.3, 0.5)
		if got, want := m.Noise()[0], sigma*(1-c); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: noise %v, want %v", name, got, want)
		}
		var all, alone mat.Dense
		m.VarianceTo(&all, x)
		plain.VarianceTo(&alone, x)
		for i, r := range left {
			if got, want := all.At(i, 0)-alone.At(i, 0), sigma*(c*min(r, 2*mean)/mean+max(r-2*mean, 0)/0.3); math.Abs(got-want) > 1e-7*sigma {
				t.Errorf("%s: row %d: what landmarks leave has the variance %v, want %v", name, i, got, want)
			}
		}

		first, second := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
		for lo, a := range map[int]*Accumulator{0: first, 200: second} {
			if err := a.AddWeighted(x.Slice(lo, lo+200, 0, 3), y.Slice(lo, lo+200, 0, 1), weights[lo:lo+200]); err != nil {
				t.Fatal(err)
			}
		}
		var file bytes.Buffer
		var again Accumulator
		if _, err := second.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := again.ReadFrom(&file); err != nil {
			t.Fatal(err)
		}
		if err := first.Merge(&again); err != nil {
			t.Fatal(err)
		}
		merged := must(first.Fit(&Options{Lambda: 0.3}))
		if got, want := merged.Noise()[0], m.Noise()[0]; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: noise of merged sums %v, want %v", name, got, want)
		}
		if _, err := merged.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		read := must(ReadModel(&file, nil))
		if got, want := read.VarianceVec(nil, []float64{3, -2, 1})[0], merged.VarianceVec(nil, []float64{3, -2, 1})[0]; got != want || read.Noise()[0] != merged.Noise()[0] {
			t.Errorf("%s: a model that was read has the variance %v, want %v", name, got, want)
		}
	}
}

// FitIterative has the parts of Fit, with rows of any weight: of up to 2,048 rows, and nearly those of more.
func TestLeftOfIterative(t *testing.T) {
	for _, n := range []int{300, 5000} {
		x, y := landmarkRows(n, 1)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 0.5 + float64(i%3)
		}
		phi := must(featuremap.NewLandmarks(featuremap.Matern{Nu: 1.5, LengthScale: 2}, x, 20, featuremap.NewSampler(1), nil))
		m := must(Fit(phi, x, y, &Options{Lambda: 3, Weights: weights}))
		got := must(FitIterative(phi, inBatches(x, y, weights, 500), 1, &IterativeOptions{Lambda: 3, Tolerance: 1e-10, Samples: 4}))
		plain := must(FitIterative(plainMap{phi}, inBatches(x, y, weights, 500), 1, &IterativeOptions{Lambda: 3, Tolerance: 1e-10, Samples: 4}))
		limit := 1e-7
		if n > 2048 {
			limit = 0.02 // the deviation of the mean of 2,048 is some hundredth
		}
		part := func(m *Model) float64 { return 1 - m.Noise()[0]/plain.Noise()[0] }
		if !(part(m) > 0.001 && math.Abs(part(got)/part(m)-1) <= limit) {
			t.Errorf("%d rows: landmarks leave %v of the noise, and by Fit %v", n, part(got), part(m))
		}
		left := make([]float64, n)
		phi.RemainderTo(left, x, nil)
		var variance, samples mat.Dense
		got.VarianceTo(&variance, x)
		plain.VarianceTo(&samples, x)
		for i, r := range left {
			// The rate is the part over the mean that is left, which is λ times the part.
			if want := plain.Noise()[0] * r / 3; math.Abs(variance.At(i, 0)-samples.At(i, 0)-want) > 1e-6*plain.Noise()[0] {
				t.Fatalf("%d rows: row %d: what landmarks leave has the variance %v, want %v", n, i, variance.At(i, 0)-samples.At(i, 0), want)
			}
		}
	}
}

// With few landmarks the likelihood of rows that took no part is above that of a noise which has all that landmarks leave, and above that of
// one which has it besides.
func TestLeftPredicts(t *testing.T) {
	x, y := landmarkRows(1000, 1)
	test, targets := landmarkRows(1000, 2)
	for _, landmarks := range []int{10, 20, 40} {
		phi := must(featuremap.NewLandmarks(featuremap.Matern{Nu: 1.5, LengthScale: 1}, x, landmarks, featuremap.NewSampler(1), nil))
		m := must(Fit(phi, x, y, nil))
		plain := must(Fit(plainMap{phi}, x, y, &Options{Lambda: m.Lambda()[0]}))
		sigma, left := plain.Noise()[0], make([]float64, 1000)
		phi.RemainderTo(left, test, nil)
		var predicted, variance, posterior mat.Dense
		m.PredictTo(&predicted, test)
		m.VarianceTo(&variance, test)
		plain.VarianceTo(&posterior, test)
		nll := func(variance func(i int) float64) (sum float64) {
			for i := range left {
				e, v := targets.At(i, 0)-predicted.At(i, 0), variance(i)
				sum += 0.5 * (math.Log(2*math.Pi*v) + e*e/v) / 1000
			}
			return sum
		}
		got := nll(func(i int) float64 { return variance.At(i, 0) + m.Noise()[0] })
		none := nll(func(i int) float64 { return posterior.At(i, 0) + sigma })
		besides := nll(func(i int) float64 { return posterior.At(i, 0) + sigma + sigma*left[i]/m.Lambda()[0] })
		if !(got < none && got < besides) {
			t.Errorf("%d landmarks: negative log likelihood %v, with all in the noise %v, and besides %v", landmarks, got, none, besides)
		}
		t.Logf("%d landmarks: %.4f, %.4f, %.4f", landmarks, got, none, besides)
	}
}
