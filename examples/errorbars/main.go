// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Errorbars fits a Gaussian process to 45 observations of a function on a line, and prints its predictions: the mean
// and its standard deviation. With -csv it writes more points, and samples from the posterior, to a file for plots.
//
//	go run ./examples/errorbars
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/learn"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Errorbars fits a Gaussian process with 200 random features to 45 observations of a function on a line. There are no
observations between 4 and 6. The standard deviation is large there, and samples from the posterior differ.

`

const (
	from, to = 0, 10
	noise    = 0.15 // standard deviation of the observations
	features = 200
)

func main() {
	log.SetFlags(0)
	functions := flag.Uint("functions", 6, "`number` of samples from the posterior, with -csv")
	file := flag.String("csv", "", "`file` for the numbers")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, int(*functions), *file); err != nil {
		log.Fatal(err)
	}
}

// f is the true function.
func f(x float64) float64 { return math.Sin(1.7*x) + 0.4*math.Cos(3.1*x) }

// observe returns noisy observations at random points, except in a gap.
func observe(s *featuremap.Sampler) (x, y *mat.Dense) {
	const n = 45
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		at := from + 8*s.Float64()
		if at > 4 {
			at += 2
		}
		x.Set(i, 0, at)
		y.Set(i, 0, f(at)+noise*s.Normal())
	}
	return x, y
}

// run fits the observations, and writes a table to w, and all numbers to a file if a name is given.
func run(w io.Writer, functions int, file string) error {
	s := featuremap.NewSampler(4)
	x, y := observe(s)
	m, kernel, err := fit(x, y, s)
	if err != nil {
		return err
	}
	p, err := m.Posterior()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "The kernel learned is %v.\n", kernel)
	fmt.Fprintf(w, "The noise has the standard deviation %.2f, and the fit estimates %.2f.\n\n", noise, math.Sqrt(m.NoiseVariance()[0]))
	fmt.Fprintf(w, "    x     f(x)  predicted\n")
	for at := from; at <= to; at++ {
		mean, deviation := predict(m, p, float64(at))
		fmt.Fprintf(w, "%5d  %7.2f  %7.2f ± %.2f\n", at, f(float64(at)), mean, deviation)
	}
	if file == "" {
		return nil
	}
	samples := make([]*ridge.Function, functions)
	random := featuremap.NewSampler(10)
	for k := range samples {
		if samples[k], err = p.Sample(random); err != nil {
			return err
		}
	}
	return write(file, records(x, y, m, p, samples))
}

// fit learns the length scale and the scale of a Matérn kernel, and fits random features of it.
func fit(x, y *mat.Dense, s *featuremap.Sampler) (*ridge.Model, featuremap.Kernel, error) {
	learned, err := learn.Kernel(featuremap.Matern{Nu: 2.5, LengthScale: 2}, x, y, nil)
	if err != nil {
		return nil, nil, err
	}
	phi, err := featuremap.New(learned.Kernel, x, features, s)
	if err != nil {
		return nil, nil, err
	}
	m, err := ridge.Fit(phi, x, y, nil)
	return m, learned.Kernel, err
}

// predict returns the mean of the function at x, and its standard deviation.
func predict(m *ridge.Model, p *ridge.Posterior, x float64) (mean, deviation float64) {
	at := []float64{x}
	return m.PredictVec(nil, at)[0], math.Sqrt(p.VarianceVec(nil, at)[0])
}

// records returns the observations, and, at 401 points, the function, its mean and standard deviation, and the samples.
func records(x, y *mat.Dense, m *ridge.Model, p *ridge.Posterior, samples []*ridge.Function) [][]string {
	all := [][]string{{"kind", "number", "x", "value", "standard deviation"}}
	add := func(kind string, number int, x, value, deviation float64) {
		text := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		all = append(all, []string{kind, strconv.Itoa(number), text(x), text(value), text(deviation)})
	}
	for i, v := range x.RawMatrix().Data {
		add("observation", 0, v, y.At(i, 0), math.Sqrt(m.NoiseVariance()[0]))
	}
	const steps = 400
	for i := range steps + 1 {
		at := from + (to-from)*float64(i)/steps
		mean, deviation := predict(m, p, at)
		add("function", 0, at, f(at), 0)
		add("mean", 0, at, mean, deviation)
		for k, g := range samples {
			add("sample", k+1, at, g.EvalVec(nil, []float64{at})[0], 0)
		}
	}
	return all
}

// write writes records to a file, as comma-separated values.
func write(file string, records [][]string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(records), f.Close())
}
