// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Options are the options of NewMiniRocket and NewHydra; nil stands for the zero value.
type Options struct {
	// Channels is the number of series in a row, one after the other and all of one length: 1 if 0. The number of
	// columns of x is a multiple of it.
	Channels int
}

const (
	minLength = 9     // of a series: the taps of a kernel
	maxValue  = 1e300 // of a value: no sum of any overflows
)

// A shape describes the rows that a map takes.
type shape struct {
	length   int // of each channel
	channels int
}

func (s shape) in() int { return s.length * s.channels }

// String returns what a row is.
func (s shape) String() string {
	if s.channels == 1 {
		return fmt.Sprintf("series of %d values", s.length)
	}
	return fmt.Sprintf("series of %d values in each of %d channels", s.length, s.channels)
}

// start checks the arguments of a constructor. It returns the shape of rows, and the sampler, NewSampler(0) if it is
// nil.
func start(x mat.Matrix, s *featuremap.Sampler, opts *Options) (shape, *featuremap.Sampler, error) {
	if check.IsNil(x) {
		return shape{}, nil, errors.New("timeseries: x = nil")
	}
	of := shape{channels: 1}
	if opts != nil && opts.Channels != 0 {
		of.channels = opts.Channels
	}
	n, columns := x.Dims()
	of.length = columns / max(of.channels, 1)
	switch {
	case of.channels < 1:
		return of, nil, fmt.Errorf("timeseries: Channels = %d: must be at least 1, or 0 for 1", of.channels)
	case n < 2:
		return of, nil, fmt.Errorf("timeseries: x has %d rows: must have at least 2, since features are scaled by their deviations", n)
	case columns%of.channels != 0:
		return of, nil, fmt.Errorf("timeseries: x has %d columns: must be a multiple of Channels = %d, whose series have one length", columns, of.channels)
	case of.length < minLength:
		return of, nil, fmt.Errorf("timeseries: x has series of %d values: must have at least %d, the taps of a kernel; resample them to more", of.length, minLength)
	}
	var r rows.Reader
	r.Reset(x)
	if err := listed(&r); err != nil {
		return of, nil, err
	}
	if i, j, v, found := notUsable(&r); found {
		return of, nil, fmt.Errorf("timeseries: x: row %d, column %d = %v: must be finite, and at most %v in magnitude; cut series of other lengths, or resample all to one", i, j, v, maxValue)
	}
	if s == nil {
		return of, featuremap.NewSampler(0), nil
	}
	if _, err := s.MarshalBinary(); err != nil {
		return of, nil, errors.New("timeseries: sampler s is the zero value: must be made by NewSampler or Split")
	}
	return of, s, nil
}

// listed returns an error if a row given as a list has two entries in one column, or one outside the matrix.
func listed(r *rows.Reader) error {
	if r.Lists == nil {
		return nil
	}
	for i := range r.N {
		last := -1
		for _, e := range r.Entries(i) {
			switch {
			case uint(e.Column) >= uint(r.Cols):
				return fmt.Errorf("timeseries: x: row %d has an entry of column %d, of %d", i, e.Column, r.Cols)
			case e.Column == last:
				return fmt.Errorf("timeseries: x: row %d, column %d: %w", i, e.Column, featuremap.ErrDuplicate)
			}
			last = e.Column
		}
	}
	return nil
}

// notUsable returns the first value that is not usable, row by row, and whether there is such a value.
func notUsable(r *rows.Reader) (row, column int, v float64, found bool) {
	for i := range r.N {
		for j, v := range r.Inside(i) {
			if !(math.Abs(v) <= maxValue) {
				return i, j, v, true
			}
		}
	}
	return 0, 0, 0, false
}

// margins returns by how much convolutions of each channel may differ and still count as equal: 2⁻³⁵ of the magnitude of
// its values, the median over the rows of x of their median without zeros. That is far above rounding, so that machines
// and programs that prepare the rows a little differently agree on the features of flat parts.
func (s shape) margins(x mat.Matrix) []float64 {
	const relative = 1.0 / (1 << 35)
	all := make([][]float64, s.channels)
	var values []float64
	b := buffers.Get().(*buffer)
	b.reader.Reset(x)
	n, _ := x.Dims()
	for i := range n {
		row := b.read(i)
		for c := range all {
			values = values[:0]
			for _, v := range row[c*s.length:][:s.length] {
				if v != 0 {
					values = append(values, math.Abs(v))
				}
			}
			if len(values) > 0 {
				all[c] = append(all[c], median(values))
			}
		}
	}
	b.reader.Reset(nil)
	buffers.Put(b)
	margins := make([]float64, s.channels)
	for c, of := range all {
		if len(of) > 0 {
			margins[c] = relative * median(of)
		}
	}
	return margins
}

// median sorts numbers, and returns the one in the middle.
func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// marginOf returns the margin of a sum of channels; nil: the only channel.
func marginOf(margins []float64, channels []int) float64 {
	if channels == nil {
		return margins[0]
	}
	var sum float64
	for _, c := range channels {
		sum += margins[c]
	}
	return sum
}

// A rowMap is the common part of maps of series: it turns rows of matrices into rows of features. A zero value has no
// features.
type rowMap struct {
	shape
	out int

	// features sets dst to the features of the series in b, which are usable.
	features func(dst []float64, b *buffer)
}

// Dims returns the number of values in a row and the number of features; 0 and 0 for a zero value.
func (m *rowMap) Dims() (in, out int) { return m.in(), m.out }

