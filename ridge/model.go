// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A Model is a fitted function f(x) = ⟨φ(x), w⟩ + c for each target. It is safe for concurrent use. Rows one by one and
// in batches have the same bits if their features do.
type Model struct {
	phi     featuremap.FeatureMap
	in, out int
	numbers
	predictor  *linear.Predictor // nil for the zero value
	derivative lazyDerivative    // of phi

	rawDerivative lazyDerivative // of raw features, if predictions use them
	rest          lazyTerms      // of what phi misses of its kernel
	pending       *calibrator    // in a fit that is not finished: it sets the intervals

	//lint:ignore U1000 linear.Of finds it
	hiddenModel
}

// hiddenModel gives other packages of the module access to the numbers.
//
// lint:ignore U1000 it is embedded for linear.Of
type hiddenModel = linear.Hidden[linear.RidgeModel]

// numbers are all of a model except its map.
type numbers struct {
	rows      int     // number of training rows
	total     float64 // sum of their weights; 0 if it is the number of rows
	ridges    []ridge // one for each different λ, in the order of the targets that have it first
	of        []int   // the ridge of each target
	evidence  float64
	weights   []float64 // the weights of each target in turn
	intercept []float64
	noise     []float64 // σ² of each target
	left      float64   // mean of what the features miss of k(x, x); 0 if it is not known
	prior     []float64 // bound of the prior variance, in units of σ², of each target; nil: none
	parts     []float64 // share of σ² that stems from what is missing, of each target; nil: as if all rows miss its mean
	domain    bool      // the features are those of a map with a domain
	beyond    int       // number of rows outside the map's domain
	criterion Criterion // that chose λ
	given     bool      // λ was given, not chosen
	crowded   bool      // targets share λ because the factors of all would take too much memory
	leftOut   []float64 // leave-one-out error of each target; nil if it is not known
	stray     stray
	mean      []float64  // φ̄; nil without an intercept
	iterative *iterated  // of FitIterative; nil after a direct fit
	known     bool       // the noise was given
	misfit    float64    // mean square error over the known noise, of the target where it is largest; 0 unless it is far above 1
	side      Side       // on which it was fitted
	unit      float64    // λ of the sums over the λ that users see, if the noise is known; else 0
	intervals *intervals // nil: Gaussian intervals
}

// A ridge is what belongs to a λ.
type ridge struct {
	lambda    float64
	inverse   inverse        // A⁻¹; nil if the variance is not known, or 0
	free      float64        // share of the degrees of freedom of the rows that the features leave, if they miss a part of k(x, x); else 0
	condition func() float64 // of A, computed in its first call; nil if it is not known
}

// newNumbers returns the numbers of the λ taken, and keeps their factors without a copy.
func newNumbers(e *normal.Facts, all []taken) numbers {
	targets := len(e.Level)
	n := numbers{
		rows:      e.Rows,
		noise:     make([]float64, targets),
		mean:      e.Mean,
		of:        make([]int, targets),
		weights:   make([]float64, targets*e.Features),
		intercept: make([]float64, targets),
		evidence:  math.Inf(-1),
	}
	for k, s := range all {
		n.ridges = append(n.ridges, ridge{lambda: s.Lambda, inverse: s.inverse, condition: sync.OnceValue(s.condition)})
		for _, t := range s.targets {
			n.of[t], n.noise[t], n.intercept[t] = k, s.Noise[t], s.intercept[t]
			if s.Misfit != nil {
				n.fits(s.Misfit[t], e.Freedom())
			}
			copy(n.weight(t, e.Features), s.weights.Data[t*s.weights.Stride:])
			if s.Noise[t] > 0 && math.IsInf(n.evidence, -1) {
				n.evidence = 0
			}
		}
	}
	if n.evidence == 0 {
		for t, v := range n.noise {
			if v > 0 {
				n.evidence += all[n.of[t]].Evidence[t]
			}
		}
	}
	if e.Weight != float64(e.Rows) {
		n.total = e.Weight
	}
	return n
}

