// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package krylov solves AX = B for a symmetric positive definite A that is only known by its products with vectors. It
// uses block conjugate gradients, preconditioned by leading eigenvectors that it finds in a sample of the rows from
// which A is made: see docs/theory/iterative.md.
//
// Vectors are rows of a blas64.General as slabs.New makes them. Every sum is a fixed chain, so a solution has the same
// bits on any number of goroutines and on every machine.
package krylov

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Solver solves for all rows of B at once, by block conjugate gradients: all rows share the space that is searched.
//
// Directions do not come from the residuals R. Residuals may be linearly dependent, or nearly so, and become dependent
// as they shrink at different times. Directions come from an orthonormal basis Q of them, which has its own equations
// and is made orthonormal again after each step (Dubrulle 2001, "Retooling the method of block conjugate gradients").
// So equal and similar rows of B do no harm.
//
//	Z = P⁻¹Q, minus a part that makes it conjugate to the last directions;   D = an orthonormal basis of Z
//	X += D(DᵀAD)⁻¹DᵀR;   R −= AD(DᵀAD)⁻¹DᵀR;   Q = an orthonormal basis of Q − AD(DᵀAD)⁻¹DᵀQ
//
// If there are fewer active rows than Q has rows, Q becomes a basis of the active rows' residuals. Rows that are not
// active improve too. Where residuals no longer lie in Q, except for rounding, Q and D are started anew.
type Solver struct {
	X, R         blas64.General              // the solutions so far, and B − AX
	Precondition func(dst, r blas64.General) // sets dst to P⁻¹r
	basis        blas64.General              // Q; no rows: none yet
	directions   blas64.General              // D; no rows: none yet
	products     blas64.General              // AD
	factor       *tiled.Factor               // of DᵀAD
}

const (
	dependent = 1e-12 // a row is dropped if a smaller share of it lies outside the span of others
	covered   = 0.9   // the least share of a residual that must lie in Q
)

// Directions returns the next directions, to be multiplied by A, for the residuals of the active rows. It returns no
// rows if these residuals are zero or the precision of numbers is exhausted.
func (s *Solver) Directions(active []int) blas64.General {
	r := slabs.New(len(active), s.R.Cols)
	for i, t := range active {
		copy(row(r, i), row(s.R, t))
		normalize(row(r, i))
	}
	if !s.cover(r) {
		s.Restart()
		s.basis = Orthonormalize(r, dependent)
	}
	z := slabs.New(s.basis.Rows, s.basis.Cols)
	s.Precondition(z, s.basis)
	if s.directions.Rows > 0 {
		c := slabs.New(z.Rows, s.directions.Rows)
		multiply(c, z, s.products)
		for i := range c.Rows {
			s.solve(row(c, i))
		}
		slabs.Combine(z, s.directions, transposed(c, -1))
	}
	s.directions = Orthonormalize(z, dependent)
	return s.directions
}

// cover makes Q a basis of the rows of r alone if it has more rows, and tells whether these lie in it.
func (s *Solver) cover(r blas64.General) bool {
	if s.basis.Rows == 0 || r.Rows == 0 {
		return false
	}
	c := slabs.New(r.Rows, s.basis.Rows)
	multiply(c, r, s.basis)
	for i := range c.Rows {
		if !(Norm(row(c, i)) >= covered*Norm(row(r, i))) {
			return false
		}
	}
	if r.Rows < s.basis.Rows {
		c = Orthonormalize(c, dependent)
		next := slabs.New(c.Rows, s.basis.Cols)
		slabs.Combine(next, s.basis, transposed(c, 1))
		s.basis = next
	}
	return true
}

// solve overwrites c by (DᵀAD)⁻¹c.
func (s *Solver) solve(c []float64) {
	s.factor.SolveTransVec(c)
	s.factor.SolveVec(c)
}

// Take steps to the smallest error along the directions, given their products AD. It returns the coefficients α, with
// one row for each direction that was used and one column for each row of X; used lists these directions. It keeps
// products.
func (s *Solver) Take(products blas64.General) (alpha blas64.General, used []int) {
	s.products = products
	used = make([]int, s.directions.Rows)
	for i := range used {
		used[i] = i
	}
	for len(used) > 0 {
		bad := s.factorize()
		if bad < 0 {
			break
		}
		s.directions, s.products = without(s.directions, bad), without(s.products, bad)
		used = append(used[:bad], used[bad+1:]...)
	}
	if len(used) == 0 {
		s.directions.Rows = 0
		return slabs.New(0, s.X.Rows), used
	}
	c := slabs.New(s.R.Rows, len(used))
	multiply(c, s.R, s.directions)
	for t := range c.Rows {
		s.solve(row(c, t))
	}
	slabs.Combine(s.X, s.directions, transposed(c, 1))
	slabs.Combine(s.R, s.products, transposed(c, -1))
	q := slabs.New(s.basis.Rows, len(used))
	multiply(q, s.basis, s.directions)
	for i := range q.Rows {
		s.solve(row(q, i))
	}
	slabs.Combine(s.basis, s.products, transposed(q, -1))
	s.basis = Orthonormalize(s.basis, dependent)
	return transposed(c, 1), used
}

// factorize finds the factor of DᵀAD, or returns the index of a direction of which only rounding is left.
func (s *Solver) factorize() (bad int) {
	n := s.directions.Rows
	g := slabs.New(n, n)
	multiply(g, s.directions, s.products)
	m := tiled.New(n)
	for j := range n {
		for i := range j + 1 {
			m.Set(i, j, 0.5*(row(g, i)[j]+row(g, j)[i]))
		}
	}
	const tiny = 1e-13
	s.factor, bad = m.Factorize(tiny)
	return bad
}

