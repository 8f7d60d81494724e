// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A kernel with k(0, 0) = 0 has a variance at 0, which maps of some terms of its series lost in 0/0, and its model can be read
// if a row is at 0. The variance near 0 goes to that at 0.
func TestKernelsThatAreZeroAtZero(t *testing.T) {
	g := featuremap.Gaussian{LengthScale: 1}
	for _, k := range []featuremap.Kernel{
		featuremap.Product(featuremap.Linear{}, g),
		featuremap.Product(featuremap.Linear{}, featuremap.Linear{}, g),
		featuremap.Sum(featuremap.Product(featuremap.Linear{}, g), g),
		featuremap.Product(featuremap.Linear{}, featuremap.ExpDot{LengthScale: 1}),
	} {
		for d := 1; d <= 2; d++ {
			s := featuremap.NewSampler(uint64(d))
			x, y := mat.NewDense(100, d, nil), mat.NewDense(100, 1, nil)
			s.FillNormal(x.RawMatrix().Data)
			s.FillNormal(y.RawMatrix().Data)
			clear(x.RawRowView(0))
			for _, out := range []int{20, 200} {
				phi := must(featuremap.New(k, x, out, s))
				m := must(ridge.Fit(phi, x, y, nil))
				read := must(ridge.ReadModel(bytes.NewReader(written(m)), nil))
				zero, near := make([]float64, d), make([]float64, d)
				near[0] = 1e-170
				_, sd := read.Predict(zero)
				_, beside := m.Predict(near)
				if !(sd[0] > 0.5 && sd[0] < 2) || !(math.Abs(beside[0]/sd[0]-1) < 1e-6) {
					t.Errorf("%v, d = %d, %d features: standard deviation at 0 %v, near it %v", k, d, out, sd, beside)
				}
				p := must(m.Posterior())
				if _, err := featuremap.Derivative(phi); err == nil {
					for _, v := range p.VarianceGradientVec(nil, zero, 0) {
						if math.IsNaN(v) {
							t.Errorf("%v, d = %d, %d features: a derivative of the variance at 0 is NaN", k, d, out)
						}
					}
				}
				if _, c := p.Joint(mat.NewDense(2, d, append(zero, near...)), 0); math.IsNaN(c.At(0, 1)) {
					t.Errorf("%v, d = %d, %d features: covariance NaN", k, d, out)
				}
				lo, hi := m.Interval(zero, 0.9)
				if f := must(p.Sample(s)).EvalVec(nil, zero)[0]; math.IsNaN(f) || !(lo[0] < hi[0]) {
					t.Errorf("%v, d = %d, %d features: a sample of %v and an interval from %v to %v", k, d, out, f, lo, hi)
				}
			}
		}
	}
}

// Features that are constant except for rounding tell nothing: the prediction is the mean of the targets, whatever the place.
func TestFeaturesConstantToRounding(t *testing.T) {
	s := featuremap.NewSampler(2)
	x, y := mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil)
	s.FillNormal(y.RawMatrix().Data)
	for i := range 200 {
		x.Set(i, 0, float64(i))
	}
	for _, phi := range []featuremap.FeatureMap{
		must(featuremap.New(featuremap.Periodic{Period: 1, LengthScale: 1}, x, 50, s)),
		must(featuremap.NewFourier(featuremap.Periodic{Period: 1, LengthScale: 1}, 1, 50, s, nil)),
		must(featuremap.NewNystrom(featuremap.ArcCosine{Order: 0}, x, 30, s, nil)),
		must(featuremap.New(featuremap.Periodic{Period: 1, LengthScale: 1}, x, 600, s)),
	} {
		for _, side := range []ridge.Side{ridge.FeatureSide, ridge.AutoSide} {
			m := must(ridge.Fit(phi, x, y, &ridge.Options{Side: side}))
			if mean, sd := m.Predict([]float64{0.37}); !(math.Abs(mean[0]) < 0.3) || !(sd[0] > 0.8 && sd[0] < 1.3) {
				t.Errorf("%v: %v ± %v, λ = %v", phi, mean, sd, m.Lambda())
			}
		}
	}
}
