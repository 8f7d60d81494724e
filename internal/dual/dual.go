// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dual fits ridge regression by the inner products of rows. For n rows it factors n×n matrices, however many
// features there are, and it also takes a kernel matrix instead of inner products.
//
// With weights w, q = √w, N = Σw, u = q/√N and the kernel matrix K, k = Kw/N and κ = wᵀk/N, the regression with an
// intercept that is not penalized is
//
//	K̃ᵢⱼ = qᵢqⱼ(Kᵢⱼ − kᵢ − kⱼ + κ),  M = K̃ + λI + c·uuᵀ,  α = M⁻¹v,  v = q∘(y − ȳ)
//
// for any c > 0, since uᵀv = 0. With c = tr K̃/n, the null vector u of K̃ does not spoil the condition of M. Without an
// intercept K̃ᵢⱼ = qᵢqⱼKᵢⱼ, u = 0 and v = q∘y.
package dual

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Rows are n rows with targets and weights, to which kernels are fitted. They are not safe for
// concurrent use.
type Rows struct {
	n       int
	q, u    []float64      // roots of weights; roots of their shares in the total, 0 without an intercept
	shares  []float64      // the shares of the weights in the total
	targets blas64.General // v, one row a target
	k, m    *tiled.Matrix  // K̃ + c·uuᵀ; room for M
	c       float64        // of uuᵀ: tr K̃/n

	column []float64 // room for n numbers
	last   Solution
}

// A Solution is the fit for one λ.
type Solution struct {
	Lambda  float64
	Factor  *tiled.Factor  // of M
	Alpha   blas64.General // α, one row a target
	Inverse []float64      // (M⁻¹)ᵢᵢ − uᵢ²/(c + λ): the leverage of row i is 1 minus λ times this
}

// NewRows returns n rows with T targets, y, and weights, which must be positive; nil weights are
// all 1.
func NewRows(y mat.Matrix, weights []float64) *Rows { return newRows(y, weights, true) }

// NewRowsThroughZero returns rows as NewRows does, to be fitted without an intercept.
func NewRowsThroughZero(y mat.Matrix, weights []float64) *Rows { return newRows(y, weights, false) }

