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

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A callers is a map of a caller: features by any function of the point.
type callers struct {
	in, out int
	of      func(dst, x []float64)
}

func (m callers) Dims() (in, out int)                      { return m.in, m.out }
func (m callers) Kernel() featuremap.Kernel                { return nil }
func (m callers) TransformTo(dst *mat.Dense, x mat.Matrix) { transformRows(m, dst, x) }
func (m callers) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, m.out)
	}
	m.of(dst, x)
	return dst
}

// powersMap has the features 1, x, x², …, which overflow from |x| = 1e100 on.
func powersMap(out int) callers {
	return callers{1, out, func(dst, x []float64) {
		v := 1.0
		for j := range dst {
			dst[j] = v
			v *= x[0]
		}
	}}
}

// expectError checks the text of an error.
func expectError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got error  %v\nwant error %s", err, want)
	}
}

// What constructors, options and data refuse, by name and value.
func TestErrors(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(5, 2, 1, 40)
	fit := func(o *Options) error {
		m, err := Fit(phi, x, y, o)
		if err != nil && m != nil {
			t.Error("a model and an error")
		}
		return err
	}
	_, err := NewAccumulator(nil, 1)
	expectError(t, err, "ridge: phi = nil")
	_, err = NewAccumulator((*featuremap.Fourier)(nil), 1)
	expectError(t, err, "ridge: phi = nil")
	_, err = NewAccumulator(&featuremap.Fourier{}, 1)
	expectError(t, err, "ridge: phi: R^0 → R^0 is no map")
	_, err = NewAccumulator(phi, 0)
	expectError(t, err, "ridge: targets = 0: must be at least 1")
	_, err = NewAccumulator(phi, -3)
	expectError(t, err, "ridge: targets = -3: must be at least 1")
	for _, targets := range []int{1 << 24, math.MaxInt} {
		if _, err = NewAccumulator(phi, targets); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("10 features and %d targets take", targets)) {
			t.Errorf("%d targets: %v", targets, err)
		}
	}
	expectError(t, fit(&Options{Lambda: -1}), "ridge: Lambda = -1: must be finite and at least 0")
	expectError(t, fit(&Options{Lambda: math.NaN()}), "ridge: Lambda = NaN: must be finite and at least 0")
	expectError(t, fit(&Options{Lambda: math.Inf(1)}), "ridge: Lambda = +Inf: must be finite and at least 0")
	expectError(t, fit(&Options{Path: []float64{}}), "ridge: Path is empty: must be nil or have an element")
	expectError(t, fit(&Options{Path: []float64{1, -0.5}}), "ridge: Path[1] = -0.5: must be finite and at least 0")
	expectError(t, fit(&Options{Path: []float64{math.NaN()}}), "ridge: Path[0] = NaN: must be finite and at least 0")
	expectError(t, fit(&Options{Lambda: 2, Path: []float64{1}}), "ridge: Lambda = 2 and a Path: must be one of them")
	expectError(t, fit(&Options{Path: []float64{0}}),
		"ridge: λ = 0: 5 rows do not determine the weights of 10 features and the intercept: λ must be positive")
	expectError(t, fit(&Options{Path: []float64{0}, NoIntercept: true}),
		"ridge: λ = 0: 5 rows do not determine the weights of 10 features: λ must be positive")

	a := must(NewAccumulator(phi, 1))
	_, err = a.Fit(nil)
	expectError(t, err, "ridge: no rows: must be at least 1")
	_, err = a.Fit(&Options{Lambda: -1})
	expectError(t, err, "ridge: Lambda = -1: must be finite and at least 0")
	addBatches(t, a, x.Slice(0, 1, 0, 2).(*mat.Dense), y.Slice(0, 1, 0, 1).(*mat.Dense), 1)
	_, err = a.Fit(nil)
	expectError(t, err, "ridge: 1 row: must be at least 2 with an intercept")
	if _, err = a.Fit(&Options{NoIntercept: true}); err != nil {
		t.Error(err)
	}

	zero := new(Accumulator)
	const isZero = "ridge: the accumulator is the zero value"
	expectError(t, zero.Add(x, y), isZero)
	expectError(t, zero.Merge(a), isZero)
	expectError(t, a.Merge(zero), isZero)
	_, err = zero.Fit(nil)
	expectError(t, err, isZero)
	_, err = zero.MarshalBinary()
	expectError(t, err, isZero)
	if zero.Rows() != 0 {
		t.Error("rows of a zero value")
	}
	expectError(t, a.Merge(nil), "ridge: b = nil")
	expectError(t, a.Merge(must(NewAccumulator(phi, 2))), "ridge: b has targets = 2: must be 1")
	expectError(t, a.Merge(must(NewAccumulator(fourier(2, 12), 1))), "ridge: b is of a map R^2 → R^12: must be one R^2 → R^10")
	other := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, 2, 10, featuremap.NewSampler(99), nil))
	before := encoded(a)
	expectError(t, a.Merge(must(NewAccumulator(other, 1))), "ridge: b is of another map, whose features differ")
	if !bytes.Equal(before, encoded(a)) {
		t.Error("an error of Merge changed something")
	}
	if err := a.Merge(must(NewAccumulator(fourier(2, 10), 1))); err != nil { // equal, drawn again
		t.Error(err)
	}
}

