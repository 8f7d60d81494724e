// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// far returns the largest difference of two matrices, over the largest number of the second.
func far(a, b mat.Matrix) (most float64) {
	r, c := b.Dims()
	var size float64
	for i := range r {
		for j := range c {
			most, size = max(most, math.Abs(a.At(i, j)-b.At(i, j))), max(size, math.Abs(b.At(i, j)))
		}
	}
	return most / max(size, math.SmallestNonzeroFloat64)
}

// Both sides have one model: λ, weights, evidence, noise, errors of rows left out, variances, gradients, joint covariances, and intervals, also of copies, groups and weights, and after a file.
func TestSides(t *testing.T) {
	const n, out = 60, 120
	x, y := data(n, 3, 2, 5)
	for i := range 3 { // copies
		x.SetRow(n-1-i, x.RawRowView(i))
	}
	test, _ := data(30, 3, 1, 6)
	weights, noise, groups := make([]float64, n), make([]float64, n), make([]int, n)
	for i := range n {
		weights[i], noise[i], groups[i] = 0.5+float64(i%4), 0.01+0.02*float64(i%3), i/4
	}
	weights[7] = 0
	for name, o := range map[string]*Options{
		"default":            {},
		"weights":            {Weights: weights},
		"no intercept":       {NoIntercept: true, Weights: weights},
		"leave-one-out":      {Criterion: LeaveOneOut, SharedLambda: true},
		"evidence":           {Criterion: Evidence},
		"given":              {Lambda: 0.01},
		"noise":              {NoiseVariance: []float64{0.02}},
		"noises":             {NoiseVariance: noise, Weights: weights},
		"groups":             {Intervals: &IntervalOptions{Groups: groups}},
		"groups and weights": {Weights: weights, Intervals: &IntervalOptions{Groups: groups}},
		"no variance":        {Intervals: &IntervalOptions{NoVariance: true}},
	} {
		for _, phi := range []featuremap.FeatureMap{
			fourier(3, out),
			must(testkit.New(featuremap.Sum(featuremap.Gaussian{LengthScale: 2}, featuremap.Linear{}), 3, 200, featuremap.NewSampler(1))),
			must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x.Slice(0, 40, 0, 3), 40, featuremap.NewSampler(1), nil)),
		} {
			by := func(side Side) *Model {
				o := *o
				o.Side = side
				return must(Fit(phi, x, y, &o))
			}
			features, rows := by(FeatureSide), by(RowSide)
			what := fmt.Sprintf("%s, %T", name, phi)
			if features.Side() != FeatureSide || rows.Side() != RowSide {
				t.Fatalf("%s: sides %v and %v", what, features.Side(), rows.Side())
			}
			read := must(ReadModel(bytes.NewReader(written(rows)), nil))
			equal(t, what+": a file", modelBits(read, test), modelBits(rows, test))
			if condition, _ := features.Condition(); condition > 1e8 {
				t.Logf("%s: a condition of %.1g", what, condition)
			}
			limit := 1e-9
			if _, ok := phi.(*featuremap.Nystrom); ok && o.Lambda > 0 { // the features' side estimates the degrees of freedom
				limit = 5e-3
			}
			check := func(of string, a, b mat.Matrix) {
				t.Helper()
				if d := far(a, b); !(d < limit) {
					t.Errorf("%s: %s: %.2g", what, of, d)
				}
			}
			vec := func(v ...float64) mat.Matrix { return mat.NewVecDense(len(v), v) }
			check("λ", vec(rows.Lambda()...), vec(features.Lambda()...))
			check("weights", rows.Weights(), features.Weights())
			check("intercept", vec(rows.Intercept()...), vec(features.Intercept()...))
			check("evidence", vec(evidenceOf(rows)), vec(evidenceOf(features)))
			check("noise", vec(rows.NoiseVariance()...), vec(features.NoiseVariance()...))
			if errors, ok := features.LeaveOneOutMSE(); ok {
				got, _ := rows.LeaveOneOutMSE()
				check("leave-one-out", vec(got...), vec(errors...))
			}
			var a, b mat.Dense
			posteriorOf(rows).VarianceTo(&a, test)
			posteriorOf(features).VarianceTo(&b, test)
			check("variances", &a, &b)
			for i := range 3 {
				equal(t, what+": a row", bits(posteriorOf(rows).VarianceVec(nil, test.RawRowView(i))), bits(a.RawRowView(i)))
			}
			check("variance gradient", vec(posteriorOf(rows).VarianceGradientVec(nil, test.RawRowView(0), 1)...), vec(posteriorOf(features).VarianceGradientVec(nil, test.RawRowView(0), 1)...))
			_, c := posteriorOf(rows).Joint(test, 1)
			_, d := posteriorOf(features).Joint(test, 1)
			check("joint covariance", c, d)
			if rows.IntervalRows() != features.IntervalRows() {
				t.Errorf("%s: intervals by %d and %d rows", what, rows.IntervalRows(), features.IntervalRows())
			}
			var lo, hi, low, high mat.Dense
			rows.IntervalTo(&lo, &hi, test, 0.8)
			features.IntervalTo(&low, &high, test, 0.8)
			check("intervals", &lo, &low)
			check("intervals", &hi, &high)
		}
	}
}

