// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package power

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Profile is what is known of a series of the library without computing its coefficients.
type Profile struct {
	// Degree is the degree of a polynomial, or an upper bound of it, and −1 for any other series.
	Degree int

	// Up to degree Gaps any number of successive terms may be negligible, and beyond it at most 64.
	Gaps int

	// leaves is the number of series in it that are not made of others; 0 stands for 1. Its first n coefficients take
	// about cost·n² multiply-adds, plus those of the leaves.
	cost, leaves float64

	// Radius is the largest number of calls of a leaf's Eval by the method Radius.
	Radius float64

	inside  float64 // how many series are in it
	unknown bool    // whether it contains a caller's series
}

// Parts returns the number of leaves, at least 1.
func (p Profile) Parts() float64 { return max(p.leaves, 1) }

// ProfileOf returns the profile of a series. Nothing is known of a caller's series, which counts as a leaf.
func ProfileOf(f series.Series) Profile {
	switch f := f.(type) {
	case interface{ profile() Profile }:
		return f.profile()
	case series.Coefficients:
		n := max(len(f)-1, 0)
		for n > 0 && f[n] == 0 {
			n--
		}
		return Profile{Degree: n, Gaps: n}
	case series.HermiteDual:
		return Profile{Degree: f.N, Gaps: f.N}
	}
	return Profile{Degree: -1, unknown: !check.Own(f)}
}

// DegreeOf returns the degree of a polynomial of the library, or an upper bound, and whether f is one.
func DegreeOf(f series.Series) (n int, ok bool) {
	n = ProfileOf(f).Degree
	return n, n >= 0
}

// with returns the profile of a series made of two. put combines their degrees, and their gaps; the other numbers
// are added.
func (p Profile) with(q Profile, put func(m, n int) int) Profile {
	c := Profile{Degree: -1, Gaps: put(p.Gaps, q.Gaps), cost: p.cost + q.cost, leaves: p.Parts() + q.Parts(), Radius: p.Radius + q.Radius, inside: p.inside + q.inside + 2}
	c.unknown = p.unknown || q.unknown
	if p.Degree >= 0 && q.Degree >= 0 {
		c.Degree = put(p.Degree, q.Degree)
	}
	return c
}

// The terms of a series are computed up to degree MaxDegree, and up to maxCostlyDegree if it has a cost. The first n
// coefficients may take at most maxCost steps (see TableSteps), less than a second; n is as large as this allows.
const (
	MaxDegree       = 1 << 17
	maxCostlyDegree = 1 << 13
	maxCost         = 1 << 27
)

// HighestDegree returns the degree up to which the terms of a series are computed.
func HighestDegree(f series.Series) int { return ProfileOf(f).highest() }

func (p Profile) highest() int {
	most := min(MaxDegree, int(maxCost/(coefficientSteps*p.Parts())))
	if p.cost > 0 {
		return min(most, maxCostlyDegree, int(math.Sqrt(maxCost/p.cost)))
	}
	return most
}

// EvaluationSteps returns about how many steps it takes to find a value and a derivative. The values of a product inside
// n others are computed n times.
func (p Profile) EvaluationSteps() float64 {
	const evaluation = 32
	return evaluation * (2 + p.inside*p.inside)
}

// plusDegrees and timesDegrees return m + n and m·n for degrees, but at most MaxInt32, so that they do not overflow.
func plusDegrees(m, n int) int  { return int(min(float64(m)+float64(n), math.MaxInt32)) }
func timesDegrees(m, n int) int { return int(min(float64(m)*float64(n), math.MaxInt32)) }

// A Scaled is c·f, c ≥ 0.
type Scaled struct {
	C float64       `save:"c"`
	F series.Series `save:"f,required"`
}

func (s Scaled) Eval(t float64) float64  { return arith.Times(s.C, s.F.Eval(t)) }
func (s Scaled) Deriv(t float64) float64 { return arith.Times(s.C, s.F.Deriv(t)) }
func (s Scaled) Coeff(n int) float64     { return arith.Times(s.C, s.F.Coeff(n)) }
func (s Scaled) Radius() float64         { return s.F.Radius() }

