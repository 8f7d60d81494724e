// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Limits for files that anybody may have written.
var hostile = DecodeOptions{MaxBytes: 16 << 20}

const (
	// mostAllocated bounds all that a call of Decode allocates, garbage too: slices that grow are allocated twice over,
	// and what is packed was there unpacked.
	mostAllocated = 4 * 16 << 20

	// mostTime is a hang. It is some hundred times what the slowest file takes, for machines that do other things.
	mostTime = 10 * time.Second
)

// decodeHostile decodes a file and checks what it costs.
func decodeHostile(t testing.TB, file []byte) (FeatureMap, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	m, err := Decode(bytes.NewReader(file), &hostile)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > mostAllocated {
		t.Errorf("%d bytes were allocated, and %d allowed: %v\n%.2000q", n, hostile.MaxBytes, err, file)
	}
	if took > mostTime {
		t.Errorf("took %v: %v\n%.2000q", took, err, file)
	}
	if err != nil && (m != nil || !strings.HasPrefix(err.Error(), "featuremap: ")) {
		t.Errorf("%v, with the map %v\n%.2000q", err, m, file)
	}
	return m, err
}

// goldenFiles returns all golden files.
func goldenFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(savedFile("*"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no golden files")
	}
	files := make(map[string][]byte)
	for _, path := range paths {
		files[path] = testkit.Must(os.ReadFile(path))
	}
	return files
}

// No file with a changed byte is read: a bit flipped, bytes put in, taken out or cut off.
func TestDecodeChangedBytes(t *testing.T) {
	s := NewSampler(1)
	files := goldenFiles(t)
	names := slices.Sorted(maps.Keys(files))
	for i := range testkit.Times(1000, 1000, 10_000) {
		b := slices.Clone(files[names[i%len(names)]])
		was := slices.Clone(b)
		for changes := 1 + s.IntN(3); changes > 0 && len(b) > 0; changes-- {
			at := s.IntN(len(b))
			switch s.IntN(4) {
			case 0:
				b[at] ^= 1 << s.IntN(8)
			case 1:
				b = slices.Insert(b, at, byte(s.IntN(256)))
			case 2:
				b = slices.Delete(b, at, min(at+1+s.IntN(4), len(b)))
			case 3:
				b = b[:at+1]
			}
		}
		if m, err := decodeHostile(t, b); err == nil && !bytes.Equal(b, was) {
			t.Fatalf("%s, changed, is read as %v:\n%q", names[i%len(names)], m, b)
		}
	}
}

// A mutator changes JSON values.
type mutator struct {
	*Sampler
	pool []any // parts of other documents
}

var hostileNumbers = []json.Number{"0", "1", "-1", "2", "3", "16", "17", "1e9", "1e308", "-1e308", "1e-320", "4294967296", "9223372036854775807", "1e999", "0.5", "1048576", "65537"}

var hostileStrings = []string{"", "NaN", "+Inf", "-Inf", "Inf", "exact", "Fourier", "Maclaurin", "Neurons", "Compositional", "Orthogonal", "Structured",
	"TensorSRHT", "dot", "centered", "stationary", "folded", "paired", "ffffffffffffffffffffffffffffffff", "\x00", "Image", "Conv", "Dense", "Product"}

// mutate returns v with one change somewhere in it, by the chance of how deep it is.
func (m *mutator) mutate(v any) any {
	if m.IntN(8) == 0 {
		return m.pool[m.IntN(len(m.pool))]
	}
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			return map[string]any{"in": json.Number("1")}
		}
		v = maps.Clone(v)
		key := keys[m.IntN(len(keys))]
		switch m.IntN(12) {
		case 0:
			delete(v, key)
		case 1:
			v[hostileStrings[m.IntN(len(hostileStrings))]] = v[key]
		default:
			v[key] = m.mutate(v[key])
		}
		return v
	case []any:
		v = slices.Clone(v)
		if len(v) == 0 {
			return append(v, m.pool[m.IntN(len(m.pool))])
		}
		at := m.IntN(len(v))
		switch m.IntN(8) {
		case 0:
			return slices.Delete(v, at, at+1)
		case 1:
			return slices.Insert(v, at, v[m.IntN(len(v))])
		}
		v[at] = m.mutate(v[at])
		return v
	case json.Number:
		if f, err := v.Float64(); err == nil && m.IntN(3) == 0 {
			return json.Number(fmt.Sprint(f * (1 + 1e-3*float64(m.IntN(5)-2))))
		}
		return hostileNumbers[m.IntN(len(hostileNumbers))]
	case string:
		return hostileStrings[m.IntN(len(hostileStrings))]
	case bool:
		return !v
	}
	return nil
}

