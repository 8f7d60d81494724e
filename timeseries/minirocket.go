// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/convolve"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// MiniRocket is the feature map of random convolutions by Dempster, Schmidt and Webb (2021, "MiniRocket: a very fast
// (almost) deterministic transform for time series classification"). Make one with NewMiniRocket.
//
// It has 84 kernels, with three weights 2 and six weights −1. For each kernel, at each of up to 32 dilations d, a
// feature is the share of positions p at which the convolution is strictly above a bias b:
//
//	φ(x) = #{p : Σⱼ wⱼ·x[p + (j − 4)d] > b}/#{p}/σ
//
// where σ is the standard deviation of the share over the rows that the map was made from; where σ is 0, so is the
// feature. Biases are quantiles of convolutions of these rows plus ε, 2⁻³⁵ of the rows' magnitude, so that where series
// are flat, convolutions that differ by rounding alone are on one side. At each dilation every other kernel takes all
// positions, with zeros beyond the ends of the series. The others take only the positions where the kernel lies within
// the series.
type MiniRocket struct {
	rowMap
	perKernel int    // features of a kernel
	seed      uint64 // of the choice of channels and rows
	dilations []dilation
	channels  [][]int // for each dilation and kernel; nil if there is one

	biases, scales []float64
	limits         []float64 // biases of each dilation and kernel, padded with +Inf to a multiple of convolve.Limits
}

// A dilation is one of a MiniRocket, with how many biases each kernel has there.
type dilation struct{ d, biases int }

const (
	kernels      = 84 // ways to choose three taps of nine
	maxDilations = 32
	maxFeatures  = 1 << 24
)

// kernelTaps are the taps of weight 2 of each kernel.
var kernelTaps = func() (all [][3]int) {
	for a := range convolve.Taps {
		for b := a + 1; b < convolve.Taps; b++ {
			for c := b + 1; c < convolve.Taps; c++ {
				all = append(all, [3]int{a, b, c})
			}
		}
	}
	return all
}()

// NewMiniRocket returns a MiniRocket. The number of features is rounded down to a multiple of 84; 9,996 is the usual
// number. Each row of x, n×(C·L), holds C channels of L values, one channel after the other: Options.Channels sets C,
// which is 1 with nil opts. Random rows of x determine the biases, and all rows the scales. A nil s is NewSampler(0).
//
// It returns an error if features is below 84 or above 2²⁴, if x is nil or has fewer than 2 rows, if L is below 9, if
// the number of columns is not a multiple of C, if a value is not finite or beyond 1e300 (with its row and column), and
// if s is the zero value. It takes one Split of s, or nothing on an error.
func NewMiniRocket(x mat.Matrix, features int, s *featuremap.Sampler, opts *Options) (*MiniRocket, error) {
	of, s, err := start(x, s, opts)
	if err != nil {
		return nil, err
	}
	if features < kernels || features > maxFeatures {
		return nil, fmt.Errorf("timeseries: features = %d: must be from %d to %d", features, kernels, maxFeatures)
	}
	m := newMiniRocket(of, features/kernels, s.Split().Uint64())
	m.biases = make([]float64, m.out)
	m.drawBiases(x, of.margins(x))
	m.setLimits()
	counted := m.momentsOf(x, m.count)
	m.scales = make([]float64, m.out)
	for j := range m.scales {
		if d := counted.deviation(j); d > 0 {
			m.scales[j] = 1 / d
		}
	}
	return m, nil
}

// newMiniRocket returns a map without biases and scales.
func newMiniRocket(of shape, perKernel int, seed uint64) *MiniRocket {
	m := &MiniRocket{rowMap: rowMap{shape: of, out: kernels * perKernel}, perKernel: perKernel, seed: seed}
	m.rowMap.features = m.features
	m.dilations = dilationsOf(of.length, perKernel)
	if of.channels > 1 {
		m.chooseChannels()
	}
	return m
}

// samplers returns the samplers that choose channels, and rows for biases.
func (m *MiniRocket) samplers() (channels, rows *featuremap.Sampler) {
	s := featuremap.NewSampler(m.seed)
	return s.Split(), s.Split()
}

// dilationsOf returns the dilations for series of a length: ⌊2^e⌋ for exponents e evenly spaced from 0 to log₂((L −
// 1)/8). A dilation shared by several exponents gets as many shares of the n biases of a kernel, rounded down; the rest
// goes to the first dilations.
func dilationsOf(length, n int) (all []dilation) {
	exponents := min(maxDilations, n)
	left := n
	for i := range exponents {
		d := power(length, i, max(exponents-1, 1))
		if len(all) == 0 || all[len(all)-1].d != d {
			all = append(all, dilation{d: d})
		}
		all[len(all)-1].biases++ // exponents, for now
	}
	for i := range all {
		all[i].biases = all[i].biases * n / exponents
		left -= all[i].biases
	}
	for i := range left {
		all[i%len(all)].biases++
	}
	return all
}

// power returns ⌊((L − 1)/8)^(i/n)⌋ for L ≥ 9, exactly: the largest d with dⁿ·8ⁱ ≤ (L − 1)ⁱ.
func power(length, i, n int) int {
	exp := func(base, e int) *big.Int {
		return new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(e)), nil)
	}
	most, eights := exp(length-1, i), exp(8, i)
	lo, hi := 1, (length-1)/8+1 // lo is small enough, hi too large
	for hi-lo > 1 {
		d := lo + (hi-lo)/2
		if p := exp(d, n); p.Mul(p, eights).Cmp(most) <= 0 {
			lo = d
		} else {
			hi = d
		}
	}
	return lo
}

