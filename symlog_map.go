// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A symLogMap has the features φ(s(x)) of a base at the logarithms of the coordinates. It is the map of a SymLog around
// a kernel.
type symLogMap struct {
	noJSON

	plan    *Plan
	base    FeatureMap // drawn from the plan of the kernel in the SymLog
	scales  []float64
	buffers sync.Pool // holds *logarithmsBuffer
}

var _ FeatureMap = (*symLogMap)(nil)

// A variedSymLogMap is a symLogMap whose variance is known.
type variedSymLogMap struct{ *symLogMap }

var _ Variancer = variedSymLogMap{}

// ofLogarithms returns the map with the features of base at logarithms, for the plan of a SymLog.
func (p *Plan) ofLogarithms(base FeatureMap) FeatureMap {
	m := &symLogMap{plan: p, base: base, scales: p.scales}
	if _, ok := base.(Variancer); ok {
		return variedSymLogMap{m}
	}
	return m
}

// Dims returns the numbers of coordinates in and features out, as in the base map.
func (m *symLogMap) Dims() (in, out int) { return m.base.Dims() }

func (m *symLogMap) planned() *Plan { return m.plan }

// Kernel returns the kernel that the map was made for.
func (m *symLogMap) Kernel() Kernel { return m.plan.Kernel() }

// Variance returns the variance of ⟨φ(s(x)), φ(s(y))⟩. It panics with mat.ErrShape if x or y has not the length of points.
func (m variedSymLogMap) Variance(x, y []float64) float64 {
	return m.base.(Variancer).Variance(logarithms(x, m.scales), logarithms(y, m.scales))
}

// Bias returns the mean of ⟨φ(s(x)), φ(s(y))⟩ minus the kernel: see Plan.Bias.
func (m variedSymLogMap) Bias(x, y []float64) float64 { return m.plan.Bias(x, y) }

// String returns the base, and the number of coordinates in logarithms.
func (m *symLogMap) String() string {
	return fmt.Sprintf("%v, of %s", m.base, describeLogarithms(m.scales))
}

// describeLogarithms says how many coordinates are logarithms.
func describeLogarithms(scales []float64) string {
	count := 0
	for _, c := range scales {
		if c != 0 {
			count++
		}
	}
	return fmt.Sprintf("logarithms of %d of %d coordinates", count, len(scales))
}

// logarithms returns s(x). It panics with mat.ErrShape if x has another length than there are scales.
func logarithms(x, scales []float64) []float64 {
	if len(x) != len(scales) {
		panic(mat.ErrShape)
	}
	dst := make([]float64, len(x))
	rows.LogarithmsVec(dst, x, scales)
	return dst
}

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with n ≥ 1: see FeatureMap. In addition
// to the base it takes a logarithm for each coordinate with a scale, in sparse rows only for nonzero ones.
func (m *symLogMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	in, out := m.Dims()
	check.Transform(dst, x, in, out)
	b := m.buffer()
	b.each(x, func(lo, hi int, images mat.Matrix) {
		m.base.TransformTo(b.to.Matrix(lo, hi).(*mat.Dense), images)
	}, dst)
	b.release()
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *symLogMap) TransformVec(dst, x []float64) []float64 {
	in, out := m.Dims()
	dst = check.Vector(dst, x, in, out)
	b := m.buffer()
	if cap(b.data) < in {
		b.data = make([]float64, in)
	}
	image := b.data[:in]
	rows.LogarithmsVec(image, x, m.scales)
	m.base.TransformVec(dst, image)
	m.buffers.Put(b)
	return dst
}

// derivative returns the derivative of x ↦ φ(s(x)), if the base φ has one. Its pullback is S·J(s(x))ᵀg, with the
// Jacobian matrix J of φ and the diagonal matrix S of 1/(1 + |xⱼ|/cⱼ).
func (m *symLogMap) derivative() (Differentiable, error) {
	base, err := Derivative(m.base)
	if err != nil {
		return nil, fmt.Errorf("featuremap: SymLog: %w", check.Unprefix(err))
	}
	return &logarithmsPullback{m, base}, nil
}

// A logarithmsPullback is the derivative of a symLogMap.
type logarithmsPullback struct {
	m    *symLogMap
	base Differentiable
}

