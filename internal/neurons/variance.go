// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package neurons

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arccosine"
	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

func (r *Recipe) Key() any { return r.Layout }

// Bounded is true for order 0, because its kernel does not depend on the norms.
func (r *Recipe) Bounded() bool { return r.arc == 0 }

// Statistics are the variance of one direction's part of the estimate and, for Orthogonal directions,
// the covariance of two directions' parts within a block and the square of the kernel.
func (r *Recipe) Statistics() int {
	if r.Layout == Normal {
		return 1
	}
	return 3
}

func (r *Recipe) Add(sums []float64, p *sample.Pair, part float64) {
	norms := p.A.Norm * p.B.Norm
	if p.A.Norm == 0 || p.B.Norm == 0 {
		return
	}
	x, y, _ := p.Coordinates()
	n, a := r.arc, arccosine.OppositeAngle(x, y, p.A.Norm, p.B.Norm)
	if r.Layout == Normal {
		value, second := n.At(norms, a), 2*(2*n).At(norms, a)
		if !math.IsInf(second, 1) {
			second = max(second-value*value, 0) // rounding
		}
		sums[0] += part * arith.Square(r.scale) * second
		return
	}
	// The moments are computed for unit vectors, and multiplied by size, a power of the norms.
	size := arith.Square(r.scale) * arith.Square(math.Pow(norms, float64(n)))
	value := n.At(1, a)
	sums[0] += part * arith.Times(size, r.directionVariance(a, value))
	if math.IsInf(size, 1) {
		return
	}
	sums[1] += part * size * r.directionCovariance(a)
	sums[2] += part * size * value * value
}

func (r *Recipe) Variance(sums []float64) float64 {
	if math.IsInf(sums[0], 1) {
		return sums[0] // covariances overflow to −∞
	}
	n, d, out := r.directions(), r.Dim(), float64(r.Columns)
	switch r.Layout {
	case Folded:
		return max(sums[0]+design.BlockPairs(n, d)/float64(n)*sums[1], 0) / float64(n) // rounding may leave less than 0
	case Paired:
		pairs := r.Columns / 2
		sum := float64(pairs)*sums[0] + design.BlockPairs(pairs, d)*sums[1]
		if pairs < n {
			// The single neuron at the end adds its own variance and twice its covariance with each pair of its
			// block, which is half of the covariance of two pairs.
			sum += sums[0]/2 + sums[2]/4 + float64(pairs%d)*sums[1]
		}
		return max(sum, 0) * 4 / (out * out)
	}
	return sums[0] / out
}

// directionVariance returns the variance of one direction's part of the estimate, for unit vectors at
// the angle π − a, where the kernel has the given value.
func (r *Recipe) directionVariance(a, value float64) float64 {
	n, d, c := r.arc, float64(r.Dim()), -math.Cos(a)
	// r⁴ⁿ over the mean of ‖w‖⁴ⁿ, where r is the length of the weights and w is standard normal.
	fraction := [...]float64{1, d / (d + 2), d / (d + 4) * ((d + 2) / (d + 6))}[n]
	second := (2 * n).At(1, a)
	if r.Layout == Folded {
		second = [...]float64{1, 1 + 2*c*c, 9 + 72*c*c + 24*c*c*c*c}[n] / 4
		value -= [...]float64{1, c, 1 + 2*c*c}[n] / 2
	}
	return max(second*fraction-value*value, 0) // rounding
}

// directionCovariance returns the covariance of the parts of two directions of a block, for unit vectors at
// the angle π − a.
func (r *Recipe) directionCovariance(a float64) float64 {
	folded := r.Layout == Folded
	if folded && r.arc == 0 && r.Dim() == 2 {
		// The series converges slowly to this value, for two directions at a right angle in the plane of
		// the points.
		return 0.25 - min(a, math.Pi-a)/math.Pi - arith.Square(a/math.Pi-0.5)
	}
	var sum float64
	angularMoments(int(r.arc), a, len(r.shares()), func(j int, positive, all float64) {
		if folded {
			positive -= all / 2
		}
		sum += r.shares()[j] * positive * positive
	})
	return sum
}

