// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Facts are what a fit knows of its rows.
type Facts struct {
	Rows, Features int
	Weight         float64   // the sum of the weights of all rows, or the number of rows if they have no weights
	Mean           []float64 // φ̄; nil without an intercept
	Level          []float64 // ȳ of each target; 0 without an intercept
	Variances      []float64 // of each target; if it is constant yᵀy/n, which is 0 with an intercept
	Squares        []float64 // yᵀy/n of each target, which is centered with an intercept
}

// Freedom returns the weight of the rows, minus 1 for an intercept.
func (f *Facts) Freedom() float64 {
	if f.Mean != nil {
		return f.Weight - 1
	}
	return f.Weight
}

// Undetermined returns an error if there are too few rows for least squares, λ = 0.
func (f *Facts) Undetermined() error {
	rows := f.Rows
	if f.Mean != nil {
		rows--
	}
	if rows < f.Features {
		return fmt.Errorf("λ = 0: %d rows do not determine the weights of %d features%s: λ must be positive", f.Rows, f.Features, f.beside())
	}
	return nil
}

// The words about an intercept, if there is one.
func (f *Facts) beside() string {
	if f.Mean != nil {
		return " and the intercept"
	}
	return ""
}

// Equations are the normal equations of sums. With an intercept, features and targets are taken minus their means. They
// are valid until rows are added to the sums, and must be used by one goroutine at a time.
type Equations struct {
	Facts
	sums     *tiled.Matrix // of features and targets minus the shift
	single   bool          // whether they are Single
	shift    []float64
	products [][2][]float64 // u and v of terms uvᵀ that ΦᵀΦ contains in addition to the sums
	b        blas64.General // ΦᵀY, one row a target
	squares  []float64      // yᵀy of each target
	noise    *Noise         // nil if not known
	trace    float64        // tr(ΦᵀΦ)
	norm     float64        // ‖ΦᵀΦ‖₁

	work  *tiled.Matrix // ΦᵀΦ, or a factor of ΦᵀΦ + λI
	fresh bool          // whether work is ΦᵀΦ
	last  *Solution     // the solution whose factor work is; nil if fresh
}

// NewEquations returns the equations of sums with at least one row; with an intercept, the sum of the weights must
// exceed 1.
//
// With z a row of [features, targets] minus the shift s, and n the number of rows or the sum of their weights, they
// belong to the matrix
//
//	Σzzᵀ − Σz·(Σz)ᵀ/n, or without an intercept Σ(z + s)(z + s)ᵀ = Σzzᵀ + s·(Σz + n·s)ᵀ + Σz·sᵀ
func NewEquations(s *Sums, intercept bool) *Equations {
	e := &Equations{
		Facts: Facts{
			Rows:      s.rows,
			Weight:    s.Weight(),
			Features:  s.features,
			Level:     make([]float64, s.targets),
			Variances: make([]float64, s.targets),
			Squares:   make([]float64, s.targets),
		},
		sums:    s.settled(),
		single:  s.single,
		shift:   s.shift,
		b:       blas64.General{Rows: s.targets, Cols: s.features, Stride: s.features, Data: make([]float64, s.targets*s.features)},
		squares: make([]float64, s.targets),
		work:    tiled.New(s.features),
	}
	total := e.total()
	if n, u := e.Weight, make([]float64, len(total)); intercept {
		e.Mean = make([]float64, s.features)
		for j, v := range total {
			u[j] = -v / n
		}
		for i := range e.Mean {
			e.Mean[i] = s.shift[i] - u[i]
		}
		for t := range e.Level {
			e.Level[t] = s.shift[s.features+t] - u[s.features+t]
		}
		e.products = [][2][]float64{{u, total}}
	} else {
		for j, v := range s.shift {
			u[j] = math.FMA(n, v, total[j])
		}
		e.products = [][2][]float64{{s.shift, u}, {total, s.shift}}
	}
	e.setTargets(total)
	e.measure()
	return e
}

// total returns the sums of the columns minus the shift.
func (e *Equations) total() []float64 {
	total := make([]float64, e.sums.Dim())
	e.sums.Column(total, len(total)-1)
	return total
}

// setTargets computes what depends on the targets.
func (e *Equations) setTargets(total []float64) {
	n, column := e.Weight, make([]float64, len(total))
	for t := range e.squares {
		j := e.Features + t
		e.sums.Column(column, j)
		for _, p := range e.products {
			for i := range column[:j+1] {
				column[i] = math.FMA(p[0][i], p[1][j], column[i])
			}
		}
		copy(e.b.Data[t*e.Features:][:e.Features], column)
		e.squares[t] = max(column[j], 0) // rounding may make it negative
		e.Variances[t] = math.FMA(-total[j]/n, total[j], e.sums.At(j, j)) / n
		e.Squares[t] = e.squares[t] / n
		if !(e.Variances[t] > 0) {
			e.Variances[t] = e.Squares[t]
		}
	}
}

