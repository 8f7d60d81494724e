// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import "gonum.org/v1/gonum/mat"

// Pick returns some rows of a matrix.
func Pick(a *mat.Dense, index []int) *mat.Dense {
	_, cols := a.Dims()
	dst := mat.NewDense(len(index), cols, nil)
	for i, at := range index {
		copy(dst.RawRowView(i), a.RawRowView(at))
	}
	return dst
}
