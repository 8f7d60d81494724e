// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// BenchmarkNeurons makes 4096 features of 1000 rows by neurons of each order, and by cosines with random phases to compare
// with.
func BenchmarkNeurons(b *testing.B) {
	for _, d := range []int{16, 64, 256} {
		maps := map[string]FeatureMap{}
		for order := range 3 {
			m, err := NewNeurons(ArcCosine{Order: order}, d, benchFeatures, NewSampler(1), nil)
			if err != nil {
				b.Fatal(err)
			}
			maps[fmt.Sprintf("order %d", order)] = m
		}
		f, x := benchMap(b, d, FourierOptions{RandomPhase: true})
		maps["phase"] = f
		for _, name := range []string{"phase", "order 0", "order 1", "order 2"} {
			b.Run(fmt.Sprintf("%s/d=%d", name, d), func(b *testing.B) {
				var z mat.Dense
				maps[name].TransformTo(&z, x)
				measure(b, benchRows, d, benchFeatures, true, func(int) {
					maps[name].TransformTo(&z, x)
				})
			})
		}
	}
}
