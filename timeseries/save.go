// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-0f95ebc1/featuremap"
)

// Maps are saved as a line with their name and version, unsigned integers and floating-point numbers, all of 8 bytes in little-endian
// order. Kernels and channels are drawn again.
const (
	miniRocketName = "timeseries.MiniRocket"
	hydraName      = "timeseries.Hydra"
	version        = " 1\n"
)

func init() {
	featuremap.Register(miniRocketName, &MiniRocket{})
	featuremap.Register(hydraName, &Hydra{})
}

// MarshalBinary returns the map for UnmarshalBinary: its shape, seed, biases and scales. To write a file with a
// checksum, use featuremap.Encode. It returns an error if the map is a zero value.
func (m *MiniRocket) MarshalBinary() ([]byte, error) {
	return m.marshal(miniRocketName, m.seed, m.biases, m.scales)
}

// UnmarshalBinary sets the map to the one that MarshalBinary wrote, and leaves it as it was on an error. It returns an
// error if data is not from a MiniRocket of this version, or if a number in it is out of range. It takes memory in
// proportion to the length of data.
func (m *MiniRocket) UnmarshalBinary(data []byte) error {
	d, err := parse(miniRocketName, data)
	if err != nil {
		return err
	}
	out := len(d.numbers) / 2
	if len(d.numbers) != 2*out || out < kernels || out%kernels != 0 || out > maxFeatures {
		return refused(miniRocketName, "%d numbers of %d features: must be two of each, and features a multiple of %d, and at most %d", len(d.numbers), out, kernels, maxFeatures)
	}
	biases, scales := d.numbers[:out], d.numbers[out:]
	for j := range out {
		if !(math.Abs(biases[j]) <= math.MaxFloat64) || !(scales[j] >= 0 && scales[j] <= math.MaxFloat64) {
			return refused(miniRocketName, "feature %d has the bias %v and the scale %v: must be finite, the scale at least 0", j, biases[j], scales[j])
		}
	}
	read := newMiniRocket(d.shape, out/kernels, d.seed)
	read.biases, read.scales = biases, scales
	read.setLimits()
	*m = *read
	m.rowMap.features = m.features
	return nil
}

// MarshalBinary returns the map for UnmarshalBinary: its shape, seed, margins, means and divisors. To write a file with a
// checksum, use featuremap.Encode. It returns an error if the map is a zero value.
func (m *Hydra) MarshalBinary() ([]byte, error) {
	return m.marshal(hydraName, m.seed, m.margins, m.means, m.divisors)
}

// UnmarshalBinary sets the map to the one that MarshalBinary wrote, and leaves it as it was on an error. It returns an
// error if data is not from a Hydra of this version, or if a number in it is out of range. It takes memory in
// proportion to the length of data.
func (m *Hydra) UnmarshalBinary(data []byte) error {
	d, err := parse(hydraName, data)
	if err != nil {
		return err
	}
	out, channels := hydraDilations(d.length)*hydraFeatures, d.shape.channels
	if want := channels + 2*out; len(d.numbers) != want {
		return refused(hydraName, "%d numbers for %v: must be %d", len(d.numbers), d.shape, want)
	}
	margins, means, divisors := d.numbers[:channels], d.numbers[channels:][:out], d.numbers[channels+out:]
	for c, v := range margins {
		if !(v >= 0 && v <= maxValue) {
			return refused(hydraName, "channel %d has the margin %v: must be finite and at least 0", c, v)
		}
	}
	for j := range out {
		if !(math.Abs(means[j]) <= math.MaxFloat64) || !(divisors[j] > 0) {
			return refused(hydraName, "feature %d has the mean %v and the divisor %v: the mean must be finite, the divisor above 0", j, means[j], divisors[j])
		}
	}
	read := newHydra(d.shape, d.seed)
	read.setMargins(margins)
	read.means, read.divisors = means, divisors
	*m = *read
	m.rowMap.features = m.features
	return nil
}

// marshal returns the line of a name, the shape, the seed and numbers.
func (m *rowMap) marshal(name string, seed uint64, numbers ...[]float64) ([]byte, error) {
	if m.out == 0 {
		return nil, errors.New("timeseries: a zero value, which is no map, cannot be saved")
	}
	b := []byte(name + version)
	for _, v := range []uint64{uint64(m.length), uint64(m.shape.channels), seed} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, v := range slices.Concat(numbers...) {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b, nil
}

// contents are what marshal has written.
type contents struct {
	shape
	seed    uint64
	numbers []float64
}

// parse returns the contents of data, with a shape that a map may have.
func parse(name string, data []byte) (*contents, error) {
	rest, ok := bytes.CutPrefix(data, []byte(name+version))
	const header = 3 * 8
	if !ok || len(rest) < header || (len(rest)-header)%8 != 0 {
		return nil, refused(name, "%d bytes that are none of version%.2s", len(data), version)
	}
	next := func() (v uint64) {
		v, rest = binary.LittleEndian.Uint64(rest), rest[8:]
		return v
	}
	length, channels, seed := next(), next(), next()
	const most = math.MaxInt32
	if length < minLength || length > most || channels < 1 || channels > most/length {
		return nil, refused(name, "series of %d values in each of %d channels: must have at least %d, and %d in all at most", length, channels, minLength, most)
	}
	d := &contents{shape: shape{int(length), int(channels)}, seed: seed, numbers: make([]float64, len(rest)/8)}
	for i := range d.numbers {
		d.numbers[i] = math.Float64frombits(next())
	}
	return d, nil
}

// refused returns an error of UnmarshalBinary.
func refused(name, format string, args ...any) error {
	return fmt.Errorf("timeseries: data of a "+strings.TrimPrefix(name, "timeseries.")+": "+format, args...)
}
