// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/neurons"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// A Plan is a map before its weights are drawn: immutable, safe for concurrent use, and a Variancer. The zero value is no
// plan: its kernel is nil, its dimensions are 0, its numbers NaN, and Draw returns an error.
type Plan struct {
	kernel   Kernel
	in       int
	segments []segment

	forPoints bool                           // whether it was made for given points, not for the unit sphere
	sample    func() (*sample.Sample, error) // returns the points that it was made for: an error if they were not saved with it
	rmse      func() float64                 // see RMSE
	relative  float64                        // its relative standard error, where rows judged that did not choose; else 0
}

// A segment is the columns of one term in a plan, and the recipe of their map.
type segment struct {
	form.Term                   // as it is mapped, which may be the other side of an exponential
	recipe.Recipe               // of the term without its weights
	given         form.Term     // the term of the kernel that is mapped: the same as term, unless that is another side
	from          origin        // of given
	side          string        // the name of the other side that term is (see form.SideDot); "" if it is given itself
	exactWith     int           // number of columns that would make it exact but do not fit; 0 if none would
	squaredError  float64       // the mean squared error over the pairs that the plan was made for
	maxNorm       float64       // the largest norm of points behind the warp that it was made for: 1.5 times that of Points, 1 without, +Inf where the error does not grow
	others        []alternative // the maps that were not chosen, in ascending order of their errors
}

// An origin says which terms of a kernel a segment maps: one, or several as their mixture.
type origin struct {
	split bool  // whether numbers are those of the form with exponentials as terms of their own: see splitExponentials
	terms []int // numbers in the canonical form, from 0; nil for the whole kernel, as in the plan of NewFourier's map
}

// An alternative is a map of a term that was looked at and not chosen.
type alternative struct {
	form.Term
	squaredError float64 // see segment
	barred       bool    // its error at far points is too large
	make         func() (recipe.Recipe, error)
}

var _ Variancer = (*Plan)(nil)

// recipePlan returns the plan of a map with one recipe for the whole kernel, as the constructors of one kind of map make it.
func recipePlan(k Kernel, r recipe.Recipe) *Plan {
	p := &Plan{kernel: k, in: r.Shape().In, segments: []segment{{Recipe: r, squaredError: math.NaN(), maxNorm: math.NaN()}}}
	p.sample = sphereOnce(p.in)
	p.rmse = sync.OnceValue(func() float64 {
		rmse, _, _ := p.rmseOver(sample.MinPairs)
		return rmse
	})
	return p
}

// sphereOnce returns the function that returns the sample of the unit sphere of R^in, and makes it in its first call.
func sphereOnce(in int) func() (*sample.Sample, error) {
	return sync.OnceValues(func() (*sample.Sample, error) { return sampleOf(nil, in) })
}

// constructed tells whether the plan is that of a constructor of one kind of map, such as NewFourier, not of NewPlan.
func (p *Plan) constructed() bool { return p.segments[0].from.terms == nil }

// rmseOver returns the predicted root mean square error over a number of pairs of the sample, most or somewhat
// more (see numbers), the root mean square of the bias in it, and its relative standard error for other rows like the sample's. The mean over pairs is
// a U-statistic, whose standard error follows from the means over the pairs of each row (Hoeffding 1948).
func (p *Plan) rmseOver(most int) (rmse, rootBias, relative float64) {
	s, err := p.sample()
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	n := float64(len(s.Rows))
	var mean, meanBias float64
	byRow := make([]float64, len(s.Rows))
	pairs := s.Numbers(most)
	part := 1 / float64(len(pairs))
	at := p.momentsOver(s)
	for _, ij := range pairs {
		variance, bias := at(ij[0], ij[1])
		v := part * (variance + bias*bias)
		mean += v
		meanBias += part * (bias * bias)
		byRow[ij[0]] += v
		byRow[ij[1]] += v
	}
	if mean == 0 {
		return 0, 0, 0
	}
	var spread float64 // relative, since squares of variances may overflow
	for _, v := range byRow {
		spread += arith.Square(v/mean*(n/2) - 1)
	}
	// The relative error of a root is half that of its square.
	return math.Sqrt(mean), math.Sqrt(meanBias), math.Sqrt(spread / (n * (n - 1)))
}

