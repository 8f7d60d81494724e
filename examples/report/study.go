// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A study is a model, the rows to show it on, and its predictions for these.
type study struct {
	*table.Model
	target  string
	columns []column // that the model reads
	file    string   // name of the file of rows, without its folder

	records [][]string // in the order of the encoder's header
	x       *mat.Dense // the records as rows of numbers
	y       []float64  // targets of a regression
	classes []int      // of the records, else

	predictions
}

// A column is a column of the table that the model reads.
type column struct {
	Name       string
	Kind       table.Kind
	Flag       bool      // the last of its numbers is 1 where the field is missing
	Deviations []float64 // of the numbers that it becomes, in the records that the encoder was fitted on

	field    int // number of its field in a record
	from, to int // its numbers in a row
}

// load reads the model and the rows.
func (j *job) load(w io.Writer) (*study, error) {
	s := &study{file: filepath.Base(j.file)}
	if err := s.readModel(j.model); err != nil {
		return nil, fmt.Errorf("-model %s: %w", j.model, err)
	}
	header, records, err := j.Read(w, j.file)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(header, s.target) {
		return nil, fmt.Errorf("%s: %q, the target of the model, is no column: the names are %q%s", j.file, s.target, header, j.Hint(header))
	}
	read := func(name string) bool {
		return slices.ContainsFunc(s.columns, func(c column) bool { return c.Name == name })
	}
	s.records, err = csvfile.Order(header, records, s.Encoder.Header(), func(name string) bool { return !read(name) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w. Is it the table that the model was made for?", j.file, err)
	}
	for _, r := range s.records { // as the encoder does
		for k := range r {
			r[k] = strings.TrimSpace(r[k])
		}
	}
	if err := s.encode(); err != nil {
		return nil, fmt.Errorf("%s: %w", j.file, err)
	}
	return s, nil
}

// readModel reads the model from a file, and what its encoder knows of the columns.
func (s *study) readModel(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if s.Model, err = table.ReadModel(f, nil); err != nil {
		return err
	}
	text, err := s.Encoder.MarshalJSON()
	if err != nil {
		return err
	}
	var known struct {
		Target  int
		Columns []column
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	if known.Target < 0 {
		return errors.New("its table has no target")
	}
	s.target = known.Columns[known.Target].Name
	at := 0
	for i, c := range known.Columns {
		if i == known.Target || c.Kind == table.Ignored {
			continue
		}
		c.field, c.from, c.to = i, at, at+len(c.Deviations)
		at = c.to
		s.columns = append(s.columns, c)
	}
	names := s.Encoder.ClassNames()
	if s.Ridge != nil && (names != nil || len(s.Ridge.Intercept()) != 1) {
		return errors.New("must be a regression of one target, or a logistic regression of classes")
	}
	if s.Logistic != nil && names == nil {
		return errors.New("a logistic regression must have a target of classes")
	}
	return nil
}

// encode sets rows and targets to those of the records.
func (s *study) encode() (err error) {
	if s.x, err = s.Encoder.Encode(s.records); err != nil {
		return err
	}
	if s.Logistic != nil {
		s.classes, err = s.Encoder.Classes(s.records)
		return err
	}
	y, err := s.Encoder.Targets(s.records)
	if err == nil {
		s.y = y.RawMatrix().Data
	}
	return err
}

// phi returns the feature map of the model.
func (s *study) phi() featuremap.FeatureMap {
	if s.Logistic != nil {
		return s.Logistic.Map()
	}
	return s.Ridge.Map()
}

// known tells for each record whether a column has a value in it.
func (s *study) known(c *column) []bool {
	all := make([]bool, len(s.records))
	for i := range all {
		all[i] = !c.Flag || s.x.At(i, c.to-1) == 0
	}
	return all
}

// unseen returns the number of rows with what the encoder was not fitted on, and the names of the columns in which they have it.
func (s *study) unseen() (rows int, columns []string, err error) {
	for _, r := range s.records {
		names, err := s.Encoder.Unseen(r)
		if err != nil {
			return 0, nil, err
		}
		if len(names) > 0 {
			rows++
		}
		for _, name := range names {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	slices.Sort(columns)
	return rows, columns, nil
}
