// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package detmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// Arguments and values rounded to nearest, from mpmath 1.2.1 with 60 digits.
var expTable = [][2]float64{
	{0, 0x1.0000000000000p+0},
	{0x1.0000000000000p+0, 0x1.5bf0a8b145769p+1},
	{-0x1.0000000000000p+0, 0x1.78b56362cef38p-2},
	{0x1.0000000000000p-1, 0x1.a61298e1e069cp+0},
	{-0x1.0000000000000p-1, 0x1.368b2fc6f960ap-1},
	{0x1.b7cdfd9d7bdbbp-34, 0x1.000000006df38p+0},
	{-0x1.70ef54646d497p-57, 0x1.0000000000000p+0},
	{0x1.62e42fefa39efp-2, 0x1.6a09e667f3bccp+0},
	{0x1.62e42fefa39f1p-2, 0x1.6a09e667f3bcdp+0},
	{-0x1.62e42fefa39efp-2, 0x1.6a09e667f3bcdp-1},
	{0x1.4000000000000p+3, 0x1.5829dcf950560p+14},
	{-0x1.2a66666666666p+5, 0x1.23865b7f2b6fep-54},
	{0x1.9000000000000p+6, 0x1.3494a9b171bf5p+144},
	{0x1.5e00000000000p+9, 0x1.d945df4f8ec8ep+1009},
	{0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023},
	{-0x1.5e00000000000p+9, 0x1.14f2b0fb9307fp-1010},
	{-0x1.6200000000000p+9, 0x1.7c8ab2288c9abp-1022},
	{-0x1.766938372453ep-1, 0x1.ecd905da80a88p-2},
	{0x1.63c5ab66b09f0p-1, 0x1.0070d6927432cp+1},
	{0x1.0e1aef0813e26p-1, 0x1.b1dcb0e6b1f17p+0},
	{-0x1.f59e5ee1d0148p-2, 0x1.39b540b67aabcp-1},
	{-0x1.2b2a87a632180p-7, 0x1.fb58c813e3225p-1},
	{-0x1.9dc4ea1c6bbf0p-4, 0x1.cece3176598eep-1},
	{0x1.367660612e768p-2, 0x1.5aaaa38b12d4ep+0},
	{0x1.27a7181adfcc8p-1, 0x1.c80f5531c18a0p+0},
	{-0x1.9fe345c18de9cp-1, 0x1.c67f317327e81p-2},
	{-0x1.e2f8e10da7c9ap-1, 0x1.8eaedcd7fa8d0p-2},
	{0x1.d6123697376f4p+8, 0x1.1fe099d85945dp+678},
	{-0x1.788121a6cb1d0p+6, 0x1.270896853f807p-136},
	{0x1.6f312e7a40a98p+8, 0x1.ad6b666662c98p+529},
	{-0x1.5c8698619d580p+9, 0x1.4a34a87251025p-1006},
	{-0x1.31d4eb2991908p+6, 0x1.9e4c5b26b3824p-111},
	{0x1.3627f29551d22p+8, 0x1.604848b3c3ea6p+447},
	{-0x1.7bbb9eb18c539p+8, 0x1.1e459d5468b14p-548},
	{0x1.37b0823671e36p+9, 0x1.45542249a3853p+899},
	{0x1.18ffcce7466c8p+9, 0x1.bb5e6748b932fp+810},
	{-0x1.489646690bfc2p+9, 0x1.dd260cd73c4dbp-949},
	{-0x1.4c301a09aa2abp+9, 0x1.6c22f65118b49p-959},
	{0x1.cfd1d78ce30b0p+5, 0x1.8ffbc88f689eep+83},
	{0x1.336787ac1ba36p+9, 0x1.f98728b5e64c9p+886},
	{-0x1.4ca0cd6bbb0c4p+7, 0x1.0ac84ed1d9162p-240},
	{-0x1.8cc2c6ac6afaap+8, 0x1.82b50cd99aad1p-573},
}

