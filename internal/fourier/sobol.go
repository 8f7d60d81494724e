// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/sobol"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// Sobol frequencies: quantiles of scrambled points of Sobol's sequence.

// MostSobol is the largest number of coordinates behind the warp.
const MostSobol = 64

// validateSobol refuses kernels without a factor whose quantiles are known, and too many
// coordinates.
func (r *Recipe) validateSobol() error {
	if r.Dim() > MostSobol {
		return fmt.Errorf("featuremap: Design = Sobol: the kernel has %d coordinates: must be at most %d", r.Dim(), MostSobol)
	}
	if r.Forms() > math.MaxInt32 {
		return fmt.Errorf("featuremap: out = %d with Design = Sobol: must be at most %d frequencies", r.Columns, math.MaxInt32)
	}
	switch n := r.sobolCoordinates(); {
	case n == 0:
		return fmt.Errorf("%w: %v (Design = Sobol)", check.ErrNotRadial, r.Spectrum)
	case n > sobol.Most:
		return fmt.Errorf("featuremap: Design = Sobol: the frequencies of %v take %d coordinates: must be at most %d", r.Spectrum, n, sobol.Most)
	}
	return nil
}

// sobolCoordinates returns how many coordinates of Sobol's sequence a frequency takes. It is 0 if no factor has known
// quantiles.
func (r *Recipe) sobolCoordinates() (n int) {
	for _, f := range r.AllFactors() {
		n += f.Coordinates(r.Dim())
	}
	return n
}

// takeAxes copies the given axes, or refuses them.
func (r *Recipe) takeAxes() error {
	if check.IsNil(r.opts.Axes) {
		r.opts.Axes = nil
		return nil
	}
	if r.opts.Design != design.Sobol {
		return fmt.Errorf("featuremap: Axes with Design = %v: are for Sobol frequencies", r.opts.Design)
	}
	n, c := r.opts.Axes.Dims()
	if d := r.Dim(); n != d || c != d {
		return fmt.Errorf("featuremap: Axes is %d×%d: must be %d×%d", n, c, d, d)
	}
	axes := mat.DenseCopyOf(r.opts.Axes)
	for i := range n {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if p := arith.Inner(axes.RawRowView(i), axes.RawRowView(j)); !(math.Abs(p-want) <= 1e-8) {
				return fmt.Errorf("featuremap: Axes: rows %d and %d have the inner product %v: must be %v", j, i, p, want)
			}
		}
	}
	r.opts.Axes = axes
	return nil
}

// sobolFrequencies produces one frequency after another, before the warp. Factors without known quantiles are sampled.
//
// A frequency and its negative have the same cosines of differences. It takes the one whose component along the first
// axis is positive, so the points cover half of the measure twice as densely at no cost. This divides the variance of
// Gaussian kernels by about three.
type sobolFrequencies struct {
	factors  []sobolFactor
	dim      int
	axes     *mat.Dense // nil: the coordinates
	normal   func(u float64) float64
	sequence *sobol.Sequence
	sampler  random.Sampler
	u        []float64 // the point
	rare     float64   // see TauQuantile.at
}

// A sobolFactor is a factor, with the laws of its τ and memory for its frequency.
type sobolFactor struct {
	spectrum.Factor
	laws   []TauQuantile
	half   bool // whether the first coordinate is taken by its magnitude; true for one factor
	z      []float64
	images [][]float64 // behind each warp, from the innermost on
}

// points returns the frequencies of a scramble that s samples.
func (r *Recipe) points(s random.Sampler) *sobolFrequencies {
	f := &sobolFrequencies{dim: r.Dim(), normal: detmath.NormalQuantile, sampler: s.Split()}
	f.axes, _ = r.opts.Axes.(*mat.Dense)
	halved := false
	laws := r.Quantiles()
	for i, factor := range r.AllFactors() {
		own := sobolFactor{Factor: factor, laws: laws[i], z: make([]float64, factor.InnerDim(f.dim))}
		own.half = factor.Taus != nil && !halved
		halved = halved || own.half
		for i := range factor.Warps {
			rest := spectrum.Factor{Warps: factor.Warps[i+1:]}
			own.images = append(own.images, make([]float64, rest.InnerDim(f.dim)))
		}
		f.factors = append(f.factors, own)
	}
	n := r.sobolCoordinates()
	f.sequence, f.u = sobol.New(n, s.Uint64), make([]float64, n)
	return f
}

// next sets w to the next frequency.
func (f *sobolFrequencies) next(w []float64) {
	f.sequence.Next(f.u)
	clear(w)
	rest := f.u
	for i := range f.factors {
		factor := &f.factors[i]
		part := factor.z
		if factor.Taus == nil {
			factor.Frequency(part, f.sampler)
			if !factor.Symmetric && len(f.factors) > 1 {
				sign := f.sampler.Rademacher()
				for j := range part {
					part[j] *= sign
				}
			}
		} else {
			part, rest = factor.wave(rest, f)
		}
		for k, w := range factor.Warps {
			w.Pull(factor.images[k], part)
			part = factor.images[k]
		}
		for j, v := range part {
			w[j] += v
		}
	}
}

