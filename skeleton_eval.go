// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// The kernel of a skeleton, and what is known of it.

// Kernel returns the exact kernel of the skeleton, on points of R^in. It evaluates every node once for
// each pair, children before parents. For points off their base spaces it has the value of the formula:
// see Validate.
//
// It returns the first error met when the skeleton was built, or an error if there is no node, or several
// inputs and no unit or product.
func (sk *Skeleton) Kernel() (Kernel, error) {
	p, err := sk.graph()
	if err != nil {
		return nil, err
	}
	return skeletonKernel{p}, nil
}

// skeletonKernel is the exact kernel of a skeleton.
type skeletonKernel struct{ *graph }

// Eval returns the kernel by the recurrence.
func (k skeletonKernel) Eval(x, y []float64) float64 {
	if len(x) != k.in || len(y) != k.in {
		panic(mat.ErrShape)
	}
	return k.at(x, y, nil, nil)
}

func (k skeletonKernel) atImages(p *warp.Pair) float64 {
	x, y := p.Points()
	if len(x) != k.in {
		panic(mat.ErrShape)
	}
	if delta, zero, ok := p.Difference(); ok {
		return k.at(x, y, delta, zero)
	}
	return k.at(x, y, nil, nil)
}

// at returns the kernel at two points. What is stationary is taken at the points delta and zero, unless they are nil.
func (k skeletonKernel) at(x, y, delta, zero []float64) float64 {
	b := k.buffer()
	defer k.buffers.Put(b)
	for i, n := range k.nodes {
		switch {
		case n.base != nil && delta != nil && isStationary(n.base):
			u, v := b.gather(&n, delta, zero)
			b.k[i] = n.base.Eval(u, v)
		case n.base != nil:
			u, v := b.gather(&n, x, y)
			b.k[i] = n.base.Eval(u, v)
		case n.series == nil:
			b.k[i] = n.product(b.k)
		default:
			b.k[i] = n.series.Eval(k.within(i, n.mean(b.k)))
		}
	}
	return b.k[len(k.nodes)-1]
}

// String describes the kernel: no Go expression makes it.
func (k skeletonKernel) String() string   { return "kernel of a " + k.summary() }
func (k skeletonKernel) kernel() Kernel   { return k }
func (k skeletonKernel) GoString() string { return "(" + k.String() + ")" }

func (k skeletonKernel) validate(in int) error {
	if in != k.in && in != 0 {
		return fmt.Errorf("featuremap: in = %d: the skeleton is for points of %d coordinates", in, k.in)
	}
	return nil
}

// within returns the argument t of unit i. If rounding has put t beyond the radius of convergence, and
// the mean c of the children's masses is not beyond it, it returns c; the rounding is large where
// c·f′(c)/f(c) is large in layers below. Other values above c are genuine, such as ⟨x, y⟩ for points of a
// norm above 1.
func (p *graph) within(i int, t float64) float64 {
	const tolerance, most = 1e-13, 1e-6
	c, r := p.arguments[i], p.nodes[i].series.Radius()
	if t > r && c <= r && t <= c*(1+min(tolerance*p.slopes[i], most)) {
		return c
	}
	return t
}

// mean returns the mean of v over the children.
func (n *node) mean(v []float64) float64 {
	var sum float64
	if n.weights == nil {
		for _, c := range n.children {
			sum += v[c]
		}
		return sum / float64(len(n.children))
	}
	for i, c := range n.children {
		if w := n.weights[i]; w != 0 { // a child of weight 0 does not count, even if NaN or Inf
			sum += float64(w * v[c])
		}
	}
	return sum
}

// product returns the product of v over the children.
func (n *node) product(v []float64) float64 {
	p := 1.0
	for _, c := range n.children {
		p = arith.Times(p, v[c])
	}
	return p
}

// Complexity returns the expected number of base features in a random feature of the skeleton (Daniely et
// al. 2017, equation 11). It is 1 for an input, or for an input of a dot product kernel f(⟨x, y⟩) the
// expected degree c·f′(c)/f(c); the sum over the children for a product; and for a unit
//
//	c·f′(c)/f(c)·Σ pᵤ·(complexity of child u),
//
// with c the mean of the children's masses and pᵤ the probability of child u: see docs/maps.md.
// Masses of 1 give the paper's f′(1)·mean. (The paper's "number of recursive calls" counts the leaves of
// the calls; that it is at most f′(1)^depth needs f′(1) ≥ 1.) It is NaN if the skeleton has an error.
func (sk *Skeleton) Complexity() float64 {
	p, err := sk.graph()
	if err != nil {
		return math.NaN()
	}
	return p.complexity()
}

// Bound returns C, the largest |ψ| of a draw over the base spaces: the root of the kernel's mass times
// the bounds of its base features (Daniely et al. 2017, section 4). It is the argument of HoeffdingBound.
// It is +Inf if an unbounded base can be drawn, or if a series without end has bases of bound above 1,
// and NaN if the skeleton has an error.
func (sk *Skeleton) Bound() float64 {
	p, err := sk.graph()
	if err != nil {
		return math.NaN()
	}
	return math.Sqrt(p.masses[len(p.masses)-1]) * p.supremum()
}

// Validate returns an error that names row and column of the first element of x that lies off its base
// space: not ±1 for Binary, not one of 0 … N−1 for Categories, in a vector whose norm is not 1 within
// 1e-12 for Sphere (the column is the input's first), and not finite
// for all others. It also returns the skeleton's error, if it has one, and an error if the width of x is
// not in.
func (sk *Skeleton) Validate(x mat.Matrix) error {
	p, err := sk.graph()
	if err != nil {
		return err
	}
	return p.validatePoints(x)
}

// validatePoints implements Validate.
func (p *graph) validatePoints(x mat.Matrix) error {
	if check.IsNil(x) {
		return fmt.Errorf("featuremap: x = nil")
	}
	if _, c := x.Dims(); c != p.in {
		return fmt.Errorf("featuremap: x has %d columns, and the skeleton is for %d", c, p.in)
	}
	b := p.buffer()
	defer p.buffers.Put(b)
	for r, row := range eachRowOf(x) {
		first, is := len(row), ""
		for _, n := range p.nodes {
			if n.base == nil {
				continue
			}
			u, _ := b.gather(&n, row, row)
			if at, what := n.base.check(u); what != "" && n.cols[at] < first {
				first, is = n.cols[at], what
			}
		}
		if is != "" {
			return fmt.Errorf("featuremap: row %d, column %d: %v is not %s", r, first, row[first], is)
		}
	}
	return nil
}
