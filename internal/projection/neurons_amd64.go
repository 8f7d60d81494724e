// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package projection

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

//go:generate go run -C _asm ./neurons -out ../neurons_amd64.s -stubs ../neurons_stub_amd64.go -pkg projection

// activateAssembly processes as many whole registers as there are, and returns how many elements
// that is.
func activateAssembly(t tier.Tier, a Activation, dst, forms []float64, scale float64) int {
	lanes := registerLanes(t)
	groups := len(forms) / lanes
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		activateAVX512(int(a), groups, &forms[0], &dst[0], scale)
	} else {
		activateAVX2(int(a), groups, &forms[0], &dst[0], scale)
	}
	return groups * lanes
}
