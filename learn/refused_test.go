// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// What nothing can be learned from is refused by an error that names it.
func TestReportsRefuse(t *testing.T) {
	s := featuremap.NewSampler(1)
	x, y := waves(20, s)
	classes := make([]int, 20)
	for i := range classes {
		classes[i] = i % 2
	}
	with := func(m *mat.Dense, i, j int, v float64) *mat.Dense {
		c := mat.DenseCopyOf(m)
		c.Set(i, j, v)
		return c
	}
	first := func(n int) *mat.Dense { return x.Slice(0, n, 0, 6).(*mat.Dense) }
	weights := func(v float64) []float64 {
		w := constants(1, 20)
		w[3] = v
		return w
	}
	var none *mat.Dense
	var kernel *featuremap.Gaussian
	three := append([]int{2}, classes[1:]...)
	gap := append([]int{4}, classes[1:]...)
	for _, c := range []struct {
		x       mat.Matrix
		y       mat.Matrix
		classes []int
		o       *Options
		want    string
	}{
		{x: nil, y: y, want: "x = nil"},
		{x: none, classes: classes, want: "x = nil"},
		{x: x, y: nil, want: "y = nil"},
		{x: x, y: none, want: "y = nil"},
		{x: new(mat.Dense), y: y, want: "x is 0×0"},
		{x: first(19), y: y, want: "x is 19×6 and y 20×1"},
		{x: first(19), classes: classes, want: "x has 19 rows, for 20 classes"},
		{x: first(2), y: y.Slice(0, 2, 0, 1), want: "must have at least 4"},
		{x: first(3), y: y.Slice(0, 3, 0, 1), want: "x is 3×6, with 3 rows"},
		{x: with(x, 4, 2, math.NaN()), y: y, want: "x(4, 2) = NaN"},
		{x: with(x, 4, 2, math.Inf(-1)), classes: classes, want: "x(4, 2) = -Inf"},
		{x: x, y: with(y, 7, 0, math.Inf(1)), want: "y(7, 0) = +Inf"},
		{x: x, y: with(y, 7, 0, 1e200), want: "y(7, 0) = 1e+200"},
		{x: x, y: mat.NewDense(20, 2, nil), want: "all 2 targets are constant"},
		{x: x, y: scaled(y, 1e-300), want: "y: column 0 is at most"},
		{x: scaled(x, 1e-200), y: y, want: "x: column 0 is at most"},
		{x: scaled(x, 1e-200), classes: classes, want: "multiply it by a power of ten"},
		{x: mat.NewDense(20, 3, nil), y: y, want: "all 3 columns of x are constant"},
		{x: x, classes: make([]int, 20), want: "all 20 rows are of class 0"},
		{x: x, classes: append([]int{-1}, classes[1:]...), want: "row 0: class -1"},
		{x: x, classes: gap, want: "class 2, of 5 classes"},
		{x: x, classes: append([]int{1 << 30}, classes[1:]...), want: "row 0: class 1073741824: must be from 0 to 19"},
		{x: first(4), classes: []int{0, 1, 2, 0}, want: "3 classes, for 3 training rows"},
		{x: first(4), classes: []int{0, 1, 2, 3}, want: "4 classes, for 4 training rows"},
		{x: first(4), classes: []int{0, 1, 2, 0}, o: &Options{TestRows: []int{3}}, want: "3 classes, for 3 training rows"},
		{x: first(4), classes: []int{0, 1, 2, math.MaxInt}, want: "row 3: class 9223372036854775807"},
		{x: x, classes: three, o: &Options{TestRows: []int{0}}, want: "class 2, of 3 classes, has all its rows in TestRows"},
		{x: x, y: y, o: &Options{TestRows: []int{20}}, want: "TestRows[0] = 20: must be from 0 to 19"},
		{x: x, y: y, o: &Options{TestRows: []int{1, -1}}, want: "TestRows[1] = -1"},
		{x: x, y: y, o: &Options{TestRows: []int{1, 2, 1}}, want: "TestRows[2] = 1: is a duplicate"},
		{x: x, y: y, o: &Options{TestRows: []int{}}, want: "TestRows has 0 of 20 rows"},
		{x: x, y: y, o: &Options{TestRows: numbers(20)}, want: "TestRows has 20 of 20 rows"},
		{x: x, y: y, o: &Options{TestRows: []int{3}, Weights: weights(0)}, want: "the weight of that row is 0"},
		{x: x, y: y, o: &Options{Weights: weights(-1)}, want: "Weights[3] = -1"},
		{x: x, y: y, o: &Options{Weights: weights(math.NaN())}, want: "Weights[3] = NaN"},
		{x: x, y: y, o: &Options{Weights: constants(0, 20)}, want: "with 0 rows of positive weight"},
		{x: x, y: y, o: &Options{Weights: constants(1, 19)}, want: "x has 20 rows, Weights 19 elements"},
		{x: x, y: y, o: &Options{Features: -1}, want: "Features = -1"},
		{x: x, y: y, o: &Options{Features: 1 << 30}, want: "Features = 1073741824"},
		{x: x, y: y, o: &Options{Balanced: true}, want: "Balanced is set"},
		{x: x, y: y, o: &Options{Groups: make([]int, 19)}, want: "x has 20 rows, Groups 19 elements"},
		{x: x, y: y, o: &Options{Groups: make([]int, 20)}, want: "Groups has 0 groups of training rows: must have at least 10"},
		{x: x, y: y, o: &Options{Groups: append(numbers(10), numbers(10)...), TestRows: []int{0, 10, 1}}, want: "TestRows has row 1 of group 1, but not all"},
		{x: x, y: y, o: &Options{Groups: append(numbers(10), numbers(10)...), TestRows: []int{0, 10}}, want: "Groups has 9 groups of training rows"},
		{x: x, classes: three, o: &Options{Groups: numbers(20)}, want: "Groups is set, which is for Regression"},
		{x: x, y: y, o: &Options{Kernel: kernel}, want: "Kernel is a nil pointer"},
		{x: x, y: y, o: &Options{Kernel: featuremap.ARD([]float64{1}, featuremap.Gaussian{LengthScale: 1})}, want: "all validation fits failed"},
	} {
		var none bool
		var err error
		if c.classes != nil {
			var r *ClassificationReport
			r, err = Classification(c.x, c.classes, c.o)
			none = r == nil
		} else {
			var r *RegressionReport
			r, err = Regression(c.x, c.y, c.o)
			none = r == nil
		}
		if err == nil || !none || !strings.HasPrefix(err.Error(), "learn: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// Few rows, fewer than columns, equal rows, and rare classes have a model with finite predictions.
func TestReportsOfFewRows(t *testing.T) {
	fewFeatures(t)
	s := featuremap.NewSampler(2)
	finite := func(what string, v []float64) {
		t.Helper()
		for _, u := range v {
			if math.IsNaN(u) || math.IsInf(u, 0) {
				t.Errorf("%s: %v", what, v)
			}
		}
	}
	for _, n := range []int{4, 10} {
		for _, d := range []int{1, 15}[n/10:] {
			what := fmt.Sprintf("%d rows, %d columns", n, d)
			x, y, classes := mat.NewDense(n, d, nil), mat.NewDense(n, 2, nil), make([]int, n)
			s.FillNormal(x.RawMatrix().Data)
			for i := range n {
				y.Set(i, 0, x.At(i, 0)) // the other target is constant
				classes[i] = i % 2
			}
			r, err := Regression(x, y, &Options{Features: 16})
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			finite(what, r.Model.PredictVec(nil, x.RawRowView(0)))
			finite(what, r.Score.RMSE)
			c, err := Classification(x, classes, &Options{Features: 16})
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			finite(what, c.Model.ProbabilityVec(nil, x.RawRowView(0)))
			finite(what, []float64{c.Score.LogLoss})
		}
	}
	// A class with one row is in the model, and nowhere else.
	x, classes := rings(40, s)
	classes[39] = 3
	c, err := Classification(x, classes, &Options{Features: 16})
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Model.ProbabilityVec(nil, x.RawRowView(39)); len(p) != 4 {
		t.Errorf("probabilities %v", p)
	}
	// Each row ten times.
	y := mat.NewDense(40, 1, nil)
	for i := range 40 {
		x.SetRow(i, x.RawRowView(i%6))
		y.Set(i, 0, float64(i%6))
	}
	if _, err := Regression(x, y, &Options{Features: 16}); err != nil {
		t.Error(err)
	}
}

// A kernel of which nothing can be learned is taken as it is.
func TestReportsOfOtherKernels(t *testing.T) {
	fewFeatures(t)
	s := featuremap.NewSampler(3)
	x, y := mat.NewDense(80, 2, nil), mat.NewDense(80, 1, nil)
	for i := range 80 {
		s.FillNormal(x.RawRowView(i))
		y.Set(i, 0, x.At(i, 0)+x.At(i, 0)*x.At(i, 1)+0.01*s.Normal())
	}
	for _, k := range []featuremap.Kernel{featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, featuremap.Linear{}, own{}} {
		r, err := Regression(x, y, &Options{Kernel: k, Features: 40})
		if err != nil {
			t.Errorf("%v: %v", k, err)
			continue
		}
		if v := r.Score.RMSE[0]; !(v < 1.2) {
			t.Errorf("%v: an error of %v", k, v)
		}
	}
}

// own is a kernel that no map is known for, but landmarks.
type own struct{}

func (own) Eval(x, y []float64) float64 { return 1 / (1 + math.Abs(x[0]-y[0]) + math.Abs(x[1]-y[1])) }

// scaled returns a matrix times a number.
func scaled(m mat.Matrix, by float64) *mat.Dense {
	var c mat.Dense
	c.Scale(by, m)
	return &c
}
