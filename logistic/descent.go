// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// fit is Fit for some classes.
func (t *training) fit(count int) (*Model, error) {
	if err := t.survey(count); err != nil {
		return nil, err
	}
	start, err := t.ridge()
	if err != nil {
		return nil, outer(err)
	}
	d := t.newDescent(start)
	if t.keeping {
		for _, chunk := range t.kept {
			t.centre(chunk)
		}
	}
	if t.Lambda == 0 {
		if err := d.chooseLambda(); err != nil {
			return nil, err
		}
	}
	first := t.from
	if first == nil {
		first = start
	}
	if err := d.begin(first); err != nil {
		return nil, err
	}
	if err := d.run(); err != nil {
		return nil, err
	}
	return d.model()
}

// share is what λ of the loss is of that of ridge regression on labels of ±1: (1/K)(1 − 1/K) for K classes, the variance of a
// class's indicator where all are alike.
func (t *training) share() float64 {
	k := float64(t.count)
	return 1 / k * (1 - 1/k)
}

// Of more than manySums rows for each feature the sums are of about someSums, drawn as those of the sample that chooses λ: they find
// a start and coordinates for the descent, which every fourth row tells well enough. (With as many features, 60,000 rows of 2048 take half the
// time, and three passes more.)
const (
	manySums = 24
	someSums = 6
)

// fewer returns the weights of the rows that the sums are of, 0 for others. The sum over each class is that of all its rows.
func (t *training) fewer() []float64 {
	if len(t.classes) <= manySums*t.out {
		return t.weights
	}
	weights := make([]float64, len(t.classes))
	rows, factors := t.draw(someSums * t.out)
	for c, rows := range rows {
		for _, i := range rows {
			weights[i] = t.weight(i) * factors[c]
		}
	}
	return weights
}

// ridge returns ridge regression on the labels, at λ if it is given. A λ too small for the factor leaves the preconditioner that
// of the λ which ridge chooses.
func (t *training) ridge() (*ridge.Model, error) {
	if t.begun != nil {
		return t.begun, nil
	}
	o := &ridge.Options{
		Lambda:   t.Lambda / t.share(),
		Progress: func(int) error { return t.tell(0, math.NaN()) },
		Weights:  t.fewer(),
		Beyond:   true,
	}
	m, err := t.ridgeBy(o)
	if err != nil && t.Lambda > 0 {
		o.Lambda, o.Criterion = 0, ridge.Evidence
		return t.ridgeBy(o)
	}
	return m, err
}

// rememberedSteps is the number of steps that L-BFGS remembers.
const rememberedSteps = 10

// A descent minimises the mean of the losses, with the penalty μ/2·‖W‖², μ = λ/n, over coordinates V:
//
//	W = W₀ + √(Kn)·U⁻¹V, c = c₀ + b·v
//
// where UᵀU = ΦᵀΦ + λ'I is that of ridge regression and b = √K, so that the majoriser of the loss is ½‖V‖² nearly, and W₀ and c₀ are
// the start. After some steps U, b and the start are others: see recondition.
type descent struct {
	*training
	lambda      float64
	ridgeLambda float64 // λ'
	factor      *tiled.Factor
	turned      *tiled.Turned // the factor
	middle      []float64     // the mean of features φ

	sampled   functions // to start from: those of the fit of a sample that λ was chosen by; without weights: none
	start, at functions // of features φ
	raw       functions // of the features that passes see: those of at, or of raw features
	rawTurned *tiled.Turned
	gradient  functions
	scratch   functions
	root      float64 // √(Kn)
	level     float64 // b

	square float64 // of the gradient by W, at the point evaluated last
	search *lbfgs.Search
	least  float64   // Tolerance is a part of the loss, or of this if it is more
	values []float64 // losses of the start of the search and of each of its steps
	window int       // the decrease of the loss over so many steps is compared with that of as many before
}

