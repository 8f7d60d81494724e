// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Features of landmarks are φ(x) = U⁻ᵀr(x), with raw features r, which are kernel values, and an upper triangular U.
// Solving for each row would cost as much as summing it up. So products of raw features are summed, and U⁻ᵀ is applied
// once, to the sums; predictions are βᵀr(x) with Uβ = w. If the condition of UᵀU is above 1e7, these sums would lose
// digits: then rows are solved one by one.

// raws are the raw features of a map.
type raws struct {
	phi       featuremap.FeatureMap
	u         *tiled.Factor
	condition float64          // an estimate for UᵀU
	leaves    linear.Landmarks // the map, if it has landmarks; else nil
}

// rawsOf returns the raw features of a map, or nil if it has no raw features.
func rawsOf(phi featuremap.FeatureMap) *raws {
	raw, u := linear.Raw(phi)
	if raw == nil {
		return nil
	}
	return &raws{raw, u, largestEigenvalue(u) * u.InverseNorm1(), linear.LandmarksOf(phi)}
}

const (
	// largestRaw is the condition of UᵀU up to which products of raw features are summed.
	largestRaw = 1e7

	// largestRawSums is the condition of UᵀU up to which raw features themselves are summed, which is solved for by U once:
	// then they lose as many digits as sums of their products do at largestRaw.
	largestRawSums = largestRaw * largestRaw

	// largestProduct is the product of the conditions of UᵀU and A up to which rows are left out by raw features. The
	// mean squared leave-one-out error was found to be off by at most 2e-7 of itself at that product, and by 2e-5 at a
	// hundred times as much.
	largestProduct = 1e24
)

// largestEigenvalue estimates the largest eigenvalue of UᵀU from below, by eight steps of power iteration.
func largestEigenvalue(u *tiled.Factor) (largest float64) {
	const steps = 8
	n := u.Dim()
	v, next, all := slices.Repeat([]float64{1}, n), make([]float64, n), u.Rows()
	for range steps {
		clear(next)
		for i, rest := 0, all; i < n; i++ { // row i of U takes part in Uv as its element i, and so in UᵀUv
			var row []float64
			row, rest = rest[:n-i], rest[n-i:]
			w := tiled.Dot(row, v[i:])
			for j, c := range row {
				next[i+j] = math.FMA(c, w, next[i+j])
			}
		}
		largest = math.Sqrt(tiled.Dot(next, next))
		for j := range v {
			v[j] = next[j] / largest
		}
	}
	return largest
}

// A cheapest is the basis in which leaving rows out costs least, with the factor and the weights that belong to it.
type cheapest struct {
	basis
	raw     bool // the basis is raw features
	factor  *tiled.Factor
	weights blas64.General
}

// cheapest returns the cheapest basis for a solution: raw features r if that loses no digits that matter, and otherwise
// those of the map. With A = VᵀV the squared norm of V⁻ᵀφ = V⁻ᵀU⁻ᵀr equals that of (VU)⁻ᵀr, so one triangular system is
// solved instead of two. The mean of r is Uᵀφ̄.
func (l *leftOut) cheapest(s *normal.Solution, weights blas64.General) cheapest {
	if l.raw == nil || !(l.raw.condition*s.LargestCondition() <= largestProduct) {
		return cheapest{l.whitened(), false, s.Factor, weights}
	}
	in := basis{phi: l.raw.phi}
	if l.e.Mean != nil {
		in.mean = make([]float64, l.e.Features)
		column := make([]float64, l.e.Features)
		for j := range in.mean {
			l.raw.u.Column(column, j)
			in.mean[j] = tiled.Dot(column[:j+1], l.e.Mean[:j+1])
		}
	}
	weights.Data = linear.Fold(l.raw.u, weights.Data)
	return cheapest{in, true, s.Factor.Times(l.raw.u), weights}
}
