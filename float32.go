// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	narrow "github.com/seed-0f95ebc1/featuremap/internal/single"

	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
)

// Maps of rows of float32.

// A Map32 is a map φ: R^in → R^out from rows of float32 to features of float32: see Float32. It is a type of its own,
// with its own bits, so the two precisions are never mixed silently.
//
// A Map32 is immutable and safe for concurrent use. TransformTo and TransformVec give the same bits for the same point,
// whatever the batch, its layout, the number of goroutines and the machine. A NaN stays in its row; an Inf makes
// features NaN or Inf. Subnormal numbers are kept. What overflows, beyond 3.4e38, is Inf, and its cosine NaN.
//
// To save a Map32, Encode its Float64. Float32 of the decoded map has the same bits.
//
// The zero value is no map: its Dims are 0 and 0, and its Kernel is nil.
type Map32 struct {
	from  FeatureMap // the map in float64
	stack *narrow.Stack
}

// Float32 returns m in float32, with its weights rounded once. It takes about half the time, and its features half the
// memory.
//
// Center data that are far from the origin: a phase of t turns is rounded by about 6e-8·|t|. Up to ten turns, features
// are within about 1e-5 of the features of m, times their scale. Estimates ⟨φ(x), φ(y)⟩, whose errors average out, are
// within 1e-6 times the kernel's scale, far below the random error of the map. Beyond ten turns the error grows
// linearly with the phase. Variances and plans are the same as for m.
//
// Float32 takes Fourier maps of all designs, Neurons, features of linear and constant terms, sums of these, and
// weights, behind ARD, Project and Select. A Weighter is called with the row in float64.
//
// It returns an error if m is nil or the zero value, and one that names the part of m that has no float32 form, such as
// a Maclaurin map. Maps of other packages, which may embed a map and change it, are refused by their type.
func Float32(m FeatureMap) (*Map32, error) {
	if err := validateMap("map m", m); err != nil {
		return nil, err
	}
	c, ok := m.(interface{ common() *compiled })
	if !ok || !check.Own(m) {
		return nil, fmt.Errorf("featuremap: no float32 of a %T", m)
	}
	own := c.common()
	stack, part := own.stack.Single()
	if stack == nil {
		b := own.segmentOf(part)
		k := own.plan.engine.Kernel
		if b.Base != nil {
			k = b.Base.Expr()
		}
		return nil, fmt.Errorf("featuremap: no float32 of features of %s (%v)", gosyntax.Of(k), b.Recipe)
	}
	return &Map32{from: m, stack: stack}, nil
}

// Dims returns the numbers of coordinates in and features out.
func (m *Map32) Dims() (in, out int) {
	if m.from == nil {
		return 0, 0
	}
	return m.from.Dims()
}

// Kernel returns the kernel that the inner products of features estimate, and nil for a zero value.
func (m *Map32) Kernel() Kernel {
	if m.from == nil {
		return nil
	}
	return m.from.Kernel()
}

// Float64 returns the map that m was made from, and nil for a zero value.
func (m *Map32) Float64() FeatureMap { return m.from }

// String returns "in float32: " and the String of the map in float64.
func (m *Map32) String() string {
	if m.from == nil {
		return zeroMap
	}
	return fmt.Sprintf("in float32: %v", m.from)
}

// TransformTo sets row i of dst, n×out, to the features of row i of x, n×in, with up to GOMAXPROCS goroutines. It
// panics with mat.ErrZeroLength if n is 0, with mat.ErrShape if shapes differ, a stride is less than the columns or the
// data too short, and with a message if the memory of dst and x overlaps.
func (m *Map32) TransformTo(dst, x blas32.General) {
	in, out := m.Dims()
	if x.Rows == 0 {
		panic(mat.ErrZeroLength)
	}
	if in == 0 || x.Cols != in || dst.Cols != out || dst.Rows != x.Rows || !narrow.Whole(dst) || !narrow.Whole(x) {
		panic(mat.ErrShape)
	}
	if narrow.OverlapMatrix(dst, x) {
		panic("featuremap: dst and x overlap")
	}
	m.stack.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns dst. A nil dst is allocated. It panics with mat.ErrShape if
// x does not have length in or dst length out, and with a message if they overlap.
func (m *Map32) TransformVec(dst, x []float32) []float32 {
	in, out := m.Dims()
	if in == 0 || len(x) != in || dst != nil && len(dst) != out {
		panic(mat.ErrShape)
	}
	if dst == nil {
		dst = make([]float32, out)
	}
	if narrow.Overlap(dst, x) {
		panic("featuremap: dst and x overlap")
	}
	m.stack.TransformVec(dst, x)
	return dst
}
