// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
)

// A TailBound bounds the probability that a map with n features has an error of ε or more,
//
//	P(error ≥ ε) ≤ a(ε)·exp(−n·b(ε)),
//
// over the randomness of the map, for ε up to a largest one. Where a bound says so, n counts draws, not features. A
// TailBound comes from the method Tail of a HoeffdingBound, FourierBound, MaclaurinBound, CompositionalBound or
// GramBound.
//
// It holds for every kernel, point and n that meet its assumptions. This generality may cost a hundred times the
// features: docs/theory/bounds.md compares. For the error to expect use PredictedRMSE or Plan.RMSE, and for one value
// Variance.
//
// The zero value bounds nothing: Prob is 1, and the other methods return an error.
type TailBound struct {
	unit int     // the number of features must be a multiple of unit
	max  float64 // the largest ε that a and b hold for

	logA, b func(eps float64) float64 // decreasing and increasing in ε
}

// Prob returns the bound on the probability of an error of eps or more with n features. It is 1 where the formula is
// above 1, eps is not positive or n is less than 1. Beyond the largest ε it is the bound for the largest one, which
// still holds.
func (t *TailBound) Prob(eps float64, n int) float64 {
	if !(eps > 0) || n < 1 || t.logA == nil {
		return 1
	}
	return math.Exp(min(t.logProb(min(eps, t.max), n), 0))
}

// logProb returns log a(ε) − n·b(ε), which may be above 0.
func (t *TailBound) logProb(eps float64, n int) float64 {
	p := t.logA(eps) - float64(n)*t.b(eps)
	if math.IsNaN(p) { // ∞ − ∞, where a or b overflows
		return 0
	}
	return p
}

// validate refuses the zero value, and a delta that is not a probability.
func (t *TailBound) validate(delta float64) error {
	if t.logA == nil {
		return errors.New("featuremap: the TailBound is a zero value, which bounds nothing")
	}
	return validateDelta(delta)
}

// Features returns the least number of features for which the bound on the probability of an error of eps or more is at
// most delta: the inverse of Prob in n.
//
// It returns an error if eps is not positive, is above the largest one that the bound holds for, or is so small that
// the number exceeds 2⁵³ or the range of int, or if delta is not between 0 and 1.
func (t *TailBound) Features(eps, delta float64) (int, error) {
	if err := t.validate(delta); err != nil {
		return 0, err
	}
	if err := check.Positive("TailBound", "eps", eps); err != nil {
		return 0, err
	}
	if eps > t.max {
		return 0, fmt.Errorf("featuremap: eps = %v: the bound holds up to %v", eps, t.max)
	}
	n, err := ceil((t.logA(eps)-math.Log(delta))/t.b(eps), t.unit)
	if err != nil {
		return 0, fmt.Errorf("featuremap: eps = %v with delta = %v: %w", eps, delta, err)
	}
	return n, nil
}

// Error returns the least ε for which the bound on the probability of an error of ε or more with n features is at most
// delta: the inverse of Prob in ε, by bisection to a relative 1e-15.
//
// It returns an error if n is less than 1 or too small for every ε that the bound holds for, or if delta is not between
// 0 and 1.
func (t *TailBound) Error(n int, delta float64) (float64, error) {
	if err := t.validate(delta); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, fmt.Errorf("featuremap: n = %d: must be at least 1", n)
	}
	logDelta := math.Log(delta)
	hi := min(t.max, 1)
	for t.logProb(hi, n) > logDelta {
		if hi == t.max || hi >= math.MaxFloat64/2 {
			return 0, fmt.Errorf("featuremap: n = %d: too few for a bound with probability delta = %v (it holds for errors up to %v)", n, delta, t.max)
		}
		hi = min(2*hi, t.max)
	}
	lo := 0.0
	for hi-lo > 1e-15*hi {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if t.logProb(mid, n) > logDelta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}

// ceil returns the least multiple of unit, at least unit, that is not less than v.
func ceil(v float64, unit int) (int, error) {
	const most = min(1<<53, math.MaxInt-2)
	if !(v <= most) {
		return 0, fmt.Errorf("it takes %.3g features, which is too many", v)
	}
	u := float64(unit)
	return int(max(math.Ceil(v/u), 1)) * unit, nil
}

// A HoeffdingBound bounds the error of one kernel value that n independent random features ψ estimate, with |ψ| ≤ c for
// all points: a c-bounded scheme (Hoeffding 1963; Daniely, Frostig, Gupta and Singer 2017, Theorem 3). The kernel need
// not be normalized.
type HoeffdingBound struct {
	C float64 // c; for a Skeleton it is the Bound
}

// Tail returns the bound
//
//	P(|k̂(x, y) − k(x, y)| ≥ ε) ≤ 2exp(−nε²/(2c⁴)).
//
// So 2c⁴log(2/δ)/ε² draws are enough for probability 1 − δ. n counts draws, not features: a complex ψ gives two
// features. Draws that depend on each other, as in an orthogonal block, count as one draw together. Tail returns an
// error if C is not positive and finite.
//
// The bound is sharp for terms ψ(x)ψ(y) of ±c², and too large where their variance is below c⁴.
func (b HoeffdingBound) Tail() (*TailBound, error) {
	if err := check.Positive("HoeffdingBound", "C", b.C); err != nil {
		return nil, err
	}
	return hoeffding(b.C*b.C, 1), nil
}

