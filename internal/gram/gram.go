// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package gram computes a statistic of all pairs of two sets of points (inner products, or distances of several kinds)
// and functions of it. It works in blocks, has the same bits on every machine, and knows nothing of kernels.
//
// Inner products come from the tiles of package projection: each is one chain of fused multiply-adds, in the order of
// the coordinates. For points with more than a few coordinates, squared distances follow from inner products,
//
//	‖x − y‖² = ‖x‖² + ‖y‖² − 2⟨x, y⟩,
//
// of points minus a common center. Where the result is small compared with ‖x‖² + ‖y‖², digits cancel, and it is
// computed again from the differences of the original points. Sums of sines follow in the same way from points on
// circles (sines.go). All other statistics are sums or products over the differences of coordinates, in their own tiles
// (differences.go).
//
// A number depends only on its two points and the center. It does not depend on the points that are computed together,
// the number of goroutines, or the machine. Plain Go is the specification, and assembly equals it to the last bit.
package gram

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Statistic is a number that is computed from two points x and y. Differences are multiplied by factors:
// δₖ = (xₖ − yₖ)·sₖ.
type Statistic int

// The assembly of differences relies on the values of Squares, Absolutes and Ratios.
const (
	Squares   Statistic = iota // Σδₖ²
	Absolutes                  // Σ|δₖ|
	Ratios                     // ∏(1 + δₖ²)
	Sines                      // Σsin²(πδₖ/p), with the period p
	Inner                      // ⟨x, y⟩, without factors
	Chords                     // c = ‖x/‖x‖ − y/‖y‖‖² where c ≤ 2, else c − 4 = −‖x/‖x‖ + y/‖y‖‖²; without factors
)

// A Measure is a statistic with its parameters.
type Measure struct {
	Of     Statistic
	Scale  float64 // a factor of all differences
	Period float64 // of Sines
}

// Columns is a number of which the first column of a block must be a multiple.
const Columns = projection.PanelForms

// MaxRows is the largest number of rows of a block.
const MaxRows = 8

// Points is a set of points that is prepared to be paired with other points. It is safe for concurrent use. It keeps
// the points that it is made of.
type Points struct {
	Self *Batch // these points as a batch
	N, D int    // the number of points, and of their coordinates

	measure Measure
	tier    tier.Tier
	factors []float64

	forms     forms                 // inner products with them
	scattered *projection.Scattered // the same, of points that are lists
	least     float64               // smaller squared distances are computed from differences, not from inner products
	center    []float64             // for Squares from inner products
	centered  []int                 // the columns in which it is not 0

	sine    *sine    // for Sines
	circles *circles // for Sines from inner products
	far     bool     // some of the points are not moderate

	shape  shape
	panels []float64 // the points in tiles of differences
}

// A Batch is a set of points in the form that Points needs to pair them with its own.
type Batch struct {
	raw      blas64.General // the original rows
	rows     blas64.General // minus the center, times the factors; for Chords, divided by their norms
	norms    []float64      // the squared norms of rows
	moderate []bool         // for Sines: whether the row can be computed in lanes
	lists    []*projection.ListRow
	entries  []rows.List // for lists, instead of raw and rows

	points *Points   // that it was prepared for
	memory []float64 // of rows
}

// forms are inner products with points.
type forms interface {
	List(x []float64) *projection.ListRow
	ListOf(other *projection.ListRow, columns []int, values []float64) *projection.ListRow
	ListColumns(dst []float64, l *projection.ListRow, lo, hi int)
	Columns(dst, x blas64.General, lo, hi int)
}

// nearCoords is the number of coordinates up to which squared distances are computed from differences. There this is
// hardly slower than inner products.
const nearCoords = 8

// Exchangeable tells whether the statistic of two points with this number of coordinates has the same bits if they are
// exchanged, whatever points are prepared with them.
func (m Measure) Exchangeable(coords int) bool { return m.Of <= Ratios && coords <= nearCoords }

// New prepares the rows of x as points. There is one factor for each coordinate; nil factors are
// all 1.
func New(m Measure, x blas64.General, factors []float64) *Points {
	return newIn(tier.Best(), m, x, factors)
}

// newPoints returns points without their preparation.
func newPoints(t tier.Tier, m Measure, n, d int, factors []float64) *Points {
	p := &Points{N: n, D: d, measure: m, tier: t, shape: shapes[t], factors: make([]float64, d), least: tinySquares}
	for k := range p.factors {
		p.factors[k] = m.Scale
		if m.Of == Inner || m.Of == Chords {
			p.factors[k] = 1
		} else if factors != nil {
			p.factors[k] *= factors[k]
		}
	}
	return p
}

