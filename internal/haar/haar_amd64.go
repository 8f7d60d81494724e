// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package haar

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

//go:generate go run -C ../projection/_asm ./haar -out ../../haar/haar_amd64.s -stubs ../../haar/haar_stub_amd64.go -pkg haar

// reflectAssembly is reflect for a group of rows of x, which start d elements apart.
func reflectAssembly(t tier.Tier, x []float64, d int, v []float64) {
	var sums [together][8]float64
	var c [together]float64
	groups := len(v) / 8
	if t == tier.AVX512 {
		sums4AVX512(groups, &v[0], &x[0], 8*d, &sums[0][0])
	} else {
		sums4AVX2(groups, &v[0], &x[0], 8*d, &sums[0][0])
	}
	for r := range c {
		c[r] = -total(&sums[r], v, x[r*d:])
	}
	if t == tier.AVX512 {
		add4AVX512(groups, &v[0], &x[0], 8*d, &c[0])
	} else {
		add4AVX2(groups, &v[0], &x[0], 8*d, &c[0])
	}
	for r := range c {
		addPlain(x[r*d+8*groups:], v[8*groups:], c[r])
	}
}
