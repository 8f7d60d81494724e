// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Logarithms are the features of another map φ at logarithms of the coordinates:
//
//	φ(s(x)),  s(x)ⱼ = cⱼ·sign(xⱼ)·log(1 + |xⱼ|/cⱼ),
//
// for columns of heavy tails, such as counts, amounts of money and frequencies of words, which a stationary kernel cannot take at one
// length. Far below its scale cⱼ a coordinate is itself, in its own unit, and far above it is its logarithm; 0 stays 0, so that sparse rows
// stay sparse. (Box and Cox 1964, "An analysis of transformations", have such logarithms of shifted data for targets.)
//
// Of random features inner products estimate k(s(x), s(y)) with the variance of φ at s(x) and s(y).
//
// The zero value is no map (see FeatureMap): see NewLogarithms.
type Logarithms struct {
	noJSON

	base    FeatureMap
	scales  []float64
	kernel  Kernel
	buffers sync.Pool // holds *logarithmsBuffer
}

var (
	_ FeatureMap = (*Logarithms)(nil)
	_ Variancer  = (*Logarithms)(nil)
)

// The scales of columns in logarithms are from leastScale to mostScale.
const leastScale, mostScale = 1e-100, 1e100

// NewLogarithms returns the features of base at logarithms of coordinates, with a scale for each, in its unit: 0, for one that is taken as it
// is, or from 1e-100 to 1e100. A good one has a tenth of the values that are not 0 below it in magnitude. So base is a map of points
// whose coordinates are logarithms: make it of such points, which are those of LogarithmsTo.
//
// It keeps base without a copy: it must not change.
//
// It returns an error if base is nil or a zero value, if it has no kernel, if there is not a scale for each coordinate, or if a scale is
// refused.
func NewLogarithms(base FeatureMap, scales []float64) (*Logarithms, error) {
	if err := validateMap("base", base); err != nil {
		return nil, err
	}
	k := base.Kernel()
	if check.IsNil(k) {
		return nil, fmt.Errorf("featuremap: base %T has Kernel = nil", base)
	}
	in, _ := base.Dims()
	if len(scales) != in {
		return nil, fmt.Errorf("featuremap: %d scales: base takes %d coordinates", len(scales), in)
	}
	for j, c := range scales {
		if c != 0 && !(c >= leastScale && c <= mostScale) {
			return nil, fmt.Errorf("featuremap: scales[%d] = %v: must be 0 or from %v to %v", j, c, leastScale, mostScale)
		}
	}
	scales = slices.Clone(scales)
	return &Logarithms{base: base, scales: scales, kernel: &ofLogarithms{k, scales}}, nil
}

// Base returns the map whose features are taken; nil for a zero value.
func (m *Logarithms) Base() FeatureMap { return m.base }

// Scales returns a copy of the scales of the coordinates, 0 for those that are taken as they are.
func (m *Logarithms) Scales() []float64 { return slices.Clone(m.scales) }

// Dims returns the numbers of coordinates in and features out, those of the base map.
func (m *Logarithms) Dims() (in, out int) {
	if m.base == nil {
		return 0, 0
	}
	return m.base.Dims()
}

// Kernel returns the kernel k(s(x), s(y)), with k that of the base map; nil for a zero value. It cannot be saved but with the map.
func (m *Logarithms) Kernel() Kernel { return m.kernel }

// Variance returns the variance of ⟨φ(s(x)), φ(s(y))⟩: that of the base map, NaN if it is no Variancer. It panics with mat.ErrShape if x or
// y has not the length of points.
func (m *Logarithms) Variance(x, y []float64) float64 {
	if len(x) != len(m.scales) || len(y) != len(m.scales) {
		panic(mat.ErrShape)
	}
	v, ok := m.base.(Variancer)
	if !ok {
		return math.NaN()
	}
	return v.Variance(logarithms(x, m.scales), logarithms(y, m.scales))
}

