// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// A planDocument is a plan as it is saved: docs/saving.md describes its JSON.
type planDocument struct {
	Kernel    Kernel            `save:"kernel"`
	In        int               `save:"in"`
	Out       int               `save:"out"`
	RMSE      *float64          `save:"rmse,omitempty"`
	ForPoints bool              `save:"forPoints,omitempty"` // it was made for given points, which are not saved
	Maps      []segmentDocument `save:"maps,omitempty"`      // if there are none, NewPlan makes the plan
}

// A segmentDocument is a segment as it is saved: one object with the fields of three structs.
type segmentDocument struct {
	segmentPlace
	recipe recipeDocument // nil if the kind of map is unknown
	segmentErrors

	stray error // refuses a field that was read, is not zero, and belongs to another kind of map
}

// A segmentPlace says what a segment maps, and by which kind of map.
type segmentPlace struct {
	// Terms has the number of a term in the kernel's canonical form, or the numbers of several stationary terms that are
	// mapped as their mixture. It is empty if a constructor made the map, for the whole kernel.
	Terms []int `save:"terms,omitempty"`
	Split bool  `save:"split,omitempty"` // exponentials are terms of their own

	// Side is the side of the exponential that the term is written as, and Centre the point that is subtracted first.
	Side   string    `save:"side,omitempty"`
	Centre []float64 `save:"centre,omitempty"`

	Map     string `save:"map"` // the kind of map
	Columns int    `save:"columns"`
}

// segmentErrors are the predictions of the plan for a segment.
type segmentErrors struct {
	SquaredError *float64 `save:"squaredError,omitempty"`
	MaxNorm      *float64 `save:"reach,omitempty"`     // files keep its former name
	ExactWith    int      `save:"exactWith,omitempty"` // the number of columns that would make it exact
}

// kindOf returns the name of the kind of map whose recipes have documents of this type, or "".
func kindOf(document any) string {
	for _, k := range kinds {
		if reflect.TypeOf(k.document) == reflect.TypeOf(document) {
			return k.name
		}
	}
	return ""
}

// parts returns the structs whose fields make up the document.
func (d *segmentDocument) parts() []reflect.Value {
	parts := []reflect.Value{reflect.ValueOf(&d.segmentPlace).Elem(), reflect.ValueOf(d.recipe), reflect.ValueOf(&d.segmentErrors).Elem()}
	if d.recipe == nil {
		return slices.Delete(parts, 1, 2)
	}
	return parts
}

// save returns the document as a JSON value.
func (d segmentDocument) save(s *saver) any {
	var all object
	for _, part := range d.parts() {
		all = append(all, s.fields(part).(object)...)
	}
	return all
}

// plan returns the document of a plan.
func (s *saver) plan(p *Plan) planDocument {
	_, out := p.Dims()
	d := planDocument{Kernel: p.kernel, In: p.in, Out: out}
	if !p.constructed() {
		rmse := p.RMSE()
		d.RMSE = &rmse
		d.ForPoints = p.forPoints
	}
	for _, b := range p.segments {
		d.Maps = append(d.Maps, s.segment(b))
	}
	return d
}

func (s *saver) segment(b segment) segmentDocument {
	var d segmentDocument
	d.Terms, d.Split, d.Side, d.Columns = b.from.terms, b.from.split, b.side, b.shape().columns
	if b.side == sideDot || b.side == sideCentred {
		d.Centre = b.warp.centre
	}
	if b.from.terms != nil {
		squaredError, maxNorm := b.squaredError, b.maxNorm
		d.SquaredError, d.MaxNorm, d.ExactWith = &squaredError, &maxNorm, b.exactWith
	}
	document := b.document()
	if d.Map = kindOf(document); d.Map == "" {
		s.fail("a %T cannot be saved", b.recipe)
		return d
	}
	d.recipe = document.(recipeDocument)
	return d
}

// MarshalJSON returns the plan as JSON, which a person can read and write: docs/saving.md describes it. The points that
// a plan was made for and the maps that were not chosen are not part of it.
//
// It returns an error if the kernel has a part that cannot be saved: see Encode.
func (p Plan) MarshalJSON() ([]byte, error) { // the receiver is no pointer, so that a value is not saved as {}
	if p.kernel == nil {
		return nil, errors.New("featuremap: the zero Plan cannot be saved")
	}
	s := &saver{}
	return s.json(s.value(reflect.ValueOf(s.plan(&p))))
}