// newDescent returns the descent that begins at ridge regression.
func (t *training) newDescent(start *ridge.Model) *descent {
	d := &descent{training: t, lambda: t.Lambda, window: fitWindow}
	d.factor, d.middle = linear.Factor(start)
	d.ridgeLambda = start.Lambda()[0]
	d.turned = d.factor.Turned()
	if d.lambda == 0 {
		d.lambda = t.share() * d.ridgeLambda
	}
	d.root = math.Sqrt(float64(t.count) * t.total)
	d.level = math.Sqrt(float64(t.count))
	t.mean = d.middle
	if t.raw != nil { // r̄ = Uᵀφ̄
		d.rawTurned = t.raw.Turned()
		t.mean = make([]float64, t.out)
		column := make([]float64, t.out)
		for j := range t.mean {
			t.raw.Column(column, j)
			t.mean[j] = chain.Dot(column[:j+1], d.middle)
		}
	}
	return d
}

// functionals are linear functions of features, as a *ridge.Model and a *Model have them.
type functionals interface {
	Weights() *mat.Dense
	Intercept() []float64
}

// fromRidge tells whether the descent starts from ridge regression.
func (d *descent) fromRidge() bool { return d.training.from == nil && d.sampled.w.Data == nil }

// begin sets the start, times the best scale: the fit of a sample, or a model, such as ridge regression.
func (d *descent) begin(model functionals) error {
	d.start, d.at, d.gradient, d.scratch = d.newFunctions(), d.newFunctions(), d.newFunctions(), d.newFunctions()
	w, intercept := model.Weights(), model.Intercept()
	for k := range d.count {
		row := d.row(d.start, k)
		mat.Col(row, k, w)
		d.start.intercept[k] = intercept[k] + chain.Dot(row, d.middle)
	}
	if d.sampled.w.Data != nil {
		d.start.copy(d.sampled)
	}
	d.stiffen()
	d.raw = d.at
	if d.training.raw != nil {
		d.raw = d.newFunctions()
	}
	d.set(d.start)
	scale, err := d.bestScale(d.raw, d.lambda)
	if err != nil {
		return err
	}
	for i := range d.start.w.Data {
		d.start.w.Data[i] *= scale
	}
	for k := range d.start.intercept {
		d.start.intercept[k] *= scale
	}
	d.search = lbfgs.New(make([]float64, d.count*(d.out+1)), rememberedSteps)
	d.spread.rows = make([]float64, len(d.classes))
	return nil
}

// row returns the weights of class k.
func (d *descent) row(f functions, k int) []float64 { return f.w.Data[k*f.w.Stride:][:d.out] }

// set makes at, and with it raw, some functions of features φ.
func (d *descent) set(f functions) {
	d.at.copy(f)
	if d.training.raw != nil {
		copy(d.raw.w.Data, d.at.w.Data)
		copy(d.raw.intercept, d.at.intercept)
		d.rawTurned.SolveVecs(d.raw.w)
	}
}

// move sets at to the functions of a point V.
func (d *descent) move(point []float64) {
	v := d.scratch
	for k := range d.count {
		copy(d.row(v, k), point[k*d.out:])
	}
	d.turned.SolveVecs(v.w)
	for k := range d.count {
		row, start := d.row(v, k), d.row(d.start, k)
		for j, s := range start {
			row[j] = math.FMA(d.root, row[j], s)
		}
		v.intercept[k] = math.FMA(d.level, point[d.count*d.out+k], d.start.intercept[k])
	}
	d.set(v)
}

// evaluate returns the loss at a point, and sets gradient to its gradient by V.
func (d *descent) evaluate(point, gradient []float64) (float64, error) {
	d.move(point)
	sum, err := d.traverse(d.raw, d.gradient)
	if err != nil {
		return 0, err
	}
	g, mu := d.gradient, d.lambda/d.total
	if d.training.raw != nil {
		d.training.raw.SolveTransVecs(g.w)
	}
	var penalty, square float64
	for k := range d.count {
		row, w := d.row(g, k), d.row(d.at, k)
		for j, v := range row {
			row[j] = math.FMA(mu, w[j], v/d.total)
		}
		penalty += chain.Dot(w, w)
		square += chain.Dot(row, row)
	}
	d.square = square
	d.project(gradient)
	return sum/d.total + float64(0.5*mu*penalty), nil
}

