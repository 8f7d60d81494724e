// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Files of accumulators and models have the format of package sealed. An accumulator's arrays are
//
//   - the shift of features and targets,
//   - the sums, column after column of [features, targets, 1], the elements down to the diagonal,
//   - the least and the largest number of each target,
//   - four arrays of the kept rows, in the order of arrival: the keys, the numbers of entries (−1: all coordinates), the
//     targets row by row, and the coordinates or entries row by row, columns before values,
//   - the weights of the kept rows, if any row has one.

// An accumulatorDocument has all of an accumulator's file but the arrays.
type accumulatorDocument struct {
	In       int    `json:"in"`
	Features int    `json:"features"`
	Targets  int    `json:"targets"`
	Rows     int    `json:"rows"`
	Map      string `json:"map"` // the identity

	Weighted bool `json:"weighted,omitempty"` // rows have weights
	Float32  bool `json:"float32,omitempty"`  // of an Accumulator32

	Diagonal number `json:"diagonal,omitempty"` // Σk(x, x) of landmarks, or Σr(x) of a map with a domain
	Beyond   int    `json:"beyond,omitempty"`   // rows outside of the domain

	ShiftRoot float64 `json:"shiftRoot,omitempty"` // the root of the weight of the row that is the shift, if it is not 1

	Kept keptDocument `json:"kept"`
}

// A keptDocument has all of the kept rows but the arrays.
type keptDocument struct {
	Rows  int    `json:"rows"`
	Bytes int64  `json:"bytes"`          // at most, if Most is not given; 0: none are kept
	Most  int    `json:"most,omitempty"` // rows, if KeepRows was called; else keptMost
	Below uint64 `json:"below"`          // all keys are less
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
		b.Grow(8*triangle(a.out+a.targets+1) + 1<<10)
	}
	if _, err := a.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// triangle returns the number of elements of n columns down to the diagonal.
func triangle(n int) int { return n * (n + 1) / 2 }

