// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// PredictTo sets row i of dst, n×T, to the predictions f(x) for row i of x, n×in. An empty dst is resized. Rows are
// transformed and predicted in blocks, by up to GOMAXPROCS goroutines.
//
// It panics with mat.ErrZeroLength if x has no rows, with mat.ErrShape if its width is not in or dst is neither empty
// nor n×T, and as gonum does if dst overlaps x. A NaN in a row of x makes the predictions of that row NaN, and of no
// other.
func (m *Model) PredictTo(dst *mat.Dense, x mat.Matrix) { m.predictor.PredictTo(dst, x) }

// PredictVec sets dst to the predictions f(x), one for each target, and returns it. A nil dst is allocated; otherwise
// nothing is. It panics with mat.ErrShape if x is not of length in or dst not of length T, and as gonum does if they
// overlap.
func (m *Model) PredictVec(dst, x []float64) []float64 { return m.predictor.PredictVec(dst, x) }

// Predict returns the predictions f(x), one for each target, and the standard deviations sd of new observations at x:
// the root of the variance of the function (see Posterior.VarianceTo) plus NoiseVariance. So mean ± 1.645·sd contains a
// new target with probability .9 if the function is like a sample of the Gaussian process; Interval is calibrated. If
// Options.NoiseVariance differs by row, the noise of a new row is unknown: see Model.NoiseVariance.
//
// It takes D²/2 multiply-adds more than PredictVec for each different λ; use PredictVec for the mean alone. It panics
// as PredictVec does, and with the text of the error of Posterior if the model has no posterior.
func (m *Model) Predict(x []float64) (mean, sd []float64) {
	mean = m.PredictVec(nil, x)
	m.needPosterior()
	sd = m.varianceVec(nil, x)
	deviations(sd, m.NoiseVariance())
	return mean, sd
}

// StdDevTo sets row i of dst, n×T, to the standard deviations of new observations at row i of x, n×in, with the bits of
// Predict. An empty dst is resized. It panics as PredictTo does, and with the text of the error of Posterior if the
// model has no posterior.
func (m *Model) StdDevTo(dst *mat.Dense, x mat.Matrix) {
	to := m.predictor.Prepare(dst, x)
	m.needPosterior()
	m.stdDevTo(dst, nil, to, x)
}

// reportedStdDevTo is StdDevTo for a model in which some targets may be constant: their standard deviations are NaN.
// See linear.RidgeModel for squaredNorms.
func (m *Model) reportedStdDevTo(dst, squaredNorms *mat.Dense, x mat.Matrix) {
	m.stdDevTo(dst, squaredNorms, m.predictor.Prepare(dst, x), x)
	n, _ := dst.Dims()
	for t, v := range m.noise {
		if v == 0 {
			dst.SetCol(t, slices.Repeat([]float64{math.NaN()}, n))
		}
	}
}

// stdDevTo is StdDevTo after arguments have been checked.
func (m *Model) stdDevTo(dst, squaredNorms *mat.Dense, to blas64.General, x mat.Matrix) {
	m.variancesTo(dst, squaredNorms, x)
	noise := m.NoiseVariance()
	for i := range to.Rows {
		deviations(to.Data[i*to.Stride:][:to.Cols], noise)
	}
}

// deviations turns variances of the function into standard deviations of new observations.
func deviations(variances, noise []float64) {
	for t, v := range noise {
		variances[t] = math.Sqrt(variances[t] + v)
	}
}

// varianceTo is Posterior.VarianceTo.
func (m *Model) varianceTo(dst *mat.Dense, x mat.Matrix) { m.variancesTo(dst, nil, x) }

func (m *Model) variancesTo(dst, squaredNorms *mat.Dense, x mat.Matrix) {
	m.squaresAndNormsTo(m.predictor.Prepare(dst, x), squaredNorms, x, func(t int, square float64) float64 { return m.noise[t] * square })
}

// scale returns the variance of a new observation in units of σ² of a target, given the variance of the function in the
// same units.
func (m *Model) scale(target int, square float64) float64 { return square + (1 - m.leftPart(target)) }

// squaresTo sets to to the results of the function of, applied to the variances of the function at rows, in units of σ²
// of each target.
func (m *Model) squaresTo(to blas64.General, x mat.Matrix, of func(target int, square float64) float64) {
	m.squaresAndNormsTo(to, nil, x, of)
}

