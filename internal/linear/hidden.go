// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package linear

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Hidden hides a T in a struct that users of the library have. The struct embeds it by an unexported alias, so users
// neither see nor set it. Of returns it.
type Hidden[T any] struct{ value T }

func (h *Hidden[T]) hidden() *T { return &h.value }

// Of returns the hidden part of a struct.
func Of[T any](s interface{ hidden() *T }) *T { return s.hidden() }

// RidgeOptions are hidden in ridge.Options.
type RidgeOptions struct {
	// Each gives a λ for each target, as if the Criterion had chosen it from a Path of these; nil: the
	// Criterion chooses.
	Each []float64

	// LeftOut holds the rows by which intervals are calibrated; nil: the rows that the fit leaves out otherwise.
	LeftOut *LeftOut

	// Lost is the number of rows that are no evidence for intervals because the kernel was chosen by them, in
	// addition to those for λ.
	Lost float64

	// MarksJudge leaves rows out that are landmarks of the map, too, for losses that are compared with such of all rows.
	MarksJudge bool

	// Unjudged skips leaving rows out of the chosen model, which then has no LeaveOneOutMSE. λ and the weights are the
	// same.
	Unjudged bool

	// Later leaves out intervals until RidgeModel.Calibrate is called.
	Later bool

	// Features is memory for the features of rows that are left out to choose λ, which Fit does not need later; nil: it
	// has its own.
	Features *Features

	// Release makes Accumulator.Fit free the memory of the accumulator for the next rows, until rows are added. Then
	// Fit must not run at the same time as other methods.
	Release bool
}

// A LeftOut is a set of fitted rows with their targets and weights; nil weights are all 1. Rows with the same number in
// Groups are left out together. Alike makes rows count alike for intervals, whatever their weights in the fit.
type LeftOut struct {
	X, Y    mat.Matrix
	Weights []float64
	Groups  []int
	Alike   bool
}

// A RidgeAccumulator is hidden in ridge.Accumulator.
type RidgeAccumulator struct {
	// KeepDigits makes the accumulator sum features, not raw features, whose sums lose up to seven digits. These digits
	// matter for λ far below tr(ΦᵀΦ)/D. Call it before the first row.
	KeepDigits func()

	// Apart makes the accumulator keep no products of two targets, which only files and merging need. Call it before the
	// first row.
	Apart func()
}

// A RidgeModel is hidden in ridge.Model.
type RidgeModel struct {
	// Factor is the factor U of ΦᵀΦ + λI = UᵀU for the first target's λ; nil if the model has none. Mean is φ̄, which
	// is subtracted from features; nil without an intercept. Neither may be changed.
	Factor *tiled.Factor
	Mean   []float64

	// Scaling returns the factor for the length of each target's intervals. Rows x and targets y, which took no part in
	// any choice, stand for a share of all rows. The factor is at least floor, unless these rows tell otherwise. Scale
	// applies the factors; no other goroutine may use the model meanwhile. Both do nothing if intervals are Gaussian.
	Scaling func(x, y mat.Matrix, share, level, floor float64) []float64
	Scale   func(factors []float64)

	// Calibrate sets the intervals that RidgeOptions.Later has left out; nil: it has left out none. No other goroutine may
	// use the model meanwhile.
	Calibrate func() error

	// LeftOutMSE is the mean squared error of each target over the rows that calibrate intervals; nil if there are no
	// such rows.
	LeftOutMSE []float64

	// StdDevTo is StdDevTo of the model, but also works if some targets are constant: it sets NaN for these, as reports
	// do. Unless it is nil, squaredNorms, n×T, is set to φᵀA⁻¹φ of the centered features of each row, for the λ of each
	// target.
	StdDevTo func(dst, squaredNorms *mat.Dense, x mat.Matrix)

	// Noise is the noise variance of each target. Its elements may be set to measured values while no other goroutine
	// uses the model. Error bars then use them; λ and predictions stay.
	Noise []float64
}

// Functionals are linear functions of features, such as a *ridge.Model or a *logistic.Model.
type Functionals interface {
	Weights() *mat.Dense
	Intercept() []float64
}

// A Ridge is implemented by *ridge.Model.
type Ridge interface {
	Functionals
	Lambda() []float64
	hidden() *RidgeModel
}

// LogisticOptions are hidden in logistic.Options.
type LogisticOptions struct {
	// MostPasses ends each descent after this number of passes with its current result, even if the loss can still
	// fall; 0: no limit. λ is chosen among those tried until one descent ends in this way, or all take four times as
	// many passes together.
	MostPasses int

	// Begun is what logistic.Fit starts from; nil: it computes this itself.
	Begun *Begun
}

// A Begun is what logistic.Fit starts from. Then it computes no sums.
type Begun struct {
	// Classes is the number of classes.
	Classes int

	// Ridge is a fit to the labels of the classes, with one λ for all, on about the same rows and weights.
	Ridge Ridge

	// From gives the starting weights; nil: the weights of Ridge. The fit sets it to nil when it has read them.
	From Functionals

	// Room is memory that a fit leaves to the next one, of the same map, classes and number of rows; nil: none is left.
	Room *any

	// Features is memory for the features of all rows; nil: the fit has its own.
	Features *Features
}

// Features is memory for the features of rows, for fits that take turns. Those of thousands of rows are most of what a fit
// holds, and memory of its own would still wait for the collector when the next fit takes more.
type Features struct {
	Rows    int // there is room for these from the beginning
	numbers []float64
}

// Room returns zeros for a number of rows, in the memory of the last call; nil has no memory.
func (f *Features) Room(rows, stride int) []float64 {
	n := rows * stride
	switch {
	case f == nil:
		return make([]float64, n)
	case n > len(f.numbers):
		f.numbers = nil // not needed while the new ones are made
		f.numbers = make([]float64, max(rows, f.Rows)*stride)
	default:
		clear(f.numbers[:n])
	}
	return f.numbers[:n]
}
