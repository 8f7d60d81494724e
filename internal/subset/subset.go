// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package subset chooses rows that represent many, by fixed rules: the same numbers give the same rows on every
// machine.
package subset

import (
	"math/bits"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// Rows returns the numbers of up to most of n rows, always the same, in ascending order. Each row is equally likely to
// be chosen, and every run of rows has its share of them, except for two rows. Otherwise the rows follow no regular
// order, so that rows of several alternating groups are chosen in proportion.
//
// The rows are an ordered pivotal sample (Deville and Tillé 1998, "Unequal probability sampling without replacement
// through a splitting method"; Chauvet 2012, "On a characterization of ordered pivotal sampling"), computed with
// integers. Of two rows that are not decided yet, one gives its probability to the other, which is chosen once both
// probabilities add up to 1.
func Rows(n, most int) []int {
	if n <= most {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		return rows
	}
	return pivotal(streamOfRows, n, func(int) uint64 { return uint64(most) }, uint64(n))
}

// Unequal returns the numbers of some rows, in ascending order and always the same. Each row has its own probability,
// from 0 to 1, and the number of rows is the sum of the probabilities, rounded up or down. Like the rows of Rows they
// follow no regular order. They do not depend on Rows: rows may have probability 0 because Rows contains them.
func Unequal(chances []float64) []int {
	const certain = 1 << 32
	return pivotal(streamOfUnequal, len(chances), func(i int) uint64 { return uint64(certain * chances[i]) }, certain)
}

// pivotal returns the sample of n rows with probabilities share over certain, by the words of a
// stream.
func pivotal(stream uint64, n int, share func(i int) uint64, certain uint64) (rows []int) {
	open, chance := 0, share(0)
	for i := 1; i < n; i++ {
		word, own := splitmix.Output(stream, uint64(i)), share(i)
		if chance += own; chance < certain {
			if chance > 0 && below(word, chance) < own {
				open = i
			}
			continue
		}
		taken := i
		if below(word, 2*certain-chance) < certain-own {
			taken, open = open, i
		}
		rows = append(rows, taken)
		chance -= certain
	}
	if below(splitmix.Output(stream, uint64(n)), certain) < chance {
		rows = append(rows, open)
	}
	slices.Sort(rows)
	return rows
}

// Shuffled returns the numbers below n in a random order, always the same.
func Shuffled(n int) []int {
	order := make([]int, n)
	for i := range order {
		j := below(splitmix.Output(streamOfOrders, uint64(i)), uint64(i+1))
		order[i], order[j] = order[j], i
	}
	return order
}

// The seeds of the fixed streams from which rows, and their pairs, are chosen.
const (
	streamOfRows = 1 + iota
	streamOfOrders
	streamOfUnequal
)

// below returns an integer in [0, n) made from a word of uniform bits. Each has the same probability, to n/2⁶⁴.
func below(word, n uint64) uint64 {
	high, _ := bits.Mul64(word, n)
	return high
}
