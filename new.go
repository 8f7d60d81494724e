// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// New returns the map that suits k best, from R^in to at most out features (see Dims), with weights drawn
// from s: it is NewPlan without options, and Draw.
//
// It returns an error, and leaves s as it was, where NewPlan or Plan.Draw return an error.
func New(k Kernel, in, out int, s *Sampler) (FeatureMap, error) {
	if err := validateSampler(s); err != nil {
		return nil, err
	}
	p, err := NewPlan(k, in, out, nil)
	if err != nil {
		return nil, err
	}
	return p.Draw(s)
}

// NewPlan plans a map for k, from R^in to at most out features: for each term of k, written as a sum, the
// one of the following with the least root mean square error, predicted by exact variances over pairs of
// points; within 5 per cent of it the one whose transform is cheapest.
//
//   - Exact features, where they fit and pay: one for a constant, as many as coordinates (or rows of the
//     matrix) for ⟨x, y⟩, its multiples and Quadratic, all monomials for a polynomial of ⟨x, y⟩, the map's
//     for FromMap, two for Circle, N for Categories.
//   - For stationary kernels Fourier maps of pairs: of independent frequencies, or for the radial kernels of
//     the package and kernels made of them of Orthogonal and, from 65 coordinates on, Structured ones.
//   - For dot product kernels Maclaurin maps: of real or complex draws, of random signs or TensorSRHT, with the
//     lowest degrees exact as far as columns allow, and degrees by a law made from the points; for
//     polynomials also SumOfProducts.
//   - For an ArcCosine Neurons of either design.
//   - For ExpDot, and products with it, a Fourier map too, since exp(⟨x, y⟩/ℓ²) is a Gaussian kernel times a
//     function of x and one of y; and for a Gaussian kernel, or its product with a polynomial, a Maclaurin
//     map: of points less their mean, if that is possible.
//   - For other expressions, and kernels of a Skeleton, a Compositional map, with as many draws as are sure
//     to fit when equal ones are merged.
//
// If there is none, it returns ErrNoMap. docs/planning.md tells how the choice is made, and what it gains.
//
// The number of features is a maximum: a plan takes fewer where fewer are better, as in whole blocks of
// orthogonal frequencies, or cannot be used. Constructors of one kind of map take out exactly or refuse it.
//
// Some maps are good for points like those given only: the error of a Maclaurin map of a Gaussian kernel
// grows without bound with the distance from them, that of a Fourier map does not. So they are taken only if
// Points are given, and if at one and a half times the norms of these they are still no worse than a map
// whose error is bounded: see Plan.Reach.
//
// A sum gets the features of its terms side by side: exact ones, then the others in the order of the terms.
// A term without room for its exact features is drawn, as ⟨x, y⟩ by random projections. Drawn terms share
// the remaining features in proportion to their standard deviations per feature, which is best for
// independent terms. Stationary terms are drawn together, from a mixture of their measures, where out is too
// small for two columns for each term or the mixture has less variance.
//
// A Weight multiplies the features of its kernel. Products of stationary kernels take one frequency for
// each feature, not a tensor product.
//
// It returns an error if k is nil, if a parameter of k or of an option is refused, if in or out is less
// than 1, if k does not take points of R^in, if Points has another width, fewer than two rows, or an
// element that is not finite, if out is too small (*TooFewError), or if the constructor of a term's map
// does; with RMSE set also if the variance of a term is unknown, or if out is above 2³¹ − 1. Planning
// draws no weights.
func NewPlan(k Kernel, in, out int, opts *PlanOptions) (*Plan, error) {
	var o PlanOptions
	if opts != nil {
		o = *opts
	}
	if !(o.RMSE >= 0 && o.RMSE <= math.MaxFloat64) {
		return nil, fmt.Errorf("featuremap: PlanOptions RMSE = %v: must be finite and at least 0", o.RMSE)
	}
	size := out
	if o.RMSE > 0 {
		if out > math.MaxInt32 {
			return nil, fmt.Errorf("featuremap: out = %d: must be at most %d with PlanOptions RMSE", out, math.MaxInt32)
		}
		size = min(out, 1) // out is a limit, and need not fit in memory
	}
	f, err := validateArguments(k, in, size)
	if err != nil {
		return nil, err
	}
	points, err := newSample(o.Points, in)
	if err != nil {
		return nil, err
	}
	p := &planner{kernel: k, in: in, sample: points, pairs: max(samplePairs, manyPairs/len(f)), mixed: make(map[int]*plannedTerm)}
	p.variants = append(p.variants, p.newTerms(f, false))
	if split, ok := f.splitExponentials(); ok {
		p.variants = append(p.variants, p.newTerms(split, true))
	}
	var d *draft
	if o.RMSE > 0 {
		d, err = p.least(out, o.RMSE)
	} else {
		d, err = p.draft(out)
	}
	if err != nil {
		return nil, err
	}
	return p.plan(d)
}

// PlanOptions are the options of NewPlan; nil is the zero value.
type PlanOptions struct {
	// Points are rows like those the map is for. Maps are chosen, terms share columns, and errors are
	// predicted by all pairs of up to 300 of them, evenly spread (for Compositional maps by some 2,000 of
	// these pairs); the rows of largest norm of all are looked at besides. Nil stands for points uniform on
	// the unit sphere, and for no map whose error depends on the points being there.
	Points mat.Matrix

	// RMSE, if positive, asks for the least number of features, at most out, whose predicted root mean
	// square error over these pairs is no larger, or a *TooFewError. If 0, the plan makes the best use of
	// out features.
	RMSE float64
}

// ErrTooFew: a plan needs more features than it may have. See TooFewError.
var ErrTooFew = errors.New("featuremap: too few features")

// A TooFewError gives the number of features needed. It wraps ErrTooFew.
type TooFewError struct {
	Out  int // the largest number allowed
	Need int // the least number needed
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("featuremap: out = %d: it takes at least %d features", e.Out, e.Need)
}

// Unwrap returns ErrTooFew.
func (e *TooFewError) Unwrap() error { return ErrTooFew }