func (s Scaled) profile() Profile {
	p := ProfileOf(s.F)
	p.inside++
	return p
}

func (s Scaled) Validate() error {
	return cmp.Or(check.NonNegative("Scale", "c", s.C), Validate(s.F))
}

func (s Scaled) coefficients(n int) []float64 {
	a := Coefficients(s.F, n)
	for i := range a {
		a[i] = arith.Times(s.C, a[i])
	}
	return a
}

// A Sum is f + g.
type Sum struct {
	F series.Series `save:",list"`
	G series.Series `save:",list"`
}

func (s Sum) Eval(t float64) float64  { return s.F.Eval(t) + s.G.Eval(t) }
func (s Sum) Deriv(t float64) float64 { return s.F.Deriv(t) + s.G.Deriv(t) }
func (s Sum) Coeff(n int) float64     { return s.F.Coeff(n) + s.G.Coeff(n) }
func (s Sum) Radius() float64         { return min(s.F.Radius(), s.G.Radius()) }

func (s Sum) profile() Profile {
	return ProfileOf(s.F).with(ProfileOf(s.G), func(m, n int) int { return max(m, n) })
}

func (s Sum) Validate() error { return cmp.Or(Validate(s.F), Validate(s.G)) }

func (s Sum) coefficients(n int) []float64 {
	a := Coefficients(s.F, n)
	for i, b := range Coefficients(s.G, n) {
		a[i] += b
	}
	return a
}

// Product is f·g: aₙ = Σ fᵢgₙ₋ᵢ, a sum of non-negative terms, in which nothing cancels. Coeff(n)
// takes time of order n; for many coefficients call coefficients.
type Product struct {
	F series.Series `save:",list"`
	G series.Series `save:",list"`
}

func (s Product) Eval(t float64) float64 { return arith.Times(s.F.Eval(t), s.G.Eval(t)) }

func (s Product) Deriv(t float64) float64 {
	return arith.Times(s.F.Deriv(t), s.G.Eval(t)) + arith.Times(s.F.Eval(t), s.G.Deriv(t))
}

func (s Product) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return cauchy(Coefficients(s.F, n+1), Coefficients(s.G, n+1))
}

func (s Product) Radius() float64 { return min(s.F.Radius(), s.G.Radius()) }
func (s Product) Validate() error { return Sum(s).Validate() }

func (s Product) profile() Profile {
	p := ProfileOf(s.F).with(ProfileOf(s.G), plusDegrees)
	p.cost++
	return p
}

func (s Product) coefficients(n int) []float64 {
	return cauchyTable(Coefficients(s.F, n), Coefficients(s.G, n))
}

// maxHermitePower is the largest degree of a polynomial that is composed of others.
const maxHermitePower = 1 << 20

// Multiply returns f·g, as a HermiteDual if both are and the degree is at most maxHermitePower.
func Multiply(f, g series.Series) series.Series {
	m, ok := f.(series.HermiteDual)
	n, ok2 := g.(series.HermiteDual)
	if ok && ok2 && m.N+n.N <= maxHermitePower {
		return series.HermiteDual{N: m.N + n.N}
	}
	return Product{f, g}
}

// cauchyTable returns the first len(f) coefficients of a product of series, given as many of each factor.
func cauchyTable(f, g []float64) []float64 {
	a := make([]float64, len(f))
	for i := range a {
		a[i] = cauchy(f[:i+1], g[:i+1])
	}
	return a
}

// cauchy returns Σ fᵢgₙ₋ᵢ, coefficient n of a product, for f₀ … fₙ and g₀ … gₙ.
func cauchy(f, g []float64) float64 {
	var sum float64
	for i, a := range f {
		sum += arith.Times(a, g[len(g)-1-i])
	}
	return sum
}

// Composed is f∘g = f(g(t)) for a composable f.
type Composed struct {
	F series.Series `save:",list"`
	G series.Series `save:",list"`
}

// maxOuterDegree is the largest degree of Coefficients that are composed with a series.
const maxOuterDegree = 1 << 12

// Composable tells whether the coefficients of f∘g follow from those of f and g without cancellation.
func Composable(f series.Series) bool {
	switch f.(type) {
	case series.Exp, series.Geometric, series.Coefficients, series.HermiteDual, Binomial:
		return true
	}
	return false
}

