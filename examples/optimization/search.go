// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const (
	first   = 6   // random points
	typical = 0.3 // length scale, for columns from 0 to 1
	starts  = 5   // number of climbs, from the best of random points
)

// A surface is a function on the unit cube with its gradient.
type surface struct {
	value    func(x []float64) float64
	gradient func(dst, x []float64)
}

// A method chooses a surface, whose largest value is the next point.
type method struct {
	name   string
	choose func(m *ridge.Model, s *featuremap.Sampler) (surface, error)
}

// methods are all methods; random points have no surface.
var methods = []method{
	{"upper bound", upperBound},
	{"Thompson", thompson},
	{"random", nil},
}

// upperBound returns the mean plus two standard deviations.
func upperBound(m *ridge.Model, _ *featuremap.Sampler) (surface, error) {
	p, err := m.Posterior()
	if err != nil {
		return surface{}, err
	}
	deviation := func(x []float64) float64 { return math.Sqrt(p.VarianceVec(nil, x)[0]) }
	return surface{
		func(x []float64) float64 { return m.PredictVec(nil, x)[0] + 2*deviation(x) },
		func(dst, x []float64) {
			m.GradientVec(dst, x, 0)
			floats.AddScaled(dst, 1/deviation(x), p.VarianceGradientVec(nil, x, 0))
		},
	}, nil
}

// thompson returns a sample from the posterior (Thompson 1933, "On the likelihood that one unknown probability exceeds
// another").
func thompson(m *ridge.Model, s *featuremap.Sampler) (surface, error) {
	p, err := m.Posterior()
	if err != nil {
		return surface{}, err
	}
	f, err := p.Sample(s)
	if err != nil {
		return surface{}, err
	}
	return surface{
		func(x []float64) float64 { return f.EvalVec(nil, x)[0] },
		func(dst, x []float64) { f.GradientVec(dst, x, 0) },
	}, nil
}

// mean returns the predictions of a model.
func mean(m *ridge.Model, _ *featuremap.Sampler) (surface, error) {
	return surface{
		func(x []float64) float64 { return m.PredictVec(nil, x)[0] },
		func(dst, x []float64) { m.GradientVec(dst, x, 0) },
	}, nil
}

// search evaluates the objective, a function on the unit cube of d columns, the given number of times, and returns its
// values.
func search(objective func(x []float64) float64, d, evaluations int, by method, s *featuremap.Sampler) ([]float64, error) {
	var points, values []float64
	scales := []*scale{{linear, slices.Repeat([]float64{typical}, d)}, {logarithmic, slices.Repeat([]float64{typical}, d)}}
	for n := range evaluations {
		next := random(d, s)
		if n >= first && by.choose != nil && slices.Max(values) > slices.Min(values) { // equal values do not tell where to look
			x := mat.NewDense(n, d, points)
			m, err := fitLikelier(scales, x, values, s)
			if err != nil {
				return nil, err
			}
			choose := by.choose
			if n%2 == 1 { // refine the best peak so far
				choose = mean
			}
			f, err := choose(m, s)
			if err != nil {
				return nil, err
			}
			next = f.maximize(x, s)
		}
		points, values = append(points, next...), append(values, objective(next))
	}
	return values, nil
}

// A scale is a transformation of the values, with the length scales of the process for them.
type scale struct {
	of      func(values []float64) (t []float64, change float64)
	lengths []float64
}

// linear is the scale of the values themselves.
func linear(values []float64) (t []float64, change float64) { return values, 0 }

// logarithmic maps a value y to −log(1 + (best − y)/u), where u is the distance of the median from the best value, or
// else of the mean. The density of y is the density on the scale times dt/dy = 1/(u + best − y); the logarithms of
// these factors add up to change.
func logarithmic(values []float64) (t []float64, change float64) {
	n, best := len(values), slices.Max(values)
	u := cmp.Or(best-slices.Sorted(slices.Values(values))[n/2], best-floats.Sum(values)/float64(n))
	for _, y := range values {
		t = append(t, -math.Log(1+(best-y)/u))
		change -= math.Log(u + best - y)
	}
	return t, change
}

