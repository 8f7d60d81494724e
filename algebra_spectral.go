// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

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

// A spectrum is what is known of a stationary kernel and its spectral measure. Spectra of sums, products
// and series of stationary kernels follow from those of their parts.
type spectrum struct {
	expr.Kernel // gives the values

	mass      float64
	frequency func(dst []float64, s random.Sampler)
	mixture   func(s random.Sampler) float64 // draws τ, as Mixture of Radial does; nil unless radial

	// symmetric: ω and −ω are equally likely, so that E sin(ω·Δ) = 0 and the frequency may be added to another without a
	// random sign. trusted: frequency and mixture are known to draw from the same measure.
	symmetric, trusted bool

	// nodes returns the distribution of τ; nil unless radial, or if it must be estimated by draws.
	nodes func() []tauNode

	length   float64 // ℓ if the kernel is a multiple of one Gaussian kernel, else 0
	root     float64 // √E ωᵢ² of a coordinate, if it is the same for all i; NaN if unknown
	work     float64 // of how many frequencies of simple kernels one is the sum, on average; of a sum of kernels the largest
	slow     float64 // about how many times as long as a normal variate a coordinate takes to draw; 0 stands for 1
	constant bool    // the only frequency is 0

	// laws is the distribution of τ as a mixture, factors what frequencies are sums of: see algebra_laws.go. Either may be nil.
	laws    []radial.Part
	factors []frequencyFactor

	angle bool // the kernel is cos(x − y) of one coordinate

	// drawn returns a sampler of fixed seed, by which the distribution of τ is estimated where it is not known.
	drawn func() random.Sampler
}

func (s spectrum) String() string { return gosyntax.Of(s.Kernel) }

// gaussianSpectrum returns the spectrum of a Gaussian kernel.
func gaussianSpectrum(length float64) spectrum {
	tau := 1 / float64(length*length)
	return spectrum{
		Kernel: expr.Gaussian{LengthScale: length}, mass: 1, symmetric: true, trusted: true,
		length: length, root: 1 / length, work: 1,
		frequency: func(dst []float64, s random.Sampler) {
			s.FillNormal(dst)
			scale := math.Sqrt(tau)
			for i := range dst {
				dst[i] *= scale
			}
		},
		mixture: func(random.Sampler) float64 { return tau },
		nodes:   func() []tauNode { return []tauNode{{tau, 1}} },
		laws:    fixedLaw(tau),
	}
}

// constantSpectrum returns the spectrum of a constant.
func constantSpectrum(c float64) spectrum {
	return spectrum{
		Kernel: expr.Constant{Value: c}, mass: c, symmetric: true, trusted: true, constant: true, work: 1,
		frequency: func(dst []float64, _ random.Sampler) { clear(dst) },
		mixture:   func(random.Sampler) float64 { return 0 },
		nodes:     func() []tauNode { return []tauNode{{0, 1}} },
		laws:      fixedLaw(0),
	}
}

func (s spectrum) validate() error {
	if !(s.mass >= 0 && s.mass <= check.MaxMass) {
		return fmt.Errorf("featuremap: %s Mass = %v: must be from 0 to %v", gosyntax.Of(s.Kernel), s.mass, check.MaxMass)
	}
	if s.work > power.MaxComplexity {
		return fmt.Errorf("featuremap: a frequency of %s is the sum of %.2g on average: must be at most %d", gosyntax.Of(s.Kernel), s.work, power.MaxComplexity)
	}
	return nil
}

// cost returns about how many normal variates take as long to draw as one coordinate of a frequency.
func (s spectrum) cost() float64 { return s.work * max(s.slow, 1) }

// at returns the kernel at x − y = delta.
func (s spectrum) at(delta []float64) float64 { return s.Eval(delta, make([]float64, len(delta))) }

// tauNodes returns the distribution of τ of a radial kernel.
func (s spectrum) tauNodes() []tauNode {
	if s.nodes != nil {
		return s.nodes()
	}
	return s.drawnNodes()
}

// scaled returns the spectrum of c·k.
func (s spectrum) scaled(c float64) spectrum {
	if c != 1 {
		if s.mass *= c; c == 0 {
			s.Kernel = expr.Constant{}
		} else {
			s.Kernel = expr.Scaled(c, s.Kernel)
		}
	}
	return s
}

