// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// A neuronsPullback is the derivative of Neurons.
type neuronsPullback struct {
	Neurons
	back *Projection // Ωᵀ
}

func (n Neurons) pullback() (partPullback, bool) { return &neuronsPullback{n, n.transposed(1)}, true }

func (n *neuronsPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	slopes := matrixIn(&b.features, x.Rows, n.forms)
	n.blockThen(slopes, x, 0, n.panels(), b.buf, func(row, end, first, last int) {
		for ; row < end; row++ {
			forms, up := slopes.Data[row*n.forms:][:n.forms], g.Data[row*g.Stride+n.At:]
			down := g.Data[row*g.Stride+n.At-n.Opposite:]
			for i := first; i < last; i++ {
				t := forms[i]
				slope := n.Activation.Slope(t) * up[i]
				if i < n.Opposite {
					slope = float64(slope) - float64(n.Activation.Slope(-t)*down[i])
				}
				forms[i] = n.Scale * slope
			}
		}
	})
	n.back.add(dst, slopes, b)
}

// Slope returns the derivative of the activation at t. At 0, where Sign, Abs, Step and ReLU have no derivative, it
// returns 0: for |t| this is halfway between the slopes on both sides, and for ReLU the slope on the left. It is NaN if
// t is not finite.
func (a Activation) Slope(t float64) float64 {
	if rest := t - t; rest != 0 { // NaN
		return rest
	}
	switch {
	case a == SignedSquare:
		return 2 * math.Abs(t)
	case t == 0:
		return 0
	case a == Abs:
		return math.Copysign(1, t)
	case a == ReLU && t > 0:
		return math.Sqrt2
	case a == SquaredReLU && t > 0:
		return 2 * math.Sqrt2 * t
	}
	return 0
}
