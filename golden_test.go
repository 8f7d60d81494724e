// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Golden files hold the promise of bits: they were computed on amd64, and every architecture
// computes the same. They are rewritten by
//
//	go test . -bits -update
//
// which is right only when a stream is changed on purpose: every user's weights change.
var (
	update = flag.Bool("update", false, "rewrite the golden files")
	bits   = flag.Bool("bits", false, "only compare the golden files, and all of them")
)

// TestMain runs all tests, or with -bits those that compare golden files.
func TestMain(m *testing.M) {
	flag.Parse()
	if *bits {
		flag.Set("test.run", "^TestGolden")
	}
	code := m.Run()
	if *bits && code == 0 {
		files, err := os.ReadDir("testdata")
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".golden") && !compared[f.Name()] {
				err = fmt.Errorf("no test compares %s", f.Name())
			}
		}
		if err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// compared has the names of the golden files that tests have compared.
var compared = make(map[string]bool)

// golden compares got with the golden file of the given name.
func golden(t *testing.T, name string, got []byte) {
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

// foldBits returns a hash (FNV-1a, by words) of the bits of x.
func foldBits(x []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range x {
		h = (h ^ math.Float64bits(v)) * 1099511628211
	}
	return h
}
