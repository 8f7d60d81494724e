// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package series_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// seriesCases are all the series of the package, by name, with their coefficients from
// arithmetic of 300 bits, by the formulas in the doc comments.
var seriesCases = []struct {
	name   string
	series series.Series
	radius float64
	dual   bool
	exact  func(n int) *big.Float
}{
	{"Coefficients", series.Coefficients{0.5, 0, 3, 0.25}, math.Inf(1), false, polynomial(0.5, 0, 3, 0.25)},
	{"CoefficientsNone", series.Coefficients{}, math.Inf(1), false, polynomial()},
	{"Exp", series.Exp{Rate: 1.5, Shift: -0.25}, math.Inf(1), false, func(n int) *big.Float { return bigExpTerm(1.5, -0.25, n) }},
	{"ExpConstant", series.Exp{Shift: 3}, math.Inf(1), false, func(n int) *big.Float { return bigExpTerm(0, 3, n) }},
	{"ExpDual", series.ExpDual(7.25), math.Inf(1), true, func(n int) *big.Float { return bigExpTerm(7.25, -7.25, n) }},
	{"Geometric", series.Geometric{Ratio: 0.8}, 1.25, false, func(n int) *big.Float { return bigPower(bigFloat(0.8), n) }},
	{"GeometricConstant", series.Geometric{}, math.Inf(1), false, polynomial(1)},
	{"IdentityDual", series.HermiteDual{N: 1}, math.Inf(1), true, polynomial(0, 1)},
	{"HermiteDual0", series.HermiteDual{}, math.Inf(1), true, polynomial(1)},
	{"HermiteDual5", series.HermiteDual{N: 5}, math.Inf(1), true, polynomial(0, 0, 0, 0, 0, 1)},
	{"ReLUDual", series.ReLUDual{}, 1, true, exactReLU},
	{"StepDual", series.StepDual{}, 1, true, exactStep},
	{"ErfDual", series.ErfDual{}, 1.5, true, exactErf},
	{"SineDual", series.SineDual{Rate: 0.7}, math.Inf(1), true, func(n int) *big.Float { return exactHyperbolic(0.7, n, 1) }},
	{"SineDual20", series.SineDual{Rate: 20}, math.Inf(1), true, func(n int) *big.Float { return exactHyperbolic(20, n, 1) }},
	{"SineDual1e-9", series.SineDual{Rate: 1e-9}, math.Inf(1), true, func(n int) *big.Float { return exactHyperbolic(1e-9, n, 1) }},
	{"CosineDual", series.CosineDual{Rate: 0.7}, math.Inf(1), true, func(n int) *big.Float { return exactHyperbolic(0.7, n, 0) }},
	{"CosineDual20", series.CosineDual{Rate: 20}, math.Inf(1), true, func(n int) *big.Float { return exactHyperbolic(20, n, 0) }},
	{"Binomial", power.Binomial{Degree: 6, Gamma: 0.5, Offset: 2}, math.Inf(1), false, exactBinomial(6, 0.5, 2)},
	{"Binomial100", power.Binomial{Degree: 100, Gamma: 0.25, Offset: 0.75}, math.Inf(1), false, exactBinomial(100, 0.25, 0.75)},
	{"BinomialMonomial", power.Binomial{Degree: 3, Gamma: 2, Offset: 0}, math.Inf(1), false, polynomial(0, 0, 0, 8)},
	{"BinomialConstant", power.Binomial{Degree: 0, Gamma: 2, Offset: 3}, math.Inf(1), false, polynomial(1)},
	{"Scaled", power.Scaled{C: 2.5, F: series.ReLUDual{}}, 1, false,
		func(n int) *big.Float { return new(big.Float).Mul(bigFloat(2.5), exactReLU(n)) }},
	{"Sum", power.Sum{F: series.ErfDual{}, G: series.ReLUDual{}}, 1, false,
		func(n int) *big.Float { return new(big.Float).Add(exactErf(n), exactReLU(n)) }},
	{"Product", power.Product{F: series.ErfDual{}, G: series.StepDual{}}, 1, false, exactProduct(exactErf, exactStep)},
	{"ProductOfSum", power.Product{F: power.Sum{F: series.Exp{Rate: 1}, G: series.Coefficients{0, 0, 2}}, G: power.Product{F: series.HermiteDual{N: 1}, G: series.Geometric{Ratio: 0.8}}},
		1.25, false, exactProduct(
			func(n int) *big.Float { return new(big.Float).Add(bigExpTerm(1, 0, n), polynomial(0, 0, 2)(n)) },
			func(n int) *big.Float {
				if n == 0 {
					return bigFloat(0)
				}
				return bigPower(bigFloat(0.8), n-1)
			})},
}

