// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pipeline

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A Form is what the file of an encoder says about records.
type Form struct {
	Target  int // −1: none
	Missing []string
	Layouts []string
	Columns []FormColumn
}

// A FormColumn is a column of a Form.
type FormColumn struct {
	Name   string
	Kind   table.Kind
	Values []string // of a category
}

// FormOf returns the form of an encoder's records.
func FormOf(e *table.Encoder) (*Form, error) {
	text, err := e.MarshalJSON()
	if err != nil {
		return nil, err
	}
	f := new(Form)
	return f, json.Unmarshal(text, f)
}

// Places returns the place of each column in a file with the given names, and −1 for the target and ignored columns, which
// may be missing and are not read. It refuses what examples/table refuses.
func (f *Form) Places(names []string) ([]int, error) {
	var wanted []string
	left := make(map[string]bool)
	for k, c := range f.Columns {
		wanted = append(wanted, c.Name)
		left[c.Name] = k == f.Target || c.Kind == table.Ignored
	}
	places, err := csvfile.Places(names, wanted, func(name string) bool { return left[name] })
	for k := range places {
		if left[wanted[k]] {
			places[k] = -1
		}
	}
	return places, err
}

// Encode appends the numbers of a record to dst. Its errors continue a text that names the row.
func (p *Predictor) Encode(dst []float64, record []string) ([]float64, error) {
	n := len(dst)
	dst = append(dst, make([]float64, p.In)...)
	if _, err := p.Encoder.EncodeVec(dst[n:], record); err != nil {
		return dst[:n], errors.New(strings.TrimPrefix(err.Error(), "table: a record"))
	}
	return dst, nil
}
