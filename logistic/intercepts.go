// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// ‖gradient‖²/2λ bounds how much the loss can fall if the intercepts are the best for their weights, and only then. The
// scores of the last pass are kept, so finding these intercepts takes no pass: as a function of them the loss has the
// gradient Σ wᵢ(pᵢ − yᵢ) and the Hessian Σ wᵢ(diag(pᵢ) − pᵢpᵢᵀ), K×K. At the best intercepts the mean of pᵢ is the
// frequency of each class. With many classes the Hessian would take n·K² operations, so L-BFGS is used instead, with
// n·K a step.

const (
	pinnedPart   = 1e-5 // of the weight of a class: the largest difference from the sum of its probabilities
	mostPinnings = 200
	fewPinnings  = 12 // if scores are not kept, and each takes half of the products of a pass
	mostHalvings = 4
	pinnedGain   = 1e-4 // of what the loss may fall: after a smaller gain the gradient needs no new pass
	roughGain    = 1e-7 // of the loss: the same for a sample with many classes
)

// mostHessian is the number of classes up to which Hessians are used. Tests use fewer.
var mostHessian = 512

// A pinning searches for the intercepts of least loss for the kept scores.
type pinning struct {
	*training
	block  *tiled.Block
	rows   blas64.General // probabilities of a block of rows
	losses []float64
	roots  []float64 // of weights

	loss    float64 // the sum
	sums    []float64
	squares *tiled.Matrix // Σ wᵢpᵢpᵢᵀ; nil with many classes
}

// pin returns the intercepts of least loss for the scores of the last pass, starting from some, and the sum of the
// losses there.
func (t *training) pin(intercept []float64) (at []float64, loss float64) {
	p := &pinning{
		training: t,
		rows:     blas64.General{Rows: tiled.BlockRows, Cols: t.count, Stride: t.count, Data: t.partials.block(t.count)},
		losses:   make([]float64, tiled.BlockRows),
		roots:    make([]float64, tiled.BlockRows),
		sums:     make([]float64, t.count),
	}
	if t.count > mostHessian {
		return p.search(intercept)
	}
	p.block = tiled.NewBlock(t.count)
	return p.descend(intercept)
}

// search is pin by L-BFGS, in coordinates that scale the classes alike.
func (p *pinning) search(intercept []float64) (at []float64, loss float64) {
	value := p.evaluate(intercept)
	roots, gradient := make([]float64, p.count), make([]float64, p.count)
	for c, v := range p.sums {
		roots[c] = math.Sqrt(max(v, p.classWeights[c], leastWeight))
	}
	at = make([]float64, p.count)
	move := func(point []float64) {
		for c, v := range point {
			at[c] = intercept[c] + v/roots[c]
		}
	}
	s := lbfgs.New(gradient, rememberedSteps)
	most := mostPinnings
	if p.scores.data == nil {
		most = fewPinnings
	}
	for range most {
		for c, v := range p.sums {
			if p.classWeights[c] > 0 {
				gradient[c] = (v - p.classWeights[c]) / roots[c]
			}
		}
		pinned := p.pinned() || p.sampled && 0.5*chain.Dot(gradient, gradient) <= roughGain*value
		if state := s.Report(value, gradient); state == lbfgs.Stuck || state == lbfgs.Step && pinned {
			break
		}
		move(s.Point())
		value = p.evaluate(at)
	}
	move(s.Best())
	return at, s.Value()
}

// descend is pin by Newton's steps.
func (p *pinning) descend(intercept []float64) (at []float64, loss float64) {
	at = append(at, intercept...)
	loss = p.evaluate(at)
	next := make([]float64, p.count)
	for range mostPinnings {
		if p.pinned() {
			break
		}
		step, scaling := p.newton(), p.scaling()
		length, value := 1.0, math.Inf(1)
		for range mostHalvings {
			if step == nil {
				break
			}
			if value = p.tryStep(next, at, step, length); value < loss {
				break
			}
			length /= 2
		}
		if !(value < loss) {
			if value = p.tryStep(next, at, scaling, 1); !(value < loss) {
				break
			}
		}
		copy(at, next)
		loss = value
	}
	return at, loss
}

