// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "math"

// sinTurns holds the odd polynomial S(s) ≈ sin(2πs), |s| ≤ ¼, as the coefficients of s, s³, …, s¹⁷,
// multiplied by the scale of the outputs.
type sinTurns [9]float64

// unitSinTurns is the polynomial for scale 1, a minimax fit on |s| ≤ ¼. Its cosine and sine are
// within 3e-16 of the exact values for the rounded phase.
var unitSinTurns = sinTurns{
	0x1.921fb54442d18p+2, -0x1.4abbce625be51p+5, 0x1.466bc6775a9f8p+6,
	-0x1.32d2cce62484fp+6, 0x1.50783483f57a3p+5, -0x1.e3074d56761a9p+3,
	0x1.e8f33b15683b5p+1, -0x1.6f747a307ae5ep-1, 0x1.9c879a1c15ddcp-4,
}

func scaledSinTurns(scale float64) sinTurns {
	c := unitSinTurns
	for i := range c {
		c[i] *= scale
	}
	return c
}

// phaseTable is the data that kernels need to compute cosines.
type phaseTable struct {
	coeffs sinTurns
	scale  float64

	// wide holds each coefficient, then ¼ and the sign bit, each repeated eight times: a register
	// of the widest tier.
	wide []float64
}

func newPhaseTable(scale float64) phaseTable {
	const lanes = 8
	c := scaledSinTurns(scale)
	t := phaseTable{coeffs: c, scale: scale, wide: aligned((len(c) + 2) * lanes)}
	for i, v := range append(c[:], 0.25, math.Copysign(0, -1)) {
		for l := range lanes {
			t.wide[i*lanes+l] = v
		}
	}
	return t
}

// at returns S(s).
func (c *sinTurns) at(s float64) float64 {
	u := float64(s * s)
	p := c[8]
	p = math.FMA(p, u, c[7])
	p = math.FMA(p, u, c[6])
	p = math.FMA(p, u, c[5])
	p = math.FMA(p, u, c[4])
	p = math.FMA(p, u, c[3])
	p = math.FMA(p, u, c[2])
	p = math.FMA(p, u, c[1])
	p = math.FMA(p, u, c[0])
	return float64(p * s)
}

// cos returns scale·cos(2πt). The reduction is exact: r = t − rint(t) is the phase in turns within
// [−½, ½], and cos(2πr) = sin(2π(¼ − |r|)). At ±Inf and NaN, r and the result are NaN.
func (c *sinTurns) cos(t float64) float64 {
	r := t - math.RoundToEven(t)
	return c.at(0.25 - math.Abs(r))
}

// cosSin returns scale·cos(2πt) and scale·sin(2πt) from one reduction:
// sin(2πr) has the sign of r and the size sin(2π(¼ − ||r| − ¼|)).
func (c *sinTurns) cosSin(t float64) (cos, sin float64) {
	r := t - math.RoundToEven(t)
	s := 0.25 - math.Abs(r)
	return c.at(s), math.Copysign(c.at(0.25-math.Abs(s)), r)
}
