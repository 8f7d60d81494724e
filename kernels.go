// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Index of the kernels. CONTRIBUTING.md says what a new one needs.
//
//	kernel_stationary.go  functions of x − y: Gaussian, Laplacian, Cauchy, Matern, RationalQuadratic, Constant
//	kernel_periodic.go    Periodic
//	kernel_mixture.go     SpectralMixture
//	kernel_dot.go         functions of ⟨x, y⟩: Linear, Polynomial, ExpDot, Dot
//	kernel_arccosine.go   ArcCosine
//	kernel_skeleton.go    inputs of skeletons: Binary, Circle, Categories, Sphere, BlackBox, FromMap
//	kernel_expression.go  Sum, Product, Scale, Compose, Weight
//	kernel_warp.go        kernels of linear maps of the points: Project, ARD, Select
//	skeleton.go           Skeleton.Kernel
//
// Kernels are syntax: numbers and other kernels. A program can walk them (Expression) and change them (WithParameters,
// in kernel_parameters.go). meaning.go says what they mean: their canonical forms, by which StationaryOf knows them,
// and how they are evaluated.

// A Kernel is a positive semi-definite function k(x, y) on R^d. It is symmetric, and Σᵢⱼ cᵢcⱼk(xᵢ, xⱼ) ≥ 0 for all
// points xᵢ and numbers cᵢ.
//
// A kernel must be safe for concurrent use, and must not keep or change its arguments. A kernel that is passed as a
// pointer must not change afterwards. Kernels are not compared with ==.
//
// The kernels of this package panic with mat.ErrShape if x and y differ in length. The constructors that take a kernel
// check its parameters. Eval does not: it returns the value of the formula.
type Kernel interface {
	// Eval returns k(x, y).
	Eval(x, y []float64) float64
}

// An Expression is a kernel that Sum, Product, Scale, Compose, Weight, Project, ARD, Select or SymLog made from other
// kernels. It contains the arguments of that function and nothing else, so a program can walk an expression and rebuild
// it with other parts.
//
// An Expression may be stationary or a dot product kernel, depending on its parts: see StationaryOf.
type Expression interface {
	Kernel

	// Op returns the name of the function that made the kernel, such as "Sum".
	Op() string

	// Parts returns the kernels that the expression is made of, in order, in a new slice.
	Parts() []Kernel

	// With returns the kernel that the function Op makes from other parts and otherwise the same arguments. It panics
	// with mat.ErrShape unless there are as many parts as Parts returns.
	With(parts ...Kernel) Kernel
}

// A Stationary kernel is a function of x − y. By Bochner's theorem it is
//
//	k(x, y) = Mass()·E cos(ω·(x − y)),
//
// where the frequency ω is drawn from the kernel's spectral measure, normalized to a probability (Bochner 1932; Rahimi
// and Recht 2007, Theorem 1).
type Stationary interface {
	Kernel

	// Mass returns k(x, x), the mass of the spectral measure.
	Mass() float64

	// Frequency sets dst to one random frequency of R^len(dst), in radians per unit of x. All randomness must come from
	// s, because Fourier.Frequencies draws the same frequencies again from the same state of s.
	Frequency(dst []float64, s *Sampler)
}

// A Radial kernel is a mixture of Gaussian kernels of different scales,
//
//	k(x, y) = Mass()·E exp(−τ‖x − y‖²/2).
//
// Its frequencies are ω = √τ·z with z standard normal and one τ for each frequency. (One τ for each coordinate would be
// another kernel.) By Schoenberg (1938) the radial kernels are all functions of ‖x − y‖ that are positive semi-definite
// in every dimension. They admit Orthogonal and Structured frequencies.
type Radial interface {
	Stationary

	// Mixture returns one random τ, finite and at least 0, in units of 1/length²: it includes the length scale. All
	// randomness must come from s. The Orthogonal design calls Mixture alone, so Frequency must return √τ·z.
	Mixture(s *Sampler) float64
}

// A DotProduct kernel is f(⟨x, y⟩) for a series f with non-negative coefficients. By Schoenberg (1942) these are all
// functions of ⟨x, y⟩ that are positive semi-definite in every dimension. (The sigmoid kernel of many libraries,
// tanh(γ⟨x, y⟩ + r), is no kernel for γ ≠ 0, because its series has negative coefficients.)
type DotProduct interface {
	Kernel

	// Series returns f.
	Series() series.Series
}

// A validator is a kernel that checks its parameters, and whether it is a kernel on R^in. in = 0 means any R^d.
type validator interface {
	validate(in int) error
}