// Least squares with dependent features is an error that names one; with λ > 0 it is none.
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
		} else if err != nil || !math.IsInf(m.LogEvidence(), -1) || m.Lambda() != 0 {
			t.Error(m, err)
		}
		if m, err = Fit(c.phi, x, y, &Options{Path: []float64{0, 1}, NoIntercept: c.noIntercept}); err != nil || m.Lambda() != 1 {
			t.Error(m, err)
		}
		// What overwrote the work of the best λ, a failure, does no harm.
		a := must(Fit(c.phi, x, y, &Options{Path: []float64{1, 0}, NoIntercept: c.noIntercept}))
		b := must(Fit(c.phi, x, y, &Options{Lambda: 1, NoIntercept: c.noIntercept}))
		equal(t, "λ = 1 of a path", modelBits(a, x), modelBits(b, x))
	}
	// λ > 0 that is lost beside the squares.
	huge := callers{1, 2, func(dst, x []float64) { dst[0], dst[1] = 1e12*x[0], 1e12*x[0] }}
	one := mat.NewDense(2, 1, []float64{1, -1})
	_, err := Fit(huge, one, one, &Options{Path: []float64{1e-9, 1e-3}})
	expectError(t, err, "ridge: λ = 0.001 is too small for float64 beside the squares of feature 1, whose sum is 2e+24: must be larger")
	if m, err := Fit(huge, one, one, &Options{Path: []float64{1e-9, 1e24}}); err != nil || m.Lambda() != 1e24 {
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
	if got := m.Noise()[0]; got < 0x1p-52*20/3 || got > 1e-14 {
		t.Errorf("noise %v", got)
	}
	// A condition number of 1, of a matrix 1×1.
	near(t, "condition", m.Condition(), 1, 1e-15)
	// A target off the line, by hand: slope 0, level ½, residuals ∓½; Σ(x − x̄)² = 5.
	m = must(Fit(callers{1, 1, func(dst, x []float64) { dst[0] = x[0] }}, x, mat.NewVecDense(4, []float64{0, 1, 1, 0}), &Options{Path: []float64{0}}))
	near(t, "slope", m.Weights().At(0, 0), 0, 1e-15)
	near(t, "noise", m.Noise()[0], 1./3, 1e-15) // Σ(±½)² = 1, over 3
	near(t, "variance at 0", m.VarianceVec(nil, []float64{0})[0], (1./4+1.5*1.5/5)/3, 1e-15)
}

// The condition number is at most gonum's, which is exact, and not far below it.
func TestConditionNumber(t *testing.T) {
	x, y := data(60, 2, 1, 47)
	for _, lambda := range []float64{1e-4, 1, 100} {
		m := must(Fit(fourier(2, 30), x, y, &Options{Lambda: lambda}))
		u := cholesky(t, m, x)
		var a mat.Dense
		a.Mul(u.T(), u)
		if got, want := m.Condition(), mat.Cond(&a, 1); !(got <= want*(1+1e-6) && got >= want/5) {
			t.Errorf("λ = %v: condition %v, want %v", lambda, got, want)
		}
	}
}

