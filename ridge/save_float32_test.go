// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// savedModels32 returns models in float32 of each kind: fitted in float32, or in float64, directly, at a given λ, or iteratively.
func savedModels32(t *testing.T) map[string]*Model32 {
	x, y := portable(200, 2)
	phi := fourier(2, 12)
	a := must(NewAccumulator32(must(featuremap.Float32(phi)), 2))
	if err := a.AddWeighted(exactly(x), y, nil); err != nil {
		t.Fatal(err)
	}
	return map[string]*Model32{
		"fitted in float32":       must(a.Fit(nil)),
		"fitted":                  must(must(Fit(phi, x, y, nil)).Float32()),
		"given, no intercept":     must(must(Fit(phi, x, y, &Options{Lambda: 0.1, NoIntercept: true})).Float32()),
		"iterative, with samples": must(must(FitIterative(phi, batchOf(x, y), 2, &IterativeOptions{Samples: 2})).Float32()),
	}
}

// A model that was saved and read has the same bits, and says the same of itself.
func TestSaveModel32(t *testing.T) {
	x, _ := portable(20, 2)
	x32 := exactly(x)
	for name, m := range savedModels32(t) {
		file := must(m.MarshalBinary())
		var read Model32
		if n, err := read.ReadFrom(iotest.HalfReader(bytes.NewReader(file))); err != nil || n != int64(len(file)) {
			t.Fatalf("%s: %d of %d bytes, %v", name, n, len(file), err)
		}
		equal(t, name, numbers32(&read, x32), numbers32(m, x32))
		if read.String() != m.String() || read.Map().String() != m.Map().String() {
			t.Errorf("%s: %v, %v was saved", name, &read, m)
		}
		if again := must(read.MarshalBinary()); !bytes.Equal(again, file) {
			t.Errorf("%s: another file of what was read", name)
		}
		if samples := bytes.Contains(file, []byte(`"samples":0`)); samples != strings.HasPrefix(name, "iterative") || len(file) > 4096 {
			t.Errorf("%s: a file of %d bytes, samples are left out: %v", name, len(file), samples)
		}
	}
}

// A model that is saved in float64 and read serves in float32 with the bits that it had.
func TestSaveThenFloat32(t *testing.T) {
	x, y := portable(100, 1)
	x32 := exactly(x)
	m := must(Fit(fourier(2, 30), x, y, nil))
	read := must(ReadModel(bytes.NewReader(must(m.MarshalBinary())), nil))
	equal(t, "read", numbers32(must(read.Float32()), x32), numbers32(must(m.Float32()), x32))
}

// What is no file of a model in float32 is refused.
func TestModel32Files(t *testing.T) {
	models := savedModels32(t)
	m := models["fitted in float32"]
	file := must(m.MarshalBinary())
	x, y := portable(100, 1)
	wide := must(must(Fit(fourier(2, 12), x, y, nil)).MarshalBinary())
	expectError(t, new(Model32).UnmarshalBinary(wide), "ridge: the data is of a model in float64, which Model reads")
	expectError(t, new(Model).UnmarshalBinary(file), "ridge: the data is of a model in float32, which Model32 reads")
	expectError(t, m.UnmarshalBinary(file), "ridge: a model is immutable, and can be read into a zero value only")
	_, err := new(Model32).MarshalBinary()
	expectError(t, err, "ridge: the model is the zero value")
	if _, err := json.Marshal(m); err == nil {
		t.Error("a model is saved as JSON")
	}
	failed := errors.New("no room")
	if _, err := m.WriteTo(failing{failed}); !errors.Is(err, failed) {
		t.Errorf("a writer's error: %v", err)
	}
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		read := new(Model32)
		if err := read.UnmarshalBinary(bad); err == nil || read.Map() != nil {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	for old, new := range map[string]string{`"factor":false`: `"factor":true`, `"intercept":false`: `"intercept":true`} {
		if err := unread32(withDocument(file, old, new)); err == nil || !strings.Contains(err.Error(), "with a posterior") {
			t.Errorf("%s: %v", new, err)
		}
	}
	if err := unread32(withDocument(file, `"targets":2`, `"targets":3`)); err == nil {
		t.Error("another number of targets")
	}
	// The map's file in it is that of a Map32.
	phi := must(must(featuremap.Float32(fourier(2, 12))).MarshalBinary())
	if !bytes.Contains(file, phi) {
		t.Fatal("the model's file has not that of its map")
	}
	for name, o := range map[string]*featuremap.DecodeOptions{"bytes": {MaxBytes: 100}, "work": {MaxWork: 10}} {
		if read, err := ReadModel32(bytes.NewReader(file), o); read != nil || err == nil || !strings.Contains(err.Error(), "DecodeOptions") {
			t.Errorf("few %s: %v, %v", name, read, err)
		}
	}
	if read, err := ReadModel32(bytes.NewReader(file), &featuremap.DecodeOptions{MaxBytes: 1 << 16, MaxWork: 1e5}); err != nil || read.Lambda() != m.Lambda() {
		t.Errorf("enough: %v, %v", read, err)
	}
}

// unread32 returns the error of reading a model in float32.
func unread32(file []byte) error { return new(Model32).UnmarshalBinary(file) }

// A failing writer returns an error.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
