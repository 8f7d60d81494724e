// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// encodedSample returns an accumulator with pending rows.
func encodedSample(t *testing.T, targets, rows int) (*Accumulator, []byte) {
	a := must(NewAccumulator(fourier(2, 12), targets))
	if rows > 0 {
		x, y := data(rows, 2, targets, 50)
		addBatches(t, a, x, y, 100)
	}
	return a, encoded(a)
}

// What was written is read back: the same bytes again, and the same model once merged into an accumulator with a map.
func TestEncode(t *testing.T) {
	for _, rows := range []int{0, 1, 300} {
		for _, targets := range []int{1, 3} {
			a, want := encodedSample(t, targets, rows)
			var b bytes.Buffer
			if n, err := a.WriteTo(&b); err != nil || n != int64(len(want)) || !bytes.Equal(b.Bytes(), want) {
				t.Fatalf("WriteTo = %d, %v; the file has %d bytes", n, err, len(want))
			}
			phi := fourier(2, 12)
			for _, r := range []io.Reader{bytes.NewReader(want), iotest.HalfReader(bytes.NewReader(want)), iotest.DataErrReader(bytes.NewReader(want))} {
				d, err := ReadAccumulator(r, phi)
				if err != nil {
					t.Fatal(err)
				}
				if d.Rows() != rows || !bytes.Equal(encoded(d), want) {
					t.Error("another accumulator")
				}
				x, y := data(200, 2, targets, 51)
				whole := must(NewAccumulator(phi, targets))
				if err := whole.Merge(d); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(encoded(whole), want) {
					t.Error("merged into an empty one: other bits")
				}
				if rows > 1 {
					equal(t, "model", modelBits(must(d.Fit(nil)), x), modelBits(must(a.Fit(nil)), x))
				}
				// Rows that are added after reading are as if they were added before.
				straight, _ := encodedSample(t, targets, rows)
				if err := errors.Join(d.Add(x, y), straight.Add(x, y)); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(encoded(d), encoded(straight)) {
					t.Error("rows after reading: other bits")
				}
				equal(t, "model of more rows", modelBits(must(d.Fit(nil)), x), modelBits(must(straight.Fit(nil)), x))
				if err := d.Merge(whole); err != nil || d.Rows() != 2*rows+200 {
					t.Error(d.Rows(), err)
				}
			}
		}
	}
}

// What is read is of the map that is given, or refused; the number of rows to keep is read with it.
func TestReadAccumulator(t *testing.T) {
	_, file := encodedSample(t, 2, 40)
	other := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 12, featuremap.NewSampler(99), nil))
	for want, phi := range map[string]featuremap.FeatureMap{
		"ridge: phi = nil": nil,
		"ridge: the data is of a map R^2 → R^12: phi is R^2 → R^14":         fourier(2, 14),
		"ridge: the data is of a map R^2 → R^12: phi is R^3 → R^12":         fourier(3, 12),
		"ridge: the data is of another map than phi, whose features differ": other,
	} {
		_, err := readBytes(t, file, phi)
		expectError(t, err, want)
	}
	phi := fourier(2, 12)
	x, y := data(300, 2, 1, 52)
	for _, n := range []int{0, 50} {
		a := must(NewAccumulator(phi, 1))
		if err := a.KeepRows(n); err != nil {
			t.Fatal(err)
		}
		read := must(readBytes(t, encoded(a), phi))
		for _, a := range []*Accumulator{a, read} {
			if err := a.Add(x, y); err != nil {
				t.Fatal(err)
			}
		}
		if rows, _ := kept(t, read); rows != n || !bytes.Equal(encoded(a), encoded(read)) {
			t.Errorf("%d rows kept of %d, or others", rows, n)
		}
	}
}

