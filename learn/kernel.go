// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// Learned is the result of Kernel.
type Learned struct {
	// Kernel is the kernel of the best stage: the given one, or a later one that has a larger log marginal likelihood
	// than the best before it and whose LeaveOneOut is not larger by more than one standard error of the difference,
	// row by row (with labels: not larger at all). With labels and fewer than 50 rows a column, length scales per
	// column are taken only if compared on rows they were not learned from. Kernel prints as the Go
	// expression that makes it, and works with NewPlan, NewNystrom and JSON like any other kernel. Its scale is the
	// variance of the targets that it explains, a mean over targets: the λ that belongs to it is the mean of
	// NoiseVariance.
	Kernel featuremap.Kernel

	// NoiseVariance is the variance of the noise of each target, in squared units; 0 for a target that is constant
	// in the rows used.
	NoiseVariance []float64

	// LogEvidence is the log marginal likelihood, per row and target, with random features it was not learned with.
	// Constant targets do not count. With several targets, the noise variance of each counts as (σ² + .05·σ̄²)/1.05,
	// with σ̄² the mean over targets, all in units of the variances of the targets.
	LogEvidence float64

	// Stages lists all that was tried, in order, starting with the given kernel.
	Stages []Stage
}

// A Stage is one attempt to find a kernel.
type Stage struct {
	// Name is "given", "one length", "lengths", "matrix", or "scales" if there is no length scale to learn. For
	// Regression it may also be "categories", before "lengths": one length scale for all columns of a category.
	Name string

	// Kernel is the result of the stage, or nil if the stage was skipped.
	Kernel featuremap.Kernel

	// LogEvidence is the log marginal likelihood as in Learned; −Inf if the stage was skipped.
	LogEvidence float64

	// LeaveOneOut is the mean leave-one-out loss of up to 4000 of the rows, with random features it was not
	// learned with: minus the log predictive density of a target, or for labels the error rate. It is 0 if the stage
	// was skipped.
	LeaveOneOut float64

	// Seconds is the time of the stage, its comparison included. It is the only field that differs from run to run.
	Seconds float64

	// Skipped is the reason why the stage was skipped, such as too many parameters for what it gains; "" if it was not.
	Skipped string
}

// LengthScales tells how general the length scales may be. Each value includes those before it.
type LengthScales int

const (
	AllLengthScales LengthScales = iota // all that apply
	Isotropic                           // one factor for all length scales of a term
	PerColumn                           // a length scale for each column: ARD
	Matrix                              // a matrix in front of the kernel: Project, for terms of 2 to 25 columns
)

// String returns the name of the value.
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

// KernelOptions are the options of Kernel; nil stands for the zero value.
type KernelOptions struct {
	LengthScales LengthScales // the most general length scales to try
	Rows         int          // number of rows to learn from, a fixed pseudo-random choice; 0: 4000
	Features     int          // number of random features while learning, half as many again for a matrix; 0: 256
	Seed         uint64       // seed of all randomness; the same seed gives the same bits on every machine, except Seconds

	// Progress, if not nil, is called after each step of a stage with the log marginal likelihood so far, per row and
	// target, and once more with Stage.LogEvidence. If it returns an error, the work stops, and Kernel
	// returns that error, wrapped.
	Progress func(stage string, step int, evidence float64) error

	ties   *tying // columns that share one length scale; nil: no such columns
	copies bool   // of rows stay
}

// Kernel learns the length scales and scales of k, and the noise of each target, by maximizing the marginal likelihood
// of a Gaussian process on the rows of x, n×d, and y, n×T targets. It returns the kernel of the best stage. Parts of k
// in a Fixed stay as they are. Of rows that are copies, targets included, one counts, if a tenth of the rows are.
//
// For classification, y is the result of ridge.Labels. docs/theory/learning.md says which parameters are learned,
// how, and from how many rows. A constant column of x keeps its length scale, and a constant target is ignored. Sparse
// rows stay sparse, and have one factor for all length scales of a term, whatever opts.LengthScales says.
//
// It returns an error if an argument or the kernel in a Fixed is nil, if a constructor refuses k for points of d
// columns or has no features for one of its terms, if a term has the scale 0, if x and y differ in rows or have fewer
// than two, if an element is not finite or above 1e145 in magnitude (the error names row and column), if all columns of
// x or all of y are constant, if the features of k are too large for a finite marginal likelihood, if an option is out
// of range, or if Progress returns one.
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

// learnKernel is Kernel, except that Fixed parts of k stay Fixed in the result.
func learnKernel(k featuremap.Kernel, x, y mat.Matrix, s *featuremap.Sampler, opts *KernelOptions) (*Learned, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	k = plain(k)
	if err := validate(k, x, y, s); err != nil {
		return nil, err
	}
	if !o.copies {
		x, y = withoutCopies(x, y)
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

// withoutCopies returns one row of each group of copies, if many of at most copied.Most rows are copies, which tell nothing of the
// noise.
func withoutCopies(x, y mat.Matrix) (mat.Matrix, mat.Matrix) {
	var reader rows.Reader
	reader.Reset(x)
	if reader.N > copied.Most {
		return x, y
	}
	points, targets := make([]uint64, reader.N), make([]uint64, reader.N)
	values := gather(y, subset.Rows(reader.N, reader.N), nil)
	for i := range reader.N {
		points[i], targets[i] = reader.Checksum(i), copied.Checksum(values.Data[i*values.Stride:][:values.Cols])
	}
	var few copied.Few
	few.Note(&reader)
	var first []int
	for i, g := range copied.Groups(points, targets, &few, areLabels(values), true) {
		if g == i {
			first = append(first, i)
		}
	}
	if first == nil {
		return x, y
	}
	return rows.Select(x, first), rows.Select(y, first)
}

// withDefaults returns the options with their defaults, or an error if one is out of range.
func (o *KernelOptions) withDefaults() (*KernelOptions, error) {
	var full KernelOptions
	if o != nil {
		full = *o
	}
	switch {
	case full.LengthScales < AllLengthScales || full.LengthScales > Matrix:
		return nil, fmt.Errorf("learn: LengthScales = %d: must be AllLengthScales, Isotropic, PerColumn or Matrix", full.LengthScales)
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

// mostFeatures bounds the features while learning: memory grows with the square of their number.
const mostFeatures = 1 << 14

// interrupted returns the error for an error of Progress.
func interrupted(err error) error { return fmt.Errorf("learn: interrupted by Progress: %w", err) }

// noEvidence is the evidence of a stage that was skipped.
var noEvidence = math.Inf(-1)
