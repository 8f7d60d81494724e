// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// longest is the size of the longest record: more is taken for a quote that has not been closed.
const longest = 1 << 24

// records are what is common to the records of a file.
type records struct {
	fields int   // of a record
	places []int // of the encoder's columns among them; −1: not read
}

// header reads the line of names, and returns the number of the next line.
func (r *records) header(in *bufio.Reader, e *table.Encoder) (line int, err error) {
	line = 1
	var names []string
	for names == nil { // lines before it may be empty
		text, err := rest(in, nil, true)
		if err != nil && len(text) == 0 {
			return 0, errors.Join(ended(err), errors.New("there is no line of names"))
		}
		names, err = reader(text, 0).Read()
		if err != nil && err != io.EOF {
			return 0, at(err, line)
		}
		line += bytes.Count(text, []byte("\n"))
	}
	csvfile.Name(names)
	form, err := pipeline.FormOf(e)
	if err != nil {
		return 0, err
	}
	r.fields = len(names)
	r.places, err = form.Places(names)
	return line, err
}

// rest returns text and what follows up to the end of a line; of records, up to one outside of quotes.
func rest(in *bufio.Reader, text []byte, quoted bool) ([]byte, error) {
	for start, open := 0, false; ; {
		more, err := in.ReadBytes('\n')
		text = append(text, more...)
		if quoted && bytes.Count(text[start:], []byte(`"`))%2 == 1 {
			open = !open
		}
		start = len(text)
		if err != nil || !open {
			return text, err
		}
		if len(text) > longest {
			return nil, fmt.Errorf("a quote is not closed within %d bytes", longest)
		}
	}
}

// reader returns a reader for records of some fields; 0 stands for as many as the first record has.
func reader(text []byte, fields int) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.ReuseRecord = fields, true
	return r
}

// at adds the number of the first line to the lines of an error.
func at(err error, first int) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("line %d: %w", p.Line+first-1, p.Err)
	}
	return err
}

// parseRecords sets the numbers of the records of a block. It skips records without values.
func (p *worker) parseRecords(k *block) error {
	p.numbers = p.numbers[:0]
	r, cells := reader(k.lines, p.fields), make([]string, len(p.places))
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return at(err, k.first)
		}
		if csvfile.Blank(record) {
			continue
		}
		for j, place := range p.places {
			if place >= 0 {
				cells[j] = record[place]
			}
		}
		if p.numbers, err = p.Encode(p.numbers, cells); err != nil {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("line %d%w", line+k.first-1, err)
		}
		k.rows++
	}
}

// field returns a text as a field.
func field(text string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{text})
	w.Flush()
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
