// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// An assembly is the map of a sum of kernels: the features of each term side by side.
type assembly struct {
	kernel  Kernel
	in, out int
	blocks  []block
	stack   *projection.Stack
}

// A varied assembly knows its variance.
type variedAssembly struct{ *assembly }

var (
	_ FeatureMap = (*assembly)(nil)
	_ Variancer  = variedAssembly{}
)

// A block is the features of a term.
type block struct {
	columns int
	parts   []projection.Part
	drawn   FeatureMap                // nil if the features are exact
	weight  func(x []float64) float64 // of the features; nil: 1
}

// newAssembly puts blocks side by side.
func newAssembly(k Kernel, in int, blocks []block) FeatureMap {
	m := &assembly{kernel: k, in: in, blocks: blocks}
	var parts []projection.Part
	known := true
	for _, b := range blocks {
		parts = append(parts, projection.Shift{At: m.out, Columns: b.columns, Parts: b.parts, Weight: b.weight})
		m.out += b.columns
		known = known && (b.drawn == nil || knowsVariance(b.drawn))
	}
	m.stack = projection.NewStack(in, parts...)
	if known {
		return variedAssembly{m}
	}
	return m
}

// knowsVariance tells whether a map of the package knows its variance.
func knowsVariance(m FeatureMap) bool {
	if c, ok := m.(*Compositional); ok {
		return c.kernel.knownMoments()
	}
	_, ok := m.(Variancer)
	return ok
}

// Dims returns the numbers of coordinates in and features out.
func (m *assembly) Dims() (in, out int) { return m.in, m.out }

// Kernel returns the kernel the map was made for.
func (m *assembly) Kernel() Kernel { return m.kernel }

// TransformTo sets row i of dst to the features of row i of x: see FeatureMap.
func (m *assembly) TransformTo(dst *mat.Dense, x mat.Matrix) {
	prepareTransform(dst, x, m.in, m.out)
	m.stack.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *assembly) TransformVec(dst, x []float64) []float64 {
	dst = prepareVec(dst, x, m.in, m.out)
	m.stack.TransformVec(dst, x)
	return dst
}

// Variance returns the sum of the variances of the terms, which are drawn independently.
func (m variedAssembly) Variance(x, y []float64) float64 {
	if len(x) != m.in || len(y) != m.in {
		panic(mat.ErrShape)
	}
	var v float64
	for _, b := range m.blocks {
		v += b.variance(x, y)
	}
	return v
}

// variance returns the variance of what the block adds to ⟨φ(x), φ(y)⟩.
func (b *block) variance(x, y []float64) float64 {
	if b.drawn == nil {
		return 0
	}
	v := b.drawn.(Variancer).Variance(x, y)
	if b.weight != nil {
		v *= square(b.weight(x) * b.weight(y))
	}
	return v
}

// partsOf returns the parts of a map of the package.
func partsOf(m FeatureMap) []projection.Part {
	switch m := m.(type) {
	case *Fourier:
		if p, ok := m.projection.(*projection.Projection); ok {
			return []projection.Part{projection.Forms{Projection: p}}
		}
		return m.projection.(*projection.Stack).Parts()
	case *Maclaurin:
		return m.stack.Parts()
	case *Neurons:
		return m.stack.Parts()
	}
	return m.(*Compositional).stack.Parts()
}

// drawnBlock returns the block of a map of the package.
func drawnBlock(m FeatureMap, weight func(x []float64) float64) block {
	_, out := m.Dims()
	return block{columns: out, parts: partsOf(m), drawn: m, weight: weight}
}

// A term is one of a sum of kernels.
type term struct {
	k      Kernel
	weight func(x []float64) float64 // nil: 1
}

// termsOf returns the terms of a kernel: those of sums, also of sums with a weight or a factor,
// and what has exact features apart from other stationary kernels.
func termsOf(k Kernel, weight []func(x []float64) float64) []term {
	switch k := k.(type) {
	case expression:
		if k.op == opSum {
			var terms []term
			for _, k := range k.ks {
				terms = append(terms, termsOf(k, weight)...)
			}
			return terms
		}
		if c, ok := k.f.(Coefficients); k.op == opCompose && ok && len(c) == 2 && c[0] == 0 {
			root := math.Sqrt(c[1])
			return termsOf(k.ks[0], append(slices.Clip(weight), func([]float64) float64 { return root }))
		}
	case weighted:
		return termsOf(k.k, append(slices.Clip(weight), k.f))
	case radialSum:
		return termsOf(k.stationarySum, weight)
	case stationarySum:
		var terms []term
		var rest []Stationary
		for _, of := range k.ks {
			_, _, single := singleColumn(of, 0)
			if _, constant := of.(Constant); constant || single {
				terms = append(terms, termsOf(of, weight)...)
			} else {
				rest = append(rest, of)
			}
		}
		switch {
		case len(terms) == 0:
		case len(rest) == 1:
			return append(terms, termsOf(rest[0], weight)...)
		case len(rest) > 1:
			return append(terms, term{newStationarySum(rest), weightOf(weight)})
		default:
			return terms
		}
	}
	return []term{{k, weightOf(weight)}}
}

func weightOf(fs []func(x []float64) float64) func(x []float64) float64 {
	if len(fs) == 0 {
		return nil
	}
	return productOf(fs)
}

