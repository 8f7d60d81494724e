// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Activation is a function of a form t. All are NaN if t is not finite.
type Activation int

// The assembly relies on these values.
const (
	Sign         Activation = iota // sign t, 0 at 0
	Abs                            // |t|
	SignedSquare                   // t|t|
	Step                           // √2·Θ(t), Θ(0) = 0
	ReLU                           // √2·max(t, 0)
	SquaredReLU                    // √2·max(t, 0)²
)

// Neurons are columns of a projection to which an activation is applied, times a scale.
type Neurons struct {
	Forms      // with the epilogue Store
	Activation Activation
	Scale      float64

	// Opposite is the number of columns just before At that hold the same for −t, of the first Opposite
	// forms.
	Opposite int
}

func (n Neurons) transform(dst, x blas64.General, b *stackBuffer) {
	n.transformPanels(dst, x, 0, n.panels(), b.buf)
}

func (n Neurons) transformPanels(dst, x blas64.General, lo, hi int, buf *buffer) {
	n.blockThen(from(dst, n.At), x, lo, hi, buf, func(row, end, first, last int) {
		n.finish(dst, row, end, first, last)
	})
}

// finish computes outputs from the forms [first, last) of the rows [row, end), whose values are in
// dst.
func (n Neurons) finish(dst blas64.General, row, end, first, last int) {
	opposite := min(last, n.Opposite)
	for ; row < end; row++ {
		forms := dst.Data[row*dst.Stride+n.At:][:n.forms]
		if first < opposite {
			to := dst.Data[row*dst.Stride+n.At-n.Opposite:][first:opposite]
			n.activate(to, forms[first:opposite], -n.Scale)
		}
		n.activate(forms[first:last], forms[first:last], n.Scale)
	}
}

// activate sets dst to the activations of t, or with a negative scale to those of −t, times the magnitude of the
// scale.
func (n Neurons) activate(dst, t []float64, scale float64) {
	done := 0
	if n.tier != tier.Plain {
		done = activateAssembly(n.tier, n.Activation, dst, t, scale)
	}
	activatePlain(n.Activation, dst[done:], t[done:], scale)
}

// activatePlain is activate in plain Go.
func activatePlain(a Activation, dst, t []float64, scale float64) {
	sign, scale := math.Copysign(1, scale), math.Abs(scale)
	for i, v := range t {
		dst[i] = scale * a.At(sign*v)
	}
}

// At returns the activation of t.
func (a Activation) At(t float64) float64 {
	if rest := t - t; rest != 0 { // NaN
		return rest
	}
	positive := 0.0
	if t > 0 {
		positive = t
	}
	switch a {
	case Abs:
		return math.Abs(t)
	case SignedSquare:
		return t * math.Abs(t)
	case ReLU:
		return math.Sqrt2 * positive
	case SquaredReLU:
		return math.Sqrt2 * float64(positive*positive)
	}
	if t == 0 || a == Step && t < 0 {
		return 0
	}
	if a == Step {
		return math.Sqrt2
	}
	return math.Copysign(1, t)
}
