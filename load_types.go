// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"errors"
)

// errImmutable is for reading into a map that is one already.
var errImmutable = errors.New("featuremap: a map is immutable, and can be read into a zero value only")

// isNull tells whether JSON is null, which encoding/json asks an UnmarshalJSON to do nothing for.
func isNull(document []byte) bool { return string(bytes.TrimSpace(document)) == "null" }

// readJSON reads a map of a type from JSON, if m is a zero value. It returns nil for null, and with an error.
func readJSON[M FeatureMap](m M, document []byte) (of M, err error) {
	if isNull(document) {
		return of, nil
	}
	if in, _ := m.Dims(); in != 0 {
		return of, errImmutable
	}
	v, err := parse(document)
	if err != nil {
		return of, err
	}
	l := &loader{budget: newBudget(nil)}
	read, err := l.mapped(v)
	if err != nil {
		return of, err
	}
	return typed[M](read)
}

// readBinary reads a map of a type from a file, if m is a zero value.
func readBinary[M FeatureMap](m M, file []byte) (of M, err error) {
	if in, _ := m.Dims(); in != 0 {
		return of, errImmutable
	}
	read, err := Decode(bytes.NewReader(file), nil)
	if err != nil {
		return of, err
	}
	return typed[M](read)
}

func typed[M FeatureMap](m FeatureMap) (M, error) {
	of, ok := m.(M)
	if !ok {
		return of, refused("it is a %T, not a %T", m, of)
	}
	return of, nil
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it was, if m is
// not a zero value, where Decode does, or if the map is of another type. It ignores null, as encoding/json asks for.
func (m *Fourier) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if of != nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *Fourier) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it was, if m is
// not a zero value, where Decode does, or if the map is of another type. It ignores null, as encoding/json asks for.
func (m *Maclaurin) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if of != nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *Maclaurin) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it was, if m is
// not a zero value, where Decode does, or if the map is of another type. It ignores null, as encoding/json asks for.
func (m *Neurons) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if of != nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *Neurons) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it was, if m is
// not a zero value, where Decode does, or if the map is of another type. It ignores null, as encoding/json asks for.
func (m *Compositional) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if of != nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *Compositional) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it was, if m is
// not a zero value, where Decode does, or if the map is of another type. It ignores null, as encoding/json asks for.
func (m *DataDependent) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if of != nil {
		m.become(of)
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *DataDependent) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		m.become(of)
	}
	return err
}

// become makes a zero value another map.
func (m *DataDependent) become(of *DataDependent) {
	m.base, m.in, m.out, m.kernel, m.points, m.opts = of.base, of.in, of.out, of.kernel, of.points, of.opts
	m.matrix, m.root = of.matrix, of.root
	if of.root != nil {
		m.kernel = FromMap(m)
	}
}
