// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	if got, want := limit(0), min(uint64(unknown), math.MaxInt); got != want {
		t.Errorf("of an unknown machine: %d, want %d", got, want)
	}
	if got := limit(1 << 20); got != 1<<20 {
		t.Errorf("of a machine with 1 MiB: %d", got)
	}
	debug.SetMemoryLimit(1 << 30)
	if got := limit(0); got != 1<<30 {
		t.Errorf("with GOMEMLIMIT=1GiB: %d", got)
	}
	if got := physical(); runtime.GOOS == "linux" && got < 1<<24 {
		t.Errorf("this machine has %d bytes", got)
	}
}
