// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

// quarter counts, over all splits, the test rows in the quarter of a split with the largest of some values.
type quarter struct{ rows, covered int }

// add adds a split: whether the interval of each row contains its target, and the values. Among rows with equal values
// the first count.
func (q *quarter) add(covered []bool, values []float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	for _, i := range order[:(len(order)+3)/4] {
		q.rows++
		if covered[i] {
			q.covered++
		}
	}
}

// rate returns the share of the rows that are covered.
func (q quarter) rate() float64 { return float64(q.covered) / float64(q.rows) }

// distances returns the distance of each row of x from the mean of the rows of train, in columns that train gives
// standard deviation 1. Constant columns are left out.
func distances(train, x *mat.Dense) []float64 {
	n, d := x.Dims()
	squares := make([]float64, n)
	for j := range d {
		m, deviation := stat.MeanStdDev(mat.Col(nil, j, train), nil)
		if !(deviation > 0) {
			continue
		}
		for i := range n {
			v := (x.At(i, j) - m) / deviation
			squares[i] += v * v
		}
	}
	for i, v := range squares {
		squares[i] = math.Sqrt(v)
	}
	return squares
}

// writeQuarters writes a table of learn's intervals: the share of targets in them, over all test rows, and in the
// quarters of the longest intervals and of the rows farthest from the mean. The mean over sets comes last.
func writeQuarters(w io.Writer, lines []*line) {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !l.scores[ours].sure })
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Intervals of 90 %% by quarters of the test rows\n\n")
	var sets []string
	var rows [][]string
	var sums [3]float64
	for _, l := range lines {
		s := l.scores[ours]
		sets = append(sets, l.set)
		row := []string{strconv.Itoa(s.longest.rows)}
		for k, v := range []float64{float64(s.covered) / float64(len(s.losses)), s.longest.rate(), s.farthest.rate()} {
			row = append(row, fmt.Sprintf("%.1f %%", 100*v))
			sums[k] += v
		}
		rows = append(rows, row)
	}
	sets, rows = append(sets, "mean"), append(rows, []string{""})
	for _, v := range sums {
		rows[len(lines)] = append(rows[len(lines)], fmt.Sprintf("%.1f %%", 100*v/float64(len(lines))))
	}
	heads := []string{"set", "rows of a quarter", "covered of all rows", "of the longest intervals", "of the rows farthest from the mean"}
	program.Table(w, heads, sets, func(i, j int) string { return rows[i][j] })
}
