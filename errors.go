// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// Errors that constructors wrap; test for them with errors.Is.
var (
	// ErrNotStationary: the map needs a kernel of x − y.
	ErrNotStationary = errors.New("featuremap: kernel is not stationary")

	// ErrNotRadial: the frequency design needs a mixture of Gaussian kernels.
	ErrNotRadial = errors.New("featuremap: kernel is not radial")

	// ErrNotDotProduct: the map needs a kernel of ⟨x, y⟩.
	ErrNotDotProduct = errors.New("featuremap: kernel is not a dot product kernel")

	// ErrNotPSD: the function is not positive semi-definite, so it is no kernel.
	ErrNotPSD = errors.New("featuremap: not positive semi-definite")

	// ErrNoMap: nothing known of the kernel gives a random map.
	ErrNoMap = errors.New("featuremap: no map for the kernel")
)

// ErrDuplicate is the panic of TransformTo for a mat.RowNonZeroDoer with two entries of one coordinate in a row.
var ErrDuplicate = projection.ErrDuplicate
