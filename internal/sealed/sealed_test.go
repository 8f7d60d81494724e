// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sealed

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// file returns a file with a document and arrays.
func file(t *testing.T, document string, arrays ...[]float64) []byte {
	t.Helper()
	var b bytes.Buffer
	var sizes []int
	for _, a := range arrays {
		sizes = append(sizes, len(a))
	}
	f := NewWriter(&b, "test", []byte(document), nil, sizes)
	for _, a := range arrays {
		f.Floats(a[:len(a)/2]) // in two parts
		f.Floats(a[len(a)/2:])
	}
	n, err := f.Close()
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d: %v", n, b.Len(), err)
	}
	return b.Bytes()
}

// read returns the content of a file.
func read(b []byte, limit int64) (document string, arrays [][]float64, err error) {
	f, err := NewReader(iotest.OneByteReader(bytes.NewReader(b)), "test", limit)
	if err != nil {
		return "", nil, err
	}
	arrays = f.Arrays()
	n, err := f.Close()
	if err == nil && n != int64(len(b)) {
		err = errors.New("Close returned another number of bytes")
	}
	return string(f.Document), arrays, err
}

func TestSealed(t *testing.T) {
	long := make([]float64, 10_000)
	for i := range long {
		long[i] = math.Sqrt(float64(i))
	}
	for _, arrays := range [][][]float64{nil, {{1}}, {{}, {math.Inf(1), math.Copysign(0, -1), math.Pi}, {}}, {long, {2}, long}} {
		for _, document := range []string{"{}", "[]", "{\n}", strings.Repeat("x", 10_000)} {
			b := file(t, document, arrays...)
			got, gotArrays, err := read(b, int64(len(b)))
			if err != nil || got != document+"\n" || !slices.EqualFunc(gotArrays, arrays, slices.Equal) {
				t.Errorf("%.20q and %d arrays are read as %.20q, %d arrays: %v", document, len(arrays), got, len(gotArrays), err)
			}
			for i := 0; i < min(len(b), 1000); i += 1 + len(b)/1000 {
				changed := slices.Clone(b)
				changed[len(b)-1-i] ^= 4
				if _, _, err := read(changed, 1<<20); err == nil {
					t.Errorf("byte −%d was changed: no error", i)
				}
				changed[len(b)-1-i] ^= 4
				changed[i] ^= 1
				if _, _, err := read(changed, 1<<20); err == nil {
					t.Errorf("byte %d was changed: no error", i)
				}
			}
		}
	}
}

func TestSealedRefuses(t *testing.T) {
	b := file(t, "{}", []float64{1, 2, 3})
	for i := range b {
		if _, _, err := read(b[:i], 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
	}
	if _, _, err := read(append(slices.Clone(b), '\n'), 1<<20); err != ErrTrailing {
		t.Errorf("a byte more: %v", err)
	}
	if _, _, err := read(b, 20); err != ErrLarge {
		t.Errorf("a limit of 20 bytes: %v", err)
	}
	full := errors.New("full")
	f := NewWriter(failing{full}, "test", []byte("{}"), nil, nil)
	if _, err := f.Close(); err != full {
		t.Errorf("%v, want the writer's", err)
	}
	f = NewWriter(io.Discard, "test", []byte("{}"), nil, []int{2})
	f.Floats([]float64{1})
	if _, err := f.Close(); err == nil {
		t.Error("a number is missing: no error")
	}
	for _, preamble := range []string{
		"featuremap test, version 1\njson 03\n{}\n", "featuremap test, version 1\njson +3\n{}\n", "featuremap test, version 1\njson -3\n{}\n",
		"featuremap test, version 1\njson\n{}\n", "featuremap test, version 1\njson 3 3\n{}\n", "featuremap test, version 1\njson 3\ndata\n{}\n",
		"featuremap test, version 1\njson  3\n{}\n", "featuremap test, version 1\njson 2\n{}\n", "featuremap test, version 1\njson 0\n", "featuremap test, version 1\njson 1\n\n",
		"featuremap other, version 1\njson 3\n{}\n", "featuremap test, version 1 \njson 3\n{}\n", "\n\n",
	} {
		if _, err := NewReader(strings.NewReader(preamble), "test", 1<<20); err == nil {
			t.Errorf("%q was read", preamble)
		}
	}
}

// Memory for an announced size is not allocated before the data is there.
func TestSealedAllocates(t *testing.T) {
	for _, preamble := range []string{
		"featuremap test, version 1\njson 1000000000\n{}\n",
		"featuremap test, version 1\njson 3\ndata 100000000\n{}\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read([]byte(preamble), 1<<40)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
			t.Errorf("%q: %d bytes were allocated", preamble, n)
		}
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

// A file may hold another one, of any bytes, with and without arrays.
func TestSealedFile(t *testing.T) {
	for _, inner := range []string{"\n", "data 1\n", strings.Repeat("\x00{", 5_000)} {
		for _, sizes := range [][]int{nil, {2}} {
			var b bytes.Buffer
			w := NewWriter(&b, "test", []byte("{}"), []byte(inner), sizes)
			if sizes != nil {
				w.Floats([]float64{1, 2})
			}
			if _, err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := NewReader(iotest.OneByteReader(&b), "test", 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Document) != "{}\n" || string(r.File) != inner || len(r.Arrays()) != len(sizes) {
				t.Errorf("%.20q: document %q, file %.20q", inner, r.Document, r.File)
			}
			if _, err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, preamble := range []string{
		"json 3\nfile 0x1\n{}\n", "json 3\nfile 1 2\n{}\n..", "json 3\nfile 9999999\n{}\n", "json 3\nfile 1\nfile 1\n{}\n.", "json 3\ndata 0\nfile 1\n{}\n.",
	} {
		if _, err := NewReader(strings.NewReader("featuremap test, version 1\n"+preamble), "test", 1<<20); err == nil {
			t.Errorf("%q: no error", preamble)
		}
	}
}
