// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "gonum.org/v1/gonum/mat"

// RowProducts returns the inner products of the rows of a and the rows of b, ABᵀ, with the same
// bits on every machine.
func RowProducts(a, b *mat.Dense) *mat.Dense {
	n, in := b.Dims()
	p := New(n, in, Store, 1)
	for i := range n {
		p.Set(i, b.RawRowView(i), 0)
	}
	rows, _ := a.Dims()
	dst := mat.NewDense(rows, n, nil)
	p.Stack().Transform(dst, a)
	return dst
}
