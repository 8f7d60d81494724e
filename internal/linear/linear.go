// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package linear contains what linear models of features share and users need not see: prediction, the raw features and
// the domain of a map, and what packages ridge, logistic and learn pass to one another, hidden in options and models of
// the first two. It imports none of these packages.
package linear

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/nystrom"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Kept is a map whose features, for the rows that its points number, are in memory. It counts as Landmarks if it has
// raw features.
type Kept interface {
	// KeptRaw is like Nystrom.Raw; raw is nil if there are no raw features.
	KeptRaw() (raw featuremap.FeatureMap, u *mat.TriDense)
}

// Landmarks is implemented by featuremap.Nystrom.
type Landmarks interface {
	Raw() (raw featuremap.FeatureMap, u *mat.TriDense)
	DiagonalTo(dst []float64, x mat.Matrix)
	RemainderTo(dst []float64, x mat.Matrix, features *mat.Dense)
}

// LandmarksOf returns a map as a map of landmarks, or nil if it is another map. A caller's type that embeds one
// is another map.
func LandmarksOf(phi featuremap.FeatureMap) Landmarks {
	if m, ok := phi.(*featuremap.Nystrom); ok {
		return m
	}
	return nil
}

// PointsOf returns the landmarks of a map, which must not be changed, or nil if LandmarksOf does.
func PointsOf(phi featuremap.FeatureMap) mat.Matrix {
	if m, ok := phi.(*featuremap.Nystrom); ok {
		return nystrom.PointsOf(m)
	}
	return nil
}

// Raw returns the map of raw features r(x) of a map, and the U of φ(x) = U⁻ᵀr(x), which must not be changed; nil if the
// map has no raw features. A caller's type that embeds a Nystrom inherits its methods, but may have other features.
func Raw(phi featuremap.FeatureMap) (raw featuremap.FeatureMap, u *tiled.Factor) {
	switch m := phi.(type) {
	case *featuremap.Nystrom:
		if raw, u := nystrom.Of(m); u != nil {
			return raw.(featuremap.FeatureMap), u
		}
	case Kept:
		if raw, u := m.KeptRaw(); raw != nil {
			return raw, factorOf(u)
		}
	}
	return nil, nil
}

// factorOf returns a triangular matrix as a factor.
func factorOf(u *mat.TriDense) *tiled.Factor {
	upper := u.RawTriangular()
	t := tiled.New(upper.N)
	for i := range upper.N {
		t.SetRow(i, i, upper.Data[i*upper.Stride+i:i*upper.Stride+upper.N])
	}
	return tiled.NewFactor(t)
}
