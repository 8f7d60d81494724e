// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/graph"
)

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

// validateOnSpaces refuses a matrix with an element that a Binary or a Categories of k reads and that is not one of its
// values. It accepts any matrix if k itself is refused: whoever takes k returns that error.
func validateOnSpaces(name string, k Kernel, x mat.Matrix) error {
	_, d := x.Dims()
	f, err := canonical(k, d)
	if err != nil {
		return nil
	}
	return graph.ValidateSpaces(name, f, x)
}
