// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// estimate is the result for a number of samples of random features.
type estimate struct {
	draws, columns      int
	predicted, measured float64 // root mean square errors of the kernel
	accuracy            float64
}

// pairRows is the number of images, the first ones, over whose pairs errors of the kernel are predicted and measured.
const pairRows = 100

// estimates returns the results for 1, 4, 16 and so on maps of step samples each, up to maps. The mean of several
// maps' inner products is the inner product of one map with all samples. So maps are made one after another, and the
// features of all never lie in memory together.
func (s *collection) estimates(e entry, exact *mat.SymDense, lambda float64, step, maps int, sampler *featuremap.Sampler) (all []estimate, err error) {
	n, _ := e.angles.Dims()
	gram, columns := tiled.New(n), 0
	var ofOne float64 // the variance of a map
	for m, next := 1, 1; m <= maps; m++ {
		phi, err := featuremap.NewCompositional(e.skeleton, step, sampler)
		if err != nil {
			return nil, err
		}
		if m == 1 {
			ofOne = meanOverPairs(n, func(i, j int) float64 { return phi.Variance(e.angles.RawRowView(i), e.angles.RawRowView(j)) })
		}
		var z mat.Dense
		phi.TransformTo(&z, e.angles)
		_, out := z.Dims()
		columns += out
		addInnerProducts(gram, &z)
		if m < next {
			continue
		}
		next *= 4
		p, err := s.leaveOneOut(gram, 0, n, []float64{lambda * float64(m)})
		if err != nil {
			return nil, fmt.Errorf("%d samples: %w", m*step, err)
		}
		all = append(all, estimate{
			draws: m * step, columns: columns, accuracy: stat.Mean(p.right, nil),
			predicted: math.Sqrt(ofOne / float64(m)),
			measured: math.Sqrt(meanOverPairs(n, func(i, j int) float64 {
				d := gram.At(i, j)/float64(m) - exact.At(i, j)
				return d * d
			})),
		})
	}
	return all, nil
}

// addInnerProducts adds zzᵀ to a matrix.
func addInnerProducts(to *tiled.Matrix, z *mat.Dense) {
	transposed := mat.DenseCopyOf(z.T())
	columns, n := transposed.Dims()
	block := tiled.NewBlock(n)
	for from := 0; from < columns; from += tiled.BlockRows {
		part := transposed.Slice(from, min(from+tiled.BlockRows, columns), 0, n).(*mat.Dense)
		block.Append(part.RawMatrix())
		to.Update(block)
		block.Truncate(0)
	}
}

// meanOverPairs returns the mean of f over pairs of different ones of the first pairRows of n images.
func meanOverPairs(n int, f func(i, j int) float64) float64 {
	n = min(n, pairRows)
	var sum float64
	for i := range n {
		for j := range i {
			sum += f(i, j)
		}
	}
	return sum / float64(n*(n-1)/2)
}
