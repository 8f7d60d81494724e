// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// lambdas are the candidates of λ. The kernels are 1 for two equal images.
var lambdas = []float64{0.03, 0.1, 0.3, 1, 3, 10}

// prediction is the predictions of all images, each by kernel ridge regression on all other images.
type prediction struct {
	lambda float64   // λ
	loss   float64   // mean squared error, summed over classes
	right  []float64 // 1 where the image's own class has the largest score, else 0
}

// leaveOneOut predicts images lo to hi, each from the others, with the λ of least loss. One fit is enough for all:
// with A = K + λI, the leave-one-out prediction of image i misses its targets yᵢ by (A⁻¹Y)ᵢ/(A⁻¹)ᵢᵢ.
func (s *collection) leaveOneOut(k matrix, lo, hi int, lambdas []float64) (best prediction, err error) {
	for i, lambda := range lambdas {
		p, err := s.leaveOneOutOf(k, lo, hi, lambda)
		if err != nil {
			return prediction{}, err
		}
		if i == 0 || p.loss < best.loss {
			best = p
		}
	}
	return best, nil
}

// A matrix is symmetric.
type matrix interface{ At(i, j int) float64 }

// leaveOneOutOf is leaveOneOut for one λ. It uses the linear algebra of package ridge, which is about eight times
// faster than gonum's here.
func (s *collection) leaveOneOutOf(k matrix, lo, hi int, lambda float64) (prediction, error) {
	n := hi - lo
	a := tiled.New(n)
	column := make([]float64, n)
	for j := range n {
		for i := range j + 1 {
			column[i] = k.At(lo+i, lo+j)
		}
		a.SetColumn(j, column[:j+1])
	}
	a.AddDiagonal(lambda)
	const tiny = 1e-14
	factor, at := a.Factorize(tiny)
	if factor == nil {
		return prediction{}, fmt.Errorf("row %d of %d: the matrix is singular", at, n)
	}
	scores, loss := s.missed(factor, lo), 0.0
	for c := range scores {
		loss += floats.Dot(scores[c], scores[c]) / float64(n)
		floats.Sub(scores[c], s.target(c, lo, hi))
	}
	p := prediction{lambda: lambda, loss: loss, right: make([]float64, n)}
	for i := range n {
		best := 0
		for c := range scores { // now minus the predictions
			if scores[c][i] < scores[best][i] {
				best = c
			}
		}
		if best == s.class[lo+i] {
			p.right[i] = 1
		}
	}
	return p, nil
}

// missed returns for each class and image the leave-one-out error of the target.
func (s *collection) missed(a *tiled.Factor, lo int) [][]float64 {
	n := a.Dim()
	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	diagonal := make([]float64, n) // of A⁻¹
	a.SquaredNorms(diagonal, identity.RawMatrix())
	by := make([][]float64, s.classes)
	for c := range by {
		by[c] = s.target(c, lo, lo+n)
		a.SolveTransVec(by[c])
		a.SolveVec(by[c])
		floats.Div(by[c], diagonal)
	}
	return by
}

// target returns the regression target of a class: 1 for its images and 0 for others, minus the mean for classes of
// equal size.
func (s *collection) target(class, lo, hi int) []float64 {
	y := make([]float64, hi-lo)
	for i := range y {
		y[i] = -1 / float64(s.classes)
		if s.class[lo+i] == class {
			y[i]++
		}
	}
	return y
}
