// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
)

// IterativeOptions are the options of FitIterative; nil stands for the zero value. Options says when FitIterative is better.
type IterativeOptions struct {
	// Lambda is the ridge λ, in units of ΦᵀΦ. If 0, each target takes a λ of Path, by a sample of the rows and, if that is undecided, by all rows.
	Lambda float64

	// Path lists the λ to choose from, in any order; nil: 13 powers of ten, from 1e-6 to 1e6, times about tr(ΦᵀΦ)/D. A 0 is refused.
	Path []float64

	// These are as in Options. The sample reveals Labels; NoiseVariance is one number for all rows, with λ by the evidence of the sample.
	SharedLambda  bool
	NoiseVariance []float64
	NoIntercept   bool
	Beyond        bool

	// Tolerance is for ‖b − Aw‖/‖b‖ of each target; 0: until noise is the larger error (docs/theory/iterative.md). For Samples it is at least 1e-2.
	Tolerance float64

	// Passes is the largest number of passes over the rows after the first one; 0: 100. If it does not suffice, Model.Residual says so.
	Passes int

	// Samples is the number of functions solved for the Posterior, whose standard deviations have a relative error of 1/√(2·Samples); 0: no
	// Posterior.
	Samples int

	// Intervals calibrates Model.Interval, with constant noise, by the sample of up to 2,048 rows. It needs 16 Samples, and refuses Groups.
	Intervals *IntervalOptions

	// Memory is the number of bytes of features, of the first rows, to keep between passes; 0: none. The bits do not depend on it.
	Memory int64

	// Start is a model of the same map, targets and NoiseVariance to continue from, at its λ. Lambda must then be 0 or the same, and Path nil.
	Start *Model

	// Progress, if not nil, is called after each pass, from 0 on, with the largest residual. An error stops the work: see InterruptedError.
	Progress func(pass int, residual float64) error
}

// InterruptedError is the error of FitIterative if Progress returned an error, or if the sequence of rows yielded one
// after a pass with a solution.
type InterruptedError struct {
	Model *Model // the solution so far, for IterativeOptions.Start
	Err   error  // the error of Progress, or of the rows with the number of the reading
}

// Error returns a text with the source of the error (Progress, or the rows and the reading) and the error itself.
func (e *InterruptedError) Error() string {
	if rows, ok := e.Err.(*yieldedError); ok {
		return rows.Error()
	}
	return interrupted(e.Err).Error()
}

// Unwrap returns Err.
func (e *InterruptedError) Unwrap() error { return e.Err }

const (
	defaultTolerance = 1e-3 // if no rows are small enough for a sample
	defaultPasses    = 100
	mostSamples      = 1 << 20
	looseTolerance   = 1e-2 // of samples
)

// FitIterative fits the model of Accumulator.Fit without forming ΦᵀΦ, by preconditioned block conjugate gradients: see
// docs/theory/iterative.md. It is faster than Fit from about D = 130·(passes + 1) features on for ten targets, from
// 100·(passes + 1) for one. Below, take Fit, whose λ is better: of 10,000 rows and 300 to 1,000 features errors are up to 1.9 times Fit's.
//
// It takes 5 to 30 passes. Each takes the transform of all rows and 2·T·D multiply-adds a row. Memory is about
// 1,400 + 10·(T + Samples) vectors of D.
//
// λ is chosen on up to 2,048 rows (all of 4,096 if D ≤ 1024) and, where these do not decide, by predictions for all rows during the fit. The model has
// no LogEvidence, LeaveOneOutMSE or Condition, and its posterior needs Samples, which are solved for each λ that is taken.
//
// The bits depend on the order of the rows, not on batches, goroutines or machine. Batches should have a hundred rows or more.
//
// It returns an error if an argument is refused, if the vectors do not fit in memory, if rows yields an error, no rows, or other rows in
// a later pass, if there are too few rows, a *BeyondError where Fit does, or if Progress returns one: see InterruptedError.
func FitIterative(phi featuremap.FeatureMap, rows iter.Seq2[Batch, error], opts *IterativeOptions) (*Model, error) {
	if rows == nil {
		return nil, errors.New("ridge: rows = nil")
	}
	o, err := iterativeOptions(phi, opts)
	if err != nil {
		return nil, err
	}
	return fitIterative(phi, newRowsFrom(rows, phi), o)
}

