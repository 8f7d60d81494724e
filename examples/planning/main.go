// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Planning asks a Plan how many features give a root mean square error, draws maps of that
// size, and measures: on handwritten digits and on messages, which are in the program, and with
//
//	go run ./examples/planning -data DIR
//
// on patches of 5×5 pixels of the CIFAR-10 images of DIR/cifar10_train4000_a.bin.gz, too. Columns
// are standardised and points scaled to norm 1; for the compositional kernel their coordinates are
// angles.
//
// The number of features follows from exact variances alone, before any feature is computed. The
// error measured is that of 50 maps: of a kernel with rare large features, such as exp(⟨x, y⟩),
// 50 maps may be lucky or not, by some per cent.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// points is the number of rows of each data set that the error is measured on.
const points = 150

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "folder with cifar10_train4000_a.bin.gz")
	maps := flag.Int("maps", 50, "number of maps to measure")
	flag.Parse()
	if err := run(os.Stdout, *data, *maps); err != nil {
		log.Fatal(err)
	}
}

// A set is some points.
type set struct {
	name string
	x    *mat.Dense
}

func run(w io.Writer, data string, maps int) error {
	digits, _, err := dataset.Digits()
	if err != nil {
		return err
	}
	spam, _, _, err := dataset.Spambase()
	if err != nil {
		return err
	}
	sets := []set{{"digits", firstRows(digits)}, {"Spambase", firstRows(spam)}}
	if data != "" {
		patches, err := readPatches(filepath.Join(data, "cifar10_train4000_a.bin.gz"), points)
		if err != nil {
			return err
		}
		sets = append(sets, set{"CIFAR patches", patches})
	}
	fmt.Fprintf(w, "%-14s %-14s %8s %9s %9s %7s\n", "data", "map", "asked", "features", "measured", "ratio")
	for _, s := range sets {
		for _, c := range cases(s.x) {
			_, in := c.x.Dims()
			plan, err := featuremap.NewPlan(c.k, in, most, &featuremap.PlanOptions{Points: c.x, RMSE: c.rmse})
			if err != nil {
				return err
			}
			_, n := plan.Dims()
			got, err := measure(plan, c.x, maps)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%-14s %-14s %8.4f %9d %9.4f %7.3f\n", s.name, c.name, c.rmse, n, got, got/c.rmse)
		}
	}
	return nil
}

// most is the largest number of features that a plan may have.
const most = 1 << 20

// A planned is a kernel on some points, with the error to plan for.
type planned struct {
	name string
	k    featuremap.Kernel
	x    *mat.Dense
	rmse float64
}

// cases returns the kernels on points, their columns standardised and then scaled to norm 1 or to
// angles.
func cases(x *mat.Dense) []planned {
	n, d := x.Dims()
	unit := mat.DenseCopyOf(x)
	column := make([]float64, n)
	for j := range d {
		mean, deviation := stat.MeanStdDev(mat.Col(column, j, x), nil)
		for i := range n {
			unit.Set(i, j, (x.At(i, j)-mean)/max(deviation, 1e-9))
		}
	}
	for i := range n {
		row := unit.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	angles := mat.DenseCopyOf(unit)
	angles.Scale(math.Sqrt(float64(d)), angles) // of about 1
	sk := featuremap.NewSkeleton(d)
	circles := make([]featuremap.Node, d)
	for c := range d {
		circles[c] = sk.Input(featuremap.Circle{}, c)
	}
	var windows []featuremap.Node
	for c := 0; c+5 <= d; c += 5 {
		windows = append(windows, sk.Unit(featuremap.ExpDual(0.5), circles[c:c+5]...))
	}
	sk.Unit(featuremap.ReLUDual{}, windows...)
	k, err := sk.Kernel()
	if err != nil {
		panic(err) // it has no input from outside
	}
	return []planned{
		{"Fourier", featuremap.Gaussian{LengthScale: 0.7}, unit, 0.02},
		{"Maclaurin", featuremap.Polynomial{Degree: 3, Scale: 0.5, Offset: 0.5}, unit, 0.015},
		{"Compositional", k, angles, 0.02},
	}
}

// firstRows returns a copy of the first points.
func firstRows(x *mat.Dense) *mat.Dense {
	_, d := x.Dims()
	return mat.DenseCopyOf(x.Slice(0, points, 0, d))
}

// measure returns the root mean square error of maps over all pairs of points.
func measure(p *featuremap.Plan, x *mat.Dense, maps int) (float64, error) {
	var exact mat.SymDense
	featuremap.Gram(&exact, p.Kernel(), x)
	n, _ := x.Dims()
	var sum float64
	for seed := range maps {
		m, err := p.Draw(featuremap.NewSampler(uint64(seed)))
		if err != nil {
			return 0, err
		}
		var z, gram mat.Dense
		m.TransformTo(&z, x)
		gram.Mul(&z, z.T())
		for i := range n {
			for j := range i {
				e := gram.At(i, j) - exact.At(i, j)
				sum += e * e
			}
		}
	}
	return math.Sqrt(sum / float64(maps) / float64(n*(n-1)/2)), nil
}
