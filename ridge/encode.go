// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"io"
	"math"
)

// The binary form of an accumulator, of which no release promises that a later one reads it:
//
//	magic      a line of text
//	header     in, out, targets, rows: 8 bytes each, little-endian
//	identity   of the map, 32 bytes
//	shift      a float64 for each target, little-endian bits
//	sums       column after column of [features, targets, 1], the elements down to the diagonal, in the same way
//	checksum   SHA-256 of all that comes before
const magic = "featuremap ridge accumulator, version 0 (no promise)\n"

const (
	headerSize = 4 * 8
	prefixSize = len(magic) + headerSize + sha256.Size
)

var (
	_ encoding.BinaryMarshaler   = (*Accumulator)(nil)
	_ encoding.BinaryUnmarshaler = (*Accumulator)(nil)
	_ io.WriterTo                = (*Accumulator)(nil)
	_ io.ReaderFrom              = (*Accumulator)(nil)
)

// MarshalBinary returns what WriteTo writes.
func (a *Accumulator) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	if a.sums != nil {
		size, _ := encodedSize(a.out, a.targets)
		b.Grow(int(size))
	}
	if _, err := a.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// encodedSize returns the number of bytes of an accumulator of so many features and targets, and whether it is below
// 2⁶².
func encodedSize(out, targets int) (size int64, ok bool) {
	n := float64(out) + float64(targets) + 1
	if n > 1<<29 {
		return 0, false
	}
	c := int64(out) + int64(targets) + 1
	return int64(prefixSize) + 8*(int64(targets)+c*(c+1)/2) + sha256.Size, true
}

// WriteTo writes the rows so far, as sums, and an identity of the map, to w. The bytes are the same on every
// machine. The map is not among them: ReadFrom gives an accumulator that can be merged into one of the same map.
//
// The format may change with the next release. It returns an error if the accumulator is a zero value, and that of w.
func (a *Accumulator) WriteTo(w io.Writer) (n int64, err error) {
	if a.sums == nil {
		return 0, errZero
	}
	a.flush()
	counted := &counter{w: w}
	buffered := bufio.NewWriterSize(counted, 1<<16)
	sum := sha256.New()
	e := encoder{w: io.MultiWriter(buffered, sum)}
	e.bytes([]byte(magic))
	for _, v := range []int{a.in, a.out, a.targets, a.rows} {
		e.bytes(binary.LittleEndian.AppendUint64(nil, uint64(v)))
	}
	e.bytes(a.identity[:])
	e.floats(a.shift)
	column := make([]float64, a.sums.Dim())
	for j := range column {
		a.sums.Column(column, j)
		e.floats(column[:j+1])
	}
	e.bytes(sum.Sum(nil))
	if e.err == nil {
		e.err = buffered.Flush()
	}
	return counted.n, e.err
}

// A counter counts the bytes that are written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// An encoder writes until there is an error.
type encoder struct {
	w   io.Writer
	buf []byte
	err error
}

func (e *encoder) bytes(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

func (e *encoder) floats(v []float64) {
	e.buf = e.buf[:0]
	for _, v := range v {
		e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v))
	}
	e.bytes(e.buf)
}
