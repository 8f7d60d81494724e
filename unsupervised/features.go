// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// mostKept is the largest number of features, 1 GiB, that are kept for all rows. If there are more, they are computed
// again whenever they are read.
const mostKept = 1 << 27

// features reads the features of some rows in chunks, as often as needed.
type features struct {
	phi    featuremap.FeatureMap
	reader rows.Reader
	n, out int
	chunk  int            // rows that are read together
	kept   blas64.General // of all rows; empty if they are not kept
	buffer []float64
	center []float64 // subtracted from features; nil: 0
}

// newFeatures returns the features of the rows of x. It refuses a map that is nil or a zero value, and rows that are
// not finite or that the map does not take; name is the name of x in errors.
func newFeatures(phi featuremap.FeatureMap, name string, x mat.Matrix) (*features, error) {
	if err := validateMap(phi); err != nil {
		return nil, err
	}
	if r := reflect.ValueOf(x); x == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, fmt.Errorf("unsupervised: %s = nil", name)
	}
	n, columns := x.Dims()
	in, _ := phi.Dims()
	switch {
	case n == 0 || columns == 0:
		return nil, fmt.Errorf("unsupervised: %s is %d×%d: must have a row and a column", name, n, columns)
	case columns != in:
		return nil, fmt.Errorf("unsupervised: %s has %d columns, phi takes %d: must be as many", name, columns, in)
	}
	f := featuresOf(phi, x)
	if row, column, v, found := f.reader.NotFinite(); found {
		return nil, fmt.Errorf("unsupervised: %s: row %d, column %d = %v: must be finite", name, row, column, v)
	}
	return f, nil
}

// featuresOf returns the features of at least one row that phi takes.
func featuresOf(phi featuremap.FeatureMap, x mat.Matrix) *features {
	f := &features{phi: phi}
	f.n, _ = x.Dims()
	_, f.out = phi.Dims()
	f.reader.Reset(x)
	f.chunk = min(max(1<<20/tiled.Stride(f.out), tiled.BlockRows), f.reader.Step(), f.n)
	return f
}

// validateMap refuses nil and the zero values of maps.
func validateMap(phi featuremap.FeatureMap) error {
	if r := reflect.ValueOf(phi); phi == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return errors.New("unsupervised: phi = nil")
	}
	if in, out := phi.Dims(); in < 1 || out < 1 {
		return fmt.Errorf("unsupervised: phi: R^%d → R^%d is no map", in, out)
	}
	return nil
}

// take subtracts the mean of some rows from all features from now on. What rows have in common, which is large far from
// the origin, then costs no digits of their differences.
func (f *features) take() {
	const most = 101
	some := newRows(min(f.n, most), f.out)
	for i := range some.Rows {
		at := i * (f.n - 1) / max(some.Rows-1, 1)
		copy(row(some, i), row(f.transform(at, at+1), 0))
	}
	f.center = gram.Center(some)
}

// keep computes all features now, if they fit in memory.
func (f *features) keep() error {
	stride := tiled.Stride(f.out)
	if f.n > mostKept/stride {
		return nil
	}
	kept := blas64.General{Rows: f.n, Cols: f.out, Stride: stride, Data: make([]float64, f.n*stride)}
	err := f.each(func(lo int, chunk blas64.General) {
		for i := range chunk.Rows {
			copy(row(kept, lo+i), row(chunk, i))
		}
	})
	f.kept = kept
	return err
}

// each calls do for all features, chunk by chunk, with the number of the first row of each. A chunk is valid until do
// returns. It returns an error if a feature is not finite, or so large that squares may overflow.
func (f *features) each(do func(lo int, chunk blas64.General)) error {
	for lo := 0; lo < f.n; lo += f.chunk {
		hi := min(lo+f.chunk, f.n)
		if f.kept.Rows > 0 {
			do(lo, between(f.kept, lo, hi))
			continue
		}
		chunk := f.transform(lo, hi)
		for i := range chunk.Rows {
			for j, v := range row(chunk, i) {
				if !(-tiled.Limit < v && v < tiled.Limit) {
					return fmt.Errorf("unsupervised: row %d: feature %d = %v: must be finite and less than 2^484 in magnitude", lo+i, j, v)
				}
			}
		}
		f.less(chunk)
		do(lo, chunk)
	}
	return nil
}

// less subtracts the center from features.
func (f *features) less(chunk blas64.General) {
	if f.center != nil {
		for i := range chunk.Rows {
			chain.Add(row(chunk, i), -1, f.center)
		}
	}
}

// some returns the features of the rows at index, which ascends.
func (f *features) some(index []int) (blas64.General, error) {
	g, next := newRows(len(index), f.out), 0
	err := f.each(func(lo int, chunk blas64.General) {
		for ; next < len(index) && index[next] < lo+chunk.Rows; next++ {
			copy(row(g, next), row(chunk, index[next]-lo))
		}
	})
	return g, err
}

// transform returns the features of the rows [lo, hi), in memory that the next call uses again.
func (f *features) transform(lo, hi int) blas64.General {
	stride := tiled.Stride(f.out)
	if len(f.buffer) < (hi-lo)*stride {
		f.buffer = make([]float64, (hi-lo)*stride)
	}
	g := blas64.General{Rows: hi - lo, Cols: f.out, Stride: stride, Data: f.buffer[:(hi-lo-1)*stride+f.out]}
	var dst mat.Dense
	dst.SetRawMatrix(g)
	f.phi.TransformTo(&dst, f.reader.Matrix(lo, hi))
	g.Data = f.buffer[:(hi-lo)*stride]
	return g
}

// validateMemory refuses what takes more memory than is available.
func validateMemory(bytes float64, format string, args ...any) error {
	if limit := float64(memory.Limit()); !(bytes <= limit) {
		return fmt.Errorf("unsupervised: %s take %.3g bytes, and there are %.3g", fmt.Sprintf(format, args...), bytes, limit)
	}
	return nil
}

// nearFraction is the part of ‖a‖² + ‖b‖² below which a squared distance ‖a‖² + ‖b‖² − 2⟨a, b⟩ has lost digits, and is computed
// from differences.
const nearFraction = 0x1p-20

// distance2 returns ‖a − b‖² from differences.
func distance2(a, b []float64) (sum float64) {
	for i, v := range a {
		sum = math.FMA(v-b[i], v-b[i], sum)
	}
	return sum
}

// row returns row i of a matrix.
func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride:][:a.Cols] }

// between returns the rows [lo, hi) of a.
func between(a blas64.General, lo, hi int) blas64.General {
	a.Rows, a.Data = hi-lo, a.Data[lo*a.Stride:]
	return a
}

// newRows returns n rows of zeros.
func newRows(n, columns int) blas64.General {
	stride := tiled.Stride(columns)
	return blas64.General{Rows: n, Cols: columns, Stride: stride, Data: make([]float64, n*stride)}
}
