// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Planning compares the map that NewPlan chooses with the maps that one would choose by hand, with
// as many columns, for six kernels on handwritten digits, messages and letters, which are in the
// program, and with
//
//	go -C experiments run ./planning -data DIR
//
// also on patches of 5×5 pixels of the CIFAR-10 images of DIR/cifar10_train4000_a.bin.gz. With
// -designs it compares the designs of Fourier maps: stratified radii, and Sobol frequencies.
//
// A table for each kernel lists the root mean square error that exact variances predict before any
// feature is computed, the measured error of some maps, and the time of a transform. The last
// sentences say in words what the tables of this run show.
//
// A ratio of measured to predicted error far below 1 is not a mistake if an error comes from rare
// large features: most maps err less than predicted, and a few far more.
package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const usage = `Planning compares the map that NewPlan chooses with the maps that one would choose by
hand: predicted errors, measured errors and times.

There is a table for each kernel and data set, with the plan's map first. Errors are root mean square
errors of the kernel over pairs of rows: predicted from exact variances, before any feature is computed,
and measured on some maps. µs is the time of a row. The sentences at the end say what the tables show.
`

// A scope says how much to compute.
type scope struct {
	data    string // folder of further data sets, or ""
	columns int    // of each map, at most
	maps    int    // maps to measure the error with
	points  int    // of each data set, at most
	calls   int    // calls to time
	designs bool   // the designs of Fourier maps instead of plans
}

func main() {
	size := scope{columns: 1024, maps: 10, points: math.MaxInt, calls: 25}
	flags := program.NewFlags("planning", usage)
	flags.StringVar(&size.data, "data", "", "`folder` with cifar10_train4000_a.bin.gz")
	flags.AtLeast(1, &size.maps, "maps", "`number` of maps to measure the error with")
	flags.AtLeast(2, &size.columns, "columns", "largest `number` of columns of a map")
	flags.Quick(size.quick, "100 points of each data set, and at most 3 maps")
	flags.BoolVar(&size.designs, "designs", false, "compare the designs of Fourier maps, with 1024 and 4096 columns, instead of plans")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		if size.designs {
			_, err := designs(w, show, size, []int{1024, 4096})
			return err
		}
		_, err := run(w, show, size)
		return err
	})
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.points, size.maps, size.calls = 100, min(size.maps, 3), 3
}

// run writes the tables to w, shows what it is doing meanwhile, and returns the tables.
func run(w io.Writer, show func(doing string), size scope) ([]table, error) {
	show("reading the data …")
	sets, err := load(size)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "Maps of at most %d columns. Errors are root mean squares over all pairs of %d rows of each data\n", size.columns, min(size.points, pairs.Rows))
	fmt.Fprintf(w, "set, evenly spread: predicted from exact variances, and measured with %d maps; the ratio comes with\n", size.maps)
	fmt.Fprintf(w, "its standard error. µs: the time of a row in a TransformTo of these rows on one goroutine, the median\n")
	fmt.Fprintf(w, "of %d calls. Columns are standardized; for ExpDot points are then scaled to norm 1.\n", size.calls)
	var tables []table
	for _, s := range sets {
		n, d := s.x.Dims()
		fmt.Fprintf(w, "\n%s: %d points of %d coordinates\n", s.name, n, d)
		cases, err := s.cases()
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			t, err := c.table(show, size)
			if err != nil {
				return nil, fmt.Errorf("%s, %v: %w", s.name, c.kernel, err)
			}
			t.print(w)
			tables = append(tables, t)
		}
	}
	fmt.Fprintf(w, "\n%s\n", wrap(strings.Join(words(tables), " ")))
	return tables, nil
}

// A table is the lines for a kernel on a data set, the plan's first.
type table struct {
	planned
	plan  *featuremap.Plan
	lines []line
	same  int // the number of columns with which a plan has the error of the best other line, if the plan is clearly better
}

// table plans, samples and measures.
func (c planned) table(show func(doing string), size scope) (table, error) {
	show(fmt.Sprintf("%s: %s …", c.data, c.name()))
	plan, err := featuremap.NewPlan(c.kernel, c.x, size.columns, nil)
	if err != nil {
		return table{}, err
	}
	t := table{planned: c, plan: plan}
	rows := pairs.Spread(c.x, pairs.Rows)
	var exact mat.SymDense
	featuremap.Gram(&exact, c.kernel, rows)
	for _, m := range append([]candidate{{draw: plan.Draw}}, c.byHand(size.columns)...) {
		l, err := m.measure(rows, &exact, size)
		if err != nil {
			return table{}, fmt.Errorf("%s: %w", m.name, err)
		}
		t.lines = append(t.lines, l)
	}
	if !t.wins() {
		return t, nil
	}
	least, err := featuremap.NewPlan(c.kernel, c.x, most, &featuremap.PlanOptions{RMSE: t.best().predicted})
	if err != nil {
		return table{}, err
	}
	_, t.same = least.Dims()
	return t, nil
}

// most is the largest number of columns of a plan for an error.
const most = 1 << 20
