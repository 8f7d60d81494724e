// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The base spaces of Daniely, Frostig, Gupta and Singer 2017, section 4, with their random
// feature schemes ψ and norms sup|ψ|. Kernels of a scheme of norm 1, and sums and products of
// them, are estimated best; by Theorem 6 no scheme for ⟨x, y⟩ on the unit sphere of R^d has a
// norm below √(d/2) (the proof's value; the statement has √d/2).

// Binary is the kernel x·y of one coordinate, −1 or +1, with the feature x (Example 1): norm 1,
// and nothing is random.
type Binary struct{}

// Eval returns x·y.
func (Binary) Eval(x, y []float64) float64 {
	oneCoordinate(x, y)
	return x[0] * y[0]
}

func (Binary) validate(in int) error { return validateOne("Binary", in) }

// Circle is the kernel cos(x − y) of one coordinate, an angle in radians: the inner product of
// two points of the unit circle, with the feature e^{iωx}, ω = ±1 (Example 2): norm 1. It is
// Stationary.
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

// Categories is the kernel 1 if x = y, else 0, of one coordinate that is 0, 1, … or N−1, with
// the feature e^{2πiωx/N}, ω uniform on these numbers: norm 1. (Example 4, where the exponent is
// iωx/2πn by mistake.)
type Categories struct {
	N int // from 1 to 2³¹ − 1
}

// Eval returns 1 if x = y, else 0.
func (Categories) Eval(x, y []float64) float64 {
	oneCoordinate(x, y)
	if x[0] == y[0] {
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

// Sphere is the kernel ⟨x, y⟩ of unit vectors, with the feature √(d/2)·(xⱼ ± i·xⱼ₊₁), j
// uniform, and x₁ for x_{d+1} (Example 5, where the factor is √d/2 by mistake): norm √(d/2),
// the least there is (Theorem 6), and 1 for d = 1.
type Sphere struct{}

// Eval returns ⟨x, y⟩.
func (Sphere) Eval(x, y []float64) float64 { return inner(x, y) }

// SphereUniform is the kernel ⟨x, y⟩ of unit vectors, with the feature √d·⟨w, x⟩, w uniform on
// the sphere (Example 6): norm √d.
type SphereUniform struct{}

// Eval returns ⟨x, y⟩.
func (SphereUniform) Eval(x, y []float64) float64 { return inner(x, y) }

// SphereCoordinate is the kernel ⟨x, y⟩ of unit vectors, with the feature √d·xⱼ, j uniform
// (Example 6): norm √d.
type SphereCoordinate struct{}

// Eval returns ⟨x, y⟩.
func (SphereCoordinate) Eval(x, y []float64) float64 { return inner(x, y) }

// BlackBox is a kernel with somebody's random features, of which fresh ones can be drawn: what
// Kar and Karnick's Algorithm 1 for compositional kernels (2012, section 10) asks for. The
// functions drawn must be safe for concurrent use; they read the columns of the input that has
// the BlackBox for its base, in a slice that they may neither keep nor change.
//
// A map that draws from one does not know its variance: see Compositional.Variance.
type BlackBox struct {
	Of Kernel // the kernel

	// Draw returns a random function w with E w(x)w(y) = Of.Eval(x, y). All that is random
	// must come from s. An error ends the construction of the map, which returns it.
	Draw func(s *Sampler) (w func(x []float64) float64, err error)

	// Bound is sup|w|, if that is known: see Skeleton.Bound. 0 stands for +Inf.
	Bound float64
}

// Eval returns Of.Eval(x, y).
func (k BlackBox) Eval(x, y []float64) float64 { return k.Of.Eval(x, y) }

func (k BlackBox) validate(in int) error {
	if isNil(k.Of) {
		return fmt.Errorf("featuremap: BlackBox Of = nil")
	}
	if k.Draw == nil {
		return fmt.Errorf("featuremap: BlackBox Draw = nil")
	}
	if !(k.Bound >= 0) {
		return fmt.Errorf("featuremap: BlackBox Bound = %v: must be at least 0", k.Bound)
	}
	return validateKernel(k.Of, in)
}

// validateOne refuses points of several coordinates.
func validateOne(kernel string, in int) error {
	if in != 1 {
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

// oneColumn tells whether a base kernel is one of one column.
func oneColumn(k Kernel) bool {
	switch pointee(k).(type) {
	case Binary, Circle, Categories:
		return true
	}
	return false
}

// pointee returns a kernel of the package that has a scheme of its own and is given by a
// pointer as a value.
func pointee(k Kernel) Kernel {
	switch p := k.(type) {
	case *Binary:
		return *p
	case *Circle:
		return *p
	case *Categories:
		return *p
	case *Sphere:
		return *p
	case *SphereUniform:
		return *p
	case *SphereCoordinate:
		return *p
	case *BlackBox:
		return *p
	case *Constant:
		return *p
	case *ArcCosine:
		return *p
	}
	return k
}

// A scheme is a random feature scheme ψ for a kernel: E ψ(x)·conj ψ(y) = k(x, y). It draws
// ψ/√mass, mass being k(x, x) on the base space. (Where k(x, x) depends on x, as for ⟨x, y⟩, it
// is the value at some typical points: what is drawn is unbiased whatever it is.)
type scheme interface {
	Kernel

	mass() float64

	// columns refuses numbers of columns that the base has no place for.
	columns(n int) error

	// bound returns sup|ψ|/√mass on n columns, +Inf if there is none.
	bound(n int) float64

	// moments returns E|ψ(x)|²|ψ(y)|² and E Re ψ(x)²·conj ψ(y)², over the square of the mass.
	moments(x, y []float64) (abs, sq float64)

	// check returns the index of a coordinate that is off the space, and what it is not; or
	// no such word.
	check(x []float64) (at int, what string)

	// drawer returns what draws features of some columns.
	drawer(cols []int, a *alphabet) (drawer, error)
}

// schemeOf returns the scheme of a base kernel that has been validated.
func schemeOf(k Kernel) (scheme, error) {
	switch k := pointee(k).(type) {
	case Binary:
		return binaryScheme{Binary: k}, nil
	case Circle:
		return circleScheme{Circle: k}, nil
	case Categories:
		return categoriesScheme{Categories: k}, nil
	case Sphere:
		return sphereScheme{Sphere: k}, nil
	case SphereUniform:
		return uniformScheme{SphereUniform: k}, nil
	case SphereCoordinate:
		return coordinateScheme{SphereCoordinate: k}, nil
	}
	if k, ok := k.(Stationary); ok {
		if m := k.Mass(); !(m >= 0 && m <= maxMass) {
			return nil, fmt.Errorf("featuremap: %T Mass = %v: must be from 0 to %v", k, m, maxMass)
		}
		return stationaryScheme{Stationary: k}, nil
	}
	base, warp := k, (*linear)(nil)
	if p, ok := k.(projector); ok {
		a, inner := p.projection()
		base, warp = inner, &a
	}
	if dot, ok := base.(DotProduct); ok {
		return newDotScheme(k, dot.Series(), warp)
	}
	if f := newFunctionScheme(k, base, warp); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("%w: %T has no random feature scheme", ErrNoMap, k)
}
