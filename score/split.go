// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Split draws rows to be held back, share·n of n to the nearest whole number, but at least one if share is positive, and leaves at
// least one if share is less than 1 and n at least 2. It returns the numbers of the others and of these, both ascending.
//
// With strata, such as classes, one for each row, each stratum has its share of rows held back, rounded up or down: those of the
// largest remainders have one more. With nil all rows are one stratum. The same seed gives the same rows.
//
// It panics with mat.ErrZeroLength if n is less than 1, with mat.ErrShape if there are strata and not n of them, and if share is
// not in [0, 1].
func Split(n int, share float64, strata []int, s *featuremap.Sampler) (rest, held []int) {
	switch {
	case n < 1:
		panic(mat.ErrZeroLength)
	case strata != nil && len(strata) != n:
		panic(mat.ErrShape)
	case !(share >= 0 && share <= 1):
		panic(fmt.Sprintf("score: Split: share = %v: must be from 0 to 1", share))
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	groups := [][]int{rows}
	if strata != nil {
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(strata[a], strata[b]) })
		groups = nil
		for lo, i := 0, 1; i <= n; i++ {
			if i == n || strata[rows[i]] != strata[rows[lo]] {
				groups = append(groups, rows[lo:i])
				lo = i
			}
		}
	}
	for k, count := range quotas(groups, n, share) {
		group := groups[k]
		for i := range count { // the first rows of a shuffle (Fisher and Yates)
			j := i + s.IntN(len(group)-i)
			group[i], group[j] = group[j], group[i]
		}
		held, rest = append(held, group[:count]...), append(rest, group[count:]...)
	}
	slices.Sort(held)
	slices.Sort(rest)
	return rest, held
}

// quotas returns how many rows of each group are held back.
func quotas(groups [][]int, n int, share float64) []int {
	total := int(math.Round(share * float64(n)))
	if share > 0 {
		total = max(total, 1)
	}
	if share < 1 && n > 1 {
		total = min(total, n-1)
	}
	counts, order := make([]int, len(groups)), make([]int, len(groups))
	remainders := make([]int, len(groups)) // of total·size/n, times n
	left := total
	for k, g := range groups {
		counts[k], remainders[k], order[k] = total*len(g)/n, total*len(g)%n, k
		left -= counts[k]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, k := range order[:left] {
		counts[k]++
	}
	return counts
}
