// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
)

const seed = 1

// A line is what came of a candidate.
type line struct {
	name                string
	columns             int
	predicted, measured float64 // root mean square errors
	doubt               float64 // relative standard error of the measured one
	micros              float64 // a row
}

// measure predicts and measures the error over all pairs of rows, whose exact kernel is given, and the time of a
// transform.
func (c candidate) measure(rows *mat.Dense, exact *mat.SymDense, of scope) (line, error) {
	l := line{name: c.name}
	squares := make([]float64, of.maps)
	for i := range squares {
		m, err := c.draw(featuremap.NewSampler(uint64(seed + i)))
		if err != nil {
			return line{}, err
		}
		if i == 0 {
			if l.predicted, err = predict(m, rows); err != nil {
				return line{}, err
			}
			if l.name == "" {
				l.name = "plan: " + describe(m)
			}
			_, l.columns = m.Dims()
			l.micros = micros(m, rows, of.calls)
		}
		squares[i] = squaredError(m, rows, exact)
	}
	mean := stat.Mean(squares, nil)
	l.measured = math.Sqrt(mean)
	// The relative error of a root is half that of its square. That of one map is unknown.
	l.doubt = stat.StdDev(squares, nil) / mean / math.Sqrt(float64(of.maps)) / 2
	return l, nil
}

// predict returns the error that the variance of a map predicts. None of the maps has a bias.
func predict(m featuremap.FeatureMap, rows *mat.Dense) (float64, error) {
	plan, err := featuremap.PlanOf(m)
	if err != nil {
		return 0, err
	}
	n, _ := rows.Dims()
	return math.Sqrt(meanOverPairs(n, func(i, j int) float64 {
		return plan.Variance(rows.RawRowView(i), rows.RawRowView(j))
	})), nil
}

// squaredError returns the mean squared error of a map.
func squaredError(m featuremap.FeatureMap, rows *mat.Dense, exact *mat.SymDense) float64 {
	var z mat.Dense
	m.TransformTo(&z, rows)
	n, _ := rows.Dims()
	return meanOverPairs(n, func(i, j int) float64 {
		e := floats.Dot(z.RawRowView(i), z.RawRowView(j)) - exact.At(i, j)
		return e * e
	})
}

// meanOverPairs returns the mean of f over pairs of different numbers below n.
func meanOverPairs(n int, f func(i, j int) float64) float64 {
	sums := make([]float64, n) // over pairs with smaller numbers: the mean does not depend on the goroutines
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				for j := range i {
					sums[i] += f(i, j)
				}
			}
		}()
	}
	wg.Wait()
	return floats.Sum(sums) / float64(n*(n-1)/2)
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

// describe returns what the features of a map are, without its kernel and dimensions.
func describe(m featuremap.FeatureMap) string {
	_, out := m.Dims()
	_, features, _ := strings.Cut(fmt.Sprint(m), fmt.Sprintf("→ R^%d", out))
	parts := strings.Split(strings.TrimPrefix(features, ", "), "\n\t")
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
