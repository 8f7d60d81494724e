// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each line has the error asked for within what two maps tell of it.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	f, err := os.Create(filepath.Join(folder, "cifar10_train4000_a.bin.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	for i := range points * record {
		if _, err := z.Write([]byte{byte(i * i / 7 % 251)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out, folder, 2); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 1+9 {
		t.Fatalf("%d lines, want 10:\n%s", len(lines), &out)
	}
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		ratio, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil || !(math.Abs(math.Log(ratio)) <= math.Log(3)) {
			t.Errorf("a ratio beyond 3: %s", line)
		}
	}
}

func TestReadPatchesRefuses(t *testing.T) {
	if _, err := readPatches(filepath.Join(t.TempDir(), "none"), 1); err == nil {
		t.Error("no error for a file that is not there")
	}
}
