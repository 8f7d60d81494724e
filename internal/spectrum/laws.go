// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package spectrum

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Distributions of frequencies given by their quantiles: what designs need that do not sample one
// frequency after another.

// Factor is an addend of the frequencies of a product: the spectrum of one of its factors. It is radial if its
// quantiles are known: its frequency is √(Στ)·z for a standard normal z. Otherwise it can only be sampled.
type Factor struct {
	Spectrum
	Taus  [][]radial.Part // the distributions of τ, one for each kernel of a radial product; nil if it can only be sampled
	Warps []warp.Warp     // in front of it, the innermost first
}

// WithLaw returns a radial spectrum with the distribution of its τ.
func (s Spectrum) WithLaw(p radial.Part) Spectrum {
	s.Laws = []radial.Part{p}
	return s
}

// mixedLaws returns the distribution of τ of a sum of kernels, or nil if the distribution for a
// part is unknown.
func mixedLaws(parts []Spectrum, mass float64) (all []radial.Part) {
	for _, p := range parts {
		if p.Laws == nil || mass == 0 {
			return nil
		}
		for _, l := range p.Laws {
			l.P *= p.Mass / mass
			all = append(all, l)
		}
	}
	return all
}

// AllFactors returns the addends of frequencies: the factors of a product, and otherwise the spectrum
// itself.
func (s Spectrum) AllFactors() []Factor {
	switch {
	case s.factors != nil:
		return s.factors
	case s.Laws != nil:
		return []Factor{{Spectrum: s, Taus: [][]radial.Part{s.Laws}}}
	}
	return []Factor{{Spectrum: s}}
}

// factorsBehind returns the factors of k(Ax, Ay).
func (s Spectrum) factorsBehind(w warp.Warp) (all []Factor) {
	for _, f := range s.AllFactors() {
		f.Warps = append(slices.Clone(f.Warps), w)
		all = append(all, f)
	}
	return all
}

// factorsOf returns the factors of a product. Its radial factors without warps are one factor.
func factorsOf(parts []Spectrum) (all []Factor) {
	first := -1
	for _, p := range parts {
		for _, f := range p.AllFactors() {
			switch {
			case f.Constant:
			case f.Taus != nil && f.Warps == nil && first >= 0:
				all[first].Taus = slices.Concat(all[first].Taus, f.Taus)
			default:
				if f.Taus != nil && f.Warps == nil {
					first = len(all)
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// fixedLaw returns the distribution of a constant τ.
func fixedLaw(tau float64) []radial.Part { return []radial.Part{radial.Fixed(1, tau)} }

// Coordinates returns the number of coordinates for one factor of a kernel on R^dim: one for each random τ, then one
// for each coordinate of the normal vector.
func (f *Factor) Coordinates(dim int) (n int) {
	if f.Taus == nil {
		return 0
	}
	for _, law := range f.Taus {
		if !IsFixed(law) {
			n++
		}
	}
	return n + f.InnerDim(dim)
}

// InnerDim returns the dimension behind the warps of a factor.
func (f *Factor) InnerDim(dim int) int {
	for i := len(f.Warps) - 1; i >= 0; i-- {
		dim = f.Warps[i].Dim(dim)
	}
	return dim
}

// IsFixed tells whether τ is constant.
func IsFixed(law []radial.Part) bool { return len(law) == 1 && law[0].Power == 0 }
