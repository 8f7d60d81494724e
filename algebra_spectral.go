// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// A spectrum is what is known of a stationary kernel and its spectral measure. Spectra of sums, products
// and series of stationary kernels follow from those of their parts.
type spectrum struct {
	Kernel // its values

	mass      float64
	frequency func(dst []float64, s *Sampler)
	mixture   func(s *Sampler) float64 // τ, as Radial's Mixture; nil unless radial

	// symmetric: ω and −ω are equally likely, so that E sin(ω·Δ) = 0 and frequencies may be added as they
	// are. trusted: frequency and mixture are known to draw from the same measure.
	symmetric, trusted bool

	// nodes returns the distribution of τ; nil unless radial, or if it must be estimated by draws.
	nodes func() []tauNode

	length   float64 // ℓ of a multiple of one Gaussian kernel, else 0
	root     float64 // √E ωᵢ², the same for all i; NaN if unknown
	work     float64 // the mean number of kernels' frequencies that one is the sum of
	slow     float64 // how many times as long as a normal variate a coordinate of these takes, about; 0 stands for 1
	constant bool    // the only frequency is 0
	angle    bool    // the kernel is cos(x − y) of one coordinate
}

func (s spectrum) String() string { return source(s.Kernel) }

// spectrumOf returns the spectrum of another package's kernel, trusted with Frequency and Mixture.
func spectrumOf(k Stationary) spectrum {
	s := spectrum{Kernel: k, mass: k.Mass(), frequency: k.Frequency, root: math.NaN(), work: 1}
	if r, ok := k.(Radial); ok {
		s.mixture = r.Mixture
	}
	return s
}

// ownSpectrum returns the spectrum of a kernel of this package, given √E ωᵢ² and the distribution of τ.
func ownSpectrum(k Stationary, root float64, nodes func() []tauNode) spectrum {
	s := spectrumOf(k)
	s.symmetric, s.trusted, s.root, s.nodes = true, true, root, nodes
	return s
}

func gaussianSpectrum(k Gaussian) spectrum {
	s := ownSpectrum(k, 1/k.LengthScale, func() []tauNode { return []tauNode{{k.Mixture(nil), 1}} })
	s.length = k.LengthScale
	return s
}

func constantSpectrum(c float64) spectrum {
	s := ownSpectrum(Constant{c}, 0, func() []tauNode { return []tauNode{{0, 1}} })
	s.constant = true
	return s
}

// form returns the form of the kernel.
func (s spectrum) form() form { return form{{scale: 1, base: stationary{s}}} }

func (s spectrum) validate() error {
	if !(s.mass >= 0 && s.mass <= maxMass) {
		return fmt.Errorf("featuremap: %s Mass = %v: must be from 0 to %v", source(s.Kernel), s.mass, maxMass)
	}
	if s.work > maxComplexity {
		return fmt.Errorf("featuremap: a frequency of %s is the sum of %.2g on average: must be at most %d", source(s.Kernel), s.work, maxComplexity)
	}
	return nil
}

// at returns the kernel at x − y = delta.
func (s spectrum) at(delta []float64) float64 { return s.Eval(delta, make([]float64, len(delta))) }

// tauNodes returns the distribution of τ of a radial kernel.
func (s spectrum) tauNodes() []tauNode {
	if s.nodes != nil {
		return s.nodes()
	}
	return drawnNodes(s.mixture)
}

// scaled returns the spectrum of c·k.
func (s spectrum) scaled(c float64) spectrum {
	if c != 1 {
		s.Kernel = s.form().scaled(c)
		s.mass *= c
	}
	return s
}

// pulled returns the spectrum of k(w(x), w(y)), with frequencies Aᵀω, on any R^in that the warp takes.
func (s spectrum) pulled(w warp) spectrum {
	if w.identity() || s.constant {
		return s
	}
	return spectrum{
		Kernel: form{{scale: 1, warp: w, base: stationary{s}}},
		mass:   s.mass, symmetric: s.symmetric, trusted: s.trusted, root: math.NaN(), work: s.work, slow: s.slow,
		frequency: func(dst []float64, sampler *Sampler) {
			u := make([]float64, w.dim(len(dst)))
			s.frequency(u, sampler)
			w.pull(dst, u)
		},
	}
}

// A warpedSpectrum is the spectrum of k behind a warp, k(Ax, Ay).
type warpedSpectrum struct {
	spectrum
	warp warp
}

