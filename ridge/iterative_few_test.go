// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A sample has the same log evidence up to a number, leave-one-out errors and traces in the space of few features as in the space
// of its rows, whatever the weights, and with landmarks that do not judge.
func TestFewFeaturesAreTheRows(t *testing.T) {
	const n, out = 330, 60
	s := featuremap.NewSampler(3)
	x, y, weights := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil), make([]float64, n)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		y.SetRow(i, []float64{math.Sin(3*x.At(i, 0)) + 0.1*s.Normal(), 1e3 * s.Normal()})
		weights[i] = 0.1 + 3*s.Float64()
	}
	fourier, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.5}, 2, out, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	landmarks, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 0.5}, x, out, s, &featuremap.NystromOptions{Landmarks: featuremap.RandomRows})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		phi     featuremap.FeatureMap
		weights []float64
		o       IterativeOptions
	}{
		{"", fourier, nil, IterativeOptions{}},
		{"weights", fourier, weights, IterativeOptions{}},
		{"no intercept", fourier, weights, IterativeOptions{NoIntercept: true}},
		{"landmarks", landmarks, nil, IterativeOptions{}},
	} {
		pilots := make([]*pilot, 2)
		for k := range pilots {
			undo := SetLeastSample(n - k) // with one row less than there are, few features have more rows than the sample
			f := newIteration(c.phi, newRowsFrom(func(yield func(Batch, error) bool) { yield(Batch{X: x, Y: y, Weights: c.weights}, nil) }, c.phi), &c.o)
			f.o.Passes, f.mostFew = 100, k*out
			if err := f.firstPass(); err != nil {
				t.Fatal(err)
			}
			if err := f.begin(); err != nil {
				t.Fatal(err)
			}
			undo()
			pilots[k] = f.pilot
		}
		rows, few := pilots[0], pilots[1]
		if rows.few != nil || few.few == nil || rows.rows != n || few.rows != n || (c.name == "landmarks") != (rows.marks != nil) {
			t.Fatalf("%s: pilots of %d and %d rows", c.name, rows.rows, few.rows)
		}
		near := func(what string, lambda, got, want, tolerance float64) {
			t.Helper()
			if !(math.Abs(got-want) <= tolerance*max(math.Abs(want), 1e-3)) {
				t.Errorf("%s, λ = %v: %s %v, want %v", c.name, lambda, what, got, want)
			}
		}
		var before [2][2]float64
		for j, lambda := range []float64{1e-4, 1e-2, 1, 100} {
			want, got := rows.try(lambda, true), few.try(lambda, true)
			if d := (want.inverse - got.inverse) * lambda; !(d > -1e-6 && d < 1) { // the direction of the intercept, nearly
				t.Errorf("%s, λ = %v: tr M⁻¹ is %v, want %v", c.name, lambda, got.inverse, want.inverse)
			}
			for target := range 2 {
				if j > 0 {
					near("evidence gains", lambda, got.evidence[target]-before[1][target], want.evidence[target]-before[0][target], 1e-6)
				}
				before[0][target], before[1][target] = want.evidence[target], got.evidence[target]
				for i, v := range vector(want.errors, target) {
					near("an error of", lambda, vector(got.errors, target)[i], v, 1e-6)
				}
			}
			wantTrace, gotTrace := rows.trace(lambda, 1000, !c.o.NoIntercept), few.trace(lambda, 1000, !c.o.NoIntercept)
			near("freedom", lambda, gotTrace.freedom, wantTrace.freedom, 3e-3) // as above
			near("determinant", lambda, gotTrace.determinant, wantTrace.determinant, 1e-6)
		}
	}
}
