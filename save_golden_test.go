// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/seed-0f95ebc1/featuremap"
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
	files, err := filepath.Glob(savedFile("*"))
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range savedMaps() {
		path := savedFile(name)
		b, err := os.ReadFile(path)
		if *update && os.IsNotExist(err) {
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
			t.Errorf("%s: %v", path, err)
			continue
		}
		if again := encodedMap(t, read); !bytes.Equal(again, b) {
			t.Errorf("%s: read and saved again is\n%s\nand was\n%s", path, again, b)
		}
		// It is the map of its name. Plans, and what comes from data, may differ between architectures.
		if got, want := fmt.Sprintf("%T", read), fmt.Sprintf("%T", m); got != want {
			t.Errorf("%s: a %s, want a %s", path, got, want)
		}
		if got, err := MarshalKernel(read.Kernel()); err == nil {
			if want, err := MarshalKernel(m.Kernel()); err == nil && !bytes.Equal(got, want) && !strings.Contains(name, "DataDependent") {
				t.Errorf("%s: is a map of\n%s\nwant\n%s", path, got, want)
			}
		}
	}
	if len(files) > 0 && !*update {
		t.Errorf("no test reads %q", files)
	}
}

// Files of a plan and of a sampler.
func TestGoldenSavedOthers(t *testing.T) {
	s := NewSampler(3)
	s.Rademacher()
	p := must(PlanOf(savedMaps()["plan of many terms"]))
	for name, of := range map[string]struct {
		value interface{ MarshalBinary() ([]byte, error) }
		read  func(b []byte) (again []byte, err error)
	}{
		"of a plan": {p, func(b []byte) ([]byte, error) {
			p := new(Plan)
			if err := p.UnmarshalBinary(b); err != nil {
				return nil, err
			}
			return p.MarshalBinary()
		}},
		"of a sampler": {s, func(b []byte) ([]byte, error) {
			s := new(Sampler)
			if err := s.UnmarshalBinary(b); err != nil {
				return nil, err
			}
			return s.MarshalBinary()
		}},
	} {
		path := strings.TrimSuffix(savedFile(name), ".featuremap") + ".other"
		b, err := os.ReadFile(path)
		if *update && os.IsNotExist(err) {
			b = must(of.value.MarshalBinary())
			err = os.WriteFile(path, b, 0o644)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if again, err := of.read(b); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: %v\nread and saved again is\n%s\nand was\n%s", path, err, again, b)
		}
	}
}
