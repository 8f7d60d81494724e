// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package wht

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// All tiers give the bits of the definition by sums of two, by batch and by vector, in place and not.
func TestSingleEqualsSpecification(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for m := 1; m <= 1<<13; m *= 2 {
		src := make([]float32, m*Lanes32)
		rows, elements := make([]uint64, m), make([]uint32, m)
		for i := range src {
			src[i] = float32(rng.NormFloat64())
		}
		src[rng.IntN(len(src))] = float32(math.Inf(1))
		src[rng.IntN(len(src))] = 1e-42 // subnormal
		src[rng.IntN(len(src))] = float32(math.Copysign(0, -1))
		for i := range rows {
			if rng.IntN(2) == 1 {
				rows[i], elements[i] = SignOfRow, Sign32
			}
		}
		for _, signed := range []bool{false, true} {
			s, v := rows, elements
			if !signed {
				s, v = nil, nil
			}
			want := make([]float32, len(src))
			For32(tier.Plain).Batch(want, src, s)
			for _, tr := range tier.Available() {
				e := For32(tr)
				got := make([]float32, len(src))
				e.Batch(got, src, s)
				same32(t, tr, m, got, want)
				copy(got, src)
				e.Batch(got, got, s)
				same32(t, tr, m, got, want)
				for n := 1; n == 1 || n <= 5 && m <= 128; n++ { // vectors one after another, with the same signs
					vectors, wanted := make([]float32, n*m), make([]float32, n*m)
					var signs []uint32
					for k := range n {
						for i := range m {
							vectors[k*m+i], wanted[k*m+i] = src[i*Lanes32+3*k], want[i*Lanes32+3*k]
						}
						signs = append(signs, v...)
					}
					other := make([]float32, n*m)
					e.Vectors(other, vectors, m, signs)
					same32(t, tr, m, other, wanted)
					e.Vectors(vectors, vectors, m, signs)
					same32(t, tr, m, vectors, wanted)
				}
			}
		}
	}
}

// The transform is the product by the Hadamard matrix.
func TestSingleIsHadamard(t *testing.T) {
	const m = 8
	x := []float32{1, 2, -3, 4, 5, 7, -11, 13}
	got := make([]float32, m)
	For32(tier.Best()).Vectors(got, x, m, nil)
	for i, v := range got {
		var want float32
		for j, u := range x {
			for bits := i & j; bits != 0; bits &= bits - 1 {
				u = -u
			}
			want += u
		}
		if v != want {
			t.Errorf("element %d = %v, want %v", i, v, want)
		}
	}
}

func same32(t *testing.T, tr tier.Tier, m int, got, want []float32) {
	t.Helper()
	for i, v := range got {
		if math.Float32bits(v) != math.Float32bits(want[i]) && (v == v || want[i] == want[i]) {
			t.Fatalf("%v, m = %d: element %d is %v, want %v", tr, m, i, v, want[i])
		}
	}
}