func newIn(t tier.Tier, m Measure, x blas64.General, factors []float64) *Points {
	p := newPoints(t, m, x.Rows, x.Cols, factors)
	switch {
	case m.Of == Inner || m.Of == Chords:
	case m.Of == Squares && x.Cols > nearCoords:
		p.center = Center(x)
		p.centered = nonZeroColumns(p.center)
	case m.Of == Sines && x.Cols > nearCoords:
		p.sine = newSine(m.Period)
		p.least = nearSines * float64(x.Cols)
		p.onCircles(x)
	default:
		if m.Of == Sines {
			p.sine = newSine(m.Period)
		}
		p.Self = p.Batch(x)
		p.far = slices.Contains(p.Self.moderate, false)
		p.pack()
		return p
	}
	p.Self = p.Batch(x)
	p.far = slices.Contains(p.Self.moderate, false)
	packed := projection.NewIn(t, p.N, p.coords(), projection.Store, 1)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			packed.Set(i, row(p.Self.rows, i), 0)
		}
	}), p.N, grain(p.D))
	p.forms = packed
	p.Prepare(p.Self, x) // with lists
	p.Self.thin()
	return p
}

// coords returns the number of coordinates of prepared rows.
func (p *Points) coords() int {
	if p.circles != nil {
		return 2 * p.D
	}
	return p.D
}

// grain returns the number of rows, with this number of elements, that are worth a goroutine.
func grain(elements int) int { return 1 + 1<<15/max(elements, 1) }

func row(x blas64.General, i int) []float64 { return x.Data[i*x.Stride:][:x.Cols:x.Cols] }

// centerRows is the number of rows, at most, that make a center.
const centerRows = 101

// Center returns a point in the middle of the rows of x. Each coordinate is the median of some rows without NaN and
// Inf, so outliers do not matter.
func Center(x blas64.General) []float64 {
	var some [][]float64
	step := centerStep(x.Rows)
	for i := 0; i < x.Rows; i += step {
		if r := row(x, i); finite(r) {
			some = append(some, r)
		}
	}
	c := make([]float64, x.Cols)
	if len(some) == 0 {
		return c
	}
	column := make([]float64, len(some))
	for k := range c {
		for i, r := range some {
			column[i] = r[k]
		}
		slices.Sort(column)
		c[k] = column[len(column)/2]
	}
	return c
}

// centerStep returns k if every k-th row is used for the center.
func centerStep(rows int) int { return 1 + (rows-1)/centerRows }

// finite tells whether all elements are finite: v − v is 0 then, and NaN otherwise.
func finite(x []float64) bool {
	var s float64
	for _, v := range x {
		s += v - v
	}
	return s == 0
}

// Batch returns the rows of x prepared.
func (p *Points) Batch(x blas64.General) *Batch {
	b := new(Batch)
	p.Prepare(b, x)
	return b
}

// Prepare makes b the rows of x, with up to GOMAXPROCS goroutines. It keeps x, and reuses the memory of b.
func (p *Points) Prepare(b *Batch, x blas64.General) {
	b.points, b.raw, b.rows, b.entries, b.norms, b.lists = p, x, x, nil, b.norms[:0], b.lists[:0]
	if p.measure.Of == Sines {
		b.moderate = slices.Grow(b.moderate[:0], x.Rows)[:x.Rows]
	}
	if p.measure.Of == Chords || p.center != nil || p.circles != nil {
		cols := p.coords()
		n := x.Rows * cols
		b.memory = slices.Grow(b.memory[:0], n)[:n]
		b.rows = blas64.General{Rows: x.Rows, Cols: cols, Stride: cols, Data: b.memory}
		b.norms = slices.Grow(b.norms, x.Rows)[:x.Rows]
	}
	if p.forms != nil {
		b.lists = slices.Grow(b.lists, x.Rows)[:x.Rows]
	}
	if len(b.norms)+len(b.lists)+len(b.moderate) > 0 {
		parallel.Run(b, x.Rows, grain(x.Cols))
	}
}

// thin drops prepared rows that are copies, minus a center, of rows with lists. Inner products use the lists, and near
// points are compared in their original form.
func (b *Batch) thin() {
	if b.points.center != nil && !slices.Contains(b.lists, nil) {
		b.rows, b.memory = blas64.General{}, nil
	}
}

// Forget drops the rows and the points they were prepared for. It keeps the memory for other rows.
func (b *Batch) Forget() {
	b.points, b.raw, b.rows, b.entries = nil, blas64.General{}, blas64.General{}, nil
}

