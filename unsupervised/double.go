// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import "math"

// A double is high + low, a number with twice the digits of float64 (Dekker 1971, "A floating-point technique for extending the
// available precision"; Knuth's sum of two numbers). Its operations have the same bits on every machine.
type double struct{ high, low float64 }

// plus returns a + v.
func (a double) plus(v float64) double {
	sum, rest := twoSum(a.high, v)
	return renormalized(sum, rest+a.low)
}

// add returns a + b.
func (a double) add(b double) double {
	sum, rest := twoSum(a.high, b.high)
	return renormalized(sum, rest+(a.low+b.low))
}

// negative returns −a.
func (a double) negative() double { return double{-a.high, -a.low} }

// over returns a/n.
func (a double) over(n float64) double {
	q := a.high / n
	return renormalized(q, (math.FMA(-q, n, a.high)+a.low)/n)
}

// square returns a².
func (a double) square() double {
	p := float64(a.high * a.high)
	return renormalized(p, math.FMA(a.high, a.high, -p)+float64(float64(2*a.high)*a.low))
}

// twoSum returns a + b rounded, and the rest of it.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	part := sum - a
	return sum, (a - (sum - part)) + (b - part)
}

// renormalized returns high + low, where low is small compared with high.
func renormalized(high, low float64) double {
	sum := high + low
	return double{sum, low - (sum - high)}
}

// squaredNorm returns ‖v‖².
func squaredNorm(v []float64) (sum double) {
	for _, w := range v {
		p := float64(w * w)
		high, rest := twoSum(sum.high, p)
		sum.high, sum.low = high, sum.low+(rest+math.FMA(w, w, -p))
	}
	return renormalized(sum.high, sum.low)
}
