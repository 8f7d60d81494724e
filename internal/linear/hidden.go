// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package linear

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A Hidden is embedded, by an unexported alias, in a struct that users of the library have. It has a T, which they can neither see nor set:
// Of returns it.
type Hidden[T any] struct{ value T }

func (h *Hidden[T]) hidden() *T { return &h.value }

// Of returns what a struct hides.
func Of[T any](s interface{ hidden() *T }) *T { return s.hidden() }

// RidgeOptions are hidden in ridge.Options.
type RidgeOptions struct {
	// Each has the λ of each target, as if the Criterion had taken it from a Path of these; nil: it chooses.
	Each []float64

	// LeftOut has the rows that intervals are calibrated by; nil: what else is left out.
	LeftOut *LeftOut

	// Lost is how many rows tell nothing of intervals, as the kernel was chosen by them, besides those for λ.
	Lost float64

	// Unjudged saves what it takes to leave rows out of the model that was chosen, which has no LeaveOneOutMSE. λ and the weights are the same.
	Unjudged bool

	// Release has Accumulator.Fit give back the memory of the accumulator for the next rows, until some are added. Then it may not run beside
	// other methods.
	Release bool
}

// A LeftOut is rows that were fitted, with their targets, and weights, nil if all are 1. Rows of the same number in Groups are left out together.
type LeftOut struct {
	X, Y    mat.Matrix
	Weights []float64
	Groups  []int
}

// A RidgeAccumulator is hidden in ridge.Accumulator.
type RidgeAccumulator struct {
	// KeepDigits has features themselves summed, not raw ones, whose sums lose up to seven digits: these matter to λ far below tr(ΦᵀΦ)/D. It is to
	// be called before the first row.
	KeepDigits func()
}

// A RidgeModel is hidden in ridge.Model.
type RidgeModel struct {
	// Factor is the factor U of ΦᵀΦ + λI = UᵀU, of the λ that the first target has, nil if the model has none. Mean is φ̄, which features are
	// taken less, nil without an intercept. Neither may be changed.
	Factor *tiled.Factor
	Mean   []float64

	// FactorOf returns that factor for the λ of a target, nil if the model has none.
	FactorOf func(target int) *tiled.Factor

	// Widening returns by what intervals are to be longer, for each target, where rows that had no part in any choice, with their targets, stand
	// for a share of all rows; at least 1. Widen makes them so, as long as no other goroutine has the model. Both do nothing where intervals are Gaussian.
	Widening func(x, y mat.Matrix, share, level float64) []float64
	Widen    func(factors []float64)

	// LeftOutMSE is the mean squared error of each target over the rows by which intervals are calibrated; nil if there are none.
	LeftOutMSE []float64

	// StdDevTo is StdDevTo of the model, and of one of which some targets are constant: NaN for these, as reports have.
	StdDevTo func(dst *mat.Dense, x mat.Matrix)

	// Noise is the variance of the noise of each target. Its elements may be set to what is measured as long as no other goroutine has the model:
	// error bars are then of these, and λ and predictions stay.
	Noise []float64
}

// Functionals are linear functions of features, as a *ridge.Model and a *logistic.Model have them.
type Functionals interface {
	Weights() *mat.Dense
	Intercept() []float64
}

// A Ridge is a *ridge.Model.
type Ridge interface {
	Functionals
	Lambda() []float64
	hidden() *RidgeModel
}

// LogisticOptions are hidden in logistic.Options.
type LogisticOptions struct {
	// NotJudging tells which rows, by their numbers in x, are fitted, but judge no λ where it is chosen; nil: none.
	NotJudging []bool

	// MostPasses ends each descent after so many passes, with what it has come to, however much the loss can still fall; 0: it does not. λ is
	// chosen among those that are tried until a descent has ended so, or all have taken four times as many passes.
	MostPasses int

	// Begun is what logistic.Fit begins with; nil: it makes that itself.
	Begun *Begun
}

// A Begun is what a fit of logistic.Fit begins with. It then makes no sums.
type Begun struct {
	// Classes is the number of classes.
	Classes int

	// Ridge has the labels of the classes for targets, and one λ for all. It was fitted on about the same rows and weights.
	Ridge Ridge

	// From has the weights to begin with; nil: Ridge has.
	From Functionals
}
