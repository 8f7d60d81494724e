// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A graphBuilder adds nodes to a graph, children before parents. It keeps the first error.
type graphBuilder struct {
	in    int
	nodes []node
	err   error
}

// newGraphBuilder returns a builder of graphs for points of in coordinates, or what refuses all if there cannot be so many.
func newGraphBuilder(in int) graphBuilder {
	if in < 1 || uint64(in) > math.MaxUint32 {
		return graphBuilder{err: fmt.Errorf("featuremap: in = %d: must be from 1 to %d", in, uint32(math.MaxUint32))}
	}
	return graphBuilder{in: in}
}

// A node is an input, which has a base; a unit, which has a series; or a product.
type node struct {
	id   int    // the number of the node in its skeleton
	name string // of the method that added it
	base scheme
	text string // the description of base in String
	cols []int

	adjacent bool // whether cols are consecutive numbers; only set in a graph

	series   series.Series
	layer    int // the id of the first of the units that were made with the same series, as by Conv
	children []int
	weights  []float64 // of the children, with a sum of 1; nil if all are equal
}

// fail keeps an error of the node to be added, unless there is one already.
func (sk *graphBuilder) fail(name, format string, args ...any) {
	sk.failWith(name, fmt.Errorf(format, args...))
}

func (sk *graphBuilder) failWith(name string, err error) {
	if sk.err == nil {
		sk.err = &nodeError{len(sk.nodes), name, err}
	}
}

// A nodeError is an error of a node of a skeleton.
type nodeError struct {
	node int
	name string
	err  error
}

func (e *nodeError) Error() string {
	return fmt.Sprintf("featuremap: node %d, %s: %s", e.node, e.name, strings.TrimPrefix(e.err.Error(), "featuremap: "))
}

func (e *nodeError) Unwrap() error { return e.err }

// add appends a node.
func (sk *graphBuilder) add(n node) int {
	n.id = len(sk.nodes)
	if n.layer < 0 {
		n.layer = n.id
	}
	sk.nodes = append(sk.nodes, n)
	return n.id
}

// plant adds the nodes of a form on some columns. A sum of n terms is a unit with the series n·t of their mean.
func (sk *graphBuilder) plant(f form.Form, cols []int) int {
	if len(f) == 1 {
		return sk.plantTerm(f[0], cols)
	}
	children := make([]int, len(f))
	for i, t := range f {
		children[i] = sk.plantTerm(t, cols)
	}
	return sk.unit("Unit", series.Coefficients{0, float64(len(f))}, -1, nil, children)
}

// plantTerm adds the nodes of a term. Its weights, if any, are an input, and the term their product with the rest.
func (sk *graphBuilder) plantTerm(t form.Term, cols []int) int {
	if t.Weights != nil {
		w := sk.plantScheme(newWeightScheme(t), cols)
		t.Weights = nil
		return sk.product([]int{w, sk.plantTerm(t, cols)})
	}
	if t.Warp.Cols != nil {
		cols = warp.Pick(cols, t.Warp.Cols)
		t.Warp.Cols = nil
	}
	switch b := t.Base.(type) {
	case form.Product:
		children := make([]int, len(b.Factors))
		for i, f := range b.Factors {
			if i == 0 {
				f = f.Scaled(t.Scale)
			}
			children[i] = sk.plant(f, cols)
		}
		return sk.product(children)
	case form.Composed:
		return sk.unit("Unit", form.ScaleSeries(t.Scale, b.F), -1, nil, []int{sk.plant(b.K, cols)})
	case graphKernel:
		if !t.Warp.Identity() {
			sk.failWith("Input", fmt.Errorf("%w: the kernel of a skeleton behind a matrix that does more than select columns", check.ErrNoMap))
			return sk.add(refusedInput())
		}
		n := sk.graft(b.graph, cols)
		if t.Scale != 1 {
			n = sk.unit("Unit", series.Coefficients{0, t.Scale}, -1, nil, []int{n})
		}
		return n
	}
	s, err := schemeOf(t)
	if err != nil {
		sk.failWith("Input", err)
		return sk.add(refusedInput())
	}
	n := sk.plantScheme(s, cols)
	sk.nodes[n].text = t.String()
	return n
}

// plantScheme adds an input with a scheme, and describes it as that of weights: plantTerm describes others.
func (sk *graphBuilder) plantScheme(s scheme, cols []int) int {
	return sk.add(node{name: "Input", base: s, text: "a weight", cols: cols})
}

// graft adds the nodes of another skeleton, whose points are the given columns.
func (sk *graphBuilder) graft(p *graph, cols []int) int {
	nodes := make([]int, len(p.nodes))
	first := len(sk.nodes)
	for i, n := range p.nodes {
		n.cols = warp.Pick(cols, n.cols)
		children := n.children
		n.children = make([]int, len(children))
		for j, c := range children {
			n.children[j] = nodes[c]
		}
		n.layer = first + i
		nodes[i] = sk.add(n)
	}
	return nodes[len(nodes)-1]
}

// refusedInput stands for an input that was refused.
func refusedInput() node { return node{base: stationaryScheme{Spectrum: spectrum.Constant(0)}} }

// input adds the nodes of a kernel, by its form, on some columns, or refuses the error that its form was refused with.
func (sk *graphBuilder) input(f form.Form, refused error, cols []int) int {
	if refused != nil {
		sk.failWith("Input", refused)
		return sk.add(refusedInput())
	}
	return sk.plant(f, cols)
}

// product adds the product of some nodes.
func (sk *graphBuilder) product(children []int) int {
	return sk.add(node{name: "Product", children: children})
}

// unit adds a unit to an existing layer, or to one of its own if layer is negative.
func (sk *graphBuilder) unit(name string, f series.Series, layer int, weights []float64, children []int) int {
	if err := power.Validate(f); err != nil {
		sk.failWith(name, err)
		f = series.HermiteDual{N: 1}
	}
	return sk.add(node{name: name, series: power.Copy(f), layer: layer, weights: weights, children: children})
}

// output returns the number of the output, or an error.
func (sk *graphBuilder) output() (int, error) {
	switch {
	case sk.err != nil:
		return 0, sk.err
	case sk.in == 0:
		return 0, fmt.Errorf("featuremap: a Skeleton that NewSkeleton has not made")
	}
	for i := len(sk.nodes) - 1; i >= 0; i-- {
		if sk.nodes[i].base == nil {
			return i, nil
		}
	}
	switch len(sk.nodes) {
	case 0:
		return 0, fmt.Errorf("featuremap: the skeleton has no node")
	case 1:
		return 0, nil
	}
	return 0, fmt.Errorf("featuremap: the skeleton has %d inputs and no Unit or Product: nothing is the output", len(sk.nodes))
}
