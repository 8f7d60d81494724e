// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// An exactDegrees is the terms of the lowest degrees of a series, for points of R^d, as columns that are
// not random: with a multi-index α of order n, by the multinomial theorem
//
//	aₙ⟨x, y⟩ⁿ = Σ φ_α(x)·φ_α(y),  φ_α(x) = √(aₙ·n!/∏αᵢ!)·∏xᵢ^αᵢ.
//
// Columns are in ascending order of degrees. Degrees with aₙ = 0 have none.
type exactDegrees struct {
	d      int
	a      []float64 // the coefficients a₀, a₁, …
	counts []float64 // the numbers of columns of each degree
	count  float64   // and of all; exact up to 2⁵⁰
}

// newExactDegrees returns the terms of degrees below end of f.
func newExactDegrees(f Series, d, end int) (exactDegrees, error) {
	e := exactDegrees{d: d}
	if most := highestDegree(f); end-1 > most {
		return e, fmt.Errorf("featuremap: ExactDegree = %d with %s: must be at most %d", end-1, source(f), most)
	}
	table := growing{f: f}
	monomials := 1.0
	for n := range end {
		a := table.coeff(n)
		if err := validateCoefficient(f, n, a); err != nil {
			return e, err
		}
		if n > 0 {
			monomials = math.Round(monomials * (float64(d+n-1) / float64(n)))
		}
		count := 0.0
		if a > 0 {
			count = monomials
			if !(wideRoot(a, largestMultinomial(d, n)) <= math.MaxFloat64) {
				return e, fmt.Errorf("featuremap: ExactDegree = %d: the coefficient %v of degree %d is too large", end-1, a, n)
			}
		}
		e.a, e.counts = append(e.a, a), append(e.counts, count)
		e.count += count
	}
	return e, nil
}

// sum returns Σ aₙtⁿ.
func (e exactDegrees) sum(t float64) (sum float64) {
	for n := len(e.a) - 1; n >= 0; n-- {
		sum = float64(sum*t) + e.a[n]
	}
	return sum
}

// degrees returns the degree of each column.
func (e exactDegrees) degrees() (all []int) {
	for n, count := range e.counts {
		for range int(count) {
			all = append(all, n)
		}
	}
	return all
}

// bytes estimates the memory of the columns of points of R^in.
func (e exactDegrees) bytes(in int) (size float64) {
	for n, count := range e.counts {
		if n < 2 {
			size += 8 * count * (float64(in) + 24)
		} else {
			size += 64*count + 8*float64(e.d)
		}
	}
	if len(e.a) > 2 {
		size += 8 * float64(e.d) * (float64(in) + 24)
	}
	return size
}

// parts returns the columns times scale, from column at on, of points of R^in behind w.
func (e exactDegrees) parts(in, at int, w warp, scale float64) (parts []projection.Part) {
	if e.has(0) {
		parts = append(parts, projection.Constants{At: at, Values: []float64{scale * math.Sqrt(e.a[0])}})
		at++
	}
	if e.has(1) {
		parts = append(parts, linearPart(in, at, w, scale*math.Sqrt(e.a[1])))
		at += e.d
	}
	last := len(e.a) - 1
	for last >= 2 && !e.has(last) {
		last--
	}
	if last >= 2 {
		parts = append(parts, projection.NewPowers(at, e.d, w.before(in), e.powers(last, scale)))
	}
	return parts
}

// has tells whether there are columns of degree n.
func (e exactDegrees) has(n int) bool { return n < len(e.a) && e.a[n] > 0 }

// powers returns the coefficients of the columns of degrees 2 to last, in the order of projection.Powers:
// those of degree n are, for each k, the products with x_k of the first ends[k] ones of degree n − 1.
func (e exactDegrees) powers(last int, scale float64) (all [][]float64) {
	// A monomial is its multinomial n!/∏αᵢ!, and its highest coordinate with the exponent of it.
	type monomial struct {
		multinomial    detmath.Wide
		highest, power int
	}
	before, ends := make([]monomial, e.d), make([]int, e.d)
	for k := range before {
		before[k], ends[k] = monomial{detmath.NewWide(1), k, 1}, k+1
	}
	for n := 2; n <= last; n++ {
		var next []monomial
		for k, end := range ends {
			for _, m := range before[:end] {
				if m.highest == k {
					m.power++
				} else {
					m.highest, m.power = k, 1
				}
				m.multinomial = m.multinomial.Mul(detmath.NewWide(float64(n))).Div(detmath.NewWide(float64(m.power)))
				next = append(next, m)
			}
		}
		for k := 1; k < e.d; k++ {
			ends[k] += ends[k-1]
		}
		before = next
		var c []float64
		if e.has(n) {
			c = make([]float64, len(next))
			for i, m := range next {
				c[i] = scale * wideRoot(e.a[n], m.multinomial)
			}
		}
		all = append(all, c)
	}
	return all
}

// wideRoot returns √(a·m).
func wideRoot(a float64, m detmath.Wide) float64 {
	return math.Sqrt(detmath.NewWide(a).Mul(m).Float64())
}

// largestMultinomial returns the largest n!/∏αᵢ! of d numbers αᵢ of sum n: where these are as even as can be.
func largestMultinomial(d, n int) detmath.Wide {
	rest := n % d
	m := detmath.Factorial(n).Div(detmath.Factorial(n / d).Pow(d - rest))
	return m.Div(detmath.Factorial(n/d + 1).Pow(rest))
}

// A tail is the sum of the terms of a series from a degree on.
type tail struct {
	f   Series
	low exactDegrees // the others

	// Up to |t| = near the sum is of terms, aₙ·nearⁿ: subtracting the low degrees would cancel.
	near  float64
	terms []float64
}

// newTail returns the tail of f beyond the terms of low. Near is a t at which it is about cancels of f(t).
func newTail(f Series, low exactDegrees) *tail {
	const (
		cancels  = 1e-4
		sameBits = 64 // successive terms that add nothing
	)
	s := &tail{f: f, low: low}
	if low.sum(1) == 0 {
		return s
	}
	small := func(t float64) bool { return t < f.Radius() && 1-low.sum(t)/f.Eval(t) <= cancels }
	near, steps := 1.0, 1000
	for ; !small(near) && steps > 0; steps-- {
		near /= 2
	}
	for ; small(2*near) && steps > 0; steps-- {
		near *= 2
	}
	for step := near / 2; step > near/64; step /= 2 {
		if small(near + step) {
			near += step
		}
	}
	table, sum := growing{f: dilate(f, near)}, 0.0
	gaps, highest := profileOf(f).gaps, highestDegree(f)
	for n, still := len(low.a), 0; n <= gaps || still < sameBits; n++ {
		if n > highest {
			return s
		}
		v := table.coeff(n)
		s.terms = append(s.terms, v)
		sum += v
		if still++; v > sum*0x1p-60 {
			still = 0
		}
	}
	s.near = near
	return s
}

// at returns the sum at t.
func (s *tail) at(t float64) float64 {
	if s.near == 0 || !(math.Abs(t) <= s.near) {
		return s.f.Eval(t) - s.low.sum(t)
	}
	u, sum := t/s.near, 0.0
	for i := len(s.terms) - 1; i >= 0; i-- {
		sum = sum*u + s.terms[i]
	}
	return sum * math.Pow(u, float64(len(s.low.a)))
}
