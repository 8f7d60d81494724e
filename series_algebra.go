// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A profile is what is known of a series of this package without looking at its coefficients.
type profile struct {
	// degree is the degree of a polynomial, or an upper bound of it, and −1 for any other series.
	degree int

	// Runs of negligible terms may have any length up to degree gaps, and at most 64 beyond it.
	gaps int

	// Computing the first n coefficients takes a time of cost·n².
	cost float64
}

// profileOf returns the profile of a series.
func profileOf(f Series) profile {
	if p, ok := f.(interface{ profile() profile }); ok && isOwn(f) {
		return p.profile()
	}
	return profile{degree: -1}
}

// degreeOf returns the degree of a polynomial of this package, or an upper bound, and whether f is one.
func degreeOf(f Series) (n int, ok bool) {
	n = profileOf(f).degree
	return n, n >= 0
}

// with returns the profile of a series made of two: put combines their degrees, and their gaps.
func (p profile) with(q profile, put func(m, n int) int) profile {
	c := profile{-1, put(p.gaps, q.gaps), p.cost + q.cost}
	if p.degree >= 0 && q.degree >= 0 {
		c.degree = put(p.degree, q.degree)
	}
	return c
}

// Terms are computed up to degree maxDegree. Where the first n coefficients take a time of order n², terms
// are computed up to maxCostlyDegree or fewer, which takes less than a second.
const (
	maxDegree       = 1 << 17
	maxCostlyDegree = 1 << 13
	maxCost         = 1 << 27
)

// highestDegree returns the degree up to which terms of a series are computed.
func highestDegree(f Series) int { return mostDegrees(profileOf(f).cost) }

func mostDegrees(cost float64) int {
	if cost > 0 {
		return min(maxCostlyDegree, int(math.Sqrt(maxCost/cost)))
	}
	return maxDegree
}

// plusDegrees and timesDegrees do not overflow.
func plusDegrees(m, n int) int  { return int(min(float64(m)+float64(n), math.MaxInt32)) }
func timesDegrees(m, n int) int { return int(min(float64(m)*float64(n), math.MaxInt32)) }

// A scaledSeries is c·f, c ≥ 0.
type scaledSeries struct {
	c float64
	f Series
}

func (s scaledSeries) Eval(t float64) float64  { return times(s.c, s.f.Eval(t)) }
func (s scaledSeries) Deriv(t float64) float64 { return times(s.c, s.f.Deriv(t)) }
func (s scaledSeries) Coeff(n int) float64     { return times(s.c, s.f.Coeff(n)) }
func (s scaledSeries) Radius() float64         { return s.f.Radius() }
func (s scaledSeries) profile() profile        { return profileOf(s.f) }

func (s scaledSeries) validate() error {
	return cmp.Or(validateNonNegative("Scale", "c", s.c), validateSeries(s.f))
}

func (s scaledSeries) coefficients(n int) []float64 {
	a := coefficients(s.f, n)
	for i := range a {
		a[i] = times(s.c, a[i])
	}
	return a
}

// A sumSeries is f + g.
type sumSeries struct{ f, g Series }

func (s sumSeries) Eval(t float64) float64  { return s.f.Eval(t) + s.g.Eval(t) }
func (s sumSeries) Deriv(t float64) float64 { return s.f.Deriv(t) + s.g.Deriv(t) }
func (s sumSeries) Coeff(n int) float64     { return s.f.Coeff(n) + s.g.Coeff(n) }
func (s sumSeries) Radius() float64         { return min(s.f.Radius(), s.g.Radius()) }

func (s sumSeries) profile() profile {
	return profileOf(s.f).with(profileOf(s.g), func(m, n int) int { return max(m, n) })
}

func (s sumSeries) validate() error { return cmp.Or(validateSeries(s.f), validateSeries(s.g)) }

func (s sumSeries) coefficients(n int) []float64 {
	a := coefficients(s.f, n)
	for i, b := range coefficients(s.g, n) {
		a[i] += b
	}
	return a
}

// A productSeries is f·g: aₙ = Σ fᵢgₙ₋ᵢ, of non-negative terms, so that nothing cancels. Coeff(n) takes a
// time of order n; for many coefficients call coefficients.
type productSeries struct{ f, g Series }

func (s productSeries) Eval(t float64) float64 { return times(s.f.Eval(t), s.g.Eval(t)) }

func (s productSeries) Deriv(t float64) float64 {
	return times(s.f.Deriv(t), s.g.Eval(t)) + times(s.f.Eval(t), s.g.Deriv(t))
}

func (s productSeries) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return cauchy(coefficients(s.f, n+1), coefficients(s.g, n+1))
}

