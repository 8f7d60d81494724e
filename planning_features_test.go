// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
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
func measuredRMSE(t *testing.T, k Kernel, x *mat.Dense, out, maps int) float64 {
	t.Helper()
	var exact mat.SymDense
	Gram(&exact, k, x)
	n, in := x.Dims()
	var sum float64
	for seed := range maps {
		m, err := New(k, in, out, NewSampler(uint64(seed)))
		if err != nil {
			t.Fatal(err)
		}
		var z, gram mat.Dense
		m.TransformTo(&z, x)
		gram.Mul(&z, z.T())
		for i := range n {
			for j := range i {
				sum += math.Pow(gram.At(i, j)-exact.At(i, j), 2)
			}
		}
	}
	return math.Sqrt(sum / float64(maps) / float64(n*(n-1)/2))
}

// FeaturesFor hits its target within 5 per cent, by the root mean square error of 50 maps over all
// pairs of 150 points. (In short mode of 5 maps, within 25: errors of a map's pairs are
// correlated.)
func TestFeaturesFor(t *testing.T) {
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
			out, err := FeaturesFor(c.k, c.x, c.rmse, NewSampler(1))
			if err != nil {
				t.Fatal(err)
			}
			maps, limit := 50, 0.05
			if testing.Short() {
				maps, limit = 5, 0.25
			}
			got := measuredRMSE(t, c.k, c.x, out, maps)
			t.Logf("%d features: root mean square error %.4f, asked %v", out, got, c.rmse)
			if !(math.Abs(got/c.rmse-1) <= limit) {
				t.Errorf("%d features have a root mean square error of %.5f, asked %v", out, got, c.rmse)
			}
		})
	}
}

func TestFeaturesForRefuses(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	g := Gaussian{LengthScale: 1}
	for _, c := range []struct {
		k    Kernel
		x    mat.Matrix
		rmse float64
		want string
	}{
		{g, nil, 1, "x = nil"},
		{g, mat.NewDense(1, 2, nil), 1, "x has 1 rows"},
		{g, x, 0, "rmse = 0"},
		{g, x, math.NaN(), "rmse = NaN"},
		{g, x, 1e-9, "rmse = 1e-09: takes"},
		{Gaussian{}, x, 1, "LengthScale = 0"},
		{unknownKernel{}, x, 1, "no map"},
		{BlackBox{Of: g, Draw: func(s *Sampler) (func(x []float64) float64, error) {
			return func(x []float64) float64 { return 1 }, nil
		}}, x, 1, "no Variancer"},
	} {
		s := NewSampler(1)
		if _, err := FeaturesFor(c.k, c.x, c.rmse, s); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%q: the sampler was changed", c.want)
		}
	}
	if _, err := FeaturesFor(g, x, 1, nil); err == nil {
		t.Error("a nil sampler was not refused")
	}
	if n, err := FeaturesFor(Linear{}, x, 1e-9, NewSampler(1)); n != 2 || err != nil {
		t.Errorf("%d features of ⟨x, y⟩ in R², %v; want 2", n, err)
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
		{"weighted", Sum(Weight(func(x []float64) float64 { return 1 + x[0] }, Laplacian{LengthScale: 2}), Quadratic(a)), 200},
		{"ArcCosine", ArcCosine{Order: 0}, 100},
		{"black box", BlackBox{Of: Gaussian{LengthScale: 1}, Draw: func(s *Sampler) (func(x []float64) float64, error) {
			w, b := make([]float64, 4), 2*math.Pi*s.Float64()
			s.FillNormal(w)
			return func(x []float64) float64 { return math.Sqrt2 * math.Cos(floats.Dot(w, x)+b) }, nil
		}}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, y := []float64{0.2, -0.5, 0.3, 1}, []float64{0.4, 0.1, -0.2, 1}
			want := c.k.Eval(x, y)
			maps, limit := 2000, 0.02
			if testing.Short() {
				maps, limit = 200, 0.065
			}
			covered := 0
			for seed := range maps {
				m, err := New(c.k, 4, c.out, NewSampler(uint64(seed)))
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
