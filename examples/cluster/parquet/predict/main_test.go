// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/parquet/numbers"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

var long = flag.Bool("long", false, "predict a million rows too")

// fitted returns a model of rows of some columns.
func fitted(tb testing.TB, columns, features, targets int) *ridge.Model {
	tb.Helper()
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(200, columns, nil), mat.NewDense(200, targets, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range 200 {
		for t := range targets {
			y.Set(i, t, x.At(i, t)*x.At(i, 2)+s.Normal()/10)
		}
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, columns, features, s, nil)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// saved writes a model to a file and returns its name.
func saved(t *testing.T, m *ridge.Model) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// A record is a row of a table with other columns too.
type record struct {
	C    int32    `parquet:"c,dict"`
	Name string   `parquet:"name"`
	B    *float32 `parquet:"b,optional,snappy"`
	A    float64  `parquet:"a"`
}

// rowsFile writes n records in groups of some rows, and returns the file's name and the rows a, b, c.
func rowsFile(t *testing.T, n, group int, change func([]record)) (string, *mat.Dense) {
	t.Helper()
	s := featuremap.NewSampler(2)
	records := make([]record, n)
	for i := range records {
		b := float32(s.Normal())
		records[i] = record{C: int32(3 * s.Normal()), Name: "x", B: &b, A: s.Normal()}
	}
	x := mat.NewDense(n, 3, nil)
	for i, r := range records {
		x.SetRow(i, []float64{r.A, float64(*r.B), float64(r.C)})
	}
	if change != nil {
		change(records)
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[record](&b, parquet.MaxRowsPerRowGroup(int64(group)))
	if _, err := w.Write(records); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "rows.parquet")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name, x
}

// What is written are the predictions of the program for CSV files of the same rows, under the same names and to the last bit.
func TestPredict(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "predict")
	if out, err := exec.Command("go", "build", "-o", other, "github.com/seed-0f95ebc1/featuremap/examples/batches/predict").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const n = 25_000
	if n*3*8 < 2*pipeline.BlockBytes {
		t.Fatal("less than two blocks")
	}
	for _, c := range []struct {
		targets, group int
		columns, write string
		single         bool
		names          string
	}{
		{1, n, "a,b,c", "mean", false, "mean"},
		{1, 11_000, "a,b,c", "mean", true, "mean"},
		{2, 7, "a,b,c", "sd,mean,interval", false, "mean0 sd0 lo0 hi0 mean1 sd1 lo1 hi1"},
		{2, 10_000, "", "interval", false, "lo0 hi0 lo1 hi1"},
		{2, 10_000, "", "mean", true, "mean0 mean1"},
	} {
		what := fmt.Sprintf("%+v", c)
		model := saved(t, fitted(t, 3, 40, c.targets))
		in, x := rowsFile(t, n, c.group, nil)
		lines := []byte("first,second,third\n")
		for i := range n {
			v := []float64{x.At(i, 0), x.At(i, 1), x.At(i, 2)}
			if c.columns == "" { // the order of the file
				v[0], v[2] = v[2], v[0]
			}
			lines = fmt.Appendf(lines, "%v,%v,%v\n", v[0], v[1], v[2])
		}
		arguments := []string{"-quiet", "-model", model, "-write", c.write, "-level", "0.8"}
		if c.single {
			arguments = append(arguments, "-float32")
		}
		command := exec.Command(other, arguments...)
		command.Stdin = bytes.NewReader(lines)
		text, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		want, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out.parquet")
		if err := run(pipeline.Command{Model: model, In: in, Out: out, Write: c.write, Options: pipeline.Options{Level: 0.8, Float32: c.single}}, c.columns); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if left, _ := filepath.Glob(out + "*"); len(left) != 1 {
			t.Errorf("%s: files %q", what, left)
		}
		names, got := predictions(t, out)
		if joined := strings.Join(names, " "); joined != c.names || joined != strings.Join(want[0], " ") {
			t.Errorf("%s: columns %s", what, joined)
		}
		width := len(names)
		if len(got) != n*width || len(want) != n+1 {
			t.Fatalf("%s: %d numbers, want %d", what, len(got), n*width)
		}
		bits := 64
		if c.single {
			bits = 32
		}
		for i, v := range got {
			of, err := strconv.ParseFloat(want[1+i/width][i%width], bits)
			if err != nil || math.Float64bits(of) != math.Float64bits(v) {
				t.Fatalf("%s: row %d: %s = %v, and %v from CSV", what, i/width, names[i%width], v, of)
			}
		}
	}
}

// predictions returns the columns of a file, and their numbers.
func predictions(t *testing.T, name string) ([]string, []float64) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := numbers.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Rows(f.Names())
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for width := len(f.Names()); ; {
		x := make([]float64, 1000*width)
		n, err := r.Read(x)
		all = append(all, x[:n*width]...)
		if err == io.EOF {
			return f.Names(), all
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// What are no rows of the model are refused, and no file is left; nor where writing fails.
func TestRefuses(t *testing.T) {
	m := fitted(t, 3, 40, 1)
	model := saved(t, m)
	const n = 25_000
	good, _ := rowsFile(t, n, 10_000, nil)
	null, _ := rowsFile(t, n, 10_000, func(r []record) { r[n-1].B = nil })
	nan, _ := rowsFile(t, n, 10_000, func(r []record) { r[12_345].A = math.NaN() })
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	file := func(data []byte) string {
		name := filepath.Join(t.TempDir(), "rows.parquet")
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	damaged := bytes.Clone(data)
	damaged[len(data)/2] ^= 1
	dir := t.TempDir()
	for _, c := range []struct {
		in, columns, want string
	}{
		{good, "a,b", `2 columns, ["a" "b"]: the model takes 3`},
		{good, "a,b,c,a", `4 columns, ["a" "b" "c" "a"]: the model takes 3`},
		{good, "a,b,d", `column "d": the file has only ["c" "name" "b" "a"]`},
		{good, "a,b,name", `column "name": must be one number, an integer, a float or a decimal`},
		{null, "", `row 24999, column "b": <null> is no finite number`},
		{nan, "a,b,c", `row 12345, column "a": NaN is no finite number`},
		{file(damaged), "", `column "`},
		{file(data[:len(data)-100]), "", "invalid magic footer"},
		{file(nil), "", "reading magic header"},
		{filepath.Join(dir, "nowhere"), "", "open "},
		{"", "", "-in or -out is missing"},
	} {
		out := filepath.Join(dir, "out.parquet")
		err := run(pipeline.Command{Model: model, In: c.in, Out: out, Write: "mean"}, c.columns)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if left, _ := filepath.Glob(out + "*"); left != nil {
			t.Errorf("%s: %v are left", c.want, left)
		}
	}
	if err := predict(failing{}, bytes.NewReader(data), int64(len(data)), "", &table.Model{Ridge: m}, pipeline.Options{Mean: true}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("writing fails: %v", err)
	}
	if err := predict(io.Discard, bytes.NewReader(data), int64(len(data)), "", &table.Model{Ridge: m}, pipeline.Options{Interval: true}); err == nil || !strings.HasPrefix(err.Error(), "-level") {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// A file without rows gives one without rows.
func TestNoRows(t *testing.T) {
	var b bytes.Buffer
	if err := numbers.NewWriter(&b, []string{"a", "b", "c"}, false).Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(pipeline.Command{Model: saved(t, fitted(t, 3, 40, 1)), In: in, Out: out, Write: "mean,sd"}, ""); err != nil {
		t.Fatal(err)
	}
	if names, got := predictions(t, out); strings.Join(names, " ") != "mean sd" || len(got) > 0 {
		t.Errorf("%s, %d numbers", names, len(got))
	}
}

// watched notes the most memory in use when it is read.
type watched struct {
	io.ReaderAt
	most uint64
}

func (w *watched) ReadAt(p []byte, at int64) (int, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.most = max(w.most, m.HeapInuse)
	return w.ReaderAt.ReadAt(p, at)
}

// Memory does not grow with the file: with -long, a million rows take no more than a hundred thousand, and much less than the file has.
func TestMemory(t *testing.T) {
	m := fitted(t, 12, 32, 1)
	use := func(n int) uint64 {
		name := filepath.Join(t.TempDir(), "rows.parquet")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := numbers.NewWriter(f, strings.Split("a,b,c,d,e,f,g,h,i,j,k,l", ","), false)
		x := make([]float64, 12_000)
		s := featuremap.NewSampler(3)
		for range n / 1000 {
			s.FillNormal(x)
			if err := w.Write(x); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		from := &watched{ReaderAt: f}
		if err := predict(io.Discard, from, info.Size(), "", &table.Model{Ridge: m}, pipeline.Options{Mean: true, Interval: true, Level: 0.9}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows, %d MB: %d MB in use", n, info.Size()>>20, from.most>>20)
		return from.most
	}
	few := use(100_000)
	if !*long {
		return
	}
	if many := use(1_000_000); many > few+few/2+16<<20 || many > 64<<20 {
		t.Errorf("%d bytes, and %d for a hundred thousand rows", many, few)
	}
}