func (s productSeries) Radius() float64 { return min(s.f.Radius(), s.g.Radius()) }
func (s productSeries) validate() error { return sumSeries(s).validate() }

func (s productSeries) profile() profile {
	p := profileOf(s.f).with(profileOf(s.g), plusDegrees)
	p.cost++
	return p
}

func (s productSeries) coefficients(n int) []float64 {
	return cauchyTable(coefficients(s.f, n), coefficients(s.g, n))
}

// multiplySeries returns f·g, if possible as a HermiteDual.
func multiplySeries(f, g Series) Series {
	m, ok := f.(HermiteDual)
	n, ok2 := g.(HermiteDual)
	if ok && ok2 && m.N+n.N <= maxHermite {
		return HermiteDual{m.N + n.N}
	}
	return productSeries{f, g}
}

// cauchyTable returns the first len(f) coefficients of a product, given as many of each factor.
func cauchyTable(f, g []float64) []float64 {
	a := make([]float64, len(f))
	for i := range a {
		a[i] = cauchy(f[:i+1], g[:i+1])
	}
	return a
}

// cauchy returns Σ fᵢgₙ₋ᵢ for f₀ … fₙ and g₀ … gₙ.
func cauchy(f, g []float64) float64 {
	var sum float64
	for i, a := range f {
		sum += times(a, g[len(g)-1-i])
	}
	return sum
}

// A tabled series has a table of its coefficients, with the bits of Coeff, that is faster than one by one.
type tabled interface{ coefficients(n int) []float64 }

// coefficients returns a₀ … aₙ₋₁ of f, with the bits of Coeff, by a table where that is faster.
func coefficients(f Series, n int) []float64 {
	if t, ok := f.(tabled); ok {
		return t.coefficients(n)
	}
	a := make([]float64, n)
	for i := range a {
		a[i] = f.Coeff(i)
	}
	return a
}

// A composedSeries is f∘g for a composable f.
type composedSeries struct{ f, g Series }

// maxOuterDegree is the largest degree of Coefficients that are composed with a series.
const maxOuterDegree = 1 << 12

// composable tells whether the coefficients of f∘g follow from those of f and g without cancellation.
func composable(f Series) bool {
	switch f.(type) {
	case Exp, Geometric, Coefficients, IdentityDual, HermiteDual, binomial:
		return true
	}
	return false
}

func composeSeries(f, g Series) Series {
	if p, ok := f.(HermiteDual); ok {
		if q, ok := g.(HermiteDual); ok && timesDegrees(p.N, q.N) <= maxHermite {
			return HermiteDual{p.N * q.N}
		}
	}
	return composedSeries{f, g}
}

func (s composedSeries) Eval(t float64) float64 { return s.f.Eval(s.g.Eval(t)) }

func (s composedSeries) Deriv(t float64) float64 { return times(s.f.Deriv(s.g.Eval(t)), s.g.Deriv(t)) }

func (s composedSeries) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return s.coefficients(n + 1)[n]
}

// profile: an f without gaps gives terms at all sums of degrees of g. Sums of some tens of degrees may
// matter: hence 64 times g's gaps, as far as terms are computed. (The sum of the terms shows if that
// fails.)
func (s composedSeries) profile() profile {
	outer, inner := profileOf(s.f), profileOf(s.g)
	p := outer.with(inner, timesDegrees)
	switch f := s.f.(type) {
	case Exp, Geometric:
		p.cost++
	case HermiteDual:
		p.cost += float64(2 * bits.Len(uint(f.N)))
	case binomial:
		p.cost += float64(2 * bits.Len(uint(f.p)))
	default:
		p.cost += float64(outer.degree)
	}
	if outer.gaps == 0 {
		p.gaps = max(inner.gaps, min(timesDegrees(64, inner.gaps), mostDegrees(p.cost)))
	}
	return p
}

// coefficients takes a time of order n², times the degree of f for a polynomial, or its logarithm for a
// power. With c = f∘g and sums over k = 1 … n, of non-negative terms,
//
//	exp:        n·cₙ = rate·Σ k·gₖcₙ₋ₖ,
//	geometric:  (1 − ratio·g₀)·cₙ = ratio·Σ gₖcₙ₋ₖ,
//	power:      by squaring,
//	polynomial: by Horner's rule.
func (s composedSeries) coefficients(n int) []float64 {
	g := coefficients(s.g, n)
	c := make([]float64, n)
	switch f := s.f.(type) {
	case Exp:
		c[0] = detmath.Exp(float64(f.Rate*g[0]) + f.Shift)
		for i := 1; i < n; i++ {
			var sum float64
			for k := 1; k <= i; k++ {
				sum += float64(float64(float64(k)*g[k]) * c[i-k])
			}
			c[i] = sum * (f.Rate / float64(i))
		}
	case Geometric:
		c[0] = 1 / (1 - float64(f.Ratio*g[0]))
		for i := 1; i < n; i++ {
			var sum float64
			for k := 1; k <= i; k++ {
				sum += float64(g[k] * c[i-k])
			}
			c[i] = sum * float64(f.Ratio*c[0])
		}
	case HermiteDual:
		return cauchyPower(g, f.N)
	case binomial:
		for i, a := range g {
			g[i] = times(f.scale, a)
		}
		g[0] += f.offset
		return cauchyPower(g, f.p)
	default:
		last, _ := degreeOf(s.f)
		for k := last; k >= 0; k-- {
			c = cauchyTable(c, g)
			c[0] += s.f.Coeff(k)
		}
	}
	return c
}

