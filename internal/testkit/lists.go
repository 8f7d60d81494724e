// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package testkit

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Lists is a matrix whose rows are lists of entries, a mat.RowNonZeroDoer.
type Lists struct {
	In   int
	Rows [][]Entry
}

// An Entry is an element of a row, in column J.
type Entry struct {
	J int
	V float64
}

// NewLists returns x as lists, without its zeros except for a few, and with every other list out of
// order.
func NewLists(x mat.Matrix) *Lists {
	n, in := x.Dims()
	l := &Lists{In: in, Rows: make([][]Entry, n)}
	for i := range n {
		for j := range in {
			if v := x.At(i, j); math.Float64bits(v) != 0 || (i+j)%13 == 0 {
				l.Rows[i] = append(l.Rows[i], Entry{j, v})
			}
		}
		if row := l.Rows[i]; i%2 == 1 && len(row) > 0 {
			first := (i*7 + 3) % len(row)
			l.Rows[i] = append(append([]Entry(nil), row[first:]...), row[:first]...)
		}
	}
	return l
}

// Thin returns n points of R^d with the given share of numbers other than zero.
func Thin(s *featuremap.Sampler, n, d int, share float64) *mat.Dense {
	x := normalMatrix(s, n, d)
	x.Apply(func(_, _ int, v float64) float64 {
		if s.Float64() >= share {
			return 0
		}
		return v
	}, x)
	return x
}

// Dims returns the shape of the matrix.
func (l *Lists) Dims() (r, c int) { return len(l.Rows), l.In }

// At returns the value of the first entry (i, j), or 0.
func (l *Lists) At(i, j int) float64 {
	for _, e := range l.Rows[i] {
		if e.J == j {
			return e.V
		}
	}
	return 0
}

// T returns the transpose.
func (l *Lists) T() mat.Matrix { return mat.Transpose{Matrix: l} }

// DoRowNonZero calls fn for the entries of row i, in their order.
func (l *Lists) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for _, e := range l.Rows[i] {
		fn(i, e.J, e.V)
	}
}

// mapLists tests that rows that are lists have the same features as dense rows, to the last bit.
func mapLists(t *testing.T, d int, m featuremap.FeatureMap) {
	for _, procs := range []int{2, 1}[:Times(1, 1, 2)] {
		withProcs(procs, func() {
			for i, share := range []float64{0.1, 0.6} {
				x := Thin(featuremap.NewSampler(uint64(20+i)), 90, d, share)
				for _, n := range []int{1, 7, 90} {
					part := x.Slice(0, n, 0, d)
					var got, want mat.Dense
					m.TransformTo(&want, part)
					m.TransformTo(&got, NewLists(part))
					if !sameBits(got.RawMatrix().Data, want.RawMatrix().Data) {
						t.Errorf("%d rows that are lists on %d processors differ from the same rows dense", n, procs)
					}
				}
			}
		})
	}
}
