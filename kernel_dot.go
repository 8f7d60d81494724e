// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Linear is the kernel ⟨x, y⟩.
type Linear struct{}

// Eval returns ⟨x, y⟩.
func (Linear) Eval(x, y []float64) float64 { return arith.Inner(x, y) }

func (Linear) pairwise() (f matrix.Function, ok bool) { return expr.OfInner(nil), true }

// Series returns the series t.
func (Linear) Series() series.Series { return series.HermiteDual{N: 1} }

// String returns the Go expression that makes the kernel.
func (k Linear) String() string { return gosyntax.Of(k) }

// Polynomial is the kernel (γ⟨x, y⟩ + r)^p.
type Polynomial struct {
	Degree int     // p, at least 0; γp/(γ + r) must be at most 2¹⁷
	Gamma  float64 // γ, positive: 0 is refused and does not mean 1
	Offset float64 // r, at least 0
}

// Eval returns (γ⟨x, y⟩ + r)^p.
func (k Polynomial) Eval(x, y []float64) float64 { return k.at(arith.Inner(x, y)) }

// at returns (γt + r)^p.
func (k Polynomial) at(t float64) float64 {
	const few = 32
	if k.Degree < 1 || k.Degree > few { // high powers lose digits by squaring
		return k.Series().Eval(t)
	}
	return arith.PowInt(math.FMA(k.Gamma, t, k.Offset), k.Degree)
}

// slopeAt returns the derivative of (γt + r)^p.
func (k Polynomial) slopeAt(t float64) float64 {
	if k.Degree < 1 {
		return 0
	}
	below := Polynomial{Degree: k.Degree - 1, Gamma: k.Gamma, Offset: k.Offset}
	return float64(k.Degree) * k.Gamma * below.at(t)
}

func (k Polynomial) pairwise() (f matrix.Function, ok bool) {
	return expr.OfInner(gram.WithSlope{Function: gram.Each(k.at), Slope: gram.Each(k.slopeAt)}), true
}

// Series returns the series (γt + r)^p: aₙ = C(p, n)·γⁿ·r^{p−n}.
func (k Polynomial) Series() series.Series {
	return power.Binomial(k)
}

func (k Polynomial) validate(int) error {
	if k.Degree < 0 {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: must be at least 0", k.Degree)
	}
	if err := check.Positive("Polynomial", "Gamma", k.Gamma); err != nil {
		return err
	}
	if !(k.Offset >= 0 && k.Offset <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: Polynomial Offset = %v: must be finite and at least 0", k.Offset)
	}
	// At t = 1 the terms of the series have this mean degree, and maps draw degrees only up to power.MaxDegree.
	if mean := float64(k.Degree) / (1 + k.Offset/k.Gamma); mean > power.MaxDegree {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: the mean degree of its terms is %.3g: must be at most %d", k.Degree, mean, power.MaxDegree)
	}
	return nil
}

func (k Polynomial) parameters() parameters {
	return oneParameter(k.Gamma, func(v float64) Kernel { k.Gamma = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k Polynomial) String() string { return gosyntax.Of(k) }

// ExpDot is the kernel exp(⟨x, y⟩/ℓ²), known from attention. Use it only with rows of norm about ℓ: its random features
// are poor for larger norms. The error of D features is up to exp((‖x‖² + ‖y‖²)/2ℓ²)/√D, while most kernel values are
// about 1. A plan for points in random directions of R⁶⁴ predicts these errors for 1024 features:
//
//	‖x‖²/ℓ²  1     1.5   2     3    4    8
//	error    0.02  0.06  0.14  0.5  1.7  93
//
// An error of 0.1 allows ‖x‖² of about 1.7ℓ². Queries and keys of d standard normal numbers, with the usual ℓ² = √d,
// have ‖x‖²/ℓ² = √d, which is 11 for d = 128. Their estimates consist of error only, and half of the sums over keys are
// negative. The String of a plan for your points warns of this.
type ExpDot struct {
	LengthScale float64 // ℓ, positive
}

// Eval returns exp(⟨x, y⟩/ℓ²).
func (k ExpDot) Eval(x, y []float64) float64 { return k.Series().Eval(arith.Inner(x, y)) }

func (k ExpDot) pairwise() (f matrix.Function, ok bool) {
	return expr.OfInner(expr.SeriesFunction(k.Series())), true
}

// Series returns the series exp(t/ℓ²): aₙ = ℓ⁻²ⁿ/n!.
func (k ExpDot) Series() series.Series { return series.Exp{Rate: 1 / (k.LengthScale * k.LengthScale)} }

func (k ExpDot) validate(int) error { return check.Length("ExpDot", "LengthScale", k.LengthScale) }

func (k ExpDot) parameters() parameters {
	return oneParameter(k.LengthScale, func(v float64) Kernel { k.LengthScale = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k ExpDot) String() string { return gosyntax.Of(k) }

// Dot returns the kernel f(⟨x, y⟩). With series.Geometric it is 1/(1 − γ⟨x, y⟩), Vovk's infinite polynomial, for points
// with γ‖x‖² < 1; for other points Eval may be +Inf or NaN. A constructor refuses the kernel if f is nil or a parameter
// of f is refused.
func Dot(f series.Series) DotProduct {
	if check.IsNil(f) {
		return dot{f}
	}
	return dot{power.Copy(f)}
}

// dot is the kernel f(⟨x, y⟩).
type dot struct {
	F series.Series `save:",inline"`
}

func (k dot) Eval(x, y []float64) float64 { return k.F.Eval(arith.Inner(x, y)) }
func (k dot) Series() series.Series       { return k.F }
func (k dot) validate(int) error          { return power.Validate(k.F) }
func (k dot) String() string              { return k.GoString() }

func (k dot) GoString() string { return power.KernelSource(k.F) }

var (
	_ DotProduct = Linear{}
	_ DotProduct = Polynomial{}
	_ DotProduct = ExpDot{}
)
