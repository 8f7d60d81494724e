// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Which columns matter by themselves: with many columns, the evidence of equal length scales may not tell.

package learn

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	bins   = 16 // of a column, with about equally many rows
	untold = 8  // factor of the first length scales of columns that do not tell
)

// telling returns which columns tell something about a target or about its square: those over whose bins the mean of
// either varies by more than chance. It is nil if no column does, or all do. In a product of columns, such as
// sin(x₁)·x₂, the mean of the target may depend on no single column, but the mean of its square does.
func telling(t *table) []bool {
	told, count := make([]bool, t.x.Cols), 0
	order := make([]int, t.x.Rows)
	columns := withSquares(t.y)
	for j := range t.x.Cols {
		at := func(i int) float64 { return t.x.Data[i*t.x.Stride+j] }
		sortBy(order, t.x, j)
		if told[j] = tells(columns, order, at); told[j] {
			count++
		}
	}
	if count == 0 || count == t.x.Cols {
		return nil
	}
	return told
}

// reaches returns a start for the length scale of each column over which the targets of neighboring rows are more alike
// than by chance, and those of rows farther apart are not. It is 0 for other columns, and the result is nil if there
// are no such columns. With the rows in the order of the column and D(k) the mean of (yᵢ − yᵢ₊ₖ)²/2 over the variance,
// D(1) is 1 by chance with a standard deviation of 1/√n (von Neumann 1941, "Distribution of the ratio of the mean
// square successive difference to the variance"). The start is the distance of rows k apart, for the last k, a power of
// two, with D(k) less than halfway from D(1) to 1.
func reaches(t *table) (reaches []float64) {
	n := t.x.Rows
	order := make([]int, n)
	for j := range t.x.Cols {
		at := func(i int) float64 { return t.x.Data[order[i]*t.x.Stride+j] }
		sortBy(order, t.x, j)
		target, least := -1, 1-5/math.Sqrt(float64(n))
		for c := range t.y.Cols {
			if v := successive(t, order, c, 1); v < least {
				target, least = c, v
			}
		}
		if target < 0 {
			continue
		}
		k := 1
		for ; 2*k < n/2 && successive(t, order, target, 2*k) < 0.5*(1+least); k *= 2 {
		}
		var distances []float64
		for i := range n - k {
			distances = append(distances, at(i+k)-at(i))
		}
		slices.Sort(distances)
		if reach := distances[len(distances)/2]; reach > 0 && 4*reach <= t.columns.deviation[j]/t.columns.unit[j] {
			if reaches == nil {
				reaches = make([]float64, t.x.Cols)
			}
			reaches[j] = reach
		}
	}
	return reaches
}

// successive returns half the mean square of the differences of a target between rows k apart in an order, over its
// variance.
func successive(t *table, order []int, target, k int) float64 {
	at := func(i int) float64 { return t.y.Data[order[i]*t.y.Stride+target] }
	var sum float64
	for i := range len(order) - k {
		d := at(i+k) - at(i)
		sum = math.FMA(d, d, sum)
	}
	deviation := t.targets.deviation[target] / t.targets.unit[target]
	return sum / float64(2*(len(order)-k)) / deviation / deviation
}

// sortBy sets order to the rows by a column, equal ones by their number.
func sortBy(order []int, x blas64.General, column int) {
	at := func(i int) float64 { return x.Data[i*x.Stride+column] }
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a, b)) })
}

// withSquares returns the targets, and the squares of their differences from their means, all centered and divided by
// their standard deviations; 0 where all are equal, as for squares of labels of ±1 that are equally frequent.
func withSquares(y blas64.General) blas64.General {
	all := newGeneral(y.Rows, 2*y.Cols, 2*y.Cols)
	set := func(from blas64.General, at int, f func(v float64) float64) {
		for j := range y.Cols {
			for i := range y.Rows {
				all.Data[i*all.Stride+at+j] = f(from.Data[i*from.Stride+j])
			}
			mean, deviation := moments(all, at+j)
			for i := range y.Rows {
				v := &all.Data[i*all.Stride+at+j]
				if *v -= mean; deviation > 0 {
					*v /= deviation
				}
			}
		}
	}
	set(y, 0, func(v float64) float64 { return v })
	set(all, y.Cols, func(v float64) float64 { return v * v })
	return all
}

// tells reports whether a column does, by the order of its rows.
func tells(targets blas64.General, order []int, at func(i int) float64) bool {
	squares, sums := make([]float64, targets.Cols), make([]float64, targets.Cols)
	freedom := -1.0
	for lo := 0; lo < len(order); freedom++ {
		clear(sums)
		hi := lo
		for ; hi < len(order) && (hi-lo < (len(order)+bins-1)/bins || at(order[hi]) == at(order[hi-1])); hi++ {
			for t, v := range targets.Data[order[hi]*targets.Stride:][:targets.Cols] {
				sums[t] += v
			}
		}
		for t, v := range sums {
			squares[t] += float64(v * v / float64(hi-lo))
		}
		lo = hi
	}
	if freedom < 1 {
		return false
	}
	// If the column does not matter, the statistic is nearly chi-squared, and its cube root nearly normal (Wilson and
	// Hilferty 1931, "The distribution of chi-square"): it must be larger by five standard deviations.
	spread := 2 / (9 * freedom)
	root := 1 - spread + float64(5*math.Sqrt(spread))
	return slices.Max(squares) > freedom*float64(root*root)*root
}
