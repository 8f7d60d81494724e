// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package subset

import (
	"math"
	"slices"
	"testing"
)

// Rows have each phase of a period in proportion, and each part of the rows, whatever the
// number of rows; none is taken twice.
func TestRows(t *testing.T) {
	const most = 300
	for _, n := range []int{2, 299, 300, 301, 302, 330, 400, 450, 500, 599, 600, 601, 750, 900, 1000, 1500, 2999, 3000, 4800, 9000, 30000, 1234567} {
		rows := Rows(n, most)
		m := min(n, most)
		taken := make(map[int]bool)
		for _, i := range rows {
			if i < 0 || i >= n || taken[i] {
				t.Fatalf("%d rows: row %d is taken twice, or is none", n, i)
			}
			taken[i] = true
		}
		if len(rows) != m {
			t.Fatalf("%d rows: %d are taken, want %d", n, len(rows), m)
		}
		share := float64(m) / float64(n)
		for _, period := range []int{2, 3, 4, 5, 7, 10, 16, 100} {
			counts := make([]float64, period)
			for _, i := range rows {
				counts[i%period]++
			}
			for phase, got := range counts {
				all := float64((n - phase + period - 1) / period)
				// Five standard deviations of a binomial number, and one row more.
				if want := all * share; !(math.Abs(got-want) <= 5*math.Sqrt(want*(1-share))+1) {
					t.Errorf("%d rows, period %d: %v of phase %d, want about %.1f", n, period, got, phase, want)
				}
			}
		}
		// Of any run of rows there are as many as its share, but for two.
		slices.Sort(rows)
		for k, i := range rows {
			if want := share * float64(i); !(math.Abs(float64(k)-want) <= 2) {
				t.Errorf("%d rows: %d are taken of the first %d, want about %.1f", n, k, i, want)
				break
			}
		}
	}
}

// A shuffled order has every number once, and no regular one.
func TestShuffled(t *testing.T) {
	const n = 1000
	order := Shuffled(n)
	seen, neighbours := make([]bool, n), 0
	for k, i := range order {
		seen[i] = true
		if k > 0 && (i-order[k-1] == 1 || order[k-1]-i == 1) {
			neighbours++
		}
	}
	if slices.Contains(seen, false) || len(order) != n {
		t.Error("a number is missing")
	}
	if neighbours > 12 { // two in the mean, with a deviation of 1.4
		t.Errorf("%d neighbours stayed neighbours", neighbours)
	}
	if !slices.Equal(order, Shuffled(n)) {
		t.Error("another order the second time")
	}
}
