// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// NewDataDependent refuses points, options and sources of the penalty by the sizes and numbers that they have and should have, and
// features of the points that are not finite.
func TestDataDependentRefusals(t *testing.T) {
	x := testkit.NormalPoints(18, 6, 2)
	with := func(i, j int, v float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Set(i, j, v)
		return y
	}
	affinity := func(i, j int, v float64) *mat.Dense {
		w := mat.NewDense(6, 6, testkit.Constant(36, 1))
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
		{"x", base, nil, nil, "x = nil: base takes rows of 2 columns", nil},
		{"nil pointer x", base, (*mat.Dense)(nil), nil, "x = nil: base takes rows of 2 columns", nil},
		{"no rows", base, new(mat.Dense), nil, "x is 0×0: it has no rows, and base takes 2 columns", nil},
		{"width", base, testkit.NormalPoints(1, 6, 3), nil, "x is 6×3: base takes 2 columns", nil},
		{"width of one row", base, testkit.NormalPoints(1, 1, 7), nil, "x is 1×7: base takes 2 columns", nil},
		{"negative Alpha", base, x, &DataDependentOptions{Alpha: -1}, "Alpha = -1", nil},
		{"NaN Alpha", base, x, &DataDependentOptions{Alpha: nan}, "Alpha = NaN", nil},
		{"infinite Alpha", base, x, &DataDependentOptions{Alpha: inf}, "Alpha = +Inf", nil},
		{"negative Power", base, x, &DataDependentOptions{Power: -1}, "Power = -1", nil},
		{"large Power", base, x, &DataDependentOptions{Power: 1001}, "Power = 1001", nil},
		{"no source", base, x, &DataDependentOptions{Alpha: 1}, "0 of Affinity, Neighbors and Features", nil},
		{"two sources", base, x, &DataDependentOptions{Alpha: 1, Neighbors: 2, Features: psi}, "2 of Affinity", nil},
		{"three sources", base, x, &DataDependentOptions{Neighbors: 2, Features: psi, Affinity: affinity(0, 0, 1)}, "3 of Affinity", nil},
		{"few Neighbors", base, x, &DataDependentOptions{Alpha: 1, Neighbors: -1}, "Neighbors = -1", nil},
		{"many Neighbors", base, x, &DataDependentOptions{Alpha: 1, Neighbors: 6}, "Neighbors = 6: must be from 1 to 5", nil},
		{"Affinity's shape", base, x, &DataDependentOptions{Alpha: 1, Affinity: x}, "Affinity is 6×2: must be 6×6", nil},
		{"empty Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: new(mat.Dense)}, "Affinity is 0×0: must be 6×6", nil},
		{"negative Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(2, 3, -1)}, "Affinity: element (2, 3) = -1", nil},
		{"NaN Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(5, 5, nan)}, "Affinity: element (5, 5) = NaN", nil},
		{"infinite Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(1, 0, inf)}, "Affinity: element (1, 0) = +Inf", nil},
		{"asymmetric Affinity", base, x, &DataDependentOptions{Alpha: 1, Affinity: affinity(1, 4, 1.001)}, "element (1, 4) = 1.001 and (4, 1) = 1", nil},
		{"Affinity's sum", base, x, &DataDependentOptions{Alpha: 1, Affinity: mat.NewDense(6, 6, testkit.Constant(36, 1e308))}, "sum of row 0 is +Inf", nil},
		{"Features' width", base, x, &DataDependentOptions{Alpha: 1, Features: newQuadratic(3, NewSampler(1))}, "Features takes 3 columns: x has 2", nil},
		{"NaN in x", base, with(4, 1, nan), &neighbors, "x: row 4, column 1 = NaN", nil},
		{"Inf in x, Alpha = 0", base, with(0, 1, inf), nil, "x: row 0, column 1 = +Inf", nil},
		{"base's features", base, with(3, 0, 1e200), &DataDependentOptions{Alpha: 1, Affinity: affinity(0, 0, 1)}, "features of x by base: row 3, column 0", nil},
		{"features", fourierBase(t, 2, 4), with(3, 0, 1e200), &DataDependentOptions{Alpha: 1, Features: psi}, "features of x by Features: row 3, column 0", nil},
		{"base's features, streaming", base, with(3, 0, 1e200), &DataDependentOptions{Alpha: 1, Features: fourierBase(t, 2, 4)}, "features of x by base: row 3, column 0", nil},
		{"squared features", base, with(3, 0, 1e100), &DataDependentOptions{Alpha: 1, Affinity: affinity(0, 0, 1)}, "sums of products", nil},
		{"row sums' size", fourierBase(t, 2, 4), with(3, 0, 1e100), &DataDependentOptions{Alpha: 1, Features: psi}, "the sum of row 3 of W", nil},
		{"distances", fourierBase(t, 2, 4), with(3, 0, 1e200), &neighbors, "mean distance to 2 neighbors is +Inf", nil},
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
