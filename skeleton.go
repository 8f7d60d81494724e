// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Skeleton is a directed acyclic graph that describes a compositional kernel, built from products,
// means and power series of base kernels (Daniely, Frostig, Gupta and Singer 2017, "Random features for
// compositional kernels", section 5). Its nodes are inputs, each with a base kernel on some columns of
// the points; units,
//
//	k_v(x, y) = f_v(mean of k_u(x, y) over the children u of v),
//
// and products of their children. The kernel is that of the output: the last unit or product added, or a
// lone input. Nodes that do not lead to it are ignored.
//
// The first error, such as a node of another skeleton, is kept and reported by Kernel and
// NewCompositional, so that a skeleton can be built without a check at every node. Refused nodes may be
// used like others.
//
// A Skeleton is not safe for concurrent use. Kernels and maps made of it are, and do not change with it.
type Skeleton struct {
	in    int
	nodes []node
	err   error

	steps []skeletonCall // the calls that made it
	depth int            // how deep calls are nested: see record
	grids int            // the number of grids so far
}

// A Node is a node of a Skeleton.
type Node struct {
	sk *Skeleton
	id int
}

// String returns the number of the node, in the order in which nodes were added.
func (n Node) String() string { return fmt.Sprint("node ", n.id) }

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

// NewSkeleton returns an empty skeleton for points of in coordinates.
func NewSkeleton(in int) *Skeleton {
	if in < 1 || uint64(in) > math.MaxUint32 {
		return &Skeleton{err: fmt.Errorf("featuremap: in = %d: must be from 1 to %d", in, uint32(math.MaxUint32))}
	}
	return &Skeleton{in: in}
}

// fail keeps an error of the node to be added, unless there is one already.
func (sk *Skeleton) fail(name, format string, args ...any) {
	sk.failWith(name, fmt.Errorf(format, args...))
}

