// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// monomialIndices returns the coordinates of each monomial of degree n: ascending, and sorted by the last,
// then by the one before it, and so on.
func monomialIndices(in, n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for k := range in {
		for _, m := range monomialIndices(k+1, n-1) {
			all = append(all, append(m, k))
		}
	}
	return all
}

// Powers are products from left to right, times a coefficient, in the bits of single rows; degrees may be
// missing, and points may go through a diagonal and have a center
// subtracted first.
func TestPowersEqualSpecification(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, in := range []int{1, 2, 3, 5, 17} {
		indices := [][][]int{monomialIndices(in, 2), monomialIndices(in, 3), monomialIndices(in, 4)}
		for _, rows := range []int{1, 2, 9, 70} {
			if in > 5 && (rows > 9 || rows != 2 && testing.Short()) || in == 5 && rows > 9 {
				continue // thousands of monomials a row; the blocks of rows are tested with fewer
			}
			for _, has := range [][]bool{{true}, {false, true}, {true, true}, {false, false, true}, {true, false, true}, {true, true, true}} {
				for _, scaled := range []bool{false, true} {
					var before Before
					if scaled {
						for range in {
							before.Diagonal = append(before.Diagonal, rnd.NormFloat64())
							before.Center = append(before.Center, rnd.NormFloat64())
						}
					}
					var coefficients [][]float64
					out := 1 // a constant before them
					for i, yes := range has {
						var c []float64
						for range indices[i] {
							c = append(c, rnd.NormFloat64())
						}
						if !yes {
							c = nil
						}
						out += len(c)
						coefficients = append(coefficients, c)
					}
					s := NewStack(in, out, Constants{Values: []float64{2.5}}, NewPowers(1, in, before, coefficients))
					want := func(x, _ []float64) []float64 {
						z := []float64{2.5}
						for i, c := range coefficients {
							if c == nil {
								continue
							}
							for j, m := range indices[i] {
								p := 1.0
								for _, k := range m {
									v := x[k]
									if scaled {
										v = float64(v*before.Diagonal[k]) - before.Center[k]
									}
									p = float64(p * v)
								}
								z = append(z, float64(p*c[j]))
							}
						}
						return z
					}
					if err := checkTransform(rnd, s, want, rows, in, out); err != nil {
						t.Error(fmt.Errorf("in = %d, %d rows, degrees %v: %w", in, rows, has, err))
					}
				}
			}
		}
	}
}
