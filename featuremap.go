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

// A FeatureMap is an explicit map φ: R^in → R^out with ⟨φ(x), φ(y)⟩ ≈ k(x, y) for the kernel k that Kernel
// returns. Estimates of this package's maps are unbiased, except those of a DataDependent, of Nystrom,
// of a TruncatedLaw, and of plans for rows without PlanOptions.Unbiased. Averages over maps keep a bias: see Plan.Bias.
//
// The zero value of a type of maps is no map: its Dims are 0 and 0, its Kernel is nil, numbers and slices that it returns
// are 0 and empty, what takes points panics with mat.ErrShape or returns an error, and constructors refuse it.
//
// Maps are immutable and safe for concurrent use. Both transformations give the same bits for the same
// point, whatever the batch, its layout, and the number of goroutines. A feature that reads a NaN is NaN,
// one that reads an Inf is NaN or Inf; the features of other rows are untouched.
type FeatureMap interface {
	// Dims returns the numbers of coordinates in and features out.
	Dims() (in, out int)

	// Kernel returns the kernel that the inner products of features estimate.
	Kernel() Kernel

	// TransformTo sets row i of dst to the features of row i of x, an n×in matrix, over up to GOMAXPROCS goroutines. An
	// empty dst is sized. It panics with mat.ErrZeroLength if n is 0, with mat.ErrShape if the width of x is not in or dst
	// is neither empty nor n×out, as gonum does if dst overlaps x, and with the size if there is no memory for dst.
	//
	// Rows of a mat.RowNonZeroDoer, such as compressed sparse rows, cost their non-zeros in most maps. It
	// panics with ErrDuplicate if two entries of a row have the same coordinate, and with mat.ErrColAccess
	// if one is outside the matrix. docs/reference/maps.md has more on such rows, and on streams of batches.
	TransformTo(dst *mat.Dense, x mat.Matrix)

	// TransformVec writes the features of x to dst and returns dst; a nil dst is allocated. It panics with
	// mat.ErrShape if the length of x is not in or that of dst not out, and as gonum does if they overlap.
	TransformVec(dst, x []float64) []float64
}

// A Variancer knows the variance of the estimate ⟨φ(x), φ(y)⟩ of k(x, y) over the draw of the map. Every
// map of the package says where its variance is exact.
//
// Variance panics with mat.ErrShape if x or y has not the map's input length.
type Variancer interface {
	// Variance returns the variance of ⟨φ(x), φ(y)⟩.
	Variance(x, y []float64) float64
}

// zeroMap describes the zero value of a type of maps, in errors and by String.
const zeroMap = "a zero value, which is no map"

// validateMap refuses a map that is nil or has no dimensions, as zero values have.
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

// pairsOf returns a function that returns two rows of x, valid until the next call. Those of a matrix that does not show its data are
// copied at once if they are few.
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

// noJSON is embedded by maps, whose fields encoding/json does not see: they would be {}, without a word.
type noJSON struct{}

// MarshalJSON returns an error: a map is saved by Encode.
func (noJSON) MarshalJSON() ([]byte, error) {
	return nil, errors.New("featuremap: a map is saved by Encode, not as JSON")
}