// fits takes the mean square error of a target over its known noise, for some degrees of freedom f. If the kernel and the
// noise are right it is χ² with f degrees of freedom, over f, whose third root is nearly normal (Wilson and Hilferty
// 1931, "The distribution of chi-square").
func (m *numbers) fits(ratio, f float64) {
	const least, deviations = 2, 6
	v := 2 / (9 * f)
	root := 1 - v + float64(deviations*math.Sqrt(v))
	if ratio > least && ratio > root*root*root {
		m.misfit = max(m.misfit, min(ratio, math.MaxFloat64))
	}
}

// lambda returns the λ of a target, in units of the sums.
func (m *numbers) lambda(target int) float64 { return m.ridges[m.of[target]].lambda }

// told returns a λ as users see it.
func (m *numbers) told(lambda float64) float64 {
	if m.known {
		return lambda / m.unit
	}
	return lambda
}

// inverse returns A⁻¹ of a target, nil if it is not known.
func (m *numbers) inverse(target int) inverse { return m.ridges[m.of[target]].inverse }

// factor returns the factor of A; nil if it is not known, and on the rows' side.
func (r *ridge) factor() *tiled.Factor {
	f, _ := r.inverse.(byFeatures)
	return f.Factor
}

// hasPosterior reports whether the variance of the features' weights is known.
func (m *numbers) hasPosterior(out int) bool {
	return m.ridges[0].inverse != nil || m.samples(out) > 0
}

// totalWeight returns the sum of the weights of the rows.
func (m *numbers) totalWeight() float64 {
	if m.total != 0 {
		return m.total
	}
	return float64(m.rows)
}

// weight returns the weights of target t.
func (m *numbers) weight(t, out int) []float64 { return m.weights[t*out:][:out] }

func newModel(phi featuremap.FeatureMap, n numbers) *Model {
	m := &Model{phi: phi, numbers: n}
	m.in, m.out = phi.Dims()
	m.domain = domainOf(phi) != nil
	m.predictor = linear.NewPredictor(phi, n.weights, n.intercept)
	if m.intervals != nil {
		m.numbers.intervals = m.intervals.of(m)
	}
	h := linear.Of(m)
	h.StdDevTo, h.Scaling, h.Scale = m.reportedStdDevTo, m.intervalScaling, m.scaleIntervals
	if h.Mean, h.Noise = n.mean, n.noise; len(n.ridges) > 0 {
		h.Factor = n.ridges[0].factor()
	}
	return m
}

// targets returns the number of targets.
func (m *Model) targets() int { return len(m.noise) }

// Map returns the feature map that the model was fitted with.
func (m *Model) Map() featuremap.FeatureMap { return m.phi }

// Lambda returns the ridge λ of each target, in units of ΦᵀΦ: see Options.SharedLambda. For known noise, the unit is
// Σφφᵀ/s with the variance s of each row, or ΦᵀΦ if all are 0.
func (m *Model) Lambda() []float64 { return m.lambdas() }

// lambdas returns the λ of each target.
func (m *numbers) lambdas() []float64 {
	all := make([]float64, len(m.of))
	for t := range all {
		all[t] = m.told(m.lambda(t))
	}
	return all
}

// Weights returns a copy of the weights w, D×T, a column for each target.
func (m *Model) Weights() *mat.Dense {
	if m.phi == nil {
		return new(mat.Dense)
	}
	w := mat.NewDense(m.out, m.targets(), nil)
	for t := range m.targets() {
		w.SetCol(t, m.weight(t, m.out))
	}
	return w
}

// Intercept returns a copy of the intercepts c = ȳ − ⟨φ̄, w⟩, one for each target; zeros if the model has no intercept.
func (m *Model) Intercept() []float64 { return slices.Clone(m.intercept) }