func (sk *Skeleton) failWith(name string, err error) {
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
func (sk *Skeleton) add(n node) Node {
	n.id = len(sk.nodes)
	if n.layer < 0 {
		n.layer = n.id
	}
	sk.nodes = append(sk.nodes, n)
	return Node{sk, n.id}
}

// Input adds an input with a base kernel on the given columns of the points, in their order, or on all
// columns if none are given. The base is one of
//
//   - Binary, Circle and Categories, of one column;
//   - Sphere, with three schemes for ⟨x, y⟩;
//   - any Stationary kernel, by its frequencies;
//   - any DotProduct kernel, or Project of one, by random Maclaurin features with Rademacher vectors, the
//     degree drawn as in a unit (see docs/maps.md);
//   - a BlackBox;
//   - ArcCosine;
//   - FromMap, of which a draw takes one of the map's features;
//   - a kernel made of these by Sum, Product, Scale, Compose, Weight, Project or Select, or the kernel of
//     another skeleton, whose nodes are added below the one returned.
//
// Other kernels are refused (ErrNoMap), as are columns out of range or given twice, and too many or too
// few for the base.
func (sk *Skeleton) Input(base Kernel, cols ...int) Node {
	defer sk.record(skeletonCall{Call: "Input", Base: base, Columns: slices.Clone(cols)})()
	if len(cols) == 0 {
		if size := 8 * float64(sk.in); size > float64(memory.Limit())/2 {
			sk.fail("Input", "the numbers of all %d columns take %.3g bytes", sk.in, size)
			return sk.add(refusedInput())
		}
		return sk.input(base, indicesUpTo(sk.in))
	}
	cols = slices.Clone(cols)
	seen := make(map[int]bool, len(cols))
	for _, c := range cols {
		switch {
		case c < 0 || c >= sk.in:
			sk.fail("Input", "column %d: must be from 0 to %d", c, sk.in-1)
		case seen[c]:
			sk.fail("Input", "column %d is given twice", c)
		}
		seen[c] = true
	}
	return sk.input(base, cols)
}

// input adds the nodes of a base kernel on columns that are validated and not shared with the caller.
func (sk *Skeleton) input(base Kernel, cols []int) Node { return sk.inputs(base, len(cols))(cols) }

// inputs returns the function that adds the nodes of a base kernel on n columns, like input.
func (sk *Skeleton) inputs(base Kernel, n int) func(cols []int) Node {
	f, err := canonical(base, n)
	return func(cols []int) Node {
		if err != nil {
			sk.failWith("Input", err)
			return sk.add(refusedInput())
		}
		return sk.plant(f, cols)
	}
}

// plant adds the nodes of a form on some columns. A sum of n terms is a unit with the series n·t of their mean.
func (sk *Skeleton) plant(f form, cols []int) Node {
	if len(f) == 1 {
		return sk.plantTerm(f[0], cols)
	}
	children := make([]Node, len(f))
	for i, t := range f {
		children[i] = sk.plantTerm(t, cols)
	}
	return sk.Unit(series.Coefficients{0, float64(len(f))}, children...)
}

// plantTerm adds the nodes of a term. Its weights, if any, are an input, and the term their product with the rest.
func (sk *Skeleton) plantTerm(t term, cols []int) Node {
	if t.weights != nil {
		w := sk.plantScheme(newWeightScheme(t), cols)
		t.weights = nil
		return sk.Product(w, sk.plantTerm(t, cols))
	}
	if t.warp.Cols != nil {
		cols = warp.Pick(cols, t.warp.Cols)
		t.warp.Cols = nil
	}
	switch b := t.base.(type) {
	case product:
		children := make([]Node, len(b.factors))
		for i, f := range b.factors {
			if i == 0 {
				f = f.scaled(t.scale)
			}
			children[i] = sk.plant(f, cols)
		}
		return sk.Product(children...)
	case composed:
		return sk.Unit(scaleSeries(t.scale, b.f), sk.plant(b.k, cols))
	case skeletonKernel:
		if !t.warp.Identity() {
			sk.failWith("Input", fmt.Errorf("%w: the kernel of a skeleton behind a matrix that does more than select columns", ErrNoMap))
			return sk.add(refusedInput())
		}
		n := sk.graft(b.graph, cols)
		if t.scale != 1 {
			n = sk.Unit(series.Coefficients{0, t.scale}, n)
		}
		return n
	}
	s, err := schemeOf(t)
	if err != nil {
		sk.failWith("Input", err)
		return sk.add(refusedInput())
	}
	n := sk.plantScheme(s, cols)
	sk.nodes[n.id].text = t.String()
	return n
}

// plantScheme adds an input with a scheme, and describes it as that of weights: plantTerm describes others.
func (sk *Skeleton) plantScheme(s scheme, cols []int) Node {
	return sk.add(node{name: "Input", base: s, text: "a weight", cols: cols})
}

// graft adds the nodes of another skeleton, whose points are the given columns.
func (sk *Skeleton) graft(p *graph, cols []int) Node {
	nodes := make([]Node, len(p.nodes))
	first := len(sk.nodes)
	for i, n := range p.nodes {
		n.cols = warp.Pick(cols, n.cols)
		children := n.children
		n.children = make([]int, len(children))
		for j, c := range children {
			n.children[j] = nodes[c].id
		}
		n.layer = first + i
		nodes[i] = sk.add(n)
	}
	return nodes[len(nodes)-1]
}

// refusedInput stands for an input that was refused.
func refusedInput() node { return node{base: stationaryScheme{spectrum: constantSpectrum(0)}} }

// Unit adds a unit f(mean of the children). A child may repeat, and then counts as often. It refuses a
// series with a refused parameter, nodes of another skeleton, and an empty list of children.
func (sk *Skeleton) Unit(f series.Series, children ...Node) Node {
	defer sk.record(skeletonCall{Call: "Unit", F: f, Children: numbersOf(children)})()
	return sk.unit("Unit", f, -1, nil, children)
}

// WeightedUnit adds a unit f(Σ wᵢkᵢ/Σ wᵢ) with one weight wᵢ ≥ 0 for each child: f of their weighted
// mean. (For f of a weighted sum, take f(W·t), with W the sum of the weights.) Besides what Unit refuses,
// it refuses weights that are negative or not finite, whose sum is zero or overflows, or whose number is
// not that of the children.
func (sk *Skeleton) WeightedUnit(f series.Series, weights []float64, children ...Node) Node {
	defer sk.record(skeletonCall{Call: "WeightedUnit", F: f, Weights: slices.Clone(weights), Children: numbersOf(children)})()
	if len(weights) != len(children) {
		sk.fail("WeightedUnit", "%d weights for %d children", len(weights), len(children))
		return sk.unit("WeightedUnit", f, -1, nil, children)
	}
	var sum float64
	for i, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			sk.fail("WeightedUnit", "weights[%d] = %v: must be finite and at least 0", i, w)
		}
		sum += w
	}
	if len(weights) > 0 && !(sum > 0 && sum <= math.MaxFloat64) {
		sk.fail("WeightedUnit", "the weights have the sum %v: must be positive and finite", sum)
	}
	normalised := make([]float64, len(weights))
	for i, w := range weights {
		normalised[i] = w / sum
	}
	return sk.unit("WeightedUnit", f, -1, normalised, children)
}

// unit adds a unit to an existing layer, or to one of its own if layer is negative.
func (sk *Skeleton) unit(name string, f series.Series, layer int, weights []float64, children []Node) Node {
	if err := power.Validate(f); err != nil {
		sk.failWith(name, err)
		f = series.HermiteDual{N: 1}
	}
	return sk.add(node{name: name, series: power.Copy(f), layer: layer, weights: weights, children: sk.ids(name, children)})
}

// Product adds the product of the children, which may repeat. It refuses the same children as Unit.
func (sk *Skeleton) Product(children ...Node) Node {
	defer sk.record(skeletonCall{Call: "Product", Children: numbersOf(children)})()
	return sk.add(node{name: "Product", children: sk.ids("Product", children)})
}

// ids returns the numbers of the children of a node to be added.
func (sk *Skeleton) ids(name string, children []Node) []int {
	if len(children) == 0 {
		sk.fail(name, "there must be at least one child")
	}
	ids := make([]int, len(children))
	for i, c := range children {
		if c.sk != sk {
			sk.fail(name, "child %d is not a node of this skeleton", i)
			continue
		}
		ids[i] = c.id
	}
	return ids
}

// output returns the number of the output, or an error.
func (sk *Skeleton) output() (int, error) {
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
