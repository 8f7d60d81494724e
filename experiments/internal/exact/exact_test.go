// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package exact

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestSolve(t *testing.T) {
	k := mat.NewSymDense(3, []float64{
		3, 9, 1,
		9, 9, 9,
		1, 9, 2,
	})
	// Rows 2 and 0, and λ = 1: the system is (3 1; 1 4), with the inverse (4 −1; −1 3)/11.
	got, err := Solve(k, []int{2, 0}, 1, []float64{11, 22})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || math.Abs(got[0]-2) > 1e-12 || math.Abs(got[1]-5) > 1e-12 {
		t.Errorf("solution %v, want [2 5]", got)
	}
	if got, err := Solve(mat.NewSymDense(2, []float64{1, 5, 5, 1}), []int{0, 1}, 1, []float64{1, 1}); err == nil {
		t.Errorf("solution %v of an indefinite system", got)
	}
}
