// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// The gradient equals central differences of the loss, for weights, intercepts, weights of rows, and raw features of landmarks.
func TestGradient(t *testing.T) {
	s := featuremap.NewSampler(5)
	x := mat.NewDense(60, 2, nil)
	s.FillNormal(x.RawMatrix().Data)
	classes, weights := make([]int, 60), make([]float64, 60)
	for i := range classes {
		classes[i], weights[i] = i%3, float64(i%4)
	}
	fourier, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 6, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	landmarks, err := featuremap.NewLandmarks(featuremap.Gaussian{LengthScale: 1}, x, 6, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, phi := range []featuremap.FeatureMap{fourier, landmarks} {
		tr, err := newTraining(phi, &Options{Lambda: 0.5, Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		tr.x = x
		tr.read = func(add func(x, y mat.Matrix, weights []float64) error) error {
			return add(x, &classColumn{classes}, weights)
		}
		if err := tr.survey(3); err != nil {
			t.Fatal(err)
		}
		start, err := tr.ridge()
		if err != nil {
			t.Fatal(err)
		}
		d := tr.newDescent(start)
		for _, chunk := range tr.kept {
			tr.centre(chunk)
		}
		if err := d.begin(start); err != nil {
			t.Fatal(err)
		}
		point := make([]float64, len(d.search.Point()))
		s.FillNormal(point)
		gradient, other := make([]float64, len(point)), make([]float64, len(point))
		if _, err := d.evaluate(point, gradient); err != nil {
			t.Fatal(err)
		}
		const h = 1e-5
		for i, v := range point {
			point[i] = v + h
			above, _ := d.evaluate(point, other)
			point[i] = v - h
			below, _ := d.evaluate(point, other)
			point[i] = v
			// The error of a central difference: h² times the third derivative, and rounding over h.
			if want := (above - below) / (2 * h); !(math.Abs(gradient[i]-want) <= 1e-8*(1+math.Abs(want))) {
				t.Errorf("%v: element %d: %v, by differences %v", phi, i, gradient[i], want)
			}
		}
	}
}

// Probabilities sum to 1 and none is NaN where scores are as large as 1000.
func TestSoftmax(t *testing.T) {
	for _, row := range [][]float64{{1e3, -1e3, 0}, {-1e3, -1e3}, {1e3, 1e3, 999}, make([]float64, 100), {0.1, 0.2, 0.3, -5, 4, 3, 2, 1, 9}} {
		softmax(row)
		var sum float64
		for _, p := range row {
			if !(p >= 0 && p <= 1) {
				t.Errorf("probability %v", p)
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= 1e-14) {
			t.Errorf("sum %v", sum)
		}
	}
}
