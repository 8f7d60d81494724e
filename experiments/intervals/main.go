// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Intervals compares the calibrated prediction intervals of ridge regression with Gaussian ones, on a line, where the
// noise is skewed and grows with x.
//
//	go -C experiments run ./intervals
//
// With -csv it writes the data for the program of experiments/figures.
package main

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Intervals compares the intervals of 90 % of Model.Interval with Gaussian ones, the mean ± 1.645 standard deviations, of the same fit.

The observations are sin x plus noise, for x from 0 to 10. The noise has an exponential distribution minus its mean, with standard deviation
.05 + x/10. "all", "first" and "last" are the shares of new observations within the intervals: of all, of those with x up to 2.5, and of those
with x from 7.5 on. "below" and "above" are the shares of all observations on either side, ideally 5 %; "length" is the mean length.
`

const (
	most     = 10 // of x
	level    = 0.9
	features = 60
)

// A scope says how much to compute.
type scope struct {
	rows, fresh int    // observations of the fit, and new ones
	csv         string // file for the picture, or ""
}

func main() {
	size := scope{rows: 500, fresh: 20_000}
	flags := program.NewFlags("intervals", usage)
	flags.AtLeast(32, &size.rows, "rows", "`number` of observations")
	flags.CSV(&size.csv, "`file` for the numbers of the picture")
	flags.Quick(func() { size.fresh = 2000 }, "2000 new observations")
	flags.Main(func(w io.Writer, _ func(doing string)) error { return run(w, size) })
}

// deviation returns the standard deviation of the noise at x.
func deviation(x float64) float64 { return 0.05 + x/10 }

// quantile returns a quantile of an observation at x.
func quantile(x, p float64) float64 { return math.Sin(x) + deviation(x)*(-math.Log(1-p)-1) }

// observe returns n observations.
func observe(s *featuremap.Sampler, n int) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		at := most * s.Float64()
		x.Set(i, 0, at)
		y.Set(i, 0, quantile(at, s.Float64()))
	}
	return x, y
}

// share describes how intervals do on new observations.
type share struct {
	method              string
	all, first, last    float64 // the shares within
	below, above, width float64
}

// run fits the observations, and writes a table to w and all numbers to a file, if any.
func run(w io.Writer, size scope) error {
	s := featuremap.NewSampler(7)
	x, y := observe(s, size.rows)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, 1, features, s, nil)
	if err != nil {
		return err
	}
	newX, newY := observe(s, size.fresh)
	var shares []share
	models := make(map[string]*ridge.Model)
	for _, method := range []string{"calibrated", "Gaussian"} {
		m, err := ridge.Fit(phi, x, y, &ridge.Options{Intervals: &ridge.IntervalOptions{Off: method == "Gaussian"}})
		if err != nil {
			return err
		}
		models[method] = m
		shares = append(shares, measure(method, m, newX, newY))
	}
	fmt.Fprintf(w, "%d observations, %d features, %d new observations\n\n", size.rows, features, size.fresh)
	names := []string{shares[0].method, shares[1].method}
	program.Table(w, []string{"intervals", "within", "first", "last", "below", "above", "length"}, names, func(i, j int) string {
		c := shares[i]
		if j == 5 {
			return fmt.Sprintf("%.2f", c.width)
		}
		return fmt.Sprintf("%.1f %%", 100*[]float64{c.all, c.first, c.last, c.below, c.above}[j])
	})
	return program.WriteCSV(size.csv, records(x, y, models, shares))
}

// intervals is what *ridge.Model implements.
type intervals interface {
	IntervalTo(lo, hi *mat.Dense, x mat.Matrix, level float64)
}

// measure returns how intervals do on new observations.
func measure(method string, m intervals, x, y *mat.Dense) share {
	var lo, hi mat.Dense
	m.IntervalTo(&lo, &hi, x, level)
	c := share{method: method}
	var first, last float64
	n, _ := x.Dims()
	for i := range n {
		v, in := y.At(i, 0), 0.0
		switch {
		case v < lo.At(i, 0):
			c.below++
		case v > hi.At(i, 0):
			c.above++
		default:
			in = 1
		}
		c.all += in
		c.width += hi.At(i, 0) - lo.At(i, 0)
		switch at := x.At(i, 0); {
		case at < most/4.:
			first++
			c.first += in
		case at >= 3*most/4.:
			last++
			c.last += in
		}
	}
	c.first, c.last = c.first/first, c.last/last
	for _, v := range []*float64{&c.all, &c.below, &c.above, &c.width} {
		*v /= float64(n)
	}
	return c
}

// records returns the observations, the shares, and at 401 places the prediction, the intervals and the quantiles of
// observations.
func records(x, y *mat.Dense, models map[string]*ridge.Model, shares []share) [][]string {
	all := [][]string{{"kind", "method", "x", "low", "high"}}
	add := func(kind, method string, x, low, high float64) {
		text := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		all = append(all, []string{kind, method, text(x), text(low), text(high)})
	}
	for i, v := range x.RawMatrix().Data {
		add("observation", "", v, y.At(i, 0), y.At(i, 0))
	}
	const steps = 400
	for i := range steps + 1 {
		at := most * float64(i) / steps
		add("quantile", "", at, quantile(at, (1-level)/2), quantile(at, (1+level)/2))
		for _, c := range shares {
			m := models[c.method]
			point := []float64{at}
			mean := m.PredictVec(nil, point)[0]
			lo, hi := m.Interval(point, level)
			add("mean", c.method, at, mean, mean)
			add("interval", c.method, at, lo[0], hi[0])
		}
	}
	for _, c := range shares {
		add("share", c.method, most/8., c.first, c.first) // in the middle of the quarter
		add("share", c.method, 7*most/8., c.last, c.last)
	}
	return all
}
