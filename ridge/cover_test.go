// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// What the package's comment says of deviations: two of a new target's cover about 95 % of targets, and two of the function's from 78 to 96 %
// of functions that are no samples of the process. The limits of targets leave six standard errors of 2000 rows, .03; those of
// functions, of which rows near each other are wrong together, five points.
func TestDeviationsCover(t *testing.T) {
	for name, c := range map[string]struct {
		d, features int
		length      float64
		width       float64 // of the cube of the points, around 0
		noise       float64
		f           func(v []float64) float64
	}{
		"Friedman": {5, 200, 1, 1, 1, func(v []float64) float64 {
			return 10*math.Sin(math.Pi*(v[0]+0.5)*(v[1]+0.5)) + 20*v[2]*v[2] + 10*v[3] + 5*v[4]
		}},
		"Friedman, little noise": {5, 200, 1, 1, 0.1, func(v []float64) float64 {
			return 10*math.Sin(math.Pi*(v[0]+0.5)*(v[1]+0.5)) + 20*v[2]*v[2] + 10*v[3] + 5*v[4]
		}},
		"waves": {3, 300, 2, 6, 0.1, func(v []float64) float64 { return math.Sin(v[0]) + 0.5*math.Cos(v[1])*v[2] }},
	} {
		var function, target int
		const seeds, n, fresh = 2, 600, 1000
		for seed := range uint64(seeds) {
			s := featuremap.NewSampler(seed)
			x, y := mat.NewDense(n+fresh, c.d, nil), mat.NewDense(n+fresh, 1, nil)
			for i := range n + fresh {
				v := x.RawRowView(i)
				for j := range v {
					v[j] = c.width * (s.Float64() - 0.5)
				}
				y.Set(i, 0, c.f(v)+c.noise*s.Normal())
			}
			phi := must(testkit.New(featuremap.Gaussian{LengthScale: c.length}, c.d, c.features, s))
			m := must(ridge.Fit(phi, x.Slice(0, n, 0, c.d), y.Slice(0, n, 0, 1), nil))
			posterior := must(m.Posterior())
			for i := n; i < n+fresh; i++ {
				v := x.RawRowView(i)
				mean, sd := m.Predict(v)
				if math.Abs(mean[0]-c.f(v)) <= 2*math.Sqrt(posterior.VarianceVec(nil, v)[0]) {
					function++
				}
				if math.Abs(mean[0]-y.At(i, 0)) <= 2*sd[0] {
					target++
				}
			}
		}
		of, at := float64(target)/(seeds*fresh), float64(function)/(seeds*fresh)
		t.Logf("%s: %.3f of the targets, %.3f of the function", name, of, at)
		if !(math.Abs(of-0.95) <= 0.03) || !(at >= 0.73 && at <= 0.99) {
			t.Errorf("%s: two deviations cover %.3f of the targets, %.3f of the function", name, of, at)
		}
	}
}
