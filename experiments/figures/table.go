// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// A table is comma-separated values whose first line names the columns. The methods that read a
// value remember the first one that is wrong, so that err is looked at once, after all.
type table struct {
	at   map[string]int // columns by name
	rows [][]string
	err  error
}

// readTable reads a table that has these columns, in whatever order, and perhaps others.
func readTable(r io.Reader, columns []string) (*table, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 {
		return nil, fmt.Errorf("the table has no rows")
	}
	t := &table{at: map[string]int{}, rows: records[1:]}
	for i, name := range records[0] {
		t.at[name] = i
	}
	for _, name := range columns {
		if _, ok := t.at[name]; !ok {
			return nil, fmt.Errorf("the table has no column %q, but %q", name, records[0])
		}
	}
	return t, nil
}

// text returns the value of a column in a row.
func (t *table) text(row int, column string) string { return t.rows[row][t.at[column]] }

// number returns a finite number.
func (t *table) number(row int, column string) float64 {
	v, err := strconv.ParseFloat(t.text(row, column), 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("%v: must be finite", v)
	}
	t.fail(row, column, err)
	return v
}

// positive returns a number that a logarithmic axis has room for.
func (t *table) positive(row int, column string) float64 {
	v := t.number(row, column)
	if v < 1e-30 || v > 1e30 {
		t.fail(row, column, fmt.Errorf("%v: must be from 1e-30 to 1e30", v))
	}
	return v
}

// numbers returns the numbers of a column in some rows.
func (t *table) numbers(rows []int, column string) []float64 {
	var values []float64
	for _, row := range rows {
		values = append(values, t.number(row, column))
	}
	return values
}

// whole returns a whole number from 0 to below.
func (t *table) whole(row int, column string, below int) int {
	v, err := strconv.Atoi(t.text(row, column))
	if err == nil && (v < 0 || v >= below) {
		err = fmt.Errorf("%d: must be from 0 to %d", v, below-1)
	}
	t.fail(row, column, err)
	return v
}

// fail remembers an error, if it is the first. Rows are numbered as the lines of the file are.
func (t *table) fail(row int, column string, err error) {
	if t.err == nil && err != nil {
		t.err = fmt.Errorf("line %d, %s: %w", row+2, column, err)
	}
}

// values returns the different values of a column, in the order in which they first appear, of the
// rows that have the value given for each of some other columns.
func (t *table) values(column string, where map[string]string) []string {
	var values []string
	for _, row := range t.where(where) {
		if v := t.text(row, column); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// where returns the numbers of the rows that have the value given for each of some columns.
func (t *table) where(values map[string]string) []int {
	var rows []int
next:
	for row := range t.rows {
		for column, v := range values {
			if t.text(row, column) != v {
				continue next
			}
		}
		rows = append(rows, row)
	}
	return rows
}