// iterativeOptions returns the options, and refuses what FitIterative refuses for any number of targets.
func iterativeOptions(phi featuremap.FeatureMap, opts *IterativeOptions) (*IterativeOptions, error) {
	var o IterativeOptions
	if opts != nil {
		o = *opts
	}
	if r := reflect.ValueOf(phi); phi == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, errors.New("ridge: phi = nil")
	}
	if in, out := phi.Dims(); in < 1 || out < 1 {
		return nil, fmt.Errorf("ridge: phi: R^%d → R^%d is no map", in, out)
	}
	return &o, o.validate()
}

// fitIterative is FitIterative for rows from any source.
func fitIterative(phi featuremap.FeatureMap, from source, o *IterativeOptions) (*Model, error) {
	if o.Passes == 0 {
		o.Passes = defaultPasses
	}
	f := newIteration(phi, from, o)
	if err := f.run(); err != nil {
		return nil, err
	}
	m := f.numbers()
	if err := m.validateFinite(); err != nil {
		return nil, fmt.Errorf("ridge: λ = %v: the model has %w", m.lambdas(), err)
	}
	model := newModel(phi, m)
	if err := calibrateIterative(model, f.sampleRows, o); err != nil {
		return nil, err
	}
	return model, nil
}

// validateTargets refuses a number of targets that does not suit the options, or the memory.
func (o *IterativeOptions) validateTargets(phi featuremap.FeatureMap, targets int) error {
	if targets < 1 {
		return fmt.Errorf("ridge: targets = %d: must be at least 1", targets)
	}
	_, out := phi.Dims()
	if err := o.validateMemory(out, targets, 1); err != nil {
		return err
	}
	return o.validateStart(phi, out, targets)
}

// validateMemory refuses vectors that do not fit in memory, for a number of different λ.
func (o *IterativeOptions) validateMemory(out, targets, lambdas int) error {
	samples := float64(o.Samples) * float64(lambdas)
	vectors := eigenvectors + 10*(float64(targets)+samples) + 2*sampleBlock
	bytes := 8*vectors*float64(slabs.Stride(out)) + float64(o.Memory)
	if limit := memory.Limit(); !(bytes <= float64(limit)) {
		return fmt.Errorf("ridge: vectors of %d features for %d targets and %d samples for each of %d λ, and a Memory of %d bytes, take %.3g bytes: there are %.3g",
			out, targets, o.Samples, lambdas, o.Memory, bytes, float64(limit))
	}
	return nil
}

// validate refuses options that are out of range.
func (o *IterativeOptions) validate() error {
	switch {
	case !validLambda(o.Lambda):
		return fmt.Errorf("ridge: Lambda = %v: must be finite and at least 0", o.Lambda)
	case tinyLambda(o.Lambda):
		return fmt.Errorf("ridge: Lambda = %v: must be 0 or at least 2^-1000", o.Lambda)
	case o.Lambda != 0 && o.Path != nil:
		return fmt.Errorf("ridge: Lambda = %v and a Path: must be one of them", o.Lambda)
	case o.Path != nil && len(o.Path) == 0:
		return errors.New("ridge: Path is empty: must be nil or have an element")
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return fmt.Errorf("ridge: Tolerance = %v: must be at least 0 and less than 1", o.Tolerance)
	case o.Passes < 0:
		return fmt.Errorf("ridge: Passes = %d: must be at least 0", o.Passes)
	case o.Samples < 0 || o.Samples > mostSamples:
		return fmt.Errorf("ridge: Samples = %d: must be at least 0 and at most 2^20", o.Samples)
	case o.Memory < 0:
		return fmt.Errorf("ridge: Memory = %d: must be at least 0", o.Memory)
	case o.Intervals != nil && o.Intervals.Groups != nil:
		return errGroups
	case o.Intervals != nil && !o.Intervals.Off && o.Samples < leastSamples:
		return fmt.Errorf("ridge: Intervals: %s", tooFewSamples(o.Samples))
	}
	for i, l := range o.Path {
		if l == 0 {
			return fmt.Errorf("ridge: Path[%d] = 0: least squares has no λ to hold the iteration, which would go on to fit noise: must be positive", i)
		}
		if !validLambda(l) {
			return fmt.Errorf("ridge: Path[%d] = %v: must be finite and positive", i, l)
		}
		if tinyLambda(l) {
			return fmt.Errorf("ridge: Path[%d] = %v: must be at least 2^-1000", i, l)
		}
	}
	noise := Options{NoiseVariance: o.NoiseVariance, Path: o.Path}
	if err := noise.validateNoise(); err != nil {
		return err
	}
	_, err := noise.oneNoise()
	return err
}

