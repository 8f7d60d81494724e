// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package projection computes Ωx + b for many x at once, and what follows from it,
// in one pass and in one set of bits.
//
// Each output is one chain of fused multiply-adds in the order of the
// coordinates, starting at the bias, then a fixed sequence of operations (see
// sinTurns). So a result depends neither on the number of rows that are
// transformed together, nor on their layout, nor on the number of goroutines, nor
// on the machine. This is why the product is not gonum's Mul, whose kernels sum in
// different orders on different architectures, and which cannot take the cosine
// while the tile is in registers.
//
// The weights never change, so they are packed once, into panels as wide as the
// registers of the tier (see package tier). A kernel takes a strip of a few rows
// over a number of panels; plain Go's is the specification (plain.go), and assembly
// equals it to the last bit. The rest (transform.go) is blocking for the caches and
// sharing out over goroutines.
//
// Package projection knows nothing of kernels in the other sense: it takes forms and
// biases in turns (1 turn = 2π radians).
package projection

import (
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// An Epilogue is what is done to t = Ωx + b, form by form.
type Epilogue int

// The assembly knows these by their values.
const (
	Store    Epilogue = iota // t
	Cos                      // scale·cos(2πt), one column a form
	CosSin                   // the cosines of all forms, then the sines of all forms
	Multiply                 // t times what is in the destination
)

// String returns the name of the epilogue.
func (e Epilogue) String() string {
	return [...]string{"Store", "Cos", "CosSin", "Multiply"}[e]
}

// A Projection is a matrix of linear forms Ω and a bias b with an epilogue. The
// zero value is of no use; use New, and Set for each form. It is safe for
// concurrent use once all forms are set.
type Projection struct {
	forms, in int
	epilogue  Epilogue
	tier      tier.Tier
	shape     shape
	table     phaseTable

	// packed holds the forms by panels of shape.width, each panel stored as the
	// biases, then the weights of coordinate 0, of coordinate 1, … The last panel is
	// padded with zeros.
	packed []float64

	// callCoords is the largest number of coordinates in one call of a kernel.
	callCoords int
}

// New returns a projection of R^in by the given number of forms, all zero, in the
// best tier there is. Cosines and sines are multiplied by scale ≥ 0, which the other
// epilogues ignore.
func New(forms, in int, e Epilogue, scale float64) *Projection {
	return newIn(tier.Best(), forms, in, e, scale)
}

// newIn returns a projection in the instructions of a tier.
func newIn(t tier.Tier, forms, in int, e Epilogue, scale float64) *Projection {
	p := &Projection{
		forms:      forms,
		in:         in,
		epilogue:   e,
		tier:       t,
		shape:      shapes[t],
		table:      newPhaseTable(scale),
		callCoords: maxCallCoords,
	}
	p.packed = aligned(p.panels() * p.panelSize())
	return p
}

// Set makes form i x ↦ w·x + b, in turns.
func (p *Projection) Set(i int, w []float64, b float64) {
	width := p.shape.width
	panel := p.packed[i/width*p.panelSize():]
	lane := i % width
	panel[lane] = b
	for k, v := range w[:p.in] {
		panel[(k+1)*width+lane] = v
	}
}

// panels returns the number of panels, the padded one included.
func (p *Projection) panels() int { return (p.forms-1)/p.shape.width + 1 }

// panelSize returns the number of elements in a panel.
func (p *Projection) panelSize() int { return (p.in + 1) * p.shape.width }

// outputs returns the number of columns of the destination.
func (p *Projection) outputs() int {
	if p.epilogue == CosSin {
		return 2 * p.forms
	}
	return p.forms
}

// Stack returns the transform that is the projection alone.
func (p *Projection) Stack() *Stack { return NewStack(p.in, p.outputs(), Forms{Projection: p}) }
