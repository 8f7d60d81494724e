// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Skeleton is a directed acyclic graph that describes a compositional kernel: a kernel made from base kernels by
// products, means and power series (Daniely, Frostig, Gupta and Singer 2017, "Random features for compositional
// kernels", section 5). Its nodes are inputs, each with a base kernel on some columns of the points, products of their
// children, and units,
//
//	k_v(x, y) = f_v(mean of k_u(x, y) over the children u of v).
//
// The kernel is the kernel of the output: the last unit or product added, or a lone input. Nodes that do not lead to
// the output are ignored.
//
// You need not check for errors at every node. The first error, such as a node of another skeleton, is kept, and Kernel
// and NewCompositional return it. Refused nodes may be used like others.
//
// A Skeleton is not safe for concurrent use. Kernels and maps made from it are, and do not change with it.
type Skeleton struct {
	builder graph.Builder

	steps []skeletonCall // the calls that made it
	depth int            // nesting depth of calls: see record
	grids int            // the number of grids so far
}

// A Node is a node of a Skeleton, made by its methods or those of a Grid.
type Node struct {
	sk *Skeleton
	id int
}

// String returns the number of the node, in the order in which nodes were added.
func (n Node) String() string { return fmt.Sprint("node ", n.id) }

// NewSkeleton returns an empty skeleton for points of in coordinates.
func NewSkeleton(in int) *Skeleton { return &Skeleton{builder: graph.NewBuilder(in)} }

// fail keeps an error of the node to be added, unless there is one already.
func (sk *Skeleton) fail(name, format string, args ...any) {
	sk.builder.FailWith(name, fmt.Errorf(format, args...))
}

// graph returns the graph that leads to the output, or an error.
func (sk *Skeleton) graph() (*graph.Graph, error) { return sk.builder.Graph() }

// node returns a node by its number.
func (sk *Skeleton) node(id int) Node { return Node{sk, id} }

// Input adds an input with a base kernel on the given columns of the points, in this order, or on all columns if none
// are given. The base is one of
//
//   - Binary, Circle and Categories, of one column;
//   - Sphere, with three schemes for ⟨x, y⟩;
//   - any Stationary kernel, by its frequencies;
//   - any DotProduct kernel, or Project of one, by random Maclaurin features with Rademacher vectors and degrees drawn
//     as in a unit (see docs/reference/maps.md);
//   - a BlackBox;
//   - ArcCosine;
//   - FromMap, where each draw takes one of the map's features;
//   - a kernel made of these by Sum, Product, Scale, Compose, Weight, Project or Select, or the kernel of another
//     skeleton; the further nodes are added below the returned one.
//
// Other kernels are refused (ErrNoMap). Also refused are columns out of range or given twice, and too many or too few
// columns for the base.
func (sk *Skeleton) Input(base Kernel, cols ...int) Node {
	defer sk.record(skeletonCall{Call: "Input", Base: base, Columns: slices.Clone(cols)})()
	if len(cols) == 0 {
		if size := 8 * float64(sk.builder.In); size > float64(memory.Limit())/2 {
			sk.fail("Input", "the numbers of all %d columns take %.3g bytes", sk.builder.In, size)
			return sk.node(sk.builder.Add(graph.RefusedInput()))
		}
		return sk.inputs(base, sk.builder.In)(graph.IndicesUpTo(sk.builder.In))
	}
	cols = slices.Clone(cols)
	seen := make(map[int]bool, len(cols))
	for _, c := range cols {
		switch {
		case c < 0 || c >= sk.builder.In:
			sk.fail("Input", "column %d: must be from 0 to %d", c, sk.builder.In-1)
		case seen[c]:
			sk.fail("Input", "column %d is given twice", c)
		}
		seen[c] = true
	}
	return sk.inputs(base, len(cols))(cols)
}

// inputs returns the function that adds the nodes of a base kernel on n columns. Its columns must be valid and not
// shared with the caller.
func (sk *Skeleton) inputs(base Kernel, n int) func(cols []int) Node {
	f, err := canonical(base, n)
	return func(cols []int) Node {
		return sk.node(sk.builder.Input(f, err, cols))
	}
}

// Unit adds a unit f(mean of the children). A child that is given several times counts as often. A series with a
// refused parameter, nodes of another skeleton, and an empty list of children are refused.
func (sk *Skeleton) Unit(f series.Series, children ...Node) Node {
	defer sk.record(skeletonCall{Call: "Unit", F: f, Children: numbersOf(children)})()
	return sk.unit("Unit", f, -1, nil, children)
}

// WeightedUnit adds a unit f(Σ wᵢkᵢ/Σ wᵢ), f of the weighted mean of the children, with a weight wᵢ ≥ 0 for each child.
// (For f of a weighted sum use the series f(W·t), with W the sum of the weights.)
//
// It refuses what Unit refuses. It also refuses another number of weights than children, weights that are negative or
// not finite, and a sum of weights that is zero or overflows.
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
	normalized := make([]float64, len(weights))
	for i, w := range weights {
		normalized[i] = w / sum
	}
	return sk.unit("WeightedUnit", f, -1, normalized, children)
}

