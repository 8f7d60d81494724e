// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/plan"
)

// New returns the map that suits k best, from R^in to at most out features (see Dims), with weights drawn
// from s: it is NewPlan without options, and Draw. With NewPlan and some rows of your data the error is often
// far smaller.
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

// NewPlan plans a map for k, from R^in to at most out features: for each term of k, written as a sum, the map with the
// least root mean square error, predicted by exact variances over pairs of points; within 5 per cent of it the one
// whose transform is cheapest. docs/planning.md lists the maps.
//
// Give it Points: maps that are good only near these are not taken without them (see PlanOptions.Points). For Landmarks see PlanOptions.
//
// A sum gets the features of its terms side by side: exact ones, then the others in the order of the terms. The number
// of features is a maximum: a plan takes fewer if these are better, or not all can be used.
//
// It returns an error if k is nil or does not take points of R^in, if nothing gives k a random map (ErrNoMap), if a parameter
// of k or of an option is refused, if in or out is less than 1, if Points has another width, fewer than two rows, or an
// element that is not finite, or is no sign or category where k takes such, if values of k, exact features or the predicted
// error overflow on Points (it names their norms), if out is too small (*TooFewError), or if the constructor of a term's map
// returns one; with RMSE set also if the variance of a term is unknown, or if out is above 2³¹ − 1.
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
		size = min(out, 1) // out is only a limit here: so many features need not fit in memory
	}
	f, err := validateArguments(k, in, size)
	if err != nil {
		return nil, err
	}
	points, err := plan.SampleOf(o.Points, in, seeded)
	if err == nil && !check.IsNil(o.Points) {
		err = validateOnSpaces("Points", k, o.Points)
	}
	if err != nil {
		return nil, err
	}
	p, err := plan.New(k, f, in, out, points, plan.Options{RMSE: o.RMSE, Unbiased: o.Unbiased}, seeded)
	if few := (*plan.TooFew)(nil); errors.As(err, &few) {
		own := &TooFewError{few.Out, few.Need}
		if advice := strings.TrimPrefix(err.Error(), few.Error()); advice != "" {
			return nil, fmt.Errorf("%w%s", own, advice)
		}
		return nil, own
	}
	if err != nil {
		return nil, err
	}
	return &Plan{*p}, nil
}

// PlanOptions are the options of NewPlan; nil is the zero value. None of them has a plan choose between random features and
// NewLandmarks, as nothing known before labels tells which predicts better: compare pilot fits, as NewLandmarks's example does.
type PlanOptions struct {
	// Points are rows like those the map is for. Maps are chosen, terms share columns, and errors are
	// predicted by all pairs of up to 300 of them (for Compositional maps by some 2,000 of these pairs), taken from all
	// parts of the rows by a fixed pseudo-random rule, so that no regular order of the rows makes a difference;
	// the rows of largest norm of all are looked at besides. Of more than 300, up to 300 others judge what was taken (up to 1,200 where they are
	// too few to tell the error of all rows to a tenth), more of them the farther out they are, and the predicted error is theirs: docs/planning.md has the rules. Rows of a mat.RowNonZeroDoer take time
	// for their non-zeros only.
	// Maps that are good only near the points may be taken. Their features fade to 0 away from the box of all rows, or from their
	// mean, so that models of package ridge return to the prior there, and String says where that begins.
	// Nil stands for points uniform on the unit sphere: then no map is taken that is good only near the points.
	Points mat.Matrix

	// RMSE, if positive, asks for the least number of features, at most out, whose predicted root mean
	// square error over these pairs is no larger, or a *TooFewError. If 0, the plan makes the best use of
	// out features.
	RMSE float64

	// Unbiased admits maps without bias only. Else, with Points, the least mean squared error counts, bias included
	// (see Plan.Bias): a series may be cut after some degrees, or a spectral measure be replaced by a quadrature, and what
	// averages the features of many maps keeps that part of the error. Without Points no map has a bias.
	Unbiased bool
}

// String returns the Go expression that makes the options.
func (o PlanOptions) String() string { return gosyntax.Of(o) }

// A TooFewError says that a plan needs more features than it may have: look for it with errors.As.
type TooFewError struct {
	Out  int // the largest number allowed
	Need int // the least number needed
}

func (e *TooFewError) Error() string {
	return (&plan.TooFew{Out: e.Out, Need: e.Need}).Error()
}