// TransformTo sets row i of dst to the features of row i of x, n×in with n ≥ 1: see featuremap.FeatureMap. It panics
// with mat.ErrShape if rows have another length: cut or resample the series. The features of a row are NaN if one of
// its values is not finite or beyond 1e300.
func (m *rowMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	m.validate()
	check.Transform(dst, x, m.in(), m.out)
	transform(dst.RawMatrix(), x, 0, m, m.features)
}

// TransformVec sets dst to the features of x and returns it: see TransformTo, for one row.
func (m *rowMap) TransformVec(dst, x []float64) []float64 {
	m.validate()
	dst = check.Vector(dst, x, m.in(), m.out)
	b := buffers.Get().(*buffer)
	m.row(dst, x, b, m.features)
	buffers.Put(b)
	return dst
}

// validate panics if the map is a zero value, which takes no rows.
func (m *rowMap) validate() {
	if m.out == 0 {
		panic(mat.ErrShape)
	}
}

// MarshalJSON returns an error: save maps with featuremap.Encode instead.
func (m *rowMap) MarshalJSON() ([]byte, error) {
	return nil, errors.New("timeseries: a map is saved by featuremap.Encode, not as JSON")
}

// row sets dst to features of the row x.
func (m *rowMap) row(dst, x []float64, b *buffer, features func(dst []float64, b *buffer)) {
	for _, v := range x {
		if !(math.Abs(v) <= maxValue) {
			for j := range dst {
				dst[j] = math.NaN()
			}
			return
		}
	}
	b.row = x
	features(dst, b)
	b.row = nil
}

// A job computes the features of the rows of a matrix from a first one on, as a parallel.Task.
type job struct {
	m        *rowMap
	features func(dst []float64, b *buffer)
	dst      blas64.General
	x        mat.Matrix
	first    int
}

var (
	jobs    = sync.Pool{New: func() any { return new(job) }}
	buffers = sync.Pool{New: func() any { return new(buffer) }}
)

// transform sets the rows of dst to features of as many rows of x, from the first on.
func transform(dst blas64.General, x mat.Matrix, first int, m *rowMap, features func(dst []float64, b *buffer)) {
	const values = 1 << 18 // of a goroutine at a time: counts above a limit, or the like
	j := jobs.Get().(*job)
	*j = job{m, features, dst, x, first}
	parallel.Run(j, dst.Rows, 1+int(values/(float64(m.in())*float64(m.out))))
	*j = job{}
	jobs.Put(j)
}

// Do computes the features of the rows [lo, hi).
func (j *job) Do(lo, hi int) {
	b := buffers.Get().(*buffer)
	b.reader.Reset(j.x)
	for i := lo; i < hi; i++ {
		j.m.row(j.dst.Data[i*j.dst.Stride:][:j.dst.Cols], b.read(j.first+i), b, j.features)
	}
	b.reader.Reset(nil)
	buffers.Put(b)
}

// read returns row i of the reader's matrix.
func (b *buffer) read(i int) []float64 {
	if b.reader.Lists == nil {
		return b.reader.Row(i)
	}
	b.scattered = grown(b.scattered, b.reader.Cols)
	clear(b.scattered)
	last := -1
	for _, e := range b.reader.Entries(i) {
		switch {
		case uint(e.Column) >= uint(len(b.scattered)):
			panic(mat.ErrColAccess)
		case e.Column == last:
			panic(featuremap.ErrDuplicate)
		}
		last, b.scattered[e.Column] = e.Column, e.Value
	}
	return b.scattered
}

// grown returns s with length n, in new memory if necessary.
func grown(s []float64, n int) []float64 { return slices.Grow(s[:0], n)[:n] }

// moments are means, sums of squared differences from them, and numbers of zeros, of columns.
type moments struct {
	n                    float64
	means, squares, none []float64
}

// momentsOf returns the moments of the features of the rows of x. It takes rows in order (Welford 1962, "Note on a
// method for calculating corrected sums of squares and products"), so that the bits do not depend on the number of
// goroutines.
func (m *rowMap) momentsOf(x mat.Matrix, features func(dst []float64, b *buffer)) moments {
	const together = 64
	s := moments{means: make([]float64, m.out), squares: make([]float64, m.out), none: make([]float64, m.out)}
	n, _ := x.Dims()
	block := blas64.General{Cols: m.out, Stride: m.out, Data: make([]float64, min(n, together)*m.out)}
	for lo := 0; lo < n; lo += together {
		block.Rows = min(together, n-lo)
		transform(block, x, lo, m, features)
		for i := range block.Rows {
			s.add(block.Data[i*m.out:][:m.out])
		}
	}
	return s
}

// add adds a row.
func (s *moments) add(row []float64) {
	s.n++
	for j, v := range row {
		d := v - s.means[j]
		s.means[j] += d / s.n
		s.squares[j] += float64(d * (v - s.means[j]))
		if v == 0 {
			s.none[j]++
		}
	}
}

// deviation returns the standard deviation of a column, over n, not n − 1.
func (s *moments) deviation(j int) float64 { return math.Sqrt(s.squares[j] / s.n) }

// describe returns what the map is, for String.
func (m *rowMap) describe(name, more string) string {
	if m.out == 0 {
		return "a zero value, which is no map"
	}
	return fmt.Sprintf("%s of %v: %d features, %s", name, m.shape, m.out, more)
}
