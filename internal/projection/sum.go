// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "gonum.org/v1/gonum/blas/blas64"

// Sum is columns that are sums of products: column At + i is Constant plus column i of each of the
// Products, one after another.
type Sum struct {
	At, Columns int
	Constant    float64
	Products    []*Product // real, with Columns columns from column 0 on
}

func (s Sum) transform(dst, x blas64.General, b *stackBuffer) {
	s.add(dst, b, func(p *Product, to blas64.General) { p.transform(to, x, b) })
}

// add sets the columns to the sums of the products, of which one is computed at a time.
func (s Sum) add(dst blas64.General, b *stackBuffer, compute func(p *Product, to blas64.General)) {
	for i := range dst.Rows {
		row := dst.Data[i*dst.Stride+s.At:][:s.Columns]
		for j := range row {
			row[j] = s.Constant
		}
	}
	b.products[0] = grown(b.products[0], dst.Rows*s.Columns)
	term := blas64.General{Rows: dst.Rows, Cols: s.Columns, Stride: s.Columns, Data: b.products[0]}
	for _, p := range s.Products {
		compute(p, term)
		for i := range dst.Rows {
			row := dst.Data[i*dst.Stride+s.At:][:s.Columns]
			for j, v := range term.Data[i*s.Columns:][:s.Columns] {
				row[j] += v
			}
		}
	}
}
