// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// PlanOptions.RMSE is met within 5 %, by the root mean square error of 50 maps over all
// pairs of 150 points, without -long of 20 maps and 70 points. (In short mode of 5 maps, within 25: errors of a map's pairs are
// correlated.)
func TestPlanRMSE(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	digits, _, err := dataset.Digits()
	if err != nil {
		t.Fatal(err)
	}
	spam, _, _, err := dataset.Spambase()
	if err != nil {
		t.Fatal(err)
	}
	points := testkit.Times(70, 70, 150)
	digits, spam = testkit.UnitRows(digits, points), testkit.UnitRows(spam, points)
	angles := mat.DenseCopyOf(digits)
	angles.Apply(func(_, _ int, v float64) float64 { return 8 * v }, digits)
	image := NewSkeleton(64)
	image.Image(8, 8, 1, Circle{}).Conv(series.ExpDual(0.5), 3, 1).Conv(series.ReLUDual{}, 2, 2).Dense(series.ReLUDual{})
	terms := []Kernel{Scale(2, Gaussian{LengthScale: 0.7}), Linear{}, Product(Gaussian{LengthScale: 1}, Linear{})}[:testkit.Times(2, 2, 3)]
	for _, c := range []struct {
		name string
		k    Kernel
		x    *mat.Dense
		rmse float64
	}{
		{"digits/Gaussian", Gaussian{LengthScale: 0.7}, digits, 0.03},
		{"digits/Laplacian", Laplacian{LengthScale: 4}, digits, 0.04},
		{"digits/ExpDot", ExpDot{LengthScale: 1}, digits, 0.026},
		{"digits/skeleton", testkit.KernelOf(t, image), angles, 0.02},
		{"digits/sum", Sum(terms...), digits, 0.08},
		{"Spambase/Gaussian", Gaussian{LengthScale: 0.7}, spam, 0.02},
		{"Spambase/Polynomial", Polynomial{Degree: 3, Gamma: 0.5, Offset: 0.5}, spam, 0.015},
		{"Spambase/ArcCosine", ArcCosine{Order: 1}, spam, 0.04},
	} {
		if !testkit.Long() && (c.name == "Spambase/Gaussian" || c.name == "digits/skeleton") {
			continue // which digits have; of which each map's error is another, so that 20 maps tell 8 %
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()

			// Without bias, since the biases of a sum's terms are added as if they were in proportion: see TestBiasedSum of the root package.
			p := testkit.Must(NewPlan(c.k, c.x, math.MaxInt32, &PlanOptions{RMSE: c.rmse, Unbiased: strings.HasSuffix(c.name, "/sum")}))
			_, out := p.Dims()
			maps, limit := testkit.Times(5, 20, 50), 0.05
			if testing.Short() {
				limit = 0.25
			}
			got := testkit.MeasuredRMSE(t, p, c.x, maps)
			t.Logf("%d features: root mean square error %.4f, asked %v", out, got, c.rmse)
			if !(math.Abs(got/c.rmse-1) <= limit) {
				t.Errorf("%d features have a root mean square error of %.5f, asked %v", out, got, c.rmse)
			}
		})
	}
}

// A plan predicts its error from moments that are summed once. It equals the root mean of its variance pair by pair,
// even if moments are huge, tiny or infinite: if a covariance overflows to −Inf, or near a radius of convergence, where
// a sum is truncated.
func TestPlanExtremes(t *testing.T) {
	outlier := testkit.NormalPoints(3, 24, 5)
	outlier.SetRow(7, []float64{300, -200, 0, 10, 1})
	for _, c := range []struct {
		name string
		k    Kernel
		x    *mat.Dense
	}{
		{"norm 9 and one length scale", Gaussian{LengthScale: 1}, testkit.ScaledNormals(1, 24, 64, 9./8)},
		{"the same, exponential", ExpDot{LengthScale: 1}, testkit.ScaledNormals(1, 24, 64, 9./8)},
		{"an outlier", Gaussian{LengthScale: 5}, outlier},
		{"an outlier, product", Product(Gaussian{LengthScale: 5}, Polynomial{Degree: 2, Gamma: 0.01, Offset: 1}), outlier},
		{"erf near its radius", Dot(series.ErfDual{}), testkit.ScaledNormals(2, 24, 16, 0.25)},
		{"Vovk near its radius", Dot(series.Geometric{Ratio: 0.4}), testkit.ScaledNormals(2, 24, 16, 0.25)},
		{"ReLU", Dot(series.ReLUDual{}), testkit.ScaledNormals(2, 24, 16, 0.2)},
	} {

		for _, out := range []int{17, 1000} {
			p := testkit.Must(NewPlan(c.k, c.x, out, nil))
			want := math.Sqrt(testkit.MeanSquare(p, c.x))
			if got := p.RMSE(); !(math.Abs(got/want-1) <= 1e-3) && !(math.IsInf(got, 1) && math.IsInf(want, 1)) {
				t.Errorf("%s, %d columns: predicted %v, by Variance %v", c.name, out, got, want)
			}
		}
	}
}

