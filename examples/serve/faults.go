// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"net/http"
	"strings"
)

// A fault is a way in which a request of the load test is malformed, with the expected status.
type fault struct {
	name   string
	status int
	method string
	media  string
	body   func(of description) []byte
}

// faults are used in turn. Except for its fault, each request is valid.
var faults = []fault{
	malformed("is broken off", func(of description) string { return `{"rows":[` + row("1", of.Inputs) }),
	malformed("is not JSON", func(description) string { return "rows=1" }),
	malformed("is an array", func(of description) string { return "[" + row("1", of.Inputs) + "]" }),
	malformed("is empty", func(description) string { return "" }),
	malformed("has no rows", func(description) string { return `{"rows":[]}` }),
	malformed("has no field", func(description) string { return `{}` }),
	malformed("has a field in capitals", func(of description) string { return `{"ROWS":[` + row("1", of.Inputs) + `]}` }),
	malformed("has an unknown field", func(of description) string { return `{"rows":[` + row("1", of.Inputs) + `],"row":1}` }),
	malformed("has a field twice", func(of description) string {
		return `{"rows":[` + row("1", of.Inputs) + `],"rows":[` + row("2", of.Inputs) + `]}`
	}),
	malformed("goes on after the end", func(of description) string { return rows(row("1", of.Inputs), 1) + "{}" }),
	malformed("has a number too many", func(of description) string { return rows(row("1", of.Inputs+1), 1) }),
	malformed("has a number for a row", func(description) string { return `{"rows":[1]}` }),
	malformed("has NaN", func(of description) string { return rows(row("NaN", of.Inputs), 1) }),
	malformed("has Infinity", func(of description) string { return rows(row("-Infinity", of.Inputs), 1) }),
	malformed("has a number beyond float64", func(of description) string { return rows(row("1e999", of.Inputs), 1) }),
	malformed("has null", func(of description) string { return rows(row("null", of.Inputs), 1) }),
	malformed("has a string", func(of description) string { return rows(row(`"1"`, of.Inputs), 1) }),
	malformed("has an array for a number", func(of description) string { return rows(row("[1]", of.Inputs), 1) }),
	{"has too many rows", http.StatusRequestEntityTooLarge, http.MethodPost, "application/json", func(of description) []byte {
		return []byte(rows(row("1", of.Inputs), of.MostRows+1))
	}},
	{"has too many bytes", http.StatusRequestEntityTooLarge, http.MethodPost, "application/json", func(of description) []byte {
		b := rows(row("1", of.Inputs), 1)
		return append(bytes.Repeat([]byte(" "), int(of.MostBytes)+1-len(b)), b...)
	}},
	{"is said to be text", http.StatusUnsupportedMediaType, http.MethodPost, "text/plain", func(of description) []byte {
		return []byte(rows(row("1", of.Inputs), 1))
	}},
	{"is a GET", http.StatusMethodNotAllowed, http.MethodGet, "application/json", func(description) []byte { return nil }},
}

// malformed returns a fault of the body.
func malformed(name string, body func(of description) string) fault {
	return fault{name, http.StatusBadRequest, http.MethodPost, "application/json", func(of description) []byte { return []byte(body(of)) }}
}

// row returns a row that begins with a value and continues with ones.
func row(first string, width int) string {
	return "[" + first + strings.Repeat(",1", width-1) + "]"
}

// rows returns a body that has the same row n times.
func rows(row string, n int) string {
	return `{"rows":[` + row + strings.Repeat(","+row, n-1) + "]}"
}
