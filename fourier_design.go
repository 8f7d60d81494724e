// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/haar"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// A Design says how the frequencies of a Fourier map, or the weights of Neurons, relate to each other.
//
// Another design is a constant and a name here, cases of block, bytes and Fourier.draw below, the kernels
// it is for in newFourierRecipe, and its variance in fourierRecipe.add: the covariance there, of every
// design with blocks, is that of orthogonal frequencies.
type Design int

const (
	// Independent frequencies, for any stationary kernel (Rahimi and Recht 2007).
	Independent Design = iota

	// Orthogonal frequencies, for radial kernels, in blocks of one for each of the d coordinates (Yu et al.
	// 2016, "Orthogonal random features"): directions are the rows of a Haar-distributed orthogonal matrix,
	// lengths are independent, χ_d·√τ. Each frequency alone has the kernel's spectral measure, so the
	// estimate is unbiased. The last block may be partial.
	Orthogonal

	// Structured frequencies, for radial kernels, in blocks S·H·D₃·H·D₂·H·D₁ of p frequencies, p the
	// smallest power of two not under d (Yu et al. 2016, section 4; the lengths by Choromanski, Rowland and
	// Weller 2017): H is the normalised p×p Walsh-Hadamard matrix, D₁, D₂ and D₃ are diagonal matrices of
	// independent random signs, S has independent lengths χ_p·√τ. Points are padded with zeros.
	//
	// A block takes 3p·log₂p additions and 5p numbers in place of p·d multiply-adds and p·d numbers: by far
	// the fastest design for many coordinates. Its directions are not quite uniform: for p under 64, where
	// that may cause a bias, Orthogonal frequencies are used; for p from 64 on see docs/variance.md.
	Structured
)

// String returns the name of the design.
func (d Design) String() string {
	switch d {
	case Independent:
		return "Independent"
	case Orthogonal:
		return "Orthogonal"
	case Structured:
		return "Structured"
	}
	return fmt.Sprintf("Design(%d)", int(d))
}

// minStructuredDim is the least padded dimension at which Structured frequencies are used as such.
const minStructuredDim = 64

// design returns the design that is used.
func (r *fourierRecipe) design() Design {
	if r.opts.Design == Structured && paddedDim(r.dim()) < minStructuredDim {
		return Orthogonal
	}
	return r.opts.Design
}

// paddedDim returns the smallest power of two that is not less than d ≥ 1.
func paddedDim(d int) int { return 1 << bits.Len(uint(d-1)) }

// block returns the number of frequencies that depend on each other.
func (r *fourierRecipe) block() int {
	switch r.design() {
	case Orthogonal:
		return r.dim()
	case Structured:
		return paddedDim(r.dim())
	}
	return 1
}

// bytes returns about how much memory the weights take.
func (r *fourierRecipe) bytes() float64 {
	forms, d := float64(r.forms()), float64(r.dim())
	// The packed forms and biases, in whole panels; and an orthogonal block with its normals.
	size := 8 * (forms + 24) * (float64(r.in) + 1)
	switch r.design() {
	case Orthogonal:
		size += 8 * 2 * d * min(d, forms)
	case Structured:
		// A length, a phase and three signs per form, in whole blocks; and the matrix of a Project.
		size = 8 * 5 * (forms + 2*d)
		if !r.warp.identity() {
			size += 8 * (d + 24) * (float64(r.in) + 1)
		}
	}
	return size
}

// draw draws the frequencies and calls each with them one by one, in a slice valid until the next call.
func (f *Fourier) draw(each func(i int, w []float64)) {
	s, r := f.frequencies, f.recipe
	if r.given != nil {
		for i := range r.forms() {
			each(i, r.given.frequencies.RawRowView(i))
		}
		return
	}
	image := make([]float64, r.in)
	designed := func(i int, w []float64) {
		if !r.warp.identity() {
			r.warp.pull(image, w)
			w = image
		}
		each(i, w)
	}
	switch r.design() {
	case Orthogonal:
		drawOrthogonal(r.mixture, r.forms(), r.dim(), &s, designed)
		return
	case Structured:
		d := r.dim()
		drawStructured(r.mixture, r.forms(), paddedDim(d), &s, func(b *structuredBlock) {
			b.rows(d, designed)
		})
		return
	}
	w := make([]float64, r.dim())
	for i := range r.forms() {
		r.frequency(w, &s)
		designed(i, w)
	}
}

// drawOrthogonal draws n frequencies of R^d: for each block the directions, then the lengths χ_d·√τ.
func drawOrthogonal(mixture func(s *Sampler) float64, n, d int, s *Sampler, each func(i int, w []float64)) {
	drawDirections(n, d, s, func(i int, w []float64) {
		length := math.Sqrt(s.ChiSquared(float64(d))) * math.Sqrt(mixture(s))
		for j := range w {
			w[j] *= length
		}
		each(i, w)
	})
}

// drawDirections draws n unit vectors of R^d, in blocks of d that are the rows of Haar-distributed orthogonal
// matrices, and calls each with them one by one. Within a block each may overwrite its vector, and draw.
func drawDirections(n, d int, s *Sampler, each func(i int, u []float64)) {
	size := min(n, d)
	block := make([]float64, size*d)
	normals := make([]float64, haar.Normals(size, d))
	for first := 0; first < n; first += size {
		rows := min(size, n-first)
		g := normals[:haar.Normals(rows, d)]
		s.FillNormal(g)
		haar.Rows(block, rows, d, g)
		for i := range rows {
			each(first+i, block[i*d:(i+1)*d])
		}
	}
}

// A structuredBlock is a block of structured frequencies.
type structuredBlock struct {
	first   int         // its first frequency
	signs   [3][]uint64 // of D₁, D₂ and D₃: 1<<63 for −1
	lengths []float64
}

// drawStructured draws n frequencies of R^p in structured blocks: for each block first the signs, then the
// lengths χ_p·√τ. A block is valid until the next call.
func drawStructured(mixture func(s *Sampler) float64, n, p int, s *Sampler, each func(b *structuredBlock)) {
	var b structuredBlock
	lengths := make([]float64, min(n, p))
	for ; b.first < n; b.first += p {
		for i := range b.signs {
			b.signs[i] = s.signMasks(p)
		}
		b.lengths = lengths[:min(p, n-b.first)]
		for i := range b.lengths {
			b.lengths[i] = math.Sqrt(s.ChiSquared(float64(p))) * math.Sqrt(mixture(s))
		}
		each(&b)
	}
}

// rows calls each with the first d coordinates of every frequency of the block, in a slice valid until the
// next call. Row i is D₁·H·D₂·H·D₃·H times unit vector i, times length i.
func (b *structuredBlock) rows(d int, each func(i int, w []float64)) {
	transform := wht.For(tier.Best())
	p := len(b.signs[0])
	norm := float64(p) * math.Sqrt(float64(p))
	w := make([]float64, p)
	for i, length := range b.lengths {
		clear(w)
		w[i] = 1
		transform.Vector(w, w, nil)
		transform.Vector(w, w, b.signs[2])
		transform.Vector(w, w, b.signs[1])
		for j, sign := range b.signs[0][:d] {
			w[j] = math.Float64frombits(math.Float64bits(w[j])^sign) * (length / norm)
		}
		each(b.first+i, w[:d])
	}
}

// blockPairs returns the number of ordered pairs of different draws, among n in blocks of d, in one block.
func blockPairs(n, d int) float64 {
	full, rest := float64(n/d), float64(n%d)
	return full*float64(d)*float64(d-1) + rest*(rest-1)
}
