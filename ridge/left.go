// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Landmarks leave r(x) = k(x, x) − ‖φ(x)‖² of their kernel, a function of which the fit knows no more than that its variance is
// r(x)·σ²/λ by the prior. The noise that is fitted, σ², has that of the rows in it: r̄·σ²/λ in the mean, r̄ the mean of r. So a part c = r̄/λ
// of σ² is what landmarks leave, as r(x)/r̄ goes, and the rest is noise:
//
//	y − ⟨φ(x), w⟩ has the variance σ²·(1 − c) + σ²·c·r(x)/r̄ + σ²·φᵀA⁻¹φ
//
// whose mean over the rows is the fitted one. Where the prior has more than half of σ² left by few landmarks, the rows contradict it,
// since they have noise as well: then c is ½. Where the noise is known it has no such part, and c is 0.
// The mean is that of the rows: where r is more than 2r̄, what exceeds that has the prior's
// variance, (r(x) − 2r̄)·σ²/λ, as far from all rows no row has told anything of it.
//
// A map that was planned for points leaves an r(x) of its own away from these: see linear.Domain. It is most at the rows farthest out, which
// the features fit the more closely, so that σ² has less of it than the mean: about half (.25 to 1 of it was measured). With a given λ, the noise
// over the prior's variance of the kernel, the prior's variance is σ²/(λ + r̄/2), and c = (r̄/2)/(λ + r̄/2). A λ that the rows chose has that
// of the noise in it: then it is σ²/λ, and no more than σ²/r̄. What is left has the prior's variance everywhere.

// mostLeft is the largest part of σ² that is taken for what landmarks leave.
const mostLeft = 0.5

// leastLeft is the part of the mean of k(x, x) below which the mean of r may be rounding of the sums.
const leastLeft = 1e-6

// domainOf returns the domain of a map, or nil if that is all points. A map in float32 has that of the map in float64.
func domainOf(phi featuremap.FeatureMap) linear.Domain {
	if w, ok := phi.(*widened); ok {
		phi = w.FeatureMap
	}
	return linear.DomainOf(phi)
}

// addLeft adds what meanLeft needs of the rows [lo, hi) of a batch: k(x, x) of landmarks, or r(x) of a map that has a domain, whose rows
// outside it counts.
func (a *Accumulator) addLeft(b *addition, lo, hi int) {
	ofLandmarks := a.raw != nil && a.raw.leaves != nil
	if !ofLandmarks && a.domain == nil {
		return
	}
	left, x := make([]float64, hi-lo), a.reader.Matrix(lo, hi)
	if ofLandmarks {
		a.raw.leaves.DiagonalTo(left, x)
	} else {
		a.domain.LostTo(left, x)
		for i := lo; i < hi; i++ {
			if !a.domain.Inside(a.reader.Row(i)) {
				a.farther++
			}
		}
	}
	for i, v := range left {
		a.adding = math.FMA(b.weight(lo+i), v, a.adding)
	}
	if !(a.adding >= 0) { // of a caller's kernel: no mean is known
		a.adding = math.Inf(1)
	}
}

// meanLeft returns the mean of what landmarks leave of k(x, x), or 0 if that is too little to be known.
func (a *Accumulator) meanLeft(e *normal.Equations) float64 {
	if a.diagonal == 0 {
		return 0
	}
	mean := a.diagonal / e.Weight
	if a.domain != nil {
		return knownLeft(mean, mean+e.MeanSquare())
	}
	return knownLeft(mean-e.MeanSquare(), mean)
}

// meanLeft returns the mean of what landmarks leave of k(x, x), as that of an Accumulator, over the rows of the sample: so it is the same of
// up to sampleRows rows, and of more an estimate, as passes do not solve for features. It takes so many rows at a time.
func (f *iteration) meanLeft(x mat.Matrix, weights []float64, size int) float64 {
	domain := domainOf(f.phi)
	if domain == nil && (f.raw == nil || f.raw.leaves == nil) {
		return 0
	}
	var reader rows.Reader
	reader.Reset(x)
	var left, diagonal, total float64
	values := make([]float64, size)
	for lo := 0; lo < len(weights); lo += size {
		hi := min(lo+size, len(weights))
		add := func(to *float64) {
			for i, v := range values[:hi-lo] {
				*to = math.FMA(weights[lo+i], v, *to)
			}
		}
		if x := reader.Matrix(lo, hi); domain != nil {
			domain.LostTo(values[:hi-lo], x)
			add(&left)
			diagonal += float64(hi - lo) // of the order of 1
		} else {
			f.raw.leaves.RemainderTo(values[:hi-lo], x, nil)
			add(&left)
			f.raw.leaves.DiagonalTo(values[:hi-lo], x)
			add(&diagonal)
		}
		for _, w := range weights[lo:hi] {
			total += w
		}
	}
	return knownLeft(left/total, diagonal/total)
}

// knownLeft returns the mean of what is left of so much, or 0 if it is too little to be known.
func knownLeft(left, of float64) float64 {
	if !(left > leastLeft*of && left <= math.MaxFloat64) {
		return 0
	}
	return left
}

// leftPart returns c, the part of σ² of a target that is what a map leaves.
func (m *numbers) leftPart(target int) float64 {
	lambda := m.lambda(target)
	switch {
	case m.left == 0 || lambda == 0 || m.known:
		return 0
	case m.domain:
		return m.left / 2 * m.priorRate(lambda)
	}
	return min(m.left/lambda, mostLeft)
}

// priorRate returns the prior's variance in units of σ².
func (m *numbers) priorRate(lambda float64) float64 {
	switch {
	case !m.domain || m.known:
		return 1 / lambda
	case m.given:
		return 1 / (lambda + m.left/2)
	}
	return 1 / max(lambda, m.left)
}

// leftVariance returns the variance of what is left of k(x, x), r, in units of σ² of a target, and its derivative by r. Of landmarks it is r·c/r̄
// up to 2r̄, and what exceeds that at the prior's rate; else it is at that.
func (m *numbers) leftVariance(target int, r float64) (variance, slope float64) {
	lambda := m.lambda(target)
	if lambda == 0 {
		return 0, 0
	}
	prior := m.priorRate(lambda)
	if m.left == 0 || m.known || m.domain {
		return r * prior, prior
	}
	rate, near := m.leftPart(target)/m.left, 2*m.left
	if r <= near {
		return r * rate, rate
	}
	return float64(near*rate) + (r-near)*prior, prior
}
