// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package slabs

import "math"

// lessPlain subtracts c from the first 8·groups columns of rows of z.
func lessPlain(rows, groups int, z []float64, stride int, c []float64) {
	for i := range rows {
		row := z[i*stride:][:8*groups]
		for k, v := range c[:8*groups] {
			row[k] -= v
		}
	}
}

// forwardPlain adds the products of a row of z and some vectors, the rows of w, to sums: eight chains for each vector.
func forwardPlain(vectors, groups int, z, w []float64, wStride int, sums []float64) {
	for t := range vectors {
		s := (*[8]float64)(sums[8*t:])
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		row := w[t*wStride:]
		for k := 0; k < 8*groups; k += 8 {
			a, b := (*[8]float64)(z[k:]), (*[8]float64)(row[k:])
			s0 = math.FMA(a[0], b[0], s0)
			s1 = math.FMA(a[1], b[1], s1)
			s2 = math.FMA(a[2], b[2], s2)
			s3 = math.FMA(a[3], b[3], s3)
			s4 = math.FMA(a[4], b[4], s4)
			s5 = math.FMA(a[5], b[5], s5)
			s6 = math.FMA(a[6], b[6], s6)
			s7 = math.FMA(a[7], b[7], s7)
		}
		*s = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// backwardPlain adds the rows of z, with the coefficients of u, to some vectors, the rows of g, in tiles of eight
// columns:
//
//	g[t][k] += Σ u[i][t]·z[i][k], i = 0, 1, …
func backwardPlain(vectors, tiles, rows int, z []float64, stride int, u []float64, uStride int, g []float64, gStride int) {
	for t := range vectors {
		for k := range tiles {
			to := (*[8]float64)(g[t*gStride+8*k:])
			s0, s1, s2, s3, s4, s5, s6, s7 := to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7]
			for i := range rows {
				v, a := u[i*uStride+t], (*[8]float64)(z[i*stride+8*k:])
				s0 = math.FMA(v, a[0], s0)
				s1 = math.FMA(v, a[1], s1)
				s2 = math.FMA(v, a[2], s2)
				s3 = math.FMA(v, a[3], s3)
				s4 = math.FMA(v, a[4], s4)
				s5 = math.FMA(v, a[5], s5)
				s6 = math.FMA(v, a[6], s6)
				s7 = math.FMA(v, a[7], s7)
			}
			*to = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
		}
	}
}
