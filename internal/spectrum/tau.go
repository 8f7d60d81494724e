// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package spectrum

import (
	"cmp"
	"math"
	"slices"
)

// Node is a value of a radial kernel's τ with its probability. Means of functions of τ are sums over nodes.
type Node struct{ Tau, P float64 }

// mostNodes is the least number of GammaNodes, and about the most that thinned leaves.
const mostNodes = 40

// GammaNodes returns nodes for τ = tauAt(g), with g a Gamma variate of the given shape. It uses the
// trapezoidal rule for log g, which converges exponentially, over a range that leaves out less than 1e-7 on
// either side.
func GammaNodes(shape float64, tauAt func(g float64) float64) []Node {
	lg, _ := math.Lgamma(shape)
	lg1, _ := math.Lgamma(shape + 1)
	low := (math.Log(1e-7) + lg1) / shape
	high := math.Log(shape + 6*math.Sqrt(shape) + 16)
	n := int(min(max(mostNodes, (high-low)/0.9), 1<<13))
	nodes := make([]Node, n)
	h := (high - low) / float64(n-1)
	var sum float64
	for i := range nodes {
		u := low + h*float64(i)
		p := math.Exp(shape*u - math.Exp(u) - lg)
		nodes[i] = Node{tauAt(math.Exp(u)), p}
		sum += p
	}
	for i := range nodes {
		nodes[i].P /= sum
	}
	return nodes
}

// drawnNodes returns 2¹³ random nodes of equal probability, from a sampler with a fixed seed.
func (s Spectrum) drawnNodes() []Node {
	nodes := make([]Node, 1<<13)
	sampler := s.Drawn()
	for i := range nodes {
		nodes[i] = Node{s.Mixture(sampler), 1 / float64(len(nodes))}
	}
	return nodes
}

// Thinned sorts nodes and merges neighbors into about mostNodes of the same total probability and mean.
func Thinned(nodes []Node) []Node {
	if len(nodes) <= mostNodes {
		return nodes
	}
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.Tau, b.Tau) })
	var thin []Node
	var p, sum float64
	for i, n := range nodes {
		p, sum = p+n.P, sum+n.P*n.Tau
		if p >= 1.0/mostNodes || i == len(nodes)-1 {
			if p > 0 {
				thin = append(thin, Node{sum / p, p})
			}
			p, sum = 0, 0
		}
	}
	return thin
}

// sumNodes returns the distribution of the sum of two independent τ, thinned.
func sumNodes(a, b []Node) (sums []Node) {
	for _, m := range a {
		for _, n := range b {
			sums = append(sums, Node{m.Tau + n.Tau, m.P * n.P})
		}
	}
	return Thinned(sums)
}

// MedianTau sorts nodes and returns the median τ. If this is 0 it returns the smallest τ above it, or 0 if all
// are 0.
func MedianTau(nodes []Node) float64 {
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.Tau, b.Tau) })
	var p float64
	for _, n := range nodes {
		if p += n.P; p >= 0.5 && n.Tau > 0 {
			return n.Tau
		}
	}
	return 0
}
