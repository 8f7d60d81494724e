// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package sobol computes the points of Sobol's sequence, scrambled. It uses only integer arithmetic, so bits
// are the same on every machine.
package sobol

import "math/bits"

// Most is the largest number of coordinates of a Sequence.
const Most = len(directions) + 1

// Sequence is Sobol's sequence in some coordinates (Sobol 1967, "On the distribution of points in a cube and the
// approximate evaluation of integrals"), each scrambled by a random nested permutation (Owen 1995, "Randomly permuted
// (t,m,s)-nets and (t,s)-sequences"). The permutations are hashes of the bits: Laine and Karras 2011, "Stratified
// sampling for stochastic transparency", section 3.2; here with 64 bits, and two rounds of random numbers for each
// coordinate. So every single point is uniform, and the first 2ᵏ points are evenly spread, for any k.
type Sequence struct {
	steps     [][32]uint32 // for each coordinate the sums of its first generators, by which successive points differ
	scrambles []scramble
	last      []uint32 // the last point of Next, before scrambling
	next      uint32
}

// New returns the sequence of a number of coordinates, from 1 to Most, scrambled by random words that next returns.
func New(coordinates int, next func() uint64) *Sequence {
	s := &Sequence{
		steps: make([][32]uint32, coordinates), scrambles: make([]scramble, coordinates), last: make([]uint32, coordinates),
	}
	for i := range coordinates {
		var sum uint32
		for k, v := range generators(i) {
			sum ^= v
			s.steps[i][k] = sum
		}
		s.scrambles[i] = scramble{next(), next(), next()}
	}
	return s
}

// generators returns the direction numbers of a coordinate, in the order of the bits of a point's index, the lowest
// first, by the recurrence of Bratley and Fox (1988, algorithm 659).
func generators(coordinate int) (v [32]uint32) {
	if coordinate == 0 {
		for k := range v {
			v[k] = 1 << (31 - k)
		}
		return v
	}
	d := directions[coordinate-1]
	degree := len(d.first)
	for k := range v {
		if k < degree {
			v[k] = d.first[k] << (31 - k)
			continue
		}
		v[k] = v[k-degree] ^ v[k-degree]>>degree
		for i := 1; i < degree; i++ {
			if d.polynomial>>(degree-1-i)&1 == 1 {
				v[k] ^= v[k-i]
			}
		}
	}
	return v
}

// Next sets dst to the first point, and in later calls to the next ones. Every coordinate is in (0, 1): an odd multiple
// of 2⁻⁵³.
func (s *Sequence) Next(dst []float64) {
	k := bits.TrailingZeros32(s.next)
	for j := range dst {
		if s.next > 0 {
			s.last[j] ^= s.steps[j][k]
		}
		dst[j] = s.scrambles[j].uniform(s.last[j])
	}
	s.next++
}

// uniform returns the number in (0, 1) to which x is permuted.
func (s *scramble) uniform(x uint32) float64 { return (float64(s.permute(x)>>12) + 0.5) * 0x1p-52 }

// A scramble is the random numbers of a nested permutation.
type scramble [3]uint64

// permute permutes the numbers in [0, 1) that the bits of x represent, and returns 64 bits. Each bit depends only on
// higher bits: the hash reverses their order, and only adds, multiplies by odd numbers, and adds even multiples without
// carries. The constants are from Burley (2020, "Practical hash-based Owen scrambling"), in both halves of a word.
func (s *scramble) permute(x uint32) uint64 {
	u := uint64(bits.Reverse32(x))
	u += s[0]
	u ^= u * 0x6c50b47c6c50b47c
	u *= s[1] | 1
	u ^= u * 0xb82f1e52b82f1e52
	u += s[2]
	u ^= u * 0xc7afe638c7afe638
	u ^= u * 0x8d22f6e68d22f6e6
	return bits.Reverse64(u)
}
