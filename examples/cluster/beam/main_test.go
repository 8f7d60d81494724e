// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/floats"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Pipelines run on Prism, in this process, unless -runner says otherwise.
func TestMain(m *testing.M) { ptest.Main(m) }

const rows, shards, features = 3200, 5, 120 // 640 rows a shard, ten buffers of a parquetReader

// demo writes the shards of the demonstration, as CSV and as Parquet, and a map to a folder.
func demo(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if _, err := shard.Recipe(filepath.Join(dir, "map"), features); err != nil {
		t.Fatal(err)
	}
	for i := range shards {
		of := shard.DemoRows(rows, shards, i)
		if err := shard.WriteFile(shard.Name(dir, i, ".csv"), func(w io.Writer) error {
			return shard.WriteCSV(w, shard.NewDemo(i), shard.Dim+1, of)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := convertAll(io.Discard, filepath.Join(dir, "shard-*.csv")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inOneProcess returns the model that the program examples/cluster/files has of shards, as its file.
func inOneProcess(t *testing.T, dir string, shards int) []byte {
	t.Helper()
	phi := mapOf(t, dir)
	files := make([][]byte, shards)
	for i := range shards {
		f, err := os.Open(shard.Name(dir, i, ".csv"))
		if err != nil {
			t.Fatal(err)
		}
		a, err := shard.Accumulate(phi, shard.NewCSV(f, 0, 0))
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		files[i] = written(t, a)
	}
	all, err := shard.Merge(phi, shards, t.TempDir(), func(i int) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files[i])), nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := all.Fit(nil)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, m)
}

func mapOf(t *testing.T, dir string) featuremap.FeatureMap {
	t.Helper()
	phi, err := shard.ReadMap(filepath.Join(dir, "map"))
	if err != nil {
		t.Fatal(err)
	}
	return phi
}

func written(t *testing.T, w io.WriterTo) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// names returns the names of the files of a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// The pipeline has the bits of the model of the other program: on 1, 2 and 8 processors, from CSV and from Parquet, with sums in the model's folder or elsewhere. It
// leaves nothing but the model.
func TestPipeline(t *testing.T) {
	dir := demo(t)
	want := inOneProcess(t, dir, shards)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		kind, sums string
		workers    int
		memory     int64
	}{{"csv", "", 1, 0}, {"csv", "elsewhere", 2, 0}, {"csv", "", 8, 3 * sumsBytes(features)}, {"parquet", "", 8, 0}} {
		runtime.GOMAXPROCS(c.workers)
		out := t.TempDir()
		o := order{in: filepath.Join(dir, "shard-*."+c.kind), mapName: filepath.Join(dir, "map"), model: filepath.Join(out, "model"), memory: c.memory}
		if c.sums != "" {
			o.sums = t.TempDir()
		}
		if err := run(o); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if got, err := os.ReadFile(o.model); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: another model, %v", c, err)
		}
		if left := names(t, out); len(left) != 1 || o.sums != "" && len(names(t, o.sums)) > 0 {
			t.Errorf("%+v: files %q are left", c, left)
		}
	}
	if d, err := distance(filepath.Join(dir, "shard-*.csv"), filepath.Join(dir, "map"), filepath.Join(dir, "map")); err == nil {
		t.Errorf("maps are models that differ by %v", d)
	}
}

// Of 70 shards groups are merged first, as by the other program.
func TestManyShards(t *testing.T) {
	const many = 70
	dir := t.TempDir()
	if _, err := shard.Recipe(filepath.Join(dir, "map"), 32); err != nil {
		t.Fatal(err)
	}
	for i := range many {
		if err := shard.WriteFile(shard.Name(dir, i, ".csv"), func(w io.Writer) error {
			return shard.WriteCSV(w, shard.NewDemo(i), shard.Dim+1, 10)
		}); err != nil {
			t.Fatal(err)
		}
	}
	o := order{in: filepath.Join(dir, "shard-*.csv"), mapName: filepath.Join(dir, "map"), model: filepath.Join(dir, "model")}
	if err := run(o); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(o.model); err != nil || !bytes.Equal(got, inOneProcess(t, dir, many)) {
		t.Errorf("another model, %v", err)
	}
	// Sums alone, of which ridge makes the same model.
	o.model, o.merge = filepath.Join(dir, "sums"), true
	if err := run(o); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(o.model)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if a, err := ridge.ReadAccumulator(f, mapOf(t, dir)); err != nil || a.Rows() != 10*many {
		t.Error(err)
	}
	if left := names(t, dir); len(left) != many+3 { // the map, the model and the sums
		t.Errorf("files %q are left", left)
	}
}

// parts returns an iterator over parts, as a runner has it.
func parts(all []Part) func(*Part) bool {
	return func(p *Part) bool {
		if len(all) == 0 {
			return false
		}
		*p, all = all[0], all[1:]
		return true
	}
}

// Shards that are done in any order, some twice, as when a worker was killed, have one model, in each of 20 orders. What was written in vain is removed
// with the rest. Parts that are missing, come twice or are damaged are refused, and there is no model.
func TestRetries(t *testing.T) {
	dir := demo(t)
	want := inOneProcess(t, dir, shards)
	o := order{in: filepath.Join(dir, "shard-*.csv"), mapName: filepath.Join(dir, "map"), model: filepath.Join(dir, "model")}
	before := names(t, dir)
	task, _, err := o.prepare(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	var listed []Shard
	if err := (&listFn{}).ProcessElement(t.Context(), task.Prefix+"shards", func(s Shard) { listed = append(listed, s) }); err != nil || len(listed) != shards {
		t.Fatal(listed, err)
	}
	f := &accumulateFn{Task: task}
	if err := f.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make([][]Part, shards) // each shard twice
	for range 2 {
		for _, s := range listed {
			if err := f.ProcessElement(t.Context(), s, func(p Part) { done[s.Index] = append(done[s.Index], p) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	fit := &fitFn{Task: task}
	rnd := rand.New(rand.NewPCG(1, 2))
	var all []Part
	for range 20 {
		all = nil
		for _, i := range rnd.Perm(shards) {
			all = append(all, done[i][rnd.IntN(2)])
		}
		if err := fit.ProcessElement(t.Context(), 0, parts(all)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(o.model); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("another model, %v", err)
		}
		if err := os.Remove(o.model); err != nil {
			t.Fatal(err)
		}
	}
	damaged := Part{all[2].Index, filepath.Join(dir, "map")} // a file that is no sums
	for want, some := range map[string][]Part{
		"4 parts came of 5":             slices.DeleteFunc(slices.Clone(all), func(p Part) bool { return p.Index == 4 }),
		"part 0 is 1: one is missing":   slices.DeleteFunc(slices.Clone(all), func(p Part) bool { return p.Index == 0 }),
		"one is missing, or came twice": append(slices.Clone(all), all[3]),
		damaged.File + ": ridge: part " + string(rune('0'+damaged.Index)): append(slices.Clone(all[3:]), all[0], all[1], damaged),
	} {
		if err := fit.ProcessElement(t.Context(), 0, parts(some)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := removeAll(t.Context(), task.Prefix); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); !slices.Equal(left, before) {
		t.Errorf("%q are left of %q", left, before)
	}
}

// passesInOneProcess returns the model that passes over the shards have in one process, whose sums are merged in the order of the shards, and its file.
func passesInOneProcess(t *testing.T, dir string) (*ridge.Model, []byte) {
	t.Helper()
	m, err := ridge.FitPasses(mapOf(t, dir), func(p *ridge.Pass) (*ridge.PassSums, error) {
		all := p.NewSums(0)
		for i := range shards {
			f, err := os.Open(shard.Name(dir, i, ".csv"))
			if err != nil {
				return nil, err
			}
			defer f.Close()
			s := p.NewSums(i)
			if _, err := shard.Add(s, shard.Dim, shard.NewCSV(f, 0, 0), math.MaxInt); err != io.EOF {
				return nil, err
			}
			if err := all.Merge(s); err != nil {
				return nil, err
			}
		}
		return all, nil
	}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, written(t, m)
}

// Passes of pipelines have the bits of passes in one process, from CSV and from Parquet, and leave no file but the model.
func TestPasses(t *testing.T) {
	dir := demo(t)
	m, want := passesInOneProcess(t, dir)
	for _, kind := range []string{"csv", "parquet"} {
		out := t.TempDir()
		o := order{in: filepath.Join(dir, "shard-*."+kind), mapName: filepath.Join(dir, "map"), model: filepath.Join(out, "model")}
		if err := runPasses(o); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if got, err := os.ReadFile(o.model); err != nil || !bytes.Equal(got, want) || m.Passes() < 2 {
			t.Errorf("%s: another model, %v", kind, err)
		}
		if left := names(t, out); len(left) != 1 {
			t.Errorf("%s: files %q are left", kind, left)
		}
	}
}

// A pipeline without shards, with a row that is no row, with a file that is not a map, without memory or a place for sums fails, and leaves neither a
// model nor anything else. What can be known is refused before there is a job.
func TestPipelineFails(t *testing.T) {
	dir := demo(t)
	recipe, err := os.ReadFile(filepath.Join(dir, "map"))
	if err != nil {
		t.Fatal(err)
	}
	_, drawn := mapOf(t, dir).Dims()
	recipe[len(recipe)/2] ^= 1
	for name, data := range map[string][]byte{"bad.csv": []byte("1,2,3\n"), "empty.csv": nil, "spoilt": recipe} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, dir)
	for _, c := range []struct {
		in, mapName, sums string
		memory            int64
		want              string
	}{
		{"none-*.csv", "map", "", 0, "no files matching"},
		{"bad.csv", "map", "", 0, "row 0: 3 numbers: must be 9"},
		{"empty.csv", "map", "", 0, "no rows"},
		{"shard-0000.csv", "spoilt", "", 0, "spoilt: featuremap"},
		{"shard-0000.csv", "map", "map", 0, "-sums: "},
		{"shard-0000.csv", "map", "", 3*sumsBytes(drawn) - 1, "116 features: three sums take 0.169 MB, and a worker has 0.169 MB: -iterate (ridge.FitIterative) needs none"},
	} {
		o := order{in: filepath.Join(dir, c.in), mapName: filepath.Join(dir, c.mapName), model: filepath.Join(dir, "model"), memory: c.memory}
		if c.sums != "" {
			o.sums = filepath.Join(dir, c.sums) // a file, in which nothing can be written
		}
		if err := run(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		if left := names(t, dir); !slices.Equal(left, before) {
			t.Errorf("%+v: %q are left of %q", c, left, before)
		}
	}
	// Passes need no sums of products.
	o := order{in: filepath.Join(dir, "shard-*.csv"), mapName: filepath.Join(dir, "map"), model: filepath.Join(dir, "model"), memory: 1}
	if _, _, err := o.prepare(t.Context(), false); err != nil {
		t.Error(err)
	}
}

// The bytes of sums are what a file of them has, and some text more; a process waits until there is memory for more, and never if
// nobody has any.
func TestMemory(t *testing.T) {
	dir := demo(t)
	phi := mapOf(t, dir)
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, drawn := phi.Dims()
	if bytes := int64(len(written(t, a))); bytes < sumsBytes(drawn) || bytes > sumsBytes(drawn)+8000 {
		t.Errorf("a file of %d bytes, and sums of %d", bytes, sumsBytes(drawn))
	}
	first := take(100, 10)
	took := make(chan func())
	go func() { took <- take(10, 100) }()
	select {
	case <-took:
		t.Error("more memory than there is")
	case <-time.After(20 * time.Millisecond):
	}
	first()
	(<-took)()
	if machineMemory() < 1e8 {
		t.Errorf("the machine has %d bytes", machineMemory())
	}
}

// The description of a pipeline has names alone, however large the map: under 1 MB.
func TestDescription(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	build(s, Task{Map: "map", Prefix: "model.0123456789abcdef.", Shards: 100_000, Model: "model"})
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	env, err := graphx.CreateEnvironment(t.Context(), "beam:env:external:v1", func(context.Context) string { return "localhost:1" })
	if err != nil {
		t.Fatal(err)
	}
	description, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(description.String()); n > 1<<20 { // longer than what is sent
		t.Errorf("%d bytes", n)
	}
}

// A Parquet file has the rows that were written, bit for bit; those of other programs are read by column, in float32 and decimals too.
func TestParquet(t *testing.T) {
	dir := demo(t)
	row, want := make([]float64, shard.Dim+1), make([]float64, shard.Dim+1)
	n := 0
	for i := range shards {
		demo := shard.NewDemo(i)
		r, c, err := openShard(t.Context(), shard.Name(dir, i, ".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for ; ; n++ {
			if err := r.Read(row); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if demo.Read(want); !floats.Same(row, want) {
				t.Fatalf("row %d: %v", n, row)
			}
		}
		if got, want := strings.Join(r.(*parquetReader).names, " "), "x0000 x0001 x0002 x0003 x0004 x0005 x0006 x0007 y"; got != want {
			t.Errorf("columns %s, want %s", got, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}

	type mixed struct {
		B float32  `parquet:"b"`
		A *float64 `parquet:"a,optional"`
		C int64    `parquet:"c,decimal(2:12)"`
	}
	one, two := 1.0, 2.0
	var b bytes.Buffer
	w := parquet.NewGenericWriter[mixed](&b, parquet.MaxRowsPerRowGroup(2))
	if _, err := w.Write([]mixed{{3, &one, 29}, {4, &two, -58}, {5, &one, 0}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := newParquetReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	three := row[:3]
	for _, want := range [][]float64{{3, 1, .29}, {4, 2, -.58}, {5, 1, 0}} {
		if err := r.Read(three); err != nil || !floats.Equal(three, want) {
			t.Errorf("%v, %v; want %v", three, err, want)
		}
	}
	if err := r.Read(three); err != io.EOF {
		t.Errorf("after the last row: %v", err)
	}
	if err := r.Read(row); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a row of another width: %v", err)
	}
}

// Files that are no rows of numbers are refused.
func TestParquetRefused(t *testing.T) {
	type words struct {
		A float64 `parquet:"a"`
		S string  `parquet:"s"`
	}
	type lists struct {
		A []float64 `parquet:"a"`
	}
	file := func(v any) []byte {
		var b bytes.Buffer
		w := parquet.NewWriter(&b)
		if err := w.Write(v); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	good := file(&words{1, "a"})
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"words", good, `column "s": must be one number`},
		{"lists", file(&lists{[]float64{1, 2}}), `column "a": must be one number`},
		{"cut", good[:len(good)-3], ""},
		{"empty", nil, ""},
	} {
		if _, err := newParquetReader(bytes.NewReader(c.data), int64(len(c.data))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// BenchmarkParquet reads rows of 65 columns.
func BenchmarkParquet(b *testing.B) {
	const rows = 20000
	var data bytes.Buffer
	if err := writeParquet(&data, &upTo{rows, featuremap.NewSampler(1)}, 65); err != nil {
		b.Fatal(err)
	}
	row := make([]float64, 65)
	for b.Loop() {
		r, err := newParquetReader(bytes.NewReader(data.Bytes()), int64(data.Len()))
		if err != nil {
			b.Fatal(err)
		}
		for r.Read(row) == nil {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}

// upTo makes some rows.
type upTo struct {
	rows int
	s    *featuremap.Sampler
}

func (u *upTo) Read(row []float64) error {
	if u.rows == 0 {
		return io.EOF
	}
	u.rows--
	u.s.FillNormal(row)
	return nil
}
