// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// Feature is a random feature during sampling, a product of base features:
//
//	∏ letters^power · ∏ forms · ∏ boxes · exp(2πi·phase)
type Feature struct {
	Atoms  []Atom
	forms  []projection.Factor
	boxes  []projection.Box
	phase  projection.Form // the linear form of the phase, in turns
	Phases []*phaseDrawer  // the drawers of the phase's frequencies, in the order of its columns
	err    error           // the first error of a drawer

	Counting bool // drawers append placeholders without weights, because features are only counted
}

func (f *Feature) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// Atom is a power of a letter. A negative power stands for the conjugate of a circleLetter.
type Atom struct {
	letter uint32
	power  int32
}

func (f *Feature) Reset() {
	f.Atoms = f.Atoms[:0]
	if !f.Discrete() || f.err != nil { // usually there are only atoms
		*f = Feature{Atoms: f.Atoms, Counting: f.Counting}
	}
}

// Discrete tells whether the feature is a product of letters only, so that an equal one may be sampled
// again.
func (f *Feature) Discrete() bool {
	return f.forms == nil && f.boxes == nil && f.Phases == nil
}

// A letter is one of finitely many base features of an input. It is a function of one or two columns of a point.
type letter struct {
	kind letterKind
	a, b int     // the columns, b for pairs only
	n    int     // the number of categories
	gain float64 // the factor
}

type letterKind uint8

const (
	binaryLetter     letterKind = iota // x_a = ±1
	coordinateLetter                   // gain·x_a
	circleLetter                       // exp(i·x_a)
	categoryLetter                     // exp(2πi·x_a/n)
	pairLetter                         // gain·(x_a + i·x_b)
	conjugateLetter                    // gain·(x_a − i·x_b): follows its pairLetter
)

// An alphabet is the set of letters of a map's features.
type alphabet struct {
	letters []letter
	index   map[letter]uint32
	vectors map[vectorKey]*projection.Vector
}

// vectorKey identifies a vector by the map or the scheme that computes it and by the columns that it reads.
type vectorKey struct {
	function any
	cols     string
}

// vector returns the vector with the same key if there is one. Otherwise it adds v and returns it.
func (a *alphabet) vector(key vectorKey, v *projection.Vector) *projection.Vector {
	if u, ok := a.vectors[key]; ok {
		return u
	}
	if a.vectors == nil {
		a.vectors = make(map[vectorKey]*projection.Vector)
	}
	a.vectors[key] = v
	return v
}

// letter returns the number of a letter, which it adds if needed.
func (a *alphabet) letter(l letter) uint32 {
	i, ok := a.index[l]
	if !ok {
		if a.index == nil {
			a.index = make(map[letter]uint32)
		}
		i = uint32(len(a.letters))
		a.index[l] = i
		a.letters = append(a.letters, l)
	}
	return i
}

// pair returns the number of the letter gain·(x_a + i·x_b). Its conjugate has the next number.
func (a *alphabet) pair(i, j int, gain float64) uint32 {
	l := letter{kind: pairLetter, a: i, b: j, gain: gain}
	at := a.letter(l)
	if int(at) == len(a.letters)-1 {
		l.kind = conjugateLetter
		a.letter(l)
	}
	return at
}

// Normalize sorts the atoms of a feature by letter, collects powers of a letter, and drops powers that are 1 on
// the base space: z·z̄ on the circle, x² for x = ±1, the n-th power of a category. A feature and its conjugate
// give the same inner products; it always keeps the same one of the two. It tells whether the product of
// letters is real.
func (a *alphabet) Normalize(f *Feature) (isReal bool) {
	sortAtoms(f.Atoms)
	kept := f.Atoms[:0]
	for i := 0; i < len(f.Atoms); {
		letter := f.Atoms[i].letter
		power := int64(0)
		for ; i < len(f.Atoms) && f.Atoms[i].letter == letter; i++ {
			power += int64(f.Atoms[i].power)
		}
		switch l := &a.letters[letter]; l.kind {
		case binaryLetter:
			power %= 2
		case categoryLetter:
			power %= int64(l.n)
		}
		if power != 0 {
			kept = append(kept, Atom{letter, int32(power)})
		}
	}
	f.Atoms = kept
	s := a.sign(f.Atoms)
	if s < 0 {
		a.conjugate(f.Atoms)
	}
	return s == 0
}

// sortAtoms sorts atoms by letter. Usually there are few.
func sortAtoms(atoms []Atom) {
	if len(atoms) > 16 {
		slices.SortFunc(atoms, func(p, q Atom) int { return int(p.letter) - int(q.letter) })
		return
	}
	for i := 1; i < len(atoms); i++ {
		for j := i; j > 0 && atoms[j].letter < atoms[j-1].letter; j-- {
			atoms[j], atoms[j-1] = atoms[j-1], atoms[j]
		}
	}
}

