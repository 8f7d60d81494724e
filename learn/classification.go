// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// From rows and classes to a classifier.

package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// Classification learns a classifier with probabilities from the rows of x, n×d, and the class of each row, a number
// from 0 on. It learns a kernel, chooses features of it, fits a logistic regression, and scores it on a test set that
// took part in no choice. The Model of the report is then fitted on all rows. docs/guide/learn.md describes the steps,
// the options and the cost.
//
// It returns an error if x is nil, if there are not as many classes as rows, if a class is below 0 or not below the
// number of rows, if there is only one class, if a class has no row of positive weight outside TestRows (the error
// names the class), if each class has only one training row, and whenever Regression does.
func Classification(x mat.Matrix, classes []int, opts *Options) (*ClassificationReport, error) {
	s, err := newStudy(x, opts)
	if err != nil {
		return nil, err
	}
	if s.Groups != nil {
		return nil, errors.New("learn: Groups is set, which is for Regression")
	}
	if len(classes) != s.rows {
		return nil, fmt.Errorf("learn: x has %d rows, for %d classes: must be as many", s.rows, len(classes))
	}
	for _, i := range s.all {
		if classes[i] < 0 || classes[i] >= s.rows {
			return nil, fmt.Errorf("learn: row %d: class %d: must be from 0 to %d, as each class has a row", i, classes[i], s.rows-1)
		}
		s.count = max(s.count, classes[i]+1)
	}
	for _, c := range classes { // of rows of weight 0, too: a class that has no others is an error
		if c < s.rows {
			s.count = max(s.count, c+1)
		}
	}
	s.classes = classes
	if s.count < 2 {
		return nil, fmt.Errorf("learn: all %d rows are of class 0: must be at least 2 classes", len(s.all))
	}
	if err := s.validateRows("x", x); err != nil {
		return nil, err
	}
	if err := s.validateClasses(s.all, "has no row of positive weight"); err != nil {
		return nil, err
	}
	if err := s.hold(classes); err != nil {
		return nil, err
	}
	if err := s.validateClasses(s.rest, "has all its rows in TestRows"); err != nil {
		return nil, err
	}
	if s.count == len(s.rest) {
		return nil, fmt.Errorf("learn: %d classes, for %d training rows: a class must have two, one to fit and one to judge the fit", s.count, len(s.rest))
	}
	s.report.title = fmt.Sprintf("classification of %d rows of %d numbers, %d of them test rows; classes: %d", s.counted, s.columns, len(s.held), s.count)
	s.noteRare()
	s.widest = s.mostWidth()
	p, err := s.exploreClasses()
	if err != nil {
		return nil, err
	}
	s.features = new(lent.Features)
	if s.rows <= sharedRows {
		s.features.Rows = s.rows
	}
	z, err := s.grown(p)
	if err != nil {
		return nil, err
	}
	s.noteSize(z)
	if err := s.fitLogistic(z.phi); err != nil {
		return nil, err
	}
	r := s.report
	return &ClassificationReport{
		Model: r.logistic, Kernel: r.logistic.Map().Kernel(), Score: r.classification,
		Learning: r.learning, Choices: r.choices, title: r.title,
	}, nil
}

// sharedRows is the number of rows up to which those that are left out to choose λ, 4096 at most, have the memory of the
// features of all. With more they have some of their own at first.
const sharedRows = 8192

// fewOfClass is the number of rows of a class below which the report warns.
const fewOfClass = 10

// noteRare reports the classes that have few training rows.
func (s *study) noteRare() {
	counts := make([]int, s.count)
	for _, i := range s.rest {
		counts[s.classes[i]]++
	}
	var few []int
	for c, n := range counts {
		if n < fewOfClass {
			few = append(few, c)
		}
	}
	if few != nil {
		s.note("columns", fmt.Sprintf("classes of fewer than %d rows, of which little can be learned: %s", fewOfClass, list(few)), false)
	}
}

// validateClasses refuses a class without any of some rows.
func (s *study) validateClasses(index []int, why string) error {
	if s.count > len(index) {
		return fmt.Errorf("learn: %d classes, for %d rows: must each have one", s.count, len(index))
	}
	seen := make([]bool, s.count)
	for _, i := range index {
		seen[s.classes[i]] = true
	}
	if c := slices.Index(seen, false); c >= 0 {
		return fmt.Errorf("learn: class %d, of %d classes, %s", c, s.count, why)
	}
	return nil
}

