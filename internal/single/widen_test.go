// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Every tier widens numbers of any length exactly, special ones too, and nothing beyond them.
func TestWidenEqualsPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for n := range 100 {
		x := random(rng, 3, n+1, true)
		for _, tr := range tier.Available() {
			dst := []float64{mark, mark}
			dst = append(make([]float64, n+1), dst...)
			widenIn(tr, dst[:n+1], x.Data[:n+1])
			for i, v := range x.Data[:n+1] {
				if math.Float64bits(dst[i]) != math.Float64bits(float64(v)) && v == v {
					t.Fatalf("%v: element %d of %d is %v, want %v", tr, i, n+1, dst[i], v)
				}
			}
			if dst[n+1] != mark {
				t.Fatalf("%v: wrote beyond %d", tr, n+1)
			}
		}
		wide := blas64.General{Rows: 3, Cols: n + 1, Stride: n + 4, Data: make([]float64, 3*(n+4))}
		Widen(wide, x)
		for i := range 3 {
			for j := range n + 1 {
				if v, w := wide.Data[i*wide.Stride+j], x.Data[i*x.Stride+j]; v != float64(w) && w == w {
					t.Fatalf("element %d, %d is %v, want %v", i, j, v, w)
				}
			}
		}
	}
}
