// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries_test

import (
	"fmt"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/timeseries"
)

func BenchmarkTransform(b *testing.B) {
	x := walks(featuremap.NewSampler(1), 20, 500)
	for _, m := range []featuremap.FeatureMap{
		testkit.Must(timeseries.NewMiniRocket(x, 9996, nil, nil)),
		testkit.Must(timeseries.NewHydra(x, nil, nil)),
	} {
		_, out := m.Dims()
		dst := make([]float64, out)
		b.Run(fmt.Sprintf("%T", m), func(b *testing.B) {
			for b.Loop() {
				m.TransformVec(dst, x.RawRowView(3))
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, length := range []int{500, 3000} {
		x := walks(featuremap.NewSampler(1), 20, length)
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			for b.Loop() {
				testkit.Must(timeseries.NewMiniRocket(x, 9996, nil, nil))
			}
		})
	}
}
