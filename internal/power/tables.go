// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package power

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// tabled is a series that can compute its first n coefficients together, faster than one by one and with the
// bits of Coeff.
type tabled interface{ coefficients(n int) []float64 }

// Coefficients returns a₀ … aₙ₋₁ of f, with the bits of Coeff. It computes them together if f is tabled.
func Coefficients(f series.Series, n int) []float64 {
	if t, ok := f.(tabled); ok {
		return t.coefficients(n)
	}
	a, next := make([]float64, n), ascending(f)
	for i := range a {
		a[i] = next()
	}
	return a
}

// ascending returns a function that returns the coefficients of degree 0, 1, 2, … of f in its calls.
func ascending(f series.Series) func() float64 {
	if e, ok := f.(series.Exp); ok {
		terms := detmath.ExpTerms(e.Rate, e.Shift)
		return func() float64 { return terms().Float64() }
	}
	n := -1
	return func() float64 {
		n++
		return f.Coeff(n)
	}
}

// Table is a table of the coefficients of F. It grows on demand, because Coeff(n) may take time of order n.
type Table struct {
	F      series.Series
	Values []float64
	next   func() float64 // the first coefficient beyond Values, if F is not tabled
}

// Coeff returns the coefficient of degree n.
func (g *Table) Coeff(n int) float64 {
	if n < len(g.Values) {
		return g.Values[n]
	}
	if t, ok := g.F.(tabled); ok {
		g.Values = t.coefficients(grownTable(g.F, n))
		return g.Values[n]
	}
	if g.next == nil {
		g.next = ascending(g.F)
	}
	for len(g.Values) <= n {
		g.Values = append(g.Values, g.next())
	}
	return g.Values[n]
}

// grownTable returns the length to which a table of f grows for the coefficient of degree n: twice n, but at most a
// batch beyond the highest degree.
func grownTable(f series.Series, n int) int {
	const first, batch = 64, 64
	return max(n+1, min(max(first, 2*n), HighestDegree(f)+batch))
}

// MaxNested is how deep series may be nested in saved data. The text of each series, which errors contain, is part of
// the texts of all series around it.
const MaxNested = 128

// TableSteps returns about how many steps a table of the first n coefficients of a series takes, including its growth.
// A step is a multiply-add, or something else of about a nanosecond.
func TableSteps(f series.Series, n int) float64 {
	p, size := ProfileOf(f), float64(grownTable(f, n))
	return p.cost*size*size + coefficientSteps*p.Parts()*size
}

// coefficientSteps is about the largest number of steps for a coefficient of a leaf: a coefficient of Exp
// takes 0.7 µs.
const coefficientSteps = 512

// MostWithin returns the highest degree of a table that takes at most a number of steps.
func MostWithin(f series.Series, steps float64) int {
	most, p := HighestDegree(f), ProfileOf(f)
	if TableSteps(f, most) <= steps {
		return most
	}
	return int(min(math.Sqrt(steps/(8*p.cost)), steps/(4*coefficientSteps*p.Parts())))
}

// lastDegree returns a degree from which on the terms aₙcⁿ of f sum to less than 2⁻⁶⁰ of f(c). Their sum is at most
// f(cu)/uⁿ for any u > 1. The result is at most HighestDegree(f)+1, which it is for a caller's series.
func lastDegree(f series.Series, c float64) int {
	p, value := ProfileOf(f), math.Log(f.Eval(c))
	n := float64(p.highest() + 1)
	if p.Degree >= 0 {
		n = min(n, float64(p.Degree+1))
	}
	if p.unknown || !(value > -600) {
		return int(n)
	}
	for _, u := range [...]float64{1 + 0x1p-16, 1 + 0x1p-12, 1 + 0x1p-9, 1 + 0x1p-7, 1 + 0x1p-5, 1.1, 1.3, 2, 4, 16, 1 << 10, 1 << 20} {
		if v := f.Eval(float64(c * u)); v <= math.MaxFloat64 {
			n = min(n, max(math.Ceil((math.Log(v)-value+61*math.Ln2)/math.Log(u)), 0))
		}
	}
	return int(n)
}
