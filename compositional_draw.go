// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// A generator draws the features of a skeleton (Daniely et al. 2017, Algorithm 1).
type generator struct {
	graph    *graph
	nodes    []sprout
	alphabet alphabet
	stack    []pending // the nodes from the output down to the one that is being drawn
}

// A sprout is a node of the generator: base is set for inputs, law for units, neither for products.
type sprout struct {
	base     drawer
	law      power.Drawer
	children []int
	cum      []float64 // cumulative probabilities of the children; nil if they are equal
}

// newGenerator returns the generator of a graph.
func newGenerator(p *graph) (*generator, error) {
	g := &generator{graph: p, nodes: make([]sprout, len(p.nodes))}
	type key struct {
		layer int
		c     float64
	}
	laws := make(map[key]power.Drawer)
	for i, n := range p.nodes {
		if n.base != nil {
			var err error
			if g.nodes[i].base, err = n.base.drawer(n.cols, &g.alphabet); err != nil {
				return nil, &nodeError{n.id, n.name, err}
			}
			continue
		}
		g.nodes[i].children = n.children
		if n.series == nil {
			if m := p.masses[i]; !(m <= math.MaxFloat64) {
				return nil, &nodeError{n.id, "Product", fmt.Errorf("its mass is %v: must be finite", m)}
			}
			continue
		}
		k := key{n.layer, n.mean(p.masses)}
		law, ok := laws[k]
		if !ok {
			var err error
			if law, err = power.NewDrawer(n.series, k.c); err != nil {
				return nil, &nodeError{n.id, n.name, err}
			}
			laws[k] = law
		}
		g.nodes[i].law = law
		var sum float64
		for _, q := range p.chances[i] {
			sum += q
			g.nodes[i].cum = append(g.nodes[i].cum, sum)
		}
	}
	return g, nil
}

// validateDraws refuses units whose value or expected degree at their children's masses is not finite,
// and graphs of which a draw has more than maxComplexity base features, or visits more than maxVisits nodes, on average.
func (p *graph) validateDraws() error {
	const maxVisits = 1 << 20
	v, err := p.visits()
	if err != nil {
		return err
	}
	if c := p.complexity(); !(c <= power.MaxComplexity) {
		return fmt.Errorf("featuremap: Complexity of the skeleton = %v: must be at most %v", c, power.MaxComplexity)
	}
	if !(v <= maxVisits) {
		return fmt.Errorf("featuremap: a draw of the skeleton visits %.3g of its nodes on average: must be at most %d", v, maxVisits)
	}
	return nil
}

// visits returns how many nodes a draw visits on average, each as often as it is drawn.
func (p *graph) visits() (float64, error) {
	visits := make([]float64, len(p.nodes))
	for i, n := range p.nodes {
		visits[i] = 1
		if n.series == nil {
			for _, c := range n.children {
				visits[i] += visits[c]
			}
			continue
		}
		mean, err := power.MeanDegree(n.series, p.arguments[i])
		if err == nil && !(mean <= math.MaxFloat64) {
			c := p.arguments[i]
			err = fmt.Errorf("f′(%v) = %v for %s: the expected degree must be finite", c, n.series.Deriv(c), gosyntax.Of(n.series))
		}
		if err != nil {
			return 0, &nodeError{n.id, n.name, err}
		}
		visits[i] += arith.Times(mean, p.expected(i, visits))
	}
	return visits[len(visits)-1], nil
}

// A pending is a node with the number of its children that are still to be drawn.
type pending struct {
	node, left int
}

// draw draws a feature, from the output down. Its stack grows no longer than the graph is deep.
func (g *generator) draw(f *feature, s random.Sampler) {
	at := len(g.nodes) - 1
	for {
		n := &g.nodes[at]
		switch {
		case n.base != nil:
			n.base.draw(f, s)
			if f.err != nil {
				node := g.graph.nodes[at]
				f.err = &nodeError{node.id, node.name, f.err}
				g.stack = g.stack[:0]
			}
		case n.law != nil:
			if d := n.law(s); d > 0 {
				g.stack = append(g.stack, pending{at, d})
			}
		default:
			g.stack = append(g.stack, pending{at, len(n.children)})
		}
		if len(g.stack) == 0 {
			return
		}
		top := &g.stack[len(g.stack)-1]
		n = &g.nodes[top.node]
		top.left--
		switch {
		case n.law == nil:
			at = n.children[top.left]
		case n.cum == nil:
			at = n.children[s.IntN(len(n.children))]
		default:
			u := float64(s.Float64() * n.cum[len(n.cum)-1])
			at = n.children[min(sort.Search(len(n.cum), func(i int) bool { return u < n.cum[i] }), len(n.cum)-1)]
		}
		if top.left == 0 {
			g.stack = g.stack[:len(g.stack)-1]
		}
	}
}

