// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

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

// A Builder adds nodes to a graph, children before parents. It keeps the first error.
type Builder struct {
	In    int
	Nodes []node
	Err   error
}

// NewBuilder returns a builder of graphs for points with in coordinates. If there cannot be so many, it refuses all
// graphs.
func NewBuilder(in int) Builder {
	if in < 1 || uint64(in) > math.MaxUint32 {
		return Builder{Err: fmt.Errorf("featuremap: in = %d: must be from 1 to %d", in, uint32(math.MaxUint32))}
	}
	return Builder{In: in}
}

// A node is an input, which has a base; a unit, which has a series; or a product.
type node struct {
	id   int    // its number in the skeleton
	name string // the name of the method that added it
	Base scheme
	text string // the description of Base in Text
	Cols []int

	adjacent bool // whether Cols are consecutive numbers; only set in a graph

	Series   series.Series
	layer    int // the id of the first unit that was made with the same series, as by Conv
	Children []int
	weights  []float64 // for the children, with a sum of 1; nil if all are equal
}

// FailWith keeps an error for the node to be added, unless there is one already.
func (sk *Builder) FailWith(name string, err error) {
	if sk.Err == nil {
		sk.Err = &nodeError{len(sk.Nodes), name, err}
	}
}

// nodeError is an error that is caused by a node of a skeleton.
type nodeError struct {
	node int
	name string
	err  error
}

func (e *nodeError) Error() string {
	return fmt.Sprintf("featuremap: node %d, %s: %s", e.node, e.name, strings.TrimPrefix(e.err.Error(), "featuremap: "))
}

func (e *nodeError) Unwrap() error { return e.err }

// Add appends a node.
func (sk *Builder) Add(n node) int {
	n.id = len(sk.Nodes)
	if n.layer < 0 {
		n.layer = n.id
	}
	sk.Nodes = append(sk.Nodes, n)
	return n.id
}

// plant adds the nodes of a form on some columns. A sum of n terms is a unit that applies the series n·t to
// their mean.
func (sk *Builder) plant(f form.Form, cols []int) int {
	if len(f) == 1 {
		return sk.plantTerm(f[0], cols)
	}
	children := make([]int, len(f))
	for i, t := range f {
		children[i] = sk.plantTerm(t, cols)
	}
	return sk.Unit("Unit", series.Coefficients{0, float64(len(f))}, -1, nil, children)
}

// plantTerm adds the nodes of a term. If the term has weights, they are an input, and the node is a product.
func (sk *Builder) plantTerm(t form.Term, cols []int) int {
	if t.Weights != nil {
		w := sk.plantScheme(newWeightScheme(t), cols)
		t.Weights = nil
		return sk.Product([]int{w, sk.plantTerm(t, cols)})
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
		return sk.Product(children)
	case form.Composed:
		return sk.Unit("Unit", form.ScaleSeries(t.Scale, b.F), -1, nil, []int{sk.plant(b.K, cols)})
	case Kernel:
		if !t.Warp.Identity() {
			sk.FailWith("Input", fmt.Errorf("%w: the kernel of a skeleton behind a matrix that does more than select columns", check.ErrNoMap))
			return sk.Add(RefusedInput())
		}
		n := sk.graft(b.Graph, cols)
		if t.Scale != 1 {
			n = sk.Unit("Unit", series.Coefficients{0, t.Scale}, -1, nil, []int{n})
		}
		return n
	}
	s, err := SchemeOf(t)
	if err != nil {
		sk.FailWith("Input", err)
		return sk.Add(RefusedInput())
	}
	n := sk.plantScheme(s, cols)
	sk.Nodes[n].text = t.String()
	return n
}

// plantScheme adds an input with a scheme and describes it as weights; for other inputs plantTerm sets the
// description.
func (sk *Builder) plantScheme(s scheme, cols []int) int {
	return sk.Add(node{name: "Input", Base: s, text: "a weight", Cols: cols})
}

// graft adds the nodes of another skeleton, which reads the given columns.
func (sk *Builder) graft(p *Graph, cols []int) int {
	nodes := make([]int, len(p.Nodes))
	first := len(sk.Nodes)
	for i, n := range p.Nodes {
		n.Cols = warp.Pick(cols, n.Cols)
		children := n.Children
		n.Children = make([]int, len(children))
		for j, c := range children {
			n.Children[j] = nodes[c]
		}
		n.layer = first + i
		nodes[i] = sk.Add(n)
	}
	return nodes[len(nodes)-1]
}

// RefusedInput is a placeholder for an input that was refused.
func RefusedInput() node { return node{Base: stationaryScheme{Spectrum: spectrum.Constant(0)}} }

// Input adds the nodes of a kernel on some columns, given its form, or keeps the error with which its form was
// refused.
func (sk *Builder) Input(f form.Form, refused error, cols []int) int {
	if refused != nil {
		sk.FailWith("Input", refused)
		return sk.Add(RefusedInput())
	}
	return sk.plant(f, cols)
}

// Product adds the product of some nodes.
func (sk *Builder) Product(children []int) int {
	return sk.Add(node{name: "Product", Children: children})
}

// Unit adds a unit to an existing layer, or to a new layer if layer is negative.
func (sk *Builder) Unit(name string, f series.Series, layer int, weights []float64, children []int) int {
	if err := power.Validate(f); err != nil {
		sk.FailWith(name, err)
		f = series.HermiteDual{N: 1}
	}
	return sk.Add(node{name: name, Series: power.Copy(f), layer: layer, weights: weights, Children: children})
}

// output returns the number of the output, or an error.
func (sk *Builder) output() (int, error) {
	switch {
	case sk.Err != nil:
		return 0, sk.Err
	case sk.In == 0:
		return 0, fmt.Errorf("featuremap: a Skeleton that NewSkeleton has not made")
	}
	for i := len(sk.Nodes) - 1; i >= 0; i-- {
		if sk.Nodes[i].Base == nil {
			return i, nil
		}
	}
	switch len(sk.Nodes) {
	case 0:
		return 0, fmt.Errorf("featuremap: the skeleton has no node")
	case 1:
		return 0, nil
	}
	return 0, fmt.Errorf("featuremap: the skeleton has %d inputs and no Unit or Product: nothing is the output", len(sk.Nodes))
}
