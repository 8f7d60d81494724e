// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package random declares the samplers from which maps sample their weights. The root package
// implements them.
package random

// A Sampler is a stream of random numbers.
type Sampler interface {
	Split() Sampler // a sampler of other numbers
	Clone() Sampler // a sampler of the same next numbers

	Uint64() uint64
	Float64() float64 // uniform on [0, 1)
	Open() float64    // uniform on (0, 1)
	IntN(n int) int   // uniform on 0, 1, …, n − 1
	Rademacher() float64
	ChiSquared(k float64) float64
	Permutation(n int) []int // of 0, 1, …, n − 1

	FillNormal(dst []float64)
	FillRademacher(dst []float64)
	SignMasks(n int) []uint64 // n random signs as masks for the sign bit of a float64: 1<<63 for −1
}

// New returns a sampler with a seed.
type New func(seed uint64) Sampler