// Restart forgets the directions, so that the next step is like a first step.
func (s *Solver) Restart() {
	s.basis, s.directions, s.products, s.factor = blas64.General{}, blas64.General{}, blas64.General{}, nil
}

// Norm returns the Euclidean norm of v, without overflow.
func Norm(v []float64) float64 {
	if square := tiled.Dot(v, v); square > 0x1p-900 && square < 0x1p900 {
		return math.Sqrt(square)
	}
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if !(largest > 0) || math.IsInf(largest, 1) {
		return largest
	}
	_, exponent := math.Frexp(largest)
	var sum float64
	for _, x := range v {
		x = math.Ldexp(x, -exponent)
		sum = math.FMA(x, x, sum)
	}
	return math.Ldexp(math.Sqrt(sum), exponent)
}

// normalize divides v by a power of two near its norm.
func normalize(v []float64) {
	_, exponent := math.Frexp(Norm(v))
	for i, x := range v {
		v[i] = math.Ldexp(x, -exponent)
	}
}

// Orthonormalize returns an orthonormal basis of the rows of z, in their memory, by classical Gram-Schmidt, applied
// twice, in the order of the rows. A row is dropped if no more than a share of least remains of it.
func Orthonormalize(z blas64.General, least float64) blas64.General {
	basis := z
	basis.Rows = 0
	c := slabs.New(1, max(z.Rows, 1))
	for i := range z.Rows {
		v := row(z, i)
		before := Norm(v)
		after := before
		for range 2 {
			if basis.Rows == 0 {
				break
			}
			one := blas64.General{Rows: 1, Cols: z.Cols, Stride: z.Stride, Data: z.Data[i*z.Stride:]}
			coefficients := blas64.General{Rows: 1, Cols: basis.Rows, Stride: c.Stride, Data: c.Data}
			multiply(coefficients, one, basis)
			slabs.Combine(one, basis, transposed(coefficients, -1))
			after = Norm(v)
		}
		if !(after > least*before) || math.IsInf(after, 1) {
			continue
		}
		to := z.Data[basis.Rows*z.Stride:][:z.Cols]
		for k, x := range v {
			to[k] = x / after
		}
		basis.Rows++
	}
	return basis
}

// orthonormalizeMany is Orthonormalize for many rows, block by block. Each block is made orthogonal to the basis so far
// and then orthonormal, twice.
func orthonormalizeMany(z blas64.General, least float64) blas64.General {
	const together = 32
	basis := z
	basis.Rows = 0
	for lo := 0; lo < z.Rows; lo += together {
		block := z
		block.Rows, block.Data = min(together, z.Rows-lo), z.Data[lo*z.Stride:]
		for range 2 {
			if basis.Rows > 0 {
				before := make([]float64, block.Rows)
				for i := range before {
					before[i] = Norm(row(block, i))
				}
				c := slabs.New(block.Rows, basis.Rows)
				multiply(c, block, basis)
				slabs.Combine(block, basis, transposed(c, -1))
				for i, norm := range before {
					if !(Norm(row(block, i)) > least*norm) {
						clear(row(block, i)) // Orthonormalize drops it
					}
				}
			}
			block = Orthonormalize(block, least)
		}
		for i := range block.Rows {
			copy(z.Data[basis.Rows*z.Stride:][:z.Cols], row(block, i))
			basis.Rows++
		}
	}
	return basis
}

// row returns row i of a.
func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride:][:a.Cols] }

// multiply sets dst to a·bᵀ: inner products of rows.
func multiply(dst, a, b blas64.General) {
	if a.Rows > 0 && b.Rows > 0 {
		tiled.Products(dst, a, b.Data, b.Stride)
	}
}

// AddProducts adds a·bᵀ, inner products of long rows, to dst. If dst is symmetric, elements below the diagonal may be
// left out. Each inner product is summed slab by slab of 512 columns. A few rows of b are multiplied by many rows of a
// while they are in the first-level cache; tiled.Products would read all rows of b again for every four rows of a.
func AddProducts(dst, a, b blas64.General, symmetric bool) {
	const slab, few, strip = 512, 8, 64
	parallel.Run(parallel.Func(func(lo, hi int) {
		part := slabs.New(strip, few)
		for ; lo < hi; lo++ {
			from, to := lo*strip, min((lo+1)*strip, a.Rows)
			first := 0
			if symmetric {
				first = from
			}
			for k := 0; k < a.Cols; k += slab {
				n := min(slab, a.Cols-k)
				z := blas64.General{Rows: to - from, Cols: n, Stride: a.Stride, Data: a.Data[from*a.Stride+k:]}
				for j := first; j < b.Rows; j += few {
					part.Rows, part.Cols = to-from, min(few, b.Rows-j)
					tiled.SerialProducts(part, z, b.Data[j*b.Stride+k:], b.Stride)
					for i := range part.Rows {
						sums := dst.Data[(from+i)*dst.Stride+j:]
						for c, v := range row(part, i) {
							sums[c] += v
						}
					}
				}
			}
		}
	}), (a.Rows+strip-1)/strip, 1)
}

// transposed returns a copy of a's transpose, times a sign.
func transposed(a blas64.General, sign float64) blas64.General {
	b := slabs.New(a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range row(a, i) {
			b.Data[j*b.Stride+i] = sign * v
		}
	}
	return b
}

// without returns a copy of a without row i.
func without(a blas64.General, i int) blas64.General {
	b := slabs.New(a.Rows-1, a.Cols)
	for k := range b.Rows {
		from := k
		if k >= i {
			from++
		}
		copy(row(b, k), row(a, from))
	}
	return b
}
