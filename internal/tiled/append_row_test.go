// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A row by itself goes where Append puts it, and is refused where Append refuses it.
func TestAppendRow(t *testing.T) {
	for _, n := range sizes() {
		for _, tr := range tiers() {
			z := random(rand.New(rand.NewPCG(7, 8)), 5, n)
			got, want := newBlockIn(tr, n), newBlockIn(tr, n)
			if want.Append(z) >= 0 {
				t.Fatal("rows refused")
			}
			for i := range 5 {
				row := z.Data[i*z.Stride:][:n]
				for _, bad := range []float64{math.NaN(), math.Inf(1), -Limit} {
					changed := slices.Clone(row)
					changed[i*n/5] = bad
					if got.AppendRow(changed) || got.Rows() != i {
						t.Fatalf("%v, n = %d: a row with %v was added", tr, n, bad)
					}
				}
				if !got.AppendRow(row) || got.Rows() != i+1 {
					t.Fatalf("%v, n = %d: row %d refused", tr, n, i)
				}
			}
			if !slices.Equal(got.data, want.data) {
				t.Errorf("%v, n = %d: row by row differs", tr, n)
			}
		}
	}
}
