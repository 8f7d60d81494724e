// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Choice of the number of features, by what further ones gain, and the fit of the training rows.

package learn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const (
	grownRows  = pilotRows // on which numbers of features are compared, at most
	mostWork   = 1e12      // operations of a fit with more than √n·log n features
	mostPass   = 1e11      // the same for the passes of descents with classes
	mostSparse = 1.2e7     // numbers in memory for sparse rows: features, landmarks and four D×D matrices
	leastGain  = 0.01      // of the mean squared error: the least gain for which the number of features is doubled

	// usualPasses is the usual number of passes of the descents of a classification, times four operations for each
	// feature, row and class.
	usualPasses = 4 * 200
)

// allMarks is the number of different rows up to which all of them are landmarks. Tests use fewer.
var allMarks = 2048

// A sized fit is a regression of the targets, or of labels, with some number of features.
type sized struct {
	pilot    *pilot
	features int       // requested number
	left     *leftOut  // nil: not known
	losses   []float64 // of left
	phi      featuremap.FeatureMap
	copies   *copies // its rows, if they are left out; else nil
	sums     *ridge.Accumulator
	model    *ridge.Model
	whole    bool      // all training rows are in it
	spread   []float64 // variances of predictions that are left out, in units of the noise; nil: not known
}

// marks reports whether all different rows are landmarks.
func (z *sized) marks() bool {
	_, out := z.phi.Dims()
	return z.pilot.way == drawn && out < z.features
}

// grown returns the fit with the chosen number of features: √n·log n, doubled while that gains more than one standard
// error of the difference, row by row, and more than a hundredth, up to mostFeatures. Classes are judged by the
// regression of their labels.
func (s *study) grown(p *pilot) (*sized, error) {
	features, most := s.width(len(s.all)), s.mostFeatures()
	index := s.rest
	path := p.path()
	if s.Features > 0 || features >= most || !s.deep() || s.lambda > 0 {
		most = 0 // no comparison
	} else if index = some(s.rest, s.most(grownRows)); len(index) == len(s.rest) {
		if points, ok := s.points(index).(*mat.Dense); ok {
			if d := different(points); d <= allMarks {
				features, most = max(features, min(d+len(s.held), most)), 0
				path = around(p.lambda, 3, p.leastLambda)
			}
		}
	}
	var best *sized
	for {
		next, err := s.newSized(p, index, features)
		if err == nil && (most > 0 || s.classes == nil) {
			err = s.fitSized(next, index, path)
		}
		if err != nil {
			return nil, err
		}
		if most > 0 {
			next.left = s.leaveOut(next)
			next.losses = next.left.losses()
			if s.classes != nil {
				next.sums, next.model, next.copies = nil, nil, nil // the logistic regression has sums of its own
			}
			s.choose(Choice{Step: "size", Name: sizeName(features), LogEvidence: math.NaN(), Score: math.Sqrt(meanOf(next.losses))})
		}
		if best != nil && !next.gains(best) {
			break
		}
		if best = next; next.marks() || 2*features > most {
			break
		}
		features *= 2
	}
	s.takeChoice("size", sizeName(best.features))
	return s.orBefore(best, index)
}

// gains reports whether a fit has so much less loss than one with fewer features that it is taken.
func (z *sized) gains(other *sized) bool {
	gain, deviation := moreLoss(other.losses, z.losses)
	return gain > deviation && gain > leastGain*meanOf(other.losses)
}

// rivalFeatures is the number of features up to which the kernel from before the bank is tried again: the bank compares
// kernels with 1,000 landmarks, and rough kernels need more than smooth ones.
const rivalFeatures = 1536

// orBefore returns a fit, or the fit with the kernel from before the bank and as many features, if its loss is less by
// more than one standard error. It is tried if there are few landmarks and not all rows are landmarks.
func (s *study) orBefore(z *sized, index []int) (*sized, error) {
	if z.pilot.before == nil || z.marks() || z.features > rivalFeatures {
		return z, nil
	}
	rival, err := s.newSized(z.pilot.before, index, z.features)
	if err == nil {
		err = s.fitSized(rival, index, nil)
	}
	if err != nil {
		return nil, err
	}
	left, other := s.leaveOut(z).losses(), s.leaveOut(rival).losses()
	gain, deviation := moreLoss(left, other)
	better := gain > deviation
	for _, c := range []Choice{
		{Name: "the sum of the bank", Score: math.Sqrt(meanOf(left)), Taken: !better},
		{Name: "the kernel of the validation fits", Score: math.Sqrt(meanOf(other)), Taken: better},
	} {
		c.Step, c.LogEvidence = "few features", math.NaN()
		s.choose(c)
	}
	if better {
		return rival, nil
	}
	return z, nil
}

