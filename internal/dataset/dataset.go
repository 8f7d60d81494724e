// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dataset holds small real data sets for examples and tests. Their
// sources and licences are in README.md beside them.
package dataset

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

//go:embed digits8x8.csv.gz
var digits []byte

// Digits returns the 1797 handwritten digits: one row of 64 pixels each, from 0 to
// 16, and their classes, 0 to 9.
func Digits() (x *mat.Dense, class []int, err error) {
	x, class, err = readClassLast(digits)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset: digits: %w", err)
	}
	return x, class, nil
}

// readClassLast reads gzipped CSV without a header whose last column is a class.
func readClassLast(gzipped []byte) (x *mat.Dense, class []int, err error) {
	z, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(z)
	r.ReuseRecord = true
	var data []float64
	columns := 0
	for {
		record, err := r.Read() // refuses records of another length than the first
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		columns = len(record) - 1
		for _, field := range record[:columns] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, nil, fmt.Errorf("row %d: %w", len(class)+1, err)
			}
			data = append(data, v)
		}
		c, err := strconv.Atoi(record[columns])
		if err != nil {
			return nil, nil, fmt.Errorf("row %d: class: %w", len(class)+1, err)
		}
		class = append(class, c)
	}
	if len(data) == 0 {
		return nil, nil, fmt.Errorf("no data")
	}
	return mat.NewDense(len(class), columns, data), class, nil
}
