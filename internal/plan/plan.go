// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package plan chooses the map of a kernel. For each term of the kernel's canonical form it chooses among candidates of
// all kinds, by their exact errors over pairs of points, and it divides the columns among terms.
// docs/theory/planning.md explains the rules.
//
// Begin with plan.go, what is known of a map before its weights are sampled, and kinds.go, the table of kinds. draft.go
// and shares.go divide columns, and term.go and choice.go decide for a term. judge.go measures errors on rows that did
// not choose. The files named after kinds of maps have their candidates.
package plan

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

// Plan is a map before its weights are sampled: see Plan of the root package. The zero value is not a
// plan.
type Plan struct {
	Kernel   expr.Kernel // as the caller gave it
	In       int
	Segments []Segment

	ForPoints bool                           // whether it was made for given points, not for the unit sphere
	Sample    func() (*sample.Sample, error) // returns the points that it was made for, or an error if they were not saved with it
	RMSE      func() float64                 // see RMSE
	relative  float64                        // its relative standard error over rows that did not choose; 0 if there were no such rows
}

// Segment is the columns of one term in a plan, and the recipe of their map.
type Segment struct {
	form.Term                   // in the form that is mapped, which may be the other side of an exponential
	recipe.Recipe               // for the term without its weights
	Given         form.Term     // the term of the kernel that is mapped: Term, or another side of it
	From          Origin        // the origin of Given
	Side          string        // the name of the side that Term is (see form.SideDot); "" if it is Given
	ExactWith     int           // the number of columns that would make it exact but do not fit; 0 if there is no such number
	SquaredError  float64       // the mean squared error over the pairs that the plan was made for
	MaxNorm       float64       // the largest norm of points behind the warp that it was made for: 1.5 times the norm of Points, 1 without, +Inf where the error does not grow
	others        []alternative // the maps that were not chosen, in ascending order of their errors
}

// Origin says which terms of a kernel a segment maps: one, or several as a mixture.
type Origin struct {
	Split bool  // whether Terms belong to the form with exponentials as separate terms: see form.Form.SplitExponentials
	Terms []int // numbers in the canonical form, from 0; nil for the whole kernel, as in the plan of NewFourier's map
}

// alternative is a map of a term that was considered and not chosen.
type alternative struct {
	form.Term
	squaredError float64 // see Segment
	barred       bool    // its error at far points is too large
	make         func() (recipe.Recipe, error)
}

// Of returns the plan of a map with one recipe for the whole kernel, as constructors for one kind of map make it.
func Of(k expr.Kernel, r recipe.Recipe, seeded random.New) *Plan {
	p := &Plan{Kernel: k, In: r.Shape().In, Segments: []Segment{{Recipe: r, SquaredError: math.NaN(), MaxNorm: math.NaN()}}}
	p.Sample = SphereOnce(p.In, seeded)
	p.RMSE = sync.OnceValue(func() float64 {
		rmse, _, _ := p.rmseOver(sample.MinPairs)
		return rmse
	})
	return p
}

// SphereOnce returns a function that returns the sample of the unit sphere of R^in, which its first call makes.
func SphereOnce(in int, seeded random.New) func() (*sample.Sample, error) {
	return sync.OnceValues(func() (*sample.Sample, error) { return SampleOf(nil, in, seeded) })
}

// Constructed tells whether the plan comes from a constructor for one kind of map, such as NewFourier, not from
// NewPlan.
func (p *Plan) Constructed() bool { return p.Segments[0].From.Terms == nil }

// rmseOver returns the predicted root mean square error over a number of pairs of the sample, most or somewhat more
// (see sample.Sample.Numbers). It also returns the root mean square of the bias in it, and its relative standard error
// for other rows like the sample's. The mean over pairs is a U-statistic, whose standard error follows from the means
// over the pairs of each row (Hoeffding 1948).
func (p *Plan) rmseOver(most int) (rmse, rootBias, relative float64) {
	s, err := p.Sample()
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	n := float64(len(s.Rows))
	var mean, meanBias float64
	byRow := make([]float64, len(s.Rows))
	pairs := s.Numbers(most)
	part := 1 / float64(len(pairs))
	at := p.MomentsOver(s)
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
	var spread float64 // relative, because squares of variances may overflow
	for _, v := range byRow {
		spread += arith.Square(v/mean*(n/2) - 1)
	}
	// The relative error of a root is half the relative error of its square.
	return math.Sqrt(mean), math.Sqrt(meanBias), math.Sqrt(spread / (n * (n - 1)))
}

