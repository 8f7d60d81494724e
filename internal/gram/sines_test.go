// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// sinesSpecification is specification for sines of more than a few coordinates, given what points on circles are less.
func sinesSpecification(s *sine, x, y, factors []float64, c *circles, dot func(a, b []float64) float64) float64 {
	image := func(x []float64) []float64 {
		e := make([]float64, 2*len(x))
		for k, v := range x {
			cos, sin := projection.CosSinTurns(s.remainder(float64((v-c.origin[k])*factors[k])) * s.inverse)
			e[k], e[len(x)+k] = 0.5*cos-c.center[k], 0.5*sin-c.center[len(x)+k]
		}
		return e
	}
	u, v := image(x), image(y)
	n := dot(u, u) + dot(v, v)
	far := func(v, f float64) bool { return !(math.Abs(v*f) <= 1<<24*s.period) }
	direct := false
	for k, f := range factors {
		direct = direct || far(x[k], f) || far(y[k], f)
	}
	if d := math.FMA(-2, dot(u, v), n); !direct && d > math.FMA(1.0/8, n, float64(len(x))/64) {
		return d
	}
	var chains [8]float64
	for k, v := range x {
		chains[k%8] = s.step(chains[k%8], s.difference(v, y[k], factors[k]))
	}
	return sumOf(&chains)
}

// Sums of sines have their digits: of near points, of points far from the origin, and of points many periods apart.
func TestDigitsOfSines(t *testing.T) {
	const period = 2.3
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, d := range []int{1, 2, 8, 9, 40, 300} {
		for _, offset := range []float64{0, 1, 1e6} {
			for _, apart := range []float64{1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 2} {
				if d > 40 && apart > 1e-9 && apart < 0.1 {
					continue // which 40 coordinates have, and take long to sum exactly
				}
				x, y := random(rnd, 8, d), random(rnd, 8, d)
				for i := range 8 {
					for k := range d {
						row(x, i)[k] += offset
						row(y, i)[k] = row(x, i)[k] + float64(apart*row(y, i)[k])
						if k%2 == 1 && apart >= 0.1 {
							row(y, i)[k] += 1000 * period // the difference is rounded then, to about 1e-13 of a period
						}
					}
				}
				p := New(Measure{Of: Sines, Scale: 1, Period: period}, y, nil)
				dst := make([]float64, 8*8)
				p.Fill(dst, 8, p.Batch(x), 0, 8, 0, 8)
				for i := range 8 {
					for j := range 8 {
						if (i+j)%3 > 0 {
							continue // exact differences take long
						}
						var want float64
						for k, v := range row(x, i) {
							delta := new(big.Float).SetPrec(200).Sub(big.NewFloat(v), big.NewFloat(row(y, j)[k]))
							periods, _ := new(big.Float).Quo(delta, big.NewFloat(period)).Float64()
							delta.Sub(delta, new(big.Float).SetPrec(200).Mul(big.NewFloat(math.Round(periods)), big.NewFloat(period)))
							r, _ := delta.Float64()
							want += math.Sin(math.Pi*r/period) * math.Sin(math.Pi*r/period)
						}
						limit := 1e-14 * want
						if apart >= 0.1 || i != j {
							limit = 1e-12 * math.Sqrt(float64(d)*want)
						}
						if got := dst[i*8+j]; !(math.Abs(got-want) <= limit) {
							t.Fatalf("d=%d, offset %g, %g apart: %v, want %v: relative error %.2g", d, offset, apart, got, want, got/want-1)
						}
					}
				}
			}
		}
	}
}

// Values of Angular are right to some units in the last place, for points that are nearly opposite too, in whose kernel sin θ cancels with
// the rest. The references are by mpmath, with 80 digits.
func TestAngular(t *testing.T) {
	for _, c := range []struct {
		chord float64
		want  [3]float64
	}{
		{0.0, [3]float64{1.0, 1.0, 3.0}},
		{1e-20, [3]float64{0.999999999968169, 1.0, 3.0}},
		{1e-06, [3]float64{0.9996816901005533, 0.9999995001061033, 2.9999980000004998}},
		{0.3, [3]float64{0.8233981632386022, 0.8675685760999309, 2.440792859353536}},
		{1.0, [3]float64{0.6666666666666666, 0.6089977810442293, 1.413496671566344}},
		{1.999, [3]float64{0.5001591549497233, 0.31855992597252725, 0.5006368697988933}},
		{-1.999, [3]float64{0.49984084505027665, 0.3180599259725273, 0.4993636302011067}},
		{-1.2, [3]float64{0.36901011956554536, 0.14413178175178162, 0.13701036233292016}},
		{-0.3, [3]float64{0.17660183676139787, 0.017568576099930913, 0.004207140646464085}},
		{-0.001, [3]float64{0.010066261878188936, 3.3553646957272765e-06, 2.684272581151669e-09}},
		{-1e-09, [3]float64{1.0065842421316818e-05, 3.3552808070496845e-15, 2.684224645620575e-24}},
		{-1e-20, [3]float64{3.1830988618379065e-11, 1.061032953945969e-31, 8.48826363156775e-52}},
	} {
		for order, want := range c.want {
			var got [1]float64
			if (Angular{Order: order}).To(got[:], []float64{c.chord}); !(math.Abs(got[0]-want) <= 6e-16*want) {
				t.Errorf("order %d of %v: %.17g, want %.17g: %.2g", order, c.chord, got[0], want, got[0]/want-1)
			}
		}
	}
}
