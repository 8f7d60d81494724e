// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// From rows and targets to a regression.

package learn

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// Regression learns a regression of y, n×T targets, on the rows of x, n×d. It learns a kernel, chooses features of it,
// fits a ridge regression, and scores it on a test set that took part in no choice. The Model of the report is then
// fitted on all rows. Its intervals are longer if the scored fit's contain too few test rows, and shorter if too many: by
// two standard errors, or by any number if test rows are 900 or more. TestRows prevents both. docs/guide/learn.md
// describes the steps, the options and the cost. If there are several targets, some may be constant: the report says so,
// and the others are fitted. Predict and StdDevTo of the model then panic; PredictTo and IntervalTo do not.
//
// It returns an error if x or y is nil, if they differ in rows or have no columns, if fewer than four rows have a
// positive weight, if a number of such a row is not finite or above 1e145 in magnitude (the error names row and
// column), if all targets or all columns of x are constant in the training rows, if an option is refused, if no
// validation fit succeeds, or if Progress returns one.
func Regression(x, y mat.Matrix, opts *Options) (*RegressionReport, error) {
	s, err := newStudy(x, opts)
	if err != nil {
		return nil, err
	}
	if isNil(y) {
		return nil, errors.New("learn: y = nil")
	}
	n, targets := y.Dims()
	switch {
	case n != s.rows || targets < 1:
		return nil, fmt.Errorf("learn: x is %d×%d and y %d×%d: must have as many rows, and y a column", s.rows, s.columns, n, targets)
	case s.Balanced:
		return nil, errors.New("learn: Balanced is set, which is for Classification")
	}
	s.y = y
	if err := s.validateRows("x", x); err != nil {
		return nil, err
	}
	if err := s.validateRows("y", y); err != nil {
		return nil, err
	}
	if err := s.hold(nil); err != nil {
		return nil, err
	}
	constant := func(c rows.Spread) bool { return c.Deviation == 0 }
	columns := rows.Spreads(y, s.rest)
	if !slices.ContainsFunc(columns, func(c rows.Spread) bool { return !constant(c) }) {
		return nil, fmt.Errorf("learn: all %d targets are constant in the %d training rows", targets, len(s.rest))
	}
	s.report.title = fmt.Sprintf("regression of %d rows of %d numbers, %d of them test rows; targets: %d", s.counted, s.columns, len(s.held), targets)
	var two, few, same, counts []int
	for t, c := range columns {
		switch {
		case constant(c):
			same = append(same, t)
		case c.Two:
			two = append(two, t)
		default:
			if n := fewNumbers(y, s.rest, t); n > 0 {
				few, counts = append(few, t), append(counts, n)
			}
		}
	}
	if same != nil {
		s.note("columns", "constant targets, of which there is nothing to learn: "+list(same), false)
	}
	if two != nil {
		s.note("columns", "targets of two values, for which Classification has probabilities: "+list(two), false)
	}
	if few != nil {
		slices.Sort(counts)
		s.note("columns", fmt.Sprintf("%s values: Classification? Targets of few whole numbers: %s", list(slices.Compact(counts)), list(few)), false)
	}
	p, err := s.explore()
	if err != nil {
		return nil, err
	}
	if tails := tails(columns, heavy); tails != nil {
		s.note("columns", fmt.Sprintf("targets of heavy tails, beyond %d deviations: %s", heavy, list(tails)), false)
	}
	z, err := s.grown(p)
	if err != nil {
		return nil, err
	}
	if err := s.fitRidge(z); err != nil {
		return nil, err
	}
	r := s.report
	return &RegressionReport{
		Model: r.ridge, Kernel: r.ridge.Map().Kernel(), Score: r.regression,
		Learning: r.learning, Choices: r.choices, title: r.title,
	}, nil
}

