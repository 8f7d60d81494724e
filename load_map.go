// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"reflect"
	"slices"
)

// mapped makes the map of a document.
func (l *loader) mapped(v any) (FeatureMap, error) {
	if l.nested++; l.nested > maxNested {
		return nil, refused("maps are nested more than %d deep", maxNested)
	}
	defer func() { l.nested-- }()
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
	got := probeOf(m)
	same := got.SHA256 == d.Probe.SHA256 && slices.EqualFunc(got.Sums, d.Probe.Sums, sameNumber)
	if !same && !(l.callers && nearly(got.Sums, d.Probe.Sums)) {
		return nil, refused("the features are not those of the map that was saved")
	}
	l.callers = l.callers || callers
	return m, nil
}

// maxNested is how deep maps may be nested by FromMap and DataDependent. The features of each are compared.
const maxNested = 32

// sameNumber tells whether two numbers are equal, or both NaN.
func sameNumber(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// nearly tells whether sums of features with a type of a caller's are the same to 1e-9.
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
