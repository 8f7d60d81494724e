// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A composedSeries is f∘g for an f whose coefficients can be carried over without
// cancellation: an Exp, a Geometric or a polynomial.
type composedSeries struct{ f, g Series }

// compose returns f∘g, and whether it can.
func compose(f, g Series) (Series, bool) {
	switch f.(type) {
	case Exp, Geometric, Coefficients, HermiteDual, binomial:
		return composedSeries{f, g}, true
	case IdentityDual:
		return g, true
	}
	return nil, false
}

func (s composedSeries) Eval(t float64) float64 { return s.f.Eval(s.g.Eval(t)) }

func (s composedSeries) Deriv(t float64) float64 { return times(s.f.Deriv(s.g.Eval(t)), s.g.Deriv(t)) }

func (s composedSeries) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return s.coefficients(n + 1)[n]
}

// coefficients takes a time of order n², times the degree of f if that is a polynomial.
// With c = f∘g,
//
//	exp:        n·cₙ = rate·Σ k·gₖcₙ₋ₖ,
//	geometric:  (1 − ratio·g₀)·cₙ = ratio·Σ gₖcₙ₋ₖ,
//	polynomial: Horner's rule,
//
// the sums over k = 1 … n, of terms that are not negative.
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
	default:
		for k := lastDegree(s.f); k >= 0; k-- {
			next := make([]float64, n)
			for i := range next {
				next[i] = cauchy(c[:i+1], g[:i+1])
			}
			next[0] += s.f.Coeff(k)
			c = next
		}
	}
	return c
}

// Radius returns the t at which g(t) reaches the radius of f, or the radius of g if that is
// less.
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

func (s composedSeries) slow() bool { return true }

// lastDegree is the degree of a polynomial; of other compositions with one, the degree up to
// which there are gaps in the terms that matter.
func (s composedSeries) lastDegree() int {
	switch s.f.(type) {
	case Exp, Geometric:
		return 64 * lastDegree(s.g)
	}
	return lastDegree(s.f) * lastDegree(s.g)
}

func (s composedSeries) validate() error {
	if err := cmp.Or(validateSeries(s.f), validateSeries(s.g)); err != nil {
		return err
	}
	if a := s.g.Coeff(0); !(a < s.f.Radius()) {
		return fmt.Errorf("featuremap: Compose of %T with %T: its value at 0, %v, must be below the radius of convergence %v",
			s.f, s.g, a, s.f.Radius())
	}
	return nil
}

// lastDegree returns the degree of a polynomial of the package, and 0 for other series.
func lastDegree(f Series) int {
	if p, ok := f.(interface{ lastDegree() int }); ok {
		return p.lastDegree()
	}
	return 0
}

// growing is a table of the coefficients of a series, made longer as it is asked for them,
// since Coeff may take a time of order n.
type growing struct {
	f     Series
	table []float64
}

func (g *growing) coeff(n int) float64 {
	if n >= len(g.table) {
		g.table = coefficients(g.f, max(64, 2*n))
	}
	return g.table[n]
}

// dilate returns f(c·t) for c ≥ 0. Series of the package have coefficients of their own then,
// which neither overflow nor underflow where aₙ and cⁿ do.
func dilate(f Series, c float64) Series {
	switch f := f.(type) {
	case Exp:
		return Exp{Rate: float64(f.Rate * c), Shift: f.Shift}
	case Geometric:
		return Geometric{Ratio: float64(f.Ratio * c)}
	case binomial:
		return binomial{degree: f.degree, scale: float64(f.scale * c), offset: f.offset}
	case scaledSeries:
		return scaledSeries{f.c, dilate(f.f, c)}
	case sumSeries:
		return sumSeries{dilate(f.f, c), dilate(f.g, c)}
	case productSeries:
		return productSeries{dilate(f.f, c), dilate(f.g, c)}
	case composedSeries:
		return composedSeries{f.f, dilate(f.g, c)}
	case checkedSeries:
		return dilate(f.Series, c)
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
func (s dilated) lastDegree() int         { return lastDegree(s.f) }

// A dilatedWide has coefficients that may be beyond a float64 where aₙcⁿ is not.
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
