// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// drawings are in both forms, for random points and for given ones.
var drawings = []drawing{
	{gamma: 0.3, features: 16, seed: 1},
	{gamma: 0.3, features: 16, seed: 1, phases: true},
	{gamma: 2, features: 24, seed: 5, points: "testdata/fortran.npz"},
	{gamma: 2, features: 15, seed: 5, points: "testdata/fortran.npz", phases: true},
}

// drawn returns one of the drawings, written to a new file.
func drawn(t *testing.T, of drawing) drawing {
	t.Helper()
	of.file = filepath.Join(t.TempDir(), "map.npz")
	var out bytes.Buffer
	if err := to(&out, of); err != nil {
		t.Fatalf("%+v: %v", of, err)
	}
	if want := fmt.Sprintf("5 coordinates to %d features", of.features); !strings.Contains(out.String(), want) {
		t.Errorf("%+v: %s", of, &out)
	}
	return of
}

// The file contains the formula's features, by package math, which are the features of the map.
func TestWrite(t *testing.T) {
	for _, of := range drawings {
		of = drawn(t, of)
		a, err := open(of.file)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		read := func(name string) *mat.Dense {
			m, err := a.matrix(name)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		w, x, z := read("frequencies"), read("X"), read("Z")
		d, _ := w.Dims()
		rows, in := x.Dims()
		scale, err := a.number("scale")
		if err != nil {
			t.Fatal(err)
		}
		want := mat.NewDense(rows, of.features, nil)
		var p mat.Dense
		p.Mul(x, w.T())
		if of.phases {
			b, err := a.vector("phases", of.features)
			if err != nil {
				t.Fatal(err)
			}
			want.Apply(func(i, j int, _ float64) float64 { return scale * math.Cos(p.At(i, j)+b[j]) }, want)
		} else {
			if a.has("phases") {
				t.Errorf("%+v: pairs with phases", of)
			}
			want.Apply(func(i, j int, _ float64) float64 {
				if j < d {
					return scale * math.Cos(p.At(i, j))
				}
				return scale * math.Sin(p.At(i, j-d))
			}, want)
		}
		check(t, z, want)

		phi, err := featuremap.NewFourier(featuremap.RBF(of.gamma), in, of.features, samplerAfterPoints(of),
			&featuremap.FourierOptions{Design: featuremap.Orthogonal, RandomPhase: of.phases})
		if err != nil {
			t.Fatal(err)
		}
		var direct mat.Dense
		phi.TransformTo(&direct, x)
		if !mat.Equal(z, &direct) {
			t.Errorf("%+v: features are not those of the map with these parameters", of)
		}
	}
}

// samplerAfterPoints returns the sampler as it is when the map is drawn.
func samplerAfterPoints(of drawing) *featuremap.Sampler {
	s := featuremap.NewSampler(of.seed)
	if of.points == "" {
		s.FillNormal(make([]float64, 7*5))
	}
	return s
}

// A map that was written is the same map when it is read.
func TestRoundTrip(t *testing.T) {
	for _, of := range drawings {
		of = drawn(t, of)
		phi, z, want, err := evaluation{file: of.file}.features()
		if err != nil {
			t.Errorf("%+v: %v", of, err)
			continue
		}
		if pairs := phi.Phases() == nil; pairs == of.phases {
			t.Errorf("%+v: pairs: %v", of, pairs)
		}
		check(t, z, want)

		// At points of another file, too.
		_, z, _, err = evaluation{file: of.file, points: drawn(t, drawing{gamma: of.gamma, features: of.features, seed: of.seed, phases: of.phases}).file}.features()
		if err != nil {
			t.Errorf("%+v: %v", of, err)
		} else if r, c := z.Dims(); r != 7 || c != of.features {
			t.Errorf("%+v: %d×%d features", of, r, c)
		}
	}
}

// numpy, by check.py, computes the same features; it reports other features.
func TestPython(t *testing.T) {
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		t.Skipf("no numpy for %s (set PYTHON to another): %v", python, err)
	}
	for _, of := range drawings {
		of = drawn(t, of)
		if out, err := exec.Command(python, "check.py", of.file).CombinedOutput(); err != nil {
			t.Errorf("%+v: %v\n%s", of, err, out)
		}

		arrays := map[string]any{}
		a, err := open(of.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"frequencies", "X", "Z"} {
			if arrays[name], err = a.matrix(name); err != nil {
				t.Fatal(err)
			}
		}
		if of.phases {
			if arrays["phases"], err = a.vector("phases", of.features); err != nil {
				t.Fatal(err)
			}
		}
		a.Close()
		arrays["scale"] = math.Sqrt(2/float64(of.features)) + 1e-10
		save(t, of.file, arrays)
		if out, err := exec.Command(python, "check.py", of.file).CombinedOutput(); err == nil || !strings.Contains(string(out), "features differ by") {
			t.Errorf("%+v: a wrong scale is not found: %v\n%s", of, err, out)
		}
	}
}

// What NewFourier refuses, and files that cannot be read or written, are errors.
func TestToRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map.npz")
	for _, of := range []drawing{
		{file: file, gamma: 0, features: 16},
		{file: file, gamma: -1, features: 16},
		{file: file, gamma: 0.3, features: 15},
		{file: file, gamma: 0.3, features: 0, phases: true},
		{file: file, gamma: 0.3, features: 16, points: "testdata/none.npz"},
		{file: filepath.Join(t.TempDir(), "none", "map.npz"), gamma: 0.3, features: 16},
	} {
		if err := to(new(bytes.Buffer), of); err == nil {
			t.Errorf("%+v: no error", of)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written nevertheless")
	}
}
