// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A DotProduct kernel is f(⟨x, y⟩) for a series f with coefficients that are not
// negative: by Schoenberg (1942) these are all functions of the inner product that are
// positive semi-definite in every dimension.
type DotProduct interface {
	Kernel
	Series() Series
}

// Linear is the kernel ⟨x, y⟩.
type Linear struct{}

// Eval returns ⟨x, y⟩.
func (Linear) Eval(x, y []float64) float64 { return inner(x, y) }

// Series returns t.
func (Linear) Series() Series { return IdentityDual{} }

// Polynomial is the kernel (γ⟨x, y⟩ + r)^p.
type Polynomial struct {
	Degree int     // p, at least 0; γp/(γ + r) at most 2²⁰
	Scale  float64 // γ, positive: 0 is refused, not taken for 1
	Offset float64 // r, at least 0
}

// Eval returns (γ⟨x, y⟩ + r)^p.
func (k Polynomial) Eval(x, y []float64) float64 { return k.Series().Eval(inner(x, y)) }

// Series returns (γt + r)^p: aₙ = C(p, n)·γⁿ·r^{p−n}.
func (k Polynomial) Series() Series {
	return binomial{degree: k.Degree, scale: k.Scale, offset: k.Offset}
}

func (k Polynomial) validate(int) error {
	if k.Degree < 0 {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: must be at least 0", k.Degree)
	}
	if err := validatePositive("Polynomial", "Scale", k.Scale); err != nil {
		return err
	}
	if !(k.Offset >= 0 && k.Offset <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: Polynomial Offset = %v: must be finite and at least 0", k.Offset)
	}
	// The mean degree of its terms at t = 1: features of a higher one are of no use.
	if mean := float64(k.Degree) / (1 + k.Offset/k.Scale); mean > maxDegree {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: its terms have the mean degree %.3g, must be at most %d", k.Degree, mean, maxDegree)
	}
	return nil
}

// ExpDot is the kernel exp(⟨x, y⟩/ℓ²).
type ExpDot struct {
	LengthScale float64 // ℓ, positive
}

// Eval returns exp(⟨x, y⟩/ℓ²).
func (k ExpDot) Eval(x, y []float64) float64 { return k.Series().Eval(inner(x, y)) }

// Series returns exp(t/ℓ²): aₙ = ℓ⁻²ⁿ/n!.
func (k ExpDot) Series() Series { return Exp{Rate: 1 / (k.LengthScale * k.LengthScale)} }

func (k ExpDot) validate(int) error { return validateLength("ExpDot", "LengthScale", k.LengthScale) }

// InfinitePolynomial is the kernel 1/(1 − γ⟨x, y⟩), Vovk's infinite polynomial, for points
// with γ‖x‖² < 1: beyond them Eval is +Inf or NaN.
type InfinitePolynomial struct {
	Scale float64 // γ, positive
}

// Eval returns 1/(1 − γ⟨x, y⟩).
func (k InfinitePolynomial) Eval(x, y []float64) float64 { return k.Series().Eval(inner(x, y)) }

// Series returns 1/(1 − γt): aₙ = γⁿ.
func (k InfinitePolynomial) Series() Series { return Geometric{Ratio: k.Scale} }

func (k InfinitePolynomial) validate(int) error {
	return validatePositive("InfinitePolynomial", "Scale", k.Scale)
}

// Dot returns the kernel f(⟨x, y⟩). A constructor refuses it if f is nil or one of its
// parameters is refused.
func Dot(f Series) DotProduct {
	if isNil(f) {
		return dotKernel{f}
	}
	return dotKernel{own(f)}
}

type dotKernel struct{ f Series }

func (k dotKernel) Eval(x, y []float64) float64 { return k.f.Eval(inner(x, y)) }
func (k dotKernel) Series() Series              { return k.f }
func (k dotKernel) validate(int) error          { return validateSeries(k.f) }

