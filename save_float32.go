// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// MarshalBinary returns the file of the map in float64, as Encode writes it, with a flag that it is in float32, or an error if
// UnmarshalBinary would refuse it. docs/saving.md describes it.
func (m *Map32) MarshalBinary() ([]byte, error) {
	if m.from == nil {
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
	return b, new(Map32).UnmarshalBinary(b)
}

// mappedIn32 returns a map as a JSON value.
func (s *saver) mappedIn32(m *Map32) any {
	p := probeOf(m.wide())
	s.in32 = &p
	return s.mapped(m.from)
}

// UnmarshalBinary makes a zero value the map that MarshalBinary has saved, with the limits of Decode without options. It returns
// an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the file is that of a map in float64.
func (m *Map32) UnmarshalBinary(file []byte) error {
	if m.from != nil {
		return errImmutable
	}
	var want *probeDocument
	l := &loader{budget: newBudget(nil, noOptions), in32: &want}
	v, err := l.file(mapFile, bytes.NewReader(file))
	if err != nil {
		return err
	}
	from, err := l.whole(v)
	if err != nil {
		return err
	}
	if want == nil {
		return refused("it is a map in float64, which Decode reads")
	}
	in32, err := Float32(from)
	if err != nil {
		return refused("%w", err)
	}
	got := probeOf(in32.wide())
	if !(reflect.DeepEqual(got, *want) || l.callers && slices.EqualFunc(got.Sums, want.Sums, nearly32)) {
		return under("float32", refused("the features are not those of the map that was saved"))
	}
	*m = *in32
	return nil
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
