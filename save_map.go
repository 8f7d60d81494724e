// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/nystrom"
	"github.com/seed-0f95ebc1/featuremap/internal/probe"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// A mapDocument is the saved form of a map: Plan and Sampler, or FourierFrom, or DataDependent, or Nystrom, or
// Registered.
type mapDocument struct {
	Plan          *planDocument       `save:"plan,omitempty"`
	Sampler       *samplerDocument    `save:"sampler,omitempty"`
	FourierFrom   *givenDocument      `save:"fourierFrom,omitempty"`
	DataDependent *deformedDocument   `save:"dataDependent,omitempty"`
	Nystrom       *nystromDocument    `save:"nystrom,omitempty"`
	Registered    *registeredDocument `save:"registered,omitempty"`
	Features      int                 `save:"features"` // the number of features
	Probe         probeDocument       `save:"probe"`
}

// A samplerDocument is the start of a map: the state of a sampler, and the number of splits that lead to each
// segment's.
type samplerDocument struct {
	State  string `save:"state"`
	Splits int    `save:"splits"`
}

// A deformedDocument is the saved form of a DataDependent, without its points.
type deformedDocument struct {
	Base   FeatureMap `save:"base"`
	Points int        `save:"points"` // the number of points
	Alpha  float64    `save:"alpha"`
	Power  int        `save:"power"`
	Root   mat.Matrix `save:"root,omitempty"`
}

// A nystromDocument is the saved form of a Nystrom. Its factor is made again.
type nystromDocument struct {
	Kernel    Kernel     `save:"kernel"`
	Landmarks mat.Matrix `save:"landmarks"`
	Pivots    bool       `save:"pivots,omitempty"` // landmarks are in the order of pivots
}

// A probeDocument tells what the features of some fixed points are: the SHA-256 of their bits, and for each point the
// sum of its features with random signs.
type probeDocument struct {
	SHA256 string    `save:"sha256"`
	Sums   []float64 `save:"sums"`
}

// mapped returns a map as a JSON value.
func (s *saver) mapped(m FeatureMap) any {
	if s.err != nil {
		return nil
	}
	if check.IsNil(m) {
		return s.fail("map m = nil")
	}
	own, ok := m.(documented)
	if !ok || !check.Own(m) { // a caller's type that embeds a map may be another one
		own, ok = asRegistered(m)
	}
	if !ok {
		return s.fail("a %T cannot be saved: it is no map of this package, and its type is not registered", m)
	}
	if in, _ := m.Dims(); in == 0 {
		return s.fail("a zero value, which is no map, cannot be saved")
	}
	var d mapDocument
	if own.document(s, &d); s.err != nil {
		return nil
	}
	_, d.Features = m.Dims()
	d.Probe = probeOf(m)
	return s.value(reflect.ValueOf(d))
}

// A documented map is one that can be saved. document sets the field of d for its kind of map.
type documented interface {
	document(s *saver, d *mapDocument)
}

// document sets the plan and the sampler that the map is drawn from, or the weights that were given.
func (m *compiled) document(s *saver, d *mapDocument) {
	if given, ok := m.plan.engine.Segments[0].Document().(fourier.GivenWaves); ok {
		d.FourierFrom = &givenDocument{m.plan.Kernel(), given.Rows, given.Radians}
		return
	}
	plan := s.plan(m.plan)
	d.Plan = &plan
	state, err := m.from.sampler.src.MarshalBinary()
	if err != nil {
		s.fail("%w", err)
	}
	d.Sampler = &samplerDocument{hex.EncodeToString(state), m.from.splits}
}

// document sets the base map, the options and the root.
func (m *DataDependent) document(_ *saver, d *mapDocument) {
	d.DataDependent = &deformedDocument{Base: m.base, Points: m.points, Alpha: m.opts.Alpha, Power: m.opts.Power}
	if m.root != nil {
		d.DataDependent.Root = m.rootMatrix()
	}
}

// probeOf returns the probe of a map.
func probeOf(m FeatureMap) probeDocument {
	z := probe.Features(m)
	sum := probe.Sum(z)
	return probeDocument{hex.EncodeToString(sum[:]), probe.Sums(z)}
}

// mapped makes the map of a document, and refuses it if its features differ from the saved ones.
func (l *loader) mapped(v any) (FeatureMap, error) {
	if l.nested++; l.nested > maxNested {
		return nil, document.Refused("maps are nested more than %d deep", maxNested)
	}
	defer func() { l.nested-- }()
	var d mapDocument
	callers := l.callers
	l.callers = false
	if err := l.fields(v, reflect.ValueOf(&d).Elem()); err != nil {
		return nil, err
	}
	m, err := l.made(&d)
	if err != nil {
		return nil, err
	}
	if _, out := m.Dims(); out != d.Features {
		return nil, document.Under("features", document.Refused("the map has %d features, not %d", out, d.Features))
	}
	got := probeOf(m)
	same := got.SHA256 == d.Probe.SHA256 && slices.EqualFunc(got.Sums, d.Probe.Sums, sameNumber)
	if !same && !(l.callers && nearly(got.Sums, d.Probe.Sums)) {
		return nil, document.Under("probe", document.Refused("the features are not those of the map that was saved"))
	}
	l.callers = l.callers || callers
	return m, nil
}

// maxNested is how deep maps may be nested by FromMap and DataDependent. Each of them takes time for its probe.
const maxNested = 32

// sameNumber tells whether two numbers are equal, or both NaN.
func sameNumber(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// nearly tells whether the sums of two probes are equal to 1e-9, which is enough if a caller's type takes part.
func nearly(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if sameNumber(v, b[i]) {
			continue
		}
		if !(math.Abs(v-b[i]) <= 1e-9*max(math.Abs(v), math.Abs(b[i]), 1)) {
			return false
		}
	}
	return true
}

