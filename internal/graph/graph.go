// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package graph implements the kernels and the random features of skeletons.
//
// Begin with graph.go, which defines a graph, and builder.go, which makes a graph of nodes and of canonical forms.
// kernel.go evaluates its kernel. scheme.go says how inputs sample features, draw.go, feature.go and columns.go make a
// map, and recipe.go predicts its error.
package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Graph is a copy of a skeleton for a kernel or map. It contains only nodes that lead to the output: children come
// before parents, and the output is the last node.
type Graph struct {
	In        int
	Nodes     []node
	Masses    []float64            // the mass of each node
	arguments []float64            // for each unit the mean of the children's masses, the argument of its series
	slopes    []float64            // the complexity of each node: the factor by which it amplifies relative rounding errors
	Chances   [][]float64          // the probabilities of the children of each unit: see probabilities
	buffers   sync.Pool            // holds *graphBuffer
	lists     func() []pairMoments // makes the pairMoments of all inputs in its first call
}

// Graph returns the graph of the skeleton.
func (sk *Builder) Graph() (*Graph, error) {
	out, err := sk.output()
	if err != nil {
		return nil, err
	}
	leads := make([]bool, out+1)
	leads[out] = true
	for i := out; i >= 0; i-- {
		if leads[i] {
			for _, c := range sk.Nodes[i].Children {
				leads[c] = true
			}
		}
	}
	p := &Graph{In: sk.In}
	number := make([]int, out+1)
	for i, n := range sk.Nodes[:out+1] {
		if !leads[i] {
			continue
		}
		number[i] = len(p.Nodes)
		n.Children = slices.Clone(n.Children)
		for j, c := range n.Children {
			n.Children[j] = number[c]
		}
		p.Nodes = append(p.Nodes, n)
	}
	count := len(p.Nodes)
	p.Masses, p.arguments, p.Chances = make([]float64, count), make([]float64, count), make([][]float64, count)
	for i, n := range p.Nodes {
		switch {
		case n.Base != nil:
			p.Nodes[i].adjacent = adjacent(n.Cols)
			p.Masses[i] = n.Base.mass()
		case n.Series == nil:
			p.Masses[i] = n.product(p.Masses)
		default:
			p.arguments[i] = n.mean(p.Masses)
			p.Masses[i] = n.Series.Eval(p.arguments[i])
			p.Chances[i] = p.probabilities(&n)
		}
	}
	p.slopes = p.complexities()
	p.lists = sync.OnceValue(p.listMoments)
	return p, nil
}

// graphBuffer is the memory for evaluating a pair of points.
type graphBuffer struct {
	x, y       []float64 // the coordinates that an input reads: see gather
	k, abs, sq []float64 // the values at each node: see moments
}

func (p *Graph) buffer() *graphBuffer {
	if b, ok := p.buffers.Get().(*graphBuffer); ok {
		return b
	}
	n := len(p.Nodes)
	return &graphBuffer{k: make([]float64, n), abs: make([]float64, n), sq: make([]float64, n)}
}

// adjacent tells whether columns are consecutive numbers in ascending order.
func adjacent(cols []int) bool {
	for i, c := range cols {
		if c != cols[0]+i {
			return false
		}
	}
	return true
}

// gather returns the coordinates of two points that an input reads, in slices that are valid until the next call.
func (b *graphBuffer) gather(n *node, x, y []float64) (u, v []float64) {
	if n.adjacent {
		first, end := n.Cols[0], n.Cols[0]+len(n.Cols)
		return x[first:end:end], y[first:end:end]
	}
	b.x, b.y = b.x[:0], b.y[:0]
	for _, c := range n.Cols {
		b.x, b.y = append(b.x, x[c]), append(b.y, y[c])
	}
	return b.x, b.y
}

// probabilities returns the probabilities of the children of a unit, or nil if they are equal. They are
// wᵤcᵤ/Σ wᵤcᵤ for weights w and masses c, so that every sample has the same size. They also count as
// equal if the mean of the masses is 0.
func (p *Graph) probabilities(n *node) []float64 {
	total := n.mean(p.Masses)
	equal := n.weights == nil
	for _, c := range n.Children {
		equal = equal && p.Masses[c] == p.Masses[n.Children[0]]
	}
	if equal || total == 0 {
		return nil
	}
	q := make([]float64, len(n.Children))
	for j, c := range n.Children {
		w := 1 / float64(len(q))
		if n.weights != nil {
			w = n.weights[j]
		}
		q[j] = float64(w*p.Masses[c]) / total
	}
	return q
}

// expected returns the mean of v over the children of unit i, weighted by their probabilities.
func (p *Graph) expected(i int, v []float64) float64 {
	n := node{Children: p.Nodes[i].Children, weights: p.Chances[i]}
	return n.mean(v)
}

