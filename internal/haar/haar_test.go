// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package haar_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/haar"
)

// rows draws r orthonormal rows of R^d.
func rows(rnd *rand.Rand, r, d int) *mat.Dense {
	g := make([]float64, haar.Normals(r, d))
	for i := range g {
		g[i] = rnd.NormFloat64()
	}
	q := mat.NewDense(r, d, nil)
	haar.Rows(q.RawMatrix().Data, r, d, g)
	return q
}

func TestOrthonormal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, d := range []int{1, 2, 3, 7, 8, 9, 17, 64, 200} {
		for _, r := range []int{1, 2, d / 2, d - 1, d} {
			if r < 1 || r > d {
				continue
			}
			q := rows(rnd, r, d)
			var gram mat.Dense
			gram.Mul(q, q.T())
			for i := range r {
				gram.Set(i, i, gram.At(i, i)-1)
			}
			// Householder products are orthogonal to a small multiple of d·2⁻⁵³ (Higham
			// 2002, section 19.3).
			if worst := mat.Norm(&gram, math.Inf(1)); !(worst <= 20*float64(d)*0x1p-53) {
				t.Errorf("r = %d, d = %d: ‖QQᵀ − I‖ = %v", r, d, worst)
			}
		}
	}
}

func TestZeroNormals(t *testing.T) {
	q := make([]float64, 9)
	haar.Rows(q, 3, 3, make([]float64, haar.Normals(3, 3)))
	for i, v := range q {
		want := 0.0
		if i%4 == 0 {
			want = 1
		}
		if !(math.Abs(v-want) <= 1e-15) {
			t.Fatalf("from normals that are all zero: %v, want the identity", q)
		}
	}
}

// Moments of the Haar measure on O(d). The first ones follow from invariance; those
// of the trace are those of a standard normal up to order 2d (Diaconis and
// Shahshahani 1994), and E q₁₁q₂₂q₁₂q₂₁ = −1/((d−1)d(d+2)) (Collins and Śniady
// 2006). A QR factorization without the sign fix fails the trace and the determinant.
func TestHaarMoments(t *testing.T) {
	const n = 10_000
	moments := []struct {
		name string
		f    func(q *mat.Dense) float64
		want func(d float64) float64
	}{
		{"q₁₁", func(q *mat.Dense) float64 { return q.At(0, 0) }, func(d float64) float64 { return 0 }},
		{"q_dd", func(q *mat.Dense) float64 { r, _ := q.Dims(); return q.At(r-1, r-1) }, func(d float64) float64 { return 0 }},
		{"q₁₁²", func(q *mat.Dense) float64 { return q.At(0, 0) * q.At(0, 0) }, func(d float64) float64 { return 1 / d }},
		{"q₁₁⁴", func(q *mat.Dense) float64 { return math.Pow(q.At(0, 0), 4) }, func(d float64) float64 { return 3 / (d * (d + 2)) }},
		{"q_d1⁴", func(q *mat.Dense) float64 { r, _ := q.Dims(); return math.Pow(q.At(r-1, 0), 4) }, func(d float64) float64 { return 3 / (d * (d + 2)) }},
		{"q₁₁q₂₂q₁₂q₂₁", func(q *mat.Dense) float64 { return q.At(0, 0) * q.At(1, 1) * q.At(0, 1) * q.At(1, 0) },
			func(d float64) float64 { return -1 / ((d - 1) * d * (d + 2)) }},
		{"tr Q", func(q *mat.Dense) float64 { return mat.Trace(q) }, func(d float64) float64 { return 0 }},
		{"(tr Q)²", func(q *mat.Dense) float64 { return math.Pow(mat.Trace(q), 2) }, func(d float64) float64 { return 1 }},
		{"(tr Q)⁴", func(q *mat.Dense) float64 { return math.Pow(mat.Trace(q), 4) }, func(d float64) float64 { return 3 }},
		{"sign det Q", func(q *mat.Dense) float64 { return math.Copysign(1, mat.Det(q)) }, func(d float64) float64 { return 0 }},
	}
	rnd := rand.New(rand.NewPCG(2, 0))
	for _, d := range []int{2, 3, 5, 9} {
		sum := make([]float64, len(moments))
		square := make([]float64, len(moments))
		for range n {
			q := rows(rnd, d, d)
			for i, m := range moments {
				v := m.f(q)
				sum[i] += v
				square[i] += v * v
			}
		}
		for i, m := range moments {
			mean := sum[i] / n
			se := math.Sqrt((square[i]/n - mean*mean) / n)
			// 40 moments at 4.5 standard errors: a right sampler fails with another
			// seed in 3 of 10,000 cases.
			if z := (mean - m.want(float64(d))) / se; !(math.Abs(z) <= 4.5) {
				t.Errorf("d = %d: E %s = %.5f, want %.5f: z = %.1f", d, m.name, mean, m.want(float64(d)), z)
			}
		}
	}
}
