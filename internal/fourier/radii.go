// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"fmt"
	"math"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/special"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// The lengths of orthogonal and structured frequencies.

// validateLengths refuses stratified lengths where the design or the kernel does not support them.
func (r *Recipe) validateLengths() error {
	switch {
	case !r.opts.Stratified:
		return nil
	case r.opts.Design != design.Orthogonal && r.opts.Design != design.Structured:
		return fmt.Errorf("featuremap: Stratified with Design = %v: must be for Orthogonal and Structured frequencies", r.opts.Design)
	case r.Mixture == nil:
		return fmt.Errorf("%w: %v (Stratified)", check.ErrNotRadial, r.Spectrum)
	case r.Laws == nil:
		return fmt.Errorf("featuremap: Stratified: the law of the lengths of the frequencies of %v is not known", r.Spectrum)
	}
	return nil
}

// lengths returns a function that samples the lengths of the frequencies, one after another.
func (r *Recipe) lengths(s random.Sampler) func(i int) float64 {
	if !r.opts.Stratified {
		d := float64(r.Block())
		return func(int) float64 { return math.Sqrt(s.ChiSquared(d)) * math.Sqrt(r.Mixture(s)) }
	}
	own, n := s.Split(), r.Forms()
	strata := own.Permutation(n)
	law := r.Law()
	return func(i int) float64 { return law.Quantile(min((float64(strata[i])+own.Open())/float64(n), 1-0x1p-53)) }
}

// StrataFamily is the part that the strataTables for all numbers of frequencies share.
type StrataFamily struct {
	*radial.Family
	low, high float64 // the first and the last log z; beyond, powers and a constant. Both 0 for a constant kernel
}

func newStrataFamily(r *Recipe) *StrataFamily {
	f := &StrataFamily{Family: radial.NewFamily(r.Block(), r.Law())}
	if median := spectrum.MedianTau(spectrum.Thinned(r.TauNodes())); median > 0 {
		f.low = -0.5*math.Log(median) - 3*math.Ln10
		f.high = f.low + 7*math.Ln10
	}
	return f
}

// covarianceAt returns the covariance c of cos ω₁·Δ and cos ω₂·Δ for two frequencies of a block with independent lengths.
func (r *Recipe) covarianceAt(distance float64) float64 {
	if r.Length > 0 {
		return special.OrthogonalCovariance(r.Block(), 0.5*arith.Square(distance/r.Length))
	}
	return r.Table().at(distance)
}

// ofTogether returns D times the variance of the estimate, given the variance of m times the mean of cos ωⱼ·Δ over all
// frequencies. Each random phase adds m²/2.
func (r *Recipe) ofTogether(variance float64) float64 {
	variance *= float64(r.Columns)
	if r.opts.RandomPhase {
		variance += 0.5 * r.Mass * r.Mass
	}
	return variance
}

// strataTable is n times the variance of the mean of cos ωⱼ·Δ over n frequencies with stratified lengths, by log ‖Δ‖.
// Values are computed when they are needed, and interpolated by cubics.
type strataTable struct {
	*StrataFamily
	strata     *radial.Strata
	mates      float64 // the mean number of other frequencies in the block of one
	covariance func(distance float64) float64

	mutex  sync.Mutex
	values map[int]float64
}

// strataStep is the difference from one log z to the next.
const strataStep = 0.06

func newStrataTable(r *Recipe, f *StrataFamily) *strataTable {
	n := r.Forms()
	return &strataTable{StrataFamily: f, strata: f.Strata(n), mates: design.BlockPairs(n, r.Block()) / float64(n),
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
	for k, w := range sample.CubicWeights(u - float64(i)) {
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