// Errors of rows left out are those of fits of the others, in 200 bits, where λ is a millionth of the mean square of features.
func TestLeaveOneOutExact(t *testing.T) {
	const n, out, digits = 16, 48, 1e-12
	x, y := data(n, 3, 2, 5)
	phi := fourier(3, out)
	features := mat.NewDense(n, out, nil)
	phi.TransformTo(features, x)
	var trace float64
	for j := range out {
		column := mat.Col(nil, j, features)
		trace += float64(n-1) * stat.Variance(column, nil)
	}
	lambda := 1e-6 * trace / out
	m := must(Fit(phi, x, y, &Options{Path: []float64{lambda}, Criterion: LeaveOneOut}))
	got, _ := m.LeaveOneOutMSE()
	for target := range 2 {
		sum := exact(0)
		for left := range n {
			e := exactError(features, mat.Col(nil, target, y), lambda, left)
			sum.Add(sum, e.Mul(e, e))
		}
		want, _ := sum.Quo(sum, exact(n)).Float64()
		if !(math.Abs(got[target]/want-1) < digits) {
			t.Errorf("target %d: %v, want %v, off by %.2g", target, got[target], want, got[target]/want-1)
		}
	}
}

// exact returns a number of 200 bits.
func exact(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }

// exactError returns the error of a row that is predicted by kernel ridge regression on the others, (K + λI)α + b = y, Σα = 0.
func exactError(features *mat.Dense, y []float64, lambda float64, left int) *big.Float {
	n, _ := features.Dims()
	var rest []int
	for i := range n {
		if i != left {
			rest = append(rest, i)
		}
	}
	product := func(i, j int) *big.Float {
		sum := exact(0)
		for k, v := range features.RawRowView(i) {
			sum.Add(sum, new(big.Float).Mul(exact(v), exact(features.At(j, k))))
		}
		return sum
	}
	rows := make([][]*big.Float, n) // and the right-hand side
	for p := range rows {
		rows[p] = make([]*big.Float, n+1)
		for q := range rows[p] {
			switch {
			case p == n-1 && q >= n-1:
				rows[p][q] = exact(0)
			case q == n:
				rows[p][q] = exact(y[rest[p]])
			case p == n-1 || q == n-1:
				rows[p][q] = exact(1)
			default:
				rows[p][q] = product(rest[p], rest[q])
			}
		}
		if p < n-1 {
			rows[p][p].Add(rows[p][p], exact(lambda))
		}
	}
	for k := range n { // K + λI is positive definite: no pivots are chosen
		for p := range n {
			if p == k {
				continue
			}
			f := new(big.Float).Quo(rows[p][k], rows[k][k])
			for q := k; q <= n; q++ {
				rows[p][q].Sub(rows[p][q], new(big.Float).Mul(f, rows[k][q]))
			}
		}
	}
	e := exact(y[left])
	for p, i := range rest {
		e.Sub(e, new(big.Float).Mul(new(big.Float).Quo(rows[p][n], rows[p][p]), product(left, i)))
	}
	return e.Sub(e, new(big.Float).Quo(rows[n-1][n], rows[n-1][n-1]))
}

// A fit on either side. The rows' side is at least as fast up to some share of rows a feature: see rowShare.
func BenchmarkSides(b *testing.B) {
	for _, c := range []struct{ n, out int }{{200, 10_000}, {1000, 2000}, {1500, 2000}, {2000, 2000}, {3000, 2000}, {200, 400}, {50, 100}} {
		x, y := data(c.n, 8, 1, 1)
		phi := fourier(8, c.out)
		for _, side := range []Side{RowSide, FeatureSide} {
			if side == FeatureSide && c.out > 2000 {
				continue // 42 s
			}
			b.Run(fmt.Sprintf("%d×%d/%v", c.n, c.out, side), func(b *testing.B) {
				for b.Loop() {
					must(Fit(phi, x, y, &Options{Side: side}))
				}
			})
		}
	}
}
