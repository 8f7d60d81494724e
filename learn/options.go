// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Options of Regression and Classification, and which of them are refused.

package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Options are the options of Regression and Classification; nil stands for the zero value, which is recommended.
type Options struct {
	// Features is the largest number of features. If 0, features are added while they help, from √n·log n for n training rows (or the
	// number of columns of dense rows, if that is more) and within 256 to 4096; for K > 228 classes at most 937,500/K, but at least 64.
	// docs/guide/learn.md gives the memory.
	Features int

	// Kernel is the kernel to start from, in the units of the columns of x. If it is not a function of x − y or contains a Fixed, the
	// search for the kernel and logarithms are skipped. If nil, it is a Gaussian of the columns that vary, standardized (or raw, if a validation
	// fit prefers that), with the median distance of two rows as its length scale.
	Kernel featuremap.Kernel

	// TestRows are the numbers of the test rows, which take part in the score only: the last rows of a time series, or some whole groups of
	// rows that belong together. If nil, a random tenth, stratified by class, which also lengthens or shortens the intervals of a
	// final regression. If set, validation fits are judged by the last fifth of the other rows (of each class), in their order; otherwise by
	// fifths at random.
	TestRows []int

	// Groups gives each row of x the number of its group, such as its patient; for Regression only. Rows of a group go to the test set
	// together, and are left out together to choose λ and to calibrate intervals: scores and intervals are then for new groups. At least
	// ten groups must remain for training. The search for the kernel is skipped.
	Groups []int

	// Weights are the weights of the rows of x, from 0 to 1e145; nil: 1 each. Only their ratios matter. A row of weight 0 is left out,
	// whatever it contains. Kernel learning and the score treat all rows of positive weight alike.
	Weights []float64

	// Balanced makes all classes count alike, in fits and in the comparison of validation fits: see logistic.Options. Not for Regression.
	Balanced bool

	// Seed is the seed of all randomness.
	Seed uint64

	// Progress, if not nil, is called with the name of each step before it, and again during it. An error stops the work, and is returned, wrapped.
	Progress func(step string) error
}

const (
	leastRows   = 4       // that take part in a fit or a score
	leastGroups = 10      // of training rows, as intervals need
	leastWidth  = 256     // of the default number of features
	mostWidth   = 4096    // of the same
	mostOption  = 1 << 16 // features
)

// newStudy checks x and the options. Its caller checks targets and chooses test rows.
func newStudy(x mat.Matrix, opts *Options) (*study, error) {
	s := &study{x: x, report: new(report), optimism: 1, started: time.Now()}
	if opts != nil {
		s.Options = *opts
	}
	if isNil(x) {
		return nil, errors.New("learn: x = nil")
	}
	s.rows, s.columns = x.Dims()
	switch {
	case s.rows < 1 || s.columns < 1:
		return nil, fmt.Errorf("learn: x is %d×%d: must have rows and columns", s.rows, s.columns)
	case s.Features < 0 || s.Features > mostOption:
		return nil, fmt.Errorf("learn: Features = %d: must be from 0 to %d", s.Features, mostOption)
	case s.Weights != nil && len(s.Weights) != s.rows:
		return nil, fmt.Errorf("learn: x has %d rows, Weights %d elements: must be as many", s.rows, len(s.Weights))
	}
	if s.Groups != nil && len(s.Groups) != s.rows {
		return nil, fmt.Errorf("learn: x has %d rows, Groups %d elements: must be as many", s.rows, len(s.Groups))
	}
	for i, w := range s.Weights {
		if !(w >= 0 && w <= limit) {
			return nil, fmt.Errorf("learn: Weights[%d] = %v: must be at least 0 and at most %v", i, w, limit)
		}
	}
	for i := range s.rows {
		if s.counts(i) {
			s.all = append(s.all, i)
		}
	}
	if n := len(s.all); n < leastRows {
		return nil, fmt.Errorf("learn: x is %d×%d, with %d rows of positive weight: must have at least %d", s.rows, s.columns, n, leastRows)
	}
	s.counted = len(s.all)
	s.scaleWeights()
	s.Kernel = plain(s.Kernel)
	if s.Kernel != nil && isNil(s.Kernel) {
		return nil, errors.New("learn: Kernel is a nil pointer")
	}
	if err := validateFixed(s.Kernel); err != nil {
		return nil, err
	}
	var reader rows.Reader
	reader.Reset(x)
	s.sparse = reader.Lists != nil
	s.sampler = featuremap.NewSampler(s.Seed)
	return s, nil
}

