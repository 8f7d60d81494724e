// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import "testing"

// Pilots have all rows of so many classes that rows times classes keep to a bound, and only of classes of two rows or more; and features of
// many classes keep to the memory that is documented.
func TestPilotClasses(t *testing.T) {
	for _, c := range []struct{ rows, count, want int }{
		{4000, 20, 20},        // 80,000 labels, in each of four folds
		{10_000, 100, 100},    // a million
		{60_000, 100, 100},    // of which pilots have 10,000
		{16_000, 4000, 500},   // 2,000 rows
		{200_000, 2000, 100},  // 10,000 rows
		{4000, 3999, 1},       // the other classes have one row: too few are left to tell apart
		{1_000_000, 101, 100}, // 10,000 rows
	} {
		s := manyClasses(c.rows, c.count)
		s.rest, s.report = s.all, new(Report)
		few := s.withClasses(s.pilotClasses())
		if c.want == 1 {
			if few != s {
				t.Errorf("%d rows of %d classes: %d", c.rows, c.count, few.count)
			}
			continue
		}
		if folds := few.folds(); c.count < 100 != (len(folds) > 1) {
			t.Errorf("%d rows of %d classes: %d folds", c.rows, c.count, len(folds))
		}
		if few.count != c.want || (few == s) != (c.want == c.count) {
			t.Errorf("%d rows of %d classes: pilots have %d, want %d", c.rows, c.count, few.count, c.want)
		}
		seen := make([]int, few.count)
		for _, i := range few.rest {
			seen[few.classes[i]]++
		}
		for k, n := range seen {
			if n < c.rows/c.count || n > c.rows/c.count+1 {
				t.Errorf("%d rows of %d classes: class %d has %d rows", c.rows, c.count, k, n)
			}
		}
	}
	for count, want := range map[int]int{2: 1224, 700: 1224, 800: 1171, 4000: 234, 100_000: 64} {
		s := &study{columns: 5, count: count}
		s.widest = s.mostWidth()
		if got := s.width(16_000); got != want {
			t.Errorf("%d classes: %d features, want %d", count, got, want)
		}
	}
}
