// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/probe"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// A mapDocument is a map as it is saved: one of Plan with Sampler, FourierFrom and DataDependent.
type mapDocument struct {
	Plan          *planDocument     `save:"plan,omitempty"`
	Sampler       *samplerDocument  `save:"sampler,omitempty"`
	FourierFrom   *givenDocument    `save:"fourierFrom,omitempty"`
	DataDependent *deformedDocument `save:"dataDependent,omitempty"`
	Features      int               `save:"features"` // their number
	Probe         probeDocument     `save:"probe"`
}

// A samplerDocument is the sampler that a map was drawn from: its state, and how many times it is split for each term.
type samplerDocument struct {
	State  string `save:"state"`
	Splits int    `save:"splits"`
}

// A givenDocument is a map of NewFourierFrom.
type givenDocument struct {
	Kernel      Kernel     `save:"kernel"`
	Frequencies mat.Matrix `save:"frequencies"`
	Phases      []float64  `save:"phases,omitempty"`
}

// A deformedDocument is a DataDependent: its points are not saved.
type deformedDocument struct {
	Base   FeatureMap `save:"base"`
	Points int        `save:"points"` // their number
	Alpha  float64    `save:"alpha"`
	Power  int        `save:"power"`
	Root   mat.Matrix `save:"root,omitempty"`
}

// A probeDocument tells the features of some points: by the SHA-256 of their bits, and by sums of them with random
// signs, one for each point.
type probeDocument struct {
	SHA256 string    `save:"sha256"`
	Sums   []float64 `save:"sums"`
}

// mapped returns a map as it is saved.
func (s *saver) mapped(m FeatureMap) any {
	if s.err != nil {
		return nil
	}
	var d mapDocument
	switch of := ownMap(m).(type) {
	case *DataDependent:
		s.deformed(&d, of)
	case interface{ common() *compiled }:
		s.drawn(&d, of.common())
	default:
		return s.fail("a %T cannot be saved: it is no map of this package", m)
	}
	if s.err != nil {
		return nil
	}
	_, d.Features = m.Dims()
	d.Probe = probeOf(m)
	return s.value(reflect.ValueOf(d))
}

// ownMap returns m if it is a map of the package, and else nil: a caller's type that embeds one may be another map.
func ownMap(m FeatureMap) FeatureMap {
	if isNil(m) || !isOwn(m) {
		return nil
	}
	return m
}

func (s *saver) drawn(d *mapDocument, c *compiled) {
	if c.plan == nil {
		s.fail("a zero value, which is no map, cannot be saved")
		return
	}
	if c.plan.given {
		of := c.plan.blocks[0].recipe.(*fourierRecipe).given
		d.FourierFrom = &givenDocument{c.plan.kernel, of.frequencies, of.phases}
		return
	}
	plan := s.plan(c.plan)
	d.Plan = &plan
	state, err := c.from.sampler.src.MarshalBinary()
	if err != nil {
		s.fail("%w", err)
	}
	d.Sampler = &samplerDocument{hex.EncodeToString(state), c.from.splits}
}

func (s *saver) deformed(d *mapDocument, m *DataDependent) {
	if m.base == nil {
		s.fail("a zero value, which is no map, cannot be saved")
		return
	}
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

// mapped makes the map of a document.
func (l *loader) mapped(v any) (FeatureMap, error) {
	var d mapDocument
	callers := l.callers
	l.callers = false
	if err := l.fields(reflect.ValueOf(&d).Elem(), v); err != nil {
		return nil, err
	}
	m, err := l.made(&d)
	if err != nil {
		return nil, err
	}
	if _, out := m.Dims(); out != d.Features {
		return nil, refused("the map has %d features, not %d", out, d.Features)
	}
	if got := probeOf(m); got.SHA256 != d.Probe.SHA256 && !(l.callers && nearly(got.Sums, d.Probe.Sums)) {
		return nil, refused("the features are not those of the map that was saved")
	}
	l.callers = l.callers || callers
	return m, nil
}

// nearly tells whether sums of features with a type of a caller's are the same to 1e-9.
func nearly(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if v == b[i] || math.IsNaN(v) && math.IsNaN(b[i]) {
			continue
		}
		if !(math.Abs(v-b[i]) <= 1e-9*max(math.Abs(v), math.Abs(b[i]), 1)) {
			return false
		}
	}
	return true
}

// made makes the map of a document, whatever its features are.
func (l *loader) made(d *mapDocument) (FeatureMap, error) {
	kinds := 0
	for _, is := range []bool{d.Plan != nil, d.FourierFrom != nil, d.DataDependent != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1 || (d.Plan != nil) != (d.Sampler != nil):
		return nil, refused("a map has a plan and a sampler, or fourierFrom, or dataDependent")
	case d.FourierFrom != nil:
		g := d.FourierFrom
		if g.Frequencies == nil {
			return nil, refused("fourierFrom has no frequencies")
		}
		n, in := g.Frequencies.Dims()
		if err := l.budget.take(3*8*float64(n)*float64(in+24), 0); err != nil {
			return nil, err
		}
		return NewFourierFrom(g.Kernel, g.Frequencies, g.Phases)
	case d.DataDependent != nil:
		return l.deformed(d.DataDependent)
	}
	p, err := l.plan(d.Plan, false)
	if err != nil {
		return nil, err
	}
	from := start{splits: d.Sampler.Splits}
	if from.splits != p.splits() && !(from.splits == 0 && p.constructed()) {
		return nil, refused("a sampler that is split %d times", from.splits)
	}
	s, err := samplerOf(d.Sampler.State)
	if err != nil {
		return nil, err
	}
	from.sampler = *s
	if err := l.budget.take(0, p.work()); err != nil {
		return nil, err
	}
	return p.build(from, l.budget)
}

