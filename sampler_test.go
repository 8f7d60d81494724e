// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"
)

var _ rand.Source = (*Sampler)(nil)

// ksLimit bounds √n·D of the Kolmogorov-Smirnov statistic D. Its limit law has the
// tail 2exp(−2t²) (Kolmogorov 1933; Massart 1990 makes it a bound for every n): 5e-8
// at 2.96, so that a right sampler fails none of the 20 tests here with a fresh seed
// except for one time in a million. A wrong one is caught if its distribution function
// is off by 0.003 somewhere, in a plain run by 0.005.
const ksLimit = 2.96

// continuousVariates are the variates with a density, with their distributions.
var continuousVariates = []struct {
	name string
	draw func(s *Sampler) float64
	dist interface{ CDF(float64) float64 }
}{
	{"Float64", (*Sampler).Float64, distuv.Uniform{Min: 0, Max: 1}},
	{"Normal", (*Sampler).Normal, distuv.UnitNormal},
	{"Exponential", (*Sampler).Exponential, distuv.Exponential{Rate: 1}},
	{"Laplace", (*Sampler).Laplace, distuv.Laplace{Mu: 0, Scale: 1}},
	{"Cauchy", (*Sampler).Cauchy, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 1}},
	{"Gamma(0.05)", func(s *Sampler) float64 { return s.Gamma(0.05) }, distuv.Gamma{Alpha: 0.05, Beta: 1}},
	{"Gamma(0.5)", func(s *Sampler) float64 { return s.Gamma(0.5) }, distuv.Gamma{Alpha: 0.5, Beta: 1}},
	{"Gamma(1)", func(s *Sampler) float64 { return s.Gamma(1) }, distuv.Gamma{Alpha: 1, Beta: 1}},
	{"Gamma(2.7)", func(s *Sampler) float64 { return s.Gamma(2.7) }, distuv.Gamma{Alpha: 2.7, Beta: 1}},
	{"Gamma(1000)", func(s *Sampler) float64 { return s.Gamma(1000) }, distuv.Gamma{Alpha: 1000, Beta: 1}},
	{"ChiSquared(1)", func(s *Sampler) float64 { return s.ChiSquared(1) }, distuv.ChiSquared{K: 1}},
	{"ChiSquared(3)", func(s *Sampler) float64 { return s.ChiSquared(3) }, distuv.ChiSquared{K: 3}},
	{"ChiSquared(784)", func(s *Sampler) float64 { return s.ChiSquared(784) }, distuv.ChiSquared{K: 784}},
}

// Continuous variates have their distributions: the Kolmogorov-Smirnov distance, and the counts in the tails.
func TestVariates(t *testing.T) {
	n := testkit.Times(50_000, 50_000, 400_000)
	for i, c := range continuousVariates {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := NewSampler(uint64(100 + i))
			x := make([]float64, n)
			for i := range x {
				x[i] = c.draw(s)
			}
			sort.Float64s(x)
			var worst float64
			for i, v := range x {
				p := c.dist.CDF(v)
				worst = max(worst, math.Abs(p-float64(i)/float64(n)), math.Abs(p-float64(i+1)/float64(n)))
			}
			if root := math.Sqrt(float64(n)); !(worst*root <= ksLimit) {
				t.Errorf("Kolmogorov-Smirnov √n·D = %.2f, want at most %v", worst*root, ksLimit)
			}
			checkTails(t, x, c.dist)
		})
	}
}

// checkTails counts draws in the tails, where Kolmogorov and Smirnov see little:
// below and above the points of the probabilities 1e-2, 1e-3 and 1e-4, by z-scores of
// the binomial counts. At 1e-4 and n = 10⁶ a hundred draws are expected; the limit 5.5
// has the probability 1.3e-6 there, by the binomial tail, and 4e-8 by the normal one.
func checkTails(t *testing.T, sorted []float64, dist interface{ CDF(float64) float64 }) {
	n := float64(len(sorted))
	for _, p := range []float64{1e-2, 1e-3, 1e-4} {
		// The draws are sorted, so are their probabilities.
		low := sort.Search(len(sorted), func(i int) bool { return dist.CDF(sorted[i]) > p })
		high := len(sorted) - sort.Search(len(sorted), func(i int) bool { return dist.CDF(sorted[i]) > 1-p })
		for _, c := range []struct {
			name  string
			count int
		}{{"lower", low}, {"upper", high}} {
			if z := (float64(c.count) - n*p) / math.Sqrt(n*p*(1-p)); !(math.Abs(z) <= 5.5) {
				t.Errorf("%s tail of probability %v: %d of %v draws, z = %.1f", c.name, p, c.count, n, z)
			}
		}
	}
}

