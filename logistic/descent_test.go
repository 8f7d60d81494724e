// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// The gradient equals central differences of the loss, for weights, intercepts, weights of rows, and raw features of landmarks, in
// the coordinates of both factors.
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
	landmarks, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 6, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, phi := range []featuremap.FeatureMap{fourier, landmarks} {
		tr, err := newTraining(phi, &Options{Lambda: 0.5, Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		tr.x = x
		tr.read = func(yield func(ridge.Batch, error) bool) {
			yield(ridge.Batch{X: x, Y: &classColumn{classes}, Weights: weights}, nil)
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
			tr.center(chunk)
		}
		if err := d.begin(start); err != nil {
			t.Fatal(err)
		}
		checkGradient(t, d, s)
		majoriser := d.factor
		if changed, err := d.recondition(); !changed || err != nil {
			t.Fatalf("%v: no new factor: %v", phi, err)
		}
		checkFactor(t, d, majoriser)
		checkGradient(t, d, s)
	}
}

// checkGradient compares the gradient at a random point with central differences. The spreads are those of the point.
func checkGradient(t *testing.T, d *descent, s *featuremap.Sampler) {
	t.Helper()
	point := make([]float64, len(d.search.Point()))
	s.FillNormal(point)
	gradient, other := make([]float64, len(point)), make([]float64, len(point))
	const h = 1e-5
	for i, v := range point {
		point[i] = v + h
		above, _ := d.evaluate(point, other)
		point[i] = v - h
		below, _ := d.evaluate(point, other)
		point[i] = v
		if _, err := d.evaluate(point, gradient); err != nil {
			t.Fatal(err)
		}
		// The error of a central difference: h² times the third derivative, and rounding over h.
		if want := (above - below) / (2 * h); !(math.Abs(gradient[i]-want) <= 1e-8*(1+math.Abs(want))) {
			t.Errorf("%v: element %d: %v, by differences %v", d.phi, i, gradient[i], want)
		}
	}
}

// checkFactor compares the squares of the new factor with what recondition says they are, from the features and the probabilities
// at the point evaluated last, and the old factor.
func checkFactor(t *testing.T, d *descent, old *tiled.Factor) {
	t.Helper()
	m := len(d.classes)
	x, _ := d.x.(*mat.Dense)
	var z mat.Dense
	d.phi.TransformTo(&z, x)
	spread, mean := make([]float64, m), 0.0
	for i := range spread {
		p := make([]float64, d.count)
		for k := range p {
			p[k] = d.at.intercept[k]
			for j, v := range z.RawRowView(i) {
				p[k] += (v - d.middle[j]) * d.row(d.at, k)[j]
			}
		}
		softmax(p)
		spread[i] = 1
		for _, v := range p {
			spread[i] -= v * v
		}
		mean += d.weight(i) * spread[i] / d.total
	}
	var rest, weight float64
	for i, v := range spread {
		if v <= mean/2 {
			rest, weight = rest+d.weight(i)*v, weight+d.weight(i)
		}
	}
	if weight > 0 {
		rest /= weight
	}
	square := func(f *tiled.Factor, a, b int) (sum float64) {
		for k := range min(a, b) + 1 {
			sum += f.At(k, a) * f.At(k, b)
		}
		return sum
	}
	for a := range d.out {
		for b := range a + 1 {
			want := 2 * rest * square(old, a, b)
			if a == b {
				want += max(float64(d.count)*d.lambda-2*rest*d.ridgeLambda, 0)
			}
			for i, v := range spread {
				if v > mean/2 {
					want += 2 * d.weight(i) * (v - rest) * (z.At(i, a) - d.middle[a]) * (z.At(i, b) - d.middle[b])
				}
			}
			if got := square(d.factor, a, b); !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("%v: element %d, %d of the squares: %v, want %v", d.phi, a, b, got, want)
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

// Of many rows for each feature the sums are of some, by class, and have the weights of all; of fewer rows, of all.
func TestFewer(t *testing.T) {
	const out = 5
	for _, n := range []int{manySums * out, manySums*out + 1, 4000} {
		tr := &training{out: out, count: 3, classes: make([]int32, n), weights: make([]float64, n)}
		sums := make([]float64, 3)
		for i := range n {
			tr.classes[i], tr.weights[i] = int32(min(i%100, 2)), float64(i%3) // two rare classes, and rows without weight
			sums[tr.classes[i]] += tr.weights[i]
		}
		got := tr.fewer()
		if n == manySums*out {
			if !slices.Equal(got, tr.weights) {
				t.Errorf("%d rows: the sums are not of all", n)
			}
			continue
		}
		taken, some := make([]float64, 3), 0
		for i, w := range got {
			if taken[tr.classes[i]] += w; w > 0 {
				some++
			}
			if w < 0 || w > 0 && tr.weights[i] == 0 {
				t.Fatalf("row %d of weight %v has %v", i, tr.weights[i], w)
			}
		}
		if most := someSums * out; some > most+2*most/6+partCount || some < most-partCount {
			t.Errorf("%d rows: %d in the sums, want about %d", n, some, most)
		}
		for c, v := range taken {
			if !(math.Abs(v-sums[c]) <= 1e-12*sums[c]) {
				t.Errorf("%d rows, class %d: weights sum to %v, want %v", n, c, v, sums[c])
			}
		}
	}
}

// The descent begins where the sample that chose λ has come to, if there is one, which loses less than ridge regression at its best scale.
func TestStartOfSample(t *testing.T) {
	for n, want := range map[int]bool{2: false, 2000: true} {
		x, classes := mat.NewDense(n, 2, nil), make([]int, n)
		featuremap.NewSampler(3).FillNormal(x.RawMatrix().Data)
		classes[0] = 1
		for i := range n {
			if n > 2 && x.At(i, 0)*x.At(i, 0)+x.At(i, 1) > 0.5 {
				classes[i] = 1
			}
		}
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 40, featuremap.NewSampler(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		d := newTestDescent(t, phi, x, classes, nil)
		if err := d.chooseLambda(); err != nil {
			t.Fatal(err)
		}
		if d.fromRidge() == want {
			t.Errorf("%d rows: from ridge regression: %t", n, d.fromRidge())
		}
		if !want {
			continue
		}
		var losses [2]float64
		for k := range losses {
			if err := d.begin(d.begun); err != nil {
				t.Fatal(err)
			}
			d.set(d.start)
			if losses[k], err = d.traverse(d.raw, d.gradient); err != nil {
				t.Fatal(err)
			}
			d.sampled = functions{}
		}
		if !(losses[0] < 0.9*losses[1]) {
			t.Errorf("the loss is %v at the start of the sample, %v at that of ridge regression", losses[0], losses[1])
		}
	}
}

// A descent that begins with weights that are far too large ends by Tolerance all the same: it is a part of the loss where it ends, not
// of what it was before the intercepts fell to their best.
func TestFarStart(t *testing.T) {
	s := featuremap.NewSampler(3)
	for trial := range 40 {
		const n = 30
		x, classes, weights := mat.NewDense(n, 2, nil), make([]int, n), make([]float64, n)
		s.FillNormal(x.RawMatrix().Data)
		for i := range n {
			classes[i], weights[i] = i%3, math.Exp(8*s.Float64())
		}
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 8, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		loss := func(tolerance, size float64) float64 {
			d := newTestDescent(t, phi, x, classes, &Options{Lambda: 300, Weights: weights, Tolerance: tolerance})
			w := mat.NewDense(8, 3, nil)
			featuremap.NewSampler(uint64(trial)).FillNormal(w.RawMatrix().Data)
			w.Scale(size, w)
			if err := d.begin(&Model{phi: phi, weights: mat.DenseCopyOf(w.T()).RawMatrix().Data, intercept: make([]float64, 3)}); err != nil {
				t.Fatal(err)
			}
			if err := d.run(); err != nil {
				t.Fatal(err)
			}
			return d.loss
		}
		best := loss(1e-9, 0)
		for _, size := range []float64{10, 1e3, 1e5} {
			if got := loss(1e-2, size); !(got <= best+1.01e-2*got) {
				t.Errorf("trial %d, size %v: loss %v, optimum %v", trial, size, got, best)
			}
		}
	}
}