// chooseChannels draws the channels for each dilation and kernel: ⌊2^u⌋ of C without replacement, u uniform on
// [0, log₂(min(C, 9) + 1)).
func (m *MiniRocket) chooseChannels() {
	s, _ := m.samplers()
	m.channels = make([][]int, len(m.dilations)*kernels)
	most := min(m.shape.channels, convolve.Taps)
	for i := range m.channels {
		u, n := s.Float64(), 1
		for n < most && detmath.Log(float64(n+1)) <= float64(u*detmath.Log(float64(most+1))) {
			n++
		}
		m.channels[i] = sample(s, m.shape.channels, n)
	}
}

// sample returns k different numbers below n, in ascending order, each set with equal probability (Floyd's algorithm:
// Bentley and Floyd 1987, "A sample of brilliance").
func sample(s *featuremap.Sampler, n, k int) []int {
	var chosen []int
	for j := n - k; j < n; j++ {
		c := s.IntN(j + 1)
		if slices.Contains(chosen, c) {
			c = j
		}
		chosen = append(chosen, c)
	}
	slices.Sort(chosen)
	return chosen
}

// channelsOf returns the channels of a kernel at a dilation, both by number; nil if there is one channel.
func (m *MiniRocket) channelsOf(dilation, kernel int) []int {
	if m.channels == nil {
		return nil
	}
	return m.channels[dilation*kernels+kernel]
}

// mostDilation returns the largest dilation.
func (m *MiniRocket) mostDilation() int { return m.dilations[len(m.dilations)-1].d }

// drawBiases sets biases: for each kernel at each dilation quantiles of the convolution of a random row of x, as order
// statistics, plus the margins of its channels. The levels of the quantiles are the fractional parts of iφ, φ = (1 +
// √5)/2, for i from 1 through all features.
func (m *MiniRocket) drawBiases(x mat.Matrix, margins []float64) {
	_, s := m.samplers()
	n, _ := x.Dims()
	b := buffers.Get().(*buffer)
	b.reader.Reset(x)
	values := make([]float64, m.length)
	feature := 0
	for i, d := range m.dilations {
		for k, taps := range kernelTaps {
			b.row = b.read(s.IntN(n))
			b.load(m.shape, m.channelsOf(i, k), m.mostDilation())
			b.triple()
			b.dilate(d.d)
			b.begin(taps[0], taps[1])
			last := b.tap(b.tripled, taps[2])
			for p := range values {
				values[p] = b.pair[p] + last[p]
			}
			slices.Sort(values)
			margin := marginOf(margins, m.channelsOf(i, k))
			for range d.biases {
				const phi = (1 + 2.236067977499789696) / 2
				level := float64(float64(feature+1) * phi)
				level -= math.Floor(level)
				m.biases[feature] = values[min(int(level*float64(m.length)), m.length-1)] + margin
				feature++
			}
		}
	}
	b.row = nil
	b.reader.Reset(nil)
	buffers.Put(b)
}

// setLimits sets limits to the biases.
func (m *MiniRocket) setLimits() {
	biases := m.biases
	for _, d := range m.dilations {
		for range kernels {
			m.limits = append(m.limits, biases[:d.biases]...)
			for len(m.limits)%convolve.Limits != 0 {
				m.limits = append(m.limits, math.Inf(1))
			}
			biases = biases[d.biases:]
		}
	}
}

// features sets dst to the features of the row in b.
func (m *MiniRocket) features(dst []float64, b *buffer) {
	m.count(dst, b)
	for j, c := range m.scales {
		dst[j] *= c
	}
}

// count sets dst to the shares of positions above biases.
func (m *MiniRocket) count(dst []float64, b *buffer) {
	limits := m.limits
	for i, d := range m.dilations {
		if m.channels == nil && i == 0 {
			b.load(m.shape, nil, m.mostDilation())
			b.triple()
		}
		if m.channels == nil {
			b.dilate(d.d)
		}
		together := (d.biases + convolve.Limits - 1) / convolve.Limits * convolve.Limits
		b.counts = slices.Grow(b.counts[:0], together)[:together]
		for k, taps := range kernelTaps {
			if m.channels != nil {
				b.load(m.shape, m.channelsOf(i, k), m.mostDilation())
				b.triple()
				b.dilate(d.d)
			}
			if m.channels != nil || k == 0 || kernelTaps[k-1][1] != taps[1] || kernelTaps[k-1][0] != taps[0] {
				b.begin(taps[0], taps[1])
			}
			at, n := 0, m.length
			if (i+k)%2 == 1 { // only positions whose taps are all within the series
				at, n = convolve.Taps/2*d.d, m.length-(convolve.Taps-1)*d.d
			}
			convolve.Count(best, b.counts, b.pair[at:], b.tap(b.tripled, taps[2])[at:], n, limits[:together])
			for j, c := range b.counts[:d.biases] {
				dst[j] = float64(c) / float64(n)
			}
			dst, limits = dst[d.biases:], limits[together:]
		}
	}
}

// Kernel returns featuremap.FromMap of the map; nil for a zero value.
func (m *MiniRocket) Kernel() featuremap.Kernel {
	if m.out == 0 {
		return nil
	}
	return featuremap.FromMap(m)
}

// String returns the number of features, of dilations and of values in a row.
func (m *MiniRocket) String() string {
	return m.describe("MiniRocket", fmt.Sprintf("%d dilations", len(m.dilations)))
}
