// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"fmt"
	"testing"
)

// BenchmarkFitWide fits tables of many columns, each of which Kinds names: time is in proportion to their number.
func BenchmarkFitWide(b *testing.B) {
	for _, n := range []int{2500, 10_000, 40_000} {
		var header []string
		records, kinds := make([][]string, 4), make(map[string]Kind)
		for j := range n {
			header = append(header, fmt.Sprintf("column %d", j))
			kinds[header[j]] = Number
			for i := range records {
				records[i] = append(records[i], fmt.Sprint((7*i+j)%5))
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Fit(header, records, &Options{Kinds: kinds}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
