// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"math"
	"slices"
)

// A tauNode is a value of a radial kernel's τ and its probability. Means of functions of τ are sums over nodes.
type tauNode struct{ tau, p float64 }

// mostNodes is the least number of gammaNodes, and about the most that thinned leaves.
const mostNodes = 40

// gammaNodes returns nodes for τ = tauAt(g), with g a Gamma variate of the given shape: the trapezoidal rule
// for log g, which converges exponentially, over a range that leaves out less than 1e-7 on either side.
func gammaNodes(shape float64, tauAt func(g float64) float64) []tauNode {
	lg, _ := math.Lgamma(shape)
	lg1, _ := math.Lgamma(shape + 1)
	low := (math.Log(1e-7) + lg1) / shape
	high := math.Log(shape + 6*math.Sqrt(shape) + 16)
	n := int(min(max(mostNodes, (high-low)/0.9), 1<<13))
	nodes := make([]tauNode, n)
	h := (high - low) / float64(n-1)
	var sum float64
	for i := range nodes {
		u := low + h*float64(i)
		p := math.Exp(shape*u - math.Exp(u) - lg)
		nodes[i] = tauNode{tauAt(math.Exp(u)), p}
		sum += p
	}
	for i := range nodes {
		nodes[i].p /= sum
	}
	return nodes
}

// drawnNodes returns 2¹³ nodes of equal probability that are drawn, with a sampler of fixed seed.
func (s spectrum) drawnNodes() []tauNode {
	nodes := make([]tauNode, 1<<13)
	sampler := s.drawn()
	for i := range nodes {
		nodes[i] = tauNode{s.mixture(sampler), 1 / float64(len(nodes))}
	}
	return nodes
}

// thinned sorts nodes and merges neighbours into about mostNodes of the same total probability and mean.
func thinned(nodes []tauNode) []tauNode {
	if len(nodes) <= mostNodes {
		return nodes
	}
	slices.SortFunc(nodes, func(a, b tauNode) int { return cmp.Compare(a.tau, b.tau) })
	var thin []tauNode
	var p, sum float64
	for i, n := range nodes {
		p, sum = p+n.p, sum+n.p*n.tau
		if p >= 1.0/mostNodes || i == len(nodes)-1 {
			if p > 0 {
				thin = append(thin, tauNode{sum / p, p})
			}
			p, sum = 0, 0
		}
	}
	return thin
}

// sumNodes returns the distribution of the sum of two independent τ, thinned.
func sumNodes(a, b []tauNode) (sums []tauNode) {
	for _, m := range a {
		for _, n := range b {
			sums = append(sums, tauNode{m.tau + n.tau, m.p * n.p})
		}
	}
	return thinned(sums)
}

// medianTau sorts nodes and returns the median τ, or if that is 0 the smallest τ above it, or 0 if there is none.
func medianTau(nodes []tauNode) float64 {
	slices.SortFunc(nodes, func(a, b tauNode) int { return cmp.Compare(a.tau, b.tau) })
	var p float64
	for _, n := range nodes {
		if p += n.p; p >= 0.5 && n.tau > 0 {
			return n.tau
		}
	}
	return 0
}
