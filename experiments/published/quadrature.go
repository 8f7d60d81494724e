// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// The rule of Munkhoeva et al. computes the mean of a function of w ~ N(0, I) from the value at 0 and the
// values at ±ρⱼvⱼ times d/ρⱼ², with the vertices vⱼ of randomly rotated regular simplices and ρⱼ² ~ χ²(d +
// 2). It is exact for polynomials of degree 3. Their rotations are products of butterfly matrices; here
// they are uniform.

// gaussianRule is the rule for cos(w·(x − y)/ℓ), an even function: n·2(d + 1) points are one of each pair
// ±ρⱼvⱼ. The value at 0 makes the diagonal exact. If its weight is negative, the matrix is not a matrix of
// inner products.
func (p *protocol) gaussianRule(n int) method {
	length, d := p.length(), p.dim()
	points := 2 * n * (d + 1)
	return method{rule: func(s *featuremap.Sampler) *mat.Dense {
		v := simplices(2*n, d, s)
		weights := make([]float64, points)
		for j := range weights {
			square := 2 * s.Gamma(float64(d+2)/2)
			weights[j] = float64(d) / square / float64(points)
			floats.Scale(math.Sqrt(square)/length, v.RawRowView(j))
		}
		features := func(x *mat.Dense) *mat.Dense {
			var projected mat.Dense
			projected.Mul(x, v.T())
			rows, _ := x.Dims()
			z := mat.NewDense(rows, 2*points, nil)
			projected.Apply(func(i, j int, at float64) float64 {
				sin, cos := math.Sincos(at)
				root := math.Sqrt(weights[j])
				z.Set(i, 2*j, root*cos)
				z.Set(i, 2*j+1, root*sin)
				return at
			}, &projected)
			return z
		}
		var k mat.Dense
		k.Mul(features(p.x), features(p.y).T())
		atZero := 1 - floats.Sum(weights)
		k.Apply(func(_, _ int, v float64) float64 { return v + atZero }, &k)
		return &k
	}}
}

// reluRule is the rule for 2·max(w·x, 0)·max(w·y, 0), which is 0 at 0 and where ρⱼ cancels.
func (p *protocol) reluRule(n int) method {
	d := p.dim()
	factor := math.Sqrt(float64(d) / float64(n*(d+1)))
	return method{rule: func(s *featuremap.Sampler) *mat.Dense {
		v := simplices(n, d, s)
		features := func(x *mat.Dense, sign float64) *mat.Dense {
			var z mat.Dense
			z.Mul(x, v.T())
			z.Apply(func(_, _ int, at float64) float64 { return factor * max(sign*at, 0) }, &z)
			return &z
		}
		var up, down mat.Dense
		up.Mul(features(p.x, 1), features(p.y, 1).T())
		down.Mul(features(p.x, -1), features(p.y, -1).T())
		up.Add(&up, &down)
		return &up
	}}
}

// simplices returns the vertices, of norm 1, of n regular simplices of R^d, each with a uniform rotation:
// (d + 1)×d matrices with orthogonal columns of equal length whose rows add up to 0.
func simplices(n, d int, s *featuremap.Sampler) *mat.Dense {
	v := mat.NewDense(n*(d+1), d, nil)
	for k := range n {
		g := mat.NewDense(d+1, d+1, nil)
		g.Apply(func(_, j int, _ float64) float64 {
			if j == 0 {
				return 1
			}
			return s.Normal()
		}, g)
		var qr mat.QR
		qr.Factorize(g)
		var q, r mat.Dense
		qr.QTo(&q)
		qr.RTo(&r)
		for j := range d {
			length := math.Copysign(math.Sqrt(float64(d+1)/float64(d)), r.At(j+1, j+1))
			for i := range d + 1 {
				v.Set(k*(d+1)+i, j, length*q.At(i, j+1))
			}
		}
	}
	return v
}
