// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What scores read of the probabilities of classes.

package learn

import "gonum.org/v1/gonum/mat"

// scoredNumbers is the number of probabilities that are computed together: 8 MB.
const scoredNumbers = 1 << 20

// told holds two probabilities of each row, of its true class and of the first most probable one. With thousands of classes
// all of them would be a tenth of the memory. As a matrix the others are 0: scores only look for larger ones.
type told struct {
	truth, predicted []int
	right, most      []float64
	count            int // of classes
}

// newTold returns room for a number of rows.
func newTold(rows, count int) *told {
	return &told{make([]int, 0, rows), make([]int, 0, rows), make([]float64, 0, rows), make([]float64, 0, rows), count}
}

// add adds the probabilities of a row.
func (t *told) add(truth int, row []float64) {
	predicted := 0
	for c, v := range row {
		if v > row[predicted] {
			predicted = c
		}
	}
	t.truth, t.predicted = append(t.truth, truth), append(t.predicted, predicted)
	t.right, t.most = append(t.right, row[truth]), append(t.most, row[predicted])
}

// Dims returns the numbers of rows and classes.
func (t *told) Dims() (rows, columns int) { return len(t.truth), t.count }

// At returns the probability of a class for a row if it is held, and 0 otherwise.
func (t *told) At(i, j int) float64 {
	switch j {
	case t.truth[i]:
		return t.right[i]
	case t.predicted[i]:
		return t.most[i]
	}
	return 0
}

// T returns the transpose.
func (t *told) T() mat.Matrix { return mat.Transpose{Matrix: t} }
