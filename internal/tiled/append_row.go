// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import "gonum.org/v1/gonum/blas/blas64"

// AppendRow adds one row, minus the Shift, to the block, in which there must be room. It refuses a row with NaN or with
// a number whose magnitude is the limit or more. It tells whether it added the row. It allocates nothing.
func (b *Block) AppendRow(row []float64) bool {
	a := appending{b: b, rows: blas64.General{Rows: 1, Cols: len(row), Stride: len(row), Data: row}}
	a.Do(0, (b.n+b.strip-1)/b.strip)
	if a.bad.Load() {
		return false
	}
	b.rows++
	return true
}
