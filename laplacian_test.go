// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// The heat graph of points with many coordinates, of which distances take a part only.
func TestDataDependentNeighbors(t *testing.T) {
	t.Parallel()
	const n, d = 90, 150
	x := normalPoints(19, n, d)
	for i := range n {
		floats.Add(x.RawRowView(i), normalPoints(uint64(i%5), 1, d).RawRowView(0)) // five clusters
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
	x := normalPoints(16, 12, 3)
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
		"subnormal weights": {Alpha: 1, Affinity: mat.NewDense(12, 12, constant(144, 5e-324))},
		"large weights":     {Alpha: 1, Affinity: mat.NewDense(12, 12, constant(144, 1e307))},
		"nearly symmetric":  {Alpha: 1, Affinity: mat.NewDense(12, 12, append([]float64{1, 1 + 1e-12}, constant(142, 1)...))},
		"large Alpha":       {Alpha: math.MaxFloat64, Neighbors: 11},
		"small Alpha":       {Alpha: 5e-324, Neighbors: 1},
		"equal points":      {Alpha: 1, Neighbors: 2},
		"large Power":       {Alpha: 1, Power: 1000, Features: newQuadratic(3, NewSampler(17))},
	} {
		points := x
		if name == "equal points" {
			points = mat.NewDense(12, 3, constant(36, 7))
		}
		m := newDataDependent(t, base, points, o)
		for _, v := range m.TransformVec(nil, x.RawRowView(1)) {
			if !(math.Abs(v) <= 1) {
				t.Errorf("%s: feature %v", name, v)
			}
		}
	}
}

func constant(n int, v float64) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = v
	}
	return a
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

