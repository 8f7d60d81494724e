// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memory

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// physical returns the machine's memory in bytes, 0 if it is not known.
func physical() uint64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}

// available returns the bytes that Linux says can be allocated without swapping, or 0 if it does not
// say.
func available() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(text, []byte("MemAvailable:"))
	var kilobytes uint64
	if !found {
		return 0
	}
	if _, err := fmt.Fscan(bytes.NewReader(rest), &kilobytes); err != nil {
		return 0
	}
	return kilobytes << 10
}