// Compose returns f∘g for a composable f, as a HermiteDual if both are and the degree is at most maxHermitePower.
func Compose(f, g series.Series) series.Series {
	if p, ok := f.(series.HermiteDual); ok {
		if q, ok := g.(series.HermiteDual); ok && timesDegrees(p.N, q.N) <= maxHermitePower {
			return series.HermiteDual{N: p.N * q.N}
		}
	}
	return Composed{f, g}
}

func (s Composed) Eval(t float64) float64 { return s.F.Eval(s.G.Eval(t)) }

func (s Composed) Deriv(t float64) float64 {
	return arith.Times(s.F.Deriv(s.G.Eval(t)), s.G.Deriv(t))
}

func (s Composed) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return s.coefficients(n + 1)[n]
}

// profile returns the profile of f∘g. If f has no gaps, f∘g has terms at all sums of degrees of g. Sums of some tens of degrees may matter, so its gaps
// are 64 times the gaps of g, but not beyond the degree up to which terms are computed. (If this is too few, it shows
// because the sum of the terms is below the value of the series.)
func (s Composed) profile() Profile {
	outer, inner := ProfileOf(s.F), ProfileOf(s.G)
	p := outer.with(inner, timesDegrees)
	if !math.IsInf(s.F.Radius(), 1) {
		p.Radius += radiusSteps * p.Parts()
	}
	switch f := s.F.(type) {
	case series.Exp, series.Geometric:
		p.cost++
	case series.HermiteDual:
		p.cost += float64(2 * bits.Len(uint(f.N)))
	case Binomial:
		p.cost += float64(2 * bits.Len(uint(f.Degree)))
	default:
		p.cost += float64(outer.Degree)
	}
	if outer.Gaps == 0 {
		p.Gaps = max(inner.Gaps, min(timesDegrees(64, inner.Gaps), p.highest()))
	}
	return p
}

// coefficients takes time of order n², times the degree of f for a polynomial, or its logarithm for a
// power. With c = f∘g and sums over k = 1 … n, of non-negative terms,
//
//	exp:        n·cₙ = rate·Σ k·gₖcₙ₋ₖ,
//	geometric:  (1 − ratio·g₀)·cₙ = ratio·Σ gₖcₙ₋ₖ,
//	power:      by squaring,
//	polynomial: by Horner's rule.
func (s Composed) coefficients(n int) []float64 {
	g := Coefficients(s.G, n)
	c := make([]float64, n)
	switch f := s.F.(type) {
	case series.Exp:
		c[0] = detmath.Exp(float64(f.Rate*g[0]) + f.Shift)
		for i := 1; i < n; i++ {
			var sum float64
			for k := 1; k <= i; k++ {
				sum += float64(float64(float64(k)*g[k]) * c[i-k])
			}
			c[i] = sum * (f.Rate / float64(i))
		}
	case series.Geometric:
		c[0] = 1 / (1 - float64(f.Ratio*g[0]))
		for i := 1; i < n; i++ {
			var sum float64
			for k := 1; k <= i; k++ {
				sum += float64(g[k] * c[i-k])
			}
			c[i] = sum * float64(f.Ratio*c[0])
		}
	case series.HermiteDual:
		return cauchyPower(g, f.N)
	case Binomial:
		for i, a := range g {
			g[i] = arith.Times(f.Gamma, a)
		}
		g[0] += f.Offset
		return cauchyPower(g, f.Degree)
	default:
		last, _ := DegreeOf(s.F)
		for k := last; k >= 0; k-- {
			c = cauchyTable(c, g)
			c[0] += s.F.Coeff(k)
		}
	}
	return c
}

// cauchyPower returns the first len(g) coefficients of the power g^p of a series, by squaring.
func cauchyPower(g []float64, p int) []float64 {
	c := make([]float64, len(g))
	c[0] = 1
	for i := bits.Len(uint(p)) - 1; i >= 0; i-- {
		c = cauchyTable(c, c)
		if p>>i&1 != 0 {
			c = cauchyTable(c, g)
		}
	}
	return c
}

