// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
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
//   - the weights of the kept rows, if any row has one,
//   - the counts of copies, if rows were dropped: see census.numbers.

// An accumulatorDocument is an accumulator's file without the arrays.
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

// A keptDocument is the kept rows without the arrays.
type keptDocument struct {
	Rows  int    `json:"rows"`
	Bytes int64  `json:"bytes"`          // at most, if Most is not given; 0: no rows are kept
	Most  int    `json:"most,omitempty"` // rows, if KeepRows was called; else keptMost
	Below uint64 `json:"below"`          // all keys are less

	Counted uint64 `json:"counted,omitempty"` // all keys of counted points are less; 0: copies are not counted
}

const accumulatorFile = "ridge accumulator"

var _ io.WriterTo = (*Accumulator)(nil)

// triangle returns the number of elements of n columns down to the diagonal.
func triangle(n int) int { return n * (n + 1) / 2 }

// WriteTo writes to w the sums of the rows so far, the kept rows, and an identity of the map, but not the map itself:
// pass it to ReadAccumulator. Kept rows are written as they are, so the file contains data: see KeepRows. The bytes are
// the same on every machine, and later releases read them.
//
// It returns an error if the accumulator is a zero value, or if w returns one.
func (a *Accumulator) WriteTo(w io.Writer) (n int64, err error) {
	if a.sums == nil {
		return 0, errZero
	}
	hasWeights := a.sums.Weight() != float64(a.Rows()) || weighted(a.kept.rows)
	kept := a.kept.numbers(hasWeights, a.Rows())
	d := accumulatorDocument{a.in, a.out, a.targets, a.Rows(), a.identity().String(),
		hasWeights, a.in32, number(a.diagonal), a.beyond, a.sums.Root(), a.kept.document(a.Rows())}
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

// ReadAccumulator reads an accumulator that Accumulator.WriteTo wrote to r, up to the end of r. You can add more rows
// to it, Fit it and Merge it. phi is the map whose features were summed; save it in a file of its own, with
// featuremap.Encode.
//
// It takes memory in proportion to the data that it reads. It returns an error if phi is nil or has different features, if
// a byte was changed, if data is missing or left over, if a number is not finite or larger than the sums of so many
// rows can be, if the sums and the factor of a fit do not fit in memory, or if r returns one.
func ReadAccumulator(r io.Reader, phi featuremap.FeatureMap) (*Accumulator, error) {
	if err := validatePhi(phi, 1); err != nil {
		return nil, err
	}
	return readAccumulator(r, false, func(targets int) (*Accumulator, error) {
		if err := validatePhi(phi, targets); err != nil {
			return nil, err
		}
		return summing(phi, targets), nil
	})
}

var (
	errIn32 = errors.New("ridge: the data is of an accumulator in float32: ReadAccumulator32 reads it")
	errIn64 = errors.New("ridge: the data is of an accumulator in float64: ReadAccumulator reads it")
)

// readAccumulator returns the accumulator of a file. empty makes one without sums for a number of targets. It refuses a file of the other precision.
func readAccumulator(r io.Reader, in32 bool, empty func(targets int) (*Accumulator, error)) (*Accumulator, error) {
	f, err := sealed.NewReader(r, accumulatorFile, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
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
	if err := d.validate(); err != nil {
		return nil, err
	}
	if err := d.Kept.validate(f, &d); err != nil {
		return nil, err
	}
	a, err := empty(d.Targets)
	if err != nil {
		return nil, err
	}
	if err := a.validateIdentity(&d); err != nil {
		return nil, err
	}
	if err := a.read(f, &d); err != nil {
		return nil, err
	}
	return a, nil
}

// validate refuses numbers that no accumulator has.
func (d *accumulatorDocument) validate() error {
	switch r := d.ShiftRoot; {
	case !(d.Diagonal >= 0):
		return fmt.Errorf("ridge: the data has the sum %v of k(x, x): must be at least 0", d.Diagonal)
	case d.Beyond < 0 || d.Beyond > d.Rows:
		return fmt.Errorf("ridge: the data has %d rows outside of the domain, of %d", d.Beyond, d.Rows)
	case d.In < 1 || d.Features < 1 || d.Rows < 0 || d.Rows > normal.MaxRows:
		return fmt.Errorf("ridge: the data is of %d rows, %d coordinates and %d features", d.Rows, d.In, d.Features)
	case r != 0 && !(r > 0 && r < tiled.Limit && d.Weighted && d.Rows > 0):
		return fmt.Errorf("ridge: the data has the root %v of the weight of a row", r)
	}
	return validateSize(d.Features, d.Targets)
}

// validateIdentity refuses a file whose sums are of another map.
func (a *Accumulator) validateIdentity(d *accumulatorDocument) error {
	id, err := parseIdentity(d.Map)
	switch {
	case err != nil:
		return err
	case a.in != d.In || a.out != d.Features:
		return fmt.Errorf("ridge: the data is of a map R^%d → R^%d: phi is R^%d → R^%d", d.In, d.Features, a.in, a.out)
	case a.identity() != id:
		return errors.New("ridge: the data is of another map than phi, whose features differ")
	}
	return nil
}

// read reads the arrays of a file. If a has sums, their memory is used, and after an error they are invalid.
func (a *Accumulator) read(f *sealed.Reader, d *accumulatorDocument) (err error) {
	a.diagonal, a.beyond = float64(d.Diagonal), d.Beyond
	shift := make([]float64, a.out+a.targets)
	copy(shift, f.Floats(a.out+a.targets))
	sums := a.sums
	var columns [][]float64
	if sums == nil {
		columns = readColumns(f, a.out+a.targets+1)
	} else {
		sums.Refill(d.Rows, shift, d.shiftRoot(), f.FloatsTo)
	}
	a.spans = nil
	for v := f.Floats(2 * a.targets); len(v) >= 2; v = v[2:] {
		a.spans = append(a.spans, span{v[0], v[1]})
	}
	if a.kept, err = readKept(f, d); err != nil {
		return err
	}
	if _, err := f.Close(); err != nil {
		return fmt.Errorf("ridge: %w", err)
	}
	if sums != nil {
		return a.validate(d, shift, sums.Columns())
	}
	if err := a.validate(d, shift, slices.Values(columns)); err != nil {
		return err
	}
	a.sums = normal.Restore(a.out, a.targets, d.Rows, shift, d.shiftRoot(), columns)
	return nil
}

// shiftRoot returns the root of the weight of the row that is subtracted, 0 if there are no rows.
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

// validate refuses a shift, spans and columns of sums that cannot come from that number of rows.
func (a *Accumulator) validate(d *accumulatorDocument, shift []float64, columns iter.Seq[[]float64]) error {
	rows := d.Rows
	for j, v := range shift {
		name, number, limit := "feature", j, tiled.Limit
		if j >= a.out {
			name, number, limit = "target", j-a.out, targetLimit
		}
		if !(math.Abs(v) < limit) || rows == 0 && v != 0 {
			return fmt.Errorf("ridge: the data of the accumulator has the shift %v of %s %d", v, name, number)
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
	squares := make([]float64, 0, a.out+a.targets+1) // of the columns, and last the sum of the weights
	for column := range columns {
		j := len(squares)
		limit := sumLimit(rows, j != a.out+a.targets || d.Weighted)
		for i, v := range column {
			if !(math.Abs(v) <= limit) || i == j && v < 0 {
				return fmt.Errorf("ridge: the data of the accumulator has the sum %v of columns %d and %d over %d rows", v, i, j, rows)
			}
		}
		squares = append(squares, column[j])
	}
	if n := squares[a.out+a.targets]; n != float64(rows) && !d.Weighted || (n > 0) != (rows > 0) {
		return fmt.Errorf("ridge: the data of the accumulator has %v ones in %d rows", n, rows)
	}
	return validateProducts(rows, squares, columns)
}

// validateProducts refuses sums of products of two columns that are larger than the sums of their squares allow
// (Cauchy-Schwarz), except for rounding: sums of n rows that are merged with others, and whose shift is far from the
// rest, have an error of up to n² roundings.
func validateProducts(rows int, squares []float64, columns iter.Seq[[]float64]) error {
	n := float64(rows)
	lost := math.Sqrt(n) * 0x1p-537 // squares that underflow
	root := make([]float64, len(squares))
	for j, v := range squares {
		root[j] = math.Sqrt(v) + lost
	}
	slack := 1 + float64(4*n*n)*0x1p-52
	for column := range columns {
		j := len(column) - 1
		for i, v := range column[:j] {
			if !(math.Abs(v) <= root[i]*root[j]*slack) && math.Abs(v) > 0x1p-1000 {
				return fmt.Errorf("ridge: the data of the accumulator has the sum %v of columns %d and %d, and %v and %v of their squares",
					v, i, j, squares[i], squares[j])
			}
		}
	}
	return nil
}

// sumLimit returns an upper bound of sums over a number of rows: twice (for rounding) the largest sum of differences of
// two numbers below tiled.Limit, or of products of two such differences.
func sumLimit(rows int, products bool) float64 {
	limit := 4 * float64(rows) * tiled.Limit
	if products {
		limit *= 2 * tiled.Limit
	}
	return min(limit, math.MaxFloat64)
}

// MarshalJSON returns an error: save the sums with WriteTo instead.
func (a *Accumulator) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: an Accumulator is saved by WriteTo, not as JSON")
}
