// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Joint returns the mean and the covariance matrix of the posterior of f(x) for a target at the q rows of x, q×in. The
// mean is the predictions. The covariance, q×q, is
//
//	σ²·(1/n + (φ(x) − φ̄)ᵀA⁻¹(φ(y) − φ̄)) + s(x)·s(y)·ρ(x, y), without an intercept σ²·φ(x)ᵀA⁻¹φ(y) + s(x)·s(y)·ρ(x, y),
//
// where n is the number of training rows, and ρ is the part of the kernel that the map misses: k(x, y) − ⟨φ(x), φ(y)⟩
// for landmarks; for a map that was planned for points, away from these, the sum of √(p(x)·p(y))·k(x, y) over the terms
// k of the kernel, with the lost part p of each. s makes s(x)²·ρ(x, x) the variance that VarianceTo adds. Up to
// rounding the diagonal is VarianceTo. It is the covariance of the function, without the noise of new observations.
// Rounding may leave an eigenvalue slightly below 0.
//
// It takes q·D²/2 + 2q²·D multiply-adds at most, and memory for q·D + 2q² numbers. It panics with mat.ErrZeroLength if
// x has no rows, with mat.ErrShape if its width is not in, with mat.ErrColAccess if there is no such target, and with
// the size if there is no memory.
func (p *Posterior) Joint(x mat.Matrix, target int) (mean []float64, covariance *mat.SymDense) {
	m := p.model()
	var predicted mat.Dense
	m.PredictTo(&predicted, x)
	if target < 0 || target >= m.targets() {
		panic(mat.ErrColAccess)
	}
	mean = mat.Col(nil, target, &predicted)
	n := len(mean)
	size := 8 * float64(n) * (2*float64(n) + float64(m.out))
	if limit := float64(memory.Limit()); size > limit {
		panic(fmt.Sprintf("ridge: Joint of %d rows takes %.3g bytes, and there are %.3g", n, size, limit))
	}
	covariance = new(mat.SymDense)
	var features mat.Dense
	m.phi.TransformTo(&features, x)
	m.leftCovariance(covariance, x, &features, target)
	v, level := m.noise[target], 0.0
	if m.mean != nil {
		level = 1 / m.totalWeight()
	}
	raw := covariance.RawSymmetric()
	for i, row := range m.covariances(features.RawMatrix(), target) {
		for j := i; j < n; j++ {
			to := &raw.Data[i*raw.Stride+j]
			*to = math.FMA(v, row[j]+level, *to)
		}
	}
	return mean, covariance
}

// covariances returns the rows of φᵀA⁻¹φ between rows of features, with φ centered. It overwrites features.
func (m *Model) covariances(features blas64.General, target int) func(yield func(int, []float64) bool) {
	for i := range features.Rows {
		m.center(features.Data[i*features.Stride:][:m.out])
	}
	return func(yield func(int, []float64) bool) {
		if inverse := m.inverse(target); inverse != nil {
			inverse.products(features, yield)
			return
		}
		samples := m.samples(m.out)
		of := blas64.General{Rows: features.Rows, Cols: samples, Stride: samples, Data: make([]float64, features.Rows*samples)}
		tiled.Products(of, features, m.deltas(m.of[target]), m.out)
		eachProduct(of, 1/float64(samples), yield)
	}
}

// leftCovariance sets dst to the covariance between the rows of x of the part of the kernel that the map misses.
func (m *Model) leftCovariance(dst *mat.SymDense, x mat.Matrix, features *mat.Dense, target int) {
	n, _ := x.Dims()
	terms, roots := m.lostTerms()
	if terms == nil || m.lambda(target) == 0 {
		dst.ReuseAsSym(n)
		return
	}
	for i, k := range terms {
		if i == 0 {
			featuremap.Gram(dst, k, x)
			scaleByRoots(dst, x, roots[i])
			continue
		}
		var more mat.SymDense
		featuremap.Gram(&more, k, x)
		scaleByRoots(&more, x, roots[i])
		dst.AddSym(dst, &more)
	}
	left, deviations := make([]float64, n), make([]float64, n)
	m.remainders(left, x, features.RawMatrix())
	for i, r := range left {
		deviations[i], _ = m.leftDeviation(target, r)
	}
	raw, row := dst.RawSymmetric(), make([]float64, n)
	if roots[0] == nil {
		of := features.RawMatrix()
		for i := range n { // minus the inner products of landmarks' features
			tiled.Dots(row, of.Data[i*of.Stride:][:of.Cols], of.Data, of.Stride)
			for j := i; j < n; j++ {
				raw.Data[i*raw.Stride+j] -= row[j]
			}
		}
	}
	for i := range n {
		raw.Data[i*raw.Stride+i] = left[i]
		for j := i; j < n; j++ {
			raw.Data[i*raw.Stride+j] *= float64(deviations[i] * deviations[j])
		}
	}
}

// scaleByRoots multiplies the values of a kernel at points by the values of a root, which is 1 if nil.
func scaleByRoots(dst *mat.SymDense, points mat.Matrix, root featuremap.WeightGradienter) {
	if root == nil {
		return
	}
	n, _ := points.Dims()
	var reader rows.Reader
	reader.Reset(points)
	values := make([]float64, n)
	for i := range values {
		values[i] = root.Weight(reader.Row(i))
	}
	raw := dst.RawSymmetric()
	for i, v := range values {
		for j := i; j < n; j++ {
			raw.Data[i*raw.Stride+j] *= float64(v * values[j])
		}
	}
}
