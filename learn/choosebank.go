// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"
)

const (
	mostTargets = 100 // columns of targets, or classes
	mostPilots  = 5   // kernels of the bank that validation fits compare for classes
)

// leastBank is the least number of rows for a bank. Tests use fewer.
var leastBank = fewFitted

// exploreBank compares kernels of other shapes and length scales with the kernel of a validation fit, and returns a
// pilot with the best one, or the given pilot if that is worse in folds.
func (s *study) exploreBank(p *pilot, folds []fold) (*pilot, error) {
	if s.sparse || !s.deep() {
		return p, nil
	}
	if err := s.begin("bank"); err != nil {
		return nil, err
	}
	b, err := s.newMembers(p)
	if err != nil {
		return nil, err
	}
	for _, m := range b.members {
		s.choose(b.choice(m.name, m.fit))
	}
	sum, err := b.blend(b.members)
	if err != nil {
		return nil, err
	}
	if s.classes == nil {
		if sum, err = b.withCodes(sum); err != nil {
			return nil, err
		}
	}
	s.choose(b.choice(sum.name, sum.fit))
	if own := b.ofTheirOwn(sum); own != nil && s.classes == nil {
		s.note("bank", "targets that a kernel of their own would serve better: "+list(own), false)
	}
	if s.classes == nil && s.TestRows == nil {
		if before := b.members[0]; b.worseInFolds(sum, before, folds) {
			s.takeChoice("bank", before.name)
			s.note("bank", "the sum is worse for rows that have not taught its metric", false)
			s.optimism = b.optimismOf(before, folds)
			return p, nil
		}
		s.takeChoice("bank", sum.name)
		s.optimism = b.optimismOf(sum, folds)
		q := *p
		q.before = p
		q.kernel, q.kernels, q.scales, q.way = sum.kernel, nil, sum.scales, drawn
		q.lambda, q.leastLambda = sum.lambda, sum.floor
		return &q, nil
	}
	return b.race(p, folds, append([]*member{sum}, b.members[1:]...))
}

// ownKernel is the factor by which another kernel must reduce the squared errors of a target, compared with the sum,
// for the report to say so.
const ownKernel = 0.8

// ofTheirOwn returns the targets that some kernel of the bank predicts with far less error than the sum, which all
// targets share.
func (b *bank) ofTheirOwn(sum *member) (targets []int) {
	for t, v := range sum.sums {
		if b.variances[t] > 0 && b.least[t] < ownKernel*v {
			targets = append(targets, t)
		}
	}
	return targets
}

// race compares kernels of the bank with the current one by validation fits, and keeps the current one in doubt.
func (b *bank) race(p *pilot, folds []fold, members []*member) (*pilot, error) {
	f := newField(b.study, folds, p.stream)
	f.features = p.features
	same := f.again(p, "shape", "as in the validation fits")
	var pilots []*pilot
	for _, m := range members[:min(len(members), mostPilots)] {
		way := clustered
		if m.codes {
			way = drawn
		}
		pilots = append(pilots, &pilot{kernel: m.expression(), kernels: m.expressions(), way: way, Choice: Choice{Step: "shape", Name: m.name, LogEvidence: math.NaN()}})
	}
	best, err := f.choosePilot(same, pilots...)
	if err != nil {
		return nil, err
	}
	f.take(best)
	won := b.members[0]
	if best != same {
		won = members[slices.Index(pilots, best)]
	}
	if b.classes == nil {
		b.optimism = b.optimismOf(won, folds)
	}
	if best == same {
		return p, nil
	}
	if best.factor = 1; b.classes != nil {
		if best, err = f.chooseLambda(best); err != nil {
			return nil, err
		}
	}
	best.kernel, best.kernels, best.scales, best.stream = won.kernel, nil, won.scales, p.stream
	return best, nil
}

// choice returns a choice of the bank for the report.
func (b *bank) choice(name string, f fit) Choice {
	return Choice{Step: "bank", Name: name, LogEvidence: math.NaN(), Score: math.Sqrt(f.loss)}
}

// newMembers returns the bank with the kernel of a pilot and the best one of each shape as members.
func (s *study) newMembers(p *pilot) (*bank, error) {
	b := s.newBank()
	before, err := b.judge(taken, candidate{"as in the validation fits", p.kernel, p.scales, p.kernels}, startPlace)
	if err != nil {
		return nil, err
	}
	b.members = []*member{before}
	smooth, absolute := s.metrics(p)
	for sh := gaussian; sh < shapes; sh++ {
		var all []candidate
		if sh == laplacian {
			for i := range absolute {
				all = append(all, absolute[i].sums()...)
			}
		} else {
			for i := range smooth {
				all = append(all, smooth[i].smooth(sh)...)
			}
		}
		best, err := b.bestOf(sh, all)
		if err != nil {
			return nil, err
		}
		if best != nil {
			b.members = append(b.members, best)
		}
	}
	return b, nil
}

// wideColumns is the number of columns beyond which Gaussian and Matérn kernels are also tried in the metric of
// derivatives.
const wideColumns = 12

// metrics returns the metrics for kernels of distances (smooth) and of sums of absolute differences (absolute), for the
// rows as a pilot sees them.
func (s *study) metrics(p *pilot) (smooth, absolute []metric) {
	main, equal := s.view(p.scales), s.startFactors()
	smooth = learnedMetrics(p.stages, s.columns, p.scales)
	lengths := slices.IndexFunc(smooth, func(m metric) bool { return m.name == "lengths" })
	if len(smooth) == 0 {
		smooth = []metric{s.weighted("the median distance", main, equal, false)}
	}
	absolute = []metric{s.weighted("of columns", s.view(nil), equal, true)}
	if scales := s.tailScales(); scales != nil {
		absolute = append(absolute, s.weighted("of columns in logarithms", s.view(scales), equal, true))
	}
	if lengths >= 0 {
		absolute = append(absolute, s.weighted("of columns by their lengths", main, roots(main.ofLengths(&smooth[lengths])), true))
	}
	if g := s.gradients(main, &smooth[0], nil); g != nil {
		absolute = append(absolute, s.weighted("of columns by derivatives", main, roots(g), true))
		if s.columns > wideColumns {
			smooth = append(smooth, s.weighted("the median distance by derivatives", main, g, false))
		}
	}
	if s.ties != nil {
		ofCategories, more := s.metricsOfCategories(main, smooth)
		smooth, absolute = append(smooth, ofCategories...), append(absolute, more...)
	}
	useless := func(m metric) bool { return !m.usable() }
	return slices.DeleteFunc(smooth, useless), slices.DeleteFunc(absolute, useless)
}
