// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package wht computes Walsh-Hadamard transforms, of eight vectors side by side or of one, with the
// same bits on every machine.
//
// The transform is the product by the Hadamard matrix in its natural order, whose element (i, j) is
// −1 to the power of the number of ones in i&j, without a factor. It is specified by a network of
// butterflies, with one rounding for each sum and each difference:
//
//	for s := m / 2; s > 0; s /= 2 {
//		for i := range m {
//			if i&s == 0 {
//				x[i], x[i+s] = x[i]+x[i+s], x[i]-x[i+s]
//			}
//		}
//	}
//
// Faster implementations do several stages at once in registers, and all the stages of a part while
// it is in the cache. Their butterflies come in another order, but each adds the same two numbers.
package wht

import (
	"fmt"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

//go:generate go run -C _asm . -out ../wht_amd64.s -stubs ../wht_stub_amd64.go -pkg wht

// Lanes is the number of vectors that are transformed together.
const Lanes = 8

// Engine transforms with the instructions of a tier. All engines give the same bits, except for the
// signs and the payloads of NaNs. The zero value is plain Go.
type Engine struct {
	tier   tier.Tier
	single bool // for an Engine32: elements are pairs of float32
}

// For returns the engine of a tier, or of plain Go if the tier is not available.
func For(t tier.Tier) Engine {
	if !slices.Contains(tier.Available(), t) {
		t = tier.Plain
	}
	return Engine{tier: t}
}

// Batch sets dst to the transforms of Lanes vectors side by side. dst and src are m rows, with
// element i of vector l at i*Lanes+l. signs, unless it is nil, has a mask for each row, 0 or 1<<63,
// with which the elements of src are XORed first.
//
// Batch panics unless m is a power of two and the lengths agree. If dst and src overlap, they must
// be the same.
func (e Engine) Batch(dst, src []float64, signs []uint64) {
	m := len(src) / Lanes
	check(m, Lanes, dst, src, signs)
	e.batch(dst, src, signs)
}

// Vector sets dst to the transform of one vector of length m, with the same bits as a vector of
// Batch. signs, unless it is nil, has a mask for each element. Panics and overlap are as for Batch.
func (e Engine) Vector(dst, src []float64, signs []uint64) {
	check(len(src), 1, dst, src, signs)
	e.vector(dst, src, signs)
}

// check panics unless dst and src are m rows, m is a power of two, and signs has m masks
// or is nil. Assembly relies on this.
func check(m, lanes int, dst, src []float64, signs []uint64) {
	if m < 1 || m&(m-1) != 0 || len(src) != m*lanes {
		panic(fmt.Sprintf("wht: %d elements for %d lanes", len(src), lanes))
	}
	if len(dst) != len(src) || signs != nil && len(signs) != m {
		panic(fmt.Sprintf("wht: dst has %d elements and signs %d, src has %d rows of %d", len(dst), len(signs), m, lanes))
	}
}