// sign returns 0 if a product of letters is real, and otherwise numbers of opposite signs for it and its conjugate.
func (a *alphabet) sign(atoms []Atom) int {
	for i, t := range atoms {
		s := 0
		switch l := &a.letters[t.letter]; l.kind {
		case circleLetter:
			s = int(t.power)
		case categoryLetter:
			s = l.n - 2*int(t.power)
		case pairLetter:
			s = int(t.power)
			if i+1 < len(atoms) && atoms[i+1].letter == t.letter+1 {
				s -= int(atoms[i+1].power)
			}
		case conjugateLetter:
			if i == 0 || atoms[i-1].letter != t.letter-1 {
				s = -int(t.power)
			}
		}
		if s != 0 {
			return s
		}
	}
	return 0
}

// conjugate replaces a sorted product of letters by its conjugate.
func (a *alphabet) conjugate(atoms []Atom) {
	for i := range atoms {
		t := &atoms[i]
		switch l := &a.letters[t.letter]; l.kind {
		case circleLetter:
			t.power = -t.power
		case categoryLetter:
			t.power = int32(l.n) - t.power
		case pairLetter:
			if i+1 < len(atoms) && atoms[i+1].letter == t.letter+1 {
				t.power, atoms[i+1].power = atoms[i+1].power, t.power
			} else {
				t.letter++
			}
		case conjugateLetter:
			if i == 0 || atoms[i-1].letter != t.letter-1 {
				t.letter--
			}
		}
	}
}

// A drawer multiplies a feature by one random base feature.
type drawer interface {
	draw(f *Feature, s random.Sampler)

	// Complex tells whether this base feature may make the feature complex.
	Complex() bool

	// Support returns all base features that it may sample, as products of letters. ok is false if there are more than
	// most.
	Support(most int) (all FeatureSet, ok bool)
}

// endless is embedded by drawers with infinitely many base features, and by drawers that do not
// list them.
type endless struct{}

func (endless) Complex() bool                         { return false }
func (endless) Support(int) (all FeatureSet, ok bool) { return nil, false }

// A letterDrawer always draws the same letter.
type letterDrawer uint32

func (d letterDrawer) draw(f *Feature, _ random.Sampler) {
	f.Atoms = append(f.Atoms, Atom{uint32(d), 1})
}

func (d letterDrawer) Complex() bool { return false }

func (d letterDrawer) Support(int) (FeatureSet, bool) { return FeatureSet{{{uint32(d), 1}}}, true }

// A signDrawer draws a letter of the circle or its conjugate.
type signDrawer uint32

func (d signDrawer) draw(f *Feature, s random.Sampler) {
	f.Atoms = append(f.Atoms, Atom{uint32(d), int32(s.Rademacher())})
}

func (d signDrawer) Complex() bool { return true }

func (d signDrawer) Support(int) (FeatureSet, bool) {
	return FeatureSet{{{uint32(d), 1}}, {{uint32(d), -1}}}, true
}

// A categoryDrawer draws a power of a categoryLetter, with an exponent that is uniform on 0 … n−1.
type categoryDrawer struct {
	letter uint32
	n      int
}

func (d categoryDrawer) draw(f *Feature, s random.Sampler) {
	if w := s.IntN(d.n); w != 0 {
		f.Atoms = append(f.Atoms, Atom{d.letter, int32(w)})
	}
}

func (d categoryDrawer) Complex() bool { return d.n > 2 }

func (d categoryDrawer) Support(most int) (all FeatureSet, ok bool) {
	if d.n > most {
		return nil, false
	}
	for w := range d.n {
		all = append(all, []Atom{{d.letter, int32(w)}})
	}
	return all, true
}

// A lettersDrawer draws one of its letters, or nothing if it has none.
type lettersDrawer []uint32

func (d lettersDrawer) draw(f *Feature, s random.Sampler) {
	if len(d) > 0 {
		f.Atoms = append(f.Atoms, Atom{d[s.IntN(len(d))], 1})
	}
}

func (d lettersDrawer) Complex() bool { return false }

func (d lettersDrawer) Support(most int) (all FeatureSet, ok bool) {
	for _, l := range d {
		all = append(all, []Atom{{l, 1}})
	}
	if all == nil {
		all = FeatureSet{nil}
	}
	return all, len(all) <= most
}

// A letterPairDrawer draws one of its pairLetters or the conjugate of one.
type letterPairDrawer []uint32

func (d letterPairDrawer) draw(f *Feature, s random.Sampler) {
	at := d[s.IntN(len(d))]
	if s.Rademacher() < 0 {
		at++
	}
	f.Atoms = append(f.Atoms, Atom{at, 1})
}

