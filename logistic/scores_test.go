// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// ring returns n points of the plane, of so many classes around a circle, some of which are a quarter as frequent, and a map of d features.
func ring(t *testing.T, n, count, d int) (featuremap.FeatureMap, *mat.Dense, []int) {
	t.Helper()
	s := featuremap.NewSampler(5)
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		if classes[i] = i % count; classes[i]%3 == 0 && s.IntN(4) > 0 {
			classes[i]++
		}
		angle := 2 * math.Pi * float64(classes[i]) / float64(count)
		x.SetRow(i, []float64{math.Cos(angle) + 0.2*s.Normal(), math.Sin(angle) + 0.2*s.Normal()})
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, d, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return phi, x, classes
}

// Scores that are computed again are those that are kept, bit for bit, also where a start is scaled, λ is chosen and λ is given.
func TestScoresAgain(t *testing.T) {
	defer func(few int) { fewScores = few }(fewScores)
	phi, x, classes := ring(t, 200, 20, 8)
	for _, lambda := range []float64{0, 0.01} {
		var models [2]*Model
		for i, few := range []int{1 << 20, 0} {
			fewScores = few
			var err error
			if models[i], err = Fit(phi, x, classes, &Options{Lambda: lambda}); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := models[0], models[1]; !slices.Equal(a.weights, b.weights) || !slices.Equal(a.intercept, b.intercept) || a.loss != b.loss {
			t.Errorf("λ = %v: the models differ", lambda)
		}
	}
	// Of 16,000 rows of 4,000 classes and 32 features no scores are kept, which would be 512 MB; of more features than classes, of few rows, and
	// where features are not kept, they are.
	for _, c := range []struct {
		n, count, out int
		keeping, want bool
	}{{16000, 4000, 32, true, false}, {16000, 4000, 32, false, true}, {1000, 4000, 32, true, true}, {50_000, 100, 256, true, true}, {8000, 3000, 312, true, false}} { // the last search remembers 4 steps
		fewScores = 1 << 10
		train := &training{classes: make([]int32, c.n), count: c.count, out: c.out, keeping: c.keeping}
		if got := train.newScores().data != nil; got != c.want {
			t.Errorf("%+v: scores are kept: %t", c, got)
		}
	}
}

// Of many classes the intercepts have the mean probabilities that Newton's steps give, which are the frequencies.
func TestManyClassesIntercepts(t *testing.T) {
	defer func(most int) { mostHessian = most }(mostHessian)
	phi, x, classes := ring(t, 300, 30, 12)
	for _, lambda := range []float64{0, 1e-4, 1e4} {
		mostHessian = 2
		m, err := Fit(phi, x, classes, &Options{Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		var p mat.Dense
		m.ProbabilityTo(&p, x)
		counts := make([]float64, 30)
		for _, c := range classes {
			counts[c]++
		}
		for c, want := range counts {
			if got := mat.Sum(p.ColView(c)); !(math.Abs(got-want) <= 1e-4*want) {
				t.Errorf("λ = %v: class %d has %v rows, by the probabilities %v", lambda, c, want, got)
			}
		}
	}
}

// Where scores are not kept the intercepts of many classes are those of a few evaluations, which lose nearly as little as the best.
func TestFewPinnings(t *testing.T) {
	defer func(hessian, scores int) { mostHessian, fewScores = hessian, scores }(mostHessian, fewScores)
	mostHessian = 2
	phi, x, classes := ring(t, 600, 30, 12)
	var losses []float64
	for _, few := range []int{fewScores, 0} {
		fewScores = few
		d := newTestDescent(t, phi, x, classes, nil)
		d.training.scores = &scores{count: d.count}
		if few > 0 {
			d.training.scores.data = make([]float64, len(classes)*d.count)
		}
		at := d.newFunctions()
		featuremap.NewSampler(1).FillNormal(at.w.Data)
		if err := d.takeScores(at); err != nil {
			t.Fatal(err)
		}
		_, loss := d.pin(make([]float64, d.count))
		losses = append(losses, loss)
	}
	t.Log(losses)
	if !(losses[0] < losses[1] && losses[1] < 1.01*losses[0]) {
		t.Errorf("a loss of %v, of kept scores %v", losses[1], losses[0])
	}
}

// The search of many weights remembers fewer steps.
func TestRemembered(t *testing.T) {
	for _, c := range []struct{ count, out, want int }{{2, 100, 10}, {26, 4096, 10}, {100, 4096, 10}, {1000, 524, 7}, {4000, 234, 4}, {4000, 4096, 4}} {
		if got := (&training{count: c.count, out: c.out}).remembered(); got != c.want {
			t.Errorf("%d classes, %d features: %d steps, want %d", c.count, c.out, got, c.want)
		}
	}
}
