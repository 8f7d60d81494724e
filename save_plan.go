// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/plan"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// A planDocument is the saved form of a plan in the file of a map: docs/reference/files.md describes its JSON.
type planDocument struct {
	Kernel    Kernel            `save:"kernel"`
	In        int               `save:"in"`
	Out       int               `save:"out"`
	RMSE      *float64          `save:"rmse,omitempty"`
	ForPoints bool              `save:"forPoints,omitempty"` // whether it was made for given points, which are not saved
	Maps      []segmentDocument `save:"maps"`
}

// A segmentDocument is the saved form of a segment: one object with the fields of three structs.
type segmentDocument struct {
	segmentPlace
	recipe recipe.Document
	segmentErrors
}

// A segmentPlace says what a segment maps, and by which kind of map.
type segmentPlace struct {
	// Terms has the number of a term in the kernel's canonical form, or the numbers of several stationary terms that
	// are mapped as their mixture. If a constructor made the map for the whole kernel, it is empty.
	Terms []int `save:"terms,omitempty"`
	Split bool  `save:"split,omitempty"` // whether exponentials are terms of their own

	// Side is the side of the exponential that the term is written as, and Center the point that is subtracted first.
	Side   string    `save:"side,omitempty"`
	Center []float64 `save:"center,omitempty"`

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
	for _, k := range plan.Kinds {
		if reflect.TypeOf(k.Document) == reflect.TypeOf(document) {
			return k.Name
		}
	}
	return ""
}

// save returns the document as a JSON value.
func (d segmentDocument) save(s *saver) any {
	var all document.Object
	for _, part := range []any{d.segmentPlace, d.recipe, d.segmentErrors} {
		all = append(all, s.fields(reflect.ValueOf(part)).(document.Object)...)
	}
	return all
}

// load reads the fields of the kind of map that the document names.
func (d *segmentDocument) load(l *loader, v any) error {
	parts := []reflect.Value{reflect.ValueOf(&d.segmentPlace).Elem(), {}, reflect.ValueOf(&d.segmentErrors).Elem()}
	o, ok := v.(map[string]any)
	if err := document.Expect(ok, v, "an object"); err != nil {
		return err
	}
	for _, k := range plan.Kinds {
		if k.Name == o["map"] {
			parts[1] = reflect.New(reflect.TypeOf(k.Document)).Elem()
			err := l.fields(v, parts...)
			d.recipe = parts[1].Interface().(recipe.Document)
			return err
		}
	}
	return document.Under("map", document.Refused("%s is no kind of map", document.Brief(o["map"])))
}

// plan returns the document of a plan.
func (s *saver) plan(p *Plan) planDocument {
	_, out := p.Dims()
	d := planDocument{Kernel: p.Kernel(), In: p.engine.In, Out: out}
	if !p.engine.Constructed() {
		rmse := p.RMSE()
		d.RMSE = &rmse
		d.ForPoints = p.engine.ForPoints
	}
	for _, b := range p.engine.Segments {
		d.Maps = append(d.Maps, s.segment(b))
	}
	return d
}

func (s *saver) segment(b plan.Segment) segmentDocument {
	var d segmentDocument
	d.Terms, d.Split, d.Side, d.Columns = b.From.Terms, b.From.Split, b.Side, b.Shape().Columns
	if b.Side == form.SideDot || b.Side == form.SideCentered {
		d.Center = b.Warp.Center
	}
	if b.From.Terms != nil {
		squaredError, maxNorm := b.SquaredError, b.MaxNorm
		d.SquaredError, d.MaxNorm, d.ExactWith = &squaredError, &maxNorm, b.ExactWith
	}
	document := b.Document()
	if d.Map = kindOf(document); d.Map == "" {
		s.fail("a %T cannot be saved", b.Recipe)
		return d
	}
	d.recipe = document.(recipe.Document)
	return d
}

