// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// What intervals add to fits, and to variances and predictions of a batch.
func BenchmarkIntervals(b *testing.B) {
	x, y := data(8000, 8, 1, 1)
	points := x.Slice(0, 1000, 0, 8)
	for name, phi := range map[string]featuremap.FeatureMap{
		"features":  fourier(8, 1024),
		"landmarks": must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 2}, x, 1024, featuremap.NewSampler(1), nil)),
	} {
		for kind, o := range map[string]*Options{
			"off":         {Intervals: &IntervalOptions{Off: true}},
			"on":          nil,
			"no variance": {Intervals: &IntervalOptions{NoVariance: true}},
		} {
			var m *Model
			b.Run("fit/"+name+"/"+kind, func(b *testing.B) {
				for range b.N {
					m = must(Fit(phi, x, y, o))
				}
			})
			if m == nil {
				continue
			}
			var lo, hi mat.Dense
			if kind != "off" {
				b.Run("interval/"+name+"/"+kind, func(b *testing.B) {
					for range b.N {
						m.IntervalTo(&lo, &hi, points, 0.9)
					}
				})
				continue
			}
			b.Run("variance/"+name, func(b *testing.B) {
				p := posteriorOf(m)
				for range b.N {
					p.VarianceTo(&lo, points)
				}
			})
			b.Run("predict/"+name, func(b *testing.B) {
				for range b.N {
					m.PredictTo(&hi, points)
				}
			})
		}
	}
}
