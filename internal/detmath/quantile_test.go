// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package detmath

import (
	"math"
	"testing"
)

// Values by mpmath 1.2.1 with 40 digits, from a root of Φ(z) = p for the float64 p.
func TestNormalQuantile(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{
		{1e-300, -37.0470962993612},
		{1e-100, -21.273453560965326},
		{1e-20, -9.262340089798407},
		{1.3e-11, -6.667611456510741},
		{1.5e-11, -6.646570887477113},
		{1.1102230246251565e-16, -8.209536151601387},
		{1e-09, -5.9978070150076865},
		{1e-05, -4.264890793922825},
		{0.001, -3.0902323061678136},
		{0.02, -2.053748910631823},
		{0.0749, -1.4402382675279637},
		{0.0751, -1.43882539275254},
		{0.2, -0.8416212335729142},
		{0.3, -0.5244005127080408},
		{0.49, -0.025068908258711057},
		{0.4999990463256836, -2.390507006295574e-06},
		{0.7, 0.5244005127080407},
		{0.92, 1.4050715603096329},
		{0.93, 1.475791028179171},
		{0.999, 3.090232306167813},
	} {
		if got := NormalQuantile(c.p); !(math.Abs(got-c.want) <= 4e-15*math.Abs(c.want)) {
			t.Errorf("%v: %v, want %v: relative error %v", c.p, got, c.want, math.Abs(got/c.want-1))
		}
	}
	for p, want := range map[float64]float64{0: math.Inf(-1), 0.5: 0, 1: math.Inf(1)} {
		if got := NormalQuantile(p); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
	for _, p := range []float64{-1e-300, 1.5, math.NaN(), math.Inf(1)} {
		if got := NormalQuantile(p); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", p, got)
		}
	}
}
