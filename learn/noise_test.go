// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"testing"
)

// The noise that takes the place of a target's is its own where all are equal, and not below its share of the mean; 1 over that in the
// gradient is the derivative of the sum of its logarithms, by central differences.
func TestHeldNoise(t *testing.T) {
	if got := heldNoise([]float64{3e-9}); got[0] != 3e-9 {
		t.Errorf("one target: %v", got)
	}
	noise := []float64{1e-12, 0.3, 0.06}
	held := heldNoise(noise)
	if want := 0.05 * 0.12 / 1.05; math.Abs(held[0]-want) > 1e-9 {
		t.Errorf("a target without noise has %v, want %v", held[0], want)
	}
	sum := func(s int, h float64) (sum float64) {
		moved := append([]float64(nil), noise...)
		moved[s] += h
		for _, v := range heldNoise(moved) {
			sum += math.Log(v)
		}
		return sum
	}
	const h = 1e-7
	for s, v := range slopeNoise(noise) {
		if got := (sum(s, h) - sum(s, -h)) / (2 * h); math.Abs(got*v-1) > 1e-6 {
			t.Errorf("target %d: the slope is %v, by differences %v", s, 1/v, got)
		}
	}
}
