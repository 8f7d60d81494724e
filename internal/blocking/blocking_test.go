// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package blocking

import "testing"

// Each panel meets each coordinate once, in ascending order, and no pass has more weights than it should, except for one panel.
func TestPanels(t *testing.T) {
	for _, c := range []struct{ lo, hi, width, weights, in, about int }{
		{0, 1, 24, 100, 7, 1000}, {0, 10, 24, 1 << 10, 64, 1000}, {3, 10, 8, 1 << 10, 3000, 1000}, {0, 5, 48, 1, 1499, 1000}, {2, 7, 4, 100, 1500, 1000},
	} {
		coords := Coords(c.in, c.about)
		if coords > c.about+c.about/2 || coords < 1 {
			t.Errorf("%+v: %d coordinates together", c, coords)
		}
		next := make([]int, c.hi) // the next coordinate of each panel
		Panels(c.lo, c.hi, c.width, c.weights, c.in, coords, func(lo, hi, from, to int) {
			if n := hi - lo; n > 1 && n*c.width*coords > c.weights {
				t.Errorf("%+v: %d panels at a time", c, n)
			}
			for p := lo; p < hi; p++ {
				if next[p] != from || to-from > coords {
					t.Errorf("%+v: panel %d goes on at %d with [%d, %d)", c, p, next[p], from, to)
				}
				next[p] = to
			}
		})
		for p, k := range next {
			if want := c.in; p >= c.lo && k != want {
				t.Errorf("%+v: panel %d ends at %d", c, p, k)
			}
		}
	}
}

// Strips are in order, of powers of two, and all rows are in one.
func TestStrips(t *testing.T) {
	for n := range 40 {
		next := 0
		Strips(n, 8, func(i, rows int) {
			if i != next || rows > 8 || rows&(rows-1) != 0 || n-i >= 8 && rows < 8 {
				t.Errorf("%d rows: a strip of %d at %d", n, rows, i)
			}
			next = i + rows
		})
		if next != n {
			t.Errorf("%d rows: strips end at %d", n, next)
		}
	}
}

// Goroutines get whole strips, and as many of them as there are get work.
func TestGrain(t *testing.T) {
	for _, rows := range []int{1, 7, 8, 100, 1000, 100_000} {
		for workers := 1; workers < 9; workers++ {
			grain := Grain(rows, 256, workers, 8)
			if grain%8 != 0 || grain < 1 || grain > 256+8 || rows > 64*workers && (rows-1)/grain+1 < workers {
				t.Errorf("%d rows, %d workers: %d at a time", rows, workers, grain)
			}
		}
	}
}
