// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Columns that encode one category share one weight in a kernel.

package learn

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// tiedStage is the name of the stage that learns one length scale for each group of columns.
const tiedStage = "categories"

// A tying is a partition of the columns that vary into groups with one weight each. A group is a category or a single
// column.
type tying struct {
	group   []int // of each column; −1 of constant ones
	count   int   // of groups
	columns int   // that are in groups
}

// tie returns the groups of columns; nil if every group is a single column. If the given kernel has several length
// scales, as from package table, groups are adjacent columns of the same length scale. Otherwise they are runs of 0/1
// columns that add up to at most 1 in each row.
func (s *study) tie() *tying {
	if s.sparse || s.asItIs() || s.classes != nil {
		return nil
	}
	joins := s.joinsRun()
	if s.Kernel != nil {
		if validateKernel(s.Kernel, s.columns, s.sampler) != nil {
			return nil // validation fits say why
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

// joinsRun returns a function that is called for one column after the other. It reports whether the column contains
// only 0 and 1, as does the current run, and no row has a 1 both in the column and in the run.
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

// inverseLengths returns the factor of each column in a stationary kernel, 0 for a column that it does not read. It
// returns nil if the kernel is not stationary or all factors are equal.
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

// sums returns the sum of a number over the columns of each group.
func (t *tying) sums(of []float64) []float64 {
	sums := make([]float64, t.count)
	for j, g := range t.group {
		if g >= 0 {
			sums[g] += of[j]
		}
	}
	return sums
}

// together returns for each column the root of the sum of squares of a number over its group.
func (t *tying) together(of []float64) []float64 {
	all, roots := slices.Clone(of), t.weights(of)
	for j, g := range t.group {
		if g >= 0 {
			all[j] = roots[g]
		}
	}
	return all
}

// weights returns for each group the root of the sum of squares of its columns' factors.
func (t *tying) weights(factors []float64) []float64 {
	squares := make([]float64, len(factors))
	for j, v := range factors {
		squares[j] = float64(v * v)
	}
	return roots(t.sums(squares))
}

// anyOf returns for each column whether something is true for any column of its group; nil for nil.
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

// factors returns the factor of each column, in units of 1/(its standard deviation), for a weight of each group in
// units of 1/(the root of the sum of its variances): all columns of a group have the same length scale.
func (t *tying) factors(v *view, weights []float64) []float64 {
	all := t.together(v.spread)
	for j, g := range t.group {
		if g >= 0 && all[j] > 0 {
			all[j] = weights[g] * v.spread[j] / all[j]
		}
	}
	return all
}

// metricsOfCategories returns further metrics for a bank, with one weight for each category: one from derivatives of a
// fit in the first learned metric, and one for absolute differences with the learned length scales.
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