func newRows(y mat.Matrix, weights []float64, intercept bool) *Rows {
	n, targets := y.Dims()
	r := &Rows{n: n, k: tiled.New(n), m: tiled.New(n), column: make([]float64, n)}
	r.q, r.u, r.shares = make([]float64, n), make([]float64, n), make([]float64, n)
	r.last = Solution{Alpha: general(targets, n), Inverse: make([]float64, n)}
	var total float64
	for i := range n {
		r.shares[i] = 1
		if weights != nil {
			r.shares[i] = weights[i]
		}
		total += r.shares[i]
	}
	for i, w := range r.shares {
		r.q[i], r.shares[i] = math.Sqrt(w), w/total
		if intercept {
			r.u[i] = math.Sqrt(w / total)
		}
	}
	r.targets = general(targets, n)
	for t := range targets {
		var mean float64
		for i, s := range r.shares {
			if intercept {
				mean = math.FMA(s, y.At(i, t), mean)
			}
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

// SetKernel sets the kernel matrix of the rows, n×n numbers, of which the upper triangle is read. There is an intercept.
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
	for i, q := range r.q { // tr K̃/n; for rows of equal weights it is the mean of the diagonal
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

// SetFeatures sets the kernel matrix K̃ = ZZᵀ of features. z, n×D, holds the features minus their mean if there is an
// intercept, times the roots of the weights of their rows. Its numbers are below tiled.Limit. Each element of K̃ is one
// chain in the order of the features.
func (r *Rows) SetFeatures(z blas64.General) {
	r.k.Clear()
	block, part := tiled.NewBlock(r.n), general(tiled.BlockRows, r.n)
	for lo := 0; lo < z.Cols; lo += tiled.BlockRows {
		hi := min(lo+tiled.BlockRows, z.Cols)
		part.Rows = hi - lo
		parallel.Run(parallel.Func(func(from, to int) {
			for i := from; i < to; i++ {
				for j, v := range z.Data[i*z.Stride:][lo:hi] {
					part.Data[j*part.Stride+i] = v
				}
			}
		}), r.n, 1+1<<14/tiled.BlockRows)
		block.Truncate(0)
		block.Append(part)
		r.k.Update(block)
	}
	r.k.Diagonal(r.column)
	r.c = 0
	for _, v := range r.column {
		r.c += v / float64(r.n)
	}
	for i, u := range r.u {
		r.column[i] = r.c * u
	}
	r.k.AddProducts(r.column, r.u)
}

// Scale returns tr K̃/n, the unit for candidates of λ.
func (r *Rows) Scale() float64 { return r.c }

// errSingular says that M has no factor.
var errSingular = errors.New("the kernel matrix and λ have no Cholesky factor")

// Solve returns the solution for λ, which is valid until the next call of a method of r. It returns an error if there is no Cholesky factor.
func (r *Rows) Solve(lambda float64) (*Solution, error) {
	f, err := r.Factor(lambda)
	if err != nil {
		return nil, err
	}
	s := &r.last
	s.Lambda, s.Factor = lambda, f
	copy(s.Alpha.Data, r.targets.Data)
	f.SolveTransVecs(s.Alpha)
	f.SolveVecs(s.Alpha)
	f.InverseDiagonal(s.Inverse)
	for i, u := range r.u {
		s.Inverse[i] -= float64(u*u) / (r.c + lambda)
	}
	return s, nil
}

// Factor returns the factor of M for λ, as Solve does.
func (r *Rows) Factor(lambda float64) (*tiled.Factor, error) {
	r.m.CopyFrom(r.k)
	r.m.AddDiagonal(lambda)
	f, bad := r.m.Factorize(leastPivot)
	if bad >= 0 {
		return nil, errSingular
	}
	return f, nil
}

// LeaveOneOut sets row t of dst, T×n, to the leave-one-out errors of target t, each of a fit to all other rows:
//
//	eᵢ = αᵢ/(qᵢ·((M⁻¹)ᵢᵢ − uᵢ²/(c + λ)))
//
// It returns an error if there is no Cholesky factor, or if a result is NaN or infinite.
func (r *Rows) LeaveOneOut(dst blas64.General, lambda float64) error {
	s, err := r.Solve(lambda)
	if err != nil {
		return err
	}
	for i, v := range s.Inverse {
		d := r.q[i] * v
		for t := range dst.Rows {
			e := s.Alpha.Data[t*s.Alpha.Stride+i] / d
			if !(math.Abs(e) <= math.MaxFloat64) {
				return errSingular
			}
			dst.Data[t*dst.Stride+i] = e
		}
	}
	return nil
}

// Left returns for each target λ·vᵀα, the minimum of Σwᵢ(yᵢ − f(xᵢ))² + λ‖w‖² over all weights w and
// intercepts.
func (r *Rows) Left(s *Solution) []float64 {
	left := make([]float64, r.targets.Rows)
	for t := range left {
		left[t] = s.Lambda * tiled.Dot(r.targets.Data[t*r.n:][:r.n], s.Alpha.Data[t*r.n:][:r.n])
	}
	return left
}

// Deflated returns uᵢ²/(c + λ), the part of the diagonal element i of M⁻¹ that comes from c·uuᵀ.
func (r *Rows) Deflated(i int, lambda float64) float64 { return r.DeflatedPair(i, i, lambda) }

// DeflatedPair returns uᵢuⱼ/(c + λ).
func (r *Rows) DeflatedPair(i, j int, lambda float64) float64 {
	return float64(r.u[i]*r.u[j]) / (r.c + lambda)
}

// Square returns vᵀv of a target.
func (r *Rows) Square(target int) float64 {
	v := r.targets.Data[target*r.n:][:r.n]
	return tiled.Dot(v, v)
}

// LogDet returns log|ΦᵀΦ + λI| − D·log λ for the matrix ΦᵀΦ of D features, minus their mean if there is an intercept.
// It is log|M| − log(c + λ) − (n − 1)·log λ with an intercept, and log|M| − n·log λ without.
func (r *Rows) LogDet(s *Solution) (sum float64) {
	log := detmath.Log(s.Lambda)
	for i := range r.n {
		sum += float64(2*detmath.Log(s.Factor.At(i, i))) - log
	}
	if r.u[0] != 0 {
		sum += log - detmath.Log(r.c+s.Lambda)
	}
	return sum
}

// Norm1 returns ‖M‖₁ for λ = 0.
func (r *Rows) Norm1() float64 { return r.k.Norm1() }

// leastPivot is the least ratio of a pivot to its diagonal element: the rounding error of about a thousand products.
const leastPivot = 1e-14
