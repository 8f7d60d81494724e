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

// Split draws test rows, testShare·n of n to the nearest whole number, but at least one if testShare is positive, and leaves at
// least one to train on if it is less than 1 and n at least 2. It returns the numbers of the rows to train on and of these, both ascending.
//
// With strata, such as classes, one for each row, each stratum has its share of test rows, rounded up or down: the largest
// remainders have one more. With nil all rows are one stratum. The same seed gives the same rows.
//
// It panics with mat.ErrZeroLength if n is less than 1, with mat.ErrShape if there are strata and not n of them, and if testShare is
// not in [0, 1].
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

// Rows returns the rows of x, n×d, with these numbers, in their order: a copy, dense also where the rows of x are lists. It panics with
// mat.ErrRowAccess if a number is none of a row, and with mat.ErrZeroLength if there are none.
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