// The first 201 coefficients are right to 6 units in the last place, 7e-16, and those of
// products, sums of so many roundings, to 1e-14. Other coefficients are 0.
func TestSeriesCoefficients(t *testing.T) {
	t.Parallel()
	for _, c := range seriesCases {
		tolerance := 7e-16
		if strings.HasPrefix(c.name, "Product") {
			tolerance = 1e-14
		}
		table := power.Coefficients(c.series, 201)
		worst := 0.0
		for n := range 201 {
			got := c.series.Coeff(n)
			want, _ := c.exact(n).Float64()
			if err := math.Abs(got - want); !(err <= tolerance*want+5e-324) {
				t.Errorf("%s: a[%d] = %.17g, want %.17g", c.name, n, got, want)
			} else if want > 1e-300 {
				worst = max(worst, err/want)
			}
			if table[n] != got {
				t.Errorf("%s: a[%d] = %x, in a table %x", c.name, n, got, table[n])
			}
		}
		t.Logf("%s: relative error %.2g", c.name, worst)
	}
}

// Far out, or of parameters whose powers and factorials are far beyond a float64. Values
// from mpmath 1.3.0 with 60 digits, by loggamma, at the floats nearest to the parameters.
func TestSeriesCoefficientsFarOut(t *testing.T) {
	for _, c := range []struct {
		series series.Series
		n      int
		want   float64
	}{
		{series.ReLUDual{}, 1_000_000, 2.5397498819305829274e-16},
		{series.ReLUDual{}, 2_000_000_000, 1.4197608621181525078e-24},
		{series.StepDual{}, 1_000_001, 2.5397422626910961251e-10},
		{series.ErfDual{}, 1_001, 1.8658910846204645248e-181},
		{series.Geometric{Ratio: 0.999999}, 1_000_000, 0.3678792572210664712},
		{series.Geometric{Ratio: 0.999999}, 700_000_000, 9.8562260601085745704e-305},
		{series.Geometric{Ratio: 1.5}, 1_750, 1.4444527745742027349e+308},
		{series.Geometric{Ratio: 1.5}, 1_751, math.Inf(1)},
		{series.Geometric{Ratio: 0.5}, 1_074, 5e-324},
		{series.Geometric{Ratio: 0.5}, 1_076, 0},
		{series.ExpDual(1e5), 100_000, 0.0012615652097053005629},
		{series.ExpDual(1e5), 98_000, 2.295699225348168584e-12},
		{series.ExpDual(1e6), 1_000_000, 0.0003989422471562440297},
		{series.ExpDual(1e9), 1_000_000_000, 0.000012615662609049495024},
		{series.ExpDual(1e9), 0, 0},
		{series.Exp{Rate: 1e5}, 271_800, 1326799038.9532223836},
		{series.Exp{Rate: 1e5}, 100_000, math.Inf(1)},
		{series.Exp{Rate: 0.1, Shift: -700.3}, 0, 7.304228033645715365e-305},
		{series.Exp{Rate: 1}, 170, 1.3779009677917705867e-307},
		{series.Exp{Rate: 1e-300}, 1, 1e-300},
		{series.SineDual{Rate: 1e-150}, 3, 1.6666666666666666877e-301},
		{series.SineDual{Rate: 1e4}, 10_001, 0.0079779813197936719302},
		{series.CosineDual{Rate: 1e4}, 9_800, 0.0010761806115966605539},
		{power.Binomial{Degree: 1_000_000, Gamma: 0.5, Offset: 0.5}, 500_000, 0.00079788436133175008909},
		{power.Binomial{Degree: 1_000, Gamma: 0.25, Offset: 1}, 200, 2.562554312350942698e+95},
	} {
		if got := c.series.Coeff(c.n); got != c.want && !(math.Abs(got/c.want-1) <= 1e-15) {
			t.Errorf("%T%v: a[%d] = %.17g, want %.17g", c.series, c.series, c.n, got, c.want)
		}
	}
}

// No coefficient is negative or NaN, however far out: the last ones are the largest
// numbers n, odd and even, and each case has some.
func TestSeriesCoefficientsAreNonNegative(t *testing.T) {
	for _, c := range seriesCases {
		ns := []int{0, 1, 2, 3, 1000, 1001}
		if !strings.HasPrefix(c.name, "Product") {
			ns = append(ns, 1_000_000, 1_000_001, math.MaxInt32-1, math.MaxInt32, math.MaxInt-1, math.MaxInt)
		}
		for _, n := range ns {
			if got := c.series.Coeff(n); !(got >= 0 && got <= math.MaxFloat64) {
				t.Errorf("%s: a[%d] = %v", c.name, n, got)
			}
		}
		for _, n := range []int{-1, -2, -3, math.MinInt} {
			if got := c.series.Coeff(n); got != 0 || math.Signbit(got) {
				t.Errorf("%s: a[%d] = %v", c.name, n, got)
			}
		}
	}
}

