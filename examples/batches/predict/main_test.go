// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// fitted returns a model of rows of three columns, and more rows.
func fitted(tb testing.TB, features, targets, rows int) (*ridge.Model, *mat.Dense) {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(100, 3, nil), mat.NewDense(100, targets, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range 100 {
		for t := range targets {
			y.Set(i, t, x.At(i, t)*x.At(i, 2)+s.Normal()/10)
		}
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, 3, features, s, nil)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		tb.Fatal(err)
	}
	more := mat.NewDense(rows, 3, nil)
	s.FillNormal(more.RawMatrix().Data)
	return m, more
}

// plain is the format without flags.
var plain = csvfile.Format{Comma: ',', Encoding: "utf-8"}

// of returns a model of numbers.
func of(m *ridge.Model) *table.Model { return &table.Model{Ridge: m} }

// text returns the lines of rows.
func text(x *mat.Dense) []byte {
	var b []byte
	n, columns := x.Dims()
	for i := range n {
		for j := range columns {
			if j > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendFloat(b, x.At(i, j), 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	return b
}

// What is written are the model's predictions of all rows, some blocks of them, in their order, to the last bit.
func TestPredict(t *testing.T) {
	m, x := fitted(t, 40, 2, 12_000)
	lines := text(x)
	if len(lines) < 2*pipeline.BlockBytes {
		t.Fatalf("%d bytes are less than two blocks", len(lines))
	}
	for name, input := range map[string]string{
		"plain":    string(lines),
		"names":    "a,b,c\n" + string(lines),
		"no end":   strings.TrimSuffix(string(lines), "\n"),
		"windows":  strings.ReplaceAll(string(lines), "\n", "\r\n"),
		"an empty": string(lines) + "\n\n",
	} {
		var out bytes.Buffer
		if err := predict(&out, iotest.HalfReader(strings.NewReader(input)), of(m), plain, pipeline.Options{Mean: true, SD: true, Interval: true, Level: 0.8}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if name == "names" {
			if header := strings.Join(got[0], " "); header != "mean0 sd0 lo0 hi0 mean1 sd1 lo1 hi1" {
				t.Errorf("header %s", header)
			}
			got = got[1:]
		}
		if len(got) != 12_000 {
			t.Fatalf("%s: %d rows", name, len(got))
		}
		for i := 0; i < 12_000; i += 97 {
			mean, sd := m.Predict(x.RawRowView(i))
			lo, hi := m.Interval(x.RawRowView(i), 0.8)
			want := fmt.Sprintf("%v,%v,%v,%v,%v,%v,%v,%v", mean[0], sd[0], lo[0], hi[0], mean[1], sd[1], lo[1], hi[1])
			if line := strings.Join(got[i], ","); line != want {
				t.Errorf("%s: row %d: %s, want %s", name, i, line, want)
			}
		}
	}
	var out bytes.Buffer
	if err := predict(&out, bytes.NewReader(lines), of(m), plain, pipeline.Options{Mean: true, Float32: true}); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(out.String(), ",")
	v, err := strconv.ParseFloat(first, 64)
	if want := m.PredictVec(nil, x.RawRowView(0))[0]; err != nil || v == want || math.Abs(v-want) > 1e-4*math.Abs(want) {
		t.Errorf("in float32: %s, and %v in float64", first, want)
	}
}

// Rows of numbers have other characters between them, marks, encodings and no line of names, and the predictions are the same.
func TestPredictFormats(t *testing.T) {
	m, x := fitted(t, 40, 2, 50)
	lines := string(text(x))
	predicted := func(f csvfile.Format, input string) string {
		var out bytes.Buffer
		if err := predict(&out, strings.NewReader(input), of(m), f, pipeline.Options{Mean: true}); err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		return out.String()
	}
	want := predicted(plain, lines)
	if rows := strings.Count(want, "\n"); rows != 50 {
		t.Fatalf("%d rows", rows)
	}
	for _, c := range []struct {
		f     csvfile.Format
		names string
	}{
		{plain, "\ufeff"},
		{csvfile.Format{Comma: ',', Headless: true}, ""},
		{csvfile.Format{Comma: '\t'}, "a\tb\tc\n"},
		{csvfile.Format{Comma: ';', Encoding: "latin1"}, "Gr\xf6\xdfe;b;c\n"},
		{csvfile.Format{Comma: '§', Encoding: "windows-1252"}, ""},
	} {
		comma, head := string(c.f.Comma), ""
		if strings.HasSuffix(c.names, "\n") {
			head = "mean0,mean1\n"
		}
		between := comma
		if comma == "§" {
			between = "\xa7"
		}
		if got := predicted(c.f, c.names+strings.ReplaceAll(lines, ",", between)); got != strings.ReplaceAll(head+want, ",", comma) {
			t.Errorf("%+v: %.60q, want %.60q", c.f, got, want)
		}
	}
	for input, want := range map[string]string{
		"a\tb\tc\n1\t2\t3\n":     `line 1: column 1: "a" is no finite number`,
		"1\t2\n":                 "line 1: 2 columns: the model takes 3",
		"\n1\t2\t3\t\n":          `line 2: column 4: "" is no finite number`,
		"1\t2\t3\n\t1\t2\t3\n":   `line 2: column 1: "" is no finite number`,
		"1\t2\t3\n1\t2\t3\xfc\n": `line 2: column 3: "3\xfc" is no finite number`,
	} {
		if err := predict(io.Discard, strings.NewReader(input), of(m), csvfile.Format{Comma: '\t', Headless: true}, pipeline.Options{Mean: true}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", input, err, want)
		}
	}
}

// What is no row of the model is refused with its line, and no file is left; nor where reading or writing fails.
func TestRefuses(t *testing.T) {
	m, x := fitted(t, 40, 1, 20_000)
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(model, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := text(x)
	for bad, want := range map[string]string{
		"1,2\n":     "line 20001: 2 columns: the model takes 3",
		"1,2,3,4\n": "line 20001: 4 columns: the model takes 3",
		"1,2,x\n":   `line 20001: column 3: "x" is no finite number`,
		"1,NaN,2":   `line 20001: column 2: "NaN" is no finite number`,
		"1_2,2,3\n": `line 20001: column 1: "1_2" is no finite number`,
		"1,2,":      `line 20001: column 3: "" is no finite number`,
	} {
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		if err := os.WriteFile(in, append(bytes.Clone(lines), bad...), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(pipeline.Command{Model: model, In: in, Out: out, Write: "mean"}, plain); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if left, _ := filepath.Glob(out + "*"); left != nil {
			t.Errorf("%q: %v are left", bad, left)
		}
	}
	if err := predict(io.Discard, io.MultiReader(bytes.NewReader(lines), iotest.ErrReader(io.ErrClosedPipe)), of(m), plain, pipeline.Options{Mean: true}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("reading fails: %v", err)
	}
	if err := predict(failing{}, bytes.NewReader(lines), of(m), plain, pipeline.Options{Mean: true}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("writing fails: %v", err)
	}
	for what, o := range map[string]pipeline.Options{
		"-level = 1.5: must be between 0 and 1": {Interval: true, Level: 1.5},
		"-float32 has the mean alone":           {SD: true, Float32: true},
		"ridge: no posterior":                   {SD: true},
	} {
		of := m
		if strings.HasPrefix(what, "ridge") {
			of = m.MeanOnly()
		}
		if err := predict(io.Discard, bytes.NewReader(lines), &table.Model{Ridge: of}, plain, o); err == nil || !strings.HasPrefix(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	if err := run(pipeline.Command{Model: model, Write: "median"}, plain); err == nil || err.Error() != `-write: "median": must be mean, sd or interval` {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// A row of twelve columns and 2,048 features.
func BenchmarkPredict(b *testing.B) {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(500, 12, nil), mat.NewDense(500, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	s.FillNormal(y.RawMatrix().Data)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, 12, 2048, s, nil)
	if err != nil {
		b.Fatal(err)
	}
	const rows = 100_000
	more := mat.NewDense(rows, 12, nil)
	s.FillNormal(more.RawMatrix().Data)
	lines := text(more)
	for name, o := range map[string]pipeline.Options{"mean": {Mean: true}, "float32": {Mean: true, Float32: true}, "interval": {Interval: true, Level: 0.9}} {
		m, err := ridge.Fit(phi, x, y, &ridge.Options{Intervals: &ridge.IntervalOptions{NoVariance: true}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := predict(io.Discard, bytes.NewReader(lines), of(m), plain, o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(rows*b.N), "µs/row")
		})
	}
}
