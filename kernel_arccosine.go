// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// ArcCosine is the arc-cosine kernel of order n (Cho and Saul 2009),
//
//	k(x, y) = (1/π)·‖x‖ⁿ‖y‖ⁿ·Jₙ(θ),  Jₙ(θ) = n!·∫₀^{π−θ} (cos θ + cos ψ)ⁿ dψ,
//
// θ being the angle between x and y: J₀ = π − θ, J₁ = sin θ + (π − θ)·cos θ and
// J₂ = 3·sin θ·cos θ + (π − θ)(1 + 2·cos²θ). It is 2·E Θ(w·x)Θ(w·y)(w·x)ⁿ(w·y)ⁿ for a standard normal w and
// the step function Θ: the kernel of infinitely many random neurons with the activation √2·Θ(t)·tⁿ, a step,
// a ReLU or a squared ReLU, on points of any norm. (On unit vectors orders 0 and 1 are Dot(StepDual{}) and
// Dot(ReLUDual{}).) New maps it by such neurons.
//
// At x = 0 there is no angle: the kernel is 0 there, also for order 0, with Θ(0) = 0.
type ArcCosine struct {
	Order int // n: 0, 1 or 2
}

// Eval returns the kernel. The angle is computed from x/‖x‖ and y/‖y‖ (Kahan 2006, section 12), which
// keeps its digits where ⟨x, y⟩ is near ‖x‖‖y‖, and allows x and y of any size.
func (k ArcCosine) Eval(x, y []float64) float64 { return arcCosine(k.Order, x, y) }

// pairwise takes sin θ and cos θ of the chords: these are 2 − 2·cos θ and −2 − 2·cos θ.
func (k ArcCosine) pairwise() (f matrix.Function, ok bool) {
	return matrix.Function{
		Measure:  gram.Measure{Of: gram.Chords},
		Function: gram.WithSlope{Function: gram.Angular{Order: k.Order}, Slope: gram.Each(k.slopeOfChord)},
		Weight: func(x []float64) float64 {
			r := gram.Norm(x)
			if k.Order == 0 && r > 0 {
				return r / r
			}
			return r
		},
		Gradient: func(dst, x []float64) {
			clear(dst)
			if r := gram.Norm(x); k.Order > 0 && r > 0 {
				for i, v := range x {
					dst[i] = v / r
				}
			}
		},
		Power: max(k.Order, 1),
	}, k.Order >= 0 && k.Order <= 2
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

// slopeOfChord returns the derivative of Jₙ(θ)/π by a chord, −½ of that by cos θ. Of order 0 it is infinite for points in the same
// direction, and opposite ones, and taken to be 0 there.
func (k ArcCosine) slopeOfChord(c float64) float64 {
	a, sin, cos := anglesOfChord(c)
	switch {
	case k.Order == 1:
		return -0.5 * a / math.Pi
	case k.Order == 2:
		return -2 * (sin + float64(a*cos)) / math.Pi
	case sin == 0:
		return 0
	}
	return -0.5 / (math.Pi * sin)
}

func (k ArcCosine) validate(int) error {
	if k.Order < 0 || k.Order > 2 {
		return fmt.Errorf("featuremap: ArcCosine Order = %d: must be 0, 1 or 2", k.Order)
	}
	return nil
}

// String returns the Go expression that makes the kernel.
func (k ArcCosine) String() string { return gosyntax.Of(k) }

// arcCosine returns the kernel of order n = 0, 1, 2 or 4.
func arcCosine(n int, x, y []float64) float64 {
	arith.SameLength(x, y)
	r, s := floats.Norm(x, 2), floats.Norm(y, 2) // no overflow or underflow on the way
	switch {
	case math.IsNaN(r) || math.IsNaN(s):
		return math.NaN()
	case r == 0 || s == 0:
		return 0
	}
	return arcCosineAt(n, r*s, oppositeAngle(x, y, r, s))
}

// arcCosineAt returns the kernel of order n for points at an angle π − a whose norms have the product rs.
func arcCosineAt(n int, rs, a float64) float64 {
	return math.Pow(rs, float64(n)) * arcCosineAngular(n, a) / math.Pi
}

// oppositeAngle returns π − θ for the angle θ between points of norms r and s.
func oppositeAngle(x, y []float64, r, s float64) float64 {
	var difference, sum float64
	for i, v := range x {
		a, b := v/r, y[i]/s
		difference += (a - b) * (a - b)
		sum += (a + b) * (a + b)
	}
	return 2 * math.Atan2(math.Sqrt(sum), math.Sqrt(difference))
}

// arcCosineAngular returns Jₙ(π − a).
func arcCosineAngular(n int, a float64) float64 {
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

// neuronMoment returns 2k₂ₙ(x, y), the mean square of the product of a neuron's values at x and y.
func (k ArcCosine) neuronMoment(x, y []float64) float64 { return 2 * arcCosine(2*k.Order, x, y) }

// neuron returns the activation √2·Θ(t)·tⁿ.
func (k ArcCosine) neuron() projection.Activation {
	return [...]projection.Activation{projection.Step, projection.ReLU, projection.SquaredReLU}[k.Order]
}
