// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package exact fits the kernel itself, without random features.
package exact

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Solve returns (K + λI)⁻¹y, where K has the given rows and columns of a kernel matrix, and y an
// element for each of them. λ is positive.
func Solve(gram mat.Symmetric, rows []int, lambda float64, y []float64) ([]float64, error) {
	n := len(rows)
	k := tiled.New(n)
	for i, r := range rows {
		for j := i; j < n; j++ { // by rows, as a SymDense is stored
			k.Set(i, j, gram.At(r, rows[j]))
		}
	}
	k.AddDiagonal(lambda)
	factor, bad := k.Factorize(0)
	if bad >= 0 {
		return nil, fmt.Errorf("exact: the %d×%d matrix of the kernel, with %v on its diagonal, is not positive definite", n, n, lambda)
	}
	alpha := append([]float64(nil), y...)
	factor.SolveTransVec(alpha)
	factor.SolveVec(alpha)
	return alpha, nil
}