// measure sets the trace and the norm of ΦᵀΦ.
func (e *Equations) measure() {
	e.renew()
	diagonal := make([]float64, e.Features)
	e.work.Diagonal(diagonal)
	for _, v := range diagonal {
		e.trace += v
	}
	e.norm = e.work.Norm1()
}

// Least is a magnitude from which on squares of numbers lose no digits, and LeastSingle the same for float32.
const (
	Least       = 0x1p-485
	LeastSingle = 0x1p-50
)

// least returns the one for the precision of the sums.
func (e *Equations) least() float64 {
	if e.single {
		return LeastSingle
	}
	return Least
}

// rounding returns the relative rounding error of sums.
func (e *Equations) rounding() float64 {
	if e.single {
		return 0x1p-24
	}
	return 0x1p-52
}

// Validate refuses features whose squares all underflow, because they would seem constant.
func (e *Equations) Validate() error {
	if e.trace > float64(e.Features)*(e.least()*e.least()) {
		return nil
	}
	for j, v := range e.total()[:e.Features] {
		if v != 0 || e.Mean == nil && e.shift[j] != 0 {
			return fmt.Errorf("squares of all features underflow, such as of feature %d, whose mean is %.3g from that of a row: "+
				"multiply the features by a power of ten", j, v/e.Weight)
		}
	}
	return nil
}

// Underflows tells whether the squares of a target, times the weights, or their mean, are so small that they have lost
// digits, or are all 0.
func (e *Equations) Underflows(target int) bool {
	square := e.squares[target]
	if e.Mean != nil {
		square = e.sums.At(e.Features+target, e.Features+target)
	}
	return min(square, square/e.Weight) < e.least()*e.least()
}

// powers are the λ of Path, in units of tr(ΦᵀΦ)/D.
var powers = [...]float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}

// Path returns candidates of λ: see Facts.Path.
func (e *Equations) Path() []float64 { return e.Facts.Path(e.trace) }

// constantFeatures is the largest mean square of features minus their means, over the square of the means, that counts as rounding: such
// features are constant, as a Periodic kernel's at multiples of its period.
const constantFeatures = 0x1p-90

// Path returns candidates of λ: 13 powers of ten, from 1e-6 to 1e6, times tr(ΦᵀΦ)/D, or times 1 if the trace is 0 or rounding.
func (f *Facts) Path(trace float64) []float64 {
	scale := 1.0
	if mean := trace / f.Weight; mean > constantFeatures*f.MeanSquare(0) && trace > 0 {
		scale = trace / float64(f.Features)
	}
	path := make([]float64, len(powers))
	for i, p := range powers {
		path[i] = p * scale
	}
	return path
}

// Spread returns tr(ΦᵀΦ)/n, the mean square of the features, minus their means if there is an intercept.
func (e *Equations) Spread() float64 { return e.trace / e.Weight }

// MeanSquare returns the mean of ‖φ‖²: see Facts.MeanSquare.
func (e *Equations) MeanSquare() float64 { return e.Facts.MeanSquare(e.trace) }

// MeanSquare returns the mean of ‖φ‖², including the features' means, given tr(ΦᵀΦ).
func (f *Facts) MeanSquare(trace float64) float64 {
	sum := trace / f.Weight
	for _, v := range f.Mean {
		sum = math.FMA(v, v, sum)
	}
	return sum
}

// Noise is noise whose variance is known: Variance/w for a row that counts once, where w is its weight in the sums. A
// row that counts v times has v times this weight.
type Noise struct {
	Variance float64
	Logs     float64 // Σv·log(variance/Variance) over the rows
	Least    float64 // up to this λ the likeliest variance is used instead, if it is larger
}

// Misfit returns the likeliest variance of a target, for λ, over the known noise, and 1 if the noise is not known to be
// smaller: where λ is at its least, errors below a hundredth of the target's deviation do not count.
func (n *Noise) Misfit(likeliest, variance, lambda float64) float64 {
	const none, least = 1e-4, 1e-10 // of the variance
	switch {
	case lambda > n.Least:
		return likeliest / n.Variance
	case likeliest <= none*variance:
		return 1
	}
	return likeliest / max(n.Variance, least*variance)
}

// SetNoise sets the known noise for the following solutions: σ² is its Variance.
func (e *Equations) SetNoise(n Noise) { e.noise = &n }

