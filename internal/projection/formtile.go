// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"encoding/binary"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

const (
	// Forms with fewer than LeastTerms terms, and groups of fewer than leastShared forms of the same coordinates, are
	// computed one by one.
	LeastTerms  = 8
	leastShared = 4
)

// formTile is the linear forms of some monomials that are computed together. Each is the same chain
// of fused multiply-adds as if it were computed alone.
type formTile struct {
	forms  int // in all groups
	groups []formGroup

	// The first forms are phases, of monomials with phase = 0, 1, …. Their cosines and sines are
	// computed together, too.
	phased int
	ones   []float64

	// The features are simple if each is its amplitude times some of the forms, and if all have a
	// phase or none has. The forms of feature i are places[starts[i]:starts[i+1]].
	simple     bool
	starts     []int32
	places     []int32
	amplitudes []float64
}

// formGroup is a group of forms of the same coordinates.
type formGroup struct {
	*Projection
	at   int      // the place of its first form in the tile
	cols []uint32 // the coordinates; nil: all, in their order
}

// formPlace is a form, with the variable that holds its place.
type formPlace struct {
	Form
	place *int
}

// newFormTile sets the places of the forms of features that are computed together.
func newFormTile(t tier.Tier, in int, features []monomial) formTile {
	groups := make(map[string][]formPlace)
	var keys []string // in the order in which they occur
	add := func(f Form, kind byte, place *int) {
		if len(f.Cols) < LeastTerms {
			return
		}
		key := make([]byte, 1, 1+4*len(f.Cols))
		key[0] = kind
		for _, c := range f.Cols {
			key = binary.LittleEndian.AppendUint32(key, c)
		}
		if groups[string(key)] == nil {
			keys = append(keys, string(key))
		}
		groups[string(key)] = append(groups[string(key)], formPlace{f, place})
	}
	const phases, factors = 0, 1
	for i := range features {
		f := &features[i]
		add(f.Phase, phases, &f.phase)
		for j := range f.powers {
			p := &f.powers[j]
			add(p.Re, factors, &p.re)
			add(p.Im, factors, &p.im)
		}
	}
	var tile formTile
	for _, kind := range []byte{phases, factors} {
		for _, key := range keys {
			forms := groups[key]
			if key[0] != kind || len(forms) < leastShared || kind == phases && tile.phased > 0 {
				continue
			}
			tile.add(t, in, forms)
			if kind == phases {
				tile.phased = len(forms)
			}
		}
	}
	for range tile.phased {
		tile.ones = append(tile.ones, 1)
	}
	tile.simplify(features)
	return tile
}

// simplify sets what simple features need.
func (t *formTile) simplify(features []monomial) {
	t.simple = t.phased == 0 || t.phased == len(features)
	t.starts = append(t.starts, 0)
	for _, f := range features {
		phase := len(f.Phase.Cols) > 0
		t.simple = t.simple && phase == (f.phase >= 0) && len(f.Boxes) == 0
		for _, p := range f.powers {
			t.simple = t.simple && p.kind == realPower && p.Power == 1 && p.re >= 0
			t.places = append(t.places, int32(p.re))
		}
		t.starts = append(t.starts, int32(len(t.places)))
		t.amplitudes = append(t.amplitudes, f.Amplitude)
	}
}

// add adds a group of forms.
func (t *formTile) add(on tier.Tier, in int, forms []formPlace) {
	g := formGroup{at: t.forms, cols: forms[0].Cols}
	if len(g.cols) == in {
		all := true
		for i, c := range g.cols {
			all = all && int(c) == i
		}
		if all {
			g.cols = nil
		}
	}
	g.Projection = NewIn(on, len(forms), len(forms[0].Cols), Store, 1)
	for i, f := range forms {
		g.Set(i, f.Weights, 0)
		*f.place = g.at + i
	}
	t.groups = append(t.groups, g)
	t.forms += len(forms)
}

// compute sets b.v[0] to the values of the forms at the rows of x, row by row.
func (t *formTile) compute(x blas64.General, b *stackBuffer) {
	b.v[0] = grown(b.v[0], x.Rows*t.forms)
	v := blas64.General{Rows: x.Rows, Cols: t.forms, Stride: t.forms, Data: b.v[0]}
	for _, g := range t.groups {
		from, of := x, v
		if g.cols != nil {
			b.before = grown(b.before, x.Rows*len(g.cols))
			from = blas64.General{Rows: x.Rows, Cols: len(g.cols), Stride: len(g.cols), Data: b.before}
			for r := range x.Rows {
				row := x.Data[r*x.Stride:]
				for i, c := range g.cols {
					from.Data[r*from.Stride+i] = row[c]
				}
			}
		}
		of.Data = of.Data[g.at:]
		g.block(of, from, 0, g.panels(), b.buf)
	}
}

// phases sets b.v[1] to the cosines and sines of the phases: for each row all cosines, then all sines.
func (t *formTile) phases(m *Monomials, rows int, b *stackBuffer) {
	n := t.phased
	b.v[1] = grown(b.v[1], 2*n*rows)
	for r := range rows {
		o := outputs{n: n, v: b.v[0][r*t.forms:], scale: t.ones, bias: noBias[:], dst: b.v[1][2*n*r:], sin: n}
		o.computeVec(m.tier, &m.table)
	}
}
