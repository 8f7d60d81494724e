// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/region"
)

// A Differentiable pulls gradients back through a map φ: R^in → R^out. With J(x) the Jacobian matrix of φ at x, out×in,
// the gradient of ⟨φ(x), g⟩ at x is J(x)ᵀg. See Derivative.
//
// A Differentiable is safe for concurrent use. For maps of this package it gives the same bits for the same rows,
// whatever the batch, its layout, the number of goroutines and the machine. A NaN in a row of x makes NaN only in the
// same row of dst.
type Differentiable interface {
	// PullbackTo sets row i of dst, n×in, to J(xᵢ)ᵀgᵢ for the rows xᵢ of x, n×in, and gᵢ of g, n×out, with up to
	// GOMAXPROCS goroutines. An empty dst is sized. It panics with mat.ErrZeroLength if n is 0, with mat.ErrShape if x
	// is not n×in, g not n×out, or dst neither empty nor n×in, and as gonum does if dst overlaps x or g.
	PullbackTo(dst *mat.Dense, x, g mat.Matrix)
}

// Derivative returns the derivative of m, computed from its weights and never by differences. If m is of another
// package and Differentiable itself, Derivative returns m.
//
// Call it once, and PullbackTo often: Derivative packs the weights again. For a Fourier map this costs about as much as
// one more map, with RandomPhase two. PullbackTo takes up to two and a half times as long as TransformTo.
// docs/reference/maps.md says what the derivative is at kinks.
//
// Derivative returns an error if m is nil or the zero value, and one that names the part of m without a derivative.
// Compositional maps, features of a BlackBox, and maps of other packages that are not Differentiable have
// none, also in a FromMap or as the base of a DataDependent. Nor has a Weight whose Weighter is no WeightGradienter, or
// a Nystrom map of a kernel that Gram evaluates pair by pair.
func Derivative(m FeatureMap) (Differentiable, error) {
	if err := validateMap("map m", m); err != nil {
		return nil, err
	}
	if d, ok := m.(derivable); ok && check.Own(m) {
		return d.derivative()
	}
	if d, ok := m.(Differentiable); ok {
		return d, nil
	}
	return nil, fmt.Errorf("featuremap: a %T has no derivative: it is no Differentiable", m)
}

// A derivable is a map of this package that may have a derivative.
type derivable interface {
	derivative() (Differentiable, error)
}

// A pullback is the derivative of a map that has a plan.
type pullback struct {
	in, out int
	back    *projection.Pullback
}

// PullbackTo sets row i of dst to J(xᵢ)ᵀgᵢ: see Differentiable.
func (p *pullback) PullbackTo(dst *mat.Dense, x, g mat.Matrix) {
	preparePullback(dst, x, g, p.in, p.out)
	p.back.PullbackTo(dst, x, g)
}

// preparePullback checks the arguments of PullbackTo for a map R^in → R^out and sizes dst.
func preparePullback(dst *mat.Dense, x, g mat.Matrix, in, out int) {
	n, _ := x.Dims()
	if rows, columns := g.Dims(); n > 0 && (rows != n || columns != out) {
		panic(mat.ErrShape)
	}
	check.Transform(dst, x, in, in)
	region.CheckMatrix(dst.RawMatrix(), g)
}

// rowDerivative returns the derivative of the rows of a kernel matrix, or an error that names the part of the kernel
// without one.
func rowDerivative(m *matrix.Matrix) (*matrix.Derivative, error) {
	return matrix.NewDerivative(m, func(through matrix.FeatureMap) (matrix.FeatureDerivative, error) {
		return Derivative(through.(FeatureMap))
	})
}
