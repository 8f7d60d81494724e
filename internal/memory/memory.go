// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memory tells how much memory is available.
package memory

import (
	"math"
	"runtime"
	"runtime/debug"
)

// unknown is assumed for a machine whose memory is not known: 1 TiB, well below what the allocator
// could reserve.
const unknown = 1 << 40

// Limit returns an upper bound, in bytes, of what the program can allocate: the least of the
// address space, the machine's memory (known on Linux, elsewhere assumed to be 1 TiB), and the Go
// runtime's soft limit (GOMEMLIMIT) if one is set.
func Limit() uint64 { return limit(physical()) }

// Free returns how many more bytes the program can allocate without pushing other programs out of memory. On Linux this
// is what the system reports as available, elsewhere Limit minus what the program holds. It never exceeds what the soft
// limit leaves.
func Free() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	limit, held := Limit(), stats.Sys-stats.HeapReleased
	free := limit - min(limit, held)
	if available := available(); available > 0 {
		free = min(free, available)
	}
	return free
}

// limit is Limit on a machine with this much memory; 0 if it is not known.
func limit(physical uint64) uint64 {
	if physical == 0 {
		physical = unknown
	}
	return min(physical, math.MaxInt, uint64(debug.SetMemoryLimit(-1)))
}
