// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package blocking cuts the products of rows and panels of weights so that what is used again is still in the caches, for
// projections of float64 and of float32.
package blocking

// Coords returns the number of coordinates, of in, that rows go through at a time: all, or where there are many more than
// about so few that those of many rows stay in the cache beside the weights.
func Coords(in, about int) int {
	if in < about+about/2 {
		return in
	}
	passes := (in-1)/about + 1
	return (in-1)/passes + 1
}

// Panels calls pass for the panels [lo, hi), group of them after group, and for each group some of its coordinates after the
// other: those [from, to) of in. A group has as many panels, one at least, as have so many weights at these coordinates.
func Panels(lo, hi, width, weights, in, coords int, pass func(lo, hi, from, to int)) {
	group := Group(width, weights, coords)
	for ; lo < hi; lo += group {
		for k := 0; k < in; k += coords {
			pass(lo, min(lo+group, hi), k, min(k+coords, in))
		}
	}
}

// Group returns the number of panels in a group: see Panels.
func Group(width, weights, coords int) int { return max(1, weights/(coords*width)) }

// Strips calls strip for strips of n rows: each of most, a power of two, and what is left in halves of that.
func Strips(n, most int, strip func(i, rows int)) {
	for i, rows := 0, most; i < n; i += rows {
		for i+rows > n {
			rows /= 2
		}
		strip(i, rows)
	}
}

// MinChunk is the least number of rows that pass over all weights together: for fewer, fetching the weights costs more than
// using them.
const MinChunk = 64

// Grain returns the number of rows that a goroutine takes at a time: whole strips, the same number for each, and a few times
// for each if there are enough of them, so that none has to wait long for one that was held up. So many as a chunk has at
// most pass over all weights together.
func Grain(rows, chunk, workers, strip int) int {
	chunks := (rows-1)/chunk + 1
	if workers > 1 {
		chunks = max(chunks, min(4*workers, rows/MinChunk))
	}
	chunks += (workers - chunks%workers) % workers
	grain := (rows-1)/chunks + 1
	return (grain + strip - 1) &^ (strip - 1)
}