// MarshalBinary returns the plan as a file. See MarshalJSON for what it holds. It also returns an error if UnmarshalBinary
// would refuse it, for instance since it is beyond the limits of Decode without options.
func (p *Plan) MarshalBinary() ([]byte, error) {
	if p.kernel == nil {
		return nil, errors.New("featuremap: the zero Plan cannot be saved")
	}
	s := &saver{data: new([][]float64)}
	b, err := s.file(planFile, s.value(reflect.ValueOf(s.plan(p))))
	if err != nil {
		return nil, err
	}
	if err := new(Plan).UnmarshalBinary(b); err != nil {
		return nil, fmt.Errorf("featuremap: the plan cannot be saved: UnmarshalBinary would refuse it: %w", err)
	}
	return b, nil
}

// UnmarshalJSON makes a zero value the plan that MarshalJSON has saved, or one that was written by hand: see
// docs/saving.md. Where this has a kernel, in and out but no maps, it is the plan of NewPlan without points.
//
// It returns an error, and leaves p as it was, if p is not a zero value, if data is no such plan, as when a term of the kernel
// has no map or two, if a constructor refuses what it describes, or if it takes more memory or work than Decode allows
// without options. It ignores null, as encoding/json asks for.
func (p *Plan) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	v, err := parse(data)
	if err != nil {
		return err
	}
	return p.load(&loader{budget: newBudget(nil, noOptions)}, v, true)
}

// UnmarshalBinary makes a zero value the plan that MarshalBinary has saved. It returns an error, and leaves p as it was,
// where UnmarshalJSON does, and if data was changed.
func (p *Plan) UnmarshalBinary(data []byte) error {
	l := &loader{budget: newBudget(nil, noOptions)}
	v, err := l.file(planFile, bytes.NewReader(data))
	if err != nil {
		return err
	}
	return p.load(l, v, false)
}

func (p *Plan) load(l *loader, v any, byHand bool) error {
	if p.kernel != nil {
		return errors.New("featuremap: a plan is immutable, and can be read into a zero value only")
	}
	var d planDocument
	if err := l.fields(reflect.ValueOf(&d).Elem(), v); err != nil {
		return err
	}
	loaded, err := l.plan(&d, byHand)
	if err != nil {
		return err
	}
	if err := l.done(); err != nil {
		return err
	}
	*p = *loaded
	return nil
}

// plan makes the plan of a document.
func (l *loader) plan(d *planDocument, byHand bool) (*Plan, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	if len(d.Maps) == 0 {
		if !byHand {
			return nil, refused("the plan has no maps")
		}
		o := &PlanOptions{}
		if d.RMSE != nil {
			o.RMSE = *d.RMSE
		}
		f, err := validateWithin(d.Kernel, d.In, 1, l.budget)
		if err == nil {
			err = l.budget.take(0, f.planWork(d.In, d.Out))
		}
		if err != nil {
			return nil, err
		}
		return NewPlan(d.Kernel, d.In, d.Out, o)
	}
	if err := l.budget.take(64*(max(float64(d.In), 0)+max(float64(d.Out), 0)), 0); err != nil {
		return nil, err
	}
	f, err := validateWithin(d.Kernel, d.In, d.Out, l.budget)
	if err != nil {
		return nil, err
	}
	var p *Plan
	if len(d.Maps[0].Terms) == 0 {
		if len(d.Maps) > 1 {
			return nil, under("maps", refused("there are %d, and the first is one of the whole kernel, which must be the only one", len(d.Maps)))
		}
		m := d.Maps[0]
		r, err := l.recipe(m, request{form: f, whole: true, in: d.In})
		if err == nil && r == nil {
			err = refused("%s has no map %.40q of its own", source(d.Kernel), m.Map)
		}
		if err != nil {
			return nil, under("maps", at(0, err))
		}
		p = recipePlan(d.Kernel, r)
	} else if p, err = l.planned(f, d); err != nil {
		return nil, err
	}
	if _, out := p.Dims(); out != d.Out {
		return nil, refused("the maps have %d columns, not out = %d", out, d.Out)
	}
	return p, unused(d, p)
}