// cauchyPower returns the coefficients of a power, by squaring.
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

// Radius returns the t at which g(t) reaches the radius of f, or the radius of g if that is less.
func (s composedSeries) Radius() float64 {
	within := func(t float64) bool { return s.g.Eval(t) < s.f.Radius() }
	hi := s.g.Radius()
	if math.IsInf(s.f.Radius(), 1) {
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

func (s composedSeries) validate() error {
	if err := cmp.Or(validateSeries(s.f), validateSeries(s.g)); err != nil {
		return err
	}
	if f, ok := s.f.(Coefficients); ok && len(f)-1 > maxOuterDegree {
		return fmt.Errorf("featuremap: Compose of Coefficients of degree %d with a series: must be at most %d", len(f)-1, maxOuterDegree)
	}
	if n, ok := degreeOf(s); ok && n > maxHermite {
		return fmt.Errorf("featuremap: Compose of %s with a series of degree %d: the degree of the result must be at most %d",
			source(s.f), n, maxHermite)
	}
	if a := s.g.Coeff(0); !(a < s.f.Radius()) {
		return fmt.Errorf("featuremap: Compose of %s with %s: its value at 0, %v, must be below the radius of convergence %v",
			source(s.f), source(s.g), a, s.f.Radius())
	}
	return nil
}

// growing is a table of coefficients that grows on demand, since Coeff may take a time of order n.
type growing struct {
	f     Series
	table []float64
}

func (g *growing) coeff(n int) float64 {
	const least = 64
	if n < len(g.table) {
		return g.table[n]
	}
	if t, ok := g.f.(tabled); ok {
		g.table = t.coefficients(max(least, 2*n))
		return g.table[n]
	}
	if g.table == nil {
		g.table = make([]float64, 0, least)
	}
	for i := len(g.table); i <= n; i++ {
		g.table = append(g.table, g.f.Coeff(i))
	}
	return g.table[n]
}

// dilate returns f(c·t) for c ≥ 0. The series in the switch keep closed forms, whose coefficients neither
// overflow nor underflow where aₙ and cⁿ do.
func dilate(f Series, c float64) Series {
	switch f := f.(type) {
	case Exp:
		return Exp{Rate: float64(f.Rate * c), Shift: f.Shift}
	case Geometric:
		return Geometric{Ratio: float64(f.Ratio * c)}
	case binomial:
		return binomial{p: f.p, scale: float64(f.scale * c), offset: f.offset}
	case scaledSeries:
		return scaledSeries{f.c, dilate(f.f, c)}
	case sumSeries:
		return sumSeries{dilate(f.f, c), dilate(f.g, c)}
	case productSeries:
		return productSeries{dilate(f.f, c), dilate(f.g, c)}
	case composedSeries:
		return composedSeries{f.f, dilate(f.g, c)}
	case SineDual:
		return dilatedWide{dilated{f, c}, f.wide}
	case CosineDual:
		return dilatedWide{dilated{f, c}, f.wide}
	}
	return dilated{f, c}
}

// A dilated series is f(c·t).
type dilated struct {
	f Series
	c float64
}

func (s dilated) Eval(t float64) float64  { return s.f.Eval(s.c * t) }
func (s dilated) Deriv(t float64) float64 { return times(s.c, s.f.Deriv(s.c*t)) }
func (s dilated) Radius() float64         { return s.f.Radius() / s.c }
func (s dilated) profile() profile        { return profileOf(s.f) }

// A dilatedWide is f(c·t) for an f whose aₙ may be out of a float64's range where aₙcⁿ is not.
type dilatedWide struct {
	dilated
	wide func(n int) detmath.Wide
}

func (s dilatedWide) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return s.wide(n).Mul(detmath.NewWide(s.c).Pow(n)).Float64()
}

func (s dilated) Coeff(n int) float64 {
	if a := s.f.Coeff(n); a != 0 {
		return times(a, powInt(s.c, n))
	}
	return 0
}
