// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// convolved returns the convolution of a series with nine weights, d apart, by its definition: at all positions with zeros beyond the ends, or
// only where no tap is beyond them.
func convolved(x, w []float64, d int, whole bool) (values []float64) {
	for p := range x {
		if whole && (p-4*d < 0 || p+4*d >= len(x)) {
			continue
		}
		var sum float64
		for j, w := range w {
			if q := p + (j-4)*d; q >= 0 && q < len(x) {
				sum += w * x[q]
			}
		}
		values = append(values, sum)
	}
	return values
}

// added returns the sum of some channels of a row.
func added(row []float64, length int, channels []int) []float64 {
	sum := make([]float64, length)
	for _, c := range channels {
		for p := range sum {
			sum[p] += row[c*length+p]
		}
	}
	return sum
}

// integers returns series of small whole numbers, which all sums of are exact, so that order does not matter.
func integers(s *featuremap.Sampler, n, columns int) *mat.Dense {
	x := mat.NewDense(n, columns, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return float64(s.IntN(19) - 9) }, x)
	return x
}

// Features of MiniRocket are what the paper says, computed from its words, with the rows and channels that were drawn.
func TestMiniRocketReference(t *testing.T) {
	for _, c := range []struct{ length, channels, features int }{{9, 1, 84}, {40, 1, 840}, {100, 1, 84 * 40}, {30, 4, 420}, {17, 12, 84 * 3}} {
		s := featuremap.NewSampler(uint64(c.length))
		x := integers(s, 7, c.length*c.channels)
		m := testkit.Must(NewMiniRocket(x, c.features, s, &Options{Channels: c.channels}))
		perKernel := c.features / 84
		exponents := min(32, perKernel)
		// The dilations by floating-point numbers; none of these lengths is near a step of one.
		var dilations, shares []int
		for e := range exponents {
			var exponent float64
			if exponents > 1 {
				exponent = math.Log2(float64(c.length-1)/8) * float64(e) / float64(exponents-1)
			}
			d := int(math.Floor(math.Exp2(exponent) + 1e-9))
			if n := len(dilations); n > 0 && dilations[n-1] == d {
				shares[n-1]++
			} else {
				dilations, shares = append(dilations, d), append(shares, 1)
			}
		}
		rest := perKernel
		for i, share := range shares {
			shares[i] = share * perKernel / exponents
			rest -= shares[i]
		}
		for i := range rest {
			shares[i%len(shares)]++
		}
		drawn := featuremap.NewSampler(m.seed)
		_, rowSampler := drawn.Split(), drawn.Split()
		want := mat.NewDense(7, c.features, nil)
		feature := 0
		for i, d := range dilations {
			kernel := 0
			for a := range 9 {
				for b := a + 1; b < 9; b++ {
					for e := b + 1; e < 9; e++ {
						w := slices.Repeat([]float64{-1}, 9)
						w[a], w[b], w[e] = 2, 2, 2
						channels := []int{0}
						if c.channels > 1 {
							channels = m.channels[i*84+kernel]
						}
						of := x.RawRowView(rowSampler.IntN(7))
						values := convolved(added(of, c.length, channels), w, d, false)
						slices.Sort(values)
						for range shares[i] {
							_, q := math.Modf(float64(feature+1) * math.Phi)
							bias := values[int(q*float64(len(values)))]
							for r := range 7 {
								all := convolved(added(x.RawRowView(r), c.length, channels), w, d, (i+kernel)%2 == 1)
								above := 0
								for _, v := range all {
									if v > bias {
										above++
									}
								}
								want.Set(r, feature, float64(above)/float64(len(all)))
							}
							feature++
						}
						kernel++
					}
				}
			}
		}
		if feature != c.features {
			t.Fatalf("%v: %d features", c, feature)
		}
		deviations := make([]float64, c.features)
		for j := range deviations {
			var mean float64
			for r := range 7 {
				mean += want.At(r, j) / 7
			}
			for r := range 7 {
				deviations[j] += (want.At(r, j) - mean) * (want.At(r, j) - mean) / 7
			}
		}
		var z mat.Dense
		m.TransformTo(&z, x)
		for r := range 7 {
			for j, v := range deviations {
				f := 0.0
				if v > 1e-20 {
					f = want.At(r, j) / math.Sqrt(v)
				}
				if got := z.At(r, j); !(math.Abs(got-f) <= 1e-9) {
					t.Fatalf("%v: feature %d of row %d is %v, want %v", c, j, r, got, f)
				}
			}
		}
	}
}

