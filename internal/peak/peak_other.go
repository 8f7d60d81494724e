// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

// Package peak measures how many fused multiply-adds a core can do, for benchmarks to
// compare with.
package peak

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

// FMA returns 0: there is nothing but plain Go.
func FMA(tier.Tier) float64 { return 0 }
