// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"errors"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
)

// A form tells how the warps of stationary terms may change.
type form int

const (
	unchanged  form = iota // not at all
	oneLength              // by a factor
	categories             // by a factor for each group of tied columns
	lengths                // by a factor for each column
	matrix                 // in each element
)

// A space holds the parameters of a search, relative to the setting where it begins:
//
//	log λ, the logarithms of scales if there are several, and for each stationary term those of its factors, or the
//	differences of the elements of its matrix, if that is of more than one column.
type space struct {
	model *model
	form  form
	from  setting
	slope slope
	ties  [][]int // the parameter of each column of each warp, for categories
}

// newSpace returns the parameters of a form, which begin at from.
func newSpace(m *model, f form, from *setting) *space {
	p := &space{model: m, form: f, from: from.clone()}
	p.slope.scales = make([]float64, len(m.groups))
	p.slope.warps = make([][]float64, len(m.groups))
	for i := range m.groups {
		w := &p.from.warps[i]
		if p.wholeMatrix(i) {
			*w = w.full()
		}
		p.slope.warps[i] = make([]float64, len(w.elements()))
		if f == categories {
			p.ties = append(p.ties, m.table.ties.parameters(w))
		}
	}
	return p
}

// clone returns a copy whose numbers may be changed.
func (s *setting) clone() setting {
	c := setting{s.lambda, slices.Clone(s.scales), slices.Clone(s.warps)}
	for i, w := range c.warps {
		c.warps[i] = w.with(slices.Clone(w.elements()))
	}
	return c
}

// free reports whether the warp of a term has parameters.
func (p *space) free(i int) bool {
	if p.form == unchanged || p.model.groups[i].frequencies == nil {
		return false
	}
	return p.form != matrix || p.from.warps[i].width() <= mostMatrix
}

// start returns the parameters of from.
func (p *space) start() []float64 {
	theta := []float64{detmath.Log(p.from.lambda)}
	if len(p.from.scales) > 1 {
		for _, s := range p.from.scales {
			theta = append(theta, detmath.Log(s))
		}
	}
	for i := range p.from.warps {
		theta = append(theta, make([]float64, p.count(i))...)
	}
	return theta
}

// count returns the number of parameters of the warp of a term.
func (p *space) count(i int) int {
	w := &p.from.warps[i]
	switch {
	case !p.free(i):
		return 0
	case p.form == oneLength:
		return 1
	case p.wholeMatrix(i):
		return len(w.elements())
	case p.form == categories:
		return slices.Max(p.ties[i]) + 1
	}
	return w.width()
}

// parameter returns the number of the factor that multiplies an element of the warp of a term, among the parameters of
// the term.
func (p *space) parameter(i, element int) int {
	switch p.form {
	case oneLength:
		return 0
	case categories:
		return p.ties[i][element%p.from.warps[i].width()]
	}
	return element % p.count(i)
}

// wholeMatrix reports whether the parameters of a term are all elements of a matrix. A term of one column has a length
// scale only.
func (p *space) wholeMatrix(i int) bool {
	return p.form == matrix && p.free(i) && p.from.warps[i].width() > 1
}

// freedom returns the number of parameters of the warps that make a difference: a rotation of the image makes none.
func (p *space) freedom() int {
	sum := 0
	for i := range p.from.warps {
		n := p.count(i)
		if out := p.from.warps[i].out(); p.wholeMatrix(i) {
			n -= out * (out - 1) / 2
		}
		sum += max(n, 0)
	}
	return sum
}

// Parameters that are logarithms stay within this distance of where they begin: e³⁰ is 1e13.
const farthest = 30

// longestStep is the largest change of a logarithm in a step. Without it the first step of length scales may make all
// but a few columns irrelevant, where the gradient is 0. That ended three of six searches, in two sets whose noise is a
// ten-thousandth.
const longestStep = 1

