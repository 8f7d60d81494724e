// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// A Kernel is the exact kernel of a skeleton.
type Kernel struct{ *Graph }

// Eval evaluates the kernel by the recurrence.
func (k Kernel) Eval(x, y []float64) float64 {
	if len(x) != k.In || len(y) != k.In {
		panic(mat.ErrShape)
	}
	return k.at(x, y, nil, nil)
}

func (k Kernel) AtImages(p *warp.Pair) float64 {
	x, y := p.Points()
	if len(x) != k.In {
		panic(mat.ErrShape)
	}
	if delta, zero, ok := p.Difference(); ok {
		return k.at(x, y, delta, zero)
	}
	return k.at(x, y, nil, nil)
}

// at returns the kernel at two points. Stationary parts are evaluated at the points delta and zero, unless these are
// nil.
func (k Kernel) at(x, y, delta, zero []float64) float64 {
	b := k.buffer()
	defer k.buffers.Put(b)
	for i, n := range k.Nodes {
		switch {
		case n.Base != nil && delta != nil && isStationary(n.Base):
			u, v := b.gather(&n, delta, zero)
			b.k[i] = n.Base.Eval(u, v)
		case n.Base != nil:
			u, v := b.gather(&n, x, y)
			b.k[i] = n.Base.Eval(u, v)
		case n.Series == nil:
			b.k[i] = n.product(b.k)
		default:
			b.k[i] = n.Series.Eval(k.within(i, n.mean(b.k)))
		}
	}
	return b.k[len(k.Nodes)-1]
}

// String describes the kernel: there is no Go expression for it.
func (k Kernel) String() string    { return "kernel of a " + k.summary() }
func (k Kernel) Expr() expr.Kernel { return k }
func (k Kernel) GoString() string  { return "(" + k.String() + ")" }

// ValidateDim refuses points of another dimension; an in of 0 stands for any.
func (k Kernel) ValidateDim(in int) error {
	if in != k.In && in != 0 {
		return fmt.Errorf("featuremap: in = %d: the skeleton is for points of %d coordinates", in, k.In)
	}
	return nil
}

// within returns the argument t of unit i. Rounding may put t beyond the radius of convergence although
// the mean c of the children's masses is not; then it returns c. Rounding is large where c·f′(c)/f(c) is
// large in layers below. Other values above c are genuine, such as ⟨x, y⟩ for points with a norm above 1.
func (p *Graph) within(i int, t float64) float64 {
	const tolerance, most = 1e-13, 1e-6
	c, r := p.arguments[i], p.Nodes[i].Series.Radius()
	if t > r && c <= r && t <= c*(1+min(tolerance*p.slopes[i], most)) {
		return c
	}
	return t
}

// mean returns the mean of v over the children.
func (n *node) mean(v []float64) float64 {
	var sum float64
	if n.weights == nil {
		for _, c := range n.Children {
			sum += v[c]
		}
		return sum / float64(len(n.Children))
	}
	for i, c := range n.Children {
		if w := n.weights[i]; w != 0 { // a child of weight 0 does not count, even if it is NaN or Inf
			sum += float64(w * v[c])
		}
	}
	return sum
}

// product returns the product of v over the children.
func (n *node) product(v []float64) float64 {
	p := 1.0
	for _, c := range n.Children {
		p = arith.Times(p, v[c])
	}
	return p
}

// ValidatePoints refuses points of another dimension, and points off the base spaces: see Skeleton.Validate of the root
// package.
func (p *Graph) ValidatePoints(x mat.Matrix) error {
	if check.IsNil(x) {
		return fmt.Errorf("featuremap: x = nil")
	}
	if _, c := x.Dims(); c != p.In {
		return fmt.Errorf("featuremap: x has %d columns, and the skeleton is for %d", c, p.In)
	}
	b := p.buffer()
	defer p.buffers.Put(b)
	for r, row := range rows.Each(x) {
		first, is := len(row), ""
		for _, n := range p.Nodes {
			if n.Base == nil {
				continue
			}
			u, _ := b.gather(&n, row, row)
			if at, what := n.Base.check(u); what != "" && n.Cols[at] < first {
				first, is = n.Cols[at], what
			}
		}
		if is != "" {
			return fmt.Errorf("featuremap: row %d, column %d: %v is not %s", r, first, row[first], is)
		}
	}
	return nil
}
