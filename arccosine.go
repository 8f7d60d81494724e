// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
)

// ArcCosine is the arc-cosine kernel of order n (Cho and Saul 2009),
//
//	k(x, y) = (1/π)·‖x‖ⁿ‖y‖ⁿ·Jₙ(θ),  Jₙ(θ) = n!·∫₀^{π−θ} (cos θ + cos ψ)ⁿ dψ,
//
// θ being the angle between x and y: J₀ = π − θ, J₁ = sin θ + (π − θ)·cos θ and
// J₂ = 3·sin θ·cos θ + (π − θ)(1 + 2·cos²θ). It is 2·E Θ(w·x)Θ(w·y)(w·x)ⁿ(w·y)ⁿ for a standard
// normal w and the step function Θ: the kernel of infinitely many random neurons with the
// activation √2·Θ(t)·tⁿ, a step, a ReLU or a squared ReLU, on points of any norm. (On unit
// vectors orders 0 and 1 are Dot(StepDual{}) and Dot(ReLUDual{}).) Its map, by New, is such
// neurons.
//
// At x = 0 there is no angle: there the kernel is 0, of order 0 too, with Θ(0) = 0.
type ArcCosine struct {
	Order int // n: 0, 1 or 2
}

// Eval returns the kernel.
func (k ArcCosine) Eval(x, y []float64) float64 {
	return arcCosine(k.Order, inner(x, x), inner(y, y), inner(x, y))
}

func (k ArcCosine) validate(int) error {
	if k.Order < 0 || k.Order > 2 {
		return fmt.Errorf("featuremap: ArcCosine Order = %d: must be 0, 1 or 2", k.Order)
	}
	return nil
}

// arcCosine returns the kernel of order n ≤ 4 from ‖x‖², ‖y‖² and ⟨x, y⟩.
func arcCosine(n int, xx, yy, xy float64) float64 {
	norms := math.Sqrt(xx) * math.Sqrt(yy)
	switch {
	case math.IsNaN(xy):
		return xy
	case norms == 0:
		return 0
	}
	c := max(-1, min(xy/norms, 1))
	s := sine(c)
	a := angle(c)
	var j float64
	switch c2 := c * c; n {
	case 0:
		j = a
	case 1:
		j = s + a*c
	case 2:
		j = 3*s*c + a*(1+2*c2)
	default:
		// The integrals of cos²ψ, cos³ψ and cos⁴ψ up to π − θ, where sin ψ = s and cos ψ = −c.
		i2 := (a - s*c) / 2
		i3 := s - s*s*s/3
		i4 := 3*a/8 - s*c/2 + (-2*s*c)*(2*c2-1)/16
		j = 24 * (c2*c2*a + 4*c2*c*s + 6*c2*i2 + 4*c*i3 + i4)
	}
	return math.Pow(norms, float64(n)) * j / math.Pi
}

// neuronMoment returns the mean square of a neuron's product at x and y, 2k_{2n}: that of
// 2·Θ(u)Θ(v)uⁿvⁿ.
func (k ArcCosine) neuronMoment(x, y []float64) float64 {
	return 2 * arcCosine(2*k.Order, inner(x, x), inner(y, y), inner(x, y))
}

// neuron returns √2·Θ(t)·tⁿ, and NaN where t is not finite.
func (k ArcCosine) neuron(t float64) float64 {
	switch {
	case math.IsNaN(t - t):
		return t - t
	case t <= 0:
		return 0
	case k.Order == 0:
		return math.Sqrt2
	case k.Order == 1:
		return math.Sqrt2 * t
	}
	return math.Sqrt2 * float64(t*t)
}
