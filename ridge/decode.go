// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

var (
	errFormat   = errors.New("ridge: the data is no accumulator of this version")
	errChecksum = errors.New("ridge: the data of the accumulator was changed: its checksum is another")
	errTrailing = errors.New("ridge: there is more data than an accumulator")
)

// UnmarshalBinary makes a the accumulator that MarshalBinary wrote, without a map: see ReadFrom.
func (a *Accumulator) UnmarshalBinary(data []byte) error {
	_, err := a.read(bytes.NewReader(data), int64(len(data)))
	return err
}

// ReadFrom makes a the accumulator that WriteTo wrote to r, which it reads to the end. It has no map: its Add and Fit
// return errors. To go on with it, Merge it into a new accumulator of the same map, which copies its bits.
//
// It takes memory in proportion to the data that it gets, whatever that is. It returns an error, and leaves a as it is,
// if a byte was changed, if data is missing or left, if a number is not finite or larger than the sums of so many rows
// can be, if the sums do not fit in memory, and that of r.
func (a *Accumulator) ReadFrom(r io.Reader) (n int64, err error) { return a.read(r, -1) }

// read is ReadFrom; size is the number of bytes there are, if it is known, otherwise −1.
func (a *Accumulator) read(r io.Reader, size int64) (n int64, err error) {
	d := &decoder{r: r, sum: sha256.New()}
	b, err := d.accumulator(size)
	if err == nil {
		*a = *b
	} else if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("ridge: the data of the accumulator ends after %d bytes: %w", d.n, err)
	}
	return d.n, err
}

// accumulator reads all there is.
func (d *decoder) accumulator(size int64) (*Accumulator, error) {
	a, err := d.header(size)
	if err != nil {
		return nil, err
	}
	a.shift = d.floats(a.targets)
	columns := make([][]float64, 0, 16)
	for j := 0; j < a.out+a.targets+1 && d.err == nil; j++ {
		columns = append(columns, d.floats(j+1))
	}
	if d.err != nil {
		return nil, d.err
	}
	want := d.sum.Sum(nil)
	var got [sha256.Size]byte
	if d.bytes(got[:]); d.err != nil {
		return nil, d.err
	}
	if !bytes.Equal(got[:], want) {
		return nil, errChecksum
	}
	switch n, err := io.ReadFull(d.r, d.buf[:1]); {
	case n > 0:
		return nil, errTrailing
	case err != io.EOF:
		return nil, err
	}
	if err := a.validate(columns); err != nil {
		return nil, err
	}
	a.sums = tiled.New(len(columns))
	for j, c := range columns {
		a.sums.SetColumn(j, c)
		columns[j] = nil
	}
	return a, nil
}

// header reads all before the shift. It refuses dimensions that are absurd, or too large for this machine.
func (d *decoder) header(size int64) (*Accumulator, error) {
	var line [len(magic)]byte
	d.bytes(line[:])
	if d.err == nil && string(line[:]) != magic {
		return nil, errFormat
	}
	var fields [4]int
	for i := range fields {
		v := d.integer()
		if fields[i] = int(v); d.err == nil && int64(fields[i]) != v {
			d.err = errFormat
		}
	}
	a := &Accumulator{in: fields[0], out: fields[1], targets: fields[2], rows: fields[3]}
	d.bytes(a.identity[:])
	if d.err != nil {
		return nil, d.err
	}
	if a.in < 1 || a.out < 1 || a.rows > maxRows {
		return nil, errFormat
	}
	want, ok := encodedSize(a.out, a.targets)
	if !ok {
		return nil, errFormat
	}
	if size >= 0 && size != want {
		return nil, fmt.Errorf("ridge: %d bytes are not the data of an accumulator of %d features and %d targets", size, a.out, a.targets)
	}
	return a, validateSize(a.out, a.targets)
}

// validate refuses numbers that no rows have as their sums.
func (a *Accumulator) validate(columns [][]float64) error {
	for t, v := range a.shift {
		if !(math.Abs(v) < targetLimit) || a.rows == 0 && v != 0 {
			return fmt.Errorf("ridge: the data of the accumulator has the shift %v of target %d", v, t)
		}
	}
	one := len(columns) - 1
	for j, column := range columns {
		limit := sumLimit(a.rows, j != one)
		for i, v := range column {
			if !(math.Abs(v) <= limit) || i == j && v < 0 {
				return fmt.Errorf("ridge: the data of the accumulator has the sum %v of columns %d and %d over %d rows", v, i, j, a.rows)
			}
		}
	}
	if n := columns[one][one]; n != float64(a.rows) {
		return fmt.Errorf("ridge: the data of the accumulator has %v ones in %d rows", n, a.rows)
	}
	return nil
}

// sumLimit returns a bound of sums over so many rows: of numbers below tiled.Limit, or of products of two, and twice that
// for rounding.
func sumLimit(rows int, products bool) float64 {
	limit := 2 * float64(rows) * tiled.Limit
	if products {
		limit *= tiled.Limit
	}
	return limit
}

// A decoder reads until there is an error, and sums up what it reads.
type decoder struct {
	r   io.Reader
	sum hash.Hash
	n   int64
	buf [1 << 12]byte
	err error
}

// bytes fills b.
func (d *decoder) bytes(b []byte) {
	if d.err != nil {
		return
	}
	n, err := io.ReadFull(d.r, b)
	d.n += int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	d.err = err
	d.sum.Write(b)
}

// integer reads a header field: an integer below 2⁶².
func (d *decoder) integer() int64 {
	d.bytes(d.buf[:8])
	v := binary.LittleEndian.Uint64(d.buf[:])
	if d.err == nil && v >= 1<<62 {
		d.err = errFormat
	}
	return int64(v)
}

// floats reads n numbers, in room that is no more than some 4 KB and what was read before.
func (d *decoder) floats(n int) (v []float64) {
	v = make([]float64, 0, min(int64(n), d.n/8+int64(len(d.buf)/8)))
	for len(v) < n && d.err == nil {
		b := d.buf[:min(len(d.buf), 8*(n-len(v)))]
		d.bytes(b)
		if d.err != nil {
			break
		}
		for ; len(b) > 0; b = b[8:] {
			v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return v
}
