// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Bigd compares fits by conjugate gradients, which take any number of features, with direct fits, whose matrix limits
// the number: their test errors, time and memory.
//
//	go -C experiments run ./bigd -most 65536 -data DIR
//
// Two of the data sets are embedded in the program; MNIST, or another set in its format, is read from DIR.
//
// Where to look: the errors of both fits are alike, and decrease with the number of features. With four times as many
// features a direct fit takes 16 times as long, and one by conjugate gradients little more than 4 times.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const title = "More and more features"

const meaning = `There is a table for each data set, with a line for each number of features and each fit: direct, which is
ridge.Fit and chooses λ by the leave-one-out error, and iterative, which is ridge.FitIterative and chooses
it by a sample of the rows. Both have the same map, for a Gaussian kernel. Targets are 1 for the class and
−1 for the others; the class with the largest prediction is predicted.

wrong         error rate on the test rows
λ             the chosen λ
passes        passes over the rows, for the iterative fit
fit, s        seconds of CPU time
memory, MB    how much the heap grows during the fit, not counting the rows

Direct fits end at -direct features. They take about 9·D² bytes and n·D² operations.`

// A scope says how much to compute.
type scope struct {
	data   string // folder of MNIST, or ""
	least  int    // features
	most   int
	direct int // features of a direct fit, at most
	train  int // rows to train on, at most; 0: all
	test   int // test rows, at most
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.least, size.most, size.direct, size.train, size.test = 256, 1024, 1024, 1000, 500
}

func main() {
	size := scope{least: 1024, most: 4096, direct: 4096}
	file := ""
	flags := program.NewFlags("bigd", title+".\n\n"+meaning+"\n")
	flags.StringVar(&size.data, "data", "", "`folder` with the four files of MNIST, or of a set in its format")
	flags.AtLeast(2, &size.least, "least", "smallest `number` of features; four times as many follow")
	flags.AtLeast(2, &size.most, "most", "largest `number` of features")
	flags.AtLeast(0, &size.direct, "direct", "largest `number` of features of a direct fit")
	flags.CSV(&file, "`file` to write the figures to as comma-separated values")
	flags.Quick(size.quick, "256 and 1024 features, 1000 training rows")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		results, err := run(w, show, size)
		if err != nil {
			return err
		}
		return program.WriteCSV(file, records(results))
	})
}

// run writes the tables to w, shows what it is doing meanwhile, and returns the figures.
func run(w io.Writer, show func(doing string), size scope) ([]result, error) {
	fmt.Fprintf(w, "# %s\n\n%s\n\n", title, meaning)
	fmt.Fprintf(w, "%s on %s/%s, %d threads.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	var all []result
	for _, s := range sources {
		if s.folder && size.data == "" {
			fmt.Fprintf(w, "\nLeft out: %s, which is not in the program; -data names the folder that has it.\n", s.name)
			continue
		}
		p, err := s.problem(size)
		if s.folder && errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(w, "\nLeft out: %s: %v.\n", s.name, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		results, err := p.measure(show, size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		p.print(w, results)
		all = append(all, results...)
	}
	return all, nil
}
