// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package subset

import (
	"cmp"
	"math"
	"slices"
)

// Split chooses share·n of n rows at random, rounded, and from each stratum its share. It chooses at least one row if
// share is positive, and leaves at least one if share is less than 1 and n at least 2. It returns the numbers of the
// other rows and of the chosen ones, both ascending. See score.Split.
func Split(n int, share float64, strata []int, s interface{ IntN(n int) int }) (rest, held []int) {
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

// quotas returns how many rows of each group are chosen.
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
