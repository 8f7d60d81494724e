// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// A model's file has the format of package sealed: a document, the map as featuremap.Encode writes it, and arrays: the
// weights of each class in turn, and the intercepts. With prediction sets there is a third array, with the odds that
// calibrate them, in order. Unless these are of all rows, with equal weights, it also contains the weights of rows from
// below, from above, and in all.

// A document is a model's file without the map and the arrays.
type document struct {
	Features int     `json:"features"`
	Classes  int     `json:"classes"`
	Rows     int     `json:"rows"`
	Lambda   float64 `json:"lambda"`
	Loss     float64 `json:"loss"`
	Sets     int     `json:"sets,omitempty"` // rows that calibrate prediction sets
}

const modelFile = "logistic model"

var _ io.WriterTo = (*Model)(nil)

// WriteTo writes the model to w, together with its map as featuremap.Encode writes it. The file contains all that
// another process needs to predict with the same bits. It returns an error if the model is a zero value, if
// featuremap.Encode does, or if w returns one.
func (m *Model) WriteTo(w io.Writer) (n int64, err error) {
	if m.phi == nil {
		return 0, errors.New("logistic: the model is the zero value")
	}
	var phi bytes.Buffer
	if err := featuremap.Encode(&phi, m.phi); err != nil {
		return 0, err
	}
	doc := document{len(m.weights) / len(m.intercept), len(m.intercept), m.rows, m.lambda, m.loss, 0}
	arrays := [][]float64{m.weights, m.intercept}
	if m.sets != nil {
		doc.Sets = m.sets.rows
		arrays = append(arrays, m.sets.arrays()...)
	}
	d, err := json.Marshal(doc)
	if err != nil {
		return 0, outer(err)
	}
	var sizes []int
	for _, v := range arrays {
		sizes = append(sizes, len(v))
	}
	return sealed.Write(w, modelFile, d, phi.Bytes(), sizes, func(f *sealed.Writer) {
		for _, v := range arrays {
			f.Floats(v)
		}
	})
}

// ReadModel reads a model that Model.WriteTo wrote to r, up to the end of r, and makes its map. The options bound the
// memory that the map may take; nil stands for the defaults of featuremap.Decode.
//
// It takes memory in proportion to the data that it reads, plus what featuremap.Decode allows for the map. It returns
// an error if a byte was changed, if data is missing or left over, if no model has such numbers, if featuremap.Decode
// does, or if r returns one.
func ReadModel(r io.Reader, opts *featuremap.DecodeOptions) (*Model, error) {
	f, err := sealed.NewReader(r, modelFile, math.MaxInt64)
	if err != nil {
		return nil, outer(err)
	}
	m, err := readNumbers(f)
	if err != nil {
		return nil, outer(err)
	}
	if m.phi, err = featuremap.Decode(bytes.NewReader(f.File), opts); err != nil {
		return nil, err
	}
	if _, out := m.phi.Dims(); out*len(m.intercept) != len(m.weights) {
		return nil, fmt.Errorf("logistic: the data has %d weights for %d classes and %d features", len(m.weights), len(m.intercept), out)
	}
	m.serve()
	return m, nil
}

// readNumbers reads a model without its map.
func readNumbers(f *sealed.Reader) (*Model, error) {
	var d document
	if err := sealed.Unmarshal(f.Document, &d); err != nil {
		return nil, err
	}
	switch {
	case d.Features < 1 || d.Classes < 2 || d.Rows < 2 || d.Classes > math.MaxInt/d.Features:
		return nil, fmt.Errorf("the data is of a model of %d features, %d classes and %d rows", d.Features, d.Classes, d.Rows)
	case len(f.Sizes) < 2 || f.Sizes[0] != d.Features*d.Classes || f.Sizes[1] != d.Classes:
		return nil, fmt.Errorf("the data has arrays of %d numbers: must be of %d and %d", f.Sizes, d.Features*d.Classes, d.Classes)
	case !setSizes(d.Sets, d.Rows, f.Sizes[2:]):
		return nil, fmt.Errorf("the data has arrays of %d numbers for the prediction sets of %d rows, of %d", f.Sizes[2:], d.Sets, d.Rows)
	case !(d.Lambda > 0) || !(d.Loss >= 0):
		return nil, fmt.Errorf("the data has lambda = %v and a loss of %v", d.Lambda, d.Loss)
	}
	m := &Model{rows: d.Rows, lambda: d.Lambda, loss: d.Loss}
	m.weights, m.intercept = f.Floats(f.Sizes[0]), f.Floats(f.Sizes[1])
	if d.Sets > 0 {
		var err error
		if m.sets, err = readSets(d.Sets, f); err != nil {
			return nil, fmt.Errorf("the data: %w", err)
		}
	}
	if _, err := f.Close(); err != nil {
		return nil, err
	}
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("the data has %w", err)
	}
	return m, nil
}

// MarshalJSON returns an error: save models with WriteTo instead.
func (m *Model) MarshalJSON() ([]byte, error) {
	return nil, errors.New("logistic: a Model is saved by WriteTo, not as JSON")
}
