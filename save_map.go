// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"encoding/hex"
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/probe"
	"gonum.org/v1/gonum/mat"
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
	if isNil(m) {
		return s.fail("map m = nil")
	}
	of, ok := m.(documented)
	if !ok || !isOwn(m) { // a caller's type that embeds a map may be another one
		return s.fail("a %T cannot be saved: it is no map of this package", m)
	}
	if in, _ := m.Dims(); in == 0 {
		return s.fail("a zero value, which is no map, cannot be saved")
	}
	var d mapDocument
	if of.document(s, &d); s.err != nil {
		return nil
	}
	_, d.Features = m.Dims()
	d.Probe = probeOf(m)
	return s.value(reflect.ValueOf(d))
}

// A documented map is one of this package.
type documented interface {
	document(s *saver, d *mapDocument)
}

// document sets what the map is drawn from.
func (m *compiled) document(s *saver, d *mapDocument) {
	if m.plan.given {
		of := m.plan.blocks[0].recipe.(*fourierRecipe).given
		d.FourierFrom = &givenDocument{m.plan.kernel, of.frequencies, of.phases}
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

// document sets what the map is made of.
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

// MarshalJSON returns the map as JSON that a person can read, with all numbers in it: see Encode for what is saved, and
// what cannot be. Unlike Encode it does not read it again to compare.
func (m compiled) MarshalJSON() ([]byte, error) { // of a value too, which would marshal as {}
	s := &saver{}
	return s.json(s.mapped(&m))
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
