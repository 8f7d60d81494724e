// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/special"
)

// Stationary kernels. A new one needs a type here and a case in leafForm (meaning.go), which gives its √Eω₁² and its
// distribution of τ. CONTRIBUTING.md lists the steps.

// Gaussian is the kernel exp(−‖x − y‖²/2ℓ²), also called the squared exponential or RBF kernel. It is infinitely
// smooth. Its frequencies are normal with variance 1/ℓ² (Rahimi and Recht 2007, figure 1). MedianLengthScale gives a
// first guess of ℓ.
type Gaussian struct {
	LengthScale float64 // ℓ, in the units of x: positive, from 1e-150 to 1e150
}

// RBF returns the Gaussian kernel exp(−γ‖x − y‖²), whose LengthScale is 1/√(2γ).
//
// The constructor that takes the kernel refuses a gamma that is not between 5e-301 and 5e299. Its error names the
// length scale: +Inf for a gamma of 0, and −1/√(2|γ|) for a negative gamma.
func RBF(gamma float64) Gaussian {
	return Gaussian{LengthScale: math.Copysign(math.Sqrt(0.5/math.Abs(gamma)), gamma)}
}

// Eval returns exp(−‖x − y‖²/2ℓ²).
func (k Gaussian) Eval(x, y []float64) float64 {
	return expr.Gaussian{LengthScale: k.LengthScale}.Eval(x, y)
}

// Mass returns 1.
func (k Gaussian) Mass() float64 { return 1 }

// Frequency draws ω ~ N(0, I/ℓ²).
func (k Gaussian) Frequency(dst []float64, s *Sampler) { mixtureFrequency(dst, k, s) }

// Mixture returns 1/ℓ², which is not random.
func (k Gaussian) Mixture(*Sampler) float64 { return 1 / float64(k.LengthScale*k.LengthScale) }

func (k Gaussian) validate(int) error {
	return check.Length("Gaussian", "LengthScale", k.LengthScale)
}

