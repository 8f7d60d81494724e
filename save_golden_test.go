// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// savedFile returns the path of the golden file of a map of savedMaps.
func savedFile(name string) string {
	return filepath.Join("testdata", "saved", strings.NewReplacer(" ", "-", "/", "-", "'", "").Replace(name)+".featuremap")
}

// Files of version 1 hold the promise that later releases read them, and give the features whose hash is in them: Decode
// compares it. They were written on amd64, and every architecture reads the same.
//
// With -update files that are missing are written. One that is there is never written again: that a release writes another
// file is no reason, and that it does not read an old one breaks the promise.
func TestGoldenSaved(t *testing.T) {
	kept := make(map[string]FeatureMap)
	files, err := filepath.Glob(savedFile("*"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		b := testkit.Must(os.ReadFile(path))
		m, err := Decode(bytes.NewReader(b), nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		kept[path] = m
		again := encodedMap(t, m)
		was, arrays, err := Unsealed(b)
		if present, changed := renamed(t, was); err == nil && changed {
			b = Sealed(present, arrays)
			is, arrays, err := Unsealed(again)
			if err != nil {
				t.Fatal(err)
			}
			present, _ = renamed(t, is)
			again = Sealed(present, arrays)
		}
		if !bytes.Equal(again, b) {
			t.Errorf("%s: read and saved again is\n%s\nand was\n%s", path, again, b)
		}
	}
	if !*bits { // other machines only read what is there
		compareSaved(t, kept)
	}
}

// renamed returns a JSON document with the present names of what it has under former ones, as encoding/json writes it, and
// whether there were some.
func renamed(t *testing.T, document []byte) (present []byte, changed bool) {
	t.Helper()
	compact := string(testkit.Must(json.Marshal(jsonOf(t, document))))
	names := strings.ReplaceAll(compact, `{"IdentityDual":{}}`, `{"HermiteDual":{"N":1}}`)
	return []byte(names), names != compact
}

// compareSaved sees that there is one file for each of savedMaps, and that the map read from it is that map.
func compareSaved(t *testing.T, kept map[string]FeatureMap) {
	for name, m := range savedMaps() {
		path := savedFile(name)
		read, ok := kept[path]
		if _, err := os.Stat(path); golden.Update() && os.IsNotExist(err) {
			if err := os.WriteFile(path, encodedMap(t, m), 0o644); err != nil {
				t.Error(err)
			}
			continue
		}
		if !ok {
			t.Errorf("%s is not there, or was not read", path)
			continue
		}
		delete(kept, path)
		if got, want := fmt.Sprintf("%T", read), fmt.Sprintf("%T", m); got != want {
			t.Errorf("%s: a %s, want a %s", path, got, want)
		}
		// Kernels of maps have errors and roots in them, which differ between architectures.
		if got, want := textOf(read.Kernel()), textOf(m.Kernel()); got != want && !strings.Contains(got, "FromMap(DataDep") {
			t.Errorf("%s: is a map of %s, want %s", path, got, want)
		}
	}
	for path := range kept {
		t.Errorf("no case of the tests is that of %s", path)
	}
}

// The file of a sampler.
func TestGoldenSavedSampler(t *testing.T) {
	s := NewSampler(3)
	s.Rademacher()
	path := strings.TrimSuffix(savedFile("of a sampler"), ".featuremap") + ".other"
	b, err := os.ReadFile(path)
	if golden.Update() && os.IsNotExist(err) {
		b = testkit.Must(s.MarshalBinary())
		err = os.WriteFile(path, b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	read := new(Sampler)
	if err := read.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if again := testkit.Must(read.MarshalBinary()); !bytes.Equal(again, b) {
		t.Errorf("%s: read and saved again is\n%s\nand was\n%s", path, again, b)
	}
}
