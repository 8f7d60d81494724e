// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package check

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/region"
)

// Transform checks the arguments of TransformTo for a map R^in → R^out, and sizes dst.
func Transform(dst *mat.Dense, x mat.Matrix, in, out int) {
	n, c := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	if c != in {
		panic(mat.ErrShape)
	}
	Size(dst, n, out)
	region.CheckMatrix(dst.RawMatrix(), x)
}

// Vector checks the arguments of TransformVec for a map R^in → R^out and returns dst, which may be nil.
func Vector(dst, x []float64, in, out int) []float64 {
	if len(x) != in {
		panic(mat.ErrShape)
	}
	if dst == nil {
		return make([]float64, out)
	}
	if len(dst) != out {
		panic(mat.ErrShape)
	}
	region.Check(region.Vector(dst), region.Vector(x))
	return dst
}

// Size sizes an empty dst to r×c, and panics if dst has another shape or there is no memory for it.
func Size(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		MustFit("numbers", r, c, 0)
		dst.ReuseAs(r, c)
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
}