// plan makes the plan of a document.
func (l *loader) plan(d *planDocument) (*Plan, error) {
	whole := d.Kernel
	if scales, inner := outermost(whole); scales != nil {
		if err := validateScales(scales, d.In); err != nil {
			return nil, err
		}
		d.Kernel = inner
		p, err := l.plan(d)
		if err != nil {
			return nil, err
		}
		p.scales, p.kernel = scales, whole
		return p, nil
	}
	if err := d.validate(); err != nil {
		return nil, err
	}
	in, out := max(float64(d.In), 0), max(float64(d.Out), 0)
	if err := l.take(64*(in+out), 0); err != nil {
		return nil, err
	}
	w, err := l.weigh(d.Kernel, in, "")
	if err != nil {
		return nil, err
	}
	const few = 64 // kernels that may be chosen among for each frequency
	if err := l.take(0, out*max(w.bases-few, 0)+w.points); err != nil {
		return nil, err
	}
	f, err := validateArguments(d.Kernel, d.In, d.Out)
	if err != nil {
		return nil, err
	}
	var p *Plan
	if m := d.Maps[0]; len(m.Terms) > 0 {
		p, err = l.planned(f, d)
	} else if len(d.Maps) > 1 || d.RMSE != nil || d.ForPoints || m.Split || m.Side != "" || m.Center != nil || m.segmentErrors != (segmentErrors{}) {
		err = document.Under("maps", document.At(0, document.Refused("a map of the whole kernel, without terms, is the only one and has no more than its options")))
	} else {
		var r recipe.Recipe
		if r, err = l.recipe(m, recipe.Request{Form: f, Whole: true, In: d.In}); err == nil && r == nil {
			err = document.Refused("%s has no map %.40q of its own", gosyntax.Of(d.Kernel), m.Map)
		}
		if err != nil {
			return nil, document.Under("maps", document.At(0, err))
		}
		p = planOf(d.Kernel, r)
	}
	if err != nil {
		return nil, err
	}
	if _, out := p.Dims(); out != d.Out {
		return nil, document.Refused("the maps have %d columns, not out = %d", out, d.Out)
	}
	return p, nil
}

// validate refuses numbers that no plan of any kernel has.
func (d *planDocument) validate() error {
	if len(d.Maps) == 0 {
		return document.Refused("the plan has no maps")
	}
	if err := unlessNegative("rmse", d.RMSE); err != nil {
		return err
	}
	for i, m := range d.Maps {
		err := cmp.Or(unlessNegative("squaredError", m.SquaredError), unlessNegative("reach", m.MaxNorm))
		switch {
		case err != nil:
		case m.Columns < 1:
			err = document.Under("columns", document.Refused("columns = %d: must be at least 1", m.Columns))
		case m.ExactWith < 0:
			err = document.Under("exactWith", document.Refused("exactWith = %d: must be at least 0", m.ExactWith))
		}
		if err != nil {
			return document.Under("maps", document.At(i, err))
		}
	}
	return nil
}

// unlessNegative refuses a number below 0. NaN stands for an unknown number.
func unlessNegative(name string, v *float64) error {
	if v == nil || !(*v < 0) {
		return nil
	}
	return document.Under(name, document.Refused("%s = %v: must be at least 0, or \"NaN\"", name, *v))
}

// planned makes the plan of a document whose maps belong to terms of f, not to the whole kernel.
func (l *loader) planned(f form.Form, d *planDocument) (*Plan, error) {
	p := &plan.Plan{Kernel: d.Kernel, In: d.In, ForPoints: d.ForPoints}
	rmse := math.NaN()
	if d.RMSE != nil {
		rmse = *d.RMSE
	}
	p.RMSE = func() float64 { return rmse }
	p.Sample = plan.SphereOnce(p.In, seeded)
	if d.ForPoints {
		p.Sample = func() (*sample.Sample, error) {
			return nil, errors.New("featuremap: the points of a plan are not saved with it")
		}
	}
	if d.Maps[0].Split {
		split, ok := f.SplitExponentials()
		if !ok {
			return nil, document.Under("maps", document.At(0, document.Under("split", document.Refused("split = true: the kernel has no exponentials to be split off"))))
		}
		f = split
	}
	if err := d.eachOnce(len(f)); err != nil {
		return nil, document.Under("maps", err)
	}
	for i, m := range d.Maps {
		b, err := l.segment(f, d.In, m)
		if err != nil {
			return nil, document.Under("maps", document.At(i, err))
		}
		p.Segments = append(p.Segments, b)
	}
	return &Plan{engine: *p}, nil
}

