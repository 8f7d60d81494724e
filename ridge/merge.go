// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// Merge adds the rows of b, which has the same map and targets, to a: those of another goroutine, machine or day. Sums
// are added up, so the bits depend on how rows were split, by about 1e-16 of a sum. Merging into an accumulator without
// rows copies the bits of b. Of the rows that both have kept, a keeps those that it has room for: see KeepRows.
//
// b has the same rows afterwards.
//
// It returns an error, and leaves a as it is, if b is nil, if either is a zero value, or if they differ in dimensions,
// targets or maps. Maps are told apart by their features at some points, and those that are made from data by what
// featuremap.Encode writes of them.
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
	case a.identity() != b.identity():
		return errors.New("ridge: b is of another map, whose features differ")
	case b.Rows() > normal.MaxRows-a.Rows():
		return fmt.Errorf("ridge: %d rows and %d more: must be at most %d", a.Rows(), b.Rows(), normal.MaxRows)
	}
	if b.Rows() == 0 {
		return nil
	}
	a.sums.Merge(b.sums)
	for t, s := range b.spans {
		a.spans[t] = a.spans[t].join(s)
	}
	a.diagonal += b.diagonal
	a.beyond += b.beyond
	a.kept.merge(&b.kept)
	return nil
}
