// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The diagonal of the inverse equals the one from columns that are solved one by one: below, at and above the number of
// columns that are solved together.
func TestInverseDiagonal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 255, 256, 257, 300} {
		m := New(n)
		for j := range n {
			for i := range j {
				m.Set(i, j, rnd.NormFloat64()/float64(n))
			}
			m.Set(j, j, 3)
		}
		f, _ := m.Factorize(0)
		got := make([]float64, n+1)
		got[n] = 7
		f.InverseDiagonal(got)
		for i := range n {
			column := make([]float64, n)
			column[i] = 1
			f.SolveTransVec(column)
			f.SolveVec(column)
			if !(math.Abs(got[i]/column[i]-1) < 1e-12) {
				t.Fatalf("n = %d: element %d is %v, want %v", n, i, got[i], column[i])
			}
		}
		if got[n] != 7 {
			t.Errorf("n = %d: the element after the last was set", n)
		}
	}
}