// The tails of the normal, with more draws: a fault of a few percent in the wedges or
// in the last layer of the ziggurat, whose edge is 3.654, shows nowhere else.
func TestNormalFarTail(t *testing.T) {
	t.Parallel()
	n := 20_000_000
	if testing.Short() {
		n = 1_000_000
	}
	s := NewSampler(50)
	edges := []float64{2, 2.5, 3, 3.5, 3.65415288536, 3.8, 4, 4.5}
	counts := make([]int, len(edges))
	for range n {
		z := math.Abs(s.Normal())
		for i := 0; i < len(edges) && z > edges[i]; i++ {
			counts[i]++
		}
	}
	for i, e := range edges {
		// At 4.5, 136 draws are expected (7 in the short suite): as near to normal as
		// the limit needs.
		p := math.Erfc(e / math.Sqrt2)
		want := float64(n) * p
		if z := (float64(counts[i]) - want) / math.Sqrt(want*(1-p)); !(math.Abs(z) <= 5) {
			t.Errorf("|z| > %v in %d of %d draws, want %.1f: z = %.1f", e, counts[i], n, want, z)
		}
	}
}

// chiSquare tests counts against equal expectations: it returns the probability of a
// statistic as large.
func chiSquare(counts []int) float64 {
	var total, sum float64
	for _, c := range counts {
		total += float64(c)
	}
	expect := total / float64(len(counts))
	for _, c := range counts {
		sum += (float64(c) - expect) * (float64(c) - expect) / expect
	}
	return mathext.GammaIncRegComp(float64(len(counts)-1)/2, sum/2)
}

// leastP is the least probability at which a chi-square test passes: with about 100
// tests here, a fresh seed would fail one time in 10,000.
const leastP = 1e-6

// Discrete variates have their distributions, by χ² tests, and IntN is 0 for bounds that are not positive.
func TestDiscreteVariates(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	for _, m := range []int{1, 2, 3, 6, 10, 100, 1000} {
		s := NewSampler(uint64(200 + m))
		counts := make([]int, m)
		for range n {
			counts[s.IntN(m)]++
		}
		if m == 1 {
			continue
		}
		if p := chiSquare(counts); !(p >= leastP) {
			t.Errorf("IntN(%d): p = %.2g", m, p)
		}
	}
	// A bound just above a power of two, where a biased reduction shows: with 3·2⁶¹ a
	// remainder modulo the bound would put half of all draws in the lowest third.
	if bound := uint64(3) << 61; bound <= math.MaxInt {
		s := NewSampler(300)
		counts := make([]int, 3)
		for range n {
			counts[uint64(s.IntN(int(bound)))>>61]++
		}
		if p := chiSquare(counts); !(p >= leastP) {
			t.Errorf("IntN(3·2⁶¹): %v, p = %.2g", counts, p)
		}
	}
	for _, m := range []int{0, -1, math.MinInt} {
		if got := NewSampler(1).IntN(m); got != 0 {
			t.Errorf("IntN(%d) = %d, want 0", m, got)
		}
	}
	// Words of eight signs.
	s := NewSampler(400)
	counts := make([]int, 256)
	for range n / 8 {
		word := 0
		for range 8 {
			switch s.Rademacher() {
			case 1:
				word = word<<1 | 1
			case -1:
				word <<= 1
			default:
				t.Fatal("Rademacher is neither −1 nor 1")
			}
		}
		counts[word]++
	}
	if p := chiSquare(counts); !(p >= leastP) {
		t.Errorf("words of signs: p = %.2g", p)
	}
}

// Gamma and chiSquared are NaN for shapes that are not positive and finite, and not negative for the smallest and largest.
func TestGammaOfNoShape(t *testing.T) {
	s := NewSampler(1)
	for _, shape := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if g, c := s.Gamma(shape), s.ChiSquared(shape); !math.IsNaN(g) || !math.IsNaN(c) {
			t.Errorf("Gamma(%v) = %v, chiSquared = %v, want NaN", shape, g, c)
		}
	}
	for _, shape := range []float64{5e-324, 1e-10, 1e300} {
		if g := s.Gamma(shape); !(g >= 0) {
			t.Errorf("Gamma(%v) = %v", shape, g)
		}
	}
}

