// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package wht

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Lanes32 is the number of vectors of float32 that are transformed together: as many bytes as Lanes of float64.
const Lanes32 = 16

// Masks of the sign of one element of a vector of float32, and of the signs of a row of a batch.
const (
	Sign32     = 1 << 31
	SignOfRow  = Sign32 | Sign32<<32
	pairs      = 2 // elements in the space of a float64
	rowOfPairs = Lanes32 / pairs
)

// Engine32 is an Engine for float32. In memory a row of Lanes32 elements is as long as a row of Lanes float64. So the
// passes over rows are the same, with other butterflies.
type Engine32 struct{ engine Engine }

// For32 returns the engine of a tier, or of plain Go if the tier is not available.
func For32(t tier.Tier) Engine32 {
	e := Engine32{For(t)}
	e.engine.single = true
	return e
}

// Batch sets dst to the transforms of Lanes32 vectors side by side, as Engine.Batch does. signs has SignOfRow for the
// rows whose signs change.
func (e Engine32) Batch(dst, src []float32, signs []uint64) {
	m := len(src) / Lanes32
	check32(m, Lanes32, len(dst), len(src), len(signs), m)
	if len(src) > Lanes32 && e.batch32(dst, src, signs) {
		return
	}
	plain32(dst, src, Lanes32, func(i int) uint32 {
		if signs == nil {
			return 0
		}
		return uint32(signs[i/Lanes32])
	})
}

// Vectors sets dst to the transforms of contiguous vectors of m elements, as Engine.Vector does for each. signs has
// Sign32 for the elements whose signs change. Vectors of HalfOfBlock elements are fast in pairs; shorter ones are not
// fast.
func (e Engine32) Vectors(dst, src []float32, m int, signs []uint32) {
	n := len(src)
	check32(m, n/max(m, 1), len(dst), n, len(signs), n)
	for done := e.vectors32(dst, src, m, signs); done < n; done += m {
		own := signs
		if signs != nil {
			own = signs[done:]
		}
		plain32(dst[done:][:m], src[done:][:m], 1, func(i int) uint32 {
			if own == nil {
				return 0
			}
			return own[i]
		})
	}
}

// HalfOfBlock is the length of a vector of float32 of which two fill the last pass of a longer one.
const HalfOfBlock = 64

// check32 is check for numbers of elements, of vectors side by side or one after another; without signs their
// number is 0.
func check32(m, vectors, dst, src, signs, masks int) {
	if m < 1 || m&(m-1) != 0 || src != m*vectors || dst != src || signs != 0 && signs != masks {
		panic("wht: lengths of vectors of float32 do not agree")
	}
}

// plain32 is the specification: the network of butterflies of package wht, of vectors side by side in a number of lanes.
func plain32(dst, src []float32, lanes int, sign func(i int) uint32) {
	for i, v := range src {
		dst[i] = math.Float32frombits(math.Float32bits(v) ^ sign(i))
	}
	for s := len(dst) / 2; s >= lanes; s /= 2 {
		for first := 0; first < len(dst); first += 2 * s {
			a, b := dst[first:first+s], dst[first+s:first+2*s]
			for i, v := range a {
				w := b[i]
				a[i], b[i] = v+w, v-w
			}
		}
	}
}