// Quadratic returns the kernel xᵀAy for a positive semi-definite matrix A, of which only
// the upper triangle is read. It is Project(L, Linear{}) for a pivoted Cholesky factor
// A = LᵀL, with as many rows as A has rank.
//
// A constructor refuses the result if A is nil or empty, has an element that is not
// finite, or is not positive semi-definite (ErrNotPSD). Both that and the rank are told up to
// rounding of n·1e-15, for an n×n matrix scaled to a diagonal of ones: units do not matter.
func Quadratic(a mat.Symmetric) Kernel {
	if isNil(a) {
		return refused{fmt.Errorf("featuremap: Quadratic A = nil")}
	}
	n := a.SymmetricDim()
	if n == 0 {
		return refused{fmt.Errorf("featuremap: Quadratic A is 0×0: must not be empty")}
	}
	units := make([]float64, n)
	for i := range n {
		for j := i; j < n; j++ {
			if v := a.At(i, j); !(math.Abs(v) <= math.MaxFloat64) {
				return refused{fmt.Errorf("featuremap: Quadratic A(%d, %d) = %v: must be finite", i, j, v)}
			}
		}
		if v := a.At(i, i); v < 0 {
			return refused{fmt.Errorf("%w: Quadratic A(%d, %d) = %v", ErrNotPSD, i, i, v)}
		}
		units[i] = math.Sqrt(a.At(i, i))
	}
	scaled := make([]float64, n*n)
	for i, u := range units {
		for j := i; j < n; j++ {
			v := a.At(i, j)
			if v != 0 { // else 0, also where the diagonal is
				v = v / u / units[j]
			}
			scaled[i*n+j], scaled[j*n+i] = v, v
		}
	}
	rows, err := pivotedCholesky(scaled, n)
	if err != nil {
		return refused{err}
	}
	for i := range rows {
		rows[i] *= units[i%n]
	}
	return project(linear{p: len(rows) / n, n: n, dense: rows}, Linear{})
}

// pivotedCholesky returns the rows of an L with LᵀL = A, one after the other, or an error if
// A, n×n with a diagonal of ones and zeros, is not positive semi-definite. It overwrites A.
// The bits do not depend on the machine, as those of LAPACK's do.
func pivotedCholesky(a []float64, n int) (rows []float64, err error) {
	tol := float64(n) * 1e-15
	for len(rows) < n*n {
		pivot := 0
		for i := range n {
			if a[i*n+i] > a[pivot*n+pivot] {
				pivot = i
			}
		}
		if !(a[pivot*n+pivot] > tol) {
			break
		}
		root := math.Sqrt(a[pivot*n+pivot])
		row := make([]float64, n)
		for j := range row {
			row[j] = a[pivot*n+j] / root
		}
		for i, u := range row {
			for j, v := range row {
				a[i*n+j] -= float64(u * v)
			}
		}
		rows = append(rows, row...)
	}
	// What is left of a positive semi-definite matrix is rounding.
	for i, v := range a {
		if !(math.Abs(v) <= 4*tol) {
			return nil, fmt.Errorf("%w: Quadratic A, by %.3g at (%d, %d), scaled to a diagonal of ones", ErrNotPSD, v, i/n, i%n)
		}
	}
	if rows == nil {
		rows = make([]float64, n) // A = 0
	}
	return rows, nil
}

// Sigmoid is tanh(γ⟨x, y⟩ + r), which is not positive semi-definite for any γ and r (but
// for γ = 0): the coefficient of t³, or an even one, is negative. It exists to be refused
// with that reason, since it is often taken for a kernel.
type Sigmoid struct{ Scale, Offset float64 }

// Eval returns tanh(γ⟨x, y⟩ + r).
func (k Sigmoid) Eval(x, y []float64) float64 {
	return math.Tanh(k.Scale*inner(x, y) + k.Offset)
}

func (k Sigmoid) validate(int) error {
	return fmt.Errorf("%w: Sigmoid: tanh has negative Taylor coefficients (Schoenberg 1942)", ErrNotPSD)
}

// inner returns ⟨x, y⟩.
func inner(x, y []float64) float64 {
	sameLength(x, y)
	var sum float64
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

var (
	_ DotProduct = Linear{}
	_ DotProduct = Polynomial{}
	_ DotProduct = ExpDot{}
	_ DotProduct = InfinitePolynomial{}
)
