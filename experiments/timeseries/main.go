// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Timeseries classifies the sets of the UCR archive by MiniRocket, by Hydra and by both, and compares the accuracies
// with published ones.
//
//	go -C experiments run ./timeseries -data DIR
//
// DIR contains NAME_TRAIN.tsv.gz and NAME_TEST.tsv.gz of each set, or a folder ucr of them, and perhaps anchors.csv.
// Without it the program generates series.
package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const title = "Time series by random convolutions"

const meaning = `Each set of the UCR archive has its standard split into training and test rows. Models are ridge regressions on
ridge.Labels, with the default λ. Accuracies are means over seeds of the maps.

rows, length   training rows; values of a series
MiniRocket     accuracy with 9,996 features
Hydra          accuracy with 1,024 features for each of its dilations
both           accuracy with the features of both
published      accuracy of the authors' programs on the same split, from anchors.csv
seconds        of wall-clock time, for one seed: to make the MiniRocket, fit, and classify all test rows; and for both

The last line shows the means over all sets. Look there first.`

// A scope says how much to compute.
type scope struct {
	data     string // folder of the sets, or ""
	seeds    int
	features int // of MiniRocket
	sets     int // the shortest series first; 0: all
}

// quick makes the scope that of -quick.
func (size *scope) quick() { size.seeds, size.features, size.sets = 1, 420, 1 }

func main() {
	size := scope{seeds: 3, features: 9996}
	file := ""
	flags := program.NewFlags("timeseries", title+".\n\n"+meaning+"\n")
	flags.StringVar(&size.data, "data", "", "`folder` with NAME_TRAIN.tsv.gz and NAME_TEST.tsv.gz, or with a folder ucr of them")
	flags.AtLeast(1, &size.seeds, "seeds", "`number` of maps of each kind, with different seeds")
	flags.CSV(&file, "`file` to write the figures to as comma-separated values")
	flags.Quick(size.quick, "one seed, the set of the shortest series, and 420 features of MiniRocket")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		results, err := run(w, show, size)
		if err != nil {
			return err
		}
		return program.WriteCSV(file, records(results))
	})
}

// run writes the table to w, shows what it is doing meanwhile, and returns the figures.
func run(w io.Writer, show func(doing string), size scope) ([]result, error) {
	fmt.Fprintf(w, "# %s\n\n%s\n\n", title, meaning)
	sources, err := find(size)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "Sets: %d; seeds: %d; features of MiniRocket: %d. %s on %s/%s, %d threads.\n\n", len(sources), size.seeds, size.features, runtime.Version(),
		runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	var all []result
	for _, of := range sources {
		show(of.name)
		set, err := of.load()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.name, err)
		}
		r, err := measure(set, size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.name, err)
		}
		all = append(all, r)
	}
	printTable(w, all)
	return all, nil
}
