// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

// Package peak measures how many fused multiply-adds a core can do, as a limit for benchmarks.
package peak

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

// FMA returns 0, because this build has only plain Go.
func FMA(tier.Tier) float64 { return 0 }
