// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A map whose error grows without bound away from the points is planned only for given points.
func TestPlanSides(t *testing.T) {
	t.Parallel()
	x := cloud(40, 4, 1)
	for _, c := range []struct {
		k     Kernel
		takes bool // the other side of the exponential, with points
	}{
		{Gaussian{LengthScale: 2}, true},
		{Scale(2, ARD([]float64{2, 3, 2, 3}, Gaussian{LengthScale: 1})), true},
		{Weight(norm{1}, Gaussian{LengthScale: 2}), true},
		{Product(Gaussian{LengthScale: 2}, Linear{}), true},
		{Product(Gaussian{LengthScale: 4}, Gaussian{LengthScale: 4}), true},
		{Laplacian{LengthScale: 2}, false},
		{Matern{Nu: 1.5, LengthScale: 2}, false},
		{Sum(Laplacian{LengthScale: 2}, Cauchy{LengthScale: 1}), false},
	} {
		for _, points := range []mat.Matrix{nil, x} {
			takes := false
			for _, out := range []int{2, 20, 64} {
				p := must(NewPlan(c.k, 4, out, &PlanOptions{Points: points}))
				centred, weighted := PlanSides(p)
				for i := range centred {
					takes = takes || centred[i] || weighted[i]
				}
				if points == nil && takes {
					t.Fatalf("without points: %v", p)
				}
			}
			if points != nil && takes != c.takes {
				t.Errorf("%v: the other side of the exponential is taken: %v, want %v", c.k, takes, c.takes)
			}
		}
	}
}

// Reach is +Inf where the error does not grow, and else 1.5 times the largest norm, of points less their mean
// where features are of those.
func TestPlanReach(t *testing.T) {
	t.Parallel()
	x := cloud(40, 4, 1)
	var norm, distance float64
	mean := make([]float64, 4)
	for i := range 40 {
		floats.AddScaled(mean, 1./40, x.RawRowView(i))
	}
	for i := range 40 {
		norm, distance = max(norm, floats.Norm(x.RawRowView(i), 2)), max(distance, floats.Distance(x.RawRowView(i), mean, 2))
	}
	g, e := Gaussian{LengthScale: 2}, ExpDot{LengthScale: 1}
	for _, c := range []struct {
		name   string
		k      Kernel
		points mat.Matrix
		want   float64
	}{
		{"Gaussian", g, nil, math.Inf(1)},
		{"steps", ArcCosine{Order: 0}, nil, math.Inf(1)},
		{"steps of points", ArcCosine{Order: 0}, x, math.Inf(1)},
		{"Laplacian of points", Laplacian{LengthScale: 1}, x, math.Inf(1)},
		{"exact", Linear{}, x, math.Inf(1)},
		{"ExpDot", e, nil, 1},
		{"polynomial", Polynomial{Degree: 5, Scale: 1, Offset: 1}, nil, 1},
		{"ReLU", ArcCosine{Order: 1}, nil, 1},
		{"sum", Sum(g, e), nil, 1},
		{"Gaussian of points", g, x, 1.5 * distance},
		{"ExpDot of points", e, x, 1.5 * distance},
		{"polynomial of points", Polynomial{Degree: 5, Scale: 1, Offset: 1}, x, 1.5 * norm},
		{"sum of points", Sum(g, Laplacian{LengthScale: 1}), x, 1.5 * distance},
	} {
		p := must(NewPlan(c.k, 4, 64, &PlanOptions{Points: c.points}))
		// Reach is rounded to 16 bits.
		if got := p.Reach(); got != c.want && !(math.Abs(got/c.want-1) <= 0x1p-15) {
			t.Errorf("%s: Reach = %v, want %v\n%v", c.name, got, c.want, p)
		}
	}
}

// One row far out does not spoil a plan: at 1.5 times the norms it has no more error there than a Fourier map.
func TestPlanOutlier(t *testing.T) {
	t.Parallel()
	k := Gaussian{LengthScale: 1.5}
	for _, at := range []int{0, 17, 399} { // of 400 rows 300 are looked at in pairs
		for _, factor := range []float64{3, 1000} {
			x := cloud(400, 4, 1)
			floats.Scale(factor, x.RawRowView(at))
			p := must(NewPlan(k, 4, 64, &PlanOptions{Points: x}))
			fourier := must(NewFourier(k, 4, 64, NewSampler(1), &FourierOptions{Design: Orthogonal}))
			far := mat.NewDense(20, 4, nil)
			for i := range 20 {
				far.SetRow(i, x.RawRowView((at+i*19)%400))
			}
			far.Scale(1.5, far)
			if got, want := meanSquare(p, far), meanSquare(fourier, far); !(got <= 1.01*want) {
				t.Errorf("row %d times %v: a mean squared error far out of %v, and %v with Fourier\n%v", at, factor, got, want, p)
			}
			some := mat.NewDense(50, 4, nil)
			for i := range 50 {
				some.SetRow(i, x.RawRowView((at+i*8)%400))
			}
			if !(meanSquare(p, some) <= 1.1*meanSquare(fourier, some)) {
				t.Errorf("row %d times %v: the plan has more error than a Fourier map", at, factor)
			}
		}
	}
}

