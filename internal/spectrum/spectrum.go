// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package spectrum has the spectral measures of stationary kernels: their mass, their frequencies, and for radial
// kernels the distribution of the squared scale τ of frequencies (see package radial). It also derives these for sums,
// products and series of kernels.
//
// Begin with spectrum.go. tau.go gives distributions of τ by values, and laws.go by quantiles.
package spectrum

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Spectrum is what is known of a stationary kernel and its spectral measure. Spectra of sums, products
// and series of stationary kernels follow from the spectra of their parts.
type Spectrum struct {
	expr.Kernel // gives the values

	Mass      float64
	Frequency func(dst []float64, s random.Sampler)
	Mixture   func(s random.Sampler) float64 // samples τ, as Mixture of Radial does; nil unless radial

	// Symmetric: ω and −ω are equally likely, so E sin(ω·Δ) = 0 and the frequency may be added to another without a
	// random sign. Trusted: Frequency and Mixture are known to sample from the same measure.
	Symmetric, Trusted bool

	// Nodes returns the distribution of τ; nil unless radial, or if samples must estimate it.
	Nodes func() []Node

	Length   float64 // ℓ if the kernel is a multiple of one Gaussian kernel, otherwise 0
	Root     float64 // √E ωᵢ² of a coordinate, if it is the same for all i; NaN if unknown
	Work     float64 // the mean number of frequencies of simple kernels whose sum is one frequency; for a sum of kernels the largest
	Slow     float64 // about how many normal variates take as long as one coordinate; 0 stands for 1
	Constant bool    // the only frequency is 0

	// Laws is the distribution of τ as a mixture, and factors are the addends of frequencies: see laws.go. Either may
	// be nil.
	Laws    []radial.Part
	factors []Factor

	Angle bool // the kernel is cos(x − y) of one coordinate

	// Drawn returns a sampler with a fixed seed. With it the distribution of τ is estimated if it is not known.
	Drawn func() random.Sampler
}

func (s Spectrum) String() string { return gosyntax.Of(s.Kernel) }

// Gaussian returns the spectrum of a Gaussian kernel.
func Gaussian(length float64) Spectrum {
	tau := 1 / float64(length*length)
	return Spectrum{
		Kernel: expr.Gaussian{LengthScale: length}, Mass: 1, Symmetric: true, Trusted: true,
		Length: length, Root: 1 / length, Work: 1,
		Frequency: func(dst []float64, s random.Sampler) {
			s.FillNormal(dst)
			scale := math.Sqrt(tau)
			for i := range dst {
				dst[i] *= scale
			}
		},
		Mixture: func(random.Sampler) float64 { return tau },
		Nodes:   func() []Node { return []Node{{tau, 1}} },
		Laws:    fixedLaw(tau),
	}
}

// Constant returns the spectrum of a constant.
func Constant(c float64) Spectrum {
	return Spectrum{
		Kernel: expr.Constant{Value: c}, Mass: c, Symmetric: true, Trusted: true, Constant: true, Work: 1,
		Frequency: func(dst []float64, _ random.Sampler) { clear(dst) },
		Mixture:   func(random.Sampler) float64 { return 0 },
		Nodes:     func() []Node { return []Node{{0, 1}} },
		Laws:      fixedLaw(0),
	}
}

func (s Spectrum) Validate() error {
	if !(s.Mass >= 0 && s.Mass <= check.MaxMass) {
		return fmt.Errorf("featuremap: %s Mass = %v: must be from 0 to %v", gosyntax.Of(s.Kernel), s.Mass, check.MaxMass)
	}
	if s.Work > power.MaxComplexity {
		return fmt.Errorf("featuremap: a frequency of %s is the sum of %.2g on average: must be at most %d", gosyntax.Of(s.Kernel), s.Work, power.MaxComplexity)
	}
	return nil
}

// Cost returns about how many normal variates take as long to sample as one coordinate of a
// frequency.
func (s Spectrum) Cost() float64 { return s.Work * max(s.Slow, 1) }