// pulled returns the spectrum of k(w(x), w(y)), with frequencies Aᵀω, on any R^in that the warp takes.
func (s spectrum) pulled(w warp.Warp) spectrum {
	if w.Identity() || s.constant {
		return s
	}
	return spectrum{
		Kernel: expr.BehindWarp(w, s.Kernel),
		mass:   s.mass, symmetric: s.symmetric, trusted: s.trusted, root: math.NaN(), work: s.work, slow: s.slow,
		factors: s.factorsBehind(w),
		drawn:   s.drawn,
		frequency: func(dst []float64, sampler random.Sampler) {
			u := make([]float64, w.Dim(len(dst)))
			s.frequency(u, sampler)
			w.Pull(dst, u)
		},
	}
}

// A warpedSpectrum is the spectrum of k behind a warp, k(Ax, Ay).
type warpedSpectrum struct {
	spectrum
	warp warp.Warp
}

// commonWarp returns spectra as those of kernels behind one warp: the warp of all if they have the same, else the identity.
func commonWarp(parts []warpedSpectrum) (spectra []spectrum, w warp.Warp) {
	different := func(p warpedSpectrum) bool { return !p.warp.Equal(parts[0].warp) }
	same := !slices.ContainsFunc(parts, different)
	for _, p := range parts {
		if w = p.warp; !same {
			p.spectrum, w = p.spectrum.pulled(p.warp), warp.Warp{}
		}
		spectra = append(spectra, p.spectrum)
	}
	return spectra, w
}

