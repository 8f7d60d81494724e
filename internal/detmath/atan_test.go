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

// Against package math, whose Atan2 is good to two units in the last place.
func TestAtan2(t *testing.T) {
	for i := range 200_000 {
		angle := math.Pi * (float64(i) + 0.5) / 200_000
		y, x := math.Sin(angle), math.Cos(angle)
		if got, want := Atan2(y, x), math.Atan2(y, x); !(ulps(got, want) <= 3) {
			t.Fatalf("Atan2(%v, %v) = %v, math has %v", y, x, got, want)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ y, x, want float64 }{
		{0, 1, 0}, {0, -1, math.Pi}, {1, 0, math.Pi / 2}, {1, 1, math.Pi / 4}, {1, -1, 3 * math.Pi / 4},
		{1e-300, 1, 1e-300}, {1e300, 1e-300, math.Pi / 2}, {inf, 1, math.Pi / 2}, {1, inf, 0}, {1, -inf, math.Pi},
		{0, 0, nan}, {-1, 1, nan}, {nan, 1, nan}, {1, nan, nan},
		{2, math.Sqrt(5), 0.72972765622696636345479665981332}, // arcsin ⅔
	} {
		if got := Atan2(c.y, c.x); !(ulps(got, c.want) <= 1) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Atan2(%v, %v) = %v, want %v", c.y, c.x, got, c.want)
		}
	}
}

func TestAtan2Bits(t *testing.T) {
	h := fnv.New64a()
	var b [8]byte
	for i := range 20_000 {
		x := float64(i-10_000) / 9973
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(Atan2(math.Sqrt(float64(i)), x)))
		h.Write(b[:])
	}
	const want = 0x8d6349205648acf4 // as printed on amd64, and on 386
	if got := h.Sum64(); got != want {
		t.Errorf("hash of the results = %#x, want %#x", got, uint64(want))
	}
}
