// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

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

// Generator samples the features of a skeleton (Daniely et al. 2017, Algorithm 1).
type Generator struct {
	graph    *Graph
	Nodes    []sprout
	Alphabet alphabet
	stack    []pending // the nodes from the output down to the current one
}

// sprout is a node of the generator. An input has a base, a unit has a law, and a product has
// neither.
type sprout struct {
	Base     drawer
	law      power.Drawer
	children []int
	cum      []float64 // cumulative probabilities of the children; nil if all are equal
}

// NewGenerator returns the generator of a graph.
func NewGenerator(p *Graph) (*Generator, error) {
	g := &Generator{graph: p, Nodes: make([]sprout, len(p.Nodes))}
	type key struct {
		layer int
		c     float64
	}
	laws := make(map[key]power.Drawer)
	for i, n := range p.Nodes {
		if n.Base != nil {
			var err error
			if g.Nodes[i].Base, err = n.Base.drawer(n.Cols, &g.Alphabet); err != nil {
				return nil, &nodeError{n.id, n.name, err}
			}
			continue
		}
		g.Nodes[i].children = n.Children
		if n.Series == nil {
			if m := p.Masses[i]; !(m <= math.MaxFloat64) {
				return nil, &nodeError{n.id, "Product", fmt.Errorf("its mass is %v: must be finite", m)}
			}
			continue
		}
		k := key{n.layer, n.mean(p.Masses)}
		law, ok := laws[k]
		if !ok {
			var err error
			if law, err = power.NewDrawer(n.Series, k.c); err != nil {
				return nil, &nodeError{n.id, n.name, err}
			}
			laws[k] = law
		}
		g.Nodes[i].law = law
		var sum float64
		for _, q := range p.Chances[i] {
			sum += q
			g.Nodes[i].cum = append(g.Nodes[i].cum, sum)
		}
	}
	return g, nil
}

// validateDraws refuses units whose value or expected degree is not finite at their children's masses. It also refuses
// graphs where a sample has more than power.MaxComplexity base features, or visits more than maxVisits nodes, on
// average.
func (p *Graph) validateDraws() error {
	const maxVisits = 1 << 20
	v, err := p.visits()
	if err != nil {
		return err
	}
	if c := p.Complexity(); !(c <= power.MaxComplexity) {
		return fmt.Errorf("featuremap: Complexity of the skeleton = %v: must be at most %v", c, power.MaxComplexity)
	}
	if !(v <= maxVisits) {
		return fmt.Errorf("featuremap: a draw of the skeleton visits %.3g of its nodes on average: must be at most %d", v, maxVisits)
	}
	return nil
}

// visits returns how many nodes it takes to sample a feature, on average, each counted as often as
// it is visited.
func (p *Graph) visits() (float64, error) {
	visits := make([]float64, len(p.Nodes))
	for i, n := range p.Nodes {
		visits[i] = 1
		if n.Series == nil {
			for _, c := range n.Children {
				visits[i] += visits[c]
			}
			continue
		}
		mean, err := power.MeanDegree(n.Series, p.arguments[i])
		if err == nil && !(mean <= math.MaxFloat64) {
			c := p.arguments[i]
			err = fmt.Errorf("f′(%v) = %v for %s: the expected degree must be finite", c, n.Series.Deriv(c), gosyntax.Of(n.Series))
		}
		if err != nil {
			return 0, &nodeError{n.id, n.name, err}
		}
		visits[i] += arith.Times(mean, p.expected(i, visits))
	}
	return visits[len(visits)-1], nil
}

// pending is a node with the number of its children that remain to be sampled.
type pending struct {
	node, left int
}

