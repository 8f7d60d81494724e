// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memory tells how much memory there is to be had.
package memory

import (
	"math"
	"runtime/debug"
)

// unknown stands for the memory of a machine that does not tell: 1 TiB, well below
// what the allocator could reserve.
const unknown = 1 << 40

// Limit returns an upper bound, in bytes, of what the program can allocate: the
// least of the address space, the machine's memory (known on Linux, elsewhere taken
// as 1 TiB), and the Go runtime's soft limit (GOMEMLIMIT) if one is set.
func Limit() uint64 { return limit(physical()) }

// limit is Limit on a machine with so much memory, 0 if it is not known.
func limit(physical uint64) uint64 {
	if physical == 0 {
		physical = unknown
	}
	return min(physical, math.MaxInt, uint64(debug.SetMemoryLimit(-1)))
}