// deformed makes a DataDependent.
func (l *loader) deformed(d *deformedDocument) (FeatureMap, error) {
	o := DataDependentOptions{Alpha: d.Alpha, Power: d.Power}
	m := &DataDependent{base: d.Base, points: d.Points, opts: o}
	if isNil(m.base) || d.Points < 1 || !(d.Alpha >= 0 && d.Alpha <= math.MaxFloat64) || d.Power < 1 || d.Power > maxPower {
		return nil, refused("a DataDependent of %d points with alpha %v and power %d", d.Points, d.Alpha, d.Power)
	}
	m.in, m.out = m.base.Dims()
	m.kernel = m.base.Kernel()
	if (d.Root == nil) != (d.Alpha == 0) {
		return nil, refused("a DataDependent with alpha = %v must have a root if that is not 0", d.Alpha)
	}
	if d.Root == nil {
		return m, nil
	}
	if r, c := d.Root.Dims(); r != m.out || c != m.out {
		return nil, refused("a DataDependent of %d features with a root of %d×%d", m.out, r, c)
	}
	if err := validateFinite("root", d.Root, 0); err != nil {
		return nil, err
	}
	if err := l.budget.take(2*8*float64(m.out)*float64(m.out), 0); err != nil {
		return nil, err
	}
	m.setRoot(d.Root)
	m.kernel = FromMap(m)
	return m, nil
}

// setRoot compiles φ ↦ Rφ.
func (m *DataDependent) setRoot(r mat.Matrix) {
	p := projection.New(m.out, m.out, projection.Store, 1)
	row := make([]float64, m.out)
	for i := range m.out {
		p.Set(i, mat.Row(row, i, r), 0)
	}
	m.matrix, m.root = p, p.Stack()
}

// rootMatrix returns R.
func (m *DataDependent) rootMatrix() *mat.Dense {
	r := mat.NewDense(m.out, m.out, nil)
	for i := range m.out {
		m.matrix.Form(r.RawRowView(i), i)
	}
	return r
}

// MarshalJSON returns the map as JSON that a person can read, with all numbers in it: see Encode for what is saved, and
// what cannot be. Unlike Encode it does not read it again to compare.
func (m *compiled) MarshalJSON() ([]byte, error) {
	s := &saver{}
	return s.json(s.mapped(m))
}

// MarshalBinary returns what Encode writes.
func (m *compiled) MarshalBinary() ([]byte, error) { return encode(m) }

// MarshalJSON returns the map as JSON that a person can read, with all numbers in it: see Encode for what is saved, and
// what cannot be. Unlike Encode it does not read it again to compare.
func (m *DataDependent) MarshalJSON() ([]byte, error) {
	s := &saver{}
	return s.json(s.mapped(m))
}

// MarshalBinary returns what Encode writes.
func (m *DataDependent) MarshalBinary() ([]byte, error) { return encode(m) }

// errImmutable is for reading into a map that is one already.
var errImmutable = errors.New("featuremap: a map is immutable, and can be read into a zero value only")

// readJSON reads a map of a type from JSON, if m is a zero value.
func readJSON[M FeatureMap](m M, document []byte) (of M, err error) {
	if in, _ := m.Dims(); in != 0 {
		return of, errImmutable
	}
	v, err := parse(document)
	if err != nil {
		return of, err
	}
	l := &loader{budget: newBudget(nil)}
	read, err := l.mapped(v)
	if err != nil {
		return of, err
	}
	return typed[M](read)
}

// readBinary reads a map of a type from a file, if m is a zero value.
func readBinary[M FeatureMap](m M, file []byte) (of M, err error) {
	if in, _ := m.Dims(); in != 0 {
		return of, errImmutable
	}
	read, err := decode(bytes.NewReader(file), nil)
	if err != nil {
		return of, err
	}
	return typed[M](read)
}

func typed[M FeatureMap](m FeatureMap) (M, error) {
	of, ok := m.(M)
	if !ok {
		return of, refused("it is a %T, not a %T", m, of)
	}
	return of, nil
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Fourier) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Fourier) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Maclaurin) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Maclaurin) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Neurons) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Neurons) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Compositional) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *Compositional) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		*m = *of
	}
	return err
}

// UnmarshalJSON makes a zero value the map that MarshalJSON has saved. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *DataDependent) UnmarshalJSON(document []byte) error {
	of, err := readJSON(m, document)
	if err == nil {
		m.become(of)
	}
	return err
}

// UnmarshalBinary makes a zero value the map that MarshalBinary or Encode has saved, as Decode without options does. It returns an error, and leaves m as it
// was, if m is not a zero value, and where Decode does, or if the map is of another type.
func (m *DataDependent) UnmarshalBinary(file []byte) error {
	of, err := readBinary(m, file)
	if err == nil {
		m.become(of)
	}
	return err
}

// become makes a zero value another map.
func (m *DataDependent) become(of *DataDependent) {
	m.base, m.in, m.out, m.kernel, m.points, m.opts = of.base, of.in, of.out, of.kernel, of.points, of.opts
	m.matrix, m.root = of.matrix, of.root
	if of.root != nil {
		m.kernel = FromMap(m)
	}
}