// fitLikelier improves the length scales for all transformations, and returns the process for the transformation under
// which the values are likeliest.
func fitLikelier(scales []*scale, x *mat.Dense, values []float64, s *featuremap.Sampler) (*ridge.Model, error) {
	likeliest, most := scales[0], math.Inf(-1)
	for _, c := range scales {
		t, change := c.of(values)
		l, err := improve(c.lengths, x, mat.NewDense(len(t), 1, t), s)
		if err != nil {
			return nil, err
		}
		if l+change > most {
			likeliest, most = c, l+change
		}
	}
	t, _ := likeliest.of(values)
	return fit(likeliest.lengths, x, mat.NewDense(len(t), 1, t), s)
}

// fit returns the Gaussian process through the values y at x, with a length scale for each column. All different points
// are landmarks, so it is exact.
func fit(lengths []float64, x, y *mat.Dense, s *featuremap.Sampler) (*ridge.Model, error) {
	n, _ := x.Dims()
	k := featuremap.ARD(lengths, featuremap.Gaussian{LengthScale: 1})
	phi, err := featuremap.NewNystrom(k, x, n, s, nil)
	if err != nil {
		return nil, err
	}
	return ridge.Fit(phi, x, y, &ridge.Options{NoiseVariance: []float64{0}})
}

// improve moves the length scales to likelier ones, and returns their log likelihood. Each in turn is made longer, or
// shorter, while that helps, by smaller and smaller factors.
func improve(lengths []float64, x, y *mat.Dense, s *featuremap.Sampler) (float64, error) {
	best, err := likelihood(lengths, x, y, s)
	for factor := 1.65; factor > 1.1; factor = math.Sqrt(factor) {
		for j := range lengths {
			for _, by := range []float64{factor, 1 / factor} {
				for better := true; better && err == nil; {
					var l float64
					lengths[j] *= by
					if l, err = likelihood(lengths, x, y, s); l > best {
						best = l
					} else {
						lengths[j] /= by
						better = false
					}
				}
			}
		}
	}
	return best, err
}

// likelihood returns the log marginal likelihood of the length scales, plus a prior under which the logarithm of each
// is normal with standard deviation 1.
func likelihood(lengths []float64, x, y *mat.Dense, s *featuremap.Sampler) (float64, error) {
	m, err := fit(lengths, x, y, s)
	if err != nil {
		return 0, err
	}
	l, _ := m.LogEvidence()
	for _, v := range lengths {
		l -= 0.5 * math.Pow(math.Log(v/typical), 2)
	}
	return l, nil
}

// random returns a random point of the unit cube.
func random(d int, s *featuremap.Sampler) []float64 {
	x := make([]float64, d)
	for j := range x {
		x[j] = s.Float64()
	}
	return x
}

// A place is a point with the value of a surface there.
type place struct {
	x     []float64
	value float64
}

// maximize returns the largest point that climbs on a surface find. They start at the best of many random points, some
// of which are near the points so far.
func (f surface) maximize(x *mat.Dense, s *featuremap.Sampler) []float64 {
	n, d := x.Dims()
	var places []place
	for i := range 500 + n {
		p := random(d, s)
		if i >= 500 {
			for j, v := range x.RawRowView(i - 500) {
				p[j] = min(max(v+0.02*s.Normal(), 0), 1)
			}
		}
		places = append(places, place{p, f.value(p)})
	}
	higher := func(a, b place) int { return cmp.Compare(b.value, a.value) }
	slices.SortFunc(places, higher)
	for i := range starts {
		f.climb(&places[i])
	}
	return slices.MinFunc(places[:starts], higher).x
}

// climb moves a place uphill, to a peak within the unit cube: by steps along the gradient, which are halved until they
// gain.
func (f surface) climb(p *place) {
	gradient := make([]float64, len(p.x))
	for step := 0.1; step > 1e-4; {
		f.gradient(gradient, p.x)
		for j, v := range p.x {
			if v == 0 && gradient[j] < 0 || v == 1 && gradient[j] > 0 { // outwards
				gradient[j] = 0
			}
		}
		norm := floats.Norm(gradient, 2)
		if !(norm > 0) {
			return // flat
		}
		next := make([]float64, len(p.x))
		for j, v := range p.x {
			next[j] = min(max(v+step*gradient[j]/norm, 0), 1)
		}
		if value := f.value(next); value > p.value {
			*p = place{next, value}
			step *= 1.5
		} else {
			step /= 2
		}
	}
}
