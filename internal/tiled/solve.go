// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Dim returns the number of rows and columns.
func (f *Factor) Dim() int { return f.u.n }

// Column sets dst to the elements of rows 0 to j of column j.
func (f *Factor) Column(dst []float64, j int) { f.u.Column(dst, j) }

// Row sets dst[j] to the element i, j, for j from i on.
func (f *Factor) Row(dst []float64, i int) { f.u.Row(dst, i) }

// Rows returns the rows of U one after another, each from the diagonal on.
func (f *Factor) Rows() []float64 {
	n := f.u.n
	all := make([]float64, n*(n+1)/2)
	for i, rest := 0, all; i < n; i++ {
		for first := i / f.u.width * f.u.width; first < n; first += f.u.width {
			lo, end := max(i, first), min(first+f.u.width, n)
			rest = rest[copy(rest, f.u.panel(first / f.u.width)[i*f.u.width:][lo-first:end-first]):]
		}
	}
	return all
}

// At returns the element i ≤ j of U.
func (f *Factor) At(i, j int) float64 { return f.u.At(i, j) }

// SolveTransVec overwrites b by the solution of Uᵀx = b:
//
//	xⱼ = (bⱼ − Σ uₖⱼ·xₖ)·(1/uⱼⱼ), k = 0, 1, …, j−1
func (f *Factor) SolveTransVec(b []float64) {
	m := f.u
	for first := 0; first < m.n; first += m.width {
		x := b[first:m.n]
		if len(x) >= m.width {
			f.solveRows(1, first, b, x, 0)
			continue
		}
		var padded [maxWidth]float64
		copy(padded[:], x)
		f.solveRows(1, first, b, padded[:], 0)
		copy(x, padded[:])
	}
}

