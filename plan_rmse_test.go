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
	"gonum.org/v1/gonum/stat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// unitRows returns the first n rows of x, with its columns standardised, as unit vectors: points
// of many directions, so that the errors of their pairs are not those of a few.
func unitRows(x *mat.Dense, n int) *mat.Dense {
	rows, d := x.Dims()
	u := mat.NewDense(n, d, nil)
	column := make([]float64, rows)
	for j := range d {
		mean, deviation := stat.MeanStdDev(mat.Col(column, j, x), nil)
		for i := range n {
			u.Set(i, j, (x.At(i, j)-mean)/max(deviation, 1e-9))
		}
	}
	for i := range n {
		row := u.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	return u
}

// measuredRMSE returns the root mean square error of maps over all pairs of different rows of x.
func measuredRMSE(t *testing.T, p *Plan, x *mat.Dense, maps int) float64 {
	t.Helper()
	var exact mat.SymDense
	Gram(&exact, p.Kernel(), x)
	n, _ := x.Dims()
	var sum float64
	for seed := range maps {
		m := must(p.Draw(NewSampler(uint64(seed))))
		var z, gram mat.Dense
		m.TransformTo(&z, x)
		gram.Mul(&z, z.T())
		for i := range n {
			for j := range i {
				e := gram.At(i, j) - exact.At(i, j)
				sum += e * e
			}
		}
	}
	return math.Sqrt(sum / float64(maps) / float64(n*(n-1)/2))
}

// PlanOptions.RMSE is met within 5 per cent, by the root mean square error of 50 maps over all
// pairs of 150 points. (In short mode of 5 maps, within 25: errors of a map's pairs are
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
	const points = 150
	digits, spam = unitRows(digits, points), unitRows(spam, points)
	angles := mat.DenseCopyOf(digits)
	angles.Apply(func(_, _ int, v float64) float64 { return 8 * v }, digits)
	image := NewSkeleton(64)
	image.Image(8, 8, 1, Circle{}).Conv(ExpDual(0.5), 3, 1).Conv(ReLUDual{}, 2, 2).Dense(ReLUDual{})
	for _, c := range []struct {
		name string
		k    Kernel
		x    *mat.Dense
		rmse float64
	}{
		{"digits/Gaussian", Gaussian{LengthScale: 0.7}, digits, 0.03},
		{"digits/Laplacian", Laplacian{LengthScale: 4}, digits, 0.04},
		{"digits/ExpDot", ExpDot{LengthScale: 1}, digits, 0.026},
		{"digits/skeleton", kernelOf(t, image), angles, 0.02},
		{"digits/sum", Sum(Scale(2, Gaussian{LengthScale: 0.7}), Linear{}, Product(Gaussian{LengthScale: 1}, Linear{})), digits, 0.08},
		{"Spambase/Gaussian", Gaussian{LengthScale: 0.7}, spam, 0.02},
		{"Spambase/Polynomial", Polynomial{Degree: 3, Scale: 0.5, Offset: 0.5}, spam, 0.015},
		{"Spambase/ArcCosine", ArcCosine{Order: 1}, spam, 0.04},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, in := c.x.Dims()
			p := must(NewPlan(c.k, in, math.MaxInt32, &PlanOptions{Points: c.x, RMSE: c.rmse}))
			_, out := p.Dims()
			maps, limit := testkit.Times(5, 20, 50), 0.05
			if testing.Short() {
				limit = 0.25
			}
			got := measuredRMSE(t, p, c.x, maps)
			t.Logf("%d features: root mean square error %.4f, asked %v", out, got, c.rmse)
			if !(math.Abs(got/c.rmse-1) <= limit) {
				t.Errorf("%d features have a root mean square error of %.5f, asked %v", out, got, c.rmse)
			}
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	g := Gaussian{LengthScale: 1}
	for _, c := range []struct {
		k    Kernel
		out  int
		o    PlanOptions
		want string
	}{
		{g, 10, PlanOptions{Points: mat.NewDense(1, 2, nil)}, "Points has 1 rows"},
		{g, 10, PlanOptions{Points: mat.NewDense(3, 3, nil)}, "Points has 3 columns: must have in = 2"},
		{g, 10, PlanOptions{Points: mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()})}, "Points: row 1, column 1 = NaN"},
		{g, 10, PlanOptions{Points: x, RMSE: -1}, "RMSE = -1"},
		{g, 10, PlanOptions{Points: x, RMSE: math.NaN()}, "RMSE = NaN"},
		{g, 10, PlanOptions{Points: x, RMSE: math.Inf(1)}, "RMSE = +Inf"},
		{g, 10, PlanOptions{Points: x, RMSE: 1e-9}, "RMSE = 1e-09: takes more than"},
		{Gaussian{}, 10, PlanOptions{Points: x, RMSE: 1}, "LengthScale = 0"},
		{unknownKernel{}, 10, PlanOptions{Points: x, RMSE: 1}, "no map"},
		{BlackBox{Of: g, Draw: DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
			return func(x []float64) float64 { return 1 }, nil
		})}, 10, PlanOptions{Points: x, RMSE: 1}, "not known"},
		{g, 0, PlanOptions{}, "out = 0"},
		{nil, 10, PlanOptions{}, "kernel k = nil"},
	} {
		if _, err := NewPlan(c.k, 2, c.out, &c.o); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	p, err := NewPlan(Linear{}, 2, 10, &PlanOptions{Points: x, RMSE: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := p.Dims(); n != 2 {
		t.Errorf("%d features of ⟨x, y⟩ in R², want 2", n)
	}
	// How many it takes is told.
	var few *TooFewError
	_, err = NewPlan(g, 2, 100, &PlanOptions{Points: x, RMSE: 0.01})
	if !errors.As(err, &few) || !errors.Is(err, ErrTooFew) || few.Out != 100 {
		t.Fatalf("error %v, want a TooFewError of out = 100", err)
	}
	p = must(NewPlan(g, 2, few.Need, &PlanOptions{Points: x, RMSE: 0.01}))
	if _, n := p.Dims(); n != few.Need || !(p.RMSE() <= 0.01) {
		t.Errorf("%d features with an error of %v, want %d", n, p.RMSE(), few.Need)
	}
	if _, err = NewPlan(g, 2, few.Need-1, &PlanOptions{Points: x, RMSE: 0.01}); !errors.Is(err, ErrTooFew) {
		t.Errorf("error %v with one feature fewer than are needed", err)
	}
}

// Interval covers as its level says for sums and compositional maps: of 2,000 maps 90 per cent
// give or take 2, three standard deviations of a binomial count (short: 200 maps, 6.5).
func TestIntervalOfNew(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	sk := NewSkeleton(4)
	in := each(sk, Circle{}, 4)
	sk.Unit(ReLUDual{}, sk.Unit(ExpDual(1), in...), in[0], sk.Input(Categories{N: 3}, 3))
	circles := kernelOf(t, sk)
	a := mat.NewSymDense(4, nil)
	for i := range 4 {
		a.SetSym(i, i, 2)
	}
	for _, c := range []struct {
		name string
		k    Kernel
		out  int
	}{
		{"Compositional", circles, 200},
		{"sum", Sum(Gaussian{LengthScale: 1}, Linear{}, ArcCosine{Order: 1}), 300},
		{"weighted", Sum(Weight(WeightFunc(func(x []float64) float64 { return 1 + x[0] }), Laplacian{LengthScale: 2}), Quadratic(a)), 200},
		{"ArcCosine", ArcCosine{Order: 0}, 100},
		{"black box", BlackBox{Of: Gaussian{LengthScale: 1}, Draw: DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
			w, b := make([]float64, 4), 2*math.Pi*s.Float64()
			s.FillNormal(w)
			return func(x []float64) float64 { return math.Sqrt2 * math.Cos(floats.Dot(w, x)+b) }, nil
		})}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, y := []float64{0.2, -0.5, 0.3, 1}, []float64{0.4, 0.1, -0.2, 1}
			want := c.k.Eval(x, y)
			maps, limit := 2000, 0.02
			if testing.Short() {
				maps, limit = 200, 0.065
			}
			p, err := NewPlan(c.k, 4, c.out, nil)
			if err != nil {
				t.Fatal(err)
			}
			covered := 0
			for seed := range maps {
				m, err := p.Draw(NewSampler(uint64(seed)))
				if err != nil {
					t.Fatal(err)
				}
				lo, hi, err := Interval(m, x, y, 0.9)
				if err != nil {
					t.Fatal(err)
				}
				if lo <= want && want <= hi {
					covered++
				}
			}
			rate := float64(covered) / float64(maps)
			t.Logf("%s: %.3f", c.name, rate)
			if !(math.Abs(rate-0.9) <= limit) {
				t.Errorf("%s: a level of 0.9 was met by %.3f of the maps", c.name, rate)
			}
		})
	}
}
