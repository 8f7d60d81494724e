// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Landmarks miss a part r(x) = k(x, x) − ‖φ(x)‖² of their kernel. The data say nothing about that part except that its
// prior variance is s²·r(x), where s² is the prior variance of the kernel. The fitted noise σ² contains its variance at
// the rows. If the missing values at different rows are independent, with the mean r̄ of r over the rows, the features
// fit a part of them, as they fit noise, and the rest is in σ²:
//
//	E σ² = noise + s²·r̄·f,  f = 1 − (1 + tr ΦᵀΦA⁻¹)/n,
//
// where f is the share of the degrees of freedom that a fit leaves, without the 1 if it has no intercept. A given λ is
// the noise over s². So
//
//	s² = σ²/(λ + r̄·f),  NoiseVariance = λ·s²,
//
// and the missing part has the variance s²·r(x) everywhere.
//
// A λ that the rows chose covers the noise and the missing part. For landmarks a share c = r̄/λ of σ² is then the
// missing part, in proportion to r(x)/r̄, and the rest is noise:
//
//	y − ⟨φ(x), w⟩ has the variance σ²·(1 − c) + σ²·c·r(x)/r̄ + σ²·φᵀA⁻¹φ
//
// whose mean over the rows is the fitted one. With few landmarks the prior may attribute more than half of σ² to the
// missing part. The rows have noise as well, so c is at most ½. If the noise is known, it does not contain the missing
// part, and c is 0. The mean is over the rows: where r is more than 2r̄, far from all rows, the excess has the prior
// variance, (r(x) − 2r̄)·σ²/λ.
//
// The λ that rows take can be far below noise over s², so s² is at most the mean square of the target over the mean
// square that functions of the kernel have at the rows, both about the mean if there is an intercept:
//
//	s² = min(σ²/λ, yᵀy/n/(tr(ΦᵀΦ)/n + r̄)),  c = min(r̄·s²/σ², ½).
//
// For the excess s² is at most four times that bound: rows that are close together tell little of the variance far out.
// So it is if the noise is known: where landmarks miss far more than the noise, the likeliest prior variance has no
// bound.
//
// A smooth kernel has nearly all of r̄ at a few outer rows, which the features fit: the mean of r·s²/σ² may be 1 where
// σ² is nearly all noise. So the c of NoiseVariance is at most the mean of min(r·s²/σ², 1) over some of the rows.
//
// If landmarks are rows that do not judge λ (linear.Marks), the features are closer to these rows than to new ones. σ² and
// the r̄ in c are then means over the rows that judge, σ² that of e²·(1 − h), where e is a leave-one-out error.
//
// A map that was planned for points has its own missing part r(x): see linear.Domain. With a λ that the rows chose, s²
// is also at most σ²/(r̄·f), and c = r̄·f·s²/σ², at most ½. The missing part has the prior variance everywhere. A
// truncated series misses most at the outermost rows, which the features fit more closely: f is at most ½ (.25 to 1 was
// measured).

// mostLeft is the largest share c of σ² for what landmarks miss.
const mostLeft = 0.5

// littleLeft is the c above which rows are read to see how what is missing is spread over them.
const littleLeft = 0.05

// mostFree is the largest f for a map that was planned for points.
const mostFree = 0.5

// farther times the bound of the prior variance is the bound far from all rows.
const farther = 4

// leastLeft is the part of the mean of k(x, x) below which the mean of r may be rounding of the sums.
const leastLeft = 1e-6

// domainOf returns the domain of a map, or nil if that is all points. A map in float32 has the domain of the map in
// float64.
func domainOf(phi featuremap.FeatureMap) linear.Domain {
	if w, ok := phi.(*widened); ok {
		phi = w.FeatureMap
	}
	return linear.DomainOf(phi)
}

// addLeft adds what meanLeft needs of the rows [lo, hi) of a batch: k(x, x) for landmarks, or r(x) for a map with a
// domain, for which it also counts the rows outside.
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
	if !(a.adding >= 0) { // the kernel is a caller's type: no mean is known
		a.adding = math.Inf(1)
	}
}

// lefts is what landmarks miss of k(x, x), by checksums of rows x, for up to everyRow rows whose features were computed.
type lefts map[uint64]float64

// note takes the rows [lo, hi) that an accumulator reads, whose features are in its view.
func (l *lefts) note(a *Accumulator, lo, hi int) {
	if len(*l) >= everyRow {
		return
	}
	if *l == nil {
		*l = make(lefts)
	}
	left := make([]float64, hi-lo)
	a.raw.leaves.RemainderTo(left, a.reader.Matrix(lo, hi), &a.view)
	for i, v := range left {
		(*l)[a.reader.Checksum(lo+i)] = v
	}
}

