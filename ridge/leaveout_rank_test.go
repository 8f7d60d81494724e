// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The rows of the largest errors are the first of all when they are sorted, equal ones by their places, also among infinities and what is
// no number.
func TestTopRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, perLambda - 1, perLambda, perLambda + 1, 5 * perLambda} {
		var h topRows
		var all []errorRow
		for i := range n {
			v := errorRow{i, float64(r.IntN(n))}
			switch r.IntN(n) % 50 {
			case 0:
				v.error = math.NaN()
			case 1:
				v.error = math.Inf(1)
			}
			h.offer(v)
			all = append(all, v)
		}
		slices.SortFunc(all, larger)
		for i, v := range h.sorted() {
			if v.row != all[i].row {
				t.Fatalf("of %d rows the largest error number %d is that of row %d, want row %d", n, i, v.row, all[i].row)
			}
		}
		if got, want := len(h), min(n, perLambda); got != want {
			t.Errorf("of %d rows %d, want %d", n, got, want)
		}
	}
}
