// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/copied"
)

// inTwoCopies returns points of a normal distribution, each there twice.
func inTwoCopies(points int) *mat.Dense {
	half := make([]float64, 2*points)
	featuremap.NewSampler(8).FillNormal(half)
	return mat.NewDense(2*points, 2, append(half, half...))
}

// Copies of labels leave together, except for those of a class with fewer than three points.
func TestCopiesOfLabels(t *testing.T) {
	x := inTwoCopies(60)
	for class, want := range map[int]bool{2: false, 3: true} {
		classes := make([]int, 120)
		for i := range classes {
			if i%60 < class {
				classes[i] = 1
			}
		}
		y, err := Labels(classes, 2)
		if err != nil {
			t.Fatal(err)
		}
		c := newMemoryRows(x, y, nil).copyFinder().copies(true)
		for i, k := range classes {
			if got := c.leave(i); got != (want || k == 0) {
				t.Errorf("%d points of a class, row %d of class %d: copies are left out together: %v", class, i, k, got)
			}
		}
	}
}

// Beyond copied.Most rows there is no memory for checksums, and no copies.
func TestCopiesOfManyRows(t *testing.T) {
	x := inTwoCopies(64)
	y := mat.NewDense(128, 1, nil)
	rows := newMemoryRows(x, y, nil)
	f := new(copyFinder)
	for range copied.Most / 128 {
		f.note(rows.reader, y, nil)
	}
	if f.copies(false) == nil {
		t.Errorf("%d rows: no copies", copied.Most)
	}
	f.note(rows.reader, y, nil)
	if f.copies(false) != nil || f.points != nil {
		t.Errorf("more than %d rows: checksums are kept", copied.Most)
	}
}
