// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package eigen

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

const (
	mostWhole    = 96    // columns up to which all eigenvectors are found
	spareVectors = 8     // vectors of a block beyond those that are asked for
	krylovBlocks = 4     // the least number of blocks of a basis
	leastBasis   = 128   // the least number of vectors of a basis
	mostRestarts = 200   // after which the vectors are returned as they are
	converged    = 1e-11 // the residual at which a vector is good enough, over the largest eigenvalue
	dependent    = 1e-13 // a vector lies in the span of others if it keeps no more of its length outside
)

// Leading returns the k largest eigenvalues of the symmetric matrix a, in descending order, and a matrix whose rows are
// the eigenvectors, orthogonal and of length 1, with signs as in Symmetric. a is positive semidefinite except for
// rounding. All its elements are read, row by row.
//
// The method is the block Krylov method of Musco and Musco 2015 ("Randomized block Krylov methods for stronger and
// faster approximate singular value decomposition"), restarted. A block of k + 8 vectors is multiplied by a three times
// or more. The best approximations to eigenvectors in the span of all these blocks (Rayleigh and Ritz) become the next
// block, until ‖av − θv‖ is below 1e-11 of the largest eigenvalue for each of the k. The error of an eigenvalue is of
// the order of the square of this residual. The first block is always the same pseudo-random one.
//
// It returns an error if k is less than 1 or more than the number of rows of a, or if an element is NaN, Inf or too
// large.
func Leading(a blas64.General, k int) (values []float64, vectors *mat.Dense, err error) {
	n := a.Rows
	if k < 1 || k > n {
		return nil, nil, fmt.Errorf("eigen: k = %d: must be from 1 to %d", k, n)
	}
	size := 0.0
	for i := range n {
		for j, v := range a.Data[i*a.Stride:][:n] {
			if !(math.Abs(v) < limit) {
				return nil, nil, fmt.Errorf("eigen: element %d, %d = %v: must be finite and less than 2^500 in magnitude", i, j, v)
			}
			size = max(size, math.Abs(v))
		}
	}
	block := k + spareVectors
	if n <= max(mostWhole, 2*block) || size == 0 {
		return leadingOfAll(a, k)
	}
	b := newKrylov(a, min(max(krylovBlocks*block, leastBasis), n))
	b.scale = scaleOf(size)
	b.append(startingBlock(block, n))
	for range mostRestarts {
		if err := b.grow(); err != nil {
			return nil, nil, err
		}
		if b.residual(k) <= converged*b.values[0] {
			break
		}
		b.restart(block)
	}
	vectors = mat.NewDense(k, n, nil)
	for i := range k {
		vectors.SetRow(i, pointed(b.ritz(b.rows, i)))
	}
	scaleBy(b.values, 1/b.scale)
	return b.values[:k], vectors, nil
}

// leadingOfAll is Leading for small matrices, by Symmetric.
func leadingOfAll(a blas64.General, k int) ([]float64, *mat.Dense, error) {
	s := mat.NewSymDense(a.Rows, nil)
	for i := range a.Rows {
		for j := i; j < a.Rows; j++ {
			s.SetSym(i, j, a.Data[i*a.Stride+j])
		}
	}
	values, vectors, err := Symmetric(s)
	if err != nil {
		return nil, nil, err
	}
	return values[:k], mat.DenseCopyOf(vectors.Slice(0, k, 0, a.Rows)), nil
}

// startingBlock returns pseudo-random vectors of numbers from −1 to 1.
func startingBlock(vectors, n int) blas64.General {
	b := newBlock(vectors, n)
	for i := range vectors {
		for j := range n {
			b.Data[i*b.Stride+j] = float64(int64(splitmix.Output(1, uint64(i*n+j)))) * 0x1p-63
		}
	}
	return b
}

func newBlock(vectors, n int) blas64.General {
	stride := tiled.Stride(n)
	return blas64.General{Rows: vectors, Cols: n, Stride: stride, Data: make([]float64, vectors*stride)}
}

func row(b blas64.General, i int) []float64 { return b.Data[i*b.Stride:][:b.Cols] }

// between returns the rows [lo, hi) of b.
func between(b blas64.General, lo, hi int) blas64.General {
	b.Rows, b.Data = hi-lo, b.Data[lo*b.Stride:]
	return b
}

// A krylov is an orthonormal basis, its products with the matrix, and the approximations to eigenvectors in its span.
type krylov struct {
	a             blas64.General
	scale         float64        // multiplies a, so that no square underflows
	rows, images  blas64.General // vectors and their products with a; Rows says for how many there is room
	n             int            // the number of vectors
	last          int            // vectors from here on were added last
	values        []float64      // descending
	combinations  *mat.Dense     // row i combines the vectors to approximation i
	inner, beside []float64      // memory for inner products
}

