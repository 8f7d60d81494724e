// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Figure3 measures how well random features estimate two kernels of images, as in Figure 3
// of Daniely, Frostig, Gupta and Singer 2017:
//
//	go run ./examples/figure3 -data folder -csv figure3.csv
//
// The folder has images of CIFAR-10, 2000 in cifar10_train4000_a.bin.gz, in its binary
// version. The program in examples/figures draws the panels from figure3.csv.
//
// The shallow kernel is exp((ρ−1)/4), ρ the mean over 24·24·3 inputs of the inner products of
// points of the circle. The deep one has that function for windows of 5×5 pixels, 2 apart,
// and above it the dual of ReLU, for windows of 4×4 places, 2 apart, and then for all. RFS is
// the paper's scheme: merged random features of the skeleton. The baselines use that
// exp((ρ−1)/4) is a Gaussian kernel: RR are Rahimi and Recht's features, RFS+RR are random
// features of the skeleton down to the windows and Rahimi and Recht's there. Ten times 128
// images are drawn, a map of each kind, and all 128² pairs of images compared. Methods are set
// side by side at the same number of columns: what is left of the draws when equal ones are
// merged, with two columns for each draw that is not real.
//
// The paper finds RFS better in every comparison. So it is here for the deep kernel, and for
// the shallow one from 1000 columns on. With 100 or 316 columns of the shallow kernel the mean
// and the RMS error do not tell the two apart, and the exact variances put RR ahead by four
// and two per cent. One draw of RFS has a variance 4.7 times that of a draw of RR; but e^{−¼},
// 78 per cent, of RFS's draws are the constant and are merged into one column, so that
// columns stand for some 4.5 times as many draws. That makes up for nearly all of it, and for
// more once there are so many columns that the draws of one input, of which 1728 differ, are
// merged too. Much of RFS's error is the error of the constant's weight, common to all pairs:
// that is why its correlation is better at every size, and why the errors of ten maps are as
// much as a fifth off the prediction.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

const seed = 1

// A plan says how much to compute.
type plan struct {
	repeats int
	batch   int   // images of a repeat
	sizes   []int // columns of the maps
}

// full is the plan of the program. Repeats and batch are the paper's.
var full = plan{repeats: 10, batch: 128, sizes: []int{100, 316, 1000, 3162, 10000, 31622}}

func main() {
	log.SetFlags(0)
	log.SetPrefix("figure3: ")
	folder := flag.String("data", "", "folder with cifar10_train4000_a.bin.gz")
	file := flag.String("csv", "", "file to write the tables to as comma-separated values")
	p := full
	flag.IntVar(&p.repeats, "repeats", p.repeats, "batches of images, and maps of each kind")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if p.repeats < 1 {
		log.Fatalf("-repeats %d: must be at least 1", p.repeats)
	}
	m, err := load(*folder)
	if err != nil {
		log.Fatalf("-data: %v", err)
	}
	// On a terminal the next step overwrites what is shown of the progress.
	show := func(doing string) { fmt.Fprintln(os.Stderr, doing) }
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		show = func(doing string) { fmt.Fprintf(os.Stderr, "%-60s\r", doing) }
	}
	tables, err := run(os.Stdout, show, m, p)
	if err != nil {
		log.Fatal(err)
	}
	if *file == "" {
		return
	}
	if err := writeCSV(*file, tables); err != nil {
		log.Fatal(err)
	}
}

// run writes a table for each setting to out, shows what it is doing meanwhile, and returns
// the tables.
func run(out io.Writer, show func(doing string), m images, p plan) ([]table, error) {
	fmt.Fprintf(out, "%d batches of %d of %d images of CIFAR-10, %d×%d pixels; seed %d.\n", p.repeats, p.batch, m.len(), side, side, seed)
	var tables []table
	for _, setting := range settings() {
		t, err := setting.run(show, m, p)
		if err != nil {
			return nil, err
		}
		t.print(out)
		tables = append(tables, t)
	}
	return tables, nil
}

// run measures the methods of a setting.
func (t setting) run(show func(doing string), m images, p plan) (table, error) {
	result := table{t.name, make([][2]row, len(p.sizes))}
	for i, method := range t.methods {
		for j, size := range p.sizes {
			show(fmt.Sprintf("%s, %s: draws for %d columns …", t.name, method.name, size))
			draws, err := method.drawsFor(size)
			if err != nil {
				return table{}, err
			}
			result.rows[j][i] = row{method: method.name, size: size, draws: draws}
		}
	}
	kernel, err := t.kernel.Kernel()
	if err != nil {
		return table{}, err
	}
	s := featuremap.NewSampler(seed)
	for repeat := range p.repeats {
		show(fmt.Sprintf("%s: repeat %d of %d …", t.name, repeat+1, p.repeats))
		x := m.batch(p.batch, s)
		var exact mat.SymDense
		featuremap.Gram(&exact, kernel, x)
		for i, method := range t.methods {
			points := method.points(x)
			var ofOneDraw float64
			for j := range result.rows {
				row := &result.rows[j][i]
				phi, err := method.draw(row.draws, s)
				if err != nil {
					return table{}, err
				}
				if j == 0 {
					ofOneDraw = meanVariance(phi, points) * float64(row.draws)
				}
				row.maps = append(row.maps, measure(phi, points, &exact))
				row.squares = append(row.squares, ofOneDraw/float64(row.draws))
			}
		}
	}
	return result, nil
}
