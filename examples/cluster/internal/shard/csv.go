// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A CSV reads rows from lines of numbers, without a header.
type CSV struct {
	r     *csv.Reader
	row   int
	start int64
}

// NewCSV returns a reader for the rows of r. The first of them is the given row of the shard, at offset bytes from its
// start.
func NewCSV(r io.Reader, row int, offset int64) *CSV {
	c := &CSV{csv.NewReader(bufio.NewReaderSize(r, 1<<16)), row, offset}
	c.r.FieldsPerRecord = -1 // Read has a clearer error
	c.r.ReuseRecord = true
	return c
}

// Read implements Reader. It refuses a row of another width.
func (c *CSV) Read(row []float64) error {
	fields, err := c.r.Read()
	switch {
	case err == io.EOF:
		return err
	case err != nil:
		return fmt.Errorf("row %d: %w", c.row, err)
	case len(fields) != len(row):
		return fmt.Errorf("row %d: %d numbers: must be %d, the coordinates and the target", c.row, len(fields), len(row))
	}
	for j, s := range fields {
		if row[j], err = strconv.ParseFloat(s, 64); err == nil && strings.Contains(s, "_") { // 1_11 is a code
			err = fmt.Errorf("%.40q is no number", s)
		}
		if err != nil {
			return fmt.Errorf("row %d, column %d: %w", c.row, j, err)
		}
	}
	c.row++
	return nil
}

// Offset returns the number of bytes from the start of the shard to the next row.
func (c *CSV) Offset() int64 { return c.start + c.r.InputOffset() }

// WriteCSV writes the next rows of r, each with width numbers, as NewCSV reads them. Each number has the digits that
// determine its bits.
func WriteCSV(w io.Writer, r Reader, width, rows int) error {
	b := bufio.NewWriter(w)
	row := make([]float64, width)
	var line []byte
	for range rows {
		if err := r.Read(row); err != nil {
			return err
		}
		line = line[:0]
		for _, v := range row {
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
			line = append(line, ',')
		}
		line[len(line)-1] = '\n'
		b.Write(line)
	}
	return b.Flush()
}
