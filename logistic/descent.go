// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// fit is Fit for a number of classes.
func (t *training) fit(count int) (*Model, error) {
	again := *t
	if err := t.survey(count); err != nil {
		return nil, err
	}
	if t.PredictionSets {
		if err := t.dealFolds(); err != nil {
			return nil, err
		}
	}
	if err := t.narrow(); err != nil {
		return nil, err
	}
	start, err := t.ridge()
	if err != nil {
		return nil, outer(err)
	}
	d := t.newDescent(start)
	if t.keeping {
		for _, chunk := range t.kept {
			t.center(chunk)
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
	if begun := linear.Of(&t.Options).Begun; begun != nil {
		begun.From, t.from, first = nil, nil, nil // which may be freed: the start has its weights
	}
	if err := d.run(); err != nil {
		return nil, err
	}
	m, err := d.model()
	if errors.Is(err, errSpan) {
		again.whole, again.pass = true, d.pass
		return again.fit(count)
	}
	if err != nil {
		return nil, err
	}
	defer d.leaveRoom()
	if !t.PredictionSets {
		return m, nil
	}
	if m.sets, err = d.calibrate(); err != nil {
		return nil, err
	}
	return m, nil
}

// share is the ratio of the λ of the loss to the λ of ridge regression on labels of ±1: (1/K)(1 − 1/K) for K classes,
// the variance of a class's indicator if all classes are alike.
func (t *training) share() float64 {
	k := float64(t.count)
	return 1 / k * (1 - 1/k)
}

// With more than manySums rows for each feature, the sums are over about someSums of these, drawn like those of the
// sample that chooses λ: they only give a start and coordinates for the descent. (With as many features, 60,000 rows of
// 2048 take half the time, and three passes more.)
const (
	manySums = 24
	someSums = 6
)

// fewer returns the weights of the rows in the sums, 0 for others. The sum over each class equals that of all its rows.
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

// ridge returns ridge regression on the labels, at λ if it is given. If λ is chosen later, or is too small for the
// factor, it is the one of the largest evidence, which takes the least work: it gives the start and the coordinates of
// the descent.
func (t *training) ridge() (linear.Ridge, error) {
	if t.begun != nil {
		return t.begun, nil
	}
	o := &ridge.Options{
		Lambda:    t.Lambda / t.share(),
		Criterion: ridge.Evidence,
		Progress:  func(int) error { return t.tell(0, math.NaN()) },
		Weights:   t.fewer(),
		Beyond:    true,
	}
	m, err := t.ridgeBy(o)
	if stopped := new(interruption); err != nil && t.Lambda > 0 && !errors.As(err, &stopped) {
		o.Lambda = 0
		return t.ridgeBy(o)
	}
	return m, err
}

// A descent minimizes the mean of the losses, with the penalty μ/2·‖W‖², μ = λ/n, over coordinates V:
//
//	W = W₀ + √(Kn)·U⁻¹V, c = c₀ + b·v − ⟨m, W − W₀⟩
//
// where UᵀU = ΦᵀΦ + λ'I is the matrix of ridge regression and b = √K, so that the majorizer of the loss is nearly
// ½‖V‖², m is 0, and W₀ and c₀ are the start. After some steps U, b, m and the start are others: see recondition.
type descent struct {
	*training
	lambda      float64
	ridgeLambda float64 // λ'
	factor      *tiled.Factor
	turned      *tiled.Turned // the factor
	own         bool          // whether the factor is of this descent, not of ridge regression
	spare       *tiled.Factor // whose memory serves the next factor; nil: none
	sums        *scaledSums   // memory of its sums
	middle      []float64     // the mean of features φ

	sampled   functions // to start from: the mean of the fits of the sample that chose λ; without weights: no such fits
	start, at functions // of features φ
	raw       functions // the functions at, of the features that passes see, which may be raw features
	rawTurned *tiled.Turned
	gradient  functions
	root      float64   // √(Kn)
	level     float64   // b
	centers   functions // m; without weights: 0
	middles   functions // memory for m

	sum    float64 // of the losses, at the point evaluated last
	square float64 // squared norm of the gradient by W there
	search *lbfgs.Search
	pulled []float64 // memory for the gradient by V
	least  float64   // Tolerance is relative to the loss, or to this if it is more

	reconditions bool // it will still change the factor, once
	cut          bool // it was ended by mostPasses

	best []float64 // the intercepts where the descent ended
	loss float64   // there
}

// leastLossPart times the loss of the frequencies is what Tolerance is relative to, if the loss is less.
const leastLossPart = 2e-4

// newDescent returns the descent that starts at ridge regression.
func (t *training) newDescent(start linear.Ridge) *descent {
	d := &descent{training: t, lambda: t.Lambda, least: leastLossPart * t.entropy()}
	d.factor, d.middle = linear.Of(start).Factor, linear.Of(start).Mean
	d.ridgeLambda = start.Lambda()[0]
	if d.lambda == 0 {
		d.lambda = t.share() * d.ridgeLambda
	}
	d.root = math.Sqrt(float64(t.count) * t.total)
	d.level = math.Sqrt(float64(t.count))
	t.mean = d.middle
	if t.raw != nil { // r̄ = Uᵀφ̄
		t.mean = make([]float64, t.out)
		column := make([]float64, t.out)
		for j := range t.mean {
			t.raw.Column(column, j)
			t.mean[j] = chain.Dot(column[:j+1], d.middle)
		}
	}
	d.takeRoom()
	return d
}

// fromRidge reports whether the descent starts from ridge regression.
func (d *descent) fromRidge() bool { return d.training.from == nil && d.sampled.w.Data == nil }

// begin sets the start: the fits of a sample, or a model, such as ridge regression, times the best scale.
func (d *descent) begin(model linear.Functionals) error {
	set, intercept := weightsOf(model), model.Intercept()
	for k := range d.count {
		row := d.row(d.start, k)
		set(row, k)
		d.start.intercept[k] = intercept[k] + chain.Dot(row, d.middle)
	}
	if d.sampled.w.Data != nil {
		d.start.copy(d.sampled)
	}
	d.stiffen()
	d.set(d.start)
	d.training.scores = d.newScores()
	if err := d.takeScores(d.raw); err != nil {
		return err
	}
	if d.sampled.w.Data == nil {
		d.scale(d.start)
	}
	d.start.intercept, _ = d.pin(d.start.intercept)
	d.beginSearch()
	d.spreads, d.reconditions = make([]float64, len(d.classes)), true
	return nil
}

// weightsOf returns a function that sets a row to the weights of a class. Those of a Model are not copied before.
func weightsOf(model linear.Functionals) func(row []float64, class int) {
	if m, ok := model.(*Model); ok {
		return func(row []float64, class int) { copy(row, m.weights[class*len(row):]) }
	}
	w := model.Weights()
	return func(row []float64, class int) { mat.Col(row, class, w) }
}

// scale multiplies functions, whose scores are kept, and the scores by the factor of least loss.
func (d *descent) scale(f functions) {
	scale := d.bestScale(f, d.lambda)
	f.multiply(scale)
	d.training.scores.scale *= scale
}

// row returns the weights of class k.
func (d *descent) row(f functions, k int) []float64 { return f.w.Data[k*f.w.Stride:][:d.out] }

// set sets at, and with it raw, to functions of features φ.
func (d *descent) set(f functions) {
	d.at.copy(f)
	d.setRaw()
}

// setRaw sets raw to the functions at.
func (d *descent) setRaw() {
	if d.training.raw != nil {
		copy(d.raw.w.Data, d.at.w.Data)
		copy(d.raw.intercept, d.at.intercept)
		d.rawTurned.SolveVecs(d.raw.w)
	}
}

// move sets at to the functions of a point V.
func (d *descent) move(point []float64) {
	v := d.at
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
		if d.centers.w.Data != nil {
			m := d.row(d.centers, k)
			v.intercept[k] += chain.Dot(m, start) - chain.Dot(m, row)
		}
	}
	d.setRaw()
}

// evaluate returns the loss at a point, and sets gradient to its gradient by V.
func (d *descent) evaluate(point, gradient []float64) (float64, error) {
	d.move(point)
	sum, err := d.traverse(d.raw, d.gradient)
	if err != nil {
		return 0, err
	}
	d.sum = sum
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

// project turns the gradient by W and c into the gradient by V.
func (d *descent) project(gradient []float64) {
	weights := gradient[:d.count*d.out]
	for k := range d.count {
		to := weights[k*d.out:][:d.out]
		copy(to, d.row(d.gradient, k))
		if d.centers.w.Data != nil {
			chain.Add(to, -d.gradient.intercept[k]/d.total, d.row(d.centers, k))
		}
		gradient[len(weights)+k] = d.level * d.gradient.intercept[k] / d.total
	}
	d.factor.SolveTransVecs(blas64.General{Rows: d.count, Cols: d.out, Stride: d.out, Data: weights})
	for i := range weights {
		weights[i] *= d.root
	}
}

// run takes steps until the loss can fall by no more than Tolerance, no step lowers it, or there were mostPasses
// passes.
func (d *descent) run() error {
	gradient, before := d.pulled, d.pass
	for {
		value, err := d.step(d.search.Point(), gradient)
		if err != nil {
			return err
		}
		first, steps := math.IsNaN(d.search.Value()), d.search.Steps()
		state := d.search.Report(value, gradient)
		accepted := first || d.search.Steps() > steps
		if state == lbfgs.Stuck {
			return d.finish(accepted)
		}
		if !accepted {
			continue
		}
		if done, err := d.settle(gradient); done || err != nil {
			return err
		}
		if d.mostPasses > 0 && d.pass >= before+d.mostPasses {
			d.cut = true
			return d.finish(true)
		}
		if d.reconditions && d.search.Steps() >= stepsBefore {
			d.reconditions = false
			changed, err := d.recondition()
			if err != nil {
				return err
			}
			if changed && !d.restart(d.search.Value(), gradient) {
				return d.finish(true)
			}
		}
	}
}

// step evaluates, and counts a pass.
func (d *descent) step(point, gradient []float64) (float64, error) {
	value, err := d.evaluate(point, gradient)
	if err == nil {
		d.pass++
		err = d.tell(d.pass, value)
	}
	return value, err
}

// settle reports whether the descent can end at the point evaluated last, once it has the best intercepts. If it
// cannot, it goes on from these.
func (d *descent) settle(gradient []float64) (done bool, err error) {
	if d.fall() > d.tolerated() {
		return false, nil
	}
	gain := d.pinIntercepts()
	if gain <= pinnedGain*d.tolerated() {
		return true, nil
	}
	point := d.search.Elsewhere()
	for k, v := range d.best {
		point[d.count*d.out+k] += (v - d.at.intercept[k]) / d.level
	}
	value, err := d.step(point, gradient)
	if err != nil {
		return false, err
	}
	if d.search.Move(point, value, gradient) == lbfgs.Stuck {
		return true, d.finish(true)
	}
	if d.fall() > d.tolerated() {
		return false, nil
	}
	d.pinIntercepts()
	return true, nil
}

// tolerated returns by how much the loss may still fall at the end of the descent.
func (d *descent) tolerated() float64 { return d.Tolerance * max(d.search.Value(), d.least) }

// pinIntercepts sets pinned to the best intercepts for the weights that were evaluated last, and value to the loss
// there. It returns the gain.
func (d *descent) pinIntercepts() (gain float64) {
	var sum float64
	d.best, sum = d.pin(d.at.intercept)
	gain = max(d.sum-sum, 0) / d.total
	d.loss = d.search.Value() - gain
	return gain
}

// finish ends the descent at the best point, which need not be the one that was evaluated last.
func (d *descent) finish(last bool) error {
	if !last {
		if _, err := d.evaluate(d.search.Best(), d.pulled); err != nil {
			return err
		}
	}
	d.pinIntercepts()
	return nil
}

// fall bounds how much the loss can fall from the point evaluated last, if that has the best intercepts: the loss is
// strongly convex in the weights, and falls by ‖gradient‖²/2μ at most.
func (d *descent) fall() float64 { return 0.5 * d.square * d.total / d.lambda }

// settled sets at, and with it raw, to where the descent ended. A constant can be added to all intercepts: they are
// made to sum to 0.
func (d *descent) settled() {
	d.move(d.search.Best())
	var sum float64
	for _, v := range d.best {
		sum += v
	}
	for k := range d.best {
		d.best[k] -= sum / float64(d.count)
	}
	copy(d.at.intercept, d.best)
	copy(d.raw.intercept, d.best)
}

// model returns the model of the best point.
func (d *descent) model() (*Model, error) {
	d.settled()
	m := &Model{
		phi: d.training.phi, lambda: d.lambda / d.unit, loss: d.loss, rows: len(d.classes),
		weights: make([]float64, d.count*d.out), intercept: make([]float64, d.count),
	}
	for k := range d.count {
		row := d.row(d.at, k)
		copy(m.weights[k*d.out:], row)
		m.intercept[k] = d.at.intercept[k] - chain.Dot(row, d.middle)
	}
	if s := d.spanned; s != nil {
		var err error
		m.weights, m.loss, err = s.widen(d.at.w, m.intercept, d.lambda, func() error { return d.tell(d.pass, d.loss) })
		if err != nil {
			return nil, err
		}
		if !(math.Abs(m.loss-d.loss) <= lostInSpan*d.Tolerance*max(m.loss, d.least)) {
			return nil, errSpan
		}
	}
	if err := m.validate(); err != nil {
		return nil, outer(err)
	}
	m.serve()
	return m, nil
}
