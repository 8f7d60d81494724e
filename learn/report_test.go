// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// waves returns rows of columns of very different units, of which one is constant and most do not matter, and targets that are a
// function of two of them and noise of deviation .1.
func waves(n int, s *featuremap.Sampler) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, 6, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		row := x.RawRowView(i)
		s.FillNormal(row)
		y.Set(i, 0, math.Sin(2*row[0])+row[1]*row[1]/2+0.1*s.Normal())
		row[1] = 1e4*row[1] + 1e5
		row[2] *= 1e-3
		row[3] = 7
	}
	return x, y
}

// rings returns points of three classes that no line separates: the last of them is rare.
func rings(n int, s *featuremap.Sampler) (x *mat.Dense, classes []int) {
	x, classes = mat.NewDense(n, 3, nil), make([]int, n)
	for i := range n {
		row := x.RawRowView(i)
		s.FillNormal(row)
		switch square := row[0]*row[0] + row[1]*row[1]; {
		case square > 5:
			classes[i] = 2
		case square > 1:
			classes[i] = 1
		}
		row[1] *= 1000
	}
	return x, classes
}

// fewFeatures has kernels learned and refitted, and pilots fitted, with few features, in two folds at most, and banks of few rows, to save time,
// until the end of a test.
func fewFeatures(t testing.TB) {
	learned, refitted, pilots, folds, bank := learnedFeatures, refitFeatures, pilotFeatures, mostFolds, bankRows
	t.Cleanup(func() {
		learnedFeatures, refitFeatures, pilotFeatures, mostFolds, bankRows = learned, refitted, pilots, folds, bank
	})
	learnedFeatures, refitFeatures, pilotFeatures, mostFolds, bankRows = 16, 128, 64, 2, 128
}

// noBank leaves out the search for other kernels, where it is not what is tested, until the end of a test.
func noBank(t *testing.T) {
	least := leastBank
	t.Cleanup(func() { leastBank = least })
	leastBank = math.MaxInt
}

// quick returns the defaults for n rows, except for fewer features, in kernels that are learned too, and one fold, unless -long is set.
func quick(t *testing.T, n int) *Options {
	if testkit.Long() {
		return nil
	}
	fewFeatures(t)
	return &Options{Features: 64, TestRows: numbers(n)[n-n/10:]}
}

// numbers returns the numbers below n.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// The model is better than a ridge regression with the median length on standardized columns, on rows that took no part in either,
// and the score that is reported is what these say.
func TestRegression(t *testing.T) {
	s := featuremap.NewSampler(1)
	x, y := waves(400, s)
	test, truth := waves(1000, s)
	got, err := Regression(x, y, quick(t, 400))
	if err != nil {
		t.Fatal(err)
	}
	var p mat.Dense
	got.Model.PredictTo(&p, test)
	learned := score.RMSE(&p, truth)[0]

	k := featuremap.ARD([]float64{1, 1e4, 1e-3, 1, 1, 1}, featuremap.Gaussian{LengthScale: math.Sqrt(5)})
	phi, err := plannedMap(k, 6, 256, s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	var q mat.Dense
	m.PredictTo(&q, test)
	median := score.RMSE(&q, truth)[0]
	t.Logf("errors %.3f learned, %.3f with the median length; score %v", learned, median, got.Score)
	if !(learned < 0.16 && learned < 0.7*median) {
		t.Errorf("an error of %v, and %v with the median length", learned, median)
	}
	r := got.Score
	if z := (r.RMSE[0] - learned) / r.RMSEError[0]; r.Rows != 40 || !(math.Abs(z) < 4) {
		t.Errorf("the score of %d rows is %v ± %v, and %v on others", r.Rows, r.RMSE[0], r.RMSEError[0], learned)
	}
	if !(r.Coverage[0] > 0.75 && r.NLL[0] < -0.4 && r.Baseline[0] > 0.8 && r.Baseline[0] < 1.4) {
		t.Errorf("score %+v", r)
	}
	if got.Kernel == nil || got.Kernel != got.Model.Map().Kernel() || got.Learning.Kernel == nil {
		t.Error("a regression has the kernel of its model, and one that was learned")
	}
	// A column that is constant in all rows has no part in it.
	row := slices.Clone(test.RawRowView(0))
	row[3]++
	if a, b := got.Model.PredictVec(nil, row)[0], p.At(0, 0); !(math.Abs(a-b) < 1e-9) {
		t.Errorf("%v with another number in a constant column, %v without", a, b)
	}
}

// The sums of the test rows are added to the others: the model equals a fit of all rows, to rounding.
func TestRegressionFitsAllRows(t *testing.T) {
	fewFeatures(t)
	x, y := waves(150, featuremap.NewSampler(2))
	got, err := Regression(x, y, &Options{Features: 64})
	if err != nil {
		t.Fatal(err)
	}
	m, err := ridge.Fit(got.Model.Map(), x, y, &ridge.Options{Lambda: got.Model.Lambda()[0]})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		a, b := got.Model.PredictVec(nil, x.RawRowView(i))[0], m.PredictVec(nil, x.RawRowView(i))[0]
		if !(math.Abs(a-b) < 1e-6) {
			t.Errorf("row %d: %v, and %v fitted at once", i, a, b)
		}
	}
	if v, ok := got.Model.LeaveOneOutMSE(); !ok || !(v[0] > 0 && v[0] < 0.1) {
		t.Errorf("a leave-one-out error of %v", v)
	}
}

