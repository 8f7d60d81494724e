// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Errorbars fits a Gaussian process to a few observations of a function on a line, and writes what it predicts between them: the mean,
// its standard deviation, and functions drawn from the posterior. With -csv it writes the numbers to a file, to draw them.
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

const usage = `Errorbars fits 200 random features to 45 observations of a function on a line, none of which is between 4 and 6. Where there are
none the deviation of the function is large, and functions that are drawn from the posterior differ.

`

const (
	from, to = 0, 10
	noise    = 0.15 // deviation of the observations
	features = 200
)

func main() {
	log.SetFlags(0)
	functions := flag.Uint("functions", 6, "`number` of functions to draw")
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

// f is the function that is observed.
func f(x float64) float64 { return math.Sin(x) + 0.5*math.Sin(3.1*x) }

// observe returns observations at random places, but for a gap.
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

// run fits the observations, and writes a table to w and all numbers to a file, if any.
func run(w io.Writer, functions int, file string) error {
	s := featuremap.NewSampler(3)
	x, y := observe(s)
	learned, err := learn.Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, s, nil)
	if err != nil {
		return err
	}
	plan, err := featuremap.NewPlan(learned.Kernel, 1, features, &featuremap.PlanOptions{Points: x})
	if err != nil {
		return err
	}
	phi, err := plan.Draw(s)
	if err != nil {
		return err
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		return err
	}
	records := [][]string{{"kind", "number", "x", "value", "deviation"}}
	add := func(kind string, number int, x, value, deviation float64) {
		text := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		records = append(records, []string{kind, strconv.Itoa(number), text(x), text(value), text(deviation)})
	}
	for i := range x.RawMatrix().Rows {
		add("observation", 0, x.At(i, 0), y.At(i, 0), math.Sqrt(m.Noise()[0]))
	}
	drawn := make([]*ridge.Model, functions)
	for k := range drawn {
		drawn[k] = m.Sample(s)
	}
	fmt.Fprintf(w, "The kernel learned is %v.\nThe noise has the deviation %.2f, and the fit says %.2f.\n\n    x     f(x)  predicted\n", learned.Kernel, noise, math.Sqrt(m.Noise()[0]))
	const steps = 400
	for i := range steps + 1 {
		at := []float64{from + (to-from)*float64(i)/steps}
		mean, deviation := m.PredictVec(nil, at)[0], math.Sqrt(m.VarianceVec(nil, at)[0])
		add("function", 0, at[0], f(at[0]), 0)
		add("mean", 0, at[0], mean, deviation)
		for k, g := range drawn {
			add("sample", k+1, at[0], g.PredictVec(nil, at)[0], 0)
		}
		if i%(steps/10) == 0 {
			fmt.Fprintf(w, "%5.0f  %7.2f  %7.2f ± %.2f\n", at[0], f(at[0]), mean, deviation)
		}
	}
	if file == "" {
		return nil
	}
	return write(file, records)
}

// write writes records to a file, as comma-separated values.
func write(file string, records [][]string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(records), f.Close())
}