// Draw samples a feature, from the output down. Its stack is at most as long as the graph is deep.
func (g *Generator) Draw(f *Feature, s random.Sampler) {
	at := len(g.Nodes) - 1
	for {
		n := &g.Nodes[at]
		switch {
		case n.Base != nil:
			n.Base.draw(f, s)
			if f.err != nil {
				node := g.graph.Nodes[at]
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
		n = &g.Nodes[top.node]
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

// generate samples a number of features. They may take half of room bytes, because compiling them takes about as much
// again.
func (g *Generator) generate(draws int, s random.Sampler, room float64) (*DrawnFeatures, error) {
	d := &DrawnFeatures{Alphabet: &g.Alphabet, Start: []uint32{0}}
	limit := uint64(room / 2)
	var f Feature
	for i := range draws {
		f.Reset()
		g.Draw(&f, s)
		if f.err != nil {
			return nil, f.err
		}
		isReal := d.Alphabet.Normalize(&f)
		if f.Discrete() {
			d.Merge(f.Atoms, isReal)
		} else {
			d.size += f.bytes()
			d.Others = append(d.Others, OtherDrawn{f.Clone(), isReal && f.Phases == nil})
		}
		if size := d.bytes(); size > limit || len(d.atoms) > math.MaxUint32/2 {
			return nil, fmt.Errorf("featuremap: draws = %d: the features of %d take %v %w, and there are %d", draws, i+1, size, recipe.ErrMemory, limit)
		}
	}
	return d, nil
}

// DrawnFeatures are the features that a generator has sampled.
type DrawnFeatures struct {
	Alphabet *alphabet

	// Products of letters: the atoms of feature i are those from Start[i] to Start[i+1].
	atoms  []Atom
	Start  []uint32
	Reals  []bool   // whether each is real
	Counts []uint32 // how many samples are merged in each
	table  []uint64 // hash table of features: the hash in the upper half, the number + 1 in the lower; 0 is free

	Others []OtherDrawn // features with other factors, which are not merged
	size   uint64       // bytes of others
}

// OtherDrawn is a feature with linear forms, frequencies or functions.
type OtherDrawn struct {
	Feature
	IsReal bool
}

// bytes returns the approximate memory of the features.
func (d *DrawnFeatures) bytes() uint64 {
	return uint64(8*cap(d.atoms)+16*cap(d.Reals)+8*len(d.table)) + d.size
}

// bytes returns the approximate memory of a feature with forms, frequencies or functions.
func (f *Feature) bytes() uint64 {
	n := 256 + 8*len(f.Atoms) + 12*len(f.phase.Cols) + 64*len(f.boxes)
	for _, p := range f.forms {
		n += 128 + 8*len(p.Re.Cols)
	}
	return uint64(n)
}

func (d *DrawnFeatures) Len() int { return len(d.Reals) }

// Add appends a feature.
func (d *DrawnFeatures) Add(atoms []Atom, isReal bool) {
	d.atoms = append(d.atoms, atoms...)
	d.Start = append(d.Start, uint32(len(d.atoms)))
	d.Reals = append(d.Reals, isReal)
	d.Counts = append(d.Counts, 1)
}

// atomsOf returns the atoms of feature i.
func (d *DrawnFeatures) atomsOf(i int) []Atom { return d.atoms[d.Start[i]:d.Start[i+1]] }

// Merge adds a feature. If an equal one was added before, it only increases the count.
func (d *DrawnFeatures) Merge(atoms []Atom, isReal bool) {
	if 2*d.Len() >= len(d.table) {
		d.grow()
	}
	h := hashAtoms(atoms)
	mask := uint64(len(d.table) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		entry := d.table[at]
		if entry == 0 {
			d.Add(atoms, isReal)
			d.table[at] = h&^math.MaxUint32 | uint64(d.Len())
			return
		}
		i := int(entry&math.MaxUint32) - 1
		if entry>>32 == h>>32 && slices.Equal(d.atomsOf(i), atoms) {
			d.Counts[i]++
			return
		}
	}
}

// grow doubles the table.
func (d *DrawnFeatures) grow() {
	d.table = make([]uint64, max(1024, 2*len(d.table)))
	mask := uint64(len(d.table) - 1)
	for i := range d.Len() {
		h := hashAtoms(d.atomsOf(i))
		at := h & mask
		for d.table[at] != 0 {
			at = (at + 1) & mask
		}
		d.table[at] = h&^math.MaxUint32 | uint64(i+1)
	}
}

// hashAtoms returns a hash of a product of letters.
func hashAtoms(atoms []Atom) uint64 {
	h := uint64(1)
	for _, a := range atoms {
		h = splitmix.Output(h^(uint64(a.letter)<<32|uint64(uint32(a.power))), 1)
	}
	return splitmix.Output(h, 1)
}