// tryStep sets next to the end of a step, and evaluates there.
func (p *pinning) tryStep(next, at, step []float64, length float64) float64 {
	for c, v := range step {
		next[c] = math.FMA(length, v, at[c])
	}
	return p.evaluate(next)
}

// pinned reports whether the sums of the probabilities are the weights of the classes.
func (p *pinning) pinned() bool {
	for c, v := range p.sums {
		if p.classWeights[c] > 0 && !(math.Abs(v-p.classWeights[c]) <= pinnedPart*p.classWeights[c]) {
			return false
		}
	}
	return true
}

// newton returns Newton's step, whose elements sum to 0; nil if the Hessian is singular in other directions, too.
func (p *pinning) newton() []float64 {
	// Adding a constant to all intercepts changes nothing: the term c·11ᵀ, of the size of the Hessian, makes that
	// direction as stiff as others.
	k := float64(p.count)
	level := p.total / k / k
	m := p.squares
	for i := range p.count {
		for j := range i {
			m.Set(i, j, level-m.At(i, j))
		}
		m.Set(i, i, p.sums[i]-m.At(i, i)+level)
	}
	for i, w := range p.classWeights {
		if w == 0 {
			for j := range p.count {
				m.Set(i, j, 0)
			}
			m.Set(i, i, 1)
		}
	}
	factor, bad := m.Factorize(k * 0x1p-40)
	if bad >= 0 {
		return nil
	}
	step := make([]float64, p.count)
	for c, v := range p.sums {
		if p.classWeights[c] > 0 {
			step[c] = p.classWeights[c] - v
		}
	}
	factor.SolveTransVec(step)
	factor.SolveVec(step)
	return step
}

// scaling returns the step that multiplies the odds of each class by the ratio that it lacks. It lowers the loss from
// anywhere (Darroch and Ratcliff, Generalized iterative scaling for log-linear models, 1972).
func (p *pinning) scaling() []float64 {
	const most = 700
	step := make([]float64, p.count)
	for c, v := range p.sums {
		if p.classWeights[c] > 0 {
			step[c] = min(detmath.Log(p.classWeights[c]/max(v, leastWeight)), most)
		}
	}
	return step
}

// evaluate returns the sum of the losses for some intercepts, and sets sums and squares.
func (p *pinning) evaluate(intercept []float64) float64 {
	p.loss = 0
	clear(p.sums)
	if p.block != nil {
		p.squares = tiled.New(p.count)
	}
	for first := 0; first < len(p.classes); first += tiled.BlockRows {
		n := min(tiled.BlockRows, len(p.classes)-first)
		parallel.Run(parallel.Func(func(lo, hi int) { p.probabilities(intercept, first, lo, hi) }), n, taskRows)
		rows := p.rows
		rows.Rows = n
		for i := range n {
			p.loss += p.losses[i]
			for c, v := range rows.Data[i*rows.Stride:][:p.count] {
				p.sums[c] = math.FMA(p.weight(first+i), v, p.sums[c])
			}
		}
		if p.block == nil {
			continue
		}
		p.block.Append(rows)
		p.block.Scale(p.roots[:n])
		p.squares.Update(p.block)
		p.block.Truncate(0)
	}
	return p.loss
}

// probabilities computes the probabilities and losses of rows lo to hi of a block.
func (p *pinning) probabilities(intercept []float64, first, lo, hi int) {
	some := p.rows
	some.Rows, some.Data = hi-lo, p.rows.Data[lo*p.rows.Stride:]
	p.scoresTo(some, first+lo)
	for i := lo; i < hi; i++ {
		w := p.weight(first + i)
		row := p.rows.Data[i*p.rows.Stride:][:p.count]
		p.roots[i], p.losses[i] = math.Sqrt(w), 0
		if w == 0 {
			clear(row)
			continue
		}
		for c, v := range intercept {
			row[c] += v
		}
		shiftRow(row)
		score := row[p.classes[first+i]]
		gram.Exponential{Rate: 1}.To(row, row)
		p.losses[i] = w * (detmath.Log(normalize(row)) - score)
	}
}
