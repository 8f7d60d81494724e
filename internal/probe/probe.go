// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package probe identifies maps by their features at a few points, which are the same for all maps with the same number
// of coordinates.
package probe

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// Map is the part of a feature map that probes use.
type Map interface {
	Dims() (in, out int)
	TransformTo(dst *mat.Dense, x mat.Matrix)
}

// Features returns the features of the points, as rows.
func Features(m Map) *mat.Dense {
	in, _ := m.Dims()
	var z mat.Dense
	m.TransformTo(&z, points(in))
	return &z
}

// Sum returns the SHA-256 of the bits of features: little-endian, row by row, with one bit pattern
// for all NaNs.
func Sum(z *mat.Dense) (sum [sha256.Size]byte) {
	n, out := z.Dims()
	h := sha256.New()
	row := make([]byte, 8*out)
	for i := range n {
		for j, v := range z.RawRowView(i) {
			if math.IsNaN(v) {
				v = math.NaN()
			}
			binary.LittleEndian.PutUint64(row[8*j:], math.Float64bits(v))
		}
		h.Write(row)
	}
	h.Sum(sum[:0])
	return sum
}

// Sums returns for each row the sum of its features, with signs from a hash, in the order of
// columns.
func Sums(z *mat.Dense) []float64 {
	n, _ := z.Dims()
	sums := make([]float64, n)
	for i := range sums {
		for j, v := range z.RawRowView(i) {
			if hash(i, j)>>63 == 1 {
				v = -v
			}
			sums[i] += v
		}
	}
	return sums
}

// points returns four points of R^in. Coordinates are ±(8 to 23)/16 by a hash of their place, times a power of two
// that makes norms about 1. They are exact, off the axes, and no two points are alike.
func points(in int) *mat.Dense {
	const n = 4
	x := mat.NewDense(n, in, nil)
	scale := math.Ldexp(1.0/16, -bits.Len(uint(in))/2)
	for i := range n {
		for k := range in {
			h := hash(i, k)
			v := float64(8+h>>59&15) * scale
			if h>>63 == 1 {
				v = -v
			}
			x.Set(i, k, v)
		}
	}
	return x
}

// hash returns 64 bits of a place.
func hash(i, k int) uint64 {
	h := (uint64(i)<<48 ^ uint64(k) + 1) * 0x9e3779b97f4a7c15
	return (h ^ h>>30) * 0xbf58476d1ce4e5b9
}