// Eval and Deriv are the sums of the series. Within 0.95 of the radius 2000 terms leave
// out 1e-44 of them, and for |t| ≤ 8 the entire ones are over before. The closed forms and
// the sums round to some units in the last place of Σ|aₙtⁿ|.
func TestSeriesEvalIsTheSum(t *testing.T) {
	t.Parallel()
	for _, c := range seriesCases {
		a := power.Coefficients(c.series, 2001)
		end := min(0.95*c.radius, 8)
		for _, x := range []float64{-1, -0.8, -1e-9, 0, 0.1, 0.5, 1} {
			x *= end
			sum, slope, size, steep := bigSum(a, x)
			got, deriv := c.series.Eval(x), c.series.Deriv(x)
			if !(math.Abs(got-sum) <= 2e-14*size) {
				t.Errorf("%s: f(%v) = %.17g, the sum is %.17g", c.name, x, got, sum)
			}
			if !(math.Abs(deriv-slope) <= 2e-14*steep) {
				t.Errorf("%s: f′(%v) = %.17g, the sum is %.17g", c.name, x, deriv, slope)
			}
			// The five-point difference has the error h⁴f⁽⁵⁾/30: with the distance r to the
			// radius some (h/r)⁴ of f′ (4 times that at rate 20: 20⁴/30·1e-12 = 5e-9); and
			// rounding adds about 1e-16/h of f.
			h := 1e-3 * min(1, c.radius-math.Abs(x))
			f := c.series.Eval
			difference := (8*(f(x+h)-f(x-h)) - (f(x+2*h) - f(x-2*h))) / (12 * h)
			if !(math.Abs(deriv-difference) <= 2e-8*steep+1e-12/h*size+1e-11) {
				t.Errorf("%s: f′(%v) = %v, the difference is %v", c.name, x, deriv, difference)
			}
		}
	}
}

// Dual activations are 1 at 1, within a unit in the last place.
func TestDualsAreNormalized(t *testing.T) {
	for _, c := range seriesCases {
		if got := c.series.Eval(1); c.dual && !(math.Abs(got-1) <= 2.3e-16) {
			t.Errorf("%s: f(1) = %.17g", c.name, got)
		}
	}
}

// At 1 the derivatives are the expected degrees; near −1 the arc-cosine kernels vanish, as
// (2√2/3π)δ^{3/2} and √(2δ)/π. The last are from mpmath, at the float nearest to ρ.
func TestSeriesValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
		tolerance float64
	}{
		{"ReLU′(1)", series.ReLUDual{}.Deriv(1), 1, 0},
		{"ReLU(−1)", series.ReLUDual{}.Eval(-1), 0, 0},
		{"ReLU(0)", series.ReLUDual{}.Eval(0), 1 / math.Pi, 1e-16},
		{"ReLU(−1 + 2⁻²⁰)", series.ReLUDual{}.Eval(-1 + 0x1p-20), 2 * math.Sqrt2 / 3 / math.Pi * 0x1p-30, 2e-16},
		{"Step(−1)", series.StepDual{}.Eval(-1), 0, 0},
		{"Step(−1 + 2⁻⁵²)", series.StepDual{}.Eval(-1 + 0x1p-52), math.Sqrt2 / math.Pi * 0x1p-26, 1e-23},
		{"1 − Step(1 − 2⁻⁵²)", 1 - series.StepDual{}.Eval(1-0x1p-52), math.Sqrt2 / math.Pi * 0x1p-26, 2e-16},
		{"Step′(1)", series.StepDual{}.Deriv(1), math.Inf(1), 0},
		{"Step′(−1)", series.StepDual{}.Deriv(-1), math.Inf(1), 0},
		{"Step′(1 − 2⁻²⁷)", series.StepDual{}.Deriv(1 - 0x1p-27), 0x1p13 / (math.Pi * math.Sqrt(1-0x1p-28)), 1e-12},
		{"Erf(3/2)", series.ErfDual{}.Eval(1.5), math.Pi / 2 / math.Asin(2.0/3), 5e-16},
		{"Erf(−3/2)", series.ErfDual{}.Eval(-1.5), -math.Pi / 2 / math.Asin(2.0/3), 5e-16},
		{"Erf′(3/2)", series.ErfDual{}.Deriv(1.5), math.Inf(1), 0},
		{"ExpDual′(1)", series.ExpDual(3).Deriv(1), 3, 0},
		{"Sine of rate 1e9", series.SineDual{Rate: 1e9}.Eval(1 - 0x1p-30), math.Exp(-1e9 * 0x1p-30), 1e-15},
		{"Sine of rate 1e-150", series.SineDual{Rate: 1e-150}.Eval(0.3), 0.3, 1e-16},
		{"Cosine of rate 1e-150", series.CosineDual{Rate: 1e-150}.Eval(0.3), 1, 0},
		{"Polynomial at +Inf", series.Coefficients{1, 2, 0}.Eval(math.Inf(1)), math.Inf(1), 0},
		{"constant at +Inf", series.Coefficients{1, 0}.Eval(math.Inf(1)), 1, 0},
		{"Hermite at −Inf", series.HermiteDual{N: 3}.Eval(math.Inf(-1)), math.Inf(-1), 0},
	} {
		if c.got != c.want && !(math.Abs(c.got-c.want) <= c.tolerance) {
			t.Errorf("%s = %.17g, want %.17g", c.name, c.got, c.want)
		}
	}
}

