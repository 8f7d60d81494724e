// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// Errors that constructors wrap; test for them with errors.Is.
var (
	// ErrNotStationary: the map needs a kernel of x − y.
	ErrNotStationary = check.ErrNotStationary

	// ErrNotRadial: the frequency design needs a mixture of Gaussian kernels.
	ErrNotRadial = check.ErrNotRadial

	// ErrNotDotProduct: the map needs a kernel of ⟨x, y⟩.
	ErrNotDotProduct = check.ErrNotDotProduct

	// ErrNotPSD: the function is not positive semi-definite, so it is no kernel.
	ErrNotPSD = check.ErrNotPSD

	// ErrNoMap: nothing known of the kernel gives a random map.
	ErrNoMap = check.ErrNoMap
)

// ErrDuplicate is the panic of TransformTo for a mat.RowNonZeroDoer with two entries of one coordinate in a row.
var ErrDuplicate = projection.ErrDuplicate
