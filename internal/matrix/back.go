// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import (
	"fmt"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
)

// gradientStrip is a strip whose nodes are visited from the root to the statistics. It starts from gradients with
// respect to values, and adds up gradients with respect to statistics and to the weights of rows.
type gradientStrip struct {
	*strip
	statistics [][]float64
	weights    [][]float64
}

// derivableNode is the part of a node that its derivative needs.
type derivableNode interface {
	// underivable returns an error that names a part without a derivative, if there is one.
	underivable(p *Program) error

	// back adds to the gradients of b what follows from a gradient with respect to the values of the node. It does not
	// change this gradient.
	back(b *gradientStrip, gradient []float64)
}

func (n statisticNode) underivable(*Program) error { return nil }

func (n statisticNode) back(b *gradientStrip, gradient []float64) {
	gram.Add(b.statistics[n], gradient)
}

func (n functionNode) underivable(p *Program) error {
	if _, ok := n.f.(gram.Sloped); n.f != nil && !ok {
		return fmt.Errorf("featuremap: no derivative of a function %T of two points", n.f)
	}
	return n.part.underivable(p)
}

func (n functionNode) back(b *gradientStrip, gradient []float64) {
	if n.f == nil {
		n.part.back(b, gradient)
		return
	}
	slopes, at := b.get()[:len(gradient)], b.get()[:len(gradient)]
	n.part.to(at, b.strip)
	n.f.(gram.Sloped).SlopeTo(slopes, at)
	gram.Multiply(slopes, gradient)
	n.part.back(b, slopes)
	b.put(at[:cap(at)])
	b.put(slopes[:cap(slopes)])
}

func (n Sum) underivable(p *Program) error     { return underivableParts(p, n) }
func (n Product) underivable(p *Program) error { return underivableParts(p, n) }

// underivableParts returns an error for the first part without a derivative.
func underivableParts(p *Program, parts []Node) error {
	for _, part := range parts {
		if err := part.underivable(p); err != nil {
			return err
		}
	}
	return nil
}

func (n Sum) back(b *gradientStrip, gradient []float64) {
	for _, part := range n {
		part.back(b, gradient)
	}
}

func (n Product) back(b *gradientStrip, gradient []float64) {
	product, value := b.get()[:len(gradient)], b.get()[:len(gradient)]
	for i, part := range n {
		copy(product, gradient)
		for k, other := range n {
			if k != i {
				other.to(value, b.strip)
				gram.Multiply(product, value)
			}
		}
		part.back(b, product)
	}
	b.put(value[:cap(value)])
	b.put(product[:cap(product)])
}

func (n scaleNode) underivable(p *Program) error { return n.part.underivable(p) }

func (n scaleNode) back(b *gradientStrip, gradient []float64) {
	scaled := b.get()[:len(gradient)]
	for e, v := range gradient {
		scaled[e] = n.c * v
	}
	n.part.back(b, scaled)
	b.put(scaled[:cap(scaled)])
}

func (Constant) underivable(*Program) error     { return nil }
func (Constant) back(*gradientStrip, []float64) {}

func (n weightNode) underivable(p *Program) error {
	if w := p.weights[n.weight]; w.Gradient == nil {
		return fmt.Errorf("featuremap: no derivative of Weight by a %T: it is no WeightGradienter", w.Weigher)
	}
	return n.part.underivable(p)
}

func (n weightNode) back(b *gradientStrip, gradient []float64) {
	values, weighted := b.get()[:len(gradient)], b.get()[:len(gradient)]
	n.part.to(values, b.strip)
	clear(weighted)
	rows, points, sums := b.b.weights[n.weight], b.points().weights[n.weight], b.weights[n.weight]
	b.each(func(e, i, j int) {
		product := rows[i] * points[j]
		weighted[e] = gradient[e] * arith.PowInt(product, n.power)
		slope := float64(float64(n.power)*arith.PowInt(product, n.power-1)) * points[j]
		if b.diagonal { // both points move
			slope *= 2
		}
		sums[i] += float64(float64(gradient[e]*values[e]) * slope)
	})
	n.part.back(b, weighted)
	b.put(weighted[:cap(weighted)])
	b.put(values[:cap(values)])
}

func (n evalNode) underivable(*Program) error {
	return fmt.Errorf("featuremap: no derivative of %s, which is evaluated pair by pair", gosyntax.Of(n.k))
}

func (n evalNode) back(*gradientStrip, []float64) { panic("featuremap: a kernel without a derivative") }

// pull returns the gradient with respect to a point of R^in, given the gradient with respect to its
// image through the linear maps.
func (g Image) pull(gradient []float64, in int) []float64 {
	dims := []int{in}
	for _, w := range g.Warps {
		dims = append(dims, w.Dim(dims[len(dims)-1]))
	}
	for i := len(g.Warps) - 1; i >= 0; i-- {
		to := make([]float64, dims[i])
		g.Warps[i].Pull(to, gradient)
		gradient = to
	}
	return gradient
}
