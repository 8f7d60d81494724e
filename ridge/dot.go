// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import "math"

// dot returns ⟨a, b⟩ as eight chains of fused multiply-adds, of the products k, k+8, k+16, …, added up in a fixed order.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	whole := len(a) &^ 7
	for k := 0; k < whole; k += 8 {
		u, v := (*[8]float64)(a[k:]), (*[8]float64)(b[k:])
		s0 = math.FMA(u[0], v[0], s0)
		s1 = math.FMA(u[1], v[1], s1)
		s2 = math.FMA(u[2], v[2], s2)
		s3 = math.FMA(u[3], v[3], s3)
		s4 = math.FMA(u[4], v[4], s4)
		s5 = math.FMA(u[5], v[5], s5)
		s6 = math.FMA(u[6], v[6], s6)
		s7 = math.FMA(u[7], v[7], s7)
	}
	s := [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	for k := whole; k < len(a); k++ {
		s[k-whole] = math.FMA(a[k], b[k], s[k-whole])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
