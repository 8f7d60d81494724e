// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/special"
)

// A covariance is a table by log z of c(z), the covariance of cos ω₁·Δ and cos ω₂·Δ at ‖Δ‖ = z for two
// frequencies of an orthogonal block of R^d: see docs/variance.md.
type covariance struct {
	low, step float64 // of log z
	values    []float64
}

func newCovariance(d int, nodes []tauNode) *covariance {
	const points, decades = 160, 6
	nodes = thinned(nodes)
	median := medianTau(nodes)
	if median == 0 {
		return &covariance{} // of a constant kernel
	}
	c := &covariance{values: make([]float64, points), step: decades * math.Ln10 / (points - 1)}
	c.low = -0.5*math.Log(median) - 3*math.Ln10
	rules := [][]betaNode{betaRule(d, 5), betaRule(d, 9), betaRule(d, 24)}
	var at [3][]int // the points of each rule
	gauss := newGaussianTable(d)
	w, logs, falls := make([]float64, points), make([]float64, points), make([]float64, points)
	for i := range w {
		z := c.low + c.step*float64(i)
		w[i], logs[i] = math.Exp(2*z)/2, 2*z-math.Ln2
	}
	for a, n := range nodes {
		for b, m := range nodes[:a+1] {
			p := 2 * n.p * m.p
			if a == b {
				p = n.p * m.p
			}
			for k := range at {
				at[k] = at[k][:0]
			}
			for i, w := range w {
				k := ruleFor(w*n.tau, w*m.tau)
				at[k] = append(at[k], i)
				falls[i] = math.Exp(-(w * (n.tau + m.tau)))
			}
			for k, nodes := range rules {
				if len(at[k]) == 0 {
					continue
				}
				for _, r := range nodes {
					tau := r.share*n.tau + (1-r.share)*m.tau
					log := math.Log(tau)
					for _, i := range at[k] {
						w := w[i]
						c.values[i] += p * r.weight * (gauss.at(logs[i]+log) + spread(w*(n.tau+m.tau), w*(2*r.share-1)*(n.tau-m.tau), falls[i]))
					}
				}
			}
		}
	}
	return c
}

// ruleFor returns the quadrature rule for e^{−(su+(1−s)v)}, which takes the more nodes the more it varies with
// s, unless it is next to 0.
func ruleFor(u, v float64) int {
	switch difference := math.Abs(u - v); {
	case difference <= 3 || min(u, v) >= 40:
		return 0
	case difference <= 12:
		return 1
	default:
		return 2
	}
}

// spread returns e^{−s}·(cosh t − 1) for |t| ≤ s, given fall = e^{−s}.
func spread(s, t, fall float64) float64 {
	if math.Abs(t) < 1 {
		h := math.Sinh(t / 2)
		return fall * 2 * h * h
	}
	return 0.5*(math.Exp(t-s)+math.Exp(-t-s)) - fall
}

// at returns c(z): proportional to z⁴ below the table, 0 beyond it.
func (c *covariance) at(z float64) float64 {
	if c.values == nil || z == 0 {
		return 0
	}
	u := (math.Log(z) - c.low) / c.step
	switch last := len(c.values) - 1; {
	case math.IsNaN(u): // of z, or of scales that overflow
		return u
	case u < 1:
		return c.values[1] * math.Exp(4*(u-1)*c.step)
	case u >= float64(last-1):
		return 0
	}
	return cubic(c.values, u)
}

// cubic interpolates between values, which are given at the integers, for 1 ≤ u < len(values) − 2.
func cubic(values []float64, u float64) float64 {
	i := int(u)
	t := u - float64(i)
	a, b, c, d := values[i-1], values[i], values[i+1], values[i+2]
	return b + 0.5*t*(c-a+t*(2*a-5*b+4*c-d+t*(3*(b-c)+d-a)))
}

// A gaussianTable is a table of special.OrthogonalCovariance by log w.
type gaussianTable struct{ values []float64 }

const gaussianLow, gaussianStep = -12, 0.05 // of log w

func newGaussianTable(d int) gaussianTable {
	t := gaussianTable{make([]float64, 400)} // to w = 3000
	for i := range t.values {
		t.values[i] = special.OrthogonalCovariance(d, math.Exp(gaussianLow+gaussianStep*float64(i)))
	}
	return t
}

// at returns the covariance at w = e^log.
func (t gaussianTable) at(log float64) float64 {
	switch u := (log - gaussianLow) / gaussianStep; {
	case math.IsNaN(u):
		return u
	case u < 1:
		return t.values[1] * math.Exp(2*(u-1)*gaussianStep) // −w²/(d/2 + 1)
	case u >= float64(len(t.values)-2):
		return 0
	default:
		return cubic(t.values, u)
	}
}

type betaNode struct{ share, weight float64 }

// betaRule returns n nodes of Gauss quadrature for the Beta(d/2, d/2) distribution, by the eigenvectors of
// the Jacobi matrix of Gegenbauer polynomials (Golub and Welsch 1969).
func betaRule(d, n int) (rule []betaNode) {
	jacobi := mat.NewSymDense(n, nil)
	lambda := float64(d-1) / 2
	for k := 1; k < n; k++ {
		j := float64(k)
		b := j * (j + 2*lambda - 1) / (4 * (j + lambda) * (j + lambda - 1))
		if d == 1 {
			b = 0
		}
		jacobi.SetSym(k-1, k, math.Sqrt(b))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(jacobi, true) {
		panic("featuremap: no eigenvalues of a Jacobi matrix")
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	for i, x := range eigen.Values(nil) {
		rule = append(rule, betaNode{(1 + x) / 2, v.At(0, i) * v.At(0, i)})
	}
	return rule
}
