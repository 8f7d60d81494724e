// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package convolve has the inner loops of random convolutions of series. A convolution kernel has nine taps, at a
// distance d (its dilation) from each other. The loops compute sums of nine values, counts above limits, and which of
// eight kernels responds most and least. Results have the same bits on every machine.
//
// Slices are read and set up to the next multiple of 8 elements: see Room. Elements beyond the end may have any values
// and do not change results.
package convolve

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

const (
	Taps   = 9 // of a kernel
	Group  = 8 // kernels that respond together
	Limits = 4 // limits that are counted together

	lanes = 8 // values that go together
)

// Room returns the length that a slice of n elements must have.
func Room(n int) int { return (n + lanes - 1) &^ (lanes - 1) }

// tails lists, for 0 to 7 values beyond whole vectors, the lanes that they take.
var tails = func() (masks [lanes][lanes]int64) {
	for n := range masks {
		for i := range n {
			masks[n][i] = -1
		}
	}
	return masks
}()

// Sums sets dst[p], for p < n, to x[p] + x[p+d] + … + x[p+8d], added in this order.
func Sums(t tier.Tier, dst, x []float64, n, d int) {
	dst, x = dst[:Room(n)], x[:(Taps-1)*d+Room(n)]
	if t != tier.Plain {
		sumsAssembly(t, dst, x, d)
		return
	}
	for p := range dst[:n] {
		s := x[p]
		for j := 1; j < Taps; j++ {
			s += x[p+j*d]
		}
		dst[p] = s
	}
}

// Pairs sets dst[p], for p < n, to (a[p] + b[p]) − s[p].
func Pairs(t tier.Tier, dst, a, b, s []float64, n int) {
	room := Room(n)
	dst, a, b, s = dst[:room], a[:room], b[:room], s[:room]
	if t != tier.Plain {
		pairsAssembly(t, dst, a, b, s)
		return
	}
	for p := range dst[:n] {
		dst[p] = (a[p] + b[p]) - s[p]
	}
}

// Count sets counts[i] to the number of p < n with a[p] + b[p] > limits[i]. The number of limits is a multiple of
// Limits.
func Count(t tier.Tier, counts []int64, a, b []float64, n int, limits []float64) {
	a, b, counts = a[:Room(n)], b[:Room(n)], counts[:len(limits)]
	if len(limits)%Limits != 0 {
		panic("convolve: limits are not in fours")
	}
	if len(limits) == 0 || n == 0 {
		clear(counts)
		return
	}
	if t != tier.Plain {
		countAssembly(t, counts, a, b, n, limits)
		return
	}
	for ; len(limits) > 0; counts, limits = counts[Limits:], limits[Limits:] {
		l0, l1, l2, l3 := limits[0], limits[1], limits[2], limits[3]
		var c0, c1, c2, c3 int64
		for p, v := range a[:n] {
			v += b[p]
			if v > l0 {
				c0++
			}
			if v > l1 {
				c1++
			}
			if v > l2 {
				c2++
			}
			if v > l3 {
				c3++
			}
		}
		counts[0], counts[1], counts[2], counts[3] = c0, c1, c2, c3
	}
}

// Weights are the taps of a group of kernels: element Group·j + k is tap j of kernel k.
type Weights [Taps * Group]float64

// Responses tell which kernels of a group respond most and least, over the positions of a series.
type Responses struct {
	Most  [Group]float64 // for each kernel the sum of its responses at the positions where it is the first of the largest
	Least [Group]float64 // for each kernel the number of positions where it is the first of the smallest

	sums   [Group][lanes]float64 // of Most, over each eighth position
	counts [Group][lanes]int64
}

// Of sets the responses at the positions p < n, where kernel k has the response starts[k] + Σⱼ wⱼₖ·x[p+j·d], by fused
// multiply-adds from j = 0 on. Each sum is made of eight, over every eighth position. Values of x must be finite.
func (r *Responses) Of(t tier.Tier, x []float64, n, d int, w *Weights, starts *[Group]float64) {
	x = x[:(Taps-1)*d+Room(n)]
	r.sums, r.counts = [Group][lanes]float64{}, [Group][lanes]int64{}
	if t != tier.Plain {
		respondAssembly(t, r, x, n, d, w, starts)
	} else {
		r.respond(x, n, d, w, starts)
	}
	for k := range Group {
		s, c := &r.sums[k], &r.counts[k]
		r.Most[k] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
		r.Least[k] = float64(c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + c[6] + c[7])
	}
}

// respond adds up the responses in plain Go.
func (r *Responses) respond(x []float64, n, d int, w *Weights, starts *[Group]float64) {
	for p := range n {
		v := *starts
		for j := range Taps {
			at, of := x[p+j*d], w[Group*j:][:Group]
			for k, weight := range of {
				v[k] = math.FMA(at, weight, v[k])
			}
		}
		most, least := 0, 0
		for k := 1; k < Group; k++ {
			if v[k] > v[most] {
				most = k
			}
			if v[k] < v[least] {
				least = k
			}
		}
		r.sums[most][p%lanes] += v[most]
		r.counts[least][p%lanes]++
	}
}
