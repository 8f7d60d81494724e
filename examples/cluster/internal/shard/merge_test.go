// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
)

// partsOf returns the files of the sums of parts of 5 rows, and their map.
func partsOf(t *testing.T, parts int) (featuremap.FeatureMap, [][]byte) {
	t.Helper()
	recipe, err := Recipe(filepath.Join(t.TempDir(), "map"), 32)
	if err != nil {
		t.Fatal(err)
	}
	phi, err := Draw(recipe)
	if err != nil {
		t.Fatal(err)
	}
	files := make([][]byte, parts)
	for i := range parts {
		var rows bytes.Buffer
		if err := WriteCSV(&rows, NewDemo(i), Dim+1, 5); err != nil {
			t.Fatal(err)
		}
		a, err := Accumulate(phi, NewCSV(&rows, 0, 0))
		if err != nil || a.Rows() != 5 {
			t.Fatal(err)
		}
		files[i] = written(t, a)
	}
	return phi, files
}

func written(t *testing.T, a io.WriterTo) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := a.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Up to 64 parts are one chain; of more the groups have 32 each, in order, and the last what is left.
func TestGroups(t *testing.T) {
	if Groups(0) != nil || Groups(64) != nil {
		t.Error("groups of a chain")
	}
	if got := Groups(65); !slices.Equal(got, []Group{{0, 32}, {32, 64}, {64, 65}}) {
		t.Errorf("%v", got)
	}
	if got := Groups(1000); len(got) != 32 || got[31] != (Group{992, 1000}) {
		t.Errorf("%v", got)
	}
}

// Of 70 parts the groups of 32, 32 and 6 are merged, and then these, as workers that write them to files would; no file is left. An error names the
// part, also in the last group.
func TestMerge(t *testing.T) {
	phi, files := partsOf(t, 70)
	open := func(i int) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files[i])), nil }
	of := func(files [][]byte) []byte {
		a, err := Chain(phi, Group{0, len(files)}, func(i int) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files[i])), nil }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return written(t, a)
	}
	dir := t.TempDir()
	for n, c := range map[int]struct {
		size int // of a group
		want []byte
	}{
		64: {64, of(files[:64])},
		70: {32, of([][]byte{of(files[:32]), of(files[32:64]), of(files[64:])})},
	} {
		shown := 0
		all, err := Merge(phi, n, dir, open, func(i, rows int) {
			if i != shown || rows != 5*(i%c.size) {
				t.Errorf("%d rows before part %d of %d", rows, i, n)
			}
			shown++
		})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, all), c.want) || all.Rows() != 5*n || shown != n {
			t.Errorf("%d parts: other bits, or %d rows", n, all.Rows())
		}
		if n == 64 && bytes.Equal(c.want, of([][]byte{of(files[:32]), of(files[32:64])})) {
			t.Error("a chain has the bits of groups, so that this test sees nothing")
		}
	}
	files[69] = files[69][:100]
	_, err := Merge(phi, 70, dir, open, nil)
	var part *PartError
	if !errors.As(err, &part) || part.Part != 69 || !strings.HasPrefix(err.Error(), "part 69: ") {
		t.Errorf("%v", err)
	}
	if _, err := Merge(phi, 70, filepath.Join(dir, "none"), open, nil); err == nil {
		t.Error("no error for no folder")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

// Invalid rows end it, with their number.
func TestAccumulateRefused(t *testing.T) {
	phi, _ := partsOf(t, 0)
	for text, want := range map[string]string{"1,2\n": "row 0: 2 numbers", "1,2,3,4,5,6,7,8,9\n1,2,3,4,5,6,7,8,x\n": "row 1, column 8"} {
		if _, err := Accumulate(phi, NewCSV(strings.NewReader(text), 0, 0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