// At returns the kernel at x − y = delta.
func (s Spectrum) At(delta []float64) float64 { return s.Eval(delta, make([]float64, len(delta))) }

// TauNodes returns the distribution of τ of a radial kernel.
func (s Spectrum) TauNodes() []Node {
	if s.Nodes != nil {
		return s.Nodes()
	}
	return s.drawnNodes()
}

// Scaled returns the spectrum of c·k.
func (s Spectrum) Scaled(c float64) Spectrum {
	if c != 1 {
		if s.Mass *= c; c == 0 {
			s.Kernel = expr.Constant{}
		} else {
			s.Kernel = expr.Scaled(c, s.Kernel)
		}
	}
	return s
}

// Pulled returns the spectrum of k(w(x), w(y)), with frequencies Aᵀω, on any R^in that the warp takes.
func (s Spectrum) Pulled(w warp.Warp) Spectrum {
	if w.Identity() || s.Constant {
		return s
	}
	return Spectrum{
		Kernel: expr.BehindWarp(w, s.Kernel),
		Mass:   s.Mass, Symmetric: s.Symmetric, Trusted: s.Trusted, Root: math.NaN(), Work: s.Work, Slow: s.Slow,
		factors: s.factorsBehind(w),
		Drawn:   s.Drawn,
		Frequency: func(dst []float64, sampler random.Sampler) {
			u := make([]float64, w.Dim(len(dst)))
			s.Frequency(u, sampler)
			w.Pull(dst, u)
		},
	}
}

// A Warped is the spectrum of k behind a warp, k(Ax, Ay).
type Warped struct {
	Spectrum
	Warp warp.Warp
}

// CommonWarp returns spectra of kernels behind one warp: the warp of all if they have the same, otherwise the identity.
func CommonWarp(parts []Warped) (spectra []Spectrum, w warp.Warp) {
	different := func(p Warped) bool { return !p.Warp.Equal(parts[0].Warp) }
	same := !slices.ContainsFunc(parts, different)
	for _, p := range parts {
		if w = p.Warp; !same {
			p.Spectrum, w = p.Spectrum.Pulled(p.Warp), warp.Warp{}
		}
		spectra = append(spectra, p.Spectrum)
	}
	return spectra, w
}

// Product returns the spectrum of a product of kernels on R^in. Gaussian kernels behind different warps become one,
// behind a warp with the rows of all these warps. An in of 0 stands for any dimension; then they are not merged.
func Product(parts []Warped, in int) Warped {
	var groups, gaussian []Warped
	for rest := parts; len(rest) > 0; { // each round takes the factors behind one warp
		w := rest[0].Warp
		var same []Spectrum
		var different []Warped
		for _, p := range rest {
			if p.Warp.Equal(w) {
				same = append(same, p.Spectrum)
			} else {
				different = append(different, p)
			}
		}
		if g := (Warped{productOf(same), w}); g.Length > 0 && in > 0 {
			gaussian = append(gaussian, g)
		} else {
			groups = append(groups, g)
		}
		rest = different
	}
	if len(gaussian) > 1 {
		if one, ok := stackGaussians(gaussian, in); ok {
			gaussian = []Warped{one}
		}
	}
	spectra, w := CommonWarp(append(groups, gaussian...))
	return Warped{productOf(spectra), w}
}

