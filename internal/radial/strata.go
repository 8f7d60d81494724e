// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package radial

import "math"

// Strata predicts the variance of the mean of cos(ωⱼ·Δ) over n frequencies ωⱼ of R^d with stratified lengths: length j
// is the (π(j) + uⱼ)/n quantile of a distribution, for a random permutation π and uniform uⱼ. Directions are orthogonal
// in blocks of up to d frequencies, and independent from block to block.
//
// Two frequencies of different blocks have the covariance −Var_s(c_s)/(n − 1), where c_s is the mean of j(rz) over
// stratum s. For two frequencies of one block add the mean, over pairs of different strata, of
// q(r, r′) = j(z√(r² + r′²)) − j(rz)j(r′z), the covariance for given lengths. This mean is (n·c − q̄)/(n − 1), where c
// is the mean of q over independent lengths, and q̄ its mean over two lengths in one stratum.
type Strata struct {
	n    int
	wave *wave
	sets []stratum
}

// stratum stands for weight·n strata: its nodes are the nodes of the middle one.
type stratum struct {
	weight float64
	nodes  []radius
	joint  [][]float64 // joint[i][k] is √(rᵢ² + rₖ²) for k ≤ i
}

func newStratum(weight float64, nodes []radius) stratum {
	s := stratum{weight, nodes, make([][]float64, len(nodes))}
	for i, a := range nodes {
		s.joint[i] = make([]float64, i+1)
		for k, b := range nodes[:i+1] {
			s.joint[i][k] = math.Hypot(a.r, b.r)
		}
	}
	return s
}

// radius is a length with its share of the stratum.
type radius struct{ r, share float64 }

// Family makes the Strata for any number of frequencies with one distribution of lengths.
type Family struct {
	law  *Law
	wave *wave
}

// NewFamily returns the family for frequencies of R^d whose lengths have the given distribution.
func NewFamily(d int, law *Law) *Family { return &Family{law, newWave(d)} }

// Strata returns the Strata of n ≥ 1 frequencies. With many strata it uses all at both ends, and in the middle only
// some, each of which stands for a few percent.
func (f *Family) Strata(n int) *Strata {
	const ends, share, most = 12, 0.1, 1.0 / 64
	s := &Strata{n: n, wave: f.wave}
	for at := 0; at < n; {
		beside := min(at, n-at)
		group := 1
		if beside > ends {
			group = max(1, min(int(share*float64(beside)), int(most*float64(n))))
		}
		group = min(group, n-at)
		first := float64(at) + 0.5*float64(group-1)
		s.sets = append(s.sets, newStratum(float64(group)/float64(n), f.nodes(first, float64(n))))
		at += group
	}
	return s
}

// nodes returns the lengths at nodes of Gauss's rule with two points, in pieces of the stratum [at, at + 1]/n. There
// are fewer pieces for more strata, and shorter and shorter ones at the ends.
func (f *Family) nodes(at, n float64) (nodes []radius) {
	pieces := int(math.Ceil(24 / n))
	edges := make([]float64, 0, pieces+1)
	for i := range pieces + 1 {
		edges = append(edges, float64(i)/float64(pieces))
	}
	const halvings = 8
	if at < 0.5 {
		for range halvings {
			edges = append([]float64{0, edges[1] / 2}, edges[1:]...)
		}
	}
	if at > n-1.5 {
		for range halvings {
			last := len(edges) - 1
			edges = append(edges[:last], 1-(1-edges[last-1])/2, 1)
		}
	}
	const gauss = 0.5773502691896257
	for i, low := range edges[:len(edges)-1] {
		middle, half := 0.5*(low+edges[i+1]), 0.5*(edges[i+1]-low)
		for _, side := range []float64{-gauss, gauss} {
			nodes = append(nodes, radius{f.law.Quantile((at + middle + side*half) / n), half})
		}
	}
	return nodes
}

// Variance returns n times the variance of the mean of cos(ωⱼ·Δ) at ‖Δ‖ = z. mates is the mean number of other
// frequencies in the block of a frequency. covariance is c, the covariance of two frequencies in a block with
// independent lengths.
func (s *Strata) Variance(z, mates, covariance float64) float64 {
	var inner, within, same float64
	var values [64]float64
	for _, set := range s.sets {
		var mean, square float64
		j := values[:0]
		for i, v := range set.nodes {
			if set.unresolved(i, z) {
				j = append(j, math.NaN())
				inner += set.weight * v.share * 0.5
				continue
			}
			value := s.wave.at(v.r * z)
			j = append(j, value)
			mean += v.share * value
			square += v.share * value * value
			inner += set.weight * v.share * s.wave.variance(v.r*z, value)
		}
		within += set.weight * max(square-mean*mean, 0)
		if mates > 0 {
			same += set.weight * s.sameStratum(set, z, j)
		}
	}
	v := inner + within
	if n := float64(s.n); n > 1 {
		v += mates * (n*covariance - same) / (n - 1)
	}
	return max(v, 0)
}

// unresolved tells whether j(rz) goes through more than two radians between node i and the other node of its piece. For
// such a piece the means are taken to be those far out: 0 for j(rz), and ½ for cos².
func (s *stratum) unresolved(i int, z float64) bool {
	pair := i &^ 1
	return !(z*(s.nodes[pair+1].r-s.nodes[pair].r) <= 2)
}

// sameStratum returns the mean of q(r, r′) for two lengths in a stratum, given j at its nodes, NaN at unresolved ones.
func (s *Strata) sameStratum(set stratum, z float64, j []float64) (mean float64) {
	for i, a := range set.nodes {
		if math.IsNaN(j[i]) {
			continue
		}
		for k, b := range set.nodes[:i+1] {
			if math.IsNaN(j[k]) {
				continue
			}
			share := a.share * b.share
			if k < i {
				share *= 2
			}
			mean += share * (s.wave.at(z*set.joint[i][k]) - j[i]*j[k])
		}
	}
	return mean
}