// fitLogistic fits the training rows, scores the test rows, and then fits all rows.
func (s *study) fitLogistic(phi featuremap.FeatureMap) error {
	if err := s.begin("fit"); err != nil {
		return err
	}
	defer func() { s.room = nil }()
	start, last, err := s.starts(phi)
	if err != nil {
		return err
	}
	m, err := s.descend(phi, s.rest, s.lambda, start, nil)
	if err == nil && s.lambda == 0 && s.factor != 1 {
		m, err = s.descend(phi, s.rest, s.factor*m.Lambda(), start, m)
	}
	if err == nil && len(s.rest) < fewFitted {
		m, err = s.lessSure(phi, start, m)
	}
	if err != nil {
		return err
	}
	lambda := m.Lambda()
	s.note("fit", fmt.Sprintf("λ = %.3g, on the training rows", lambda), true)
	s.scoreClasses(m)
	s.noteCopies()
	if s.report.logistic, err = s.descend(phi, s.all, lambda, last, m); err != nil {
		return err
	}
	s.note("fit", "on all rows", true)
	return nil
}

// starts returns the ridge regressions of labels at which the fits of the training rows and of all rows begin. Their sums
// are made once. Both come before the first descent, which keeps the features of all rows: so these and the sums are never
// in memory together.
func (s *study) starts(phi featuremap.FeatureMap) (rest, all *ridge.Model, err error) {
	a, err := s.labelSums(phi)
	if err != nil {
		return nil, nil, fmt.Errorf("learn: %w", err)
	}
	weight, labels := s.fitWeight(), &labels{s.classes, s.count}
	if err := s.add(a, labels, s.rest, weight); err != nil {
		return nil, nil, err
	}
	rest, err = s.startOf(a, nil)
	if err != nil || s.count > mostJudged { // the start for all rows is about that one
		return rest, rest, err
	}
	if err := s.add(a, labels, s.held, weight); err != nil {
		return nil, nil, err
	}
	all, err = s.startOf(a, rest)
	return rest, all, err
}

// mostJudged is the number of classes up to which the ridge regression of labels keeps rows for leave-one-out. Their
// residuals at each λ of the path are 13·4096 numbers a class, 218 MB for 512 classes. With more, the evidence chooses
// λ, which matters for the start only, and products of labels, K²/2 numbers, are not summed. The last fit then starts
// where the fit before started. Tests use fewer.
var mostJudged = 512

// labelSums returns sums of labels without rows.
func (s *study) labelSums(phi featuremap.FeatureMap) (*ridge.Accumulator, error) {
	a, err := ridge.NewAccumulator(phi, s.count)
	if err == nil && s.count > mostJudged {
		lent.Of(a).Apart()
		err = a.KeepRows(0)
	}
	return a, err
}

// startOf returns the ridge regression of labels at which a logistic regression begins, which nobody judges, with the best
// λ or that of another model.
func (s *study) startOf(a *ridge.Accumulator, of *ridge.Model) (*ridge.Model, error) {
	o := s.options(nil)
	if o.SharedLambda, lent.Of(o).Unjudged = true, true; of != nil {
		o.Criterion, lent.Of(o).Each = ridge.Evidence, of.Lambda() // no rows are left out for one λ
	}
	return s.fitted(a.Fit(o))
}

