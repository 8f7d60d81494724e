// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import "math"

// A Sloped is a Function that has a derivative.
type Sloped interface {
	Function

	// SlopeTo sets dst to the derivative at each of the elements of src, which must not be dst.
	SlopeTo(dst, src []float64)
}

// WithSlope is a function together with its derivative.
type WithSlope struct {
	Function
	Slope Function
}

// SlopeTo sets dst to the derivative.
func (f WithSlope) SlopeTo(dst, src []float64) { f.Slope.To(dst, src) }

// SlopeTo sets dst to 1.
func (Identity) SlopeTo(dst, _ []float64) {
	for i := range dst {
		dst[i] = 1
	}
}

// SlopeTo sets dst to Rate·exp(Rate·t + Shift).
func (f Exponential) SlopeTo(dst, src []float64) {
	f.To(dst, src)
	for i := range dst {
		dst[i] *= f.Rate
	}
}

// SlopeTo sets dst to the derivative with respect to t, (P′(z) − P(z))·e^{−z}·Scale/(2z). Where P′ − P is not 0 at z =
// 0, the derivative is infinite there, and dst is 0.
func (f Decay) SlopeTo(dst, src []float64) {
	n := len(f.Coefficients)
	rest := make([]float64, n) // of P − P′
	for k, a := range f.Coefficients {
		rest[k] = a
		if k+1 < n {
			rest[k] -= float64(k+1) * f.Coefficients[k+1]
		}
	}
	half := -0.5 * f.Scale
	if rest[0] == 0 {
		Decay{f.Scale, rest[1:]}.To(dst, src)
		for i := range dst {
			dst[i] *= half
		}
		return
	}
	Decay{f.Scale, rest}.To(dst, src)
	for i, t := range src {
		if z := math.Sqrt(f.Scale * t); z == 0 {
			dst[i] = 0
		} else {
			dst[i] = half * dst[i] / z
		}
	}
}

// SlopeTo sets dst to −Power·Rate·(1 + Rate·t)^{−Power−1}.
func (f Ratio) SlopeTo(dst, src []float64) {
	f.To(dst, src)
	for i, t := range src {
		dst[i] *= -f.Power * f.Rate / (1 + float64(f.Rate*t))
	}
}

var (
	_ Sloped = Identity{}
	_ Sloped = Exponential{}
	_ Sloped = Decay{}
	_ Sloped = Ratio{}
	_ Sloped = WithSlope{}
)
