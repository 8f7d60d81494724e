// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/conformal"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/region"
)

// IntervalOptions control how a fit calibrates Model.Interval by leaving rows out. The zero value is recommended: intervals then include
// the variance of the function, and noise that differs by row.
type IntervalOptions struct {
	// Off turns calibration off: intervals are Gaussian.
	Off bool

	// Constant assumes the same noise everywhere. Otherwise the logarithm of the squared noise is a ridge regression on the same features,
	// as far as that makes intervals better.
	Constant bool

	// NoVariance leaves the variance of the function out of intervals. They then take two products of D numbers a point, instead of D²/2,
	// and MeanOnly keeps them, but they do not widen where there are no rows.
	NoVariance bool

	// Groups gives each row of x the number of its group, in the function Fit only. Rows of a group are left out together, so that
	// intervals are for rows of new groups. If nil, each row is left out alone, with its copies, targets included.
	Groups []int
}

// intervals are the calibration of a fit by rows that were left out.
type intervals struct {
	rows       int
	noVariance bool
	why        string             // why there are no intervals, if they were not turned off
	scores     []conformal.Scores // of each target; nil: no intervals

	// For each target, the standard deviation of the noise at x is exp(power·g(x)/2) times its mean, with g(x) = ⟨φ(x),
	// weights⟩ + intercept, limited to [least, most].
	power       []float64
	weights     []float64
	intercept   []float64
	least, most []float64

	predictor *linear.Predictor // of predictions, followed by g; nil if all powers are 0
}

// of returns the intervals of a model.
func (v *intervals) of(m *Model) *intervals {
	w := *v
	if slices.ContainsFunc(v.power, func(p float64) bool { return p != 0 }) {
		w.predictor = linear.NewPredictor(m.phi, slices.Concat(m.numbers.weights, v.weights), slices.Concat(m.numbers.intercept, v.intercept))
	} else {
		w.predictor, w.weights, w.intercept, w.least, w.most = nil, nil, nil, nil, nil
	}
	return &w
}

// calibrated reports whether a model has intervals from rows that were left out.
func (m *Model) calibrated() bool { return m.intervals != nil && m.intervals.scores != nil }

// Interval returns an interval for a new observation of each target at x. The observation is in it with a probability
// of about level:
//
//	f(x) + s(x)·t, t of rank (m + 1)·(1 + level)/2 among the scores eᵢ/sᵢ of m rows, from either end
//
// where eᵢ is the leave-one-out error of row i, and sᵢ the scale there without it: the standard deviation of Predict,
// times the row's noise relative to the mean row (see IntervalOptions). Between scores t is interpolated. Scores are
// multiplied by n/(n − 4) if the n rows chose λ. A row of weight w counts w times. From level ½, f(x) is inside.
// (Papadopoulos and Haralambous 2011, "Reliable prediction intervals …"; Hall and Rieck 2001.)
//
// The level holds on average over rows like the fitted ones: not at each x, beyond the rows, for later times or new
// groups. That is not a theorem, but nearly holds where no row matters much (Barber et al. 2021, "Predictive inference
// with the jackknife+"). Above level 1 − 2/(m + 1) ends are infinite. If IntervalRows is 0, it is f(x) ± z·sd of
// Predict, with the normal quantile z.
//
// It panics unless level is between 0 and 1, as PredictVec does, and as Predict does if it needs a variance that the
// model does not have.
func (m *Model) Interval(x []float64, level float64) (lo, hi []float64) {
	validateLevel(level)
	lo = m.predictor.PrepareVec(nil, x)
	hi = make([]float64, len(lo))
	if !m.calibrated() {
		mean, sd := m.Predict(x)
		gaussian(lo, hi, mean, sd, level)
		return lo, hi
	}
	values, scale := m.valuesAndScales(x)
	from, to := m.intervals.ends(level)
	m.intervals.set(lo, hi, values, scale, from, to)
	return lo, hi
}

// valuesAndScales returns the predictions at a point, followed by g if noise differs, and the variances of new
// observations in units of σ².
func (m *Model) valuesAndScales(x []float64) (values, scale []float64) {
	v, scale := m.intervals, make([]float64, m.targets())
	if !v.noVariance {
		m.squaresVec(scale, x, m.scale)
	}
	if v.predictor != nil {
		return v.predictor.PredictVec(nil, x), scale
	}
	return m.PredictVec(nil, x), scale
}

// IntervalTo sets rows i of lo and hi, n×T, to Interval of row i of x, n×in, with the same bits. Empty matrices are
// resized. It panics as PredictTo and Interval do, and as gonum does if lo and hi overlap.
func (m *Model) IntervalTo(lo, hi *mat.Dense, x mat.Matrix, level float64) {
	validateLevel(level)
	below, above := m.predictor.Prepare(lo, x), m.predictor.Prepare(hi, x)
	region.Check(below, above)
	if !m.calibrated() {
		m.needPosterior()
		var mean mat.Dense
		m.PredictTo(&mean, x)
		m.StdDevTo(hi, x)
		for i := range below.Rows {
			gaussian(vector(below, i), vector(above, i), mean.RawRowView(i), vector(above, i), level)
		}
		return
	}
	v, scale := m.intervals, make([]float64, m.targets())
	values := m.valuesAndScalesTo(above, x)
	from, to := v.ends(level)
	for i := range below.Rows {
		copy(scale, vector(above, i))
		v.set(vector(below, i), vector(above, i), values.RawRowView(i), scale, from, to)
	}
}

