// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package golden compares results of tests with golden files, which show whether results have the same bits on every
// architecture: the files were computed on amd64, and every architecture must match them. The flag -update rewrites
// them. Use it only if bits are meant to change, which changes every user's features or models.
package golden

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// compared holds the names of the files that tests have compared.
var compared = make(map[string]bool)

// Compared tells whether a test has compared the file with this name.
func Compared(name string) bool { return compared[name] }

// Update tells whether files are to be written, not compared.
func Update() bool { return *update }

// Compare compares got with the file of the given name in testdata.
func Compare(t testing.TB, name string, got []byte) {
	t.Helper()
	compared[name] = true
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(gotLines), len(wantLines)) {
		if !bytes.Equal(gotLines[i], wantLines[i]) {
			t.Fatalf("%s:%d: got %s\nwant %s", path, i+1, gotLines[i], wantLines[i])
		}
	}
	t.Fatalf("%s: got %d lines, want %d", path, len(gotLines), len(wantLines))
}

// ComparePart compares got, of which each line that is not indented begins a part with all indented ones after it, with these
// parts of a file.
func ComparePart(t testing.TB, name string, got []byte) {
	t.Helper()
	compared[name] = true
	path := filepath.Join("testdata", name)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]bool)
	for _, part := range parts(want) {
		all[part] = true
	}
	for _, part := range parts(got) {
		if !all[part] {
			t.Fatalf("%s has no part\n%s", path, part)
		}
	}
}

// parts returns the parts of a file.
func parts(text []byte) (all []string) {
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") && all != nil {
			all[len(all)-1] += line
		} else {
			all = append(all, line)
		}
	}
	return all
}

// Fold returns a hash (FNV-1a, by words) of the bits of x.
func Fold(x []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range x {
		h = (h ^ math.Float64bits(v)) * 1099511628211
	}
	return h
}