// hoeffding returns Hoeffding's bound for terms in [−most, most], each of which takes unit features.
func hoeffding(most float64, unit int) *TailBound {
	return &TailBound{unit, math.Inf(1),
		func(float64) float64 { return math.Ln2 },
		func(eps float64) float64 { return arith.Square(eps/most) / 2 / float64(unit) },
	}
}

// A GramBound bounds the spectral norm of K̂ − K, where K is the Gram matrix of a stationary kernel at some points and
// K̂ = ΦΦᵀ is its estimate by a Fourier map. The bounds are over the randomness of the map, by the matrix Bernstein
// inequality (Tropp 2015, Theorem 6.6.1). docs/theory/bounds.md says how they differ from Theorem 2 of Ionescu, Popa
// and Sminchisescu 2017.
type GramBound struct {
	Points int     // N, the number of points
	Mass   float64 // k(x, x); 0 means 1
	Norm   float64 // ‖K‖, the largest eigenvalue; 0 means N·Mass, its largest possible value

	RandomPhase bool // whether the map has random phases; its Design must be Independent: see FourierOptions
}

// A bernstein is a validated GramBound. K̂ is the mean of independent n×n matrices of norm at most b, each made of unit
// features. norm is ‖K‖.
type bernstein struct {
	n, norm, b float64
	unit       int
}

func (g GramBound) bernstein() (b bernstein, err error) {
	if g.Points < 1 {
		return b, fmt.Errorf("featuremap: GramBound Points = %d: must be at least 1", g.Points)
	}
	mass := g.Mass
	if mass == 0 {
		mass = 1
	}
	if err := check.Positive("GramBound", "Mass", mass); err != nil {
		return b, err
	}
	b.n = float64(g.Points)
	b.norm = g.Norm
	if b.norm == 0 {
		b.norm = b.n * mass
	}
	// The caller's eigenvalue may exceed N·mass by rounding.
	if !(b.norm > 0 && b.norm <= b.n*mass*(1+1e-9)) {
		return b, fmt.Errorf("featuremap: Norm = %v: must be positive and at most Points·Mass = %v", g.Norm, b.n*mass)
	}
	b.b, b.unit = b.n*mass, 2
	if g.RandomPhase {
		b.b, b.unit = 2*b.n*mass, 1
	}
	return b, nil
}

// Mean returns a bound on the mean of ‖K̂ − K‖ with n features,
//
//	E‖K̂ − K‖ ≤ √(2B‖K‖log(2N)/q) + B·log(2N)/(3q),
//
// where B = N·mass and q = n/2 in the pair form, and B = 2N·mass and q = n with RandomPhase. Both forms have the same
// bound. Measured means were between a fifth and a half of it: see docs/theory/bounds.md. It returns an error if a
// field is out of range or n is less than 1.
func (g GramBound) Mean(n int) (float64, error) {
	b, err := g.bernstein()
	if err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, fmt.Errorf("featuremap: n = %d: must be at least 1", n)
	}
	l, q := math.Log(2*b.n), float64(n)/float64(b.unit)
	return math.Sqrt(2*b.b*b.norm*l/q) + b.b*l/(3*q), nil
}

// Tail returns the bound
//
//	P(‖K̂ − K‖ ≥ ε) ≤ 2N·exp(−(qε²/2)/(B‖K‖ + Bε/3)),
//
// with B and q as for Mean. It returns an error if a field is out of range.
func (g GramBound) Tail() (*TailBound, error) {
	b, err := g.bernstein()
	if err != nil {
		return nil, err
	}
	return &TailBound{b.unit, math.Inf(1),
		func(float64) float64 { return math.Log(2 * b.n) },
		func(eps float64) float64 {
			return 1 / (2 * float64(b.unit) * b.b * (b.norm/eps + 1.0/3) / eps)
		},
	}, nil
}

// DataDependent returns the factor (1 + R)(1 + T) by which Mean and the error of Tail grow for the data-dependent
// kernel K̃ = K − K(I + MK)⁻¹MK at the same points,
//
//	‖K̄ − K̃‖ ≤ (1 + R)(1 + T)·‖K̂ − K‖,  R = ½√(B‖M‖),  T = ½√(‖K‖‖M‖),
//
// where K̄ is K̃ with K̂ instead of K, and B bounds ‖K̂‖: N·mass in the pair form, 2N·mass with RandomPhase. M is
// symmetric and positive semi-definite, and its spectral norm is at most norm. For M = αLᶜ with a normalized Laplacian
// L, norm is α·2ᶜ. DataDependent returns an error if a field is out of range or norm is negative or not finite.
//
// This is Proposition 3 of Ionescu, Popa and Sminchisescu 2017 with R and T given. docs/theory/bounds.md has the proof,
// what it corrects, and measured ratios.
func (g GramBound) DataDependent(norm float64) (float64, error) {
	b, err := g.bernstein()
	if err != nil {
		return 0, err
	}
	if !(norm >= 0 && norm <= math.MaxFloat64) {
		return 0, fmt.Errorf("featuremap: norm = %v: must be finite and not negative", norm)
	}
	return (1 + math.Sqrt(b.b*norm)/2) * (1 + math.Sqrt(b.norm*norm)/2), nil
}