// Dims returns the number of coordinates in, and the number of features out. For Compositional features
// that is the maximum, since equal draws are merged.
func (p *Plan) Dims() (in, out int) {
	for _, b := range p.segments {
		out += b.Shape().Columns
	}
	return p.in, out
}

// Kernel returns the kernel as it was given.
func (p *Plan) Kernel() Kernel { return p.kernel }

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map: the sum over the terms, which are
// drawn independently. It is NaN if that of a term is unknown, as for a BlackBox.
func (p *Plan) Variance(x, y []float64) float64 {
	v, _ := p.moments(x, y)
	return v
}

// Bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y) over the draw of the map: 0, except for series that were cut, as plans
// for Points may cut them (see PlanOptions.Unbiased) and the law of a Maclaurin map may. String says how large it is.
func (p *Plan) Bias(x, y []float64) float64 {
	_, b := p.moments(x, y)
	return b
}

// moments returns Variance and Bias.
func (p *Plan) moments(x, y []float64) (variance, bias float64) {
	if p == nil || p.kernel == nil { // a nil or zero Plan
		return math.NaN(), math.NaN()
	}
	if len(x) != p.in || len(y) != p.in {
		panic(mat.ErrShape)
	}
	for _, b := range p.segments {
		v, c := recipe.Moments(b.Recipe, x, y)
		if b.Weights != nil {
			v, c = b.weighted(v, c, b.Weight(x)*b.Weight(y), x, y)
		}
		variance, bias = variance+v, bias+c
	}
	return variance, bias
}

// weighted returns the variance and the bias of a segment at x and y, whose weights there have the product w, given the
// variance and the bias of its map without weights.
func (b segment) weighted(variance, bias, w float64, x, y []float64) (weightedVariance, weightedBias float64) {
	if !math.IsInf(variance, 1) { // an infinite variance stays infinite, even if the weights underflow to 0
		variance *= w * w
	}
	if bias != 0 && (w == 0 || math.IsInf(bias, 0)) { // far out the features of a series that is cut are 0
		return variance, -b.given.Expr().Eval(x, y)
	}
	return variance, bias * w
}

// momentsOver returns the function moments for rows i and j of a sample.
func (p *Plan) momentsOver(s *sample.Sample) func(i, j int) (variance, bias float64) {
	points, weights := make([][]sample.Point, len(p.segments)), make([][]float64, len(p.segments))
	for k, b := range p.segments {
		points[k], weights[k] = s.Behind(b.Shape().Warp, s.Rows), s.Weights(b.Weighing(s.In), s.Rows)
	}
	x, y, memory := make([]float64, s.In), make([]float64, s.In), new(sample.Memory)
	return func(i, j int) (variance, bias float64) {
		for k, b := range p.segments {
			xy := sample.NewPair(points[k][i], points[k][j], memory)
			v, c := recipe.MomentsAt(b.Recipe, &xy)
			if b.Weights != nil {
				v, c = b.weighted(v, c, weights[k][i]*weights[k][j], sample.Full(x, s.Rows[i]), sample.Full(y, s.Rows[j]))
			}
			variance, bias = variance+v, bias+c
		}
		return variance, bias
	}
}

// RMSE returns the predicted root mean square error of ⟨φ(x), φ(y)⟩ over the pairs that the plan was made
// for, or that judged it (see PlanOptions.Points): NaN if the variance is unknown. String has its standard error. Where several terms have a bias, their biases count as if they were in proportion, which
// is no less than they are.
func (p *Plan) RMSE() float64 {
	if p.rmse == nil {
		return math.NaN()
	}
	return p.rmse()
}

// Draw draws the weights from a Split of s; two draws from one sampler are independent maps. A single
// random term, without weight and of known variance, gives a *Fourier, *Maclaurin, *Neurons or
// *Compositional, unless the map is made for points near those of the plan alone (see PlanOptions).
//
// It returns an error, and leaves s as it was, if s is nil or the zero value, if the weights do not fit in
// memory, if a weight is not finite, if a degree is too high, or if a BlackBox returns an error.
func (p *Plan) Draw(s *Sampler) (FeatureMap, error) {
	if err := validateSampler(s); err != nil {
		return nil, err
	}
	if p.kernel == nil {
		return nil, errors.New("featuremap: the zero Plan")
	}
	before := *s
	m, err := p.build(start{*s.Split(), p.splits()}, math.Inf(1))
	if err != nil {
		*s = before
		return nil, err
	}
	return m, nil
}

