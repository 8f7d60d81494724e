// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package maclaurin

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// compile samples and packs the weights of the features, whose degrees are known.
func (d *Draws) compile(b *recipe.Builder, s random.Sampler) {
	r := d.recipe
	c := compiler{Recipe: r, drawn: d.Drawn, first: b.At, s: s, w: make([]float64, r.In)}
	if r.opts.Complex {
		c.imag = r.Number()
	}
	c.exactParts()
	switch {
	case r.terms != nil:
		c.sums()
	case r.opts.Sketch == TensorSRHT:
		c.tensors()
	default:
		c.products()
	}
	b.Add(r.Columns, c.parts...)
}

// A compiler makes the parts of a Maclaurin map's transform.
type compiler struct {
	*Recipe
	drawn []int // degrees of the features, ascending
	first int   // the map's first column
	s     random.Sampler
	imag  int // columns from a real part to its imaginary part; 0 without Complex
	parts []projection.Part
	w     []float64 // see pull
}

// pull returns the linear form x ↦ w·(Ax − c), with the matrix A and the center c of the warp: Aᵀw, which may be w
// itself or memory of the compiler, and the bias −w·c.
func (c *compiler) pull(w []float64) ([]float64, float64) {
	bias := c.Warp.Bias(w)
	if c.Warp.Linear().Identity() {
		return w, bias
	}
	c.Warp.Pull(c.w, w)
	return c.w, bias
}

// exactParts adds the exact columns, and the constant columns of features of degree 0.
func (c *compiler) exactParts() {
	c.parts = c.low.Parts(c.In, c.first, c.Warp, 1)
	if n := sort.SearchInts(c.drawn, 1); n > 0 {
		values := make([]float64, n)
		c.parts = append(c.parts, projection.Constants{At: c.first + c.Exact(), Values: values})
		if c.imag != 0 {
			c.parts = append(c.parts, projection.Constants{At: c.first + c.Exact() + c.imag, Values: make([]float64, n)})
		}
		scale := c.scale(0)
		for i := range values {
			values[i] = scale
		}
	}
}

// products samples features whose factors have independent vectors.
func (c *compiler) products() {
	first := sort.SearchInts(c.drawn, 1)
	if first == len(c.drawn) {
		return
	}
	degrees := c.drawn[first:]
	p := projection.NewProduct(c.In, c.first+c.Exact()+first, c.imag, degrees)
	c.fill(p, degrees)
	c.parts = append(c.parts, p)
}

// fill samples the vectors of the factors of p, whose columns have the given degrees.
func (c *compiler) fill(p *projection.Product, degrees []int) {
	fill := c.s.FillRademacher
	if c.opts.Sketch == GaussianSketch {
		fill = c.s.FillNormal
	}
	u, v := make([]float64, c.Dim()), make([]float64, c.Dim())
	for i, n := range degrees {
		for j := range n {
			fill(u)
			if c.imag != 0 {
				fill(v)
			}
			c.set(p, i, j, u, v)
		}
	}
}

// set makes u + iv factor j of column i of p. Factor 0 includes the column's scale.
func (c *compiler) set(p *projection.Product, i, j int, u, v []float64) {
	if j == 0 {
		scale := c.scale(p.Degree(i))
		for k := range u {
			u[k] *= scale
			v[k] *= scale
		}
	}
	w, bias := c.pull(u)
	p.SetReal(i, j, w, bias)
	if c.imag != 0 {
		w, bias = c.pull(v)
		p.SetImag(i, j, w, bias)
	}
}

// tensors samples the factors of TensorSRHT, block by block, by ascending degrees. Some blocks are compiled as
// products of linear forms: those behind a linear map, and those with so few columns or coordinates that this is
// faster.
func (c *compiler) tensors() {
	p := design.PaddedDim(c.Dim())
	var fast, dense []projection.TensorBlock
	flush := func() {
		if dense != nil {
			c.denseBlocks(dense)
			dense = nil
		}
	}
	for i := sort.SearchInts(c.drawn, 1); i < len(c.drawn); {
		n := c.drawn[i]
		end := min(sort.SearchInts(c.drawn, n+1), i+p)
		block := projection.TensorBlock{At: c.first + c.Exact() + i, Scale: c.scale(n)}
		for range n {
			block.Factors = append(block.Factors, c.tensorFactor(p, end-i))
		}
		if c.Warp.Linear().Identity() && (end-i)*(c.In-32) > 2*p*bits.Len(uint(p)) {
			flush()
			fast = append(fast, block)
		} else {
			dense = append(dense, block)
		}
		i = end
	}
	flush()
	if fast != nil {
		c.parts = append(c.parts, projection.NewTensor(p, c.imag, c.Warp.Center, fast))
	}
}

// tensorFactor samples one factor of a block: the signs, and n of its p rows without replacement.
func (c *compiler) tensorFactor(p, n int) (f projection.TensorFactor) {
	parts := 1
	if c.imag != 0 {
		parts = 2
	}
	for i := range parts {
		f.Signs[i] = c.s.SignMasks(p)
	}
	f.Rows = make([]int, p)
	for i := range f.Rows {
		f.Rows[i] = i
	}
	for i := range n {
		j := i + c.s.IntN(p-i)
		f.Rows[i], f.Rows[j] = f.Rows[j], f.Rows[i]
	}
	f.Rows = slices.Clone(f.Rows[:n]) // often much shorter than p
	return f
}

// denseBlocks compiles blocks whose columns follow each other as products of linear forms.
func (c *compiler) denseBlocks(blocks []projection.TensorBlock) {
	var degrees []int
	for _, b := range blocks {
		for range b.Factors[0].Rows {
			degrees = append(degrees, len(b.Factors))
		}
	}
	p := projection.NewProduct(c.In, blocks[0].At, c.imag, degrees)
	u, v := make([]float64, c.Dim()), make([]float64, c.Dim())
	i := 0
	for _, b := range blocks {
		for column := range b.Factors[0].Rows {
			for j, f := range b.Factors {
				hadamardRow(u, f.Rows[column], f.Signs[0])
				if c.imag != 0 {
					hadamardRow(v, f.Rows[column], f.Signs[1])
				}
				c.set(p, i, j, u, v)
			}
			i++
		}
	}
	c.parts = append(c.parts, p)
}

// hadamardRow sets w to the first len(w) elements of row r of HD, with H the Walsh-Hadamard matrix of elements ±1 and
// D the diagonal matrix of signs.
func hadamardRow(w []float64, r int, signs []uint64) {
	for k := range w {
		parity := uint64(bits.OnesCount(uint(r&k))&1) << 63
		w[k] = math.Float64frombits(math.Float64bits(1) | (parity ^ signs[k]))
	}
}
