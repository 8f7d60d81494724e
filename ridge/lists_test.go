// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// Rows that are lists of non-zeros, more than fit in a chunk, give the model of the same rows dense.
func TestLists(t *testing.T) {
	phi := fourier(60, 100)
	x := testkit.Thin(featuremap.NewSampler(1), 11_000, 60, 0.1)
	y := mat.NewDense(11_000, 2, nil)
	y.Apply(func(i, j int, _ float64) float64 { return x.At(i, j) + x.At(i, j+1) }, y)
	lists := testkit.NewLists(x)
	want := must(Fit(phi, x, y, nil))
	equal(t, "model", modelBits(must(Fit(phi, lists, y, nil)), lists), modelBits(want, x))
}

// What is refused of a dense row is refused of a list, and so is what is no list of different coordinates;
// the accumulator stays as it was.
func TestListsRefuse(t *testing.T) {
	phi := fourier(4, 16)
	x, y := data(20, 4, 1, 3)
	a := must(NewAccumulator(phi, 1))
	if err := a.Add(testkit.NewLists(x), y); err != nil {
		t.Fatal(err)
	}
	before := encoded(a)
	target := mat.NewDense(2, 1, nil)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := &testkit.Lists{In: 4, Rows: [][]testkit.Entry{{}, {{J: 3, V: 1}, {J: 2, V: v}}}}
		expectError(t, a.Add(bad, target), fmt.Sprintf("ridge: x: row 1, column 2 = %v: must be finite", v))
	}
	for want, row := range map[error][]testkit.Entry{
		featuremap.ErrDuplicate: {{J: 2, V: 1}, {J: 2, V: 0}},
		mat.ErrColAccess:        {{J: 4, V: 1}},
	} {
		expectPanic(t, "Add", want, func() { _ = a.Add(&testkit.Lists{In: 4, Rows: [][]testkit.Entry{{}, row}}, target) })
	}
	if !bytes.Equal(encoded(a), before) {
		t.Error("the accumulator changed")
	}
}
