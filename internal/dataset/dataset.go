// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dataset holds small real data sets for examples and tests. Their sources and licenses are
// in its README.md. Each set is parsed once, at its first use. Every call returns a copy, which the
// caller may change.
package dataset

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/mat"
)

var (
	//go:embed digits8x8.csv.gz
	digitsFile []byte
	digits     = sync.OnceValues(func() (*table, error) { return read(digitsFile, 1) })

	//go:embed letter.csv.gz
	letterFile []byte
	letter     = sync.OnceValues(func() (*table, error) { return read(letterFile, 1) })

	//go:embed nursery.csv.gz
	nurseryFile []byte
	nursery     = sync.OnceValues(func() (*table, error) { return read(nurseryFile, 1) })

	//go:embed pendigits.csv.gz
	pendigitsFile []byte
	pendigits     = sync.OnceValues(func() (*table, error) { return read(pendigitsFile, 1) })

	//go:embed spambase.csv.gz
	spambaseFile []byte
	spambase     = sync.OnceValues(func() (*table, error) { return read(spambaseFile, 2) })
)

// Digits returns the 1797 handwritten digits: one row of 64 pixels each, from 0 to
// 16, and their classes, 0 to 9.
func Digits() (x *mat.Dense, class []int, err error) {
	t, err := digits()
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: digits: %w", err)
	}
	return mat.DenseCopyOf(t.x), slices.Clone(t.labels[0]), nil
}

// Letter returns 20000 pictures of capital letters: one row of 16 numbers each, from 0 to 15,
// and their classes, 0 for A to 25 for Z. Rows 0 to 15999 are to train on, as Frey and Slate
// did, and the last 4000 to test.
func Letter() (x *mat.Dense, class []int, err error) {
	t, err := letter()
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: letter: %w", err)
	}
	return mat.DenseCopyOf(t.x), slices.Clone(t.labels[0]), nil
}

// Nursery returns 12960 applications for a place in a nursery school: one row of 8 categories
// each, numbered from 0 in the order of README.md, and their ranks, 0 to 4. The numbers of
// categories are 3, 5, 4, 4, 3, 2, 3, 3, and the rows are all their combinations.
func Nursery() (x *mat.Dense, class []int, err error) {
	t, err := nursery()
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: nursery: %w", err)
	}
	return mat.DenseCopyOf(t.x), slices.Clone(t.labels[0]), nil
}

// Pendigits returns 10992 digits written on a tablet: one row of 16 numbers each, 8 points of the
// pen's path, x and y from 0 to 100, and their classes, 0 to 9. Rows 0 to 7493 are to train on, and
// the last 3498, by other writers, to test.
func Pendigits() (x *mat.Dense, class []int, err error) {
	t, err := pendigits()
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: pendigits: %w", err)
	}
	return mat.DenseCopyOf(t.x), slices.Clone(t.labels[0]), nil
}

// Spambase returns 4601 messages: one row of 57 numbers each, none negative, their
// classes, 1 for spam and 0 for other mail, and a flag, 1 for the 1536 test points of
// Hastie, Tibshirani and Friedman's "The elements of statistical learning" and 0 for
// the 3065 to train on. Columns 0 to 47 are the frequencies of words and 48 to 53 of
// characters, in percent; 54, 55 and 56 are the mean, the largest and the total
// length of the runs of capital letters.
func Spambase() (x *mat.Dense, class, test []int, err error) {
	t, err := spambase()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("dataset: spambase: %w", err)
	}
	return mat.DenseCopyOf(t.x), slices.Clone(t.labels[0]), slices.Clone(t.labels[1]), nil
}

// A table is the content of a file.
type table struct {
	x      *mat.Dense
	labels [][]int // by column, one number for each row of x
}

// read reads gzipped CSV without a header. The last columns, as many as labels says, are integers.
func read(gzipped []byte, labels int) (*table, error) {
	z, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(z)
	r.ReuseRecord = true
	t := &table{labels: make([][]int, labels)}
	var data []float64
	columns := 0
	row := 1
	for ; ; row++ {
		record, err := r.Read() // refuses records whose length differs from the first
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		columns = len(record) - labels
		if columns < 1 {
			return nil, fmt.Errorf("row %d: %d fields: want more than the %d labels", row, len(record), labels)
		}
		for _, field := range record[:columns] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", row, err)
			}
			data = append(data, v)
		}
		for i, field := range record[columns:] {
			label, err := strconv.Atoi(field)
			if err != nil {
				return nil, fmt.Errorf("row %d: label: %w", row, err)
			}
			t.labels[i] = append(t.labels[i], label)
		}
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("no data")
	}
	t.x = mat.NewDense(row-1, columns, data)
	return t, nil
}