// Features of Hydra are what the paper says, computed from its words, with the kernels and channels that were drawn.
func TestHydraReference(t *testing.T) {
	for _, c := range []struct{ length, channels int }{{9, 1}, {40, 1}, {33, 2}, {25, 6}, {17, 20}} {
		s := featuremap.NewSampler(uint64(c.length))
		const n = 5
		x := mat.NewDense(n, c.length*c.channels, nil)
		s.FillNormal(x.RawMatrix().Data)
		for i := range c.length * c.channels {
			x.Set(1, i, 0) // a row of ties
		}
		m := testkit.Must(NewHydra(x, s, &Options{Channels: c.channels}))
		dilations := int(math.Log2(float64(c.length-1)/8)) + 1
		if _, out := m.Dims(); out != 1024*dilations {
			t.Fatalf("%v: %d features", c, out)
		}
		// The medians of the magnitudes of the rows without zeros, of each channel.
		margins := make([]float64, c.channels)
		for ch := range margins {
			var magnitudes []float64
			for _, r := range []int{0, 2, 3, 4} {
				row := make([]float64, c.length)
				for p := range row {
					row[p] = math.Abs(x.At(r, ch*c.length+p))
				}
				slices.Sort(row)
				magnitudes = append(magnitudes, row[c.length/2])
			}
			slices.Sort(magnitudes)
			margins[ch] = magnitudes[2] * 0x1p-37
		}
		want := mat.NewDense(n, 1024*dilations, nil)
		for r := range n {
			for at, g := range m.groups {
				channels := g.channels
				if c.channels == 1 {
					channels = []int{0}
				} else if len(channels) != min(max(c.channels/2, 2), 8) {
					t.Fatalf("%v: %d channels", c, len(channels))
				}
				series := added(x.RawRowView(r), c.length, channels)
				if at/32%2 == 1 {
					for p := range c.length - 1 {
						series[p] = series[p+1] - series[p]
					}
					series = series[:c.length-1]
				}
				responses := make([][]float64, 8)
				for k := range responses {
					w := make([]float64, 9)
					var sum, magnitude float64
					for j := range w {
						w[j] = g.weights[8*j+k]
						sum += w[j]
						magnitude += math.Abs(w[j])
					}
					if !(math.Abs(sum) <= 1e-15) || !(math.Abs(magnitude-1) <= 1e-15) {
						t.Errorf("a kernel with the sum %v and magnitudes of %v", sum, magnitude)
					}
					responses[k] = convolved(series, w, 1<<(at/64), false)
				}
				var margin float64
				for _, ch := range channels {
					margin += margins[ch]
				}
				for k := range responses {
					for p := range responses[k] {
						responses[k][p] -= float64(k) * margin
					}
				}
				for p := range series {
					most, least := 0, 0
					for k := range 8 {
						if responses[k][p] > responses[most][p] {
							most = k
						}
						if responses[k][p] < responses[least][p] {
							least = k
						}
					}
					row := want.RawRowView(r)[at*16:]
					row[most] += responses[most][p]
					row[8+least]++
				}
				for k, sum := range want.RawRowView(r)[at*16:][:8] {
					if sum <= margin*float64(len(series)) {
						want.Set(r, at*16+k, 0)
					}
				}
			}
		}
		want.Apply(func(_, _ int, v float64) float64 { return math.Sqrt(max(v, 0)) }, want)
		var z mat.Dense
		m.TransformTo(&z, x)
		for j := range 1024 * dilations {
			var mean, variance, zeros float64
			for r := range n {
				mean += want.At(r, j) / n
				if want.At(r, j) == 0 {
					zeros += 1. / n
				}
			}
			for r := range n {
				variance += (want.At(r, j) - mean) * (want.At(r, j) - mean) / n
			}
			for r := range n {
				f := want.At(r, j)
				if f != 0 {
					f = (f - mean) / (math.Sqrt(variance) + math.Pow(zeros, 4) + 1e-8)
				}
				// Where a feature hardly varies, rounding is divided by 1e-8.
				if got := z.At(r, j); !(math.Abs(got-f) <= 1e-6) {
					t.Fatalf("%v: feature %d of row %d is %v, want %v", c, j, r, got, f)
				}
			}
		}
	}
}

