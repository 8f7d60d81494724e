// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package single

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

func tilesAssembly(t tier.Tier, _ *strip, _ *phaseTable) {
	panic("single: no " + t.String() + " in this build") // package tier offers none
}

func aligned(n int) []float32 { return make([]float32, n) }