// No changed, missing or additional byte is accepted, nor does any make the receiver change or panic.
func TestMutations(t *testing.T) {
	_, data := encodedSample(t, 2, 40)
	phi := fourier(2, 12)
	rnd := rand.New(rand.NewPCG(1, 2))
	refuse := func(name string, bad []byte) {
		t.Helper()
		if a, err := ReadAccumulator(bytes.NewReader(bad), phi); err == nil || a != nil {
			t.Fatalf("%s: it is read", name)
		}
	}
	for i := 0; i < len(data); i += testkit.Times(3, 3, 1) {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << rnd.IntN(8)
		refuse(fmt.Sprintf("byte %d changed", i), bad)
		refuse(fmt.Sprintf("%d bytes", i), data[:i])
	}
	for range testkit.Times(300, 300, 1000) {
		bad := bytes.Clone(data)
		for range 1 + rnd.IntN(5) {
			lo := rnd.IntN(len(bad))
			hi := min(lo+1+rnd.IntN(40), len(bad))
			for i := lo; i < hi; i++ {
				bad[i] = byte(rnd.Uint32())
			}
		}
		if !bytes.Equal(bad, data) {
			refuse("bytes changed", bad)
		}
	}
	refuse("one byte more", append(bytes.Clone(data), 0))
	refuse("twice", append(bytes.Clone(data), data...))
	refuse("nothing", nil)
}

// layout tells where the numbers of an accumulator of 12 features, one target and some rows of two coordinates begin, all of
// them kept: the shift, the sums, the span of the target, and of the rows keys, entries, targets and coordinates.
func layout(data []byte, rows int) (shift, sums, span, kept int) {
	kept = len(data) - sha256.Size - 8*5*rows
	span = kept - 8*2
	sums = span - 8*14*15/2
	return sums - 8*13, sums, span, kept
}

// withDocument returns data with old replaced in its text, behind a right length and checksum.
func withDocument(data []byte, old, new string) []byte {
	begin := bytes.IndexByte(data, '{')
	end := begin + bytes.IndexByte(data[begin:], '\n') + 1
	document := bytes.Replace(data[begin:end], []byte(old), []byte(new), 1)
	preamble := bytes.Replace(data[:begin], fmt.Appendf(nil, "json %d\n", end-begin), fmt.Appendf(nil, "json %d\n", len(document)), 1)
	return resealed(slices.Concat(preamble, document, data[end:]), func([]byte) {})
}

