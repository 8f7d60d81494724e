// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A partFile is a part that counts how often it is closed.
type partFile struct {
	io.Reader
	closed *int
}

func (f partFile) Close() error {
	*f.closed++
	return nil
}

// partsOf returns the files of accumulators of so many parts of the rows, which keep so many rows at most. A row of part 2 weighs more than
// sixteen times as much as those before, so that sums move to it.
func partsOf(t testing.TB, phi featuremap.FeatureMap, x, y *mat.Dense, parts, keep int) [][]byte {
	t.Helper()
	n, _ := x.Dims()
	files := make([][]byte, parts)
	for i := range parts {
		a := must(NewAccumulator(phi, y.RawMatrix().Cols))
		if err := a.KeepRows(keep); err != nil {
			t.Fatal(err)
		}
		ownX, ownY := slice(x, y, i*n/parts, (i+1)*n/parts)
		rows, _ := ownX.Dims()
		weights := slices.Repeat([]float64{1}, rows)
		if i == 2 {
			weights[rows/2] = 100
		}
		if err := a.AddWeighted(ownX, ownY, weights); err != nil {
			t.Fatal(err)
		}
		files[i] = encoded(a)
	}
	return files
}

// opener returns an open function of files.
func opener(files [][]byte, closed *int) func(i int) (io.ReadCloser, error) {
	return func(i int) (io.ReadCloser, error) { return partFile{bytes.NewReader(files[i]), closed}, nil }
}

// chain returns the parts as they are read and merged one by one.
func chain(t *testing.T, phi featuremap.FeatureMap, files [][]byte, targets, keep int) *Accumulator {
	t.Helper()
	all := must(NewAccumulator(phi, targets))
	if err := all.KeepRows(keep); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := all.Merge(must(readBytes(t, f, phi))); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Parts that finish in any order, some of them made twice, have the bits of the chain of their numbers, and the same rows kept: 200 of 1,200. Merged
// as they come they keep the same rows, in another order.
func TestMergeInOrder(t *testing.T) {
	const parts, keep, targets = 7, 200, 2
	phi := fourier(2, 30)
	x, y := data(1200, 2, targets, 60)
	files := partsOf(t, phi, x, y, parts, keep)
	want := encoded(chain(t, phi, files, targets, keep))
	wantKept := keptSet(t, want)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		done := make([][]byte, parts)
		asTheyCome := must(NewAccumulator(phi, targets))
		if err := asTheyCome.KeepRows(keep); err != nil {
			t.Fatal(err)
		}
		for _, i := range rnd.Perm(parts) {
			done[i] = files[i]
			if rnd.IntN(3) == 0 { // a worker was killed, and the part is made again
				done[i] = partsOf(t, phi, x, y, parts, keep)[i]
			}
			if err := asTheyCome.Merge(must(readBytes(t, done[i], phi))); err != nil {
				t.Fatal(err)
			}
		}
		closed := 0
		dst := must(NewAccumulator(phi, targets))
		if err := errors.Join(dst.KeepRows(keep), MergeInOrder(dst, parts, opener(done, &closed))); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encoded(dst), want) {
			t.Fatal("other bits")
		}
		if closed != parts {
			t.Errorf("%d of %d parts are closed", closed, parts)
		}
		if !slices.Equal(keptSet(t, encoded(asTheyCome)), wantKept) {
			t.Error("which rows are kept depends on the order")
		}
	}
	if len(wantKept) != keep {
		t.Errorf("%d rows kept", len(wantKept))
	}
	// After rows of its own, in two calls, and after a file: the chain goes on.
	own, ownY := data(50, 2, targets, 61)
	a, b := must(NewAccumulator(phi, targets)), must(NewAccumulator(phi, targets))
	if err := errors.Join(a.Add(own, ownY), b.Add(own, ownY)); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := a.Merge(must(readBytes(t, f, phi))); err != nil {
			t.Fatal(err)
		}
	}
	closed := 0
	if err := errors.Join(MergeInOrder(b, 3, opener(files, &closed)), MergeInOrder(b, 0, nilOpen), MergeInOrder(b, parts-3, opener(files[3:], &closed))); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(a), encoded(b)) {
		t.Error("after rows: other bits")
	}
	// And rows after it.
	if err := errors.Join(a.Add(own, ownY), b.Add(own, ownY)); err != nil || !bytes.Equal(encoded(a), encoded(b)) {
		t.Error("rows after it: other bits", err)
	}
}

