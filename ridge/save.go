// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A model's file holds that of its map, by featuremap.Encode, and the arrays of modelDocument.sizes.

// A modelDocument is all but the map and the numbers.
type modelDocument struct {
	Features    int    `json:"features"`
	Targets     int    `json:"targets"`
	Rows        int    `json:"rows"`
	Lambda      number `json:"lambda"`
	LogEvidence number `json:"logEvidence"`
	Condition   number `json:"condition"`
	Intercept   bool   `json:"intercept"`
	Factor      bool   `json:"factor"`
	Sample      bool   `json:"sample"` // of the posterior
}

const modelFile = "ridge model"

// sizes returns those of the arrays: the weights of each target in turn, the intercepts, the variances of the noise, the
// mean of the features if there is an intercept, and the factor, column after column down to the diagonal.
func (d *modelDocument) sizes() []int {
	sizes := []int{d.Features * d.Targets, d.Targets, d.Targets, 0, 0}
	if d.Intercept {
		sizes[3] = d.Features
	}
	if d.Factor {
		sizes[4] = triangle(d.Features)
	}
	return sizes
}

var (
	_ encoding.BinaryMarshaler   = (*Model)(nil)
	_ encoding.BinaryUnmarshaler = (*Model)(nil)
	_ io.WriterTo                = (*Model)(nil)
	_ io.ReaderFrom              = (*Model)(nil)
)

var errZeroModel = errors.New("ridge: the model is the zero value")

// MarshalBinary returns what WriteTo writes.
func (m *Model) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	if m.factor != nil {
		b.Grow(8*triangle(m.out) + 1<<12)
	}
	if _, err := m.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// WriteTo writes the model to w, with its map as featuremap.Encode writes it: all that it takes to predict elsewhere, with
// the same bits. The factor, from which variances come, is 4·D² bytes of it, and MeanOnly leaves it out. It takes as long
// as drawing the map and finding the condition.
//
// It returns an error if the model is a zero value, where featuremap.Encode does, and that of w.
func (m *Model) WriteTo(w io.Writer) (n int64, err error) {
	if m.phi == nil {
		return 0, errZeroModel
	}
	var phi bytes.Buffer
	if err := featuremap.Encode(&phi, m.phi); err != nil {
		return 0, err
	}
	d := modelDocument{
		Features: m.out, Targets: m.targets(), Rows: m.rows,
		Lambda: number(m.lambda), LogEvidence: number(m.evidence), Condition: number(m.Condition()),
		Intercept: m.mean != nil, Factor: m.factor != nil, Sample: m.sampled,
	}
	document, err := json.Marshal(d)
	if err != nil {
		return 0, fmt.Errorf("ridge: %w", err)
	}
	return write(w, modelFile, document, phi.Bytes(), d.sizes(), func(f *sealed.Writer) {
		for _, v := range [][]float64{m.weights, m.intercept, m.noise, m.mean} {
			f.Floats(v)
		}
		if m.factor == nil {
			return
		}
		column := make([]float64, m.out)
		for j := range column {
			m.factor.Column(column, j)
			f.Floats(column[:j+1])
		}
	})
}

// UnmarshalBinary makes a zero value the model that MarshalBinary wrote: see ReadFrom.
func (m *Model) UnmarshalBinary(data []byte) error {
	_, err := m.ReadFrom(bytes.NewReader(data))
	return err
}

