// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// EncodeFloat32 writes a map in float32 to w: the file of the map in float64, as Encode writes it, with a flag. DecodeFloat32 reads it.
// It returns an error if m is nil or the zero value, where Encode does, or if w returns one. docs/saving.md describes the file.
func EncodeFloat32(w io.Writer, m *Map32) error {
	b, err := m.encode(newBudget(&DecodeOptions{MaxBytes: 1 << 62, MaxWork: 1 << 62}, byOptions))
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// DecodeFloat32 reads a map that EncodeFloat32 or MarshalBinary wrote, up to the end of r, within the limits of opts; nil are
// those of Decode. Its features have the same bits. It returns an error where Decode does, or if the file is that of a map in
// float64.
func DecodeFloat32(r io.Reader, opts *DecodeOptions) (*Map32, error) {
	return decodeFloat32(r, newBudget(opts, byOptions))
}

// MarshalBinary returns what EncodeFloat32 writes, or an error if UnmarshalBinary would refuse it.
func (m *Map32) MarshalBinary() ([]byte, error) { return m.encode(newBudget(nil, byDecodeFloat32)) }

// UnmarshalBinary makes a zero value the map that MarshalBinary has saved, with the limits of Decode without options. It returns
// an error, and leaves m as it was, if m is not a zero value, or where DecodeFloat32 does.
func (m *Map32) UnmarshalBinary(file []byte) error {
	if m.from != nil {
		return errImmutable
	}
	read, err := decodeFloat32(bytes.NewReader(file), newBudget(nil, byDecodeFloat32))
	if err != nil {
		return err
	}
	*m = *read
	return nil
}

const byDecodeFloat32 = "EncodeFloat32 and DecodeFloat32 may allow more"

// encode returns the file of m, which it decodes within a budget first.
func (m *Map32) encode(within *budget) ([]byte, error) {
	if m == nil || m.from == nil {
		return nil, errNoMap32
	}
	s := &saver{data: new([][]float64)}
	document := s.mappedIn32(m)
	if s.err != nil {
		return nil, s.err
	}
	b, err := s.file(mapFile, document)
	if err != nil {
		return nil, err
	}
	if _, err := decodeFloat32(bytes.NewReader(b), within); err != nil {
		return nil, fmt.Errorf("featuremap: the map cannot be saved: it was not read again: %w", err)
	}
	return b, nil
}

// mappedIn32 returns a map as a JSON value.
func (s *saver) mappedIn32(m *Map32) any {
	p := probeOf(m.wide())
	s.in32 = &p
	return s.mapped(m.from)
}

// decodeFloat32 is DecodeFloat32, within a budget.
func decodeFloat32(r io.Reader, b *budget) (*Map32, error) {
	var want *probeDocument
	l := &loader{budget: b, in32: &want}
	v, err := l.file(mapFile, r)
	if err != nil {
		return nil, err
	}
	from, err := l.whole(v)
	if err != nil {
		return nil, err
	}
	if want == nil {
		return nil, refused("it is a map in float64, which Decode reads")
	}
	m, err := Float32(from)
	if err != nil {
		return nil, refused("%w", err)
	}
	got := probeOf(m.wide())
	if !(reflect.DeepEqual(got, *want) || l.callers && slices.EqualFunc(got.Sums, want.Sums, nearly32)) {
		return nil, under("float32", refused("the features are not those of the map that was saved"))
	}
	return m, nil
}

// nearly32 tells whether two sums of features are equal to 1e-4, which is enough if a caller's type takes part.
func nearly32(a, b float64) bool {
	return sameNumber(a, b) || a-b <= 1e-4*max(a, b, -a, -b, 1) && b-a <= 1e-4*max(a, b, -a, -b, 1)
}

// wide returns m as a map of rows of float64 that are float32.
func (m *Map32) wide() wideMap { return wideMap{m.from, m} }

// A wideMap gives the features of a Map32 as numbers of float64, which they are exactly.
type wideMap struct {
	FeatureMap
	in32 *Map32
}

// TransformTo sets dst to the features of rows that are float32 numbers.
func (w wideMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	in, out := w.in32.Dims()
	n, _ := x.Dims()
	from := blas32.General{Rows: n, Cols: in, Stride: in, Data: make([]float32, n*in)}
	to := blas32.General{Rows: n, Cols: out, Stride: out, Data: make([]float32, n*out)}
	for i := range from.Data {
		from.Data[i] = float32(x.At(i/in, i%in))
	}
	w.in32.TransformTo(to, from)
	dst.ReuseAs(n, out)
	for i, v := range to.Data {
		dst.Set(i/out, i%out, float64(v))
	}
}
