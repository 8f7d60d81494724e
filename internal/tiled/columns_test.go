// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A matrix is made of given columns, which it releases.
func TestFromColumns(t *testing.T) {
	for _, n := range sizes() {
		z := random(rand.New(rand.NewPCG(9, 10)), n, n)
		columns, want := make([][]float64, n), make([][]float64, n)
		for j := range columns {
			columns[j] = z.Data[j*z.Stride:][:j+1]
			want[j] = columns[j]
		}
		m := FromColumns(columns)
		got := make([]float64, n)
		for j := range n {
			if m.Column(got, j); !slices.Equal(got[:j+1], want[j]) {
				t.Errorf("n = %d: column %d is %v, want %v", n, j, got[:j+1], want[j])
			}
			if columns[j] != nil {
				t.Errorf("n = %d: column %d is held", n, j)
			}
		}
	}
}

// Dot has the bits of Dots, and 0 for no elements.
func TestDot(t *testing.T) {
	for _, n := range append(sizes(), 0) {
		z := random(rand.New(rand.NewPCG(11, 12)), 2, n)
		a, b := z.Data[:n], z.Data[z.Stride:][:n]
		var want [1]float64
		Dots(want[:], a, b, n)
		if got := Dot(a, b); got != want[0] || n == 0 && got != 0 {
			t.Errorf("n = %d: %v, want %v", n, got, want[0])
		}
	}
}

// A stride is the least multiple of 8 that has room, and no multiple of 512.
func TestStride(t *testing.T) {
	for n, want := range map[int]int{1: 8, 8: 8, 9: 16, 505: 520, 512: 520, 513: 520, 521: 528, 1023: 1032, 1024: 1032} {
		if got := Stride(n); got != want {
			t.Errorf("Stride(%d) = %d, want %d", n, got, want)
		}
	}
}