// A LearningBound bounds the loss of linear learning from m independent examples with n draws of a c-bounded scheme,
// over the randomness of both (Daniely, Frostig, Gupta and Singer 2017, Theorem 5). The function whose weights V
// minimize the mean loss of the examples plus λ‖V‖² has a mean loss on new examples of at most
//
//	inf{‖f‖ ≤ B} L(f) + λB² + 2ρ²c²/(λm) + ρBc/√n,
//
// where the infimum is over the kernel's space. The loss must be ρ-Lipschitz in the prediction, and convex (which the
// paper's proof needs: see docs/theory/bounds.md). With several outputs, norms are Frobenius norms.
type LearningBound struct {
	Lipschitz float64 // ρ
	Norm      float64 // B
	C         float64 // c; 0 means 1, the value for Fourier pairs of mass 1
	Examples  int     // m
	Draws     int     // n; for Fourier pairs half the number of features
}

func (l LearningBound) validate() error {
	if l.Examples < 1 {
		return fmt.Errorf("featuremap: LearningBound Examples = %d: must be at least 1", l.Examples)
	}
	return cmp.Or(check.Positive("LearningBound", "Lipschitz", l.Lipschitz), l.validateScheme())
}

// validateScheme refuses a scheme and a norm that no bound covers.
func (l LearningBound) validateScheme() error {
	if l.Draws < 1 {
		return fmt.Errorf("featuremap: LearningBound Draws = %d: must be at least 1", l.Draws)
	}
	return cmp.Or(check.Positive("LearningBound", "Norm", l.Norm), check.Positive("LearningBound", "C", l.c()))
}

func (l LearningBound) c() float64 {
	if l.C == 0 {
		return 1
	}
	return l.C
}

// FunctionError returns a bound on the root mean square, over the randomness of the map, of the error f(x) − f_ω(x) at
// any x of an estimate f_ω of a function f of the kernel's space,
//
//	√E|f(x) − f_ω(x)|² ≤ c·‖f‖/√n,  ‖f‖ = Norm.
//
// So an error of ε takes (c‖f‖/ε)² draws. Only C, Norm and Draws matter (Daniely, Frostig, Gupta and Singer 2017,
// Corollary 4). f_ω is the mean of the projections ⟨f̌(ω), ψ(ω, x)⟩ over n draws of a c-bounded scheme. For f = Σ
// αᵢk(xᵢ, ·) it is Σ αᵢk̂(xᵢ, ·), and ‖f‖² = αᵀKα. Fourier features have c² = mass and n half the number of features in
// the pair form, and c² = 2mass and n the number of features with RandomPhase.
//
// FunctionError returns an error if C or Norm is not positive and finite, or if Draws is less than 1.
func (l LearningBound) FunctionError() (float64, error) {
	if err := l.validateScheme(); err != nil {
		return 0, err
	}
	return l.c() * l.Norm / math.Sqrt(float64(l.Draws)), nil
}

// Lambda returns the λ that minimizes the bound, √2·ρc/(√m·B). It returns an error if a field is out of range.
func (l LearningBound) Lambda() (float64, error) {
	if err := l.validate(); err != nil {
		return 0, err
	}
	return math.Sqrt2 * l.Lipschitz * l.c() / (math.Sqrt(float64(l.Examples)) * l.Norm), nil
}

// Excess returns the terms of the bound after the infimum, for a given λ. A lambda of 0 means Lambda's, for which the
// sum is √8·ρBc/√m + ρBc/√n. With as many draws as examples the first term is already the larger one, so more draws
// hardly help. It returns an error if a field is out of range or lambda is negative or not finite.
func (l LearningBound) Excess(lambda float64) (float64, error) {
	best, err := l.Lambda()
	if err != nil {
		return 0, err
	}
	if !(lambda >= 0 && lambda <= math.MaxFloat64) {
		return 0, fmt.Errorf("featuremap: lambda = %v: must be finite and not negative", lambda)
	}
	if lambda == 0 {
		lambda = best
	}
	rhoC := l.Lipschitz * l.c()
	estimation := lambda*l.Norm*l.Norm + 2*rhoC*rhoC/(lambda*float64(l.Examples))
	return estimation + rhoC*l.Norm/math.Sqrt(float64(l.Draws)), nil
}

// validateDelta refuses a probability of failure that is not between 0 and 1.
func validateDelta(delta float64) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("featuremap: delta = %v: must be between 0 and 1", delta)
	}
	return nil
}