// String returns the number of columns in logarithms, and the base.
func (m *Logarithms) String() string {
	if m.base == nil {
		return zeroMap
	}
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

// LogarithmsTo sets row i of dst, n×d, to s(x) for row i of x, n×d, with one scale for each of the d columns, as NewLogarithms takes them:
// what the base of a Logarithms is made for. An empty dst is sized. It panics with mat.ErrZeroLength if n is 0, with mat.ErrShape if the
// shapes are others, and as gonum does if dst overlaps x and is not the same matrix.
func LogarithmsTo(dst *mat.Dense, x mat.Matrix, scales []float64) {
	n, d := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	if len(scales) != d {
		panic(mat.ErrShape)
	}
	if x != mat.Matrix(dst) {
		prepareTransform(dst, x, d, d)
	}
	var reader rows.Reader
	reader.Reset(x)
	for i := range n {
		rows.LogarithmsVec(dst.RawRowView(i), reader.Row(i), scales)
	}
}

// logarithms returns s(x).
func logarithms(x, scales []float64) []float64 {
	dst := make([]float64, len(x))
	rows.LogarithmsVec(dst, x, scales)
	return dst
}

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with n ≥ 1: see FeatureMap. It takes a logarithm for each
// coordinate that has a scale, of a list for each that is not 0, besides what base takes.
func (m *Logarithms) TransformTo(dst *mat.Dense, x mat.Matrix) {
	in, out := m.Dims()
	if in == 0 {
		panic(mat.ErrShape)
	}
	prepareTransform(dst, x, in, out)
	b := m.buffer()
	b.each(x, func(lo, hi int, images mat.Matrix) {
		m.base.TransformTo(b.to.Matrix(lo, hi).(*mat.Dense), images)
	}, dst)
	b.release()
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *Logarithms) TransformVec(dst, x []float64) []float64 {
	in, out := m.Dims()
	if in == 0 {
		panic(mat.ErrShape)
	}
	dst = prepareVec(dst, x, in, out)
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

// Raw returns the raw features of landmarks at logarithms, and the matrix U: see Nystrom.Raw. They are nil if the base is no Landmarks, nor
// a Logarithms of it.
func (m *Logarithms) Raw() (raw FeatureMap, u *mat.TriDense) {
	base := m.landmarks()
	if base == nil {
		return nil, nil
	}
	if raw, u = base.Raw(); raw == nil {
		return nil, nil
	}
	return &Logarithms{base: raw, scales: m.scales, kernel: &ofLogarithms{raw.Kernel(), m.scales}}, u
}

// A landmarked map may be made of landmarks: Landmarks and Logarithms.
type landmarked interface {
	Raw() (FeatureMap, *mat.TriDense)
	DiagonalTo(dst []float64, x mat.Matrix)
	RemainderTo(dst []float64, x mat.Matrix, features *mat.Dense)
}

// landmarks returns the base, if it is a map of this package that may be made of landmarks: a caller's type that embeds one may have other
// features.
func (m *Logarithms) landmarks() landmarked {
	if base, ok := m.base.(landmarked); ok && check.Own(m.base) {
		return base
	}
	return nil
}

// DiagonalTo sets dst to k(s(x), s(x)) for the rows of x, n×in. It panics with mat.ErrShape if dst has not the length n, or x another
// width.
func (m *Logarithms) DiagonalTo(dst []float64, x mat.Matrix) {
	images := m.images(dst, x)
	if base := m.landmarks(); base != nil {
		base.DiagonalTo(dst, images)
		return
	}
	k := m.base.Kernel()
	for i := range dst {
		dst[i] = k.Eval(images.RawRowView(i), images.RawRowView(i))
	}
}

// RemainderTo sets dst to what landmarks leave of the kernel at the rows of x, n×in: see Nystrom.RemainderTo. It is 0 if the base is no
// Landmarks. It panics with mat.ErrShape if dst has not the length n, or on other shapes.
func (m *Logarithms) RemainderTo(dst []float64, x mat.Matrix, features *mat.Dense) {
	images := m.images(dst, x)
	if base := m.landmarks(); base != nil {
		base.RemainderTo(dst, images, features)
		return
	}
	clear(dst)
}

// images returns s(x) for the rows of x, of which dst has as many numbers.
func (m *Logarithms) images(dst []float64, x mat.Matrix) *mat.Dense {
	if n, in := x.Dims(); m.base == nil || len(dst) != n || in != len(m.scales) {
		panic(mat.ErrShape)
	}
	images := new(mat.Dense)
	LogarithmsTo(images, x, m.scales)
	return images
}

// derivative returns the derivative of x ↦ φ(s(x)), if the base φ has one: with J its Jacobian matrix and S the diagonal matrix of
// 1/(1 + |xⱼ|/cⱼ), S·J(s(x))ᵀg.
func (m *Logarithms) derivative() (Differentiable, error) {
	base, err := Derivative(m.base)
	if err != nil {
		return nil, fmt.Errorf("featuremap: base of a Logarithms: %w", check.Unprefix(err))
	}
	return &logarithmsPullback{m, base}, nil
}

// A logarithmsPullback is the derivative of a Logarithms.
type logarithmsPullback struct {
	m    *Logarithms
	base Differentiable
}

// DiagonalGradientVec sets dst to the gradient of k(s(x), s(x)) at x, and tells whether ‖φ(s(x))‖² falls short of that: so of landmarks.
func (p *logarithmsPullback) DiagonalGradientVec(dst, x []float64) bool {
	clear(dst)
	base, ok := p.base.(interface {
		DiagonalGradientVec(dst, x []float64) bool
	})
	if !ok || !base.DiagonalGradientVec(dst, logarithms(x, p.m.scales)) {
		return false
	}
	p.m.chain(dst, x)
	return true
}

// chain multiplies a gradient at s(x) by the derivatives of s at x.
func (m *Logarithms) chain(gradient, x []float64) {
	for j, c := range m.scales {
		if c != 0 {
			gradient[j] /= 1 + math.Abs(x[j])/c
		}
	}
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
		p.m.chain(dst.RawRowView(i), points.Row(i))
	}
}

// A logarithmsBuffer is the memory of a transformation.
type logarithmsBuffer struct {
	m        *Logarithms
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
func (m *Logarithms) buffer() *logarithmsBuffer {
	b, ok := m.buffers.Get().(*logarithmsBuffer)
	if !ok {
		b = &logarithmsBuffer{m: m}
	}
	return b
}

// release lets go of what the buffer has read, and keeps its memory.
func (b *logarithmsBuffer) release() {
	b.from.Reset(nil)
	b.to.Reset(nil)
	b.m.buffers.Put(b)
}

// each calls do with the logarithms of the rows of x, some at a time, of which row i goes to row i of dst. Lists stay lists.
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

// An ofLogarithms is the kernel of a Logarithms.
type ofLogarithms struct {
	k      Kernel
	scales []float64
}

// Eval returns k(s(x), s(y)).
func (k *ofLogarithms) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	if len(x) != len(k.scales) {
		panic(mat.ErrShape)
	}
	return k.k.Eval(logarithms(x, k.scales), logarithms(y, k.scales))
}

// source says what the kernel is. It is no Go expression, as that of a DataDependent is none.
func (k *ofLogarithms) GoString() string {
	return fmt.Sprintf("NewLogarithms(…).Kernel() of %s, %s", gosyntax.Of(k.k), describeLogarithms(k.scales))
}

// String returns what source does.
func (k *ofLogarithms) String() string { return k.GoString() }
