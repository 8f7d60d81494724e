// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Labels returns targets for classification, a row for each element of classes and a column for each of n classes: +1
// in the column of the row's class and −1 elsewhere. A model of these predicts scores, one a class, of which
// floats.MaxIdx finds the largest. Scores of classes are compared, so they share λ: Fit and FitBatches see labels, and for an Accumulator
// set Options.SharedLambda.
//
// It panics with mat.ErrZeroLength if classes is empty or n less than 1, and with a text that names the row, the class and
// the range if a class is not in [0, n), such as the −1 of a file in LIBSVM's format.
func Labels(classes []int, n int) *mat.Dense {
	if len(classes) == 0 || n < 1 {
		panic(mat.ErrZeroLength)
	}
	y := mat.NewDense(len(classes), n, nil)
	for i, c := range classes {
		if c < 0 || c >= n {
			panic(fmt.Sprintf("ridge: Labels: row %d: class %d: must be from 0 to %d", i, c, n-1))
		}
		row := y.RawRowView(i)
		for j := range row {
			row[j] = -1
		}
		row[c] = 1
	}
	return y
}
