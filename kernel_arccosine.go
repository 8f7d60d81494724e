// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"github.com/seed-0f95ebc1/featuremap/internal/arccosine"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
)

// ArcCosine is the arc-cosine kernel of order n (Cho and Saul 2009),
//
//	k(x, y) = (1/π)·‖x‖ⁿ‖y‖ⁿ·Jₙ(θ),  Jₙ(θ) = n!·∫₀^{π−θ} (cos θ + cos ψ)ⁿ dψ,
//
// where θ is the angle between x and y: J₀ = π − θ, J₁ = sin θ + (π − θ)·cos θ and J₂ = 3·sin θ·cos θ + (π − θ)(1 +
// 2·cos²θ).
//
// It is the kernel of infinitely many random neurons with the activation √2·Θ(t)·tⁿ, a step, a ReLU or a squared ReLU,
// on points of any norm: k(x, y) = 2·E Θ(w·x)Θ(w·y)(w·x)ⁿ(w·y)ⁿ for a standard normal w and the step function Θ. New
// maps it by such neurons. On unit vectors, orders 0 and 1 are Dot(StepDual{}) and Dot(ReLUDual{}).
//
// At x = 0 there is no angle, and the kernel is 0, also for order 0, with Θ(0) = 0.
type ArcCosine struct {
	Order int // n: 0, 1 or 2
}

// Eval returns the kernel. It computes the angle from x/‖x‖ and y/‖y‖ (Kahan 2006, section 12). This keeps the digits
// where ⟨x, y⟩ is near ‖x‖‖y‖, and allows x and y of any size.
func (k ArcCosine) Eval(x, y []float64) float64 { return arccosine.Order(k.Order).Eval(x, y) }

func (k ArcCosine) pairwise() (f matrix.Function, ok bool) {
	return arccosine.Order(k.Order).Function(), k.Order >= 0 && k.Order <= 2
}

func (k ArcCosine) validate(int) error {
	if k.Order < 0 || k.Order > 2 {
		return fmt.Errorf("featuremap: ArcCosine Order = %d: must be 0, 1 or 2", k.Order)
	}
	return nil
}

// String returns the Go expression that makes the kernel.
func (k ArcCosine) String() string { return gosyntax.Of(k) }
