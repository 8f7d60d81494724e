// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pairs

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

func TestMean(t *testing.T) {
	if got := mean(4, func(i, j int) float64 { return float64(10*i + j) }); got != (10+20+21+30+31+32)/6. {
		t.Errorf("mean %v", got)
	}
	root, doubt := Root([]float64{1, 7})
	// The standard error of the mean 4 is √18/√2 = 3, and that of its root 3/(2·2).
	if root != 2 || math.Abs(doubt-0.75) > 1e-12 {
		t.Errorf("root %v ± %v, want 2 ± 0.75", root, doubt)
	}
	if _, doubt := Root([]float64{4}); !math.IsNaN(doubt) {
		t.Errorf("the root of one is known to %v", doubt)
	}
}

// Measured errors of many maps are the predicted one, up to their standard error.
func TestError(t *testing.T) {
	s := featuremap.NewSampler(1)
	x := mat.NewDense(100, 3, nil)
	s.FillNormal(x.RawMatrix().Data)
	rows := Spread(x, 20)
	if n, _ := rows.Dims(); n != 20 || rows.At(19, 2) != x.At(95, 2) {
		t.Fatalf("%d rows, the last with %v", n, rows.At(n-1, 2))
	}
	kernel := featuremap.Gaussian{LengthScale: 2}
	var exact mat.SymDense
	featuremap.Gram(&exact, kernel, rows)
	var squares []float64
	var predicted float64
	for range 100 {
		m, err := featuremap.NewFourier(kernel, 3, 64, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		predicted = Predicted(m, rows)
		squares = append(squares, SquaredError(m, rows, &exact))
	}
	if root, doubt := Root(squares); math.Abs(root-predicted) > 4*doubt || doubt > predicted/10 {
		t.Errorf("measured %v ± %v, predicted %v", root, doubt, predicted)
	}
}
