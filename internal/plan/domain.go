// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// The domain of a map that was planned for given points: where it approximates its kernel, and what part of the kernel
// is lost elsewhere. Away from the points, features of a lattice are made to fade to 0, and those of a truncated series
// of a Gaussian kernel fade by themselves: a part of k(x, x) is lost. A model adds it to the prior variance, as it does
// for the part that landmarks miss.

// A Domain is the domain of a map.
type Domain struct {
	in         int
	parts      []domainPart
	derivative RowDerivatives
}

// RowDerivatives returns the derivative of the rows of a kernel matrix, or an error without a
// derivative.
type RowDerivatives func(m *matrix.Matrix) (*matrix.Derivative, error)

// domainPart is the domain of a segment.
type domainPart struct {
	*Segment
	confined recipe.Confined // nil if nothing is lost anywhere
	diagonal *matrix.Matrix  // for the values k(x, x) of the kernel's term; nil without confined
	bounded  bool            // whether the lost part says where the domain ends, as for a bounded kernel and a truncated series; otherwise the norm does
}

// Domain returns the domain of the map of a plan, or nil if it is everywhere.
func (p *Plan) Domain(derivative RowDerivatives) *Domain {
	if !p.ForPoints {
		return nil
	}
	d := &Domain{in: p.In, derivative: derivative}
	for i := range p.Segments {
		b := &p.Segments[i]
		part := domainPart{Segment: b}
		_, part.bounded = b.Given.Base.(form.Stationary)
		if c, ok := b.Recipe.(recipe.Confined); ok && c.Confined() {
			part.confined = c
		} else if d, ok := b.Recipe.(interface{ DrawnLoss() recipe.Confined }); ok && b.Side == form.SideDot {
			part.confined, part.bounded = d.DrawnLoss(), false
		}
		if part.confined != nil {
			part.diagonal = matrix.New(expr.Compile(b.Given.Expr(), p.In), mat.NewDense(1, p.In, nil))
		}
		if part.confined != nil || part.centered() {
			d.parts = append(d.parts, part)
		}
	}
	if d.parts == nil {
		return nil
	}
	return d
}

// centered tells whether the segment is a Maclaurin map of centered points, whose error grows with the distance from their mean.
func (b domainPart) centered() bool { return b.Side == form.SideDot || b.Side == form.SideCentered }

// Inside tells whether x is in the domain of each segment: no part of the kernel is lost there, or less than
// recipe.MostLost, or x is no farther from the mean than the points that the map was planned for. It panics with
// mat.ErrShape if x does not have the length in.
func (d *Domain) Inside(x []float64) bool {
	if len(x) != d.in {
		panic(mat.ErrShape)
	}
	for _, b := range d.parts {
		loses := b.bounded && b.confined != nil && !b.confined.Inside(x)
		if loses && !b.centered() {
			return false
		}
		if b.centered() || !b.bounded {
			most := b.MaxNorm
			if loses { // as a truncated series may even at its own points
				most = b.MaxNorm * (1 + 0x1p-16) / sample.FarFactor
			}
			u := b.Shape().Warp.Image(x)
			if !(math.Sqrt(arith.Chain(u, u)) <= most) {
				return false
			}
		}
	}
	return true
}

// LostTo sets dst to the part of k(x, x) that the map loses, for the rows of x, n×in. It panics with mat.ErrShape if
// dst does not have the length n, or x has another width.
func (d *Domain) LostTo(dst []float64, x mat.Matrix) {
	n, in := x.Dims()
	if in != d.in || len(dst) != n {
		panic(mat.ErrShape)
	}
	clear(dst)
	var r rows.Reader
	r.Reset(x)
	values := make([]float64, n)
	for _, b := range d.parts {
		if b.confined == nil {
			continue
		}
		b.diagonal.DiagonalTo(values, x)
		for i, v := range values {
			if lost := b.confined.Lost(r.Row(i)); lost != 0 {
				dst[i] = math.FMA(v, lost, dst[i])
			}
		}
	}
}

// LostGradientVec sets dst to the gradient at x of the result of LostTo. It returns an error if the kernel has no
// derivative.
func (d *Domain) LostGradientVec(dst, x []float64) error {
	clear(dst)
	value, slope, row := []float64{0}, make([]float64, len(x)), mat.NewDense(1, len(x), x)
	for _, b := range d.parts {
		if b.confined == nil {
			continue
		}
		b.confined.LostGradient(slope, x)
		b.diagonal.DiagonalTo(value, row)
		for j, v := range slope {
			dst[j] = math.FMA(value[0], v, dst[j])
		}
		back, err := d.derivative(b.diagonal)
		if err != nil {
			return err
		}
		clear(slope)
		back.AddDiagonalTo(mat.NewDense(1, len(x), slope).RawMatrix(), row.RawMatrix(), []float64{b.confined.Lost(x)})
		for j, v := range slope {
			dst[j] += v
		}
	}
	return nil
}

// Lost returns the terms of the kernel of which a part is lost somewhere, and the root of the lost part of each. The
// part of the kernel that is lost at x and y is the sum of root(x)·root(y)·k(x, y).
func (d *Domain) Lost() (terms []expr.Kernel, roots []expr.Gradienter) {
	for _, b := range d.parts {
		if b.confined != nil {
			terms, roots = append(terms, b.Given.Expr()), append(roots, lostRoot{b.confined})
		}
	}
	return terms, roots
}

// lostRoot is the root of the lost part, minus leastLost: where almost nothing is lost, it and its gradient are 0.
type lostRoot struct{ recipe recipe.Confined }

// leastLost is a part that may be rounding error; its root would not be small.
const leastLost = 1e-12

func (r lostRoot) Weight(x []float64) float64 {
	lost := r.recipe.Lost(x) - leastLost
	if lost < 0 {
		return 0
	}
	return math.Sqrt(lost)
}

func (r lostRoot) GradientTo(dst, x []float64) {
	root := r.Weight(x)
	if root == 0 {
		clear(dst)
		return
	}
	r.recipe.LostGradient(dst, x)
	for j := range dst {
		dst[j] /= 2 * root
	}
}

// Bounded tells whether there are points outside the domain.
func (d *Domain) Bounded() bool { return d != nil }
