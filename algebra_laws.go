// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Laws of spectra by their quantiles: what designs need that do not draw one frequency after another.

// A frequencyFactor is an addend of the frequencies of a product: the spectrum of one of its factors. It is radial if all that
// is known of its frequency is known by quantiles, √(Στ)·z for a standard normal z; else it can only be drawn.
type frequencyFactor struct {
	spectrum
	taus  [][]radial.Part // the laws of τ, one for each kernel of a radial product; nil if it can only be drawn
	warps []warp.Warp     // in front of it, the innermost first
}

// withLaw returns a radial spectrum with the law of its τ.
func (s spectrum) withLaw(p radial.Part) spectrum {
	s.laws = []radial.Part{p}
	return s
}

// mixedLaws returns the law of τ of a sum of kernels, or nil if one of theirs is unknown.
func mixedLaws(parts []spectrum, mass float64) (all []radial.Part) {
	for _, p := range parts {
		if p.laws == nil || mass == 0 {
			return nil
		}
		for _, l := range p.laws {
			l.P *= p.mass / mass
			all = append(all, l)
		}
	}
	return all
}

// allFactors returns what frequencies are sums of: the spectrum itself, unless it is that of a product.
func (s spectrum) allFactors() []frequencyFactor {
	switch {
	case s.factors != nil:
		return s.factors
	case s.laws != nil:
		return []frequencyFactor{{spectrum: s, taus: [][]radial.Part{s.laws}}}
	}
	return []frequencyFactor{{spectrum: s}}
}

// factorsBehind returns the factors of k(Ax, Ay).
func (s spectrum) factorsBehind(w warp.Warp) (all []frequencyFactor) {
	for _, f := range s.allFactors() {
		f.warps = append(slices.Clone(f.warps), w)
		all = append(all, f)
	}
	return all
}

// factorsOf returns the factors of a product: its radial ones without warps as one.
func factorsOf(parts []spectrum) (all []frequencyFactor) {
	first := -1
	for _, p := range parts {
		for _, f := range p.allFactors() {
			switch {
			case f.constant:
			case f.taus != nil && f.warps == nil && first >= 0:
				all[first].taus = slices.Concat(all[first].taus, f.taus)
			default:
				if f.taus != nil && f.warps == nil {
					first = len(all)
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// fixedLaw returns the law of a τ that is not random.
func fixedLaw(tau float64) []radial.Part { return []radial.Part{radial.Fixed(1, tau)} }

// coordinates returns the number for one factor of a kernel on R^dim: one for each τ that is random, then one for each
// coordinate of the normal vector.
func (f *frequencyFactor) coordinates(dim int) (n int) {
	if f.taus == nil {
		return 0
	}
	for _, law := range f.taus {
		if !fixed(law) {
			n++
		}
	}
	return n + f.innerDim(dim)
}

// innerDim returns the dimension behind the warps of a factor.
func (f *frequencyFactor) innerDim(dim int) int {
	for i := len(f.warps) - 1; i >= 0; i-- {
		dim = f.warps[i].Dim(dim)
	}
	return dim
}

// fixed tells whether a τ is not random.
func fixed(law []radial.Part) bool { return len(law) == 1 && law[0].Power == 0 }
