// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A kernel is one of Kar and Karnick's.
type kernel struct {
	name string
	featuremap.DotProduct
}

// kernels returns the kernels for points to train on. σ is the mean distance between two of them.
func kernels(x *mat.Dense) []kernel {
	rows := pairs.Spread(x, 1000)
	n, _ := rows.Dims()
	var distances []float64
	var difference mat.VecDense
	for i := range n {
		for j := range i {
			difference.SubVec(rows.RowView(i), rows.RowView(j))
			distances = append(distances, mat.Norm(&difference, 2))
		}
	}
	return []kernel{
		{"(1 + ⟨x, y⟩)¹⁰", featuremap.Polynomial{Degree: 10, Gamma: 1, Offset: 1}},
		{"exp(⟨x, y⟩/σ²)", featuremap.ExpDot{LengthScale: stat.Mean(distances, nil)}},
	}
}

// mean returns the mean of k(x, x).
func (k kernel) mean(x *mat.Dense) (sum float64) {
	n, _ := x.Dims()
	for i := range n {
		sum += k.Eval(x.RawRowView(i), x.RawRowView(i))
	}
	return sum / float64(n)
}

// relative returns the root mean square error that variances predict for a map over pairs of points,
// relative to the kernel's root mean square.
func (k kernel) relative(m featuremap.FeatureMap, x *mat.Dense) float64 {
	rows := pairs.Spread(x, 100)
	var gram mat.SymDense
	featuremap.Gram(&gram, k, rows)
	n, sum := gram.SymmetricDim(), 0.0
	for i := range n {
		for j := range i {
			sum += gram.At(i, j) * gram.At(i, j)
		}
	}
	return pairs.Predicted(m, rows) / math.Sqrt(sum/float64(n*(n-1)/2))
}

// way is a way to make a map for points x.
type way struct {
	name string
	draw func(k kernel, x *mat.Dense, columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error)
}

var (
	random     = maclaurin("random features (GeometricLaw)", false, 0)
	low        = maclaurin("H0/1 (GeometricLaw, ExactDegree = 1)", false, 1)
	optimal    = maclaurin("OptimalLaw", true, 0)
	optimalLow = maclaurin("OptimalLaw, ExactDegree = 1", true, 1)
	lowAlone   = way{"degrees 0 and 1 alone, exact", func(k kernel, x *mat.Dense, columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		f := k.Series()
		return featuremap.New(featuremap.Polynomial{Degree: 1, Gamma: f.Coeff(1), Offset: f.Coeff(0)}, x, columns, s)
	}}
	planned = way{"NewPlan", func(k kernel, x *mat.Dense, columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		p, err := featuremap.NewPlan(k.DotProduct, x, columns, nil)
		if err != nil {
			return nil, err
		}
		return p.Draw(s)
	}}
)

// maclaurin returns the way of NewMaclaurin; optimal takes OptimalLaw for the root mean square norm.
func maclaurin(name string, optimal bool, exact int) way {
	return way{name, func(k kernel, x *mat.Dense, columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		n, d := x.Dims()
		o := &featuremap.MaclaurinOptions{ExactDegree: exact}
		if optimal {
			o.Law = series.OptimalLaw{Norm: mat.Norm(x, 2) / math.Sqrt(float64(n))}
		}
		return featuremap.NewMaclaurin(k.DotProduct, d, columns, s, o)
	}}
}