// valuesAndScalesTo is valuesAndScales for rows.
func (m *Model) valuesAndScalesTo(scale blas64.General, x mat.Matrix) (values *mat.Dense) {
	v, p := m.intervals, m.predictor
	if !v.noVariance {
		m.squaresTo(scale, x, m.scale)
	}
	if v.predictor != nil {
		p = v.predictor
	}
	values = new(mat.Dense)
	p.PredictTo(values, x)
	return values
}

// IntervalRows returns the number of rows that calibrate Interval; 0 if intervals are Gaussian, which Model.String
// explains.
func (m *Model) IntervalRows() int {
	if !m.calibrated() {
		return 0
	}
	return m.intervals.rows
}

// intervalScaling returns the factors for the scores of each target, by rows that took no part in the fit: see
// linear.RidgeModel.
func (m *Model) intervalScaling(x, y mat.Matrix, share, level, floor float64) []float64 {
	factors := slices.Repeat([]float64{1}, m.targets())
	if !m.calibrated() {
		return factors
	}
	n, targets := y.Dims()
	sizes := make([][]float64, targets)
	scales := blas64.General{Rows: n, Cols: targets, Stride: targets, Data: make([]float64, n*targets)}
	values := m.valuesAndScalesTo(scales, x)
	for i := range n {
		for t := range sizes {
			sizes[t] = append(sizes[t], math.Abs(y.At(i, t)-values.At(i, t))/m.intervals.scaleOf(t, values.RawRowView(i), vector(scales, i)))
		}
	}
	for t := range factors {
		factors[t] = m.intervals.scores[t].Scaling(sizes[t], share, level, floor)
	}
	return factors
}

// scaleIntervals multiplies the scores of each target.
func (m *Model) scaleIntervals(factors []float64) {
	if !m.calibrated() {
		return
	}
	for t, f := range factors {
		if f != 1 {
			m.intervals.scores[t].Scale(f)
		}
	}
}

// validateLevel panics unless a level is between 0 and 1.
func validateLevel(level float64) {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("ridge: level = %v: must be between 0 and 1", level))
	}
}

// gaussian sets the interval of a point by its standard deviations.
func gaussian(lo, hi, mean, sd []float64, level float64) {
	z := detmath.NormalQuantile((1 + level) / 2)
	for t, v := range mean {
		half := float64(z * sd[t])
		lo[t], hi[t] = v-half, v+half
	}
}

// ends returns the scores at the ends of the intervals of each target.
func (v *intervals) ends(level float64) (from, to []float64) {
	for t := range v.scores {
		lo, hi := endsAround(&v.scores[t], level)
		from, to = append(from, lo), append(to, hi)
	}
	return from, to
}

// endsAround returns the ends of scores, and from level ½ on includes 0. A single outlier at a distance of n² standard
// deviations, such as a code for a missing value, shifts the predictions of all other rows, and the leave-one-out
// errors by one standard deviation more: the scores alone would then exclude 0.
func endsAround(s *conformal.Scores, level float64) (lo, hi float64) {
	if lo, hi = s.Ends(level); level >= 0.5 {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	return lo, hi
}

// set sets the interval of a point from the predictions, followed by g if noise differs, and the variance of a new
// observation in units of σ² of each target.
func (v *intervals) set(lo, hi, values, scale, from, to []float64) {
	for t := range lo {
		s := v.scaleOf(t, values, scale)
		lo[t], hi[t] = values[t]+float64(s*from[t]), values[t]+float64(s*to[t])
	}
}

// scaleOf returns s(x) of a target.
func (v *intervals) scaleOf(t int, values, scale []float64) float64 {
	s := 1.0
	if !v.noVariance {
		s = math.Sqrt(scale[t])
	}
	if p := v.power[t]; p != 0 {
		s *= v.factor(t, values[len(scale)+t])
	}
	return s
}

// factor returns exp(power·g/2) for the g of a target.
func (v *intervals) factor(t int, g float64) float64 {
	if g < v.least[t] {
		g = v.least[t]
	} else if g > v.most[t] { // NaN stays NaN
		g = v.most[t]
	}
	return detmath.Exp(v.power[t] * g / 2)
}

// validateIntervals refuses groups if the rows are not in memory, or if there are not n of them.
func (o *Options) validateIntervals(n int) error {
	v := o.Intervals
	switch {
	case v == nil || v.Groups == nil:
		return nil
	case n < 0:
		return errGroups
	case len(v.Groups) != n:
		return fmt.Errorf("ridge: x has %d rows, Intervals.Groups %d: must be as many", n, len(v.Groups))
	}
	return nil
}

var errGroups = errors.New("ridge: Intervals.Groups are for the function Fit, which has all rows")