func newKrylov(a blas64.General, most int) *krylov {
	return &krylov{a: a, rows: newBlock(most, a.Rows), images: newBlock(most, a.Rows)}
}

// append adds the parts of the vectors of v that are orthogonal to all vectors of the basis, while there is room, and
// their images. It overwrites v. Vectors whose part is only rounding are left out.
func (k *krylov) append(v blas64.General) {
	k.last = k.n
	before := make([]float64, v.Rows)
	for i := range before {
		before[i] = math.Sqrt(chain.Dot(row(v, i), row(v, i)))
	}
	k.subtract(v)
	for i := 0; i < v.Rows && k.n < k.rows.Rows; i++ {
		w := row(v, i)
		norm := k.orthogonalise(w, dependent*before[i])
		if !(norm > dependent*before[i]) {
			continue
		}
		u := row(k.rows, k.n)
		for j := range u {
			u[j] = w[j] / norm
		}
		k.n++
	}
	if k.n > k.last {
		images := between(k.images, k.last, k.n)
		tiled.Products(images, between(k.rows, k.last, k.n), k.a.Data, k.a.Stride)
		for i := range images.Rows {
			scaleBy(row(images, i), k.scale)
		}
	}
}

// orthogonalise subtracts from w its projection on the basis. It repeats this until little changes, because rounding
// errors grow relative to a shrinking w. It returns the length of w, and stops when the length is least or below.
func (k *krylov) orthogonalise(w []float64, least float64) (norm float64) {
	norm = math.Sqrt(chain.Dot(w, w))
	for norm > least {
		before := norm
		for j := range k.n {
			u := row(k.rows, j)
			chain.Add(w, -chain.Dot(w, u), u)
		}
		if norm = math.Sqrt(chain.Dot(w, w)); norm > before/2 {
			break
		}
	}
	return norm
}

// subtract takes from each row of v its projection on the basis.
func (k *krylov) subtract(v blas64.General) {
	if k.n == 0 {
		return
	}
	stride := k.n
	k.inner = append(k.inner[:0], make([]float64, v.Rows*stride)...)
	inner := blas64.General{Rows: v.Rows, Cols: k.n, Stride: stride, Data: k.inner}
	tiled.Products(inner, v, k.rows.Data, k.rows.Stride)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j := range k.n {
				chain.Add(row(v, i), -k.inner[i*stride+j], row(k.rows, j))
			}
		}
	}), v.Rows, 1)
}

// grow adds images of the last block, then images of these, and so on, until there is no room or nothing new. Then it
// computes the approximations.
func (k *krylov) grow() error {
	for k.n < k.rows.Rows {
		next := newBlock(k.n-k.last, k.a.Rows)
		copy(next.Data, between(k.images, k.last, k.n).Data)
		if k.append(next); k.n == k.last {
			break
		}
	}
	h := mat.NewSymDense(k.n, nil)
	k.beside = append(k.beside[:0], make([]float64, k.n*k.n)...)
	tiled.Products(blas64.General{Rows: k.n, Cols: k.n, Stride: k.n, Data: k.beside}, between(k.rows, 0, k.n), k.images.Data, k.images.Stride)
	for i := range k.n {
		for j := i; j < k.n; j++ {
			h.SetSym(i, j, k.beside[i*k.n+j]/2+k.beside[j*k.n+i]/2)
		}
	}
	var err error
	k.values, k.combinations, err = Symmetric(h)
	return err
}

// ritz returns combination i of the vectors.
func (k *krylov) ritz(vectors blas64.General, i int) []float64 {
	v := make([]float64, vectors.Cols)
	for j, c := range k.combinations.RawRowView(i) {
		chain.Add(v, c, row(vectors, j))
	}
	return v
}

// residual returns the largest ‖av − θv‖ of the first approximations.
func (k *krylov) residual(count int) float64 {
	residuals := make([]float64, min(count, k.n))
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r := k.ritz(k.images, i)
			chain.Add(r, -k.values[i], k.ritz(k.rows, i))
			residuals[i] = math.Sqrt(chain.Dot(r, r))
		}
	}), len(residuals), 1)
	worst := 0.0
	for _, r := range residuals {
		worst = max(worst, r)
	}
	return worst
}

// restart keeps the first approximations as the basis and as the last block.
func (k *krylov) restart(count int) {
	count = min(count, k.n)
	next := newBlock(count, k.a.Rows)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(row(next, i), k.ritz(k.rows, i))
		}
	}), count, 1)
	k.n = 0
	k.append(next)
}
