// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package lbfgs minimizes smooth functions by limited-memory BFGS (Nocedal, Updating quasi-Newton matrices with limited
// storage, 1980), with the same bits on every machine. Inner products are chains of fused multiply-adds in the order of
// the coordinates, and all other operations are among those that IEEE 754 rounds correctly. The inner products of
// gonum's optimize.LBFGS are summed in different orders on different architectures.
//
// The caller writes the loop, and evaluates the function at the points that the search asks for:
//
//	s := lbfgs.New(x, 10)
//	for {
//		value := evaluate(s.Point(), gradient)
//		if s.Report(value, gradient) == lbfgs.Stuck || done(s) {
//			break
//		}
//	}
//	// s.Best(), s.Value()
package lbfgs

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
)

// State is the result of an evaluation.
type State int

const (
	Trial State = iota // the point was not good enough: Point is another one on the same line
	Step               // the point was accepted: it is Best, and Point is on the next line
	Stuck              // no further decrease was found: Point is Best, where the gradient may be 0
)

// Wolfe's conditions for a step (1969): the decrease is at least sufficient times what the slope predicts, and the
// slope at least steepness times smaller. The value must decrease, or rounding errors would go on forever.
const (
	sufficient = 1e-4
	steepness  = 0.9
	mostTrials = 40
)

// Search is a minimization in progress.
type Search struct {
	memory int
	steps  []step // the last steps, the oldest first
	spare  []step // memory of forgotten steps
	count  int    // the number of steps taken

	best, gradient []float64
	value          float64 // of best; NaN before the first evaluation

	// The line from best: point = best + length·direction.
	direction, point []float64
	slope            float64 // of the function at best along direction, less than 0
	length           float64
	low, high        float64 // lengths between which one is good; +Inf if none is known to be too long
	longest          float64 // the length at which a coordinate changes by limit
	trials           int

	limit float64
}

// A step is a difference of points, and of gradients, with the inverse of their product.
type step struct {
	s, y []float64
	rho  float64 // 1/⟨s, y⟩
	size float64 // ⟨s, y⟩/⟨y, y⟩
}

// New begins a search at x, which it copies. It remembers memory steps, at least one, and takes 2·(memory+2) vectors.
func New(x []float64, memory int) *Search {
	s := AtZeros(len(x), memory)
	copy(s.best, x)
	copy(s.point, x)
	return s
}

// AtZeros is New for a point of n zeros.
func AtZeros(n, memory int) *Search {
	return &Search{
		memory:    max(memory, 1),
		best:      make([]float64, n),
		gradient:  make([]float64, n),
		value:     math.NaN(),
		direction: make([]float64, n),
		point:     make([]float64, n),
		limit:     math.Inf(1),
	}
}

// Restart begins another search, at zeros, in the memory of this one. It has no limit.
func (s *Search) Restart() {
	clear(s.best)
	clear(s.point)
	s.forget()
	s.value, s.count, s.limit = math.NaN(), 0, math.Inf(1)
}

// forget forgets the steps, and keeps their memory.
func (s *Search) forget() { s.spare, s.steps = append(s.spare, s.steps...), s.steps[:0] }

// Limit bounds by how much a coordinate may change in a step. Call it before the first Report. A step of this length is
// accepted even if the function still falls as steeply as at its beginning.
func (s *Search) Limit(change float64) { s.limit = change }

// Point returns the point at which to evaluate the function next. It is valid until the next Report, and must not be
// changed.
func (s *Search) Point() []float64 { return s.point }

// Best returns the last accepted point, or the first one. It is valid until the next Report, and must not be changed.
func (s *Search) Best() []float64 { return s.best }

// Elsewhere returns Best in the memory of Point, to be changed and given to Move.
func (s *Search) Elsewhere() []float64 {
	copy(s.point, s.best)
	return s.point
}

// Value returns the value at Best, or NaN before the first Report.
func (s *Search) Value() float64 { return s.value }

// Promise returns how far the function would fall below Value along the next line if it were the quadratic function
// that the steps suggest: half of minus the slope. It is valid after Report has returned Step.
func (s *Search) Promise() float64 { return -0.5 * s.slope }

// Steps returns the number of points that were accepted after the first.
func (s *Search) Steps() int { return s.count }

// Report takes the value and the gradient at Point, which it does not keep. If one of them is not finite, the point is
// too far; at the first point the search is then Stuck. It panics if gradient has another length.
func (s *Search) Report(value float64, gradient []float64) State {
	if len(gradient) != len(s.point) {
		panic("lbfgs: gradient of another length than the point")
	}
	first := math.IsNaN(s.value)
	finite := finiteAll(value, gradient)
	switch {
	case first && !finite:
		return Stuck
	case first:
		s.value = value
		copy(s.gradient, gradient)
		return s.turn()
	case !finite || !(value < s.value && value <= math.FMA(sufficient*s.length, s.slope, s.value)):
		s.high = s.length
		return s.retry(s.shorter(value, finite))
	}
	slope := chain.Dot(gradient, s.direction)
	if slope < steepness*s.slope && s.length < s.longest {
		s.low = s.length
		return s.retry(s.longer(slope))
	}
	s.accept(value, gradient)
	return s.turn()
}

