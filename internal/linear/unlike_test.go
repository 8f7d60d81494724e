// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package linear

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Over all sets of marks the standard score of the rank sum has a mean of 0 and a mean square of 1; of equal numbers it is 0.
func TestRankScore(t *testing.T) {
	v := []float64{1, 2, 3, 5, 8, 13}
	order := []int{0, 1, 2, 3, 4, 5}
	for _, some := range []int{1, 2, 3} {
		var sum, square, n float64
		for set := range 1 << len(v) {
			marked, count := make([]bool, len(v)), 0
			for i := range v {
				if marked[i] = set>>i&1 == 1; marked[i] {
					count++
				}
			}
			if count == some {
				z := rankScore(v, marked, order)
				sum, square, n = sum+z, square+float64(z*z), n+1
			}
		}
		if !(math.Abs(sum/n) <= 1e-15 && math.Abs(square/n-1) <= 1e-14) {
			t.Errorf("%d of 6: mean %v, mean square %v", some, sum/n, square/n)
		}
	}
	if z := rankScore([]float64{4, 4, 4}, []bool{true, false, false}, []int{0, 1, 2}); z != 0 {
		t.Errorf("equal numbers: %v", z)
	}
}

// Of random sets of landmarks none is unlike the rows. Sets with all of the outermost rows are, unless most rows are landmarks.
func TestUnlike(t *testing.T) {
	const n = 600
	s := featuremap.NewSampler(1)
	x := mat.NewDense(n, 3, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range 20 { // far out
		x.Set(i, i%3, 30+float64(10*i))
	}
	k := featuremap.Gaussian{LengthScale: 20}
	for _, share := range []float64{0.05, 0.4, 0.8} {
		for _, first := range []int{0, 20} { // rows that are landmarks for certain
			for range 5 {
				index := []int{}
				for i := range n {
					if i < first || s.Float64() < share {
						index = append(index, i)
					}
				}
				var reader rows.Reader
				reader.Reset(x)
				phi, err := featuremap.NewNystrom(k, reader.Gather(index), len(index), featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows})
				if err != nil {
					t.Fatal(err)
				}
				m := NewMarks(phi)
				m.Note(&reader, nil)
				if got := m.unlike(); got != (first > 0 && share < 0.8) {
					t.Errorf("a share of %v, the first %d: %v", share, first, got)
				}
			}
		}
	}
}
