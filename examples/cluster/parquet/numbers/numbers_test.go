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
	At   int32     `parquet:"at,time(millisecond)"`
	P    point     `parquet:"p"`
}

// Columns of integers, floats and decimals have the numbers that were written, whatever their encoding, by name or all of them.
func TestRead(t *testing.T) {
	values := []float64{.5, -0.25, 3, 1e300, math.Copysign(0, -1)}
	var all []row
	for i := range values {
		all = append(all, row{W: 0.1, Text: "x", A: &values[i], I: math.MinInt64, U: math.MaxUint32, B: -3, V: math.MaxUint64 - uint64(i), Cost: int64(29*i - 58), P: point{&values[0], &values[i]}})
	}
	f := open(t, write(t, all...))
	numeric := []string{"w", "a", "i", "u", "b", "v", "cost", "p.X", "p.Y"}
	if names := f.Numeric(); !slices.Equal(names, numeric) {
		t.Fatalf("numeric columns %q", names)
	}
	if names := f.Names(); len(names) != 13 || names[1] != "text" {
		t.Errorf("columns %q", names)
	}
	for _, names := range [][]string{numeric, {"v", "cost", "a"}, {"p.Y"}} {
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
					want := map[string]float64{"w": float64(float32(0.1)), "a": v, "i": math.MinInt64, "u": math.MaxUint32, "b": -3, "v": float64(math.MaxUint64 - uint64(n+i)), "cost": []float64{-.58, -.29, 0, .29, .58}[n+i], "p.X": .5, "p.Y": v}
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

// Decimals have the text that exact fractions have, and the number that is closest to it.
func TestDecimal(t *testing.T) {
	bytesOf := func(n int64, size int) parquet.Value {
		b := make([]byte, size)
		for i := range b {
			b[size-1-i] = byte(n >> min(8*i, 63))
		}
		return parquet.ByteArrayValue(b)
	}
	huge := append([]byte{0x80}, make([]byte, 15)...) // −2¹²⁷
	for _, c := range []struct {
		scale int
		of    parquet.Type
		v     parquet.Value
		want  string
	}{
		{0, parquet.Int32Type, parquet.Int32Value(-7), "-7"},
		{2, parquet.Int32Type, parquet.Int32Value(math.MinInt32), "-21474836.48"},
		{2, parquet.Int32Type, parquet.Int32Value(0), "0.00"},
		{2, parquet.Int32Type, parquet.Int32Value(5), "0.05"},
		{3, parquet.Int64Type, parquet.Int64Value(-120), "-0.120"},
		{18, parquet.Int64Type, parquet.Int64Value(math.MinInt64), "-9.223372036854775808"},
		{1, parquet.ByteArrayType, bytesOf(-1, 1), "-0.1"},
		{1, parquet.ByteArrayType, bytesOf(128, 2), "12.8"},
		{4, parquet.ByteArrayType, bytesOf(-30_000, 12), "-3.0000"},
		{40, parquet.FixedLenByteArrayType(16), parquet.FixedLenByteArrayValue(huge), "-0.0170141183460469231731687303715884105728"},
		{0, parquet.FixedLenByteArrayType(16), parquet.FixedLenByteArrayValue(huge), "-170141183460469231731687303715884105728"},
	} {
		if got, err := Decimal(parquet.Decimal(c.scale, 9, c.of).Type())(c.v); err != nil || got != c.want {
			t.Errorf("%v of scale %d: %s, want %s: %v", c.of, c.scale, got, c.want, err)
		}
	}
	if _, err := Decimal(parquet.Decimal(1, 9, parquet.ByteArrayType).Type())(parquet.ByteArrayValue(nil)); err == nil {
		t.Error("no bytes: no error")
	}
	for _, of := range []parquet.Type{parquet.Int64Type, parquet.String().Type(), parquet.Decimal(-1, 9, parquet.Int32Type).Type(), parquet.Decimal(math.MaxInt32, 9, parquet.ByteArrayType).Type()} {
		if Decimal(of) != nil {
			t.Errorf("%v is a decimal", of)
		}
	}
	// In a file, of which a damaged value is refused.
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("row", parquet.Group{"d": parquet.Decimal(1, 30, parquet.ByteArrayType)}))
	if _, err := w.WriteRows([]parquet.Row{{bytesOf(-77, 9).Level(0, 0, 0)}, {parquet.ByteArrayValue([]byte{}).Level(0, 0, 0)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := open(t, b.Bytes()).Rows([]string{"d"})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 1)
	if _, err := r.Read(x); err != nil || x[0] != -7.7 {
		t.Errorf("%v, %v", x, err)
	}
	if _, err := r.Read(x); err == nil || !strings.HasPrefix(err.Error(), `row 1, column "d": `) {
		t.Error(err)
	}
}

// Files and columns without numbers are refused, and so are a null, a NaN and an infinity, with their row.
func TestRefused(t *testing.T) {
	one, nan, inf := 1.0, math.NaN(), math.Inf(-1)
	f := open(t, write(t, row{}))
	for name, want := range map[string]string{
		"text": `column "text": must be one number, an integer, a float or a decimal`,
		"l":    `column "l": must be one number`,
		"day":  `column "day": must be one number`,
		"at":   `column "at": must be one number`,
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
