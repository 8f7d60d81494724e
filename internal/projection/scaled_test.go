// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Scaled multiplies the columns from At on, and in the derivative the gradients by these.
func TestScaled(t *testing.T) {
	factors := []float64{3, -0.5}
	x := mat.NewDense(2, 3, []float64{1, 2, 3, -4, 5, 0.25})
	s := NewStack(3, 3, Copy{Scale: 1}, Scaled{At: 1, Factors: factors})
	got := mat.NewDense(2, 3, nil)
	s.Transform(got, x)
	back, part := s.Pullback()
	if back == nil {
		t.Fatalf("part %d has no derivative", part)
	}
	g, pulled := mat.NewDense(2, 3, []float64{1, 1, 1, 2, 3, 4}), mat.NewDense(2, 3, nil)
	before := mat.DenseCopyOf(g)
	back.PullbackTo(pulled, x, g)
	for i := range 2 {
		for j := range 3 {
			c := 1.0
			if j > 0 {
				c = factors[j-1]
			}
			if v := got.At(i, j); v != c*x.At(i, j) {
				t.Errorf("row %d, column %d: %v, want %v", i, j, v, c*x.At(i, j))
			}
			if v := pulled.At(i, j); v != c*before.At(i, j) {
				t.Errorf("gradient, row %d, column %d: %v, want %v", i, j, v, c*before.At(i, j))
			}
		}
	}
	if !mat.Equal(g, before) {
		t.Error("the gradient that was given has changed")
	}
}
