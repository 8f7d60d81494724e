// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package haar makes orthonormal vectors with the Haar distribution from normal variates, with the
// same bits on every machine. It has its own Householder QR, because the bits of LAPACK's depend on
// the machine.
package haar

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Normals returns the number of normal variates that Rows needs for r rows of
// R^d: d + (d−1) + … + (d−r+1).
func Normals(r, d int) int { return r*d - r*(r-1)/2 }

// Rows overwrites q, r×d in row-major order with r ≤ d, by r orthonormal rows. They are the first r
// rows of an orthogonal matrix with the Haar distribution if g holds Normals(r, d) independent
// standard normal variates. It overwrites g.
//
// The method is Stewart's (1980, "The efficient generation of random orthogonal matrices", section
// 3). Reflection j is the Householder reflection of the coordinates j … d−1 that takes a normal
// vector to the axis j, and row i is
//
//	H₀H₁ ⋯ Hᵢ(sᵢeᵢ),  where a QR factorization with positive diagonal determines the sign sᵢ,
//
// so the first row is g/‖g‖, the second is uniform on its orthogonal complement, and so on. Without
// the signs sᵢ the rows would not be Haar. The cost is about r²d multiply-adds.
func Rows(q []float64, r, d int, g []float64) { rowsIn(tier.Best(), q, r, d, g) }

// together is the number of rows that assembly reflects at a time.
const together = 4

func rowsIn(t tier.Tier, q []float64, r, d int, g []float64) {
	clear(q[:r*d])
	v := make([][]float64, r)
	for j := range v {
		v[j], g = g[:d-j], g[d-j:]
		q[j*d+j] = reflector(v[j])
	}
	// A few rows at a time, which stay in the cache together with a reflector that is applied to
	// them.
	parallel.Run(parallel.Func(func(lo, hi int) {
		for j := hi - 1; j >= 0; j-- {
			i := max(lo, j)
			if t != tier.Plain && hi-i == together && len(v[j]) >= 8 {
				reflectAssembly(t, q[i*d+j:hi*d], d, v[j])
				continue
			}
			for ; i < hi; i++ {
				reflect(q[i*d+j:(i+1)*d], v[j])
			}
		}
	}), r, together)
}

// reflector overwrites g by the v for which the reflection H = I − vvᵀ takes g to the first axis.
// It returns the s for which H(s·e₁) = g/‖g‖:
//
//	v = (g ± ‖g‖e₁)/√(‖g‖(‖g‖ + |g₁|)),  s = −(±1),  ± the sign of g₁.
func reflector(g []float64) (s float64) {
	norm := math.Sqrt(dot(g, g))
	if norm == 0 {
		// All normals are zero: this has practically no probability, but must not give NaN.
		g[0], norm = 1, 1
	}
	sign := math.Copysign(1, g[0])
	scale := 1 / math.Sqrt(float64(norm*(norm+math.Abs(g[0]))))
	g[0] += sign * norm
	for k := range g {
		g[k] *= scale
	}
	return -sign
}

// reflect replaces x by (I − vvᵀ)x.
func reflect(x, v []float64) {
	var s [8]float64
	sumsPlain(&s, v, x)
	c := -total(&s, v, x)
	addPlain(x[:len(v)], v, c)
}

// dot returns the inner product of a and b. Its order of summation is part of the specification:
// lane l sums the products k ≡ l mod 8 of the whole blocks of eight, then lanes are added in pairs,
// and the other products follow in order.
func dot(a, b []float64) float64 {
	var s [8]float64
	sumsPlain(&s, a, b)
	return total(&s, a, b)
}

// sumsPlain sets s to the lanes of the inner product of a and b.
func sumsPlain(s *[8]float64, a, b []float64) {
	b = b[:len(a)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for len(a) >= 8 {
		x, y := (*[8]float64)(a), (*[8]float64)(b)
		s0 = math.FMA(x[0], y[0], s0)
		s1 = math.FMA(x[1], y[1], s1)
		s2 = math.FMA(x[2], y[2], s2)
		s3 = math.FMA(x[3], y[3], s3)
		s4 = math.FMA(x[4], y[4], s4)
		s5 = math.FMA(x[5], y[5], s5)
		s6 = math.FMA(x[6], y[6], s6)
		s7 = math.FMA(x[7], y[7], s7)
		a, b = a[8:], b[8:]
	}
	*s = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// total returns the inner product of a and b, from its lanes.
func total(s *[8]float64, a, b []float64) float64 {
	sum := ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
	for k := len(a) &^ 7; k < len(a); k++ {
		sum = math.FMA(a[k], b[k], sum)
	}
	return sum
}

// addPlain adds c·v to x.
func addPlain(x, v []float64, c float64) {
	for k, w := range v {
		x[k] = math.FMA(c, w, x[k])
	}
}
