// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package plan chooses the map of a kernel: for each term of its canonical form among candidates of all kinds, by their exact errors over
// pairs of points, and how terms share columns.
//
// Begin with plan.go, what is known of a map before its draw, and kinds.go, the table of kinds; draft.go and shares.go share out columns,
// term.go and choice.go decide for a term, judge.go has rows that did not choose, and the files of kinds have their candidates.
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

// A Plan is a map before its weights are drawn: see Plan of the root package. The zero value is none.
type Plan struct {
	Kernel   expr.Kernel // as it was given
	In       int
	Segments []Segment

	ForPoints bool                           // whether it was made for given points, not for the unit sphere
	Sample    func() (*sample.Sample, error) // returns the points that it was made for: an error if they were not saved with it
	RMSE      func() float64                 // see RMSE
	relative  float64                        // its relative standard error, where rows judged that did not choose; else 0
}

// A Segment is the columns of one term in a plan, and the recipe of their map.
type Segment struct {
	form.Term                   // as it is mapped, which may be the other side of an exponential
	recipe.Recipe               // of the term without its weights
	Given         form.Term     // the term of the kernel that is mapped: the same as Term, unless that is another side
	From          Origin        // of Given
	Side          string        // the name of the other side that Term is (see form.SideDot); "" if it is Given itself
	ExactWith     int           // number of columns that would make it exact but do not fit; 0 if none would
	SquaredError  float64       // the mean squared error over the pairs that the plan was made for
	MaxNorm       float64       // the largest norm of points behind the warp that it was made for: 1.5 times that of Points, 1 without, +Inf where the error does not grow
	others        []alternative // the maps that were not chosen, in ascending order of their errors
}

// An Origin says which terms of a kernel a segment maps: one, or several as their mixture.
type Origin struct {
	Split bool  // whether Terms are those of the form with exponentials as terms of their own: see form.Form.SplitExponentials
	Terms []int // numbers in the canonical form, from 0; nil for the whole kernel, as in the plan of NewFourier's map
}

// An alternative is a map of a term that was looked at and not chosen.
type alternative struct {
	form.Term
	squaredError float64 // see Segment
	barred       bool    // its error at far points is too large
	make         func() (recipe.Recipe, error)
}

// Of returns the plan of a map with one recipe for the whole kernel, as the constructors of one kind of map make it.
func Of(k expr.Kernel, r recipe.Recipe, seeded random.New) *Plan {
	p := &Plan{Kernel: k, In: r.Shape().In, Segments: []Segment{{Recipe: r, SquaredError: math.NaN(), MaxNorm: math.NaN()}}}
	p.Sample = SphereOnce(p.In, seeded)
	p.RMSE = sync.OnceValue(func() float64 {
		rmse, _, _ := p.rmseOver(sample.MinPairs)
		return rmse
	})
	return p
}

// SphereOnce returns the function that returns the sample of the unit sphere of R^in, and makes it in its first call.
func SphereOnce(in int, seeded random.New) func() (*sample.Sample, error) {
	return sync.OnceValues(func() (*sample.Sample, error) { return SampleOf(nil, in, seeded) })
}

// Constructed tells whether the plan is that of a constructor of one kind of map, such as NewFourier, not of NewPlan.
func (p *Plan) Constructed() bool { return p.Segments[0].From.Terms == nil }

// rmseOver returns the predicted root mean square error over a number of pairs of the sample, most or somewhat
// more (see sample.Sample.Numbers), the root mean square of the bias in it, and its relative standard error for other rows like the sample's. The mean over pairs is
// a U-statistic, whose standard error follows from the means over the pairs of each row (Hoeffding 1948).
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
	var spread float64 // relative, since squares of variances may overflow
	for _, v := range byRow {
		spread += arith.Square(v/mean*(n/2) - 1)
	}
	// The relative error of a root is half that of its square.
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
	Columns []int // of each segment: there may be fewer than the maximum in its shape
	Drawn   any   // what the recipe of the last segment knows of its draws
	Known   bool  // whether all variances are known
}

// Compile draws the weights from samplers that next returns, one for each random segment. They may take a number of bytes.
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

// weighted returns the variance and the bias of a segment at x and y, whose weights there have the product w, given the
// variance and the bias of its map without weights.
func (b Segment) weighted(variance, bias, w float64, x, y []float64) (weightedVariance, weightedBias float64) {
	if !math.IsInf(variance, 1) { // an infinite variance stays infinite, even if the weights underflow to 0
		variance *= w * w
	}
	if bias != 0 && (w == 0 || math.IsInf(bias, 0)) { // far out the features of a series that is cut are 0
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

// Underivable returns the error for a segment of a map of k that has no derivative; last tells whether that is so of its
// last part, where its weights are.
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
