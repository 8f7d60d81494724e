// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// An identity tells maps apart: the SHA-256 of the features of some points, which are the same for all maps of as many
// coordinates.
type identity [sha256.Size]byte

// identify returns the identity of a map: of the bits of its features, little-endian, row by row, with one NaN for all.
func identify(phi featuremap.FeatureMap) identity {
	in, _ := phi.Dims()
	var z mat.Dense
	phi.TransformTo(&z, probes(in))
	n, out := z.Dims()
	sum := sha256.New()
	row := make([]byte, 8*out)
	for i := range n {
		for j := range out {
			v := z.At(i, j)
			if math.IsNaN(v) {
				v = math.NaN()
			}
			binary.LittleEndian.PutUint64(row[8*j:], math.Float64bits(v))
		}
		sum.Write(row)
	}
	var id identity
	sum.Sum(id[:0])
	return id
}

// probes returns the points of R^in whose features identify a map. Coordinates are ±(8 to 23)/16 by a hash of their
// place, times a power of two that makes norms about 1: exact, off the axes, and no two alike.
func probes(in int) *mat.Dense {
	const points = 4
	x := mat.NewDense(points, in, nil)
	scale := math.Ldexp(1.0/16, -bits.Len(uint(in))/2)
	for i := range points {
		for k := range in {
			h := (uint64(i)<<48 ^ uint64(k) + 1) * 0x9e3779b97f4a7c15
			h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
			v := float64(8+h>>59&15) * scale
			if h>>63 == 1 {
				v = -v
			}
			x.Set(i, k, v)
		}
	}
	return x
}
