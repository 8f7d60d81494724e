// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Dots sets dst[t] to the inner product of a and the row of w from t·stride on. The products k, k+8, k+16, …
// form a chain of fused multiply-adds, and the eight chains are added up in a fixed order.
func Dots(dst, a, w []float64, stride int) { dots(tier.Best(), dst, a, w, stride) }

// Dot returns the inner product of a and b, of the same length, as Dots sets it.
func Dot(a, b []float64) float64 {
	var sum [1]float64
	Dots(sum[:], a, b, len(b))
	return sum[0]
}

// Stride returns the stride of rows of n elements that many of these functions read: whole cache lines, but not a
// multiple of a page, so that the same column of neighboring rows does not fall in one set of the cache.
func Stride(n int) int {
	const line, page = 8, 512
	stride := (n + line - 1) &^ (line - 1)
	if stride%page == 0 {
		stride += line
	}
	return stride
}

// dotRows is the number of rows of w that assembly multiplies by a vector at a time, to hide the latency of the chains.
const dotRows = 4

func dots(t tier.Tier, dst, a, w []float64, stride int) {
	var sums [dotRows][8]float64
	for i := 0; i < len(dst); {
		rows := 1
		if len(dst)-i >= dotRows {
			rows = dotRows
		}
		row := w[i*stride:]
		if t == tier.Plain || len(a) < 8 {
			sumsPlain(sums[:rows], a, row, stride)
		} else {
			sumsAssembly(t, sums[:rows], a, row, stride)
		}
		for r := range rows {
			addRest(&sums[r], a, row[r*stride:])
			dst[i+r] = total(&sums[r])
		}
		i += rows
	}
}

// addRest adds the last len(a)%8 products of a and b to their chains.
func addRest(s *[8]float64, a, b []float64) {
	for k := len(a) &^ 7; k < len(a); k++ {
		s[k%8] = math.FMA(a[k], b[k], s[k%8])
	}
}

// total returns the sum of the chains.
func total(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// sumsPlain sets sums to the chains of the inner products of a and rows of w, except for the last len(a)%8 products.
func sumsPlain(sums [][8]float64, a, w []float64, stride int) {
	for r := range sums {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		row := w[r*stride:]
		for k := 0; k+8 <= len(a); k += 8 {
			u, v := (*[8]float64)(a[k:]), (*[8]float64)(row[k:])
			s0 = math.FMA(u[0], v[0], s0)
			s1 = math.FMA(u[1], v[1], s1)
			s2 = math.FMA(u[2], v[2], s2)
			s3 = math.FMA(u[3], v[3], s3)
			s4 = math.FMA(u[4], v[4], s4)
			s5 = math.FMA(u[5], v[5], s5)
			s6 = math.FMA(u[6], v[6], s6)
			s7 = math.FMA(u[7], v[7], s7)
		}
		sums[r] = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}
