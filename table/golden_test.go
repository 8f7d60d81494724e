// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A file of version 1 is read by every release, with its encoder and its model, and has the bits that it had.
//
//	go test ./table -run GoldenFiles -update
//
// writes the files, which is right only when a model changes on purpose.
func TestGoldenFiles(t *testing.T) {
	e := fitted(t)
	x, err := e.Encode(records())
	if err != nil {
		t.Fatal(err)
	}
	y, err := e.Targets(records())
	if err != nil {
		t.Fatal(err)
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 4}, 13, 8, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers, classes := Model{Encoder: e}, Model{Encoder: e}
	if numbers.Ridge, err = ridge.Fit(phi, x, y, &ridge.Options{Lambda: 0.125}); err != nil {
		t.Fatal(err)
	}
	if classes.Logistic, err = logistic.Fit(phi, x, []int{0, 1, 0, 1}, &logistic.Options{Lambda: 0.125}); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*Model{"numbers.model": &numbers, "classes.model": &classes} {
		var want, again bytes.Buffer
		if _, err := m.WriteTo(&want); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "v1", name)
		if golden.Update() {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not what is written now", path)
		}
		read, err := ReadModel(bytes.NewReader(got), nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if _, err := read.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), got) {
			t.Errorf("%s: other bytes when it is written again (%v)", path, err)
		}
	}
}
