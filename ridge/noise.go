// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Known noise: y = f + ε with Var εᵢ = sᵢ, and weights with prior variance τ. Only τ is chosen, by the evidence,
//
//	−2 log p(y) = Σyᵢ²/sᵢ − bᵀA⁻¹b + log|A| + D·log τ + Σ log sᵢ + n·log 2π, A = Σφᵢφᵢᵀ/sᵢ + I/τ, b = Σφᵢyᵢ/sᵢ
//
// (docs/theory/lambda.md has the form with an intercept and weights). For users weights are 1/sᵢ, λ = 1/τ and σ² = 1.
// The sums have weights s/sᵢ with s the harmonic mean of the variances, so that they add up to n, λ·s instead of λ, and
// σ² = s: a single number then needs no weights.
//
// Features, targets and λ have about 16 digits, and A must be factorized. So the noise counts as at least leastNoise of
// the prior variance, τ times the mean of ‖φ − φ̄‖²; a noise of 0 means that value. If there is a single number, so
// small that the path reaches such a λ, the noise is the likeliest one for λ = leastNoise·mean ‖φ − φ̄‖², if that is
// larger: a closed form. With several numbers τ is the fit's, found by iteration.
const leastNoise = 1e-10

// A noise is what a fit knows about the noise.
type noise struct {
	variance  float64   // s
	logs      float64   // Σ log(sᵢ/s), with the weights of the rows
	spread    float64   // mean of ‖φ − φ̄‖²; 0: taken from the sums, whose weights do not depend on the noise
	variances []float64 // of the targets; nil: taken from the sums
}

// validateNoise refuses variances that are not finite, negative, or heaviest or more, a number of variances other than
// one or one for each row, and options that do not go with known noise.
func (o *Options) validateNoise() error {
	switch {
	case o.NoiseVariance == nil:
		return nil
	case o.Criterion == LeaveOneOut:
		return errors.New("ridge: NoiseVariance and the Criterion LeaveOneOut: λ is that of the largest evidence where the noise is known")
	case slices.Contains(o.Path, 0):
		return errors.New("ridge: NoiseVariance and a λ of 0 in Path, which has no evidence: must be positive")
	}
	for i, v := range o.NoiseVariance {
		if !(v >= 0 && v < heaviest) && (o.Weights == nil || i >= len(o.Weights) || o.Weights[i] > 0) {
			return fmt.Errorf("ridge: NoiseVariance: row %d = %v: must be at least 0 and less than 2^968", i, v)
		}
	}
	return nil
}

// oneNoise returns the noise of options with a single number, or nil if they have no noise.
func (o *Options) oneNoise() (*noise, error) {
	switch len(o.NoiseVariance) {
	case 0:
		if o.NoiseVariance != nil {
			return nil, errors.New("ridge: NoiseVariance is empty: must be nil or have a number")
		}
		return nil, nil
	case 1:
		if v := o.NoiseVariance[0]; v == 0 && o.Path != nil {
			return nil, errors.New("ridge: NoiseVariance = 0 and a Path: must be one of them, as λ follows from the noise")
		}
		return &noise{variance: o.NoiseVariance[0]}, nil
	}
	return nil, fmt.Errorf("ridge: NoiseVariance has %d numbers: must be one for all rows; the function Fit takes one for each", len(o.NoiseVariance))
}

// nearly is a difference in log evidence that does not matter. The evidence of five rows hardly depends on a small τ,
// and among the τ that it does not distinguish the largest has valid error bars. With τ = 1e-6, …, 1e6 times the best,
// 90 % intervals of five rows cover .77 to .79 by the largest evidence, and .80 to .82 with this rule; with twenty rows
// there is no difference.
const nearly = 0.3

// apply returns the λ to choose from, given the spread of the rows' features, and the noise for equations.
func (k *noise) apply(c *choice, o *Options, spread float64) ([]float64, normal.Noise) {
	spread = cmp.Or(k.spread, spread, 1) // 1 for constant features
	n := normal.Noise{Variance: k.variance, Logs: k.logs}
	var path []float64
	switch {
	case o.Lambda > 0:
		n.Variance = max(n.Variance, leastNoise*spread/o.Lambda)
		path = []float64{n.Variance * o.Lambda}
	case o.Path != nil:
		for _, l := range o.Path {
			path = append(path, n.Variance*l)
		}
	default:
		variances := k.variances
		if variances == nil {
			variances = c.Variances
		}
		c.slack, path = nearly, k.path(spread, variances)
		if k.spread == 0 { // otherwise variances are already large enough
			path, n.Least = largeEnough(path, leastNoise*spread)
		}
	}
	k.variance = n.Variance
	return path, n
}