// takeChoice marks a choice of a step as taken.
func (s *study) takeChoice(step, name string) {
	for i := range s.report.choices {
		if c := &s.report.choices[i]; c.Step == step && c.Name == name {
			c.Taken = true
		}
	}
}

// sizeName returns the name of a choice of a number of features.
func sizeName(features int) string { return fmt.Sprintf("%d features", features) }

// mostFeatures returns the largest number D of features to try beyond √n·log n. The sums take n·D² operations, which
// mostWork bounds; for K classes the descents take passes·n·D·K, which mostPass bounds. For sparse rows, which have little
// memory themselves, D·(n + d + 4D) ≤ mostSparse.
func (s *study) mostFeatures() int {
	n := float64(len(s.all))
	most := math.Sqrt(mostWork / n)
	if s.classes != nil {
		most = min(most, mostPass/(usualPasses*n*float64(s.count)))
	}
	if s.widest > 0 {
		most = min(most, float64(s.widest))
	}
	if s.sparse {
		rest := n + float64(s.columns)
		most = min(most, (math.Sqrt(float64(rest*rest)+16*mostSparse)-rest)/8)
	}
	return min(mostWidth, int(most))
}

// path returns λ to choose from for the kernel of a pilot; nil if nothing is known. It has decades from one below the
// best λ with all rows as landmarks. With fewer landmarks than rows the best λ is far larger, since what they miss of
// the kernel is noise.
func (p *pilot) path() []float64 {
	var path []float64
	for _, v := range p.lambda {
		if v > 0 {
			v /= 10
			for range pathDecades {
				path = append(path, max(v, p.leastLambda))
				v *= 10
			}
		}
	}
	return apart(path)
}

// apart returns numbers in ascending order, without those within a hundredth of one before: targets that start at the
// same λ have the same path, to rounding.
func apart(path []float64) []float64 {
	slices.Sort(path)
	return slices.CompactFunc(path, func(a, b float64) bool { return max(a, b) <= 1.01*min(a, b) })
}

// pathDecades is the number of λ that are tried for each target.
const pathDecades = 10

// around returns λ within a number of half decades around the λ of targets, none below least.
func around(lambda []float64, places int, least float64) (path []float64) {
	const root = 3.1622776601683795
	for _, v := range lambda {
		if !(v > 0) {
			continue
		}
		for range places {
			v /= root
		}
		for range 2*places + 1 {
			path = append(path, max(v, least))
			v *= root
		}
	}
	return apart(path)
}

// newSized returns a fit, to be made, with a map of the kernel of a pilot with the given number of features.
func (s *study) newSized(p *pilot, index []int, features int) (*sized, error) {
	if err := s.begin(fmt.Sprintf("size: %d features", features)); err != nil {
		return nil, err
	}
	stream := *s.sampler
	phi, err := s.newMapOf(p, some(index, s.most(landmarkRows)), features)
	*s.sampler = stream
	return &sized{pilot: p, features: features, phi: phi, whole: len(index) == len(s.rest)}, err
}

// fitSized fits some rows with the λ of a path that has the least leave-one-out error; nil: package ridge chooses the
// path.
func (s *study) fitSized(z *sized, index []int, path []float64) (err error) {
	if z.sums, z.copies, err = s.sumsOf(z.phi, index); err == nil {
		z.model, err = s.solve(z, s.areLabels(), path, nil)
	}
	return err
}

// areLabels reports whether targets are labels.
func (s *study) areLabels() bool {
	if s.classes != nil {
		return true
	}
	_, targets := s.y.Dims()
	return targets > 1 && areLabels(gather(s.y, s.rest, nil))
}

// targets returns the targets of all rows; for classes their labels.
func (s *study) targets() mat.Matrix {
	if s.classes != nil {
		return &labels{s.classes, s.count}
	}
	return s.y
}

// solve returns the model of a fit's sums with the best λ of a path, or with the λ of another model for each target; if
// both are nil, ridge chooses. If these are all training rows, its intervals are left for later.
func (s *study) solve(z *sized, labels bool, path []float64, of *ridge.Model) (*ridge.Model, error) {
	var index []int
	if z.whole && s.Groups == nil {
		index = s.calibrating()
	}
	o := s.options(index)
	if lent.Of(o).Later, o.SharedLambda, o.Path = true, labels, path; path != nil {
		o.Criterion = ridge.LeaveOneOut
	}
	if of != nil {
		lent.Of(o).Each = of.Lambda()
	}
	return s.fitted(z.sums.Fit(o))
}

