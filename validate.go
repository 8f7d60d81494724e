// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

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

// An unprefixed error prints without "featuremap: ", since it is part of an error of this package that has the prefix.
type unprefixed struct{ error }

func (e *unprefixed) Error() string { return strings.TrimPrefix(e.error.Error(), "featuremap: ") }
func (e *unprefixed) Unwrap() error { return e.error }

// isNil tells whether v is nil, or a nil pointer or function in an interface.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return v == nil || (r.Kind() == reflect.Pointer || r.Kind() == reflect.Func) && r.IsNil()
}

// valueOf returns the value behind a pointer to a type of this package, and anything else unchanged.
func valueOf[T any](v T) T {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && !r.IsNil() && r.Type().Elem().PkgPath() == packagePath {
		if value, ok := r.Elem().Interface().(T); ok {
			return value
		}
	}
	return v
}

var packagePath = reflect.TypeFor[Sampler]().PkgPath()

// isOwn tells whether v is of a type of this package, and not of another's that has unexported methods by embedding one.
func isOwn(v any) bool {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == packagePath
}

// mustFit panics with a message if a result of n×m numbers, computed from so many others, takes more memory than there is.
func mustFit(result string, n, m int, others float64) {
	const certain = 1 << 27 // numbers, of 1 GiB
	numbers := float64(n)*float64(m) + others
	if numbers <= certain {
		return
	}
	if limit := float64(memory.Limit()); !(8*numbers <= limit) {
		panic(fmt.Sprintf("featuremap: %s, %d×%d, take %.3g bytes, and there are %.3g", result, n, m, 8*numbers, limit))
	}
}

// validatePositive refuses values that are not positive and finite.
func validatePositive(kernel, parameter string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: %s %s = %v: must be positive and finite", kernel, parameter, v)
	}
	return nil
}

// Beyond these limits the squares of length scales and masses may overflow or underflow a float64.
const (
	minLength = 1e-150
	maxLength = 1e150
	maxMass   = 1e150
)

// validateLength refuses a length scale that is not between minLength and maxLength.
func validateLength(kernel, parameter string, l float64) error {
	if err := validatePositive(kernel, parameter, l); err != nil {
		return err
	}
	if l < minLength || l > maxLength {
		return fmt.Errorf("featuremap: %s %s = %v: must lie between %v and %v", kernel, parameter, l, minLength, maxLength)
	}
	return nil
}

// validateNonNegative refuses negative values (Schoenberg's theorem excludes them), Inf and NaN.
func validateNonNegative(series, parameter string, v float64) error {
	if v < 0 {
		return fmt.Errorf("%w: %s %s = %v is negative", ErrNotPSD, series, parameter, v)
	}
	if !(v <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: %s %s = %v: must be finite", series, parameter, v)
	}
	return nil
}

// validateFinite refuses a matrix with an element that is not finite. In its error the first row has the number first.
func validateFinite(name string, a mat.Matrix, first int) error {
	var r rows.Reader
	r.Reset(a)
	if i, j, v, found := r.NotFinite(); found {
		return validateElement(name, first+i, j, v)
	}
	return nil
}

// validateElement refuses an element of a matrix that is not finite.
func validateElement(name string, i, j int, v float64) error {
	if !(math.Abs(v) <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: %s: row %d, column %d = %v: must be finite", name, i, j, v)
	}
	return nil
}

// validateSampler refuses a sampler that neither NewSampler nor Split made.
func validateSampler(s *Sampler) error {
	switch {
	case s == nil:
		return errors.New("featuremap: sampler s = nil")
	case !s.seeded:
		return errors.New("featuremap: sampler s is the zero value: must be made by NewSampler or Split")
	}
	return nil
}
