// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package single

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

//go:generate go run -C ../projection/_asm ./neurons -single -out ../../single/neurons_amd64.s -stubs ../../single/neurons_stub_amd64.go -pkg single

// activateAssembly processes as many whole registers as there are, and returns how many elements
// that is.
func activateAssembly(t tier.Tier, a Activation, dst, forms []float32, scale float32) int {
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
