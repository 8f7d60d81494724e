// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package probe

import (
	"encoding/hex"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// identity is the map x ↦ x.
type identity int

func (m identity) Dims() (in, out int)                      { return int(m), int(m) }
func (m identity) TransformTo(dst *mat.Dense, x mat.Matrix) { dst.CloneFrom(x) }

// Points are part of the promise about saved maps: their hashes were computed on amd64, and never change.
func TestPoints(t *testing.T) {
	for in, want := range map[identity]string{1: "bf37957143297325", 2: "2a019f567e29e626", 3: "4b1269ae5353c16f", 16: "ad25e29366c45e4c", 1000: "072f694b9e3e9ff5"} {
		z := Features(in)
		sum := Sum(z)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("in = %d: %s, want %s", in, got, want)
		}
		for i := range 4 {
			for j := range i {
				if mat.Equal(z.RowView(i), z.RowView(j)) {
					t.Errorf("in = %d: points %d and %d are equal", in, j, i)
				}
			}
			// ‖x‖² is the number of coordinates times at most 23²/16²·4^{−bits/2}, and at least 8²/16² of it.
			if n := mat.Norm(z.RowView(i), 2); !(n > 0.3 && n < 2.1) {
				t.Errorf("in = %d: a point of norm %v", in, n)
			}
		}
	}
}

// Sums differ where features do, and all NaNs are one.
func TestSums(t *testing.T) {
	z := Features(identity(5))
	sum, sums := Sum(z), Sums(z)
	z.Set(2, 3, math.Nextafter(z.At(2, 3), 9))
	if Sum(z) == sum {
		t.Error("a bit was changed: the same sum")
	}
	z.Set(2, 3, z.At(2, 3)+1e-3)
	again := Sums(z)
	for i := range sums {
		if got, want := math.Abs(sums[i]-again[i]) > 0.9e-3, i == 2; got != want {
			t.Errorf("row 2 was changed, and the sum of row %d: %v", i, got)
		}
	}
	z.Set(0, 0, math.NaN())
	sum = Sum(z)
	z.Set(0, 0, math.Float64frombits(0xfff8000000000123))
	if Sum(z) != sum {
		t.Error("another NaN has another sum")
	}
}
