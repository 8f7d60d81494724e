// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// Form is the linear form Σ w·x_col over its terms: a chain of fused multiply-adds in their order,
// from 0. Without columns it is 0.
type Form struct {
	Cols    []uint32
	Weights []float64
}

// A Factor is (Re·x + i·Im·x)^Power, Power ≥ 0. If Im has no columns, it is real.
type Factor struct {
	Re, Im Form
	Power  int
}

// Box is an opaque real factor: Of(x[Cols]), or Scale times an element of Vector. If Cols is nil it is Of of the
// row itself. Of must be safe for concurrent use, and must neither keep nor change its argument.
type Box struct {
	Cols []uint32
	Of   func(x []float64) float64

	Vector  *Vector // nil: use Of
	Element int
	Scale   float64
}

// Vector is an opaque function of x[Cols] from which boxes take elements. It is computed once for each row, however
// many boxes refer to it. Of sets dst, of length Len; otherwise it is as in Box.
type Vector struct {
	Cols []uint32
	Len  int
	Of   func(dst, x []float64)
}

// Monomial is the feature
//
//	Amplitude·∏Factors·∏Boxes·exp(2πi·Phase·x),
//
// whose phase is in turns.
type Monomial struct {
	Amplitude float64
	Factors   []Factor
	Boxes     []Box
	Phase     Form
}

// Monomials are columns that are the real parts of monomials, and columns that are their imaginary
// parts.
//
// Real factors are multiplied separately from complex ones: first the amplitude, the real factors
// and the boxes, in their order; then the other factors, in their order, and the phase factor,
// which is omitted if Phase has no columns. A complex factor and a later factor that is its
// conjugate count as one real factor, |·|². So if a feature is real because its factors are, or
// because they are pairs of conjugates, its imaginary part is exactly 0.
//
// Rows are processed wht.Lanes at a time, side by side, and the remaining rows one by one, with the
// same bits. Linear forms of many coordinates are computed in tiles, together with forms of the
// same coordinates.
type Monomials struct {
	in, at, imag, pairs int
	tier                tier.Tier
	table               phaseTable
	features            []monomial
	tiles               []formTile // for monomialTile features each
	direct              bool       // whether some forms are computed one by one
	vectors             []boxVector
	elements            int // the number of elements that boxes take from all vectors
}

// boxVector is a vector with the elements that boxes take, in the order of their places.
type boxVector struct {
	*Vector
	at    int // the place of the first element
	taken []int
}

// NewMonomials returns columns of monomials on R^in: the real part of feature i in column at+i and,
// for the first pairs features, the imaginary part in column at+i+imag. It keeps the slices of
// features without a copy.
//
// It panics if a power is negative, if a form has different numbers of columns and weights, or if
// columns are not coordinates of R^in.
func NewMonomials(in, at, imag, pairs int, features []Monomial) *Monomials {
	return newMonomialsIn(tier.Best(), in, at, imag, pairs, features)
}

func newMonomialsIn(t tier.Tier, in, at, imag, pairs int, features []Monomial) *Monomials {
	m := &Monomials{in: in, at: at, imag: imag, pairs: pairs, tier: t, table: newPhaseTable(1)}
	for _, f := range features {
		m.features = append(m.features, newMonomial(in, f))
	}
	for lo := 0; lo < len(m.features); lo += monomialTile {
		m.tiles = append(m.tiles, newFormTile(t, in, m.features[lo:min(lo+monomialTile, len(m.features))]))
	}
	for i := range m.features {
		m.direct = m.direct || m.features[i].hasDirect()
	}
	m.placeBoxes()
	return m
}

