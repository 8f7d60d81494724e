// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// What is saved predicts as before, and the table says how well.
func TestTrain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	var out bytes.Buffer
	if err := train(&out, path, 64); err != nil {
		t.Fatal(err)
	}
	// The targets have deviations of 2.26 and 2.19. The share is 95.4 % for normal errors, known to 0.3 % from 4000
	// letters; those of ink have heavier tails.
	for _, name := range []string{"height", "ink"} {
		m := regexp.MustCompile(`(?m)^` + name + ` +([0-9.]+) +([0-9.]+) +([0-9.]+) %$`).FindSubmatch(out.Bytes())
		if m == nil {
			t.Fatalf("no %s in:\n%s", name, &out)
		}
		var v [3]float64
		for i := range v {
			v[i], _ = strconv.ParseFloat(string(m[1+i]), 64)
		}
		if !(v[0] < 1.3) || !(math.Abs(v[0]/v[1]-1) < 0.1) || !(v[2] > 93 && v[2] < 97) {
			t.Errorf("%s: %v", name, v)
		}
	}
	m, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	x, y, err := letters()
	if err != nil {
		t.Fatal(err)
	}
	want, err := fit(x, y, 64)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		mean, deviation := m.Predict(x.RawRowView(i))
		mean0, deviation0 := want.Predict(x.RawRowView(i))
		if !sameBits(mean, mean0) || !sameBits(deviation, deviation0) {
			t.Errorf("letter %d: %v ± %v, before %v ± %v", i, mean, deviation, mean0, deviation0)
		}
	}
	if err := selfTest(m); err != nil {
		t.Error(err)
	}
}

// The first letter is a T, whose numbers are those of dataset's own test: the height and the ink are targets, the
// others the row.
func TestLetters(t *testing.T) {
	x, y, err := letters()
	if err != nil {
		t.Fatal(err)
	}
	if got := x.RawRowView(0); !sameBits(got, []float64{2, 8, 3, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8}) {
		t.Errorf("row %v", got)
	}
	if got := y.RawRowView(0); !sameBits(got, []float64{5, 1}) {
		t.Errorf("targets %v", got)
	}
}

// Saving replaces a file by a whole one, or leaves it alone; nothing else is left in the folder.
func TestSave(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "m")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	only := func() {
		t.Helper()
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	}
	if _, err := save(path, new(ridge.Model)); err == nil {
		t.Error("no error for a model that cannot be saved")
	}
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Errorf("the file has %d bytes after an error", len(b))
	}
	only()
	old, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	size, err := save(path, small())
	if err != nil {
		t.Fatal(err)
	}
	only()
	info, err := os.Stat(path)
	if err != nil || info.Size() != size || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v; saved %d bytes", info, err, size)
	}
	var b [10]byte
	if n, _ := old.Read(b[:]); string(b[:n]) != "old" {
		t.Errorf("who had the old file open reads %q", b[:n])
	}
	if _, err := read(path); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(path, size-1); err != nil {
		t.Fatal(err)
	}
	if _, err := read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v for a file that lacks a byte", err)
	}
	if _, err := save(filepath.Join(folder, "none", "m"), small()); err == nil {
		t.Error("no error without the folder")
	}
}

// The README's answer is the answer to its request, to the last digit.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("the fit takes minutes where fused multiply-adds are not in hardware")
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	request := regexp.MustCompile(`(?s)-d '([^']*)'`).FindSubmatch(text)
	response := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(text)
	if request == nil || response == nil {
		t.Fatal("no example")
	}
	var want answer
	if err := json.Unmarshal(response[1], &want); err != nil || len(want.Predictions) == 0 {
		t.Fatalf("%v: %s", err, response[1])
	}
	x, y, err := letters()
	if err != nil {
		t.Fatal(err)
	}
	m, err := fit(x, y, 512) // as by -train
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "localhost:8080"+predictPath) {
		t.Errorf("the request is not one for %s", predictPath)
	}
	w := call(ready(t, m, nil).handler(), http.MethodPost, predictPath, "application/json", request[1])
	var got answer
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || len(got.Predictions) != len(want.Predictions) {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	for i := range want.Predictions {
		if !sameBits(got.Predictions[i], want.Predictions[i]) || !sameBits(got.Deviations[i], want.Deviations[i]) {
			t.Errorf("row %d: %v ± %v, in the README %v ± %v", i, got.Predictions[i], got.Deviations[i], want.Predictions[i], want.Deviations[i])
		}
	}
	// The README names every status.
	for _, s := range []int{400, 404, 405, 408, 413, 415, 422, 500, 503} {
		if !bytes.Contains(text, []byte(strconv.Itoa(s))) {
			t.Errorf("no status %d in the README", s)
		}
	}
}
