// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
)

// Kernels for inputs of skeletons: kernels on base spaces, and BlackBox and FromMap, with features of the caller.
// Package graph draws them: its scheme.go has a scheme for each base, and feature.go the letters of features.
//
// The base spaces are the spaces of Daniely, Frostig, Gupta and Singer 2017, section 4, with their random feature
// schemes ψ and norms sup|ψ|. Kernels whose schemes have norm 1, and their sums and products, are estimated best. No
// scheme for ⟨x, y⟩ on the unit sphere of R^d has a norm below √(d/2) (Theorem 6, whose statement has √d/2).

// Binary is the kernel x·y of one coordinate that is −1 or +1. Its feature x is not random and has norm 1 (Daniely,
// Frostig, Gupta and Singer 2017, Example 1).
type Binary struct{}

// Eval returns x·y.
func (Binary) Eval(x, y []float64) float64 {
	oneCoordinate(x, y)
	return x[0] * y[0]
}

func (Binary) validate(in int) error { return validateOne("Binary", in) }

// String returns the Go expression that makes the kernel.
func (k Binary) String() string { return gosyntax.Of(k) }

// Circle is the kernel cos(x − y) of one coordinate, an angle in radians: the inner product of two points of the unit
// circle. Its random feature is e^{iωx} with ω = ±1, of norm 1 (Daniely, Frostig, Gupta and Singer 2017, Example 2). It
// is Stationary.
type Circle struct{}

// Eval returns cos(x − y).
func (Circle) Eval(x, y []float64) float64 {
	oneCoordinate(x, y)
	return math.Cos(x[0] - y[0])
}

// Mass returns 1.
func (Circle) Mass() float64 { return 1 }

// Frequency sets dst, which has one element, to −1 or +1.
func (Circle) Frequency(dst []float64, s *Sampler) {
	oneCoordinate(dst, dst)
	dst[0] = s.Rademacher()
}

func (Circle) validate(in int) error { return validateOne("Circle", in) }

// String returns the Go expression that makes the kernel.
func (k Circle) String() string { return gosyntax.Of(k) }

// Categories is the kernel that is 1 if x = y and 0 otherwise, for one coordinate that is 0, 1, … or N−1. Its random
// feature is e^{2πiωx/N} with ω uniform on these numbers, of norm 1 (Daniely, Frostig, Gupta and Singer 2017, Example
// 4, where the exponent iωx/2πn is a mistake).
//
// Any other number, such as 2.5 or N, is no category and not even equal to itself: the kernel and New's exact features
// are 0 there, and random features estimate nothing. NaN and ±Inf give NaN. NewPlan, NewNystrom, PredictedRMSE,
// NewDataDependent and Skeleton.Validate refuse data with such a number, and name its row and column. They do the same
// for Binary and numbers other than ±1.
type Categories struct {
	N int // from 1 to 2³¹ − 1
}

// Eval returns 1 if x and y are the same category, NaN if one of them is not finite, and 0 otherwise.
func (k Categories) Eval(x, y []float64) float64 {
	oneCoordinate(x, y)
	switch {
	case math.IsNaN(x[0]-x[0]) || math.IsNaN(y[0]-y[0]):
		return math.NaN()
	case x[0] == y[0] && arith.IsIndex(x[0], k.N):
		return 1
	}
	return 0
}

func (k Categories) validate(in int) error {
	if k.N < 1 || k.N > math.MaxInt32 {
		return fmt.Errorf("featuremap: Categories N = %d: must be from 1 to %d", k.N, math.MaxInt32)
	}
	return validateOne("Categories", in)
}

// String returns the Go expression that makes the kernel.
func (k Categories) String() string { return gosyntax.Of(k) }