// made makes the map of a document, without checking its features.
func (l *loader) made(d *mapDocument) (FeatureMap, error) {
	kinds := 0
	for _, is := range []bool{d.Plan != nil, d.FourierFrom != nil, d.DataDependent != nil, d.Nystrom != nil, d.Registered != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1 || (d.Plan != nil) != (d.Sampler != nil):
		return nil, document.Refused("a map has a plan and a sampler, or fourierFrom, or dataDependent, or nystrom, or registered")
	case d.FourierFrom != nil:
		g := d.FourierFrom
		if g.Frequencies == nil {
			return nil, document.Under("fourierFrom", document.Refused("there are no frequencies"))
		}
		n, in := g.Frequencies.Dims()
		if err := l.take(3*8*float64(n)*float64(in+24), 0); err != nil {
			return nil, err
		}
		if _, err := l.weigh(g.Kernel, float64(in), ""); err != nil {
			return nil, err
		}
		m, err := NewFourierFrom(g.Kernel, g.Frequencies, g.Phases)
		if err != nil {
			return nil, document.Under("fourierFrom", err)
		}
		return m, nil
	case d.DataDependent != nil:
		m, err := l.deformed(d.DataDependent)
		return m, document.Under("dataDependent", err)
	case d.Nystrom != nil:
		m, err := l.nystrom(d.Nystrom)
		return m, document.Under("nystrom", err)
	case d.Registered != nil:
		m, err := l.registered(d.Registered)
		return m, document.Under("registered", err)
	}
	p, err := l.plan(d.Plan)
	if err != nil {
		return nil, document.Under("plan", err)
	}
	from := start{splits: d.Sampler.Splits}
	if from.splits != p.splits() && !(from.splits == 0 && p.engine.Constructed()) {
		return nil, document.Under("sampler", document.Under("splits", document.Refused("a sampler that is split %d times", from.splits)))
	}
	s, err := samplerOf(d.Sampler.State)
	if err != nil {
		return nil, document.Under("sampler", document.Under("state", err))
	}
	from.sampler = *s
	m, err := p.build(from, l.bytes)
	if errors.Is(err, recipe.ErrMemory) {
		err = l.beyond(err)
	}
	return m, err
}

// document sets the plan and the sampler of the base, and the kernel with its SymLog.
func (m *symLogMap) document(s *saver, d *mapDocument) {
	m.base.(documented).document(s, d)
	if d.Plan != nil {
		d.Plan.Kernel = m.Kernel()
	}
}

// deformed makes a DataDependent.
func (l *loader) deformed(d *deformedDocument) (FeatureMap, error) {
	o := DataDependentOptions{Alpha: d.Alpha, Power: d.Power}
	m := &DataDependent{base: d.Base, points: d.Points, opts: o}
	if check.IsNil(m.base) || d.Points < 1 || !(d.Alpha >= 0 && d.Alpha <= math.MaxFloat64) || d.Power < 1 || d.Power > maxPower {
		return nil, document.Refused("a DataDependent of %d points with alpha %v and power %d", d.Points, d.Alpha, d.Power)
	}
	m.in, m.out = m.base.Dims()
	m.kernel = m.base.Kernel()
	if (d.Root == nil) != (d.Alpha == 0) {
		return nil, document.Refused("a DataDependent with alpha = %v must have a root if that is not 0", d.Alpha)
	}
	if d.Root == nil {
		return m, nil
	}
	if r, c := d.Root.Dims(); r != m.out || c != m.out {
		return nil, document.Refused("a DataDependent of %d features with a root of %d×%d", m.out, r, c)
	}
	if err := check.Finite("root", d.Root, 0); err != nil {
		return nil, err
	}
	if err := l.take(2*8*float64(m.out)*float64(m.out), 0); err != nil {
		return nil, err
	}
	m.setRoot(d.Root)
	m.kernel = FromMap(m)
	return m, nil
}

// document sets the parts that the map is made of.
func (m *Nystrom) document(_ *saver, d *mapDocument) {
	d.Nystrom = &nystromDocument{m.kernel, m.set.Dense(), m.set.Pivots}
}

// nystrom makes a Nystrom map.
func (l *loader) nystrom(d *nystromDocument) (FeatureMap, error) {
	if d.Landmarks == nil {
		return nil, document.Refused("there are no landmarks")
	}
	n, in := d.Landmarks.Dims()
	w, err := l.weigh(d.Kernel, float64(in), "")
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(validateSizes(d.Kernel, in, n), validateTerms(d.Kernel, in)); err != nil {
		return nil, err
	}
	if err := check.Finite("landmarks", d.Landmarks, 0); err != nil {
		return nil, err
	}
	// Twice the cost of a simple kernel's matrix and its factor is free.
	const number, product = 32, 1. / 8 // of a base, when it is evaluated; of coordinates and features, by tiles
	rows := float64(n)
	steps := rows*rows*(number*w.size+product*(w.rows+w.features)) + rows*product*w.products
	free := 2 * rows * rows * (number + product*(rows/3+float64(in)))
	if err := l.take(8*(4*rows*rows+rows*(w.rows+w.features)), steps-free); err != nil {
		return nil, err
	}
	m := &Nystrom{kernel: d.Kernel, in: in, set: nystrom.Set{Program: compileGram(d.Kernel, in)}}
	if err := m.set.FactorizeSaved(mat.DenseCopyOf(d.Landmarks), d.Pivots); err != nil {
		return nil, err
	}
	m.factorized()
	l.callers = l.callers || m.set.Program.Evaluated > 0 // no promise of bits
	return m, nil
}
