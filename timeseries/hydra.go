// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries

import (
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/convolve"
)

// Hydra is the feature map of competing random convolutions by Dempster, Schmidt and Webb (2023, "Hydra: competing
// convolutional kernels for fast and accurate time series classification"). Make one with NewHydra.
//
// At each dilation 1, 2, 4, …, up to (L − 1)/8, there are 32 groups of 8 random kernels for the series, and 32 for the
// differences of its values. Each kernel has two features. At each position of the series, the kernel with the largest
// response in its group adds that response to its first feature, and the kernel with the smallest response adds 1 to
// its second one: 1,024 features a dilation. A sum s becomes z = √max(s, 0), and the features are
//
//	φ(x) = (z − μ)/(σ + ζ⁴ + 1e-8), and 0 where z is 0
//
// with the mean μ, the standard deviation σ and the share of zeros ζ over the rows that the map was made from; where σ and
// ζ are 0, so is the feature. Where series are flat all responses are 0, and rounding must not choose among them: the
// response of kernel k, counted from 0, loses kε, and a sum of at most ε a position is 0, with ε = 2⁻³⁷ of the rows'
// magnitude.
type Hydra struct {
	rowMap
	seed      uint64 // of kernels and channels
	dilations int
	groups    []competition

	margins         []float64 // of channels
	means, divisors []float64
}

// A competition is a group of kernels at a dilation.
type competition struct {
	weights  convolve.Weights
	channels []int                   // nil: the only one
	starts   [convolve.Group]float64 // of responses: −kε
}

const (
	competitions  = 32 // groups on the series, and on its differences
	groupFeatures = 2 * convolve.Group
	hydraFeatures = 2 * competitions * groupFeatures // of a dilation
)

// NewHydra returns a Hydra with 1,024 features for each of its ⌊log₂((L − 1)/8)⌋ + 1 dilations. Each row of x, n×(C·L),
// holds C channels of L values, one channel after the other: Options.Channels sets C, which is 1 with nil opts. With
// several channels, each group of kernels sees the sum of min(max(⌊C/2⌋, 2), 8) random ones. The rows of x determine
// the scales of the features. A nil s is NewSampler(0).
//
// It returns an error if x is nil or has fewer than 2 rows, if L is below 9, if the number of columns is not a multiple
// of C, if a value is not finite or beyond 1e300 (with its row and column), and if s is the zero value. It takes one
// Split of s, or nothing on an error.
func NewHydra(x mat.Matrix, s *featuremap.Sampler, opts *Options) (*Hydra, error) {
	of, s, err := start(x, s, opts)
	if err != nil {
		return nil, err
	}
	m := newHydra(of, s.Split().Uint64())
	m.setMargins(of.margins(x))
	seen := m.momentsOf(x, m.compete)
	m.means, m.divisors = seen.means, make([]float64, m.out)
	for j := range m.divisors {
		zeros := seen.none[j] / seen.n
		square := float64(zeros * zeros)
		if m.divisors[j] = seen.deviation(j) + float64(square*square) + 1e-8; seen.squares[j] == 0 && seen.none[j] == 0 {
			m.divisors[j] = math.Inf(1)
		}
	}
	return m, nil
}

// newHydra returns a map with kernels, but without margins, means and divisors.
func newHydra(of shape, seed uint64) *Hydra {
	m := &Hydra{rowMap: rowMap{shape: of}, seed: seed, dilations: hydraDilations(of.length)}
	m.out = m.dilations * hydraFeatures
	m.rowMap.features = m.features
	s := featuremap.NewSampler(seed)
	kernels, channels := s.Split(), s.Split()
	m.groups = make([]competition, 2*competitions*m.dilations)
	for i := range m.groups {
		drawKernels(&m.groups[i].weights, kernels)
		if of.channels > 1 {
			for range min(max(of.channels/2, 2), 8) {
				m.groups[i].channels = append(m.groups[i].channels, channels.IntN(of.channels))
			}
		}
	}
	return m
}

// setMargins sets the margins of channels, and what responses start from.
func (m *Hydra) setMargins(margins []float64) {
	m.margins = margins
	for i := range m.groups {
		g := &m.groups[i]
		for k := range g.starts {
			g.starts[k] = -float64(k) / 4 * marginOf(margins, g.channels) // kernels weigh a value by less than those of MiniRocket
		}
	}
}

// hydraDilations returns ⌊log₂((L − 1)/8)⌋ + 1.
func hydraDilations(length int) int { return bits.Len(uint(length-1) / 8) }

// drawKernels draws the weights of a group: centered normal numbers, divided by the sum of their magnitudes.
func drawKernels(w *convolve.Weights, s *featuremap.Sampler) {
	var kernel [convolve.Taps]float64
	for k := range convolve.Group {
		s.FillNormal(kernel[:])
		var mean, sum float64
		for _, v := range kernel {
			mean += v
		}
		mean /= convolve.Taps
		for j := range kernel {
			kernel[j] -= mean
			sum += math.Abs(kernel[j])
		}
		for j, v := range kernel {
			w[convolve.Group*j+k] = v / sum
		}
	}
}

// features sets dst to the features of the row in b.
func (m *Hydra) features(dst []float64, b *buffer) {
	m.compete(dst, b)
	for j, v := range dst {
		if v != 0 {
			dst[j] = (v-m.means[j])/m.divisors[j] + 0 // not −0
		}
	}
}

// compete sets dst to the roots of the sums of largest responses, and of the numbers of smallest ones: for each
// dilation the features of the series, then those of its differences, one group after the other.
func (m *Hydra) compete(dst []float64, b *buffer) {
	most := 1 << (m.dilations - 1)
	for differences := range 2 {
		if m.channels == 1 {
			m.load(b, nil, most, differences)
		}
		for i := range m.dilations {
			for g := range competitions {
				at := (2*i+differences)*competitions + g
				of := &m.groups[at]
				if m.channels > 1 {
					m.load(b, of.channels, most, differences)
				}
				b.dilation = 1 << i
				b.responses.Of(best, b.tap(b.series, 0), b.length, b.dilation, &of.weights, &of.starts)
				to := dst[at*groupFeatures:][:groupFeatures]
				least := -of.starts[1] * float64(b.length)
				for k := range convolve.Group {
					to[k] = 0
					if s := b.responses.Most[k]; s > least {
						to[k] = math.Sqrt(s)
					}
					to[convolve.Group+k] = math.Sqrt(b.responses.Least[k])
				}
			}
		}
	}
}

// load makes the series in b some channels of its row, or its differences.
func (m *Hydra) load(b *buffer, channels []int, most, differences int) {
	if b.load(m.shape, channels, most); differences == 1 {
		b.difference()
	}
}

// Kernel returns featuremap.FromMap of the map; nil for a zero value.
func (m *Hydra) Kernel() featuremap.Kernel {
	if m.out == 0 {
		return nil
	}
	return featuremap.FromMap(m)
}

// String returns the number of features, of dilations and of values in a row.
func (m *Hydra) String() string { return m.describe("Hydra", fmt.Sprintf("%d dilations", m.dilations)) }
