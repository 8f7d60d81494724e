// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"
)

// sampler returns the arrays of a file of an RBFSampler, for 2 coordinates and 3 features, with 2
// points and sklearn's formula √(2/D)·cos(w·x + b) there.
func sampler() map[string]any {
	w := mat.NewDense(2, 3, []float64{1, -2, 0.5, 3, 0.25, -1})
	b := []float64{0.5, 1, 6}
	x := mat.NewDense(2, 2, []float64{1, 2, -0.5, 0.125})
	z := mat.NewDense(2, 3, nil)
	z.Mul(x, w)
	z.Apply(func(_, j int, p float64) float64 { return math.Sqrt(2./3) * math.Cos(p+b[j]) }, z)
	return map[string]any{"random_weights": w, "random_offset": b, "gamma": 0.7, "X": x, "Z": z}
}

// save writes arrays to a file.
func save(t *testing.T, file string, arrays map[string]any) {
	t.Helper()
	members := map[string]any{}
	for name, v := range arrays {
		members[name+".npy"] = v
	}
	if err := npz.Write(file, members); err != nil {
		t.Fatal(err)
	}
}

// Errors about an array contain its name and say what it should be.
func TestRefused(t *testing.T) {
	waves := func() map[string]any {
		a := sampler()
		return map[string]any{"frequencies": mat.DenseCopyOf(a["random_weights"].(*mat.Dense).T()), "phases": a["random_offset"],
			"scale": math.Sqrt(2. / 3), "gamma": 0.7, "X": a["X"], "Z": a["Z"]}
	}
	const missing = "missing"
	for _, test := range []struct {
		of    func() map[string]any
		name  string // of the array that is replaced
		by    any
		wants string
	}{
		{sampler, "random_weights", missing, "neither random_weights nor frequencies is there"},
		{sampler, "random_offset", missing, "random_offset is not there"},
		{sampler, "gamma", missing, "gamma is not there"},
		{sampler, "X", missing, "X is not there"},

		{sampler, "random_weights", [2][3]float32{}, "random_weights has type <f4: must be float64"},
		{sampler, "random_weights", [2][3]int64{}, "random_weights has type <i8: must be float64"},
		{sampler, "random_weights", make([]float64, 6), "random_weights has shape [6]: must be a matrix"},
		{sampler, "random_weights", [1][2][3]float64{}, "random_weights has shape [1 2 3]: must be a matrix"},
		{sampler, "random_weights", [0]float64{}, "random_weights has shape [0]: must be a matrix"},
		{sampler, "random_weights", mat.NewDense(2, 3, []float64{1, 2, 3, 4, math.NaN(), 6}), "random_weights has NaN at [1 1]: must be finite"},
		{sampler, "random_weights", mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), "random_offset has length 3: must be 2"},

		{sampler, "random_offset", make([]float32, 3), "random_offset has type <f4: must be float64"},
		{sampler, "random_offset", make([]float64, 4), "random_offset has length 4: must be 3"},
		{sampler, "random_offset", []float64{}, "random_offset has shape [0]: must not be empty"},
		{sampler, "random_offset", mat.NewDense(1, 3, nil), "random_offset has shape [1 3]: must be a vector"},
		{sampler, "random_offset", []float64{0, 0, math.Inf(-1)}, "random_offset has -Inf at [2]: must be finite"},

		{sampler, "gamma", int64(1), "gamma has type <i8: must be float64"},
		{sampler, "gamma", []float64{1, 2}, "gamma has length 2: must be a number"},
		{sampler, "gamma", mat.NewDense(1, 1, nil), "gamma has shape [1 1]: must be a number"},
		{sampler, "gamma", math.NaN(), "gamma has NaN at []: must be finite"},
		{sampler, "gamma", 0., "gamma = 0: must be positive"},
		{sampler, "gamma", 1e-310, "LengthScale"}, // which NewFourierFrom refuses

		{sampler, "X", mat.NewDense(2, 3, nil), "X is 2×3: must have 2 columns"},
		{sampler, "X", mat.NewDense(1, 2, []float64{0, math.Inf(1)}), "X has +Inf at [0 1]: must be finite"},
		{sampler, "Z", mat.NewDense(2, 4, nil), "Z is 2×4: must be 2×3"},
		{sampler, "Z", mat.NewDense(3, 3, nil), "Z is 3×3: must be 2×3"},
		{sampler, "Z", [2][3]float32{}, "Z has type <f4: must be float64"},

		{waves, "frequencies", make([]float64, 6), "frequencies has shape [6]: must be a matrix"},
		{waves, "phases", make([]float64, 2), "phases has length 2: must be 3"},
		{waves, "scale", 1., "scale = 1: must be √(2/columns) = 0.81"},
		{waves, "scale", []float64{1, 1}, "scale has length 2: must be a number"},
	} {
		file := filepath.Join(t.TempDir(), "a.npz")
		arrays := test.of()
		save(t, file, arrays)
		if _, _, _, err := (evaluation{file: file}).features(); err != nil {
			t.Fatalf("before %s is replaced: %v", test.name, err)
		}
		arrays[test.name] = test.by
		if test.by == missing {
			delete(arrays, test.name)
		}
		save(t, file, arrays)
		_, _, _, err := evaluation{file: file}.features()
		if err == nil || !strings.Contains(err.Error(), test.wants) || !strings.HasPrefix(err.Error(), file+": ") {
			t.Errorf("%s replaced by %v: %v; want %s: %s", test.name, test.by, err, filepath.Base(file), test.wants)
		}
	}

	for _, of := range []evaluation{{file: "testdata/none.npz"}, {file: "testdata/rbf.npz", points: "testdata/none.npz"}, {file: "testdata/make.py"}} {
		if _, _, _, err := of.features(); err == nil {
			t.Errorf("%+v: no error", of)
		}
	}
}

