// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// An addition is a batch of rows to be added, without rows of weight 0.
type addition struct {
	x, y    mat.Matrix
	weights []float64 // positive; nil if all are 1
	first   int       // the number of the caller's first row
	index   []int     // the numbers of the rows among the caller's; nil if all count
}

// heaviest bounds weights from above, so that their roots are less than tiled.Limit.
const heaviest = 0x1p968

// newAddition returns the rows of x and y that have a weight. It refuses shapes as validateShapes does, and weights
// that differ in number from the rows, are negative, not finite, or heaviest or more. Errors name the weights by name,
// and count rows from first.
func newAddition(x, y mat.Matrix, weights []float64, name string, first, in, targets int) (addition, error) {
	b := addition{x: x, y: y, first: first}
	n, err := validateShapes(x, y, in, targets)
	switch {
	case err != nil:
		return b, err
	case weights == nil:
		return b, nil
	case len(weights) != n:
		return b, fmt.Errorf("ridge: x has %d rows, %s %d: must be as many", n, name, len(weights))
	}
	zeros := 0
	for i, w := range weights {
		if !(w >= 0 && w < heaviest) {
			return b, fmt.Errorf("ridge: %s: row %d = %v: must be at least 0 and less than 2^968", name, first+i, w)
		}
		if w == 0 {
			zeros++
		}
	}
	if b.weights = weights; zeros > 0 {
		b.leaveOut(n - zeros)
	}
	if !slices.ContainsFunc(b.weights, func(w float64) bool { return w != 1 }) {
		b.weights = nil
	}
	return b, nil
}

// leaveOut removes the rows of weight 0, so that left rows remain.
func (b *addition) leaveOut(left int) {
	weights := b.weights
	b.index, b.weights = make([]int, 0, left), make([]float64, 0, left)
	for i, w := range weights {
		if w > 0 {
			b.index, b.weights = append(b.index, i), append(b.weights, w)
		}
	}
	b.x, b.y = rows.Select(b.x, b.index), rows.Select(b.y, b.index)
}

// each returns the elements that belong to the rows, of a slice with one for each of the caller's rows.
func each[T any](b *addition, v []T) []T {
	if b.index == nil {
		return v
	}
	all := make([]T, len(b.index))
	for k, i := range b.index {
		all[k] = v[i]
	}
	return all
}

// size returns the number of rows.
func (b *addition) size() int {
	if b.index != nil {
		return len(b.index)
	}
	n, _ := b.y.Dims()
	return n
}

// weight returns the weight of a row.
func (b *addition) weight(i int) float64 {
	if b.weights == nil {
		return 1
	}
	return b.weights[i]
}

// root returns the root of the weight of a row.
func (b *addition) root(i int) float64 { return math.Sqrt(b.weight(i)) }

// row returns the caller's number of a row.
func (b *addition) row(i int) int {
	if b.index != nil {
		i = b.index[i]
	}
	return b.first + i
}

// validateFinite refuses rows with an element that is not finite.
func (b *addition) validateFinite(x *rows.Reader) error {
	if row, column, v, found := x.NotFinite(); found {
		return fmt.Errorf("ridge: x: row %d, column %d = %v: must be finite", b.row(row), column, v)
	}
	return nil
}

// validateTargets refuses targets that are not finite or whose squares may overflow. It appends the span of each target
// to spans.
func (b *addition) validateTargets(spans []span) ([]span, error) {
	_, targets := b.y.Dims()
	for range targets {
		spans = append(spans, noSpan)
	}
	for i := range b.size() {
		for t := range targets {
			v := b.y.At(i, t)
			if !(math.Abs(v) < targetLimit) {
				return spans, fmt.Errorf("ridge: y: row %d, column %d = %v: must be finite and less than 2^483 in magnitude", b.row(i), t, v)
			}
			spans[t] = spans[t].join(span{v, v})
		}
	}
	return spans, nil
}

// appendRoots appends the roots of the weights of the rows [lo, hi), or nothing if they have none.
func (b *addition) appendRoots(roots []float64, lo, hi int) []float64 {
	if b.weights == nil {
		return nil
	}
	for _, w := range b.weights[lo:hi] {
		roots = append(roots, math.Sqrt(w))
	}
	return roots
}