// WriteTo writes to w the sums of the rows so far, the kept rows as they are (see KeepRows: the file has rows of data in it),
// and an identity of the map. The bytes are the same on every machine, and later releases read them. The map is not among
// them: ReadFrom gives an accumulator that can be merged into one of the same map.
//
// It returns an error if the accumulator is a zero value, or if w returns one.
func (a *Accumulator) WriteTo(w io.Writer) (n int64, err error) {
	if a.sums == nil {
		return 0, errZero
	}
	hasWeights := a.sums.Weight() != float64(a.Rows()) || weighted(a.kept.rows)
	kept := a.kept.numbers(hasWeights)
	d := accumulatorDocument{a.in, a.out, a.targets, a.Rows(), a.identity().String(),
		hasWeights, a.in32, number(a.diagonal), a.beyond, a.sums.Root(), a.kept.document()}
	if d.ShiftRoot == 1 {
		d.ShiftRoot = 0
	}
	document, err := json.Marshal(d)
	if err != nil {
		return 0, fmt.Errorf("ridge: %w", err)
	}
	sizes := []int{a.out + a.targets, triangle(a.out + a.targets + 1), 2 * a.targets}
	for _, v := range kept {
		sizes = append(sizes, len(v))
	}
	return sealed.Write(w, accumulatorFile, document, nil, sizes, func(f *sealed.Writer) {
		f.Floats(a.sums.Shift())
		for column := range a.sums.Columns() {
			f.Floats(column)
		}
		for _, s := range a.spans {
			f.Floats([]float64{s.least, s.most})
		}
		for _, v := range kept {
			f.Floats(v)
		}
	})
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
// if a byte was changed, if data is missing or left, if a number is not finite or larger than the sums of that number of
// rows can be, if the sums do not fit in memory, or if r returns one.
func (a *Accumulator) ReadFrom(r io.Reader) (n int64, err error) { return a.read(r, false) }

// read is ReadFrom for the file of an accumulator in float32, or in float64.
func (a *Accumulator) read(r io.Reader, in32 bool) (n int64, err error) {
	f, err := sealed.NewReader(r, accumulatorFile, math.MaxInt64)
	if err != nil {
		return f.Read(), fmt.Errorf("ridge: %w", err)
	}
	b, err := readAccumulator(f, in32)
	if err == nil {
		*a = *b
	}
	return f.Read(), err
}

var (
	errIn32 = errors.New("ridge: the data is of an accumulator in float32, which Accumulator32 reads")
	errIn64 = errors.New("ridge: the data is of an accumulator in float64, which Accumulator reads")
)

// readAccumulator returns the accumulator of a file, without a map. It refuses one of the other precision.
func readAccumulator(f *sealed.Reader, in32 bool) (*Accumulator, error) {
	if f.File != nil {
		return nil, errors.New("ridge: the data of the accumulator has another file in it")
	}
	var d accumulatorDocument
	if err := unmarshal(f.Document, &d); err != nil {
		return nil, err
	}
	switch {
	case d.Float32 && !in32:
		return nil, errIn32
	case in32 && !d.Float32:
		return nil, errIn64
	}
	a := &Accumulator{in: d.In, out: d.Features, targets: d.Targets, in32: in32, diagonal: float64(d.Diagonal), beyond: d.Beyond}
	id, err := parseIdentity(d.Map)
	if err != nil {
		return nil, err
	}
	a.identity = func() identity { return id }
	if !(a.diagonal >= 0) {
		return nil, fmt.Errorf("ridge: the data has the sum %v of k(x, x): must be at least 0", a.diagonal)
	}
	if a.beyond < 0 || a.beyond > d.Rows {
		return nil, fmt.Errorf("ridge: the data has %d rows outside of the domain, of %d", a.beyond, d.Rows)
	}
	if a.in < 1 || a.out < 1 || d.Rows < 0 || d.Rows > normal.MaxRows {
		return nil, fmt.Errorf("ridge: the data is of %d rows, %d coordinates and %d features", d.Rows, a.in, a.out)
	}
	if err := validateSize(a.out, a.targets); err != nil {
		return nil, err
	}
	if r := d.ShiftRoot; r != 0 && !(r > 0 && r < tiled.Limit && d.Weighted && d.Rows > 0) {
		return nil, fmt.Errorf("ridge: the data has the root %v of the weight of a row", r)
	}
	n := a.out + a.targets + 1
	if err := d.Kept.validate(f, &d); err != nil {
		return nil, err
	}
	shift := make([]float64, a.out+a.targets)
	copy(shift, f.Floats(a.out+a.targets))
	columns := readColumns(f, n)
	for v := f.Floats(2 * a.targets); len(v) >= 2; v = v[2:] {
		a.spans = append(a.spans, span{v[0], v[1]})
	}
	if a.kept, err = readKept(f, &d); err != nil {
		return nil, err
	}
	if _, err := f.Close(); err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	if err := a.validate(&d, shift, columns); err != nil {
		return nil, err
	}
	a.sums = normal.Restore(a.out, a.targets, d.Rows, shift, d.shiftRoot(), columns)
	return a, nil
}

// shiftRoot returns the root of the weight of the row that is the shift, 0 if there are no rows.
func (d *accumulatorDocument) shiftRoot() float64 {
	if d.ShiftRoot == 0 && d.Rows > 0 {
		return 1
	}
	return d.ShiftRoot
}

// validateSizes refuses a file unless its arrays have the sizes want.
func validateSizes(f *sealed.Reader, want ...int) error {
	if fmt.Sprint(f.Sizes) != fmt.Sprint(want) {
		return fmt.Errorf("ridge: the data has arrays of %d numbers: must be of %d", f.Sizes, want)
	}
	return nil
}

// readColumns reads the columns of an n×n matrix, each down to the diagonal, up to the first error.
func readColumns(f *sealed.Reader, n int) (columns [][]float64) {
	for j := 0; j < n && f.Err() == nil; j++ {
		columns = append(columns, f.Floats(j+1))
	}
	return columns
}

// unmarshal reads a document into the struct that v points to: see sealed.Unmarshal.
func unmarshal(document []byte, v any) error {
	if err := sealed.Unmarshal(document, v); err != nil {
		return fmt.Errorf("ridge: %w", err)
	}
	return nil
}

// validate refuses a shift, spans and columns of sums that no rows have, with that number of rows.
func (a *Accumulator) validate(d *accumulatorDocument, shift []float64, columns [][]float64) error {
	rows := d.Rows
	for j, v := range shift {
		name, limit := fmt.Sprintf("feature %d", j), tiled.Limit
		if j >= a.out {
			name, limit = fmt.Sprintf("target %d", j-a.out), targetLimit
		}
		if !(math.Abs(v) < limit) || rows == 0 && v != 0 {
			return fmt.Errorf("ridge: the data of the accumulator has the shift %v of %s", v, name)
		}
	}
	for t, s := range a.spans {
		first := shift[a.out+t]
		switch {
		case rows == 0 && s == noSpan:
		case !(s.least <= first && first <= s.most && s.least > -targetLimit && s.most < targetLimit):
			return fmt.Errorf("ridge: the data of the accumulator has target %d from %v to %v, and %v in one of the rows", t, s.least, s.most, first)
		}
	}
	one := len(columns) - 1
	for j, column := range columns {
		limit := sumLimit(rows, j != one || d.Weighted)
		for i, v := range column {
			if !(math.Abs(v) <= limit) || i == j && v < 0 {
				return fmt.Errorf("ridge: the data of the accumulator has the sum %v of columns %d and %d over %d rows", v, i, j, rows)
			}
		}
	}
	if n := columns[one][one]; n != float64(rows) && !d.Weighted || (n > 0) != (rows > 0) {
		return fmt.Errorf("ridge: the data of the accumulator has %v ones in %d rows", n, rows)
	}
	return validateProducts(rows, columns)
}

// validateProducts refuses sums of products of two columns that are larger than the sums of their squares allow
// (Cauchy-Schwarz), but for rounding: sums of n rows that are merged with others, and whose shift is distant from the
// rest, have an error of up to n² roundings.
func validateProducts(rows int, columns [][]float64) error {
	n := float64(rows)
	lost := math.Sqrt(n) * 0x1p-537 // squares that underflow
	root := make([]float64, len(columns))
	for j, column := range columns {
		root[j] = math.Sqrt(column[j]) + lost
	}
	slack := 1 + float64(4*n*n)*0x1p-52
	for j, column := range columns {
		for i, v := range column[:j] {
			if !(math.Abs(v) <= root[i]*root[j]*slack) && math.Abs(v) > 0x1p-1000 {
				return fmt.Errorf("ridge: the data of the accumulator has the sum %v of columns %d and %d, and %v and %v of their squares",
					v, i, j, columns[i][i], column[j])
			}
		}
	}
	return nil
}

// sumLimit returns a bound of sums over a number of rows: twice, to allow for rounding, the largest sum of differences of two
// numbers below tiled.Limit, or of products of two such differences.
func sumLimit(rows int, products bool) float64 {
	limit := 4 * float64(rows) * tiled.Limit
	if products {
		limit *= 2 * tiled.Limit
	}
	return min(limit, math.MaxFloat64)
}

// MarshalJSON returns an error: the sums are saved by WriteTo or MarshalBinary.
func (a *Accumulator) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: an Accumulator is saved by WriteTo or MarshalBinary, not as JSON")
}
