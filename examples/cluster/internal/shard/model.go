// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"encoding/json"
	"io"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A Model is what is written of a model of one target, as JSON. Its numbers have the digits that determine their bits.
type Model struct {
	Rows      int
	Lambda    float64
	Noise     float64 // its variance
	Intercept float64
	Weights   []float64
}

// WriteModel writes the model of an accumulator of so many rows to w. It is the one place that knows the format.
// TODO: use ridge.Model.WriteTo here, and ReadFrom in ReadModel, when there are such methods.
func WriteModel(w io.Writer, m *ridge.Model, rows int) error {
	return json.NewEncoder(w).Encode(Model{
		Rows:      rows,
		Lambda:    m.Lambda(),
		Noise:     m.Noise()[0],
		Intercept: m.Intercept()[0],
		Weights:   m.Weights().RawMatrix().Data,
	})
}

// ReadModel reads what WriteModel wrote.
func ReadModel(r io.Reader) (*Model, error) {
	m := new(Model)
	return m, json.NewDecoder(r).Decode(m)
}