// NoiseVariance returns the noise variance of each target, σ² of Accumulator.Fit. If λ was chosen, the part of the
// prior variance that landmarks and maps planned for points miss, at most σ²/2, is subtracted: see
// Posterior.VarianceTo. It is 0 for a constant target, which does not tell how it varies. If Options.NoiseVariance gave
// the variances s of n rows, it is their harmonic mean n/Σ(1/s), since the noise of a new row is unknown.
func (m *Model) NoiseVariance() []float64 {
	noise := slices.Clone(m.noise)
	for t := range noise {
		noise[t] *= 1 - m.leftPart(t)
	}
	return noise
}

// LogEvidence returns the log marginal likelihood, the logarithm of the density of the targets with all weights
// integrated out, summed over targets that are not constant: see Accumulator.Fit. Use it to compare maps or length
// scales that were fitted on the same rows and targets: larger is better.
//
// For least squares, if all targets are constant, and after FitIterative it does not exist: ok is then false, and value
// −Inf.
func (m *Model) LogEvidence() (value float64, ok bool) {
	if m.phi == nil || !(m.evidence > math.Inf(-1)) {
		return math.Inf(-1), false
	}
	return m.evidence, true
}

// Condition returns an estimate of the condition number of A = ΦᵀΦ + λI in the 1-norm, for the target with the largest
// one (on the rows' side of M, see docs/theory/lambda.md). It is a lower bound, mostly within a factor of 3.
// Of the 16 digits of a weight, rounding loses about log₁₀ of the condition number. The first call takes about 10·D²
// multiply-adds. After FitIterative, and for a model fitted in float32, it does not exist, and ok is false.
func (m *Model) Condition() (value float64, ok bool) {
	for _, r := range m.ridges {
		if r.condition != nil {
			value, ok = max(value, r.condition()), true
		}
	}
	return value, ok
}

// LeaveOneOutMSE returns the leave-one-out error of each target, a mean square, at the λ that was taken: see Criterion.
// It estimates the error on new rows, except for the choice of λ itself. Up to 20,000 rows it is the mean over all that
// are left out, and with more an estimate from about 3,000 rows; after Accumulator.Fit it is the mean over the kept rows. For copies
// of a row see Criterion. It is +Inf if every row has leverage 1.
//
// If λ was given or chosen by Evidence, if no rows were kept, and after FitIterative it does not exist, and ok is
// false.
func (m *Model) LeaveOneOutMSE() (value []float64, ok bool) {
	return slices.Clone(m.leftOut), m.leftOut != nil
}