// fewNumbers returns the number of values of a target in some rows, if these look like classes: whole numbers, at most
// ten of them, with four rows each on average. Otherwise it returns 0.
func fewNumbers(y mat.Matrix, index []int, target int) int {
	const most, rowsEach = 10, 4
	seen := make(map[float64]bool)
	for _, i := range index {
		v := y.At(i, target)
		if seen[v] = true; v != math.Trunc(v) || len(seen) > most {
			return 0
		}
	}
	if rowsEach*len(seen) > len(index) {
		return 0
	}
	return len(seen)
}

// noteSize reports the number of features taken.
func (s *study) noteSize(z *sized) {
	_, out := z.phi.Dims()
	kind := "random"
	if _, ok := z.phi.(*featuremap.Nystrom); ok {
		kind = "Nyström"
	}
	name := fmt.Sprintf("%d %s features, at most %d", out, kind, z.features)
	switch {
	case z.marks():
		name = fmt.Sprintf("%d Nyström features: all different rows are landmarks", out)
	case s.Features == 0 && z.features == s.widest:
		name += " of so many classes"
	}
	s.note("size", name, true)
}

// addedRows is the number of rows that are added to the sums between two calls of Progress.
const addedRows = 8192

// add adds rows to the sums of a, with weights by a function that returns 0 for rows that are left out.
func (s *study) add(a *ridge.Accumulator, y mat.Matrix, index []int, weight func(row int) float64) error {
	weights := make([]float64, s.rows)
	for _, i := range index {
		weights[i] = weight(i)
	}
	var x, targets rows.Reader
	x.Reset(s.x)
	targets.Reset(y)
	added := addedRows
	if s.count > mostJudged {
		added = s.rows // sums of some rows would be copied before others are added
	}
	for lo := 0; lo < s.rows; lo += added {
		hi := min(lo+added, s.rows)
		if slices.Max(weights[lo:hi]) == 0 {
			continue
		}
		if err := s.tell(fmt.Sprintf("fit: row %d of %d", lo, s.rows)); err != nil {
			return err
		}
		if err := a.AddWeighted(x.Window(lo, hi), targets.Window(lo, hi), weights[lo:hi]); err != nil {
			return fmt.Errorf("learn: %w", err)
		}
	}
	return nil
}

// fitRidge scores the fit of the training rows on the test rows, and then fits all rows. If all different training rows
// are landmarks, all different rows then are.
func (s *study) fitRidge(z *sized) error {
	s.noteSize(z)
	if err := s.begin("fit"); err != nil {
		return err
	}
	labels, m := s.areLabels(), z.model
	var err error
	if !z.whole {
		if z, err = s.fitRest(z); err != nil {
			return err
		}
		m = z.model
	}
	noise, calibrated := s.fewRowsNoise(m), s.calibrating()
	if s.Groups != nil {
		if m, err = s.fitGroups(z.sums, labels, m); err != nil {
			return err
		}
	}
	if calibrate := lent.Of(m).Calibrate; noise == nil && s.Groups == nil {
		if calibrate != nil { // else there are none
			_, err = s.fitted(m, calibrate())
		}
	} else {
		m, err = s.solveFew(z.sums, labels, m, noise, calibrated)
	}
	if err != nil {
		return err
	}
	if s.deep() {
		if z.model != m {
			z.model, z.left = m, nil
		}
		s.calibrate(z)
		if m, err = s.noisier(z, labels, calibrated); err != nil {
			return err
		}
	}
	s.note("fit", fmt.Sprintf("λ = %s, on the training rows", several(m.Lambda())), true)
	if times := s.timesLargest(calibrated); times < leastTimes && m.IntervalRows() > 0 {
		s.note("fit", fmt.Sprintf("intervals by rows of equal weight: the weights add up to %.3g times the largest, of %d", times, leastTimes), false)
	}
	optimism := slices.Repeat([]float64{s.optimism}, len(m.Lambda()))
	lent.Of(m).Scale(optimism)
	s.scoreTargets(m)
	s.noteCopies()
	var scaling []float64
	if s.TestRows == nil { // test rows of a caller judge only
		if held := s.oneOfEach(s.unseen()); len(held) > 0 {
			share := float64(len(held)) / float64(len(held)+steadyHeld)
			scaling = lent.Of(m).Scaling(s.points(held), score.Rows(s.y, held), share, 0.9, 1/s.optimism)
		}
	}
	calibrating := s.all
	if len(calibrating) > everyRow && s.Groups == nil {
		calibrating = some(s.all, mostCalibrated)
	}
	if z.marks() && s.deep() {
		all, err := s.fitAll(z, m, calibrating)
		if err != nil {
			return err
		}
		s.report.ridge = all
	} else {
		if err := s.add(z.sums, s.y, s.held, s.weight); err != nil {
			return err
		}
		if s.report.ridge, err = s.solveFew(z.sums, labels, m, noise, calibrating); err != nil {
			return err
		}
	}
	if s.deep() {
		copy(lent.Of(s.report.ridge).Noise, lent.Of(m).Noise) // as measured
	}
	s.scale(optimism, scaling)
	s.note("fit", "on all rows", true)
	s.noteFile()
	return nil
}

