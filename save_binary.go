// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"errors"
	"fmt"
)

// Each type of map is an encoding.BinaryMarshaler and BinaryUnmarshaler, by Encode and Decode without options.

// MarshalBinary returns the file that Encode writes, or an error if UnmarshalBinary would refuse it, since it is beyond the
// limits of Decode without options.
func (m *compiled) MarshalBinary() ([]byte, error) { return encodeBinary(m) }

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *typed[W]) UnmarshalBinary(file []byte) error {
	return decodeBinary(m, file, func(same *typed[W]) { *m = *same })
}

// MarshalBinary returns the file that Encode writes, or an error if UnmarshalBinary would refuse it, since it is beyond the
// limits of Decode without options.
func (m *DataDependent) MarshalBinary() ([]byte, error) { return encodeBinary(m) }

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *DataDependent) UnmarshalBinary(file []byte) error {
	return decodeBinary(m, file, func(same *DataDependent) {
		m.base, m.in, m.out, m.kernel, m.points, m.opts = same.base, same.in, same.out, same.kernel, same.points, same.opts
		m.matrix, m.root = same.matrix, same.root
		if m.root != nil {
			m.kernel = FromMap(m)
		}
	})
}

// MarshalBinary returns the file that Encode writes, or an error if UnmarshalBinary would refuse it, since it is beyond the
// limits of Decode without options.
func (m *Landmarks) MarshalBinary() ([]byte, error) { return encodeBinary(m) }

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *Landmarks) UnmarshalBinary(file []byte) error {
	return decodeBinary(m, file, func(same *Landmarks) { *m = *same })
}

// MarshalBinary returns the file that Encode writes, or an error if UnmarshalBinary would refuse it, since it is beyond the
// limits of Decode without options.
func (m *Logarithms) MarshalBinary() ([]byte, error) { return encodeBinary(m) }

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It
// returns an error, and leaves m as it was, if m is not a zero value, where Decode does, or if the map is of another type.
func (m *Logarithms) UnmarshalBinary(file []byte) error {
	return decodeBinary(m, file, func(same *Logarithms) { m.base, m.scales, m.kernel = same.base, same.scales, same.kernel })
}

func (m *typed[W]) itself() *typed[W]           { return m }
func (m *DataDependent) itself() *DataDependent { return m }
func (m *Landmarks) itself() *Landmarks         { return m }
func (m *Logarithms) itself() *Logarithms       { return m }

// encodeBinary returns the file of a map, or an error if UnmarshalBinary, which has no options, would refuse to read it.
func encodeBinary(m FeatureMap) ([]byte, error) {
	l := newLoader(nil, byEncode)
	b, err := encode(m, l)
	if l.over {
		return nil, fmt.Errorf("featuremap: the map cannot be saved by MarshalBinary, since UnmarshalBinary would refuse it: %w", err)
	}
	return b, err
}

// decodeBinary decodes the file of a map for the zero value into, and calls set if it is a map of the same type.
func decodeBinary[M any](into FeatureMap, file []byte, set func(same *M)) error {
	if in, _ := into.Dims(); in != 0 {
		return errors.New("featuremap: a map is immutable, and can be read into a zero value only")
	}
	read, err := newLoader(nil, byDecode).decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	same, ok := read.(interface{ itself() *M })
	if !ok {
		return refused("it is a %T, a map of another type", read)
	}
	set(same.itself())
	return nil
}
