// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Pipelines run on Prism, in this process, unless -runner says otherwise.
func TestMain(m *testing.M) { ptest.Main(m) }

const rows, shards, features = 3200, 5, 120 // 640 rows a shard, ten buffers of a parquetReader

// demo writes the shards of the demonstration, as CSV and as Parquet, and a map to a folder. It returns the recipe of the map
// and all rows.
func demo(t *testing.T) (dir string, recipe []byte, x, y *mat.Dense) {
	t.Helper()
	dir = t.TempDir()
	recipe, err := shard.Recipe(filepath.Join(dir, "map"), features)
	if err != nil {
		t.Fatal(err)
	}
	x, y = mat.NewDense(rows, shard.Dim, nil), mat.NewDense(rows, 1, nil)
	row := make([]float64, shard.Dim+1)
	for i, n := 0, 0; i < shards; i++ {
		of := shard.DemoRows(rows, shards, i)
		if err := shard.WriteFile(shard.Name(dir, i, ".csv"), func(w io.Writer) error {
			return shard.WriteCSV(w, shard.NewDemo(i), shard.Dim+1, of)
		}); err != nil {
			t.Fatal(err)
		}
		for r := shard.NewDemo(i); of > 0; of-- {
			r.Read(row)
			x.SetRow(n, row[:shard.Dim])
			y.Set(n, 0, row[shard.Dim])
			n++
		}
	}
	if err := convertAll(io.Discard, filepath.Join(dir, "shard-*.csv")); err != nil {
		t.Fatal(err)
	}
	return dir, recipe, x, y
}

// The pipeline has the model of all rows in memory, to 1e-9: from CSV, from Parquet, and from both in bundles of their own,
// which Prism does not make of so few shards.
func TestPipeline(t *testing.T) {
	dir, recipe, x, y := demo(t)
	phi, err := shard.Draw(recipe)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"csv", "parquet", "bundles"} {
		name := filepath.Join(dir, kind+".model")
		if kind == "bundles" {
			p, s := beam.NewPipelineWithRoot()
			var parts []beam.PCollection
			for i := range shards {
				one := beam.Create(s, shard.Name(dir, shards-1-i, []string{".csv", ".parquet"}[i%2]))
				parts = append(parts, beam.ParDo(s, &accumulateFn{Recipe: recipe}, beam.Reshuffle(s, one)))
			}
			fit(s, beam.Flatten(s, parts...), recipe, name)
			ptest.RunAndValidate(t, p)
		} else if err := run(filepath.Join(dir, "shard-*."+kind), filepath.Join(dir, "map"), 0, name); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		got, err := readModel(name)
		if err != nil {
			t.Fatal(err)
		}
		var difference mat.Dense
		difference.Sub(got.Weights(), want.Weights())
		d := mat.Norm(&difference, 2) / mat.Norm(want.Weights(), 2)
		t.Logf("%s: weights differ by %.2g of them", kind, d)
		if !(d < 1e-9) {
			t.Errorf("%s: weights differ by %.2g of them", kind, d)
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
		if !near(got.Lambda()[0], want.Lambda()[0]) || !near(got.NoiseVariance()[0], want.NoiseVariance()[0]) || !near(got.Intercept()[0], want.Intercept()[0]) {
			t.Errorf("%s: λ %v, noise %v, intercept %v; want %v, %v, %v", kind, got.Lambda()[0], got.NoiseVariance(), got.Intercept(),
				want.Lambda()[0], want.NoiseVariance(), want.Intercept())
		}
	}
	d, err := distance(filepath.Join(dir, "shard-*.csv"), filepath.Join(dir, "bundles.model"), filepath.Join(dir, "csv.model"))
	if err != nil || !(d > 0 && d < 1e-9) {
		t.Errorf("predictions differ by %.2g of them, %v", d, err)
	}
	t.Logf("predictions differ by %.2g of them", d)
}

