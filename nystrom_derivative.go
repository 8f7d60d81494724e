// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// derivative returns the derivative of x ↦ U⁻ᵀr(x) for the raw features r: J(x)ᵀg is their pullback of U⁻¹g.
func (m *Nystrom) derivative() (Differentiable, error) {
	raw, err := rawNystrom{m}.pullback()
	if err != nil {
		return nil, err
	}
	raw.turned = m.set.Factor.Turned()
	return raw, nil
}

// derivative returns the derivative of the raw features.
func (r rawNystrom) derivative() (Differentiable, error) {
	p, err := r.pullback()
	if err != nil {
		return nil, err
	}
	return p, nil
}

// pullback returns the derivative of the raw features, or an error that names the part without one.
func (r rawNystrom) pullback() (*landmarkPullback, error) {
	p := &landmarkPullback{m: r.m}
	var err error
	if p.kernel, err = rowDerivative(r.m.set.Matrix); err != nil {
		return nil, err
	}
	return p, nil
}

// A landmarkPullback is the derivative of a Nystrom map, or of its raw features.
type landmarkPullback struct {
	m      *Nystrom
	turned *tiled.Turned // the factor; nil for raw features
	kernel *matrix.Derivative
}

// backRows is the number of rows whose gradients are pulled back together.
const backRows = 256

// PullbackTo sets row i of dst to J(xᵢ)ᵀgᵢ: see Differentiable.
func (p *landmarkPullback) PullbackTo(dst *mat.Dense, x, g mat.Matrix) {
	preparePullback(dst, x, g, p.m.in, p.m.out)
	var points, gradients rows.Reader
	points.Reset(x)
	gradients.Reset(g)
	to := dst.RawMatrix()
	for lo := 0; lo < to.Rows; lo += backRows {
		hi := min(lo+backRows, to.Rows)
		part := to
		part.Rows, part.Data = hi-lo, to.Data[lo*to.Stride:]
		p.block(part, &points, &gradients, lo, hi)
	}
	markNotFinite(to, &points)
}

// DiagonalGradientVec sets dst to the gradient of k(x, x) at x and returns true, because ‖φ(x)‖² is less than k(x, x).
// Package ridge uses it for the gradient of its variance.
func (p *landmarkPullback) DiagonalGradientVec(dst, x []float64) bool {
	clear(dst)
	row := func(v []float64) blas64.General {
		return blas64.General{Rows: 1, Cols: len(v), Stride: len(v), Data: v}
	}
	p.kernel.AddDiagonalTo(row(dst), row(x), []float64{1})
	return true
}

// block sets dst to the gradients of the rows [lo, hi).
func (p *landmarkPullback) block(dst blas64.General, points, gradients *rows.Reader, lo, hi int) {
	raw := p.rawGradients(gradients, lo, hi)
	for i := range dst.Rows {
		clear(matrix.Row(dst, i))
	}
	p.kernel.AddTo(dst, points.Block(lo, hi), raw)
}

// rawGradients returns the gradients by raw features, U⁻¹g, in rows of a stride of their own.
func (p *landmarkPullback) rawGradients(gradients *rows.Reader, lo, hi int) blas64.General {
	stride := tiled.Stride(p.m.out)
	raw := blas64.General{Rows: hi - lo, Cols: p.m.out, Stride: stride, Data: make([]float64, (hi-lo)*stride)}
	for i := range raw.Rows {
		copy(matrix.Row(raw, i), gradients.Row(lo+i))
	}
	if p.turned != nil {
		p.turned.SolveVecs(raw)
	}
	for _, j := range p.m.set.Dropped {
		for i := range raw.Rows {
			raw.Data[i*stride+j] = 0
		}
	}
	return raw
}
