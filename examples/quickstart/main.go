// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Quickstart learns where a pen stops that writes a digit, from where it was before: a regression of two targets, from a table of
// numbers to a scored model in one call. It is the program of README.md.
//
//	go run ./examples/quickstart
package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"log"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/learn"
)

// pen has 1500 digits of 8 points each, x and y from 0 to 100: rows of Pen-Based Recognition of Handwritten Digits (Alpaydin and
// Alimoglu, UCI, CC BY 4.0).
//
//go:embed pen.csv
var pen string

func main() {
	records := must(csv.NewReader(strings.NewReader(pen)).ReadAll())
	table := mat.NewDense(len(records), len(records[0]), nil)
	for i, record := range records {
		for j, field := range record {
			table.Set(i, j, must(strconv.ParseFloat(field, 64)))
		}
	}
	n, d := table.Dims()
	x, y := table.Slice(0, n, 0, d-2), table.Slice(0, n, d-2, d) // seven points of the pen, and the last one

	report := must(learn.Regression(x, y, nil))
	fmt.Println(report) // what was taken of what was tried, and the score on rows held back

	m, first := report.Model, mat.Row(nil, 0, x)
	lo, hi := m.Interval(first, 0.9)
	fmt.Printf("the first pen stops at %.0f, with 90 %% between %.0f and %.0f\n", m.PredictVec(nil, first), lo, hi)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
