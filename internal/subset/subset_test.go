// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package subset

import (
	"math"
	"slices"
	"testing"
)

// Rows contain each phase of a period in proportion, and each part of the rows, for all numbers of
// rows. No row is chosen twice.
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
		// Of any run of rows its share is chosen, except for two rows.
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
	seen, neighbors := make([]bool, n), 0
	for k, i := range order {
		seen[i] = true
		if k > 0 && (i-order[k-1] == 1 || order[k-1]-i == 1) {
			neighbors++
		}
	}
	if slices.Contains(seen, false) || len(order) != n {
		t.Error("a number is missing")
	}
	if neighbors > 12 { // two in the mean, with a deviation of 1.4
		t.Errorf("%d neighbors stayed neighbors", neighbors)
	}
	if !slices.Equal(order, Shuffled(n)) {
		t.Error("another order the second time")
	}
}

// Rows with unequal probabilities are chosen as often as these say, in each part of the rows, and rows with
// probability 1 always.
func TestUnequal(t *testing.T) {
	const n = 6000
	chances := make([]float64, n)
	for i := range chances {
		chances[i] = []float64{0, 0.01, 0.5, 1, 0.2, 0.09}[i%6]
	}
	counts := make([]float64, 6)
	last := -1
	var before float64
	at := 0
	for _, i := range Unequal(chances) {
		for ; at < i; at++ {
			before += chances[at]
		}
		var taken float64
		for _, c := range counts {
			taken += c
		}
		if i <= last || !(math.Abs(taken-before) <= 2) {
			t.Fatalf("row %d after row %d, as number %v where %.1f are due", i, last, taken, before)
		}
		last = i
		counts[i%6]++
	}
	for kind, got := range counts {
		want := n / 6 * chances[kind]
		// Five standard deviations of a binomial number.
		if !(math.Abs(got-want) <= 5*math.Sqrt(want*(1-chances[kind]))) {
			t.Errorf("%v of chance %v, want about %v", got, chances[kind], want)
		}
	}
}

// Rows with unequal probabilities do not depend on those of Rows. If these have probability 0, each other chosen row
// stands for 1 over its probability, and together they stand for all others.
func TestUnequalWithoutRows(t *testing.T) {
	const most = 300
	var stand, all float64
	for n := 3000; n < 6000; n += 100 {
		chances := make([]float64, n)
		for i := range chances {
			chances[i] = []float64{0.02, 0.1, 0.06}[i%3]
		}
		for _, i := range Rows(n, most) {
			chances[i] = 0
		}
		for _, i := range Unequal(chances) {
			stand += 1 / chances[i]
		}
		all += float64(n - most)
	}
	// The standard deviation of the sum over n rows is below the root of Σ1/c, that of rows taken independently: √(27.6·n), 1860 in all
	// for 30 numbers of rows. By the words of Rows it is 7 % less.
	if !(math.Abs(stand/all-1) <= 5*1860/all) {
		t.Errorf("they stand for %.0f rows of %.0f", stand, all)
	}
}
