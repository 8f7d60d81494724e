// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package arccosine implements the arc-cosine kernels (Cho and Saul 2009) and the neurons behind them: a kernel is the
// mean of the product of a random neuron's values at two points.
package arccosine

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// An Order is the order n = 0, 1 or 2 of an arc-cosine kernel. Order 2n is also evaluated: it gives the moments of
// order n.
type Order int

// Function returns the kernel as a function of two chords: 2 − 2·cos θ and −2 − 2·cos θ.
func (n Order) Function() matrix.Function {
	return matrix.Function{
		Measure:  gram.Measure{Of: gram.Chords},
		Function: gram.WithSlope{Function: gram.Angular{Order: int(n)}, Slope: gram.Each(n.slopeOfChord)},
		Weight: func(x []float64) float64 {
			r := gram.Norm(x)
			if n == 0 && r > 0 {
				return r / r
			}
			return r
		},
		Gradient: func(dst, x []float64) {
			clear(dst)
			if r := gram.Norm(x); n > 0 && r > 0 {
				for i, v := range x {
					dst[i] = v / r
				}
			}
		},
		Power: max(int(n), 1),
	}
}

// anglesOfChord returns π − θ, sin θ and cos θ of a chord.
func anglesOfChord(c float64) (a, sin, cos float64) {
	difference, sum := c, 4-c
	if c <= 0 && math.Signbit(c) {
		difference, sum = 4+c, -c
	}
	s, d := math.Sqrt(sum), math.Sqrt(difference)
	return 2 * detmath.Atan2(s, d), 0.5 * float64(s*d), 0.25 * (sum - difference)
}

// slopeOfChord returns the derivative of Jₙ(θ)/π with respect to a chord, which is −½ times its derivative with respect
// to cos θ. For order 0 it is infinite where points have the same or opposite directions; there it returns 0.
func (n Order) slopeOfChord(c float64) float64 {
	a, sin, cos := anglesOfChord(c)
	switch {
	case n == 1:
		return -0.5 * a / math.Pi
	case n == 2:
		return -2 * (sin + float64(a*cos)) / math.Pi
	case sin == 0:
		return 0
	}
	return -0.5 / (math.Pi * sin)
}

// Eval returns the kernel of order n = 0, 1, 2 or 4.
func (n Order) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	r, s := floats.Norm(x, 2), floats.Norm(y, 2) // no overflow or underflow on the way
	switch {
	case math.IsNaN(r) || math.IsNaN(s):
		return math.NaN()
	case r == 0 || s == 0:
		return 0
	}
	return n.At(r*s, OppositeAngle(x, y, r, s))
}

// At returns the kernel for points at an angle π − a whose norms have the product rs.
func (n Order) At(rs, a float64) float64 {
	return math.Pow(rs, float64(n)) * n.angular(a) / math.Pi
}

// OppositeAngle returns π − θ for the angle θ between points of norms r and s.
func OppositeAngle(x, y []float64, r, s float64) float64 {
	var difference, sum float64
	for i, v := range x {
		a, b := v/r, y[i]/s
		difference += (a - b) * (a - b)
		sum += (a + b) * (a + b)
	}
	return 2 * math.Atan2(math.Sqrt(sum), math.Sqrt(difference))
}

// angular returns Jₙ(π − a).
func (n Order) angular(a float64) float64 {
	s, c := math.Sincos(a)
	c = -c // cos θ
	switch c2 := c * c; n {
	case 0:
		return a
	case 1:
		return s + a*c
	case 2:
		return 3*s*c + a*(1+2*c2)
	default:
		// The integrals of cos²ψ, cos³ψ and cos⁴ψ up to π − θ, where sin ψ = s and cos ψ = −c.
		i2 := (a - s*c) / 2
		i3 := s - s*s*s/3
		i4 := 3*a/8 - s*c/2 + (-2*s*c)*(2*c2-1)/16
		return 24 * (c2*c2*a + 4*c2*c*s + 6*c2*i2 + 4*c*i3 + i4)
	}
}

// Moment returns 2k₂ₙ(x, y), the mean square of the product of a neuron's values at x and y.
func (n Order) Moment(x, y []float64) float64 { return 2 * (2*n).Eval(x, y) }

// Neuron returns the activation √2·Θ(t)·tⁿ.
func (n Order) Neuron() projection.Activation {
	return [...]projection.Activation{projection.Step, projection.ReLU, projection.SquaredReLU}[n]
}

// Folded returns twice the part of Θ(t)tⁿ, odd or even, that has no exact features: sign t, |t| or t|t|.
func (n Order) Folded() projection.Activation {
	return [...]projection.Activation{projection.Sign, projection.Abs, projection.SignedSquare}[n]
}
