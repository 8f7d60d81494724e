// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package subset takes some rows to stand for many, by fixed rules: the same numbers give the same rows, on every machine.
package subset

import (
	"math/bits"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// Rows returns the numbers of up to most of n rows, always the same. Each row is as likely to be among them as
// any other, and every run of rows has its share of them, except for two rows; within that they follow no regular order,
// so that the rows of several groups in turns are taken in proportion. They come in ascending order.
//
// The rows are an ordered pivotal sample (Deville and Tillé 1998, "Unequal probability sampling without
// replacement through a splitting method"; Chauvet 2012, "On a characterization of ordered pivotal sampling"),
// by integers: of two rows that are not decided yet one leaves its chance to the other, which is taken once the
// chances of both add up to 1.
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

// Unequal returns the numbers of some rows, in ascending order and always the same, each with a chance of its own, from 0 to 1: as many as
// the sum of the chances, up or down to a whole number. They follow no regular order, as those of Rows, and
// do not depend on these: rows may be left out by a chance of 0 because Rows has them.
func Unequal(chances []float64) []int {
	const certain = 1 << 32
	return pivotal(streamOfUnequal, len(chances), func(i int) uint64 { return uint64(certain * chances[i]) }, certain)
}

// pivotal returns the sample of n rows whose chances are share over certain, by the words of a stream.
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

// The seeds of the fixed streams that rows are taken by, and their pairs.
const (
	streamOfRows = 1 + iota
	streamOfOrders
	streamOfUnequal
)

// below returns an integer in [0, n) made from a word of uniform bits: each with the same probability, to n/2⁶⁴.
func below(word, n uint64) uint64 {
	high, _ := bits.Mul64(word, n)
	return high
}