// Points far from the origin are as good as points around it, for a kernel of differences.
func TestPlanMeans(t *testing.T) {
	t.Parallel()
	x := cloud(60, 4, 1)
	// Coordinates of 40 bits: adding 100 rounds nothing.
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v*0x1p40) / 0x1p40 }, x)
	moved := mat.DenseCopyOf(x)
	moved.Apply(func(_, _ int, v float64) float64 { return v + 100 }, x)
	for _, k := range []Kernel{
		Gaussian{LengthScale: 1}, Gaussian{LengthScale: 3}, ARD([]float64{1, 2, 3, 4}, Gaussian{LengthScale: 1}), Matern{Nu: 2.5, LengthScale: 1},
		Sum(Gaussian{LengthScale: 3}, Laplacian{LengthScale: 2}),
	} {
		for _, out := range []int{16, 100} {
			p, q := must(NewPlan(k, 4, out, &PlanOptions{Points: x})), must(NewPlan(k, 4, out, &PlanOptions{Points: moved}))
			if got, want := q.RMSE(), p.RMSE(); !(math.Abs(got/want-1) <= 1e-6) {
				t.Errorf("%v, %d columns: an error of %v, moved %v", k, out, want, got)
			}
			if a, b := strings.Join(PlanShape(p), ", "), strings.Join(PlanShape(q), ", "); a != b {
				t.Errorf("%v: %s, moved %s", k, a, b)
			}
			a, b := p.Variance(x.RawRowView(0), x.RawRowView(1)), q.Variance(moved.RawRowView(0), moved.RawRowView(1))
			if !(math.Abs(a/b-1) <= 1e-6) {
				t.Errorf("%v: Variance %v, moved %v", k, a, b)
			}
		}
	}
}

// For points with heavy tails, normal ones over the root of a χ² of 3 degrees, predicted errors are within a
// tenth of those of 40 maps. (A quarter, of the 6 in short mode.)
func TestPlanHeavyTails(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	s := NewSampler(3)
	x := mat.NewDense(120, 10, nil)
	for i := range 120 {
		var chi float64
		for range 3 {
			v := s.Normal()
			chi += v * v / 3
		}
		s.FillNormal(x.RawRowView(i))
		floats.Scale(1/math.Sqrt(chi)/math.Sqrt(10), x.RawRowView(i))
	}
	for _, k := range []Kernel{
		Gaussian{LengthScale: 1}, Gaussian{LengthScale: 4}, ARD([]float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, Gaussian{LengthScale: 1}),
		ExpDot{LengthScale: 3}, Polynomial{Degree: 4, Scale: 0.2, Offset: 1}, ArcCosine{Order: 1},
	} {
		p := must(NewPlan(k, 10, 256, &PlanOptions{Points: x}))
		got := measuredRMSE(t, p, x, testkit.Times(6, 6, 100))
		t.Logf("%v: %.4g predicted, %.4g measured", k, p.RMSE(), got)
		limit := 0.25 // what six maps tell
		if testkit.Long() {
			limit = 0.1
		}
		if !(math.Abs(got/p.RMSE()-1) <= limit) {
			t.Errorf("%v: %.4g predicted, %.4g measured\n%v", k, p.RMSE(), got, p)
		}
	}
}

// What is refused says why, and what to do.
func TestPlanRefusals(t *testing.T) {
	t.Parallel()
	g := Gaussian{LengthScale: 1}
	x := cloud(4, 3, 1)
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 1, math.Inf(-1))
	box := BlackBox{Of: g, Draw: DrawFunc(func(*Sampler) (func(x []float64) float64, error) {
		return func([]float64) float64 { return 1 }, nil
	})}
	for _, c := range []struct {
		name string
		k    Kernel
		out  int
		o    PlanOptions
		want []string
	}{
		{"negative RMSE", g, 10, PlanOptions{RMSE: -1e-300}, []string{"RMSE = -1e-300"}},
		{"RMSE without variance", Sum(g, box), 10, PlanOptions{Points: x, RMSE: 0.1}, []string{"PlanOptions RMSE", "not known"}},
		{"RMSE of a weight that is not finite", Weight(norm{math.NaN()}, g), 10, PlanOptions{Points: x, RMSE: 0.1}, []string{"not finite on the points"}},
		{"Inf in the points", g, 10, PlanOptions{Points: bad}, []string{"Points: row 2, column 1 = -Inf"}},
		{"no rows", g, 10, PlanOptions{Points: new(mat.Dense)}, []string{"Points has 0 "}},
		{"one row", g, 10, PlanOptions{Points: x.Slice(0, 1, 0, 3)}, []string{"Points has 1 rows: must have at least 2"}},
		{"another width", g, 10, PlanOptions{Points: x.Slice(0, 4, 0, 2)}, []string{"Points has 2 columns: must have in = 3"}},
	} {
		p, err := NewPlan(c.k, 3, c.out, &c.o)
		if err == nil || p != nil || !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("%s: a plan %v, error %v", c.name, p, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", c.name, err, part)
			}
		}
	}
	if _, err := NewPlan(g, 3, math.MaxInt, &PlanOptions{RMSE: 0.1}); (err == nil) != (math.MaxInt == math.MaxInt32) {
		t.Errorf("out = %d: error %v", math.MaxInt, err)
	}
	// Each term takes two columns, or is exact.
	for _, c := range []struct {
		k    Kernel
		need int
	}{
		{Sum(Laplacian{LengthScale: 1}, ArcCosine{Order: 1}), 4},
		{Sum(Weight(norm{1}, g), ArcCosine{Order: 1}, ArcCosine{Order: 0}), 6},
		{Sum(Linear{}, ArcCosine{Order: 1}), 4}, // ⟨x, y⟩ by random projections
	} {
		for _, points := range []mat.Matrix{nil, x} {
			for out := 1; out < c.need; out++ {
				var few *TooFewError
				if _, err := NewPlan(c.k, 3, out, &PlanOptions{Points: points}); !errors.As(err, &few) || few.Out != out || few.Need != c.need {
					t.Errorf("%v with %d columns: error %v, want a TooFewError that it takes %d", c.k, out, err, c.need)
				}
			}
			if p := must(NewPlan(c.k, 3, c.need, &PlanOptions{Points: points})); len(PlanShape(p)) < 2 {
				t.Errorf("%v with %d columns: %v", c.k, c.need, p)
			}
		}
	}
}

