// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Options are the options of Fit and FitBatches; nil stands for the zero value, which is recommended.
type Options struct {
	// Lambda is the λ of the penalty λ/2·‖W‖², which is added to the sum of the losses of all rows. If 0, λ is chosen by the log loss of held-out
	// rows, in a sample of the rows that is always the same: see docs/theory/classes.md.
	Lambda float64

	// Weights are the weights of the rows in the sum of the losses; nil: 1 each. Only their ratios to each other and to Lambda matter, so they may
	// add up to 1. A weight of 2 counts as two copies of the row, except for the choice of λ: to rounding, or with more than 24·D or up to ¾·D rows
	// to Tolerance. A row of weight 0 is left out, whatever x has there. FitBatches refuses Weights: its batches carry weights.
	Weights []float64

	// Balanced multiplies the weights of each class so that all classes have the same sum of weights, keeping the total.
	// Probabilities are then right for classes that are equally frequent.
	Balanced bool

	// PredictionSets calibrates Model.PredictionSet by five more fits, each to four fifths of the rows. The whole then takes 1.4 to 2.5 times the
	// time of the fit, or 2 to 4 times if Lambda is given. It is refused for fewer than 32 rows of positive weight, for a class without two
	// different rows, and if the sum of weights is less than 19 times the largest.
	PredictionSets bool

	// Tolerance (0: 1e-2) ends the fit: the loss can then fall by at most Tolerance times the loss, or 2e-4 of the log loss of frequencies if more.
	Tolerance float64

	// Memory is the largest number of bytes of features to keep between passes, 8·D a row; 0: a quarter of the free memory; 1 keeps none. If they
	// do not fit, features are computed again in each pass, with the same bits. Further memory: features of up to about 7500 rows while λ is
	// chosen, 8·n bytes a row if there are n ≤ ¾·D, 8·K bytes a row for scores (if features are kept, K > D and there are more than 32·D rows, at
	// most 32 MB), 8·D·K bytes for each goroutine, at most 256 MB in all, and about 32 times 8·D·K bytes for the search.
	Memory int64

	// Progress, if not nil, is called after each pass over the rows with its number, from 1, and the loss (as in Model.Loss) at the weights that were
	// tried. While λ and the start are found it is called with pass 0 and a loss of NaN; while rows are read for Hessians (see Fit), or prediction
	// sets are calibrated, with the pass and loss of the last call. An error stops the work, and is returned, wrapped.
	Progress func(pass int, loss float64) error

	//lint:ignore U1000 linear.Of finds it
	hiddenOptions
}

// hiddenOptions are those that other packages of the module set.
//
//lint:ignore U1000 it is embedded for linear.Of
type hiddenOptions = linear.Hidden[linear.LogisticOptions]

const defaultTolerance = 1e-2

// validate refuses options out of range.
func (o *Options) validate() error {
	switch {
	case !(o.Lambda >= 0 && o.Lambda <= math.MaxFloat64):
		return fmt.Errorf("logistic: Lambda = %v: must be finite and at least 0", o.Lambda)
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return fmt.Errorf("logistic: Tolerance = %v: must be at least 0 and less than 1", o.Tolerance)
	case o.Memory < 0:
		return fmt.Errorf("logistic: Memory = %d: must be at least 0", o.Memory)
	}
	return nil
}

// Fit fits a multinomial logistic regression on the features of phi, for the rows of x, n×in, and the class of each
// row, numbers from 0 to K−1, K ≥ 2. nil opts stand for the zero value. With the probabilities p(c | x) of Model it
// minimizes
//
//	−Σ wᵢ·log p(yᵢ | xᵢ) + λ/2·‖W‖²
//
// over weights W and unpenalized intercepts. The method is L-BFGS with a memory of ten (Nocedal, 1980), one pass a step,
// from the fits that chose λ or from ridge regression. The preconditioner is the majorizer ΦᵀΦ/K + λI
// for each class (Böhning, Multinomial logistic regression algorithm, 1992), and after five steps the mean Hessian. Up
// to ¾·D rows (½·D with λ given, D ≥ 64) are fitted by coordinates in their span. The fit ends when ‖gradient‖²/2λ, with the best intercepts, is
// within Tolerance, or when rounding ends it. Newton's method (with more than 1024 classes, L-BFGS) finds intercepts
// with which the mean of p(c | x) is c's frequency, to 1e-5.
//
// It returns an error that names the row, the class or the option if phi is nil or a zero value, if a shape is wrong,
// if there is one class, one below 0, or one without a row of positive weight, if a number of x is not finite, if an
// option is refused, or if ridge.Fit or Progress returns one.
func Fit(phi featuremap.FeatureMap, x mat.Matrix, classes []int, opts *Options) (*Model, error) {
	t, err := newTraining(phi, opts)
	if err != nil {
		return nil, err
	}
	var count int
	if begun := linear.Of(&t.Options).Begun; begun != nil {
		count, t.begun, t.from = begun.Classes, begun.Ridge, begun.From
	} else if count, err = t.countClasses(x, classes); err != nil {
		return nil, err
	}
	all, index := counting(ridge.Batch{X: x, Y: &classColumn{classes}, Weights: t.Weights})
	if n, _ := all.X.Dims(); n == 0 {
		return nil, errNoRow
	}
	t.x, t.index = all.X, index
	t.read = func(yield func(ridge.Batch, error) bool) { yield(all, nil) }
	return t.fit(count)
}

