// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package detmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"testing"
)

// big returns x with all its bits.
func (x Wide) big() *big.Float {
	y := new(big.Float).SetPrec(400).Add(big.NewFloat(x.hi), big.NewFloat(x.lo))
	return y.SetMantExp(y, int(x.exp))
}

// near fails unless got is want except for a relative error of tolerance.
func near(t *testing.T, name string, n int, got Wide, want *big.Float, tolerance float64) {
	t.Helper()
	if hi := got.hi; !(hi >= 0.5 && hi <= 1) || hi+got.lo != hi {
		t.Errorf("%s(%d) is not normal: %x", name, n, got)
	}
	d := new(big.Float).Sub(got.big(), want)
	if err, _ := d.Quo(d, want).Float64(); !(math.Abs(err) <= tolerance) {
		t.Errorf("%s(%d): relative error %.3g", name, n, err)
	}
}

// Each product and each quotient rounds by less than 2⁻¹⁰².
func TestWide(t *testing.T) {
	for _, x := range []float64{1.5, 0.7, 0.999999999, 1.0000000001, 3e200, 1e-300, 5e-324} {
		want := new(big.Float).SetPrec(400).SetInt64(1)
		for n := range 2000 {
			near(t, "Pow", n, NewWide(x).Pow(n), want, float64(n)*0x1p-102)
			near(t, "1/Pow", n, NewWide(1).Div(NewWide(x).Pow(n)), new(big.Float).Quo(big.NewFloat(1).SetPrec(400), want), float64(n+1)*0x1p-102)
			want.Mul(want, big.NewFloat(x))
		}
	}
	// Euler's number, from OEIS A001113.
	want, _ := new(big.Float).SetPrec(400).SetString("2.71828182845904523536028747135266249775724709369995957496696763")
	near(t, "e", 1, e, want, 0x1p-106)
	near(t, "WideExp", 1, WideExp(1), want, 0x1p-100)
}

// Values rounded to nearest, from mpmath 1.3.0 with 60 digits.
func TestWideExp(t *testing.T) {
	for _, c := range []struct{ x, factor, want float64 }{
		{0, 0, 1},
		{-0.75, 0, 0.47236655274101470714},
		{700.25, 0, 1.3022997366991783935e+304},
		{-744.4, 0, 5e-324},
		{710, -710, 1}, {1e9, -1e9, 1}, {-12345.5, 12345.25, 0.77880078307140486825},
	} {
		got := WideExp(c.x).Mul(WideExp(c.factor)).Float64()
		if ulps(got, c.want) > 3 {
			t.Errorf("WideExp(%v)·WideExp(%v) = %.17g, want %.17g", c.x, c.factor, got, c.want)
		}
	}
}

// Against products of 400 bits: exact up to 22, and then Stirling's series.
func TestFactorial(t *testing.T) {
	want := new(big.Float).SetPrec(400).SetInt64(1)
	for n := range 3000 {
		if n > 0 {
			want.Mul(want, big.NewFloat(float64(n)))
		}
		tolerance := 0.0
		if n > 22 {
			tolerance = 4e-16
		}
		near(t, "Factorial", n, Factorial(n), want, tolerance)
	}
}

func TestCentralBinomial(t *testing.T) {
	want := new(big.Float).SetPrec(400).SetInt64(1)
	for k := range 3000 {
		if k > 0 {
			want.Mul(want, big.NewFloat(float64(2*k-1)))
			want.Quo(want, big.NewFloat(float64(2*k)))
		}
		tolerance := 0x1p-300
		if k > 25 {
			tolerance = 3.4e-16
		}
		near(t, "CentralBinomial", k, NewWide(CentralBinomial(k)), want, tolerance)
	}
	// From mpmath, by loggamma.
	if got, want := CentralBinomial(1e9), 0.000017841241159297556; ulps(got, want) > 2 {
		t.Errorf("CentralBinomial(1e9) = %.17g, want %.17g", got, want)
	}
}

func TestExpm1(t *testing.T) {
	for i := range 100_000 {
		x := math.Ldexp(float64(i-50_000)/50_000, 6-i%40)
		if got, want := Expm1(x), math.Expm1(x); ulps(got, want) > 4 {
			t.Fatalf("Expm1(%v) = %v, math has %v", x, got, want)
		}
	}
	inf := math.Inf(1)
	for _, c := range [][2]float64{{0, 0}, {inf, inf}, {-inf, -1}, {1e-300, 1e-300}, {-1e-300, -1e-300}, {-50, -1}, {710, inf}} {
		if got := Expm1(c[0]); got != c[1] {
			t.Errorf("Expm1(%v) = %v, want %v", c[0], got, c[1])
		}
	}
	if got := Expm1(math.NaN()); !math.IsNaN(got) {
		t.Errorf("Expm1(NaN) = %v", got)
	}
}

func TestLog1p(t *testing.T) {
	for i := range 100_000 {
		x := math.Ldexp(float64(i+1)/100_000, 8-i%60)
		if got, want := Log1p(x), math.Log1p(x); ulps(got, want) > 4 {
			t.Fatalf("Log1p(%v) = %v, math has %v", x, got, want)
		}
	}
	inf := math.Inf(1)
	for _, c := range [][2]float64{{0, 0}, {inf, inf}, {1e-300, 1e-300}, {1e-20, 1e-20}, {math.MaxFloat64, math.Log(math.MaxFloat64)}} {
		if got := Log1p(c[0]); got != c[1] {
			t.Errorf("Log1p(%v) = %v, want %v", c[0], got, c[1])
		}
	}
	if got := Log1p(math.NaN()); !math.IsNaN(got) {
		t.Errorf("Log1p(NaN) = %v", got)
	}
}

func TestPow(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x    float64
		n    int
		want float64
	}{
		{2, 10, 1024}, {-2, 3, -8}, {-2, 4, 16}, {0, 0, 1}, {0, 3, 0}, {0.1, 1, 0.1}, {-3, 33, -5559060566555523},
		{inf, 2, inf}, {-inf, 3, -inf}, {inf, 0, 1}, {nan, 0, nan}, {nan, 2, nan},
		{10, 400, inf}, {-10, 401, -inf}, {0.1, 400, 0}, {1 - 0x1p-53, math.MaxInt32, 0.99999976158144943117},
	} {
		if got := Pow(c.x, c.n); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Pow(%v, %d) = %.17g, want %.17g", c.x, c.n, got, c.want)
		}
	}
}

// The bits of many results, as one hash: the same on every architecture.
func TestWideBits(t *testing.T) {
	h := fnv.New64a()
	var b [8]byte
	for i := range 20_000 {
		x := float64(i+1) / 14903
		for _, v := range []float64{
			NewWide(x).Pow(i).Float64(), WideExp(-float64(x * 500)).Div(WideExp(700 - float64(x*500))).Float64(),
			NewWide(float64(i)).Pow(5).Div(Factorial(i % 200)).Float64(), CentralBinomial(i), Expm1(-x),
		} {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
		}
	}
	const want = 0x3a39279df63642e9 // as printed on amd64, and on 386
	if got := h.Sum64(); got != want {
		t.Errorf("hash of the results = %#x, want %#x", got, uint64(want))
	}
}
