// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"
)

// UnmarshalJSON makes a zero value the plan that MarshalJSON has saved, or one that was written by hand: see
// docs/saving.md. Where this has a kernel, in and out but no maps, it is the plan of NewPlan without points.
//
// It returns an error, and leaves p as it was, if p is not a zero value, if data is no such plan, or if a constructor
// refuses what it describes. It ignores null, as encoding/json asks for.
func (p *Plan) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return nil
	}
	v, err := parse(data)
	if err != nil {
		return err
	}
	return p.load(&loader{budget: newBudget(nil)}, v, true)
}

// UnmarshalBinary makes a zero value the plan that MarshalBinary has saved. It returns an error, and leaves p as it was,
// where UnmarshalJSON does, and if data was changed.
func (p *Plan) UnmarshalBinary(data []byte) error {
	l := &loader{budget: newBudget(nil)}
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
	of, err := l.plan(&d, byHand)
	if err != nil {
		return err
	}
	if err := l.done(); err != nil {
		return err
	}
	*p = *of
	return nil
}

// plan makes the plan of a document.
func (l *loader) plan(d *planDocument, byHand bool) (*Plan, error) {
	if len(d.Maps) == 0 {
		if !byHand {
			return nil, refused("the plan has no maps")
		}
		o := &PlanOptions{}
		if d.RMSE != nil {
			o.RMSE = *d.RMSE
		}
		return NewPlan(d.Kernel, d.In, d.Out, o)
	}
	if err := l.budget.take(64*(max(float64(d.In), 0)+max(float64(d.Out), 0)), 0); err != nil {
		return nil, err
	}
	f, err := validateArguments(d.Kernel, d.In, d.Out)
	if err != nil {
		return nil, err
	}
	for _, m := range d.Maps {
		if m.Columns < 1 {
			return nil, refused("columns = %d: must be at least 1", m.Columns)
		}
	}
	var p *Plan
	if len(d.Maps[0].Terms) == 0 {
		if len(d.Maps) > 1 {
			return nil, refused("the map of a whole kernel must be the only one")
		}
		r, err := l.constructed(d.Kernel, f, d.In, d.Maps[0])
		if err != nil {
			return nil, err
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

// unused refuses fields of a document that say nothing of its plan, such as the draws of a Fourier map.
func unused(d *planDocument, p *Plan) error {
	var s saver
	is := s.plan(p)
	err := unusedField("plan", reflect.ValueOf(*d), reflect.ValueOf(is))
	for i, m := range d.Maps {
		err = cmp.Or(err, unusedField(m.Map+" map", reflect.ValueOf(m), reflect.ValueOf(is.Maps[i])))
	}
	return err
}

// unusedField refuses a field that is set and has no place in what is said.
func unusedField(what string, said, is reflect.Value) error {
	for i := range said.NumField() {
		if name, _ := fieldName(said.Type().Field(i)); !said.Field(i).IsZero() && is.Field(i).IsZero() {
			return refused("a %s such as this has no %q", what, name)
		}
	}
	return nil
}

// planned makes the plan of a document whose maps are those of terms.
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
	forms := map[bool]form{false: f}
	for _, m := range d.Maps {
		if m.Split && forms[true] == nil {
			forms[true], _ = f.splitExponentials()
		}
		b, err := l.block(forms[m.Split], d.In, m)
		if err != nil {
			return nil, err
		}
		p.blocks = append(p.blocks, b)
	}
	return p, nil
}

// block makes the features of a term.
func (l *loader) block(f form, in int, d blockDocument) (b block, err error) {
	b = block{from: origin{d.Split, d.Terms}, side: d.Side, near: math.NaN(), reach: math.NaN(), exact: d.ExactWith}
	if d.SquaredError != nil {
		b.near = *d.SquaredError
	}
	if d.Reach != nil {
		b.reach = *d.Reach
	}
	if b.of, err = f.origin(d.Terms); err != nil {
		return b, err
	}
	if b.term, err = b.of.side(d.Side, d.Centre, in); err != nil {
		return b, err
	}
	b.recipe, err = l.recipe(b.term, in, d)
	return b, err
}

// origin returns the term of some numbers.
func (f form) origin(numbers []int) (term, error) {
	var of form
	for i, n := range numbers {
		switch {
		case n < 0 || n >= len(f):
			return term{}, refused("there is no term %d: the kernel has %d", n, len(f))
		case i > 0 && n <= numbers[i-1]:
			return term{}, refused("the terms %v must be in ascending order", numbers)
		case len(numbers) > 1 && !(form{f[n]}).isStationary():
			return term{}, refused("term %d is not stationary: it cannot be mixed", n)
		}
		of = append(of, f[n])
	}
	switch len(of) {
	case 0:
		return term{}, refused("a map of no term beside others")
	case 1:
		return of[0], nil
	}
	return mixture(of), nil
}

// side returns a term written as a side of the exponential, "" for none.
func (t term) side(name string, centre []float64, in int) (term, error) {
	if centre != nil && len(centre) != t.warp.dim(in) {
		return t, refused("centre has %d coordinates: must have %d", len(centre), t.warp.dim(in))
	}
	for _, v := range centre {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return t, refused("centre has a coordinate %v: must be finite", v)
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
		return t, refused("%v has no side %.40q", t, name)
	}
	return o.term, nil
}

// recipe makes the recipe of a term.
func (l *loader) recipe(t term, in int, d blockDocument) (recipe, error) {
	switch b := t.base.(type) {
	case stationary:
		if d.Map == kindFourier {
			return l.fourier(warpedSpectrum{b.spectrum.scaled(t.scale), t.warp}, in, d)
		}
	case dot:
		if d.Map == kindMaclaurin {
			return l.maclaurin(scaleSeries(t.scale, b.f), t.warp, in, d)
		}
	case neuron:
		if d.Map == kindNeurons {
			return l.neurons(b.ArcCosine, t.scale, t.warp, in, d)
		}
	}
	switch d.Map {
	case kindExact:
		if r := t.exact(in); r != nil && r.columns == d.Columns {
			return r, nil
		}
	case kindCompositional:
		g, err := t.graph(in)
		if err != nil {
			return nil, noMap(err)
		}
		_, written := t.base.(skeletonKernel)
		return l.compositional(g, !written, d)
	}
	return nil, refused("%v has no map %.40q of %d columns", t, d.Map, d.Columns)
}

// constructed makes the recipe of a constructor, for a kernel with a form.
func (l *loader) constructed(k Kernel, f form, in int, d blockDocument) (recipe, error) {
	switch d.Map {
	case kindFourier:
		if of, ok := f.spectrum(); ok {
			return l.fourier(of, in, d)
		}
	case kindMaclaurin:
		if g, w, ok := f.series(); ok {
			return l.maclaurin(g, w, in, d)
		}
	case kindNeurons:
		if of, ok := f[0].base.(neuron); ok && len(f) == 1 && f[0].weights == nil {
			return l.neurons(of.ArcCosine, f[0].scale, f[0].warp, in, d)
		}
	case kindCompositional:
		if of, ok := k.(skeletonKernel); ok {
			return l.compositional(of.graph, false, d)
		}
	}
	return nil, refused("%s has no map %.40q of its own", source(k), d.Map)
}

func (l *loader) fourier(of warpedSpectrum, in int, d blockDocument) (recipe, error) {
	design, err := number[Design](d.Design, "design", Independent, Orthogonal, Structured)
	if err != nil {
		return nil, err
	}
	return newFourierRecipe(of, in, d.Columns, FourierOptions{Design: design, RandomPhase: d.RandomPhase})
}

func (l *loader) maclaurin(f Series, w warp, in int, d blockDocument) (recipe, error) {
	sketch, err := number[Sketch](d.Sketch, "sketch", RademacherSketch, GaussianSketch, TensorSRHT)
	if err != nil {
		return nil, err
	}
	if d.ExactDegrees < 0 {
		return nil, refused("exactDegrees = %d: must be at least 0", d.ExactDegrees)
	}
	return newMaclaurinFrom(f, w, in, d.Columns, d.ExactDegrees, MaclaurinOptions{
		Law: d.Law, Sketch: sketch, Complex: d.Complex, SumOfProducts: d.SumOfProducts,
	})
}

func (l *loader) neurons(arc ArcCosine, scale float64, w warp, in int, d blockDocument) (recipe, error) {
	form := neuronForm(slices.Index(neuronForms, d.Form))
	if form < 0 {
		return nil, refused("neurons have no form %.40q", d.Form)
	}
	r, err := newNeuronsRecipe(arc, scale, w, in, d.Columns, NeuronsOptions{})
	if err != nil {
		return nil, err
	}
	if r.form = form; r.exact() >= d.Columns {
		return nil, refused("columns = %d: must be more than the %d exact ones", d.Columns, r.exact())
	}
	return r, nil
}

func (l *loader) compositional(g *graph, planted bool, d blockDocument) (recipe, error) {
	r := &compositionalRecipe{
		frame: frame{in: g.in, columns: d.Columns}, graph: g, draws: d.Draws, planted: planted,
		opts: CompositionalOptions{KeepDuplicates: d.KeepDuplicates, RandomPhase: d.RandomPhase},
	}
	return r, r.validate()
}

// number returns the value that has a name as its String, and the first if there is none.
func number[T interface{ String() string }](name, field string, values ...T) (T, error) {
	for _, v := range values {
		if name == v.String() {
			return v, nil
		}
	}
	if name == "" {
		return values[0], nil
	}
	return values[0], refused("there is no %s %.40q", field, name)
}
