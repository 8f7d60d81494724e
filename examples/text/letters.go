// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"maps"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// A letter is about one of three products and makes one of three requests. The sum of their numbers, modulo 3, is its
// desk. Half of its words are common ones, a quarter are words of the product and a quarter words of the request,
// except that one word in ten of these is of a random product or request. The words of a topic have frequencies in
// proportion to 1, 1/2, 1/3, …
const (
	words       = 60 // of a letter
	topics      = 3
	topicWords  = 20
	commonWords = 300
	vocabulary  = commonWords + 2*topics*topicWords
	astray      = 0.1
)

// write returns letters and their desks. A row has the roots of the frequencies of its words, so that its length is 1.
func write(letters int, s *featuremap.Sampler) (*sparse.Rows, []int, error) {
	x, desks := sparse.NewRows(vocabulary), make([]int, letters)
	for i := range desks {
		product, request := s.IntN(topics), s.IntN(topics)
		desks[i] = (product + request) % topics
		index, values := letter(product, request, s)
		if err := x.Append(index, values); err != nil {
			return nil, nil, err
		}
	}
	return x, desks, nil
}

// letter returns the words of a letter and the roots of their frequencies.
func letter(product, request int, s *featuremap.Sampler) (index []int, values []float64) {
	counts := make(map[int]int)
	for range words {
		counts[word(product, request, s)]++
	}
	index = slices.Sorted(maps.Keys(counts)) // maps have no order
	for _, w := range index {
		values = append(values, math.Sqrt(float64(counts[w])/words))
	}
	return index, values
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
