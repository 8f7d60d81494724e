// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package linear

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/region"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Predictor computes linear functions f(x) = ⟨φ(x), w⟩ + c of features. It is safe for concurrent use. Methods that
// take points panic with mat.ErrShape if it is nil.
type Predictor struct {
	in, out    int
	served     featuremap.FeatureMap // the map that predictions use: φ, or its raw features
	weights    []float64             // for served, function by function
	intercept  []float64
	workspaces *sync.Pool // of *Workspace; separate, because a pool lives until the second garbage collection after its last use
}

// NewPredictor returns the functions with these weights, function by function, and intercepts. It keeps both
// without a copy.
func NewPredictor(phi featuremap.FeatureMap, weights, intercept []float64) *Predictor {
	p := &Predictor{served: phi, weights: weights, intercept: intercept, workspaces: new(sync.Pool)}
	p.in, p.out = phi.Dims()
	if raw, u := Raw(phi); raw != nil {
		p.served, p.weights = raw, Fold(u, weights)
	}
	return p
}

// Fold returns the weights β = U⁻¹w of raw features for weights w of features φ = U⁻ᵀr, so that βᵀr = wᵀφ, for each
// function in turn.
func Fold(u *tiled.Factor, weights []float64) []float64 {
	n := u.Dim()
	folded := append([]float64(nil), weights...)
	u.SolveVecs(blas64.General{Rows: len(folded) / n, Cols: n, Stride: n, Data: folded})
	return folded
}

// Served returns the map that predictions use, of features or raw features, and the weights of a function for it.
func (p *Predictor) Served(function int) (featuremap.FeatureMap, []float64) {
	return p.served, p.weights[function*p.out:][:p.out]
}

// PredictTo sets row i of dst to the functions at row i of x. Sizes and panics are as for ridge.Model.
func (p *Predictor) PredictTo(dst *mat.Dense, x mat.Matrix) {
	to := p.Prepare(dst, x)
	p.Blocks(to, p.served, x, func(to, features blas64.General, _ mat.Matrix) {
		tiled.Products(to, features, p.weights, p.out)
		for i := range to.Rows {
			p.addIntercept(to.Data[i*to.Stride:][:to.Cols])
		}
	})
}

// PredictVec writes the functions at x to dst and returns dst. It allocates only if dst is nil. Panics are as for
// ridge.Model.
func (p *Predictor) PredictVec(dst, x []float64) []float64 {
	dst = p.PrepareVec(dst, x)
	w := p.Workspace()
	p.OfFeatures(dst, p.served.TransformVec(w.Numbers(p.out), x))
	p.Release(w)
	return dst
}

// OfFeatures writes the functions of served features to dst.
func (p *Predictor) OfFeatures(dst, features []float64) {
	tiled.Dots(dst, features, p.weights, p.out)
	p.addIntercept(dst)
}

// addIntercept turns products of features and weights into predictions.
func (p *Predictor) addIntercept(dst []float64) {
	for t, c := range p.intercept {
		dst[t] += c
	}
}

// Prepare checks the arguments of PredictTo, sizes dst and returns it.
func (p *Predictor) Prepare(dst *mat.Dense, x mat.Matrix) blas64.General {
	n, c := x.Dims()
	switch {
	case n == 0:
		panic(mat.ErrZeroLength)
	case p == nil || c != p.in:
		panic(mat.ErrShape)
	case dst.IsEmpty():
		dst.ReuseAs(n, len(p.intercept))
	}
	to := dst.RawMatrix()
	if to.Rows != n || to.Cols != len(p.intercept) {
		panic(mat.ErrShape)
	}
	region.CheckMatrix(to, x)
	return to
}

// PrepareVec checks the arguments of PredictVec, and returns dst, which may be nil.
func (p *Predictor) PrepareVec(dst, x []float64) []float64 {
	if p == nil || len(x) != p.in {
		panic(mat.ErrShape)
	}
	if dst == nil {
		return make([]float64, len(p.intercept))
	}
	if len(dst) != len(p.intercept) {
		panic(mat.ErrShape)
	}
	region.Check(region.Vector(dst), region.Vector(x))
	return dst
}

// Workspace is the memory that a call of a method needs.
type Workspace struct {
	reader rows.Reader
	buffer []float64
	view   mat.Dense
}

// Workspace returns a workspace that no other call uses until it is released.
func (p *Predictor) Workspace() *Workspace {
	if w, ok := p.workspaces.Get().(*Workspace); ok {
		return w
	}
	return new(Workspace)
}

// Release makes a workspace available to other calls.
func (p *Predictor) Release(w *Workspace) { p.workspaces.Put(w) }

// Numbers returns room for n numbers. It always returns the same memory.
func (w *Workspace) Numbers(n int) []float64 {
	if cap(w.buffer) < n {
		w.buffer = make([]float64, n)
	}
	return w.buffer[:n]
}

// Features are computed in blocks of blockElements, 4 MB, but of at least minBlockRows rows.
const (
	blockElements = 1 << 19
	minBlockRows  = 96
)

// BlockRows returns the number of rows of a block, for a given number of features a row.
func BlockRows(stride int) int { return max(blockElements/stride, minBlockRows) }

// Blocks calls f for blocks of rows of dst, one after another, with their features by a map, as many as φ has, and the
// rows of x.
func (p *Predictor) Blocks(to blas64.General, phi featuremap.FeatureMap, x mat.Matrix, f func(to, features blas64.General, x mat.Matrix)) {
	w := p.Workspace()
	w.reader.Reset(x)
	stride := tiled.Stride(p.out)
	step := min(BlockRows(stride), w.reader.Step(), to.Rows)
	for lo := 0; lo < to.Rows; lo += step {
		hi := min(lo+step, to.Rows)
		features := blas64.General{Rows: hi - lo, Cols: p.out, Stride: stride, Data: w.Numbers((hi - lo) * stride)}
		w.view.SetRawMatrix(features)
		part := w.reader.Matrix(lo, hi)
		phi.TransformTo(&w.view, part)
		block := to
		block.Rows, block.Data = hi-lo, to.Data[lo*to.Stride:]
		f(block, features, part)
	}
	w.reader.Reset(nil)
	p.Release(w)
}