func nilOpen(int) (io.ReadCloser, error) { return nil, nil }

// keptSet returns the keys of the rows that a file has kept, in order.
func keptSet(t *testing.T, file []byte) (keys []float64) {
	t.Helper()
	a := must(readBytes(t, file, fourier(2, 30)))
	keys = KeptKeys(a)
	slices.Sort(keys)
	return keys
}

// All parts share the memory of one: 12 of them take less than two parts have, where ReadAccumulator and Merge take two for each. With dst, which is there
// before, two sums are live when the last part has been read.
func TestMergeInOrderMemory(t *testing.T) {
	const parts, out = 12, 700
	phi := fourier(2, out)
	x, y := data(parts*10, 2, 1, 62)
	files := partsOf(t, phi, x, y, parts, 5)
	dst := must(NewAccumulator(phi, 1))
	if err := dst.KeepRows(20); err != nil {
		t.Fatal(err)
	}
	part := float64(len(files[0]))
	var before, after, live runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if err := MergeInOrder(dst, parts, func(i int) (io.ReadCloser, error) {
		r := io.Reader(bytes.NewReader(files[i]))
		if i == parts-1 {
			r = io.MultiReader(r, atEnd(func() {
				runtime.GC()
				runtime.ReadMemStats(&live)
			}))
		}
		return io.NopCloser(r), nil
	}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if bytes := float64(after.TotalAlloc - before.TotalAlloc); bytes > 2*part {
		t.Errorf("%.3g bytes are taken, for parts of %.3g", bytes, part)
	}
	if bytes := float64(live.HeapAlloc) - float64(before.HeapAlloc); live.HeapAlloc == 0 || bytes > 1.2*part { // dst is there before
		t.Errorf("%.3g bytes are live besides dst, for parts of %.3g", bytes, part)
	}
	if dst.Rows() != parts*10 {
		t.Errorf("%d rows", dst.Rows())
	}
}

// atEnd is a reader of nothing that calls a function first.
type atEnd func()

func (f atEnd) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// A part that is damaged, cut, of another map, of other targets, or that cannot be opened is named, and what was there before it stays.
func TestMergeInOrderRefused(t *testing.T) {
	const parts = 5
	phi := fourier(2, 30)
	x, y := data(300, 2, 1, 63)
	files := partsOf(t, phi, x, y, parts, 100)
	_, two := data(300, 2, 2, 64)
	gone := errors.New("the disk is gone")
	changed := bytes.Clone(files[3])
	changed[len(changed)/2] ^= 1
	other := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, 2, 30, featuremap.NewSampler(9), nil))
	of := func(phi featuremap.FeatureMap, y *mat.Dense) []byte { return partsOf(t, phi, x, y, parts, 100)[3] }
	for name, c := range map[string]struct {
		part []byte // for part 3; nil: it is not there
		want string
	}{
		"a changed byte":          {changed, "ridge: part 3: the data was changed"},
		"a file that is cut":      {files[3][:len(files[3])-9], "ridge: part 3: the data ends after"},
		"half a file":             {files[3][:len(files[3])/2], "ridge: part 3: the data ends after"},
		"an empty file":           {[]byte{}, "ridge: part 3: the data ends after 0 bytes"},
		"two files":               {append(bytes.Clone(files[3]), files[3]...), "ridge: part 3: there is more data"},
		"another map":             {of(other, y), "ridge: part 3: the data is of another map than phi"},
		"more features":           {of(fourier(2, 32), y), "ridge: part 3: the data is of a map R^2 → R^32"},
		"two targets":             {of(phi, two), "ridge: part 3: the data has targets = 2: must be 1"},
		"a number that is no sum": {resealed(files[3], func(b []byte) { copy(b[len(b)-8*600:], bytes.Repeat([]byte{0xff}, 8*100)) }), "ridge: part 3: the data of the accumulator"},
		"no file":                 {nil, "ridge: part 3: the disk is gone"},
	} {
		for _, before := range []int{0, 300} {
			dst, want := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
			for _, a := range []*Accumulator{dst, want} {
				if before > 0 {
					if err := a.Add(x, y); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, f := range files[:3] {
				if err := want.Merge(must(readBytes(t, f, phi))); err != nil {
					t.Fatal(err)
				}
			}
			closed := 0
			err := MergeInOrder(dst, parts, func(i int) (io.ReadCloser, error) {
				if i > 3 {
					t.Errorf("%s: part %d is opened", name, i)
				}
				if i < 3 {
					return opener(files, &closed)(i)
				}
				if c.part == nil {
					return nil, gone
				}
				return partFile{bytes.NewReader(c.part), &closed}, nil
			})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || c.part == nil && !errors.Is(err, gone) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			if !bytes.Equal(encoded(dst), encoded(want)) {
				t.Errorf("%s: not the parts before", name)
			}
			if n := 4; closed != n && c.part != nil {
				t.Errorf("%s: %d of %d parts are closed", name, closed, n)
			}
			// With the right part it goes on, with the bits of all.
			if err := MergeInOrder(dst, parts-3, opener(files[3:], &closed)); err != nil {
				t.Fatal(err)
			}
			for _, f := range files[3:] {
				if err := want.Merge(must(readBytes(t, f, phi))); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(encoded(dst), encoded(want)) {
				t.Errorf("%s: other bits after it was mended", name)
			}
		}
	}
	dst := must(NewAccumulator(phi, 1))
	closed := 0
	for want, err := range map[string]error{
		"ridge: dst = nil":                         MergeInOrder(nil, 1, nilOpen),
		"ridge: the accumulator is the zero value": MergeInOrder(new(Accumulator), 1, nilOpen),
		"ridge: n = -1: must be at least 0":        MergeInOrder(dst, -1, nilOpen),
		"ridge: open = nil":                        MergeInOrder(dst, 1, nil),
		"ridge: part 0: open has returned nil":     MergeInOrder(dst, 1, nilOpen),
		"ridge: part 1: open has returned nil": MergeInOrder(dst, 2, func(i int) (io.ReadCloser, error) {
			if i == 0 {
				return opener(files, &closed)(0)
			}
			return nil, nil
		}),
	} {
		expectError(t, err, want)
	}
}

// The rows that are kept of a file hold no more memory than their own: of 10 files of 4,000 rows, 64 kB each, 10 rows stay.
func TestKeptRowsOfFiles(t *testing.T) {
	const parts, rows = 10, 4000
	phi := callers{1, 2, func(dst, x []float64) { dst[0], dst[1] = 1, x[0] }}
	dst := must(NewAccumulator(phi, 1))
	if err := dst.KeepRows(10); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if err := MergeInOrder(dst, parts, func(i int) (io.ReadCloser, error) {
		a := must(NewAccumulator(phi, 1))
		x, y := data(rows, 1, 1, uint64(i))
		err := a.Add(x, y)
		return io.NopCloser(bytes.NewReader(encoded(a))), err
	}); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if bytes := int64(after.HeapAlloc) - int64(before.HeapAlloc); bytes > 100_000 || dst.Rows() != parts*rows {
		t.Errorf("%d bytes are held after %d rows", bytes, dst.Rows())
	}
}