// stackGaussians returns the product of Gaussian kernels behind warps of R^in as one: Σ ‖AᵢΔ‖²/ℓᵢ² is the squared norm
// of the image of Δ under the rows of all Aᵢ/ℓᵢ. ok is false if an element of these, other than 0, has a magnitude
// below 1e-100 or above 1e100: its square might overflow or underflow, so the factors stay separate.
func stackGaussians(parts []Warped, in int) (stacked Warped, ok bool) {
	const largest = 1e100
	mass, aligned, ok := 1.0, true, true
	for _, p := range parts {
		mass *= p.Mass
		aligned = aligned && p.Warp.Dense == nil
	}
	var w warp.Warp
	var rows [][]float64 // if aligned, one for each part, with the factors of all coordinates
	for _, p := range parts {
		add := func(_ int, row []float64) {
			for i, v := range row {
				row[i] = v * (1 / p.Length)
				a := math.Abs(row[i])
				ok = ok && (v == 0 || a >= 1/largest && a <= largest)
			}
			if aligned {
				rows = append(rows, row)
			} else {
				w.Dense = append(w.Dense, row...)
			}
		}
		if aligned {
			row := make([]float64, in)
			p.Warp.Pull(row, slices.Repeat([]float64{1}, p.Warp.Dim(in)))
			add(0, row)
		} else {
			p.Warp.Rows(in, 1, add)
			w.P += p.Warp.Dim(in)
		}
	}
	if aligned {
		w = alignedNorms(rows)
	}
	one := Gaussian(1)
	if w.Identity() { // no coordinate is read, which is not the identity: the kernel is 1
		one = Constant(1)
	}
	one.Drawn = parts[0].Drawn
	return Warped{one.Scaled(mass), w.Simplified(in)}, ok
}

// alignedNorms returns a warp whose factor for each coordinate is the norm of its factors in all rows. It selects
// the coordinates with factors other than 0. Without such coordinates it returns the zero value.
func alignedNorms(rows [][]float64) (w warp.Warp) {
	for i := range rows[0] {
		var sum float64
		for _, row := range rows {
			sum += float64(row[i] * row[i])
		}
		if sum > 0 {
			w.Cols, w.Diag = append(w.Cols, i), append(w.Diag, math.Sqrt(sum))
		}
	}
	return w
}

// merged returns a spectrum with what the parts of a sum, product or series k have in common. It tells whether k is
// radial.
func merged(k expr.Kernel, parts ...Spectrum) (joint Spectrum, radial bool) {
	joint = Spectrum{Kernel: k, Symmetric: true, Trusted: true, Constant: true}
	radial = true
	for _, p := range parts {
		joint.Symmetric = joint.Symmetric && p.Symmetric
		joint.Trusted = joint.Trusted && p.Trusted
		joint.Constant = joint.Constant && p.Constant
		joint.Work, joint.Slow = max(joint.Work, p.Work), max(joint.Slow, p.Slow)
		radial = radial && p.Mixture != nil
		if joint.Drawn == nil {
			joint.Drawn = p.Drawn
		}
	}
	return joint, radial
}

// Sum returns the spectrum of a sum: a mixture of the measures, in proportion to their masses.
func Sum(parts []Spectrum) Spectrum {
	if len(parts) == 1 {
		return parts[0]
	}
	var mass, v float64
	var kernel expr.Sum
	for _, p := range parts {
		kernel = append(kernel, p.Kernel)
		mass += p.Mass
		v += arith.Times(p.Mass, p.Root*p.Root)
	}
	sum, radial := merged(kernel, parts...)
	if sum.Mass = mass; v != 0 {
		sum.Root = math.Sqrt(v / mass)
	}
	pick := func(s random.Sampler) *Spectrum {
		u, i := float64(s.Float64()*mass), 0
		for ; i < len(parts)-1 && u >= parts[i].Mass; i++ {
			u -= parts[i].Mass
		}
		return &parts[i]
	}
	sum.Frequency = func(dst []float64, s random.Sampler) { pick(s).Frequency(dst, s) }
	if radial {
		sum.Mixture = func(s random.Sampler) float64 { return pick(s).Mixture(s) }
		sum.Laws = mixedLaws(parts, mass)
		sum.Nodes = sync.OnceValue(func() (all []Node) {
			for _, p := range parts {
				for _, n := range p.TauNodes() {
					all = append(all, Node{n.Tau, n.P * p.Mass / mass})
				}
			}
			return all
		})
	}
	return sum
}

