// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sums add their products up one by one, from the constant on, in every tier.
func TestSumEqualsSpecification(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, on := range tiers() {
		for _, columns := range []int{1, 7, 40} {
			for _, rows := range []int{1, 3, 70} {
				const in, at = 5, 2
				degrees := []int{1, 3, 4}[:1+rnd.IntN(3)]
				s := Sum{At: at, Columns: columns, Constant: rnd.NormFloat64()}
				forms := make(map[[3]int][]float64)
				for _, n := range degrees {
					p := newProductIn(on, in, 0, 0, slices.Repeat([]int{n}, columns))
					for i := range columns {
						for j := range n {
							w := make([]float64, in+1)
							for k := range w {
								w[k] = rnd.NormFloat64()
							}
							p.SetReal(i, j, w[:in], w[in])
							forms[[3]int{n, i, j}] = w
						}
					}
					s.Products = append(s.Products, p)
				}
				want := func(x, _ []float64) []float64 {
					z := []float64{1, 2}
					for i := range columns {
						sum := s.Constant
						for _, n := range degrees {
							product := 1.0
							for j := range n {
								w := forms[[3]int{n, i, j}]
								t := w[in]
								for k, v := range x {
									t = math.FMA(w[k], v, t)
								}
								product = float64(product * t)
							}
							sum += product
						}
						z = append(z, sum)
					}
					return z
				}
				stack := NewStack(in, at+columns, Constants{Values: []float64{1, 2}}, s)
				if err := checkTransform(rnd, stack, want, rows, in, at+columns); err != nil {
					t.Error(fmt.Errorf("%v, %d rows, %d columns, degrees %v: %w", on, rows, columns, degrees, err))
				}
			}
		}
	}
}
