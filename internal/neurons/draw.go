// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package neurons

import (
	"fmt"
	"math"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// Draw samples the weights and packs them.
func (r *Recipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	s := next()
	if err := b.Reserve(r.bytes()); err != nil {
		return nil, err
	}
	n := r.directions()
	p := projection.New(n, r.In, projection.Store, 1)
	var err error
	row := make([]float64, r.In)
	set := func(i int, w []float64) {
		r.Warp.Pull(row, w)
		for j, v := range row {
			if !(math.Abs(v) <= math.MaxFloat64) && err == nil {
				err = fmt.Errorf("featuremap: weight %d of neuron %d = %v behind a Project: must be finite", j, i, v)
			}
		}
		p.Set(i, row, 0)
	}
	if r.Layout == Normal {
		w := make([]float64, r.Dim())
		for i := range n {
			s.FillNormal(w)
			set(i, w)
		}
	} else {
		design.DrawDirections(n, r.Dim(), s, set)
	}
	if err != nil {
		return nil, err
	}
	r.lay(b, p)
	return r, nil
}

// directions returns the number of directions.
func (r *Recipe) directions() int {
	if r.Layout == Paired {
		return (r.Columns + 1) / 2
	}
	return r.Columns - r.Exact()
}

// bytes returns about how much memory the weights take.
func (r *Recipe) bytes() float64 {
	n, d := float64(r.directions()), float64(r.Dim())
	size := 8 * float64(r.In) * (n + 24)
	if r.Layout != Normal {
		size += 8*2*d*min(d, n) + 8*float64(r.In)*float64(r.Exact()+24)*float64(r.arc%2)
	}
	return size
}

// lay adds all columns. p holds the weights of neurons, or their directions.
func (r *Recipe) lay(b *recipe.Builder, p *projection.Projection) {
	d := float64(r.Dim())
	// rⁿ, with r the length of the weights of order n: p has their directions as unit vectors (see docs/theory/variance.md).
	length := [...]float64{1, math.Sqrt(d), math.Sqrt(d * (d + 2))}[r.arc]
	root, first := math.Sqrt(r.scale), b.At
	neurons := projection.Neurons{Forms: projection.Forms{Projection: p}}
	switch r.Layout {
	case Folded:
		r.layExact(b)
		neurons.Activation = r.arc.Folded()
		neurons.Scale = root * length / math.Sqrt(float64(2*(r.Columns-r.Exact())))
	case Paired:
		neurons.Activation = r.arc.Neuron()
		neurons.Opposite = r.Columns / 2
		neurons.Scale = root * length / math.Sqrt(float64(r.Columns))
	default:
		neurons.Activation = r.arc.Neuron()
		neurons.Scale = root / math.Sqrt(float64(r.Columns))
	}
	neurons.At = b.At + neurons.Opposite
	b.Add(r.directions()+neurons.Opposite, neurons)
	if r.arc == 0 && r.Exact() > 0 {
		r.layOrigin(b, first)
	}
}

// layExact adds the exact columns.
func (r *Recipe) layExact(b *recipe.Builder) {
	switch r.arc {
	case 0:
		b.Add(1, projection.Constants{At: b.At, Values: []float64{math.Sqrt(r.scale / 2)}})
	case 1:
		b.Add(r.Exact(), recipe.LinearPart(b.In, b.At, r.Warp, math.Sqrt(r.scale/2)))
	default:
		b.Add(r.Exact(), projection.Rows{
			At: b.At, Columns: r.Exact(), Of: r.layProducts(math.Sqrt(r.scale)),
			Derive:  func() func(dst, x, g []float64) { return r.productsPullback(math.Sqrt(r.scale)) },
			Rounded: true,
		})
	}
}

// layOrigin makes columns from first on 0 at points whose image under the warp is 0, as the kernel of order 0 is
// there. It does this for the constant column, and behind a dense matrix for all columns, because rounding may
// leave their forms with a sign.
func (r *Recipe) layOrigin(b *recipe.Builder, first int) {
	columns := 1
	if r.Warp.Dense != nil {
		columns = b.At - first
	}
	b.Add(0, projection.Weighted{At: first, Columns: columns, Flat: true, Weight: r.Warp.Then(r.In, func(x []float64) float64 {
		for _, v := range x {
			if v != 0 {
				return 1
			}
		}
		return 0
	})})
}

// layProducts returns a function that sets dst to scale times the exact features of order 2 of a row x. With u the
// image of x in R^d they are uᵢ² + c‖u‖² and √2·uᵢuⱼ for i < j, so that their inner products are ⟨u, v⟩² + ½‖u‖²‖v‖².
func (r *Recipe) layProducts(scale float64) func(dst, x []float64) {
	d := r.Dim()
	c := (math.Sqrt(1+float64(d)/2) - 1) / float64(d)
	images := sync.Pool{New: func() any { u := make([]float64, d); return &u }}
	return func(dst, x []float64) {
		u := images.Get().(*[]float64)
		defer images.Put(u)
		r.Warp.Apply(*u, x)
		var norm float64
		for _, v := range *u {
			norm += float64(v * v)
		}
		at := 0
		for i, v := range *u {
			dst[at] = scale * (float64(v*v) + float64(c*norm))
			v *= scale * math.Sqrt2
			for j, w := range (*u)[i+1:] {
				dst[at+1+j] = v * w
			}
			at += d - i
		}
	}
}

// productsPullback returns the derivative of layProducts: Aᵀ(G + 2c·(Σgᵢᵢ)·I)u, where G is the matrix of g
// with √2·gᵢⱼ off the diagonal and the diagonal doubled.
func (r *Recipe) productsPullback(scale float64) func(dst, x, g []float64) {
	d := r.Dim()
	c := (math.Sqrt(1+float64(d)/2) - 1) / float64(d)
	return func(dst, x, g []float64) {
		u, slopes := make([]float64, d), make([]float64, d)
		r.Warp.Apply(u, x)
		var trace float64
		at := 0
		for i, v := range u {
			trace += g[at]
			slopes[i] += float64(2 * g[at] * v)
			for j := i + 1; j < d; j++ {
				w := math.Sqrt2 * g[at+j-i]
				slopes[i] += float64(w * u[j])
				slopes[j] += float64(w * v)
			}
			at += d - i
		}
		for i, v := range u {
			slopes[i] = scale * (slopes[i] + float64(2*c*trace*v))
		}
		r.Warp.Pull(dst, slopes)
	}
}
