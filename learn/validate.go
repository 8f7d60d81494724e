// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// isNil reports whether an argument is nil or a nil pointer.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return v == nil || r.Kind() == reflect.Pointer && r.IsNil()
}

// limit is the largest magnitude of an element: the squares of a billion differences have a finite sum.
const limit = 1e145

// smallest is the least magnitude of the largest element of a column, unless all are 0.
const smallest = 1e-150

// validate refuses arguments that nothing can be learned from.
func validate(k featuremap.Kernel, x, y mat.Matrix, s *featuremap.Sampler) error {
	switch {
	case isNil(k):
		return errors.New("learn: kernel k = nil")
	case isNil(x):
		return errors.New("learn: x = nil")
	case isNil(y):
		return errors.New("learn: y = nil")
	}
	n, d := x.Dims()
	r, targets := y.Dims()
	switch {
	case n != r:
		return fmt.Errorf("learn: x is %d×%d and y %d×%d: must have as many rows", n, d, r, targets)
	case n < 2:
		return fmt.Errorf("learn: x has %d rows: must have at least 2", n)
	case d < 1 || targets < 1:
		return fmt.Errorf("learn: x is %d×%d and y %d×%d: must have columns", n, d, r, targets)
	}
	if err := validateElements("x", x); err != nil {
		return err
	}
	if err := validateElements("y", y); err != nil {
		return err
	}
	return validateKernel(k, d, s)
}

// validateElements refuses a matrix with an element that is not finite or too large.
func validateElements(name string, a mat.Matrix) error {
	var reader rows.Reader
	reader.Reset(a)
	for i := range reader.N {
		for j, v := range reader.Row(i) {
			if !(math.Abs(v) <= limit) {
				return fmt.Errorf("learn: %s(%d, %d) = %v: must be finite and at most %v in magnitude", name, i, j, v, limit)
			}
		}
	}
	return nil
}

// validateKernel refuses a kernel or a sampler that constructors refuse.
func validateKernel(k featuremap.Kernel, d int, s *featuremap.Sampler) error {
	const columns = 256 // more than enough to plan; too few are an error of the plan, which does not matter here
	var few *featuremap.TooFewError
	if err := validateFixed(k); err != nil {
		return err
	}
	if _, err := featuremap.NewPlan(loose(k), nil, columns, &featuremap.PlanOptions{In: d}); err != nil && !errors.As(err, &few) {
		return fmt.Errorf("learn: %w", err)
	}
	if isNil(s) {
		return errors.New("learn: sampler s = nil")
	}
	before := *s
	_, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 2, s, nil) // it checks the sampler
	*s = before
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	return nil
}