func (k Gaussian) parameters() parameters {
	return oneParameter(k.LengthScale, func(v float64) Kernel { k.LengthScale = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k Gaussian) String() string { return gosyntax.Of(k) }

// Laplacian is the kernel exp(−‖x − y‖₁/ℓ) with the ℓ1 norm. It is a product over the coordinates and not radial: for
// exp(−‖x − y‖₂/ℓ) use Matern with Nu: 0.5. Its frequencies have independent Cauchy coordinates of scale 1/ℓ (Rahimi
// and Recht 2007, figure 1).
type Laplacian struct {
	LengthScale float64 // ℓ, in the units of x: positive, from 1e-150 to 1e150
}

// Eval returns exp(−‖x − y‖₁/ℓ).
func (k Laplacian) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	var sum float64
	for i, v := range x {
		sum += math.Abs(v - y[i])
	}
	return math.Exp(-sum / k.LengthScale)
}

func (k Laplacian) pairwise() (f matrix.Function, ok bool) {
	unit := matrix.LengthUnit(k.LengthScale)
	return matrix.Function{
		Measure:  gram.Measure{Of: gram.Absolutes, Scale: unit},
		Function: gram.Exponential{Rate: -1 / (k.LengthScale * unit)},
	}, true
}

// Mass returns 1.
func (k Laplacian) Mass() float64 { return 1 }

// Frequency draws independent Cauchy coordinates of scale 1/ℓ.
func (k Laplacian) Frequency(dst []float64, s *Sampler) {
	for i := range dst {
		dst[i] = s.cauchy()
	}
	arith.Divide(dst, k.LengthScale)
}

func (k Laplacian) validate(int) error {
	return check.Length("Laplacian", "LengthScale", k.LengthScale)
}

func (k Laplacian) parameters() parameters {
	return oneParameter(k.LengthScale, func(v float64) Kernel { k.LengthScale = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k Laplacian) String() string { return gosyntax.Of(k) }

// Cauchy is the kernel ∏ᵢ 1/(1 + ((xᵢ − yᵢ)/ℓ)²). It is a product over the coordinates and not radial: for the radial
// kernel use RationalQuadratic with Alpha: 1. Its frequencies have independent Laplace coordinates of scale 1/ℓ (Rahimi
// and Recht 2007, figure 1).
type Cauchy struct {
	LengthScale float64 // ℓ, in the units of x: positive, from 1e-150 to 1e150
}

// Eval returns ∏ᵢ 1/(1 + ((xᵢ − yᵢ)/ℓ)²).
func (k Cauchy) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	p, scale := 1.0, 1/k.LengthScale
	for i, v := range x {
		u := (v - y[i]) * scale
		p *= 1 + u*u
	}
	return 1 / p
}

func (k Cauchy) pairwise() (f matrix.Function, ok bool) {
	inverse := gram.WithSlope{
		Function: gram.Each(func(t float64) float64 { return 1 / t }),
		Slope:    gram.Each(func(t float64) float64 { return -1 / t / t }),
	}
	return matrix.Function{Measure: gram.Measure{Of: gram.Ratios, Scale: 1 / k.LengthScale}, Function: inverse}, true
}

// Mass returns 1.
func (k Cauchy) Mass() float64 { return 1 }

// Frequency draws independent Laplace coordinates of scale 1/ℓ.
func (k Cauchy) Frequency(dst []float64, s *Sampler) {
	for i := range dst {
		dst[i] = s.laplace()
	}
	arith.Divide(dst, k.LengthScale)
}

func (k Cauchy) validate(int) error { return check.Length("Cauchy", "LengthScale", k.LengthScale) }

func (k Cauchy) parameters() parameters {
	return oneParameter(k.LengthScale, func(v float64) Kernel { k.LengthScale = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k Cauchy) String() string { return gosyntax.Of(k) }

// Matern is the Matérn kernel
//
//	k(x, y) = 2^{1−ν}/Γ(ν)·z^ν·K_ν(z),  z = √(2ν)·‖x − y‖/ℓ,
//
// for any ν > 0 and any dimension. A Gaussian process with this kernel is ⌈ν⌉ − 1 times differentiable in mean square.
// ν = ½ is the exponential kernel e^{−‖x−y‖/ℓ}, 3/2 and 5/2 are the usual choices, and ν → ∞ is the Gaussian kernel
// (Rasmussen and Williams 2006, section 4.2.1).
//
// The frequencies are multivariate Student t with 2ν degrees of freedom, scaled by 1/ℓ: ω = √τ·z with τ =
// 2ν/(ℓ²χ²_{2ν}), one τ for each frequency. (Some libraries draw one τ for each coordinate. That gives the product of
// one-dimensional kernels: 0.050 instead of 0.177 for ν = ½ and Δ = (1, 1, 1).)
//
// For small ν much of the spectral measure lies at frequencies so high that a float64 phase keeps no digit. Therefore τ
// is cut at 2⁵⁰/ℓ². The cut changes the kernel only at distances below 3e-7·ℓ, by less than (ν·2⁻⁵⁰)^ν/Γ(ν + 1). It
// keeps digits in the phases of points within about 1e7·ℓ of the origin.
type Matern struct {
	Nu          float64 // ν > 0, the smoothness
	LengthScale float64 // ℓ, in the units of x: positive, from 1e-150 to 1e150
}

// Eval returns the kernel: in closed form for ν = ½, 3/2 and 5/2, and by numerical integration for other ν (relative
// error about 1e-13, a few microseconds).
func (k Matern) Eval(x, y []float64) float64 {
	rho := 0.5 * arith.SquaredDistance(x, y, k.LengthScale)
	if rho < arith.TinyDistance && k.Nu < 1 {
		// The squared distance may have underflowed although the kernel differs from 1: compute it from the logarithm.
		return special.MaternNear(k.Nu, math.Log(floats.Distance(x, y, 2))-math.Log(k.LengthScale))
	}
	return special.Matern(k.Nu, rho)
}

// pairwise uses the closed form for ν = p + ½, of the modified spherical Bessel functions (DLMF 10.49.12):
//
//	e^{−z}·Σᵢ p!/(2p)!·(2p − i)!/(i!·(p − i)!)·(2z)ⁱ.
func (k Matern) pairwise() (f matrix.Function, ok bool) {
	const most = 20
	p := k.Nu - 0.5
	if p != math.Trunc(p) || !(p >= 0 && p <= most) {
		f = matrix.OfDistance(k.LengthScale, func(rate float64) gram.Function {
			value := func(t float64) float64 { return special.Matern(k.Nu, 0.5*rate*t) }
			slope := func(t float64) float64 { return 0.5 * rate * special.MaternSlope(k.Nu, 0.5*rate*t) }
			tabled := func(f func(t float64) float64) gram.Function {
				if table := gram.NewTable(f, 2*k.Nu*rate, 0.5*k.Nu); table != nil && k.Nu > 0 {
					return table
				}
				return gram.Each(f)
			}
			return gram.WithSlope{Function: tabled(value), Slope: tabled(slope)}
		})
		f.Extreme = k.Eval
		return f, true
	}
	coefficients := []float64{1}
	for i := 1.0; i <= p; i++ {
		coefficients = append(coefficients, coefficients[len(coefficients)-1]*2*(p-i+1)/(i*(2*p-i+1)))
	}
	return matrix.OfDistance(k.LengthScale, func(rate float64) gram.Function {
		return gram.Decay{Scale: 2 * k.Nu * rate, Coefficients: coefficients}
	}), true
}

// Mass returns 1.
func (k Matern) Mass() float64 { return 1 }

// Frequency draws a multivariate Student t vector with 2ν degrees of freedom, times 1/ℓ.
func (k Matern) Frequency(dst []float64, s *Sampler) { mixtureFrequency(dst, k, s) }

// Mixture draws τ = 2ν/(ℓ²χ²_{2ν}).
func (k Matern) Mixture(s *Sampler) float64 { return k.tau(s.Gamma(k.Nu)) }

// tau returns the τ for a Gamma variate g of shape ν.
func (k Matern) tau(g float64) float64 {
	return min(k.Nu/g, maternCut) / float64(k.LengthScale*k.LengthScale)
}

// maternCut is the largest τ of a Matern kernel, for ℓ = 1.
const maternCut = 0x1p50

// law returns the distribution of τ: see Mixture.
func (k Matern) law() radial.Part {
	inverse := k.tau(k.Nu)
	return radial.Part{P: 1, Scale: k.Nu * inverse, Shape: k.Nu, Power: -1, Most: maternCut * inverse}
}

func (k Matern) validate(int) error {
	if err := check.Positive("Matern", "Nu", k.Nu); err != nil {
		return err
	}
	return check.Length("Matern", "LengthScale", k.LengthScale)
}

func (k Matern) parameters() parameters {
	return oneParameter(k.LengthScale, func(v float64) Kernel { k.LengthScale = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k Matern) String() string { return gosyntax.Of(k) }

// RationalQuadratic is the kernel (1 + ‖x − y‖²/(2αℓ²))^{−α}, a mixture of Gaussian kernels of many length scales. α →
// ∞ is the Gaussian kernel (Rasmussen and Williams 2006, equation 4.19). Its frequencies are ω = √τ·z, where τ has the
// Gamma distribution of shape α and rate αℓ², one τ for each frequency.
type RationalQuadratic struct {
	Alpha       float64 // α > 0
	LengthScale float64 // ℓ, in the units of x: positive, from 1e-150 to 1e150
}

// Eval returns (1 + ‖x − y‖²/(2αℓ²))^{−α}.
func (k RationalQuadratic) Eval(x, y []float64) float64 {
	q := 0.5 * arith.SquaredDistance(x, y, k.LengthScale) / k.Alpha
	if math.IsInf(q, 1) {
		// The tail is heavy: where q overflows, the kernel need not be 0.
		r := floats.Distance(x, y, 2)
		return math.Exp(-k.Alpha * (2*(math.Log(r)-math.Log(k.LengthScale)) - math.Log(2*k.Alpha)))
	}
	return math.Exp(-k.Alpha * math.Log1p(q))
}

func (k RationalQuadratic) pairwise() (f matrix.Function, ok bool) {
	f = matrix.OfDistance(k.LengthScale, func(rate float64) gram.Function {
		return gram.Ratio{Rate: 0.5 * rate / k.Alpha, Power: k.Alpha}
	})
	f.Extreme = k.Eval
	return f, true
}

// Mass returns 1.
func (k RationalQuadratic) Mass() float64 { return 1 }

// Frequency draws √τ·z with z standard normal.
func (k RationalQuadratic) Frequency(dst []float64, s *Sampler) { mixtureFrequency(dst, k, s) }

// Mixture draws τ from the Gamma distribution of shape α and rate αℓ².
func (k RationalQuadratic) Mixture(s *Sampler) float64 { return k.tau(s.Gamma(k.Alpha)) }

// tau returns the τ for a Gamma variate g of shape α.
func (k RationalQuadratic) tau(g float64) float64 {
	return g / k.Alpha / float64(k.LengthScale*k.LengthScale)
}

// law returns the distribution of τ: see Mixture.
func (k RationalQuadratic) law() radial.Part {
	l := radial.Fixed(1, k.tau(1))
	l.Shape, l.Power = k.Alpha, 1
	return l
}

func (k RationalQuadratic) validate(int) error {
	if err := check.Positive("RationalQuadratic", "Alpha", k.Alpha); err != nil {
		return err
	}
	return check.Length("RationalQuadratic", "LengthScale", k.LengthScale)
}

func (k RationalQuadratic) parameters() parameters {
	return oneParameter(k.LengthScale, func(v float64) Kernel { k.LengthScale = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k RationalQuadratic) String() string { return gosyntax.Of(k) }

// Constant is the kernel that is Value everywhere, a radial kernel whose only frequency is 0. Added to another kernel
// it is an intercept with prior variance Value: New maps Sum(Constant{c}, k) with one column √c for it, which is exact.
// (Package ridge has its own intercept, without a prior.)
type Constant struct {
	Value float64 // from 0 to 1e150
}

// Eval returns Value.
func (k Constant) Eval(x, y []float64) float64 {
	return expr.Constant{Value: k.Value}.Eval(x, y)
}

// Mass returns Value.
func (k Constant) Mass() float64 { return k.Value }

// Frequency sets dst to 0.
func (k Constant) Frequency(dst []float64, _ *Sampler) { clear(dst) }

// Mixture returns 0.
func (k Constant) Mixture(*Sampler) float64 { return 0 }

func (k Constant) validate(int) error {
	if k.Value < 0 {
		return fmt.Errorf("%w: Constant Value = %v is negative", ErrNotPSD, k.Value)
	}
	if !(k.Value <= check.MaxMass) {
		return fmt.Errorf("featuremap: Constant Value = %v: must be at most %v", k.Value, check.MaxMass)
	}
	return nil
}

func (k Constant) parameters() parameters {
	return oneParameter(k.Value, func(v float64) Kernel { k.Value = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k Constant) String() string { return gosyntax.Of(k) }

// mixtureFrequency draws a frequency √τ·z of a radial kernel.
func mixtureFrequency(dst []float64, k Radial, s *Sampler) {
	scale := math.Sqrt(k.Mixture(s))
	s.FillNormal(dst)
	for i := range dst {
		dst[i] *= scale
	}
}

var (
	_ Radial     = Gaussian{}
	_ Stationary = Laplacian{}
	_ Stationary = Cauchy{}
	_ Radial     = Matern{}
	_ Radial     = RationalQuadratic{}
	_ Radial     = Constant{}
)
