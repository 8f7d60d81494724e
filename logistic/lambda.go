// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// The default λ is chosen by the log loss of held-out rows, on a path that goes down by factors of 4 from where weights
// are nearly 0. Each fit starts where the one before ended, times the best scale. The scale matters: at a smaller λ the
// best functions are about the same ones, but larger, and a fit that ends before they have grown would judge the
// smaller λ as equally good.
//
// Where few rows are all predicted well, none tells how wrong others may be, and the loss of held-out rows falls with λ to
// 0, while that of new rows is up to twice the best. So each row counts as one of the likeliest other class with a
// small probability.
//
// λ describes the prior of the weights, so the λ of a part of the rows serves all.

const (
	pathEnd    = 22   // last place of the path
	placeParts = 8    // λ is rounded to such parts of a step
	leastGain  = 0.05 // of the loss of all held-out rows: the gain that a place needs
	leastLoss  = 1e-4 // of the loss of the frequencies: with less there is nothing to gain
	levelPart  = 5e-3 // of the loss: two places in turn with a smaller change end a walk
	plateau    = 0.98 // of the loss of the frequencies: with more, nothing has been learned yet
)

// A patience says when a walk ends.
type patience struct {
	places int     // after so many places in turn without gain,
	worse  float64 // or at a loss so many times the least so far,
	end    int     // or at this place
}

var (
	farPatience  = patience{4, 1.1, pathEnd} // losses may have a second minimum, at a small λ
	nearPatience = patience{2, 1.03, pathEnd}
)

const (
	wrongRows = 0.3  // expected to be of another class, of very few,
	rightRows = 1000 // and none of so many
)

// wrongShares returns the probabilities that a held-out row of each class counts as one of another. They are in proportion
// to the share of the other classes, so that as many rows leave a rare class as come to it. It returns nil if all are 0.
func (t *training) wrongShares() (shares []float64) {
	n := float64(t.rowCount())
	if n >= rightRows {
		return nil
	}
	q := wrongRows * (1 - n/rightRows) / (n + 2)
	for _, w := range t.classWeights {
		shares = append(shares, q*(1-w/t.total)*float64(t.count)/float64(t.count-1))
	}
	return shares
}

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

// walkCloser walks the path once more from the place found, unless that is certain enough, and returns the place that
// it finds.
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

// pathTop returns the λ of place 0, for rows whose weights add up to their effective number: the sum of squares of the
// centered features.
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

// walk returns the place of least loss: it goes down from a place while losses fall, or up if they never do.
func (s *sample) walk(from int, p patience) (best int, err error) {
	value, err := s.lossAt(from)
	if err != nil {
		return 0, err
	}
	best = from
	s.keep(from)
	frequencies := s.frequencies()
	gain := leastGain / s.rowsHeld()
	for step := 1; step >= -1 && best == from; step -= 2 {
		worse, level, last := 0, 0, value
		for j := from + step; j >= 0 && j <= p.end && !s.tired() && worse < p.places && level < 2 && value > leastLoss*frequencies; j += step {
			next, err := s.lossAt(j)
			if err != nil {
				return 0, err
			}
			told := value < plateau*frequencies
			if level++; !told || math.Abs(next-last) > levelPart*last {
				level = 0
			}
			last = next
			switch {
			case next < value-gain:
				best, value, worse = j, next, 0
				s.keep(j)
			case !(next <= p.worse*value) || !told && next > (2-plateau)*frequencies:
				worse = p.places
			case told || next > value+gain:
				worse++
			}
		}
	}
	return best, nil
}

// frequencies returns the mean loss of the held-out rows by the class frequencies of the fitted ones.
func (s *sample) frequencies() float64 {
	var sum, total float64
	for _, f := range s.fits {
		for c, v := range f.held.classWeights {
			if v > 0 {
				sum -= float64(v * detmath.Log(max(f.classWeights[c]/f.total, absent)))
			}
		}
		total += f.held.total
	}
	return sum / total
}

// pathPasses times the passes of a descent bounds the passes of all fits while λ is chosen.
const pathPasses = 4

// tired reports whether a fit has reached its bound of passes, or all have reached theirs.
func (s *sample) tired() bool {
	return s.cut || s.all.mostPasses > 0 && s.passes >= pathPasses*s.all.mostPasses
}

// rowsHeld returns the effective number of held-out rows.
func (s *sample) rowsHeld() (n float64) {
	for _, f := range s.fits {
		n += f.held.effective()
	}
	return n
}

// keep stores the mean of the fits at a place.
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

// vertex returns the minimum of a parabola through the losses at a place and its neighbors, if they are known, within
// half a step. It is rounded, so that last digits do not change it.
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

// effective returns the effective number of rows, (Σw)²/Σw².
func (t *training) effective() float64 {
	var squares float64
	for i := range t.classes {
		w := t.weight(i)
		squares += float64(w * w)
	}
	return t.total / squares * t.total
}
