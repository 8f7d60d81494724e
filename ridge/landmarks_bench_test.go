// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// BenchmarkLandmarks makes a map of 1,024 landmarks and fits it, and in turns a Fourier map of as many features, on 15,000 rows of 8 coordinates.
// It reports the median times of both, and their ratio. With a length of 8 raw features are summed for rough kernels alone.
func BenchmarkLandmarks(b *testing.B) {
	const n, d, features, l = 15_000, 8, 1024, 8
	for _, c := range []struct {
		name string
		k    featuremap.Kernel
	}{
		{"Gaussian", featuremap.Gaussian{LengthScale: l}},
		{"Matern12", featuremap.Matern{Nu: 0.5, LengthScale: l}},
		{"Matern32", featuremap.Matern{Nu: 1.5, LengthScale: l}},
		{"Matern52", featuremap.Matern{Nu: 2.5, LengthScale: l}},
		{"Laplacian", featuremap.Laplacian{LengthScale: l}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := featuremap.NewSampler(1)
			x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
			s.FillNormal(x.RawMatrix().Data)
			s.FillNormal(y.RawMatrix().Data)
			fit := func(phi featuremap.FeatureMap, err error) {
				if err == nil {
					_, err = ridge.Fit(phi, x, y, &ridge.Options{Lambda: 0.1})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			var landmarks, fourier []time.Duration
			for b.Loop() {
				start := time.Now()
				m, err := featuremap.NewNystrom(c.k, x, features, featuremap.NewSampler(2), nil)
				fit(m, err)
				landmarks = append(landmarks, time.Since(start))
				start = time.Now()
				f, err := featuremap.NewFourier(c.k, d, features, featuremap.NewSampler(2), nil)
				fit(f, err)
				fourier = append(fourier, time.Since(start))
			}
			slices.Sort(landmarks)
			slices.Sort(fourier)
			of, by := landmarks[len(landmarks)/2].Seconds(), fourier[len(fourier)/2].Seconds()
			b.ReportMetric(of, "s-landmarks")
			b.ReportMetric(by, "s-Fourier")
			b.ReportMetric(of/by, "times")
		})
	}
}