// A start is the sampler that a map is drawn from, and how many splits, one after another, lead from it to the sampler
// of each random segment.
type start struct {
	sampler Sampler
	splits  int
}

// drawn tells whether there is a sampler: there is none where all weights were given.
func (s *start) drawn() bool { return s.sampler.seeded }

// splits returns the number of splits in the start of a map by Draw. Constructors have 0.
func (p *Plan) splits() int {
	if p.single() {
		return 1
	}
	return 2
}

// single tells whether there is one segment, without weights.
func (p *Plan) single() bool { return len(p.segments) == 1 && p.segments[0].Weights == nil }

// build draws the map, whose weights may take a number of bytes. A map of one random segment has the type of its recipe, such as *Fourier, if a
// constructor makes it, or if it has no weights and a known variance. Any other is a sumMap, or a variedMap.
func (p *Plan) build(from start, room float64) (FeatureMap, error) {
	_, out := p.Dims()
	b := recipe.NewBuilder(p.in, out, room)
	sampler := from.sampler
	next := func() random.Sampler {
		s := &sampler
		for range from.splits {
			s = s.Split()
		}
		return drawing{s}
	}
	where := p.domain()
	alone := from.splits == 0 || p.single() && p.segments[0].Known() && where == nil
	if err := b.Reserve(8 * (float64(p.in) + float64(out))); err != nil {
		return nil, err
	}
	m := &sumMap{}
	var drawn any // of the last segment
	var ends []int
	known := true
	for _, each := range p.segments {
		first := b.At
		var err error
		if drawn, err = each.Draw(b, next); err != nil {
			return nil, err
		}
		columns := b.At - first
		if each.Weights != nil {
			b.Parts = append(b.Parts, projection.Weighted{
				At: first, Columns: columns, Weight: each.Weigher(p.in), Gradient: each.WeightGradient(p.in),
			})
		}
		ends = append(ends, len(b.Parts))
		m.columns = append(m.columns, columns)
		known = known && each.Known()
	}
	c := compiled{plan: p, from: from, stack: projection.NewStack(p.in, b.At, b.Parts...), ends: ends, where: where}
	if alone && drawn != nil {
		return mapOf(drawn, c), nil
	}
	m.compiled = c
	if known {
		return variedMap{m}, nil
	}
	return m, nil
}

// mapOf returns the map of one kind that has drawn something.
func mapOf(drawn any, c compiled) FeatureMap {
	switch d := drawn.(type) {
	case *maclaurin.Draws:
		return &Maclaurin{c, d}
	case *neurons.Recipe:
		return &Neurons{c, d}
	case *graph.Draws:
		return &Compositional{c, d}
	}
	return &Fourier{c, drawn.(fourier.Waves)}
}

// PlanOf returns the plan that a map of the package was drawn from. The plan of a map of NewFourier,
// NewMaclaurin, NewNeurons or NewCompositional is made for points uniform on the unit sphere. It returns an
// error if m is nil, of another package, a DataDependent, or of NewFourierFrom.
func PlanOf(m FeatureMap) (*Plan, error) {
	if c, ok := m.(interface{ common() *compiled }); ok && !check.IsNil(m) && check.Own(m) && c.common().plan != nil && c.common().from.drawn() {
		return c.common().plan, nil
	}
	return nil, fmt.Errorf("featuremap: a %T was drawn from no plan", m)
}

// sampleOf returns the sample of a plan: of points, or if they are nil of the unit sphere of R^in.
func sampleOf(points mat.Matrix, in int) (*sample.Sample, error) {
	if !check.IsNil(points) {
		return sample.New(points, in)
	}
	if err := recipe.NewBuilder(in, 1, math.Inf(1)).Reserve(8 * sample.SphereRows * float64(in)); err != nil {
		return nil, err
	}
	return sample.Sphere(in, seeded(1).FillNormal), nil
}
