// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/region"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// PredictTo sets row i of dst, n×T, to the predictions f(x) for row i of x, n×in points. An empty dst is sized. Rows are
// transformed and predicted in blocks, over up to GOMAXPROCS goroutines.
//
// It panics with mat.ErrZeroLength if x has no rows, with mat.ErrShape if its width is not in or dst is neither empty nor
// n×T, and as gonum does if dst overlaps x. A NaN in a row of x makes that row's predictions NaN, and no other's.
func (m *Model) PredictTo(dst *mat.Dense, x mat.Matrix) {
	to := m.prepare(dst, x)
	m.blocks(to, x, func(to, features blas64.General) {
		const work = 1 << 15
		parallel.Run(parallel.Func(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				m.predict(to.Data[i*to.Stride:][:to.Cols], features.Data[i*features.Stride:][:m.out])
			}
		}), to.Rows, 1+work/(m.out*to.Cols))
	})
}

// PredictVec writes the predictions f(x), one for each target, to dst and returns dst; a nil dst is allocated, otherwise
// nothing is. It panics with mat.ErrShape if the length of x is not in or that of dst not T, and as gonum does if they
// overlap.
func (m *Model) PredictVec(dst, x []float64) []float64 {
	dst = m.prepareVec(dst, x)
	w := m.workspace()
	m.predict(dst, m.phi.TransformVec(w.features(m.out), x))
	m.workspaces.Put(w)
	return dst
}

// predict sets dst to the predictions for one row of features.
func (m *Model) predict(dst, features []float64) {
	tiled.Dots(dst, features, m.weights, m.out)
	for t, c := range m.intercept {
		dst[t] += c
	}
}

// VarianceTo sets row i of dst, n×T, to the variances of the posterior of f(x), for row i of x, n×in points,
//
//	σ²·(1/n + (φ(x) − φ̄)ᵀA⁻¹(φ(x) − φ̄)), without an intercept σ²·φ(x)ᵀA⁻¹φ(x),
//
// where n is the number of rows that the model was fitted on. It is the variance of the function; that of a target
// yet to be seen has the noise σ² besides. It takes D²/2 multiply-adds a row. The variance of a function that Sample drew
// is 0, that of a MeanOnly model NaN. Shapes, sizes and panics are those of PredictTo.
func (m *Model) VarianceTo(dst *mat.Dense, x mat.Matrix) {
	to := m.prepare(dst, x)
	if m.factor == nil {
		for i := range to.Rows {
			m.variances(to.Data[i*to.Stride:][:to.Cols], 0)
		}
		return
	}
	m.blocks(to, x, func(to, features blas64.General) {
		norms := make([]float64, to.Rows)
		for i := range norms {
			m.centre(features.Data[i*features.Stride:][:m.out])
		}
		m.factor.SquaredNorms(norms, features)
		for i, v := range norms {
			m.variances(to.Data[i*to.Stride:][:to.Cols], v)
		}
	})
}

// VarianceVec writes the variances of the posterior of f(x), one for each target, to dst and returns dst: see VarianceTo,
// whose bits they have. A nil dst is allocated, otherwise nothing is. It panics as PredictVec does.
func (m *Model) VarianceVec(dst, x []float64) []float64 {
	dst = m.prepareVec(dst, x)
	if m.factor == nil {
		m.variances(dst, 0)
		return dst
	}
	w := m.workspace()
	features := m.phi.TransformVec(w.features(m.out), x)
	m.centre(features)
	m.variances(dst, m.factor.SquaredNorm(features))
	m.workspaces.Put(w)
	return dst
}

// centre takes the mean, if any, off a row of features.
func (m *Model) centre(features []float64) {
	for i, v := range m.mean {
		features[i] -= v
	}
}

// variances sets dst to the variances of a row, whose features have the squared norm ‖U⁻ᵀφ‖².
func (m *Model) variances(dst []float64, norm float64) {
	if m.mean != nil {
		norm += 1 / float64(m.rows)
	}
	for t, v := range m.noise {
		switch {
		case m.sampled:
			dst[t] = 0
		case m.factor == nil:
			dst[t] = math.NaN()
		default:
			dst[t] = v * norm
		}
	}
}

// prepare checks the arguments of PredictTo and VarianceTo, sizes dst and returns it.
func (m *Model) prepare(dst *mat.Dense, x mat.Matrix) blas64.General {
	n, c := x.Dims()
	switch {
	case n == 0:
		panic(mat.ErrZeroLength)
	case c != m.in:
		panic(mat.ErrShape)
	case dst.IsEmpty():
		dst.ReuseAs(n, m.targets())
	}
	to := dst.RawMatrix()
	if to.Rows != n || to.Cols != m.targets() {
		panic(mat.ErrShape)
	}
	region.CheckMatrix(to, x)
	return to
}

// prepareVec checks the arguments of PredictVec and VarianceVec, and returns dst, which may be nil.
func (m *Model) prepareVec(dst, x []float64) []float64 {
	if len(x) != m.in {
		panic(mat.ErrShape)
	}
	if dst == nil {
		return make([]float64, m.targets())
	}
	if len(dst) != m.targets() {
		panic(mat.ErrShape)
	}
	region.Check(region.Vector(dst), region.Vector(x))
	return dst
}

// A workspace is what a call of a method needs of memory.
type workspace struct {
	source source
	buffer []float64
	view   mat.Dense
}

func (m *Model) workspace() *workspace {
	if w, ok := m.workspaces.Get().(*workspace); ok {
		return w
	}
	return new(workspace)
}

// features returns room for n numbers.
func (w *workspace) features(n int) []float64 {
	if cap(w.buffer) < n {
		w.buffer = make([]float64, n)
	}
	return w.buffer[:n]
}

// Features are computed in blocks of blockElements, 4 MB of them, but at least of minBlockRows rows.
const (
	blockElements = 1 << 19
	minBlockRows  = 96
)

// blocks calls f for blocks of rows of dst, in turn, with their features.
func (m *Model) blocks(to blas64.General, x mat.Matrix, f func(to, features blas64.General)) {
	w := m.workspace()
	w.source.reset(x)
	stride := paddedStride(m.out)
	step := min(max(blockElements/stride, minBlockRows), w.source.step(), to.Rows)
	for lo := 0; lo < to.Rows; lo += step {
		hi := min(lo+step, to.Rows)
		features := blas64.General{Rows: hi - lo, Cols: m.out, Stride: stride, Data: w.features((hi - lo) * stride)}
		w.view.SetRawMatrix(features)
		m.phi.TransformTo(&w.view, w.source.rows(lo, hi))
		block := to
		block.Rows, block.Data = hi-lo, to.Data[lo*to.Stride:]
		f(block, features)
	}
	w.source.reset(nil)
	m.workspaces.Put(w)
}
