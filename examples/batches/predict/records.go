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
	"unicode/utf8"

	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// longest is the size of the longest record: more is taken for a quote that has not been closed.
const longest = 1 << 24

// records are what is common to the records of a file.
type records struct {
	csvfile.Format
	fields int   // of a record
	places []int // of the encoder's columns among them; −1: not read
}

// header reads the line of names, and returns what follows, with the number of its first line. A file without such a
// line has the places of its first record for names, and that record follows.
func (r *records) header(in *bufio.Reader, e *table.Encoder) (next *bufio.Reader, line int, err error) {
	var text []byte
	var names []string
	for line = 1; names == nil; { // lines before it may be empty
		line += bytes.Count(text, []byte("\n"))
		if text, err = rest(in, nil, true); err != nil && len(text) == 0 {
			if err = ended(err); !r.Headless {
				err = errors.Join(err, errors.New("there is no line of names"))
			}
			return in, line, err
		}
		if names, err = r.reader(text, 0).Read(); err != nil && err != io.EOF {
			return nil, 0, at(err, line)
		}
	}
	r.fields = len(names)
	r.Name(names)
	form, err := pipeline.FormOf(e)
	if err != nil {
		return nil, 0, err
	}
	if r.places, err = form.Places(names); err != nil {
		return nil, 0, fmt.Errorf("line %d: %w%s", line, err, r.Hint(names))
	}
	if r.Headless {
		return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(text), in), pipeline.BlockBytes), line, nil
	}
	return in, line + bytes.Count(text, []byte("\n")), nil
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
func (r *records) reader(text []byte, fields int) *csv.Reader {
	of := csv.NewReader(bytes.NewReader(text))
	of.Comma, of.FieldsPerRecord, of.ReuseRecord = r.Comma, fields, true
	return of
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
	r, cells := p.reader(k.lines, p.fields), make([]string, len(p.places))
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
			if place < 0 {
				continue
			}
			if cells[j] = record[place]; !utf8.ValidString(cells[j]) {
				line, _ := r.FieldPos(place)
				return fmt.Errorf("line %d, column %q: %.40q %s", line+k.first-1, p.Encoder.Header()[j], cells[j], csvfile.NotUTF8)
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
func field(text string, comma rune) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = comma
	w.Write([]string{text})
	w.Flush()
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
