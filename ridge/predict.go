// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// PredictTo sets row i of dst, n×T, to the predictions f(x) for row i of x, n×in points. An empty dst is sized. Rows are
// transformed and predicted in blocks, over up to GOMAXPROCS goroutines.
//
// It panics with mat.ErrZeroLength if x has no rows, with mat.ErrShape if its width is not in or dst is neither empty nor
// n×T, and as gonum does if dst overlaps x. A NaN in a row of x makes that row's predictions NaN, and no other's.
func (m *Model) PredictTo(dst *mat.Dense, x mat.Matrix) { m.predictor.PredictTo(dst, x) }

// PredictVec writes the predictions f(x), one for each target, to dst and returns dst; a nil dst is allocated, otherwise
// nothing is. It panics with mat.ErrShape if the length of x is not in or that of dst not T, and as gonum does if they
// overlap.
func (m *Model) PredictVec(dst, x []float64) []float64 { return m.predictor.PredictVec(dst, x) }

// VarianceTo sets row i of dst, n×T, to the variances of the posterior of f(x), for row i of x, n×in points,
//
//	σ²·(1/n + (φ(x) − φ̄)ᵀA⁻¹(φ(x) − φ̄)), without an intercept σ²·φ(x)ᵀA⁻¹φ(x),
//
// where n is the number of rows that the model was fitted on, and σ² the variance of the noise that was fitted. For Landmarks
// it adds the variance of what they leave of the kernel, r(x) = k(x, x) − ‖φ(x)‖². With a λ that was given it is NoiseVariance·r(x)/λ, the prior's. With one that the rows
// chose it is σ²·c·r(x)/r̄, with the
// mean r̄ of r over the rows fitted and c = r̄/λ, or ½ if that is less; what r(x) has above 2r̄, and all of it where the noise is known, is
// times σ²/λ. For a map that was planned for points it adds the prior's variance of what that loses of k(x, x): see
// docs/fitting.md. It is the variance of the function;
// that of a target yet to be seen has NoiseVariance besides, σ²·(1 − c), so that nothing is counted twice. It takes D²/2 multiply-adds a row. That of a constant target is NaN, since nothing tells how it varies, and so are those of a MeanOnly model and of FitIterative without Samples: with S of them it is estimated, to a relative
// standard error of √(2/S). Shapes, sizes and panics are those of PredictTo.
func (m *Model) VarianceTo(dst *mat.Dense, x mat.Matrix) {
	to := m.predictor.Prepare(dst, x)
	if !m.posterior(m.out) {
		for i := range to.Rows {
			m.noVariances(to.Data[i*to.Stride:][:to.Cols])
		}
		return
	}
	m.predictor.Blocks(to, m.phi, x, func(to, features blas64.General, x mat.Matrix) {
		norms, left := make([]float64, to.Rows), make([]float64, to.Rows)
		m.remainders(left, x, features)
		for i := range norms {
			m.centre(features.Data[i*features.Stride:][:m.out])
		}
		for k := range m.ridges {
			m.squaredNorms(norms, features, k)
			for i, v := range norms {
				m.variances(to.Data[i*to.Stride:][:to.Cols], k, v, left[i])
			}
		}
	})
}

// VarianceVec writes the variances of the posterior of f(x), one for each target, to dst and returns dst: see VarianceTo,
// whose bits they have. A nil dst is allocated, otherwise nothing is. It panics as PredictVec does.
func (m *Model) VarianceVec(dst, x []float64) []float64 {
	dst = m.predictor.PrepareVec(dst, x)
	if !m.posterior(m.out) {
		m.noVariances(dst)
		return dst
	}
	w := m.predictor.Workspace()
	buffer := w.Numbers(2 * m.out)
	features, row := m.phi.TransformVec(buffer[:m.out], x), buffer[m.out:]
	left := m.remainder(x, features)
	m.centre(features)
	for k := range m.ridges {
		copy(row, features)
		m.variances(dst, k, m.squaredNorm(row, k), left)
	}
	m.predictor.Release(w)
	return dst
}

// squaredNorms sets dst to φᵀA⁻¹φ for rows of features less their mean and a ridge, or to an estimate by samples δ, the mean of (φᵀδ)².
func (m *Model) squaredNorms(dst []float64, features blas64.General, k int) {
	if factor := m.ridges[k].factor; factor != nil {
		factor.SquaredNorms(dst, features)
		return
	}
	for i := range dst {
		dst[i] = m.squaredNorm(features.Data[i*features.Stride:][:m.out], k)
	}
}

// squaredNorm is squaredNorms of one row, which it may overwrite.
func (m *Model) squaredNorm(features []float64, k int) (norm float64) {
	if factor := m.ridges[k].factor; factor != nil {
		return factor.SquaredNorm(features)
	}
	n, deltas := m.samples(m.out), m.deltas(k)
	for s := range n {
		v := tiled.Dot(features, deltas[s*m.out:][:m.out])
		norm = math.FMA(v, v, norm)
	}
	return norm / float64(n)
}

// remainders sets dst, of zeros, to what the features of rows leave of k(x, x): the variance of the prior is that times σ²/λ, and no row that
// was fitted has told anything of it.
func (m *Model) remainders(dst []float64, x mat.Matrix, features blas64.General) {
	if r := linear.LandmarksOf(m.phi); r != nil {
		var view mat.Dense
		view.SetRawMatrix(features)
		r.RemainderTo(dst, x, &view)
	} else if d := linear.DomainOf(m.phi); d != nil {
		d.LostTo(dst, x)
	}
}

// remainder returns remainders of one row.
func (m *Model) remainder(x, features []float64) float64 {
	if linear.LandmarksOf(m.phi) == nil && linear.DomainOf(m.phi) == nil {
		return 0
	}
	var dst [1]float64
	m.remainders(dst[:], mat.NewDense(1, m.in, x), blas64.General{Rows: 1, Cols: m.out, Stride: m.out, Data: features})
	return dst[0]
}

// centre takes the mean, if any, off a row of features.
func (m *Model) centre(features []float64) {
	for i, v := range m.mean {
		features[i] -= v
	}
}

// variances sets those of dst that belong to a ridge to the variances of a row, whose features have the squared norm ‖U⁻ᵀφ‖² and leave
// something of k(x, x).
func (m *Model) variances(dst []float64, k int, norm, left float64) {
	for t, v := range m.noise {
		if m.of[t] != k {
			continue
		}
		if dst[t] = math.NaN(); v == 0 {
			continue
		}
		more, _ := m.leftVariance(t, left)
		square := norm + more
		if m.mean != nil {
			square += 1 / m.totalWeight()
		}
		dst[t] = v * square
	}
}

// noVariances sets dst to the variances of a model that knows none.
func (m *Model) noVariances(dst []float64) {
	for t := range dst {
		dst[t] = math.NaN()
	}
}
