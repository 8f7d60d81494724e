// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sparse_test

import (
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// Counts of words, of which only those that are not 0 are stored.
func Example() {
	column := map[string]int{"bee": 0, "rose": 1, "thorn": 2, "honey": 3}
	x := sparse.NewRows(len(column))
	for _, text := range []string{"rose thorn rose", "bee honey"} {
		counts := make(map[int]float64)
		for _, word := range strings.Fields(text) {
			counts[column[word]]++
		}
		index := slices.Sorted(maps.Keys(counts))
		var values []float64
		for _, j := range index {
			values = append(values, counts[j])
		}
		if err := x.Append(index, values); err != nil {
			log.Fatal(err)
		}
	}
	phi, err := featuremap.New(featuremap.Polynomial{Degree: 2, Gamma: 1}, x, 16, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	var z mat.Dense
	phi.TransformTo(&z, x) // reads lists
	fmt.Printf("%v\n%v\n", mat.Formatted(x), z.RawMatrix().Rows)
	// Output:
	// ⎡0  2  1  0⎤
	// ⎣1  0  0  1⎦
	// 2
}