// counts reports whether a row has a positive weight.
func (s *study) counts(row int) bool { return s.Weights == nil || s.Weights[row] > 0 }

// scaleWeights multiplies the weights so that their mean is 1, whatever their unit: fits count them as rows. The mean is
// larger if a few rows have most of the weight: the lightest three quarters weigh at least 2, so that folds can be fitted.
func (s *study) scaleWeights() {
	if s.Weights == nil {
		return
	}
	sorted := make([]float64, len(s.all))
	for k, i := range s.all {
		sorted[k] = s.Weights[i]
	}
	slices.Sort(sorted)
	most, n := sorted[len(sorted)-1], len(sorted)
	var sum, light float64
	for k, w := range sorted {
		if sum += w / most; k == n-n/4-1 {
			light = sum
		}
	}
	factor := max(float64(n)/sum, 2/max(light, 1e-100))
	scaled := make([]float64, s.rows)
	for _, i := range s.all {
		scaled[i] = max(s.Weights[i]/most*factor, math.SmallestNonzeroFloat64)
	}
	s.Weights = scaled
}

// weight returns the weight of a row.
func (s *study) weight(row int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[row]
}

// validateRows refuses elements of rows of positive weight that are not finite or too large.
func (s *study) validateRows(name string, a mat.Matrix) error {
	var reader rows.Reader
	reader.Reset(a)
	most := make([]float64, reader.Cols) // of each column
	for _, i := range s.all {
		for _, e := range reader.Entries(i) {
			if e.Column < 0 || e.Column >= reader.Cols || !(math.Abs(e.Value) <= limit) {
				return fmt.Errorf("learn: %s(%d, %d) = %v: must be finite and at most %v in magnitude", name, i, e.Column, e.Value, limit)
			}
			most[e.Column] = max(most[e.Column], math.Abs(e.Value))
		}
	}
	for j, v := range most {
		if v > 0 && v < smallest {
			return fmt.Errorf("learn: %s: column %d is at most %.3g in magnitude, so that squares underflow: multiply it by a power of ten", name, j, v)
		}
	}
	return nil
}

// takeTestRows takes the test rows of the option. It refuses rows that are out of range, duplicate, or of weight 0.
func (s *study) takeTestRows() error {
	held := make([]bool, s.rows)
	for k, i := range s.TestRows {
		switch {
		case i < 0 || i >= s.rows:
			return fmt.Errorf("learn: TestRows[%d] = %d: must be from 0 to %d", k, i, s.rows-1)
		case held[i]:
			return fmt.Errorf("learn: TestRows[%d] = %d: is a duplicate", k, i)
		case !s.counts(i):
			return fmt.Errorf("learn: TestRows[%d] = %d: the weight of that row is 0", k, i)
		}
		held[i] = true
	}
	s.split(held)
	if len(s.held) == 0 || len(s.rest) < leastRows-1 {
		return fmt.Errorf("learn: TestRows has %d of %d rows: must have at least 1, and leave at least %d", len(s.held), len(s.all), leastRows-1)
	}
	return nil
}

// split sets the test rows and the training rows, in ascending order.
func (s *study) split(held []bool) {
	s.rest, s.held = nil, nil
	for _, i := range s.all {
		if held[i] {
			s.held = append(s.held, i)
		} else {
			s.rest = append(s.rest, i)
		}
	}
}

// width returns the number of features for n training rows. Fewer features than columns cannot represent a linear
// function of these.
func (s *study) width(n int) int {
	if s.Features > 0 {
		return s.Features
	}
	width := widthOf(n)
	if !s.sparse {
		width = max(width, min(s.columns, mostWidth))
	}
	if s.widest > 0 {
		width = min(width, s.widest)
	}
	return width
}

// widthOf returns the default number of features for n rows with few columns.
func widthOf(n int) int {
	v := float64(n)
	return min(max(int(math.Sqrt(v)*math.Log(v)), leastWidth), mostWidth) // a whole number: last digits of the logarithm do not matter
}