// exact returns the exact features of a term in at most so many columns, and whether there are.
func (t term) exact(in, most int) (block, bool) {
	b := block{weight: t.weight}
	if col, of, ok := singleColumn(t.k, in); ok {
		switch of := of.(type) {
		case Circle:
			b.add(2, projection.NewSparse(in, 0, 1, []projection.SparseRun{{Terms: 1, Forms: 1}},
				[]uint32{uint32(col)}, []float64{1 / (2 * math.Pi)}, nil, []float64{1}))
		case Categories:
			if of.N <= most {
				b.add(of.N, projection.Rows(func(dst, x []float64) { oneHot(dst, x[col]) }))
			}
		}
		return b, b.columns > 0 && b.columns <= most
	}
	base, warp := bind(t.k, in), (*linear)(nil)
	if p, ok := base.(projector); ok {
		a, inner := p.projection()
		base, warp = inner, &a
	}
	switch base := pointee(base).(type) {
	case Constant:
		b.add(1, projection.Constants{Values: []float64{math.Sqrt(base.Value)}})
	case Binary, Sphere, SphereUniform, SphereCoordinate:
		b.addLinear(in, most, 1, warp)
	case fromMap:
		if _, out := base.m.Dims(); out <= most {
			b.add(out, fromMapRows(base.m, warp))
		}
	case DotProduct:
		if f := base.Series(); isLow(f) {
			b.addLow(in, most, f, warp)
		}
	}
	return b, b.columns > 0 && b.columns <= most
}

// singleColumn returns a kernel of one coordinate and that, if k is one: Circle or Categories, or
// Select of one.
func singleColumn(k Kernel, in int) (col int, of Kernel, ok bool) {
	if s, is := k.(selector); is {
		cols, inner := s.selection()
		col, k = cols[0], inner
	}
	k = pointee(k)
	switch k.(type) {
	case Circle, Categories:
		return col, k, true
	}
	return 0, nil, false
}

// addLow appends the columns of a₀ + a₁·⟨Ax, Ay⟩, or more columns than are allowed.
func (b *block) addLow(in, most int, f Series, warp *linear) {
	a0, a1 := f.Coeff(0), f.Coeff(1)
	if a0 > 0 || a1 == 0 { // also of the kernel 0
		b.add(1, projection.Constants{Values: []float64{math.Sqrt(a0)}})
	}
	if a1 > 0 {
		b.addLinear(in, most, a1, warp)
	}
}

// add appends columns.
func (b *block) add(columns int, p projection.Part) {
	b.parts = append(b.parts, projection.Shift{At: b.columns, Columns: columns, Parts: []projection.Part{p}})
	b.columns += columns
}

// addLinear appends the columns √a·Ax, or no more than their number where that is above most.
func (b *block) addLinear(in, most int, a float64, warp *linear) {
	root := math.Sqrt(a)
	switch {
	case warp == nil:
		b.add(in, projection.Copy{Scale: root})
		return
	case b.columns+warp.p > most:
		b.columns += warp.p
		return
	}
	p := projection.New(warp.p, in, projection.Store, 1)
	unit, row := make([]float64, warp.p), make([]float64, in)
	for i := range warp.p {
		unit[i] = root
		warp.pull(row, unit)
		p.Set(i, row, 0)
		unit[i] = 0
	}
	b.add(warp.p, projection.Forms{Projection: p})
}

// oneHot sets the element of a category to 1, and the others to 0; all to NaN for NaN.
func oneHot(dst []float64, v float64) {
	clear(dst)
	switch {
	case v >= 0 && v < float64(len(dst)) && v == math.Trunc(v):
		dst[int(v)] = 1
	case math.IsNaN(v - v):
		for i := range dst {
			dst[i] = math.NaN()
		}
	}
}

// fromMapRows returns the features of a map that may not be of the package.
func fromMapRows(m FeatureMap, warp *linear) projection.Rows {
	if warp == nil {
		return func(dst, x []float64) { m.TransformVec(dst, x) }
	}
	images := newScratch(warp.p)
	return func(dst, x []float64) {
		ax := images.get()
		warp.apply(*ax, x)
		m.TransformVec(dst, *ax)
		images.put(ax)
	}
}

// isLow tells whether a series is known to have no degree above 1, and no coefficient that is
// refused.
func isLow(f Series) bool {
	n, ok := degreeOf(f)
	if !ok || n > 1 || validateSeries(f) != nil {
		return false
	}
	for n := range 2 {
		if validateCoefficient(f, n, f.Coeff(n)) != nil {
			return false
		}
	}
	return true
}

// degreeOf returns the degree of a polynomial, by its type: values and derivatives of others may
// underflow. It may be more than the degree where coefficients underflow.
func degreeOf(f Series) (n int, ok bool) {
	both := func(f, g Series, of func(m, n int) int) (int, bool) {
		m, ok := degreeOf(f)
		n, ok2 := degreeOf(g)
		return of(m, n), ok && ok2
	}
	switch f := pointeeSeries(f).(type) {
	case Coefficients:
		for n = len(f) - 1; n > 0 && f[n] == 0; n-- {
		}
		return max(n, 0), true
	case IdentityDual:
		return 1, true
	case HermiteDual:
		return f.N, true
	case binomial:
		return f.degree, true
	case checkedSeries:
		return degreeOf(f.Series)
	case scaledSeries:
		return degreeOf(f.f)
	case sumSeries:
		return both(f.f, f.g, func(m, n int) int { return max(m, n) })
	case productSeries:
		return both(f.f, f.g, func(m, n int) int { return m + n })
	case composedSeries:
		return both(f.f, f.g, func(m, n int) int { return m * n })
	}
	return 0, false
}
