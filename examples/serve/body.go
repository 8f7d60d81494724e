// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/binary"
	"math"
	"mime"
	"net/http"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A batch is the rows of a request.
type batch struct {
	wide    *mat.Dense
	single  blas32.General // the same rows, if they came as float32; else empty
	records [][]string     // from which they were made; else nil
}

// A parser returns the rows of a body, at most most of them, each of width finite numbers, and refuses anything else.
type parser func(body []byte, width, most int) (*batch, error)

// Content types of bodies: JSON (rows.go); the numbers of all rows one after another, little-endian, without
// separators; and, for a model with an encoder, records as lines of CSV (records.go).
const (
	jsonType    = "application/json"
	csvType     = "text/csv"
	float32Type = "application/x-float32"
	float64Type = "application/x-float64"
)

// parserOf returns the parser for the content type of a request. Text must be in UTF-8.
func (m *loaded) parserOf(h http.Header) (parser, error) {
	if coding := h.Get("Content-Encoding"); coding != "" {
		return nil, refuse(http.StatusUnsupportedMediaType, "the content has the coding %.20q, and should have none", coding)
	}
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset, given := params["charset"]
	readable := !given || strings.EqualFold(charset, "utf-8")
	switch {
	case err != nil:
	case media == csvType && readable && m.encoder != nil:
		return m.parseRecords, nil
	case media == jsonType && readable:
		return func(body []byte, width, most int) (*batch, error) {
			x, err := parse(body, width, most)
			return &batch{wide: x}, err
		}, nil
	case media == float32Type:
		return parseFloat32, nil
	case media == float64Type:
		return parseFloat64, nil
	}
	others := jsonType
	if m.encoder != nil {
		others += ", " + csvType
	}
	return nil, refuse(http.StatusUnsupportedMediaType, "the content type is %.80q, and should be %s, %s or %s",
		h.Get("Content-Type"), others, float32Type, float64Type)
}

// parseFloat32 returns the rows of a body of float32.
func parseFloat32(body []byte, width, most int) (*batch, error) {
	n, err := countRows(body, 4*width, most)
	if err != nil {
		return nil, err
	}
	x := blas32.General{Rows: n, Cols: width, Stride: width, Data: make([]float32, n*width)}
	for i := range x.Data {
		x.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
	}
	b := &batch{wide: widened(x), single: x}
	return b, checkFinite(b.wide)
}

// parseFloat64 returns the rows of a body of float64.
func parseFloat64(body []byte, width, most int) (*batch, error) {
	n, err := countRows(body, 8*width, most)
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(n, width, nil)
	data := x.RawMatrix().Data
	for i := range data {
		data[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
	}
	return &batch{wide: x}, checkFinite(x)
}

// countRows returns the number of rows in a body, given the number of bytes of a row.
func countRows(body []byte, row, most int) (int, error) {
	n := len(body) / row
	switch {
	case len(body)%row != 0:
		return 0, refuse(http.StatusBadRequest, "the body has %d bytes, and should have %d for each row", len(body), row)
	case n == 0:
		return 0, refuse(http.StatusBadRequest, "there are no rows")
	case n > most:
		return 0, refuse(http.StatusRequestEntityTooLarge, "there are more than %d rows", most)
	}
	return n, nil
}

// checkFinite refuses rows with a NaN or an infinite number.
func checkFinite(x *mat.Dense) error {
	for i, row := range rowsOf(x) {
		for _, v := range row {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return refuse(http.StatusBadRequest, "row %d has %v, and should have finite numbers", i, v)
			}
		}
	}
	return nil
}

// widened returns rows of float32 in float64.
func widened(x blas32.General) *mat.Dense {
	wide := mat.NewDense(x.Rows, x.Cols, nil)
	for i := range x.Rows {
		for j, v := range x.Data[i*x.Stride:][:x.Cols] {
			wide.Set(i, j, float64(v))
		}
	}
	return wide
}
