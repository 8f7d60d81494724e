// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package chain computes sums of vectors as one chain of fused multiply-adds, in the order of the elements. So they
// have the same bits on every machine.
package chain

import "math"

// Dot returns ⟨a, b⟩. b has at least as many elements as a.
func Dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum = math.FMA(v, b[i], sum)
	}
	return sum
}

// Add adds c·b to a, which has at least as many elements as b.
func Add(a []float64, c float64, b []float64) {
	for i, v := range b {
		a[i] = math.FMA(c, v, a[i])
	}
}