// Move makes another point the best one, with its value and gradient, and continues from there with the steps so far.
// It is for a caller that can compute some coordinates better than the line search.
func (s *Search) Move(x []float64, value float64, gradient []float64) State {
	copy(s.best, x)
	copy(s.gradient, gradient)
	s.value = value
	return s.turn()
}

// retry continues along the line with another length.
func (s *Search) retry(length float64) State {
	s.trials++
	if s.trials >= mostTrials || !(length > s.low && length < s.high) {
		return s.giveUp()
	}
	s.move(length)
	if slices.Equal(s.point, s.best) {
		return s.giveUp()
	}
	return Trial
}

// giveUp forgets the steps and tries the gradient once. If this was tried, the search is stuck.
func (s *Search) giveUp() State {
	if len(s.steps) > 0 {
		s.forget()
		if s.turn() == Step {
			return Trial // along another line; Best is the same
		}
	}
	copy(s.point, s.best)
	return Stuck
}

// shorter returns a length between low and high, where the value was too large: the minimum of a parabola, within the
// middle of the interval that is left.
func (s *Search) shorter(value float64, finite bool) float64 {
	width := s.high - s.low
	if s.low > 0 || !finite {
		return math.FMA(0.5, width, s.low)
	}
	// The parabola through the value and the slope at 0 and the value at high.
	excess := value - s.value - float64(s.slope*s.high)
	minimum := float64(-0.5*s.slope*s.high) * s.high / excess
	return min(max(minimum, 0.1*width), 0.5*width)
}

// longer returns a length beyond low, where the slope was still steep.
func (s *Search) longer(slope float64) float64 {
	if !math.IsInf(s.high, 1) {
		return math.FMA(0.5, s.high-s.low, s.low)
	}
	// The root of a line through the slopes at 0 and at low.
	factor := 4.0
	if change := slope - s.slope; change > 0 {
		factor = min(max(-s.slope/change, 2), 10)
	}
	return min(factor*s.low, s.longest)
}

// accept makes the point the best one, and remembers the step.
func (s *Search) accept(value float64, gradient []float64) {
	var n step
	switch last := len(s.spare) - 1; {
	case len(s.steps) == s.memory: // reuse the memory of the oldest
		n = s.steps[0]
		s.steps = append(s.steps[:0], s.steps[1:]...)
	case last >= 0:
		n, s.spare = s.spare[last], s.spare[:last]
	default:
		n.s, n.y = make([]float64, len(s.point)), make([]float64, len(s.point))
	}
	for i, v := range s.point {
		n.s[i], n.y[i] = v-s.best[i], gradient[i]-s.gradient[i]
	}
	if product, square := chain.Dot(n.s, n.y), chain.Dot(n.y, n.y); product > 0 && 1/product <= math.MaxFloat64 && product/square <= math.MaxFloat64 {
		n.rho, n.size = 1/product, product/square
		s.steps = append(s.steps, n)
	} else {
		s.spare = append(s.spare, n)
	}
	copy(s.best, s.point)
	copy(s.gradient, gradient)
	s.value = value
	s.count++
}

// turn begins a line from the best point, along minus the inverse Hessian times the gradient.
func (s *Search) turn() State {
	square := chain.Dot(s.gradient, s.gradient)
	if square == 0 {
		copy(s.point, s.best)
		return Stuck
	}
	length := 1.0
	if len(s.steps) == 0 {
		length = min(1, 1/math.Sqrt(square))
	}
	s.descend()
	if s.slope = chain.Dot(s.gradient, s.direction); !(s.slope < 0 && s.slope >= -math.MaxFloat64) {
		return s.giveUp()
	}
	s.low, s.high, s.trials = 0, math.Inf(1), 0
	var most float64
	for _, v := range s.direction {
		most = max(most, math.Abs(v))
	}
	s.longest = s.limit / most
	s.move(min(length, s.longest))
	if slices.Equal(s.point, s.best) {
		return s.giveUp()
	}
	return Step
}

// descend sets direction to minus the inverse Hessian of the steps times the gradient, by the two loops over them.
func (s *Search) descend() {
	d := s.direction
	for i, v := range s.gradient {
		d[i] = -v
	}
	weights := make([]float64, len(s.steps))
	for k := len(s.steps) - 1; k >= 0; k-- {
		of := &s.steps[k]
		weights[k] = of.rho * chain.Dot(of.s, d)
		chain.Add(d, -weights[k], of.y)
	}
	if n := len(s.steps); n > 0 {
		for i := range d {
			d[i] *= s.steps[n-1].size
		}
	}
	for k := range s.steps {
		of := &s.steps[k]
		chain.Add(d, weights[k]-float64(of.rho*chain.Dot(of.y, d)), of.s)
	}
}

// move sets the point to the given length on the line.
func (s *Search) move(length float64) {
	s.length = length
	for i, v := range s.direction {
		s.point[i] = math.FMA(length, v, s.best[i])
	}
}

// finiteAll tells whether a value and a gradient are finite.
func finiteAll(value float64, gradient []float64) bool {
	return math.Abs(value) <= math.MaxFloat64 &&
		!slices.ContainsFunc(gradient, func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat64) })
}
