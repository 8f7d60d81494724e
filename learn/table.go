// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// A table is the rows that evidence is of.
type table struct {
	x, y      blas64.General // points and targets, less the center and in units of the deviation of their columns
	raw       blas64.General // the points as they are
	columns   *units
	targets   *units
	intercept bool
}

// units are a center, a unit and a standard deviation for each of some columns. A unit is a power of two, so that nothing is
// rounded by it. Of a constant column unit and deviation are 0.
type units struct{ center, unit, deviation []float64 }

// newUnits returns the units of the columns of a, of finite elements: the centers are means, the units next to the deviations.
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

// apply overwrites a by its elements less the center, in units. Columns without a unit are 0.
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

// scales returns the units, 1 for those columns that have none.
func (u *units) scales() []float64 {
	scales := make([]float64, len(u.unit))
	for j, v := range u.unit {
		if scales[j] = v; v == 0 {
			scales[j] = 1
		}
	}
	return scales
}