// angularMoments calls each, for j = 0 … count − 1, with the integrals over ψ of f(ψ)ⁿ·cos jψ with
// f(ψ) = cos ψ − cos a: over −a … a, where f is positive, and over −π … π.
func angularMoments(n int, a float64, count int, each func(j int, positive, all float64)) {
	sin, cos := math.Sincos(a)
	// The integrals of cos kψ, 2·sin(ka)/k, for k from j − 2 to j + 2.
	s, c := 2*sin*cos, 2*cos*cos-1 // the sine and the cosine of 2a
	integrals := [5]float64{s, 2 * sin, 2 * a, 2 * sin, s}
	for j := range count {
		switch middle := integrals[2]; n {
		case 0:
			each(j, middle, [...]float64{2 * math.Pi, 0}[min(j, 1)])
		case 1:
			each(j, (integrals[1]+integrals[3])/2-cos*middle, [...]float64{-2 * math.Pi * cos, math.Pi, 0}[min(j, 2)])
		default:
			positive := (0.5+cos*cos)*middle + (integrals[0]+integrals[4])/4 - cos*(integrals[1]+integrals[3])
			each(j, positive, [...]float64{math.Pi * (1 + 2*cos*cos), -2 * math.Pi * cos, math.Pi / 2, 0}[min(j, 3)])
		}
		copy(integrals[:], integrals[1:])
		s, c = s*cos+c*sin, c*cos-s*sin // the sine and the cosine of (j + 3)a
		integrals[4] = 2 * s / float64(j+3)
	}
}

// blockShares returns the factors with which the squared angularMoments for j = 0, 1, … add to the
// covariance of two directions of a block of R^d: see docs/theory/variance.md.
func blockShares(n, d int) (shares []float64) {
	if d == 1 {
		return nil
	}
	const most, accuracy = 1000, 1e-6
	dim, alpha := float64(d), float64(d-4)/2
	// The factor (r²/2)ⁿ of a direction's part, over 2π, which makes angularMoments Fourier coefficients.
	factor := [...]float64{1, dim / 2, dim * (dim + 2) / 4}[n] / (2 * math.Pi)
	energy := 1.0 // e(j, 0) of docs/theory/variance.md: that of ρ²ⁿ in harmonics of degree m = 2j and frequency m
	for i := range n {
		energy *= arith.Square(float64(i+1) / (dim/2 + float64(i)))
	}
	average := 1.0 // P_m of docs/theory/variance.md: the Gegenbauer polynomial of degree m at 0
	for j := range most {
		m, b := float64(2*j), float64(n+j+1)
		share := blockShare(n, j, d, energy, average)
		if j > 0 {
			share *= 2
		}
		share *= factor * factor
		shares = append(shares, share)
		if j > n+1 && math.Abs(share)*math.Pow(float64(j), float64(-2*n-1)) < accuracy {
			break
		}
		average *= -(m + 1) / (dim + m - 1)
		energy *= arith.Square(b/(b+alpha+1)) * (alpha + m + 2) * (alpha + m + 3) / ((m + 1) * (m + 2))
	}
	return shares
}

// blockShare returns E[ρ₁²ⁿρ₂²ⁿ·cos m(φ₁ − φ₂)] for m = 2j and the polar coordinates, in a plane, of two
// directions of a block, minus the product of the means if j = 0. It is a sum over harmonics of the degrees m, m
// + 2, …. energy and average belong to degree m.
func blockShare(n, j, d int, energy, average float64) (sum float64) {
	const most = 5000
	dim, alpha, m, b := float64(d), float64(d-4)/2, float64(2*j), float64(n+j+1)
	for k := range most {
		i := float64(k)
		addend := energy * average
		if j > 0 || k > 0 {
			sum += addend
		}
		left := float64(j-n) + i
		if left == 0 || d == 2 || math.Abs(addend) < 1e-12*math.Abs(sum) {
			break
		}
		average *= -(m + 2*i + 1) / (dim + m + 2*i - 1)
		energy *= left * left / (i + 1) * (alpha + i + 1) * (alpha + m + i + 1) / (arith.Square(b+alpha+i+1) * (i + m + 1)) *
			((2*i + alpha + m + 3) / (2*i + alpha + m + 1))
	}
	return sum
}