// commonWarp returns the spectra of kernels behind one warp: theirs if it is the same, else the identity.
func commonWarp(parts []warpedSpectrum) (spectra []spectrum, w warp) {
	different := func(p warpedSpectrum) bool { return !p.warp.equal(parts[0].warp) }
	same := !slices.ContainsFunc(parts, different)
	for _, p := range parts {
		if w = p.warp; !same {
			p.spectrum, w = p.spectrum.pulled(p.warp), warp{}
		}
		spectra = append(spectra, p.spectrum)
	}
	return spectra, w
}

// productOfSpectra returns the spectrum of a product of kernels on R^in. Gaussian kernels behind
// different warps become one behind a warp with the rows of all.
func productOfSpectra(parts []warpedSpectrum, in int) warpedSpectrum {
	var groups, gaussian []warpedSpectrum
	for rest := parts; len(rest) > 0; { // those of one warp each
		w := rest[0].warp
		var same []spectrum
		var different []warpedSpectrum
		for _, p := range rest {
			if p.warp.equal(w) {
				same = append(same, p.spectrum)
			} else {
				different = append(different, p)
			}
		}
		if g := (warpedSpectrum{spectrumProduct(same), w}); g.length > 0 && in > 0 {
			gaussian = append(gaussian, g)
		} else {
			groups = append(groups, g)
		}
		rest = different
	}
	if len(gaussian) > 1 {
		gaussian = []warpedSpectrum{stackGaussians(gaussian, in)}
	}
	spectra, w := commonWarp(append(groups, gaussian...))
	return warpedSpectrum{spectrumProduct(spectra), w}
}

// stackGaussians returns the product of Gaussian kernels behind warps of R^in as one: Σ ‖AᵢΔ‖²/ℓᵢ² is the
// squared norm of the image of Δ under the rows of all Aᵢ/ℓᵢ.
func stackGaussians(parts []warpedSpectrum, in int) warpedSpectrum {
	mass, aligned := 1.0, true
	squares, row := make([]float64, in), make([]float64, in)
	for _, p := range parts {
		mass *= p.mass
		if aligned = aligned && p.warp.dense == nil; aligned {
			p.warp.pull(row, slices.Repeat([]float64{1 / p.length}, p.warp.dim(in)))
			for i, v := range row {
				squares[i] += float64(v * v)
			}
		}
	}
	var w warp
	for i, v := range squares {
		if aligned && v > 0 { // one row for a coordinate
			w.cols, w.diag = append(w.cols, i), append(w.diag, math.Sqrt(v))
		}
	}
	for _, p := range parts {
		if !aligned {
			w.p += p.warp.dim(in)
			p.warp.rows(in, 1/p.length, func(_ int, row []float64) { w.dense = append(w.dense, row...) })
		}
	}
	return warpedSpectrum{gaussianSpectrum(Gaussian{LengthScale: 1}).scaled(mass), w.simplified(in)}
}

// merged returns the common properties of parts, for a sum, product or series k of them.
func merged(k Kernel, parts ...spectrum) (of spectrum, radial bool) {
	of = spectrum{Kernel: k, symmetric: true, trusted: true, constant: true}
	radial = true
	for _, p := range parts {
		of.symmetric = of.symmetric && p.symmetric
		of.trusted = of.trusted && p.trusted
		of.constant = of.constant && p.constant
		of.work, of.slow = max(of.work, p.work), max(of.slow, p.slow)
		radial = radial && p.mixture != nil
	}
	return of, radial
}

// spectrumSum returns the spectrum of a sum: a mixture of the measures, in proportion to their masses.
func spectrumSum(parts []spectrum) spectrum {
	if len(parts) == 1 {
		return parts[0]
	}
	var kernel form
	var mass, v float64
	for _, p := range parts {
		kernel = append(kernel, p.form()...)
		mass += p.mass
		v += times(p.mass, p.root*p.root)
	}
	sum, radial := merged(kernel, parts...)
	if sum.mass = mass; v != 0 {
		sum.root = math.Sqrt(v / mass)
	}
	pick := func(s *Sampler) *spectrum {
		u, i := float64(s.Float64()*mass), 0
		for ; i < len(parts)-1 && u >= parts[i].mass; i++ {
			u -= parts[i].mass
		}
		return &parts[i]
	}
	sum.frequency = func(dst []float64, s *Sampler) { pick(s).frequency(dst, s) }
	if radial {
		sum.mixture = func(s *Sampler) float64 { return pick(s).mixture(s) }
		sum.nodes = sync.OnceValue(func() (all []tauNode) {
			for _, p := range parts {
				for _, n := range p.tauNodes() {
					all = append(all, tauNode{n.tau, n.p * p.mass / mass})
				}
			}
			return all
		})
	}
	return sum
}

