// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package chain

import (
	"slices"
	"testing"
)

// A product far below the sum of the others is kept, because only sums are rounded: (1 + 2⁻³⁰)² − 1 − 2⁻²⁹ = 2⁻⁶⁰.
func TestFused(t *testing.T) {
	const v = 1 + 0x1p-30
	if got := Dot([]float64{-1, -0x1p-29, v}, []float64{1, 1, v, 7}); got != 0x1p-60 {
		t.Errorf("a product was rounded: %v", got)
	}
	a := []float64{-1 - 0x1p-29, 2, 3}
	if Add(a, v, []float64{v, 0}); !slices.Equal(a, []float64{0x1p-60, 2, 3}) {
		t.Errorf("a product was rounded: %v", a)
	}
	if Dot(nil, nil) != 0 {
		t.Error("an empty sum")
	}
}