// Passes of pipelines come to the model of all rows in memory at their λ, to what is little beside the error that the noise makes (see TestPassesModel of files), from
// CSV and from Parquet, and leave no file but the model.
func TestPasses(t *testing.T) {
	dir, _, x, y := demo(t)
	for _, kind := range []string{"csv", "parquet"} {
		name := filepath.Join(dir, kind+".model")
		if err := runPasses(filepath.Join(dir, "shard-*."+kind), filepath.Join(dir, "map"), 0, name); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		got, err := readModel(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ridge.Fit(got.Map(), x, y, &ridge.Options{Lambda: got.Lambda()[0]})
		if err != nil {
			t.Fatal(err)
		}
		var a, b mat.Dense
		got.PredictTo(&a, x)
		want.PredictTo(&b, x)
		a.Sub(&a, &b)
		_, features := got.Map().Dims()
		limit := math.Sqrt(2 * 0.07 * want.NoiseVariance()[0] * float64(features))
		if d := mat.Norm(&a, 2); !(d <= limit) || !(d < 1e-2*mat.Norm(&b, 2)) || got.Passes() < 2 {
			t.Errorf("%s: predictions differ by %.2g, limit %.2g, of %.2g, after %d passes", kind, d, limit, mat.Norm(&b, 2), got.Passes())
		}
		if _, err := os.Stat(name + ".sums"); err == nil {
			t.Errorf("%s: sums of a pass are left", kind)
		}
	}
}

// Sums that come to a merge as bytes from another worker are those that come as they are.
func TestPassSumsMoved(t *testing.T) {
	_, recipe, x, y := demo(t)
	phi, err := shard.Draw(recipe)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = ridge.FitPasses(phi, func(p *ridge.Pass) (*ridge.PassSums, error) {
		of, err := written(p)
		if err != nil {
			return nil, err
		}
		f := &mergePassFn{Job: job{recipe, of}}
		all := f.CreateAccumulator()
		for i := range 4 {
			s := p.NewSums(i)
			lo, hi := i*rows/4, (i+1)*rows/4
			if err := s.Add(x.Slice(lo, hi, 0, shard.Dim), y.Slice(lo, hi, 0, 1)); err != nil {
				return nil, err
			}
			part := passSums{of: s}
			if i%2 == 0 {
				b, err := encodePassSums(part)
				if err != nil {
					return nil, err
				}
				if part, err = decodePassSums(b); err != nil {
					return nil, err
				}
			}
			if all, err = f.AddInput(all, part); err != nil {
				return nil, err
			}
		}
		if all.of.Rows() != rows {
			t.Errorf("%d rows", all.of.Rows())
		}
		// Sums of workers are of a pass that they have read: here, too, they go back as bytes.
		b, err := encodePassSums(all)
		if err != nil {
			return nil, err
		}
		return p.ReadSums(bytes.NewReader(b))
	}, 1, nil); err != nil {
		t.Fatal(err)
	}
}

// A pipeline without shards, with a row that is no row, or with a recipe that is none, fails and writes no model.
func TestPipelineFails(t *testing.T) {
	dir, recipe, _, _ := demo(t)
	if err := os.WriteFile(filepath.Join(dir, "bad.csv"), []byte("1,2,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty.csv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	spoilt := bytes.Clone(recipe)
	spoilt[len(spoilt)/2] ^= 1
	if err := os.WriteFile(filepath.Join(dir, "spoilt"), spoilt, 0o666); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(dir, "model")
	for _, c := range []struct{ in, mapName, want string }{
		{"none-*.csv", "map", "no files matching"},
		{"bad.csv", "map", "row 0: 3 numbers: must be 9"},
		{"empty.csv", "map", "no rows"},
		{"shard-0000.csv", "spoilt", "featuremap"},
	} {
		err := run(filepath.Join(dir, c.in), filepath.Join(dir, c.mapName), 0, model)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v, want %q", c.in, c.mapName, err, c.want)
		}
		if _, err := os.Stat(model); err == nil {
			t.Errorf("%s with %s: there is a model", c.in, c.mapName)
		}
	}
}

// A bundle makes one accumulator, which has what was added, whatever was left by a bundle that failed; merging has the sums
// of all of them, whether they go through their coder or not.
func TestBundles(t *testing.T) {
	dir, recipe, x, y := demo(t)
	f := &accumulateFn{Recipe: recipe}
	if err := f.Setup(); err != nil {
		t.Fatal(err)
	}
	bundle := func(ids ...int) (emitted []sums) {
		emit := func(s sums) { emitted = append(emitted, s) }
		f.StartBundle(t.Context(), emit)
		for _, i := range ids {
			if err := f.ProcessElement(t.Context(), shard.Name(dir, i, ".parquet"), emit); err != nil {
				t.Fatal(err)
			}
		}
		f.FinishBundle(t.Context(), emit)
		return emitted
	}
	f.StartBundle(t.Context(), nil) // which fails after its first shard
	if err := f.ProcessElement(t.Context(), shard.Name(dir, 3, ".csv"), nil); err != nil {
		t.Fatal(err)
	}
	var parts []sums
	for _, ids := range [][]int{{4, 1}, {}, {0, 2, 3}} {
		got := bundle(ids...)
		if len(got) != min(len(ids), 1) {
			t.Fatalf("bundle %v: %d accumulators", ids, len(got))
		}
		for _, s := range got {
			n := 0
			for _, i := range ids {
				n += shard.DemoRows(rows, shards, i)
			}
			if s.of.Rows() != n {
				t.Errorf("bundle %v: %d rows, want %d", ids, s.of.Rows(), n)
			}
			parts = append(parts, coded(t, s))
		}
	}
	m := &mergeFn{Recipe: f.Recipe}
	all := m.CreateAccumulator()
	for _, s := range parts {
		var err error
		if all, err = m.AddInput(all, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range [][2]sums{{all, coded(t, m.CreateAccumulator())}, {m.CreateAccumulator(), all}} {
		var err error
		if all, err = m.MergeAccumulators(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := ridge.NewAccumulator(f.phi, 1)
	if err != nil {
		t.Fatal(err)
	}
	read, err := coded(t, all).accumulator(f.phi)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Merge(read); err != nil {
		t.Fatal(err)
	}
	got, err := whole.Fit(nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ridge.Fit(f.phi, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w, v := got.Weights(), want.Weights(); !mat.EqualApprox(w, v, 1e-9*mat.Norm(v, 2)) {
		t.Error("weights differ")
	}
}

// coded returns sums after they went from one worker to another.
func coded(t *testing.T, s sums) sums {
	t.Helper()
	b, err := encodeSums(s)
	if err != nil {
		t.Fatal(err)
	}
	s, err = decodeSums(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A Parquet file has the rows that were written, bit for bit; those of other programs are read by column, in float32 too.
func TestParquet(t *testing.T) {
	dir, _, x, y := demo(t)
	row := make([]float64, shard.Dim+1)
	n := 0
	for i := range shards {
		r, c, err := open(t.Context(), shard.Name(dir, i, ".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for ; ; n++ {
			if err := r.Read(row); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if !floats.Same(row[:shard.Dim], x.RawRowView(n)) || row[shard.Dim] != y.At(n, 0) {
				t.Fatalf("row %d: %v", n, row)
			}
		}
		var names []string
		for _, path := range r.(*parquetReader).schema.Columns() {
			names = append(names, strings.Join(path, "."))
		}
		if got, want := strings.Join(names, " "), "x0000 x0001 x0002 x0003 x0004 x0005 x0006 x0007 y"; got != want {
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
	}
	one, two := 1.0, 2.0
	var b bytes.Buffer
	w := parquet.NewGenericWriter[mixed](&b, parquet.MaxRowsPerRowGroup(2))
	if _, err := w.Write([]mixed{{3, &one}, {4, &two}, {5, &one}, {6, nil}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := newParquetReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.groups) != 2 {
		t.Errorf("%d row groups, want 2", len(r.groups))
	}
	pair := row[:2]
	for _, want := range [][]float64{{3, 1}, {4, 2}, {5, 1}} {
		if err := r.Read(pair); err != nil || !floats.Equal(pair, want) {
			t.Errorf("%v, %v; want %v", pair, err, want)
		}
	}
	if err := r.Read(pair); err == nil || !strings.Contains(err.Error(), "row 3, column 1") {
		t.Errorf("a row without a number: %v", err)
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
		{"words", good, "[s]: must be one number"},
		{"lists", file(&lists{[]float64{1, 2}}), "[a]: must be one number"},
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
