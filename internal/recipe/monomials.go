// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package recipe

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// The lowest degrees of a series as exact columns: monomials of the coordinates.

// Monomials are the terms of the lowest degrees of a series, for points of R^d, as columns that are
// not random. By the multinomial theorem, with a sum over the multi-indices α of order n = Σαᵢ,
//
//	aₙ⟨x, y⟩ⁿ = Σ φ_α(x)·φ_α(y),  φ_α(x) = √(aₙ·n!/∏αᵢ!)·∏xᵢ^αᵢ.
//
// Columns are in ascending order of degrees. Degrees with aₙ = 0 have no columns.
type Monomials struct {
	d      int
	A      []float64 // the coefficients a₀, a₁, …
	Counts []float64 // the number of columns of each degree
	Count  float64   // the number of all columns; exact up to 2⁵⁰
}

// NewMonomials returns the terms of f of degrees below end.
func NewMonomials(f series.Series, d, end int) (Monomials, error) {
	e := Monomials{d: d}
	if most := power.HighestDegree(f); end-1 > most {
		return e, fmt.Errorf("featuremap: ExactDegree = %d with %s: must be at most %d", end-1, gosyntax.Of(f), most)
	}
	table := power.Table{F: f}
	monomials := 1.0
	for n := range end {
		a := table.Coeff(n)
		if err := power.ValidateCoefficient(f, n, a); err != nil {
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
		e.A, e.Counts = append(e.A, a), append(e.Counts, count)
		e.Count += count
	}
	return e, nil
}

// ExactSteps returns about how many steps NewMonomials takes for the degrees up to a last one: see power.TableSteps.
func ExactSteps(f series.Series, last int) float64 {
	const monomial = 1 << 12                   // for the largest of a degree
	last = min(last, power.HighestDegree(f)+1) // higher ones are refused
	return power.TableSteps(f, last) + monomial*float64(last)
}

// Spare returns the bytes and about the number of steps that powers needs for monomials that are not columns, but from
// which higher ones are made.
func (e Monomials) Spare() (bytes, steps float64) {
	const size, step = 32, 64
	all := 1.0 // with up to n factors
	for n := 1; n < len(e.A) && all < 1<<50; n++ {
		all *= float64(e.d+n) / float64(n)
	}
	none := all - min(e.Count, all)
	return size * none, step * none
}

// Sum returns Σ aₙtⁿ.
func (e Monomials) Sum(t float64) (sum float64) {
	for n := len(e.A) - 1; n >= 0; n-- {
		sum = float64(sum*t) + e.A[n]
	}
	return sum
}

// Degrees returns the degree of each column.
func (e Monomials) Degrees() (all []int) {
	for n, count := range e.Counts {
		for range int(count) {
			all = append(all, n)
		}
	}
	return all
}

// Bytes estimates the memory of the columns of points of R^in.
func (e Monomials) Bytes(in int) (size float64) {
	for n, count := range e.Counts {
		if n < 2 {
			size += 8 * count * (float64(in) + 24)
		} else {
			size += 64*count + 8*float64(e.d)
		}
	}
	if len(e.A) > 2 {
		size += 8 * float64(e.d) * (float64(in) + 24)
	}
	return size
}

// Parts returns the parts that write the columns times scale, from column at on, for points of R^in behind w.
func (e Monomials) Parts(in, at int, w warp.Warp, scale float64) (parts []projection.Part) {
	if e.has(0) {
		parts = append(parts, projection.Constants{At: at, Values: []float64{scale * math.Sqrt(e.A[0])}})
		at++
	}
	if e.has(1) {
		parts = append(parts, LinearPart(in, at, w, scale*math.Sqrt(e.A[1])))
		at += e.d
	}
	last := len(e.A) - 1
	for last >= 2 && !e.has(last) {
		last--
	}
	if last >= 2 {
		parts = append(parts, projection.NewPowers(at, e.d, w.Before(in), e.powers(last, scale)))
	}
	return parts
}

// has tells whether there are columns of degree n.
func (e Monomials) has(n int) bool { return n < len(e.A) && e.A[n] > 0 }

// powers returns the coefficients of the columns of degrees 2 to last, in the order of projection.Powers: the monomials
// of degree n are, for k = 0, 1, …, x_k times the first ends[k] monomials of degree n − 1.
func (e Monomials) powers(last int, scale float64) (all [][]float64) {
	// monomial holds the multinomial coefficient n!/∏αᵢ! of a monomial, its highest coordinate, and the
	// power of this coordinate.
	type monomial struct {
		multinomial    detmath.Wide
		highest, power int
	}
	before, ends := make([]monomial, e.d), make([]int, e.d)
	for k := range before {
		before[k], ends[k] = monomial{detmath.NewWide(1), k, 1}, k+1
	}
	for n := 2; n <= last; n++ {
		count := 0
		for _, end := range ends {
			count += end
		}
		next := make([]monomial, 0, count)
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
				c[i] = scale * wideRoot(e.A[n], m.multinomial)
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

// largestMultinomial returns the largest n!/∏αᵢ! for d exponents αᵢ with the sum n: the one with the most equal
// exponents.
func largestMultinomial(d, n int) detmath.Wide {
	rest := n % d
	m := detmath.Factorial(n).Div(detmath.Factorial(n / d).Pow(d - rest))
	return m.Div(detmath.Factorial(n/d + 1).Pow(rest))
}

// A Tail is the function Σ aₙtⁿ of the terms of a series f from a degree on.
type Tail struct {
	f   series.Series
	low Monomials // the terms of lower degrees

	// Up to |t| = cutoff the tail is summed from terms, because f(t) minus the low degrees would cancel there; 0:
	// nowhere.
	cutoff float64
	terms  []float64 // aₙ·cutoffⁿ, for n from the lowest degree of the tail on
}

// NewTail returns the tail of f beyond the terms of low. At the cutoff the tail is about the share cancels of f.
func NewTail(f series.Series, low Monomials) *Tail {
	const (
		cancels  = 1e-4
		sameBits = 64 // the sum ends after this number of successive terms that add nothing
	)
	s := &Tail{f: f, low: low}
	if low.Sum(1) == 0 {
		return s
	}
	small := func(t float64) bool { return t < f.Radius() && 1-low.Sum(t)/f.Eval(t) <= cancels }
	cutoff, steps := 1.0, 1000
	for ; !small(cutoff) && steps > 0; steps-- {
		cutoff /= 2
	}
	for ; small(2*cutoff) && steps > 0; steps-- {
		cutoff *= 2
	}
	for step := cutoff / 2; step > cutoff/64; step /= 2 {
		if small(cutoff + step) {
			cutoff += step
		}
	}
	table, sum := power.Table{F: power.Dilate(f, cutoff)}, 0.0
	gaps, highest := power.ProfileOf(f).Gaps, power.HighestDegree(f)
	for n, still := len(low.A), 0; n <= gaps || still < sameBits; n++ {
		if n > highest {
			return s
		}
		v := table.Coeff(n)
		s.terms = append(s.terms, v)
		sum += v
		if still++; v > sum*0x1p-60 {
			still = 0
		}
	}
	s.cutoff = cutoff
	return s
}

// At returns the value of the tail at t.
func (s *Tail) At(t float64) float64 {
	if s.cutoff == 0 || !(math.Abs(t) <= s.cutoff) {
		return s.f.Eval(t) - s.low.Sum(t)
	}
	u, sum := t/s.cutoff, 0.0
	for i := len(s.terms) - 1; i >= 0; i-- {
		sum = sum*u + s.terms[i]
	}
	return sum * math.Pow(u, float64(len(s.low.A)))
}

// The planner tries exact features of dot product kernels up to degree MaxExactDegree and up to
// MaxExactColumns columns.
const (
	MaxExactDegree  = 1 << 10
	MaxExactColumns = 1 << 20
)
