// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
)

// Project returns the kernel k(Ax, Ay) on R^n for a p×n matrix A and a kernel k on R^p. A is copied.
//
// It is Stationary if k is, with frequencies Aᵀω. If k is radial, the frequency designs of radial kernels
// apply as well: the frequencies are designed in R^p and then taken to R^n.
//
// A constructor refuses the result if k is nil or refused itself, if A is nil, empty or has an element that
// is not finite (then Eval is NaN), or if the map's in is not n. Eval panics with mat.ErrShape unless
// points have length n. It rounds Ax and Ay: far from the origin, centre the data first.
//
// A Project of Categories or of the kernel of a skeleton has no map unless its matrix selects columns.
func Project(a mat.Matrix, k Kernel) Kernel {
	e := expression{op: opWarp, name: "Project", args: []Kernel{k}}
	if isNil(a) {
		e.err = errors.New("featuremap: Project A = nil")
	} else if p, n := a.Dims(); p < 1 || n < 1 {
		e.err = fmt.Errorf("featuremap: Project A is %d×%d: must not be empty", p, n)
	} else if size := 8 * float64(p) * float64(n); size > float64(memory.Limit())/2 {
		e.err = fmt.Errorf("featuremap: Project A is %d×%d: takes %.3g bytes", p, n, size)
	} else {
		e.warp, e.in = newWarp(a), n
		e.given, e.err = e.warp.matrix(), e.warp.validate()
	}
	return newExpression(&e)
}

// ARD returns the kernel k(x/ℓ, y/ℓ), where coordinate i of x and y is divided by ℓᵢ = lengthScales[i]: one
// length scale for each coordinate, and automatic relevance determination when they are fitted (MacKay
// 1994; Neal 1996). It is Project with the diagonal matrix of the 1/ℓᵢ. k keeps its own length scale,
// usually 1.
//
// It is also the way to standardise: with the standard deviations of the columns as length scales points go
// into the map as they are, and the scales are saved with it. The length scale of k then counts deviations: √d
// is a first guess for d columns.
//
// A constructor refuses the result if a length scale is not positive and finite, or for Project's reasons.
func ARD(lengthScales []float64, k Kernel) Kernel {
	e := expression{op: opWarp, name: "ARD", args: []Kernel{k}, given: slices.Clone(lengthScales), in: len(lengthScales)}
	if e.in == 0 {
		e.err = errors.New("featuremap: ARD lengthScales = []: must not be empty")
	}
	e.warp.diag = make([]float64, e.in)
	for i, l := range lengthScales {
		if err := validateLength("ARD", fmt.Sprintf("lengthScales[%d]", i), l); err != nil && e.err == nil {
			e.err = err
		}
		e.warp.diag[i] = 1 / l
	}
	return newExpression(&e)
}

// Select returns the kernel k(x[cols], y[cols]) of some columns of the points, in the order given. It is
// Stationary if k is: its frequencies are 0 elsewhere. (Its Fourier and Maclaurin maps read the other
// columns with weight 0, so that a NaN there is seen.)
//
// A constructor refuses the result if cols is empty, or has a column twice, or one that the points do not
// have, or if k is nil or refused itself.
func Select(cols []int, k Kernel) Kernel {
	cols = slices.Clone(cols)
	e := expression{op: opWarp, name: "Select", args: []Kernel{k}, given: cols, warp: warp{cols: cols}}
	switch sorted := slices.Sorted(slices.Values(cols)); {
	case len(cols) == 0:
		e.err = errors.New("featuremap: Select cols = []: must not be empty")
	case sorted[0] < 0:
		e.err = fmt.Errorf("featuremap: Select column %d: must be at least 0", sorted[0])
	case len(slices.Compact(sorted)) < len(cols):
		e.err = fmt.Errorf("featuremap: Select cols = %v: a column is given twice", cols)
	}
	return newExpression(&e)
}

// Quadratic returns the kernel xᵀAy for a positive semi-definite matrix A, of which only the upper triangle
// is read. It is Project(L, Linear{}) for a pivoted Cholesky factor A = LᵀL with as many rows as A's rank.
//
// A constructor refuses the result if A is nil or empty, has an element that is not finite, or is not
// positive semi-definite (ErrNotPSD). Rank and definiteness are decided up to rounding of n·1e-15, for an
// n×n matrix scaled to a diagonal of ones, so that units do not matter.
func Quadratic(a mat.Symmetric) Kernel {
	e := expression{op: opWarp, name: "Quadratic", args: []Kernel{Linear{}}}
	if isNil(a) {
		e.err = errors.New("featuremap: Quadratic A = nil")
	} else if a.SymmetricDim() == 0 {
		e.err = errors.New("featuremap: Quadratic A is 0×0: must not be empty")
	} else {
		of := mat.NewSymDense(a.SymmetricDim(), nil)
		of.CopySym(a)
		e.given, e.in = of, of.SymmetricDim()
		e.warp, e.err = quadraticFactor(of)
	}
	return newExpression(&e)
}

// quadraticFactor returns an L with LᵀL = A.
func quadraticFactor(a *mat.SymDense) (warp, error) {
	n := a.SymmetricDim()
	units := make([]float64, n)
	for i := range n {
		for j := i; j < n; j++ {
			if v := a.At(i, j); !(math.Abs(v) <= math.MaxFloat64) {
				return warp{}, fmt.Errorf("featuremap: Quadratic A(%d, %d) = %v: must be finite", i, j, v)
			}
		}
		if v := a.At(i, i); v < 0 {
			return warp{}, fmt.Errorf("%w: Quadratic A(%d, %d) = %v", ErrNotPSD, i, i, v)
		}
		units[i] = math.Sqrt(a.At(i, i))
	}
	scaled := make([]float64, n*n)
	for i, u := range units {
		for j := i; j < n; j++ {
			v := a.At(i, j)
			if v != 0 { // 0/0 stays 0
				v = v / u / units[j]
			}
			scaled[i*n+j], scaled[j*n+i] = v, v
		}
	}
	rows, err := pivotedCholesky(scaled, n)
	if err != nil {
		return warp{}, err
	}
	for i := range rows {
		rows[i] *= units[i%n]
	}
	return warp{dense: rows, p: len(rows) / n}, nil
}

// pivotedCholesky returns an L with LᵀL = A in row-major order, or an error if A, n×n with a diagonal of
// ones and zeros, is not positive semi-definite. It overwrites A. Its bits, unlike LAPACK's, are portable.
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
	// The remainder of a positive semi-definite matrix is rounding.
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
