// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package numbers reads rows of numbers or of other values from Parquet files, and writes rows of numbers.
package numbers

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A File is a Parquet file that has been opened.
type File struct {
	columns []column
	groups  []parquet.RowGroup
}

// A column is a leaf of the schema of a file. Its name is its path, with dots between.
type column struct {
	name   string
	index  int
	leaf   parquet.LeafColumn
	number func(parquet.Value) float64 // nil: the column has no numbers, or more than one in a row
	pages  parquet.Pages               // of the group that is being read
	page   parquet.Page                // nil: the next one has not been read
	values parquet.ValueReader         // of the page
}

// Open returns a file of size bytes. It reads the footer alone.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer damaged(&err)
	of, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	f = &File{groups: of.RowGroups()}
	for i, path := range of.Schema().Columns() {
		leaf, _ := of.Schema().Lookup(path...)
		f.columns = append(f.columns, column{name: strings.Join(path, "."), index: i, leaf: leaf, number: number(leaf)})
	}
	return f, nil
}

// damaged turns a panic into an error. The decoder panics on some damaged files.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged Parquet file: %v", p)
	}
}

// number returns a function for the values of a column of integers, floats or decimals, and nil for another column. A
// decimal is the closest float64; a damaged one is a NaN.
func number(leaf parquet.LeafColumn) func(parquet.Value) float64 {
	if leaf.MaxRepetitionLevel > 0 {
		return nil
	}
	if text := Decimal(leaf.Node.Type()); text != nil {
		return func(v parquet.Value) float64 {
			if digits, err := text(v); err == nil {
				if number, err := strconv.ParseFloat(digits, 64); err == nil {
					return number
				}
			}
			return math.NaN()
		}
	}
	unsigned := false
	if logical := leaf.Node.Type().LogicalType(); logical != nil && logical.Value != nil {
		integer, ok := logical.Value.(*format.IntType)
		if !ok {
			return nil // a date, for example
		}
		unsigned = !integer.IsSigned
	}
	switch kind := leaf.Node.Type().Kind(); {
	case kind == parquet.Double:
		return parquet.Value.Double
	case kind == parquet.Float:
		return func(v parquet.Value) float64 { return float64(v.Float()) }
	case kind == parquet.Int32 && unsigned:
		return func(v parquet.Value) float64 { return float64(v.Uint32()) }
	case kind == parquet.Int32:
		return func(v parquet.Value) float64 { return float64(v.Int32()) }
	case kind == parquet.Int64 && unsigned:
		return func(v parquet.Value) float64 { return float64(v.Uint64()) }
	case kind == parquet.Int64:
		return func(v parquet.Value) float64 { return float64(v.Int64()) }
	}
	return nil
}

// Names returns the names of all columns, in the order of the file.
func (f *File) Names() (names []string) {
	for _, c := range f.columns {
		names = append(names, c.name)
	}
	return names
}

// Numeric returns the names of the columns of integers, floats and decimals.
func (f *File) Numeric() (names []string) {
	for _, c := range f.columns {
		if c.number != nil {
			names = append(names, c.name)
		}
	}
	return names
}

// Rows returns a reader for the named columns. There may be one at a time.
func (f *File) Rows(names []string) (*Reader, error) {
	return rowsOf(f, names, func(c *column) (func(parquet.Value) (float64, bool), error) {
		if c.number == nil {
			return nil, fmt.Errorf("column %q: must be one number, an integer, a float or a decimal", c.name)
		}
		return func(v parquet.Value) (float64, bool) {
			if v.IsNull() {
				return 0, false
			}
			number := c.number(v)
			return number, !math.IsNaN(number) && !math.IsInf(number, 0)
		}, nil
	})
}

// Values returns a reader for the values of the named columns, nulls among them. There may be one at a time.
func (f *File) Values(names []string) (*Of[parquet.Value], error) {
	return rowsOf(f, names, func(c *column) (func(parquet.Value) (parquet.Value, bool), error) {
		if c.leaf.MaxRepetitionLevel > 0 {
			return nil, fmt.Errorf("column %q: must have one value in a row", c.name)
		}
		return func(v parquet.Value) (parquet.Value, bool) { return v.Clone(), true }, nil
	})
}

