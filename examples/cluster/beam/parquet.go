// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/parquet/numbers"
)

// parquetRows is the number of rows that a parquetReader reads at once.
const parquetRows = 64

// A parquetReader reads the rows of a Parquet file whose columns are all numbers. The last of them is the target.
type parquetReader struct {
	names  []string
	rows   *numbers.Reader
	buffer []float64
	full   []float64 // the part of the buffer that has not been read
	row    int
}

var _ shard.Reader = (*parquetReader)(nil)

// newParquetReader returns a reader for the rows of a file of size bytes.
func newParquetReader(r io.ReaderAt, size int64) (*parquetReader, error) {
	f, err := numbers.Open(r, size)
	if err != nil {
		return nil, err
	}
	names := f.Names()
	from, err := f.Rows(names)
	if err != nil {
		return nil, err
	}
	return &parquetReader{names: names, rows: from, buffer: make([]float64, parquetRows*len(names))}, nil
}

// Read implements shard.Reader. It refuses a row of another width, and one without a number in some column.
func (p *parquetReader) Read(row []float64) error {
	if n := len(p.names); n != len(row) {
		return fmt.Errorf("row %d: %d numbers: must be %d, the coordinates and the target", p.row, n, len(row))
	}
	if len(p.full) == 0 {
		n, err := p.rows.Read(p.buffer)
		if err != nil {
			return err
		}
		p.full = p.buffer[:n*len(p.names)]
	}
	p.full = p.full[copy(row, p.full):]
	p.row++
	return nil
}

// writeParquet writes the rows of r, of the given width, as a Parquet file with the columns x0000, x0001, …, and y.
func writeParquet(w io.Writer, r shard.Reader, width int) error {
	var names []string
	for j := range width - 1 {
		names = append(names, fmt.Sprintf("x%04d", j))
	}
	f := numbers.NewWriter(w, append(names, "y"), false)
	for row := make([]float64, width); ; {
		if err := r.Read(row); err == io.EOF {
			return f.Close()
		} else if err != nil {
			return err
		}
		if err := f.Write(row); err != nil {
			return err
		}
	}
}