// Streams of neighboring seeds, of seeds that differ in one bit, of a sampler and its
// splits, and of successive splits are unrelated: pairs of their words agree in 32 of
// 64 bits on average, with the variance of independent coins, and the joint
// distribution of their uniform variates in 16×16 cells is even.
func TestStreamsAreUnrelated(t *testing.T) {
	t.Parallel()
	type pair struct {
		name string
		a, b *Sampler
	}
	var pairs []pair
	for _, seed := range []uint64{0, 1, 2, 1000, math.MaxUint64} {
		pairs = append(pairs, pair{fmt.Sprintf("seeds %d and the next", seed), NewSampler(seed), NewSampler(seed + 1)})
	}
	for bit := 0; bit < 64; bit += 7 {
		pairs = append(pairs, pair{fmt.Sprintf("seeds that differ in bit %d", bit), NewSampler(0), NewSampler(1 << bit)})
	}
	// The SplitMix increment: the second word of one seed is the first of the other.
	pairs = append(pairs, pair{"seeds one SplitMix step apart", NewSampler(0), NewSampler(0x9e3779b97f4a7c15)})
	for seed := range uint64(4) {
		s := NewSampler(seed)
		first := s.Split()
		second := s.Split()
		pairs = append(pairs,
			pair{"a sampler and its split", clone(s), clone(first)},
			pair{"two splits", clone(first), clone(second)},
			pair{"a split and its split", clone(second), second.Split()},
			pair{"splits of neighbors", NewSampler(seed).Split(), NewSampler(seed + 1).Split()})
	}
	const n = 100_000
	for _, p := range pairs {
		agree := 0
		cells := make([]int, 256)
		for range n {
			x, y := p.a.Uint64(), p.b.Uint64()
			for z := ^(x ^ y); z != 0; z &= z - 1 {
				agree++
			}
			cells[x>>60<<4|y>>60]++
		}
		if z := (float64(agree) - 32*n) / math.Sqrt(16*n); !(math.Abs(z) <= 5) {
			t.Errorf("%s: words agree in %.3f bits, z = %.1f", p.name, float64(agree)/n, z)
		}
		if q := chiSquare(cells); !(q >= leastP) {
			t.Errorf("%s: joint distribution, p = %.2g", p.name, q)
		}
	}
}

// The first words of neighboring seeds look like one stream, and so do those of seeds
// that differ in high bits only: each of their bits is even, and so is the joint
// distribution of two in a row. (A state with the unmixed seed as its high half fails.)
func TestFirstWordsOfSeeds(t *testing.T) {
	t.Parallel()
	const n = 200_000
	for _, c := range []struct {
		name string
		draw func(i uint64) uint64
	}{
		{"seeds in a row", func(i uint64) uint64 { return NewSampler(i).Uint64() }},
		{"seeds in a row, by their splits", func(i uint64) uint64 { return NewSampler(i).Split().Uint64() }},
		{"high bits in a row", func(i uint64) uint64 { return NewSampler(i << 40).Uint64() }},
		{"the second words", func(i uint64) uint64 { s := NewSampler(i); s.Uint64(); return s.Uint64() }},
	} {
		var ones [64]int
		high, low := make([]int, 256), make([]int, 256)
		last := c.draw(n)
		for i := range uint64(n) {
			x := c.draw(i)
			for bit := range ones {
				ones[bit] += int(x >> bit & 1)
			}
			high[last>>60<<4|x>>60]++
			low[last&15<<4|x&15]++
			last = x
		}
		for bit, k := range ones {
			if z := (float64(k) - n/2) / math.Sqrt(n/4); !(math.Abs(z) <= 5) {
				t.Errorf("%s: bit %d is set in %d of %d words, z = %.1f", c.name, bit, k, n, z)
			}
		}
		for name, counts := range map[string][]int{"high": high, "low": low} {
			if p := chiSquare(counts); !(p >= leastP) {
				t.Errorf("%s: joint distribution of the %s bits, p = %.2g", c.name, name, p)
			}
		}
	}
}

func clone(s *Sampler) *Sampler {
	c := *s
	return &c
}