// For exp(⟨x, y⟩) of digits of norm 3 no map is good, and a plan and its error say so.
func TestPlanWarning(t *testing.T) {
	t.Parallel()
	x := spreadDigits(t, 100, 3)
	parts := []string{"norms 3 (median) to 3", "scale the points down", "larger length scale"}
	p := must(NewPlan(ExpDot{LengthScale: 1}, 64, 1024, &PlanOptions{Points: x}))
	_, err := NewPlan(ExpDot{LengthScale: 1}, 64, 1024, &PlanOptions{Points: x, RMSE: p.RMSE() / 2})
	if !errors.Is(err, ErrTooFew) {
		t.Fatalf("error %v, want a TooFewError", err)
	}
	for _, part := range parts {
		for _, text := range []string{p.String(), err.Error()} {
			if !strings.Contains(text, part) {
				t.Errorf("%s\nwant %q", text, part)
			}
		}
	}
	for _, norm := range []float64{0.5, 1} {
		p := must(NewPlan(ExpDot{LengthScale: 1}, 64, 1024, &PlanOptions{Points: spreadDigits(t, 60, norm)}))
		if text := p.String(); strings.Contains(text, "scale the points down") {
			t.Errorf("at norm %v: %s", norm, text)
		}
	}
}

// The plan for an error has it, and no plan of a column fewer.
func TestPlanRMSESolved(t *testing.T) {
	t.Parallel()
	x := cloud(30, 4, 1)
	sk := NewSkeleton(4)
	sk.Unit(ReLUDual{}, each(sk, Circle{}, 4)...)
	for _, c := range []struct {
		k    Kernel
		rmse float64
	}{
		{Laplacian{LengthScale: 1}, 0.05},
		{Gaussian{LengthScale: 0.5}, 0.02},
		{Gaussian{LengthScale: 2}, 0.003},
		{Matern{Nu: 1.5, LengthScale: 1}, 0.02},
		{ExpDot{LengthScale: 1}, 0.002},
		{Polynomial{Degree: 4, Scale: 1, Offset: 1}, 0.05},
		{ArcCosine{Order: 0}, 0.02},
		{ArcCosine{Order: 1}, 0.01},
		{ArcCosine{Order: 2}, 0.02},
		{kernelOf(t, sk), 0.1},
		{Product(Gaussian{LengthScale: 1}, Linear{}), 0.02},
		{Sum(Gaussian{LengthScale: 0.5}, Linear{}, ArcCosine{Order: 1}), 0.03},
		{Weight(norm{1}, Laplacian{LengthScale: 2}), 0.05},
		{Linear{}, 1e-9},
	} {
		for _, points := range []mat.Matrix{nil, x} {
			p, err := NewPlan(c.k, 4, math.MaxInt32, &PlanOptions{Points: points, RMSE: c.rmse})
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
			if _, err := NewPlan(c.k, 4, n-1, &PlanOptions{Points: points, RMSE: c.rmse}); !errors.As(err, &few) || few.Need != n {
				t.Errorf("%v: %d columns are needed, and with one fewer: %v", c.k, n, err)
			}
			// Without the option a column fewer does no better.
			if q, err := NewPlan(c.k, 4, n-1, &PlanOptions{Points: points}); err == nil && q.RMSE() <= c.rmse {
				t.Errorf("%v: %d columns have an error of %v, and %d one of %v: asked %v", c.k, n, p.RMSE(), n-1, q.RMSE(), c.rmse)
			}
		}
	}
}
