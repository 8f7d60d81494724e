// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// Merge adds the rows of b to a. Both must have the same map and targets; b may come from another goroutine, machine or
// day, and is not changed. Sums are added up, so the bits depend on how rows were split, by about 1e-16 of a sum.
// Merging into an accumulator without rows copies the bits of b. Of the rows that either has kept, a keeps as many as
// it has room for: see KeepRows.
//
// It returns an error, and leaves a as it is, if b is nil, if either is a zero value, or if they differ in dimensions,
// targets or maps. Maps are compared by their features at some points, and maps that are made from data also by the
// output of featuremap.Encode.
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

// MergeInOrder adds the accumulators in n files of Accumulator.WriteTo to dst, from part 0 to part n − 1. The bits are
// those of ReadAccumulator and Merge. It holds one part at a time, always in the same memory: with dst that is two
// sums, (D+T+1)² numbers for D features and T targets.
//
// open returns part i; it may fetch the part from anywhere, and retry. MergeInOrder calls it for one part after the
// other, reads the result to its end and closes it.
//
// The bits of dst depend on the parts and their numbers alone, not on who made them or which was finished first, if
// each part has the same rows in the same order. So do the rows that are kept: the rank of a row follows from its place
// within its part and from its numbers (see KeepRows). Another split into parts changes the bits by about 1e-16 of a
// sum.
//
// It returns an error that begins with the number of the part if open returns an error or nil, if the file is damaged,
// or if Merge refuses the part. Then dst contains all parts before that one, and nothing else. It also returns an error
// if dst is nil or the zero value, if n is negative, or if open is nil.
func MergeInOrder(dst *Accumulator, n int, open func(i int) (io.ReadCloser, error)) error {
	switch {
	case dst == nil:
		return errors.New("ridge: dst = nil")
	case dst.sums == nil:
		return errZero
	case n < 0:
		return fmt.Errorf("ridge: n = %d: must be at least 0", n)
	case open == nil:
		return errors.New("ridge: open = nil")
	case n == 0:
		return nil
	}
	part := newAccumulator(dst.phi, dst.targets)
	part.identity, part.in32 = dst.identity, dst.in32
	part.sums = normal.New(dst.out, dst.targets)
	for i := range n {
		if err := dst.mergePart(part, i, open); err != nil {
			return &partError{i, err}
		}
	}
	return nil
}

// mergePart reads a part into the memory of another accumulator, and merges it.
func (a *Accumulator) mergePart(part *Accumulator, i int, open func(i int) (io.ReadCloser, error)) error {
	r, err := open(i)
	switch {
	case err != nil:
		return err
	case r == nil:
		return errors.New("open has returned nil")
	}
	defer r.Close()
	if _, err := readAccumulator(r, a.in32, func(targets int) (*Accumulator, error) {
		if targets != a.targets {
			return nil, fmt.Errorf("ridge: the data has targets = %d: must be %d", targets, a.targets)
		}
		return part, nil
	}); err != nil {
		return err
	}
	return a.Merge(part)
}

// A partError is the error of a part of MergeInOrder.
type partError struct {
	part int
	err  error
}

func (e *partError) Error() string {
	return fmt.Sprintf("ridge: part %d: %s", e.part, strings.TrimPrefix(e.err.Error(), "ridge: "))
}

func (e *partError) Unwrap() error { return e.err }