// spectrumProduct returns the spectrum of a product: its frequencies are sums of the factors'.
func spectrumProduct(parts []spectrum) spectrum {
	if len(parts) == 1 {
		return parts[0]
	}
	var kernel product
	mass, root, work := 1.0, 0.0, 0.0
	var inverse float64 // 1/ℓ² of one Gaussian kernel
	for _, p := range parts {
		kernel.factors = append(kernel.factors, p.form())
		mass, root = mass*p.mass, math.Hypot(root, p.root)
		work += p.work
		if !p.constant {
			inverse += 1 / (p.length * p.length) // +Inf unless p is Gaussian
		}
	}
	all, radial := merged(kernel, parts...)
	all.work = work
	if all.mass = mass; mass != 0 {
		all.root = root
	}
	if inverse > 0 && !math.IsInf(inverse, 1) {
		all.length = 1 / math.Sqrt(inverse)
	}
	all.add(radial, func(*Sampler) int { return len(parts) }, func(i int) *spectrum { return &parts[i] })
	if radial {
		all.nodes = sync.OnceValue(func() []tauNode {
			sum := []tauNode{{0, 1}}
			for _, p := range parts {
				sum = sumNodes(sum, thinned(p.tauNodes()))
			}
			return sum
		})
	}
	return all
}

// spectrumSeries returns the spectrum of f(k): its frequency is the sum of n of k's frequencies, with
// probability aₙmⁿ/f(m) for k of mass m. It returns an error where f or the mean of n is not finite at m.
func spectrumSeries(f Series, of spectrum) (spectrum, error) {
	law, err := newDegreeDrawer(f, of.mass)
	if err != nil {
		return spectrum{}, err
	}
	c, radial := merged(composed{f, of.form()}, of)
	if c.mass = f.Eval(of.mass); c.mass != 0 {
		c.root = times(of.root, math.Sqrt(of.mass*f.Deriv(of.mass)/c.mass))
		c.work = max(1, of.mass*f.Deriv(of.mass)/c.mass) * of.work
	}
	c.add(radial, law, func(int) *spectrum { return &of })
	if radial {
		c.nodes = sync.OnceValue(func() []tauNode { return c.seriesNodes(f, of) })
	}
	return c, nil
}

// add makes s draw sums of n parts' frequencies. Given their τ, a sum is normal with the sum of these.
//
// A frequency that is not symmetric gets a random sign: E cos((ω + ω′)·Δ) is the product of the kernels
// only where one of E sin(ω·Δ) and E sin(ω′·Δ) is 0.
func (s *spectrum) add(radial bool, n func(s *Sampler) int, part func(i int) *spectrum) {
	s.symmetric = true
	s.frequency = func(dst []float64, s *Sampler) {
		clear(dst)
		w := make([]float64, len(dst))
		for i := range n(s) {
			p := part(i)
			p.frequency(w, s)
			sign := 1.0
			if !p.symmetric {
				sign = s.Rademacher()
			}
			for j, v := range w {
				dst[j] += sign * v
			}
		}
	}
	if radial {
		s.mixture = func(s *Sampler) (tau float64) {
			for i := range n(s) {
				tau += part(i).mixture(s)
			}
			return tau
		}
	}
}

// seriesNodes returns the distribution of the sum of n τ with n random: by the probabilities of n, or by
// draws if more than some tens of n matter.
func (s spectrum) seriesNodes(f Series, of spectrum) (nodes []tauNode) {
	const most, rest = 64, 1e-7
	terms := growing{f: dilate(f, of.mass)}
	one, power := thinned(of.tauNodes()), []tauNode{{0, 1}}
	var sum float64
	for n := range most {
		p := terms.coeff(n) / s.mass
		for _, v := range power {
			if p > 0 {
				nodes = append(nodes, tauNode{v.tau, v.p * p})
			}
		}
		if sum += p; sum >= 1-rest {
			return nodes
		}
		power = sumNodes(power, one)
	}
	return drawnNodes(s.mixture)
}
