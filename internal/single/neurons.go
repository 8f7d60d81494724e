// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/blocking"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Activation is a function of a form t, as in package projection, with the same values. All are NaN if t is not
// finite.
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
	Scale      float32

	// Opposite is the number of columns just before At that hold the same for −t, of the first Opposite
	// forms.
	Opposite int
}

func (n Neurons) transform(dst, x blas32.General, b *buffer) {
	n.transformPanels(dst, x, 0, n.panels(), b)
}

// transformPanels processes a strip of rows at a time, whose forms are still in the cache when they
// become outputs.
func (n Neurons) transformPanels(dst, x blas32.General, lo, hi int, b *buffer) {
	width := n.shape.width
	group := blocking.Group(width, n.shape.blockWeights, n.coordsTogether())
	for ; lo < hi; lo += group {
		end := min(lo+group, hi)
		first, last := lo*width, min(end*width, n.forms)
		for row := 0; row < x.Rows; row += activatedRows {
			to := rowRange(dst, row, min(row+activatedRows, x.Rows))
			n.block(from(to, n.At), rowRange(x, row, row+to.Rows), lo, end, &b.tiles)
			for i := range to.Rows {
				n.finish(to.Data[i*to.Stride:], first, last)
			}
		}
	}
}

// activatedRows is the number of rows to which an activation is applied together.
const activatedRows = 16

// finish computes outputs from the forms [first, last) of a row, whose values are in it.
func (n Neurons) finish(row []float32, first, last int) {
	forms := row[n.At:][:n.forms]
	if opposite := min(last, n.Opposite); first < opposite {
		n.activate(row[n.At-n.Opposite:][first:opposite], forms[first:opposite], -n.Scale)
	}
	n.activate(forms[first:last], forms[first:last], n.Scale)
}

// activate sets dst to the activations of t, or with a negative scale to those of −t, times the magnitude of the
// scale.
func (n Neurons) activate(dst, t []float32, scale float32) {
	done := 0
	if n.tier != tier.Plain {
		done = activateAssembly(n.tier, n.Activation, dst, t, scale)
	}
	activatePlain(n.Activation, dst[done:], t[done:], scale)
}

// activatePlain is activate in plain Go.
func activatePlain(a Activation, dst, t []float32, scale float32) {
	sign, scale := math.Float32bits(scale)&(1<<31), abs(scale)
	for i, v := range t {
		dst[i] = scale * a.at(math.Float32frombits(math.Float32bits(v)^sign))
	}
}

// at returns the activation of t.
func (a Activation) at(t float32) float32 {
	if rest := t - t; rest != 0 { // NaN
		return rest
	}
	positive := max(t, 0)
	switch a {
	case Abs:
		return abs(t)
	case SignedSquare:
		return float32(t * abs(t))
	case ReLU:
		return float32(math.Sqrt2 * positive)
	case SquaredReLU:
		return float32(math.Sqrt2 * float32(positive*positive))
	}
	switch {
	case t == 0 || a == Step && t < 0:
		return 0
	case a == Step:
		return math.Sqrt2
	case t < 0:
		return -1
	}
	return 1
}
