// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// Dim returns the number of rows and columns.
func (f *Factor) Dim() int { return f.u.n }

// Column sets dst to the elements of rows 0 to j of column j.
func (f *Factor) Column(dst []float64, j int) { f.u.Column(dst, j) }

// At returns the element i ≤ j of U.
func (f *Factor) At(i, j int) float64 { return f.u.At(i, j) }

// SolveTransVec overwrites b by the solution of Uᵀx = b:
//
//	xⱼ = (bⱼ − Σ uₖⱼ·xₖ)·(1/uⱼⱼ), k = 0, 1, …, j−1
func (f *Factor) SolveTransVec(b []float64) {
	m := f.u
	for first := 0; first < m.n; first += m.width {
		panel := m.panel(first / m.width)
		x := b[first:min(first+m.width, m.n)]
		for j := 0; j < len(x); j += 4 {
			foldColumns(x[j:min(j+4, len(x))], panel[j:], m.width, b[:first])
		}
		for r := range x {
			row := panel[(first+r)*m.width:]
			x[r] *= f.inverse[first+r]
			for j := r + 1; j < len(x); j++ {
				x[j] = math.FMA(-row[j], x[r], x[j])
			}
		}
	}
}

// foldColumns subtracts from up to four elements of x the products of their columns, which are side by side, and b.
func foldColumns(x, columns []float64, stride int, b []float64) {
	if len(x) < 4 {
		for j, v := range x {
			for k, w := range b {
				v = math.FMA(-columns[k*stride+j], w, v)
			}
			x[j] = v
		}
		return
	}
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	for k, w := range b {
		u := (*[4]float64)(columns[k*stride:])
		x0 = math.FMA(-u[0], w, x0)
		x1 = math.FMA(-u[1], w, x1)
		x2 = math.FMA(-u[2], w, x2)
		x3 = math.FMA(-u[3], w, x3)
	}
	x[0], x[1], x[2], x[3] = x0, x1, x2, x3
}

// SolveVec overwrites b by the solution of Ux = b:
//
//	xᵢ = (bᵢ − Σ uᵢⱼ·xⱼ)·(1/uᵢᵢ), j = n−1, n−2, …, i+1
func (f *Factor) SolveVec(b []float64) {
	m := f.u
	for p := m.panels() - 1; p >= 0; p-- {
		first := p * m.width
		panel := m.panel(p)
		x := b[first:min(first+m.width, m.n)]
		for r := len(x) - 1; r >= 0; r-- {
			x[r] *= f.inverse[first+r]
			for i := range r {
				x[i] = math.FMA(-panel[(first+i)*m.width+r], x[r], x[i])
			}
		}
		foldRows(b[:first], panel, m.width, x)
	}
}

// foldRows subtracts from each element of b the products of its row and x, from the last to the first.
func foldRows(b, rows []float64, stride int, x []float64) {
	i := 0
	for ; i+4 <= len(b); i += 4 {
		b0, b1, b2, b3 := b[i], b[i+1], b[i+2], b[i+3]
		r0, r1, r2, r3 := rows[i*stride:][:len(x)], rows[(i+1)*stride:][:len(x)], rows[(i+2)*stride:][:len(x)], rows[(i+3)*stride:][:len(x)]
		for j := len(x) - 1; j >= 0; j-- {
			b0 = math.FMA(-r0[j], x[j], b0)
			b1 = math.FMA(-r1[j], x[j], b1)
			b2 = math.FMA(-r2[j], x[j], b2)
			b3 = math.FMA(-r3[j], x[j], b3)
		}
		b[i], b[i+1], b[i+2], b[i+3] = b0, b1, b2, b3
	}
	for ; i < len(b); i++ {
		for j := len(x) - 1; j >= 0; j-- {
			b[i] = math.FMA(-rows[i*stride+j], x[j], b[i])
		}
	}
}

// SquaredNorm returns ‖U⁻ᵀb‖² = bᵀA⁻¹b, one chain in the order of the coordinates. It overwrites b by U⁻ᵀb.
func (f *Factor) SquaredNorm(b []float64) float64 {
	f.SolveTransVec(b)
	var sum float64
	for _, v := range b {
		sum = math.FMA(v, v, sum)
	}
	return sum
}

// SquaredNorms sets dst to the SquaredNorm of each row, which it leaves as it is, over up to GOMAXPROCS goroutines.
func (f *Factor) SquaredNorms(dst []float64, rows blas64.General) {
	buffers := sync.Pool{New: func() any {
		b := aligned(normRows * len(f.inverse))
		return &b
	}}
	parallel.Run(parallel.Func(func(lo, hi int) {
		b := buffers.Get().(*[]float64)
		part := rows
		part.Rows, part.Data = hi-lo, rows.Data[lo*rows.Stride:]
		f.squaredNorms(dst[lo:hi], part, *b)
		buffers.Put(b)
	}), rows.Rows, normRows)
}

// normRows is the number of rows that are solved together, of whole panels in every tier.
const normRows = 48

// squaredNorms does so for up to normRows rows, which it solves as columns of panels in buf.
func (f *Factor) squaredNorms(dst []float64, rows blas64.General, buf []float64) {
	m := f.u
	size := len(f.inverse) * m.width
	panels := (rows.Rows + m.width - 1) / m.width
	clear(buf[:panels*size])
	for i := range rows.Rows {
		column := buf[i/m.width*size+i%m.width:]
		for k, v := range rows.Data[i*rows.Stride : i*rows.Stride+m.n] {
			column[k*m.width] = v
		}
	}
	for s := range len(f.inverse) / m.strip {
		a, u := m.columns(s, 0)
		for p := range panels {
			f.solve(s*m.strip, a, buf[p*size:], u, f.inverse[s*m.strip:])
		}
	}
	for i := range dst {
		column := buf[i/m.width*size+i%m.width:]
		var sum float64
		for k := range m.n {
			sum = math.FMA(column[k*m.width], column[k*m.width], sum)
		}
		dst[i] = sum
	}
}
