// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// Least squares with dependent features is an error that names one; with λ > 0 it is no error.
func TestDependentFeatures(t *testing.T) {
	x, y := data(50, 1, 1, 41)
	twice := callers{1, 4, func(dst, x []float64) { copy(dst, []float64{x[0], x[0] * x[0], x[0] - 3*x[0]*x[0], math.Sin(x[0])}) }}
	constant := callers{1, 3, func(dst, x []float64) { copy(dst, []float64{x[0], 0.1, x[0] * x[0]}) }}
	for _, c := range []struct {
		phi         callers
		noIntercept bool
		want        string
	}{
		{twice, false, "ridge: λ = 0: feature 2 depends linearly on those before it and the intercept, to the precision of float64: λ must be positive"},
		{twice, true, "ridge: λ = 0: feature 2 depends linearly on those before it, to the precision of float64: λ must be positive"},
		{constant, false, "ridge: λ = 0: feature 1 depends linearly on those before it and the intercept, to the precision of float64: λ must be positive"},
		{constant, true, ""},
	} {
		m, err := Fit(c.phi, x, y, &Options{Path: []float64{0}, NoIntercept: c.noIntercept})
		if c.want != "" {
			expectError(t, err, c.want)
		} else if err != nil || !math.IsInf(evidenceOf(m), -1) || m.Lambda()[0] != 0 {
			t.Error(m, err)
		}
		if m, err = Fit(c.phi, x, y, &Options{Path: []float64{0, 1}, NoIntercept: c.noIntercept}); err != nil || m.Lambda()[0] != 1 {
			t.Error(m, err)
		}
		// What overwrote the work of the best λ, a failure, does no harm.
		off := &IntervalOptions{Off: true} // they are longer if λ was chosen
		a := must(Fit(c.phi, x, y, &Options{Path: []float64{1, 0}, NoIntercept: c.noIntercept, Intervals: off}))
		b := must(Fit(c.phi, x, y, &Options{Lambda: 1, NoIntercept: c.noIntercept, Intervals: off}))
		equal(t, "λ = 1 of a path", modelBits(a, x), modelBits(b, x))
	}
	// λ > 0 that is lost next to the squares.
	huge := callers{1, 2, func(dst, x []float64) { dst[0], dst[1] = 1e12*x[0], 1e12*x[0] }}
	one := mat.NewDense(2, 1, []float64{1, -1})
	_, err := Fit(huge, one, one, &Options{Path: []float64{1e-9, 1e-3}})
	expectError(t, err, "ridge: λ = 0.001 is too small for float64 compared with the squares of feature 1, whose sum is 2e+24: must be larger")
	if m, err := Fit(huge, one, one, &Options{Path: []float64{1e-9, 1e24}}); err != nil || m.Lambda()[0] != 1e24 {
		t.Error(m, err)
	}
}

// Least squares on independent features: the exact line, with the noise of rounding.
func TestLeastSquares(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	y := mat.NewDense(4, 1, []float64{1, 3, 5, 7})
	m := must(Fit(callers{1, 1, func(dst, x []float64) { dst[0] = x[0] }}, x, y, &Options{Path: []float64{0}}))
	near(t, "slope", m.Weights().At(0, 0), 2, 1e-14)
	near(t, "intercept", m.Intercept()[0], 1, 1e-14)
	// Σ(y − ȳ)² = 20, over n − 1 = 3.
	if got := m.NoiseVariance()[0]; got < 0x1p-52*20/3 || got > 1e-14 {
		t.Errorf("noise %v", got)
	}
	// A condition number of 1, of a matrix 1×1.
	near(t, "condition", conditionOf(m), 1, 1e-15)
	// A target off the line, by hand: slope 0, level ½, residuals ∓½; Σ(x − x̄)² = 5.
	m = must(Fit(callers{1, 1, func(dst, x []float64) { dst[0] = x[0] }}, x, mat.NewVecDense(4, []float64{0, 1, 1, 0}), &Options{Path: []float64{0}}))
	near(t, "slope", m.Weights().At(0, 0), 0, 1e-15)
	near(t, "noise", m.NoiseVariance()[0], 1./3, 1e-15) // Σ(±½)² = 1, over 3
	near(t, "variance at 0", posteriorOf(m).VarianceVec(nil, []float64{0})[0], (1./4+1.5*1.5/5)/3, 1e-15)
}

// The condition number is at most gonum's, which is exact, and not far below it.
func TestConditionNumber(t *testing.T) {
	x, y := data(60, 2, 1, 47)
	for _, lambda := range []float64{1e-4, 1, 100} {
		m := must(Fit(fourier(2, 30), x, y, &Options{Lambda: lambda}))
		u := cholesky(t, m, x, 0)
		var a mat.Dense
		a.Mul(u.T(), u)
		if got, want := conditionOf(m), mat.Cond(&a, 1); !(got <= want*(1+1e-6) && got >= want/5) {
			t.Errorf("λ = %v: condition %v, want %v", lambda, got, want)
		}
	}
}

