// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "errors"

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
