// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// arrangement is the features of a compositional map in the order of their columns. First come
// features that are a phase alone, by their number of weights, then other complex features, then real
// ones.
type arrangement struct {
	runs   []projection.SparseRun // successive phases with the same number of weights
	cols   []uint32               // the coordinates that the phases of runs read, phase after phase
	others []otherFeature         // the features after the runs
	counts []uint32               // how many samples were merged into each feature

	columns int
}

// len returns the number of features.
func (l *arrangement) len() int { return len(l.counts) }

// each calls visit with the coordinates that the real or the imaginary part of a feature reads.
func (l *arrangement) each(feature int, imag bool, visit func(col uint32)) {
	at := 0
	for _, r := range l.runs {
		if feature < r.Forms {
			for _, c := range l.cols[at+feature*r.Terms:][:r.Terms] {
				visit(c)
			}
			return
		}
		feature -= r.Forms
		at += r.Forms * r.Terms
	}
	m := &l.others[feature]
	lists := [][]uint32{m.Phase.Cols}
	for _, b := range m.Boxes {
		lists = append(lists, b.Cols)
	}
	for i, f := range m.Factors {
		switch alone := m.alone(i); {
		case alone && imag:
			lists = append(lists, f.Im.Cols)
		case alone:
			lists = append(lists, f.Re.Cols)
		default:
			lists = append(lists, f.Re.Cols, f.Im.Cols)
		}
	}
	for _, cols := range lists {
		for _, c := range cols {
			visit(c)
		}
	}
}

// alone reports whether factor i is the only complex one and has power 1. Then the real and imaginary
// parts of the feature are multiples of those of the factor.
func (m otherFeature) alone(i int) bool {
	complexes := 0
	for _, f := range m.Factors {
		if f.Im.Cols != nil {
			complexes++
		}
	}
	return complexes == 1 && m.Factors[i].Im.Cols != nil && m.Factors[i].Power == 1 && m.Phase.Cols == nil
}

// otherFeature is a feature that is computed as a monomial: any feature that is not among sparsePhases.
type otherFeature struct{ projection.Monomial }

// column is a feature with what it is sorted by: its kind, and for a phase alone the number of weights.
type column struct {
	kind  columnKind
	terms int32 // the number of weights of a phase alone
	at    int32 // the number of the feature: first products of letters, then the others
}

type columnKind uint8

const (
	phaseColumn columnKind = iota
	complexColumn
	realColumn
)

// Compile arranges the features, and adds the parts that compute them to b.
func (m *Draws) Compile(b *recipe.Builder, d *DrawnFeatures) {
	columns := d.columns()
	phases := sort.Search(len(columns), func(i int) bool { return columns[i].kind > phaseColumn })
	complexes := sort.Search(len(columns), func(i int) bool { return columns[i].kind > complexColumn })
	imag := len(columns) // from the column of the real part to the column of the imaginary part
	l := &m.features
	l.columns = len(columns) + complexes
	for _, c := range columns {
		l.counts = append(l.counts, d.count(c))
	}
	phases = d.sparsePhases(columns[:phases])
	var parts []projection.Part
	if phases > 0 {
		parts = append(parts, m.phasePart(b, d, columns[:phases], imag))
	}
	if phases < len(columns) {
		var monomials []projection.Monomial
		for _, c := range columns[phases:] {
			f := m.monomial(d, c)
			monomials, l.others = append(monomials, f), append(l.others, otherFeature{f})
		}
		parts = append(parts, projection.NewMonomials(b.In, b.At+phases, imag, complexes-phases, monomials))
	}
	b.Add(l.columns, parts...)
}

// sparsePhases returns how many of the phases, from the first on, are to be computed one by one. The others, if any,
// all have the same large number of coordinates. They are faster in tiles, together with the other features.
func (d *DrawnFeatures) sparsePhases(columns []column) int {
	const few = 16
	n := len(columns)
	if n == 0 {
		return 0
	}
	_, last := d.parts(columns[n-1])
	if len(last.phase.Cols) < projection.LeastTerms {
		return n
	}
	i := n
	for ; i > 0; i-- {
		atoms, f := d.parts(columns[i-1])
		if len(atoms) > 0 || !slices.Equal(f.phase.Cols, last.phase.Cols) {
			break
		}
	}
	if n-i < few {
		return n
	}
	return i
}

// width returns the number of columns that the features take.
func (d *DrawnFeatures) width() int {
	n := d.Len() + len(d.Others)
	for _, isReal := range d.Reals {
		if !isReal {
			n++
		}
	}
	for _, o := range d.Others {
		if !o.IsReal {
			n++
		}
	}
	return n
}

