// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// must returns v, of a call that has no reason to fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// rowsFor returns n points of d columns and targets that are a function of the first column, with noise.
func rowsFor(seed uint64, n, d, targets int) (x, y *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, targets, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, 3*rnd.NormFloat64())
		}
		for t := range targets {
			y.Set(i, t, math.Sin(x.At(i, 0))*float64(t+1)+0.1*rnd.NormFloat64()+2)
		}
	}
	return x, y
}

// Each entry of the gradient is the central difference of the evidence, whose error is of the order of 1e-7 of the largest.
func TestGradient(t *testing.T) {
	gaussian := featuremap.Gaussian{LengthScale: 2}
	matern := featuremap.Matern{Nu: 2.5, LengthScale: 3}
	wide := featuremap.Project(mat.NewDense(2, 3, []float64{1, 0.5, -0.2, 0.1, -1, 0.3}), matern)
	for _, c := range []struct {
		name    string
		k       featuremap.Kernel
		targets int
	}{
		{"gaussian", gaussian, 1},
		{"several targets", gaussian, 3},
		{"product", featuremap.Product(gaussian, matern), 1},
		{"project", wide, 2},
		{"select", featuremap.Select([]int{2, 0}, featuremap.Laplacian{LengthScale: 4}), 1},
		{"sum", featuremap.Sum(featuremap.Scale(2, gaussian), featuremap.ARD([]float64{1, 2, 3}, matern)), 2},
		{"linear and constant", featuremap.Sum(gaussian, featuremap.Linear{}, featuremap.Constant{Value: 3}), 1},
		{"one column", featuremap.Sum(featuremap.Select([]int{1}, gaussian), matern), 1},
		{"fixed factor", featuremap.Product(Fixed{featuremap.Select([]int{0}, featuremap.Periodic{Period: 5, LengthScale: 1})}, gaussian), 1},
		{"other", featuremap.Sum(gaussian, featuremap.Polynomial{Degree: 2, Gamma: 0.1, Offset: 1}), 1},
	} {
		for _, features := range []int{24, 80} { // for 60 rows: by the inverse, and by rows
			testGradient(t, fmt.Sprintf("%s, %d features", c.name, features), c.k, c.targets, features)
		}
	}
}

// testGradient tests the gradient for a kernel.
func testGradient(t *testing.T, name string, k featuremap.Kernel, targets, features int) {
	x, y := rowsFor(1, 60, 3, targets)
	o, _ := (&KernelOptions{Features: features, ties: &tying{[]int{0, 1, 1}, 2, 3}}).withDefaults()
	l, err := newLearner(k, x, y, featuremap.NewSampler(2), o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	from := l.start()
	for _, f := range []form{unchanged, oneLength, categories, lengths, matrix} {
		p := newSpace(l.model, f, &from)
		theta := p.start()
		got, unused := make([]float64, len(theta)), make([]float64, len(theta))
		p.evaluate(got, theta)
		for i := range theta {
			const h = 1e-5
			at := theta[i]
			theta[i] = at + h
			above := p.evaluate(unused, theta)
			theta[i] = at - h
			below := p.evaluate(unused, theta)
			theta[i] = at
			if want := (above - below) / (2 * h); !(math.Abs(got[i]-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("%s, form %d: entry %d of %d is %v, difference %v", name, f, i, len(theta), got[i], want)
			}
		}
	}
}