// resealed returns data with a new checksum, after a change.
func resealed(data []byte, change func(b []byte)) []byte {
	b := bytes.Clone(data[:len(data)-sha256.Size])
	change(b)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// Numbers that are no sums are refused behind a right checksum too, and absurd sizes before memory is taken.
func TestHostile(t *testing.T) {
	_, data := encodedSample(t, 1, 40) // in 2, out 12, 1 target: columns of 14
	shift, sums, span, kept := layout(data, 40)
	at := func(i, j int) int { return sums + 8*(j*(j+1)/2+i) }
	put := func(offset int, v uint64) func(b []byte) {
		return func(b []byte) { binary.LittleEndian.PutUint64(b[offset:], v) }
	}
	float := func(offset int, v float64) func(b []byte) { return put(offset, math.Float64bits(v)) }
	phi := fourier(2, 12)
	if _, err := readBytes(t, resealed(data, func([]byte) {}), phi); err != nil {
		t.Fatal(err)
	}
	hostile := map[string][]byte{
		"sizes":   resealed(bytes.Replace(data, []byte("data 13 105"), []byte("data 14 104"), 1), func([]byte) {}),
		"version": resealed(bytes.Replace(data, []byte("version 1"), []byte("version 2"), 1), func([]byte) {}),
		"file": resealed(slices.Concat(bytes.Replace(data[:shift], []byte("data 13"), []byte("file 3\ndata 13"), 1), []byte("xyz"), data[shift:]),
			func([]byte) {}),
	}
	for name, change := range map[string][2]string{
		"in 0":          {`"in":2`, `"in":0`},
		"in 2⁶⁴−1":      {`"in":2`, `"in":18446744073709551615`},
		"out 0":         {`"features":12`, `"features":0`},
		"out 11":        {`"features":12`, `"features":11`},
		"out 2³²+12":    {`"features":12`, `"features":4294967308`},
		"out 2²⁰":       {`"features":12`, `"features":1048576`},
		"out 2⁶¹":       {`"features":12`, `"features":2305843009213693952`},
		"targets 0":     {`"targets":1`, `"targets":0`},
		"targets 2⁶¹":   {`"targets":1`, `"targets":2305843009213693952`},
		"targets 30000": {`"targets":1`, `"targets":30000`},
		"targets 2²⁴":   {`"targets":1`, `"targets":16777216`},
		"rows 41":       {`"rows":40`, `"rows":41`},
		"rows 0":        {`"rows":40`, `"rows":0`},
		"rows −1":       {`"rows":40`, `"rows":-1`},
		"rows 2⁵³+1":    {`"rows":40`, `"rows":9007199254740993`},
		"rows 2⁶³":      {`"rows":40`, `"rows":9223372036854775808`},
		"map":           {`"map":"`, `"map":"00`},
		"map of none":   {`"map":"`, `"map":"x`},
		"other fields":  {`"in":2`, `"in":2,"x":3`},
		"kept 41":       {`"kept":{"rows":40`, `"kept":{"rows":41`},
		"kept 39":       {`"kept":{"rows":40`, `"kept":{"rows":39`},
		"kept −1":       {`"kept":{"rows":40`, `"kept":{"rows":-1`},
		"few bytes":     {`"bytes":134217728`, `"bytes":100`},
		"no bytes":      {`"bytes":134217728`, `"bytes":0`},
		"39 at most":    {`"bytes":134217728`, `"bytes":0,"most":39`},
		"−1 at most":    {`"bytes":134217728`, `"bytes":134217728,"most":-1`},
		"two limits":    {`"bytes":134217728`, `"bytes":134217728,"most":50`},
		"bytes −1":      {`"bytes":134217728`, `"bytes":-1`},
		"low keys":      {`"below":9007199254740992`, `"below":90071992`},
		"high keys":     {`"below":9007199254740992`, `"below":9007199254740993`},
		"two documents": {`{`, `{}{`},
		"a field twice": {`"in":2`, `"in":3,"in":2`},
		"capitals":      {`"in":2`, `"In":2`},
		"2.0":           {`"in":2`, `"in":2.0`},
		"none":          {`"in":2,`, ``},
	} {
		hostile[name] = withDocument(data, change[0], change[1])
	}
	for name, change := range map[string]func(b []byte){
		"shift NaN":         float(shift, math.NaN()),
		"shift large":       float(shift, 1e160),
		"sum NaN":           float(at(3, 5), math.NaN()),
		"sum Inf":           float(at(3, 13), math.Inf(-1)),
		"sum large":         float(at(3, 5), 1e300),
		"sum of ones large": float(at(3, 13), 1e200),
		"negative square":   float(at(5, 5), -1),
		"ones":              float(at(13, 13), 39),
		"small square":      float(at(5, 5), 1e-3), // of a feature whose products with others are larger
		"large product":     float(at(3, 5), 41*4), // of two numbers of magnitude 2 at most, once shifted
		"large mean":        float(at(3, 13), 41*2),
		"span NaN":          float(span, math.NaN()),
		"span above":        float(span, 100),
		"span large":        float(span+8, 1e160),
		"key −1":            float(kept, -1),
		"key ½":             float(kept, 0.5),
		"key NaN":           float(kept, math.NaN()),
		"key large":         float(kept+8*39, 0x1p53),
		"entries 1":         float(kept+8*40, 1),
		"entries −2":        float(kept+8*40, -2),
		"entries ½":         float(kept+8*40, 0.5),
		"entries NaN":       float(kept+8*79, math.NaN()),
		"entries 2⁶⁰":       float(kept+8*79, 0x1p60),
		"kept target NaN":   float(kept+8*80, math.NaN()),
		"kept target large": float(kept+8*119, 1e160),
		"coordinate NaN":    float(kept+8*120, math.NaN()),
		"coordinate Inf":    float(kept+8*199, math.Inf(1)),
	} {
		hostile[name] = resealed(data, change)
	}
	for name, bad := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := ReadAccumulator(bytes.NewReader(bad), phi)
		if err == nil || a != nil {
			t.Errorf("%s: it is read", name)
		} else if !strings.HasPrefix(err.Error(), "ridge: ") {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		// Some kilobytes of buffers, and a few times the data.
		if m := after.TotalAlloc - before.TotalAlloc; m > 200_000 {
			t.Errorf("%s: %d bytes of memory for %d of data", name, m, len(bad))
		}
	}
}

// What is whole and sealed is refused for its contents.
func TestHostileWhole(t *testing.T) {
	_, data := encodedSample(t, 1, 40)
	phi := fourier(2, 12)
	_, err := readBytes(t, data[:len(data)-1], phi)
	expectError(t, err,
		fmt.Sprintf("ridge: the data ends after %d bytes: unexpected EOF", len(data)-1))
	_, empty := encodedSample(t, 1, 0)
	shift, _, _, _ := layout(empty, 0)
	shifted := resealed(empty, func(b []byte) { binary.LittleEndian.PutUint64(b[shift:], math.Float64bits(1)) })
	_, err = readBytes(t, shifted, phi)
	expectError(t, err, "ridge: the data of the accumulator has the shift 1 of feature 0")
	_, err = readBytes(t, withDocument(data, `"targets":1`, `"targets":0`), phi)
	expectError(t, err, "ridge: targets = 0: must be at least 1")
}

// Numbers that have the form of sums, but are the sums of no rows, behind a right checksum, are refused or may fit badly, but do not
// panic, and a model of them can be written and read.
func TestInconsistentSums(t *testing.T) {
	_, data := encodedSample(t, 1, 40)
	_, sums, span, _ := layout(data, 40)
	rnd := rand.New(rand.NewPCG(3, 4))
	read, fitted := 0, 0
	cases := testkit.Times(150, 150, 400)
	for i := range cases {
		bad := resealed(data, func(b []byte) {
			for range 1 + rnd.IntN(4) {
				offset := sums + 8*rnd.IntN((span-sums)/8-1) // not the number of rows
				v := math.Float64frombits(binary.LittleEndian.Uint64(b[offset:]))
				if i%2 == 0 {
					v *= 1.5 * rnd.Float64()
				} else {
					v = math.Ldexp(rnd.Float64(), rnd.IntN(900))
				}
				binary.LittleEndian.PutUint64(b[offset:], math.Float64bits(v))
			}
		})
		a, err := readBytes(t, bad, fourier(2, 12))
		if err != nil {
			continue
		}
		read++
		for _, o := range []Options{{}, {NoIntercept: true}, {Criterion: Evidence}, {Criterion: LeaveOneOut}} {
			m, err := a.Fit(&o)
			if err != nil {
				continue
			}
			fitted++
			if p, err := m.Posterior(); err == nil {
				p.VarianceVec(nil, []float64{1, 2})
			}
			if noise := m.NoiseVariance()[0]; !(noise >= 0) {
				t.Fatalf("%+v: a noise of %v", o, noise)
			}
			if _, err := ReadModel(bytes.NewReader(written(m)), nil); err != nil {
				t.Fatalf("%+v: a model that is written and not read: %v", o, err)
			}
		}
	}
	if read < 20 || fitted < 20 {
		t.Errorf("%d of %d were read, and %d fits made", read, cases, fitted)
	}
}

// The number of rows has a limit.
func TestManyRows(t *testing.T) {
	_, data := encodedSample(t, 1, 40)
	const most = min(1<<53, math.MaxInt)
	_, _, span, _ := layout(data, 40)
	many := resealed(withDocument(data, `"rows":40`, fmt.Sprintf(`"rows":%d`, most)), func(b []byte) {
		span := span + len(b) - (len(data) - sha256.Size)
		binary.LittleEndian.PutUint64(b[span-8:], math.Float64bits(most))
	})
	a, d := must(NewAccumulator(fourier(2, 12), 1)), must(readBytes(t, many, fourier(2, 12)))
	if err := a.Merge(d); err != nil || a.Rows() != most {
		t.Fatal(a.Rows(), err)
	}
	want := fmt.Sprintf("ridge: %d rows and %d more: must be at most %d", most, most, most)
	expectError(t, a.Merge(d), want)
	x := mat.NewDense(2, 2, nil)
	expectError(t, a.Add(x, mat.NewVecDense(2, nil)), strings.Replace(want, fmt.Sprint(most, " more"), "2 more", 1))
}

// Errors of writers and readers come back.
func TestEncodeErrors(t *testing.T) {
	a, data := encodedSample(t, 1, 300)
	for n := range 3 {
		w := &failingWriter{left: n * len(data) / 3}
		if got, err := a.WriteTo(w); !errors.Is(err, io.ErrClosedPipe) || got > int64(n*len(data)/3) {
			t.Errorf("%d bytes, %v", got, err)
		}
	}
	r := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(io.ErrClosedPipe))
	phi := fourier(2, 12)
	if a, err := ReadAccumulator(r, phi); !errors.Is(err, io.ErrClosedPipe) || a != nil {
		t.Error(err)
	}
	r = io.MultiReader(bytes.NewReader(data), iotest.ErrReader(io.ErrClosedPipe))
	if _, err := ReadAccumulator(r, phi); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	if _, err := ReadAccumulator(bytes.NewReader(data[:200]), phi); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// A failingWriter takes some bytes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.left -= n
	if n < len(p) {
		return n, io.ErrClosedPipe
	}
	return n, nil
}
