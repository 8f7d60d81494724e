// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

// Stationary kernels are closed under sums, products and compositions, and so are the radial
// ones among them.

// A stationarySum is Σ kᵢ: its spectral measure is a mixture of theirs, by their masses.
type stationarySum struct {
	ks []Stationary
	n  int // kernels in it
}

func (k stationarySum) size() int { return k.n }

type radialSum struct{ stationarySum }

func newStationarySum(ks []Stationary) Kernel {
	k := stationarySum{ks, sizes(ks)}
	if allRadial(ks) {
		return radialSum{k}
	}
	return k
}

func (k stationarySum) Eval(x, y []float64) float64 {
	var sum float64
	for _, k := range k.ks {
		sum += k.Eval(x, y)
	}
	return sum
}

// Mass returns the sum of the masses.
func (k stationarySum) Mass() float64 {
	var sum float64
	for _, k := range k.ks {
		sum += k.Mass()
	}
	return sum
}

// scaled returns c·k, term by term.
func (k stationarySum) scaled(c float64) Kernel {
	ks := make([]Kernel, len(k.ks))
	for i, k := range k.ks {
		ks[i] = Scale(c, k)
	}
	return Sum(ks...)
}

// pick draws a term by its mass.
func (k stationarySum) pick(s *Sampler) Stationary {
	u := float64(s.Float64() * k.Mass())
	for _, k := range k.ks[:len(k.ks)-1] {
		if m := k.Mass(); u < m {
			return k
		} else {
			u -= m
		}
	}
	return k.ks[len(k.ks)-1]
}

// Frequency draws a frequency of a term drawn by its mass.
func (k stationarySum) Frequency(dst []float64, s *Sampler) { k.pick(s).Frequency(dst, s) }

func (k stationarySum) validate(in int) error { return validateAll(k.ks, in) }

// Mixture draws τ of a term drawn by its mass.
func (k radialSum) Mixture(s *Sampler) float64 { return k.pick(s).(Radial).Mixture(s) }

// A stationaryProduct is ∏ kᵢ: its frequencies are sums of theirs.
type stationaryProduct struct {
	ks []Stationary
	n  int // kernels in it
}

func (k stationaryProduct) size() int { return k.n }

type radialProduct struct{ stationaryProduct }

func newStationaryProduct(ks []Stationary) Kernel {
	k := stationaryProduct{ks, sizes(ks)}
	if allRadial(ks) {
		return radialProduct{k}
	}
	return k
}

func (k stationaryProduct) Eval(x, y []float64) float64 {
	p := 1.0
	for _, k := range k.ks {
		p *= k.Eval(x, y)
	}
	return p
}

// Mass returns the product of the masses.
func (k stationaryProduct) Mass() float64 {
	p := 1.0
	for _, k := range k.ks {
		p *= k.Mass()
	}
	return p
}

// Frequency draws the sum of one frequency of each factor.
func (k stationaryProduct) Frequency(dst []float64, s *Sampler) {
	sumFrequencies(dst, s, len(k.ks), func(i int) Stationary { return k.ks[i] })
}

func (k stationaryProduct) validate(in int) error { return validateAll(k.ks, in) }

// Mixture draws the sum of one τ of each factor: given these, the sum of the frequencies is
// normal with the sum of their variances.
func (k radialProduct) Mixture(s *Sampler) float64 {
	var tau float64
	for _, k := range k.ks {
		tau += k.(Radial).Mixture(s)
	}
	return tau
}

// A stationaryComposition is f(k): with m the mass of k, the frequency is the sum of n of k's,
// n with probability aₙmⁿ/f(m).
type stationaryComposition struct {
	f   Series
	k   Stationary
	law degreeDrawer
	n   int // kernels in it
}

func (k stationaryComposition) size() int { return k.n }

type radialComposition struct{ stationaryComposition }

func newStationaryComposition(f Series, k Stationary, law degreeDrawer) Kernel {
	c := stationaryComposition{f, k, law, 1 + sizeOf(k)}
	if allRadial([]Stationary{k}) {
		return radialComposition{c}
	}
	return c
}

func (k stationaryComposition) Eval(x, y []float64) float64 { return k.f.Eval(k.k.Eval(x, y)) }

// Mass returns f(m).
func (k stationaryComposition) Mass() float64 { return k.f.Eval(k.k.Mass()) }

// Frequency draws the sum of a random number of frequencies.
func (k stationaryComposition) Frequency(dst []float64, s *Sampler) {
	sumFrequencies(dst, s, k.law.draw(s), func(int) Stationary { return k.k })
}

func (k stationaryComposition) validate(in int) error { return validateKernel(k.k, in) }

// Mixture draws the sum of a random number of τ.
func (k radialComposition) Mixture(s *Sampler) float64 {
	var tau float64
	for range k.law.draw(s) {
		tau += k.k.(Radial).Mixture(s)
	}
	return tau
}

// sumFrequencies sets dst to the sum of n frequencies.
func sumFrequencies(dst []float64, s *Sampler, n int, of func(i int) Stationary) {
	clear(dst)
	w := make([]float64, len(dst))
	for i := range n {
		of(i).Frequency(w, s)
		for j, v := range w {
			dst[j] += v
		}
	}
}

// allRadial tells whether all of some kernels are radial.
func allRadial(ks []Stationary) bool {
	for _, k := range ks {
		if _, ok := k.(Radial); !ok {
			return false
		}
	}
	return true
}

// validateAll checks kernels.
func validateAll(ks []Stationary, in int) error {
	for _, k := range ks {
		if err := validateKernel(k, in); err != nil {
			return err
		}
	}
	return nil
}
