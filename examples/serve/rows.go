// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// parse returns the rows of a body {"rows": [[…], …]}, and refuses anything else. It is stricter than json.Unmarshal,
// which takes a null for the number 0, "ROWS" for "rows", and the last of two fields "rows".
func parse(body []byte, width, most int) (*mat.Dense, error) {
	// Unmarshal checks the whole body first, so what follows can rely on valid JSON.
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		return nil, refuse(http.StatusBadRequest, "the body is malformed: %v", err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if t, _ := d.Token(); t != json.Delim('{') {
		return nil, refuse(http.StatusBadRequest, "the body should be an object")
	}
	var rows json.RawMessage
	for d.More() {
		key, _ := d.Token()
		switch {
		case key != "rows":
			return nil, refuse(http.StatusBadRequest, "there is an unknown field %.40q", key)
		case rows != nil:
			return nil, refuse(http.StatusBadRequest, "there are two fields %q", key)
		}
		if err := d.Decode(&rows); err != nil {
			return nil, err
		}
	}
	if rows == nil {
		return nil, refuse(http.StatusBadRequest, "there is no field %q", "rows")
	}
	return parseRows(rows, width, most)
}

// parseRows returns the rows of an array of arrays of numbers. The array must be valid JSON; a number of JSON is then
// what strconv.ParseFloat takes.
func parseRows(raw []byte, width, most int) (*mat.Dense, error) {
	bad := func(format string, args ...any) (*mat.Dense, error) {
		return nil, refuse(http.StatusBadRequest, format, args...)
	}
	rest := raw
	// next removes c and the white space around it from the rest, if that is what comes next.
	next := func(c byte) bool {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) == 0 || rest[0] != c {
			return false
		}
		rest = bytes.TrimLeft(rest[1:], " \t\r\n")
		return true
	}
	if !next('[') {
		return bad("rows should be an array of rows")
	}
	var data []float64
	n := 0
	for ; !next(']'); n++ {
		if n == most {
			return nil, refuse(http.StatusRequestEntityTooLarge, "there are more than %d rows", most)
		}
		if n > 0 {
			next(',')
		}
		if !next('[') {
			return bad("row %d should be an array of numbers", n)
		}
		end := bytes.IndexByte(rest, ']')
		fields := bytes.Count(rest[:end], []byte(",")) + 1
		if end == 0 {
			fields = 0
		}
		if fields != width {
			return bad("row %d has %d numbers, and should have %d", n, fields, width)
		}
		for field := range bytes.SplitSeq(rest[:end], []byte(",")) {
			v, err := strconv.ParseFloat(string(bytes.TrimSpace(field)), 64)
			if err != nil {
				return bad("row %d has %.40q, and should have finite numbers", n, field)
			}
			data = append(data, v)
		}
		rest = rest[end+1:]
	}
	if n == 0 {
		return bad("there are no rows")
	}
	return mat.NewDense(n, width, data), nil
}
