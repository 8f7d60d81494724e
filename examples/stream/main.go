// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stream fits a Gaussian process to more rows than fit in memory: a million rows of 64 coordinates from a generator, in
// tens of megabytes.
//
// A ridge.Accumulator takes the rows batch by batch and keeps sums of products of their features, D² numbers however
// many rows there are. The program shows the number of rows, the speed, and the heap of the process. It then fits, and
// tests the model on fresh rows: it prints the error next to the noise of the targets, and the share of targets within
// two standard deviations.
//
//	go run ./examples/stream -rows 1000000
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Stream fits a Gaussian process to more rows than fit in memory.

Rows come from a generator, 5000 at a time. A line for each tenth of them says how many are in, how many
come in a second, and how many megabytes the program's heap has taken from the system so far. Look at that
last column: it does not grow. Then, on fresh rows, compare the error with the noise of the targets,
0.1, and look at the share of targets within two standard deviations: 95 % if the error bars are right.

`

const (
	seed = 1
	dim  = 64

	// batch is the number of rows in memory at a time.
	batch = 5000

	// noise is the standard deviation of the noise of the targets.
	noise = 0.1
)

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 200_000, "the `number` of rows to learn from")
	features := flag.Int("features", 1000, "the largest `number` of features")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, *rows, *features); err != nil {
		log.Fatal(err)
	}
}

// run learns from a number of rows, and writes the results to out.
func run(out io.Writer, rows, features int) error {
	g := &generator{featuremap.NewSampler(seed)}
	x, y := mat.NewDense(batch, dim, nil), mat.NewDense(batch, 1, nil)
	g.fill(x, y)

	// An additive model: the kernel is a sum of Gaussian kernels of two coordinates each.
	var pairs []featuremap.Kernel
	for j := 0; j < dim; j += 2 {
		pairs = append(pairs, featuremap.Select([]int{j, j + 1}, featuremap.Gaussian{LengthScale: 1}))
	}
	plan, err := featuremap.NewPlan(featuremap.Sum(pairs...), nil, features, &featuremap.PlanOptions{In: dim})
	if err != nil {
		return err
	}
	phi, err := plan.Draw(featuremap.NewSampler(seed))
	if err != nil {
		return err
	}
	_, columns := phi.Dims()
	fmt.Fprintf(out, "%d rows of %d coordinates, %d at a time; %d features.\n\n", rows, dim, batch, columns)
	fmt.Fprintln(out, "      rows  rows a second   heap, MB")

	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		return err
	}
	start := time.Now()
	for shown := 0; a.Rows() < rows; g.fill(x, y) {
		n := min(batch, rows-a.Rows())
		if err := a.Add(x.Slice(0, n, 0, dim), y.Slice(0, n, 0, 1)); err != nil {
			return err
		}
		if 10*a.Rows()/rows > shown {
			shown = 10 * a.Rows() / rows
			fmt.Fprintf(out, "%10d  %13.0f  %9.0f\n", a.Rows(), float64(a.Rows())/time.Since(start).Seconds(), heap())
		}
	}
	fitting := time.Now()
	m, err := a.Fit(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nFit, λ = %.2g chosen among 13 by the evidence: %.2f s, heap %.0f MB.\n", m.Lambda()[0], time.Since(fitting).Seconds(), heap())

	g.fill(x, y)
	rmse, inside := check(m, x, y)
	fmt.Fprintf(out, "On %d fresh rows: root mean square error %.4f; the noise is %v, the model says %.4f;\n", batch, rmse, noise, math.Sqrt(m.NoiseVariance()[0]))
	fmt.Fprintf(out, "%.1f %% of the targets are within two standard deviations (95.4 %% if all is right).\n", 100*inside)
	return nil
}

// heap returns the memory that the heap has taken from the system so far, in megabytes.
func heap() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapSys) / 1e6
}

// check returns the root mean squared error of the predictions, and the share of targets within two standard deviations
// of them, noise included.
func check(m *ridge.Model, x, y *mat.Dense) (rmse, inside float64) {
	var mean, sd mat.Dense
	m.PredictTo(&mean, x)
	m.StdDevTo(&sd, x)
	n, _ := x.Dims()
	for i := range n {
		e := mean.At(i, 0) - y.At(i, 0)
		rmse += e * e
		if math.Abs(e) < 2*sd.At(i, 0) {
			inside++
		}
	}
	return math.Sqrt(rmse / float64(n)), inside / float64(n)
}

// A generator makes rows: normal coordinates, and a sum of waves in two of them each, plus noise.
type generator struct{ s *featuremap.Sampler }

// fill replaces all rows by new ones.
func (g *generator) fill(x, y *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		g.s.FillNormal(row)
		target := noise * g.s.Normal()
		for j := 0; j < dim; j += 2 {
			target += math.Sin(row[j]+row[j+1]) / 4
		}
		y.Set(i, 0, target)
	}
}
