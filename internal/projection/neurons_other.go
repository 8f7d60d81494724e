// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package projection

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

func activateAssembly(tier.Tier, Activation, []float64, []float64, float64) int { return 0 }
