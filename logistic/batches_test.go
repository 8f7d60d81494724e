// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	. "github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A batch of another shape is told by its number and sizes, and the error that rows yield comes back, wrapped, in the first reading and in a later one.
func TestBatchesRefused(t *testing.T) {
	x, classes := rings(60)
	phi := fourier(2, 8)
	broken := errors.New("the disk is gone")
	spoiled := func(reading int, spoil func(b *ridge.Batch) error) iter.Seq2[ridge.Batch, error] {
		times := 0
		return func(yield func(ridge.Batch, error) bool) {
			times++
			number := 0
			for b, err := range batches(x, classes, nil, 20) {
				if times == reading && number == 1 {
					err = spoil(&b)
				}
				if number++; !yield(b, err) {
					return
				}
			}
		}
	}
	for want, spoil := range map[string]func(b *ridge.Batch) error{
		"logistic: rows: batch 1: x = nil":                                   func(b *ridge.Batch) error { b.X = nil; return nil },
		"logistic: rows: batch 1: y = nil":                                   func(b *ridge.Batch) error { b.Y = nil; return nil },
		"logistic: rows: batch 1: y is 20×2: must be 20×1":                   func(b *ridge.Batch) error { b.Y = b.X; return nil },
		"logistic: rows: batch 1: x is 20×1: must have a row, and 2 columns": func(b *ridge.Batch) error { b.X = b.Y; return nil },
		"logistic: rows: batch 1: 3 weights for 20 rows: must be as many":    func(b *ridge.Batch) error { b.Weights = make([]float64, 3); return nil },
		"the disk is gone": func(b *ridge.Batch) error { return broken },
	} {
		for reading := 1; reading <= 4; reading++ {
			m, err := FitBatches(phi, spoiled(reading, spoil), 3, &Options{Memory: 1})
			if m != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "logistic: ") || errors.Is(err, broken) != (want == "the disk is gone") {
				t.Errorf("reading %d: %v, want %s", reading, err, want)
			}
		}
	}
	none := func(func(ridge.Batch, error) bool) {}
	if _, err := FitBatches(phi, none, 3, nil); err == nil || err.Error() != "logistic: rows has no batch: must have 2 rows at least" {
		t.Errorf("no batch: %v", err)
	}
}
