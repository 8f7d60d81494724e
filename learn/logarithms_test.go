// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"bytes"
	"encoding/json"
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
// for which no tail is heavy.
func TestLogarithms(t *testing.T) {
	fewFeatures(t)
	noBank(t)
	x, y, classes := tailedRows(1, 200)
	held, truth, heldClasses := tailedRows(2, 500)
	o := &Options{Features: 64, TestRows: numbers(200)[160:]} // one fold, to save time
	regression, err := Regression(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	if c := scalesOf(regression.Kernel); len(c) != 4 || !(c[0] > 0.01 && c[0] < 0.2 && c[1] > 0.1) || c[2] != 0 || c[3] != 0 {
		t.Errorf("the scales of columns in logarithms are %v", c)
	}
	limit := tailed
	tailed = math.Inf(1)
	without, err := Regression(x, y, o)
	tailed = limit
	if err != nil {
		t.Fatal(err)
	}
	rmse := func(m *ridge.Model) float64 {
		var p mat.Dense
		m.PredictTo(&p, held)
		return score.RMSE(&p, truth)[0]
	}
	got, baseline := rmse(regression.Model), rmse(without.Model)
	t.Logf("error %.3f, as they are %.3f", got, baseline)
	if !(got < 0.7*baseline) {
		t.Errorf("the error is %v, without logarithms %v", got, baseline)
	}
	var file bytes.Buffer
	if _, err := regression.Model.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ridge.ReadModel(&file, nil)
	if err != nil || rmse(read) != got {
		t.Errorf("a saved model has the error %v: %v", rmse(read), err)
	}
	classification, err := Classification(x, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	if accuracy := score.Accuracy(classification.Model.Classify(held), heldClasses); !(accuracy > 0.85) || scalesOf(classification.Kernel) == nil {
		t.Errorf("the accuracy is %v, where 0.8 is what columns as they are have", accuracy)
	}
}

// A given kernel is taken to the units of logarithms if it is a function of x − y, also of some columns; else no logarithms are tried.
func TestLogarithmsOfGiven(t *testing.T) {
	fewFeatures(t)
	x, y, _ := tailedRows(1, 200)
	c := rows.Spreads(x, numbers(200))
	gaussian := featuremap.Select([]int{2, 0, 1}, featuremap.ARD([]float64{1, c[0].Deviation, c[1].Deviation}, featuremap.Gaussian{LengthScale: 0.7}))
	for name, c := range map[string]struct {
		k    featuremap.Kernel
		want int
	}{"of distances": {gaussian, 4}, "of inner products": {featuremap.Sum(gaussian, featuremap.Linear{}), 0}} {
		r, err := Regression(x, y, &Options{Features: 32, Kernel: c.k, TestRows: numbers(200)[180:]}) // one fold, to save time
		if err != nil {
			t.Fatal(err)
		}
		for _, given := range r.Choices {
			// It is -.59, and -1.34 of the same lengths in the units of the columns, which are far too long.
			if given.Step == "learn" && given.Name == "given" && given.Logarithms && !(given.LogEvidence > -1) {
				t.Errorf("%s: the evidence of the kernel that was given is %v in logarithms", name, given.LogEvidence)
			}
		}
		if len(scalesOf(r.Kernel)) != c.want {
			t.Errorf("%s: logarithms %v\n%v", name, scalesOf(r.Kernel), r)
		}
		if (c.want > 0) == strings.Contains(r.String(), "logarithms may help") {
			t.Errorf("%s: the report is\n%v", name, r)
		}
	}
	s := &study{Options: Options{}, x: mat.NewDense(2, 2, []float64{1, 2, 3, 2}), columns: 2, rest: numbers(2)}
	if got := s.ratios(mat.NewDense(2, 2, []float64{10, 7, 50, 9})); !(math.Abs(got[0]-0.05) < 1e-15) || got[1] != 1 {
		t.Errorf("ratios %v", got)
	}
}

// Where logarithms predict worse the columns are as they are, and all that follows is as if there were no logarithms.
func TestLogarithmsNotTaken(t *testing.T) {
	fewFeatures(t)
	x, y, _ := tailedRows(1, 150)
	for i := range 150 {
		y.Set(i, 0, x.At(i, 0)) // a line
	}
	names := func() (tried, taken []string, r *RegressionReport) {
		r, err := Regression(x, y, &Options{Features: 32, TestRows: numbers(150)[130:]})
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
	if len(tried) != 2 || tried[1] != "columns in logarithms: 0, 1" || !slices.Equal(taken, []string{"none"}) || scalesOf(r.Kernel) != nil {
		t.Errorf("tried %q, taken %q", tried, taken)
	}
	if text := r.String(); strings.Count(text, "length (logarithms)") != 1 {
		t.Errorf("the steps with logarithms are not in the table, once each:\n%s", text)
	}
	defer func(v float64) { tailed = v }(tailed)
	tailed = math.Inf(1)
	tried, _, never := names()
	if tried != nil || never.Model.PredictVec(nil, x.RawRowView(0))[0] != r.Model.PredictVec(nil, x.RawRowView(0))[0] || never.Learning.LogEvidence != r.Learning.LogEvidence {
		t.Errorf("tried %q, and the model is another one", tried)
	}
}

// What stops the work while rows are in logarithms ends it.
func TestLogarithmsStopped(t *testing.T) {
	fewFeatures(t)
	x, y, _ := tailedRows(1, 200)
	stop := errors.New("stop")
	r, err := Regression(x, y, &Options{Features: 32, TestRows: numbers(200)[160:], Progress: func(step string) error {
		if strings.HasPrefix(step, "in logarithms: kernel") {
			return stop
		}
		return nil
	}})
	if r != nil || !errors.Is(err, stop) {
		t.Errorf("%v, want the error of Progress", err)
	}
}

// scalesOf returns the scales of the SymLog around a kernel; nil if it has no SymLog.
func scalesOf(k featuremap.Kernel) []float64 {
	document, err := featuremap.KernelJSON{Kernel: k}.MarshalJSON()
	if err != nil {
		panic(err)
	}
	var of struct{ SymLog struct{ Scales []float64 } }
	if err := json.Unmarshal(document, &of); err != nil {
		panic(err)
	}
	return of.SymLog.Scales
}