// validate refuses numbers that no plan has, whatever its kernel is.
func (d *planDocument) validate() error {
	if d.ForPoints && len(d.Maps) == 0 {
		return under("forPoints", refused("forPoints = true: must be false in a plan without maps, since points are not saved"))
	}
	if len(d.Maps) > 0 { // otherwise NewPlan validates it
		if err := unlessNegative("rmse", d.RMSE); err != nil {
			return err
		}
	}
	for i, m := range d.Maps {
		err := cmp.Or(unlessNegative("squaredError", m.SquaredError), unlessNegative("reach", m.MaxNorm))
		switch {
		case err != nil:
		case m.Columns < 1:
			err = under("columns", refused("columns = %d: must be at least 1", m.Columns))
		case m.ExactWith < 0:
			err = under("exactWith", refused("exactWith = %d: must be at least 0", m.ExactWith))
		}
		if err != nil {
			return under("maps", at(i, err))
		}
	}
	return nil
}

// unlessNegative refuses a number below 0. NaN stands for an unknown number.
func unlessNegative(name string, v *float64) error {
	if v == nil || !(*v < 0) {
		return nil
	}
	return under(name, refused("%s = %v: must be at least 0, or \"NaN\"", name, *v))
}

// unused refuses fields of a document that have no meaning for its plan, such as the draws of a Fourier map.
func unused(d *planDocument, p *Plan) error {
	var s saver
	is := s.plan(p)
	err := unusedField("a plan", reflect.ValueOf(*d), reflect.ValueOf(is))
	for i, m := range d.Maps {
		parts := is.Maps[i].parts()
		for k, said := range m.parts() {
			fault := unusedField("a "+m.Map+" map", said, parts[k])
			err = cmp.Or(err, under("maps", at(i, fault)))
		}
		err = cmp.Or(err, under("maps", at(i, m.stray)))
	}
	return err
}

// unusedField refuses a field that is set in said, as it was read, but zero in is, as it would be saved again.
func unusedField(what string, said, is reflect.Value) error {
	fields, _ := savedFields(said.Type())
	for _, f := range fields {
		if !said.Field(f.index).IsZero() && is.Field(f.index).IsZero() {
			return under(f.name, refused("%s such as this has no %q", what, f.name))
		}
	}
	return nil
}

// planned makes the plan of a document whose maps are those of terms of f, not of the whole kernel.
func (l *loader) planned(f form, d *planDocument) (*Plan, error) {
	p := &Plan{kernel: d.Kernel, in: d.In, forPoints: d.ForPoints}
	rmse := math.NaN()
	if d.RMSE != nil {
		rmse = *d.RMSE
	}
	p.rmse = func() float64 { return rmse }
	p.sample = sphereOnce(p.in)
	if d.ForPoints {
		p.sample = func() (*sample, error) {
			return nil, errors.New("featuremap: the points of a plan are not saved with it")
		}
	}
	if d.Maps[0].Split {
		split, ok := f.splitExponentials()
		if !ok {
			return nil, under("maps", at(0, under("split", refused("split = true: the kernel has no exponentials to be split off"))))
		}
		f = split
	}
	if err := d.eachOnce(len(f)); err != nil {
		return nil, under("maps", err)
	}
	for i, m := range d.Maps {
		b, err := l.segment(f, d.In, m)
		if err != nil {
			return nil, under("maps", at(i, err))
		}
		p.segments = append(p.segments, b)
	}
	return p, nil
}

// eachOnce refuses the maps unless each of the kernel's n terms has one, and Split is the same in all.
func (d *planDocument) eachOnce(n int) error {
	has := make([]bool, n)
	for i, m := range d.Maps {
		switch {
		case m.Split != d.Maps[0].Split:
			return at(i, under("split", refused("split = %v: must be as in the first map", m.Split)))
		case len(m.Terms) == 0:
			return at(i, refused("terms = []: must not be empty beside other maps"))
		}
		for j, number := range m.Terms {
			err := error(nil)
			switch {
			case number < 0 || number >= n:
				err = refused("there is no term %d: the kernel has %d", number, n)
			case j > 0 && number <= m.Terms[j-1]:
				err = refused("the terms %v must be in ascending order", m.Terms)
			case has[number]:
				err = refused("term %d has a map already", number)
			}
			if err != nil {
				return at(i, under("terms", err))
			}
			has[number] = true
		}
	}
	if i := slices.Index(has, false); i >= 0 {
		return refused("there is no map for term %d of %d", i, n)
	}
	return nil
}

