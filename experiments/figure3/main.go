// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Figure3 measures how well random features estimate two kernels of images, as in Figure 3 of
// Daniely, Frostig, Gupta and Singer 2017:
//
//	go -C experiments run ./figure3 -data DIR
//
// DIR contains images of CIFAR-10, 2000 in cifar10_train4000_a.bin.gz, in its binary version.
// Without -data the program uses the embedded handwritten digits, enlarged.
//
//	go -C experiments run ./figures -picture figure3 -data DIR
//
// runs this program and draws the panels.
//
// The shallow kernel is exp((ρ−1)/4), where ρ is the mean over 24·24·3 inputs of the inner products
// of points of the circle. The deep kernel has this function for windows of 5×5 pixels, 2 apart,
// and above it the dual of ReLU, for windows of 4×4 places, 2 apart, and then for all. RFS is the
// paper's scheme: merged random features of the skeleton. The baselines use that exp((ρ−1)/4) is a
// Gaussian kernel: RR are Rahimi and Recht's features, and RFS+RR are random features of the
// skeleton down to the windows, with Rahimi and Recht's features there.
//
// The program samples ten times 128 images and a map of each kind, and compares all 128² pairs of
// images. Methods are compared at the same number of columns: what remains of the samples when
// equal ones are merged, with two columns for each sample that is not real.
//
// The paper finds RFS better in every comparison. Here RFS is better for the deep kernel, and for
// the shallow one from 1000 columns on. With 100 or 316 columns of the shallow kernel the mean and
// the RMS error do not separate the two, and by the exact variances RR is better by four and two
// percent.
//
// One sample of RFS has 4.7 times the variance of a sample of RR. But e^{−¼}, 78 %, of RFS's
// samples are the constant and are merged into one column, so columns stand for about 4.5 times as
// many samples. This makes up for nearly all of the difference. It makes up for more of it when
// there are so many columns that samples of one input, of which 1728 differ, are merged too. Much
// of RFS's error is the error of the constant's weight, which all pairs share. This is why its
// correlation is better at every size, and why the errors of ten maps differ by up to a fifth from
// the prediction.
package main

import (
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const usage = `Figure 3 of Daniely, Frostig, Gupta and Singer 2017: how well random features estimate two kernels
of images. There is a table for the shallow and one for the deep kernel. Each has two methods in
turn, with about the same number of features: the paper's (RFS), and its baseline (RR or RFS+RR).

  features       number of features of a map, the mean over the maps
  samples        random samples of a map; equal ones are merged to one feature
  mean error     mean absolute difference of estimate and kernel over all pairs of images of a batch
  RMS error      root mean square of these differences; predicted is the same from exact variances
  maximal error  the largest of these differences
  correlation    of estimates and kernel values

Look at the ratios in the second table of a kernel: below 1 the paper's method is better. The paper,
whose Figure 3 has curves and no numbers, finds it better in every comparison.
`

const seed = 1

// A plan says how much to compute.
type plan struct {
	repeats int
	batch   int   // images of a repeat
	sizes   []int // columns of the maps
}

// full is the plan of the program. Repeats and batch are as in the paper.
var full = plan{repeats: 10, batch: 128, sizes: []int{100, 316, 1000, 3162, 10000, 31622}}

// quick makes the plan that of -quick.
func (p *plan) quick() { *p = plan{repeats: min(p.repeats, 2), batch: 32, sizes: p.sizes[:3]} }

func main() {
	p, file := full, ""
	flags := program.NewFlags("figure3", usage)
	folder := flags.String("data", "", "`folder` with cifar10_train4000_a.bin.gz; without it the images are digits")
	flags.CSV(&file, "`file` to write the tables to as comma-separated values")
	flags.AtLeast(1, &p.repeats, "repeats", "`number` of batches of images, and of maps of each kind")
	flags.Quick(p.quick, "two batches of 32 images and the three smallest sizes of maps")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		c, err := load(*folder)
		if err != nil {
			return fmt.Errorf("-data: %w", err)
		}
		tables, err := run(w, show, c, p)
		if err != nil {
			return err
		}
		return program.WriteCSV(file, records(c.name, tables))
	})
}

// run writes a table for each setting to out, shows what it is doing meanwhile, and returns
// the tables.
func run(out io.Writer, show func(doing string), c collection, p plan) ([]table, error) {
	fmt.Fprint(out, usage)
	fmt.Fprintf(out, "\n%s: %d batches of %d of %d images, %d×%d pixels of three colors; seed %d.\n", c.name, p.repeats, p.batch, len(c.images), side, side, seed)
	if c.name == "digits" {
		fmt.Fprintln(out, "The paper's images, CIFAR-10, are left out: they are not embedded, and need -data.")
	}
	var tables []table
	for _, setting := range settings() {
		t, err := setting.run(show, c, p)
		if err != nil {
			return nil, err
		}
		t.print(out)
		tables = append(tables, t)
	}
	return tables, nil
}

// run measures the methods of a setting.
func (t setting) run(show func(doing string), c collection, p plan) (table, error) {
	result := table{t.name, make([][2]row, len(p.sizes))}
	for i, method := range t.methods {
		for j, size := range p.sizes {
			show(fmt.Sprintf("%s, %s: samples for %d columns …", t.name, method.name, size))
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
		x := c.batch(p.batch, s)
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
