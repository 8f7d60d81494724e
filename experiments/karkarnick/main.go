// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Karkarnick repeats Table 1 of P. Kar and H. Karnick, Random feature maps for dot product kernels, AISTATS 2012.
// It measures the accuracy of a linear classifier on random features, compared with the exact kernel, for the
// kernels (1 + ⟨x, y⟩)¹⁰ and exp(⟨x, y⟩/σ²). The data are messages that may be spam, applications to a nursery
// school, and people of a census (Spambase, Nursery and Adult).
//
//	go -C experiments run ./karkarnick -data DIR
//
// reads Adult from DIR; the others are in the program, and without -data it uses only these.
//
// Random features are theirs: the degree of each has a geometric distribution. H0/1 is their heuristic that
// computes degrees 0 and 1 of the kernel exactly, and only has random features of the degrees above. The other
// lines of the main table are what this library would do with as many columns.
//
// Their table does not say how data were scaled, nor which of Nursery's five ranks were distinguished. A second
// table shows the forms that they may have used. See docs/evidence/karkarnick.md for the results.
package main

import (
	"fmt"
	"io"
	"math"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const usage = `Karkarnick repeats Table 1 of Kar and Karnick, Random feature maps for dot product kernels, AISTATS 2012.

It prints three tables in Markdown. In the first a line is a kernel on a data set with the features of one
method: their number (columns), the error of the kernel that variances predict before any feature is computed,
relative to the kernel's root mean square, the accuracy in percent (mean and standard deviation over random
splits), and the accuracy that Kar and Karnick published. The second shows other forms of the data and another
loss, the third the exact kernel by the number of points. Look at "ours − theirs": the aim is 1.5 at most.
`

// A scope says how much to compute.
type scope struct {
	data   string // folder of Adult, or ""
	splits int    // of each data set into training points and test points
	train  int    // points to train on, at most
	exact  int    // of these, for the exact kernel
	test   int    // points to test, at most
}

// mostTrain is the largest number of points to train on, as in Kar and Karnick's experiments.
const mostTrain = 20000

func main() {
	size := scope{splits: 5, train: mostTrain, exact: 8000, test: math.MaxInt}
	flags := program.NewFlags("karkarnick", usage)
	flags.StringVar(&size.data, "data", "", "`folder` with a9a.libsvm.gz and a9a.t.libsvm.gz, which are Adult")
	flags.AtLeast(1, &size.splits, "splits", "`number` of random splits of each data set")
	flags.AtLeast(8, &size.exact, "exact", "largest `number` of points that the exact kernel is trained on")
	flags.Quick(size.quick, "one split, 400 training points, 1000 test points")
	flags.Main(func(w io.Writer, show func(doing string)) error { return run(w, show, size) })
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.splits, size.train, size.exact, size.test = 1, 400, 400, 1000
}

// run loads the problems and writes the report to w, and shows what it is doing meanwhile.
func run(w io.Writer, show func(doing string), size scope) error {
	show("reading the data …")
	chosen, others, err := load(size.data)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "Kar and Karnick's Table 1 (AISTATS 2012), repeated. Accuracies are in percent.")
	if size.data == "" {
		fmt.Fprintln(w, "Without -data Adult is left out: its license does not allow a copy in the program.")
	}
	if size.train < mostTrain {
		fmt.Fprintln(w, "With -quick there are too few points to compare with theirs.")
	}
	return report(w, show, chosen, others, size)
}

// report writes the tables.
func report(w io.Writer, show func(doing string), chosen, others []*problem, size scope) error {
	fmt.Fprintln(w, "\nThe accuracy of each method; ± is the standard deviation over the splits.")
	for _, p := range chosen {
		n := min(p.Len()*6/10, size.train)
		fmt.Fprintf(w, "%s: %d training points, %d of them with the exact kernel, and %d test points; splits: %d.\n",
			p.Name, n, min(n, size.exact), min(p.Len()-n, size.test), size.splits)
		fmt.Fprintf(w, "  Class 1 is %s. Numbers: %s.\n", p.classes, p.coding.name)
	}
	fmt.Fprintln(w)
	if err := mainTable(w, show, chosen, size); err != nil {
		return err
	}
	less := size
	less.exact /= 2
	fmt.Fprintln(w, "\nOther forms of the data, and another loss: the first kernel, the first split, exact kernels of at most")
	fmt.Fprintf(w, "%d points.\n\n", less.exact)
	if err := formTable(w, show, chosen, others, less); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nThe exact kernel by the number of training points: the first kernel, the first split.")
	fmt.Fprintln(w)
	return rowsTable(w, show, chosen, size)
}