// project sets gradient to that by V, of the gradient by W and c.
func (d *descent) project(gradient []float64) {
	copy(d.scratch.w.Data, d.gradient.w.Data)
	d.factor.SolveTransVecs(d.scratch.w)
	for k := range d.count {
		to := gradient[k*d.out:]
		for j, v := range d.row(d.scratch, k) {
			to[j] = d.root * v
		}
		gradient[d.count*d.out+k] = d.level * d.gradient.intercept[k] / d.total
	}
}

// run takes steps until the loss can fall by no more than Tolerance, or nothing is lower.
func (d *descent) run() error {
	gradient := make([]float64, len(d.search.Point()))
	for {
		value, err := d.evaluate(d.search.Point(), gradient)
		if err != nil {
			return err
		}
		d.pass++
		if err := d.tell(d.pass, value); err != nil {
			return err
		}
		steps := d.search.Steps()
		state := d.search.Report(value, gradient)
		if state == lbfgs.Stuck {
			return nil
		}
		if len(d.values) == 0 || d.search.Steps() > steps {
			d.values = append(d.values, d.search.Value())
			if d.fall() <= d.Tolerance*max(d.search.Value(), d.least) {
				return nil
			}
		}
		if d.spread.rows != nil && d.search.Steps() == stepsBefore {
			changed, err := d.recondition()
			if err != nil || changed && !d.restart(value, gradient) {
				return err
			}
		}
	}
}

// fitWindow is the window of a fit.
const fitWindow = 5

// fall estimates how much lower the loss may be than at the last step: at most ‖gradient‖²/2μ, since it is strongly convex but
// for the intercepts; by what the decrease of the last steps comes to if it goes on falling as it has from the steps before;
// and at least what the quadratic promises.
func (d *descent) fall() float64 {
	bound := 0.5 * d.square * d.total / d.lambda
	last := len(d.values) - 1
	window := d.window
	if last < 2*window {
		return bound
	}
	before := d.values[last-2*window] - d.values[last-window]
	now := d.values[last-window] - d.values[last]
	if !(now < before) {
		return bound
	}
	rest := now * now / (before - now)
	return min(bound, max(rest, d.search.Promise()))
}

// model returns the model of the best point.
func (d *descent) model() (*Model, error) {
	d.move(d.search.Best())
	m := &Model{
		phi: d.training.phi, lambda: d.lambda, loss: d.search.Value(), rows: len(d.classes),
		weights: make([]float64, d.count*d.out), intercept: make([]float64, d.count),
	}
	for k := range d.count {
		row := d.row(d.at, k)
		copy(m.weights[k*d.out:], row)
		m.intercept[k] = d.at.intercept[k] - chain.Dot(row, d.middle)
	}
	if err := m.validate(); err != nil {
		return nil, outer(err)
	}
	m.serve()
	return m, nil
}

// ridgeBy fits the labels: of kept features by the numbers of their rows.
func (t *training) ridgeBy(o *ridge.Options) (*ridge.Model, error) {
	y := &labels{t.classes, t.count}
	o.SharedLambda = true
	linear.Unjudged(o)
	switch {
	case t.keeping:
		return ridge.Fit(&keptMap{t: t}, &rowNumbers{len(t.classes)}, y, o)
	case t.x != nil:
		return ridge.Fit(t.phi, t.x, y, o)
	}
	all := o.Weights
	o.Weights = nil
	return ridge.FitBatches(t.phi, func(add func(x, y mat.Matrix, weights []float64) error) error {
		first := 0
		return t.each(func(x, _ mat.Matrix, _ []float64) error {
			n, _ := x.Dims()
			lo, hi := first, first+n
			if first = hi; hi > len(t.classes) {
				return fmt.Errorf("logistic: the rows are not the same each time: there are more than %d", len(t.classes))
			}
			var weights []float64
			if all != nil {
				weights = all[lo:hi]
			}
			return add(x, &labels{t.classes[lo:hi], t.count}, weights)
		})
	}, t.count, o)
}