// placeBoxes gives a place to each element of a vector that boxes take. Elements of one vector are
// next to each other.
func (m *Monomials) placeBoxes() {
	type element struct{ vector, at int }
	number := make(map[*Vector]int)
	order := make(map[element]int) // among the elements that are taken from a vector
	each := func(f func(place *int, e element)) {
		for i := range m.features {
			for j, b := range m.features[i].Boxes {
				if b.Vector != nil {
					f(&m.features[i].boxes[j], element{number[b.Vector], b.Element})
				}
			}
		}
	}
	for i := range m.features {
		f := &m.features[i]
		f.boxes = make([]int, len(f.Boxes))
		for _, b := range f.Boxes {
			if _, ok := number[b.Vector]; !ok && b.Vector != nil {
				number[b.Vector] = len(m.vectors)
				m.vectors = append(m.vectors, boxVector{Vector: b.Vector})
			}
		}
	}
	each(func(_ *int, e element) {
		if _, ok := order[e]; !ok {
			v := &m.vectors[e.vector]
			order[e] = len(v.taken)
			v.taken = append(v.taken, e.at)
		}
	})
	for i := range m.vectors {
		m.vectors[i].at = m.elements
		m.elements += len(m.vectors[i].taken)
	}
	each(func(place *int, e element) { *place = m.vectors[e.vector].at + order[e] })
}

// computeBoxes sets b.elements to the elements that boxes take from all vectors, row by row.
func (m *Monomials) computeBoxes(x blas64.General, b *stackBuffer) {
	b.elements = grown(b.elements, x.Rows*m.elements)
	for r := range x.Rows {
		row, to := x.Data[r*x.Stride:][:x.Cols:x.Cols], b.elements[r*m.elements:]
		for _, v := range m.vectors {
			b.vector = grown(b.vector, v.Len)
			v.Of(b.vector, b.columns(row, v.Cols))
			for i, e := range v.taken {
				to[v.at+i] = b.vector[e]
			}
		}
	}
}

// monomial is a Monomial with its factors sorted by kind.
type monomial struct {
	Monomial
	powers []power
	boxes  []int // the places of the elements of vectors that boxes take
	phase  int   // the place of its phase in its tile; −1 if it is computed alone
}

// power is a factor with Power > 0, or such a factor together with its conjugate.
type power struct {
	Factor
	kind   powerKind
	re, im int // the places of the forms in the tile; −1 if they are computed alone
}

// hasDirect tells whether a form of the monomial has no place in its tile.
func (m *monomial) hasDirect() bool {
	direct := m.phase < 0 && len(m.Phase.Cols) > 0
	for _, p := range m.powers {
		direct = direct || p.re < 0 || p.im < 0 && len(p.Im.Cols) > 0
	}
	return direct
}

type powerKind int

const (
	realPower    powerKind = iota // (Re·x)^Power
	complexPower                  // (Re·x + i·Im·x)^Power
	squaredPower                  // |(Re·x + i·Im·x)^Power|²
)

func newMonomial(in int, f Monomial) monomial {
	m := monomial{Monomial: f, phase: -1}
	f.Phase.check(in)
	for _, b := range f.Boxes {
		checkCols(b.Cols, in)
		if v := b.Vector; v != nil {
			checkCols(v.Cols, in)
			if b.Element < 0 || b.Element >= v.Len {
				panic("projection: no element of a vector")
			}
		}
	}
	for _, p := range f.Factors {
		p.Re.check(in)
		p.Im.check(in)
		if p.Power < 0 {
			panic("projection: negative power")
		}
		m.multiply(p)
	}
	return m
}

// check panics unless f is a form on R^in. Assembly relies on this.
func (f Form) check(in int) {
	if len(f.Cols) != len(f.Weights) {
		panic("projection: form with other than a weight for each column")
	}
	checkCols(f.Cols, in)
}

// multiply adds a factor.
func (m *monomial) multiply(f Factor) {
	if f.Power == 0 {
		return
	}
	if len(f.Im.Cols) == 0 {
		m.powers = append(m.powers, power{f, realPower, -1, -1})
		return
	}
	for i := range m.powers {
		if p := &m.powers[i]; p.kind == complexPower && p.conjugate(f) {
			p.kind = squaredPower
			return
		}
	}
	m.powers = append(m.powers, power{f, complexPower, -1, -1})
}

