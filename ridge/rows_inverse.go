// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A rowSide is the rows that a model was fitted on. Their features Z, centered if there is an intercept, times the
// roots of weights, are computed when they are first needed, and kept.
type rowSide struct {
	phi       featuremap.FeatureMap
	in        int // coordinates of a row
	points    []rows.List
	weights   []float64 // nil: 1
	intercept bool

	once sync.Once
	z    blas64.General
}

// side returns a copy of the rows of a fit.
func (f *rowFit) side() *rowSide {
	s := &rowSide{phi: f.a.phi, in: f.a.in, weights: f.b.weights, intercept: f.Mean != nil}
	var reader rows.Reader
	reader.Reset(f.b.x)
	for i := range f.Rows {
		s.points = append(s.points, reader.Copy(i))
	}
	return s
}

// refusal returns an error if the features of the rows do not fit in memory.
func (s *rowSide) refusal() error {
	_, out := s.phi.Dims()
	bytes := 8 * float64(len(s.points)) * float64(tiled.Stride(out))
	if limit := float64(memory.Limit()); !(bytes <= limit) {
		return fmt.Errorf("ridge: no posterior: the features of the %d rows that were fitted take %.3g bytes, and there are %.3g; PredictVec has the mean", len(s.points), bytes, limit)
	}
	return nil
}

// features returns Z.
func (s *rowSide) features() blas64.General {
	s.once.Do(func() {
		_, out := s.phi.Dims()
		z := blas64.General{Rows: len(s.points), Cols: out, Stride: tiled.Stride(out)}
		z.Data = make([]float64, z.Rows*z.Stride)
		var view mat.Dense
		view.SetRawMatrix(z)
		s.phi.TransformTo(&view, rows.Join(s.points, s.in))
		centered(z, s.weights, s.intercept)
		s.z = z
	})
	return s.z
}

// byRows is the inverse by the factor of M = ZZᵀ + λI + c·uuᵀ (see package dual): as Zᵀu = 0,
//
//	A⁻¹ = (I − ZᵀM⁻¹Z)/λ.
type byRows struct {
	*rowSide
	factor *tiled.Factor
	lambda float64
}

var _ inverse = (*byRows)(nil)

func (r *byRows) squaredNorms(dst []float64, v blas64.General) {
	z := r.features()
	k := blas64.General{Rows: v.Rows, Cols: z.Rows, Stride: z.Rows, Data: make([]float64, v.Rows*z.Rows)}
	tiled.Products(k, v, z.Data, z.Stride)
	r.factor.SolveTransVecs(k)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = r.untold(v.Data[i*v.Stride:][:v.Cols], vector(k, i))
		}
	}), v.Rows, 1+1<<15/v.Cols)
}

// cancels is the part of a square up to which a difference has lost so many digits that it is computed in another way.
const cancels = 1e-4

// untold returns vᵀA⁻¹v = (‖v‖² − ‖k‖²)/λ for k = U⁻ᵀZv, M = UᵀU, which it may overwrite: the variance that the rows
// have not explained. If nearly nothing of ‖v‖² is left, near a row, it is computed as a sum, ‖v − ZᵀM⁻¹Zv‖²/λ +
// ‖M⁻¹Zv‖².
func (r *byRows) untold(v, k []float64) float64 {
	square, told := tiled.Dot(v, v), chain(k)
	if left := square - told; left > cancels*square {
		return left / r.lambda
	}
	return r.untoldNear(v, k)
}

// chain returns the sum of squares, one chain in their order.
func chain(v []float64) (sum float64) {
	for _, v := range v {
		sum = math.FMA(v, v, sum)
	}
	return sum
}

// untoldNear is untold as a sum.
func (r *byRows) untoldNear(v, k []float64) float64 {
	r.factor.SolveVec(k)
	left := slices.Clone(v)
	r.takeOff(left, k)
	return tiled.Dot(left, left)/r.lambda + tiled.Dot(k, k)
}

// takeOff subtracts Zᵀk from v.
func (r *byRows) takeOff(v, k []float64) {
	minus := make([]float64, len(k))
	for i := range k {
		minus[i] = -k[i]
	}
	slabs.CombineUnpadded(blas64.General{Rows: 1, Cols: len(v), Stride: len(v), Data: v}, r.features(), blas64.General{Rows: len(k), Cols: 1, Stride: 1, Data: minus})
}

// rowProducts is memory for the products of a functional with all rows.
var rowProducts sync.Pool // of *[]float64

func (r *byRows) squaredNorm(v []float64) float64 {
	k := r.with(v)
	r.factor.SolveTransVec(*k)
	norm := r.untold(v, *k)
	rowProducts.Put(k)
	return norm
}

// with returns Zv.
func (r *byRows) with(v []float64) *[]float64 {
	z := r.features()
	k, ok := rowProducts.Get().(*[]float64)
	if !ok || cap(*k) < z.Rows {
		k = new([]float64)
		*k = make([]float64, z.Rows)
	}
	*k = (*k)[:z.Rows]
	tiled.Dots(*k, v, z.Data, z.Stride)
	return k
}

func (r *byRows) solve(v []float64) {
	k := r.with(v)
	r.told(v, *k)
	rowProducts.Put(k)
	for j := range v {
		v[j] /= r.lambda
	}
}

// told subtracts ZᵀM⁻¹k from v. It overwrites k.
func (r *byRows) told(v, k []float64) {
	r.factor.SolveTransVec(k)
	r.factor.SolveVec(k)
	r.takeOff(v, k)
}

func (r *byRows) products(v blas64.General, yield func(int, []float64) bool) {
	z := r.features()
	k := blas64.General{Rows: v.Rows, Cols: z.Rows, Stride: z.Rows, Data: make([]float64, v.Rows*z.Rows)}
	tiled.Products(k, v, z.Data, z.Stride)
	r.factor.SolveTransVecs(k)
	r.factor.SolveVecs(k)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r.takeOff(v.Data[i*v.Stride:][:v.Cols], vector(k, i))
		}
	}), v.Rows, 1)
	row, more := make([]float64, v.Rows), make([]float64, v.Rows)
	for i := range v.Rows {
		tiled.Dots(row, v.Data[i*v.Stride:][:v.Cols], v.Data, v.Stride)
		tiled.Dots(more, vector(k, i), k.Data, k.Stride)
		for j := range row {
			row[j] = row[j]/r.lambda + more[j]
		}
		if !yield(i, row) {
			return
		}
	}
}

// draw is Matheron's rule: with z₀ ~ N(0, I/λ) and ε ~ N(0, I), z₀ − ZᵀM⁻¹(Zz₀ + ε) is a sample of N(0, A⁻¹) (Wilson et
// al. 2020, "Efficiently sampling functions from Gaussian process posteriors").
func (r *byRows) draw(z []float64, s *featuremap.Sampler) {
	s.FillNormal(z)
	root := math.Sqrt(r.lambda)
	for j := range z {
		z[j] /= root
	}
	k := r.with(z)
	for i := range *k {
		(*k)[i] += s.Normal()
	}
	r.told(z, *k)
	rowProducts.Put(k)
}
