// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
)

// A KernelMatrix is what maps of landmarks will see of kernel matrices.
type KernelMatrix struct{ m *matrix.Matrix }

func NewKernelMatrix(k Kernel, points mat.Matrix) KernelMatrix {
	_, d := points.Dims()
	return KernelMatrix{matrix.New(compileGram(k, d), points)}
}

func (k KernelMatrix) Rows(x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst := mat.NewDense(n, k.m.N, nil)
	k.RowsTo(dst, x)
	return dst
}

func (k KernelMatrix) RowsTo(dst *mat.Dense, x mat.Matrix) { k.m.RowsTo(dst.RawMatrix(), x) }

func (k KernelMatrix) Diagonal(x mat.Matrix) []float64 {
	n, _ := x.Dims()
	dst := make([]float64, n)
	k.m.DiagonalTo(dst, x)
	return dst
}

// EvaluatedPairs is the number of kernels in k that kernel matrices on R^d evaluate pair by pair.
func EvaluatedPairs(k Kernel, d int) (n int) { return compileGram(k, d).Evaluated }