// Do prepares the rows [lo, hi): it is for parallel.Run.
func (b *Batch) Do(lo, hi int) {
	p := b.points
	for i := lo; i < hi; i++ {
		to, from := row(b.rows, i), row(b.raw, i)
		if len(b.norms) > 0 {
			p.prepareRow(to, from)
			b.norms[i] = chain(to, to)
		}
		if len(b.moderate) > 0 {
			b.moderate[i] = p.moderate(from)
		}
		if len(b.lists) > 0 { // inner products of sparse rows take time proportional to their non-zeros
			b.lists[i] = p.forms.List(to)
		}
	}
}

// prepareRow sets to, which may be from, to a row in the form that Points needs.
func (p *Points) prepareRow(to, from []float64) {
	switch {
	case p.measure.Of == Chords:
		unit(to, from)
	case p.circles != nil:
		p.circle(to, from)
	case p.center != nil:
		for k, v := range from {
			to[k] = (v - p.center[k]) * p.factors[k]
		}
	default:
		copy(to, from)
	}
}

// chain returns ⟨x, y⟩ with the same bits as the tiles.
func chain(x, y []float64) float64 {
	var sum float64
	for k, v := range x {
		sum = math.FMA(y[k], v, sum)
	}
	return sum
}

// Norm returns ‖x‖, without overflow or underflow on the way.
func Norm(x []float64) float64 {
	var most float64
	for _, v := range x {
		if math.IsNaN(v) {
			return v
		}
		most = max(most, math.Abs(v))
	}
	if most == 0 || math.IsInf(most, 1) {
		return most
	}
	_, e := math.Frexp(most)
	scale, after := math.Ldexp(1, -e/2), math.Ldexp(1, -e+e/2) // 2⁻ᵉ may overflow
	var sum float64
	for _, v := range x {
		u := float64(float64(v*scale) * after)
		sum = math.FMA(u, u, sum)
	}
	return math.Ldexp(math.Sqrt(sum), e)
}

// unit sets dst to x/‖x‖, or to 0 if x is 0.
func unit(dst, x []float64) {
	r := Norm(x)
	for k, v := range x {
		if r == 0 {
			dst[k] = 0
		} else {
			dst[k] = v / r
		}
	}
}

// Fill sets element (i, j) of dst to the statistic of row from+i of b and the point lo+j, for i below rows ≤ MaxRows,
// and lo+j below hi. Rows of dst are stride elements apart. lo is a multiple of Columns; hi is a multiple too, or N.
// The other elements of dst up to the stride have no meaning.
func (p *Points) Fill(dst []float64, stride int, b *Batch, from, rows, lo, hi int) {
	if p.forms == nil {
		p.differences(dst, stride, b, from, rows, lo, hi)
		return
	}
	if lists := b.lists[from : from+rows]; !slices.Contains(lists, nil) {
		for i, l := range lists {
			p.forms.ListColumns(dst[i*stride:], l, lo, hi)
		}
	} else {
		to := blas64.General{Rows: rows, Cols: hi - lo, Stride: stride, Data: dst}
		p.forms.Columns(to, b.part(from, rows), lo, hi)
	}
	if p.measure.Of == Inner {
		return
	}
	for i := range rows {
		r := dst[i*stride:][:hi-lo]
		if p.measure.Of == Chords {
			p.chords(r, b, from+i, lo)
		} else if near := distances(p.tier, r, p.Self.norms[lo:hi], b.norms[from+i], p.least); near {
			p.near(r, b, from+i, lo)
		}
		if p.circles != nil {
			p.sinesOfFar(r, b, from+i, lo)
		}
	}
}

// part returns n prepared rows: a view, or copies of lists.
func (b *Batch) part(from, n int) blas64.General {
	if b.entries == nil {
		part := b.rows
		part.Rows, part.Data = n, b.rows.Data[from*b.rows.Stride:]
		return part
	}
	d := b.points.D
	part := blas64.General{Rows: n, Cols: d, Stride: d}
	for i := range n {
		part.Data = append(part.Data, b.prepared(from+i)...)
	}
	return part
}

// Diagonal sets dst to the statistics of rows of b, starting at from, each paired with itself.
func (p *Points) Diagonal(dst []float64, b *Batch, from int) {
	for i := range dst {
		x := b.values(from + i)
		switch p.measure.Of {
		case Inner:
			dst[i] = chain(x, x)
		case Chords:
			u := b.prepared(from + i)
			dst[i] = p.direct(u, u)
		default:
			dst[i] = p.pair(x, x)
		}
	}
}