// FitBatches is Fit for rows that need not be in memory: see ridge.Batch, whose Y is n×1 here and holds class numbers
// from 0 to classes−1. If features are not kept, the rows are read once a pass, once for the sample that chooses λ,
// once for the scores of the start, and twice for Hessians; n ≤ ¾·D rows are read n·D/2²⁰ + 5 times, and then 8·n bytes
// a row are kept. In any case 28 + 8·K bytes a row are kept: the class, the weight, a checksum, the scores and their
// spread. Prediction sets take the passes of five more fits, and about 32 bytes a row.
//
// It returns an error whenever Fit does, if rows is nil, yields an error (wrapped) or a batch that ridge.Batch refuses,
// if a class is not a whole number from 0 to classes−1, or if a later reading yields other rows.
func FitBatches(phi featuremap.FeatureMap, rows iter.Seq2[ridge.Batch, error], classes int, opts *Options) (*Model, error) {
	t, err := newTraining(phi, opts)
	switch {
	case err != nil:
		return nil, err
	case rows == nil:
		return nil, errors.New("logistic: rows = nil")
	case t.Weights != nil:
		return nil, errors.New("logistic: Weights: must be nil for FitBatches, whose batches have weights")
	case classes < 2:
		return nil, fmt.Errorf("logistic: classes = %d: must be at least 2", classes)
	case 8*float64(classes)*float64(t.out) > float64(memory.Limit()):
		return nil, fmt.Errorf("logistic: classes = %d: their weights take %.3g bytes: there are %.3g", classes, 8*float64(classes)*float64(t.out), float64(memory.Limit()))
	}
	t.read = rows
	return t.fit(classes)
}

// countClasses returns the number of classes of rows. It refuses what has other dimensions.
func (t *training) countClasses(x mat.Matrix, classes []int) (int, error) {
	if r := reflect.ValueOf(x); x == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return 0, errors.New("logistic: x = nil")
	}
	n, c := x.Dims()
	switch {
	case n == 0 || c == 0:
		return 0, fmt.Errorf("logistic: x is %d×%d: must have a row and a column", n, c)
	case c != t.in:
		return 0, fmt.Errorf("logistic: x has %d columns, phi takes %d: must be as many", c, t.in)
	case len(classes) != n:
		return 0, fmt.Errorf("logistic: x has %d rows, for %d classes: must be as many", n, len(classes))
	case t.Weights != nil && len(t.Weights) != n:
		return 0, fmt.Errorf("logistic: x has %d rows, Weights %d elements: must be as many", n, len(t.Weights))
	}
	return countClasses(classes)
}

// countClasses returns the number of classes, which are from 0 on. It refuses negative ones and a single one.
func countClasses(classes []int) (int, error) {
	count := 0
	for i, c := range classes {
		if c < 0 {
			return 0, fmt.Errorf("logistic: row %d: class %d: must be at least 0", i, c)
		}
		count = max(count, min(c, math.MaxInt-1))
	}
	if count++; count < 2 {
		return 0, errors.New("logistic: all rows are of class 0: must be at least 2 classes")
	}
	if n := len(classes); count > n {
		found := make([]bool, n)
		for _, c := range classes {
			if c < n {
				found[c] = true
			}
		}
		for c, found := range found {
			if !found {
				return 0, fmt.Errorf("logistic: class %d has no row, of %d classes", c, count)
			}
		}
	}
	return count, nil
}

// A classColumn is the classes of rows as an n×1 matrix.
type classColumn struct{ classes []int }

// Dims returns the number of rows and 1.
func (c *classColumn) Dims() (rows, columns int) { return len(c.classes), 1 }

// At returns the class of row i.
func (c *classColumn) At(i, j int) float64 { return float64(c.classes[i]) }

// T returns the transpose.
func (c *classColumn) T() mat.Matrix { return mat.Transpose{Matrix: c} }
