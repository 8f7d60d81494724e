// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// A recipe is a map of one term before its weights are drawn: what a new kind of map implements, together
// with a drawing. The smallest example is neurons*.go.
type recipe interface {
	// String returns the kind of map and all its options: recipes of one term with the same String share
	// their statistics.
	String() string

	// shape returns the dimensions; columns is the maximum.
	shape() frame

	// known tells whether the variance of ⟨φ(x), φ(y)⟩ is known. It is a linear function of statistics: add
	// adds part times those of two points to sums, variance returns the variance for such sums.
	known() bool
	statistics() int
	add(sums []float64, p *pair, part float64)
	variance(sums []float64) float64

	// bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y).
	bias(p *pair) float64

	// draw draws weights with one sampler of next, adds columns to b, and returns the map, whose compiled
	// part Plan.build sets; exact features return nil.
	draw(b *builder, next func() *Sampler) (drawing, error)
}

// A frame is the points' dimension in, the warp applied to them first, and the number of columns.
type frame struct {
	in      int
	warp    warp
	columns int
}

func (f frame) shape() frame       { return f }
func (f frame) known() bool        { return true }
func (f frame) statistics() int    { return 1 }
func (f frame) bias(*pair) float64 { return 0 }

// dim returns the number of coordinates behind the warp.
func (f frame) dim() int { return f.warp.dim(f.in) }

// moments returns the variance and the bias of a map at two points.
func moments(r recipe, x, y []float64) (variance, bias float64) {
	w := r.shape().warp
	p := newPair(newPoint(w.image(x)), newPoint(w.image(y)))
	sums := make([]float64, r.statistics())
	r.add(sums, &p, 1)
	return r.variance(sums), r.bias(&p)
}

// A point is a point behind a warp, with its norm and squared norm.
type point struct {
	x            []float64
	norm, square float64
}

func newPoint(x []float64) point { return point{x, floats.Norm(x, 2), inner(x, x)} }

// A pair is two points, and the quantities that moments depend on.
type pair struct {
	a, b     point
	t        float64 // ⟨x, y⟩
	s        float64 // Σxᵢ²yᵢ²
	distance float64

	delta, zero []float64 // see difference
}

func newPair(a, b point) pair {
	p := pair{a: a, b: b}
	var sum float64
	for i, x := range a.x {
		y := b.x[i]
		product, difference := x*y, x-y
		p.t += product
		p.s += product * product
		sum += difference * difference
	}
	if p.distance = math.Sqrt(sum); !(sum > tinyDistance && sum <= math.MaxFloat64) {
		p.distance = floats.Distance(a.x, b.x, 2)
	}
	return p
}

// difference returns x − y and a zero vector, in slices that are valid until the next call.
func (p *pair) difference() (delta, zero []float64) {
	if p.delta == nil {
		p.delta, p.zero = make([]float64, len(p.a.x)), make([]float64, len(p.a.x))
	}
	for i, v := range p.a.x {
		p.delta[i] = v - p.b.x[i]
	}
	return p.delta, p.zero
}

// A drawing is a map drawn from a recipe. It may share its transform with others.
type drawing interface {
	FeatureMap
	common() *compiled

	// evidence returns the estimate of ⟨φ(x), φ(y)⟩ from the features of two points.
	evidence(fx, fy, x, y []float64) (evidence, error)
}

// A builder lays out the columns of a map.
type builder struct {
	in, out int // the points' coordinates, and the maximum number of columns
	at      int // the next column
	parts   []projection.Part
	budget  *budget // nil: what memory there is
}

// reserve returns an error if weights of the given size do not fit in memory.
func (b *builder) reserve(bytes float64) error {
	if err := b.budget.take(bytes, 0); err != nil {
		return err
	}
	if limit := float64(memory.Limit()); bytes > limit {
		return fmt.Errorf("featuremap: out = %d with in = %d: the weights take %.3g bytes, and there are %.3g", b.out, b.in, bytes, limit)
	}
	return nil
}

// room returns how many bytes may be reserved.
func (b *builder) room() float64 {
	room := float64(memory.Limit())
	if b.budget != nil {
		room = min(room, b.budget.bytes)
	}
	return room
}

// add adds columns, and the parts that write them.
func (b *builder) add(columns int, parts ...projection.Part) {
	b.at += columns
	b.parts = append(b.parts, parts...)
}

// layout says which columns of a map belong to one draw. First come the exact columns, then a column for
// each draw, and then, if parts is 2, a second one for each draw.
type layout struct {
	exact int
	draws int
	parts int

	// block is the number of consecutive draws, from the first on, that depend on each other: 1 if all
	// draws are independent, 0 if their dependence has no such blocks.
	block int
}

// evidence is an estimate of ⟨φ(x), φ(y)⟩ and of its variance, from the features of two points.
type evidence struct {
	mean     float64 // without the bias
	variance float64 // estimated from the draws
	freedom  int     // degrees of freedom of variance
}

// evidence returns the evidence of the columns, with the bias subtracted.
func (l layout) evidence(fx, fy []float64, bias float64) (evidence, error) {
	if l.block == 0 {
		return evidence{}, errors.New("featuremap: draws of a Maclaurin map with TensorSRHT depend on each other: there is no interval")
	}
	blocks := l.draws / l.block
	if blocks < 2 {
		return evidence{}, fmt.Errorf("featuremap: %d draws in blocks of %d: must be at least two whole blocks", l.draws, l.block)
	}
	exact, terms := l.terms(fx, fy)
	e := evidence{mean: exact - bias, variance: l.variance(terms), freedom: blocks - 1}
	for _, t := range terms {
		e.mean += t
	}
	return e, nil
}

// terms returns the contributions to ⟨φ(x), φ(y)⟩ of the exact columns and of each draw.
func (l layout) terms(fx, fy []float64) (exact float64, terms []float64) {
	for i := range l.exact {
		exact += fx[i] * fy[i]
	}
	terms = make([]float64, l.draws)
	for part := range l.parts {
		at := l.exact + part*l.draws
		for i := range terms {
			terms[i] += fx[at+i] * fy[at+i]
		}
	}
	return exact, terms
}

// variance returns an estimate of the variance of the sum of terms.
func (l layout) variance(terms []float64) float64 {
	single := stat.Variance(terms, nil)
	if l.block == 1 {
		return float64(l.draws) * single
	}
	whole := make([]float64, l.draws/l.block)
	for i := range whole {
		for _, t := range terms[i*l.block : (i+1)*l.block] {
			whole[i] += t
		}
	}
	v := stat.Variance(whole, nil)
	sum := float64(len(whole)) * v
	// The sum of r draws of a block has variance r·(single + (r − 1)·c), c the covariance of two.
	if r := float64(l.draws % l.block); r > 0 {
		n := float64(l.block)
		c := (v/n - single) / (n - 1)
		sum += r * (single + (r-1)*c)
	}
	return sum
}
