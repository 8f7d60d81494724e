// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "gonum.org/v1/gonum/mat"

// A KernelMatrix is what maps of landmarks will see of kernel matrices.
type KernelMatrix struct{ m *kernelMatrix }

func NewKernelMatrix(k Kernel, points mat.Matrix) KernelMatrix {
	_, d := points.Dims()
	return KernelMatrix{newKernelMatrix(compileGram(k, d), points)}
}

func (k KernelMatrix) Rows(x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst := mat.NewDense(n, k.m.n, nil)
	k.RowsTo(dst, x)
	return dst
}

func (k KernelMatrix) RowsTo(dst *mat.Dense, x mat.Matrix) { k.m.rowsTo(dst.RawMatrix(), x) }

func (k KernelMatrix) Diagonal(x mat.Matrix) []float64 {
	n, _ := x.Dims()
	dst := make([]float64, n)
	k.m.diagonalTo(dst, x)
	return dst
}

// EvaluatedPairs is the number of kernels in k that kernel matrices on R^d evaluate pair by pair.
func EvaluatedPairs(k Kernel, d int) (n int) {
	var count func(node gramNode)
	count = func(node gramNode) {
		switch node := node.(type) {
		case evalNode:
			n++
		case sumNode:
			for _, part := range node {
				count(part)
			}
		case productNode:
			count(sumNode(node))
		case scaleNode:
			count(node.part)
		case weightNode:
			count(node.part)
		case functionNode:
			count(node.part)
		}
	}
	count(compileGram(k, d).root)
	return n
}
