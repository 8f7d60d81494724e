// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// BenchmarkPlanSums plans sums of many kernels: a hundred Materns of different smoothness, and five exponentials
// whose features are counted for an error.
func BenchmarkPlanSums(b *testing.B) {
	var materns, exponentials []Kernel
	for i := range 100 {
		materns = append(materns, Matern{Nu: 0.6 + 0.02*float64(i), LengthScale: 1 + 0.1*float64(i)})
	}
	for i := range 5 {
		exponentials = append(exponentials, ExpDot{LengthScale: 1 + 0.3*float64(i)})
	}
	for _, c := range []struct {
		name string
		k    Kernel
		d    int
		out  int
		rmse float64
	}{
		{"Materns", Sum(materns...), 5, 1000, 0},
		{"ExpDots", Sum(exponentials...), 64, 1 << 20, 1e-3},
	} {
		x := testkit.Cloud(300, c.d, 1)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				testkit.Must(NewPlan(c.k, x, c.out, &PlanOptions{RMSE: c.rmse}))
			}
		})
	}
}
