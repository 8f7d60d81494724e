// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// kept returns the number of rows that an accumulator has kept, and the bytes of its file.
func kept(t *testing.T, a *Accumulator) (rows, size int) {
	data := encoded(a)
	var d struct{ Kept struct{ Rows int } }
	document := data[bytes.IndexByte(data, '{'):]
	if err := json.Unmarshal(document[:bytes.IndexByte(document, '\n')], &d); err != nil {
		t.Fatal(err)
	}
	return d.Kept.Rows, len(data)
}

// An accumulator that has kept all rows has the model of Fit; the order in which batches and merges bring rows does not
// change which are kept, nor does what is between.
func TestKeptRows(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(6000, 2, 1, 500)
	test, _ := data(5, 2, 1, 501)
	for _, n := range []int{2, 100, 4096} {
		ownX, ownY := slice(x, y, 0, n)
		a := must(NewAccumulator(phi, 1))
		addBatches(t, a, ownX, ownY, 777)
		if rows, _ := kept(t, a); rows != n {
			t.Errorf("%d of %d rows kept", rows, n)
		}
		m, want := must(a.Fit(nil)), must(Fit(phi, ownX, ownY, &Options{Side: FeatureSide}))
		equal(t, "model", modelBits(m, test), modelBits(want, test))
		equal(t, "leave-one-out", bits(leftOutOf(m)), bits(leftOutOf(want)))
	}
	a := must(NewAccumulator(phi, 1))
	addBatches(t, a, x, y, 6000)
	if rows, _ := kept(t, a); rows != 4096 {
		t.Errorf("%d of 6000 rows kept", rows)
	}
	want := encoded(a)
	for _, batch := range []int{1, 100, 4097} {
		b := must(NewAccumulator(phi, 1))
		addBatches(t, b, x, y, batch)
		if !bytes.Equal(encoded(b), want) {
			t.Errorf("batches of %d: other rows", batch)
		}
	}
	// A batch that is refused leaves them as they are.
	bad := mat.DenseCopyOf(x)
	bad.Set(5999, 0, math.NaN())
	b := must(NewAccumulator(phi, 1))
	addBatches(t, b, x, y, 6000)
	if b.Add(bad, y) == nil || !bytes.Equal(encoded(b), want) {
		t.Error("a batch that was refused changed something")
	}
	if err := b.KeepRows(1); err == nil {
		t.Error("KeepRows after rows")
	}
	expectError(t, must(NewAccumulator(phi, 1)).KeepRows(-1), "ridge: KeepRows: n = -1: must be at least 0")
	expectError(t, new(Accumulator).KeepRows(1), "ridge: the accumulator is the zero value")
}

// Fewer rows are kept, the same ones that are among more, also more than by default; none are kept of none, and their file has sums alone.
func TestKeepRows(t *testing.T) {
	phi := fourier(3, 10)
	x, y := data(4500, 3, 2, 502)
	last := 0
	for _, rows := range []int{0, 1, 7, 1000, 3000, 5000} {
		for _, parts := range []int{1, 3} {
			a := must(NewAccumulator(phi, 2))
			if err := a.KeepRows(rows); err != nil {
				t.Fatal(err)
			}
			for part := range parts {
				ownX, ownY := slice(x, y, part*4500/parts, (part+1)*4500/parts)
				b := must(NewAccumulator(phi, 2))
				if rows > 4096 { // else b keeps fewer
					if err := b.KeepRows(rows); err != nil {
						t.Fatal(err)
					}
				}
				addBatches(t, b, ownX, ownY, 100)
				if err := a.Merge(b); err != nil {
					t.Fatal(err)
				}
			}
			got, size := kept(t, a)
			if got != min(rows, 4500) {
				t.Errorf("%d rows kept of %d, in %d parts", got, rows, parts)
			}
			if parts == 1 {
				if got < 4500 {
					size -= 8 * len(Counts(a))
				}
				if size < last {
					t.Error("more rows in a smaller file")
				}
				last = size
			}
		}
	}
	// Twice the rows that two accumulators have kept fit in neither; who has kept none stands for nobody.
	a, b := must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2))
	if err := b.KeepRows(0); err != nil {
		t.Fatal(err)
	}
	addBatches(t, a, x, y, 4500)
	addBatches(t, b, x, y, 4500)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if got, _ := kept(t, a); got != 0 {
		t.Errorf("%d rows of half of them", got)
	}
}

