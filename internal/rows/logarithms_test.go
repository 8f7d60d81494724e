// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A view in logarithms has those of its matrix, as a list too, and its readers see an entry that is outside.
func TestLogarithms(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, -20, 0, 3, 0, -5})
	scales := []float64{0, 2, 1}
	want := mat.NewDense(2, 3, []float64{1, -2 * math.Log(11), 0, 3, 0, -math.Log(6)})
	lists := &Lists{Cols: 3, Rows: []List{NewList(x.RawRowView(0)), NewList(x.RawRowView(1))}}
	for name, view := range map[string]mat.Matrix{"dense": Logarithms(x, scales), "lists": Logarithms(lists, scales)} {
		if !mat.EqualApprox(view, want, 1e-15) || !mat.EqualApprox(view.T(), want.T(), 1e-15) {
			t.Errorf("%s: %v", name, mat.Formatted(view))
		}
		var r Reader
		r.Reset(view)
		if (r.Lists != nil) != (name == "lists") {
			t.Errorf("%s: rows are lists: %t", name, r.Lists != nil)
		}
		for i := range 2 {
			for j, v := range r.Row(i) {
				if math.Abs(v-want.At(i, j)) > 1e-14 {
					t.Errorf("%s: element %d, %d is read as %v", name, i, j, v)
				}
			}
		}
	}
	lists.Rows[0].Columns[0] = 3
	var r Reader
	r.Reset(Logarithms(lists, scales))
	if e := r.Entries(0); e[1] != (Entry{3, 1}) {
		t.Errorf("entries are %v", e)
	}
}
