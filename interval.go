// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval returns a confidence interval of the given level, such as 0.95, for the kernel value that
// ⟨φ(x), φ(y)⟩ estimates. It uses the features alone, not the kernel: from the terms Tᵢ of q independent draws
// it is
//
//	Σ Tᵢ ± t·√q·s,
//
// where s is the sample standard deviation of the terms and t the quantile of Student's t distribution with
// q − 1 degrees of freedom. docs/bounds.md tells what the terms of each map are.
//
// The coverage is as good as the central limit theorem: some tens of terms are enough for Fourier maps. At
// points of large norm most intervals of Maclaurin maps are too short, as their terms have heavy tails: at
// level 0.9 and norm 2 a coverage of 0.80 to 0.85 was measured. A bias (see Plan.Bias) is subtracted.
//
// It returns an error if level is not between 0 and 1, if the map is not one of the package that knows its
// draws (TensorSRHT is refused, since its draws share signs, and so are frequencies that were given), or if
// there are fewer than two terms. It panics with mat.ErrShape if x or y has not the map's input length.
// Features that are not finite give NaN or Inf.
func Interval(m FeatureMap, x, y []float64, level float64) (lo, hi float64, err error) {
	if !(level > 0 && level < 1) {
		return 0, 0, fmt.Errorf("featuremap: level = %v: must be between 0 and 1", level)
	}
	if err := validateMap("map m", m); err != nil {
		return 0, 0, err
	}
	d, ok := m.(drawnMap)
	if !ok || !isOwn(m) { // a caller's type that embeds a map may have other features
		return 0, 0, fmt.Errorf("featuremap: draws of %T: unknown", m)
	}
	e, err := d.evidence(m.TransformVec(nil, x), m.TransformVec(nil, y), x, y)
	if segments := d.common().plan.segments; err != nil && len(segments) == 1 {
		if e := (*recipeError)(nil); !errors.As(err, &e) {
			err = &recipeError{segments[0].recipe, err}
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("featuremap: Interval of a map of %s: %w", source(m.Kernel()), &unprefixed{err})
	}
	half := studentQuantile((1+level)/2, e.freedom) * math.Sqrt(e.variance)
	return e.mean - half, e.mean + half, nil
}

// studentQuantile returns the quantile of Student's t distribution. From 1,000 degrees of freedom on,
// where gonum's inverse of the incomplete beta function may stop far from it, it uses the expansion in
// 1/ν (Abramowitz and Stegun 1964, 26.7.5), whose error there is below 1e-7.
func studentQuantile(p float64, freedom int) float64 {
	nu := float64(freedom)
	if freedom < 1000 {
		return distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(p)
	}
	z := distuv.UnitNormal.Quantile(p)
	z2 := z * z
	return z * (1 + (z2+1)/(4*nu) + ((5*z2+16)*z2+3)/(96*nu*nu))
}

// A biaser knows the bias of its estimates: the mean of ⟨φ(x), φ(y)⟩ − k(x, y).
type biaser interface {
	Bias(x, y []float64) float64
}

// RMSE returns the predicted root mean square error of a map, or of the maps of a Plan, over pairs of
// rows of x: the root of the mean over pairs of Variance, plus Bias² for maps with a Bias. The error of a
// single map over many pairs is near it, and no features are computed. The given number of pairs of
// different rows is drawn from s with replacement, with a relative sampling error of some 1/√pairs.
//
// Variance may be an approximation (Fourier says for which designs), and +Inf.
//
// It calls s.Split once. It returns an error, and leaves s as it was, if m is nil, if x is nil, has fewer
// than 2 rows or another width than the map takes, if an element of x is not finite, or is read by a Binary or a
// Categories and not one of its values, if pairs is less than 1, or if s is nil or the zero value.
func RMSE(m Variancer, x mat.Matrix, pairs int, s *Sampler) (float64, error) {
	if err := validatePairs(m, x, pairs, s); err != nil {
		return 0, err
	}
	s = s.Split()
	rows := rowsOf(x)
	n := len(rows)
	var sum float64
	for range pairs {
		i, j := s.IntN(n), s.IntN(n-1)
		if j >= i {
			j++
		}
		v := m.Variance(rows[i], rows[j])
		if b, ok := m.(biaser); ok {
			v += square(b.Bias(rows[i], rows[j]))
		}
		sum += v / float64(pairs)
	}
	return math.Sqrt(sum), nil
}

func validatePairs(m Variancer, x mat.Matrix, pairs int, s *Sampler) error {
	if isNil(m) {
		return errors.New("featuremap: map m = nil")
	}
	if isNil(x) {
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
	if err := validateSampler(s); err != nil {
		return err
	}
	if err := validateFinite("x", x, 0); err != nil {
		return err
	}
	if known, ok := m.(interface{ Kernel() Kernel }); ok {
		return validateSpaces("x", known.Kernel(), x)
	}
	return nil
}