// calibrating returns the training rows by which intervals are calibrated.
func (s *study) calibrating() []int {
	if s.Groups != nil {
		return s.rest
	}
	return some(s.rest, leftOutRows)
}

// groupDecades is the number of decades of λ to try, from a tenth of the λ of a fit on, when groups are left out: rows
// of the own group make a fit too sure.
const groupDecades = 8

// fitGroups returns a fit with the λ, for each target, of least error when groups are left out.
func (s *study) fitGroups(a *ridge.Accumulator, labels bool, of *ridge.Model) (*ridge.Model, error) {
	best := of.Lambda()
	least := constants(math.Inf(1), len(best))
	factor := 0.1
	for range groupDecades {
		each := of.Lambda()
		for t := range each {
			each[t] *= factor
		}
		factor *= 10
		m, err := s.fitEach(a, labels, each, s.rest)
		if err != nil {
			return nil, err
		}
		squares := lent.Of(m).LeftOutMSE
		for t, v := range squares {
			if v < least[t] {
				least[t], best[t] = v, m.Lambda()[t]
			}
		}
		s.choose(Choice{Step: "groups", Name: fmt.Sprintf("λ = %s", several(m.Lambda())), LogEvidence: math.NaN(), Score: s.groupScore(squares)})
	}
	m, err := s.fitEach(a, labels, best, nil)
	if err == nil {
		s.takeChoice("groups", fmt.Sprintf("λ = %s", several(m.Lambda())))
	}
	return m, err
}

// fitEach returns a fit with a λ for each target, and intervals by some rows that are in the sums; nil: no intervals.
func (s *study) fitEach(a *ridge.Accumulator, labels bool, each []float64, index []int) (*ridge.Model, error) {
	o := s.options(index)
	o.SharedLambda, lent.Of(o).Each = labels, each
	return s.fitted(a.Fit(o))
}

// groupScore returns the root mean squared error over targets that vary, in units of their standard deviations; NaN if
// no target varies.
func (s *study) groupScore(squares []float64) float64 {
	var sum, n float64
	for t, c := range rows.Spreads(s.y, s.rest) {
		if c.Deviation > 0 && squares != nil {
			sum += squares[t] / c.Deviation / c.Deviation
			n++
		}
	}
	return math.Sqrt(sum / n)
}

// lostForBank is the number of rows that the choice by the bank costs when intervals are calibrated, as measured: with
// 60 and 100 rows, of three functions of five columns, intervals of 90 % cover 88 to 93 %, 91 on average. Without it,
// with 60 rows, they cover 88 to 89.
const lostForBank = 4

// options returns the options of a fit with intervals by some rows; nil: no intervals.
func (s *study) options(index []int) *ridge.Options {
	o := &ridge.Options{Beyond: true, Progress: func(int) error { return s.tell("fit") }}
	lent.Of(o).MarksJudge, lent.Of(o).Features = true, s.features
	if lent.Of(o).Release = true; index == nil || s.classes != nil {
		o.Intervals = &ridge.IntervalOptions{Off: true}
		return o
	}
	p := s.part(index)
	left := &lent.LeftOut{X: p.x, Y: p.y, Weights: p.weights, Alike: s.timesLargest(index) < leastTimes}
	if s.Groups != nil {
		for _, i := range index {
			left.Groups = append(left.Groups, s.Groups[i])
		}
	}
	lent.Of(o).LeftOut = left
	if s.deep() {
		lent.Of(o).Lost = lostForBank
	}
	return o
}

// leastTimes is the number of times that all weights must be the largest: with fewer, an interval of 90 % has no ends.
const leastTimes = 19

// timesLargest returns how many times the largest weight of some rows all weights are; +Inf without weights.
func (s *study) timesLargest(index []int) float64 {
	if s.Weights == nil {
		return math.Inf(1)
	}
	var sum, most float64
	for _, i := range index {
		sum += s.Weights[i]
		most = max(most, s.Weights[i])
	}
	return sum / most
}

// fitted returns a model or the error of its fit. If Progress ended the fit, it is the error of Progress.
func (s *study) fitted(m *ridge.Model, err error) (*ridge.Model, error) {
	switch {
	case s.stopped != nil:
		return nil, s.stopped
	case err != nil:
		return nil, fmt.Errorf("learn: %w", err)
	}
	return m, nil
}