// eachOnce refuses the maps unless each of the kernel's n terms has one, and Split is the same in all.
func (d *planDocument) eachOnce(n int) error {
	has := make([]bool, n)
	for i, m := range d.Maps {
		switch {
		case m.Split != d.Maps[0].Split:
			return document.At(i, document.Under("split", document.Refused("split = %v: must be as in the first map", m.Split)))
		case len(m.Terms) == 0:
			return document.At(i, document.Refused("terms = []: must not be empty beside other maps"))
		}
		for j, number := range m.Terms {
			err := error(nil)
			switch {
			case number < 0 || number >= n:
				err = document.Refused("there is no term %d: the kernel has %d", number, n)
			case j > 0 && number <= m.Terms[j-1]:
				err = document.Refused("the terms %v must be in ascending order", m.Terms)
			case has[number]:
				err = document.Refused("term %d has a map already", number)
			}
			if err != nil {
				return document.At(i, document.Under("terms", err))
			}
			has[number] = true
		}
	}
	if i := slices.Index(has, false); i >= 0 {
		return document.Refused("there is no map for term %d of %d", i, n)
	}
	return nil
}

// segment makes the segment of a document.
func (l *loader) segment(f form.Form, in int, d segmentDocument) (b plan.Segment, err error) {
	b = plan.Segment{From: plan.Origin{Split: d.Split, Terms: d.Terms}, Side: d.Side, SquaredError: math.NaN(), MaxNorm: math.NaN(), ExactWith: d.ExactWith}
	if d.SquaredError != nil {
		b.SquaredError = *d.SquaredError
	}
	if d.MaxNorm != nil {
		b.MaxNorm = *d.MaxNorm
	}
	if b.Given, err = originOf(f, d.Terms); err != nil {
		return b, document.Under("terms", err)
	}
	if b.Term, err = sideOf(b.Given, d.Side, d.Center, in); err != nil {
		return b, err
	}
	bare := b.Term
	bare.Weights = nil
	b.Recipe, err = l.recipe(d, recipe.Request{Form: form.Form{bare}, In: in})
	switch {
	case err != nil:
		return b, err
	case b.Recipe == nil:
		return b, document.Refused("%v has no map %.40q of %d columns", b.Term, d.Map, d.Columns)
	}
	return b, nil
}

// recipe makes the recipe of a document. It returns nil if there is no such kind of map for the requested kernel.
func (l *loader) recipe(d segmentDocument, asked recipe.Request) (recipe.Recipe, error) {
	asked.Columns, asked.Take, asked.Left, asked.Seeded = d.Columns, l.take, func() float64 { return l.steps }, seeded
	return d.recipe.Recipe(asked)
}

// originOf returns the term with the given number, or the mixture of several. eachOnce has checked the numbers.
func originOf(f form.Form, numbers []int) (form.Term, error) {
	if len(numbers) == 1 {
		return f[numbers[0]], nil
	}
	var mixed form.Form
	for _, n := range numbers {
		if !f[n].IsMixable() {
			return form.Term{}, document.Refused("term %d is not stationary: it cannot be mixed", n)
		}
		mixed = append(mixed, f[n])
	}
	return form.Mixture(mixed), nil
}

// sideOf returns a term written as the named side of the exponential, or unchanged if name is "".
func sideOf(t form.Term, name string, center []float64, in int) (form.Term, error) {
	if center != nil && len(center) != t.Warp.Dim(in) {
		return t, document.Under("center", document.Refused("center has %d coordinates: must have %d", len(center), t.Warp.Dim(in)))
	}
	for i, v := range center {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return t, document.Under("center", document.At(i, document.Refused("center has a coordinate %v: must be finite", v)))
		}
	}
	var o form.Side
	var ok bool
	switch {
	case name == form.SideDot:
		o, ok = t.AsDot(center)
	case name == form.SideCentered:
		o, ok = t.AsCentered(center)
	case center != nil:
		return t, document.Under("center", document.Refused("a term that is not written as a dot product kernel has no center"))
	case name == "":
		return t, nil
	case name == form.SideStationary:
		o, ok = t.AsStationary()
	}
	if !ok {
		return t, document.Under("side", document.Refused("%v has no side %.40q", t, name))
	}
	return o.Term, nil
}