// largeEnough returns a path with least instead of all λ that are not larger, and least. If all are larger it returns
// the path itself and 0: the noise is then at least leastNoise of any prior, and the known noise stays.
func largeEnough(path []float64, least float64) ([]float64, float64) {
	large := slices.DeleteFunc(slices.Clone(path), func(l float64) bool { return l <= least })
	if len(large) == len(path) {
		return path, 0
	}
	return append([]float64{least}, large...), least
}

// path returns λ to choose from, in units of the sums, given the spread of the features and the variances of targets.
// These are the λ for which the prior variance is 1e-6 to 1e6 times the variance of a target, in powers of ten, on one
// grid for all targets.
func (k *noise) path(spread float64, variances []float64) (path []float64) {
	least, most := math.Inf(1), 0.0
	for _, v := range variances {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	if most == 0 { // constant targets
		least, most = 1, 1
	}
	const decades = 1e6
	for prior := most * decades; prior >= least/decades*(1-1e-9); prior /= 10 {
		path = append(path, k.variance*spread/prior)
	}
	return path
}

// ofEach returns the weights of rows with the given variances and weights, nil if these are 1, and the noise of the
// sums of such rows.
func ofEach(variances, weights []float64) ([]float64, *noise) {
	var count, inverse float64
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	for i, s := range variances {
		count += weight(i)
		inverse += weight(i) / s
	}
	k := &noise{variance: count / inverse}
	all := make([]float64, len(variances))
	for i, s := range variances {
		ratio := s / k.variance
		all[i] = max(weight(i)/ratio, math.SmallestNonzeroFloat64)
		k.logs = math.FMA(weight(i), detmath.Log(ratio), k.logs)
	}
	return all, k
}

// fitNoise is Fit for rows with a known noise variance each. Variances count as at least leastNoise of the prior
// variance: by λ if it is given, and otherwise by the λ chosen with them, iterated until it stays. With
// several targets it is the geometric mean of their prior variances, but at least leastShare of the largest one, since
// weights would otherwise cost that target all its digits.
func fitNoise(phi featuremap.FeatureMap, b *addition, o *Options) (*Model, error) {
	_, count := b.y.Dims()
	if err := validateMap(phi); err != nil {
		return nil, err
	}
	in, _ := phi.Dims()
	if b.size() == 0 {
		return calibrated(fitAll(phi, b, o, nil))
	}
	if _, err := validateShapes(b.x, b.y, in, count); err != nil {
		return nil, err
	}
	variances := each(b, o.NoiseVariance)
	if slices.Min(variances) == slices.Max(variances) {
		one := *o
		one.NoiseVariance = variances[:1]
		k, err := one.oneNoise()
		if err != nil {
			return nil, err
		}
		return calibrated(fitAll(phi, b, &one, k))
	}
	targets, most := variancesOf(b, variances, !o.NoIntercept)
	spread, err := spreadOf(phi, b, variances, most, !o.NoIntercept)
	if err != nil {
		return nil, err
	}
	least := leastNoise * leastOf(targets)
	if o.Lambda > 0 {
		least = leastNoise * spread / o.Lambda
	}
	const turns = 8
	for turn := 1; ; turn++ {
		large := slices.Clone(variances)
		for i, s := range large {
			if least == 0 {
				least = leastNoise * slices.Max(variances) // for constant targets
			}
			large[i] = max(s, least)
		}
		weighted := *b
		var k *noise
		weighted.weights, k = ofEach(large, b.weights)
		k.spread, k.variances = spread, targets
		m, err := fitAll(phi, &weighted, o, k)
		if err != nil {
			return nil, err
		}
		if m.pending != nil {
			m.pending.known(variances, b.weights)
		}
		if o.Lambda > 0 || turn == turns {
			return calibrated(m, nil)
		}
		priors := m.Lambda()
		for t, l := range priors {
			if priors[t] = spread / l; targets[t] == 0 { // a constant target has no prior
				priors[t] = 0
			}
		}
		next := leastNoise * leastOf(priors)
		if math.Abs(next/least-1) < 1e-6 || max(next, least) <= slices.Min(variances) {
			return calibrated(m, nil)
		}
		least = next
	}
}

// geometricMean returns the geometric mean of the positive numbers, 0 if no number is positive.
func geometricMean(v []float64) float64 {
	var sum, n float64
	for _, v := range v {
		if v > 0 {
			sum += detmath.Log(v)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return detmath.Exp(sum / n)
}

// leastOf returns what the least noise is relative to, for targets with several variances.
func leastOf(v []float64) float64 {
	const leastShare = 1e-3
	return max(geometricMean(v), leastShare*slices.Max(v))
}

// audible times the variance of a target is the largest noise of a row that tells how the target varies.
const audible = 100

// variancesOf returns the variances of targets (their mean squares without an intercept) over rows whose noise s is
// audible, and the least noise that is not audible for one of them. So rows with much noise have no effect, however
// many there are, and wherever their targets are.
func variancesOf(b *addition, s []float64, intercept bool) (all []float64, most float64) {
	_, targets := b.y.Dims()
	most = math.Inf(1)
	for t := range targets {
		var m moments
		v := scaleOf(b, s, t, intercept)
		for i, noise := range s {
			if noise <= audible*v {
				m.add(b.weight(i), b.y.At(i, t), intercept)
			}
		}
		if v > 0 {
			most = min(most, audible*v)
			v = cmp.Or(m.square/m.weight, v)
		}
		all = append(all, v)
	}
	return all, most
}

// scaleOf returns the variance of a target at a row, the harmonic mean of V + sᵢ where its noise has the variance sᵢ,
// and 0 if the target is constant. V is the variance of the function: Σ(yᵢ − ȳ)²/(V + sᵢ) = n, with the ȳ of these
// weights, or 0 without an intercept (Paule and Mandel 1982, "Consensus values and weighting factors").
func scaleOf(b *addition, s []float64, target int, intercept bool) float64 {
	var total, heard, inverse float64
	positive, exact := math.Inf(1), noSpan
	for i, v := range s {
		w := b.weight(i)
		if total += w; v > 0 {
			positive = min(positive, v)
			heard += w
			inverse += w / v
		} else {
			y := b.y.At(i, target)
			exact = exact.join(span{y, y})
		}
	}
	if exact.least < exact.most || !intercept && exact.least == exact.most && exact.most != 0 {
		positive = 0 // exact rows differ: V is positive
	}
	// Newton's steps for the reciprocal of the sum, which is almost linear in v; the sum is multiplied by v, to avoid
	// overflow.
	const steps = 200
	v := math.Inf(1)
	for range steps {
		var m moments
		share := func(i int) float64 { return b.weight(i) / (1 + s[i]/v) }
		for i := range s {
			if w := share(i); w > 0 {
				m.add(w, b.y.At(i, target), intercept)
			}
		}
		if m.square == 0 {
			return 0
		}
		if math.IsInf(v, 1) { // as if there were no noise
			v = m.square / total
			continue
		}
		var slope float64
		for i := range s {
			d := b.y.At(i, target) - m.mean
			slope = math.FMA(share(i)/(1+s[i]/v)*d, d, slope)
		}
		next := max(v+float64(m.square/slope*(m.square/total-v)), v/1000)
		if math.Abs(next-v) <= 1e-13*v {
			break
		}
		if v = next; v < leastNoise*positive {
			return heard / inverse // rows differ by no more than their noise
		}
	}
	var sum float64
	for i := range s {
		sum += b.weight(i) / (1 + s[i]/v)
	}
	return v * total / sum
}

// moments are the weight, the mean and the sum of squares of numbers, centered or not, updated one by one. A number
// that weighs much more than all before it, which may be far away, becomes the start of the mean.
type moments struct{ weight, mean, square float64 }

func (s *moments) add(w, v float64, centered bool) {
	const heavier = 16
	before, d := s.weight, v-s.mean
	s.weight += w
	switch part := before / s.weight; {
	case !centered:
		s.square = math.FMA(w*v, v, s.square)
	case w > heavier*before:
		s.mean = math.FMA(-part, d, v)
		s.square = math.FMA(w*part*d, d, s.square)
	default:
		s.mean = math.FMA(w/s.weight, d, s.mean)
		s.square = math.FMA(w*d, v-s.mean, s.square)
	}
}

// spreadOf returns the mean of ‖φ − φ̄‖², or of ‖φ‖² without an intercept, over the rows whose noise s is at most most.
func spreadOf(phi featuremap.FeatureMap, b *addition, s []float64, most float64, intercept bool) (float64, error) {
	_, out := phi.Dims()
	var reader rows.Reader
	reader.Reset(b.x)
	if err := b.validateFinite(&reader); err != nil {
		return 0, err
	}
	each := make([]moments, out)
	var features mat.Dense
	step := min(linear.BlockRows(tiled.Stride(out)), reader.Step())
	for lo := 0; lo < b.size(); lo += step {
		hi := min(lo+step, b.size())
		features.Reset()
		phi.TransformTo(&features, reader.Matrix(lo, hi))
		for i := range hi - lo {
			if s[lo+i] > most {
				continue
			}
			for j, v := range features.RawRowView(i) {
				each[j].add(b.weight(lo+i), v, intercept)
			}
		}
	}
	var sum float64
	for j := range each {
		if each[j].weight > 0 {
			sum += each[j].square / each[j].weight
		}
	}
	return cmp.Or(sum, 1), nil // 1 for constant features
}
