// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// parseRecords returns the rows of records, made by the model's encoder. It skips a byte order mark, the line of names
// and lines without values at the end. Fields may be separated by semicolons or tabs instead of commas, if each line
// has the right number of fields.
func (m *loaded) parseRecords(body []byte, _, most int) (*batch, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	header := m.encoder.Header()
	comma, err := separator(body, header)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	records, err := readRecords(body, comma)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the body is malformed: %v", err)
	}
	if len(records) > 0 {
		switch {
		case isHeader(records[0], header):
			records = records[1:]
		case areNames(records[0], header):
			return nil, refuse(http.StatusBadRequest, "the columns are %q, and should be %q", records[0], header)
		}
	}
	for len(records) > 0 && m.isBlank(records[len(records)-1]) {
		records = records[:len(records)-1]
	}
	switch {
	case len(records) == 0:
		return nil, refuse(http.StatusBadRequest, "there are no rows")
	case len(records) > most:
		return nil, refuse(http.StatusRequestEntityTooLarge, "there are more than %d rows", most)
	}
	if i := slices.IndexFunc(records, m.isBlank); i >= 0 {
		return nil, refuse(http.StatusBadRequest, "row %d is a line without a value, and others follow", i)
	}
	x, err := m.encoder.Encode(records)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "%s", strings.TrimPrefix(err.Error(), "table: "))
	}
	return &batch{wide: x, records: records}, nil
}

// readRecords returns the records of a body, nil for an empty line.
func readRecords(body []byte, comma rune) (records [][]string, err error) {
	r := csv.NewReader(bytes.NewReader(body))
	r.Comma = comma
	r.FieldsPerRecord = -1 // the encoder checks it
	for {
		rest := body[r.InputOffset():]
		for len(rest) > 0 && (rest[0] == '\n' || bytes.HasPrefix(rest, []byte("\r\n"))) { // the reader does not report it
			records = append(records, nil)
			rest = rest[bytes.IndexByte(rest, '\n')+1:]
		}
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
}

// separator returns what separates the fields of a body: a comma, semicolon or tab that makes its first line the names of the
// columns, or else splits it into as many fields as there are columns, or one fewer. If several do, as in 7,50;Lima, it returns
// an error.
func separator(body []byte, header []string) (rune, error) {
	fit := make(map[int]string) // by the number of fields
	for _, comma := range ",;\t" {
		r := csv.NewReader(bytes.NewReader(body))
		r.Comma = comma
		first, err := r.Read()
		if err != nil {
			continue
		}
		if isHeader(first, header) {
			return comma, nil
		}
		fit[len(first)] += string(comma)
	}
	for _, fields := range []int{len(header), len(header) - 1} {
		switch some := fit[fields]; {
		case fields == 1 && len(some) > 1: // none splits it
			return ',', nil
		case len(some) > 1:
			return 0, fmt.Errorf("the first line has %d fields between any of %q: begin with the line of names", fields, some)
		case len(some) == 1:
			return rune(some[0]), nil
		}
	}
	return ',', nil
}

// isBlank reports whether a record has no value, or is a line of separators where some columns must not be missing.
func (m *loaded) isBlank(record []string) bool {
	if strings.TrimSpace(strings.Join(record, "")) != "" {
		return false
	}
	if len(record) < 2 {
		return true
	}
	_, err := m.encoder.EncodeVec(nil, record)
	return err != nil
}

// isHeader reports whether a record is the names of the columns, except for the names that programs give to columns
// without one. If a table had no line of names, so that columns are named 0, 1, …, no record is.
func isHeader(record, header []string) bool {
	if len(record) > len(header) || len(record) < len(header)-1 {
		return false
	}
	numbers := true
	for j, field := range record {
		field = strings.TrimSpace(field)
		if field != strings.TrimSpace(header[j]) && !(field == "" && strings.HasPrefix(header[j], "Unnamed: ")) {
			return false
		}
		numbers = numbers && header[j] == strconv.Itoa(j)
	}
	return !numbers
}

// areNames reports whether a record is names of columns, in any order, that are not numbers.
func areNames(record, header []string) bool {
	for _, field := range record {
		if _, err := strconv.Atoi(field); err == nil || !slices.Contains(header, strings.TrimSpace(field)) {
			return false
		}
	}
	return len(record) > 1
}
