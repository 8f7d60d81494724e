// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package nystrom chooses landmarks, the points of Nyström features, and factorizes their kernel
// matrix.
//
// Begin with choose.go. kmeans.go and pivoted.go implement two ways to choose, and set.go the
// factor.
package nystrom

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Set is a set of landmarks with the factor of their kernel matrix.
type Set struct {
	Points  mat.Matrix // *mat.Dense, or *rows.Lists
	Program *matrix.Program
	Matrix  *matrix.Matrix

	// Factor is U = Lᵀ, with φ(x) = U⁻ᵀr(x) for the raw features r(x) = k(S, x). For a landmark that depends on the
	// landmarks before it (see Dropped) r is 0, and U is like an identity matrix there.
	Factor  *tiled.Factor
	Dropped []int
	Pivots  bool // whether the landmarks are in the order of pivots
}

// Size returns the number of landmarks.
func (m *Set) Size() int {
	if m.Points == nil {
		return 0
	}
	n, _ := m.Points.Dims()
	return n
}

// Dense returns all coordinates of the landmarks: a view, or a copy of lists.
func (m *Set) Dense() *mat.Dense {
	if lists, ok := m.Points.(*rows.Lists); ok {
		n, d := lists.Dims()
		dense := mat.NewDense(n, d, nil)
		for i, l := range lists.Rows {
			l.To(dense.RawRowView(i))
		}
		return dense
	}
	return m.Points.(*mat.Dense)
}

// pivotTiny is the part of k(s, s) below which the pivot of a landmark s counts as rounding. With the pivot p·k(s, s) a
// landmark removes at most this part of an error, and adds about 1e-16/p for points that the others cover badly.
const pivotTiny = 1e-10

// FactorizeChosen makes the points of a selection landmarks, and takes ownership of them. It keeps their order if the
// selection gives one and no landmark depends on those before it. Otherwise it uses the order of pivots.
func (m *Set) FactorizeChosen(c *Chooser, points *mat.Dense, ordered bool) error {
	if ordered {
		a, err := kernelTiles(m.Program, points, nil)
		if err != nil {
			return c.named(err, points)
		}
		if !hasNearCopies(a) {
			if f, dependent := a.Factorize(pivotTiny); dependent < 0 {
				return m.set(c.listed(points), f, nil)
			}
		}
	}
	reorder(points, sortedRows(points))
	at := c.listed(points)
	a, err := kernelTiles(m.Program, at, nil)
	if err != nil {
		return c.named(err, points)
	}
	f, order, dropped := a.FactorizePivoted(pivotTiny)
	m.Pivots = true
	return m.set(inOrder(at, order), f, dropped)
}

// hasNearCopies reports whether a landmark depends on a single other one, so that a factorization in this order would fail at
// it: its pivot is at most k(t, t) − k(s, t)²/k(s, s). Half of pivotTiny leaves room for rounding.
func hasNearCopies(a *tiled.Matrix) bool {
	n := a.Dim()
	column, diagonal := make([]float64, n), make([]float64, n)
	a.Diagonal(diagonal)
	for j := range n {
		a.Column(column, j)
		least := (1 - pivotTiny/2) * diagonal[j]
		for i, v := range column[:j] {
			if v*v > least*diagonal[i] {
				return true
			}
		}
	}
	return false
}

// listed returns points as lists, if the points that they are chosen from are, and if they are sparse.
func (c *Chooser) listed(points *mat.Dense) mat.Matrix {
	if c.points.Lists == nil {
		return points
	}
	n, d := points.Dims()
	entries, lists := 0, &rows.Lists{Cols: d, Rows: make([]rows.List, n)}
	for i := range n {
		lists.Rows[i] = rows.NewList(points.RawRowView(i))
		if entries += len(lists.Rows[i].Values); !matrix.Sparse(entries, n*d) {
			return points
		}
	}
	return lists
}

// inOrder returns the points with row i from row order[i]. It may change points.
func inOrder(points mat.Matrix, order []int) mat.Matrix {
	lists, ok := points.(*rows.Lists)
	if !ok {
		reorder(points.(*mat.Dense), order)
		return points
	}
	to := &rows.Lists{Cols: lists.Cols}
	for _, i := range order {
		to.Rows = append(to.Rows, lists.Rows[i])
	}
	return to
}

// reorder sets row i of points to the former row order[i], without another copy of all points, which may be much larger
// than lists.
func reorder(points *mat.Dense, order []int) {
	_, d := points.Dims()
	from, kept := slices.Clone(order), make([]float64, d)
	for i := range from {
		if from[i] < 0 {
			continue // already done in the turn of another row
		}
		copy(kept, points.RawRowView(i))
		at := i
		for from[at] != i {
			copy(points.RawRowView(at), points.RawRowView(from[at]))
			at, from[at] = from[at], -1
		}
		copy(points.RawRowView(at), kept)
		from[at] = -1
	}
}

// FactorizeSaved makes landmarks of points that are already in the order of FactorizeChosen.
func (m *Set) FactorizeSaved(points *mat.Dense, pivots bool) error {
	at, place := points, []int(nil)
	if m.Pivots = pivots; pivots { // kernel values have the bits of the sorted points
		place = sortedRows(points)
		at = rows.Pick(points, place)
	}
	a, err := kernelTiles(m.Program, at, place)
	if err != nil {
		return err
	}
	f, dropped := a.FactorizeWithout(pivotTiny)
	return m.set(points, f, dropped)
}

// set sets the landmarks, in the order of the factor.
func (m *Set) set(points mat.Matrix, f *tiled.Factor, dropped []int) error {
	n, _ := points.Dims()
	if len(dropped) == n {
		return errors.New("featuremap: all landmarks are dropped: k(s, s) is positive for none")
	}
	m.Points, m.Factor, m.Dropped = points, f, dropped
	m.Matrix = matrix.New(m.Program, points)
	return nil
}

// kernelTiles returns the kernel matrix of points, in the order of the places that they are to have; nil place keeps
// their order.
func kernelTiles(p *matrix.Program, points mat.Matrix, place []int) (*tiled.Matrix, error) {
	n, _ := points.Dims()
	a := tiled.New(n)
	var bad atomic.Bool
	matrix.New(p, points).Symmetric(func(i, lo int, values []float64) {
		if !arith.FiniteAll(values) {
			bad.Store(true)
		}
		if place == nil {
			a.SetRow(i, lo, values)
			return
		}
		for j, v := range values {
			a.Set(place[i], place[lo+j], v)
		}
	})
	if bad.Load() {
		return nil, notFinite(a)
	}
	return a, nil
}

// notFiniteError reports a kernel value at two landmarks that is not finite.
type notFiniteError struct {
	value float64
	i, j  int // numbers of the landmarks
}

func (e *notFiniteError) Error() string {
	return fmt.Sprintf("featuremap: k(s, t) = %v at landmarks %d and %d: must be finite", e.value, e.i, e.j)
}

// notFinite returns the error of the first element of a that is not finite.
func notFinite(a *tiled.Matrix) error {
	for j := range a.Dim() {
		for i := range j + 1 {
			if v := a.At(i, j); !arith.Finite(v) {
				return &notFiniteError{v, i, j}
			}
		}
	}
	return nil
}

// sortedRows returns the order of the rows of points by the first of the coordinates in which they differ.
func sortedRows(points *mat.Dense) []int {
	n, _ := points.Dims()
	order := indices(n)
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(points.RawRowView(i), points.RawRowView(j)) })
	return order
}

// indices returns 0, 1, …, n − 1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
