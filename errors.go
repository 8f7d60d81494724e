// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// Errors that constructors wrap. Test for them with errors.Is.
var (
	// ErrNotStationary says that the map needs a kernel of x − y.
	ErrNotStationary = check.ErrNotStationary

	// ErrNotRadial says that the frequency design needs a mixture of Gaussian kernels.
	ErrNotRadial = check.ErrNotRadial

	// ErrNotDotProduct says that the map needs a kernel of ⟨x, y⟩.
	ErrNotDotProduct = check.ErrNotDotProduct

	// ErrNotPSD says that the function is not positive semi-definite, so it is no kernel.
	ErrNotPSD = check.ErrNotPSD

	// ErrNoMap says that no random features are known for the kernel. NewNystrom maps any kernel.
	ErrNoMap = check.ErrNoMap
)

// ErrDuplicate is the panic of TransformTo if a row of a mat.RowNonZeroDoer has two entries of the same coordinate.
var ErrDuplicate = projection.ErrDuplicate