// of sets left to what is missing for rows with the given checksums, and reports whether all of them are known.
func (l lefts) of(left []float64, sums []uint64) bool {
	for i, sum := range sums {
		v, ok := l[sum]
		if !ok {
			return false
		}
		left[i] = v
	}
	return true
}

// meanLeft returns the mean of what landmarks miss of k(x, x) over rows with a total weight, given the mean square of
// ‖φ‖. It is 0 if it is too small to be known.
func (a *Accumulator) meanLeft(weight, square float64) float64 {
	if a.diagonal == 0 {
		return 0
	}
	mean := a.diagonal / weight
	if a.domain != nil {
		return knownLeft(mean, mean+square)
	}
	return knownLeft(mean-square, mean)
}

// meanLeft returns the mean of what landmarks miss of k(x, x) over the rows of the sample. Up to sampleRows rows it is
// the same as for an Accumulator, and with more it is an estimate, since passes do not solve for features. It takes
// size rows at a time.
func (f *iteration) meanLeft(x mat.Matrix, weights []float64, size int) float64 {
	domain := domainOf(f.phi)
	if domain == nil && (f.raw == nil || f.raw.leaves == nil) {
		return 0
	}
	var reader rows.Reader
	reader.Reset(x)
	var left, diagonal, total float64
	f.lefts, f.leftWeights = make([]float64, len(weights)), weights
	diagonals := make([]float64, size)
	for lo := 0; lo < len(weights); lo += size {
		hi := min(lo+size, len(weights))
		add := func(to *float64, values []float64) {
			for i, v := range values {
				*to = math.FMA(weights[lo+i], v, *to)
			}
		}
		values := f.lefts[lo:hi]
		if x := reader.Matrix(lo, hi); domain != nil {
			domain.LostTo(values, x)
			add(&left, values)
			diagonal += float64(hi - lo) // of the order of 1
		} else {
			f.raw.leaves.RemainderTo(values, x, nil)
			add(&left, values)
			f.raw.leaves.DiagonalTo(diagonals[:hi-lo], x)
			add(&diagonal, diagonals[:hi-lo])
		}
		for _, w := range weights[lo:hi] {
			total += w
		}
	}
	return knownLeft(left/total, diagonal/total)
}

// knownLeft returns the mean of the missing part, or 0 if it is too small, compared with of, to be known.
func knownLeft(left, of float64) float64 {
	if !(left > leastLeft*of && left <= math.MaxFloat64) {
		return 0
	}
	return left
}

// freedomProbes is the number of vectors of signs from which degrees of freedom are estimated: to about
// √(D/freedomProbes)/4.
const freedomProbes = 64

// freedom estimates the degrees of freedom of a fit, tr ΦᵀΦA⁻¹ = D − λ·tr A⁻¹ plus 1 for an intercept, by the factor U
// of A: the mean of ‖U⁻ᵀz‖² over vectors of signs z is the trace of A⁻¹ (Hutchinson 1989, "A stochastic estimator of
// the trace of the influence matrix").
func freedom(u *tiled.Factor, lambda float64, intercept bool) float64 {
	d := u.Dim()
	probes := blas64.General{Rows: freedomProbes, Cols: d, Stride: d, Data: make([]float64, freedomProbes*d)}
	for i := range probes.Data {
		probes.Data[i] = float64(int64(splitmix.Output(1, uint64(i))>>63)*2 - 1)
	}
	squares := make([]float64, freedomProbes)
	u.SquaredNorms(squares, probes)
	var sum float64
	for _, v := range squares {
		sum += v
	}
	free := float64(d) - lambda*sum/freedomProbes
	if intercept {
		free++
	}
	return free
}

// freePart returns the share of the degrees of freedom of the rows, given their weight, that a fit leaves.
func freePart(freedom, weight float64) float64 { return min(max(1-freedom/weight, 0), 1) }

// free sets the free parts of systems, from the sample.
func (f *iteration) free() {
	if f.left == 0 || f.known != nil {
		return
	}
	for _, s := range f.systems {
		s.free = freePart(f.trace(s.lambda).freedom, f.all.weight)
	}
}

// fromLeft returns the part of σ² of a target that stems from what a map misses, in units of the prior variance of the
// kernel.
func (m *numbers) fromLeft(target int) float64 {
	free := m.ridges[m.of[target]].free
	if m.domain {
		free = min(free, mostFree)
	}
	return float64(m.left * free)
}

// leftPart returns c, the share of σ² of a target that stems from what a map misses.
func (m *numbers) leftPart(target int) float64 {
	if m.parts == nil {
		return m.meanPart(target)
	}
	return m.parts[target]
}

