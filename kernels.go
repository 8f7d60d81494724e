// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"github.com/seed-0f95ebc1/featuremap/series"
)

// An index of kernels. CONTRIBUTING.md says what a new one needs.
//
//	kernel_stationary.go  functions of x − y: Gaussian, Laplacian, Cauchy, Matern, RationalQuadratic, Constant
//	kernel_periodic.go    Periodic
//	kernel_mixture.go     SpectralMixture
//	kernel_dot.go         functions of ⟨x, y⟩: Linear, Polynomial, ExpDot, Dot
//	kernel_arccosine.go   ArcCosine
//	kernel_skeleton.go    inputs of skeletons: Binary, Circle, Categories, Sphere, BlackBox, FromMap
//	kernel_expression.go  Sum, Product, Scale, Compose, Weight
//	kernel_warp.go        kernels behind linear maps: Project, ARD, Select
//	skeleton.go           Skeleton.Kernel
//
// Kernels are syntax: numbers and other kernels, which a program may walk (Expression) and change (WithParameters, in
// kernel_parameters.go). What they mean is in meaning.go: their canonical forms, by which StationaryOf knows them, and how
// they are evaluated.

// A Kernel is a positive semi-definite function on R^d: symmetric, with Σᵢⱼ cᵢcⱼk(xᵢ, xⱼ) ≥ 0 for all
// points xᵢ and numbers cᵢ.
//
// A kernel must be safe for concurrent use, and may not keep or change its arguments. Those of this package
// panic with mat.ErrShape if x and y differ in length. Their parameters are checked by the constructors that
// take them, not by Eval, which returns the value of the formula. Kernels are not compared with ==. One given
// by pointer must not change afterwards.
type Kernel interface {
	// Eval returns k(x, y).
	Eval(x, y []float64) float64
}

// An Expression is a kernel that Sum, Product, Scale, Compose, Weight, Project, ARD or Select made of others. It has the
// arguments of its function and no more, so that a program can walk an expression and rebuild it with other parts.
//
// It may be stationary or a dot product kernel, as its parts are: StationaryOf tells.
type Expression interface {
	Kernel

	// Op returns the name of the function that made the kernel, such as "Sum".
	Op() string

	// Parts returns the kernels that it is made of, in order, in a new slice.
	Parts() []Kernel

	// With returns the kernel that the function Op makes of the same arguments and other kernels. It panics with
	// mat.ErrShape unless there are as many kernels as Parts returns.
	With(parts ...Kernel) Kernel
}

// A Stationary kernel depends on x − y only. By Bochner's theorem it is
//
//	k(x, y) = Mass()·E cos(ω·(x − y)),
//
// with the frequency ω drawn from the kernel's spectral measure, normalized to a probability (Bochner
// 1932; Rahimi and Recht 2007, Theorem 1).
type Stationary interface {
	Kernel

	// Mass returns k(x, x), the mass of the spectral measure.
	Mass() float64

	// Frequency overwrites dst by one frequency of R^len(dst), in radians per unit of x. All randomness
	// must come from s: Fourier.Frequencies draws the same frequencies again from the same state.
	Frequency(dst []float64, s *Sampler)
}

// A Radial kernel is a mixture of Gaussian kernels over their scales,
//
//	k(x, y) = Mass()·E exp(−τ‖x − y‖²/2),
//
// so that its frequencies are ω = √τ·z with z standard normal and one τ for each frequency (not one for
// each coordinate, which would be another kernel). By Schoenberg (1938) these are the kernels that depend
// on ‖x − y‖ and are positive semi-definite in every dimension. They work with every frequency design.
type Radial interface {
	Stationary

	// Mixture returns one finite τ ≥ 0, in units of 1/length²: the length scale is included. All randomness
	// must come from s. The Orthogonal design draws with Mixture alone: Frequency must draw √τ·z.
	Mixture(s *Sampler) float64
}

// A DotProduct kernel is f(⟨x, y⟩) for a series f with non-negative coefficients: by Schoenberg (1942)
// these are all functions of ⟨x, y⟩ that are positive semi-definite in every dimension. (The sigmoid kernel
// of many libraries, tanh(γ⟨x, y⟩ + r), is no kernel for γ ≠ 0: its series has negative coefficients.)
type DotProduct interface {
	Kernel
	Series() series.Series
}

// A validator is a kernel that can check its parameters, and whether it is a kernel on R^in; in = 0 stands for any R^d.
type validator interface {
	validate(in int) error
}