// wave returns the frequency of a radial factor, and the remaining coordinates.
func (f *sobolFactor) wave(u []float64, all *sobolFrequencies) (w, rest []float64) {
	var tau float64
	for i := range f.laws {
		v := 0.5
		if !f.laws[i].fixed {
			v, u = u[0], u[1:]
		}
		tau += float64(f.laws[i].at(v, all.rare))
	}
	root := math.Sqrt(tau)
	clear(f.z)
	for i, v := range u[:len(f.z)] {
		if i == 0 && f.half {
			v = min(0.5+0.5*v, 1-0x1p-53)
		}
		z := root * all.normal(v)
		if all.axes == nil || f.Warps != nil {
			f.z[i] = z
			continue
		}
		for j, a := range all.axes.RawRowView(i) {
			f.z[j] += float64(z * a)
		}
	}
	return f.z, u[len(f.z):]
}

// TauQuantile is the distribution of a τ given by its quantiles. A number u chooses a part of the mixture and then its
// quantile.
type TauQuantile struct {
	parts []radial.Part
	gamma []*radial.Law // of 2g; nil for parts that are constant
	fixed bool
}

// tauQuantiles returns the distributions of the τ of each factor.
func (r *Recipe) tauQuantiles() (all [][]TauQuantile) {
	for _, factor := range r.AllFactors() {
		var laws []TauQuantile
		for _, law := range factor.Taus {
			laws = append(laws, newTauQuantile(law))
		}
		all = append(all, laws)
	}
	return all
}

func newTauQuantile(parts []radial.Part) TauQuantile {
	q := TauQuantile{parts: parts, gamma: make([]*radial.Law, len(parts)), fixed: spectrum.IsFixed(parts)}
	for i, p := range parts {
		if p.Power != 0 {
			q.gamma[i] = radial.NewLaw(2*p.Shape, []radial.Part{radial.Fixed(1, 1)})
		}
	}
	return q
}

// at returns the quantile. The last share rare of each part's probability is cut off: see heavyTau.
func (q *TauQuantile) at(u, rare float64) float64 {
	i := 0
	for ; i < len(q.parts)-1 && u >= q.parts[i].P; i++ {
		u -= q.parts[i].P
	}
	if v := u / q.parts[i].P; q.parts[i].Power < 0 {
		return q.part(i, min(v, max(1-rare/q.parts[i].P, 0.5)))
	} else {
		return q.part(i, v)
	}
}

// part returns the quantile of a part.
func (q *TauQuantile) part(i int, u float64) float64 {
	p := q.parts[i]
	u = min(max(u, 0x1p-53), 1-0x1p-53)
	switch p.Power {
	case 0:
		return p.Scale
	case 1:
		return p.Scale * (0.5 * q.gamma[i].Square(u))
	}
	return min(p.Scale/(0.5*q.gamma[i].Square(1-u)), p.Most)
}

// heavyTau is the distribution of the τ of a kernel whose rare frequencies are very large. A few scrambles say nothing
// about its variance, because one map in a thousand may contribute most of it. Of n frequencies, one lies in the last
// n-th of the distribution. Estimates cut the distribution off within that part, and the rest of the variance is
// computed.
type heavyTau struct {
	TauQuantile
	mass, fixed float64 // the mass of the kernel, and a number that is added to each τ
}

// Heavy returns the heavyTau of a kernel. It is nil unless there is exactly one.
func (r *Recipe) Heavy() (h *heavyTau) {
	factors := r.AllFactors()
	if len(factors) != 1 || factors[0].Taus == nil || factors[0].Warps != nil {
		return nil
	}
	fixed := 0.0
	for _, law := range r.Quantiles()[0] {
		switch {
		case law.fixed:
			fixed += law.parts[0].Scale
		case h != nil:
			return nil
		case slices.ContainsFunc(law.parts, func(p radial.Part) bool { return p.Power < 0 }):
			h = &heavyTau{TauQuantile: law, mass: r.Mass}
		default:
			return nil
		}
	}
	if h != nil {
		h.fixed = fixed
	}
	return h
}

// CutFor returns the share of a heavyTau that estimates for n frequencies cut off: half an n-th or less, the same for
// all n up to a power of two.
func CutFor(n int) float64 { return math.Ldexp(0.5, -bits.Len(uint(n-1))) }

