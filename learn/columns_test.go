// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// takenColumns returns which columns a regression begins with: rows of one column that matters and three of noise of another size.
func takenColumns(t *testing.T, noise float64) (names []string) {
	t.Helper()
	s := featuremap.NewSampler(1)
	const n, d = 80, 4
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, noise*s.Normal())
		}
		x.Set(i, 0, 3*s.Float64())
		y.Set(i, 0, math.Sin(2*x.At(i, 0)))
	}
	r, err := Regression(x, y, &Options{Features: 64, TestRows: numbers(n)[n-n/10:]}) // one fold, to save time
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Choices {
		if c.Step == "columns" && c.Taken {
			names = append(names, c.Name)
		}
	}
	return names
}

// Columns are taken as they are where those of small deviations do not matter, and divided by their deviations where those of large
// ones do not.
func TestColumnsAsTheyAre(t *testing.T) {
	fewFeatures(t)
	if got := takenColumns(t, 0.01); !slices.Equal(got, columnNames[1:]) {
		t.Errorf("small noise: %q", got)
	}
	if got := takenColumns(t, 30); !slices.Equal(got, columnNames[:1]) {
		t.Errorf("large noise: %q", got)
	}
}

// Stages with a length for each column come after the others, each in order of evidence.
func TestSimplerFirst(t *testing.T) {
	var stages []*learnedStage
	for _, c := range []Choice{{Name: "matrix", LogEvidence: 4}, {Name: "given", LogEvidence: 1}, {Name: "one length", LogEvidence: 2}, {Name: "lengths", LogEvidence: 3}} {
		stages = append(stages, &learnedStage{Choice: c})
	}
	var names []string
	for _, g := range simplerFirst(stages) {
		names = append(names, g.Name)
	}
	if want := []string{"one length", "given", "matrix", "lengths"}; !slices.Equal(names, want) || stages[0].Name != "matrix" {
		t.Errorf("%q, want %q", names, want)
	}
}
