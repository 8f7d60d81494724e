// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package power

import (
	"testing"

	"github.com/seed-0f95ebc1/featuremap/series"
)

// A table has the bits of Coeff, of exponentials too, whose powers it keeps.
func TestTableBits(t *testing.T) {
	for _, rate := range []float64{0, 1e-300, 0.3, 2.7, 800, 16000} {
		for _, shift := range []float64{0, -1, 3.3, -16000} {
			f := series.Exp{Rate: rate, Shift: shift}
			table, together := Table{F: f}, Coefficients(f, 300)
			for _, n := range []int{0, 1, 2, 3, 7, 8, 64, 63, 200, 299} {
				if a, b, want := table.Coeff(n), together[n], f.Coeff(n); a != want || b != want {
					t.Errorf("%v, degree %d: %v and %v, want %v", f, n, a, b, want)
				}
			}
		}
	}
}
