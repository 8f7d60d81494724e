// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/laplacian"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// inverseRoot returns R = C⁻¹ for the Cholesky factor C of I + αS = CCᵀ, S positive semi-definite up to rounding.
func inverseRoot(s *mat.SymDense, alpha float64) (*mat.Dense, error) {
	const largest = 1e300 // limit for the diagonal of αS: larger features are 0 to within 1e-150
	n := s.SymmetricDim()
	var trace, most float64
	for i := range n {
		trace += max(s.At(i, i), 0)
		most = max(most, s.At(i, i))
	}
	if most > 0 {
		alpha = min(alpha, largest/most)
	}
	// Only rounding makes eigenvalues of S negative. Raise the jitter that is added to all until the factor exists.
	for jitter := 0.0; jitter <= 0x1p-20*trace; jitter = max(4*jitter, 0x1p-52*trace) {
		a := tiled.New(n)
		for i := range n {
			for j := i; j < n; j++ {
				a.Set(i, j, alpha*s.At(i, j))
			}
		}
		a.AddDiagonal(1 + alpha*jitter)
		f, bad := a.Factorize(0)
		if bad >= 0 {
			continue
		}
		columns := mat.NewDense(n, n, nil)
		for i := range n {
			columns.Set(i, i, 1)
		}
		f.SolveTransVecs(columns.RawMatrix())
		return mat.DenseCopyOf(columns.T()), nil
	}
	return nil, fmt.Errorf("featuremap: I + αΦᵀL^PowerΦ has no Cholesky factor")
}

// A deformed is the kernel of a DataDependent.
type deformed struct {
	base       Kernel
	correction func() *correction // made by the first call
}

// GoString says what the kernel is. It is no Go expression, because the kernel depends on points.
func (k deformed) GoString() string {
	return "NewDataDependent(…).Kernel() of " + gosyntax.Of(k.base)
}

// String returns what GoString returns.
func (k deformed) String() string { return k.GoString() }

// deform returns the kernel k deformed by the points x and their Laplacian.
func deform(k Kernel, x mat.Matrix, l laplacian.Laplacian, alpha float64, power int) deformed {
	return deformed{k, sync.OnceValue(func() *correction { return newCorrection(k, x, l, alpha, power) })}
}

// Eval returns k(x, y) − ⟨h(x), h(y)⟩.
func (k deformed) Eval(x, y []float64) float64 {
	value := k.base.Eval(x, y)
	c := k.correction()
	hx := c.image(x)
	if len(x) > 0 && len(x) == len(y) && &x[0] == &y[0] {
		return value - floats.Dot(hx, hx)
	}
	return value - floats.Dot(hx, c.image(y))
}

// A correction holds the points and the matrix that the function h is made of: see DataDependent.Kernel.
type correction struct {
	in     int            // the number of coordinates
	matrix *matrix.Matrix // k(x, xᵢ) for the points xᵢ
	factor *mat.Dense     // C⁻¹E; nil if it could not be computed
}

func newCorrection(k Kernel, x mat.Matrix, l laplacian.Laplacian, alpha float64, power int) *correction {
	n, in := x.Dims()
	c := &correction{in: in}
	if 8*5*float64(n)*float64(n) > float64(memory.Limit()) {
		return c
	}
	e, err := rootFactor(l, alpha, power)
	if err != nil {
		return c
	}
	c.matrix = matrix.New(compileGram(k, in), x)
	gram := mat.NewSymDense(n, nil)
	c.matrix.SymmetricTo(gram.RawSymmetric())
	var a mat.SymDense
	var ek, eke mat.Dense
	ek.Mul(e, gram)
	eke.Mul(&ek, e.T())
	a.ReuseAsSym(n)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, 0.5*eke.At(i, j)+0.5*eke.At(j, i))
		}
		a.SetSym(i, i, 1+a.At(i, i))
	}
	var chol mat.Cholesky
	if !chol.Factorize(&a) {
		return c
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, lower.RawTriangular(), e.RawMatrix())
	c.factor = e
	return c
}

// rootFactor returns E with EᵀE = αL^c: the eigenvectors of L as rows, scaled.
func rootFactor(l laplacian.Laplacian, alpha float64, power int) (*mat.Dense, error) {
	matrix, err := l.Matrix()
	if err != nil {
		return nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(matrix, true) {
		return nil, fmt.Errorf("featuremap: no eigenvalues of the Laplacian")
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	e := mat.DenseCopyOf(v.T())
	for i, value := range eigen.Values(nil) {
		floats.Scale(math.Sqrt(alpha)*math.Pow(max(value, 0), float64(power)/2), e.RawRowView(i))
	}
	return e, nil
}

// image returns h(x), or NaN if there is no factor.
func (c *correction) image(x []float64) []float64 {
	if c.factor == nil {
		return []float64{math.NaN()}
	}
	if len(x) != c.in {
		panic(mat.ErrShape)
	}
	n, _ := c.factor.Dims()
	values, h := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	c.matrix.RowTo(values.RawVector().Data, x)
	h.MulVec(c.factor, values)
	return h.RawVector().Data
}
