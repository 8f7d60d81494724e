// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package splitmix implements the generator SplitMix64, whose outputs can be computed in any order. It is used for
// seeds, hashes, and choices that are always the same. Weights of maps come from a Sampler instead.
package splitmix

// Output returns output n of the SplitMix64 generator with the given seed (Steele, Lea and Flood 2014, "Fast splittable
// pseudorandom number generators").
func Output(seed, n uint64) uint64 {
	z := seed + n*0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
