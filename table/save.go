// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A document is an encoder as it is saved.
type document struct {
	Target  int      `json:"target"` // index of the column; −1: none
	Missing []string `json:"missing"`
	Layouts []string `json:"layouts"`
	Columns []column `json:"columns"`
}

var (
	_ json.Marshaler   = (*Encoder)(nil)
	_ json.Unmarshaler = (*Encoder)(nil)
	_ io.WriterTo      = (*Model)(nil)
)

// MarshalJSON returns the encoder as JSON. It returns an error for a zero value.
func (e *Encoder) MarshalJSON() ([]byte, error) {
	if e.columns == nil {
		return nil, errors.New("table: the encoder is the zero value")
	}
	return json.Marshal(document{e.target, e.missing, e.layouts, e.columns})
}

// UnmarshalJSON sets e, which must be a zero value, to the encoder that MarshalJSON wrote. It returns an error, and
// leaves e as it is, if e is not a zero value or if data is not what MarshalJSON returns for some encoder.
func (e *Encoder) UnmarshalJSON(data []byte) error {
	if e.columns != nil {
		return errors.New("table: an encoder is immutable, and can be read into a zero value only")
	}
	var d document
	if err := sealed.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	read := &Encoder{columns: d.Columns, target: d.Target, missing: d.Missing, layouts: d.Layouts}
	if err := read.validate(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	read.count()
	*e = *read
	return nil
}

// validate refuses what no Fit makes.
func (e *Encoder) validate() error {
	if len(e.columns) == 0 || e.target < -1 || e.target >= len(e.columns) {
		return fmt.Errorf("an encoder of %d columns has the target %d", len(e.columns), e.target)
	}
	seen := make(map[string]bool)
	for j := range e.columns {
		c := &e.columns[j]
		if seen[c.Name] || len(c.Name) > longestName {
			return fmt.Errorf("two columns have the name %.40q, or it has over %d bytes", c.Name, longestName)
		}
		if err := c.validate(j == e.target); err != nil {
			return fmt.Errorf("column %.40q of kind %v: %w", c.Name, c.Kind, err)
		}
		seen[c.Name] = true
	}
	return nil
}

// validate refuses a column that no Fit makes.
func (c *column) validate(target bool) error {
	want, most := c.width(), mostValues
	if target {
		want, most = 0, mostClasses
	}
	if c.Others != 0 {
		most = mostValues - 1
	}
	switch {
	case c.Kind <= Automatic || c.Kind > Ignored || target && (c.Kind == Date || c.Kind == Ignored):
		return errors.New("is of no such kind")
	case len(c.Deviations) != want:
		return fmt.Errorf("has %d deviations: must have %d", len(c.Deviations), want)
	case (c.Kind == Category) != (c.Values != nil) || len(c.Values) > most || c.Others < 0 || c.Others > 0 && (target || len(c.Values) != most):
		return fmt.Errorf("has %d values and %d others: must be those of a category, and at most %d", len(c.Values), c.Others, most)
	case c.Flag && (target || c.Kind != Number && c.Kind != Date) || c.Times && c.Kind != Date:
		return errors.New("has a flag, or times")
	case !(-largest <= c.Least && c.Least <= c.Mean && c.Mean <= c.Most && c.Most <= largest):
		return fmt.Errorf("has the mean %v, from %v to %v", c.Mean, c.Least, c.Most)
	}
	for k := 1; k < len(c.Values); k++ {
		if c.Values[k-1] >= c.Values[k] {
			return fmt.Errorf("has the value %.40q after %.40q: must ascend", c.Values[k], c.Values[k-1])
		}
	}
	for _, v := range c.Deviations {
		if !(v >= 0 && v <= largest) {
			return fmt.Errorf("has the deviation %v: must be at least 0", v)
		}
	}
	return nil
}

// A Model is a fitted model together with the encoder of its rows, saved and read as one file. Set exactly one of Ridge
// and Logistic; it must be for as many columns as the encoder has numbers.
type Model struct {
	Encoder  *Encoder
	Ridge    *ridge.Model
	Logistic *logistic.Model
}

const modelFile = "table model"

// WriteTo writes the encoder and the model to w. It returns an error unless exactly one of the two models is set, if
// the model's number of columns is not the encoder's, if WriteTo of the model itself fails, or if w
// returns an error.
func (m *Model) WriteTo(w io.Writer) (n int64, err error) {
	if err := m.validate(); err != nil {
		return 0, err
	}
	encoder, err := json.Marshal(m.Encoder)
	if err != nil {
		return 0, err
	}
	document, err := json.Marshal(modelDocument{json.RawMessage(encoder), m.Logistic != nil})
	if err != nil {
		return 0, fmt.Errorf("table: %w", err)
	}
	var model bytes.Buffer
	if m.Logistic != nil {
		_, err = m.Logistic.WriteTo(&model)
	} else {
		_, err = m.Ridge.WriteTo(&model)
	}
	if err != nil {
		return 0, err
	}
	return sealed.Write(w, modelFile, document, model.Bytes(), nil, func(*sealed.Writer) {})
}

// A modelDocument is a Model without its ridge or logistic model, whose file follows.
type modelDocument struct {
	Encoder json.RawMessage `json:"encoder"`
	Classes bool            `json:"classes"`
}

// validate refuses a model that does not match its encoder.
func (m *Model) validate() error {
	if m.Encoder == nil || (m.Ridge == nil) == (m.Logistic == nil) {
		return errors.New("table: a Model must have an Encoder, and one of Ridge and Logistic")
	}
	var phi featuremap.FeatureMap
	if m.Ridge != nil {
		phi = m.Ridge.Map()
	} else {
		phi = m.Logistic.Map()
	}
	if phi == nil {
		return errors.New("table: the model is the zero value")
	}
	if in, _ := phi.Dims(); in != m.Encoder.numbers {
		return fmt.Errorf("table: the model is for rows of %d numbers, and the encoder makes %d", in, m.Encoder.numbers)
	}
	if names := len(m.Encoder.ClassNames()); names > 0 && m.Logistic != nil && len(m.Logistic.Intercept()) != names {
		return fmt.Errorf("table: the model is of %d classes, and the encoder has the names of %d", len(m.Logistic.Intercept()), names)
	}
	return nil
}

// ReadModel reads a model that Model.WriteTo wrote to r, up to the end of r. The options bound the memory that its
// encoder and its map may take together; nil stands for the defaults of featuremap.Decode, 1 GiB. It returns an error
// if a byte is changed, missing or extra, and whenever ridge.ReadModel, logistic.ReadModel or UnmarshalJSON does.
func ReadModel(r io.Reader, opts *featuremap.DecodeOptions) (*Model, error) {
	f, err := sealed.NewReader(r, modelFile, math.MaxInt64)
	if err == nil {
		_, err = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	left, err := leaveForMap(f.Document, opts)
	if err != nil {
		return nil, err
	}
	var d modelDocument
	if err := sealed.Unmarshal(f.Document, &d); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	m := &Model{Encoder: new(Encoder)}
	if err := m.Encoder.UnmarshalJSON(d.Encoder); err != nil {
		return nil, err
	}
	if d.Classes {
		m.Logistic, err = logistic.ReadModel(bytes.NewReader(f.File), left)
	} else {
		m.Ridge, err = ridge.ReadModel(bytes.NewReader(f.File), left)
	}
	if err != nil {
		return nil, err
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// memoryOf returns the memory that a document may take, from its length: texts several times, growing lists, and
// columns.
func memoryOf(document []byte) int64 {
	const byText, byElement, byColumn = 8, 64, 1 << 10
	count := func(of string) int64 { return int64(bytes.Count(document, []byte(of))) }
	return byText*int64(len(document)) + byElement*count(",") + byColumn*count("{")
}

// leaveForMap returns the options for the map of a file, minus what its document takes.
func leaveForMap(document []byte, opts *featuremap.DecodeOptions) (*featuremap.DecodeOptions, error) {
	most := int64(1 << 30)
	if opts != nil && opts.MaxBytes > 0 {
		most = opts.MaxBytes
	}
	cost := memoryOf(document)
	if cost >= most {
		return nil, fmt.Errorf("table: the encoder takes up to %d bytes of memory: must be fewer than the %d of DecodeOptions.MaxBytes", cost, most)
	}
	return &featuremap.DecodeOptions{MaxBytes: most - cost}, nil
}
