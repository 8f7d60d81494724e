// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package testkit

import (
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// Texts returns rows of 30 words, and as their classes the sums modulo 3 of the numbers of their two topics, which no words
// tell alone.
func Texts(t testing.TB, n int, s *featuremap.Sampler) (x *sparse.Rows, classes []int) {
	t.Helper()
	const topics, topicWords, common = 3, 60, 150
	x = sparse.NewRows(common + 2*topics*topicWords)
	for range n {
		counts := make(map[int]float64)
		topic := [2]int{s.IntN(topics), topics + s.IntN(topics)}
		for k := range 30 {
			if k%2 == 0 {
				counts[s.IntN(common)]++
			} else {
				counts[common+topic[k/2%2]*topicWords+s.IntN(topicWords)]++
			}
		}
		var index []int
		var values []float64
		_, width := x.Dims()
		for j := range width {
			if v := counts[j]; v > 0 {
				index, values = append(index, j), append(values, v)
			}
		}
		if err := x.Append(index, values); err != nil {
			t.Fatal(err)
		}
		classes = append(classes, (topic[0]+topic[1])%topics)
	}
	return x, classes
}
