// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// check fails the test if two matrices differ by more than the tolerance, which says why it is what it is.
func check(t *testing.T, got, want mat.Matrix) {
	t.Helper()
	rows, cols := want.Dims()
	if r, c := got.Dims(); r != rows || c != cols {
		t.Fatalf("%d×%d features, want %d×%d", r, c, rows, cols)
	}
	for i := range rows {
		for j := range cols {
			if g, w := got.At(i, j), want.At(i, j); !(math.Abs(g-w) <= tolerance) {
				t.Fatalf("feature %d of point %d is %v, want %v", j, i, g, w)
			}
		}
	}
}

// Features are those of scikit-learn's RBFSampler. testdata/make.py made the files.
func TestFeatures(t *testing.T) {
	for _, test := range []struct {
		of      evaluation
		rows    int
		fortran int // arrays in Fortran order
	}{
		{evaluation{file: "testdata/rbf.npz"}, 7, 0},
		{evaluation{file: "testdata/fortran.npz"}, 4, 3},
		{evaluation{file: "testdata/rbf.npz", points: "testdata/fortran.npz"}, 4, 0},
		{evaluation{file: "testdata/fortran.npz", points: "testdata/rbf.npz"}, 7, 3},
	} {
		// The file is what it is there for.
		a, err := open(test.of.file)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		fortran := 0
		for _, name := range a.Keys() {
			if a.Header(name).Descr.Fortran {
				fortran++
			}
		}
		if fortran != test.fortran {
			t.Errorf("%s has %d arrays in Fortran order, want %d", test.of.file, fortran, test.fortran)
		}

		phi, z, want, err := test.of.features()
		if err != nil {
			t.Errorf("%+v: %v", test.of, err)
			continue
		}
		if in, columns := phi.Dims(); in != 5 || columns != 16 {
			t.Errorf("%+v: %d coordinates, %d features, want 5 and 16", test.of, in, columns)
		}
		// RBF(0.3) is exp(−0.3·‖x−y‖²).
		if k, want := phi.Kernel().Eval([]float64{0, 0, 0, 0, 0}, []float64{0, 2, 0, 0, 0}), math.Exp(-1.2); !(math.Abs(k-want) <= 1e-15) {
			t.Errorf("%+v: the kernel is %v at distance 2, want %v", test.of, k, want)
		}
		if r, _ := z.Dims(); r != test.rows || want == nil {
			t.Fatalf("%+v: %d points, want %d, with features to compare with", test.of, r, test.rows)
		}
		check(t, z, want)
	}
}

// The command prints a row for each point, with as many features as it should, and fails if they
// are not those in the file.
func TestFrom(t *testing.T) {
	var out bytes.Buffer
	if err := from(&out, evaluation{file: "testdata/rbf.npz", show: 3}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if head := strings.Join(strings.Fields(lines[2]), " "); head != "point z0 z1 z2 difference" {
		t.Errorf("the head of the table is %q", head)
	}
	for i, line := range lines[3:10] {
		if f := strings.Fields(line); len(f) != 5 || f[0] != string(rune('0'+i)) {
			t.Errorf("row %d is %q", i, line)
		}
	}
	if last := lines[len(lines)-2]; !strings.HasPrefix(last, "All 7×16 features are those in Z, to ") {
		t.Errorf("the last line is %q", last)
	}

	// More than there are, and none to compare with.
	out.Reset()
	file := filepath.Join(t.TempDir(), "a.npz")
	arrays := sampler()
	delete(arrays, "Z")
	save(t, file, arrays)
	if err := from(&out, evaluation{file: file, show: 100}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "point          z0          z1          z2\n") || !strings.Contains(out.String(), "no features Z") {
		t.Errorf("without Z the output is\n%s", &out)
	}

	// One feature is off by twice the tolerance, or none is, except for rounding.
	for _, test := range []struct {
		off  float64
		fail bool
	}{{0, false}, {2 * tolerance, true}} {
		arrays := sampler()
		arrays["Z"].(*mat.Dense).Set(1, 2, arrays["Z"].(*mat.Dense).At(1, 2)+test.off)
		save(t, file, arrays)
		err := from(&out, evaluation{file: file, show: 4})
		if test.fail && (err == nil || !strings.Contains(err.Error(), "differ from Z by 2.0e-12")) || !test.fail && err != nil {
			t.Errorf("with a feature off by %v the error is: %v", test.off, err)
		}
	}
}
