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
}

func (r *exactRecipe) String() string                { return "exact" }
func (r *exactRecipe) statistics() int               { return 0 }
func (r *exactRecipe) add([]float64, *pair, float64) {}
func (r *exactRecipe) variance([]float64) float64    { return 0 }

func (r *exactRecipe) draw(b *builder, _ func() *Sampler) (drawing, error) {
	if err := b.reserve(8 * float64(r.columns) * float64(r.in)); err != nil {
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
		r.columns, r.layout = d, func(b *builder, scale float64) { addLinear(b, t.warp, scale) }
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
		if !isLow(b.f) {
			return nil
		}
		a0, a1 := b.f.Coeff(0), b.f.Coeff(1)
		if a0 > 0 {
			r.columns++
		}
		if a1 > 0 {
			r.columns += d
		}
		r.layout = func(b *builder, scale float64) {
			if a0 > 0 {
				b.add(1, projection.Constants{At: b.at, Values: []float64{scale * math.Sqrt(a0)}})
			}
			if a1 > 0 {
				addLinear(b, t.warp, scale*math.Sqrt(a1))
			}
		}
	default:
		return nil
	}
	return r
}

// addLinear adds the columns scale·Ax.
func addLinear(b *builder, w warp, scale float64) {
	if w.identity() {
		b.add(b.in, projection.Copy{At: b.at, Scale: scale})
		return
	}
	b.add(w.dim(b.in), projection.Forms{Projection: w.forms(b.in, scale), At: b.at})
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

// isLow tells whether f is known to have degree at most 1, with coefficients that are not refused.
func isLow(f Series) bool {
	n, ok := degreeOf(f)
	if !ok || n > 1 {
		return false
	}
	for n := range 2 {
		if validateCoefficient(f, n, f.Coeff(n)) != nil {
			return false
		}
	}
	return true
}
