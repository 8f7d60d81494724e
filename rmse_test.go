// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// planningData returns rows of R³.
func planningData() *mat.Dense {
	return testkit.ScaledNormals(2, 50, 3, 0.35)
}

// RMSE predicts the error over all pairs, averaged over maps, for kinds of maps with exact columns, pairs and bias.
func TestRMSE(t *testing.T) {
	t.Parallel()
	x := planningData()
	n, d := x.Dims()
	exp := ExpDot{LengthScale: 1}
	for _, c := range []struct {
		name string
		out  int
		unit int
		draw func(out int, s *Sampler) (FeatureMap, error)
	}{
		{"pairs", 60, 2, func(out int, s *Sampler) (FeatureMap, error) {
			return NewFourier(Gaussian{LengthScale: 1}, d, out, s, nil)
		}},
		{"orthogonal", 60, 2, func(out int, s *Sampler) (FeatureMap, error) {
			return NewFourier(Gaussian{LengthScale: 1}, d, out, s, &FourierOptions{Design: Orthogonal})
		}},
		{"exact low, complex", 60, 2, func(out int, s *Sampler) (FeatureMap, error) {
			return NewMaclaurin(exp, d, out, s, &MaclaurinOptions{Law: series.OptimalLaw{}, ExactDegree: 1, Complex: true})
		}},
		{"truncated", 60, 1, func(out int, s *Sampler) (FeatureMap, error) {
			return NewMaclaurin(exp, d, out, s, &MaclaurinOptions{Law: series.TruncatedLaw{Degree: 1}})
		}},
	} {
		m := testkit.Must(c.draw(c.out, NewSampler(1)))
		predicted := testkit.Must(PredictedRMSE(m.(Variancer), x, testkit.Times(800, 800, 2000), NewSampler(5)))
		var k, square mat.Dense
		CrossGram(&k, m.Kernel(), x, x)
		maps := testkit.Times(100, 100, 400)
		var mean float64
		for seed := range maps {
			var phi mat.Dense
			testkit.Must(c.draw(c.out, NewSampler(uint64(seed)))).TransformTo(&phi, x)
			square.Mul(&phi, phi.T())
			square.Sub(&square, &k)
			square.MulElem(&square, &square)
			mean += (mat.Sum(&square) - mat.Trace(&square)) / float64(n*(n-1)) / float64(maps)
		}
		// The mean square of one map has a deviation of about its mean's size, and the variances of
		// pairs have one of up to twice it: 5 standard errors of the roots, of half that size.
		tol := 2.5/math.Sqrt(float64(maps)) + 5/math.Sqrt(float64(testkit.Times(800, 800, 2000)))
		if root := math.Sqrt(mean); !(math.Abs(predicted/root-1) <= tol) {
			t.Errorf("%s: predicted %.4f, measured %.4f", c.name, predicted, root)
		}
	}
}

func TestRMSERefuses(t *testing.T) {
	x := planningData()
	f := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 3, 8, NewSampler(1), nil))
	s, same := NewSampler(7), NewSampler(7)
	for _, c := range []struct {
		m     Variancer
		x     mat.Matrix
		pairs int
		s     *Sampler
		want  string
	}{
		{nil, x, 1, s, "map m = nil"},
		{f, mat.NewDense(3, 3, []float64{1, 2, 3, 4, 5, math.NaN(), 7, 8, 9}), 1, s, "x: row 1, column 2 = NaN"},
		{f, x, 1, new(Sampler), "zero value"},
		{f, nil, 1, s, "x = nil"},
		{f, mat.NewDense(1, 3, nil), 1, s, "x has 1 rows"},
		{f, new(mat.Dense), 1, s, "x has 0 columns: must have the 3 coordinates"},
		{f, mat.NewDense(5, 2, nil), 1, s, "x has 2 columns: must have the 3"},
		{f, x, 0, s, "pairs = 0"},
	} {
		if _, err := PredictedRMSE(c.m, c.x, c.pairs, c.s); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if s.Uint64() != same.Uint64() {
		t.Error("a refused call drew from the sampler")
	}
	a, b := NewSampler(7), NewSampler(7)
	b.Split()
	if testkit.Must(PredictedRMSE(f, x, 10, a)); a.Uint64() != b.Uint64() {
		t.Error("RMSE took something else than one Split")
	}
	// Outside the radius of convergence.
	m := testkit.Must(NewMaclaurin(Dot(series.Geometric{Ratio: 1}), 3, 8, NewSampler(1), nil))
	if v := testkit.Must(PredictedRMSE(m, x, 20, NewSampler(1))); !math.IsInf(v, 1) && !math.IsNaN(v) {
		t.Errorf("RMSE %v outside the radius of convergence", v)
	}
}