// The radius is where the series stops to converge, by the root test on the last two of
// 1400 coefficients, and Eval is as Series says at it and beyond.
func TestSeriesDomain(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range seriesCases {
		f, r := c.series, c.series.Radius()
		if r != c.radius {
			t.Errorf("%s: radius %v, want %v", c.name, r, c.radius)
		}
		if nan := f.Eval(math.NaN()); !math.IsNaN(nan) && c.name != "CoefficientsNone" {
			t.Errorf("%s: f(NaN) = %v", c.name, nan)
		}
		if nan := f.Deriv(math.NaN()); !math.IsNaN(nan) && c.name != "CoefficientsNone" {
			t.Errorf("%s: f′(NaN) = %v", c.name, nan)
		}
		// A coefficient of n^{−3/2} at least to n^{3/2} at most: its root tells R to 1 %.
		a := max(f.Coeff(1199), f.Coeff(1200))
		if root := math.Pow(a, -1.0/1200); math.IsInf(r, 1) && root < 50 || !math.IsInf(r, 1) && !(math.Abs(root/r-1) < 0.02) {
			t.Errorf("%s: radius %v, and a[1200]^(−1/1200) = %v", c.name, r, root)
		}
		if math.IsInf(r, 1) {
			continue
		}
		for name, f := range map[string]func(float64) float64{"f": f.Eval, "f′": f.Deriv} {
			if got := f(r * (1 + 1e-11)); got != inf {
				t.Errorf("%s: %s just above the radius is %v", c.name, name, got)
			}
			if got := f(3 * r); got != inf {
				t.Errorf("%s: %s above the radius is %v", c.name, name, got)
			}
			if got := f(-r * (1 + 1e-11)); !math.IsNaN(got) {
				t.Errorf("%s: %s just below the radius is %v", c.name, name, got)
			}
			if got := f(-3 * r); !math.IsNaN(got) {
				t.Errorf("%s: %s below the radius is %v", c.name, name, got)
			}
			if got := f(-r); math.IsNaN(got) {
				t.Errorf("%s: %s at minus the radius is %v", c.name, name, got)
			}
		}
	}
	// Rounding may put an argument of a closed form outside.
	for _, c := range []struct {
		f series.Series
		r float64
	}{{series.ReLUDual{}, 1}, {series.StepDual{}, 1}, {series.ErfDual{}, 1.5}} {
		for _, r := range []float64{c.r, -c.r} {
			if got, want := c.f.Eval(r*(1+9e-13)), c.f.Eval(r); got != want {
				t.Errorf("%T: f = %v near %v, and %v there", c.f, got, r, want)
			}
			if got, want := c.f.Deriv(r*(1+9e-13)), c.f.Deriv(r); got != want {
				t.Errorf("%T: f′ = %v near %v, and %v there", c.f, got, r, want)
			}
		}
	}
}

