// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fma

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactFMA is a·b + c with one rounding, by numbers of any precision.
func exactFMA(a, b, c float32) float32 {
	p := new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
	p.Add(p, big.NewFloat(float64(c)))
	v, _ := p.Float32()
	return v
}

// hard are numbers whose products and sums lie at or next to the middle of two float32, or are subnormal, or overflow.
func hard(rng *rand.Rand) float32 {
	bits := rng.Uint32()
	switch rng.IntN(4) {
	case 0:
		bits &= 0xfff00000 | 1<<rng.IntN(20)
	case 1:
		bits |= 0x000fffff
	case 2:
		bits = bits&0x807fffff | uint32(127+rng.IntN(49)-24)<<23
	}
	v := math.Float32frombits(bits)
	if v-v != 0 {
		return 1
	}
	return v
}

func TestFMAIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	slow, wrongTwice := 0, 0
	for range 60_000 {
		a, b, c := hard(rng), hard(rng), hard(rng)
		if rng.IntN(2) == 0 { // about as large as the product, and half a unit off
			p := float32(float64(a) * float64(b))
			c = math.Float32frombits(math.Float32bits(p) ^ uint32(rng.IntN(1<<26)))
			if c-c != 0 {
				c = p
			}
		}
		if a-a != 0 || b-b != 0 || c-c != 0 {
			continue
		}
		got, want := Float32(a, b, c), exactFMA(a, b, c)
		if got != want {
			t.Fatalf("Float32(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
		if float32(math.FMA(float64(a), float64(b), float64(c))) != want {
			wrongTwice++
		}
		slow++
	}
	t.Logf("rounded twice %d of %d would be wrong", wrongTwice, slow)
	if wrongTwice == 0 {
		t.Error("no case tells rounding twice from rounding once")
	}
}

func TestFMASpecial(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct{ a, b, c, want float32 }{
		{math.MaxFloat32, 2, 0, inf},
		{math.MaxFloat32, 1, math.MaxFloat32 / (1 << 23), inf},
		{math.MaxFloat32, 1, math.MaxFloat32 / (1 << 26), math.MaxFloat32},
		{math.MaxFloat32, 2, -math.MaxFloat32, math.MaxFloat32},
		{inf, 0, 1, nan}, {inf, 1, -inf, nan}, {nan, 1, 1, nan}, {1, 1, nan, nan}, {inf, -1, 1, -inf},
		{0x1p-100, 0x1p-49, 0, 0x1p-149}, {0x1p-100, 0x1p-50, 0, 0}, {0x1.8p-100, 0x1p-50, 0, 0x1p-149},
		{0x1p-100, 0x1p-50, 0x1p-149, 0x1p-148}, // a tie to even, of subnormals
		{0x1.000002p-75, 0x1.fffffep-75, 0x1p-126, 0x1p-126 + 0x1p-149},
	} {
		if got := Float32(c.a, c.b, c.c); got != c.want && (got == got || c.want == c.want) {
			t.Errorf("Float32(%x, %x, %x) = %x, want %x", c.a, c.b, c.c, got, c.want)
		}
	}
}
