// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"bytes"
	"encoding"
	"errors"
	"io"

	"github.com/seed-0f95ebc1/featuremap"
)

// Files of models in float32: those of a Model, with a flag and the file of a Map32 in them.

var (
	_ encoding.BinaryMarshaler   = (*Model32)(nil)
	_ encoding.BinaryUnmarshaler = (*Model32)(nil)
	_ io.WriterTo                = (*Model32)(nil)
	_ io.ReaderFrom              = (*Model32)(nil)
)

// MarshalBinary returns what WriteTo writes.
func (m *Model32) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// WriteTo writes the model to w, with its map as featuremap.EncodeFloat32 writes it: all that it takes to predict elsewhere, with
// the same bits. It returns an error if the model is a zero value, where EncodeFloat32 does, or if w returns one.
func (m *Model32) WriteTo(w io.Writer) (n int64, err error) {
	if m.m == nil {
		return 0, errZeroModel
	}
	var phi bytes.Buffer
	if err := featuremap.EncodeFloat32(&phi, m.phi); err != nil {
		return 0, err
	}
	d := m.m.document()
	d.Float32 = true
	return m.m.writeTo(w, phi.Bytes(), d)
}

// UnmarshalBinary makes a zero value the model that MarshalBinary wrote: see ReadFrom.
func (m *Model32) UnmarshalBinary(data []byte) error {
	_, err := m.ReadFrom(bytes.NewReader(data))
	return err
}

// ReadFrom makes a zero value the model that WriteTo wrote to r, as Model.ReadFrom does; ReadModel32 takes options for maps beyond
// the limits of featuremap.Decode. It returns an error, and leaves m as it is, where Model.ReadFrom does, or if the file is of a
// Model.
func (m *Model32) ReadFrom(r io.Reader) (n int64, err error) {
	if m.m != nil {
		return 0, errRead
	}
	n, err = m.read(r, nil)
	return n, beyondLimits(err, "ReadModel32")
}

// ReadModel32 returns the model that Model32.WriteTo wrote to r: see ReadFrom. The options bound the memory and the work that its
// map may take; nil are those of featuremap.Decode.
func ReadModel32(r io.Reader, opts *featuremap.DecodeOptions) (*Model32, error) {
	m := new(Model32)
	if _, err := m.read(r, opts); err != nil {
		return nil, err
	}
	return m, nil
}

// read is ReadFrom with options.
func (m *Model32) read(r io.Reader, opts *featuremap.DecodeOptions) (n int64, err error) {
	f, numbers, err := openModel(r, true)
	if err != nil {
		return f.Read(), err
	}
	phi, err := featuremap.DecodeFloat32(bytes.NewReader(f.File), opts)
	if err != nil {
		return f.Read(), err
	}
	if err := numbers.validateDims(phi); err != nil {
		return f.Read(), err
	}
	*m = *newModel32(phi, *numbers)
	return f.Read(), nil
}

// MarshalJSON returns an error: a model is saved by WriteTo or MarshalBinary.
func (m *Model32) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: a Model32 is saved by WriteTo or MarshalBinary, not as JSON")
}
