// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A table is the rows for which an evidence is computed.
type table struct {
	x, y      blas64.General // points and targets, centered and in units of the standard deviations of their columns; for lists x has no Data
	raw       blas64.General // the points as they are; for lists without Data
	lists     *rows.Lists    // the points if their rows are lists, which are not centered and have the unit 1; else nil
	columns   *units
	targets   *units
	intercept bool
	ties      *tying // of columns; nil: no columns are tied
}

// setPoints sets the points to copies of some rows of x, which stay lists.
func (t *table) setPoints(x mat.Matrix, index []int) {
	var reader rows.Reader
	reader.Reset(x)
	if reader.Lists != nil {
		t.lists = &rows.Lists{Cols: reader.Cols}
		for _, i := range index {
			t.lists.Rows = append(t.lists.Rows, merged(reader.Entries(i)))
		}
		t.x = blas64.General{Rows: len(index), Cols: reader.Cols, Stride: max(reader.Cols, 1)}
		t.raw = t.x
		t.columns = unitsOfLists(t.lists)
		return
	}
	t.raw = gather(x, index, nil)
	t.x = t.raw
	t.x.Data = slices.Clone(t.raw.Data)
	t.columns = newUnits(t.x)
	t.columns.apply(t.x)
}

// merged returns the list of a row with a number for each of its columns, of entries in the order of these.
func merged(entries []rows.Entry) rows.List {
	l := rows.List{Columns: []int{}}
	for _, e := range entries {
		if n := len(l.Columns); n > 0 && l.Columns[n-1] == e.Column {
			l.Values[n-1] += e.Value
		} else {
			l.Values, l.Columns = append(l.Values, e.Value), append(l.Columns, e.Column)
		}
	}
	return l
}

// points returns the points in units, and rawPoints returns them as they are; for lists both are the same.
func (t *table) points() mat.Matrix { return t.matrix(t.x) }

func (t *table) rawPoints() mat.Matrix { return t.matrix(t.raw) }

func (t *table) matrix(points blas64.General) mat.Matrix {
	if t.lists != nil {
		return t.lists
	}
	m := new(mat.Dense)
	m.SetRawMatrix(points)
	return m
}

// units are a center, a unit and a standard deviation for each of some columns. A unit is a power of two, so that
// dividing by it rounds nothing. A constant column has unit and deviation 0.
type units struct{ center, unit, deviation []float64 }

// newUnits returns the units of the columns of a, whose elements are finite: centers are means, and units are next to
// the standard deviations.
func newUnits(a blas64.General) *units {
	u := &units{make([]float64, a.Cols), make([]float64, a.Cols), make([]float64, a.Cols)}
	for j := range a.Cols {
		u.center[j], u.deviation[j] = moments(a, j)
		if v := u.deviation[j]; v > 0 {
			_, e := math.Frexp(v)
			u.unit[j] = math.Ldexp(1, max(e, -1000))
		}
	}
	return u
}

// unitsOfLists returns units of 1 and centers of 0, since lists stay as they are; the unit of a constant column is 0.
func unitsOfLists(x *rows.Lists) *units {
	u := &units{make([]float64, x.Cols), make([]float64, x.Cols), make([]float64, x.Cols)}
	first, counts := make([]float64, x.Cols), make([]int, x.Cols) // of those that are not 0
	for _, row := range x.Rows {
		for e, j := range row.Columns {
			v := row.Values[e]
			switch {
			case v == 0:
				continue
			case counts[j] == 0:
				first[j] = v
			case v != first[j]:
				u.unit[j] = 1
			}
			counts[j]++
		}
	}
	for j, n := range counts {
		if n > 0 && n < len(x.Rows) {
			u.unit[j] = 1
		}
	}
	copy(u.deviation, u.unit)
	return u
}

// moments returns the mean and the standard deviation of a column.
func moments(a blas64.General, j int) (mean, deviation float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range a.Rows {
		v := a.Data[i*a.Stride+j]
		least, most = min(least, v), max(most, v)
	}
	if least == most {
		return least, 0
	}
	// In units of a power of two, so that no sum or square overflows or underflows.
	_, e := math.Frexp(0.5*most - 0.5*least)
	unit := math.Ldexp(1, min(max(-e, -1000), 1000))
	n := float64(a.Rows)
	var sum, squares float64
	middle := 0.5*most + 0.5*least
	for i := range a.Rows {
		sum += (a.Data[i*a.Stride+j] - middle) * unit
	}
	offset := sum / n
	for i := range a.Rows {
		v := float64((a.Data[i*a.Stride+j]-middle)*unit) - offset
		squares = math.FMA(v, v, squares)
	}
	return middle + offset/unit, math.Sqrt(squares/n) / unit
}

// apply replaces the elements of a by their differences from the center, in units. Columns without a unit become 0.
func (u *units) apply(a blas64.General) {
	for i := range a.Rows {
		row := a.Data[i*a.Stride:][:a.Cols]
		for j, v := range row {
			if row[j] = 0; u.unit[j] > 0 {
				row[j] = (v - u.center[j]) / u.unit[j]
			}
		}
	}
}

// scales returns the units, with 1 for columns that have no unit.
func (u *units) scales() []float64 {
	scales := make([]float64, len(u.unit))
	for j, v := range u.unit {
		if scales[j] = v; v == 0 {
			scales[j] = 1
		}
	}
	return scales
}
