// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/fma"
)

// sinTurns holds the odd polynomial S(s) ≈ sin(2πs), |s| ≤ ¼, as the coefficients of s, s³, …, s⁹, multiplied by the
// scale of the outputs.
type sinTurns [5]float32

// minimax is the polynomial for scale 1: a minimax fit on |s| ≤ ¼, within 3.4e-9.
var minimax = [5]float64{
	0x1.921fb4a652ff6p+2, -0x1.4abbb5a213966p+5, 0x1.46676d9c9e1bbp+6, -0x1.3232fa21347dep+6, 0x1.3c4b2c8d37b60p+5,
}

// likeness has in row i the coefficients of the polynomial in the higher powers of s that is most like s^(2i+1) on |s|
// ≤ ¼. With it, what rounding adds to a coefficient is subtracted from the others. They are minimax fits.
var likeness = [4][]float64{
	{213.33257789258465, -12287.943614655427, 262142.74417552655, -1864126.4442991118},
	{83.4423895396167, -2095.1702621990516, 16352.40862637608},
	{41.19441491746951, -408.9805607809453},
	{17.15580872927261},
}

func scaledSinTurns(scale float64) (c sinTurns) {
	exact := minimax
	for i := range exact {
		exact[i] *= scale
	}
	for i := range exact {
		c[i] = float32(exact[i])
		added := float64(c[i]) - exact[i]
		if i < len(likeness) {
			for j, like := range likeness[i] {
				exact[i+1+j] -= float64(added * like)
			}
		}
	}
	return c
}

// phaseTable is the data that kernels need to compute cosines.
type phaseTable struct {
	coeffs sinTurns

	// wide holds each coefficient, then ¼ and the sign bit, each repeated 16 times: a register of the
	// widest tier.
	wide []float32
}

func newPhaseTable(scale float64) phaseTable {
	const lanes = 16
	c := scaledSinTurns(scale)
	t := phaseTable{coeffs: c, wide: aligned((len(c) + 2) * lanes)}
	for i, v := range append(c[:], 0.25, float32(math.Copysign(0, -1))) {
		for l := range lanes {
			t.wide[i*lanes+l] = v
		}
	}
	return t
}

// at returns S(s).
func (c *sinTurns) at(s float32) float32 {
	u := float32(s * s)
	p := c[4]
	p = fma.Float32(p, u, c[3])
	p = fma.Float32(p, u, c[2])
	p = fma.Float32(p, u, c[1])
	p = fma.Float32(p, u, c[0])
	return float32(p * s)
}

// reduced returns t − rint(t), the phase in turns within [−½, ½], exactly: NaN at ±Inf and NaN.
func reduced(t float32) float32 { return t - float32(math.RoundToEven(float64(t))) }

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// cos returns scale·cos(2πt) = scale·sin(2π(¼ − |r|)), where r is the reduced phase.
func (c *sinTurns) cos(t float32) float32 { return c.at(0.25 - abs(reduced(t))) }

// cosSin returns scale·cos(2πt) and scale·sin(2πt) from one reduction: sin(2πr) has the sign of r and the size
// sin(2π(¼ − ||r| − ¼|)).
func (c *sinTurns) cosSin(t float32) (cos, sin float32) {
	r := reduced(t)
	s := 0.25 - abs(r)
	size := c.at(0.25 - abs(s))
	return c.at(s), math.Float32frombits(math.Float32bits(size) | math.Float32bits(r)&(1<<31))
}