// radiusSteps is the largest number of values of g that Radius computes: at 1000 powers of 2, and in
// 200 halvings.
const radiusSteps = 1200

// Radius returns the t at which g(t) reaches the radius of f, or the radius of g if it is smaller.
func (s Composed) Radius() float64 {
	within := func(t float64) bool { return s.G.Eval(t) < s.F.Radius() }
	hi := s.G.Radius()
	if math.IsInf(s.F.Radius(), 1) {
		return hi
	}
	if math.IsInf(hi, 1) {
		for hi = 1; within(hi); hi *= 2 {
			if hi > 1e300 {
				return math.Inf(1) // g is constant
			}
		}
	} else if within(hi) {
		return hi
	}
	lo := 0.0
	for range 200 {
		mid := lo + (hi-lo)/2
		if within(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func (s Composed) Validate() error {
	if err := cmp.Or(Validate(s.F), Validate(s.G)); err != nil {
		return err
	}
	if f, ok := s.F.(series.Coefficients); ok && len(f)-1 > maxOuterDegree {
		return fmt.Errorf("featuremap: Compose of Coefficients of degree %d with a series: must be at most %d", len(f)-1, maxOuterDegree)
	}
	if n, ok := DegreeOf(s); ok && n > maxHermitePower {
		return fmt.Errorf("featuremap: Compose of %s with a series of degree %d: the degree of the result must be at most %d",
			gosyntax.Of(s.F), n, maxHermitePower)
	}
	if a := s.G.Coeff(0); !(a < s.F.Radius()) {
		return fmt.Errorf("featuremap: Compose of %s with %s: its value at 0, %v, must be below the radius of convergence %v",
			gosyntax.Of(s.F), gosyntax.Of(s.G), a, s.F.Radius())
	}
	return nil
}

// Dilate returns f(c·t) for c ≥ 0, and f itself for c = 1. The series in the switch keep closed forms,
// whose coefficients neither overflow nor underflow where aₙ and cⁿ do.
func Dilate(f series.Series, c float64) series.Series {
	if c == 1 {
		return f
	}
	switch f := f.(type) {
	case series.Exp:
		return series.Exp{Rate: float64(f.Rate * c), Shift: f.Shift}
	case series.Geometric:
		return series.Geometric{Ratio: float64(f.Ratio * c)}
	case Binomial:
		return Binomial{Degree: f.Degree, Gamma: float64(f.Gamma * c), Offset: f.Offset}
	case Scaled:
		return Scaled{f.C, Dilate(f.F, c)}
	case Sum:
		return Sum{Dilate(f.F, c), Dilate(f.G, c)}
	case Product:
		return Product{Dilate(f.F, c), Dilate(f.G, c)}
	case Composed:
		return Composed{f.F, Dilate(f.G, c)}
	}
	return Dilated{c, f}
}

// A Dilated series is f(c·t).
type Dilated struct {
	C float64       `save:"c"`
	F series.Series `save:"f,required"`
}

func (s Dilated) Eval(t float64) float64  { return s.F.Eval(s.C * t) }
func (s Dilated) Deriv(t float64) float64 { return arith.Times(s.C, s.F.Deriv(s.C*t)) }
func (s Dilated) Radius() float64         { return s.F.Radius() / s.C }

func (s Dilated) profile() Profile {
	p := ProfileOf(s.F)
	p.inside++
	if _, ok := s.F.(Dilated); ok {
		p.leaves = p.Parts() + 1 // its coefficients take as many steps
	}
	return p
}

// Coeff returns aₙcⁿ. For duals with rates aₙ alone may be out of a float64's range.
func (s Dilated) Coeff(n int) float64 {
	switch f := s.F.(type) {
	case series.SineDual:
		return detmath.SinhTerm(f.Rate, n).Mul(detmath.NewWide(s.C).Pow(max(n, 0))).Float64()
	case series.CosineDual:
		return detmath.CoshTerm(f.Rate, n).Mul(detmath.NewWide(s.C).Pow(max(n, 0))).Float64()
	}
	if a := s.F.Coeff(n); a != 0 {
		return arith.Times(a, arith.PowInt(s.C, n))
	}
	return 0
}
