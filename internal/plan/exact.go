// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Exact is a recipe of features that are not random: ⟨φ(x), φ(y)⟩ is k(x, y) except for rounding.
type Exact struct {
	recipe.Frame

	// Layout adds the columns, multiplied by scale, to b.
	Layout func(b *recipe.Builder, scale float64)
	Scale  float64

	Size float64           // the bytes of the weights; 0 means 8·in for each column
	low  *recipe.Monomials // nil unless they are monomials
}

func (r *Exact) String() string                       { return "exact" }
func (r *Exact) Statistics() int                      { return 0 }
func (r *Exact) Add([]float64, *sample.Pair, float64) {}
func (r *Exact) Variance([]float64) float64           { return 0 }
func (r *Exact) Key() any                             { return nil }
func (r *Exact) Exact() int                           { return r.Columns }
func (r *Exact) Bounded() bool                        { return true }
func (r *Exact) Document() any                        { return exactDocument{} }

func (r *Exact) Draw(b *recipe.Builder, _ func() random.Sampler) (any, error) {
	size := r.Size
	if size == 0 {
		size = 8 * float64(r.Columns) * float64(r.In)
	}
	if err := b.Reserve(size); err != nil {
		return nil, err
	}
	r.Layout(b, r.Scale)
	return nil, nil
}

// exactDocument has no fields, because exact features follow from the term.
type exactDocument struct{}

func (exactDocument) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	if asked.Whole {
		return nil, nil
	}
	t, steps := asked.Form[0], 0.0
	switch b := t.Base.(type) {
	case form.Dot:
		if degree, ok := power.DegreeOf(b.F); ok && degree <= recipe.MaxExactDegree {
			steps = recipe.ExactSteps(b.F, degree)
		}
	case form.Stationary:
		steps = fourier.SeriesSteps
	}
	if err := asked.Take(0, steps); err != nil {
		return nil, err
	}
	r := exactOf(t, asked.In)
	if r == nil || r.Columns != asked.Columns {
		return nil, nil
	}
	if r.low == nil {
		return r, nil
	}
	return r, asked.Take(r.low.Spare())
}

// exactOf returns the exact features of a term on R^in, or nil without such features.
func exactOf(t form.Term, in int) *Exact {
	r := &Exact{Frame: recipe.Frame{In: in}, Scale: math.Sqrt(t.Scale)}
	d := t.Warp.Dim(in)
	switch b := t.Base.(type) {
	case form.Constant:
		r.Columns, r.Layout = 1, func(b *recipe.Builder, scale float64) {
			b.Add(1, projection.Constants{At: b.At, Values: []float64{scale}})
		}
	case form.Stationary:
		if !b.Angle {
			if r.Columns, r.Layout = fourier.ExactSeries(spectrum.Warped{Spectrum: b.Spectrum, Warp: t.Warp}, in); r.Layout == nil {
				return nil
			}
			return r
		}
		r.Columns, r.Layout = 2, func(b *recipe.Builder, scale float64) { addAngle(b, t.Warp, scale) }
	case form.Space:
		r.Columns, r.Layout = d, func(b *recipe.Builder, scale float64) { b.Add(d, recipe.LinearPart(in, b.At, t.Warp, scale)) }
	case form.Categories:
		if !t.Warp.Factorless() {
			return nil
		}
		r.Columns, r.Layout = b.N, func(to *recipe.Builder, scale float64) {
			to.Add(b.N, projection.Rows{
				At: to.At, Columns: b.N,
				Of:     func(dst, x []float64) { oneHot(dst, t.Warp.Image(x)[0], scale) },
				Derive: func() func(dst, x, g []float64) { return func(dst, _, _ []float64) { clear(dst) } }, // between categories
			})
		}
	case form.Mapped:
		_, r.Columns = b.M.Dims()
		r.Layout = func(to *recipe.Builder, scale float64) {
			to.Add(r.Columns, mappedPart(b, r.Columns, to.At, t.Warp, scale))
		}
	case form.Dot:
		degree, ok := power.DegreeOf(b.F)
		if !ok || degree > recipe.MaxExactDegree {
			return nil
		}
		low, err := recipe.NewMonomials(b.F, d, degree+1)
		if err != nil || !(low.Count <= recipe.MaxExactColumns) {
			return nil
		}
		if low.Count == 0 { // underflow has made all coefficients 0
			r.Columns, r.Layout = 1, func(b *recipe.Builder, _ float64) {
				b.Add(1, projection.Constants{At: b.At, Values: []float64{0}})
			}
			return r
		}
		r.Columns, r.Size, r.low = int(low.Count), low.Bytes(in), &low
		r.Layout = func(b *recipe.Builder, scale float64) { b.Add(r.Columns, low.Parts(b.In, b.At, t.Warp, scale)...) }
	default:
		return nil
	}
	return r
}

// addAngle adds the columns scale·cos(Ax) and scale·sin(Ax), where A has one row.
func addAngle(b *recipe.Builder, w warp.Warp, scale float64) {
	row := make([]float64, b.In)
	w.Pull(row, []float64{1 / (2 * math.Pi)})
	var cols []uint32
	var weights []float64
	for i, v := range row {
		if v != 0 {
			cols, weights = append(cols, uint32(i)), append(weights, v)
		}
	}
	run := []projection.SparseRun{{Terms: len(cols), Forms: 1}}
	b.Add(2, projection.Angle{Sparse: projection.NewSparse(b.In, b.At, 1, run, cols, weights, []float64{scale})})
}

// mappedPart returns the part that computes the columns scale·φ(Ax − c), from column at on, for a map
// φ.
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
