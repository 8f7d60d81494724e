// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

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

// A graph is a copy of a skeleton for a kernel or map, reduced to the nodes that lead to the output:
// children come before parents, and the output is the last node.
type graph struct {
	in        int
	nodes     []node
	masses    []float64            // the mass of each node
	arguments []float64            // the mean of the children's masses of each unit, the argument of its series
	slopes    []float64            // the complexity of each node, by which it amplifies relative rounding errors
	chances   [][]float64          // the probabilities of the children of each unit: see probabilities
	buffers   sync.Pool            // holds *graphBuffer
	lists     func() []pairMoments // makes the pairMoments of all inputs in its first call
}

// graph returns the graph of the skeleton.
func (sk *graphBuilder) graph() (*graph, error) {
	out, err := sk.output()
	if err != nil {
		return nil, err
	}
	leads := make([]bool, out+1)
	leads[out] = true
	for i := out; i >= 0; i-- {
		if leads[i] {
			for _, c := range sk.nodes[i].children {
				leads[c] = true
			}
		}
	}
	p := &graph{in: sk.in}
	number := make([]int, out+1)
	for i, n := range sk.nodes[:out+1] {
		if !leads[i] {
			continue
		}
		number[i] = len(p.nodes)
		n.children = slices.Clone(n.children)
		for j, c := range n.children {
			n.children[j] = number[c]
		}
		p.nodes = append(p.nodes, n)
	}
	count := len(p.nodes)
	p.masses, p.arguments, p.chances = make([]float64, count), make([]float64, count), make([][]float64, count)
	for i, n := range p.nodes {
		switch {
		case n.base != nil:
			p.nodes[i].adjacent = adjacent(n.cols)
			p.masses[i] = n.base.mass()
		case n.series == nil:
			p.masses[i] = n.product(p.masses)
		default:
			p.arguments[i] = n.mean(p.masses)
			p.masses[i] = n.series.Eval(p.arguments[i])
			p.chances[i] = p.probabilities(&n)
		}
	}
	p.slopes = p.complexities()
	p.lists = sync.OnceValue(p.listMoments)
	return p, nil
}

// A graphBuffer is the memory to evaluate a pair of points.
type graphBuffer struct {
	x, y       []float64 // the coordinates that an input reads: see gather
	k, abs, sq []float64 // the values at each node: see moments
}

func (p *graph) buffer() *graphBuffer {
	if b, ok := p.buffers.Get().(*graphBuffer); ok {
		return b
	}
	n := len(p.nodes)
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
		first, end := n.cols[0], n.cols[0]+len(n.cols)
		return x[first:end:end], y[first:end:end]
	}
	b.x, b.y = b.x[:0], b.y[:0]
	for _, c := range n.cols {
		b.x, b.y = append(b.x, x[c]), append(b.y, y[c])
	}
	return b.x, b.y
}

// probabilities returns the probabilities of the children of a unit, or nil if they are equal:
// wᵤcᵤ/Σ wᵤcᵤ for weights w and masses c, so that every draw has the same size. They also count as equal
// if the mean of the masses is 0.
func (p *graph) probabilities(n *node) []float64 {
	total := n.mean(p.masses)
	equal := n.weights == nil
	for _, c := range n.children {
		equal = equal && p.masses[c] == p.masses[n.children[0]]
	}
	if equal || total == 0 {
		return nil
	}
	q := make([]float64, len(n.children))
	for j, c := range n.children {
		w := 1 / float64(len(q))
		if n.weights != nil {
			w = n.weights[j]
		}
		q[j] = float64(w*p.masses[c]) / total
	}
	return q
}

// expected returns the mean of v over the children of unit i, weighted by their probabilities.
func (p *graph) expected(i int, v []float64) float64 {
	n := node{children: p.nodes[i].children, weights: p.chances[i]}
	return n.mean(v)
}

// mass returns the mass of the output.
func (p *graph) mass() float64 { return p.masses[len(p.masses)-1] }

// complexity returns the complexity of the output: see Skeleton.Complexity.
func (p *graph) complexity() float64 { return p.slopes[len(p.slopes)-1] }

// complexities returns the complexity of every node: see Skeleton.Complexity.
func (p *graph) complexities() []float64 {
	c := make([]float64, len(p.nodes))
	for i, n := range p.nodes {
		switch {
		case n.base != nil:
			c[i] = n.base.degree()
		case n.series == nil:
			for _, u := range n.children {
				c[i] += c[u]
			}
		default:
			mass := n.mean(p.masses)
			c[i] = arith.Times(p.expected(i, c), arith.Times(mass, n.series.Deriv(mass))/p.masses[i])
			if p.masses[i] == 0 {
				c[i] = 0
			}
		}
	}
	return c
}

// supremum returns sup|ψ| over the base spaces, divided by the root of the output's mass.
func (p *graph) supremum() float64 {
	b := make([]float64, len(p.nodes))
	for i, n := range p.nodes {
		switch {
		case n.base != nil:
			b[i] = n.base.supremum(len(n.cols))
		case n.series == nil:
			b[i] = n.product(b)
		default:
			for j, c := range n.children {
				if q := p.chances[i]; q == nil || q[j] > 0 {
					b[i] = max(b[i], b[c])
				}
			}
			b[i] = supremumOfPowers(n.series, b[i])
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
func (p *graph) depths() []int {
	d := make([]int, len(p.nodes))
	for i, n := range p.nodes {
		for _, c := range n.children {
			d[i] = max(d[i], d[c]+1)
		}
	}
	return d
}

// text describes the graph: a line for each kind of node.
func (p *graph) text() string {
	var b strings.Builder
	b.WriteString(p.summary() + "\n")
	var lines []string // the different lines, without how many nodes each stands for
	var counts []int
	group := make([]int, len(p.nodes)) // the line of each node
	for i := range p.nodes {
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

// summary returns the first line of String.
func (p *graph) summary() string {
	depths := p.depths()
	return fmt.Sprintf("skeleton of %d columns: %d nodes, depth %d, complexity %.4g",
		p.in, len(p.nodes), depths[len(depths)-1], p.complexity())
}

// describe returns the line of String for node i, given the groups of its children.
func (p *graph) describe(i int, group []int) string {
	n := &p.nodes[i]
	if n.base != nil {
		columns := "a column"
		if len(n.cols) > 1 {
			columns = fmt.Sprintf("%d columns", len(n.cols))
		}
		return fmt.Sprintf("%s of %s", n.text, columns)
	}
	var parts []string
	counts := make(map[int]float64)
	for j, c := range n.children {
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
	case n.series == nil:
		return "product of " + children
	case n.weights != nil:
		return fmt.Sprintf("%s of the weighted mean of %s", gosyntax.Of(n.series), children)
	}
	return fmt.Sprintf("%s of the mean of %s", gosyntax.Of(n.series), children)
}

// label returns a, b, …, z, aa, ab, ….
func label(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return label(i/26-1) + label(i%26)
}
