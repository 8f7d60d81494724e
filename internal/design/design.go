// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package design samples directions that are not independent: orthogonal directions and structured
// ones.
package design

import (
	"math"
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/haar"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// A Design says how frequencies, or the weights of neurons, relate to each other: see Design of the
// root package.
type Design int

// The kinds: see Design of the root package.
const (
	Independent Design = iota
	Orthogonal
	Structured
	Sobol
)

// String returns the name of the kind.
func (k Design) String() string {
	return gosyntax.Name(k, []string{"Independent", "Orthogonal", "Structured", "Sobol"})
}

// PaddedDim returns the smallest power of two that is not less than d ≥ 1.
func PaddedDim(d int) int { return 1 << bits.Len(uint(d-1)) }

// DrawOrthogonal draws n frequencies of R^d: for each block the directions, then the lengths.
func DrawOrthogonal(lengths func(i int) float64, n, d int, s random.Sampler, each func(i int, w []float64)) {
	DrawDirections(n, d, s, func(i int, w []float64) {
		length := lengths(i)
		for j := range w {
			w[j] *= length
		}
		each(i, w)
	})
}

// DrawDirections draws n unit vectors of R^d, in blocks of d that are the rows of Haar-distributed orthogonal
// matrices, and calls each with them one by one. A call may overwrite its vector, and draw from s.
func DrawDirections(n, d int, s random.Sampler, each func(i int, u []float64)) {
	size := min(n, d)
	block := make([]float64, size*d)
	normals := make([]float64, haar.Normals(size, d))
	for first := 0; first < n; first += size {
		rows := min(size, n-first)
		g := normals[:haar.Normals(rows, d)]
		s.FillNormal(g)
		haar.Rows(block, rows, d, g)
		for i := range rows {
			each(first+i, block[i*d:(i+1)*d])
		}
	}
}

// A StructuredBlock is a block of structured frequencies.
type StructuredBlock struct {
	First   int         // its first frequency
	Signs   [3][]uint64 // of D₁, D₂ and D₃: 1<<63 for −1
	Lengths []float64
}

// DrawStructured draws n frequencies of R^p in structured blocks: for each block first the signs, then the
// lengths. A block is valid until the next call.
func DrawStructured(length func(i int) float64, n, p int, s random.Sampler, each func(b *StructuredBlock)) {
	var b StructuredBlock
	lengths := make([]float64, min(n, p))
	for ; b.First < n; b.First += p {
		for i := range b.Signs {
			b.Signs[i] = s.SignMasks(p)
		}
		b.Lengths = lengths[:min(p, n-b.First)]
		for i := range b.Lengths {
			b.Lengths[i] = length(b.First + i)
		}
		each(&b)
	}
}

// Rows calls each with the first d coordinates of every frequency of the block, in a slice valid until the
// next call. Row i is D₁·H·D₂·H·D₃·H times unit vector i, times length i.
func (b *StructuredBlock) Rows(d int, each func(i int, w []float64)) {
	transform := wht.For(tier.Best())
	p := len(b.Signs[0])
	norm := float64(p) * math.Sqrt(float64(p))
	w := make([]float64, p)
	for i, length := range b.Lengths {
		clear(w)
		w[i] = 1
		transform.Vector(w, w, nil)
		transform.Vector(w, w, b.Signs[2])
		transform.Vector(w, w, b.Signs[1])
		for j, sign := range b.Signs[0][:d] {
			w[j] = math.Float64frombits(math.Float64bits(w[j])^sign) * (length / norm)
		}
		each(b.First+i, w[:d])
	}
}

// BlockPairs returns the number of ordered pairs of different draws that are in the same block, of n draws in blocks of d.
func BlockPairs(n, d int) float64 {
	full, rest := float64(n/d), float64(n%d)
	return full*float64(d)*float64(d-1) + rest*(rest-1)
}
