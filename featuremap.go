// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A FeatureMap is a map φ: R^in → R^out whose inner products approximate a kernel: ⟨φ(x), φ(y)⟩ ≈ k(x, y), where k is
// the Kernel.
//
// The estimates are unbiased, except with DataDependent, Nystrom, a TruncatedLaw, and plans for rows without
// PlanOptions.Unbiased. Averages over several maps keep a bias: see Plan.Bias.
//
// Maps are immutable and safe for concurrent use. Both transformations give the same bits for the same point, whatever
// the batch, its layout and the number of goroutines. A feature that reads a NaN is NaN, and one that reads an Inf is
// NaN or Inf; other rows are not affected.
//
// The zero value of a map type is no map: its Dims, numbers and slices are 0 or empty, and its Kernel is nil. What
// takes points panics with mat.ErrShape or returns an error, and constructors refuse it.
type FeatureMap interface {
	// Dims returns the number of coordinates of a point and the number of features.
	Dims() (in, out int)

	// Kernel returns the kernel that the inner products of features estimate.
	Kernel() Kernel

	// TransformTo sets row i of dst to the features of row i of x, an n×in matrix, with up to GOMAXPROCS goroutines. An
	// empty dst is sized. It panics with mat.ErrZeroLength if n is 0, with mat.ErrShape if x does not have in columns
	// or dst is neither empty nor n×out, as gonum does if dst overlaps x, and with the size if there is no memory for
	// dst.
	//
	// In most maps a sparse row (of a mat.RowNonZeroDoer) takes time in proportion to its nonzeros. Two entries of one
	// coordinate panic with ErrDuplicate, and one outside of x with mat.ErrColAccess: see docs/reference/maps.md.
	TransformTo(dst *mat.Dense, x mat.Matrix)

	// TransformVec writes the features of x to dst and returns dst. A nil dst is allocated. It panics with mat.ErrShape
	// if x does not have length in or dst length out, and as gonum does if they overlap.
	TransformVec(dst, x []float64) []float64
}

// A Variancer is a map that knows the variance of its estimate ⟨φ(x), φ(y)⟩ of k(x, y), over the randomness of the map.
// Every map of the package says where its variance is exact.
type Variancer interface {
	// Variance returns the variance of ⟨φ(x), φ(y)⟩. It panics with mat.ErrShape if x or y does not have the input
	// length of the map.
	Variance(x, y []float64) float64
}

// zeroMap describes the zero value of a map type, in errors and in String.
const zeroMap = "a zero value, which is no map"

// validateMap refuses a map that is nil or, like a zero value, has no dimensions.
func validateMap(name string, m FeatureMap) error {
	if check.IsNil(m) {
		return fmt.Errorf("featuremap: %s = nil", name)
	}
	switch in, out := m.Dims(); {
	case in == 0 && out == 0:
		return fmt.Errorf("featuremap: %s is a %T of Dims 0 and 0: %s", name, m, zeroMap)
	case in < 1 || out < 1:
		return fmt.Errorf("featuremap: %s has Dims %d and %d: must be at least 1", name, in, out)
	}
	return nil
}

// pairsOf returns a function that returns two rows of x, valid until the next call. If x is small and does not show its
// data, its rows are copied at once.
func pairsOf(x mat.Matrix) func(i, j int) (a, b []float64) {
	var first, second rows.Reader
	first.Reset(x)
	if first.Lists == nil && first.Step() >= first.N {
		all := first.All()
		return func(i, j int) (a, b []float64) { return all[i], all[j] }
	}
	second.Reset(x)
	return func(i, j int) (a, b []float64) { return first.Inside(i), second.Inside(j) }
}

// noJSON is embedded by maps, whose fields encoding/json does not see. Without it their JSON would silently be {}.
type noJSON struct{}

// MarshalJSON returns an error: use Encode to save a map.
func (noJSON) MarshalJSON() ([]byte, error) {
	return nil, errors.New("featuremap: a map is saved by Encode, not as JSON")
}
