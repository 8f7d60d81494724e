// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// Deviations are gonum's over n, far from 0 and near the ends of float64 too; a constant column has 1, and one with an element that is not finite
// NaN.
func TestStdDevs(t *testing.T) {
	const n = 50
	x := testkit.NormalPoints(3, n, 6)
	lists := sparse.NewRows(6)
	for i := range n {
		row := x.RawRowView(i)
		row[1] = 1e9 + row[1]
		row[2] *= 1e305
		row[3] = 0.1 // the sum of which is rounded
		row[4] *= 1e-300
		if row[5] < 0.5 {
			row[5] = 0
		}
		index, values := []int{}, []float64{}
		for j, v := range row {
			if v != 0 {
				index, values = append(index, j), append(values, v)
			}
		}
		if err := lists.Append(index, values); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(StdDevs(lists), StdDevs(x)) {
		t.Errorf("of lists %v, of the same rows %v", StdDevs(lists), StdDevs(x))
	}
	got := StdDevs(x)
	for j, v := range got {
		column := mat.Col(nil, j, x)
		scale := math.Max(math.Abs(slices.Max(column)), 1e-300)
		for i := range column {
			column[i] /= scale
		}
		want := math.Sqrt(stat.PopVariance(column, nil)) * scale
		if j == 3 {
			want = 1
		}
		if !(math.Abs(v/want-1) <= 1e-7) { // of column 1 the rows have 7 digits behind 1e9
			t.Errorf("column %d: %v, want %v", j, v, want)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, i := range []int{0, 7} {
			y := mat.DenseCopyOf(x)
			y.Set(i, 3, bad)
			if got := StdDevs(y); !math.IsNaN(got[3]) || got[0] != StdDevs(x)[0] {
				t.Errorf("%v in row %d: %v", bad, i, got)
			}
		}
	}
	if got := StdDevs(x.Slice(4, 5, 0, 6)); slices.Max(got) != 1 || slices.Min(got) != 1 {
		t.Errorf("one row: %v", got)
	}
	if err := mat.Maybe(func() { StdDevs(new(mat.Dense)) }); err == nil || err.Error() != mat.ErrZeroLength.Error() {
		t.Errorf("no rows: %v", err)
	}
}
