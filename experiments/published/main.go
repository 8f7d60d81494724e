// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Published compares the errors of kernel approximations that others have published with those of
// this library, by the same protocol: the same data, kernel and number of columns, and the relative
// Frobenius error ‖K̂ − K‖/‖K‖ of the approximate kernel matrix. The two protocols are
//
//   - the Gaussian kernel on letter and Adult, with the median distance as length scale (Wacker, Kanagawa
//     and Filippone 2024, "Improved random features for dot product kernels"), and
//   - the Gaussian kernel and the kernel of a layer of ReLUs on letter (Munkhoeva, Kapushev, Burnaev and
//     Oseledets 2018, "Quadrature-based features for kernel approximation").
//
// Letter is in the program; for Adult
//
//	go -C experiments run ./published -data DIR
//
// reads DIR/a9a.libsvm.gz and DIR/a9a.t.libsvm.gz. The figures of a full run, and what is known of
// the protocols, are in docs/evidence/published.md.
package main

import (
	"fmt"
	"io"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const title = `Published errors of others, on the same data
`

const columns = `Errors of kernel approximations that others have published, compared with this library's by the same
protocol: Gaussian kernels (Wacker, Kanagawa and Filippone 2024) and quadrature features (Munkhoeva,
Kapushev, Burnaev and Oseledets 2018). All errors are relative, ‖K̂ − K‖/‖K‖ in the Frobenius norm, K the
exact kernel matrix. A line of a table is a kind of map with a number of real columns:

- published: the mean error in the authors' own result files;
- measured: the mean error over maps of this library, with its standard error;
- rms: the root of the mean squared error over the same maps;
- predicted: the same root by exact variances and biases, before any feature is computed;
- ratio: rms over predicted, with its standard error.

Where to look: compare the lines of NewPlan with the least published error for as many columns. The ratios
should be 1. "Up to degree 2" and Taylor polynomials have a bias; other maps do not.
`

const usage = title + "\n" + columns + "\nFlags:"

// A scope says how much to compute.
type scope struct {
	data string // folder of Adult, or ""
	maps int    // maps of each kind; twenty times as many for quadrature
	rows int    // of a kernel matrix, at most
}

func main() {
	size := scope{maps: 10, rows: 2000}
	flags := program.NewFlags("published", usage)
	flags.StringVar(&size.data, "data", "", "`folder` with a9a.libsvm.gz and a9a.t.libsvm.gz, which are Adult")
	flags.AtLeast(2, &size.maps, "maps", "`number` of maps of each kind, twenty times as many where kernel matrices are small")
	flags.AtLeast(2, &size.rows, "rows", "largest `number` of rows of a kernel matrix")
	flags.Quick(size.quick, "at most 120 rows and 3 maps")
	flags.Main(func(w io.Writer, show func(doing string)) error { return run(w, show, size) })
}

// quick makes the scope that of -quick.
func (size *scope) quick() { size.rows, size.maps = min(size.rows, 120), min(size.maps, 3) }

// run writes the tables to w, and shows what it is doing meanwhile.
func run(w io.Writer, show func(doing string), size scope) error {
	fmt.Fprintf(w, "# %s\n%s", title, columns)
	show("reading the data …")
	protocols, err := load(size)
	if err != nil {
		return err
	}
	for _, p := range protocols {
		t, err := p.table(show)
		if err != nil {
			return fmt.Errorf("%s: %w", p.title, err)
		}
		t.print(w)
	}
	if size.data == "" {
		fmt.Fprintln(w, "\nAdult is left out, since its data is not in the program: -data names a folder that has it.")
	}
	return nil
}
