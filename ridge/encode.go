// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"bufio"
	"bytes"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/probe"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// The files of accumulators and models are those of package sealed. An accumulator's arrays are the shift, one number a
// target, and the sums, column after column of [features, targets, 1], the elements down to the diagonal.

// An accumulatorDocument is all but the numbers.
type accumulatorDocument struct {
	In       int    `json:"in"`
	Features int    `json:"features"`
	Targets  int    `json:"targets"`
	Rows     int    `json:"rows"`
	Map      string `json:"map"` // the identity: the SHA-256 of some features
}

const accumulatorFile = "ridge accumulator"

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
		b.Grow(8*triangle(a.sums.Dim()) + 1<<10)
	}
	if _, err := a.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// triangle returns the number of elements of n columns down to the diagonal.
func triangle(n int) int { return n * (n + 1) / 2 }

// WriteTo writes the rows so far, as sums, and an identity of the map, to w. The bytes are the same on every
// machine, and later releases read them. The map is not among them: ReadFrom gives an accumulator that can be merged into
// one of the same map.
//
// It returns an error if the accumulator is a zero value, and that of w.
func (a *Accumulator) WriteTo(w io.Writer) (n int64, err error) {
	if a.sums == nil {
		return 0, errZero
	}
	a.flush()
	document, err := json.Marshal(accumulatorDocument{a.in, a.out, a.targets, a.rows, hex.EncodeToString(a.identity[:])})
	if err != nil {
		return 0, fmt.Errorf("ridge: %w", err)
	}
	return write(w, accumulatorFile, document, nil, []int{a.targets, triangle(a.sums.Dim())}, func(f *sealed.Writer) {
		f.Floats(a.shift)
		column := make([]float64, a.sums.Dim())
		for j := range column {
			a.sums.Column(column, j)
			f.Floats(column[:j+1])
		}
	})
}

// write writes a file, whose arrays floats writes. It returns the number of bytes that w took.
func write(w io.Writer, kind string, document, file []byte, sizes []int, floats func(f *sealed.Writer)) (int64, error) {
	counted := &counter{w: w}
	buffered := bufio.NewWriterSize(counted, 1<<16)
	f := sealed.NewWriter(buffered, kind, document, file, sizes)
	floats(f)
	_, err := f.Close()
	if err == nil {
		err = buffered.Flush()
	}
	return counted.n, err
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

// UnmarshalBinary makes a the accumulator that MarshalBinary wrote, without a map: see ReadFrom.
func (a *Accumulator) UnmarshalBinary(data []byte) error {
	_, err := a.ReadFrom(bytes.NewReader(data))
	return err
}

// ReadFrom makes a the accumulator that WriteTo wrote to r, which it reads to the end. It has no map: its Add and Fit
// return errors. To go on with it, Merge it into a new accumulator of the same map, which copies its bits.
//
// It takes memory in proportion to the data that it gets, whatever that is. It returns an error, and leaves a as it is,
// if a byte was changed, if data is missing or left, if a number is not finite or larger than the sums of so many rows
// can be, if the sums do not fit in memory, and that of r.
func (a *Accumulator) ReadFrom(r io.Reader) (n int64, err error) {
	f, err := sealed.NewReader(r, accumulatorFile, math.MaxInt64)
	if err != nil {
		return f.Read(), fmt.Errorf("ridge: %w", err)
	}
	b, err := readAccumulator(f)
	if err == nil {
		*a = *b
	}
	return f.Read(), err
}

// readAccumulator reads the numbers of an accumulator.
func readAccumulator(f *sealed.Reader) (*Accumulator, error) {
	var d accumulatorDocument
	if err := unmarshal(f.Document, &d); err != nil {
		return nil, err
	}
	a := &Accumulator{in: d.In, out: d.Features, targets: d.Targets, rows: d.Rows}
	id, err := hex.DecodeString(d.Map)
	if err != nil || len(id) != len(a.identity) {
		return nil, fmt.Errorf("ridge: the data has the map %.80q: must be a SHA-256", d.Map)
	}
	copy(a.identity[:], id)
	if a.in < 1 || a.out < 1 || a.rows < 0 || a.rows > maxRows {
		return nil, fmt.Errorf("ridge: the data is of %d rows, %d coordinates and %d features", a.rows, a.in, a.out)
	}
	if err := validateSize(a.out, a.targets); err != nil {
		return nil, err
	}
	n := a.out + a.targets + 1
	if err := validateSizes(f, a.targets, triangle(n)); err != nil {
		return nil, err
	}
	a.shift = f.Floats(a.targets)
	columns := readColumns(f, n)
	if _, err := f.Close(); err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	if err := a.validate(columns); err != nil {
		return nil, err
	}
	a.sums = newMatrix(columns)
	return a, nil
}

// validateSizes refuses a file with other arrays, or with another file in it.
func validateSizes(f *sealed.Reader, want ...int) error {
	if fmt.Sprint(f.Sizes) != fmt.Sprint(want) {
		return fmt.Errorf("ridge: the data has arrays of %d numbers: must be of %d", f.Sizes, want)
	}
	return nil
}

// readColumns reads n columns down to the diagonal.
func readColumns(f *sealed.Reader, n int) (columns [][]float64) {
	for j := 0; j < n && f.Err() == nil; j++ {
		columns = append(columns, f.Floats(j+1))
	}
	return columns
}

// newMatrix returns the matrix of some columns, whose memory it gives back.
func newMatrix(columns [][]float64) *tiled.Matrix {
	m := tiled.New(len(columns))
	for j, c := range columns {
		m.SetColumn(j, c)
		columns[j] = nil
	}
	return m
}

// unmarshal reads a document, which has no other fields than v.
func unmarshal(document []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("ridge: the data has another document: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("ridge: the data has more than one document")
	}
	return nil
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

// MarshalJSON returns an error: the sums are saved by WriteTo or MarshalBinary.
func (a *Accumulator) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: an Accumulator is saved by WriteTo or MarshalBinary, not as JSON")
}

// An identity tells maps apart: the SHA-256 of the features of some points, which are the same for all maps of as many
// coordinates.
type identity [32]byte

// identify returns the identity of a map.
func identify(phi probe.Map) identity { return probe.Sum(probe.Features(phi)) }