func TestDataDependentRefusals(t *testing.T) {
	x := normalPoints(18, 6, 2)
	with := func(i, j int, v float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Set(i, j, v)
		return y
	}
	affinity := func(i, j int, v float64) *mat.Dense {
		w := mat.NewDense(6, 6, constant(36, 1))
		w.Set(i, j, v)
		return w
	}
	base, psi := newQuadratic(2, NewSampler(1)), newQuadratic(2, NewSampler(2))
	neighbors := DataDependentOptions{Alpha: 1, Neighbors: 2}
	inf, nan := math.Inf(1), math.NaN()
	signs := mat.NewDense(6, 2, []float64{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, -1, 0})
	// All row sums are 6, W(4, 5) = −3, and BᵀB = diag(6, 8)/6.
	mixed := mat.NewDense(6, 2, []float64{1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 1, -2})
	for _, c := range []struct {
		name string
		base FeatureMap
		x    mat.Matrix
		o    *DataDependentOptions
		want string
		is   error
	}{
		{"base", nil, x, nil, "base = nil", nil},
		{"nil pointer base", (*Fourier)(nil), x, nil, "base = nil", nil},
		{"kernel", noKernel{base}, x, nil, "Kernel = nil", nil},
		{"x", base, nil, nil, "x = nil", nil},
		{"nil pointer x", base, (*mat.Dense)(nil), nil, "x = nil", nil},
		{"no rows", base, new(mat.Dense), nil, "no rows", nil},
		{"width", base, normalPoints(1, 6, 3), nil, "x is 6×3: base takes 2", nil},
		{"negative Alpha", base, x, &DataDependentOptions{Alpha: -1}, "Alpha = -1", nil},
		{"NaN Alpha", base, x, &DataDependentOptions{Alpha: nan}, "Alpha = NaN", nil},
		{"infinite Alpha", base, x, &DataDependentOptions{Alpha: inf}, "Alpha = +Inf", nil},
		{"negative Power", base, x, &DataDependentOptions{Power: -1}, "Power = -1", nil},
		{"large Power", base, x, &DataDependentOptions{Power: 1001}, "Power = 1001", nil},
		{"no source", base, x, &DataDependentOptions{Alpha: 1}, "0 of Affinity, Neighbors and Features", nil},
		{"two sources", base, x, &DataDependentOptions{Alpha: 1, Neighbors: 2, Features: psi}, "2 of Affinity", nil},
		{"three sources", base, x, &DataDependentOptions{Neighbors: 2, Features: psi, Affinity: affinity(0, 0, 1)}, "3 of Affinity", nil},
		{"few Neighbors", base, x, &DataDependentOptions{Alpha: 1, Neighbors: -1}, "Neighbors = -1", nil},
		{"many Neighbors", base, x, &DataDependentOptions{Alpha: 1, Neighbors: 6}, "Neighbors = 6", nil},
		{"Affinity's shape", base, x, &DataDependentOptions{Alpha: 1, Affinity: x}, "Affinity is 6×2", nil},
		{"negative Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(2, 3, -1)}, "Affinity: element (2, 3) = -1", nil},
		{"NaN Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(5, 5, nan)}, "Affinity: element (5, 5) = NaN", nil},
		{"infinite Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(1, 0, inf)}, "Affinity: element (1, 0) = +Inf", nil},
		{"asymmetric Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(1, 4, 1.001)}, "element (1, 4) = 1.001 and (4, 1) = 1", nil},
		{"Affinity's sum", base, x, &DataDependentOptions{Alpha: 1, Affinity: mat.NewDense(6, 6, constant(36, 1e308))}, "sum of row 0 is +Inf", nil},
		{"Features' width", base, x, &DataDependentOptions{Alpha: 1, Features: newQuadratic(3, NewSampler(1))}, "Features takes 3 columns", nil},
		{"NaN in x", base, with(4, 1, nan), &neighbors, "x: row 4, column 1 = NaN", nil},
		{"Inf in x, Alpha = 0", base, with(0, 1, inf), nil, "x: row 0, column 1 = +Inf", nil},
		{"base's features", base, with(3, 0, 1e200), &DataDependentOptions{Alpha: 1, Affinity: affinity(0, 0, 1)}, "features of x by base: row 3, column 0", nil},
		{"features", fourierBase(t, 2, 4), with(3, 0, 1e200), &DataDependentOptions{Alpha: 1, Features: psi}, "features of x by Features: row 3, column 0", nil},
		{"base's features, streaming", base, with(3, 0, 1e200), &DataDependentOptions{Alpha: 1, Features: fourierBase(t, 2, 4)}, "features of x by base: row 3, column 0", nil},
		{"squared features", base, with(3, 0, 1e100), &DataDependentOptions{Alpha: 1, Affinity: affinity(0, 0, 1)}, "sums of products", nil},
		{"row sums' size", fourierBase(t, 2, 4), with(3, 0, 1e100), &DataDependentOptions{Alpha: 1, Features: psi}, "the sum of row 3 of W", nil},
		{"distances", fourierBase(t, 2, 4), with(3, 0, 1e200), &neighbors, "mean distance to 2 neighbours is +Inf", nil},
		{"row sums", base, signs, &DataDependentOptions{Alpha: 1, Features: identity{}}, "the sum of row 5 of W = ΨΨᵀ is -4", nil},
		{"indefinite Laplacian", base, mixed, &DataDependentOptions{Alpha: 1, Features: identity{}}, "has the eigenvalue -0.33333", ErrNotPSD},
		{"memory", wide{base}, x, &neighbors, "matrices take", nil},
	} {
		m, err := NewDataDependent(c.base, c.x, c.o)
		if m != nil || err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %q, want %q", c.name, err, c.want)
		}
		if errors.Is(err, ErrNotPSD) != (c.is == ErrNotPSD) {
			t.Errorf("%s: error %q is ErrNotPSD: want %v", c.name, err, c.is == ErrNotPSD)
		}
	}
}

// identity is the map of R² that changes nothing.
type identity struct{}

func (identity) Dims() (in, out int)                      { return 2, 2 }
func (identity) Kernel() Kernel                           { return Linear{} }
func (identity) TransformTo(dst *mat.Dense, x mat.Matrix) { dst.Copy(x) }
func (identity) TransformVec(dst, x []float64) []float64  { return append(dst[:0], x...) }

// noKernel is a map without a kernel, wide one with more features than memory holds.
type noKernel struct{ FeatureMap }

func (noKernel) Kernel() Kernel { return nil }

type wide struct{ FeatureMap }

func (wide) Dims() (in, out int) { return 2, 1 << 25 }
