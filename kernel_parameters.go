// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
)

// parameters contains the values of one kernel of an expression that can be learned, without its parts. It may be
// empty. The function with returns the kernel with other values, in a slice that it may keep.
type parameters struct {
	values []float64
	with   func(values []float64) Kernel
}

// oneParameter returns the parameters of a kernel with one parameter v.
func oneParameter(v float64, with func(v float64) Kernel) parameters {
	return parameters{[]float64{v}, func(values []float64) Kernel { return with(values[0]) }}
}

// parametersOf returns the parameters of a kernel of this package, without its parts. It returns no parameters for
// other kernels.
func parametersOf(k Kernel) parameters {
	if p, ok := k.(interface{ parameters() parameters }); ok && check.Own(k) {
		return p.parameters()
	}
	return parameters{}
}

// Parameters returns the parameters of k that can be learned: its own, followed by the parameters of its parts, in
// order. They are
//
//	LengthScale of the kernels that have one, the lengthScales of ARD,
//	the c of Scale, the Value of Constant, the Gamma of Polynomial,
//	the matrix of Project by rows, of a *mat.DiagDense its diagonal,
//	the Weights of a SpectralMixture, then its Means and its Scales by rows.
//
// Not included are numbers that say what kind of kernel it is, such as Nu, Alpha, Period, Degree and Offset, the
// columns of Select, the scales of SymLog, and the series of Compose and Dot. Kernels of other packages have no
// parameters, except the parts of an Expression. An expression of more than 4096 kernels, which constructors refuse,
// has no parameters.
func Parameters(k Kernel) []float64 { return appendParameters(nil, k) }

func appendParameters(p []float64, k Kernel) []float64 {
	if k = plainKernel(k); check.IsNil(k) || sizeOf(k) > maxSize {
		return p
	}
	p = append(p, parametersOf(k).values...)
	if c, ok := k.(Expression); ok {
		for _, part := range c.Parts() {
			p = appendParameters(p, part)
		}
	}
	return p
}

// WithParameters returns the kernel with the structure of k and the Parameters p. k does not change.
//
// It returns an error if k is nil, if p has another length than Parameters(k), or if a constructor would refuse one of
// the kernels in k with its new parameters. Length scales must be positive and scales not negative; the elements of
// matrices may have any sign.
func WithParameters(k Kernel, p []float64) (Kernel, error) {
	if k = plainKernel(k); check.IsNil(k) {
		return nil, fmt.Errorf("featuremap: kernel k = nil")
	}
	if n := len(Parameters(k)); n != len(p) {
		return nil, fmt.Errorf("featuremap: p has %d parameters: %s has %d", len(p), gosyntax.Of(k), n)
	}
	k, _, err := withParameters(k, p)
	return k, err
}

// withParameters returns k with the first parameters of p, and the remaining parameters.
func withParameters(k Kernel, p []float64) (with Kernel, rest []float64, err error) {
	if k = plainKernel(k); check.IsNil(k) || sizeOf(k) > maxSize {
		return k, p, nil
	}
	if own := parametersOf(k); len(own.values) > 0 {
		n := len(own.values)
		k, p = own.with(slices.Clone(p[:n])), p[n:]
		err = validateAlone(k)
	}
	if c, ok := k.(Expression); ok && err == nil {
		parts := c.Parts()
		for i := range parts {
			if parts[i], p, err = withParameters(parts[i], p); err != nil {
				return nil, nil, err
			}
		}
		k = c.With(parts...)
	}
	if err != nil {
		return nil, nil, err
	}
	return k, p, nil
}

// validateAlone returns the error of the kernel's own arguments for points of any dimension. It does not look into
// parts.
func validateAlone(k Kernel) error {
	if e, ok := k.(ownExpression); ok {
		return e.head().err
	}
	if v, ok := k.(validator); ok {
		return v.validate(0)
	}
	return nil
}
