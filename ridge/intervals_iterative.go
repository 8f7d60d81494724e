// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

const (
	leastSamples = 16
	mostLeverage = 0.75 // the largest leverage for which samples are accurate enough
)

// calibrateIterative sets the intervals of a model of FitIterative from the rows of its sample. Leverages come from
// samples of the posterior, and the noise is the same for all rows.
func calibrateIterative(m *Model, kept []keptRow, o *IterativeOptions) error {
	options := IntervalOptions{}
	if o.Intervals != nil {
		options = *o.Intervals
	}
	k := keptRows{rows: kept}
	x, y, weights := k.data(m.in, m.targets())
	if options.Off || areLabels(y, len(kept)) {
		return nil
	}
	options.Constant = true
	c := &calibrator{m: m, targets: m.targets(), options: options, asked: o.Intervals != nil, step: func() error { return nil }}
	if !m.given {
		c.lost = lostForLambda
	}
	if n := m.samples(m.out); n == 0 { // as was chosen, there is no variance for intervals
		return nil
	} else if n < leastSamples {
		return c.none(tooFewSamples(n))
	}
	c.l = &leftOut{
		e: &normal.Facts{Features: m.out, Weight: m.totalWeight(), Mean: m.mean}, phi: m.phi,
		n: len(kept), rows: newMemoryRows(x, y, weights), seen: newSeen(len(kept), m.targets(), len(m.ridges)),
	}
	c.l.mark(m.rows)
	for k := range m.ridges {
		c.all = append(c.all, taken{Solution: &normal.Solution{Lambda: m.ridges[k].lambda}})
		for t, of := range m.of {
			if of == k {
				c.all[k].targets = append(c.all[k].targets, t)
			}
		}
	}
	c.see = c.seeBySamples
	return c.run()
}

// tooFewSamples returns the reason why there are no intervals.
func tooFewSamples(n int) string {
	return fmt.Sprintf("Samples = %d: must be at least %d", n, leastSamples)
}

// seeBySamples has l see its rows, with leverages by samples of the posterior.
func (c *calibrator) seeBySamples() error {
	var predicted, features mat.Dense
	return c.l.rows.each(c.l.chunk(), func(lo int, p part) error {
		predicted.Reset()
		features.Reset()
		c.m.PredictTo(&predicted, p.x)
		c.m.phi.TransformTo(&features, p.x)
		residuals := predicted.RawMatrix()
		for i := range residuals.Rows {
			c.m.center(features.RawRowView(i))
			for t, v := range vector(p.y, i) {
				vector(residuals, i)[t] = v - vector(residuals, i)[t]
			}
		}
		leverages := make([]float64, residuals.Rows)
		for k := range c.all {
			c.m.squaredNorms(leverages, features.RawMatrix(), k)
			for i, h := range leverages {
				if c.m.mean != nil {
					h += 1 / c.l.e.Weight
				}
				leverages[i] = min(h*c.fit(lo+i), mostLeverage)
			}
			c.l.seen.add(lo, k, c.all[k].targets, residuals, leverages)
		}
		return nil
	})
}