// steadyHeld is the number of test rows that count as half of all rows where intervals are calibrated: from so many,
// the share of targets within intervals of 90 % has a standard error of 3.6 points. That is about the bias of training
// rows, by which kernel and λ were chosen.
const steadyHeld = 70

// scale makes the intervals of the model longer or shorter, by factors for each target: optimism, of the metric, and tested, which is nil
// without test rows.
func (s *study) scale(optimism, tested []float64) {
	factors := slices.Clone(optimism)
	for t, f := range tested {
		factors[t] *= f
	}
	lent.Of(s.report.ridge).Scale(factors)
	if slices.ContainsFunc(factors, func(f float64) bool { return math.Abs(f-1) >= 0.005 }) {
		s.note("fit", fmt.Sprintf("intervals %s times as long, by validation and test rows", several(factors)), false)
	}
}

// largeFile is the number of bytes of variances in a model's file from which the report mentions them.
const largeFile = 16_000_000

// noteFile reports the size of the model's file if variances are much of it, and if the model can be saved.
func (s *study) noteFile() {
	m := s.report.ridge
	_, out := m.Map().Dims()
	different := slices.Compact(slices.Sorted(slices.Values(m.Lambda())))
	variances := 4 * int64(out) * int64(out+1) * int64(len(different))
	if m.Side() == ridge.RowSide || variances <= largeFile {
		return
	}
	mean, err := m.MeanOnly().WriteTo(io.Discard)
	if err != nil { // the kernel is a caller's type, which cannot be saved
		return
	}
	s.note("file", fmt.Sprintf("%d MB, %d without variances, by MeanOnly", (mean+variances+500_000)/1_000_000, (mean+500_000)/1_000_000), false)
}

// fitRest fits all training rows with the features and λ of a fit of some.
func (s *study) fitRest(z *sized) (*sized, error) {
	whole := *z
	whole.whole, whole.left = true, nil
	var err error
	if whole.sums, whole.copies, err = s.sumsOf(z.phi, s.rest); err == nil {
		whole.model, err = s.solve(&whole, s.areLabels(), nil, z.model)
	}
	return &whole, err
}

// fitAll fits all rows, with all different ones as landmarks, and the λ of a model.
func (s *study) fitAll(z *sized, m *ridge.Model, calibrating []int) (*ridge.Model, error) {
	phi, err := s.newMapOf(z.pilot, some(s.all, s.most(landmarkRows)), z.features)
	if err != nil {
		return nil, err
	}
	a, _, err := s.sumsOf(phi, s.all)
	if err != nil {
		return nil, err
	}
	return s.fitEach(a, s.areLabels(), m.Lambda(), calibrating)
}