// meanPart returns what c is if all rows miss the mean r̄.
func (m *numbers) meanPart(target int) float64 {
	lambda, most := m.lambda(target), m.mostPrior(target)
	switch {
	case m.left == 0 || lambda == 0 || m.known:
		return 0
	case m.given:
		return float64(m.fromLeft(target) * m.priorRate(target))
	case m.domain:
		return min(float64(m.fromLeft(target)*min(m.priorRate(target), most)), mostLeft)
	case most < 1/lambda: // not equal to it, for the sake of the last bit
		return min(float64(m.left*most), mostLeft)
	}
	return min(m.left/lambda, mostLeft)
}

// priorRate returns the prior variance in units of σ² of a target.
func (m *numbers) priorRate(target int) float64 {
	switch lambda := m.lambda(target); {
	case m.known:
		return min(1/lambda, farther*m.mostPrior(target))
	case m.given:
		return 1 / (lambda + m.fromLeft(target))
	case m.domain:
		return min(1/max(lambda, m.fromLeft(target)), farther*m.mostPrior(target))
	default:
		return min(1/lambda, farther*m.mostPrior(target))
	}
}

// mostPrior returns the bound of the prior variance in units of σ² of a target.
func (m *numbers) mostPrior(target int) float64 {
	if m.prior == nil {
		return math.Inf(1)
	}
	return m.prior[target]
}

// setByJudges sets σ² and the mean of what is missing by the rows that judge λ, which landmarks do not.
func (m *numbers) setByJudges(c *choice, noise []float64) {
	for t, v := range noise {
		if v > 0 && c.Variances[t] > 0 {
			m.noise[t] = v
		}
	}
	if m.left > 0 {
		m.left /= c.left.part
	}
}

// boundPrior sets bounds of prior variances, the mean squares of targets over the spread of the kernel, where one is less
// than σ²/λ.
func (m *numbers) boundPrior(squares []float64, spread float64) {
	if m.left == 0 || m.given {
		return
	}
	prior, bound := make([]float64, len(m.noise)), false
	for t, v := range m.noise {
		prior[t] = 1 / m.lambda(t)
		if most := squares[t] / (spread * v); v > 0 && most > 0 && most < prior[t] {
			prior[t], bound = most, true
		}
	}
	if bound {
		m.prior = prior
	}
}

// readParts sets c by some of the rows, if there are any, unless it is small.
func (m *Model) readParts(l *leftOut) error {
	if l == nil || !m.spreadMatters() {
		return nil
	}
	p, err := l.rows.gather(l.judging(otherRows))
	if err != nil {
		return err
	}
	left := make([]float64, p.y.Rows)
	if domain := domainOf(m.phi); domain != nil {
		domain.LostTo(left, p.x)
	} else {
		var features mat.Dense
		m.phi.TransformTo(&features, p.x)
		m.remainders(left, p.x, features.RawMatrix())
	}
	m.setParts(left, p.weights)
	return nil
}

// spreadMatters reports whether c depends on how what is missing is spread over the rows.
func (m *numbers) spreadMatters() bool {
	if m.given {
		return false
	}
	for t := range m.noise {
		if m.meanPart(t) > littleLeft {
			return true
		}
	}
	return false
}

// setParts sets c by what is missing at some rows with weights, nil if all are 1.
func (m *numbers) setParts(left, weights []float64) {
	m.parts = make([]float64, len(m.noise))
	for t := range m.parts {
		part := m.meanPart(t)
		if m.parts[t] = part; !(part > littleLeft) {
			continue
		}
		rate := min(1/m.lambda(t), m.mostPrior(t))
		if m.domain {
			rate = float64(m.fromLeft(t)/m.left) * min(m.priorRate(t), m.mostPrior(t))
		}
		var sum, total float64
		for i, r := range left {
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			sum = math.FMA(w, min(float64(r*rate), 1), sum)
			total += w
		}
		if mean := sum / total; mean < part {
			m.parts[t] = mean
		}
	}
}

// leftVariance returns the variance of the missing part r of k(x, x), in units of σ² of a target, and its derivative by
// r. For landmarks with c > 0 it is r·c/r̄ up to 2r̄, and the excess counts at the prior rate; otherwise all counts at
// the prior rate.
func (m *numbers) leftVariance(target int, r float64) (variance, slope float64) {
	lambda := m.lambda(target)
	if lambda == 0 {
		return 0, 0
	}
	prior := m.priorRate(target)
	if m.left == 0 || m.known || m.domain || m.given {
		return r * prior, prior
	}
	rate, near := m.meanPart(target)/m.left, 2*m.left
	if r <= near {
		return r * rate, rate
	}
	return float64(near*rate) + (r-near)*prior, prior
}