// productOfSpectra returns the spectrum of a product of kernels on R^in. Gaussian kernels behind different warps become one,
// behind a warp that has the rows of all these warps. An in of 0 stands for any dimension; then they are not stacked.
func productOfSpectra(parts []warpedSpectrum, in int) warpedSpectrum {
	var groups, gaussian []warpedSpectrum
	for rest := parts; len(rest) > 0; { // each turn takes the factors behind one warp
		w := rest[0].warp
		var same []spectrum
		var different []warpedSpectrum
		for _, p := range rest {
			if p.warp.Equal(w) {
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
		if one, ok := stackGaussians(gaussian, in); ok {
			gaussian = []warpedSpectrum{one}
		}
	}
	spectra, w := commonWarp(append(groups, gaussian...))
	return warpedSpectrum{spectrumProduct(spectra), w}
}

// stackGaussians returns the product of Gaussian kernels behind warps of R^in as one: Σ ‖AᵢΔ‖²/ℓᵢ² is the
// squared norm of the image of Δ under the rows of all Aᵢ/ℓᵢ. It is not ok if an element of these, other than 0, is not
// from 1e-100 to 1e100 in size: its square might overflow or underflow, and the factors are kept apart.
func stackGaussians(parts []warpedSpectrum, in int) (stacked warpedSpectrum, ok bool) {
	const largest = 1e100
	mass, aligned, ok := 1.0, true, true
	for _, p := range parts {
		mass *= p.mass
		aligned = aligned && p.warp.Dense == nil
	}
	var w warp.Warp
	var rows [][]float64 // if aligned, one for each part, with the factors of all coordinates
	for _, p := range parts {
		add := func(_ int, row []float64) {
			for i, v := range row {
				row[i] = v * (1 / p.length)
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
			p.warp.Pull(row, slices.Repeat([]float64{1}, p.warp.Dim(in)))
			add(0, row)
		} else {
			p.warp.Rows(in, 1, add)
			w.P += p.warp.Dim(in)
		}
	}
	if aligned {
		w = alignedNorms(rows)
	}
	one := gaussianSpectrum(1)
	if w.Identity() { // no coordinate is read, which is not the identity: the kernel is 1
		one = constantSpectrum(1)
	}
	one.drawn = parts[0].drawn
	return warpedSpectrum{one.scaled(mass), w.Simplified(in)}, ok
}

// alignedNorms returns a warp whose factor of each coordinate is the norm of its factors in all rows. It selects the
// coordinates with factors other than 0, and is the zero value if there are none.
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

// merged returns a spectrum with what parts have in common, for a sum, product or series k of them, and whether k is radial.
func merged(k expr.Kernel, parts ...spectrum) (joint spectrum, radial bool) {
	joint = spectrum{Kernel: k, symmetric: true, trusted: true, constant: true}
	radial = true
	for _, p := range parts {
		joint.symmetric = joint.symmetric && p.symmetric
		joint.trusted = joint.trusted && p.trusted
		joint.constant = joint.constant && p.constant
		joint.work, joint.slow = max(joint.work, p.work), max(joint.slow, p.slow)
		radial = radial && p.mixture != nil
		if joint.drawn == nil {
			joint.drawn = p.drawn
		}
	}
	return joint, radial
}

// spectrumSum returns the spectrum of a sum: a mixture of the measures, in proportion to their masses.
func spectrumSum(parts []spectrum) spectrum {
	if len(parts) == 1 {
		return parts[0]
	}
	var mass, v float64
	var kernel expr.Sum
	for _, p := range parts {
		kernel = append(kernel, p.Kernel)
		mass += p.mass
		v += arith.Times(p.mass, p.root*p.root)
	}
	sum, radial := merged(kernel, parts...)
	if sum.mass = mass; v != 0 {
		sum.root = math.Sqrt(v / mass)
	}
	pick := func(s random.Sampler) *spectrum {
		u, i := float64(s.Float64()*mass), 0
		for ; i < len(parts)-1 && u >= parts[i].mass; i++ {
			u -= parts[i].mass
		}
		return &parts[i]
	}
	sum.frequency = func(dst []float64, s random.Sampler) { pick(s).frequency(dst, s) }
	if radial {
		sum.mixture = func(s random.Sampler) float64 { return pick(s).mixture(s) }
		sum.laws = mixedLaws(parts, mass)
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

// spectrumProduct returns the spectrum of a product: its frequencies are sums of one frequency of each factor.
func spectrumProduct(parts []spectrum) spectrum {
	if len(parts) == 1 {
		return parts[0]
	}
	var kernel expr.Product
	mass, root, work := 1.0, 0.0, 0.0
	var inverse float64 // 1/ℓ² of one Gaussian kernel
	for _, p := range parts {
		kernel = append(kernel, p.Kernel)
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
		all.laws = fixedLaw(inverse)
	}
	all.factors = factorsOf(parts)
	all.add(radial, func(random.Sampler) int { return len(parts) }, func(i int) *spectrum { return &parts[i] })
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

// spectrumSeries returns the spectrum of f(k): its frequency is the sum of n independent frequencies of k, where n has the
// probability aₙmⁿ/f(m) for the mass m of k. It returns an error where newDegreeDrawer does: if f(m) is not finite, say.
func spectrumSeries(f series.Series, argument spectrum) (spectrum, error) {
	law, err := power.NewDrawer(f, argument.mass)
	if err != nil {
		return spectrum{}, err
	}
	c, radial := merged(&expr.Compose{F: f, K: argument.Kernel}, argument)
	if c.mass = f.Eval(argument.mass); c.mass != 0 {
		c.root = arith.Times(argument.root, math.Sqrt(argument.mass*f.Deriv(argument.mass)/c.mass))
		c.work = max(1, argument.mass*f.Deriv(argument.mass)/c.mass) * argument.work
	}
	c.add(radial, func(s random.Sampler) int { return law(s) }, func(int) *spectrum { return &argument })
	if radial {
		c.nodes = sync.OnceValue(func() []tauNode { return c.seriesNodes(f, argument) })
	}
	return c, nil
}

// add makes s draw sums of the frequencies of n parts. Given the τ of each, such a sum is normal, and its τ is their sum.
//
// A frequency that is not symmetric gets a random sign: E cos((ω + ω′)·Δ) is the product of the kernels
// only where one of E sin(ω·Δ) and E sin(ω′·Δ) is 0.
func (s *spectrum) add(radial bool, n func(s random.Sampler) int, part func(i int) *spectrum) {
	s.symmetric = true
	s.frequency = func(dst []float64, s random.Sampler) {
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
		s.mixture = func(s random.Sampler) (tau float64) {
			for i := range n(s) {
				tau += part(i).mixture(s)
			}
			return tau
		}
	}
}

// seriesNodes returns the distribution of the sum of a random number n of τ: from the probabilities of n, or from drawn sums
// if the n below 64 are not nearly all that occur.
func (s spectrum) seriesNodes(f series.Series, argument spectrum) (nodes []tauNode) {
	const most, rest = 64, 1e-7
	terms := power.Table{F: power.Dilate(f, argument.mass)}
	one, power := thinned(argument.tauNodes()), []tauNode{{0, 1}}
	var sum float64
	for n := range most {
		p := terms.Coeff(n) / s.mass
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
	return s.drawnNodes()
}
