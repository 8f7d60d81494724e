// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Learned is what Kernel has learned.
type Learned struct {
	// Kernel is that of the given stage, or of a later one that has more evidence than the best before it, and whose LeaveOneOut is not more
	// by over one standard error of the difference, row by row; of labels not more at all. Of
	// labels with fewer than 50 rows a column it has no lengths of columns. It prints as the Go expression that makes it, and goes to
	// NewPlan, NewNystrom and JSON as any other kernel. Its scale is the variance of the targets that it explains, of several
	// targets the mean of those: the λ that belongs to it is the mean of NoiseVariance.
	Kernel featuremap.Kernel

	// NoiseVariance has the variance of the noise of each target, in the unit of its square: 0 for a target that is constant in the rows
	// that were taken.
	NoiseVariance []float64

	// LogEvidence is the log marginal likelihood with fresh frequencies, a row and target. Targets that are constant do not count, and
	// of several the noise is held above a share of their mean: see the package comment.
	LogEvidence float64

	// Stages has all that was tried, in order, the given kernel first.
	Stages []Stage
}

// A Stage is one way to look for a kernel.
type Stage struct {
	// Name is "given", "one length", "lengths", "matrix", or "scales" where there is no length to learn. Regression has "categories" before "lengths",
	// of one length for the columns of each, where there are such columns.
	Name string

	// Kernel is the result of the stage, or nil if the stage was left out.
	Kernel featuremap.Kernel

	// LogEvidence is the log marginal likelihood with fresh frequencies, a row and target; −Inf if the stage was left out.
	LogEvidence float64

	// LeaveOneOut is the mean loss of up to 4000 of the rows with each left out when it is predicted, with fresh frequencies: minus the
	// logarithm of the density of a target, or of labels the part that is wrong. It is 0 if the stage was left out.
	LeaveOneOut float64

	// Seconds is how long the stage took, with the evidence. It is the only thing here that differs from run to run.
	Seconds float64

	// Skipped says why the stage was left out, as one that has too many parameters for what it gains; "" if it was not.
	Skipped string
}

// LengthScales are those that may be learned, each with all that come before it.
type LengthScales int

const (
	AllLengthScales LengthScales = iota // all that fit
	Isotropic                           // one factor for all length scales of a term
	PerColumn                           // a length scale for each column: ARD
	Matrix                              // a matrix in front of the kernel: Project, for terms of 2 to 25 columns
)

// String returns the name of the scales.
func (s LengthScales) String() string {
	switch s {
	case AllLengthScales:
		return "AllLengthScales"
	case Isotropic:
		return "Isotropic"
	case PerColumn:
		return "PerColumn"
	case Matrix:
		return "Matrix"
	}
	return fmt.Sprintf("LengthScales(%d)", int(s))
}

// mostMatrix is the largest number of columns for which a matrix is learned.
const mostMatrix = 25

// KernelOptions are the options of Kernel; nil is the zero value.
type KernelOptions struct {
	LengthScales LengthScales // the most general that is tried
	Rows         int          // the number of rows to learn from; 0: 4000. Others are taken by a fixed pseudo-random rule
	Features     int          // the number of random features while learning, half as many again for a matrix; 0: 256
	Seed         uint64       // of all randomness: with the same one the result has the same bits on every machine, except Seconds

	// Progress, if not nil, is called after each step of a stage, with the logarithm of the evidence a row and target so far,
	// and once more with that of fresh frequencies. An error stops the work, and is returned, wrapped.
	Progress func(stage string, step int, evidence float64) error

	ties *tying // of columns that have one length; nil: none
}

// Kernel learns the length scales and scales of k from the rows of x, n×d points, and y, n×T targets: it returns the
// kernel of the best stage, and the noise of each target. What is Fixed in k is kept.
//
// For classification y is ridge.Labels. The package comment says what is learned of which kernel, how, and what it costs.
// A constant column of x keeps its length scale, and a constant target takes no part. Sparse rows stay so, and
// have one factor for all length scales of a term, whatever LengthScales are.
//
// It returns an error if an argument or the kernel in a Fixed is nil, if a constructor refuses k for points of d
// columns or has no features for one of its terms, if a term has the scale 0, if x and y differ in rows or have fewer than
// two, if an element is not finite or above 1e145 in magnitude (it names row and column), if all columns of x or of y are constant, if the
// features of k are too large for a finite evidence, if an option is out of range, or if Progress returns one.
func Kernel(k featuremap.Kernel, x, y mat.Matrix, opts *KernelOptions) (*Learned, error) {
	var seed uint64
	if opts != nil {
		seed = opts.Seed
	}
	learned, err := learnKernel(k, x, y, featuremap.NewSampler(seed), opts)
	if err != nil {
		return nil, err
	}
	return learned.loose(), nil
}

// learnKernel is Kernel, but that what is Fixed in k is so in what is learned.
func learnKernel(k featuremap.Kernel, x, y mat.Matrix, s *featuremap.Sampler, opts *KernelOptions) (*Learned, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	k = plain(k)
	if err := validate(k, x, y, s); err != nil {
		return nil, err
	}
	before := *s
	l, err := newLearner(k, x, y, s.Split(), o)
	if err == nil {
		err = l.run()
	}
	var learned *Learned
	if err == nil {
		learned, err = l.result()
	}
	if err != nil {
		*s = before
	}
	return learned, err
}

// withDefaults returns the options with their defaults, or an error if one is out of range.
func (o *KernelOptions) withDefaults() (*KernelOptions, error) {
	var full KernelOptions
	if o != nil {
		full = *o
	}
	switch {
	case full.LengthScales < AllLengthScales || full.LengthScales > Matrix:
		return nil, fmt.Errorf("learn: Scales = %d: must be AllLengthScales, Isotropic, PerColumn or Matrix", full.LengthScales)
	case full.Rows < 0 || full.Rows == 1:
		return nil, fmt.Errorf("learn: Rows = %d: must be 0 or at least 2", full.Rows)
	case full.Features < 0 || full.Features > mostFeatures:
		return nil, fmt.Errorf("learn: Features = %d: must be from 0 to %d", full.Features, mostFeatures)
	}
	if full.Rows == 0 {
		full.Rows = 4000
	}
	if full.Features == 0 {
		full.Features = 256
	}
	if full.LengthScales == AllLengthScales {
		full.LengthScales = Matrix
	}
	if full.Progress == nil {
		full.Progress = func(string, int, float64) error { return nil }
	}
	return &full, nil
}

// mostFeatures bounds the features while learning: the square of their number is kept.
const mostFeatures = 1 << 14

// interrupted returns the error for a Progress function that has returned one.
func interrupted(err error) error { return fmt.Errorf("learn: interrupted by Progress: %w", err) }

// noEvidence is the evidence of what was left out.
var noEvidence = math.Inf(-1)
