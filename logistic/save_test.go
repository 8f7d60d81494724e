// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
)

// What was written is read back; a changed byte is refused.
func TestModelFile(t *testing.T) {
	x, classes := rings(100)
	m := must(Fit(fourier(2, 20), x, classes, nil))
	file := written(m)
	read := must(ReadModel(bytes.NewReader(file), nil))
	for _, r := range []*Model{read, must(ReadModel(iotest.HalfReader(bytes.NewReader(file)), nil))} {
		if !bytes.Equal(written(r), file) || farthest(m, r, x) != 0 || fmt.Sprint(r) != fmt.Sprint(m) || r.Loss() != m.Loss() || r.Lambda() != m.Lambda() {
			t.Error("read back, a model differs")
		}
	}
	for i := range file {
		changed := append([]byte(nil), file...)
		changed[i] ^= 0x21
		if r, err := ReadModel(bytes.NewReader(changed), nil); err == nil || r != nil {
			t.Fatalf("byte %d changed: no error", i)
		}
		if r, err := ReadModel(bytes.NewReader(file[:i]), nil); err == nil || r != nil {
			t.Fatalf("%d bytes: no error", i)
		}
	}
	if _, err := new(Model).WriteTo(io.Discard); err == nil {
		t.Error("a zero value is written")
	}
	if _, err := json.Marshal(m); err == nil {
		t.Error("a model as JSON: no error")
	}
}

// A file of version 1 is read by every release, and has the bits that it had.
//
//	go test ./logistic -run GoldenFile -update
//
// writes it, which is right only when the model changes on purpose.
func TestGoldenFile(t *testing.T) {
	x, classes := rings(200)
	const lambda = 0x1.d4231b3d0d59fp-13 // what Fit chose when the file was written
	want := written(must(Fit(fourier(2, 12), x, classes, &Options{Lambda: lambda})))
	path := filepath.Join("testdata", "v1", "rings.model")
	if golden.Update() {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := must(os.ReadFile(path))
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what is written now", path)
	}
	if m, err := ReadModel(bytes.NewReader(got), nil); err != nil || !bytes.Equal(written(m), got) {
		t.Errorf("read: %v, %v", m, err)
	}
}

// resealed returns what is before the checksum of a file, with a new checksum.
func resealed(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(slices.Clone(b), sum[:]...)
}

// Files with changes behind a right checksum are refused, or are models that predict and are written again; none panics, and
// none takes much memory.
func TestHostileFiles(t *testing.T) {
	x, classes := rings(60)
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 5, featuremap.NewSampler(3), nil))
	s := featuremap.NewSampler(4)
	taken := 0
	for _, phi := range []featuremap.FeatureMap{fourier(2, 6), landmarks} {
		file := written(must(Fit(phi, x, classes, nil)))
		file = file[:len(file)-sha256.Size]
		head := bytes.IndexByte(file, '}') // the end of the document
		for i := range testkit.Times(500, 500, 2000) {
			b := slices.Clone(file)
			for changes := 1 + s.IntN(3); changes > 0; changes-- {
				at := s.IntN(len(b))
				if i%2 == 0 {
					at = s.IntN(head)
				}
				switch s.IntN(4) {
				case 0:
					b[at] ^= 1 << s.IntN(8)
				case 1:
					b[at] = "0123456789-e.,"[s.IntN(14)]
				case 2:
					b = slices.Insert(b, at, byte('0'+s.IntN(10)))
				case 3:
					b = slices.Delete(b, at, min(at+1+s.IntN(8), len(b)))
				}
			}
			if hostile(t, resealed(b)) {
				taken++
			}
		}
	}
	if taken == 0 { // a changed weight is a weight
		t.Error("no file was read: nothing but the checksum was tested")
	}
}

// hostile reads a file, checks what that allocates and what was read, and tells whether it was taken.
func hostile(t *testing.T, file []byte) bool {
	t.Helper()
	const most = 16 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := ReadModel(bytes.NewReader(file), nil)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > most {
		t.Errorf("%d bytes allocated for a file of %d: %v", n, len(file), err)
	}
	if err != nil {
		if m != nil {
			t.Errorf("%v, but the model is set", err)
		}
		return false
	}
	in, _ := m.Map().Dims()
	if p := m.ProbabilityVec(nil, make([]float64, in)); len(p) < 2 {
		t.Errorf("probabilities %v", p)
	}
	if strings.Contains(m.String(), "prediction sets") {
		if set := m.PredictionSet(make([]float64, in), 1-1e-12); len(set) < 2 {
			t.Errorf("the set %v", set)
		}
	}
	first := written(m)
	if again, err := ReadModel(bytes.NewReader(first), nil); err != nil {
		t.Errorf("what was written is refused: %v", err)
	} else if !bytes.Equal(written(again), first) {
		t.Error("other bytes the second time")
	}
	return true
}

// Numbers that no model has are refused behind a right checksum.
func TestHostileNumbers(t *testing.T) {
	x, classes := rings(60)
	file := written(must(Fit(fourier(2, 6), x, classes, nil)))
	file = file[:len(file)-sha256.Size]
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		b := slices.Clone(file)
		for i := range 8 { // the last intercept
			b[len(b)-8+i] = byte(math.Float64bits(v) >> (8 * i))
		}
		if hostile(t, resealed(b)) {
			t.Errorf("an intercept of %v was read", v)
		}
	}
	for _, c := range []struct{ old, new string }{
		{`"classes":3`, `"classes":1`},
		{`"classes":3`, `"classes":9`},
		{`"features":6`, `"features":0`},
		{`"features":6`, `"features":9`},
		{"data 18 3", "data 18 4"},
		{"data 18 3", "data 3 18"},
	} {
		b := bytes.Replace(file, []byte(c.old), []byte(c.new), 1)
		if bytes.Equal(b, file) {
			t.Fatalf("the file has no %q", c.old)
		}
		if hostile(t, resealed(b)) {
			t.Errorf("%s was read", c.new)
		}
	}
}

// written returns what WriteTo writes.
func written(w io.WriterTo) []byte {
	var b bytes.Buffer
	must(w.WriteTo(&b))
	return b.Bytes()
}