// If a few rows are far out, moments over the pairs cancel, or underflow. The predicted error is still the one from
// the variances of the pairs, and not 0.
func TestPlanErrorOfFarRows(t *testing.T) {
	t.Parallel()
	cubic, ten := Polynomial{Degree: 3, Gamma: 1, Offset: 1}, Polynomial{Degree: 10, Gamma: 1, Offset: 1}
	quartic := Polynomial{Degree: 4, Gamma: 1, Offset: 1}
	for _, c := range []struct {
		k        Kernel
		out      int
		norm     float64
		opposite bool
	}{
		{cubic, 16, 1e4, true}, {cubic, 12, 3000, true}, {cubic, 16, 3000, true}, {cubic, 12, 1e6, true}, {quartic, 24, 3000, true},
		{quartic, 33, 3000, true}, {quartic, 16, 1e10, true}, {ten, 40, 1e15, false}, {Sum(ten, Gaussian{LengthScale: 1}), 40, 1e15, false},
	} {
		x := testkit.Cloud(12, 3, 1)
		if c.opposite {
			x.SetRow(0, []float64{c.norm, 0, 0})
			x.SetRow(1, []float64{-c.norm, 0, 0})
		} else {
			floats.Scale(c.norm/floats.Norm(x.RawRowView(3), 2), x.RawRowView(3))
		}
		p := testkit.Must(NewPlan(c.k, x, c.out, nil))
		if got, want := p.RMSE(), math.Sqrt(testkit.MeanSquare(p, x)); !(got > want/1.01 && got < want*1.01) {
			t.Errorf("%v, %d columns, norm %g: a predicted error of %g, and of %g by the variances", c.k, c.out, c.norm, got, want)
		}
	}
}

// Exact features are used if an error is asked for, with no more columns than they need.
func TestPlanRMSEExact(t *testing.T) {
	t.Parallel()
	const in = 300
	s := NewSampler(1)
	x := mat.NewDense(50, in, nil)
	for i := range 50 {
		testkit.Sphere(s, x.RawRowView(i))
	}
	for _, c := range []struct {
		k    Kernel
		rmse float64
		most int
	}{
		{ExpDot{LengthScale: 1}, 0.02, 20_000},
		{FromMap(testkit.Must(NewFourier(Gaussian{LengthScale: 1}, in, 1000, s, nil))), 1e-4, 1000},
		{Sum(Gaussian{LengthScale: 1}, Linear{}, Laplacian{LengthScale: 10}), 100, 2*2 + in},
	} {
		p, err := NewPlan(c.k, x, math.MaxInt32, &PlanOptions{RMSE: c.rmse})
		if err != nil {
			t.Error(err)
			continue
		}
		_, n := p.Dims()
		got := testkit.Must(PredictedRMSE(testkit.Must(p.Draw(NewSampler(1))).(Variancer), x, 1000, NewSampler(2)))
		if !(got <= 1.05*c.rmse) || n > c.most {
			t.Errorf("%T: %d features with an error of %v, asked %v", c.k, n, got, c.rmse)
		}
	}
}