// member returns an array as it is in a file, with a header like numpy's.
func member(order binary.ByteOrder, header string, data ...float64) []byte {
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)+1), 0)
	b = append(append(b, header...), '\n')
	b, err := binary.Append(b, order, data)
	if err != nil {
		panic(err)
	}
	return b
}

// Arrays of one file in both orders of the elements, and in both orders of bytes. The npz package writes one
// kind only, so these are made by hand.
func TestOrders(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	little, big := binary.LittleEndian, binary.BigEndian
	for _, test := range []struct {
		member []byte
		wants  string // error
	}{
		{member(little, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 1, 2, 3, 4, 5, 6), ""},
		{member(little, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", 1, 4, 2, 5, 3, 6), ""},
		{member(big, "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }", 1, 2, 3, 4, 5, 6), ""},
		{member(big, "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }", 1, 4, 2, 5, 3, 6), ""},

		{member(little, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 1, 2, 3, 4, 5), "A has shape [2 3], but 40 bytes"},
		{member(little, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 1, 2, 3, 4, 5, 6, 7), "A has shape [2 3], but 56 bytes"},
		{member(little, "{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000, 2000000001), }", 1), "A has shape [2000000000 2000000001], but 8 bytes"},
		{member(little, "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -3), }", 1, 2, 3, 4, 5, 6), "A has shape [-2 -3], but 48 bytes"},
		{member(little, "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 3), }", 1, 2, 3, 4, 5, 6), "A has type <c16"},
		{[]byte("PK"), "A cannot be read"},
	} {
		file := filepath.Join(t.TempDir(), "a.npz")
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f, err := w.Create("A.npy")
		if err != nil {
			t.Fatal(err)
		}
		f.Write(test.member)
		w.Close()
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		got, err := a.matrix("A")
		switch {
		case test.wants == "" && err != nil:
			t.Errorf("%q: %v", test.member, err)
		case test.wants == "" && !mat.Equal(got, want):
			t.Errorf("%q is\n%v", test.member, mat.Formatted(got))
		case test.wants != "" && (err == nil || !strings.Contains(err.Error(), test.wants)):
			t.Errorf("%q: %v, want %s", test.member, err, test.wants)
		}
	}
}

// A number may be an array of no dimensions, or of one.
func TestNumber(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.npz")
	save(t, file, map[string]any{"a": 0.7, "b": []float64{0.7}})
	a, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, name := range []string{"a", "b"} {
		if v, err := a.number(name); v != 0.7 || err != nil {
			t.Errorf("%s is %v, %v, want 0.7", name, v, err)
		}
	}
}

// A changed number is found by the checksum, even if it is the last of its array.
func TestChecksum(t *testing.T) {
	data, err := os.ReadFile("testdata/rbf.npz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		start, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.Clone(data)
		changed[start+int64(f.CompressedSize64)-1] ^= 1 // numpy.savez does not compress
		file := filepath.Join(t.TempDir(), "a.npz")
		if err := os.WriteFile(file, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(f.Name, ".npy")
		if _, _, _, err := (evaluation{file: file}).features(); !errors.Is(err, zip.ErrChecksum) || !strings.Contains(err.Error(), name+" cannot be read") {
			t.Errorf("with %s changed the error is: %v", name, err)
		}
	}
}

// fits compares without overflow.
func TestFits(t *testing.T) {
	for _, test := range []struct {
		shape []int
		size  int
		want  bool
	}{
		{nil, 8, true}, {nil, 0, false}, {nil, 16, false},
		{[]int{3}, 24, true}, {[]int{3}, 23, false}, {[]int{3}, 25, false}, {[]int{3}, 32, false},
		{[]int{5, 16}, 640, true}, {[]int{16, 5}, 640, true}, {[]int{5, 16}, 639, false}, {[]int{5, 16}, 1280, false},
		{[]int{-5, -16}, 640, false}, {[]int{math.MaxInt, math.MaxInt}, 8, false}, {[]int{math.MinInt, 2}, 0, false},
	} {
		if got := fits(test.shape, test.size); got != test.want {
			t.Errorf("%d bytes fit %v: %v, want %v", test.size, test.shape, got, test.want)
		}
	}
}