// validateStart refuses a Start with another map, or together with another λ.
func (o *IterativeOptions) validateStart(phi featuremap.FeatureMap, out, targets int) error {
	s := o.Start
	switch {
	case s == nil:
		return nil
	case s.phi == nil:
		return errors.New("ridge: Start is the zero value of a Model")
	case o.Path != nil:
		return errors.New("ridge: Start and a Path: must be one of them")
	case s.known != (o.NoiseVariance != nil):
		return errors.New("ridge: Start and NoiseVariance: the noise must be known of both, or of none")
	case s.known && o.NoiseVariance[0] > s.unit:
		return fmt.Errorf("ridge: NoiseVariance = %v, and that of Start is %v: must be the same", o.NoiseVariance[0], s.unit)
	case slices.ContainsFunc(s.ridges, func(r ridge) bool { return r.lambda == 0 }):
		return errors.New("ridge: Start has λ = 0: must be positive")
	case o.Lambda != 0 && slices.ContainsFunc(s.lambdas(), func(l float64) bool { return l != o.Lambda }):
		return fmt.Errorf("ridge: Lambda = %v, and that of Start is %v: must be 0 or the same", o.Lambda, s.lambdas())
	case s.out != out || s.targets() != targets:
		return fmt.Errorf("ridge: Start has %d features and %d targets: must have %d and %d", s.out, s.targets(), out, targets)
	case s.mean == nil != o.NoIntercept:
		return errors.New("ridge: Start and NoIntercept: both must have an intercept, or none")
	case identify(phi, phi) != identify(s.phi, s.phi):
		return errors.New("ridge: Start is of another map, whose features differ")
	}
	return nil
}

// Residual returns the largest ‖b − Aw‖/‖b‖ over targets, for a model of FitIterative; 0 after a direct fit.
func (m *Model) Residual() float64 {
	if m.iterative == nil {
		return 0
	}
	return m.iterative.residual
}

// Passes returns the number of passes over the rows that FitIterative made after the first one; 0 after a direct fit.
func (m *Model) Passes() int {
	if m.iterative == nil {
		return 0
	}
	return m.iterative.passes
}

// iterated is the part of a model that only FitIterative sets.
type iterated struct {
	residual, tolerance float64
	passes              int
	held                int       // number of rows that chose λ
	heldError           []float64 // for a model from an old file: the mean squared error of each target on held-out rows
	deltas              []float64 // samples of N(0, A⁻¹), D numbers each, for each different λ in turn
}

// withoutSamples returns s without the samples of the posterior.
func (s *iterated) withoutSamples() *iterated {
	rest := *s
	rest.deltas = nil
	return &rest
}

// samples returns the number of samples for each different λ, given the number of features.
func (m *numbers) samples(out int) int {
	if m.iterative == nil {
		return 0
	}
	return len(m.iterative.deltas) / out / len(m.ridges)
}

// deltas returns the samples of ridge k.
func (m *Model) deltas(k int) []float64 {
	n := m.samples(m.out) * m.out
	return m.iterative.deltas[k*n:][:n]
}

// nan stands for an unknown number.
var nan = math.NaN()