// PullbackTo sets row i of dst to the gradient at xᵢ of ⟨φ(s(x)), gᵢ⟩: see Differentiable.
func (p *logarithmsPullback) PullbackTo(dst *mat.Dense, x, g mat.Matrix) {
	in, out := p.m.Dims()
	preparePullback(dst, x, g, in, out)
	var points, gradients rows.Reader
	points.Reset(x)
	gradients.Reset(g)
	b := p.m.buffer()
	b.each(x, func(lo, hi int, images mat.Matrix) {
		p.base.PullbackTo(b.to.Matrix(lo, hi).(*mat.Dense), images, gradients.Window(lo, hi))
	}, dst)
	b.release()
	n, _ := x.Dims()
	for i := range n {
		rows.Chain(dst.RawRowView(i), points.Row(i), p.m.scales)
	}
}

// A logarithmsBuffer is the memory of a transformation.
type logarithmsBuffer struct {
	m        *symLogMap
	data     []float64 // images
	images   mat.Dense // a view of them
	from, to rows.Reader
	lo       int // the first row of the images
}

const (
	logarithmsElements = 1 << 19 // images held at a time: 4 MB
	logarithmsGrain    = 64      // rows of one task
)

// buffer returns a buffer.
func (m *symLogMap) buffer() *logarithmsBuffer {
	b, ok := m.buffers.Get().(*logarithmsBuffer)
	if !ok {
		b = &logarithmsBuffer{m: m}
	}
	return b
}

// release drops what the buffer has read, and keeps its memory.
func (b *logarithmsBuffer) release() {
	b.from.Reset(nil)
	b.to.Reset(nil)
	b.m.buffers.Put(b)
}

// each calls do with the logarithms of rows of x, a few rows at a time, whose results go to the same rows of dst. Lists
// stay lists.
func (b *logarithmsBuffer) each(x mat.Matrix, do func(lo, hi int, images mat.Matrix), dst *mat.Dense) {
	b.from.Reset(x)
	b.to.Reset(dst)
	n, in := x.Dims()
	if b.from.Lists != nil {
		do(0, n, rows.Logarithms(x, b.m.scales))
		return
	}
	step := min(n, max(logarithmsElements/in, minRootRows))
	if need := step * in; cap(b.data) < need {
		b.data = make([]float64, need)
	}
	for b.lo = 0; b.lo < n; b.lo += step {
		hi := min(b.lo+step, n)
		b.images.SetRawMatrix(blas64.General{Rows: hi - b.lo, Cols: in, Stride: in, Data: b.data[:(hi-b.lo)*in]})
		parallel.Run(b, hi-b.lo, logarithmsGrain)
		do(b.lo, hi, &b.images)
	}
}

// Do sets images of the rows [lo, hi) after the first.
func (b *logarithmsBuffer) Do(lo, hi int) {
	in := b.images.RawMatrix().Cols
	images := b.data[lo*in : hi*in : hi*in]
	block := b.from.BlockIn(&images, b.lo+lo, b.lo+hi)
	for i := range hi - lo {
		rows.LogarithmsVec(b.data[(lo+i)*in:][:in], block.Data[i*block.Stride:][:in], b.m.scales)
	}
}

// Domain returns the domain of the map, for package ridge: a linear.Domain, which is the base's at logarithms.
func (m *symLogMap) Domain() any {
	base, ok := m.base.(interface{ Domain() any })
	if !ok {
		return nil
	}
	return symLogDomain{base.Domain().(mapDomain), m.scales}
}

// A symLogDomain is the domain of a base at logarithms.
type symLogDomain struct {
	mapDomain
	scales []float64
}

func (d symLogDomain) Inside(x []float64) bool { return d.mapDomain.Inside(logarithms(x, d.scales)) }

func (d symLogDomain) LostTo(dst []float64, x mat.Matrix) {
	d.mapDomain.LostTo(dst, rows.Logarithms(x, d.scales))
}

func (d symLogDomain) LostGradientVec(dst, x []float64) error {
	err := d.mapDomain.LostGradientVec(dst, logarithms(x, d.scales))
	rows.Chain(dst, x, d.scales)
	return err
}

func (d symLogDomain) Lost() (terms []Kernel, roots []WeightGradienter) {
	terms, roots = d.mapDomain.Lost()
	for i := range terms {
		terms[i] = SymLog(d.scales, terms[i])
		if roots[i] != nil {
			roots[i] = symLogWeight{roots[i], d.scales}
		}
	}
	return terms, roots
}

// A symLogWeight is a function of logarithms.
type symLogWeight struct {
	of     WeightGradienter
	scales []float64
}

func (w symLogWeight) Weight(x []float64) float64 { return w.of.Weight(logarithms(x, w.scales)) }

func (w symLogWeight) GradientTo(dst, x []float64) {
	w.of.GradientTo(dst, logarithms(x, w.scales))
	rows.Chain(dst, x, w.scales)
}
