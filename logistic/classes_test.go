// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// grid returns n points about those of a 10×10 grid, in turn, with normal deviations, and the classes, which are the points'.
func grid(n int, deviation float64, seed uint64) (*mat.Dense, []int) {
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	featuremap.NewSampler(seed).FillNormal(x.RawMatrix().Data)
	for i := range classes {
		classes[i] = i % 100
		x.Set(i, 0, float64(i%10)+float64(deviation*x.At(i, 0)))
		x.Set(i, 1, float64(i/10%10)+float64(deviation*x.At(i, 1)))
	}
	return x, classes
}

// nearest returns the class whose point of the grid is nearest, which is the best answer.
func nearest(x *mat.Dense) []int {
	n, _ := x.Dims()
	classes := make([]int, n)
	for i := range classes {
		column := min(max(math.Round(x.At(i, 0)), 0), 9)
		row := min(max(math.Round(x.At(i, 1)), 0), 9)
		classes[i] = int(row*10 + column)
	}
	return classes
}

// A hundred classes, on rows that took no part: nearly as many right as the best rule that knows how the rows were made, and
// far from one in a hundred.
func TestHundredClasses(t *testing.T) {
	x, classes := grid(2000, 0.25, 1)
	held, truth := grid(1000, 0.25, 2)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 120, featuremap.NewSampler(7), nil))
	m := must(Fit(phi, x, classes, nil))
	got, best := score.Accuracy(m.Classify(held), truth), score.Accuracy(nearest(held), truth)
	t.Logf("%.3f right, %.3f of the best rule", got, best)
	if !(got >= best-0.02) {
		t.Errorf("%v right, %v of the best rule", got, best)
	}
	var p mat.Dense
	m.ProbabilityTo(&p, held)
	if loss := score.LogLoss(&p, truth); !(loss <= 0.3) { // log 100 is 4.6
		t.Errorf("log loss %v", loss)
	}
	for i := range truth {
		if !(math.Abs(mat.Sum(p.RowView(i))-1) <= 1e-14) {
			t.Fatalf("row %d: probabilities sum to %v", i, mat.Sum(p.RowView(i)))
		}
	}
}

// Where scores are thousands apart, as far from the rows, probabilities are 0 and 1 and no NaN; and a fit that starts from such
// scores ends.
func TestLargeScores(t *testing.T) {
	x := mat.NewDense(40, 1, nil)
	classes := make([]int, 40)
	for i := range classes {
		classes[i] = i % 2
		x.Set(i, 0, 1e3*float64(2*classes[i]-1)+float64(i))
	}
	for _, lambda := range []float64{0, 1e-12} {
		m := must(Fit(identity{1}, x, classes, &Options{Lambda: lambda}))
		for _, v := range []float64{-1e9, -1e3, 0, 1e3, 1e9} {
			p := m.ProbabilityVec(nil, []float64{v})
			if !(p[0] >= 0 && p[1] >= 0 && math.Abs(p[0]+p[1]-1) <= 1e-14) || v <= -1e9 && p[0] != 1 || v >= 1e9 && p[1] != 1 {
				t.Errorf("λ = %v: at %v probabilities %v", lambda, v, p)
			}
		}
	}
}

// Whichever call of Progress returns an error, there is no model, and the error is wrapped.
func TestProgressStops(t *testing.T) {
	x, classes := rings(200)
	phi := fourier(2, 20)
	stop := errors.New("enough")
	for _, memory := range []int64{0, 1} {
		calls, last := 0, 0
		must(Fit(phi, x, classes, &Options{Memory: memory, Progress: func(pass int, loss float64) error {
			calls++
			if pass < last || (pass == 0) != math.IsNaN(loss) {
				t.Errorf("pass %d after %d, loss %v", pass, last, loss)
			}
			last = pass
			return nil
		}}))
		for k := 0; k < calls; k += 1 + k/4 { // more and more, to save time
			left := k
			m, err := Fit(phi, x, classes, &Options{Memory: memory, Progress: func(int, float64) error {
				if left--; left < 0 {
					return stop
				}
				return nil
			}})
			if m != nil || !errors.Is(err, stop) {
				t.Fatalf("stopped at call %d of %d: model %v, error %v", k, calls, m, err)
			}
		}
	}
}