// Product adds the product of the children. A child may be given several times. The same children are refused as in
// Unit.
func (sk *Skeleton) Product(children ...Node) Node {
	defer sk.record(skeletonCall{Call: "Product", Children: numbersOf(children)})()
	return sk.node(sk.builder.Product(sk.ids("Product", children)))
}

// unit adds a unit to an existing layer, or to a new layer if layer is negative.
func (sk *Skeleton) unit(name string, f series.Series, layer int, weights []float64, children []Node) Node {
	if err := power.Validate(f); err != nil {
		sk.builder.FailWith(name, err)
		f = series.HermiteDual{N: 1}
	}
	return sk.node(sk.builder.Unit(name, f, layer, weights, sk.ids(name, children)))
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

// Kernel returns the exact kernel of the skeleton, on points of R^in. It evaluates every node once for each pair of
// points, children before parents. For points off their base spaces it has the value of the formula: see Validate.
//
// It returns the first error of the skeleton, or an error if there is no node, or several inputs without unit or
// product.
func (sk *Skeleton) Kernel() (Kernel, error) {
	p, err := sk.graph()
	if err != nil {
		return nil, err
	}
	return skeletonKernel{graph.Kernel{Graph: p}, slices.Clip(sk.steps)}, nil
}

// A skeletonKernel is the kernel of a skeleton, with the calls that made it.
type skeletonKernel struct {
	graph.Kernel
	steps []skeletonCall
}

func (k skeletonKernel) validate(in int) error { return k.ValidateDim(in) }

// Complexity returns the expected number of base features in a random feature of the skeleton (Daniely et al. 2017,
// equation 11). It is 1 for an input, or c·f′(c)/f(c), the expected degree, if its base is a dot product kernel f(⟨x,
// y⟩). It is the sum over the children for a product, and for a unit
//
//	c·f′(c)/f(c)·Σ pᵤ·(complexity of child u),
//
// with the mean c of the children's masses and the probability pᵤ of child u: see docs/reference/maps.md. Masses of 1
// give the paper's f′(1)·mean. (The paper's "number of recursive calls" counts the leaves of the calls. It is at most
// f′(1)^depth only for f′(1) ≥ 1.) Complexity is NaN if the skeleton has an error.
func (sk *Skeleton) Complexity() float64 {
	p, err := sk.graph()
	if err != nil {
		return math.NaN()
	}
	return p.Complexity()
}

// Bound returns C, the largest |ψ| of a random feature over the base spaces: the root of the kernel's mass times the
// bounds of its base features (Daniely et al. 2017, section 4). It is the C of a HoeffdingBound.
//
// It is +Inf if an unbounded base can be drawn, or if an infinite series has bases of bound above 1. It is NaN if the
// skeleton has an error.
func (sk *Skeleton) Bound() float64 {
	p, err := sk.graph()
	if err != nil {
		return math.NaN()
	}
	return math.Sqrt(p.Masses[len(p.Masses)-1]) * p.Supremum()
}

// Validate returns an error that names the row and column of the first element of x off its base space. For Binary this
// is an element that is not ±1, for Categories one that is not 0 … N−1, and for all other bases one that is not finite.
// For Sphere it is a vector whose norm is not 1 within 1e-12, with the input's first column. Validate also returns an
// error if the skeleton has one, or if x is not n×in.
func (sk *Skeleton) Validate(x mat.Matrix) error {
	p, err := sk.graph()
	if err != nil {
		return err
	}
	return p.ValidatePoints(x)
}

// Nodes returns the number of nodes that lead to the output, and −1 if the skeleton has an error.
func (sk *Skeleton) Nodes() int {
	p, err := sk.graph()
	if err != nil {
		return -1
	}
	return len(p.Nodes)
}

// String draws the graph in a few lines, from the inputs to the output. Nodes with the same base or series and children
// of the same lines share a line. If the skeleton has an error, String returns it.
func (sk *Skeleton) String() string {
	p, err := sk.graph()
	if err != nil {
		return err.Error()
	}
	return p.Text()
}

// A skeleton is saved as the calls that made it, so a convolution of thousands of units is a single call.

// A skeletonCall is a call of a method of a Skeleton or a Grid.
type skeletonCall struct {
	Call     string        `save:"call"`
	Grid     int           `save:"grid,omitempty"`     // the number of the grid of a Conv or Dense, in the order of making
	Shape    []int         `save:"shape,omitempty"`    // the integer arguments
	Columns  []int         `save:"columns,omitempty"`  // the columns of an Input
	Children []int         `save:"children,omitempty"` // the numbers of nodes, in the order of making
	Weights  []float64     `save:"weights,omitempty"`
	Base     Kernel        `save:"base,omitempty"`
	F        series.Series `save:"f,omitempty"`
}

// record keeps a call, unless another recorded method makes it. The method must call done when it returns.
func (sk *Skeleton) record(s skeletonCall) (done func()) {
	if sk.depth == 0 && sk.builder.Err == nil { // a skeleton with an error makes no kernel
		sk.steps = append(sk.steps, s)
	}
	sk.depth++
	return func() { sk.depth-- }
}

// numbersOf returns the numbers of nodes.
func numbersOf(nodes []Node) []int {
	ids := make([]int, len(nodes))
	for i, n := range nodes {
		ids[i] = n.id
	}
	return ids
}