// conjugate tells whether f and g are each other's conjugates, term by term.
func (f Factor) conjugate(g Factor) bool {
	return f.Power == g.Power &&
		slices.Equal(f.Re.Cols, g.Re.Cols) && slices.Equal(f.Re.Weights, g.Re.Weights) &&
		slices.Equal(f.Im.Cols, g.Im.Cols) &&
		slices.EqualFunc(f.Im.Weights, g.Im.Weights, func(v, w float64) bool { return v == -w })
}

// monomialTile is the number of features whose values are written to the rows together.
const monomialTile = 64

func (m *Monomials) transform(dst, x blas64.General, b *stackBuffer) {
	whole := x.Rows &^ (wht.Lanes - 1)
	if m.direct {
		b.point = grown(b.point, whole*m.in)
		for r := 0; r < whole; r += wht.Lanes {
			interleave(m.tier, b.point[r*m.in:(r+wht.Lanes)*m.in], rowRange(x, r, r+wht.Lanes))
		}
	}
	if m.elements > 0 {
		m.computeBoxes(x, b)
	}
	for c := range b.products {
		b.products[c] = grown(b.products[c], monomialTile*wht.Lanes)
	}
	for i := range m.tiles {
		t := &m.tiles[i]
		t.compute(x, b)
		t.phases(m, x.Rows, b)
		if t.simple {
			m.simple(i, dst, b)
			continue
		}
		for r := 0; r < x.Rows; {
			lanes := 1
			if r < whole {
				lanes = wht.Lanes
			}
			m.strip(i, rowRange(dst, r, r+lanes), rowRange(x, r, r+lanes), r, b)
			r += lanes
		}
	}
}

// simple writes the features of tile i, which are simple, row by row.
func (m *Monomials) simple(i int, dst blas64.General, b *stackBuffer) {
	t, lo := &m.tiles[i], i*monomialTile
	n := len(t.starts) - 1
	pairs := min(n, m.pairs-lo)
	for r := range dst.Rows {
		to := dst.Data[r*dst.Stride+m.at+lo:]
		re, im := to[:n], to[:0]
		if pairs > 0 {
			im = to[m.imag:][:pairs]
		}
		values, places := b.v[0][r*t.forms:], t.places
		for i, a := range t.amplitudes {
			for _, p := range places[t.starts[i]:t.starts[i+1]] {
				a *= values[p]
			}
			re[i] = a
		}
		if t.phased == 0 {
			clear(im)
			continue
		}
		cos := b.v[1][2*n*r:][:n]
		sin := b.v[1][2*n*r+n:][:n]
		for i := range im {
			im[i] = re[i] * sin[i]
		}
		for i, c := range cos {
			re[i] *= c
		}
	}
}

// strip transforms wht.Lanes rows side by side, or one, by the features of tile i. The first is row r of
// those that were computed together.
func (m *Monomials) strip(i int, dst, x blas64.General, r int, b *stackBuffer) {
	t, lo, lanes := &m.tiles[i], i*monomialTile, x.Rows
	n := min(monomialTile, len(m.features)-lo)
	at := stripAt{x: x, points: x.Data, values: b.v[0][r*t.forms:], phases: b.v[1][2*r*t.phased:]}
	if m.elements > 0 {
		at.elements = b.elements[r*m.elements:]
	}
	if lanes > 1 && m.direct {
		at.points = b.point[r*m.in:]
	}
	for i := range n {
		k := i * lanes
		m.feature(&m.features[lo+i], t, b.products[0][k:k+lanes], b.products[1][k:k+lanes], at, b)
	}
	separate(from(dst, m.at+lo), b.products[0], n)
	if pairs := min(n, m.pairs-lo); pairs > 0 {
		separate(from(dst, m.at+m.imag+lo), b.products[1], pairs)
	}
}

// stripAt holds what is known of some rows.
type stripAt struct {
	x      blas64.General
	points []float64 // their coordinates, side by side
	values []float64 // values of the tile's forms, row by row
	phases []float64 // the tile's cosines and sines

	elements []float64 // elements of vectors, row by row
}

