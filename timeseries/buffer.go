// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries

import (
	"github.com/seed-0f95ebc1/featuremap/internal/convolve"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// A buffer is the memory of a goroutine, with the series that it convolves.
type buffer struct {
	reader    rows.Reader
	scattered []float64 // a row given as a list

	row []float64 // channels one after the other

	// series is the series, or the sum of some channels, with zeros before and after it; tripled is three times that.
	series, tripled []float64
	length, pad     int // of the series; the zeros before it
	room            int // largest length with enough zeros around it
	sums            []float64
	dilation        int
	pair            []float64

	counts    []int64
	responses convolve.Responses
}

// best is the tier of all loops.
var best = tier.Best()

// load sets the series to the sum of some channels of the row; nil: the only channel. There are enough zeros for
// dilations up to most.
func (b *buffer) load(of shape, channels []int, most int) {
	b.length = of.length
	if pad := convolve.Taps / 2 * most; pad != b.pad || of.length != b.room {
		n := pad + of.length + pad + convolve.Room(1)
		b.series, b.tripled = grown(b.series, n), grown(b.tripled, n)
		clear(b.series)
		clear(b.tripled)
		b.pad, b.room = pad, of.length
	}
	to := b.series[b.pad:][:b.length]
	if channels == nil {
		copy(to, b.row)
		return
	}
	copy(to, b.row[channels[0]*of.length:])
	for _, c := range channels[1:] {
		for p, v := range b.row[c*of.length:][:of.length] {
			to[p] += v
		}
	}
}

// difference replaces the series by its differences, one value fewer.
func (b *buffer) difference() {
	b.length--
	to := b.series[b.pad:]
	for p := range b.length {
		to[p] = to[p+1] - to[p]
	}
	to[b.length] = 0
}

// triple sets tripled.
func (b *buffer) triple() {
	to := b.tripled[b.pad:]
	for p, v := range b.series[b.pad:][:b.length] {
		to[p] = 3 * v
	}
}

// tap returns the values of a padded series that tap j of a kernel sees, from the first position on.
func (b *buffer) tap(of []float64, j int) []float64 {
	return of[b.pad+(j-convolve.Taps/2)*b.dilation:]
}

// dilate sets the dilation, and adds up all taps at each position.
func (b *buffer) dilate(d int) {
	b.dilation = d
	b.sums = grown(b.sums, convolve.Room(b.length))
	convolve.Sums(best, b.sums, b.tap(b.series, 0), b.length, d)
}

// begin sets pair to the contribution of two of the three taps of weight 2, and of weights −1 at all nine taps, to each
// convolution: three times the two, minus the sum of all.
func (b *buffer) begin(i, j int) {
	b.pair = grown(b.pair, b.length+convolve.Room(1))
	convolve.Pairs(best, b.pair, b.tap(b.tripled, i), b.tap(b.tripled, j), b.sums, b.length)
}
