// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Kernels of the logarithms of coordinates, for columns with heavy tails.

type symLogKernel struct {
	Scales []float64 `save:"scales,required"`
	K      Kernel    `save:"k,required"`
	operation
}

// leastScale and mostScale bound the scales of SymLog.
const leastScale, mostScale = 1e-100, 1e100

// SymLog returns the kernel k(s(x), s(y)) with the symmetric logarithm of each coordinate,
//
//	s(x)ⱼ = cⱼ·sign(xⱼ)·log(1 + |xⱼ|/cⱼ),  cⱼ = scales[j].
//
// Use it for columns with heavy tails, such as counts, amounts of money and word frequencies, which no single length
// scale fits. (Box and Cox 1964, "An analysis of transformations", take logarithms of shifted data.) A coordinate far
// below its scale hardly changes; far above it becomes its logarithm, in units of the scale. 0 stays 0, so sparse rows
// stay sparse. A scale of 0 leaves its coordinate as it is; other scales are from 1e-100 to 1e100. A good scale is the
// tenth percentile of the magnitudes of the nonzero values.
//
// SymLog may be the outermost part of a kernel, or in front of a term of a Sum, also under Scale. New and NewPlan take
// it only as the outermost part; their features are those of k at s(x). NewNystrom, Gram and CrossGram take both.
//
// A constructor refuses it elsewhere, and if k is nil or refused itself, if a scale is out of range, or if the number
// of scales is not the number of coordinates. Eval is then NaN, or panics with mat.ErrShape.
func SymLog(scales []float64, k Kernel) Kernel {
	var err error
	if len(scales) == 0 {
		err = errors.New("featuremap: SymLog scales = []: must have one for each coordinate")
	}
	for j, c := range scales {
		if c != 0 && !(c >= leastScale && c <= mostScale) {
			err = fmt.Errorf("featuremap: SymLog scales[%d] = %v: must be 0 or from %v to %v", j, c, leastScale, mostScale)
			break
		}
	}
	k = copyPart(k)
	s := &symLogKernel{Scales: append([]float64{}, scales...), K: k}
	s.operation = newOperation("SymLog", err, &expr.SymLog{Scales: s.Scales, K: exprOf(k)}, k)
	s.logarithms = true
	return s
}

func (k *symLogKernel) Parts() []Kernel             { return []Kernel{k.K} }
func (k *symLogKernel) With(parts ...Kernel) Kernel { return SymLog(k.Scales, onePart(parts)) }
func (k *symLogKernel) String() string              { return gosyntax.Of(k) }
func (k *symLogKernel) GoString() string            { return gosyntax.Call("SymLog", k.Scales, k.K) }

var _ Expression = (*symLogKernel)(nil)

// hasLogarithms tells whether there is a SymLog in k.
func hasLogarithms(k Kernel) bool {
	e, ok := check.Value(k).(ownExpression)
	return ok && e.head().logarithms
}

// outermost returns the scales of a SymLog around all of k, and the kernel inside it. Without one it returns nil and k.
// A Scale around the SymLog goes to the kernel inside.
func outermost(k Kernel) (scales []float64, inner Kernel) {
	switch s := k.(type) {
	case *symLogKernel:
		if s.err == nil {
			return s.Scales, s.K
		}
	case *scaleKernel:
		if scales, inner := outermost(s.K); scales != nil && s.err == nil {
			return scales, Scale(s.C, inner)
		}
	}
	return nil, k
}

// validateScales refuses scales whose number is not the number of coordinates.
func validateScales(scales []float64, in int) error {
	if len(scales) != in {
		return fmt.Errorf("featuremap: SymLog has %d scales: points have %d coordinates", len(scales), in)
	}
	return nil
}

// validateTerms returns the error with which constructors refuse a kernel on R^in. The kernel may have a SymLog around
// it or around its terms.
func validateTerms(k Kernel, in int) error {
	return eachLogarithm(k, func(scales []float64, k Kernel) error {
		if scales != nil {
			if err := validateScales(scales, in); err != nil {
				return err
			}
		}
		_, err := canonical(k, in)
		return err
	})
}

// eachLogarithm calls do for the kernel inside each SymLog of k with its scales, and for the other terms of sums with
// nil.
func eachLogarithm(k Kernel, do func(scales []float64, k Kernel) error) error {
	if scales, inner := outermost(k); scales != nil {
		return do(scales, inner)
	}
	sum, ok := k.(Expression)
	if !ok || !hasLogarithms(k) || k.(ownExpression).head().err != nil {
		return do(nil, k)
	}
	for _, part := range sum.Parts() { // of a Sum, or a Scale of one
		if err := eachLogarithm(part, do); err != nil {
			return err
		}
	}
	return nil
}

// validateOnSpaces refuses a matrix with an element that a Binary or a Categories of k reads and that is not one of its
// values. It accepts any matrix if k itself is refused, because the function that takes k returns that error.
func validateOnSpaces(name string, k Kernel, x mat.Matrix) error {
	_, d := x.Dims()
	return eachLogarithm(k, func(scales []float64, k Kernel) error {
		at := x
		if scales != nil {
			if len(scales) != d {
				return nil
			}
			at = rows.Logarithms(x, scales)
		}
		f, err := canonical(k, d)
		if err != nil {
			return nil
		}
		return graph.ValidateSpaces(name, f, at)
	})
}

// logarithmForm returns the error for a SymLog in a place where it is not allowed.
func logarithmForm(k Kernel) (form.Form, error) {
	return nil, fmt.Errorf("featuremap: %s: a SymLog must be outermost for New and NewPlan, and outermost or in front of a term of a Sum for NewNystrom and Gram", gosyntax.Of(k))
}