// sumsOf returns the sums of some rows, and the rows as groups of copies if they are to be left out.
func (s *study) sumsOf(phi featuremap.FeatureMap, index []int) (*ridge.Accumulator, *copies, error) {
	targets := s.targets()
	_, count := targets.Dims()
	a, err := ridge.NewAccumulator(phi, count)
	if err != nil {
		return nil, nil, fmt.Errorf("learn: %w", err)
	}
	if !s.deep() {
		return a, nil, s.add(a, targets, index, s.fitWeight())
	}
	if err := a.KeepRows(leftOutRows); err != nil {
		return nil, nil, fmt.Errorf("learn: %w", err)
	}
	lent.Of(a).KeepDigits()
	c := s.copiesOf(index)
	return a, c, s.add(a, c, c.first, c.weight)
}

// deep reports whether λ, the number of features and, unless rows are sparse, kernels are chosen by leave-one-out errors.
func (s *study) deep() bool {
	columns := s.count
	if s.y != nil {
		_, columns = s.y.Dims()
	}
	return !s.asItIs() && s.Groups == nil && len(s.rest) >= leastBank && columns <= mostTargets
}

// fewFitted is the number of rows below which the noise of a fit is not estimated from its own rows alone, since these
// also chose its kernel, and below which a classifier must not be nearly sure of any row.
const fewFitted = 40

// fewRowsNoise returns the noise of each target if there are few rows, and nil otherwise. It is the noise of a model,
// or the mean squared error of the pilot on ν rows that it was not fitted to, if that is larger, times the squared
// ratio of the 90 % intervals of Student's t distribution with ν degrees of freedom and of the normal distribution, 1 +
// (z² + 1)/4ν nearly, for z = 1.645.
func (s *study) fewRowsNoise(m *ridge.Model) []float64 {
	if len(s.rest) >= fewFitted {
		return nil
	}
	const z = 1.645
	ratio := 1 + (z*z+1)/float64(4*s.judged)
	noise := m.NoiseVariance()
	for t, c := range rows.Spreads(s.y, s.rest) {
		noise[t] = max(noise[t], float64(s.pilotSquares[t]*c.Deviation)*c.Deviation) * float64(ratio*ratio)
	}
	return noise
}

// solveFew is fitEach with the λ of a model, except that the noise of each target is known if noise is not nil. With
// one target λ is then that of the known noise. Several targets keep their λ and predictions, since sums take only one
// known noise, and so do groups, which have chosen λ.
func (s *study) solveFew(a *ridge.Accumulator, labels bool, of *ridge.Model, noise []float64, calibrating []int) (*ridge.Model, error) {
	if len(noise) == 1 && noise[0] > 0 && s.Groups == nil {
		o := s.options(calibrating)
		o.NoiseVariance = noise
		return s.fitted(a.Fit(o))
	}
	m, err := s.fitEach(a, labels, of.Lambda(), calibrating)
	if err == nil && noise != nil {
		copy(lent.Of(m).Noise, noise)
	}
	return m, err
}

// several returns the different numbers among some; of five or more the least and the largest.
func several(v []float64) string {
	const most = 4
	var text []string
	for _, v := range v {
		if t := fmt.Sprintf("%.3g", v); !slices.Contains(text, t) {
			text = append(text, t)
		}
	}
	if len(text) > most {
		return fmt.Sprintf("%.3g to %.3g", slices.Min(v), slices.Max(v))
	}
	return strings.Join(text, ", ")
}

// Intervals are calibrated by all rows up to everyRow, and with more by mostCalibrated, as in package ridge. (With 4,096 of
// 10,000 rows, 3,684 features learn less of where the noise is: interval scores were 2 to 28 % worse on four of five sets.)
const (
	everyRow       = 20000
	mostCalibrated = 4096
)

// normal90 is the number of standard deviations within which a normal variable is in 90 of 100 cases.
const normal90 = 1.6448536269514722

// constants returns n equal numbers.
func constants(v float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = v
	}
	return all
}
