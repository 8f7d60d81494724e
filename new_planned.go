// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// A planned is a map before its weights are drawn: see Plan of the root package. The zero value is none.
type planned struct {
	kernel   expr.Kernel // as it was given
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

// recipePlan returns the plan of a map with one recipe for the whole kernel, as the constructors of one kind of map make it.
func recipePlan(k expr.Kernel, r recipe.Recipe, seeded random.New) *planned {
	p := &planned{kernel: k, in: r.Shape().In, segments: []segment{{Recipe: r, squaredError: math.NaN(), maxNorm: math.NaN()}}}
	p.sample = sphereOnce(p.in, seeded)
	p.rmse = sync.OnceValue(func() float64 {
		rmse, _, _ := p.rmseOver(sample.MinPairs)
		return rmse
	})
	return p
}

// sphereOnce returns the function that returns the sample of the unit sphere of R^in, and makes it in its first call.
func sphereOnce(in int, seeded random.New) func() (*sample.Sample, error) {
	return sync.OnceValues(func() (*sample.Sample, error) { return sampleOf(nil, in, seeded) })
}

// constructed tells whether the plan is that of a constructor of one kind of map, such as NewFourier, not of NewPlan.
func (p *planned) constructed() bool { return p.segments[0].from.terms == nil }

// rmseOver returns the predicted root mean square error over a number of pairs of the sample, most or somewhat
// more (see numbers), the root mean square of the bias in it, and its relative standard error for other rows like the sample's. The mean over pairs is
// a U-statistic, whose standard error follows from the means over the pairs of each row (Hoeffding 1948).
func (p *planned) rmseOver(most int) (rmse, rootBias, relative float64) {
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

// dims returns the number of coordinates in, and the number of features out.
func (p *planned) dims() (in, out int) {
	for _, b := range p.segments {
		out += b.Shape().Columns
	}
	return p.in, out
}

// error returns the predicted root mean square error, or NaN if it is unknown.
func (p *planned) error() float64 {
	if p.rmse == nil {
		return math.NaN()
	}
	return p.rmse()
}

// single tells whether there is one segment, without weights.
func (p *planned) single() bool { return len(p.segments) == 1 && p.segments[0].Weights == nil }

// A compiledPlan is the transform of a plan.
type compiledPlan struct {
	stack   *projection.Stack
	ends    []int // of the parts of each segment in the stack
	columns []int // of each segment: there may be fewer than the maximum in its shape
	drawn   any   // what the recipe of the last segment knows of its draws
	known   bool  // whether all variances are known
}

// compile draws the weights from samplers that next returns, one for each random segment. They may take a number of bytes.
func (p *planned) compile(next func() random.Sampler, room float64) (c compiledPlan, err error) {
	_, out := p.dims()
	b := recipe.NewBuilder(p.in, out, room)
	if err := b.Reserve(8 * (float64(p.in) + float64(out))); err != nil {
		return c, err
	}
	c.known = true
	for _, each := range p.segments {
		first := b.At
		if c.drawn, err = each.Draw(b, next); err != nil {
			return c, err
		}
		columns := b.At - first
		if each.Weights != nil {
			b.Parts = append(b.Parts, projection.Weighted{
				At: first, Columns: columns, Weight: each.Weigher(p.in), Gradient: each.WeightGradient(p.in),
			})
		}
		c.ends = append(c.ends, len(b.Parts))
		c.columns = append(c.columns, columns)
		c.known = c.known && each.Known()
	}
	c.stack = projection.NewStack(p.in, b.At, b.Parts...)
	return c, nil
}

// moments returns the variance and the bias of ⟨φ(x), φ(y)⟩, or NaN for a nil or zero plan.
func (p *planned) moments(x, y []float64) (variance, bias float64) {
	if p == nil || p.kernel == nil {
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
func (p *planned) momentsOver(s *sample.Sample) func(i, j int) (variance, bias float64) {
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

// sampleOf returns the sample of a plan: of points, or if they are nil of the unit sphere of R^in.
func sampleOf(points mat.Matrix, in int, seeded random.New) (*sample.Sample, error) {
	if !check.IsNil(points) {
		return sample.New(points, in)
	}
	if err := recipe.NewBuilder(in, 1, math.Inf(1)).Reserve(8 * sample.SphereRows * float64(in)); err != nil {
		return nil, err
	}
	return sample.Sphere(in, seeded(1).FillNormal), nil
}

// underivable returns the error for a segment of a map of k that has no derivative; last tells whether that is so of its
// last part, where its weights are.
func (b *segment) underivable(k expr.Kernel, last bool) error {
	if last {
		for _, w := range b.Weights {
			if _, ok := w.Weighter.(expr.Gradienter); !ok {
				return fmt.Errorf("featuremap: no derivative of Weight by a %T: it is no WeightGradienter", w.Weighter)
			}
		}
	}
	if b.Base != nil {
		k = b.Base.Expr()
	}
	return fmt.Errorf("featuremap: no derivative of features of %s (%v)", gosyntax.Of(k), b.Recipe)
}
