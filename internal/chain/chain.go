// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package chain has sums of vectors that are one chain of fused multiply-adds in the order of the elements, and so have the
// same bits on every machine.
package chain

import "math"

// Dot returns ⟨a, b⟩. b has as many elements as a, or more.
func Dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum = math.FMA(v, b[i], sum)
	}
	return sum
}

// Add adds c·b to a, which has as many elements as b, or more.
func Add(a []float64, c float64, b []float64) {
	for i, v := range b {
		a[i] = math.FMA(c, v, a[i])
	}
}
