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
	"slices"
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
	if !*bits { // other machines only read what is there
		compareSaved(t)
	}
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
}

// renamed returns a JSON document with the present names of what it has under former ones, as encoding/json writes it, and
// whether there were some.
func renamed(t *testing.T, document []byte) (present []byte, changed bool) {
	t.Helper()
	compact := string(testkit.Must(json.Marshal(jsonOf(t, document))))
	names := strings.ReplaceAll(compact, `{"IdentityDual":{}}`, `{"HermiteDual":{"N":1}}`)
	return []byte(names), names != compact
}

// compareSaved sees that there is one file for each of savedMaps, and that it is of that map.
func compareSaved(t *testing.T) {
	files, err := filepath.Glob(savedFile("*"))
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range savedMaps() {
		path := savedFile(name)
		b, err := os.ReadFile(path)
		if golden.Update() && os.IsNotExist(err) {
			b = encodedMap(t, m)
			err = os.WriteFile(path, b, 0o644)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		files = slices.DeleteFunc(files, func(of string) bool { return of == path })
		read, err := Decode(bytes.NewReader(b), nil)
		if err != nil {
			continue // reported below
		}
		if got, want := fmt.Sprintf("%T", read), fmt.Sprintf("%T", m); got != want {
			t.Errorf("%s: a %s, want a %s", path, got, want)
		}
		// Kernels of maps have errors and roots in them, which differ between architectures.
		if got, want := textOf(read.Kernel()), textOf(m.Kernel()); got != want && !strings.Contains(got, "FromMap(DataDep") {
			t.Errorf("%s: is a map of %s, want %s", path, got, want)
		}
	}
	if len(files) > 0 {
		t.Errorf("no case of the tests is that of %q", files)
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
