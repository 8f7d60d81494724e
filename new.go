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
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// New returns the map for the kernel k that has the least predicted error on rows like those of x, n×d, with at most
// the given number of features (see Dims). Weights are drawn from s, or from NewSampler(0) if s is nil. New is NewPlan
// without options, followed by Draw. Without rows use NewPlan, or the constructor of one kind of map.
//
// New returns an error, and leaves s as it was, if NewPlan or Plan.Draw return one, and if x is nil.
func New(k Kernel, x mat.Matrix, features int, s *Sampler) (FeatureMap, error) {
	s, err := givenSampler(s)
	if err != nil {
		return nil, err
	}
	if check.IsNil(x) {
		return nil, errors.New("featuremap: x = nil: for a map without rows see NewPlan")
	}
	p, err := NewPlan(k, x, features, nil)
	if err != nil {
		return nil, err
	}
	return p.Draw(s)
}

// NewPlan returns a plan of a map for k, with at most the given number of features, for rows like those of x, n×d. For
// each term of k, written as a sum, it takes the map with the least root mean square error, and among maps within 5 % of
// it the fastest. The errors are predicted by exact variances over pairs of rows (see Plan.RMSE).
// docs/theory/planning.md lists the maps. A sum gets the features of its terms side by side: exact ones first, then the
// others in the order of the terms.
//
// A plan may take maps that are good only near the rows. Their features fade to 0 elsewhere, so that models of package
// ridge return to the prior there, and String says where that begins. A nil x means points uniform on the unit sphere
// of R^In (see PlanOptions); then no such map is taken.
//
// It returns an error if k is nil, does not take points of R^d or has no known random features (ErrNoMap), or if a
// parameter of k, an option or features is refused. x must have at least two rows, finite elements, and the signs or
// categories that k takes. Values of k, exact features and the predicted error must not overflow (the error names the
// norms of x). features must be enough (*TooFewError). With RMSE set, the variance of each term must be known. Errors
// of the constructors of maps are returned.
func NewPlan(k Kernel, x mat.Matrix, features int, opts *PlanOptions) (*Plan, error) {
	k = plainKernel(k)
	var o PlanOptions
	if opts != nil {
		o = *opts
	}
	in, err := o.validate(x, features)
	if err != nil {
		return nil, err
	}
	size := features
	if o.RMSE > 0 {
		size = 1 // so many features need not fit in memory: with RMSE set features is only a limit
	}
	scales, inner := outermost(k)
	at := x
	if scales != nil {
		if err := validateScales(scales, in); err != nil {
			return nil, err
		}
		if !check.IsNil(x) {
			at = rows.Logarithms(x, scales)
		}
	}
	f, err := validateArguments(inner, in, size)
	if err != nil {
		return nil, err
	}
	points, err := plan.SampleOf(at, in, seeded)
	if err == nil && !check.IsNil(x) {
		err = validateOnSpaces("x", inner, at)
	}
	if err != nil {
		return nil, err
	}
	p, err := plan.New(inner, f, in, features, points, plan.Options{RMSE: o.RMSE, Unbiased: o.Unbiased}, seeded)
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
	return &Plan{engine: *p, scales: scales, kernel: k}, nil
}

// PlanOptions are the options of NewPlan; nil is the zero value. A plan never chooses between random features and
// NewNystrom, because nothing known before the targets tells which predicts better. Compare validation fits, as the
// example of NewNystrom does.
type PlanOptions struct {
	// In is the number of coordinates of a point, for a plan without rows. With rows it must be 0 or their number of
	// columns.
	In int

	// RMSE, if positive, asks for the least number of features, within the limit, whose predicted root mean square
	// error over the pairs of the plan is no larger, or for a *TooFewError. If RMSE is 0, the plan makes the best use
	// of all features that are allowed.
	RMSE float64

	// Unbiased admits only maps without bias. Set it if you average the features of many maps, because averages keep a
	// bias. Otherwise a plan for rows takes the least mean squared error, bias included (see Plan.Bias). It may cut a
	// series after some degrees, or replace a spectral measure by a quadrature. Plans without rows never have a bias.
	Unbiased bool
}

// String returns the Go expression that makes the options.
func (o PlanOptions) String() string { return gosyntax.Of(o) }

// validate checks the options, the size of x and the number of features, and returns the number of coordinates.
func (o *PlanOptions) validate(x mat.Matrix, features int) (in int, err error) {
	switch {
	case !(o.RMSE >= 0 && o.RMSE <= math.MaxFloat64):
		return 0, fmt.Errorf("featuremap: PlanOptions RMSE = %v: must be finite and at least 0", o.RMSE)
	case o.In < 0:
		return 0, fmt.Errorf("featuremap: PlanOptions In = %d: must be at least 1, or 0 for the columns of x", o.In)
	case features < 1:
		return 0, fmt.Errorf("featuremap: features = %d: must be at least 1", features)
	case o.RMSE > 0 && features > math.MaxInt32:
		return 0, fmt.Errorf("featuremap: features = %d: must be at most %d with PlanOptions RMSE", features, math.MaxInt32)
	case check.IsNil(x) && o.In == 0:
		return 0, errors.New("featuremap: x = nil: PlanOptions In must say how many coordinates points have")
	case check.IsNil(x):
		return o.In, nil
	}
	n, in := x.Dims()
	switch {
	case in == 0:
		return 0, fmt.Errorf("featuremap: x is %d×0: must have a column", n)
	case o.In != 0 && o.In != in:
		return 0, fmt.Errorf("featuremap: PlanOptions In = %d: x has %d columns", o.In, in)
	}
	return in, nil
}

// A TooFewError says that a plan needs more features than it may have. Find it with errors.As.
type TooFewError struct {
	Out  int // the largest number allowed
	Need int // the least number needed
}

// Error returns a message with both numbers.
func (e *TooFewError) Error() string {
	return (&plan.TooFew{Out: e.Out, Need: e.Need}).Error()
}