// The Fill methods write what successive calls return, and leave the sampler where these do.
func TestFillsAreSuccessiveCalls(t *testing.T) {
	for _, c := range []struct {
		name string
		fill func(s *Sampler, dst []float64)
		draw func(s *Sampler) float64
	}{
		{"Normal", (*Sampler).FillNormal, (*Sampler).Normal},
		{"Rademacher", (*Sampler).FillRademacher, (*Sampler).Rademacher},
	} {
		a, b := NewSampler(1), NewSampler(1)
		dst := make([]float64, 100)
		c.fill(a, dst[:37])
		c.fill(a, dst[37:])
		for i, v := range dst {
			if w := c.draw(b); v != w {
				t.Fatalf("%s: fill gave %v at %d, a call %v", c.name, v, i, w)
			}
		}
	}
}

// A Sampler drives gonum's distributions.
func TestSamplerAsSource(t *testing.T) {
	n := distuv.Normal{Mu: 3, Sigma: 2, Src: NewSampler(1)}
	var sum float64
	for range 10_000 {
		sum += n.Rand()
	}
	if z := (sum/10_000 - 3) / (2 / math.Sqrt(10_000)); !(math.Abs(z) <= 4) {
		t.Errorf("mean of gonum's normal variates: z = %.1f", z)
	}
}

// The bits of all variates of a few seeds.
func TestGoldenSampler(t *testing.T) {
	var b bytes.Buffer
	for _, seed := range []uint64{0, 1, 1<<64 - 1} {
		fmt.Fprintf(&b, "seed %d\n", seed)
		line := func(name string, draw func(s *Sampler) any) {
			s := NewSampler(seed)
			fmt.Fprintf(&b, "%s:", name)
			for range 8 {
				fmt.Fprintf(&b, " %x", draw(s))
			}
			// Further on, so that rare branches have been taken.
			for range 5000 {
				draw(s)
			}
			fmt.Fprintf(&b, " … %x\n", draw(s))
		}
		line("Uint64", func(s *Sampler) any { return s.Uint64() })
		line("Split", func(s *Sampler) any { return s.Split().Uint64() })
		line("IntN(1000)", func(s *Sampler) any { return s.IntN(1000) })
		line("Rademacher", func(s *Sampler) any { return s.Rademacher() })
		for _, v := range continuousVariates {
			line(v.name, func(s *Sampler) any { return v.draw(s) })
		}
	}
	golden.Compare(t, "sampler.golden", b.Bytes())
}

// A nil sampler is NewSampler(0), and the zero value is refused.
func TestNilSampler(t *testing.T) {
	x := testkit.NormalPoints(1, 20, 3)
	g := Gaussian{LengthScale: 1}
	features := func(m FeatureMap, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return m.TransformVec(nil, x.RawRowView(0)), nil
	}
	plan := testkit.Must(NewPlan(g, x, 20, nil))
	for name, f := range map[string]func(s *Sampler) (any, error){
		"New":        func(s *Sampler) (any, error) { return features(New(g, x, 20, s)) },
		"Plan.Draw":  func(s *Sampler) (any, error) { return features(plan.Draw(s)) },
		"NewFourier": func(s *Sampler) (any, error) { return features(NewFourier(g, 3, 20, s, nil)) },
		"NewMaclaurin": func(s *Sampler) (any, error) {
			return features(NewMaclaurin(ExpDot{LengthScale: 1}, 3, 20, s, nil))
		},
		"NewNeurons": func(s *Sampler) (any, error) { return features(NewNeurons(ArcCosine{}, 3, 20, s, nil)) },
		"NewNystrom": func(s *Sampler) (any, error) { return features(NewNystrom(g, x, 5, s, nil)) },
		"NewCompositional": func(s *Sampler) (any, error) {
			sk := NewSkeleton(3)
			sk.Unit(series.ExpDual(1), sk.Input(g))
			return features(NewCompositional(sk, 5, s))
		},
		"MedianLengthScale": func(s *Sampler) (any, error) { return MedianLengthScale(x, s) },
		"PredictedRMSE":     func(s *Sampler) (any, error) { return PredictedRMSE(plan, x, 50, s) },
	} {
		got, err := f(nil)
		if want := testkit.Must(f(NewSampler(0))); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, of NewSampler(0) %v", name, got, err, want)
		}
		if got, err := f(new(Sampler)); err == nil || !strings.Contains(err.Error(), "zero value") {
			t.Errorf("%s of the zero value: %v, %v", name, got, err)
		}
	}
}
