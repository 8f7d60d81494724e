// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memory tells how much memory there is to be had.
package memory

import (
	"math"
	"runtime/debug"
)

// Limit returns an upper bound, in bytes, of what the program can allocate: the
// least of the address space, the machine's memory where it is known (on Linux),
// and the Go runtime's soft limit (GOMEMLIMIT) if one is set.
func Limit() uint64 {
	limit := uint64(math.MaxInt)
	if p := physical(); p > 0 {
		limit = min(limit, p)
	}
	return min(limit, uint64(debug.SetMemoryLimit(-1)))
}