// Rest returns, as a function of the distance, the part of the variance that estimates for n frequencies leave out
// when the distribution is cut by rare.
func (h *heavyTau) Rest(n int, rare float64) func(distance float64) float64 {
	const perOctave, octaves = 2, 40
	type node struct{ tau, p float64 }
	type tail struct {
		nodes []node // in the last n-th of a part; the probabilities add up to 1
		cut   float64
		rare  float64 // the sum of p beyond the cut
		often float64 // the share of maps in which a frequency is among these
	}
	var tails []tail
	for i, part := range h.parts {
		whole := min(1/float64(n), part.P)
		if part.Power >= 0 || rare >= whole {
			continue
		}
		t := tail{cut: h.fixed + h.part(i, 1-rare/part.P), rare: rare / whole, often: float64(n) * whole}
		step := math.Exp2(-1.0 / perOctave)
		for k, upper := 0, whole; k < perOctave*octaves; k++ {
			lower := upper * step
			if upper > rare && lower < rare {
				lower = rare
			}
			t.nodes = append(t.nodes, node{h.fixed + h.part(i, 1-math.Sqrt(upper*lower)/part.P), (upper - lower) / whole})
			upper = lower
		}
		tails = append(tails, t)
	}
	cosines := func(tau, square float64) (mean, meanSquare float64) {
		return math.Exp(-0.5 * tau * square), 0.5 + 0.5*math.Exp(-2*tau*square)
	}
	return func(distance float64) (sum float64) {
		z := distance * distance
		for _, t := range tails {
			var mean, meanSquare, cutMean, cutSquare float64 // of the cosine of a frequency in the last n-th, and of the law that is cut
			for _, n := range t.nodes {
				c, c2 := cosines(n.tau, z)
				mean += n.p * c
				meanSquare += n.p * c2
				if n.tau < t.cut {
					cutMean += n.p * c
					cutSquare += n.p * c2
				}
			}
			c, c2 := cosines(t.cut, z)
			cutMean, cutSquare = cutMean+t.rare*c, cutSquare+t.rare*c2
			more := meanSquare - mean*mean - (cutSquare - cutMean*cutMean) - arith.Square(mean-cutMean)
			sum += t.often * max(more, 0) * arith.Square(h.mass/float64(n))
		}
		return sum
	}
}

// SobolScrambles returns the number of scrambles from which the variance of n Sobol frequencies is
// estimated.
func SobolScrambles(n int) int {
	const many, most, few = 4096, 16, 4
	if n > many {
		return few
	}
	return most
}

func (r *Recipe) Estimated() int {
	if r.Design() != design.Sobol {
		return 0
	}
	return SobolScrambles(r.Forms())
}

// SobolSeed is the seed of the first of these scrambles. The others follow.
const SobolSeed = 0x536f626f6c

// sobolTrials are maps of some scrambles, whose mean squared error estimates a variance. Transforms compute the cosines
// of a difference, in pieces of some thousand frequencies.
type sobolTrials struct {
	scrambles, forms int
	rare             float64
	rest             func(distance float64) float64 // the part of the variance that they leave out: see heavyTau
	pieces           []*projection.Stack            // of all scrambles, one after another; nil if they would take too much memory
	make             func(each func(scramble int, piece *projection.Stack))
}

func newSobolTrials(r *Recipe) *sobolTrials {
	const together, most = 4096, 1 << 24
	t := &sobolTrials{scrambles: SobolScrambles(r.Forms()), forms: r.Forms()}
	if h := r.Heavy(); h != nil {
		t.rare = CutFor(t.forms)
		t.rest = h.Rest(t.forms, t.rare)
	}
	t.make = func(each func(scramble int, piece *projection.Stack)) {
		w := make([]float64, r.Dim())
		for k := range t.scrambles {
			points := r.points(r.seeded(SobolSeed + uint64(k)))
			points.rare = t.rare
			for first := 0; first < t.forms; first += together {
				n := min(together, t.forms-first)
				p := projection.New(n, r.Dim(), projection.Cos, 1)
				for i := range n {
					points.next(w)
					arith.Divide(w, 2*math.Pi)
					p.Set(i, w, 0)
				}
				each(k, projection.NewStack(r.Dim(), n, projection.Forms{Projection: p}))
			}
		}
	}
	if float64(t.scrambles)*float64(t.forms)*float64(r.Dim()) <= most {
		t.make(func(_ int, piece *projection.Stack) { t.pieces = append(t.pieces, piece) })
	}
	return t
}

// squaredError returns the mean over scrambles of the squared error of m times the mean of cos ωⱼ·Δ.
func (t *sobolTrials) squaredError(r *Recipe, p *sample.Pair) (mean float64) {
	k, _ := r.values(p)
	delta := p.Difference().Values
	sums := make([]float64, t.scrambles)
	var values []float64
	add := func(scramble int, piece *projection.Stack) {
		values = append(values[:0], make([]float64, piece.Out())...)
		piece.TransformVec(values, delta)
		for _, v := range values {
			sums[scramble] += v
		}
	}
	if t.pieces == nil {
		t.make(add)
	}
	for i, piece := range t.pieces {
		add(i*t.scrambles/len(t.pieces), piece)
	}
	for _, sum := range sums {
		mean += arith.Square(r.Mass*sum/float64(t.forms)-k) / float64(t.scrambles)
	}
	if t.rest != nil {
		mean += t.rest(p.Distance)
	}
	return mean
}