// Dims returns the number of coordinates in, and the number of features out.
func (p *Plan) Dims() (in, out int) {
	for _, b := range p.Segments {
		out += b.Shape().Columns
	}
	return p.In, out
}

// PredictedError returns the predicted root mean square error, or NaN if it is unknown.
func (p *Plan) PredictedError() float64 {
	if p.RMSE == nil {
		return math.NaN()
	}
	return p.RMSE()
}

// Single tells whether there is one segment, without weights.
func (p *Plan) Single() bool { return len(p.Segments) == 1 && p.Segments[0].Weights == nil }

// A Compiled is the transform of a plan.
type Compiled struct {
	Stack   *projection.Stack
	Ends    []int // of the parts of each segment in the stack
	Columns []int // of each segment; there may be fewer than the maximum in its shape
	Drawn   any   // what the recipe of the last segment knows of its samples
	Known   bool  // whether all variances are known
}

// Compile samples the weights. next returns a sampler for each random segment. Weights may take room bytes.
func (p *Plan) Compile(next func() random.Sampler, room float64) (c Compiled, err error) {
	_, out := p.Dims()
	b := recipe.NewBuilder(p.In, out, room)
	if err := b.Reserve(8 * (float64(p.In) + float64(out))); err != nil {
		return c, err
	}
	c.Known = true
	for _, each := range p.Segments {
		first := b.At
		if c.Drawn, err = each.Draw(b, next); err != nil {
			return c, err
		}
		columns := b.At - first
		if each.Weights != nil {
			b.Parts = append(b.Parts, projection.Weighted{
				At: first, Columns: columns, Weight: each.Weigher(p.In), Gradient: each.WeightGradient(p.In),
			})
		}
		c.Ends = append(c.Ends, len(b.Parts))
		c.Columns = append(c.Columns, columns)
		c.Known = c.Known && each.Known()
	}
	c.Stack = projection.NewStack(p.In, b.At, b.Parts...)
	return c, nil
}

// Moments returns the variance and the bias of ⟨φ(x), φ(y)⟩, or NaN for a nil or zero plan.
func (p *Plan) Moments(x, y []float64) (variance, bias float64) {
	if p == nil || p.Kernel == nil {
		return math.NaN(), math.NaN()
	}
	if len(x) != p.In || len(y) != p.In {
		panic(mat.ErrShape)
	}
	for _, b := range p.Segments {
		v, c := recipe.Moments(b.Recipe, x, y)
		if b.Weights != nil {
			v, c = b.weighted(v, c, b.Weight(x)*b.Weight(y), x, y)
		}
		variance, bias = variance+v, bias+c
	}
	return variance, bias
}

// weighted returns the variance and the bias of a segment at x and y, where the product of the weights is w. It is
// given the variance and the bias of the map without weights.
func (b Segment) weighted(variance, bias, w float64, x, y []float64) (weightedVariance, weightedBias float64) {
	if !math.IsInf(variance, 1) { // an infinite variance stays infinite, even if the weights underflow to 0
		variance *= w * w
	}
	if bias != 0 && (w == 0 || math.IsInf(bias, 0)) { // far out the features of a truncated series are 0
		return variance, -b.Given.Expr().Eval(x, y)
	}
	return variance, bias * w
}

// MomentsOver returns the function Moments for rows i and j of a sample.
func (p *Plan) MomentsOver(s *sample.Sample) func(i, j int) (variance, bias float64) {
	points, weights := make([][]sample.Point, len(p.Segments)), make([][]float64, len(p.Segments))
	for k, b := range p.Segments {
		points[k], weights[k] = s.Behind(b.Shape().Warp, s.Rows), s.Weights(b.Weighing(s.In), s.Rows)
	}
	x, y, memory := make([]float64, s.In), make([]float64, s.In), new(sample.Memory)
	return func(i, j int) (variance, bias float64) {
		for k, b := range p.Segments {
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

// SampleOf returns the sample of a plan: of points, or if they are nil of the unit sphere of R^in.
func SampleOf(points mat.Matrix, in int, seeded random.New) (*sample.Sample, error) {
	if !check.IsNil(points) {
		return sample.New(points)
	}
	if err := recipe.NewBuilder(in, 1, math.Inf(1)).Reserve(8 * sample.SphereRows * float64(in)); err != nil {
		return nil, err
	}
	return sample.Sphere(in, seeded(1).FillNormal), nil
}

// Underivable returns the error for a segment of a map of k that has no derivative. last tells whether the last part of
// the segment, its weights, is the cause.
func (b *Segment) Underivable(k expr.Kernel, last bool) error {
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
