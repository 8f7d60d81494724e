// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// The default λ is chosen by the log loss of rows held back, from a sample of all rows. Ridge regression's λ, which the squared errors
// of labels choose, says where to begin and no more: where those errors hardly depend on λ, the best λ is up to ten thousand times
// as large, and where labels have no noise, a ten-thousandth.

const (
	leastStart = 1    // where the path of λ begins, in steps of a factor of 4 above the λ of ridge regression
	leastPart  = 1e-3 // of the mean square of a feature, summed over the rows: the path begins at no less
	pathLow    = -8
	pathHigh   = 14
	leastLoss  = 1e-3 // of a loss of less there is nothing to gain
	leastGain  = 5e-3 // a part of the loss that is worth another step
	closeBegin = 2    // steps above the best place of the first walk, where the second begins
)

// chooseLambda sets λ. One fit of the sample is made for each λ, and the others of it only where the losses held back are those of few
// rows. The best λ of the sample's fits, between neighbours of the path by a parabola, is the one of all rows: λ says how the
// weights are distributed before there are rows, whatever their number.
func (d *descent) chooseLambda() error {
	s, err := d.newSample()
	if err != nil || len(s.fits) == 0 {
		return err
	}
	place, err := s.choose()
	if err != nil {
		return err
	}
	d.lambda *= detmath.Exp(place*2*math.Ln2) * (s.effective() / d.effective())
	if s.many && d.training.from == nil {
		d.sampled = s.fitted
	}
	return nil
}

// choose returns the place of the best λ on the path, by as many fits as it takes. The path is walked twice: fits that end early and are
// of few rows tell where to look, but what a small λ is worth shows late, and by many rows.
func (s *sample) choose() (float64, error) {
	best, err := s.best(s.start)
	if err == nil && s.turns < len(s.fits) {
		if first := s.fits[0]; first.losses[best]/first.held.total*first.held.effective() < enoughLoss {
			s.turns = len(s.fits)
			best, err = s.best(s.start)
		}
	}
	if err != nil {
		return 0, err
	}
	s.closer()
	if best, err = s.best(min(best+closeBegin, pathHigh)); err != nil {
		return 0, err
	}
	return s.vertex(best), nil
}

// pathStart returns where the path begins.
func (d *descent) pathStart() int {
	trace := -float64(float64(d.out) * d.ridgeLambda)
	column := make([]float64, d.out)
	for j := range column {
		d.factor.Column(column, j)
		trace += chain.Dot(column[:j+1], column[:j+1])
	}
	j := leastStart
	for j < pathHigh && math.Ldexp(d.lambda, 2*j) < leastPart*trace/float64(d.out) {
		j++
	}
	return j
}

// best returns the j of the least loss: it goes down from a place as long as that is lower, or up if it never is.
// Fits of too small a λ are slow to tell.
func (s *sample) best(from int) (at int, err error) {
	at = from
	value, err := s.loss(at)
	s.keep()
	var total float64
	for _, f := range s.fits[:s.turns] {
		total += f.held.total
	}
	for step, turned := -1, false; err == nil && value > leastLoss*total && at+step >= pathLow && at+step <= pathHigh; {
		var next float64
		next, err = s.loss(at + step)
		switch {
		case next < value*(1-leastGain):
			at, value, turned = at+step, next, true
			s.keep()
		case turned:
			return at, err
		default:
			step, turned = -step, true
		}
	}
	return at, err
}

// keep keeps what the first fit has come to.
func (s *sample) keep() {
	if s.fitted.w.Data == nil {
		s.fitted = s.all.newFunctions()
	}
	s.fitted.copy(s.fits[0].last)
}

// vertex returns where a parabola through the losses at j and its neighbours, if they are known, is least, within half a step.
func (s *sample) vertex(j int) float64 {
	var below, above float64
	for _, f := range s.fits[:s.turns] {
		lower, ok := f.losses[j-1]
		higher, ok2 := f.losses[j+1]
		if !ok || !ok2 {
			return float64(j)
		}
		below += lower - f.losses[j]
		above += higher - f.losses[j]
	}
	if offset := 0.5 * (below - above) / (below + above); math.Abs(offset) <= 0.5 {
		return float64(j) + offset
	}
	return float64(j)
}

// effective returns how many rows of equal weight tell as much as those of the training.
func (t *training) effective() float64 {
	var squares float64
	for i := range t.classes {
		w := t.weight(i)
		squares += float64(w * w)
	}
	return t.total / squares * t.total
}