// productOf returns the spectrum of a product: its frequencies are sums of one frequency of each factor.
func productOf(parts []Spectrum) Spectrum {
	if len(parts) == 1 {
		return parts[0]
	}
	var kernel expr.Product
	mass, root, work := 1.0, 0.0, 0.0
	var inverse float64 // 1/ℓ² of one Gaussian kernel
	for _, p := range parts {
		kernel = append(kernel, p.Kernel)
		mass, root = mass*p.Mass, math.Hypot(root, p.Root)
		work += p.Work
		if !p.Constant {
			inverse += 1 / (p.Length * p.Length) // +Inf unless p is Gaussian
		}
	}
	all, radial := merged(kernel, parts...)
	all.Work = work
	if all.Mass = mass; mass != 0 {
		all.Root = root
	}
	if inverse > 0 && !math.IsInf(inverse, 1) {
		all.Length = 1 / math.Sqrt(inverse)
		all.Laws = fixedLaw(inverse)
	}
	all.factors = factorsOf(parts)
	all.add(radial, func(random.Sampler) int { return len(parts) }, func(i int) *Spectrum { return &parts[i] })
	if radial {
		all.Nodes = sync.OnceValue(func() []Node {
			sum := []Node{{0, 1}}
			for _, p := range parts {
				sum = sumNodes(sum, Thinned(p.TauNodes()))
			}
			return sum
		})
	}
	return all
}

// Series returns the spectrum of f(k). Its frequency is the sum of n independent frequencies of k, where n has the
// probability aₙmⁿ/f(m) for the mass m of k. It returns an error where power.NewDrawer does, for example if f(m) is not
// finite.
func Series(f series.Series, argument Spectrum) (Spectrum, error) {
	law, err := power.NewDrawer(f, argument.Mass)
	if err != nil {
		return Spectrum{}, err
	}
	c, radial := merged(&expr.Compose{F: f, K: argument.Kernel}, argument)
	if c.Mass = f.Eval(argument.Mass); c.Mass != 0 {
		c.Root = arith.Times(argument.Root, math.Sqrt(argument.Mass*f.Deriv(argument.Mass)/c.Mass))
		c.Work = max(1, argument.Mass*f.Deriv(argument.Mass)/c.Mass) * argument.Work
	}
	c.add(radial, func(s random.Sampler) int { return law(s) }, func(int) *Spectrum { return &argument })
	if radial {
		c.Nodes = sync.OnceValue(func() []Node { return c.seriesNodes(f, argument) })
	}
	return c, nil
}

// add makes s sample sums of the frequencies of n parts. Given the τ of each part, such a sum is normal, and its τ is
// the sum of theirs. A frequency that is not symmetric gets a random sign: E cos((ω + ω′)·Δ) is the product of the
// kernels only where E sin(ω·Δ) or E sin(ω′·Δ) is 0.
func (s *Spectrum) add(radial bool, n func(s random.Sampler) int, part func(i int) *Spectrum) {
	s.Symmetric = true
	s.Frequency = func(dst []float64, s random.Sampler) {
		clear(dst)
		w := make([]float64, len(dst))
		for i := range n(s) {
			p := part(i)
			p.Frequency(w, s)
			sign := 1.0
			if !p.Symmetric {
				sign = s.Rademacher()
			}
			for j, v := range w {
				dst[j] += sign * v
			}
		}
	}
	if radial {
		s.Mixture = func(s random.Sampler) (tau float64) {
			for i := range n(s) {
				tau += part(i).Mixture(s)
			}
			return tau
		}
	}
}

// seriesNodes returns the distribution of the sum of a random number n of τ. It uses the probabilities of n, or sampled
// sums if n is not almost always below 64.
func (s Spectrum) seriesNodes(f series.Series, argument Spectrum) (nodes []Node) {
	const most, rest = 64, 1e-7
	terms := power.Table{F: power.Dilate(f, argument.Mass)}
	one, power := Thinned(argument.TauNodes()), []Node{{0, 1}}
	var sum float64
	for n := range most {
		p := terms.Coeff(n) / s.Mass
		for _, v := range power {
			if p > 0 {
				nodes = append(nodes, Node{v.Tau, v.P * p})
			}
		}
		if sum += p; sum >= 1-rest {
			return nodes
		}
		power = sumNodes(power, one)
	}
	return s.drawnNodes()
}