// segment makes the segment of a document.
func (l *loader) segment(f form, in int, d segmentDocument) (b segment, err error) {
	b = segment{from: origin{d.Split, d.Terms}, side: d.Side, squaredError: math.NaN(), maxNorm: math.NaN(), exactWith: d.ExactWith}
	if d.SquaredError != nil {
		b.squaredError = *d.SquaredError
	}
	if d.MaxNorm != nil {
		b.maxNorm = *d.MaxNorm
	}
	if b.given, err = f.origin(d.Terms); err != nil {
		return b, under("terms", err)
	}
	if b.term, err = b.given.side(d.Side, d.Centre, in); err != nil {
		return b, err
	}
	bare := b.term
	bare.weights = nil
	b.recipe, err = l.recipe(d, request{form: form{bare}, in: in})
	switch {
	case err != nil:
		return b, err
	case b.recipe == nil:
		return b, refused("%v has no map %.40q of %d columns", b.term, d.Map, d.Columns)
	case b.exactWith > 0 && b.recipe.exact() == d.Columns:
		return b, under("exactWith", refused("exactWith = %d: must be 0, since the map is exact", b.exactWith))
	}
	return b, nil
}

// recipe makes the recipe of a document, or returns nil if there is no such kind of map for the kernel that is asked for.
func (l *loader) recipe(d segmentDocument, asked request) (recipe, error) {
	if d.recipe == nil {
		return nil, nil
	}
	asked.columns, asked.budget = d.Columns, l.budget
	return d.recipe.recipe(asked)
}

// origin returns the term with the given number, or the mixture of several. eachOnce has checked the numbers.
func (f form) origin(numbers []int) (term, error) {
	if len(numbers) == 1 {
		return f[numbers[0]], nil
	}
	var mixed form
	for _, n := range numbers {
		if !f[n].isMixable() {
			return term{}, refused("term %d is not stationary: it cannot be mixed", n)
		}
		mixed = append(mixed, f[n])
	}
	return mixture(mixed), nil
}

// side returns a term written as the named side of the exponential, or as it is if name is "".
func (t term) side(name string, centre []float64, in int) (term, error) {
	if centre != nil && len(centre) != t.warp.dim(in) {
		return t, under("centre", refused("centre has %d coordinates: must have %d", len(centre), t.warp.dim(in)))
	}
	for i, v := range centre {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return t, under("centre", at(i, refused("centre has a coordinate %v: must be finite", v)))
		}
	}
	var o otherSide
	var ok bool
	switch name {
	case "":
		return t, nil
	case sideDot:
		o, ok = t.asDot(centre)
	case sideCentred:
		o, ok = t.asCentred(centre)
	case sideStationary:
		o, ok = t.asStationary()
	}
	if !ok {
		return t, under("side", refused("%v has no side %.40q", t, name))
	}
	return o.term, nil
}

// load reads the fields of all parts. A field of another kind of map sets stray if it is not zero; others are refused.
func (d *segmentDocument) load(l *loader, v any) error {
	o, ok := v.(map[string]any)
	if err := expect(ok, v, "an object"); err != nil {
		return err
	}
	rest := maps.Clone(o)
	take := func(part reflect.Value) error { return l.fields(part, takeFields(part.Type(), rest)) }
	for _, part := range d.parts() {
		if err := take(part); err != nil {
			return err
		}
	}
	for _, k := range kinds {
		if k.name == d.Map {
			fields := reflect.New(reflect.TypeOf(k.document)).Elem()
			if err := take(fields); err != nil {
				return err
			}
			d.recipe = fields.Interface().(recipeDocument)
		}
	}
	for _, k := range kinds {
		fields := reflect.New(reflect.TypeOf(k.document)).Elem()
		if err := take(fields); err != nil {
			return err
		}
		d.stray = cmp.Or(d.stray, unusedField("a "+d.Map+" map", fields, reflect.Zero(fields.Type())))
	}
	return l.fields(reflect.ValueOf(&struct{}{}).Elem(), rest) // refuses all fields that are left
}

// takeFields removes the members that are fields of a struct from an object, and returns them.
func takeFields(part reflect.Type, o map[string]any) map[string]any {
	taken := make(map[string]any)
	fields, _ := savedFields(part)
	for _, f := range fields {
		if v, ok := o[f.name]; ok {
			taken[f.name] = v
			delete(o, f.name)
		}
	}
	return taken
}