// solveRows is solveRowsPlain, from row and column k of U on, in the instructions of the factor's tier.
func (f *Factor) solveRows(rows, k int, b, x []float64, stride int) {
	panel, inverse := f.u.panel(k/f.u.width), f.inverse[k:]
	if f.u.tier == tier.Plain {
		solveRowsPlain(rows, k, panel, b, x, stride, inverse)
		return
	}
	solveRowsAssembly(f.u.tier, rows, k, panel, b, x, stride, inverse)
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

// SolveVecs overwrites each row of b by the solution of Ux = row, with the bits of SolveVec, with up to GOMAXPROCS
// goroutines.
func (f *Factor) SolveVecs(b blas64.General) {
	parallel.Run(parallel.Func(func(lo, hi int) {
		if hi-lo == solvedTogether {
			f.solveTogether(b.Data[lo*b.Stride:], b.Stride)
			return
		}
		for ; lo < hi; lo++ {
			f.SolveVec(b.Data[lo*b.Stride:][:b.Cols])
		}
	}), b.Rows, solvedTogether)
}

// solvedTogether is the number of vectors whose chains hide each other's latency.
const solvedTogether = 4

// solveTogether is SolveVec for the vectors that begin at 0, stride, 2·stride and 3·stride.
func (f *Factor) solveTogether(b []float64, stride int) {
	m := f.u
	b0, b1, b2, b3 := b[:m.n], b[stride:][:m.n], b[2*stride:][:m.n], b[3*stride:][:m.n]
	for p := m.panels() - 1; p >= 0; p-- {
		first, panel := p*m.width, m.panel(p)
		end := min(first+m.width, m.n)
		for i := end - 1; i >= 0; i-- {
			row := panel[i*m.width:]
			v0, v1, v2, v3 := b0[i], b1[i], b2[i], b3[i]
			for j := end - 1; j >= max(first, i+1); j-- {
				u := -row[j-first]
				v0 = math.FMA(u, b0[j], v0)
				v1 = math.FMA(u, b1[j], v1)
				v2 = math.FMA(u, b2[j], v2)
				v3 = math.FMA(u, b3[j], v3)
			}
			if i >= first {
				inverse := f.inverse[i]
				v0, v1, v2, v3 = v0*inverse, v1*inverse, v2*inverse, v3*inverse
			}
			b0[i], b1[i], b2[i], b3[i] = v0, v1, v2, v3
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

// SolveTransVecs overwrites each row by the solution of Uᵀx = row, with the bits of SolveTransVec, with up to
// GOMAXPROCS goroutines.
func (f *Factor) SolveTransVecs(rows blas64.General) { f.solveAll(rows, nil, 0) }

// SquaredNorms sets dst to the SquaredNorm of each row, with up to GOMAXPROCS goroutines. It does not change rows.
func (f *Factor) SquaredNorms(dst []float64, rows blas64.General) { f.solveAll(rows, dst, 0) }

const (
	packedRows   = 48 // rows that are solved together as columns of panels: whole panels in every tier
	rowsTogether = 4  // rows that are solved together in their own layout, and read the factor once
	fewRows      = 8  // up to this number, rows are solved in their own layout
)

// solving is the solution of Uᵀx = row for some rows, a parallel.Task.
type solving struct {
	f     *Factor
	rows  blas64.General
	norms []float64 // set to the squared norms of the solutions; nil: the solutions overwrite the rows
	few   bool
	zeros int // the number of leading elements that are 0 in each row, and so in its solution
}

// solvings and buffers are memory of solveAll, which allocates nothing once they are filled.
var solvings, buffers sync.Pool // of *solving, and of *[]float64

// solveAll solves Uᵀx = row for all rows, which begin with a number of zeros.
func (f *Factor) solveAll(rows blas64.General, norms []float64, zeros int) {
	s, ok := solvings.Get().(*solving)
	if !ok {
		s = new(solving)
	}
	*s = solving{f, rows, norms, rows.Rows <= fewRows, zeros}
	grain := packedRows
	if s.few {
		grain = rowsTogether
	}
	parallel.Run(s, rows.Rows, grain)
	*s = solving{}
	solvings.Put(s)
}

// buffer returns aligned memory for at least n numbers.
func buffer(n int) *[]float64 {
	if b, ok := buffers.Get().(*[]float64); ok && len(*b) >= n {
		return b
	}
	b := aligned(n)
	return &b
}

// Do solves the rows [lo, hi).
func (s *solving) Do(lo, hi int) {
	f, m := s.f, s.f.u
	part := s.rows
	part.Rows, part.Data = hi-lo, s.rows.Data[lo*s.rows.Stride:]
	if s.few {
		stride := Stride(len(f.inverse))
		b := buffer(rowsTogether * stride)
		f.solveFew(part, 0, *b, stride)
		for i := range part.Rows {
			s.finish(lo+i, (*b)[i*stride:][:m.n])
		}
		buffers.Put(b)
		return
	}
	b, size := buffer(packedRows*len(f.inverse)), len(f.inverse)*m.width
	f.solvePacked(part, *b, s.zeros)
	if s.norms == nil {
		m.fromPanels(*b, size, part)
	} else {
		m.squaredColumns(s.norms[lo:hi], *b, size)
	}
	buffers.Put(b)
}

// finish stores the solution x for row i.
func (s *solving) finish(i int, x []float64) {
	if s.norms == nil {
		copy(s.rows.Data[i*s.rows.Stride:], x)
		return
	}
	var sum float64
	for _, v := range x {
		sum = math.FMA(v, v, sum)
	}
	s.norms[i] = sum
}

// solveFew solves Uᵀx = row for up to rowsTogether rows from the first on, in rows of buf.
func (f *Factor) solveFew(rows blas64.General, first int, buf []float64, stride int) {
	count, solved := min(rows.Rows-first, rowsTogether), 1
	if count > 1 {
		solved = rowsTogether // the missing rows and the padding may have any values: no other number depends on them
	}
	for i := range count {
		copy(buf[i*stride:], rows.Data[(first+i)*rows.Stride:][:f.u.n])
	}
	for k := 0; k < f.u.n; k += f.u.width {
		f.solveRows(solved, k, buf, buf[k:], stride)
	}
}

// solvePacked solves Uᵀx = row for up to packedRows rows, which begin with a number of zeros, as columns of panels
// in buf.
func (f *Factor) solvePacked(rows blas64.General, buf []float64, zeros int) {
	m := f.u
	panels := (rows.Rows + m.width - 1) / m.width
	size := len(f.inverse) * m.width
	m.toPanels(buf, size, rows)
	first := zeros / m.width // whole panels of rows whose terms do not change any chain
	for s := first * m.width / m.strip; s < len(f.inverse)/m.strip; s++ {
		a, u := m.columns(s, first*m.width)
		for p := range panels {
			f.solve(s*m.strip-first*m.width, a, buf[p*size+first*m.width*m.width:], u, f.inverse[s*m.strip:])
		}
	}
}

// InverseDiagonal sets dst to the diagonal of A⁻¹ = U⁻¹U⁻ᵀ, with up to GOMAXPROCS goroutines: the squared norms of the
// rows of U⁻¹. Columns of U⁻¹ are computed a few at a time, from the leading part of U that determines them. It takes
// about n³/6 multiply-adds.
func (f *Factor) InverseDiagonal(dst []float64) {
	const together = 256
	n, g := f.Dim(), f.Turned().g
	clear(dst[:n])
	stride := Stride(n)
	memory := make([]float64, min(n, together)*stride)
	for lo := 0; lo < n; lo += together {
		hi := min(lo+together, n)
		clear(memory)
		columns := blas64.General{Rows: hi - lo, Cols: n, Stride: stride, Data: memory}
		for i := lo; i < hi; i++ {
			columns.Data[(i-lo)*stride+n-1-i] = 1
		}
		g.solveAll(columns, nil, n-hi) // from the last coordinate to the first: those before are 0
		for i := range columns.Rows {
			column := columns.Data[i*stride:][:n]
			for j := range lo + i + 1 {
				v := column[n-1-j]
				dst[j] = math.FMA(v, v, dst[j])
			}
		}
	}
}
