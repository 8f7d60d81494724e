// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// listsWithoutAt are lists whose elements cannot be read one by one.
type listsWithoutAt struct{ *testkit.Lists }

func (listsWithoutAt) At(int, int) float64 { panic("not to be called") }

// Kernels of rows that are lists have the bits of the same rows dense, and are not read by At: of rows far from the points, near
// them, equal and opposite to them, full and empty, with points whose center is not 0 everywhere.
func TestGramLists(t *testing.T) {
	const in, n, m = 400, 40, 60
	points := testkit.Thin(NewSampler(1), m, in, 0.05)
	for i := range m {
		for j := 0; j < in; j += 9 {
			points.Set(i, j, 1+0.1*float64(i%3))
		}
	}
	x := testkit.Thin(NewSampler(2), n, in, 0.03)
	for j := range in {
		x.Set(0, j, points.At(7, j))
		x.Set(1, j, points.At(7, j)*(1+1e-7))
		x.Set(2, j, -3*points.At(8, j))
		x.Set(3, j, float64(j)/50)
		x.Set(4, j, 0)
		x.Set(5, j, points.At(9, j)*1e-160)
	}
	g := Gaussian{LengthScale: 12}
	for name, k := range map[string]Kernel{
		"Gaussian":    g,
		"Matern":      Matern{Nu: 0.3, LengthScale: 5}, // extreme distances are computed from the points
		"Polynomial":  Polynomial{Degree: 2, Gamma: 0.1, Offset: 1},
		"ArcCosine":   ArcCosine{Order: 0},
		"ARD":         ARD(lengths(in), g),
		"a sum":       Sum(g, Product(Linear{}, Scale(3, RationalQuadratic{Alpha: 2, LengthScale: 7}))),
		"Periodic":    Periodic{Period: 3, LengthScale: 9},
		"Project":     Project(testkit.NormalPoints(3, 5, in), g),
		"one by one":  opaqueKernel{g},
		"of no point": Scale(2, Constant{}),
	} {
		matrix := NewKernelMatrix(k, points)
		want, got := matrix.Rows(x), matrix.Rows(listsWithoutAt{testkit.NewLists(x)})
		for i := range n {
			if !testkit.SameFeatures(got.RawRowView(i), want.RawRowView(i)) {
				t.Errorf("%s: row %d differs", name, i)
			}
		}
		if got, want := matrix.Diagonal(listsWithoutAt{testkit.NewLists(x)}), matrix.Diagonal(x); !testkit.SameFeatures(got, want) {
			t.Errorf("%s: the diagonal differs: %v, want %v", name, got, want)
		}
		var cross mat.Dense
		if CrossGram(&cross, k, x, points); !mat.Equal(&cross, want) {
			t.Errorf("%s: CrossGram differs", name)
		}
	}
}
