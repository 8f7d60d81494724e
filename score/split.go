// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package score

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// Split divides the rows 0 to n−1 at random into training rows and test rows. It returns both as ascending row numbers.
// The test set has testShare·n rows, rounded to the nearest whole number, but at least one if testShare is positive; at
// least one row is left for training if testShare is less than 1 and n at least 2.
//
// With strata, one value a row, such as its class, each stratum gives its share of test rows, rounded up or down: the
// strata with the largest remainders give one more. With nil strata all rows are one stratum. The same seed gives the
// same rows.
//
// It panics with mat.ErrZeroLength if n is less than 1, with mat.ErrShape if strata is not nil and its length is not n,
// and if testShare is not in [0, 1].
func Split(n int, testShare float64, strata []int, seed uint64) (train, test []int) {
	switch {
	case n < 1:
		panic(mat.ErrZeroLength)
	case strata != nil && len(strata) != n:
		panic(mat.ErrShape)
	case !(testShare >= 0 && testShare <= 1):
		panic(fmt.Sprintf("score: Split: testShare = %v: must be from 0 to 1", testShare))
	}
	return subset.Split(n, testShare, strata, featuremap.NewSampler(seed))
}

// Rows returns a copy of the rows of x, n×d, with the numbers in index, in the order of index. The copy is dense even
// if x is sparse. It panics with mat.ErrRowAccess if a number is out of range, and with mat.ErrZeroLength if index is
// empty.
func Rows(x mat.Matrix, index []int) *mat.Dense {
	n, d := x.Dims()
	if len(index) == 0 || d == 0 {
		panic(mat.ErrZeroLength)
	}
	for _, i := range index {
		if i < 0 || i >= n {
			panic(mat.ErrRowAccess)
		}
	}
	var reader rows.Reader
	reader.Reset(x)
	dst := mat.NewDense(len(index), d, nil)
	for i, at := range index {
		copy(dst.RawRowView(i), reader.Row(at))
	}
	return dst
}
