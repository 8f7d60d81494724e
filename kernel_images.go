// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// An imageKernel is a kernel with parts that may be stationary. Its Eval is that of a pair without linear maps.
type imageKernel interface {
	atImages(p *warp.Pair) float64
}

// seesDifference tells whether a kernel behind linear maps has other digits than at the images.
func seesDifference(k Kernel, warps []warp.Warp) bool {
	switch k.(type) {
	case imageKernel, Stationary:
		return !check.IsNil(k) && slices.ContainsFunc(warps, func(w warp.Warp) bool { return !w.Factorless() })
	}
	return false
}

// valueAt returns a kernel at the images of a pair, and what is stationary in it at their difference.
func valueAt(k Kernel, p *warp.Pair) float64 {
	switch k := k.(type) {
	case imageKernel:
		return k.atImages(p)
	case Stationary:
		return p.AtDifference(k.Eval)
	case interface{ evaluated() Kernel }:
		if part := k.evaluated(); check.Own(k) && !check.IsNil(part) {
			return valueAt(part, p)
		}
	}
	return k.Eval(p.Points())
}