// For points with heavy tails, normal ones over the root of a χ² of 3 degrees, predicted errors are within a
// tenth of those of 100 maps with -long, and within a quarter of those of 40 without.
func TestPlanHeavyTails(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	n, s := testkit.Times(60, 60, 120), NewSampler(3)
	x := mat.NewDense(n, 10, nil)
	for i := range n {
		var chi float64
		for range 3 {
			v := s.Normal()
			chi += v * v / 3
		}
		s.FillNormal(x.RawRowView(i))
		floats.Scale(1/math.Sqrt(chi)/math.Sqrt(10), x.RawRowView(i))
	}
	for _, k := range []Kernel{
		Gaussian{LengthScale: 1}, Polynomial{Degree: 4, Gamma: 0.2, Offset: 1}, ArcCosine{Order: 1},
		Gaussian{LengthScale: 4}, ARD([]float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, Gaussian{LengthScale: 1}), ExpDot{LengthScale: 3},
	}[:testkit.Times(3, 3, 6)] {
		p := testkit.Must(NewPlan(k, x, 256, nil))
		got := testkit.MeasuredRMSE(t, p, x, testkit.Times(40, 40, 100))
		t.Logf("%v: %.4g predicted, %.4g measured", k, p.RMSE(), got)
		limit := 0.25 // what forty maps tell where large draws are rare
		if testkit.Long() {
			limit = 0.1
		}
		if !(math.Abs(got/p.RMSE()-1) <= limit) {
			t.Errorf("%v: %.4g predicted, %.4g measured\n%v", k, p.RMSE(), got, p)
		}
	}
}

// The plan for an error has this error, and a plan with one column fewer does not.
func TestPlanRMSESolved(t *testing.T) {
	t.Parallel()
	x := testkit.Cloud(testkit.Times(14, 14, 30), 4, 1)
	sk := NewSkeleton(4)
	sk.Unit(series.ReLUDual{}, testkit.Each(sk, Circle{}, 4)...)
	for i, c := range []struct {
		k    Kernel
		rmse float64
	}{
		{Laplacian{LengthScale: 1}, 0.05},
		{Gaussian{LengthScale: 0.5}, 0.02},
		{Gaussian{LengthScale: 2}, 0.003},
		{Matern{Nu: 1.5, LengthScale: 1}, 0.02},
		{ExpDot{LengthScale: 1}, 0.002},
		{Polynomial{Degree: 4, Gamma: 1, Offset: 1}, 0.05},
		{ArcCosine{Order: 0}, 0.02},
		{ArcCosine{Order: 1}, 0.01},
		{ArcCosine{Order: 2}, 0.02},
		{testkit.KernelOf(t, sk), 0.1},
		{Product(Gaussian{LengthScale: 1}, Linear{}), 0.02},
		{Sum(Gaussian{LengthScale: 0.5}, Linear{}, ArcCosine{Order: 1}), 0.03},
		{Weight(testkit.Norm{Scale: 1}, Laplacian{LengthScale: 2}), 0.05},
		{Linear{}, 1e-9},
	} {
		for _, points := range []mat.Matrix{nil, x} {
			if (points == nil) != (i%3 == 0) && !testkit.Long() {
				continue
			}
			p, err := NewPlan(c.k, points, math.MaxInt32, &PlanOptions{In: 4, RMSE: c.rmse})
			if err != nil {
				t.Errorf("%v: %v", c.k, err)
				continue
			}
			_, n := p.Dims()
			if !(p.RMSE() <= c.rmse) {
				t.Errorf("%v: %d columns with an error of %v, asked %v", c.k, n, p.RMSE(), c.rmse)
			}
			if n < 2 {
				continue
			}
			var few *TooFewError
			if _, err := NewPlan(c.k, points, n-1, &PlanOptions{In: 4, RMSE: c.rmse}); !errors.As(err, &few) || few.Need != n {
				t.Errorf("%v: %d columns are needed, and with one fewer: %v", c.k, n, err)
			}
			// Without the option, one column fewer is no better.
			if q, err := NewPlan(c.k, points, n-1, &PlanOptions{In: 4}); err == nil && q.RMSE() <= c.rmse {
				t.Errorf("%v: %d columns have an error of %v, and %d one of %v: asked %v", c.k, n, p.RMSE(), n-1, q.RMSE(), c.rmse)
			}
		}
	}
}
