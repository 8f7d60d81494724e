// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Trees compares learn.Regression and learn.Classification, with default options, with gradient boosting, forests and
// other regressions of scikit-learn and XGBoost, row by row. The peers run once, on rows that this program writes:
//
//	cd experiments
//	go run ./trees -data DIR -export ROWS
//	python3 trees/peers.py ROWS PEERS
//	go run ./trees -data DIR -peers PEERS
//
// With -out LEARN the predictions of learn are kept, and with -baseline LEARN they are compared with those of another
// commit.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const title = "One call compared with gradient boosting and forests"

const meaning = `A line for each set. All methods have the same rows to train on and predict the same test rows, which learn has not
seen: they are not its Options.TestRows. Results are over all splits of a set together.

error      root mean square error, or log loss with the error rate; the best of a line is bold
z          in the columns of peers: by how many standard errors of the difference, row by row, learn is better (positive)
           or worse (negative) than the peer
covered    the share of targets within learn's intervals of 90 %, also in the quarter of the test rows that has the longest intervals,
           and in the quarter farthest from the mean of the training rows, in columns of standard deviation 1
s          seconds of CPU time for a split, from the rows to the predictions

The summary shows the ratio of errors, learn over the peer: its geometric mean, with the ratio of each set limited to 1/2 and 2, and
its median. It also counts the sets on which learn wins, ties, and loses, by one standard error of the difference and by two.

Where to look: the first lines have the lowest z. There learn loses.`

const how = `
The peers run once, on rows that this program writes, from the folder experiments:

    go run ./trees -data DIR -export ROWS
    python3 trees/peers.py ROWS PEERS
    go run ./trees -data DIR -peers PEERS

With -out LEARN the predictions of learn are kept, and with -baseline LEARN another version is compared with them.
`

// A scope says how much to compute.
type scope struct {
	data     string // folder of data sets, or ""
	only     string // names of sets, between commas; "" is all
	splits   string // numbers of splits, between commas
	rows     int    // to train on, at most
	export   string // folder for the rows, or ""
	peers    string // folder of predictions, or ""
	baseline string // folder of predictions of another learn, or ""
	out      string // folder for predictions of learn, or ""
	resume   bool   // use the predictions in out
	csv      string // file for the figures, or ""
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.only, size.splits, size.rows = "servo,digits", "0", 120
}

func main() {
	size := scope{splits: "0,1", rows: 10_000}
	flags := program.NewFlags("trees", title+".\n\n"+meaning+"\n"+how)
	flags.StringVar(&size.data, "data", "", "`folder` with uci/NAME.csv.gz and uci/NAME.mask.csv.gz, cal_housing, cpu_act, satellite and Adult (a9a)")
	flags.StringVar(&size.only, "sets", "", "`names` of the data sets to take, between commas; by default all: "+strings.Join(names(), ", "))
	flags.StringVar(&size.splits, "splits", size.splits, "`numbers` of the splits to take, 0 to 9, between commas")
	flags.AtLeast(10, &size.rows, "rows", "largest `number` of training rows")
	flags.StringVar(&size.export, "export", "", "`folder` to write the rows of all splits to, for peers.py, and nothing else")
	flags.StringVar(&size.peers, "peers", "", "`folder` of predictions that peers.py has written")
	flags.StringVar(&size.baseline, "baseline", "", "`folder` of predictions that another version of learn has written with -out: one more peer")
	flags.StringVar(&size.out, "out", "", "`folder` for the predictions of learn")
	flags.BoolVar(&size.resume, "resume", false, "use the predictions in the folder of -out, for example after an interruption, and do not learn these again")
	flags.CSV(&size.csv, "`file` for the figures")
	flags.Quick(size.quick, "two sets, or without -data one, with 120 training rows")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		lines, err := run(w, show, size)
		if err != nil {
			return err
		}
		return program.WriteCSV(size.csv, records(lines))
	})
}

// run measures all sets and writes the tables to w, or exports the rows. It returns the lines of the table.
func run(w io.Writer, show func(doing string), size scope) ([]*line, error) {
	chosen, err := choose(size.only)
	if err != nil {
		return nil, err
	}
	splits, err := numbers(size.splits)
	if err != nil {
		return nil, err
	}
	if size.resume && size.out == "" {
		return nil, errors.New("-resume: there is no -out to take predictions from")
	}
	for _, folder := range []string{size.export, size.out} {
		if folder != "" {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return nil, err
			}
		}
	}
	var lines []*line
	var left []string
	for _, s := range chosen {
		if !s.embedded && size.data == "" {
			left = append(left, s.name+" (-data names the folder that has it)")
			continue
		}
		l, notes, err := s.measure(show, size, splits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		left = append(left, notes...)
		if l != nil {
			show(l.String())
			lines = append(lines, l)
		}
	}
	if size.export == "" {
		fmt.Fprintf(w, "# %s\n\n%s\n\nSplits %s, at most %d training rows. %s on %s/%s.\n", title, meaning, size.splits, size.rows,
			runtime.Version(), runtime.GOOS, runtime.GOARCH)
		write(w, lines)
	}
	for _, note := range left {
		fmt.Fprintf(w, "\nLeft out: %s.\n", note)
	}
	return lines, nil
}

// choose returns the sources of these names, between commas, or all for "".
func choose(only string) ([]source, error) {
	if only == "" {
		return sources, nil
	}
	var chosen []source
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(sources, func(s source) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-sets: no set is called %q; there are %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, sources[i])
	}
	return chosen, nil
}

// numbers returns the numbers of splits in a text.
func numbers(text string) ([]int, error) {
	var splits []int
	for field := range strings.SplitSeq(text, ",") {
		v, err := strconv.Atoi(field)
		if err != nil || v < 0 || v >= folds || slices.Contains(splits, v) {
			return nil, fmt.Errorf("-splits %s: must be different numbers from 0 to %d", text, folds-1)
		}
		splits = append(splits, v)
	}
	return splits, nil
}
