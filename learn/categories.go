// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Columns that are the numbers of one category, which have one weight in a kernel.

package learn

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// tiedStage is the name of the stage of evidence that has a length for each group of columns.
const tiedStage = "categories"

// A tying is a partition of the columns that vary into groups, each of which has one weight: the numbers of a category, or a single column.
type tying struct {
	group   []int // of each column; −1 of constant ones
	count   int   // of groups
	columns int   // that are in groups
}

// tie returns the groups of columns, nil if all are of one column: those that are next to each other and have the same length in the kernel that was
// given, as package table has it, if that has several lengths; otherwise runs of columns of 0 and 1 that add up to at most 1 in each row.
func (s *study) tie() *tying {
	if s.sparse || s.asItIs() || s.classes != nil {
		return nil
	}
	joins := s.joinsRun()
	if s.Kernel != nil {
		if validateKernel(s.Kernel, s.columns, s.sampler) != nil {
			return nil // pilots say why
		}
		if given := inverseLengths(s.Kernel, s.columns); given != nil {
			joins = func(last, j int) bool { return last >= 0 && given[j] == given[last] }
		}
	}
	t, last := &tying{group: slices.Repeat([]int{-1}, s.columns)}, -1
	for j, c := range rows.Spreads(s.x, s.rest) {
		if c.Deviation == 0 {
			continue
		}
		if !joins(last, j) {
			t.count++
		}
		t.group[j], last = t.count-1, j
		t.columns++
	}
	if t.count == t.columns {
		return nil
	}
	return t
}

// joinsRun returns a function that tells, of one column after the other, whether it is of 0 and 1, as those of the run that the last one is in, and no row
// has a 1 in both.
func (s *study) joinsRun() func(last, j int) bool {
	ones := make([]bool, len(s.rest)) // of the run
	is := false                       // there is a run
	return func(_, j int) bool {
		column := make([]bool, len(s.rest))
		binary, disjoint := true, true
		for k, i := range s.rest {
			v := s.x.At(i, j)
			if binary = v == 0 || v == 1; !binary {
				break
			}
			column[k] = v == 1
			disjoint = disjoint && !(column[k] && ones[k])
		}
		joins := is && binary && disjoint
		if !joins {
			clear(ones)
		}
		for k, v := range column {
			ones[k] = ones[k] || v
		}
		is = binary
		return joins
	}
}

// inverseLengths returns what a kernel multiplies each of so many columns with, 0 where it does not read them: of a stationary kernel with lengths
// that differ, otherwise nil.
func inverseLengths(k featuremap.Kernel, columns int) []float64 {
	terms, err := termsOf(k, columns)
	if err != nil || len(terms) != 1 || terms[0].kind != stationary || terms[0].warp.diagonal == nil || terms[0].warp.uniform() {
		return nil
	}
	inverse := make([]float64, columns)
	for e, a := range terms[0].warp.diagonal {
		inverse[terms[0].warp.column(e)] = a
	}
	return inverse
}

// sums returns the sum over the columns of each group of a number that each column has.
func (t *tying) sums(of []float64) []float64 {
	sums := make([]float64, t.count)
	for j, g := range t.group {
		if g >= 0 {
			sums[g] += of[j]
		}
	}
	return sums
}

// together returns for each column the root of the sum of the squares that its group has of a number for each column.
func (t *tying) together(of []float64) []float64 {
	all, roots := slices.Clone(of), t.weights(of)
	for j, g := range t.group {
		if g >= 0 {
			all[j] = roots[g]
		}
	}
	return all
}

// weights returns for each group the root of the sum of the squares of what its columns count.
func (t *tying) weights(factors []float64) []float64 {
	squares := make([]float64, len(factors))
	for j, v := range factors {
		squares[j] = float64(v * v)
	}
	return roots(t.sums(squares))
}

// anyOf returns for each column whether its group has a column for which something is true; nil of nil.
func (t *tying) anyOf(of []bool) []bool {
	if of == nil {
		return nil
	}
	has, all := make([]bool, t.count), slices.Clone(of)
	for j, g := range t.group {
		if g >= 0 {
			has[g] = has[g] || of[j]
		}
	}
	for j, g := range t.group {
		all[j] = g >= 0 && has[g]
	}
	return all
}

// parameters returns the number of the parameter of each column of a warp, from 0 on: columns of a group share one.
func (t *tying) parameters(w *warp) []int {
	number := make(map[int]int)
	parameters := make([]int, w.width())
	for e := range parameters {
		g := t.group[w.column(e)]
		k, ok := number[g]
		if !ok {
			k = len(number)
			number[g] = k
		}
		parameters[e] = k
	}
	return parameters
}

// factors returns what columns count, in units of their deviations, where each group has a weight, in units of the root of the sum of the variances
// of its columns: all columns of a group have the same length.
func (t *tying) factors(v *view, weights []float64) []float64 {
	all := t.together(v.spread)
	for j, g := range t.group {
		if g >= 0 && all[j] > 0 {
			all[j] = weights[g] * v.spread[j] / all[j]
		}
	}
	return all
}

// metricsOfCategories returns further metrics, as those of a bank, that have one weight a category: by derivatives of a fit in the first of the metrics of
// evidence, and of absolute differences by the lengths that evidence has found.
func (s *study) metricsOfCategories(v *view, learned []metric) (smooth, absolute []metric) {
	if tied := slices.IndexFunc(learned, func(m metric) bool { return m.name == tiedStage }); tied >= 0 {
		lengths := s.ties.weights(v.ofLengths(&learned[tied]))
		absolute = append(absolute, s.weighted("of categories by their lengths", v, s.ties.factors(v, roots(lengths)), true))
	}
	if g := s.gradients(v, &learned[0], s.ties); g != nil {
		smooth = append(smooth, s.weighted("the median distance by derivatives of categories", v, s.ties.factors(v, g), false))
		absolute = append(absolute, s.weighted("of categories by derivatives", v, s.ties.factors(v, roots(g)), true))
	}
	return smooth, absolute
}
