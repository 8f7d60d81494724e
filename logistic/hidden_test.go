// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// halves returns a map and 900 points of two classes that a plane divides.
func halves(t *testing.T) (phi featuremap.FeatureMap, x *mat.Dense, classes []int) {
	x, classes = mat.NewDense(900, 2, nil), make([]int, 900)
	featuremap.NewSampler(3).FillNormal(x.RawMatrix().Data)
	for i := range classes {
		if x.At(i, 0) > 0.3*x.At(i, 1) {
			classes[i] = 1
		}
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 40, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	return phi, x, classes
}

// Rows that do not judge have no weight among those that are held back, in each fold, and all of it among those that are fitted.
func TestNotJudging(t *testing.T) {
	phi, x, classes := halves(t)
	o, not := new(Options), make([]bool, len(classes))
	for i := range not {
		not[i] = i%7 == 0
	}
	d := newTestDescent(t, phi, x, classes, o)
	d.notJudging = not
	s, err := d.newSample()
	if err != nil {
		t.Fatal(err)
	}
	for first := heldParts; first < partCount; first += heldParts {
		s.addFit(first, heldParts, false)
	}
	judged := 0
	for _, f := range s.fits {
		lo := 0
		if f.first > 0 {
			lo = s.ends[f.first-1]
		}
		for k, i := range s.rows[lo:s.ends[f.first+heldParts-1]] {
			if w := f.held.weights[k]; (w == 0) != not[i] {
				t.Errorf("row %d, which does not judge: %v, has the weight %v where it is held back", i, not[i], w)
			}
			judged++
		}
		if fitted := f.total; !(math.Abs(fitted-600) <= 1e-9) {
			t.Errorf("%v of 600 rows are fitted", fitted)
		}
	}
	if judged != 900 {
		t.Errorf("%d of 900 rows were held back", judged)
	}
}

// The choice of λ ends with a descent that takes the passes that it may, or after four times as many passes, with the least loss so far:
// with more it finds a smaller λ.
func TestMostPasses(t *testing.T) {
	phi, x, classes := halves(t)
	before := math.Inf(1)
	for _, most := range []int{1, 3, 0} {
		o := new(Options)
		linear.Of(o).MostPasses = most
		d := newTestDescent(t, phi, x, classes, o)
		top := d.pathTop()
		if err := d.chooseLambda(); err != nil {
			t.Fatal(err)
		}
		if !(d.lambda < before) || most > 0 && d.lambda < top*math.Pow(4, -float64(pathPasses*most)) {
			t.Errorf("at most %d passes: λ = %v, of a path from %v on; before %v", most, d.lambda, top, before)
		}
		before = d.lambda
	}
}

// A descent ends after the passes that it may take, with the loss that it has come to: little above the least one, far below that of the
// frequencies of two classes of about as many rows, ln 2.
func TestMostPassesOfDescent(t *testing.T) {
	phi, x, classes := halves(t)
	passes, losses := make(map[int]int), make(map[int]float64)
	for _, most := range []int{0, 20} {
		o := &Options{Lambda: 1e-6, Progress: func(pass int, _ float64) error {
			passes[most] = max(passes[most], pass)
			return nil
		}}
		linear.Of(o).MostPasses = most
		m, err := Fit(phi, x, classes, o)
		if err != nil {
			t.Fatal(err)
		}
		losses[most] = m.Loss()
	}
	t.Log(passes, losses)
	if passes[20] > 22 || passes[0] < 2*passes[20] { // a pass more for the best intercepts, and one of a step that is tried
		t.Errorf("passes: %v", passes)
	}
	if !(losses[0] < losses[20] && losses[20] < math.Ln2/4) {
		t.Errorf("losses: %v", losses)
	}
}

// A fit that is begun with ridge regression has the bits of one that makes it, and sums no rows for it. One from the weights that it has come to
// has about their loss in the first pass. It takes the number of classes that it is told.
func TestBegun(t *testing.T) {
	phi, x, classes := halves(t)
	const lambda = 0.1
	y, err := ridge.Labels(classes, 2)
	if err != nil {
		t.Fatal(err)
	}
	start, err := ridge.Fit(phi, x, y, &ridge.Options{Lambda: lambda / (0.5 * 0.5), SharedLambda: true})
	if err != nil {
		t.Fatal(err)
	}
	fit := func(begun *linear.Begun) (m *Model, before int, first float64) {
		o := &Options{Lambda: lambda, Progress: func(pass int, loss float64) error {
			switch pass {
			case 0:
				before++
			case 1:
				first = loss
			}
			return nil
		}}
		linear.Of(o).Begun = begun
		if m, err = Fit(phi, x, classes, o); err != nil {
			t.Fatal(err)
		}
		return m, before, first
	}
	want, made, _ := fit(nil)
	got, before, first := fit(&linear.Begun{Classes: 2, Ridge: start})
	if !slices.Equal(got.weights, want.weights) || !slices.Equal(got.intercept, want.intercept) || before >= made {
		t.Errorf("%v with %d calls before the first pass, want %v with fewer than %d", got, before, want, made)
	}
	_, _, last := fit(&linear.Begun{Classes: 2, Ridge: start, From: got})
	if most := 1.01 * got.Loss(); last > most || first <= most { // the parabola for the scale is not exact: 1.003, and 1.45 from ridge regression
		t.Errorf("in the first pass a loss of %v, and of %v from weights of %v", first, last, got.Loss())
	}
	o := new(Options)
	linear.Of(o).Begun = &linear.Begun{Classes: 3, Ridge: start}
	if _, err := Fit(phi, x, classes, o); err == nil || err.Error() != "logistic: class 2 has no row of positive weight, of 3 classes" {
		t.Error(err)
	}
}

// Fits in the memory of one before have the bits of fits in their own, with random features and with landmarks, whether λ is given or chosen; and
// they take little more.
func TestRoom(t *testing.T) {
	phi, x, classes := halves(t)
	landmarks, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 30, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	y, err := ridge.Labels(classes, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, phi := range []featuremap.FeatureMap{phi, landmarks} {
		start, err := ridge.Fit(phi, x, y, &ridge.Options{Lambda: 0.4, SharedLambda: true})
		if err != nil {
			t.Fatal(err)
		}
		fit := func(begun linear.Begun, lambda float64) (*Model, uint64) {
			o := &Options{Lambda: lambda}
			linear.Of(o).Begun = &begun
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := Fit(phi, x, classes, o)
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return m, after.TotalAlloc - before.TotalAlloc
		}
		var room any
		var features linear.Features
		var from *Model
		for _, lambda := range []float64{0.01, 0, 0.1, 0.1} {
			own, shared := linear.Begun{Classes: 2, Ridge: start}, linear.Begun{Classes: 2, Ridge: start, Room: &room, Features: &features}
			if from != nil {
				own.From, shared.From = from, from
			}
			want, most := fit(own, lambda)
			got, bytes := fit(shared, lambda)
			if !slices.Equal(got.weights, want.weights) || !slices.Equal(got.intercept, want.intercept) {
				t.Errorf("%v, λ = %v: %v, want %v", phi, lambda, got, want)
			}
			if from != nil && 4*bytes > 3*most && lambda > 0 && !testkit.RaceEnabled { // pools then drop at random
				t.Errorf("%v, λ = %v: %d bytes, %d without the memory", phi, lambda, bytes, most)
			}
			from = got
		}
	}
}
