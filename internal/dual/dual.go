// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dual is ridge regression by the inner products of rows: of n rows it solves in n×n numbers, however many features there are, and may
// have a kernel matrix for these products. With weights w, q = √w, N = Σw, u = q/√N and the kernel matrix K, k = Kw/N and κ = wᵀk/N, the
// regression with an intercept that is not penalized is
//
//	K̃ᵢⱼ = qᵢqⱼ(Kᵢⱼ − kᵢ − kⱼ + κ),  M = K̃ + λI + c·uuᵀ,  α = M⁻¹v,  v = q∘(y − ȳ)
//
// for any c > 0, since uᵀv = 0: with c = tr K̃/n, the null vector u of K̃ does no harm to what is told by M⁻¹.
package dual

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Rows are the targets and weights of n rows, to which kernels are fitted. It is not for concurrent use.
type Rows struct {
	n       int
	q, u    []float64      // roots of weights; of their shares in the sum of all
	shares  []float64      // of weights in their sum
	targets blas64.General // v, a row a target
	k, m    *tiled.Matrix  // K̃ + c·uuᵀ; room for M
	c       float64        // of uuᵀ: tr K̃/n

	column, inverse []float64 // room for n numbers
	alpha           blas64.General
}

// NewRows returns n rows of T targets, y, with weights that are positive; nil: 1 for each.
func NewRows(y mat.Matrix, weights []float64) *Rows {
	n, targets := y.Dims()
	r := &Rows{n: n, k: tiled.New(n), m: tiled.New(n), column: make([]float64, n), inverse: make([]float64, n)}
	r.q, r.u, r.shares = make([]float64, n), make([]float64, n), make([]float64, n)
	var total float64
	for i := range n {
		r.shares[i] = 1
		if weights != nil {
			r.shares[i] = weights[i]
		}
		total += r.shares[i]
	}
	for i, w := range r.shares {
		r.q[i], r.u[i], r.shares[i] = math.Sqrt(w), math.Sqrt(w/total), w/total
	}
	r.targets, r.alpha = general(targets, n), general(targets, n)
	for t := range targets {
		var mean float64
		for i, s := range r.shares {
			mean = math.FMA(s, y.At(i, t), mean)
		}
		for i, q := range r.q {
			r.targets.Data[t*n+i] = q * (y.At(i, t) - mean)
		}
	}
	return r
}

// general returns a matrix of zeros.
func general(rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
}

// SetKernel sets the kernel matrix of the rows, n×n numbers, of which the upper triangle is read.
func (r *Rows) SetKernel(k blas64.Symmetric) {
	n := r.n
	means := make([]float64, n) // k
	for i := range n {
		row := k.Data[i*k.Stride:]
		means[i] = math.FMA(r.shares[i], row[i], means[i])
		for j := i + 1; j < n; j++ {
			means[i] = math.FMA(r.shares[j], row[j], means[i])
			means[j] = math.FMA(r.shares[i], row[j], means[j])
		}
	}
	var mean float64 // κ
	for i, s := range r.shares {
		mean = math.FMA(s, means[i], mean)
	}
	r.c = 0
	for i, q := range r.q { // tr K̃/n, of rows of equal weights the mean of the diagonal
		r.c += float64(q*q) * (k.Data[i*k.Stride+i] - 2*means[i] + mean) / float64(n)
	}
	for i := range n {
		row, to := k.Data[i*k.Stride:], r.column[:n-i]
		for j := i; j < n; j++ {
			centered := float64(r.q[i]*r.q[j]) * (row[j] - means[i] - means[j] + mean)
			to[j-i] = math.FMA(r.c, float64(r.u[i]*r.u[j]), centered)
		}
		r.k.SetRow(i, i, to)
	}
}

// Scale returns tr K̃/n, in the units of which λ is to be chosen.
func (r *Rows) Scale() float64 { return r.c }

// errSingular says that M has no factor.
var errSingular = errors.New("the kernel matrix and λ have no Cholesky factor")

// LeaveOneOut sets row t of dst, T×n, to the errors of target t at each row that is predicted by a fit of all others:
//
//	eᵢ = αᵢ/(qᵢ·((M⁻¹)ᵢᵢ − uᵢ²/(c + λ)))
//
// It returns an error if there is no Cholesky factor, or if an error is no number.
func (r *Rows) LeaveOneOut(dst blas64.General, lambda float64) error {
	r.m.CopyFrom(r.k)
	r.m.AddDiagonal(lambda)
	f, bad := r.m.Factorize(leastPivot)
	if bad >= 0 {
		return errSingular
	}
	copy(r.alpha.Data, r.targets.Data)
	f.SolveTransVecs(r.alpha)
	f.SolveVecs(r.alpha)
	f.InverseDiagonal(r.inverse)
	for i, v := range r.inverse {
		d := r.q[i] * (v - float64(r.u[i]*r.u[i])/(r.c+lambda))
		for t := range dst.Rows {
			e := r.alpha.Data[t*r.alpha.Stride+i] / d
			if !(math.Abs(e) <= math.MaxFloat64) {
				return errSingular
			}
			dst.Data[t*dst.Stride+i] = e
		}
	}
	return nil
}

// leastPivot is the least share of a diagonal element that a pivot must have: the rounding of some thousand products.
const leastPivot = 1e-14