// Type returns the type of a column that exists.
func (f *File) Type(name string) parquet.Type {
	for _, c := range f.columns {
		if c.name == name {
			return c.leaf.Node.Type()
		}
	}
	panic("numbers: no column " + name)
}

// rowsOf returns a reader for the named columns, given a function for the values of each.
func rowsOf[T any](f *File, names []string, of func(*column) (func(parquet.Value) (T, bool), error)) (*Of[T], error) {
	r := &Of[T]{groups: f.groups}
next:
	for _, name := range names {
		for _, c := range f.columns {
			if c.name != name {
				continue
			}
			value, err := of(&c)
			if err != nil {
				return nil, err
			}
			r.columns, r.of = append(r.columns, c), append(r.of, value)
			continue next
		}
		return nil, fmt.Errorf("column %q: the file has only %q", name, f.Names())
	}
	return r, nil
}

// A Reader reads rows of numbers.
type Reader = Of[float64]

// An Of reads rows. It keeps a page of each column in memory.
type Of[T any] struct {
	columns []column
	of      []func(parquet.Value) (T, bool) // for each column what to read of a value; false: it is no finite number
	groups  []parquet.RowGroup              // remaining groups
	row     int64                           // the number of the next row, from 0
	left    int64                           // number of rows that remain of the group
	buffer  [256]parquet.Value
}

// Read reads the next rows to x, one after the other, and returns their number: as many as x is long, unless the file
// ends before. It returns io.EOF after the last row. For numbers, a null, a NaN and an infinity are errors.
func (r *Of[T]) Read(x []T) (n int, err error) {
	defer damaged(&err)
	for width := len(r.columns); len(x) >= width; {
		if r.left == 0 {
			if len(r.groups) == 0 {
				break
			}
			if err := r.begin(r.groups[0]); err != nil {
				return n, err
			}
			r.groups = r.groups[1:]
		}
		rows := int(min(r.left, int64(len(x)/width)))
		for j := range r.columns {
			if err := r.read(x[j:], j, rows); err != nil {
				return n, err
			}
		}
		n += rows
		r.row += int64(rows)
		r.left -= int64(rows)
		x = x[rows*width:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// begin begins with a group of rows.
func (r *Of[T]) begin(group parquet.RowGroup) error {
	chunks := group.ColumnChunks()
	r.left = group.NumRows()
	for j := range r.columns {
		c := &r.columns[j]
		if c.pages != nil {
			if c.page != nil {
				parquet.Release(c.page)
			}
			if err := c.pages.Close(); err != nil {
				return err
			}
		}
		if n := chunks[c.index].NumValues(); n != r.left || n < 0 {
			return fmt.Errorf("damaged Parquet file: column %q: %d values in a group of %d rows", c.name, n, r.left)
		}
		c.pages, c.page = chunks[c.index].Pages(), nil
	}
	return nil
}

// read reads the next n values of column j to x, which begins with the first of them.
func (r *Of[T]) read(x []T, j, n int) error {
	c := &r.columns[j]
	for i := 0; i < n; {
		if c.page == nil {
			page, err := c.pages.ReadPage()
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return fmt.Errorf("column %q: %w", c.name, err)
			}
			c.page, c.values = page, page.Values()
		}
		got, err := c.values.ReadValues(r.buffer[:min(len(r.buffer), n-i)])
		for _, v := range r.buffer[:got] {
			value, ok := r.of[j](v)
			if !ok {
				return fmt.Errorf("row %d, column %q: %v is no finite number", r.row+int64(i), c.name, v)
			}
			x[i*len(r.columns)] = value
			i++
		}
		switch {
		case errors.Is(err, io.EOF):
			parquet.Release(c.page)
			c.page = nil
		case err != nil:
			return fmt.Errorf("column %q: %w", c.name, err)
		case got == 0:
			return fmt.Errorf("column %q: %w", c.name, io.ErrNoProgress)
		}
	}
	return nil
}
