// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Fittime compares the time, memory and error of exact kernel ridge regression with those of ridge
// regression on random features, against the number of rows:
//
//	go -C experiments run ./fittime -data DIR -csv fittime.csv
//
// Rows are generated, so there are any number of them: Friedman's function of 10 coordinates, with
// noise. With -data the values of houses are in a second group of tables, as far as there are rows.
// All methods have the same Gaussian kernel and the same λ, chosen from the first 1000 rows. So with
// more and more features a model approaches the exact one.
//
// Exact is the Cholesky factorization of the Gram matrix, n³/3 operations and n² numbers, by gonum
// and by the KernelRidge of scikit-learn, which uses LAPACK. A fit on D features samples the map,
// computes the features, n·D² operations for their sums and D³/3 for the factorization, and the
// weights. Both use all cores.
//
// Where to look: from some number of rows on, features with more rows give a lower error than an
// exact fit in the same time.
package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
)

const title = "Fits against the number of rows: exact kernel ridge regression and ridge regression on features"

const meaning = `The tables show seconds of wall-clock time, megabytes of memory in addition to the data, and the root
mean square error on test rows. A row is a number of training rows, a column is a method: the exact fits
of gonum and of scikit-learn, and fits on features, whose number is in the head. A dash is a fit that
would take too long, or too much memory. Look for the least error that each method reaches in a given
time.`

// A scope says how much to compute.
type scope struct {
	data     string       // folder of further data sets, or ""
	python   *peer.Python // nil without scikit-learn
	missing  error        // why
	rows     []int
	exact    [2]int // most rows of exact fits, by gonum and by scikit-learn
	features []int
	test     int // number of rows
	rounds   int
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.rows, size.exact, size.features, size.test, size.rounds = []int{250, 1000, 4000}, [2]int{1000, 1000}, []int{256, 1024}, 500, 1
}

func main() {
	size := scope{
		rows:  []int{250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000},
		exact: [2]int{4000, 16_000}, features: []int{1024, 4096}, test: 4000, rounds: 3,
	}
	file := ""
	flags := program.NewFlags("fittime", title+".\n\n"+meaning+"\n")
	flags.StringVar(&size.data, "data", "", "`folder` with cal_housing.csv.gz")
	flags.AtLeast(1, &size.rounds, "rounds", "`number` of rounds to take times in")
	flags.CSV(&file, "`file` to write the figures of the generated rows to as comma-separated values")
	flags.Python(&size.python, &size.missing)
	flags.Quick(size.quick, "up to 4000 rows, exact fits of up to 1000, and one round")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		results, err := run(w, show, size)
		if err != nil {
			return err
		}
		return program.WriteCSV(file, records(results))
	})
}

// run writes the tables to w, shows what it is doing meanwhile, and returns the results for the generated
// rows.
func run(w io.Writer, show func(doing string), size scope) ([]result, error) {
	all, err := load(size)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "# %s\n\n%s\n\n", title, meaning)
	fmt.Fprintf(w, "Figures are medians over rounds (%d), on %d cores.", size.rounds, runtime.GOMAXPROCS(0))
	if size.missing != nil {
		fmt.Fprintf(w, " The column of scikit-learn is left out:\n%v.\n", size.missing)
	} else {
		fmt.Fprintf(w, " The peer is\n%s.\n", size.python.Versions)
	}
	if size.data == "" {
		fmt.Fprintln(w, "Cal_housing is left out: it is not in the program, and -data names a folder with it.")
	}
	var drawn []result
	for i, p := range all {
		results, err := p.measure(show, size)
		if err != nil {
			return nil, err
		}
		p.print(w, results)
		if i == 0 {
			drawn = results
		}
	}
	return drawn, nil
}

// A result is the median of the fits of a method to a number of rows.
type result struct {
	method string
	rows   int
	fitted
}

// measure fits in turns by all methods, for each number of rows.
func (p *problem) measure(show func(doing string), size scope) ([]result, error) {
	methods := []method{{"exact, gonum", size.exact[0], p.exact}}
	if size.python != nil {
		process, err := p.start(size.python)
		if err != nil {
			return nil, err
		}
		defer process.Close()
		methods = append(methods, method{"exact, scikit-learn", size.exact[1], sklearn(process)})
	}
	for i := range methods {
		// An exact fit takes up to two matrices of float64; half of the memory is for others.
		methods[i].most = min(methods[i].most, int(math.Sqrt(float64(memory.Limit())/32)))
	}
	for _, number := range size.features {
		methods = append(methods, method{fmt.Sprintf("%d features", number), math.MaxInt, p.features(number)})
	}
	var results []result
	for _, rows := range p.rows {
		fits := make([][]fitted, len(methods))
		for round := range size.rounds {
			for i, m := range methods {
				if rows > m.most {
					continue
				}
				show(fmt.Sprintf("%s, %d rows, round %d: %s …", p.name, rows, round+1, m.name))
				f, err := m.fit(rows)
				if err != nil {
					return nil, fmt.Errorf("%s, %d rows, %s: %w", p.name, rows, m.name, err)
				}
				fits[i] = append(fits[i], f)
			}
		}
		for i, all := range fits {
			if all != nil {
				results = append(results, result{methods[i].name, rows, medians(all)})
			}
		}
	}
	return results, nil
}

// medians returns the median time, memory and error of fits.
func medians(fits []fitted) fitted {
	median := func(field func(f fitted) float64) float64 {
		var v []float64
		for _, f := range fits {
			v = append(v, field(f))
		}
		slices.Sort(v)
		return stat.Quantile(0.5, stat.Empirical, v, nil)
	}
	return fitted{
		median(func(f fitted) float64 { return f.seconds }),
		median(func(f fitted) float64 { return f.megabytes }),
		median(func(f fitted) float64 { return f.error }),
	}
}
