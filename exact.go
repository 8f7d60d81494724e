// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// An exactRecipe is a recipe of features that are not random: ⟨φ(x), φ(y)⟩ is k(x, y) but for rounding.
type exactRecipe struct {
	frame

	// layout adds the columns, multiplied by scale, to b.
	layout func(b *builder, scale float64)
	scale  float64

	size float64       // of the weights, in bytes; 0 stands for 8·in in each column
	low  *exactDegrees // nil unless they are monomials
}

func (r *exactRecipe) String() string                       { return "exact" }
func (r *exactRecipe) statistics() int                      { return 0 }
func (r *exactRecipe) add([]float64, *sample.Pair, float64) {}
func (r *exactRecipe) variance([]float64) float64           { return 0 }
func (r *exactRecipe) key() any                             { return nil }
func (r *exactRecipe) exact() int                           { return r.columns }
func (r *exactRecipe) bounded() bool                        { return true }
func (r *exactRecipe) document() any                        { return exactDocument{} }

func (r *exactRecipe) draw(b *builder, _ func() random.Sampler) (any, error) {
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

// An exactDocument has no fields: exact features follow from the term.
type exactDocument struct{}

func (exactDocument) recipe(asked request) (recipe, error) {
	if asked.whole {
		return nil, nil
	}
	t, steps := asked.Form[0], 0.0
	switch b := t.Base.(type) {
	case form.Dot:
		if degree, ok := power.DegreeOf(b.F); ok && degree <= maxExactDegree {
			steps = exactSteps(b.F, degree)
		}
	case form.Stationary:
		steps = seriesSteps
	}
	if err := asked.take(0, steps); err != nil {
		return nil, err
	}
	r := exactOf(t, asked.in)
	if r == nil || r.columns != asked.columns {
		return nil, nil
	}
	if r.low == nil {
		return r, nil
	}
	return r, asked.take(r.low.spare())
}

// exactOf returns the exact features of a term on R^in, or nil if it has none.
func exactOf(t form.Term, in int) *exactRecipe {
	r := &exactRecipe{frame: frame{in: in}, scale: math.Sqrt(t.Scale)}
	d := t.Warp.Dim(in)
	switch b := t.Base.(type) {
	case form.Constant:
		r.columns, r.layout = 1, func(b *builder, scale float64) {
			b.add(1, projection.Constants{At: b.at, Values: []float64{scale}})
		}
	case form.Stationary:
		if !b.Angle {
			if r = exactSeries(spectrum.Warped{Spectrum: b.Spectrum, Warp: t.Warp}, in); r != nil {
				r.scale = math.Sqrt(t.Scale)
			}
			return r
		}
		r.columns, r.layout = 2, func(b *builder, scale float64) { addAngle(b, t.Warp, scale) }
	case form.Space:
		r.columns, r.layout = d, func(b *builder, scale float64) { b.add(d, linearPart(in, b.at, t.Warp, scale)) }
	case form.Categories:
		if !t.Warp.Factorless() {
			return nil
		}
		r.columns, r.layout = b.N, func(to *builder, scale float64) {
			to.add(b.N, projection.Rows{
				At: to.at, Columns: b.N,
				Of:     func(dst, x []float64) { oneHot(dst, t.Warp.Image(x)[0], scale) },
				Derive: func() func(dst, x, g []float64) { return func(dst, _, _ []float64) { clear(dst) } }, // between categories
			})
		}
	case form.Mapped:
		_, r.columns = b.M.Dims()
		r.layout = func(to *builder, scale float64) { to.add(r.columns, mappedPart(b, r.columns, to.at, t.Warp, scale)) }
	case form.Dot:
		degree, ok := power.DegreeOf(b.F)
		if !ok || degree > maxExactDegree {
			return nil
		}
		low, err := newExactDegrees(b.F, d, degree+1)
		if err != nil || !(low.count <= maxExactColumns) {
			return nil
		}
		if low.count == 0 { // all coefficients are 0, by underflow
			r.columns, r.layout = 1, func(b *builder, _ float64) {
				b.add(1, projection.Constants{At: b.at, Values: []float64{0}})
			}
			return r
		}
		r.columns, r.size, r.low = int(low.count), low.bytes(in), &low
		r.layout = func(b *builder, scale float64) { b.add(r.columns, low.parts(b.in, b.at, t.Warp, scale)...) }
	default:
		return nil
	}
	return r
}

// The planner looks for exact features of dot product kernels up to degree maxExactDegree and up to
// maxExactColumns columns.
const (
	maxExactDegree  = 1 << 10
	maxExactColumns = 1 << 20
)

// linearPart returns the part that writes the columns scale·(Ax − c), from column at on, for points x of R^in.
func linearPart(in, at int, w warp.Warp, scale float64) projection.Part {
	if w.Linear().Identity() {
		return projection.Copy{At: at, Scale: scale, Centre: w.Centre}
	}
	return projection.Forms{Projection: w.Forms(in, scale), At: at}
}

// addAngle adds the columns scale·cos(Ax) and scale·sin(Ax), where A has one row.
func addAngle(b *builder, w warp.Warp, scale float64) {
	row := make([]float64, b.in)
	w.Pull(row, []float64{1 / (2 * math.Pi)})
	var cols []uint32
	var weights []float64
	for i, v := range row {
		if v != 0 {
			cols, weights = append(cols, uint32(i)), append(weights, v)
		}
	}
	run := []projection.SparseRun{{Terms: len(cols), Forms: 1}}
	b.add(2, projection.Angle{Sparse: projection.NewSparse(b.in, b.at, 1, run, cols, weights, []float64{scale})})
}

// mappedPart returns the part that writes the columns scale·φ(Ax − c), from column at on, of a map φ.
func mappedPart(b form.Mapped, columns, at int, w warp.Warp, scale float64) projection.Part {
	p := projection.Rows{At: at, Columns: columns, Of: func(dst, x []float64) {
		b.M.TransformVec(dst, w.Image(x))
		if scale != 1 {
			for i := range dst {
				dst[i] *= scale
			}
		}
	}}
	p.Derive = func() func(dst, x, g []float64) {
		back := b.Back()
		if back == nil {
			return nil
		}
		return func(dst, x, g []float64) {
			scaled := make([]float64, columns)
			for i, v := range g {
				scaled[i] = scale * v
			}
			point := slices.Clone(w.Image(x))
			slopes := make([]float64, len(point))
			back(slopes, point, scaled)
			w.Pull(dst, slopes)
		}
	}
	return p
}

// oneHot sets element v of dst, if there is one, to scale and the others to 0, or all to NaN if v is not finite.
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
