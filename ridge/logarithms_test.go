// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A model of features at logarithms of rows is that of the features at these logarithms as rows, to the last bit: predictions, error bars, with
// what landmarks leave of the kernel in them, and gradients, by the chain rule. So is the one that was saved.
func TestLogarithms(t *testing.T) {
	const n, d = 300, 3
	s := featuremap.NewSampler(1)
	x, y, scales := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil), []float64{0.5, 0, 2}
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		x.Set(i, 0, math.Exp(3*x.At(i, 0)))
		y.Set(i, 0, math.Log(1+x.At(i, 0))+math.Sin(x.At(i, 1))+0.1*s.Normal())
	}
	images := mat.DenseCopyOf(rows.Logarithms(x, scales))
	k := featuremap.Gaussian{LengthScale: 1.5}
	for name, made := range map[string]func(k featuremap.Kernel, x *mat.Dense) featuremap.FeatureMap{
		"landmarks": func(k featuremap.Kernel, x *mat.Dense) featuremap.FeatureMap {
			return must(featuremap.NewNystrom(k, x, 24, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RPCholesky}))
		},
		"planned": func(k featuremap.Kernel, x *mat.Dense) featuremap.FeatureMap {
			return must(featuremap.New(k, x, 300, featuremap.NewSampler(1)))
		},
		"random": func(k featuremap.Kernel, _ *mat.Dense) featuremap.FeatureMap {
			return must(must(featuremap.NewPlan(k, nil, 30, &featuremap.PlanOptions{In: d})).Draw(featuremap.NewSampler(1)))
		},
	} {
		base, of := made(k, images), made(featuremap.SymLog(scales, k), x)
		want := must(Fit(base, images, y, nil))
		m := must(Fit(of, x, y, nil))
		var file bytes.Buffer
		must(m.WriteTo(&file))
		read := must(ReadModel(&file, nil))
		for what, m := range map[string]*Model{"fitted": m, "read": read} {
			var mean, wantMean, variance, wantVariance mat.Dense
			m.PredictTo(&mean, x)
			want.PredictTo(&wantMean, images)
			posteriorOf(m).VarianceTo(&variance, x)
			posteriorOf(want).VarianceTo(&wantVariance, images)
			if !mat.Equal(&mean, &wantMean) || !mat.Equal(&variance, &wantVariance) || !slices.Equal(leftOutOf(m), leftOutOf(want)) {
				t.Errorf("%s, %s: predictions or variances differ", name, what)
			}
			for i := range 6 {
				row, image := x.RawRowView(i), images.RawRowView(i)
				if m.PredictVec(nil, row)[0] != want.PredictVec(nil, image)[0] || posteriorOf(m).VarianceVec(nil, row)[0] != posteriorOf(want).VarianceVec(nil, image)[0] {
					t.Errorf("%s, %s: row %d by itself differs", name, what, i)
				}
				for which, pair := range map[string][2][]float64{
					"mean":     {m.GradientVec(nil, row, 0), want.GradientVec(nil, image, 0)},
					"variance": {posteriorOf(m).VarianceGradientVec(nil, row, 0), posteriorOf(want).VarianceGradientVec(nil, image, 0)},
				} {
					for j, v := range pair[1] {
						if c := scales[j]; c != 0 {
							v /= 1 + math.Abs(row[j])/c
						}
						if math.Abs(pair[0][j]-v) > 1e-9*(1e-3+math.Abs(v)) {
							t.Errorf("%s, %s: gradient of the %s at row %d is %v, want %v at %d", name, what, which, i, pair[0], v, j)
						}
					}
				}
			}
		}
	}
}
