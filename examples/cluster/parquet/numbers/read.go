// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package numbers reads rows of numbers from Parquet files, and writes them.
package numbers

import (
	"errors"
	"fmt"
	"io"
	"math"
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
		f.columns = append(f.columns, column{name: strings.Join(path, "."), index: i, number: number(leaf)})
	}
	return f, nil
}

// damaged turns a panic into an error. The decoder panics on some damaged files.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged Parquet file: %v", p)
	}
}

// number returns a function for the values of a column of integers or floats, and nil for another column.
func number(leaf parquet.LeafColumn) func(parquet.Value) float64 {
	if leaf.MaxRepetitionLevel > 0 {
		return nil
	}
	unsigned := false
	if logical := leaf.Node.Type().LogicalType(); logical != nil && logical.Value != nil {
		integer, ok := logical.Value.(*format.IntType)
		if !ok {
			return nil // a date or a decimal, for example
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

// Numeric returns the names of the columns of integers and floats.
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
	r := &Reader{groups: f.groups}
next:
	for _, name := range names {
		for _, c := range f.columns {
			if c.name != name {
				continue
			}
			if c.number == nil {
				return nil, fmt.Errorf("column %q: must be one number, an integer or a float", name)
			}
			r.columns = append(r.columns, c)
			continue next
		}
		return nil, fmt.Errorf("column %q: the file has only %q", name, f.Names())
	}
	return r, nil
}

// A Reader reads rows. It keeps a page of each column in memory.
type Reader struct {
	columns []column
	groups  []parquet.RowGroup // remaining groups
	row     int64              // the number of the next row, from 0
	left    int64              // number of rows that remain of the group
	buffer  [256]parquet.Value
}

// Read reads the next rows to x, one after the other, and returns their number: as many as x is long, unless the file
// ends before. It returns io.EOF after the last row. A null, a NaN and an infinity are errors.
func (r *Reader) Read(x []float64) (n int, err error) {
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
func (r *Reader) begin(group parquet.RowGroup) error {
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
func (r *Reader) read(x []float64, j, n int) error {
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
			number := math.NaN()
			if !v.IsNull() {
				number = c.number(v)
			}
			if math.IsNaN(number) || math.IsInf(number, 0) {
				return fmt.Errorf("row %d, column %q: %v is no finite number", r.row+int64(i), c.name, v)
			}
			x[i*len(r.columns)] = number
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
