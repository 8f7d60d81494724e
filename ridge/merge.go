// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Merge adds the rows of b, which has the same map and targets, to a: those of another goroutine, machine or day. Sums
// are added up, so the bits depend on how rows were split, by about 1e-16 of a sum. Merging into an accumulator without
// rows copies the bits of b.
//
// b has the same rows afterwards. If a was decoded it still has no map; if b was, that does not matter.
//
// It returns an error, and leaves a as it is, if b is nil, if either is a zero value, or if they differ in dimensions,
// targets or the features of their maps.
func (a *Accumulator) Merge(b *Accumulator) error {
	switch {
	case b == nil:
		return errors.New("ridge: b = nil")
	case a.sums == nil || b.sums == nil:
		return errZero
	case a.in != b.in || a.out != b.out:
		return fmt.Errorf("ridge: b is of a map R^%d → R^%d: must be one R^%d → R^%d", b.in, b.out, a.in, a.out)
	case a.targets != b.targets:
		return fmt.Errorf("ridge: b has targets = %d: must be %d", b.targets, a.targets)
	case a.identity != b.identity:
		return errors.New("ridge: b is of another map, whose features differ")
	case b.rows > maxRows-a.rows:
		return fmt.Errorf("ridge: %d rows and %d more: must be at most %d", a.rows, b.rows, maxRows)
	}
	a.flush()
	b.flush()
	switch {
	case b.rows == 0:
	case a.rows == 0:
		a.rows, a.shift = b.rows, slices.Clone(b.shift)
		a.sums.CopyFrom(b.sums)
	default:
		a.sums.Add(b.sums)
		a.shiftTargets(b)
		a.rows += b.rows
	}
	return nil
}

// shiftTargets adds to a's sums what b's change by when its targets are taken less a's shift in place of its own, which
// adds δ = b.shift − a.shift to each:
//
//	ΦᵀY + Φᵀ1·δᵀ,  YᵀY + (Yᵀ1)δᵀ + δ(Yᵀ1)ᵀ + n·δδᵀ,  Yᵀ1 + n·δ
func (a *Accumulator) shiftTargets(b *Accumulator) {
	add := func(i, j int, v float64) { a.sums.Set(i, j, a.sums.At(i, j)+float64(v)) }
	n := float64(b.rows)
	delta := make([]float64, b.targets)
	for t := range delta {
		delta[t] = b.shift[t] - a.shift[t]
	}
	one := b.out + b.targets // the column of ones
	for t, d := range delta {
		if d != 0 {
			for i := range b.out {
				add(i, b.out+t, d*b.sums.At(i, one))
			}
			add(b.out+t, one, d*n)
		}
		sum := b.sums.At(b.out+t, one)
		for u := t; u < b.targets; u++ {
			if d != 0 || delta[u] != 0 {
				// δᵤ·(Σyₜ + n·δₜ) + δₜ·Σyᵤ
				add(b.out+t, b.out+u, math.FMA(d, b.sums.At(b.out+u, one), delta[u]*math.FMA(n, d, sum)))
			}
		}
	}
}
