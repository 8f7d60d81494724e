// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Rows that are written as CSV are read again bit for bit, from any row on.
func TestCSV(t *testing.T) {
	const rows = 20
	var b bytes.Buffer
	if err := WriteCSV(&b, NewDemo(3), Dim+1, rows); err != nil {
		t.Fatal(err)
	}
	var want [][]float64
	for demo := NewDemo(3); len(want) < rows; {
		row := make([]float64, Dim+1)
		demo.Read(row)
		want = append(want, row)
	}
	row := make([]float64, Dim+1)
	all := NewCSV(bytes.NewReader(b.Bytes()), 0, 0)
	for i := range rows + 1 {
		rest := NewCSV(bytes.NewReader(b.Bytes()[all.Offset():]), i, all.Offset())
		for _, v := range want[i:] {
			if err := rest.Read(row); err != nil || !slices.Equal(row, v) {
				t.Fatalf("from row %d: %v, %v; want %v", i, row, err, v)
			}
		}
		if err := rest.Read(row); err != io.EOF || rest.Offset() != int64(b.Len()) {
			t.Errorf("from row %d: %v at byte %d of %d", i, err, rest.Offset(), b.Len())
		}
		if err := all.Read(row); i < rows && err != nil {
			t.Fatal(err)
		}
	}
}

// A code of digits is no number.
func TestCSVRefused(t *testing.T) {
	r := NewCSV(strings.NewReader("1,2\n3,1_11\n"), 0, 0)
	row := make([]float64, 2)
	if err := r.Read(row); err != nil {
		t.Fatal(err)
	}
	if err := r.Read(row); err == nil || err.Error() != `row 1, column 1: "1_11" is no number` {
		t.Errorf("%v, row %v", err, row)
	}
}

// The demonstration has as many rows as it should, shared out evenly.
func TestDemoRows(t *testing.T) {
	for _, c := range [][2]int{{10, 3}, {2, 5}, {0, 1}, {1000, 8}} {
		sum := 0
		for i := range c[1] {
			n := DemoRows(c[0], c[1], i)
			if n < c[0]/c[1] || n > c[0]/c[1]+1 {
				t.Errorf("shard %d of %d has %d of %d rows", i, c[1], n, c[0])
			}
			sum += n
		}
		if sum != c[0] {
			t.Errorf("%d shards have %d rows, want %d", c[1], sum, c[0])
		}
	}
}

// What docs/guide/cluster.md says of a core: go test -run - -bench . -cpu 1

// rows64 makes rows of 64 coordinates and a target.
type rows64 struct{ s *featuremap.Sampler }

func (r rows64) Read(row []float64) error {
	r.s.FillNormal(row)
	return nil
}

func BenchmarkCSV(b *testing.B) {
	const rows = 2000
	var data bytes.Buffer
	if err := WriteCSV(&data, rows64{featuremap.NewSampler(1)}, 65, rows); err != nil {
		b.Fatal(err)
	}
	row := make([]float64, 65)
	for b.Loop() {
		for r := NewCSV(bytes.NewReader(data.Bytes()), 0, 0); r.Read(row) == nil; {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
	b.ReportMetric(float64(data.Len())/rows, "B/row")
}

// BenchmarkRows does for rows of 4096 features what the normal equations do, and what an iteration does instead.
func BenchmarkRows(b *testing.B) {
	const rows, features = 144, 4096
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 8}, 64, features, featuremap.NewSampler(1), nil)
	if err != nil {
		b.Fatal(err)
	}
	x, y := mat.NewDense(rows, 64, nil), mat.NewDense(rows, 1, nil)
	featuremap.NewSampler(1).FillNormal(x.RawMatrix().Data)
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		b.Fatal(err)
	}
	var z mat.Dense
	u, v := make([]float64, features), make([]float64, features)
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"features", func() error {
			phi.TransformTo(&z, x)
			return nil
		}},
		{"sums", func() error { return a.Add(x, y) }},
		{"pass", func() error {
			phi.TransformTo(&z, x)
			for i := range rows {
				row := z.RawRowView(i)
				floats.AddScaled(u, floats.Dot(row, v), row)
			}
			return nil
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows/features, "ns/feature")
		})
	}
}

// BenchmarkMerge reads accumulators of 4096 features and merges them.
func BenchmarkMerge(b *testing.B) {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 8}, 64, 4096, featuremap.NewSampler(1), nil)
	if err != nil {
		b.Fatal(err)
	}
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		b.Fatal(err)
	}
	if err := a.Add(mat.NewDense(1, 64, nil), mat.NewDense(1, 1, nil)); err != nil {
		b.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := a.WriteTo(&file); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ResetTimer()
	if err := ridge.MergeInOrder(a, b.N, func(int) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file.Bytes())), nil }); err != nil {
		b.Fatal(err)
	}
}
