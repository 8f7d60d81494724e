// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package copied

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// joined returns points 0, 1, …, each with its number of rows, one round of points after another, with targets of their own.
func joined(rows ...int) (points, targets []uint64) {
	for round := 0; ; round++ {
		before := len(points)
		for p, n := range rows {
			if round < n {
				points, targets = append(points, uint64(p)), append(targets, uint64(1000+p))
			}
		}
		if len(points) == before {
			return points, targets
		}
	}
}

// times returns numbers of rows: n for some points.
func times(points, n int) (rows []int) {
	for range points {
		rows = append(rows, n)
	}
	return rows
}

// few returns the points as one column of numbers.
func few(points []uint64) *Few {
	x := mat.NewDense(len(points), 1, nil)
	for i, p := range points {
		x.Set(i, 0, float64(p))
	}
	var reader rows.Reader
	reader.Reset(x)
	f := new(Few)
	f.Note(&reader)
	return f
}

func TestGroups(t *testing.T) {
	odd := func(n int) (rows []int) { // 1, 2, 3 and 4
		for p := range n {
			rows = append(rows, 1+p%4)
		}
		return rows
	}
	for _, c := range []struct {
		name       string
		rows       []int
		classes    int // of which targets are; 0: all are different
		differ     int // points at which the second row has another target
		anyNumbers bool
		want       bool
		alone      int // points whose rows are groups by themselves
	}{
		{"twice", times(60, 2), 0, 0, false, true, 0},
		{"seven points", times(7, 2), 0, 0, false, false, 0},
		{"eight points", times(8, 2), 0, 0, false, true, 0},
		{"ten times", times(20, 10), 0, 0, true, true, 0},
		{"eleven times", times(20, 11), 0, 0, true, false, 0},
		{"eleven times at many points", times(50, 11), 0, 0, false, true, 0},
		{"many numbers", odd(80), 0, 0, false, false, 0},
		{"many numbers that do not matter", odd(80), 0, 0, true, true, 0},
		{"many numbers of few points", odd(40), 0, 0, true, false, 0},
		{"one point of many 20 times", append(times(99, 1), 20), 0, 0, true, true, 0},
		{"the same, where numbers matter", append(times(99, 1), 20), 0, 0, false, false, 0},
		{"twice, but one of three and one alone", append(times(58, 2), 1, 3), 0, 0, false, true, 0},
		{"few points, one of three and one alone", append(times(38, 2), 1, 3), 0, 0, false, false, 0},
		{"about ten times, as if drawn", append(times(40, 10), append(times(40, 7), times(40, 13)...)...), 0, 0, false, false, 0},
		{"less than a tenth", append(times(100, 1), times(8, 2)...), 0, 0, false, false, 0},
		{"half with other targets", times(60, 2), 0, 30, false, true, 30},
		{"more than half with other targets", times(61, 2), 0, 31, false, false, 0},
		{"classes", times(60, 2), 2, 2, false, true, 2},
		{"three conflicts of classes", times(60, 2), 2, 3, false, false, 0},
		{"one of ten rows differs at 20 points", times(100, 10), 2, 20, true, true, 20},
		{"one of ten rows differs at 21 points", times(100, 10), 2, 21, true, false, 0},
		{"classes of two points", times(60, 2), 30, 0, false, false, 0},
		{"one class of two points", times(60, 2), 3, 0, false, true, 2},
		{"classes of three points", times(60, 2), 20, 0, false, true, 0},
	} {
		points, targets := joined(c.rows...)
		for i, p := range points {
			if c.classes > 0 {
				targets[i] = p % uint64(c.classes)
			}
			if c.classes == 3 {
				if targets[i] = p % 2; p < 2 {
					targets[i] = 2
				}
			}
			if i >= len(c.rows) && int(p) < c.differ {
				targets[i] += 5000
			}
		}
		first := Groups(points, targets, few(points), c.classes > 0, c.anyNumbers)
		if (first != nil) != c.want {
			t.Errorf("%s: groups %v, want any: %t", c.name, first, c.want)
			continue
		}
		alone := make(map[uint64]bool)
		for i, g := range first {
			if points[g] != points[i] || g > i {
				t.Fatalf("%s: row %d is in the group of %d", c.name, i, g)
			}
			if g == i && i >= len(c.rows) {
				alone[points[i]] = true
			}
		}
		if len(alone) != c.alone {
			t.Errorf("%s: rows of %d points leave alone, want %d", c.name, len(alone), c.alone)
		}
	}
}

// Few points of categories are no copies, and measured ones may be, in lists, too.
func TestMeasured(t *testing.T) {
	categories, measured := mat.NewDense(24, 4, nil), mat.NewDense(24, 4, nil)
	for i := range 24 {
		for j := range 4 {
			categories.Set(i, j, float64(i>>j&1)+float64(i>>4))
		}
		measured.Set(i, 3, float64(i/2+1))
	}
	for name, c := range map[string]struct {
		x    mat.Matrix
		want bool
	}{
		"categories": {categories, false}, "lists of categories": {testkit.NewLists(categories), false},
		"measured": {measured, true}, "measured, of lists": {testkit.NewLists(measured), true},
	} {
		var reader rows.Reader
		reader.Reset(c.x)
		f := new(Few)
		f.Note(&reader)
		if got := f.measured(); got != c.want {
			t.Errorf("%s: measured %t", name, got)
		}
		var points, targets []uint64
		for i := range 2 * 24 {
			points, targets = append(points, uint64(i%24)), append(targets, uint64(i%24))
		}
		if got := Groups(points, targets, f, false, true) != nil; got != c.want {
			t.Errorf("%s: copies %t", name, got)
		}
	}
}

func TestChecksum(t *testing.T) {
	if Checksum([]float64{0, 1}) != Checksum([]float64{math.Copysign(0, -1), 1}) || Checksum([]float64{0, 1}) == Checksum([]float64{1, 0}) {
		t.Error("checksums of zeros differ, or those of an order do not")
	}
}
