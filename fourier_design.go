// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/haar"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// Designs of frequencies: how they relate to each other, and what they cost.

// A Design says how the frequencies of a Fourier map, or the weights of Neurons, relate to each other.
//
// To add a design takes a constant and a name here, cases of block, bytes, work, drawSteps and fourierDocument.recipe
// below, and of drawnWaves.each, the kernels that it is for in newFourierRecipe, and its variance in fourierRecipe.add,
// which takes the covariance of orthogonal frequencies for every design with blocks.
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

	// Sobol frequencies, for Gaussian kernels, scale mixtures of these such as Matern, and products with them, of up to 64
	// coordinates as the kernel sees them: normal quantiles of the points of Sobol's sequence (1967), scrambled by hashing
	// (Owen 1995; Burley 2020), along FourierOptions.Axes. All are spread evenly together, so that the error falls faster
	// than with their number, most where few axes matter: of a Gaussian kernel at the 8 correlated coordinates of California
	// housing, by principal axes, the variance is a twentieth of that of Orthogonal frequencies at 1024 features, and at
	// 4096 a fortieth. Of ω and −ω, whose cosines are the same, the one with a positive component along the first axis is taken. The variance is estimated, from some scrambles: see Fourier.Variance.
	Sobol
)

// String returns the name of the design.
func (d Design) String() string {
	return gosyntax.Name(d, []string{"Independent", "Orthogonal", "Structured", "Sobol"})
}

// minStructuredDim is the least padded dimension at which Structured frequencies are used as such.
const minStructuredDim = 64

// design returns the design that is drawn: Orthogonal for Structured in few coordinates, else that of the options.
func (r *fourierRecipe) design() Design {
	if r.opts.Design == Structured && paddedDim(r.Dim()) < minStructuredDim {
		return Orthogonal
	}
	return r.opts.Design
}

// paddedDim returns the smallest power of two that is not less than d ≥ 1.
func paddedDim(d int) int { return 1 << bits.Len(uint(d-1)) }

// block returns the number of frequencies that depend on each other: 1 if they are independent.
func (r *fourierRecipe) block() int {
	switch r.design() {
	case Orthogonal:
		return r.Dim()
	case Structured:
		return paddedDim(r.Dim())
	}
	return 1
}

// bytes returns about how much memory the weights take.
func (r *fourierRecipe) bytes() float64 {
	forms, d := float64(r.forms()), float64(r.Dim())
	// The packed forms and biases, in whole panels; and an orthogonal block with its normals.
	size := 8 * (forms + 24) * (float64(r.In) + 1)
	if r.opts.Radii == StratifiedRadii {
		size += 2 * 8 * forms // strata, and where in them
	}
	switch r.design() {
	case Orthogonal:
		size += 8 * 2 * d * min(d, forms)
	case Structured:
		// A length, a phase and three signs per form, in whole blocks; and the matrix of a Project.
		size += 8*5*(forms+2*d) - 8*(forms+24)*(float64(r.In)+1)
		if !r.Warp.Identity() {
			size += 8 * (d + 24) * (float64(r.In) + 1)
		}
	}
	return size
}

// Work returns about how many multiply-adds a transform takes for a point.
func (r *fourierRecipe) Work() float64 {
	const cosine = 10 // for the cosine, or the cosine and the sine, of one frequency
	forms := float64(r.forms())
	if r.design() == Structured {
		p := paddedDim(r.Dim())
		return 3*math.Ceil(forms/float64(p))*float64(p*bits.Len(uint(p-1))) + cosine*forms
	}
	return forms * (float64(r.In) + cosine)
}

// drawSteps returns about how many steps drawing takes, and the bytes of tables, besides those of the numbers of simple frequencies, of
// which there are as many as are kept, and of the directions of the design: those of more frequencies that add up, and of laws.
func (r *fourierRecipe) drawSteps() (bytes, steps float64) {
	const frequency, number = 64, 8 // of a frequency of a simple kernel, and of each number in it
	const periodic, cell = 48, 64   // how many numbers a coordinate of Periodic{1, 1} takes; bytes of a cell
	forms, dim := float64(r.forms()), float64(r.Dim())
	drawn := dim
	if r.design() == Orthogonal || r.design() == Structured {
		drawn = 1 // τ
	}
	free := 2 * (frequency + number*dim*min(max(r.Slow, 1), periodic))
	steps = forms * max(r.Spectrum.Cost()*(frequency+number*drawn)-free, 0)
	add := func(d float64, law []radial.Part) {
		cells, work := radial.Size(d, law)
		bytes, steps = bytes+cell*cells, steps+work
	}
	if r.opts.Radii == StratifiedRadii {
		add(float64(r.block()), r.Laws)
	}
	if r.opts.Design == Sobol {
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

// drawOrthogonal draws n frequencies of R^d: for each block the directions, then the lengths.
func drawOrthogonal(lengths func(i int) float64, n, d int, s random.Sampler, each func(i int, w []float64)) {
	drawDirections(n, d, s, func(i int, w []float64) {
		length := lengths(i)
		for j := range w {
			w[j] *= length
		}
		each(i, w)
	})
}

// drawDirections draws n unit vectors of R^d, in blocks of d that are the rows of Haar-distributed orthogonal
// matrices, and calls each with them one by one. A call may overwrite its vector, and draw from s.
func drawDirections(n, d int, s random.Sampler, each func(i int, u []float64)) {
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
// lengths. A block is valid until the next call.
func drawStructured(length func(i int) float64, n, p int, s random.Sampler, each func(b *structuredBlock)) {
	var b structuredBlock
	lengths := make([]float64, min(n, p))
	for ; b.first < n; b.first += p {
		for i := range b.signs {
			b.signs[i] = s.SignMasks(p)
		}
		b.lengths = lengths[:min(p, n-b.first)]
		for i := range b.lengths {
			b.lengths[i] = length(b.first + i)
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

// blockPairs returns the number of ordered pairs of different draws that are in the same block, of n draws in blocks of d.
func blockPairs(n, d int) float64 {
	full, rest := float64(n/d), float64(n%d)
	return full*float64(d)*float64(d-1) + rest*(rest-1)
}
