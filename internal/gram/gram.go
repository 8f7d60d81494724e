// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package gram computes numbers of all pairs of two sets of points, inner products or distances of several kinds, and
// functions of those, in blocks and in one set of bits. It knows nothing of kernels.
//
// Inner products come from the tiles of package projection: one chain of fused multiply-adds each, in the order of the
// coordinates. Squared distances of points of more than a few coordinates follow from them,
//
//	‖x − y‖² = ‖x‖² + ‖y‖² − 2⟨x, y⟩,
//
// for points less a common center; where that is small beside ‖x‖² + ‖y‖², so that digits have canceled, they are
// computed again from the differences of the points as they were given. Sums of sines follow likewise from points on circles
// (sines.go). All others are sums or products over the differences of coordinates, in tiles of their own (differences.go).
//
// Each number is a function of its two points and the center, so that a result depends neither on what points are computed
// together, nor on the number of goroutines, nor on the machine. Plain Go is the specification, and assembly equals it to
// the last bit.
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

// A Statistic is a number of two points x and y. Differences are multiplied by factors: δₖ = (xₖ − yₖ)·sₖ.
type Statistic int

// The assembly of differences knows the values of Squares, Absolutes and Ratios.
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

// Columns is what the first column of a block must be a multiple of.
const Columns = projection.PanelForms

// MaxRows is the number of rows, at most, of a block.
const MaxRows = 8

// Points is a set of points, prepared for the pairs of other points with them. It is safe for concurrent use. It keeps
// the points that it is made of.
type Points struct {
	Self *Batch // the points as the others
	N, D int    // their number, and that of their coordinates

	measure Measure
	tier    tier.Tier
	factors []float64

	forms    *projection.Projection // inner products with them
	least    float64                // squared distances from inner products that are smaller are computed from differences
	center   []float64              // of Squares from inner products
	centered []int                  // the columns in which it is not 0

	sine    *sine    // of Sines
	circles *circles // of Sines from inner products
	far     bool     // some of the points are not moderate

	shape  shape
	panels []float64 // the points in tiles of differences
}

// A Batch is some points as Points needs them, to make pairs with its own.
type Batch struct {
	raw      blas64.General // as they were given
	rows     blas64.General // less the center, multiplied by the factors; of Chords, divided by their norms
	norms    []float64      // the squared norms of rows
	moderate []bool         // of Sines: the row is for lanes
	lists    []*projection.ListRow
	entries  []rows.List // instead of raw and rows, of lists

	points *Points   // that it was prepared for
	memory []float64 // of rows
}

// nearCoords is the number of coordinates up to which squared distances are computed from differences, which costs little
// more then than inner products.
const nearCoords = 8

// Exchangeable tells whether the statistic of two points with so many coordinates has the same bits the other way round, and whatever points
// are prepared with them.
func (m Measure) Exchangeable(coords int) bool { return m.Of <= Ratios && coords <= nearCoords }

// New prepares points, the rows of x. There is a factor for each coordinate; nil stands for ones.
func New(m Measure, x blas64.General, factors []float64) *Points {
	return newIn(tier.Best(), m, x, factors)
}

func newIn(t tier.Tier, m Measure, x blas64.General, factors []float64) *Points {
	p := &Points{N: x.Rows, D: x.Cols, measure: m, tier: t, shape: shapes[t], factors: make([]float64, x.Cols), least: tinySquares}
	for k := range p.factors {
		p.factors[k] = m.Scale
		if m.Of == Inner || m.Of == Chords {
			p.factors[k] = 1
		} else if factors != nil {
			p.factors[k] *= factors[k]
		}
	}
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
	p.forms = projection.NewIn(t, p.N, p.coords(), projection.Store, 1)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			p.forms.Set(i, row(p.Self.rows, i), 0)
		}
	}), p.N, grain(p.D))
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

// grain returns the number of rows of so many elements that are worth a goroutine.
func grain(elements int) int { return 1 + 1<<15/max(elements, 1) }

func row(x blas64.General, i int) []float64 { return x.Data[i*x.Stride:][:x.Cols:x.Cols] }

// centerRows is the number of rows, at most, that make a center.
const centerRows = 101

// Center returns a point in the midst of the rows of x: of each coordinate the median of some rows without NaN and Inf, so
// that rows far from the others do not matter.
func Center(x blas64.General) []float64 {
	var some [][]float64
	step := centerStep(x)
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

// centerStep returns which rows make a center: every so many.
func centerStep(x blas64.General) int { return 1 + (x.Rows-1)/centerRows }

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

// Prepare makes b the rows of x, over up to GOMAXPROCS goroutines. It keeps x, and takes the memory that b has.
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

// thin drops the prepared rows where they are copies, less a center, and each has a list: inner products take these, and points that are
// near are compared as they were given.
func (b *Batch) thin() {
	if b.points.center != nil && !slices.Contains(b.lists, nil) {
		b.rows, b.memory = blas64.General{}, nil
	}
}

// Forget drops the rows, and what they were prepared for, and keeps the memory for others.
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
		if len(b.lists) > 0 { // inner products of rows with few numbers but 0 take the time of these
			b.lists[i] = p.forms.List(to)
		}
	}
}

// prepareRow sets to, which may be from, to a row as Points needs it.
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

// chain returns ⟨x, y⟩ in the bits of the tiles.
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

// Fill sets element (i, j) of dst, of rows of so many elements, to the statistic of row from+i of b and the point lo+j, for
// i below rows ≤ MaxRows, and lo+j below hi. lo is a multiple of Columns; hi is one, too, or N. The rest of dst up to
// the stride is of no meaning.
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

// Diagonal sets dst to the statistics of the rows of b from a row on, of each with itself.
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
