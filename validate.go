// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "errors"

// givenSampler returns the sampler that a caller gives, NewSampler(0) for nil. It refuses one that neither NewSampler nor Split made.
func givenSampler(s *Sampler) (*Sampler, error) {
	if s == nil {
		return NewSampler(0), nil
	}
	if !s.seeded {
		return nil, errors.New("featuremap: sampler s is the zero value: must be made by NewSampler or Split")
	}
	return s, nil
}
