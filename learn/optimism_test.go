// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A metric that 100 rows have taught fits these better than new ones. Intervals and error bars allow for that: of 1,000 new rows in each of
// eight draws, 91.1 % lie in intervals of 90 %, and 86.7 % within 1.645 standard deviations. Without it, 86.8 and 80.8 % do; the limits are in
// the middle. (The shares of one draw have standard deviations of 4 and 7 points.)
func TestOptimism(t *testing.T) {
	testkit.OnlyLong(t)
	const draws = 8
	var inside, near, all float64
	for seed := range uint64(draws) {
		s := featuremap.NewSampler(seed)
		draw := func(n int) (x, y *mat.Dense) {
			x, y = mat.NewDense(n, 6, nil), mat.NewDense(n, 1, nil)
			for i := range n {
				r := x.RawRowView(i)
				for j := range r {
					r[j] = s.Float64()
				}
				y.Set(i, 0, math.FMA(0.3, s.Normal(), math.Sin(4*(r[0]+r[1]-r[2]))+r[3]*r[3]))
			}
			return x, y
		}
		x, y := draw(100)
		newX, newY := draw(1000)
		m := must(Regression(x, y, nil)).Model
		var lo, hi, mean, deviation mat.Dense
		m.IntervalTo(&lo, &hi, newX, 0.9)
		m.PredictTo(&mean, newX)
		m.StdDevTo(&deviation, newX)
		for i := range 1000 {
			v := newY.At(i, 0)
			if all++; lo.At(i, 0) <= v && v <= hi.At(i, 0) {
				inside++
			}
			if math.Abs(v-mean.At(i, 0)) <= 1.645*deviation.At(i, 0) {
				near++
			}
		}
	}
	if inside, near := inside/all, near/all; !(inside > 0.889 && near > 0.837) {
		t.Errorf("%.3f in intervals of 90 %%, %.3f within 1.645 standard deviations", inside, near)
	}
}
