// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/special"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// The lengths of orthogonal and structured frequencies.

// Radii says how the lengths of orthogonal frequencies are drawn.
type Radii int

const (
	// RandomRadii are independent, χ_d·√τ (Yu et al. 2016).
	RandomRadii Radii = iota

	// StratifiedRadii are one from each of as many equally likely intervals as there are frequencies, in random order:
	// the length of frequency j of n is the (π(j) + uⱼ)/n quantile of the law of χ_d·√τ, π a random permutation and u uniform
	// on (0, 1). Every length alone has that law, so the estimate is as unbiased as before; the variance at the
	// median distance is mostly .55 to .85 of that of RandomRadii. It is for kernels of which the law is known:
	// Gaussian, Matern, RationalQuadratic, sums of these, and products of Gaussian kernels.
	StratifiedRadii
)

// String returns the name of the constant.
func (r Radii) String() string { return gosyntax.Name(r, []string{"RandomRadii", "StratifiedRadii"}) }

// validateRadii refuses radii that are unknown, or not for the design or the kernel.
func (r *fourierRecipe) validateRadii() error {
	switch r.opts.Radii {
	case RandomRadii:
		return nil
	case StratifiedRadii:
	default:
		return fmt.Errorf("featuremap: Radii = %v: unknown", r.opts.Radii)
	}
	switch {
	case r.opts.Design != Orthogonal && r.opts.Design != Structured:
		return fmt.Errorf("featuremap: Radii = StratifiedRadii with Design = %v: are for Orthogonal and Structured frequencies", r.opts.Design)
	case r.Mixture == nil:
		return fmt.Errorf("%w: %v (Radii = StratifiedRadii)", ErrNotRadial, r.Spectrum)
	case r.Laws == nil:
		return fmt.Errorf("featuremap: Radii = StratifiedRadii: the law of the lengths of the frequencies of %v is not known", r.Spectrum)
	}
	return nil
}

// lengths returns the function that draws the lengths of the frequencies, one after another.
func (r *fourierRecipe) lengths(s random.Sampler) func(i int) float64 {
	if r.opts.Radii == RandomRadii {
		d := float64(r.block())
		return func(int) float64 { return math.Sqrt(s.ChiSquared(d)) * math.Sqrt(r.Mixture(s)) }
	}
	own, n := s.Split(), r.forms()
	strata := own.Permutation(n)
	law := r.law()
	return func(i int) float64 { return law.Quantile(min((float64(strata[i])+own.Open())/float64(n), 1-0x1p-53)) }
}

// A strataFamily is what the strataTables of any number of frequencies have in common.
type strataFamily struct {
	*radial.Family
	low, high float64 // the first and the last log z; beyond, powers and a constant. Both 0 for a constant kernel
}

func newStrataFamily(r *fourierRecipe) *strataFamily {
	f := &strataFamily{Family: radial.NewFamily(r.block(), r.law())}
	if median := spectrum.MedianTau(spectrum.Thinned(r.TauNodes())); median > 0 {
		f.low = -0.5*math.Log(median) - 3*math.Ln10
		f.high = f.low + 7*math.Ln10
	}
	return f
}

// covarianceAt returns the covariance c of cos ω₁·Δ and cos ω₂·Δ for two frequencies of a block with independent lengths.
func (r *fourierRecipe) covarianceAt(distance float64) float64 {
	if r.Length > 0 {
		return special.OrthogonalCovariance(r.block(), 0.5*arith.Square(distance/r.Length))
	}
	return r.table().at(distance)
}

// ofTogether returns D times the variance of the estimate, for that of m times the mean of cos ωⱼ·Δ over all frequencies: with
// random phases, each adds m²/2.
func (r *fourierRecipe) ofTogether(variance float64) float64 {
	variance *= float64(r.Columns)
	if r.opts.RandomPhase {
		variance += 0.5 * r.Mass * r.Mass
	}
	return variance
}

// A strataTable is n times the variance of the mean of cos ωⱼ·Δ over n frequencies with stratified lengths, by log ‖Δ‖. Values are
// computed when they are asked for, and interpolated by cubics.
type strataTable struct {
	*strataFamily
	strata     *radial.Strata
	mates      float64 // the mean number of other frequencies in the block of one
	covariance func(distance float64) float64

	mutex  sync.Mutex
	values map[int]float64
}

// strataStep is the difference from one log z to the next.
const strataStep = 0.06

func newStrataTable(r *fourierRecipe, f *strataFamily) *strataTable {
	n := r.forms()
	return &strataTable{strataFamily: f, strata: f.Strata(n), mates: blockPairs(n, r.block()) / float64(n),
		covariance: r.covarianceAt, values: make(map[int]float64)}
}

func (t *strataTable) at(z float64) float64 {
	if z == 0 || t.low == t.high { // or a constant kernel
		return 0
	}
	u := math.Log(z) - t.low
	switch {
	case math.IsNaN(u):
		return u
	case u < 0: // a power of z
		first := t.value(0)
		return first * math.Pow(first/t.value(1), -u/strataStep)
	}
	u = min(u, t.high-t.low) / strataStep
	i := int(u)
	var sum float64
	for k, w := range cubicWeights(u - float64(i)) {
		sum += w * t.value(i-1+k)
	}
	return max(sum, 0)
}

// value returns the value at log z = low + i·strataStep.
func (t *strataTable) value(i int) float64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	v, ok := t.values[i]
	if !ok {
		z := math.Exp(t.low + strataStep*float64(i))
		v = t.strata.Variance(z, t.mates, t.covariance(z))
		t.values[i] = v
	}
	return v
}
