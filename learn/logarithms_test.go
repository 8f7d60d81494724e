// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// tailedRows are rows of a column whose logarithm is normal, one of tails to both sides, one that is normal, and a rare mark of 1, and a
// function of the logarithms and the third.
func tailedRows(seed uint64, n int) (x, y *mat.Dense, classes []int) {
	s := featuremap.NewSampler(seed)
	x, y = mat.NewDense(n, 4, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		a, b, c := s.Normal(), s.Normal(), s.Normal()
		x.SetRow(i, []float64{math.Exp(2.5 * a), math.Sinh(4 * b), c, 0})
		if i%100 == 7 {
			x.Set(i, 3, 1)
		}
		value := math.Sin(2*a) + 0.5*b + 0.3*c + 0.2*s.Normal()
		y.Set(i, 0, value)
		class := 0
		if value > 0 {
			class = 1
		}
		classes = append(classes, class)
	}
	return x, y, classes
}

// Columns of heavy tails are taken in logarithms where these predict better, on rows that nobody saw by far: the baseline is the same call
// with the kernel that it would begin with, which has the rows as they are.
func TestLogarithms(t *testing.T) {
	fewFeatures(t)
	x, y, classes := tailedRows(1, 240)
	held, truth, heldClasses := tailedRows(2, 500)
	o := &Options{Features: 64}
	deviations := make([]float64, 4)
	for j, c := range spreads(x, numbers(240)) {
		deviations[j] = c.deviation
	}
	plain := &Options{Features: 64, Kernel: featuremap.ARD(deviations, featuremap.Gaussian{LengthScale: 1})}
	regression, err := Regression(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	if c := regression.Logarithms; len(c) != 4 || !(c[0] > 0.01 && c[0] < 0.2 && c[1] > 0.1) || c[2] != 0 || c[3] != 0 {
		t.Errorf("the scales of columns in logarithms are %v", c)
	}
	without, err := Regression(x, y, plain)
	if err != nil {
		t.Fatal(err)
	}
	if without.Logarithms != nil {
		t.Error("there are logarithms for a kernel that was given")
	}
	rmse := func(m *ridge.Model) float64 {
		var p mat.Dense
		m.PredictTo(&p, held)
		return score.RMSE(mat.Col(nil, 0, &p), mat.Col(nil, 0, truth))
	}
	got, baseline := rmse(regression.Ridge), rmse(without.Ridge)
	t.Logf("error %.3f, as they are %.3f", got, baseline)
	if !(got < 0.7*baseline) {
		t.Errorf("the error is %v, without logarithms %v", got, baseline)
	}
	var file bytes.Buffer
	if _, err := regression.Ridge.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read := new(ridge.Model)
	if _, err := read.ReadFrom(&file); err != nil || rmse(read) != got {
		t.Errorf("a saved model has the error %v: %v", rmse(read), err)
	}
	classification, err := Classification(x, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	if without, err = Classification(x, classes, plain); err != nil {
		t.Fatal(err)
	}
	accuracy, less := score.Accuracy(classification.Logistic.Classify(held), heldClasses), score.Accuracy(without.Logistic.Classify(held), heldClasses)
	t.Logf("accuracy %.3f, as they are %.3f", accuracy, less)
	if !(accuracy > less+0.05) || classification.Logarithms == nil {
		t.Errorf("the accuracy is %v, without logarithms %v", accuracy, less)
	}
	var all []rows.List
	for i := range 240 {
		all = append(all, rows.NewList(x.RawRowView(i)))
	}
	lists, err := Regression(rows.Join(all, 4), y, o)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := lists.Ridge.PredictVec(nil, held.RawRowView(0)), regression.Ridge.PredictVec(nil, held.RawRowView(0)); !slices.Equal(a, b) {
		t.Errorf("of lists the prediction is %v, of the same rows dense %v", a, b)
	}
}

// Where logarithms predict worse the columns are as they are, and all that follows is as if there were no logarithms.
func TestLogarithmsNotTaken(t *testing.T) {
	fewFeatures(t)
	x, y, _ := tailedRows(1, 300)
	for i := range 300 {
		y.Set(i, 0, x.At(i, 0)) // a line
	}
	names := func() (tried, taken []string, r *Report) {
		r, err := Regression(x, y, &Options{Features: 64})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Choices {
			if c.Step == "logarithms" {
				if tried = append(tried, c.Name); c.Taken {
					taken = append(taken, c.Name)
				}
			}
		}
		return tried, taken, r
	}
	tried, taken, r := names()
	if len(tried) != 2 || tried[1] != "columns in logarithms: 0, 1" || !slices.Equal(taken, []string{"none"}) || r.Logarithms != nil {
		t.Errorf("tried %q, taken %q", tried, taken)
	}
	if text := r.String(); strings.Count(text, "length (logarithms)") != 1 {
		t.Errorf("the steps with logarithms are not in the table, once each:\n%s", text)
	}
	defer func(v float64) { tailed = v }(tailed)
	tailed = math.Inf(1)
	tried, _, never := names()
	if tried != nil || never.Ridge.PredictVec(nil, x.RawRowView(0))[0] != r.Ridge.PredictVec(nil, x.RawRowView(0))[0] || never.Kernel.Evidence != r.Kernel.Evidence {
		t.Errorf("tried %q, and the model is another one", tried)
	}
}

// What stops the work while rows are in logarithms ends it.
func TestLogarithmsStopped(t *testing.T) {
	fewFeatures(t)
	x, y, _ := tailedRows(1, 200)
	stop := errors.New("stop")
	r, err := Regression(x, y, &Options{Features: 64, Progress: func(step string) error {
		if strings.HasPrefix(step, "in logarithms: kernel") {
			return stop
		}
		return nil
	}})
	if r != nil || !errors.Is(err, stop) {
		t.Errorf("%v, want the error of Progress", err)
	}
}
