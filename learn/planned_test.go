// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import "github.com/seed-0f95ebc1/featuremap"

// plannedMap returns a map of R^in that was planned without rows, and drawn from s.
func plannedMap(k featuremap.Kernel, in, features int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
	p, err := featuremap.NewPlan(k, nil, features, &featuremap.PlanOptions{In: in})
	if err != nil {
		return nil, err
	}
	return p.Draw(s)
}
