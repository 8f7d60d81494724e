// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "strconv"

// records returns the correlations of the pixels shown with all others, as experiments/figures reads them.
func records(correlations []*correlation) [][]string {
	records := [][]string{{"kernel", "row", "column", "other row", "other column", "correlation"}}
	for depth, c := range correlations {
		for _, p := range shown {
			for i := range side * side {
				if i == p.index() {
					continue
				}
				q := pixelAt(i)
				records = append(records, []string{name(depth), strconv.Itoa(p.row), strconv.Itoa(p.col), strconv.Itoa(q.row), strconv.Itoa(q.col),
					strconv.FormatFloat(c.values.At(i, p.index()), 'g', 6, 64)})
			}
		}
	}
	return records
}
