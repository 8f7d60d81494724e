// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A sideDocument is the further part of a model of the rows' side. With factors, which are of n×n numbers, the file has
// three more arrays before those of intervals: the numbers of entries of the rows (−1: all coordinates), their
// coordinates or entries row by row, columns before values, and their weights, empty if all are 1.
type sideDocument struct {
	In       int  `json:"in"`                 // coordinates of a row
	Numbers  int  `json:"numbers"`            // of the second array
	Weighted bool `json:"weighted,omitempty"` // rows have weights
}

// sideDocument returns the document of the rows' side, nil for a model of the other side.
func (m *Model) sideDocument() *sideDocument {
	if m.side != RowSide {
		return nil
	}
	d := &sideDocument{In: m.in}
	if r := m.rowSide(); r != nil {
		for _, p := range r.points {
			d.Numbers += len(p.Columns) + len(p.Values)
		}
		d.Weighted = r.weights != nil
	}
	return d
}

// rowSide returns the rows of the fit, nil if they are not known.
func (m *numbers) rowSide() *rowSide {
	if r, ok := m.ridges[0].inverse.(*byRows); ok {
		return r.rowSide
	}
	return nil
}

// sizes returns the sizes of the arrays for a number of rows.
func (d *sideDocument) sizes(n int) []int {
	if d.Weighted {
		return []int{n, d.Numbers, n}
	}
	return []int{n, d.Numbers, 0}
}

// write writes the arrays.
func (s *rowSide) write(f *sealed.Writer) {
	var entries, numbers []float64
	for _, p := range s.points {
		if entries = append(entries, -1); p.Columns != nil {
			entries[len(entries)-1] = float64(len(p.Columns))
		}
		for _, j := range p.Columns {
			numbers = append(numbers, float64(j))
		}
		numbers = append(numbers, p.Values...)
	}
	f.Floats(entries)
	f.Floats(numbers)
	f.Floats(s.weights)
}

// read reads the arrays for a number of rows. The map is set later.
func (d *sideDocument) read(f *sealed.Reader, n int, intercept bool) (*rowSide, error) {
	s := &rowSide{in: d.In, intercept: intercept}
	entries, numbers := f.Floats(n), f.Floats(d.Numbers)
	if d.Weighted {
		s.weights = f.Floats(n)
	} else {
		f.Floats(0)
	}
	if f.Err() != nil {
		return nil, fmt.Errorf("ridge: %w", f.Err())
	}
	for i, e := range entries {
		var p rows.List
		var err error
		if p.Values, p.Columns, numbers, err = cutRow(numbers, e, d.In); err != nil {
			return nil, fmt.Errorf("ridge: the data: row %d of those fitted: %w", i, err)
		}
		s.points = append(s.points, p)
	}
	if len(numbers) > 0 {
		return nil, fmt.Errorf("ridge: the data: %d numbers are left of the rows fitted", len(numbers))
	}
	if i := slices.IndexFunc(s.weights, func(w float64) bool { return !(w > 0 && w < heaviest) }); i >= 0 {
		return nil, fmt.Errorf("ridge: the data: row %d of those fitted has the weight %v", i, s.weights[i])
	}
	return s, nil
}

// validate refuses what no model has.
func (d *sideDocument) validate() error {
	if d != nil && (d.In < 1 || d.Numbers < 0) {
		return fmt.Errorf("ridge: the data is of a model of rows of %d coordinates, %d numbers in all", d.In, d.Numbers)
	}
	return nil
}

// setFactors sets the inverses of a model that was read, by the columns of their factors, and its rows if it is of the rows' side.
func (n *numbers) setFactors(columns [][][]float64, s *rowSide) {
	for k := range n.ridges {
		factor := tiled.NewFactor(tiled.FromColumns(columns[k]))
		n.ridges[k].inverse = byFeatures{factor}
		if s != nil {
			n.ridges[k].inverse = &byRows{s, factor, n.ridges[k].lambda}
		}
	}
}
