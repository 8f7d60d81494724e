// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Accumulate returns the sums of all rows of r.
func Accumulate(phi featuremap.FeatureMap, r Reader) (*ridge.Accumulator, error) {
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		return nil, err
	}
	in, _ := phi.Dims()
	if _, err := Add(a, in, r, math.MaxInt); err != io.EOF {
		return nil, err
	}
	return a, nil
}

// Up to chainMost parts are merged as one chain. With more, groups of groupSize in order are merged first, so that many
// workers can do it.
const chainMost, groupSize = 64, 32

// A Group is the parts from Lo up to, but not including, Hi.
type Group struct{ Lo, Hi int }

// Groups returns the groups of n parts that are merged first; nil if all are one chain. All programs that use these
// groups get the same bits.
func Groups(n int) (groups []Group) {
	if n <= chainMost {
		return nil
	}
	for lo := 0; lo < n; lo += groupSize {
		groups = append(groups, Group{lo, min(lo+groupSize, n)})
	}
	return groups
}

// Merge returns the sums of n parts, merged by Groups. open returns a part as ridge.Accumulator.WriteTo wrote it. Two
// sums are in memory at a time; the sums of a group are written to a temporary file in the folder dir, or in the
// default folder if dir is "". If show is not nil, it is called before each part with the number of rows merged so far.
func Merge(phi featuremap.FeatureMap, n int, dir string, open func(i int) (io.ReadCloser, error), show func(i, rows int)) (all *ridge.Accumulator, err error) {
	groups := Groups(n)
	if groups == nil {
		return Chain(phi, Group{0, n}, open, show)
	}
	files := make([]*os.File, len(groups))
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close()
				err = errors.Join(err, os.Remove(f.Name()))
			}
		}
	}()
	for g, group := range groups {
		a, err := Chain(phi, group, open, show)
		if err != nil {
			return nil, err
		}
		if files[g], err = os.CreateTemp(dir, "group-*.acc"); err != nil {
			return nil, err
		}
		w := bufio.NewWriterSize(files[g], 1<<16)
		if _, err = a.WriteTo(w); err == nil {
			err = w.Flush()
		}
		if err == nil {
			_, err = files[g].Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, err
		}
	}
	all, err = Chain(phi, Group{0, len(groups)}, func(g int) (io.ReadCloser, error) { return io.NopCloser(files[g]), nil }, nil)
	var group *PartError
	if errors.As(err, &group) { // not the number of a part of the caller
		return nil, fmt.Errorf("%s: %w", files[group.Part].Name(), group.Err)
	}
	return all, err
}

// Chain returns the sums of the parts of a group, merged in the order of their numbers. Errors name the part by its
// number.
func Chain(phi featuremap.FeatureMap, group Group, open func(i int) (io.ReadCloser, error), show func(i, rows int)) (*ridge.Accumulator, error) {
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		return nil, err
	}
	last := group.Lo
	err = ridge.MergeInOrder(a, group.Hi-group.Lo, func(i int) (io.ReadCloser, error) {
		last = group.Lo + i
		if show != nil {
			show(last, a.Rows())
		}
		return open(last)
	})
	if err != nil {
		return nil, &PartError{last, err}
	}
	return a, nil
}

// A PartError is the error of a part.
type PartError struct {
	Part int
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("part %d: %v", e.Part, e.Err) }

func (e *PartError) Unwrap() error { return e.Err }
