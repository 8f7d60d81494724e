// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

// A parquetReader reads the rows of a Parquet file whose columns are all numbers (DOUBLE or FLOAT). The last of them is the
// target.
type parquetReader struct {
	schema *parquet.Schema
	groups []parquet.RowGroup // remaining groups
	rows   parquet.Rows       // of the current group; nil before the first
	buffer [64]parquet.Row
	full   []parquet.Row // the part of the buffer that has not been read
	row    int
}

var _ shard.Reader = (*parquetReader)(nil)

// newParquetReader returns a reader for the rows of a file of size bytes.
func newParquetReader(r io.ReaderAt, size int64) (*parquetReader, error) {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, err
	}
	schema := f.Schema()
	for _, path := range schema.Columns() {
		c, _ := schema.Lookup(path...)
		if kind := c.Node.Type().Kind(); c.MaxRepetitionLevel > 0 || kind != parquet.Double && kind != parquet.Float {
			return nil, fmt.Errorf("column %v: must be one number, DOUBLE or FLOAT", path)
		}
	}
	return &parquetReader{schema: schema, groups: f.RowGroups()}, nil
}

// Read implements shard.Reader. It refuses a row of another width, and one without a number in some column.
func (p *parquetReader) Read(row []float64) error {
	for len(p.full) == 0 {
		if err := p.fill(); err != nil {
			return err
		}
	}
	if n := len(p.full[0]); n != len(row) {
		return fmt.Errorf("row %d: %d numbers: must be %d, the coordinates and the target", p.row, n, len(row))
	}
	for j, v := range p.full[0] {
		switch v.Kind() {
		case parquet.Double:
			row[j] = v.Double()
		case parquet.Float:
			row[j] = float64(v.Float())
		default:
			return fmt.Errorf("row %d, column %d: %v is no number", p.row, j, v)
		}
	}
	p.full = p.full[1:]
	p.row++
	return nil
}

// fill reads the next rows into the buffer, possibly none.
func (p *parquetReader) fill() error {
	if p.rows == nil {
		if len(p.groups) == 0 {
			return io.EOF
		}
		p.rows, p.groups = p.groups[0].Rows(), p.groups[1:]
	}
	n, err := p.rows.ReadRows(p.buffer[:])
	p.full = p.buffer[:n]
	if err == io.EOF {
		err = p.rows.Close()
		p.rows = nil
	}
	return err
}

// writeParquet writes the rows of r, of the given width, as a Parquet file with the columns x0000, x0001, …, and y.
func writeParquet(w io.Writer, r shard.Reader, width int) error {
	columns := parquet.Group{"y": parquet.Leaf(parquet.DoubleType)} // in the order of their names
	for j := range width - 1 {
		columns[fmt.Sprintf("x%04d", j)] = parquet.Leaf(parquet.DoubleType)
	}
	f := parquet.NewWriter(w, parquet.NewSchema("row", columns))
	row, values := make([]float64, width), make(parquet.Row, width)
	for {
		if err := r.Read(row); err == io.EOF {
			return f.Close()
		} else if err != nil {
			return err
		}
		for j, v := range row {
			values[j] = parquet.DoubleValue(v).Level(0, 0, j)
		}
		if _, err := f.WriteRows([]parquet.Row{values}); err != nil {
			return err
		}
	}
}
