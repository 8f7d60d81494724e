// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

// A tabled series can compute its first n coefficients together, with the bits of Coeff, faster than one by one.
type tabled interface{ coefficients(n int) []float64 }

// coefficients returns a₀ … aₙ₋₁ of f, with the bits of Coeff, and computes them together if f is tabled.
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

// growing is a table of the coefficients of f that grows on demand, since Coeff(n) may take a time of order n.
type growing struct {
	f     Series
	table []float64
}

func (g *growing) coeff(n int) float64 {
	if n < len(g.table) {
		return g.table[n]
	}
	if t, ok := g.f.(tabled); ok {
		g.table = t.coefficients(grown(n))
		return g.table[n]
	}
	if g.table == nil {
		g.table = make([]float64, 0, grown(0))
	}
	for i := len(g.table); i <= n; i++ {
		g.table = append(g.table, g.f.Coeff(i))
	}
	return g.table[n]
}

// grown returns the length to which a table grows that is to have the coefficient of degree n.
func grown(n int) int { return max(64, 2*n) }

// A tabulation counts the tables of the coefficients of a series, as growing makes them, against a budget.
type tabulation struct {
	f      Series
	tables float64 // the number of tables, which grow alike
	budget *budget
	size   int // the length of each table so far
}

// extend takes from the budget the memory and the work to compute the coefficients up to degree n.
func (t *tabulation) extend(n int) error {
	if t.budget == nil || n < t.size {
		return nil
	}
	// While a nested series is tabulated, there is at a time a table for each of the series around a leaf.
	t.size = grown(n)
	size, p := float64(t.size), profileOf(t.f)
	kept := t.tables + 2 // the tables, and two of weights and their partial sums
	return t.budget.take(8*size*(kept+min(p.parts(), maxNestedSeries)), t.tables*(p.cost*size*size+coefficientWork*p.parts()*size))
}

// maxNestedSeries is how deep series may be nested in saved data. The text of each, which errors have, is in the texts of all
// series around it.
const maxNestedSeries = 128

// coefficientWork is about how many multiply-adds a coefficient of a leaf takes at most: those of Exp take 0.7 µs.
const coefficientWork = 512
