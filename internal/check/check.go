// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package check validates arguments. Its errors name the argument that is refused.
package check

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Errors that users test for, by the names that the root package gives them.
var (
	ErrNotStationary = errors.New("featuremap: kernel is not stationary")
	ErrNotRadial     = errors.New("featuremap: kernel is not radial")
	ErrNotDotProduct = errors.New("featuremap: kernel is not a dot product kernel")
	ErrNotPSD        = errors.New("featuremap: not positive semi-definite")
	ErrNoMap         = errors.New("featuremap: no map for the kernel")
)

// Unprefix returns err without its prefix "featuremap: ", for an error that wraps it and has this
// prefix itself.
func Unprefix(err error) error { return &unprefixed{of: err} }

// An unprefixed error is printed without "featuremap: ", because it is part of an error with this prefix.
type unprefixed struct{ of error }

func (e *unprefixed) Error() string { return strings.TrimPrefix(e.of.Error(), "featuremap: ") }
func (e *unprefixed) Unwrap() error { return e.of }

// IsNil tells whether v is nil, or a nil pointer or function in an interface.
func IsNil(v any) bool {
	r := reflect.ValueOf(v)
	return v == nil || (r.Kind() == reflect.Pointer || r.Kind() == reflect.Func) && r.IsNil()
}

// MustFit panics with a message if a result of n×m numbers, computed from others more numbers, needs more memory than
// there is.
func MustFit(result string, n, m int, others float64) {
	const certain = 1 << 27 // numbers, of 1 GiB
	numbers := float64(n)*float64(m) + others
	if numbers <= certain {
		return
	}
	if limit := float64(memory.Limit()); !(8*numbers <= limit) {
		panic(fmt.Sprintf("featuremap: %s, %d×%d, take %.3g bytes, and there are %.3g", result, n, m, 8*numbers, limit))
	}
}

// Positive refuses values that are not positive and finite.
func Positive(kernel, parameter string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: %s %s = %v: must be positive and finite", kernel, parameter, v)
	}
	return nil
}

// Beyond these limits the squares of length scales and masses may overflow or underflow a float64.
const (
	minLength = 1e-150
	maxLength = 1e150
	MaxMass   = 1e150
)

// Length refuses a length scale that is not between minLength and maxLength.
func Length(kernel, parameter string, l float64) error {
	if err := Positive(kernel, parameter, l); err != nil {
		return err
	}
	if l < minLength || l > maxLength {
		return fmt.Errorf("featuremap: %s %s = %v: must lie between %v and %v", kernel, parameter, l, minLength, maxLength)
	}
	return nil
}

// NonNegative refuses negative values (Schoenberg's theorem excludes them), Inf and NaN.
func NonNegative(series, parameter string, v float64) error {
	if v < 0 {
		return fmt.Errorf("%w: %s %s = %v is negative", ErrNotPSD, series, parameter, v)
	}
	if !(v <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: %s %s = %v: must be finite", series, parameter, v)
	}
	return nil
}

// Finite refuses a matrix with an element that is not finite. Its errors count rows from first.
func Finite(name string, a mat.Matrix, first int) error {
	var r rows.Reader
	r.Reset(a)
	if i, j, v, found := r.NotFinite(); found {
		return Element(name, first+i, j, v)
	}
	return nil
}

// Element refuses an element of a matrix that is not finite.
func Element(name string, i, j int, v float64) error {
	if !(math.Abs(v) <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: %s: row %d, column %d = %v: must be finite", name, i, j, v)
	}
	return nil
}