// From mpmath as well.
var logTable = [][2]float64{
	{0x1.0000000000000p-1, -0x1.62e42fefa39efp-1},
	{0x1.0000000000000p+1, 0x1.62e42fefa39efp-1},
	{0x1.4000000000000p+3, 0x1.26bb1bbb55516p+1},
	{0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9},
	{0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},
	{0x0.0000000000001p-1022, -0x1.74385446d71c3p+9},
	{0x1.fffffffffffffp-1, -0x1.0000000000000p-53},
	{0x1.0000000000001p+0, 0x1.fffffffffffffp-53},
	{0x1.6a09e667f3bccp-1, -0x1.62e42fefa39f1p-2},
	{0x1.6a09e667f3bcdp-1, -0x1.62e42fefa39eep-2},
	{0x1.6a09e667f3bcdp+0, 0x1.62e42fefa39f0p-2},
	{0x1.6a09e667f3bccp+0, 0x1.62e42fefa39eep-2},
	{0x1.8000000000000p+1, 0x1.193ea7aad030bp+0},
	{0x1.999999999999ap-4, -0x1.26bb1bbb55515p+1},
	{0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp+9},
	{0x1.0000000000000p-53, -0x1.25e4f7b2737fap+5},
	{0x1.b03f53dce8bcep-1, -0x1.5ac7e47728666p-3},
	{0x1.dbcde43895c40p-5, -0x1.6c46ac7401dd6p+1},
	{0x1.c60647c381e88p-2, -0x1.a06b8dd91642ap-1},
	{0x1.c0659af8369fep-1, -0x1.0fa8a17c5d1a2p-3},
	{0x1.fbb63446c41a4p-1, -0x1.139acfc4ceeb7p-7},
	{0x1.dd5b61587fd28p-2, -0x1.86c31a35e3358p-1},
	{0x1.d8d08ead45f20p-2, -0x1.8ba84946e649ep-1},
	{0x1.c01045c2cd788p-2, -0x1.a72fd1701610ap-1},
	{0x1.d6a24a79e3256p-1, -0x1.59103fb29a5f5p-4},
	{0x1.28bc82f697c4ep-1, -0x1.174938c190dedp-1},
	{0x1.60165b5456240p-5, -0x1.92d2037377e3ap+1},
	{0x1.acd7053aa42a3p+0, 0x1.0824ddba5ca1fp-1},
	{0x1.1ce794bb05232p+0, 0x1.b62d80e2fd7ffp-4},
	{0x1.48dace8666678p+0, 0x1.0072fa948bc8ep-2},
	{0x1.7cbc6ca11d458p-2, -0x1.fa8e1d5800412p-1},
	{0x1.a497ae1c98cc7p+981, 0x1.543ca7cf0be9fp+9},
	{0x1.58ddb0b2b0b08p+717, 0x1.f148d57180d5bp+8},
	{0x1.4bcff7644abf7p-756, -0x1.05e143a05a652p+9},
	{0x1.72ff162ef2e39p-334, -0x1.ce47c0dd0416bp+7},
	{0x1.5e7978f87bc92p+441, 0x1.31fdf4d5d18d3p+8},
	{0x1.ea92ad49cd578p+420, 0x1.23c5afb6331a4p+8},
	{0x1.dbe93c5256b87p+869, 0x1.2d7b8398868f6p+9},
	{0x1.ada786e48d674p-156, -0x1.ae73df484ec16p+6},
	{0x1.c1ba103dd5a37p+657, 0x1.c7f60e9d3671bp+8},
	{0x1.5caad79782607p+339, 0x1.d69258fa0097cp+7},
	{0x1.0f15a77ab8d61p-392, -0x1.0fa80c89dff77p+8},
	{0x1.79e812e584437p+174, 0x1.e3fd023f49266p+6},
	{0x1.442d9ca78e500p+762, 0x1.083506b6fcaa3p+9},
	{0x1.049c9c7fb5bd5p+690, 0x1.de4a16b45c12ep+8},
	{0x1.7206ae61de133p+10, 0x1.d331092251c39p+2},
}

// ulps returns how many floats lie between a and b, which are finite.
func ulps(a, b float64) uint64 {
	// Floats in order, as integers in order.
	order := func(x float64) int64 {
		if i := int64(math.Float64bits(x)); i >= 0 {
			return i
		}
		return -int64(math.Float64bits(-x))
	}
	d := order(a) - order(b)
	return uint64(max(d, -d))
}

func TestAgainstTables(t *testing.T) {
	for _, c := range expTable {
		if got := Exp(c[0]); ulps(got, c[1]) > 1 {
			t.Errorf("Exp(%v) = %x, want %x", c[0], got, c[1])
		}
	}
	for _, c := range logTable {
		if got := Log(c[0]); ulps(got, c[1]) > 1 {
			t.Errorf("Log(%v) = %x, want %x", c[0], got, c[1])
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		f         func(float64) float64
		arg, want float64
	}{
		{"Exp", Exp, 0, 1}, {"Exp", Exp, inf, inf}, {"Exp", Exp, -inf, 0}, {"Exp", Exp, nan, nan},
		{"Exp", Exp, 710, inf}, {"Exp", Exp, -746, 0}, {"Exp", Exp, -745, 5e-324},
		{"Log", Log, 1, 0}, {"Log", Log, 0, -inf}, {"Log", Log, inf, inf}, {"Log", Log, -1, nan},
		{"Log", Log, -inf, nan}, {"Log", Log, nan, nan},
	} {
		got := c.f(c.arg)
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.arg, got, c.want)
		}
	}
}

// Exp and Log agree with package math, whose error is below one unit in the last
// place too, all over their ranges.
func TestAgainstMath(t *testing.T) {
	for i := range 200_000 {
		x := -707 + 0.00707*float64(i)
		if got, want := Exp(x), math.Exp(x); ulps(got, want) > 2 {
			t.Fatalf("Exp(%v) = %x, math has %x", x, got, want)
		}
		y := math.Exp(x / 1.01)
		if got, want := Log(y), math.Log(y); ulps(got, want) > 2 {
			t.Fatalf("Log(%v) = %x, math has %x", y, got, want)
		}
	}
}

// The bits of 200,000 results of each, as one hash: the same on every architecture.
func TestBits(t *testing.T) {
	h := fnv.New64a()
	var b [8]byte
	for i := range 200_000 {
		x := float64(i-100_000) / 149 // exact inputs, except for one rounding
		for _, v := range []float64{Exp(x), Log(math.Abs(x))} {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
		}
	}
	const want = 0x55c7ead52e8b8e4a // as printed on amd64, and on 386 and arm64
	if got := h.Sum64(); got != want {
		t.Errorf("hash of the results = %#x, want %#x", got, uint64(want))
	}
}