// renew sets work to ΦᵀΦ.
func (e *Equations) renew() {
	if !e.fresh {
		e.work.CopyLeading(e.sums)
		for _, p := range e.products {
			e.work.AddProducts(p[0][:e.Features], p[1][:e.Features])
		}
		e.fresh, e.last = true, nil
	}
}

// Solve returns the solution for λ ≥ 0. Its factor is valid until the next call of a method of e that solves. It
// returns an error if λ is so small compared with the squares of the features that A cannot be factorized accurately.
// For λ = 0 the error names a feature that depends linearly on the features before it.
func (e *Equations) Solve(lambda float64) (*Solution, error) {
	s, bad := e.solve(lambda)
	if s == nil {
		return nil, e.failure(lambda, bad)
	}
	return s, nil
}

// Solutions returns the solutions for the λ of a path that can be solved, in order. If there is no such λ, it returns
// the error of the largest λ. The factor of a solution is valid until the next one; for the last one Solve says how
// long.
func (e *Equations) Solutions(path []float64) iter.Seq2[*Solution, error] {
	return Solutions(path, e.Solve)
}

// Solutions returns the solutions for the λ of a path that can be solved, in order. If there is no such λ, it returns
// the error of the largest λ.
func Solutions(path []float64, solve func(lambda float64) (*Solution, error)) iter.Seq2[*Solution, error] {
	return func(yield func(*Solution, error) bool) {
		var failed error
		worst, solved := math.Inf(-1), false // the largest λ that failed
		for _, lambda := range path {
			s, err := solve(lambda)
			if err != nil {
				if lambda > worst {
					worst, failed = lambda, err
				}
				continue
			}
			solved = true
			if !yield(s, nil) {
				return
			}
		}
		if !solved && failed != nil {
			yield(nil, failed)
		}
	}
}

// Again returns s, a solution of e, with its factor, which a solution for another λ may have
// overwritten.
func (e *Equations) Again(s *Solution) *Solution {
	if e.last == s {
		return s
	}
	s, _ = e.solve(s.Lambda)
	return s
}

// solve returns the solution for λ, or nil and the feature at which the factorization fails.
func (e *Equations) solve(lambda float64) (s *Solution, bad int) {
	e.renew()
	switch {
	case e.single && lambda < e.leastLambda():
		return nil, 0
	case lambda == 0:
		if i := e.constant(); i >= 0 {
			return nil, i
		}
	}
	e.fresh = false
	e.work.AddDiagonal(lambda)
	f, bad := e.work.Factorize(e.leastPivot())
	if bad >= 0 {
		return nil, bad
	}
	s = e.solution(lambda, f)
	e.last = s
	return s, -1
}

// leastLambda returns the least λ of Single sums: half of the least λ of Path. Smaller ones are lost in the rounding
// errors of sums.
func (e *Equations) leastLambda() float64 { return powers[0] / 2 * (e.trace / float64(e.Features)) }

// leastPivot returns the share of a diagonal element that a pivot must exceed, because rounding may leave this much.
// For Single sums, the rounding errors of D elements of a row, each from its own chains, add up at random.
func (e *Equations) leastPivot() float64 {
	if e.single {
		return math.Sqrt(float64(e.Features)) * 0x1p-28
	}
	return float64(e.Features) * 0x1p-52
}

// constant returns the index of a feature that is constant except for rounding, of the sums or of the feature itself;
// −1 if there is no such feature.
func (e *Equations) constant() int {
	if e.Mean == nil {
		return -1
	}
	n := float64(e.Rows)
	for i := range e.Features {
		last := 0x1p-52 * e.shift[i]
		if rounding := max(n*0x1p-52*e.sums.At(i, i), e.Weight*last*last); !(e.work.At(i, i) > rounding) {
			return i
		}
	}
	return -1
}

// failure returns the error for a λ for which feature i has no pivot.
func (e *Equations) failure(lambda float64, i int) error {
	e.renew()
	switch {
	case e.single && lambda < e.leastLambda():
		return fmt.Errorf("λ = %v is too small for sums of float32, whose diagonal is %.3g: must be at least %.3g", lambda, e.trace/float64(e.Features), e.leastLambda())
	case e.single:
		return fmt.Errorf("λ = %v is too small for sums of float32 compared with the squares of feature %d, whose sum is %v: "+
			"must be larger", lambda, i, e.work.At(i, i))
	case lambda > 0:
		return fmt.Errorf("λ = %v is too small for float64 compared with the squares of feature %d, whose sum is %v: "+
			"must be larger", lambda, i, e.work.At(i, i))
	}
	if err := e.Undetermined(); err != nil {
		return err
	}
	return fmt.Errorf("λ = 0: feature %d depends linearly on those before it%s, to the precision of float64: "+
		"λ must be positive", i, e.beside())
}
