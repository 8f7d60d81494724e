// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A letter is about one of three products and asks for one of three things; the sum of their numbers, less 3 where it is more than
// 2, is its desk. Half of its words are common ones, and a quarter each are words of the product and of the request, but for one
// in ten, which is of any product or request. The words of a topic have frequencies in proportion to 1, 1/2, 1/3, …
const (
	letterWords = 60
	topics      = 3
	topicWords  = 20
	commonWords = 300
	vocabulary  = commonWords + 2*topics*topicWords
	astray      = 0.1
)

// write returns letters and their desks.
func write(letters int, s *featuremap.Sampler) (*lists, []int) {
	x, desks := &lists{columns: vocabulary}, make([]int, letters)
	for i := range desks {
		product, request := s.IntN(topics), s.IntN(topics)
		desks[i] = (product + request) % topics
		x.rows = append(x.rows, letter(product, request, s))
	}
	return x, desks
}

// letter returns the words of a letter, with the roots of their frequencies: a vector of length 1.
func letter(product, request int, s *featuremap.Sampler) []entry {
	counts := make(map[int]int)
	for range letterWords {
		counts[word(product, request, s)]++
	}
	var row []entry
	for w, n := range counts {
		row = append(row, entry{w, math.Sqrt(float64(n) / letterWords)})
	}
	slices.SortFunc(row, func(a, b entry) int { return a.column - b.column }) // maps have no order
	return row
}

// word returns a word of a letter.
func word(product, request int, s *featuremap.Sampler) int {
	kind := s.IntN(4)
	if kind < 2 {
		return zipf(commonWords, s)
	}
	if s.Float64() < astray {
		product, request = s.IntN(topics), s.IntN(topics)
	}
	topic := product
	if kind == 3 {
		topic = topics + request
	}
	return commonWords + topic*topicWords + zipf(topicWords, s)
}

// zipf returns one of the numbers 0 to n−1, i with a probability in proportion to 1/(i+1).
func zipf(n int, s *featuremap.Sampler) int {
	var sum float64
	for i := range n {
		sum += 1 / float64(i+1)
	}
	u := sum * s.Float64()
	for i := range n - 1 {
		if u -= 1 / float64(i+1); u < 0 {
			return i
		}
	}
	return n - 1
}

// lists are rows of which only the elements that are not 0 are kept: a mat.RowNonZeroDoer, whose rows go to the map as lists.
type lists struct {
	columns int
	rows    [][]entry
}

// An entry is an element of a row.
type entry struct {
	column int
	value  float64
}

var _ mat.RowNonZeroDoer = (*lists)(nil)

// Dims returns the shape of the table.
func (l *lists) Dims() (rows, columns int) { return len(l.rows), l.columns }

// At returns an element.
func (l *lists) At(i, j int) float64 {
	for _, e := range l.rows[i] {
		if e.column == j {
			return e.value
		}
	}
	return 0
}

// T returns the transpose.
func (l *lists) T() mat.Matrix { return mat.Transpose{Matrix: l} }

// DoRowNonZero calls f for the elements of row i that are not 0.
func (l *lists) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for _, e := range l.rows[i] {
		f(i, e.column, e.value)
	}
}