// squaresAndNormsTo is squaresTo. Unless it is nil, it also sets squaredNorms, n×T, to φᵀA⁻¹φ of the centered features of each row,
// for the λ of each target.
func (m *Model) squaresAndNormsTo(to blas64.General, squaredNorms *mat.Dense, x mat.Matrix, of func(target int, square float64) float64) {
	first := 0
	m.predictor.Blocks(to, m.phi, x, func(to, features blas64.General, x mat.Matrix) {
		norms, left := make([]float64, to.Rows), make([]float64, to.Rows)
		m.remainders(left, x, features)
		for i := range norms {
			m.center(features.Data[i*features.Stride:][:m.out])
		}
		for k := range m.ridges {
			m.squaredNorms(norms, features, k)
			for i, v := range norms {
				m.squares(to.Data[i*to.Stride:][:to.Cols], k, v, left[i], of)
				for t, ridge := range m.of {
					if ridge == k && squaredNorms != nil {
						squaredNorms.Set(first+i, t, v)
					}
				}
			}
		}
		first += to.Rows
	})
}

// varianceVec is Posterior.VarianceVec.
func (m *Model) varianceVec(dst, x []float64) []float64 {
	return m.squaresVec(m.predictor.PrepareVec(dst, x), x, func(t int, square float64) float64 { return m.noise[t] * square })
}

// squaresVec is squaresTo of one row.
func (m *Model) squaresVec(dst, x []float64, of func(target int, square float64) float64) []float64 {
	w := m.predictor.Workspace()
	buffer := w.Numbers(2 * m.out)
	features, row := m.phi.TransformVec(buffer[:m.out], x), buffer[m.out:]
	left := m.remainder(x, features)
	m.center(features)
	for k := range m.ridges {
		copy(row, features)
		m.squares(dst, k, m.squaredNorm(row, k), left, of)
	}
	m.predictor.Release(w)
	return dst
}

// squaredNorms sets dst to φᵀA⁻¹φ for rows of centered features and a ridge, or to an estimate from samples δ, the mean
// of (φᵀδ)².
func (m *Model) squaredNorms(dst []float64, features blas64.General, k int) {
	if inverse := m.ridges[k].inverse; inverse != nil {
		inverse.squaredNorms(dst, features)
		return
	}
	for i := range dst {
		dst[i] = m.squaredNorm(features.Data[i*features.Stride:][:m.out], k)
	}
}

// squaredNorm is squaredNorms for one row, which it may overwrite.
func (m *Model) squaredNorm(features []float64, k int) (norm float64) {
	if inverse := m.ridges[k].inverse; inverse != nil {
		return inverse.squaredNorm(features)
	}
	n, deltas := m.samples(m.out), m.deltas(k)
	for s := range n {
		v := tiled.Dot(features, deltas[s*m.out:][:m.out])
		norm = math.FMA(v, v, norm)
	}
	return norm / float64(n)
}

// remainders sets dst, which is 0, to what the features of rows miss of k(x, x). The prior variance is that times σ²/λ,
// and no training row has told anything about it.
func (m *Model) remainders(dst []float64, x mat.Matrix, features blas64.General) {
	if r := linear.LandmarksOf(m.phi); r != nil {
		var view mat.Dense
		view.SetRawMatrix(features)
		r.RemainderTo(dst, x, &view)
	} else if d := linear.DomainOf(m.phi); d != nil {
		d.LostTo(dst, x)
	}
}

// remainder is remainders for one row.
func (m *Model) remainder(x, features []float64) float64 {
	if linear.LandmarksOf(m.phi) == nil && linear.DomainOf(m.phi) == nil {
		return 0
	}
	var dst [1]float64
	m.remainders(dst[:], mat.NewDense(1, m.in, x), blas64.General{Rows: 1, Cols: m.out, Stride: m.out, Data: features})
	return dst[0]
}

// center subtracts the mean, if there is one, from a row of features.
func (m *Model) center(features []float64) {
	for i, v := range m.mean {
		features[i] -= v
	}
}

// squares sets the elements of dst that belong to a ridge to the results of the function of, applied to the variances
// of the function at a row, in units of σ². norm is the squared norm ‖U⁻ᵀφ‖² of the row's features, and left what they
// miss of k(x, x).
func (m *Model) squares(dst []float64, k int, norm, left float64, of func(target int, square float64) float64) {
	for t := range m.noise {
		if m.of[t] != k {
			continue
		}
		more, _ := m.leftVariance(t, left)
		square := norm + more
		if m.mean != nil {
			square += 1 / m.totalWeight()
		}
		dst[t] = of(t, square)
	}
}