// Classes that no line separates are told apart, and probabilities are right.
func TestClassification(t *testing.T) {
	s := featuremap.NewSampler(3)
	x, classes := rings(300, s)
	test, truth := rings(1000, s)
	got, err := Classification(x, classes, quick(t, 300))
	if err != nil {
		t.Fatal(err)
	}
	accuracy := score.Accuracy(got.Model.Classify(test), truth)
	t.Logf("accuracy %.3f, score %v", accuracy, got.Score)
	r := got.Score
	if !(accuracy > 0.95 && accuracy > r.Majority+0.2) || r.Rows != 30 || !(r.LogLoss < 0.25) || !math.IsNaN(r.AUC) || len(r.Calibration) != 10 {
		t.Errorf("accuracy %v, score %+v", accuracy, r)
	}
	if z := (r.Accuracy - accuracy) / math.Sqrt(accuracy*(1-accuracy)/30); !(math.Abs(z) < 4) {
		t.Errorf("the score is %v ± %v, and %v on others", r.Accuracy, r.AccuracyError, accuracy)
	}
	if got.Kernel == nil || got.Kernel != got.Model.Map().Kernel() || got.Learning.Kernel == nil {
		t.Error("a classification has the kernel of its model, and one that was learned")
	}
}

// A class whose rows all have weight 0 is an error, the last one like the others.
func TestClassOfWeightZero(t *testing.T) {
	x, classes := rings(60, featuremap.NewSampler(3))
	for i := range classes {
		classes[i] = i % 3
	}
	for class := range 3 {
		o := &Options{Weights: make([]float64, 60)}
		for i, c := range classes {
			if c != class {
				o.Weights[i] = 1
			}
		}
		if _, err := Classification(x, classes, o); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("class %d, of 3 classes, has no row of positive weight", class)) {
			t.Errorf("class %d: %v", class, err)
		}
	}
}

// With Balanced a rare class is found more often.
func TestBalanced(t *testing.T) {
	fewFeatures(t)
	noBank(t)
	s := featuremap.NewSampler(4)
	draw := func(n int) (*mat.Dense, []int) {
		x, classes := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			if s.FillNormal(x.RawRowView(i)); i%20 == 0 {
				classes[i] = 1
				x.Set(i, 0, x.At(i, 0)+1.5)
			}
		}
		return x, classes
	}
	x, classes := draw(200)
	test, truth := draw(1000)
	var found [2]int
	for k, b := range []bool{false, true} {
		got, err := Classification(x, classes, &Options{Balanced: b, Features: 32, TestRows: numbers(200)[160:]}) // one fold, to save time
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range got.Model.Classify(test) {
			if c == 1 && truth[i] == 1 {
				found[k]++
			}
		}
		if !(got.Score.AUC > 0.6) {
			t.Errorf("the area under the curve is %v", got.Score.AUC)
		}
	}
	t.Logf("%d of 50 are found, balanced %d", found[0], found[1])
	if !(found[1] > found[0]+10) {
		t.Errorf("%d of 50 are found, balanced %d", found[0], found[1])
	}
}