// parts appends all values in v.
func parts(all []any, v any) []any {
	all = append(all, v)
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = parts(all, v[key])
		}
	case []any:
		for _, of := range v {
			all = parts(all, of)
		}
	}
	return all
}

// jsonOf returns a JSON document as values.
func jsonOf(t testing.TB, document []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return v
}

// Documents that were changed, with the checksum made right, are refused, or are read as the maps that they describe: what
// they say, except for zeros, is in the file of the map that was read.
func TestDecodeChangedDocuments(t *testing.T) {
	files := goldenFiles(t)
	names := slices.Sorted(maps.Keys(files))
	type golden struct {
		document any
		arrays   [][]float64
	}
	all := make([]golden, len(names))
	m := &mutator{Sampler: NewSampler(2)}
	for i, name := range names {
		document, arrays, err := Unsealed(files[name])
		if err != nil {
			t.Fatal(err)
		}
		all[i] = golden{jsonOf(t, document), arrays}
		m.pool = parts(m.pool, all[i].document)
	}
	read := 0
	for i := range testkit.Times(600, 600, 6000) {
		of := all[i%len(all)]
		v := of.document
		for range 1 + m.IntN(2) {
			v = m.mutate(v)
		}
		arrays := of.arrays
		if len(arrays) > 0 && m.IntN(2) == 0 {
			arrays = slices.Clone(arrays)
			at := m.IntN(len(arrays))
			arrays[at] = slices.Clone(arrays[at])
			arrays[at][m.IntN(len(arrays[at]))] = []float64{0, math.NaN(), math.Inf(1), -1e308, 5e-324}[m.IntN(5)]
		}
		document := testkit.Must(json.Marshal(v))
		b, err := decodeHostile(t, Sealed(document, arrays))
		if err != nil {
			continue
		}
		read++
		again, _, err := Unsealed(encodedMap(t, b))
		if bytes.Contains(document, []byte("featuremap_test.")) || bytes.Contains(document, []byte(`"registered"`)) {
			delete(v.(map[string]any), "probe") // features with a caller's type may be others, to 1e-9
		}
		present, _ := renamed(t, testkit.Must(json.Marshal(v)))
		if err != nil || !says(jsonOf(t, again), jsonOf(t, present)) {
			t.Errorf("%v: it is\n%s\nand says\n%s", err, again, document)
		}
	}
	t.Logf("%d were read", read)
}

// says tells whether all that a document says, zeros aside, is so.
func says(is, said any) bool {
	switch said := said.(type) {
	case map[string]any:
		of, ok := is.(map[string]any)
		for name, v := range said {
			ok = ok && (isZero(v) || says(of[name], v))
		}
		return ok
	case []any:
		of, ok := is.([]any)
		return ok && slices.EqualFunc(of, said, says) || len(said) == 0 && is == nil
	case json.Number:
		n, ok := is.(json.Number)
		a, _ := n.Float64()
		b, _ := said.Float64()
		return ok && a == b || is == nil && b == 0
	}
	return is == said || is == nil && isZero(said)
}

// isZero tells whether a value is one that may be left out.
func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case json.Number:
		f, _ := v.Float64()
		return f == 0
	case []any:
		return len(v) == 0
	}
	return v == "" || v == false
}