// mass returns the mass of the output.
func (p *Graph) mass() float64 { return p.Masses[len(p.Masses)-1] }

// Complexity returns the complexity of the output: see Skeleton.Complexity.
func (p *Graph) Complexity() float64 { return p.slopes[len(p.slopes)-1] }

// complexities returns the complexity of every node: see Skeleton.Complexity.
func (p *Graph) complexities() []float64 {
	c := make([]float64, len(p.Nodes))
	for i, n := range p.Nodes {
		switch {
		case n.Base != nil:
			c[i] = n.Base.degree()
		case n.Series == nil:
			for _, u := range n.Children {
				c[i] += c[u]
			}
		default:
			mass := n.mean(p.Masses)
			c[i] = arith.Times(p.expected(i, c), arith.Times(mass, n.Series.Deriv(mass))/p.Masses[i])
			if p.Masses[i] == 0 {
				c[i] = 0
			}
		}
	}
	return c
}

// Supremum returns sup|ψ| over the base spaces, divided by the root of the output's mass.
func (p *Graph) Supremum() float64 {
	b := make([]float64, len(p.Nodes))
	for i, n := range p.Nodes {
		switch {
		case n.Base != nil:
			b[i] = n.Base.Supremum(len(n.Cols))
		case n.Series == nil:
			b[i] = n.product(b)
		default:
			for j, c := range n.Children {
				if q := p.Chances[i]; q == nil || q[j] > 0 {
					b[i] = max(b[i], b[c])
				}
			}
			b[i] = supremumOfPowers(n.Series, b[i])
		}
	}
	return b[len(b)-1]
}

// supremumOfPowers returns the largest bⁿ over the degrees n of a series.
func supremumOfPowers(f series.Series, b float64) float64 {
	if c, ok := f.(power.Composed); ok {
		return supremumOfPowers(c.F, supremumOfPowers(c.G, b))
	}
	last, polynomial := power.DegreeOf(f)
	switch {
	case b == 1:
		return 1
	case !polynomial:
		return math.Inf(1)
	}
	for last > 0 && f.Coeff(last) == 0 {
		last--
	}
	return math.Pow(max(b, 1), float64(last))
}

// depths returns the depths of the nodes.
func (p *Graph) depths() []int {
	d := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		for _, c := range n.Children {
			d[i] = max(d[i], d[c]+1)
		}
	}
	return d
}

// Text describes the graph, with one line for each kind of node.
func (p *Graph) Text() string {
	var b strings.Builder
	b.WriteString(p.summary() + "\n")
	var lines []string // the different lines, without their numbers of nodes
	var counts []int
	group := make([]int, len(p.Nodes)) // the line of each node
	for i := range p.Nodes {
		line := p.describe(i, group)
		g := slices.Index(lines, line)
		if g < 0 {
			g = len(lines)
			lines, counts = append(lines, line), append(counts, 0)
		}
		group[i] = g
		counts[g]++
	}
	const most = 40
	for g, line := range lines {
		if left := len(lines) - most; left > 0 && g >= most/2 && g < len(lines)-most/2 {
			if g == most/2 {
				fmt.Fprintf(&b, "   …: %d more kinds\n", left)
			}
			continue
		}
		fmt.Fprintf(&b, "%4s: %d × %s\n", label(g), counts[g], line)
	}
	return b.String()
}

// summary returns the first line of Text.
func (p *Graph) summary() string {
	depths := p.depths()
	return fmt.Sprintf("skeleton of %d columns: %d nodes, depth %d, complexity %.4g",
		p.In, len(p.Nodes), depths[len(depths)-1], p.Complexity())
}

// describe returns the line of Text for node i, given the groups of its children.
func (p *Graph) describe(i int, group []int) string {
	n := &p.Nodes[i]
	if n.Base != nil {
		columns := "a column"
		if len(n.Cols) > 1 {
			columns = fmt.Sprintf("%d columns", len(n.Cols))
		}
		return fmt.Sprintf("%s of %s", n.text, columns)
	}
	var parts []string
	counts := make(map[int]float64)
	for j, c := range n.Children {
		if n.weights == nil {
			counts[group[c]]++
		} else {
			counts[group[c]] += n.weights[j]
		}
	}
	groups := make([]int, 0, len(counts))
	for g := range counts {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	for _, g := range groups {
		parts = append(parts, fmt.Sprintf("%.4g %s", counts[g], label(g)))
	}
	children := strings.Join(parts, " + ")
	switch {
	case n.Series == nil:
		return "product of " + children
	case n.weights != nil:
		return fmt.Sprintf("%s of the weighted mean of %s", gosyntax.Of(n.Series), children)
	}
	return fmt.Sprintf("%s of the mean of %s", gosyntax.Of(n.Series), children)
}

// label returns a, b, …, z, aa, ab, ….
func label(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return label(i/26-1) + label(i%26)
}