// feature sets re and im to the parts of a feature at some rows.
func (m *Monomials) feature(f *monomial, t *formTile, re, im []float64, at stripAt, b *stackBuffer) {
	for l := range re {
		re[l], im[l] = f.Amplitude, 0
	}
	c := complexLanes{lanes: len(re)}
	for _, p := range f.powers {
		u, v := c.factor()
		m.form(u, p.Re, t, p.re, at)
		if p.kind == realPower {
			for l, x := range u {
				re[l] *= powerOf(x, p.Power)
			}
			continue
		}
		m.form(v, p.Im, t, p.im, at)
		for l, x := range u {
			u[l], v[l] = complexPowerOf(x, v[l], p.Power)
		}
		if p.kind == squaredPower {
			for l, x := range u {
				re[l] *= float64(x*x) + float64(v[l]*v[l])
			}
			continue
		}
		c.multiply()
	}
	for i, box := range f.Boxes {
		for l := range re {
			if box.Vector != nil {
				re[l] *= float64(box.Scale * at.elements[l*m.elements+f.boxes[i]])
			} else {
				re[l] *= box.Of(b.columns(at.x.Data[l*at.x.Stride:][:at.x.Cols:at.x.Cols], box.Cols))
			}
		}
	}
	switch u, v := c.factor(); {
	case f.phase >= 0:
		n := t.phased
		for l := range u {
			u[l], v[l] = at.phases[2*n*l+f.phase], at.phases[2*n*l+n+f.phase]
		}
		c.multiply()
	case len(f.Phase.Cols) > 0:
		m.form(u, f.Phase, t, -1, at)
		for l, t := range u {
			u[l], v[l] = unitSinTurns.cosSin(t)
		}
		c.multiply()
	}
	if c.product {
		for l, x := range re {
			re[l], im[l] = x*c.re[l], x*c.im[l]
		}
	}
}

// form sets v to the values of a form at some rows. It takes them from the tile if the form has a
// place there.
func (m *Monomials) form(v []float64, f Form, t *formTile, place int, at stripAt) {
	if place >= 0 {
		for l := range v {
			v[l] = at.values[l*t.forms+place]
		}
		return
	}
	s := sums{forms: 1, terms: len(f.Cols), cols: f.Cols, weights: f.Weights, points: at.points, v: v}
	if len(v) == 1 {
		s.computeVec(m.tier)
	} else {
		s.compute(m.tier)
	}
}

// complexLanes are products of complex numbers side by side, once there are any, and the next
// factors.
type complexLanes struct {
	lanes   int
	product bool
	re, im  [wht.Lanes]float64
	u, v    [wht.Lanes]float64
}

// factor returns memory for the real and imaginary parts of the next factors.
func (c *complexLanes) factor() (u, v []float64) { return c.u[:c.lanes], c.v[:c.lanes] }

// multiply multiplies the products by the factors, or makes these the first.
func (c *complexLanes) multiply() {
	if !c.product {
		c.product = true
		c.re, c.im = c.u, c.v
		return
	}
	multiplyComplex(c.re[:c.lanes], c.im[:c.lanes], c.u[:], c.v[:])
}

// columns returns x[cols], or x if cols is nil, in memory that is reused.
func (b *stackBuffer) columns(x []float64, cols []uint32) []float64 {
	if cols == nil {
		return x
	}
	b.box = grown(b.box, len(cols))
	for i, c := range cols {
		b.box[i] = x[c]
	}
	return b.box
}

// powerOf returns x^n, n ≥ 1, by squaring from the leading bit of n on.
func powerOf(x float64, n int) float64 {
	p := x
	for i := bits.Len(uint(n)) - 2; i >= 0; i-- {
		p *= p
		if n>>i&1 != 0 {
			p *= x
		}
	}
	return p
}

// complexPowerOf returns (x + iy)^n, n ≥ 1, as powerOf does. The power of the conjugate is
// the conjugate, to the last bit.
func complexPowerOf(x, y float64, n int) (re, im float64) {
	re, im = x, y
	for i := bits.Len(uint(n)) - 2; i >= 0; i-- {
		re, im = float64(re*re)-float64(im*im), float64(re*im)+float64(im*re)
		if n>>i&1 != 0 {
			re, im = float64(re*x)-float64(im*y), float64(re*y)+float64(im*x)
		}
	}
	return re, im
}
