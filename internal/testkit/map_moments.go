// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package testkit

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// moments are sums over maps of powers of the error ⟨φ(x), φ(y)⟩ − k(x, y).
type moments struct{ e1, e2, e4 float64 }

func (m *moments) add(n moments) {
	m.e1 += n.e1
	m.e2 += n.e2
	m.e4 += n.e4
}

// mapMoments tests over hundreds of maps, or more than a thousand, that the estimate has the bias that Bias returns, usually 0, and
// the variance that Variance returns.
//
// With R maps, V the exact variance and V̂ = Σe²/R, the scores are
//
//	z = (Σe/R)/√(V/R)  and  z = (V̂ − V)/√((μ̂₄ − V̂²)/R),  μ̂₄ = Σe⁴/R,
//
// the second because Var e² = μ₄ − V². It is used if the sample kurtosis μ̂₄/V̂² is at most 10, so that μ̂₄ itself is
// known to a few hundredths. With a kurtosis near 3, it rejects a variance that is off by a fifth for R = 1,200, as
// with -long, and one that is off by half for R = 200.
//
// Under the race detector, which has nothing to check here, it is skipped.
func mapMoments(t *testing.T, c MapCase, d int, first featuremap.FeatureMap) {
	if RaceEnabled {
		return
	}
	if c.OwnKernel {
		for _, p := range c.Pairs(d) {
			want := DotOf(first.TransformVec(nil, p.X), first.TransformVec(nil, p.Y))
			if got := first.Kernel().Eval(p.X, p.Y); got != want && !Close15(got, want) {
				t.Errorf("%s: the kernel is %v, the inner product of features %v", p.Name, got, want)
			}
		}
		return
	}
	maps := Times(200, 200, 1200)
	heavy := c.HeavyTails || c.RareTails && !Long() // with so few maps the fourth moment is not known
	pairs := c.Pairs(d)
	if len(pairs) > 20 && !Long() { // every fourth of Pairs has each direction and each distance
		all := pairs
		pairs = nil
		for i := 0; i < len(all); i += 4 {
			pairs = append(pairs, all[i])
		}
	}
	v, ok := first.(featuremap.Variancer)
	if !ok {
		t.Fatal("the map is no Variancer")
	}
	draw := func(seed uint64) (featuremap.FeatureMap, error) {
		return c.New(d, c.out(d), featuremap.NewSampler(seed))
	}
	if p, err := PlanOf(first); err == nil {
		draw = func(seed uint64) (featuremap.FeatureMap, error) { return p.Draw(featuremap.NewSampler(seed)) }
	}
	k := make([]float64, len(pairs))
	for i, p := range pairs {
		k[i] = first.Kernel().Eval(p.X, p.Y)
		if b, ok := first.(interface{ Bias(x, y []float64) float64 }); ok {
			k[i] += b.Bias(p.X, p.Y)
		}
	}
	// Chunks of maps have separate sums, so that their order is fixed.
	const chunk = 100
	chunks := make([][]moments, maps/chunk)
	parallel.Run(parallel.Func(func(lo, hi int) {
		sums := make([]moments, len(pairs))
		var fx, fy []float64
		for seed := lo; seed < hi; seed++ {
			m, err := draw(uint64(seed))
			if err != nil {
				t.Error(err)
				return
			}
			_, out := m.Dims()
			fx, fy = slices.Grow(fx[:0], out)[:out], slices.Grow(fy[:0], out)[:out]
			for i, p := range pairs {
				e := dot(m.TransformVec(fx, p.X), m.TransformVec(fy, p.Y)) - k[i]
				sums[i].add(moments{e, e * e, e * e * e * e})
			}
		}
		chunks[lo/chunk] = sums
	}), maps, chunk)
	if t.Failed() {
		return
	}
	sums := make([]moments, len(pairs))
	for _, c := range chunks {
		for i := range sums {
			sums[i].add(c[i])
		}
	}
	n := float64(maps)
	tested := 0
	for i, p := range pairs {
		mean, variance, fourth := sums[i].e1/n, sums[i].e2/n, sums[i].e4/n
		exact := v.Variance(p.X, p.Y)
		if c.UnknownVariance {
			if !math.IsNaN(exact) {
				t.Errorf("%s: Variance = %v, want NaN", p.Name, exact)
			}
			exact = variance - mean*mean
		} else if !(exact >= 0) {
			t.Errorf("%s: Variance = %v", p.Name, exact)
		}
		if back := v.Variance(p.Y, p.X); !c.UnknownVariance && back != exact && !(math.Abs(back-exact) <= 1e-9*exact+1e-15) {
			t.Errorf("%s: Variance = %v, and with the points exchanged %v", p.Name, exact, back)
		}
		if c.InexactVariance {
			exact = variance - mean*mean
		}
		// Rounding: for features of some thousand terms, with phases far from the origin.
		const rounding = 1e-10
		if math.Sqrt(exact) < rounding {
			if !(math.Sqrt(variance) <= rounding) {
				t.Errorf("%s: root mean square error %v, and Variance %v", p.Name, math.Sqrt(variance), exact)
			}
			tested++
			continue
		}
		self := first.Kernel().Eval(p.X, p.X) * first.Kernel().Eval(p.Y, p.Y)
		if c.Cancels && exact <= 1e-15*self {
			if !(variance <= 1e-14*self) {
				t.Errorf("%s: measured variance %v, and Variance %v", p.Name, variance, exact)
			}
			tested++
			continue
		}
		if z := mean / math.Sqrt(exact/n); !(math.Abs(z) <= zLimit) {
			t.Errorf("%s: bias %.3g, z = %.1f (kernel %.4f)", p.Name, mean, z, k[i])
		}
		if fourth > 10*variance*variance || c.InexactVariance || c.UnknownVariance || heavy {
			continue
		}
		tested++
		// An estimate with two values may have a constant square.
		spread := max(fourth-variance*variance, 1e-20*fourth)
		if z := (variance - exact) / math.Sqrt(spread/n); !(math.Abs(z) <= zLimit) {
			t.Errorf("%s: measured variance %.4g, exact %.4g, z = %.1f", p.Name, variance, exact, z)
		}
	}
	if heavy {
		t.Log("heavy tails: the variance is not tested by simulation")
	} else if !c.InexactVariance && !c.UnknownVariance && 2*tested < len(pairs) {
		t.Errorf("variance tested at %d of %d pairs: too few", tested, len(pairs))
	}
}