// The series of the package and a caller's are valid; those with parameters out of range are refused by name and value.
func TestValidateSeries(t *testing.T) {
	for _, c := range seriesCases {
		if err := power.Validate(c.series); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := power.Validate(ownSeries{}); err != nil {
		t.Errorf("a caller's own: %v", err)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		series series.Series
		want   string // names the parameter and the value
		notPSD bool
	}{
		{nil, "f = nil", false},
		{(*series.Exp)(nil), "f = nil", false},
		{series.Coefficients{1, -0.5}, "Coefficients a[1] = -0.5", true},
		{series.Coefficients{nan}, "Coefficients a[0] = NaN", false},
		{series.Coefficients{0, 0, inf}, "Coefficients a[2] = +Inf", false},
		{&series.Exp{Rate: -1}, "Exp Rate = -1", true},
		{series.Exp{Rate: nan}, "Exp Rate = NaN", false},
		{series.Exp{Rate: inf}, "Exp Rate = +Inf", false},
		{series.Exp{Shift: nan}, "Exp Shift = NaN", false},
		{series.Exp{Shift: -2e9}, "Exp Shift = -2e+09", false},
		{series.ExpDual(-2), "Exp Rate = -2", true},
		{series.Geometric{Ratio: -0.5}, "Geometric Ratio = -0.5", true},
		{series.Geometric{Ratio: inf}, "Geometric Ratio = +Inf", false},
		{series.HermiteDual{N: -1}, "HermiteDual N = -1", false},
		{series.SineDual{}, "SineDual Rate = 0", false},
		{series.SineDual{Rate: nan}, "SineDual Rate = NaN", false},
		{series.SineDual{Rate: -3}, "SineDual Rate = -3", false},
		{series.CosineDual{}, "CosineDual Rate = 0", false},
		{series.CosineDual{Rate: 1e10}, "CosineDual Rate = 1e+10", false},
		{power.Binomial{Degree: -1, Gamma: 1, Offset: 1}, "Polynomial Degree = -1", false},
		{power.Binomial{Degree: 2, Gamma: -1, Offset: 1}, "Polynomial Gamma = -1", true},
		{power.Binomial{Degree: 2, Gamma: 1, Offset: -1}, "Polynomial Offset = -1", true},
		{power.Scaled{C: -1, F: series.StepDual{}}, "Scale c = -1", true},
		{power.Scaled{C: 1, F: nil}, "f = nil", false},
		{power.Sum{F: series.StepDual{}, G: series.Geometric{Ratio: nan}}, "Geometric Ratio = NaN", false},
		{power.Product{F: series.Geometric{Ratio: nan}, G: nil}, "Geometric Ratio = NaN", false},
		{power.Product{F: series.StepDual{}, G: nil}, "f = nil", false},
	} {
		err := power.Validate(c.series)
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#v: %v, want %q", c.series, err, c.want)
		}
		if errors.Is(err, ErrNotPSD) != c.notPSD {
			t.Errorf("%#v: %v, ErrNotPSD: %v", c.series, err, !c.notPSD)
		}
	}
}

// Weights are made of coefficients, so their bits are part of the promise.
func TestGoldenSeries(t *testing.T) {
	var b bytes.Buffer
	line := func(name string, f series.Series, ns ...int) {
		fmt.Fprintf(&b, "%s:", name)
		for _, n := range ns {
			fmt.Fprintf(&b, " %d %x", n, f.Coeff(n))
		}
		fmt.Fprintln(&b)
	}
	for _, c := range seriesCases {
		line(c.name, c.series, 0, 1, 2, 3, 4, 5, 6, 7, 22, 23, 24, 25, 52, 53, 54, 55, 100, 101, 1000, 1001)
		fmt.Fprintf(&b, "first 1500: %016x\n", golden.Fold(power.Coefficients(c.series, 1500)))
	}
	line("far ReLUDual", series.ReLUDual{}, 100_000, 1_000_000, math.MaxInt32-1)
	line("far StepDual", series.StepDual{}, 100_001, 1_000_001, math.MaxInt32)
	line("far Geometric", series.Geometric{Ratio: 0.99999}, 1_000, 100_000, 74_000_000, 74_400_000)
	line("far ExpDual", series.ExpDual(12345.6), 11_000, 12_345, 13_000, 5_000)
	line("far SineDual", series.SineDual{Rate: 1e6}, 999_999, 1_000_001)
	line("far Binomial", power.Binomial{Degree: 100_000, Gamma: 0.3, Offset: 0.7}, 29_000, 30_000)
	golden.Compare(t, "series.golden", b.Bytes())
}

// ownSeries is a caller's: −log(1 − t)/t, whose aₙ is 1/(n + 1).
type ownSeries struct{}

func (ownSeries) Eval(t float64) float64 {
	if t == 0 {
		return 1
	}
	return -math.Log1p(-t) / t
}

func (f ownSeries) Deriv(t float64) float64 {
	if t == 0 {
		return 0.5
	}
	return (1/(1-t) - f.Eval(t)) / t
}

func (ownSeries) Coeff(n int) float64 { return 1 / float64(max(n, 0)+1) }
func (ownSeries) Radius() float64     { return 1 }