// The λ of a path is the one of largest evidence, whatever its place; of the default path too.
func TestPath(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(80, 2, 2, 42)
	for _, noIntercept := range []bool{false, true} {
		m := must(Fit(phi, x, y, &Options{NoIntercept: noIntercept}))
		z := features(phi, x)
		if !noIntercept {
			z = centred(z, columnMeans(z))
		}
		scale := math.Pow(mat.Norm(z, 2), 2) / 40
		var best *Model
		var path []float64
		for e := -6; e <= 6; e++ {
			lambda := math.Pow10(e) * scale
			one := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: noIntercept}))
			if best == nil || one.LogEvidence() > best.LogEvidence() {
				best = one
			}
			path = append(path, lambda)
		}
		near(t, "λ", m.Lambda(), best.Lambda(), 1e-12*best.Lambda())
		near(t, "evidence", m.LogEvidence(), best.LogEvidence(), 1e-9*math.Abs(best.LogEvidence()))
		for _, i := range []int{0, 5, 12} { // the best λ first, in the middle, last
			path[i], path[6] = path[6], path[i]
			equal(t, "a path in another order", modelBits(must(Fit(phi, x, y, &Options{Path: path, NoIntercept: noIntercept})), x),
				modelBits(must(Fit(phi, x, y, &Options{Lambda: best.Lambda(), NoIntercept: noIntercept})), x))
		}
	}
}

// Constant targets have no noise, and the largest λ; among others they are left out of the evidence.
func TestConstantTargets(t *testing.T) {
	phi := fourier(2, 20)
	x, y := data(40, 2, 1, 43)
	same := mat.NewDense(40, 2, nil)
	for i := range 40 {
		same.SetRow(i, []float64{1e9 + 0.3, -7})
	}
	m := must(Fit(phi, x, same, &Options{Path: []float64{1, 10, 0.1}}))
	if m.Lambda() != 10 || !math.IsInf(m.LogEvidence(), 1) {
		t.Errorf("λ = %v, log evidence %v", m.Lambda(), m.LogEvidence())
	}
	equal(t, "noise", bits(m.Noise()), bits([]float64{0, 0}))
	equal(t, "prediction", bits(m.PredictVec(nil, []float64{1, 2})), bits([]float64{1e9 + 0.3, -7}))
	equal(t, "variance", bits(m.VarianceVec(nil, []float64{1, 2})), bits([]float64{0, 0}))
	var both mat.Dense
	both.Augment(y, same)
	one, three := must(Fit(phi, x, y, nil)), must(Fit(phi, x, &both, nil))
	if one.Lambda() != three.Lambda() || one.LogEvidence() != three.LogEvidence() {
		t.Errorf("λ = %v and %v, log evidence %v and %v", one.Lambda(), three.Lambda(), one.LogEvidence(), three.LogEvidence())
	}
	// Constant features: a scale of 1 or of rounding, and the mean.
	m = must(Fit(callers{2, 3, func(dst, _ []float64) { copy(dst, []float64{0, 0.5, -1}) }}, x, y, nil))
	near(t, "the mean", m.PredictVec(nil, []float64{1, 1})[0], mat.Sum(y)/40, 1e-12)
}

// Bad rows are refused with their place and value, and nothing of the batch is added: in the room of the pending
// rows, after a flush, over several blocks, with sums and without.
func TestUndo(t *testing.T) {
	const in = 1
	phi := powersMap(5)
	x, y := data(2000, in, 2, 44)
	good := func(a *Accumulator, lo, hi int) error {
		return a.Add(x.Slice(lo, hi, 0, in), y.Slice(lo, hi, 0, 2))
	}
	for _, before := range []int{0, 1, 100, 144, 700} {
		for _, n := range []int{1, 2, 43, 44, 45, 143, 144, 145, 600, 1000} {
			for _, row := range []int{0, n / 2, n - 1} {
				a, want := must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2))
				if before > 0 && (good(a, 0, before) != nil || good(want, 0, before) != nil) {
					t.Fatal("good rows refused")
				}
				name := fmt.Sprintf("row %d of %d after %d", row, n, before)
				bad := func(m *mat.Dense, i, j int, v float64, text string) {
					t.Helper()
					old := m.At(i, j)
					m.Set(i, j, v)
					expectError(t, good(a, before, before+n), text)
					m.Set(i, j, old)
				}
				bad(x, before+row, 0, math.NaN(), fmt.Sprintf("ridge: x: row %d, column 0 = NaN: must be finite", row))
				bad(x, before+row, 0, math.Inf(-1), fmt.Sprintf("ridge: x: row %d, column 0 = -Inf: must be finite", row))
				bad(y, before+row, 1, math.Inf(1), fmt.Sprintf("ridge: y: row %d, column 1 = +Inf: must be finite and less than 2^483 in magnitude", row))
				bad(y, before+row, 0, 1e150, fmt.Sprintf("ridge: y: row %d, column 0 = 1e+150: must be finite and less than 2^483 in magnitude", row))
				// Features 1, x, x², x³: 2^600 is beyond 2^484.
				bad(x, before+row, 0, 0x1p200, fmt.Sprintf("ridge: x: row %d: feature 3 = %v: must be finite and less than 2^484 in magnitude", row, 0x1p600))
				bad(x, before+row, 0, 1e200, fmt.Sprintf("ridge: x: row %d: feature 1 = 1e+200: must be finite and less than 2^484 in magnitude", row))
				if a.Rows() != before {
					t.Fatalf("%s: %d rows", name, a.Rows())
				}
				if before+n > 300 && row > 0 && testing.Short() {
					continue
				}
				if !bytes.Equal(encoded(a), encoded(want)) {
					t.Fatalf("%s: the sums have changed", name)
				}
				// And go on as if nothing had been.
				if good(a, before, before+n) != nil || good(want, before, before+n) != nil || !bytes.Equal(encoded(a), encoded(want)) {
					t.Fatalf("%s: the sums differ afterwards", name)
				}
			}
		}
	}
}

