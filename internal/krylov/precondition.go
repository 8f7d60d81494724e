// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package krylov

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Preconditioner holds leading eigenvectors V of ΦᵀΦ, orthonormal, and Θ = VᵀΦᵀΦV, both estimated from a sample of m
// rows. As a preconditioner of ΦᵀΦ + λI it is
//
//	P⁻¹ = I + V((θ + λ)(Θ + λI)⁻¹ − I)Vᵀ,
//
// with θ about the smallest eigenvalue of Θ. One V serves all λ.
type Preconditioner struct {
	v     blas64.General // one row an eigenvector
	theta *tiled.Matrix
	least float64 // θ
}

const (
	powerSteps = 3
	dependency = 1e-12 // rows of the power iteration are dropped if no more of them is left
	negligible = 1e-11 // eigenvalues below this share of the largest are rounding errors
)

// Eigenvectors finds a Preconditioner with up to count eigenvectors from K = ΦₘΦₘᵀ, where Φₘ is a sample of the rows
// and ΦᵀΦ is about scale·ΦₘᵀΦₘ. It returns nil if K is 0.
//
// Three block power steps give an orthonormal Q, then M = QᵀKQ = UᵀU, V = ΦₘᵀQU⁻¹ and Θ = scale·UUᵀ. normal fills a
// slice with normal variates. each calls add with all rows of Φₘ in turn, block by block.
func Eigenvectors(k blas64.General, count int, scale float64, columns int, normal func([]float64), each func(add func(first int, rows blas64.General))) *Preconditioner {
	q, m := basis(k, count, normal)
	if q.Rows == 0 {
		return nil
	}
	u, _ := m.Factorize(0)
	for u == nil { // rounding has made M indefinite: use fewer eigenvectors
		if q = (blas64.General{Rows: q.Rows / 2, Cols: q.Cols, Stride: q.Stride, Data: q.Data}); q.Rows == 0 {
			return nil
		}
		_, m = projected(k, q)
		u, _ = m.Factorize(0)
	}
	c := transposed(q, 1)
	u.SolveTransVecs(c)
	p := &Preconditioner{v: slabs.New(q.Rows, columns)}
	each(func(first int, rows blas64.General) {
		part := c
		part.Rows, part.Data = rows.Rows, c.Data[first*c.Stride:]
		slabs.Combine(p.v, rows, part)
	})
	p.theta, p.least = outer(u, scale)
	return p
}

// basis returns the Q and M of Eigenvectors.
func basis(k blas64.General, count int, normal func([]float64)) (q blas64.General, m *tiled.Matrix) {
	q = slabs.New(count, k.Cols)
	for i := range q.Rows {
		normal(row(q, i))
	}
	for range powerSteps {
		q = orthonormalizeMany(q, dependency)
		next := slabs.New(q.Rows, q.Cols)
		AddProducts(next, q, k, false)
		q = next
	}
	q = orthonormalizeMany(q, dependency)
	if q.Rows == 0 {
		return q, nil
	}
	diagonal, m := projected(k, q)
	var largest float64
	for _, v := range diagonal {
		largest = max(largest, v)
	}
	kept := q
	kept.Rows = 0
	for i, v := range diagonal {
		if v > negligible*largest {
			copy(q.Data[kept.Rows*q.Stride:][:q.Cols], row(q, i))
			kept.Rows++
		}
	}
	if kept.Rows < q.Rows && kept.Rows > 0 {
		_, m = projected(k, kept)
	}
	return kept, m
}

// projected returns M = QᵀKQ, and its diagonal.
func projected(k, q blas64.General) (diagonal []float64, m *tiled.Matrix) {
	n := q.Rows
	y, g := slabs.New(n, q.Cols), slabs.New(n, n)
	AddProducts(y, q, k, false)
	AddProducts(g, y, q, false)
	m = tiled.New(n)
	for j := range n {
		for i := range j + 1 {
			m.Set(i, j, 0.5*(row(g, i)[j]+row(g, j)[i]))
		}
	}
	diagonal = make([]float64, n)
	m.Diagonal(diagonal)
	return diagonal, m
}

// outer returns Θ = scale·UUᵀ, and 1/max diag Θ⁻¹.
func outer(u *tiled.Factor, scale float64) (theta *tiled.Matrix, least float64) {
	n := u.Dim()
	rows, column := slabs.New(n, n), make([]float64, n)
	inverse := slabs.New(n, n)
	for j := range n {
		u.Column(column, j)
		for i, v := range column[:j+1] {
			rows.Data[i*rows.Stride+j] = v
		}
		inverse.Data[j*inverse.Stride+j] = 1
	}
	g := slabs.New(n, n)
	multiply(g, rows, rows)
	theta = tiled.New(n)
	for j := range n {
		for i := range j + 1 {
			theta.Set(i, j, scale*row(g, i)[j])
		}
	}
	u.SolveVecs(inverse)
	var largest float64
	for i := range n {
		largest = max(largest, tiled.Dot(row(inverse, i), row(inverse, i)))
	}
	return theta, scale / largest
}

// Least returns θ, or 0 for a nil Preconditioner. P⁻¹/(θ + λ) is about (ΦᵀΦ + λI)⁻¹ in the space of V, and no larger
// outside it if θ is the smallest eigenvalue there.
func (p *Preconditioner) Least() float64 {
	if p == nil {
		return 0
	}
	return p.least
}

// At returns a function that sets dst to P⁻¹r for λ. For a nil Preconditioner it copies r.
func (p *Preconditioner) At(lambda float64) func(dst, r blas64.General) {
	if p == nil {
		return copyRows
	}
	n := p.v.Rows
	m := tiled.New(n)
	m.CopyFrom(p.theta)
	m.AddDiagonal(lambda)
	factor, bad := m.Factorize(0)
	if bad >= 0 {
		return copyRows
	}
	return func(dst, r blas64.General) {
		copyRows(dst, r)
		c := slabs.New(r.Rows, n)
		multiply(c, r, p.v)
		for i := range c.Rows {
			y := row(c, i)
			z := append([]float64(nil), y...)
			factor.SolveTransVec(z)
			factor.SolveVec(z)
			for k := range y {
				y[k] = math.FMA(p.least+lambda, z[k], -y[k])
			}
		}
		slabs.Combine(dst, p.v, transposed(c, 1))
	}
}

// copyRows copies the rows of r into dst.
func copyRows(dst, r blas64.General) {
	for i := range r.Rows {
		copy(row(dst, i), row(r, i))
	}
}