// ReadFrom makes a zero value the model that WriteTo wrote to r, which it reads to the end, and draws its map, as
// featuremap.Decode does without options.
//
// It takes memory in proportion to the data that it gets, and for the map what Decode allows. It returns an error, and
// leaves m as it is, if m is no zero value, if a byte was changed, if data is missing or left, if numbers are none of a
// model, where Decode does, and that of r.
func (m *Model) ReadFrom(r io.Reader) (n int64, err error) {
	if m.phi != nil {
		return 0, errors.New("ridge: a model is immutable, and can be read into a zero value only")
	}
	f, err := sealed.NewReader(r, modelFile, math.MaxInt64)
	if err != nil {
		return f.Read(), fmt.Errorf("ridge: %w", err)
	}
	numbers, err := readNumbers(f)
	if err != nil {
		return f.Read(), err
	}
	phi, err := featuremap.Decode(bytes.NewReader(f.File), nil)
	if err != nil {
		return f.Read(), err
	}
	in, out := phi.Dims()
	if out*len(numbers.noise) != len(numbers.weights) {
		return f.Read(), fmt.Errorf("ridge: the data has %d weights for %d targets and %d features", len(numbers.weights), len(numbers.noise), out)
	}
	m.phi, m.in, m.out, m.numbers = phi, in, out, *numbers
	return f.Read(), nil
}

// readNumbers reads all but the map.
func readNumbers(f *sealed.Reader) (*numbers, error) {
	var d modelDocument
	if err := unmarshal(f.Document, &d); err != nil {
		return nil, err
	}
	if d.Features < 1 || d.Rows < 1 || d.Rows > maxRows || d.Factor && d.Sample {
		return nil, fmt.Errorf("ridge: the data is of a model of %d features and %d rows", d.Features, d.Rows)
	}
	if err := validateSize(d.Features, d.Targets); err != nil {
		return nil, err
	}
	if err := validateSizes(f, d.sizes()...); err != nil {
		return nil, err
	}
	condition := float64(d.Condition)
	n := &numbers{
		rows: d.Rows, lambda: float64(d.Lambda), evidence: float64(d.LogEvidence), sampled: d.Sample,
		condition: func() float64 { return condition },
	}
	sizes := d.sizes()
	n.weights, n.intercept, n.noise = f.Floats(sizes[0]), f.Floats(sizes[1]), f.Floats(sizes[2])
	if d.Intercept {
		n.mean = f.Floats(sizes[3])
	}
	var columns [][]float64
	if d.Factor {
		columns = readColumns(f, d.Features)
	}
	if _, err := f.Close(); err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	if err := n.validate(columns); err != nil {
		return nil, err
	}
	if d.Factor {
		n.factor = tiled.NewFactor(newMatrix(columns))
	}
	return n, nil
}

// validate refuses numbers that no model has, with the columns of its factor.
func (n *numbers) validate(columns [][]float64) error {
	finite := func(name string, v []float64) error {
		for i, v := range v {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return fmt.Errorf("ridge: the data has %v for number %d of the %s: must be finite", v, i, name)
			}
		}
		return nil
	}
	err := errors.Join(finite("weights", n.weights), finite("intercepts", n.intercept), finite("noise", n.noise), finite("mean", n.mean))
	for j, c := range columns {
		err = errors.Join(err, finite("factor", c))
		if !(c[j] > 0) {
			return fmt.Errorf("ridge: the data has %v for element %d of the diagonal of the factor: must be positive", c[j], j)
		}
	}
	switch {
	case err != nil:
		return err
	case !validLambda(n.lambda) || math.IsNaN(n.evidence) || math.IsNaN(n.condition()):
		return fmt.Errorf("ridge: the data has lambda = %v, a log evidence of %v and a condition of %v", n.lambda, n.evidence, n.condition())
	}
	for t, v := range n.noise {
		if v < 0 {
			return fmt.Errorf("ridge: the data has the noise %v of target %d: must be at least 0", v, t)
		}
	}
	return nil
}

// MarshalJSON returns an error: a model is saved by WriteTo or MarshalBinary.
func (m *Model) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: a Model is saved by WriteTo or MarshalBinary, not as JSON")
}

// A number is a float64, for which JSON has no infinities.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
		return json.Marshal(fmt.Sprint(float64(v)))
	}
	return json.Marshal(float64(v))
}

func (v *number) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return json.Unmarshal(b, (*float64)(v))
	}
	if s != "+Inf" && s != "-Inf" {
		return fmt.Errorf("%.20q is no number", s)
	}
	f, err := strconv.ParseFloat(s, 64)
	*v = number(f)
	return err
}