// Of rows that are copied one by one, since they are so long, the good ones before a bad one are dropped.
func TestUndoCopies(t *testing.T) {
	const in = 1 << 19
	phi := callers{in, 2, func(dst, x []float64) { dst[0], dst[1] = x[0], x[0]*x[in-1] }}
	x, y := mat.NewDense(3, in, nil), mat.NewVecDense(3, []float64{1, 2, 4})
	for i := range 3 {
		x.Set(i, 0, float64(i))
		x.Set(i, in-1, 1)
	}
	a := must(NewAccumulator(phi, 1))
	for range 2 {
		want := encoded(a)
		x.Set(2, in-1, 1e200)
		expectError(t, a.Add(shy{x}, y), "ridge: x: row 2: feature 1 = 2e+200: must be finite and less than 2^484 in magnitude")
		if !bytes.Equal(encoded(a), want) {
			t.Error("the sums have changed")
		}
		x.Set(2, in-1, 1)
		if err := a.Add(shy{x}, y); err != nil {
			t.Fatal(err)
		}
	}
}

// A panic of the map is undone too.
func TestUndoPanic(t *testing.T) {
	calls := 0
	phi := callers{1, 3, func(dst, x []float64) {
		if calls++; calls == 1000 {
			panic("a map that panics")
		}
		copy(dst, []float64{1, x[0], x[0] * x[0]})
	}}
	x, y := data(500, 1, 1, 45)
	a := must(NewAccumulator(phi, 1)) // 4 calls
	addBatches(t, a, x, y, 500)
	want := encoded(a)
	expectPanic(t, "Add", "a map that panics", func() { _ = a.Add(x, y) })
	if a.Rows() != 500 || !bytes.Equal(encoded(a), want) {
		t.Error("the sums have changed")
	}
}

// Numbers just below the limits are taken, and nothing overflows.
func TestLargeNumbers(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0x1.fp483, -0x1.fp483, 0x1p480})
	y := mat.NewDense(3, 1, []float64{0x1.fp482, -0x1.fp482, 1})
	for _, o := range []Options{{}, {NoIntercept: true}} {
		m := must(Fit(callers{1, 1, func(dst, x []float64) { dst[0] = x[0] }}, x, y, &o))
		p := append(m.PredictVec(nil, []float64{0x1p483}), m.VarianceVec(nil, []float64{0x1p483})...)
		for _, v := range append(p, m.LogEvidence(), m.Condition(), m.Noise()[0]) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%+v: %v, log evidence %v, noise %v", o, p, m.LogEvidence(), m.Noise())
			}
		}
		near(t, "prediction", p[0], 0x1p482, 0x1p478)
	}
}

// Progress tells the rows so far, every 144.
func TestProgress(t *testing.T) {
	x, y := data(700, 2, 1, 46)
	var got []int
	must(Fit(fourier(2, 10), x, y, &Options{Progress: func(rows int) { got = append(got, rows) }}))
	if fmt.Sprint(got) != "[144 288 432 576]" {
		t.Error(got)
	}
}