// power is the floor of a root, exactly where floating-point numbers are next to an integer.
func TestPower(t *testing.T) {
	for _, c := range []struct{ length, i, n, want int }{
		{9, 3, 31, 1}, {8*8 + 1, 31, 31, 8}, {8*1024 + 1, 1, 10, 2}, {8*1024 + 1, 9, 10, 512}, {8*243 + 1, 4, 5, 81}, {8 * 243, 4, 5, 80}, {500, 31, 31, 62}, {500, 0, 1, 1},
	} {
		if got := power(c.length, c.i, c.n); got != c.want {
			t.Errorf("⌊((%d − 1)/8)^(%d/%d)⌋ = %d, want %d", c.length, c.i, c.n, got, c.want)
		}
	}
	for _, length := range []int{9, 10, 100, 1000, 12345} {
		for _, n := range []int{1, 2, 31, 32, 119, 1000} {
			sum := 0
			for _, d := range dilationsOf(length, n) {
				if sum += d.biases; d.biases < 1 || length-8*d.d < 1 {
					t.Errorf("length %d, %d biases: %v", length, n, d)
				}
			}
			if sum != n {
				t.Errorf("length %d: %d biases, want %d", length, sum, n)
			}
		}
	}
}

// The number of channels is ⌊2^u⌋, and each is as likely as another: z-scores of binomial counts, of which a right program has one beyond 5
// in 1.7 million.
func TestChannels(t *testing.T) {
	for _, c := range []struct{ channels, most int }{{2, 2}, {5, 5}, {20, 9}} {
		numbers, each, n := make([]float64, c.most+1), make([]float64, c.channels), 0.0
		chosen := 0.0
		for seed := range uint64(30) {
			m := newMiniRocket(shape{200, c.channels}, 30, seed)
			for _, of := range m.channels {
				n++
				numbers[len(of)]++
				chosen += float64(len(of))
				for i, ch := range of {
					each[ch]++
					if i > 0 && of[i-1] >= ch {
						t.Fatalf("channels %v", of)
					}
				}
			}
		}
		z := func(count, p float64) float64 { return (count - n*p) / math.Sqrt(n*p*(1-p)) }
		for k := 1; k <= c.most; k++ {
			p := math.Log(float64(k+1)/float64(k)) / math.Log(float64(c.most+1))
			if got := z(numbers[k], p); !(math.Abs(got) <= 5) {
				t.Errorf("%d of %d channels: %v of %v times: z = %.1f", k, c.channels, numbers[k], n, got)
			}
		}
		for ch, count := range each {
			if got := z(count, chosen/n/float64(c.channels)); !(math.Abs(got) <= 5) {
				t.Errorf("channel %d of %d: %v times: z = %.1f", ch, c.channels, count, got)
			}
		}
	}
}

// Maps have the same bits in all tiers, from the choice of biases on.
func TestTiers(t *testing.T) {
	defer func(was tier.Tier) { best = was }(best)
	s := featuremap.NewSampler(3)
	x := mat.NewDense(9, 3*31, nil)
	s.FillNormal(x.RawMatrix().Data)
	features := func(of tier.Tier) (all []float64) {
		best = of
		for _, channels := range []int{1, 3} {
			opts := &Options{Channels: channels}
			for _, m := range []featuremap.FeatureMap{testkit.Must(NewMiniRocket(x, 840, nil, opts)), testkit.Must(NewHydra(x, nil, opts))} {
				var z mat.Dense
				m.TransformTo(&z, x)
				all = append(all, z.RawMatrix().Data...)
			}
		}
		return all
	}
	want := features(tier.Plain)
	for _, of := range tier.Available() {
		if !slices.Equal(features(of), want) {
			t.Errorf("%v differs from plain Go", of)
		}
	}
}