// The λ of a path is the one of largest evidence, whatever its place; of the default path too.
func TestPath(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(80, 2, 2, 42)
	for _, noIntercept := range []bool{false, true} {
		m := must(Fit(phi, x, y, &Options{NoIntercept: noIntercept, SharedLambda: true}))
		z := features(phi, x)
		if !noIntercept {
			z = centered(z, columnMeans(z))
		}
		scale := math.Pow(mat.Norm(z, 2), 2) / 40
		var best *Model
		var path []float64
		for e := -6; e <= 6; e++ {
			lambda := math.Pow10(e) * scale
			one := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: noIntercept}))
			if best == nil || evidenceOf(one) > evidenceOf(best) {
				best = one
			}
			path = append(path, lambda)
		}
		near(t, "λ", m.Lambda()[0], best.Lambda()[0], 1e-12*best.Lambda()[0])
		near(t, "evidence", evidenceOf(m), evidenceOf(best), 1e-9*math.Abs(evidenceOf(best)))
		off := &IntervalOptions{Off: true}  // they are longer if λ was chosen
		for _, i := range []int{0, 5, 12} { // the best λ first, in the middle, last
			path[i], path[6] = path[6], path[i]
			equal(t, "a path in another order", modelBits(must(Fit(phi, x, y, &Options{Path: path, NoIntercept: noIntercept, SharedLambda: true, Intervals: off})), x),
				modelBits(must(Fit(phi, x, y, &Options{Lambda: best.Lambda()[0], NoIntercept: noIntercept, Intervals: off})), x))
		}
	}
}

// Constant targets have no noise, the largest λ, evidence that loses every comparison and variances that are not known; among others they
// are left out of the evidence, and the others are fitted. So it is of all kinds of fits, weighted and merged.
func TestConstantTargets(t *testing.T) {
	phi := fourier(2, 20)
	x, y := data(40, 2, 1, 43)
	same := mat.NewDense(40, 2, nil)
	for i := range 40 {
		same.SetRow(i, []float64{1e9 + 0.3, -7})
	}
	m := must(Fit(phi, x, same, &Options{Path: []float64{1, 10, 0.1}}))
	if m.Lambda()[0] != 10 || !math.IsInf(evidenceOf(m), -1) {
		t.Errorf("λ = %v, log evidence %v", m.Lambda()[0], evidenceOf(m))
	}
	equal(t, "noise", bits(m.NoiseVariance()), bits([]float64{0, 0}))
	equal(t, "prediction", bits(m.PredictVec(nil, []float64{1, 2})), bits([]float64{1e9 + 0.3, -7}))
	const text = "ridge: no posterior: nothing tells how a constant target varies (%s): fit the others without it; PredictVec has the constant"
	if got, want := refused(m), fmt.Sprintf(text, "target 0, target 1"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if text := m.String(); !strings.HasSuffix(text, "; constant: target 0, target 1") {
		t.Error(text)
	}
	var both mat.Dense
	both.Augment(y, same)
	one, three := must(Fit(phi, x, y, nil)), must(Fit(phi, x, &both, nil))
	if one.Lambda()[0] != three.Lambda()[0] || evidenceOf(one) != evidenceOf(three) {
		t.Errorf("λ = %v and %v, log evidence %v and %v", one.Lambda()[0], three.Lambda()[0], evidenceOf(one), evidenceOf(three))
	}
	weights := weightsFrom(40, 3)
	parts := weighted(phi, x, &both, weights, 7)
	if err := parts.Merge(weighted(phi, x, &both, weights, 40)); err != nil {
		t.Fatal(err)
	}
	iterative := &IterativeOptions{Lambda: 1, Samples: 3}
	for name, m := range map[string]*Model{
		"Fit": three, "weights": must(Fit(phi, x, &both, &Options{Weights: weights})), "merged": must(parts.Fit(nil)),
		"FitIterative": must(FitIterative(phi, inBatches(x, &both, weights, 9), iterative)),
		"saved":        must(ReadModel(bytes.NewReader(written(three)), nil)),
	} {
		var sd mat.Dense // that package learn reports
		linear.Of(m).StdDevTo(&sd, nil, mat.NewDense(1, 2, []float64{1, 2}))
		v, noise := sd.RawRowView(0), m.NoiseVariance()
		if !(v[0]*v[0] > noise[0] && noise[0] > 0) || noise[1] != 0 || noise[2] != 0 || !math.IsNaN(v[1]) || !math.IsNaN(v[2]) {
			t.Errorf("%s: noise %v, deviations %v", name, noise, v)
		}
		if got, want := refused(m), fmt.Sprintf(text, "target 1, target 2"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if text := m.String(); !strings.Contains(text, "; constant: target 1, target 2") {
			t.Errorf("%s: %s", name, text)
		}
		equal(t, name+": gradient of the constant", bits(m.GradientVec(nil, []float64{1, 2}, 1)), bits([]float64{0, 0}))
	}
	// Constant features: a scale of 1 or of rounding, and the mean.
	m = must(Fit(callers{2, 3, func(dst, _ []float64) { copy(dst, []float64{0, 0.5, -1}) }}, x, y, nil))
	near(t, "the mean", m.PredictVec(nil, []float64{1, 1})[0], mat.Sum(y)/40, 1e-12)
}

// Numbers just below the limits are taken, and nothing overflows.
func TestLargeNumbers(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0x1.fp483, -0x1.fp483, 0x1p480})
	y := mat.NewDense(3, 1, []float64{0x1.fp482, -0x1.fp482, 1})
	for _, o := range []Options{{}, {NoIntercept: true}} {
		m := must(Fit(callers{1, 1, func(dst, x []float64) { dst[0] = x[0] }}, x, y, &o))
		p := append(m.PredictVec(nil, []float64{0x1p483}), posteriorOf(m).VarianceVec(nil, []float64{0x1p483})...)
		for _, v := range append(p, evidenceOf(m), conditionOf(m), m.NoiseVariance()[0]) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%+v: %v, log evidence %v, noise %v", o, p, evidenceOf(m), m.NoiseVariance())
			}
		}
		near(t, "prediction", p[0], 0x1p482, 0x1p478)
	}
}
