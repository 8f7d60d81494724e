// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
)

// A biaser is a map that knows the bias of its estimates: the mean of ⟨φ(x), φ(y)⟩ − k(x, y).
type biaser interface {
	Bias(x, y []float64) float64
}

// PredictedRMSE returns the predicted root mean square error of a map, or of the maps of a Plan, over pairs of rows of
// x: the root of the mean over pairs of Variance, plus Bias² for maps with a Bias. No features are computed. The error
// of a single map over many pairs is close to it. The given number of pairs of different rows is drawn from s with
// replacement, which leaves a relative sampling error of about 1/√pairs.
//
// The result is +Inf where Variance is, and an approximation where Variance is: see Fourier.Variance.
//
// PredictedRMSE calls s.Split once. It returns an error, and leaves s as it was, if m or x is nil, if x has fewer than
// 2 rows or another width than the map takes, if pairs is less than 1, or if s is the zero value. Elements of x must be
// finite, and elements that a Binary or a Categories reads must be among its values.
func PredictedRMSE(m Variancer, x mat.Matrix, pairs int, s *Sampler) (float64, error) {
	s, err := givenSampler(s)
	if err == nil {
		err = validatePairs(m, x, pairs)
	}
	if err != nil {
		return 0, err
	}
	s = s.Split()
	rows := pairsOf(x)
	n, _ := x.Dims()
	var sum float64
	for range pairs {
		i, j := s.IntN(n), s.IntN(n-1)
		if j >= i {
			j++
		}
		a, b := rows(i, j)
		v := m.Variance(a, b)
		if m, ok := m.(biaser); ok {
			v += arith.Square(m.Bias(a, b))
		}
		sum += v / float64(pairs)
	}
	return math.Sqrt(sum), nil
}

func validatePairs(m Variancer, x mat.Matrix, pairs int) error {
	if check.IsNil(m) {
		return errors.New("featuremap: map m = nil")
	}
	if check.IsNil(x) {
		return errors.New("featuremap: x = nil")
	}
	n, c := x.Dims()
	if drawn, ok := m.(FeatureMap); ok {
		if err := validateMap("map m", drawn); err != nil {
			return err
		}
	}
	if d, ok := m.(interface{ Dims() (in, out int) }); ok {
		if in, _ := d.Dims(); c != in {
			return fmt.Errorf("featuremap: x has %d columns: must have the %d coordinates of the map", c, in)
		}
	}
	if n < 2 {
		return fmt.Errorf("featuremap: x has %d rows: must have at least 2", n)
	}
	if pairs < 1 {
		return fmt.Errorf("featuremap: pairs = %d: must be at least 1", pairs)
	}
	if err := check.Finite("x", x, 0); err != nil {
		return err
	}
	if known, ok := m.(interface{ Kernel() Kernel }); ok {
		return validateOnSpaces("x", known.Kernel(), x)
	}
	return nil
}