// The rows kept are as good as drawn at random, also of shards in the same order that begin with the same row: of 300 shards
// of 100 rows, sorted by 10 classes alike, each place and each class is kept as often as another. A class has 409.6 of 4,096
// rows in the mean, with a variance of 409.6·.9·(1 − 4096/30000) = 318: five deviations are 90. A hundredth of the places
// has 41 with a variance of 35: 30.
func TestKeptRowsAreRandom(t *testing.T) {
	const shards, each = 300, 100
	phi := callers{1, 2, func(dst, x []float64) { dst[0], dst[1] = 1, x[0] }}
	whole := must(NewAccumulator(phi, 1))
	rnd := rand.New(rand.NewPCG(8, 9))
	for shard := range shards {
		a := must(NewAccumulator(phi, 1))
		x, y := mat.NewDense(each, 1, nil), mat.NewDense(each, 1, nil)
		for i := range each {
			x.Set(i, 0, 1000*float64(shard)+float64(i))
			y.Set(i, 0, float64(i/10))
		}
		x.Set(0, 0, 0) // the same in each shard
		if err := a.Add(x, y); err != nil {
			t.Fatal(err)
		}
		if shard == 0 || rnd.IntN(2) == 0 { // as they are, or by way of a file
			a = must(readBytes(t, encoded(a), phi))
		}
		if err := whole.Merge(a); err != nil {
			t.Fatal(err)
		}
	}
	var classes, places [10]int
	var by [each]int
	for _, r := range keptOf(whole, 1, 1) {
		classes[int(r[1])]++
		by[int(math.Mod(r[0], 1000))]++
	}
	for c, n := range classes {
		if math.Abs(float64(n)-409.6) > 90 {
			t.Errorf("class %d: %d rows", c, n)
		}
	}
	for place, n := range by {
		places[place/10] += n
		if place > 0 && math.Abs(float64(n)-41) > 30 {
			t.Errorf("place %d: %d rows", place, n)
		}
	}
}

// keptOf returns the coordinates and targets of the rows that an accumulator has kept in its file, 4,096 dense ones of more.
func keptOf(a *Accumulator, in, targets int) (rows [][]float64) {
	const n = 4096
	data := encoded(a)
	end := len(data) - 32 - 8*len(Counts(a))
	xs, ys := end-8*n*in, end-8*n*(in+targets)
	for i := range n {
		var row []float64
		for j := range in {
			row = append(row, number(data[xs+8*(i*in+j):]))
		}
		for j := range targets {
			row = append(row, number(data[ys+8*(i*targets+j):]))
		}
		rows = append(rows, row)
	}
	return rows
}

// number returns the number that bytes begin with.
func number(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// Rows that are lists are kept as lists, in bytes of their non-zeros, and left out like dense ones; so are both together.
func TestKeptLists(t *testing.T) {
	const n, in = 300, 2000
	x := testkit.Thin(featuremap.NewSampler(503), n, in, 0.01)
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, mat.Sum(x.RowView(i)))
	}
	phi := fourier(in, 30)
	lists, dense, both := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
	first, firstY := slice(x, y, 0, 100)
	rest, restY := slice(x, y, 100, n)
	for _, err := range []error{
		lists.Add(testkit.NewLists(x), y), dense.Add(x, y),
		both.Add(testkit.NewLists(first), firstY), both.Add(rest, restY),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, small := kept(t, lists)
	_, large := kept(t, dense)
	if small > large/5 { // some of the entries are zeros, a thirteenth of all
		t.Errorf("%d bytes of lists, %d dense", small, large)
	}
	read, err := readBytes(t, encoded(lists), phi)
	if err != nil || !bytes.Equal(encoded(read), encoded(lists)) {
		t.Fatal("lists are not read as they were written", err)
	}
	merged := must(NewAccumulator(phi, 1))
	if err := merged.Merge(read); err != nil {
		t.Fatal(err)
	}
	want := must(Fit(phi, x, y, nil))
	for name, a := range map[string]*Accumulator{"lists": lists, "dense": dense, "both": both, "read and merged": merged} {
		m := must(a.Fit(nil))
		equal(t, name, modelBits(m, first), modelBits(want, first))
		equal(t, name, bits(leftOutOf(m)), bits(leftOutOf(want)))
	}
	m := must(Fit(phi, testkit.NewLists(x), y, nil))
	equal(t, "Fit of lists", bits(leftOutOf(m)), bits(leftOutOf(want)))
}

