// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Rows of numbers are solved as columns of panels: row i is column i%width of panel i/width. They are copied there and
// back a few at a time, so that data fetched for one row serves the others.

// acrossColumns is the number of elements of a few rows that are copied together: they stay in the first-level cache,
// on both sides.
const acrossColumns = 64

// across calls f for parts of a number of rows: rows [i, i+count) with their elements [k, end), and the place at where
// these begin in a buffer of panels of a size.
func (m *Matrix) across(rows, size int, f func(i, count, k, end, at int)) {
	for k := 0; k < m.n; k += acrossColumns {
		for i := 0; i < rows; i += m.strip {
			f(i, min(m.strip, rows-i), k, min(k+acrossColumns, m.n), i/m.width*size+k*m.width+i%m.width)
		}
	}
}

// toPanels copies rows to columns of panels. The other columns of the last panel, and elements below row n, are 0.
func (m *Matrix) toPanels(buf []float64, size int, rows blas64.General) {
	if rows.Rows%m.width > 0 {
		clear(buf[rows.Rows/m.width*size:][:size])
	}
	for p := 0; p*m.width < rows.Rows; p++ {
		clear(buf[p*size+m.n*m.width : (p+1)*size])
	}
	m.across(rows.Rows, size, func(i, count, k, end, at int) {
		from := rows.Data[i*rows.Stride:]
		if squares := (end - k) / m.strip; count == m.strip && squares > 0 && m.tier != tier.Plain {
			transposeAssembly(m.tier, squares, from[k:], rows.Stride, m.strip, buf[at:], m.width, m.strip*m.width)
			k, at = k+squares*m.strip, at+squares*m.strip*m.width
		}
		if k < end {
			transposePlain(count, end-k, from[k:], rows.Stride, buf[at:], m.width)
		}
	})
}

// fromPanels copies columns of panels to rows.
func (m *Matrix) fromPanels(buf []float64, size int, rows blas64.General) {
	m.across(rows.Rows, size, func(i, count, k, end, at int) {
		to := rows.Data[i*rows.Stride:]
		if squares := (end - k) / m.strip; count == m.strip && squares > 0 && m.tier != tier.Plain {
			transposeAssembly(m.tier, squares, buf[at:], m.width, m.strip*m.width, to[k:], rows.Stride, m.strip)
			k, at = k+squares*m.strip, at+squares*m.strip*m.width
		}
		if k < end {
			transposePlain(end-k, count, buf[at:], m.width, to[k:], rows.Stride)
		}
	})
}

// squaredColumns sets dst to the squared norms of columns of panels.
func (m *Matrix) squaredColumns(dst, buf []float64, size int) {
	for first := 0; first < len(dst); first += m.width {
		var sums [maxWidth]float64
		if panel := buf[first/m.width*size:]; m.tier == tier.Plain {
			squaresPlain(m.n, panel, sums[:])
		} else {
			squaresAssembly(m.tier, m.n, panel, sums[:])
		}
		copy(dst[first:], sums[:m.width])
	}
}
