// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// allocated returns the bytes that a call allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// list returns a JSON list of n equal elements, or of n texts that ascend.
func list(n int, element string) string {
	if element != "" {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf(`"%06d"`, i))
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// hostile returns the document of an encoder with a column of some name, values and deviations.
func hostile(name, values, deviations string) string {
	return `{"target":-1,"missing":null,"layouts":["2006"],"columns":[{"name":"` + name + `","kind":2,"values":` + values +
		`,"mean":0,"least":0,"most":0,"times":false,"flag":false,"deviations":` + deviations + `}]}`
}

// A document of 100 to 500 kB, whatever it has, takes memory in proportion to it, and what no Fit makes is refused: names and values have the
// limits of Fit. (A name of 200,000 bytes with 20,000 values took 4 GB.)
func TestEncoderMemory(t *testing.T) {
	long := strings.Repeat("n", 200_000)
	for name, document := range map[string]string{
		"long name, many values": hostile(long, list(20_000, ""), list(20_000, "0")),
		"long name":              hostile(long, list(100, ""), list(100, "0")),
		"many values":            hostile("c", list(20_000, ""), list(20_000, "0")),
		"257 values":             hostile("c", list(257, ""), list(257, "0")),
		"empty values":           hostile("c", list(100_000, `""`), "[]"),
		"deviations":             hostile("c", `["a"]`, list(200_000, "0")),
		"empty columns":          `{"target":-1,"missing":null,"layouts":null,"columns":` + list(100_000, "{}") + `}`,
		"texts":                  `{"target":-1,"missing":` + list(100_000, `""`) + `,"layouts":null,"columns":[]}`,
	} {
		took := allocated(func() {
			var e Encoder
			if err := e.UnmarshalJSON([]byte(document)); err == nil || len(err.Error()) > 1000 {
				t.Errorf("%s: %.1000v", name, err)
			}
		})
		// memoryOf is what there may be at a time; what is allocated in all is up to twice that.
		if most := uint64(2 * memoryOf([]byte(document))); took > most {
			t.Errorf("%s: %d bytes take %d: must be at most %d", name, len(document), took, most)
		}
	}
}

// The encoder of a model's file takes its part of DecodeOptions.MaxBytes, with its map: what the file may need is refused before.
func TestReadModelMemory(t *testing.T) {
	read := func(encoder string, most int64) (took uint64, err error) {
		document, err := json.Marshal(modelDocument{json.RawMessage(encoder), false})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := sealed.Write(&b, modelFile, document, []byte("x"), nil, func(*sealed.Writer) {}); err != nil {
			t.Fatal(err)
		}
		took = allocated(func() { _, err = ReadModel(&b, &featuremap.DecodeOptions{MaxBytes: most}) })
		return took, err
	}
	const most = 4 << 20
	for _, document := range []string{hostile("c", list(40_000, ""), list(40_000, "0")), `{"target":-1,"missing":null,"layouts":null,"columns":` + list(100_000, "{}") + `}`} {
		if took, err := read(document, most); err == nil || !strings.Contains(err.Error(), "DecodeOptions.MaxBytes") || took > most {
			t.Errorf("%d bytes: %v, after %d bytes", len(document), err, took)
		}
	}
	// Where it is read, what is left is for the map.
	m := modelOf(t, fitted(t), nil)
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	least := int64(0)
	for least = 1 << 10; ; least *= 2 {
		if _, err := ReadModel(bytes.NewReader(file.Bytes()), &featuremap.DecodeOptions{MaxBytes: least}); err == nil {
			break
		} else if least > 1<<24 || !strings.Contains(err.Error(), "DecodeOptions") {
			t.Fatalf("MaxBytes = %d: %v", least, err)
		}
	}
}

// modelOf returns a model of random rows of an encoder: of classes if there are some numbers of them.
func modelOf(t *testing.T, e *Encoder, classes []int) *Model {
	t.Helper()
	_, d := e.Dims()
	s := featuremap.NewSampler(1)
	n := len(classes)
	if classes == nil {
		n = 8
	}
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		s.FillNormal(x.RawRowView(i))
		y.Set(i, 0, s.Normal())
	}
	phi, err := testkit.New(e.Kernel(), d, 8, s)
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{Encoder: e}
	if classes == nil {
		m.Ridge, err = ridge.Fit(phi, x, y, nil)
	} else {
		m.Logistic, err = logistic.Fit(phi, x, classes, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model of three classes does not go with the names of two, neither written nor read.
func TestClassNames(t *testing.T) {
	table := func(names ...string) *Encoder {
		var records [][]string
		for i, name := range names {
			records = append(records, []string{fmt.Sprint(i), name})
		}
		e, err := Fit([]string{"a", "kind"}, records, &Options{Target: "kind"})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	two, three := table("no", "yes"), table("maybe", "no", "yes")
	m := modelOf(t, three, []int{0, 1, 2, 0, 1, 2})
	if _, err := (&Model{Encoder: two, Logistic: m.Logistic}).WriteTo(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "3 classes, and the encoder has the names of 2") {
		t.Errorf("written: %v", err)
	}
	var model, file bytes.Buffer
	if _, err := m.Logistic.WriteTo(&model); err != nil {
		t.Fatal(err)
	}
	encoder, err := json.Marshal(two)
	if err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(modelDocument{encoder, true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sealed.Write(&file, modelFile, document, model.Bytes(), nil, func(*sealed.Writer) {}); err != nil {
		t.Fatal(err)
	}
	if m, err := ReadModel(&file, nil); err == nil || !strings.Contains(err.Error(), "3 classes, and the encoder has the names of 2") {
		t.Errorf("read: %v, %v", m, err)
	}
}

// Whatever table Fit takes, of random names, texts, numbers up to the largest and dates, its encoder and models are saved, read and the same.
func TestSaveRandom(t *testing.T) {
	s := featuremap.NewSampler(3)
	fits := 0
	for range 200 {
		header, records, opts := randomTable(s)
		e, err := Fit(header, records, opts)
		if err != nil {
			continue
		}
		fits++
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%q of %q, %+v: %v", header, records, opts, err)
		}
		read := new(Encoder)
		if err := json.Unmarshal(data, read); err != nil || read.String() != e.String() {
			t.Fatalf("%q of %q, %+v: %v, %v and not %v", header, records, opts, err, read, e)
		}
		x, err := e.Encode(records)
		if err != nil {
			t.Fatalf("%q of %q, %+v: %v", header, records, opts, err)
		}
		if again, err := read.Encode(records); err != nil || !mat.Equal(x, again) {
			t.Fatalf("%q of %q, %+v: %v, other rows", header, records, opts, err)
		}
		m := modelOf(t, e, nil)
		if n := len(e.ClassNames()); n > 1 {
			var classes []int
			for i := range 3 * n {
				classes = append(classes, i%n)
			}
			m = modelOf(t, e, classes)
		}
		var file bytes.Buffer
		if _, err := m.WriteTo(&file); err != nil {
			t.Fatalf("%q of %q, %+v: %v", header, records, opts, err)
		}
		if _, err := ReadModel(&file, nil); err != nil {
			t.Fatalf("%q of %q, %+v: %v", header, records, opts, err)
		}
	}
	if fits < 50 {
		t.Errorf("only %d tables were fitted", fits)
	}
}

// randomTable returns a table of up to five columns.
func randomTable(s *featuremap.Sampler) (header []string, records [][]string, opts *Options) {
	bytesOf := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(s.IntN(256))
			if s.IntN(4) > 0 {
				b[i] &= 0x7f
			}
		}
		return string(b)
	}
	pick := func(of ...string) string { return of[s.IntN(len(of))] }
	opts = &Options{Missing: []string{pick("", "NA", "ü\u2028"), "?"}, Kinds: make(map[string]Kind)}
	if s.IntN(20) == 0 {
		opts.Missing = append(opts.Missing, bytesOf(3))
	}
	columns, rows := 1+s.IntN(5), 2+s.IntN(12)
	records = make([][]string, rows)
	for range columns {
		name := pick("", "a", "b<&>", "ü", "\u2028\x00\"", "\ufeffx", bytesOf(1+s.IntN(3)), strings.Repeat("n", 1020+s.IntN(8)))
		field := func() string { return pick("x", "ü", "<\u2029>", "\x01", "", "NA", "\U0001F600", bytesOf(1)) }
		switch s.IntN(4) {
		case 0:
			field = func() string {
				return pick("?", "0", "-0", "1e145", "-1e145", "5e-324", "0.1", "9.999999999999999e144", fmt.Sprint(math.Ldexp(s.Normal(), s.IntN(900)-450)))
			}
			opts.Kinds[name] = Number
		case 1:
			field = func() string {
				return pick("?", "0001-01-01", "9999-12-31T23:59:59.999999999Z", "2025-02-03 04:05:06.5", "1969-12-31", "0000-01-01")
			}
			opts.Kinds[name] = Date
		case 2:
			opts.Kinds[name] = Category
		}
		header = append(header, name)
		for i := range records {
			records[i] = append(records[i], field())
		}
		if s.IntN(3) == 0 {
			opts.Target = name
		}
	}
	return header, records, opts
}