// A dense row among lists of many coordinates takes no more memory than its own.
func TestKeptMixed(t *testing.T) {
	const n, in = 1000, 20000
	lists := &testkit.Lists{In: in}
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		lists.Rows = append(lists.Rows, []testkit.Entry{{J: i * 7 % in, V: 1}, {J: (i*7 + 5) % in, V: -2}})
		y.Set(i, 0, float64(i%5))
	}
	a := must(NewAccumulator(fourier(in, 20), 1))
	dense, denseY := data(1, in, 1, 506)
	if a.Add(lists, y) != nil || a.Add(dense, denseY) != nil {
		t.Fatal("rows refused")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must(a.Fit(nil))
	runtime.ReadMemStats(&after)
	if m := after.TotalAlloc - before.TotalAlloc; m > 8*n*in/4 {
		t.Errorf("%d bytes for rows of %d", m, 8*n*in)
	}
}

// Shards of one row whose first features are all 0 have keys of their own, and a row that is larger than all that may be kept
// pushes out no other.
func TestKeptKeys(t *testing.T) {
	const shards, in = 5000, 10
	phi := must(testkit.New(featuremap.Linear{}, in, in, featuremap.NewSampler(1)))
	whole := must(NewAccumulator(phi, 1))
	positive := 0
	for i := range shards {
		a := must(NewAccumulator(phi, 1))
		x, y := mat.NewDense(1, in, nil), mat.NewDense(1, 1, []float64{-1})
		x.Set(0, 1+i%7, 1+float64(i)/shards) // few columns
		if i%5 < 2 {
			y.Set(0, 0, 1)
			positive++
		}
		if err := a.Add(x, y); err != nil {
			t.Fatal(err)
		}
		if err := whole.Merge(a); err != nil {
			t.Fatal(err)
		}
	}
	rows, got := keptOf(whole, in, 1), 0
	if n, _ := kept(t, whole); n != 4096 {
		t.Errorf("%d rows kept", n)
	}
	for _, r := range rows {
		if r[in] == 1 {
			got++
		}
	}
	// Of 4096 rows of 5000, 2000 of them positive: 1638 with a deviation of √(4096·.4·.6·.18) = 13.
	if math.Abs(float64(got)-1638) > 65 {
		t.Errorf("%d of %d positive rows kept", got, positive)
	}
	wide := must(NewAccumulator(fourier(3000, 4), 1))
	wide.KeepBytes(16*5*600 + 8*600)
	lists := &testkit.Lists{In: 3000}
	y := mat.NewDense(1000, 1, nil)
	for i := range 1000 {
		entries := 5
		if i%100 == 50 {
			entries = 2999 // nearly as much as may be kept altogether, and more
			if i%200 == 50 {
				entries = 3000
			}
		}
		var row []testkit.Entry
		for e := range entries {
			row = append(row, testkit.Entry{J: (i + e) % 3000, V: 1 + float64(i)})
		}
		lists.Rows = append(lists.Rows, row)
		y.Set(i, 0, float64(i))
	}
	if err := wide.Add(lists, y); err != nil {
		t.Fatal(err)
	}
	if n, _ := kept(t, wide); n < 10 {
		t.Errorf("%d rows kept", n)
	}
}

