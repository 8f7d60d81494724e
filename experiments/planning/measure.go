// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const seed = 1

// line is the result for a candidate.
type line struct {
	name                string
	columns             int
	predicted, measured float64 // root mean square errors
	doubt               float64 // relative standard error of the measured one
	micros              float64 // a row
}

// measure predicts and measures the error over all pairs of rows, whose exact kernel is given, and the time of a
// transform.
func (c candidate) measure(rows *mat.Dense, exact *mat.SymDense, size scope) (line, error) {
	l := line{name: c.name}
	squares := make([]float64, size.maps)
	for i := range squares {
		m, err := c.draw(featuremap.NewSampler(uint64(seed + i)))
		if err != nil {
			return line{}, err
		}
		if i == 0 {
			l.predicted = pairs.Predicted(m, rows)
			if l.name == "" {
				l.name = "plan: " + program.Features(m)
			}
			_, l.columns = m.Dims()
			l.micros = micros(m, rows, size.calls)
		}
		squares[i] = pairs.SquaredError(m, rows, exact)
	}
	l.measured, l.doubt = pairs.Root(squares)
	l.doubt /= l.measured
	return l, nil
}

// micros returns the microseconds that a row takes on one goroutine: the median of some calls, after one that
// is not timed.
func micros(m featuremap.FeatureMap, rows *mat.Dense, calls int) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	n, _ := rows.Dims()
	var z mat.Dense
	m.TransformTo(&z, rows)
	times := make([]float64, calls)
	for i := range times {
		start := time.Now()
		m.TransformTo(&z, rows)
		times[i] = float64(time.Since(start).Nanoseconds()) / 1e3 / float64(n)
	}
	slices.Sort(times)
	return times[calls/2]
}