// A report says what was tried and what was taken, one of each step that is a choice.
func TestReportString(t *testing.T) {
	fewFeatures(t)
	x, y := waves(100, featuremap.NewSampler(5))
	got, err := Regression(x, y, &Options{Features: 32})
	if err != nil {
		t.Fatal(err)
	}
	text := got.String()
	for _, want := range []string{"regression of 100 rows of 6 numbers, 10 of them test rows", "constant ones are left out: 3", "as they are", "lengths", "matrix",
		"landmarks, k-means", "sum: ", "λ = ", " on 10 test rows (predicting the mean: ", " %"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q:\n%s", want, text)
		}
	}
	taken := make(map[string]int)
	for _, c := range got.Choices {
		if c.Taken {
			taken[c.Step]++
		}
		if c.Taken && c.Skipped != "" {
			t.Errorf("%+v is taken", c)
		}
	}
	for _, step := range []string{"learn", "kernel", "features", "size"} {
		if taken[step] != 1 {
			t.Errorf("%d choices of the step %s are taken:\n%s", taken[step], step, text)
		}
	}
	if new(RegressionReport).String() == "" || new(ClassificationReport).String() == "" {
		t.Error("an empty report prints nothing")
	}
}

// What the data is like is said where it may surprise: targets of two values or few whole numbers, and classes of few rows; and a report explains its columns, and
// has the log loss that frequencies alone would have.
func TestReportNotes(t *testing.T) {
	fewFeatures(t)
	x, _ := waves(90, featuremap.NewSampler(5))
	labels, classes := mat.NewDense(90, 4, nil), make([]int, 90)
	for i := range 90 {
		labels.Set(i, 0, float64(i%2))
		labels.Set(i, 1, x.At(i, 0))
		labels.Set(i, 2, float64(i%3))
		labels.Set(i, 3, float64(i%3)/2)
		if classes[i] = i % 2; i%30 == 4 {
			classes[i] = 2
		}
	}
	o := &Options{Features: 32, TestRows: numbers(90)[81:]} // one fold, to save time
	regression, err := Regression(x, labels, o)
	if err != nil {
		t.Fatal(err)
	}
	if text := regression.String(); !strings.Contains(text, "targets of two values, for which Classification has probabilities: 0 ") ||
		!strings.Contains(text, "3 values: Classification? Targets of few whole numbers: 2 ") || !strings.Contains(text, "in standard deviations") {
		t.Errorf("the report is\n%s", text)
	}
	classification, err := Classification(x, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	if text := classification.String(); !strings.Contains(text, "classes of fewer than 10 rows, of which little can be learned: 2 ") || strings.Contains(text, "in standard deviations") {
		t.Errorf("the report is\n%s", text)
	}
	// Of 9 test rows about 4 are of each class of 42 or 45 in 90, so that the loss of frequencies is about -log(.48).
	if v := classification.Score.FrequencyLogLoss; !(v > 0.6 && v < 1) {
		t.Errorf("the log loss of frequencies is %v", v)
	}
	for _, c := range classification.Choices {
		if !(c.Seconds < 60) {
			t.Errorf("%+v takes long", c)
		}
	}
}

// Rows of weight 0 take no part, whatever is in them, and other weights count.
func TestReportWeights(t *testing.T) {
	fewFeatures(t)
	noBank(t)
	s := featuremap.NewSampler(6)
	x, y := waves(250, s)
	weights := make([]float64, 250)
	for i := range weights {
		if weights[i] = 1; i%5 == 0 {
			weights[i] = 0
			x.Set(i, 0, math.NaN())
			y.Set(i, 0, math.Inf(1))
		}
	}
	got, err := Regression(x, y, &Options{Weights: weights, Features: 64})
	if err != nil {
		t.Fatal(err)
	}
	test, truth := waves(300, s)
	var p mat.Dense
	got.Model.PredictTo(&p, test)
	if v := score.RMSE(&p, truth)[0]; !(v < 0.25) || got.Score.Rows != 20 {
		t.Errorf("an error of %v, %d rows held back", v, got.Score.Rows)
	}
	classes := make([]int, 250)
	for i := range classes {
		if y.At(i, 0) > 0 {
			classes[i] = 1
		}
	}
	c, err := Classification(x, classes, &Options{Weights: weights, Features: 64})
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range 300 {
		if class, _ := c.Model.Predict(test.RawRowView(i)); (class == 1) != (truth.At(i, 0) > 0) {
			wrong++
		}
	}
	if wrong > 60 {
		t.Errorf("%d of 300 rows wrong", wrong)
	}
}

// Rows that the caller holds back take no part: what is in them changes the score alone.
func TestHeld(t *testing.T) {
	fewFeatures(t)
	s := featuremap.NewSampler(7)
	x, y := waves(150, s)
	held := numbers(150)[120:]
	o := &Options{TestRows: held, Features: 48}
	first, err := Regression(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range held {
		y.Set(i, 0, y.At(i, 0)+1000)
	}
	second, err := Regression(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := first.Model.Lambda()[0], second.Model.Lambda()[0]; a != b {
		t.Errorf("λ is %v, and %v with other targets held back", a, b)
	}
	if a, b := first.Score.RMSE[0], second.Score.RMSE[0]; first.Score.Rows != 30 || !(a < 0.6 && math.Abs(b-1000) < 1) {
		t.Errorf("scores of %d rows: %v, and %v with targets that are 1000 more", first.Score.Rows, a, b)
	}
	for i, c := range first.Choices {
		if d := second.Choices[i]; c.Name != d.Name || c.Score != d.Score && !math.IsNaN(c.Score) {
			t.Errorf("%+v, and %+v with other targets held back", c, d)
		}
	}
}

// The result depends on the seed: the same for the same one, and for a matrix that is read element by element.
func TestReportSeeds(t *testing.T) {
	fewFeatures(t)
	noBank(t)
	x, classes := rings(60, featuremap.NewSampler(8))
	var first, other float64
	for i, m := range []mat.Matrix{x, struct{ mat.Matrix }{x}, x} {
		o := &Options{Seed: 1, Features: 16, TestRows: numbers(60)[48:]} // one fold, to save time
		if i == 2 {
			o.Seed = 2
		}
		got, err := Classification(m, classes, o)
		if err != nil {
			t.Fatal(err)
		}
		p := got.Model.ProbabilityVec(nil, x.RawRowView(0))[0]
		switch {
		case i == 0:
			first = p
		case i == 2:
			other = p
		case p != first:
			t.Errorf("call %d: %v, want %v", i, p, first)
		}
	}
	if first == other {
		t.Error("two seeds give the same")
	}
}

// An error of Progress stops the work in any step, and is returned, wrapped.
func TestReportProgress(t *testing.T) {
	fewFeatures(t)
	x, classes := rings(40, featuremap.NewSampler(9))
	calls, steps := 0, make(map[string]bool)
	count := func(step string) error {
		calls++
		word, _, _ := strings.Cut(step, ":")
		steps[word] = true
		return nil
	}
	o := &Options{Features: 16, TestRows: numbers(40)[32:], Progress: count} // one fold, to save time
	if _, err := Classification(x, classes, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"columns", "learn", "kernel", "features", "λ", "size", "fit"} {
		if !steps[want] {
			t.Errorf("no step %q: %v", want, steps)
		}
	}
	stop := errors.New("stop")
	for at := 1; at <= calls; at += 1 + calls/4 {
		left := at
		o.Progress = func(string) error {
			if left--; left == 0 {
				return stop
			}
			if left < 0 {
				t.Fatal("called after an error")
			}
			return nil
		}
		got, err := Classification(x, classes, o)
		if !errors.Is(err, stop) || got != nil {
			t.Errorf("call %d of %d: %v", at, calls, err)
		}
	}
}

// A constant target among others is told, and they are fitted as they are without it.
func TestReportOfConstantTarget(t *testing.T) {
	fewFeatures(t)
	x, y := waves(120, featuremap.NewSampler(8))
	both := mat.NewDense(120, 2, nil)
	for i := range 120 {
		both.SetRow(i, []float64{y.At(i, 0), 3})
	}
	o := &Options{Features: 40, TestRows: numbers(120)[108:]} // one fold, to save time
	alone, err := Regression(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Regression(x, both, o)
	if err != nil {
		t.Fatal(err)
	}
	text := r.String()
	for _, want := range []string{"constant targets, of which there is nothing to learn: 1 ", "target 1: RMSE 0 ± 0 on 12 test rows (predicting the mean: 0), constant in the training rows: no intervals"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if got := strings.Count(text, "NaN"); got > 0 {
		t.Errorf("%d times NaN in\n%s", got, text)
	}
	if got, want := r.Score.RMSE[0], alone.Score.RMSE[0]; got != want {
		t.Errorf("RMSE %v, without the constant target %v", got, want)
	}
	if got, want := r.Model.NoiseVariance(), alone.Model.NoiseVariance()[0]; got[0] != want || got[1] != 0 {
		t.Errorf("noise %v, without the constant target %v", got, want)
	}
	if p := r.Model.PredictVec(nil, x.RawRowView(5)); p[1] != 3 {
		t.Errorf("a constant target is predicted as %v", p[1])
	}
}
