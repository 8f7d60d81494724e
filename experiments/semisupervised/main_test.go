// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// compare runs the plan on the digits, and returns the mean difference and its standard error.
func compare(t *testing.T, p plan) (difference, deviation float64) {
	t.Helper()
	digits, err := loadDigits()
	if err != nil {
		t.Fatal(err)
	}
	var out, again bytes.Buffer
	shown := 0
	if err := run(&out, func(string) { shown++ }, digits, p); err != nil {
		t.Fatal(err)
	}
	if err := run(&again, func(string) {}, digits, p); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("the same seed gave another table")
	}
	rows := regexp.MustCompile(`(?m)^ +[0-9]+ +([0-9.]+)% +([0-9.]+)% +([-+][0-9.]+)$`).FindAllSubmatch(out.Bytes(), -1)
	mean := regexp.MustCompile(`(?m)^ mean +([0-9.]+)% +([0-9.]+)% +([-+][0-9.]+)\n +± +[0-9.]+ +[0-9.]+ +([0-9.]+) `).FindSubmatch(out.Bytes())
	if mean == nil || len(rows) != p.draws {
		t.Fatalf("no table of %d draws:\n%s", p.draws, &out)
	}
	if want := len(p.neighbors)*len(p.powers) + 1; shown != want {
		t.Errorf("progress shown %d times, want %d", shown, want)
	}
	number := func(b []byte) float64 {
		v, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, row := range append(rows, mean) {
		// Each is rounded to 0.01.
		a, b, d := number(row[1]), number(row[2]), number(row[3])
		if e := b - a - d; !(e > -0.016 && e < 0.016) || a < 10 || b > 100 {
			t.Errorf("a row of %v, %v and their difference %v", a, b, d)
		}
	}
	return number(mean[3]), number(mean[4])
}

func TestRun(t *testing.T) {
	difference, deviation := compare(t, small)
	if !(difference > 3*deviation) {
		t.Errorf("data-dependent less base map: %v ± %v: want more", difference, deviation)
	}
}

// All digits, with the options that the program finds.
func TestDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	difference, deviation := compare(t, plan{
		features: 256, tuning: 3, draws: 20,
		neighbors: []int{6}, powers: []int{1}, alphas: []float64{1000}, ridges: []float64{0.1, 1, 10},
	})
	if !(difference > 5 && difference > 5*deviation) {
		t.Errorf("data-dependent less base map: %v ± %v: want some ten", difference, deviation)
	}
}

func TestLoadCOIL(t *testing.T) {
	write := func(folder, name string, data []byte) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	images := make([]byte, 4*1440*1024)
	copy(images[4*1024:], []byte{0, 0, 0x40, 0x3f}) // 0.75
	labels := make([]byte, 1440)
	for i := range labels {
		labels[i] = byte(1 + i/72)
	}
	far := bytes.Clone(labels)
	far[7] = 21
	for i, c := range []struct {
		images, labels []byte
		ok             bool
	}{
		{images, labels, true},
		{images[1:], labels, false},
		{append(images, 0), labels, false},
		{images, labels[1:], false},
		{images, far, false},
	} {
		folder := t.TempDir()
		write(folder, "coil20.f32.gz", c.images)
		write(folder, "coil20.labels.u8.gz", c.labels)
		p, err := loadCOIL(folder)
		if (err == nil) != c.ok {
			t.Errorf("case %d: error %v", i, err)
		}
		if c.ok && (p.x.At(1, 0) != 0.75 || p.x.At(0, 0) != 0 || p.class[0] != 0 || p.class[1439] != 19) {
			t.Errorf("case %d: read otherwise: %v", i, fmt.Sprint(p.class[0], p.class[1439], p.x.At(1, 0)))
		}
	}
	if _, err := loadCOIL(t.TempDir()); err == nil {
		t.Error("no files: no error")
	}
}
