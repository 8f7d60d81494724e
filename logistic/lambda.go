// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// The default λ is chosen by the log loss of rows held back, on a path that goes down in steps of a factor of 4 from where weights are next
// to nothing. Each fit begins where the one before ended, times the best scale. The scale matters: at a smaller λ the best functions are about
// the same ones, larger, and a fit that ends before they have grown says that the smaller λ is as good.
//
// λ says how the weights are distributed before there are rows, so that the λ of a part of the rows is that of all.

const (
	pathEnd    = 22   // the last place of the path
	placeParts = 8    // λ is one of so many between neighbors
	leastGain  = 0.05 // of the loss of all rows held back: a place must gain more
	leastLoss  = 1e-4 // of the loss of the frequencies: there is nothing to gain
	levelPart  = 5e-3 // of the loss: two places in turn that change it by less end a walk
	plateau    = 0.98 // of the loss of the frequencies: at more, nothing is told yet
)

// A patience is how long a walk goes on.
type patience struct {
	places int     // so many in turn that gain nothing end it,
	worse  float64 // and so does one that loses so many times the least loss so far
}

var (
	farPatience  = patience{4, 1.1} // losses may have a second minimum, at a small λ
	nearPatience = patience{2, 1.03}
)

// chooseLambda sets λ, and where the descent begins.
func (d *descent) chooseLambda() error {
	s, err := d.newSample()
	if err != nil {
		return err
	}
	defer s.restore()
	if len(s.fits) == 0 {
		return nil
	}
	best, err := s.walk(0, farPatience)
	if err != nil {
		return err
	}
	if !s.tired() {
		if best, err = s.walkCloser(best); err != nil {
			return err
		}
	}
	d.lambda = s.lambda(s.vertex(best)) * d.total / d.effective()
	if d.training.from == nil {
		d.sampled = s.fitted
	}
	return nil
}

// walkCloser walks the path once more from a place that was found, unless that tells enough, and returns the place that it finds.
func (s *sample) walkCloser(found int) (best int, err error) {
	from, patience, enough := s.closer(found)
	if enough {
		return found, nil
	}
	best, err = s.walk(from, patience)
	if s.tired() { // it may have ended on the way down
		best = max(best, found)
	}
	return best, err
}

// pathTop returns the λ of place 0, for rows whose weights add up to their effective number: the sum of the squares of the features less
// their mean.
func (d *descent) pathTop() float64 {
	trace := -float64(float64(d.out) * d.ridgeLambda)
	column := make([]float64, d.out)
	for j := range column {
		d.factor.Column(column, j)
		trace += chain.Dot(column[:j+1], column[:j+1])
	}
	const rounding = 1e-9
	return max(trace, rounding*float64(d.out)*d.ridgeLambda) / d.total * d.effective()
}

// lambda returns the λ of a place, a quarter of the one before, for rows whose weights add up to their effective number.
func (s *sample) lambda(place float64) float64 { return s.top * detmath.Exp(-place*2*math.Ln2) }

// walk returns the place of the least loss: it goes down from a place as long as losses fall, or up if they never do.
func (s *sample) walk(from int, p patience) (best int, err error) {
	value, err := s.lossAt(from)
	if err != nil {
		return 0, err
	}
	best = from
	s.keep(from)
	gain := leastGain / s.rowsHeld()
	for step := 1; step >= -1 && best == from; step -= 2 {
		worse, level, last := 0, 0, value
		for j := from + step; j >= 0 && j <= pathEnd && !s.tired() && worse < p.places && level < 2 && value > leastLoss*s.frequencies; j += step {
			next, err := s.lossAt(j)
			if err != nil {
				return 0, err
			}
			told := value < plateau*s.frequencies
			if level++; !told || math.Abs(next-last) > levelPart*last {
				level = 0
			}
			last = next
			switch {
			case next < value-gain:
				best, value, worse = j, next, 0
				s.keep(j)
			case !(next <= p.worse*value) || !told && next > (2-plateau)*s.frequencies:
				worse = p.places
			case told || next > value+gain:
				worse++
			}
		}
	}
	return best, nil
}

// pathPasses is how many times the passes that a descent may take all fits may take while λ is chosen.
const pathPasses = 4

// tired tells whether a fit has taken as many passes as it may, or all have.
func (s *sample) tired() bool {
	return s.all.mostPasses > 0 && (s.cut || s.passes >= pathPasses*s.all.mostPasses)
}

// rowsHeld returns the effective number of the rows held back.
func (s *sample) rowsHeld() (n float64) {
	for _, f := range s.fits {
		n += f.held.effective()
	}
	return n
}

// keep keeps what the fits have come to at a place, in the mean of those that are there.
func (s *sample) keep(place int) {
	if s.fitted.w.Data == nil {
		s.fitted = s.all.newFunctions()
	}
	clear(s.fitted.w.Data)
	clear(s.fitted.intercept)
	count := 0
	for _, f := range s.fits {
		if f.place == place {
			s.fitted.add(f.last)
			count++
		}
	}
	s.fitted.multiply(1 / float64(max(count, 1)))
}

// vertex returns where a parabola through the losses at a place and its neighbors, if they are known, is least, within half a step and
// to a part of it, which rounding does not change.
func (s *sample) vertex(j int) float64 {
	var below, above float64
	for _, f := range s.fits {
		lower, ok := f.losses[j-1]
		higher, ok2 := f.losses[j+1]
		if !ok || !ok2 {
			return float64(j)
		}
		below += lower - f.losses[j]
		above += higher - f.losses[j]
	}
	if offset := 0.5 * (below - above) / (below + above); math.Abs(offset) <= 0.5 {
		return float64(j) + math.Round(offset*placeParts)/placeParts
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