// String returns a line with the dimensions of the map, the numbers of targets and rows, each λ (the least and the
// largest of five or more) and how it was chosen, whether Options gave the noise variance, and the leave-one-out mean
// square error of the first target. It names constant targets. It also warns if a left-out row is predicted beyond the range of its target by more than the length of that
// range: λ is then too small, or the data have an outlier. After LeaveOneOut and GuardedEvidence that check includes the
// rows with the largest errors; otherwise it covers up to 1,024 rows.
func (m *Model) String() string {
	if m.phi == nil {
		return "ridge: the zero value of a Model"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ridge: R^%d → %d features → %s, %s, λ = %s ", m.in, m.out, counted(m.targets(), "target"), counted(m.rows, "row"), m.textOfLambda())
	switch {
	case m.iterative != nil && !m.given && m.iterative.heldError != nil:
		fmt.Fprintf(&b, "(by %s held back, error %.3g)", counted(m.iterative.held, "row"), m.iterative.heldError[0])
	case m.iterative != nil && !m.given && m.iterative.held > 0:
		fmt.Fprintf(&b, "(by a sample of %s)", counted(m.iterative.held, "row"))
	case m.given:
		b.WriteString("(given)")
	default:
		fmt.Fprintf(&b, "(by %v)", m.criterion)
	}
	if m.known {
		b.WriteString(", noise variance given")
	}
	if m.misfit > 0 {
		fmt.Fprintf(&b, " (%.3g times too small for the errors of this map)", m.misfit)
	}
	if m.crowded {
		b.WriteString(", which targets share, as factors for all of them would take more than memory or 2 GB")
	}
	if it := m.iterative; it != nil {
		fmt.Fprintf(&b, ", residual %.3g after ", it.residual)
		if it.passes == 1 {
			b.WriteString("1 pass")
		} else {
			fmt.Fprintf(&b, "%d passes", it.passes)
		}
		switch {
		case it.residual > 0 && it.tolerance == 0:
			b.WriteString(", too few: predictions still change")
		case it.residual > it.tolerance:
			fmt.Fprintf(&b, ", above the tolerance of %.3g", it.tolerance)
		}
	}
	if m.leftOut != nil {
		fmt.Fprintf(&b, ", leave-one-out mean square error %.3g", m.leftOut[0])
	}
	if m.side == RowSide {
		b.WriteString(", solved by rows")
	}
	if m.IntervalRows() > 0 {
		fmt.Fprintf(&b, ", intervals by %s left out", counted(m.intervals.rows, "row"))
	} else if m.intervals != nil {
		fmt.Fprintf(&b, ", Gaussian intervals (%s)", m.intervals.why)
	}
	if m.beyond > 0 {
		fmt.Fprintf(&b, "; %s outside of the map's domain", counted(m.beyond, "row"))
	}
	if constant := m.constant(); constant != nil {
		fmt.Fprintf(&b, "; constant: %s", strings.Join(constant, ", "))
	}
	if m.stray.distance > 1 {
		fmt.Fprintf(&b, "; target %d, from %.3g to %.3g, is predicted as %.3g for a row left out", m.stray.target,
			m.stray.span.least, m.stray.span.most, m.stray.prediction)
	}
	return b.String()
}

// Side returns the side on which the model was fitted, FeatureSide or RowSide: see Options.Side. A model of the rows'
// side contains its training rows, unless MeanOnly has removed them.
func (m *Model) Side() Side { return max(m.side, FeatureSide) }

// textOfLambda returns the different λ in words.
func (m *numbers) textOfLambda() string {
	const most = 4
	var different []string
	least, largest := math.Inf(1), 0.0
	for _, r := range m.ridges {
		lambda := m.told(r.lambda)
		least, largest = min(least, lambda), max(largest, lambda)
		different = append(different, fmt.Sprintf("%.3g", lambda))
	}
	if len(different) > most {
		return fmt.Sprintf("%.3g to %.3g", least, largest)
	}
	return strings.Join(different, ", ")
}

// constant returns the names of constant targets.
func (m *Model) constant() (names []string) {
	for t, v := range m.noise {
		if v == 0 {
			names = append(names, fmt.Sprintf("target %d", t))
		}
	}
	return names
}

// counted returns a number with the word for things, in the plural unless it is 1.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// MeanOnly returns the model without the factors of A, which take D²/2 numbers each, or on the rows' side n²/2 and the
// rows themselves. It makes the same predictions. It has no Posterior, and intervals only if they were fitted with
// IntervalOptions.NoVariance.
func (m *Model) MeanOnly() *Model {
	if m.phi == nil {
		return new(Model)
	}
	return newModel(m.phi, m.withoutFactor())
}

// withoutFactor returns the numbers without the factors of A.
func (m *numbers) withoutFactor() numbers {
	n := *m
	n.ridges = slices.Clone(m.ridges)
	for k := range n.ridges {
		r := &n.ridges[k]
		r.inverse = nil
		if r.condition != nil {
			condition := r.condition()
			r.condition = func() float64 { return condition } // keeps the number, and not the factor
		}
	}
	if n.iterative != nil {
		n.iterative = n.iterative.withoutSamples()
	}
	if n.intervals != nil && !n.intervals.noVariance {
		n.intervals = nil
	}
	return n
}
