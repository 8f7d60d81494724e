// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A rereader reads the rows that are left out again: some or all of those that were added.
type rereader interface {
	// size returns the number of rows.
	size() int

	// step returns the largest number of rows that each passes on without much memory.
	step() int

	// gather returns the rows with the given numbers, in that order.
	gather(index []int) (part, error)

	// each calls do for the rows in their order, in parts of at most most rows from number lo on, which are valid until
	// do returns. It returns the first error, do's or its own.
	each(most int, do func(lo int, p part) error) error

	// marks returns the landmarks of the map of the fit, noted among the rows; nil if it has none.
	marks(phi featuremap.FeatureMap) *linear.Marks

	// copyFinder returns a finder that has noted the rows.
	copyFinder() *copyFinder
}

// A part is some rows with their targets and weights, which are nil if all are 1.
type part struct {
	x       mat.Matrix
	y       blas64.General
	weights []float64
	times   []float64 // see copies; nil: 1
}

// memoryRows are rows in memory.
type memoryRows struct {
	reader  *rows.Reader
	y       mat.Matrix
	weights []float64   // nil if all are 1
	found   *copyFinder // of all rows, of which these are some; nil: these are all
}

func newMemoryRows(x, y mat.Matrix, weights []float64) *memoryRows {
	m := &memoryRows{reader: new(rows.Reader), y: y, weights: weights}
	m.reader.Reset(x)
	return m
}

func (m *memoryRows) size() int { return m.reader.N }

func (m *memoryRows) step() int { return m.reader.Step() }

func (m *memoryRows) marks(phi featuremap.FeatureMap) *linear.Marks {
	marks := linear.NewMarks(phi)
	marks.Note(m.reader, m.weights)
	return marks
}

func (m *memoryRows) copyFinder() *copyFinder {
	if m.found != nil {
		return m.found
	}
	f := new(copyFinder)
	f.note(m.reader, m.y, m.weights)
	return f
}

func (m *memoryRows) gather(index []int) (part, error) {
	p := part{x: m.reader.Gather(index), y: m.targets(len(index))}
	for k, i := range index {
		m.setTargets(&p, k, i)
		if m.weights != nil {
			p.weights = append(p.weights, m.weights[i])
		}
	}
	return p, nil
}

func (m *memoryRows) each(most int, do func(lo int, p part) error) error {
	var y blas64.General
	for lo := 0; lo < m.size(); lo += most {
		hi := min(lo+most, m.size())
		if y.Data == nil {
			y = m.targets(hi - lo)
		}
		p := part{x: m.reader.Matrix(lo, hi), y: y}
		p.y.Rows, p.y.Data = hi-lo, y.Data[:(hi-lo)*y.Stride] // code that reads all of Data must not see rows of the part before
		for i := lo; i < hi; i++ {
			m.setTargets(&p, i-lo, i)
		}
		if m.weights != nil {
			p.weights = m.weights[lo:hi]
		}
		if err := do(lo, p); err != nil {
			return err
		}
	}
	return nil
}

// targets returns room for the targets of a number of rows.
func (m *memoryRows) targets(rows int) blas64.General {
	_, targets := m.y.Dims()
	return blas64.General{Rows: rows, Cols: targets, Stride: targets, Data: make([]float64, rows*targets)}
}

// setTargets sets row k of the targets of a part to those of row i.
func (m *memoryRows) setTargets(p *part, k, i int) {
	for t := range p.y.Cols {
		p.y.Data[k*p.y.Stride+t] = m.y.At(i, t)
	}
}
