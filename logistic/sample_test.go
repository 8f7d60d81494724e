// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A sample of most rows has their features where they are, and brings them back to their places, whether λ is chosen or not; one of fewer rows copies
// them. Both have the features of its rows.
func TestSampleInPlace(t *testing.T) {
	const d = 3
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, d, 10, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{500, 5000, 9000} { // 3,000 of 5,000, and 7,500 of 9,000
		x, classes := mat.NewDense(n, d, nil), make([]int, n)
		featuremap.NewSampler(2).FillNormal(x.RawMatrix().Data)
		for i := range classes {
			if x.At(i, 0) > x.At(i, 1) {
				classes[i] = 1
			}
		}
		e := newTestDescent(t, phi, x, classes, nil)
		before := slices.Clone(e.slab.Data)
		row := func(a []float64, i int) []float64 { return a[i*e.stride:][:e.out] }
		s, err := e.newSample()
		if err != nil {
			t.Fatal(err)
		}
		for k, i := range s.rows {
			if !slices.Equal(row(s.chunk.Data, k), row(before, i)) {
				t.Fatalf("%d rows: row %d of the sample is not row %d", n, k, i)
			}
		}
		if &s.chunk.Data[0] != &e.slab.Data[0] {
			t.Errorf("%d rows: %d are copied", n, len(s.rows))
		}
		s.restore()
		if !slices.Equal(e.slab.Data, before) {
			t.Errorf("%d rows are not where they were", n)
		}
		if err := e.chooseLambda(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.slab.Data, before) {
			t.Errorf("%d rows are not where they were, once λ is chosen", n)
		}
		e.slab = blas64.General{}
		copied, err := e.newSample()
		if err != nil {
			t.Fatal(err)
		}
		if copied.order != nil {
			t.Errorf("%d rows: no copy", n)
		}
		for k, i := range copied.rows {
			if !slices.Equal(row(copied.chunk.Data, k), row(before, i)) {
				t.Fatalf("%d rows, copied: row %d of the sample is not row %d", n, k, i)
			}
		}
	}
}