// leastLambda is the least λ for each row: the largest eigenvalue of ΦᵀΦ is at most the number of rows, and beyond a condition of 1e10
// rounding leaves no digits of the residuals.
const leastLambda = 1e-10

// solvable reports whether a λ is within bounds.
func (m *model) solvable(lambda float64) bool {
	return math.Abs(detmath.Log(lambda)) <= farthest && lambda >= leastLambda*float64(m.table.x.Rows)
}

// setting returns the setting of some parameters, and whether it is within bounds.
func (p *space) setting(theta []float64) (set setting, ok bool) {
	set = p.from.clone()
	set.lambda, theta = detmath.Exp(theta[0]), theta[1:]
	ok = p.model.solvable(set.lambda)
	if len(set.scales) > 1 {
		for i := range set.scales {
			set.scales[i] = detmath.Exp(theta[i])
			ok = ok && math.Abs(theta[i]) <= farthest
		}
		theta = theta[len(set.scales):]
	}
	for i := range set.warps {
		n := p.count(i)
		if n == 0 {
			continue
		}
		own := theta[:n]
		theta = theta[n:]
		elements := set.warps[i].elements()
		for e := range elements {
			if p.wholeMatrix(i) {
				elements[e] += own[e]
			} else {
				elements[e] *= detmath.Exp(own[p.parameter(i, e)])
			}
		}
		for _, v := range own {
			ok = ok && math.Abs(v) <= farthest
		}
	}
	return set, ok
}

// gradient sets dst to the gradient by the parameters, of the slope at set.
func (p *space) gradient(dst []float64, set *setting) {
	dst[0], dst = p.slope.lambda, dst[1:]
	if len(set.scales) > 1 {
		dst = dst[copy(dst, p.slope.scales):]
	}
	for i := range set.warps {
		n := p.count(i)
		own := dst[:n]
		dst = dst[n:]
		clear(own)
		if n == 0 {
			continue
		}
		elements := set.warps[i].elements()
		for e, v := range p.slope.warps[i] {
			if p.wholeMatrix(i) {
				own[e] = v
			} else {
				k := p.parameter(i, e)
				own[k] = math.FMA(v, elements[e], own[k])
			}
		}
	}
}

// evaluate returns minus the log evidence at some parameters, and sets dst to its gradient; NaN out of bounds.
func (p *space) evaluate(dst, theta []float64) float64 {
	set, ok := p.setting(theta)
	if !ok {
		return math.NaN()
	}
	value := p.model.gradient(&p.slope, &set)
	if !math.IsNaN(value) {
		p.gradient(dst, &set)
	}
	return value
}

// flat is the decrease, per row and target, below which further steps are not worth their time.
const flat = 1e-5

// errEnough ends a search without an error.
var errEnough = errors.New("enough")

// maximize takes at most the given number of steps of L-BFGS, calls progress after each with the best parameters, and
// returns the setting of most evidence.
func (p *space) maximize(steps int, progress func(step int, value float64, theta []float64) error) (setting, error) {
	s := lbfgs.New(p.start(), 10)
	if p.form != matrix {
		s.Limit(longestStep)
	}
	dst := make([]float64, len(s.Point()))
	enough := flat * float64(p.model.table.x.Rows*p.model.table.y.Cols)
	value := p.evaluate(dst, s.Point())
	state := s.Report(value, dst)
	taken, slow := 0, 0
	for evaluations := 0; state != lbfgs.Stuck && s.Steps() < steps && evaluations < 2*steps+20; evaluations++ {
		before := s.Value()
		value = p.evaluate(dst, s.Point())
		state = s.Report(value, dst)
		if s.Steps() == taken {
			continue
		}
		taken = s.Steps()
		if err := progress(taken, -s.Value(), s.Best()); err == errEnough {
			break
		} else if err != nil {
			return setting{}, err
		}
		if slow++; before-s.Value() > enough {
			slow = 0
		}
		if slow == 3 || s.Promise() < 0.1*enough {
			break
		}
	}
	set, _ := p.setting(s.Best())
	return set, nil
}
