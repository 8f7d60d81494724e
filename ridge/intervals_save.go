// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"

	"github.com/seed-0f95ebc1/featuremap/internal/conformal"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// An intervalsDocument is intervals without the arrays, which come last in a model's file: the numbers of the scores of
// each target in turn, and, if noise differs by row, the weights of its regressions, and their intercepts, least and
// largest values.
type intervalsDocument struct {
	Rows       int       `json:"rows,omitempty"`
	NoVariance bool      `json:"noVariance,omitempty"`
	Scores     []int     `json:"scores,omitempty"`   // numbers of each target
	Weighted   []bool    `json:"weighted,omitempty"` // they have weights; omitted if no scores have
	Power      []float64 `json:"power,omitempty"`    // omitted if noise is the same everywhere
	Why        string    `json:"why,omitempty"`      // why there are no intervals
}

// mostWhy is the largest number of bytes for the reason why there are no intervals.
const mostWhy = 400

// document returns the document of intervals, nil for a model without intervals.
func (v *intervals) document() *intervalsDocument {
	if v == nil {
		return nil
	}
	d := &intervalsDocument{Rows: v.rows, NoVariance: v.noVariance, Why: v.why}
	if v.predictor != nil {
		d.Power = v.power
	}
	weighted := false
	for t := range v.scores {
		numbers, w := v.scores[t].Numbers()
		d.Scores, d.Weighted = append(d.Scores, len(numbers)), append(d.Weighted, w)
		weighted = weighted || w
	}
	if !weighted {
		d.Weighted = nil
	}
	return d
}

// sizes returns the sizes of the arrays, for a number of features.
func (d *intervalsDocument) sizes(features int) (sizes []int) {
	if d == nil || d.Scores == nil {
		return nil
	}
	sizes = []int{0}
	for _, n := range d.Scores {
		sizes[0] += n
	}
	if n := len(d.Power); n > 0 {
		sizes = append(sizes, n*features, n, n, n)
	}
	return sizes
}

// write writes the arrays.
func (v *intervals) write(f *sealed.Writer) {
	if v == nil || v.scores == nil {
		return
	}
	for t := range v.scores {
		numbers, _ := v.scores[t].Numbers()
		f.Floats(numbers)
	}
	if v.predictor != nil {
		for _, numbers := range [][]float64{v.weights, v.intercept, v.least, v.most} {
			f.Floats(numbers)
		}
	}
}

// validate refuses numbers that no intervals for so many targets have.
func (d *intervalsDocument) validate(targets int) error {
	switch {
	case d == nil:
		return nil
	case len(d.Why) > mostWhy:
		return errors.New("ridge: the data says at length why it has no intervals")
	case d.Scores == nil:
		if d.Rows != 0 || d.NoVariance || d.Power != nil || d.Weighted != nil || d.Why == "" {
			return errors.New("ridge: the data has intervals without scores")
		}
		return nil
	case d.Why != "" || d.Rows < 1 || d.Rows > normal.MaxRows || len(d.Scores) != targets || d.Power != nil && len(d.Power) != targets || d.Weighted != nil && len(d.Weighted) != targets:
		return fmt.Errorf("ridge: the data has intervals by %d rows with scores of %d targets, %d powers and %d weights, of %d targets", d.Rows, len(d.Scores), len(d.Power), len(d.Weighted), targets)
	}
	for t, n := range d.Scores {
		if n < 1 || n > conformal.MostNumbers {
			return fmt.Errorf("ridge: the data has %d numbers of scores of target %d", n, t)
		}
	}
	differs := false
	for t, p := range d.Power {
		if differs = differs || p > 0; !(p >= 0 && p <= powers[len(powers)-1]) {
			return fmt.Errorf("ridge: the data has the power %v of the noise of target %d: must be from 0 to %v", p, t, powers[len(powers)-1])
		}
	}
	if d.Power != nil && !differs {
		return errors.New("ridge: the data has powers of noise that are all 0")
	}
	return nil
}

// read reads the intervals of a document; nil if it has no intervals.
func (d *intervalsDocument) read(f *sealed.Reader, features int) (*intervals, error) {
	if d == nil {
		return nil, nil
	}
	v := &intervals{rows: d.Rows, noVariance: d.NoVariance, why: d.Why}
	if d.Scores == nil {
		return v, nil
	}
	for t, n := range d.Scores {
		numbers := f.Floats(n)
		if f.Err() != nil {
			return nil, nil // Close has the error
		}
		s, err := conformal.Restore(numbers, d.Weighted != nil && d.Weighted[t])
		if err != nil {
			return nil, fmt.Errorf("ridge: the data of target %d: %w", t, err)
		}
		v.scores = append(v.scores, s)
	}
	targets := len(d.Scores)
	v.power = make([]float64, targets)
	if d.Power == nil {
		return v, nil
	}
	v.power = d.Power
	v.weights, v.intercept = f.Floats(targets*features), f.Floats(targets)
	v.least, v.most = f.Floats(targets), f.Floats(targets)
	if f.Err() != nil {
		return nil, nil
	}
	for _, of := range [][]float64{v.weights, v.intercept, v.least, v.most} {
		if err := finite("regressions of noise", of); err != nil {
			return nil, fmt.Errorf("ridge: the data has %w", err)
		}
	}
	for t := range v.least {
		if v.least[t] > v.most[t] {
			return nil, fmt.Errorf("ridge: the data has noise of target %d from %v to %v", t, v.least[t], v.most[t])
		}
	}
	return v, nil
}