// Sphere is the kernel ⟨x, y⟩ of unit vectors. Its random feature is √(d/2)·(xⱼ ± i·xⱼ₊₁) with j uniform and x₁ for
// x_{d+1} (Daniely, Frostig, Gupta and Singer 2017, Example 5, where the factor √d/2 is a mistake). Its norm √(d/2) is
// the smallest possible (Theorem 6); for d = 1 it is 1.
type Sphere struct{}

// Eval returns ⟨x, y⟩.
func (Sphere) Eval(x, y []float64) float64 { return arith.Inner(x, y) }

func (Sphere) pairwise() (f matrix.Function, ok bool) { return expr.OfInner(nil), true }

// String returns the Go expression that makes the kernel.
func (k Sphere) String() string { return gosyntax.Of(k) }

// A Drawer draws the random functions of a BlackBox. All randomness must come from s. An error ends the construction of
// the map, which returns it.
type Drawer interface {
	// Draw returns a random function w.
	Draw(s *Sampler) (w func(x []float64) float64, err error)
}

// BlackBox is a kernel with your own random features, which can be drawn again and again, as Algorithm 1 of Kar and
// Karnick (2012, section 10) for compositional kernels requires. The random functions must be safe for concurrent use.
// They get the input columns of the BlackBox in a slice that they must not keep or change. Maps with a BlackBox do not
// know their variance: see Compositional.Variance.
type BlackBox struct {
	Of Kernel // the kernel

	// Draw draws random functions w with E w(x)w(y) = Of.Eval(x, y).
	Draw Drawer

	// Bound is sup|w| if known; 0 means +Inf. See Skeleton.Bound.
	Bound float64
}

// Eval returns Of.Eval(x, y), or NaN if Of is nil.
func (k BlackBox) Eval(x, y []float64) float64 {
	if k.Of == nil {
		return math.NaN()
	}
	return k.Of.Eval(x, y)
}

// validate refuses a BlackBox without kernel or Drawer, and a negative Bound.
func (k BlackBox) validate(in int) error {
	if check.IsNil(k.Of) {
		return fmt.Errorf("featuremap: BlackBox Of = nil")
	}
	if check.IsNil(k.Draw) {
		return fmt.Errorf("featuremap: BlackBox Draw = nil")
	}
	if !(k.Bound >= 0) {
		return fmt.Errorf("featuremap: BlackBox Bound = %v: must be at least 0", k.Bound)
	}
	return nil
}

// String returns the Go expression that makes the kernel.
func (k BlackBox) String() string { return gosyntax.Of(k) }

// FromMap returns the kernel ⟨m(x), m(y)⟩, whose exact map is m. Use it to combine maps of your own with other kernels.
// A constructor refuses the kernel if m is nil, or if in is not the map's.
func FromMap(m FeatureMap) Kernel { return fromMap{m} }

// fromMap is the kernel ⟨m(x), m(y)⟩.
type fromMap struct {
	M FeatureMap `save:",inline"`
}

func (k fromMap) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	return arith.Inner(k.M.TransformVec(nil, x), k.M.TransformVec(nil, y))
}

func (k fromMap) validate(in int) error {
	if err := validateMap("FromMap m", k.M); err != nil {
		return err
	}
	if d, _ := k.M.Dims(); in != d && in != 0 {
		return fmt.Errorf("featuremap: in = %d: the map of FromMap takes points of %d coordinates", in, d)
	}
	return nil
}

func (k fromMap) GoString() string { return gosyntax.Call("FromMap", k.M) }
func (k fromMap) String() string   { return k.GoString() }

// validateOne refuses points of several coordinates.
func validateOne(kernel string, in int) error {
	if in != 1 && in != 0 {
		return fmt.Errorf("featuremap: in = %d: %s is a kernel of one coordinate", in, kernel)
	}
	return nil
}

// oneCoordinate panics with mat.ErrShape unless x and y have one coordinate.
func oneCoordinate(x, y []float64) {
	if len(x) != 1 || len(y) != 1 {
		panic(mat.ErrShape)
	}
}
