// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
)

// Labels returns targets for classification: a row for each element of classes and a column for each of n classes, with
// +1 in the column of the row's class and −1 elsewhere. A model of these predicts a score for each class; use
// floats.MaxIdx to find the largest. Since scores of classes are compared, they must share λ: Fit and FitBatches
// recognize labels; for an Accumulator, set Options.SharedLambda.
//
// It returns an error if classes is empty or n less than 1, or if a class is not from 0 to n − 1, such as the −1 of a
// file in LIBSVM's format. The error then names the row, the class and n.
func Labels(classes []int, n int) (*mat.Dense, error) {
	switch {
	case len(classes) == 0:
		return nil, errors.New("ridge: classes is empty: must have a class for each row")
	case n < 1:
		return nil, fmt.Errorf("ridge: n = %d classes: must be at least 1", n)
	case 8*float64(n)*float64(len(classes)) > float64(memory.Limit()):
		return nil, fmt.Errorf("ridge: n = %d classes of %d rows take %.3g bytes: there are %.3g", n, len(classes), 8*float64(n)*float64(len(classes)), float64(memory.Limit()))
	}
	y := mat.NewDense(len(classes), n, nil)
	for i, c := range classes {
		if c < 0 || c >= n {
			return nil, fmt.Errorf("ridge: classes: row %d: class %d of n = %d: must be from 0 to %d", i, c, n, n-1)
		}
		row := y.RawRowView(i)
		for j := range row {
			row[j] = -1
		}
		row[c] = 1
	}
	return y, nil
}
