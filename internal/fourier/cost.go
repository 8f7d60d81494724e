// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"math"
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
)

// Designs of frequencies: how they relate to each other, and what they cost.

// minStructuredDim is the least padded dimension at which Structured frequencies are used as such.
const minStructuredDim = 64

// Design returns the design that is drawn: Orthogonal for Structured in few coordinates, else that of the options.
func (r *Recipe) Design() design.Design {
	if r.opts.Design == design.Structured && design.PaddedDim(r.Dim()) < minStructuredDim {
		return design.Orthogonal
	}
	return r.opts.Design
}

// Block returns the number of frequencies in a block, which depend on each other: 1 if they are
// independent.
func (r *Recipe) Block() int {
	switch r.Design() {
	case design.Orthogonal:
		return r.Dim()
	case design.Structured:
		return design.PaddedDim(r.Dim())
	}
	return 1
}

// bytes returns about how much memory the weights take.
func (r *Recipe) bytes() float64 {
	forms, d := float64(r.Forms()), float64(r.Dim())
	// The packed forms and biases, in whole panels; and an orthogonal block with its normals.
	size := 8 * (forms + 24) * (float64(r.In) + 1)
	if r.opts.Stratified {
		size += 2 * 8 * forms // strata, and where in them
	}
	switch r.Design() {
	case design.Orthogonal:
		size += 8 * 2 * d * min(d, forms)
	case design.Structured:
		// A length, a phase and three signs per form, in whole blocks; and the matrix of a Project.
		size += 8*5*(forms+2*d) - 8*(forms+24)*(float64(r.In)+1)
		if !r.Warp.Identity() {
			size += 8 * (d + 24) * (float64(r.In) + 1)
		}
	}
	return size
}

// Work returns about how many multiply-adds a transform takes for a point.
func (r *Recipe) Work() float64 {
	const cosine = 10 // for the cosine, or the cosine and the sine, of one frequency
	forms := float64(r.Forms())
	if r.Design() == design.Structured {
		p := design.PaddedDim(r.Dim())
		return 3*math.Ceil(forms/float64(p))*float64(p*bits.Len(uint(p-1))) + cosine*forms
	}
	return forms * (float64(r.In) + cosine)
}

// drawSteps returns the memory of tables and about how many steps it takes to sample frequencies, in addition to the
// kept numbers of simple frequencies and the directions of the design. It counts frequencies that are sums, and laws.
func (r *Recipe) drawSteps() (bytes, steps float64) {
	const frequency, number = 64, 8 // of a frequency of a simple kernel, and of each number in it
	const periodic, cell = 48, 64   // how many numbers a coordinate of Periodic{1, 1} takes; bytes of a cell
	forms, dim := float64(r.Forms()), float64(r.Dim())
	drawn := dim
	if r.Design() == design.Orthogonal || r.Design() == design.Structured {
		drawn = 1 // τ
	}
	free := 2 * (frequency + number*dim*min(max(r.Slow, 1), periodic))
	steps = forms * max(r.Spectrum.Cost()*(frequency+number*drawn)-free, 0)
	add := func(d float64, law []radial.Part) {
		cells, work := radial.Size(d, law)
		bytes, steps = bytes+cell*cells, steps+work
	}
	if r.opts.Stratified {
		add(float64(r.Block()), r.Laws)
	}
	if r.opts.Design == design.Sobol {
		for _, f := range r.AllFactors() {
			for _, law := range f.Taus {
				for _, p := range law {
					if p.Power != 0 {
						add(2*p.Shape, []radial.Part{radial.Fixed(1, 1)})
					}
				}
			}
		}
	}
	return bytes, steps
}