// lessSure returns a model with a larger λ, so that no training row has a class of probability above (n + 1)/(n + 2),
// which Laplace's rule of succession gives to what was true n times of n. If validation fits predicted no better than
// the class frequencies, the bound is the frequencies and a tenth.
func (s *study) lessSure(phi featuremap.FeatureMap, start *ridge.Model, m *logistic.Model) (*logistic.Model, error) {
	const step, mostSteps, aboveChance = 4, 25, 0.1
	n, frequencies := float64(len(s.rest)), make([]float64, s.count)
	for _, i := range s.rest {
		frequencies[s.classes[i]] += 1 / n
	}
	most := (n + 1) / (n + 2)
	if s.chance {
		most = min(most, slices.Max(frequencies)+aboveChance)
	}
	points := s.points(s.rest)
	for range mostSteps {
		var p mat.Dense
		if m.ProbabilityTo(&p, points); mat.Max(&p) <= most {
			break
		}
		var err error
		if m, err = s.descend(phi, s.rest, step*m.Lambda(), start, m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// descend fits a logistic regression to some rows, with the factor of a ridge regression on about the same rows. It
// starts from the weights of that, or of another logistic regression if from is not nil. With λ = 0 package logistic
// chooses.
func (s *study) descend(phi featuremap.FeatureMap, index []int, lambda float64, start *ridge.Model, from *logistic.Model) (*logistic.Model, error) {
	weights := make([]float64, s.rows)
	for _, i := range index {
		weights[i] = s.weight(i)
	}
	o := &logistic.Options{
		Lambda:   lambda,
		Weights:  weights,
		Balanced: s.Balanced,
		Progress: func(pass int, loss float64) error { return s.tell(fmt.Sprintf("fit: pass %d, loss %.5f", pass, loss)) },
	}
	hidden := lent.Of(o)
	hidden.Begun = &lent.Begun{Classes: s.count, Ridge: start, Room: &s.room, Features: s.features}
	if from != nil {
		hidden.Begun.From = from
	}
	passes := fitPasses
	if s.lambda > 0 {
		passes = passesOf(fitWork, passes, len(index), phi, s.count)
	}
	hidden.MostPasses = passes
	m, err := logistic.Fit(phi, s.x, s.classes, o)
	switch {
	case s.stopped != nil:
		return nil, s.stopped
	case err != nil:
		return nil, fmt.Errorf("learn: %w", err)
	}
	return m, nil
}

// balancedWeight returns a function with weights of rows under which all classes count alike.
func (s *study) balancedWeight() func(row int) float64 {
	sums := make([]float64, s.count)
	var total float64
	for _, i := range s.all {
		sums[s.classes[i]] += s.weight(i)
		total += s.weight(i)
	}
	return func(row int) float64 { return s.weight(row) * total / sums[s.classes[row]] / float64(s.count) }
}

// scoreClasses sets the score of a classification.
func (s *study) scoreClasses(m *logistic.Model) {
	p, ones := newTold(len(s.held), s.count), []float64(nil)
	var positive []bool
	for some := range slices.Chunk(s.held, max(min(scoredRows, scoredNumbers/s.count), 1)) {
		var all mat.Dense
		m.ProbabilityTo(&all, s.points(some))
		for k, i := range some {
			row := all.RawRowView(k)
			p.add(s.classes[i], row)
			ones, positive = append(ones, row[1]), append(positive, s.classes[i] == 1)
		}
	}
	frequencies := make([]int, s.count)
	for _, i := range s.rest {
		frequencies[s.classes[i]]++
	}
	r, n := &s.report.classification, float64(len(s.held))
	r.Rows = len(s.held)
	r.Accuracy = score.Accuracy(p.predicted, p.truth)
	r.AccuracyError = math.Sqrt(r.Accuracy * (1 - r.Accuracy) / n)
	r.Majority = score.Accuracy(repeated(slices.Index(frequencies, slices.Max(frequencies)), len(p.truth)), p.truth)
	r.LogLoss = score.LogLoss(p, p.truth)
	r.Calibration = score.Calibration(p, p.truth, 10)
	if r.AUC = math.NaN(); s.count == 2 {
		r.AUC = score.AUC(ones, positive)
	}
	for k, c := range p.truth {
		p.right[k] = float64(frequencies[c]) / float64(len(s.rest))
	}
	r.FrequencyLogLoss = score.LogLoss(p, p.truth)
}

// repeated returns n times a class.
func repeated(class, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = class
	}
	return all
}

// labels are the targets of ridge.Labels, computed when they are read.
type labels struct {
	classes []int
	count   int
}

// Dims returns the numbers of rows and classes.
func (l *labels) Dims() (rows, columns int) { return len(l.classes), l.count }

// At returns 1 for the class of a row, and −1 for others.
func (l *labels) At(i, j int) float64 {
	if l.classes[i] == j {
		return 1
	}
	return -1
}

// T returns the transpose.
func (l *labels) T() mat.Matrix { return mat.Transpose{Matrix: l} }
