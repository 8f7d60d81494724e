// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package numbers

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// groupValues is the number of values of a group of rows, which a Writer keeps in memory.
const groupValues = 1 << 18

// A Writer writes rows of numbers as a Parquet file.
type Writer struct {
	file   *parquet.GenericWriter[any]
	values []func(float64) parquet.Value // of each column
	rows   int                           // in a group
	left   int                           // in this group
	column []parquet.Value
}

// NewWriter returns a writer of a file with the named columns, in their order. They are DOUBLE, or FLOAT if single is true.
func NewWriter(w io.Writer, names []string, single bool) *Writer {
	of, value := parquet.DoubleType, parquet.DoubleValue
	if single {
		of, value = parquet.FloatType, func(v float64) parquet.Value { return parquet.FloatValue(float32(v)) }
	}
	columns := ordered{parquet.Group{}, names}
	for _, name := range names {
		columns.Group[name] = parquet.Leaf(of)
	}
	return newWriter(w, columns, slices.Repeat([]func(float64) parquet.Value{value}, len(names)))
}

// NewClassWriter returns a writer of a file with two columns: a text, which is the class of a number in classes, and a
// DOUBLE.
func NewClassWriter(w io.Writer, class, number string, classes []string) *Writer {
	columns := ordered{parquet.Group{class: parquet.Encoded(parquet.String(), &parquet.RLEDictionary), number: parquet.Leaf(parquet.DoubleType)}, []string{class, number}}
	text := func(v float64) parquet.Value { return parquet.ByteArrayValue([]byte(classes[int(v)])) }
	return newWriter(w, columns, []func(float64) parquet.Value{text, parquet.DoubleValue})
}

func newWriter(w io.Writer, columns ordered, values []func(float64) parquet.Value) *Writer {
	rows := max(groupValues/len(values), 1<<14)
	return &Writer{file: parquet.NewGenericWriter[any](w, parquet.NewSchema("row", columns)), values: values, rows: rows, left: rows}
}

// ordered is a group of columns in the order of some names.
type ordered struct {
	parquet.Group
	names []string
}

// Fields implements parquet.Node. The fields of a parquet.Group are in the order of the alphabet.
func (o ordered) Fields() (fields []parquet.Field) {
	named := make(map[string]parquet.Field)
	for _, f := range o.Group.Fields() {
		named[f.Name()] = f
	}
	for _, name := range o.names {
		fields = append(fields, named[name])
	}
	return fields
}

// Write writes rows, whose numbers are one after the other in x.
func (w *Writer) Write(x []float64) error {
	columns := w.file.ColumnWriters()
	for width := len(columns); len(x) > 0; {
		n := min(len(x)/width, w.left)
		for j, c := range columns {
			w.column = w.column[:0]
			for i := range n {
				w.column = append(w.column, w.values[j](x[i*width+j]))
			}
			if _, err := c.WriteRowValues(w.column); err != nil {
				return err
			}
		}
		x = x[n*width:]
		if w.left -= n; w.left == 0 {
			if err := w.file.Flush(); err != nil {
				return err
			}
			w.left = w.rows
		}
	}
	return nil
}

// Close writes the rest of the file. It does not close what the file is written to.
func (w *Writer) Close() error { return w.file.Close() }