// generate draws a number of features, which may take half of the bytes of room: they take about as much again when they
// are compiled.
func (g *generator) generate(draws int, s random.Sampler, room float64) (*drawnFeatures, error) {
	d := &drawnFeatures{alphabet: &g.alphabet, start: []uint32{0}}
	limit := uint64(room / 2)
	var f feature
	for i := range draws {
		f.reset()
		g.draw(&f, s)
		if f.err != nil {
			return nil, f.err
		}
		isReal := d.alphabet.normalise(&f)
		if f.discrete() {
			d.merge(f.atoms, isReal)
		} else {
			d.size += f.bytes()
			d.others = append(d.others, otherDrawn{f.clone(), isReal && f.phases == nil})
		}
		if size := d.bytes(); size > limit || len(d.atoms) > math.MaxUint32/2 {
			return nil, fmt.Errorf("featuremap: draws = %d: the features of %d take %v %w, and there are %d", draws, i+1, size, recipe.ErrMemory, limit)
		}
	}
	return d, nil
}

// drawnFeatures are the features that a generator has drawn.
type drawnFeatures struct {
	alphabet *alphabet

	// Products of letters: the atoms of feature i are those from start[i] to start[i+1].
	atoms  []atom
	start  []uint32
	reals  []bool   // whether each is real
	counts []uint32 // how many draws are merged in each
	table  []uint64 // hash table of features: the hash in the upper half, the number + 1 in the lower; 0 is free

	others []otherDrawn // features with other factors, which are not merged
	size   uint64       // bytes of others
}

// An otherDrawn is a feature with linear forms, frequencies or functions.
type otherDrawn struct {
	feature
	isReal bool
}

// bytes returns the approximate memory of the features.
func (d *drawnFeatures) bytes() uint64 {
	return uint64(8*cap(d.atoms)+16*cap(d.reals)+8*len(d.table)) + d.size
}

// bytes returns the approximate memory of a feature with forms, frequencies or functions.
func (f *feature) bytes() uint64 {
	n := 256 + 8*len(f.atoms) + 12*len(f.phase.Cols) + 64*len(f.boxes)
	for _, p := range f.forms {
		n += 128 + 8*len(p.Re.Cols)
	}
	return uint64(n)
}

func (d *drawnFeatures) len() int { return len(d.reals) }

// add appends a feature.
func (d *drawnFeatures) add(atoms []atom, isReal bool) {
	d.atoms = append(d.atoms, atoms...)
	d.start = append(d.start, uint32(len(d.atoms)))
	d.reals = append(d.reals, isReal)
	d.counts = append(d.counts, 1)
}

// atomsOf returns the atoms of feature i.
func (d *drawnFeatures) atomsOf(i int) []atom { return d.atoms[d.start[i]:d.start[i+1]] }

// merge adds a feature, or, if an equal one was drawn before, counts the draw as one of that.
func (d *drawnFeatures) merge(atoms []atom, isReal bool) {
	if 2*d.len() >= len(d.table) {
		d.grow()
	}
	h := hashAtoms(atoms)
	mask := uint64(len(d.table) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		entry := d.table[at]
		if entry == 0 {
			d.add(atoms, isReal)
			d.table[at] = h&^math.MaxUint32 | uint64(d.len())
			return
		}
		i := int(entry&math.MaxUint32) - 1
		if entry>>32 == h>>32 && slices.Equal(d.atomsOf(i), atoms) {
			d.counts[i]++
			return
		}
	}
}

// grow doubles the table.
func (d *drawnFeatures) grow() {
	d.table = make([]uint64, max(1024, 2*len(d.table)))
	mask := uint64(len(d.table) - 1)
	for i := range d.len() {
		h := hashAtoms(d.atomsOf(i))
		at := h & mask
		for d.table[at] != 0 {
			at = (at + 1) & mask
		}
		d.table[at] = h&^math.MaxUint32 | uint64(i+1)
	}
}

// hashAtoms returns a hash of a product of letters.
func hashAtoms(atoms []atom) uint64 {
	h := uint64(1)
	for _, a := range atoms {
		h = splitmix.Output(h^(uint64(a.letter)<<32|uint64(uint32(a.power))), 1)
	}
	return splitmix.Output(h, 1)
}