// columns returns the features in the order of their columns.
func (d *DrawnFeatures) columns() []column {
	all := make([]column, 0, d.Len()+len(d.Others))
	for i, isReal := range d.Reals {
		c := column{kind: complexColumn, at: int32(i)}
		if isReal {
			c.kind = realColumn
		} else if d.Alphabet.phase(d.atomsOf(i)) {
			c.kind, c.terms = phaseColumn, int32(len(d.atomsOf(i)))
		}
		all = append(all, c)
	}
	for i, o := range d.Others {
		c := column{kind: complexColumn, at: int32(d.Len() + i)}
		if o.IsReal {
			c.kind = realColumn
		} else if o.forms == nil && o.boxes == nil && d.Alphabet.phase(o.Atoms) {
			c.kind, c.terms = phaseColumn, int32(len(o.Atoms)+len(o.Feature.phase.Cols))
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.terms, b.terms), cmp.Compare(a.at, b.at))
	})
	return all
}

// count returns the number of samples that were merged into a feature.
func (d *DrawnFeatures) count(c column) uint32 {
	if int(c.at) < d.Len() {
		return d.Counts[c.at]
	}
	return 1
}

// parts returns the atoms of a feature, and its other factors.
func (d *DrawnFeatures) parts(c column) (atoms []Atom, rest *Feature) {
	if i := int(c.at); i < d.Len() {
		return d.atomsOf(i), &Feature{}
	}
	o := &d.Others[int(c.at)-d.Len()]
	return o.Atoms, &o.Feature
}

// phase reports whether all atoms are powers of letters of size 1.
func (a *alphabet) phase(atoms []Atom) bool {
	for _, t := range atoms {
		if k := a.letters[t.letter].kind; k != circleLetter && k != categoryLetter {
			return false
		}
	}
	return true
}

// turns returns the weight of the letter's coordinate in a phase, in turns, for a feature with a power of the letter.
func (l *letter) turns(power int32) float64 {
	if l.kind == categoryLetter {
		return float64(power) / float64(l.n)
	}
	return float64(power) / (2 * math.Pi)
}

// amplitude returns the factor of a feature's product, given the number of samples merged into it.
func (m *Draws) amplitude(count uint32) float64 {
	return math.Sqrt(m.Recipe.Graph.mass()) * math.Sqrt(float64(count)/float64(m.Recipe.Draws))
}

// phasePart returns the part that computes features which are phases alone. Sines come sin columns after the cosines.
func (m *Draws) phasePart(b *recipe.Builder, d *DrawnFeatures, columns []column, sin int) projection.Part {
	l := &m.features
	terms := 0
	for _, c := range columns {
		terms += int(c.terms)
	}
	l.cols = make([]uint32, 0, terms)
	weights := make([]float64, 0, terms)
	amplitudes := make([]float64, 0, len(columns))
	for _, c := range columns {
		if r := len(l.runs); r == 0 || l.runs[r-1].Terms != int(c.terms) {
			l.runs = append(l.runs, projection.SparseRun{Terms: int(c.terms)})
		}
		l.runs[len(l.runs)-1].Forms++
		atoms, rest := d.parts(c)
		for _, t := range atoms {
			circle := &d.Alphabet.letters[t.letter]
			l.cols = append(l.cols, uint32(circle.a))
			weights = append(weights, circle.turns(t.power))
		}
		l.cols = append(l.cols, rest.phase.Cols...)
		weights = append(weights, rest.phase.Weights...)
		amplitudes = append(amplitudes, m.amplitude(d.count(c)))
	}
	return projection.NewSparse(b.In, b.At, sin, l.runs, l.cols, weights, amplitudes)
}

// monomial returns a feature as a projection.Monomial; every feature can be written as one.
func (m *Draws) monomial(d *DrawnFeatures, c column) projection.Monomial {
	atoms, rest := d.parts(c)
	p := projection.Monomial{
		Amplitude: m.amplitude(d.count(c)),
		Factors:   rest.forms,
		Boxes:     rest.boxes,
		Phase:     rest.phase,
	}
	for _, t := range atoms {
		switch l := &d.Alphabet.letters[t.letter]; l.kind {
		case circleLetter, categoryLetter:
			p.Phase.Cols = append(p.Phase.Cols, uint32(l.a))
			p.Phase.Weights = append(p.Phase.Weights, l.turns(t.power))
		default:
			p.Factors = append(p.Factors, d.Alphabet.factor(t))
		}
	}
	return p
}

// factor returns the factor of a power of a letter that is not a phase.
func (a *alphabet) factor(t Atom) projection.Factor {
	l := &a.letters[t.letter]
	form := func(col int, weight float64) projection.Form {
		return projection.Form{Cols: []uint32{uint32(col)}, Weights: []float64{weight}}
	}
	f := projection.Factor{Re: form(l.a, l.gain), Power: int(t.power)}
	switch l.kind {
	case pairLetter:
		f.Im = form(l.b, l.gain)
	case conjugateLetter:
		f.Im = form(l.b, -l.gain)
	}
	return f
}