// Accumulators in float64 and in float32 keep the same rows, to which coordinates are rounded, dense or lists, in any batches and
// merged.
func TestKeptRowsInFloat32(t *testing.T) {
	const n, in = 5000, 3
	phi := fourier(in, 6)
	x, y := data(n, in, 2, 510)
	for i := 0; i < n; i += 2 {
		x.Set(i, i%in, 0)
	}
	exact := mat.DenseCopyOf(x)
	x32 := exactly(x)
	for i := 0; i < n; i += 4 {
		x32.Data[i*x32.Stride+i%in] = float32(math.Copysign(0, -1))
	}
	keys := func(data []byte) []byte { return data[len(data)-32-8*4096*(in+2+2+5):][:8*4096] } // before 5 numbers for each counted point
	whole := must(NewAccumulator(phi, 2))
	addBatches(t, whole, exact, y, n)
	want := keys(encoded(whole))
	lists := must(NewAccumulator(phi, 2))
	if err := lists.Add(testkit.NewLists(exact), y); err != nil {
		t.Fatal(err)
	}
	// The arrays of lists are longer, and end with their keys' number of entries, targets and numbers.
	if rows, _ := kept(t, lists); rows != 4096 || !bytes.Contains(encoded(lists), want) {
		t.Error("other rows of lists")
	}
	narrow := must(featuremap.Float32(phi))
	for _, batch := range []int{n, 7} {
		a := must(NewAccumulator32(narrow, 2))
		add32(t, a, x32, y, batch)
		if !bytes.Equal(keys(written(a)), want) {
			t.Errorf("batches of %d: other rows in float32", batch)
		}
	}
	merged, merged32 := must(NewAccumulator(phi, 2)), must(NewAccumulator32(narrow, 2))
	for _, rows := range [][2]int{{0, 1000}, {1000, n}} {
		a, a32 := must(NewAccumulator(phi, 2)), must(NewAccumulator32(narrow, 2))
		ownX, ownY := slice(exact, y, rows[0], rows[1])
		addBatches(t, a, ownX, ownY, 300)
		add32(t, a32, part(x32, rows[0], rows[1]), mat.DenseCopyOf(ownY), 400)
		if err := errors.Join(merged.Merge(a), merged32.Merge(a32)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(keys(written(merged32)), keys(encoded(merged))) {
		t.Error("other rows of shards")
	}
}

// Rows that are alike have keys of their own by their places, and those of shards by their targets.
func TestKeptRowsAlike(t *testing.T) {
	const n, room = 300, 100
	phi := fourier(1, 2)
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	a, merged := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
	for _, a := range []*Accumulator{a, merged} {
		if err := a.KeepRows(room); err != nil {
			t.Fatal(err)
		}
	}
	addBatches(t, a, x, y, n)
	for i := range n {
		shard := must(NewAccumulator(phi, 1))
		if err := errors.Join(shard.Add(mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{float64(i)})), merged.Merge(shard)); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []*Accumulator{a, merged} {
		if rows, _ := kept(t, a); rows != room {
			t.Errorf("%d rows kept where there is room for %d", rows, room)
		}
	}
}

// Few rows of many say nothing of λ: the evidence chooses then.
func TestFewKeptRows(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(2000, 2, 1, 7)
	for _, rows := range []int{1, 31, 32} {
		a := must(NewAccumulator(phi, 1))
		if err := a.KeepRows(rows); err != nil {
			t.Fatal(err)
		}
		addBatches(t, a, x, y, 500)
		if got := math.IsNaN(leftOutOf(must(a.Fit(nil)))[0]); got != (rows < 32) {
			t.Errorf("%d rows kept: left out %v", rows, !got)
		}
		if _, err := a.Fit(&Options{Criterion: LeaveOneOut}); (err != nil) != (rows < 32) {
			t.Errorf("%d rows kept: %v", rows, err)
		}
	}
}

// Sums of a part whose first row is far from the others are merged into one with another, written, and read.
func TestMergedFarShift(t *testing.T) {
	phi := must(testkit.New(featuremap.Linear{}, 2, 2, featuremap.NewSampler(1)))
	for _, far := range []float64{1e6, 1e9, 1e12} {
		for _, n := range []int{200, 5000} {
			a, b := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
			x, y := data(50, 2, 1, 507)
			addBatches(t, a, x, y, 50)
			x, y = data(n, 2, 1, 508)
			x.SetRow(0, []float64{far, -far / 3})
			addBatches(t, b, x, y, n)
			if err := a.Merge(b); err != nil {
				t.Fatal(err)
			}
			if _, err := readBytes(t, encoded(a), phi); err != nil {
				t.Errorf("%v, %d rows: %v", far, n, err)
			}
			if m := must(a.Fit(nil)); !(m.NoiseVariance()[0] >= 0) {
				t.Errorf("%v, %d rows: a noise of %v", far, n, m.NoiseVariance())
			}
		}
	}
}

// Rows of a file that cannot have been added are refused, when it is read or when they are left out.
func TestForgedKeptRows(t *testing.T) {
	phi := must(testkit.New(featuremap.Polynomial{Degree: 3, Gamma: 1, Offset: 1}, 2, 20, featuremap.NewSampler(1)))
	a := must(NewAccumulator(phi, 1))
	x, y := data(40, 2, 1, 509)
	addBatches(t, a, x, y, 40)
	data := encoded(a)
	far := resealed(data, func(b []byte) {
		binary.LittleEndian.PutUint64(b[len(b)-16:], math.Float64bits(1e200))
	})
	for c := GuardedEvidence; c <= LeaveOneOut; c++ {
		if m, err := must(readBytes(t, far, phi)).Fit(&Options{Criterion: c}); err == nil || !strings.Contains(err.Error(), "a row that was kept has features that are not finite") {
			t.Errorf("%v: %v, %v", c, m, err)
		}
	}
	lists := must(NewAccumulator(fourier(9, 4), 1))
	if err := lists.Add(&testkit.Lists{In: 9, Rows: [][]testkit.Entry{{{J: 2, V: 1}, {J: 5, V: 3}}}}, mat.NewVecDense(1, []float64{1})); err != nil {
		t.Fatal(err)
	}
	twice := resealed(encoded(lists), func(b []byte) { // columns 2, 5 and values 1, 3 are the last numbers
		binary.LittleEndian.PutUint64(b[len(b)-24:], math.Float64bits(2))
	})
	_, err := readBytes(t, twice, fourier(9, 4))
	expectError(t, err, "ridge: the data of the accumulator: row 0 of those kept: two entries of one column")
}

// Reading is safe during reading, with pending rows: fits, files, merges into others, and questions.
func TestConcurrentReading(t *testing.T) {
	phi := fourier(2, 24)
	x, y := data(200, 2, 1, 504)
	more, moreY := data(30, 2, 1, 505)
	for range 20 {
		a := must(NewAccumulator(phi, 1))
		addBatches(t, a, x, y, 200)
		want := must(NewAccumulator(phi, 1))
		addBatches(t, want, x, y, 200)
		file, model := encoded(want), modelBits(must(want.Fit(nil)), more)
		var wait sync.WaitGroup
		read := func(f func()) {
			wait.Add(1)
			go func() { defer wait.Done(); f() }()
		}
		for range 3 {
			read(func() { equal(t, "model", modelBits(must(a.Fit(nil)), more), model) })
			read(func() {
				if !bytes.Equal(written(a), file) {
					t.Error("another file")
				}
			})
			read(func() {
				b := must(NewAccumulator(phi, 1))
				if err := b.Merge(a); err != nil || !bytes.Equal(written(b), file) {
					t.Error("merged: another file", err)
				}
			})
			read(func() {
				if a.Rows() != 200 {
					t.Error("rows")
				}
			})
		}
		wait.Wait()
		for _, a := range []*Accumulator{a, want} {
			if err := a.Add(more, moreY); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(encoded(a), encoded(want)) {
			t.Error("the accumulator is another after reading")
		}
	}
}
