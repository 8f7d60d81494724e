// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// An exactRecipe is a recipe of features that are not random.
type exactRecipe struct {
	frame

	// layout adds the columns, multiplied by scale, to b.
	layout func(b *builder, scale float64)
	scale  float64

	size float64 // of the weights, in bytes, if not of order in for each column
}

func (r *exactRecipe) String() string                { return "exact" }
func (r *exactRecipe) statistics() int               { return 0 }
func (r *exactRecipe) add([]float64, *pair, float64) {}
func (r *exactRecipe) variance([]float64) float64    { return 0 }

func (r *exactRecipe) draw(b *builder, _ func() *Sampler) (drawing, error) {
	size := r.size
	if size == 0 {
		size = 8 * float64(r.columns) * float64(r.in)
	}
	if err := b.reserve(size); err != nil {
		return nil, err
	}
	r.layout(b, r.scale)
	return nil, nil
}

// exact returns the exact features of a term on R^in, or nil if it has none.
func (t term) exact(in int) *exactRecipe {
	r := &exactRecipe{frame: frame{in: in}, scale: math.Sqrt(t.scale)}
	d := t.warp.dim(in)
	switch b := t.base.(type) {
	case constant:
		r.columns, r.layout = 1, func(b *builder, scale float64) {
			b.add(1, projection.Constants{At: b.at, Values: []float64{scale}})
		}
	case stationary:
		if !b.angle {
			return nil
		}
		r.columns, r.layout = 2, func(b *builder, scale float64) { addAngle(b, t.warp, scale) }
	case space:
		r.columns, r.layout = d, func(b *builder, scale float64) { b.add(d, linearPart(in, b.at, t.warp, scale)) }
	case categories:
		if !t.warp.factorless() {
			return nil
		}
		r.columns, r.layout = b.N, func(to *builder, scale float64) {
			to.add(b.N, projection.Rows{At: to.at, Columns: b.N, Of: func(dst, x []float64) { oneHot(dst, t.warp.image(x)[0], scale) }})
		}
	case mapped:
		_, r.columns = b.m.Dims()
		r.layout = func(to *builder, scale float64) {
			to.add(r.columns, projection.Rows{At: to.at, Columns: r.columns, Of: func(dst, x []float64) {
				b.m.TransformVec(dst, t.warp.image(x))
				if scale != 1 {
					for i := range dst {
						dst[i] *= scale
					}
				}
			}})
		}
	case dot:
		degree, ok := degreeOf(b.f)
		if !ok || degree > maxExactDegree {
			return nil
		}
		low, err := newExactDegrees(b.f, d, degree+1)
		if err != nil || !(low.count <= maxExactColumns) {
			return nil
		}
		if low.count == 0 { // all coefficients underflow
			r.columns, r.layout = 1, func(b *builder, _ float64) {
				b.add(1, projection.Constants{At: b.at, Values: []float64{0}})
			}
			return r
		}
		r.columns, r.size = int(low.count), low.bytes(in)
		r.layout = func(b *builder, scale float64) { b.add(r.columns, low.parts(b.in, b.at, t.warp, scale)...) }
	default:
		return nil
	}
	return r
}

// The planner looks for exact features of dot product kernels of degrees up to maxExactDegree, and at
// most maxExactColumns of them.
const (
	maxExactDegree  = 1 << 10
	maxExactColumns = 1 << 20
)

// linearPart returns the columns scale·(Ax − c), from column at on, of points of R^in.
func linearPart(in, at int, w warp, scale float64) projection.Part {
	if w.linear().identity() {
		return projection.Copy{At: at, Scale: scale, Centre: w.centre}
	}
	return projection.Forms{Projection: w.forms(in, scale), At: at}
}

// addAngle adds the columns scale·cos(Ax) and scale·sin(Ax), where A has one row.
func addAngle(b *builder, w warp, scale float64) {
	row := make([]float64, b.in)
	w.pull(row, []float64{1 / (2 * math.Pi)})
	var cols []uint32
	var weights []float64
	for i, v := range row {
		if v != 0 {
			cols, weights = append(cols, uint32(i)), append(weights, v)
		}
	}
	run := []projection.SparseRun{{Terms: len(cols), Forms: 1}}
	b.add(2, projection.NewSparse(b.in, b.at, 1, run, cols, weights, nil, []float64{scale}))
}

// oneHot sets element v of dst, if any, to scale and the others to 0, or all to NaN if v is not finite.
func oneHot(dst []float64, v, scale float64) {
	clear(dst)
	switch {
	case v >= 0 && v < float64(len(dst)) && v == math.Trunc(v):
		dst[int(v)] = scale
	case math.IsNaN(v - v):
		for i := range dst {
			dst[i] = math.NaN()
		}
	}
}
