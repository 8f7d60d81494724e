// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package convolve

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

//go:generate go run -C ../projection/_asm ./convolve -out ../../convolve/convolve_amd64.s -stubs ../../convolve/convolve_stub_amd64.go -pkg convolve

func sumsAssembly(t tier.Tier, dst, x []float64, d int) {
	if len(dst) == 0 {
		return
	}
	if t == tier.AVX512 {
		sumsAVX512(len(dst)/lanes, &dst[0], &x[0], 8*d)
	} else {
		sumsAVX2(len(dst)/lanes, &dst[0], &x[0], 8*d)
	}
}

func pairsAssembly(t tier.Tier, dst, a, b, s []float64) {
	if len(dst) == 0 {
		return
	}
	if t == tier.AVX512 {
		pairsAVX512(len(dst)/lanes, &dst[0], &a[0], &b[0], &s[0])
	} else {
		pairsAVX2(len(dst)/lanes, &dst[0], &a[0], &b[0], &s[0])
	}
}

func countAssembly(t tier.Tier, counts []int64, a, b []float64, n int, limits []float64) {
	if t == tier.AVX512 {
		countAVX512(len(limits)/Limits, &counts[0], &limits[0], n/lanes, &a[0], &b[0], &tails[n%lanes][0])
	} else {
		countAVX2(len(limits)/Limits, &counts[0], &limits[0], n/lanes, &a[0], &b[0], &tails[n%lanes][0])
	}
}

func respondAssembly(t tier.Tier, r *Responses, x []float64, n, d int, w *Weights, starts *[Group]float64) {
	if n == 0 {
		return
	}
	if t == tier.AVX512 {
		respondAVX512(n/lanes, &x[0], 8*d, &w[0], &starts[0], &r.sums[0][0], &r.counts[0][0], &tails[n%lanes][0])
	} else {
		respondAVX2(n/lanes, &x[0], 8*d, &w[0], &starts[0], &r.sums[0][0], &r.counts[0][0], &tails[n%lanes][0])
	}
}
