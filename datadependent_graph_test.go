// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// The graph of nearest neighbors of points with 150 coordinates, of which distances are summed in parts, is the heat graph of
// the test's own affinities.
func TestDataDependentNeighbors(t *testing.T) {
	t.Parallel()
	const n, d = 90, 150
	x := testkit.NormalPoints(19, n, d)
	for i := range n {
		floats.Add(x.RawRowView(i), testkit.NormalPoints(uint64(i%5), 1, d).RawRowView(0)) // five clusters
	}
	base := fourierBase(t, d, 20)
	for _, k := range []int{1, 7, n - 1} {
		a := gramOf(newDataDependent(t, base, x, DataDependentOptions{Alpha: 1, Neighbors: k}), x)
		b := gramOf(newDataDependent(t, base, x, DataDependentOptions{Alpha: 1, Affinity: heat(x, k)}), x)
		if !mat.EqualApprox(a, b, 1e-10) {
			t.Errorf("Neighbors = %d: not the heat graph", k)
		}
	}
}

// Points without edges have a row of I in L, by every source; weights and a penalty of any
// size do no harm.
func TestDataDependentExtremes(t *testing.T) {
	x := testkit.NormalPoints(16, 12, 3)
	for i := range 3 {
		x.SetRow(4*i, make([]float64, 3)) // three points in one
	}
	base := fourierBase(t, 3, 16)
	estimate := gramOf(base, x)
	for _, o := range []DataDependentOptions{
		{Affinity: mat.NewDense(12, 12, nil)},
		{Affinity: gramOf(squares{}, x)},
		{Features: squares{}},
	} {
		w := mat.NewDense(12, 12, nil)
		if o.Features != nil {
			w = gramOf(squares{}, x)
		} else {
			w.Copy(o.Affinity)
		}
		o.Alpha = 2
		var want mat.Dense
		want.Product(estimate, deformation(t, estimate, penaltyOf(w, o.Alpha, 1)), estimate)
		want.Sub(estimate, &want)
		if !mat.EqualApprox(gramOf(newDataDependent(t, base, x, o), x), &want, 1e-12) {
			t.Errorf("%T, %T: features and equation (16) differ", o.Affinity, o.Features)
		}
	}
	for name, o := range map[string]DataDependentOptions{
		"subnormal weights": {Alpha: 1, Affinity: mat.NewDense(12, 12, testkit.Constant(144, 5e-324))},
		"large weights":     {Alpha: 1, Affinity: mat.NewDense(12, 12, testkit.Constant(144, 1e307))},
		"nearly symmetric":  {Alpha: 1, Affinity: mat.NewDense(12, 12, append([]float64{1, 1 + 1e-12}, testkit.Constant(142, 1)...))},
		"large Alpha":       {Alpha: math.MaxFloat64, Neighbors: 11},
		"small Alpha":       {Alpha: 5e-324, Neighbors: 1},
		"equal points":      {Alpha: 1, Neighbors: 2},
		"large Power":       {Alpha: 1, Power: 1000, Features: newQuadratic(3, NewSampler(17))},
	} {
		points := x
		if name == "equal points" {
			points = mat.NewDense(12, 3, testkit.Constant(36, 7))
		}
		m := newDataDependent(t, base, points, o)
		for _, v := range m.TransformVec(nil, x.RawRowView(1)) {
			if !(math.Abs(v) <= 1) {
				t.Errorf("%s: feature %v", name, v)
			}
		}
	}
}

// squares is the map (x₁², x₂², x₃²), whose inner products are not negative, and 0 with the
// origin.
type squares struct{ FeatureMap }

func (squares) Dims() (in, out int) { return 3, 3 }

func (squares) TransformTo(dst *mat.Dense, x mat.Matrix) {
	if dst.IsEmpty() {
		dst.ReuseAs(x.Dims())
	}
	dst.MulElem(x, x)
}
