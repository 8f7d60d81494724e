// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package numbers

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// write returns a Parquet file of rows, in groups of two rows.
func write[T any](t *testing.T, rows ...T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.MaxRowsPerRowGroup(2))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, data []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type point struct{ X, Y *float64 }

type row struct {
	W    float32   `parquet:"w"`
	Text string    `parquet:"text"`
	A    *float64  `parquet:"a,optional"`
	I    int64     `parquet:"i,dict"`
	U    uint32    `parquet:"u,zstd"`
	B    int8      `parquet:"b,snappy"`
	V    uint64    `parquet:"v,delta"`
	L    []float64 `parquet:"l"`
	Day  time.Time `parquet:"day,timestamp"`
	Cost int64     `parquet:"cost,decimal(2:9)"`
	P    point     `parquet:"p"`
}

// Columns of integers and floats have the numbers that were written, whatever their encoding, by name or all of them.
func TestRead(t *testing.T) {
	values := []float64{.5, -0.25, 3, 1e300, math.Copysign(0, -1)}
	var all []row
	for i := range values {
		all = append(all, row{W: 0.1, Text: "x", A: &values[i], I: math.MinInt64, U: math.MaxUint32, B: -3, V: math.MaxUint64 - uint64(i), P: point{&values[0], &values[i]}})
	}
	f := open(t, write(t, all...))
	numeric := []string{"w", "a", "i", "u", "b", "v", "p.X", "p.Y"}
	if names := f.Numeric(); !slices.Equal(names, numeric) {
		t.Fatalf("numeric columns %q", names)
	}
	if names := f.Names(); len(names) != 12 || names[1] != "text" {
		t.Errorf("columns %q", names)
	}
	for _, names := range [][]string{numeric, {"v", "a"}, {"p.Y"}} {
		for _, room := range []int{1, 2, 3, 10} {
			r, err := f.Rows(names)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for {
				x := make([]float64, room*len(names))
				got, err := r.Read(x)
				if err == io.EOF {
					break
				}
				if err != nil || got < room && n+got < len(values) {
					t.Fatalf("%d rows of %d: %v", got, room, err)
				}
				for i := range got {
					v := values[n+i]
					want := map[string]float64{"w": float64(float32(0.1)), "a": v, "i": math.MinInt64, "u": math.MaxUint32, "b": -3, "v": float64(math.MaxUint64 - uint64(n+i)), "p.X": .5, "p.Y": v}
					for j, name := range names {
						if got := x[i*len(names)+j]; math.Float64bits(got) != math.Float64bits(want[name]) {
							t.Errorf("row %d: %s = %v, want %v", n+i, name, got, want[name])
						}
					}
				}
				n += got
			}
			if n != len(values) {
				t.Errorf("%d rows", n)
			}
		}
	}
}

// Files and columns without numbers are refused, and so are a null, a NaN and an infinity, with their row.
func TestRefused(t *testing.T) {
	one, nan, inf := 1.0, math.NaN(), math.Inf(-1)
	f := open(t, write(t, row{}))
	for name, want := range map[string]string{
		"text": `column "text": must be one number, an integer or a float`,
		"l":    `column "l": must be one number`,
		"day":  `column "day": must be one number`,
		"cost": `column "cost": must be one number`,
		"z":    `column "z": the file has only ["w" "text" "a"`,
		"":     `column "": the file has only`,
	} {
		if _, err := f.Rows([]string{"w", name}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for what, v := range map[string]*float64{"<null>": nil, "NaN": &nan, "-Inf": &inf} {
		r, err := open(t, write(t, row{A: &one}, row{A: &one}, row{A: &one}, row{A: v})).Rows([]string{"i", "a"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]float64, 8)); err == nil || err.Error() != `row 3, column "a": `+what+` is no finite number` {
			t.Error(err)
		}
	}
	if _, err := Open(strings.NewReader(""), 0); err == nil {
		t.Error("no error for an empty file")
	}
}

// A damaged file is an error or has other numbers; it ends, without a panic.
func TestDamaged(t *testing.T) {
	good := write(t, row{}, row{}, row{})
	read := func(data []byte) (err error) {
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return err
		}
		r, err := f.Rows([]string{"w", "i", "u", "b", "v"})
		for err == nil {
			_, err = r.Read(make([]float64, 5))
		}
		return err
	}
	if err := read(good); err != io.EOF {
		t.Fatal(err)
	}
	failed := 0
	for i := range good {
		if err := read(good[:i]); err == io.EOF {
			t.Errorf("the first %d bytes are no error", i)
		}
		bad := bytes.Clone(good)
		bad[i] ^= 0x15
		if err := read(bad); err != io.EOF {
			failed++
		}
	}
	if failed < len(good)/4 {
		t.Errorf("%d errors for %d bytes", failed, len(good))
	}
}

// A Writer writes columns in the given order, with the bits of the numbers, in groups.
func TestWriter(t *testing.T) {
	for _, single := range []bool{false, true} {
		for _, n := range []int{0, 5, groupValues/3 + 100} {
			x := make([]float64, 3*n)
			for i := range x {
				x[i] = float64(float32(math.Sin(float64(i))))
			}
			var b bytes.Buffer
			w := NewWriter(&b, []string{"y", "a", "x"}, single)
			for at := 0; at < len(x); at += 3000 {
				if err := w.Write(x[at:min(at+3000, len(x))]); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f := open(t, b.Bytes())
			if names := strings.Join(f.Numeric(), " "); names != "y a x" {
				t.Errorf("columns %s", names)
			}
			if groups := (3*n + groupValues - 1) / groupValues; len(f.groups) != groups {
				t.Errorf("%d groups of %d rows, want %d", len(f.groups), n, groups)
			}
			r, err := f.Rows([]string{"y", "a", "x"})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float64, len(x)+3)
			if rows, err := r.Read(got); rows != n || err != nil && n > 0 || !slices.Equal(got[:len(x)], x) {
				t.Errorf("%d rows of %d: %v", rows, n, err)
			}
		}
	}
}