func (d letterPairDrawer) Complex() bool { return true }

func (d letterPairDrawer) Support(most int) (all FeatureSet, ok bool) {
	for _, l := range d {
		all = append(all, []Atom{{l, 1}}, []Atom{{l + 1, 1}})
	}
	return all, len(all) <= most
}

// A formDrawer draws a linear form with random weights.
type formDrawer struct {
	endless
	cols []uint32
	fill func(w []float64, s random.Sampler)
}

func (d *formDrawer) draw(f *Feature, s random.Sampler) {
	if f.Counting {
		f.forms = append(f.forms, projection.Factor{})
		return
	}
	w := make([]float64, len(d.cols))
	d.fill(w, s)
	for i, v := range w {
		if !(math.Abs(v) <= math.MaxFloat64) {
			f.fail(fmt.Errorf("featuremap: a linear form was drawn with coordinate %d = %v: must be finite", i, v))
		}
	}
	f.forms = append(f.forms, projection.Factor{Re: projection.Form{Cols: d.cols, Weights: w}, Power: 1})
}

// powerDrawer samples from the drawer factor a random number of times, with the distribution law.
type powerDrawer struct {
	endless
	law    power.Drawer
	factor drawer
}

func (d powerDrawer) draw(f *Feature, s random.Sampler) {
	for range d.law(s) {
		d.factor.draw(f, s)
	}
}

// phaseDrawer multiplies by exp(±i·ω·x), where ω is a frequency of a kernel.
type phaseDrawer struct {
	endless
	spectrum spectrum.Spectrum
	cols     []uint32
}

// draw gives the frequency a random sign. Without it E cos(ω·Δ) is the kernel too, but E ∏ e^{iω·Δ} is the
// product of kernels only if E sin(ω·Δ) = 0.
func (d *phaseDrawer) draw(f *Feature, s random.Sampler) {
	if f.Counting {
		f.Phases = append(f.Phases, d)
		return
	}
	w := make([]float64, len(d.cols))
	d.spectrum.Frequency(w, s)
	turn := s.Rademacher() / (2 * math.Pi)
	for i := range w {
		if !(math.Abs(w[i]) <= math.MaxFloat64) {
			f.fail(fmt.Errorf("featuremap: %v drew a frequency with coordinate %d = %v: must be finite", d.spectrum, i, w[i]))
		}
		w[i] *= turn
	}
	at := 0
	for _, p := range f.Phases {
		if p == d { // frequencies of one drawer are on the same columns, and are added up
			for i, v := range w {
				f.phase.Weights[at+i] += v
			}
			return
		}
		at += len(p.cols)
	}
	f.Phases = append(f.Phases, d)
	f.phase.Cols = append(f.phase.Cols, d.cols...)
	f.phase.Weights = append(f.phase.Weights, w...)
}

func (d *phaseDrawer) Complex() bool { return true }

// A boxDrawer draws a random function and multiplies it by scale.
type boxDrawer struct {
	endless
	cols  []uint32
	scale float64
	draws func(s random.Sampler) (func(x []float64) float64, error)
}

func (d boxDrawer) draw(f *Feature, s random.Sampler) {
	if f.Counting {
		f.boxes = append(f.boxes, projection.Box{})
		return
	}
	w, err := d.draws(s)
	if w == nil && err == nil {
		err = errors.New("no function was drawn")
	}
	if err != nil {
		f.fail(fmt.Errorf("featuremap: BlackBox Draw: %w", err))
	}
	if d.scale != 1 {
		unscaled := w
		w = func(x []float64) float64 { return d.scale * unscaled(x) }
	}
	f.boxes = append(f.boxes, projection.Box{Cols: d.cols, Of: w})
}

// vectorDrawer multiplies a random element of a vector, or its first if it is not random, by scale.
type vectorDrawer struct {
	endless
	vector *projection.Vector
	scale  float64
	random bool
}

func (d vectorDrawer) draw(f *Feature, s random.Sampler) {
	box := projection.Box{Cols: d.vector.Cols, Vector: d.vector, Scale: d.scale}
	if d.random && !f.Counting {
		box.Element = s.IntN(d.vector.Len)
	}
	f.boxes = append(f.boxes, box)
}

// indices returns column numbers in the type that projections take.
func indices(cols []int) []uint32 {
	u := make([]uint32, len(cols))
	for i, c := range cols {
		u[i] = uint32(c)
	}
	return u
}

// Clone returns a copy with its own atoms, whose memory the next sample reuses. The other slices are new for each
// sample.
func (f *Feature) Clone() Feature {
	c := *f
	c.Atoms = slices.Clone(f.Atoms)
	return c
}
