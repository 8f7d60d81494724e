// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// folds is the number of splits of a set.
const folds = 10

// A source is a data set.
type source struct {
	name     string
	embedded bool // it is in the program
	masked   bool // a file has its splits
	read     func(folder string) (*sets.Set, error)
}

// uci returns a source of the Gaussian process papers.
func uci(name string) source {
	return source{name, false, true, func(folder string) (*sets.Set, error) {
		rows, err := table(filepath.Join(folder, "uci", name+".csv.gz"))
		if err != nil {
			return nil, err
		}
		d := len(rows[0]) - 1
		if d == 0 {
			return nil, errors.New("one column")
		}
		s := &sets.Set{Name: name, X: mat.NewDense(len(rows), d, nil), Target: mat.NewDense(len(rows), 1, nil)}
		for i, row := range rows {
			s.X.SetRow(i, row[:d])
			s.Target.Set(i, 0, row[d])
		}
		return s, nil
	}}
}

// embedded returns a source that is in the program.
func embedded(name string, load func() (*sets.Set, error)) source {
	return source{name, true, false, func(string) (*sets.Set, error) { return load() }}
}

// sources are the data sets: first the regressions, then those of classes, each from few rows to many.
var sources = []source{
	uci("servo"), uci("yacht"), uci("autompg"), uci("forest"), uci("stock"), uci("energy"), uci("concrete"), uci("airfoil"), uci("wine"),
	uci("skillcraft"), uci("sml"),
	{"cpu_act", false, false, sets.CPUAct},
	uci("pol"), uci("bike"),
	{"cal_housing", false, false, sets.CalHousing},
	uci("kin40k"),
	embedded("digits", sets.Digits),
	embedded("spambase", sets.Spambase),
	{"satellite", false, false, sets.Satellite},
	embedded("pendigits", sets.Pendigits),
	embedded("nursery", sets.Nursery),
	embedded("letter", sets.Letter),
	{"a9a", false, false, sets.Adult},
}

// names returns the names of all sources.
func names() []string {
	var all []string
	for _, s := range sources {
		all = append(all, s.name)
	}
	return all
}

// load returns the set and, for each row, the splits in which it is a test row.
func (s source) load(folder string) (*sets.Set, [][folds]bool, error) {
	set, err := s.read(folder)
	if err != nil {
		return nil, nil, err
	}
	if !s.masked {
		mask := make([][folds]bool, set.Len())
		for i := range mask {
			mask[i][fold(i)] = true
		}
		return set, mask, nil
	}
	rows, err := table(filepath.Join(folder, "uci", s.name+".mask.csv.gz"))
	if err != nil {
		return nil, nil, err
	}
	mask, err := parseMask(rows, set.Len())
	return set, mask, err
}

// parseMask returns the mask of a set of n rows: 1 where a row is a test row, 0 elsewhere, a column for each split.
func parseMask(rows [][]float64, n int) ([][folds]bool, error) {
	if len(rows) != n || len(rows[0]) != folds {
		return nil, fmt.Errorf("a mask of %d × %d for %d rows and %d splits", len(rows), len(rows[0]), n, folds)
	}
	mask := make([][folds]bool, n)
	for i, row := range rows {
		for j, v := range row {
			if v != 0 && v != 1 {
				return nil, fmt.Errorf("row %d of the mask has %v", i+1, v)
			}
			mask[i][j] = v == 1
		}
	}
	return mask, nil
}

// fold returns the split in which a row is a test row, for a set without a mask: a tenth of the rows each, by the
// splitmix64 of the number.
func fold(row int) int {
	z := uint64(row+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % folds)
}

// table reads a gzipped file of numbers between commas. It has at least one row. Errors name the file.
func table(path string) (rows [][]float64, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return parse(z)
}

// parse parses numbers between commas.
func parse(r io.Reader) ([][]float64, error) {
	c := csv.NewReader(r)
	c.ReuseRecord = true
	var rows [][]float64
	for {
		record, err := c.Read()
		switch {
		case err == io.EOF && rows != nil:
			return rows, nil
		case err == io.EOF:
			return nil, errors.New("no rows")
		case err != nil:
			return nil, err
		}
		row := make([]float64, len(record))
		for j, field := range record {
			if row[j], err = strconv.ParseFloat(field, 64); err != nil {
				return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
			}
		}
		rows = append(rows, row)
	}
}
