// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package blocking divides the products of rows and panels of weights into blocks, so that data that is used again is
// still in the caches. Projections in float64 and in float32 share it.
package blocking

// Coords returns how many of the in coordinates rows go through at a time: all, unless there are many more than about.
// Then it is few enough for these coordinates of many rows to stay in the cache together with the weights.
func Coords(in, about int) int {
	if in < about+about/2 {
		return in
	}
	passes := (in-1)/about + 1
	return (in-1)/passes + 1
}

// Panels calls pass for the panels [lo, hi), group by group, and within a group for ranges [from, to) of its in
// coordinates, one after the other. A group has at least one panel, and at most as many as have the given number of
// weights at these coordinates.
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

// Strips calls strip for strips of n rows: strips of most rows each, a power of two, and then halves,
// quarters and so on for the remaining rows.
func Strips(n, most int, strip func(i, rows int)) {
	for i, rows := 0, most; i < n; i += rows {
		for i+rows > n {
			rows /= 2
		}
		strip(i, rows)
	}
}

// MinChunk is the least number of rows that pass over all weights together. With fewer, fetching the weights takes
// longer than using them.
const MinChunk = 64

// Grain returns the number of rows that a goroutine takes at a time: whole strips, the same number for each goroutine,
// and a few times for each if there are enough, so that no goroutine waits long for a slow one. At most chunk rows pass
// over all weights together.
func Grain(rows, chunk, workers, strip int) int {
	chunks := (rows-1)/chunk + 1
	if workers > 1 {
		chunks = max(chunks, min(4*workers, rows/MinChunk))
	}
	chunks += (workers - chunks%workers) % workers
	grain := (rows-1)/chunks + 1
	return (grain + strip - 1) &^ (strip - 1)
}
