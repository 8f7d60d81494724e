// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/special"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// A Covariance is a table by log z of c(z), the covariance of cos ω₁·Δ and cos ω₂·Δ at ‖Δ‖ = z for two
// frequencies of an orthogonal block of R^d: see docs/theory/variance.md.
type Covariance struct {
	low, step float64 // the first log z, and the difference from one to the next
	values    []float64
}

// newCovariance returns the table for a kernel whose τ has the distribution of nodes. It is made from the table for
// fixed values of τ.
func newCovariance(given *pairCovariance, nodes []spectrum.Node) *Covariance {
	const points, decades = 160, 6
	nodes = spectrum.Thinned(nodes)
	median := spectrum.MedianTau(nodes)
	if median == 0 {
		return &Covariance{} // τ = 0: a constant kernel
	}
	c := &Covariance{values: make([]float64, points), step: decades * math.Ln10 / (points - 1)}
	c.low = -0.5*math.Log(median) - 3*math.Ln10
	part, logs := make([]float64, len(nodes)), make([]float64, len(nodes))
	for i, n := range nodes {
		part[i], logs[i] = n.P, math.Log(n.Tau)
	}
	at := make([]float64, len(nodes))
	for i := range c.values {
		z := c.low + c.step*float64(i)
		for k, log := range logs {
			at[k] = 2*z - math.Ln2 + log
		}
		c.values[i] = given.mean(part, at)
	}
	return c
}

// pairCovariance is a table of the covariance of cos ω₁·Δ and cos ω₂·Δ for two frequencies of an orthogonal block of
// R^d with given τ₁ and τ₂, by the logarithms of u = ‖Δ‖²τ₁/2 and v = ‖Δ‖²τ₂/2. It is the same for all kernels. Values
// are divided by u·v, to which the covariance is proportional where both are small.
//
// Let s = χ²/(χ² + χ′²) for the squared lengths over τ₁ and τ₂, with the Beta(d/2, d/2) distribution. The covariance is
// the mean over s of the covariance for the common τ = s·τ₁ + (1 − s)·τ₂, plus the mean of e^{−u−v}·(cosh((2s − 1)(u −
// v)) − 1): see docs/theory/variance.md.
type pairCovariance struct{ values [][]float64 }

// recentCovariances holds the tables that were asked for last, the latest first. A table takes about 10 ms and 320 kB,
// and all kernels of one dimension share it.
var recentCovariances struct {
	sync.Mutex
	tables [16]struct {
		d   int
		get func() *pairCovariance
	}
}

// PairCovarianceOf returns the table for blocks of R^d.
func PairCovarianceOf(d int) *pairCovariance {
	recent := &recentCovariances
	recent.Lock()
	at := 0
	for at < len(recent.tables)-1 && recent.tables[at].d != d {
		at++
	}
	found := recent.tables[at]
	if found.d != d {
		found.d, found.get = d, sync.OnceValue(func() *pairCovariance { return newPairCovariance(d) })
	}
	copy(recent.tables[1:at+1], recent.tables[:at])
	recent.tables[0] = found
	recent.Unlock()
	return found.get()
}

// The table spans u and v from e^pairLow to e^(pairLow + pairStep·(pairPoints − 1)), which is about
// 3000.
const pairLow, pairStep, pairPoints = -12, 0.1, 201

func newPairCovariance(d int) *pairCovariance {
	c := &pairCovariance{make([][]float64, pairPoints)}
	rules := [][]betaNode{betaRule(d, 5), betaRule(d, 9), betaRule(d, 24)}
	gauss := newGaussianTable(d)
	for i := range c.values {
		c.values[i] = make([]float64, pairPoints)
		u := math.Exp(pairLow + pairStep*float64(i))
		for j := range i + 1 {
			v := math.Exp(pairLow + pairStep*float64(j))
			fall := math.Exp(-(u + v))
			var sum float64
			for _, r := range rules[ruleFor(u, v)] {
				sum += r.weight * (gauss.at(math.Log(r.share*u+(1-r.share)*v)) + spread(u+v, (2*r.share-1)*(u-v), fall))
			}
			c.values[i][j] = sum / u / v
			c.values[j][i] = c.values[i][j]
		}
	}
	return c
}

// mean returns the mean covariance for two independent τ, where log u and log v have the values log with the
// probabilities p. It interpolates by cubics.
func (c *pairCovariance) mean(p, log []float64) float64 {
	var weights [pairPoints]float64
	for k, log := range log {
		u := (log - pairLow) / pairStep
		switch {
		case math.IsNaN(u): // the scales overflow
			return u
		case u >= pairPoints-2 || p[k] == 0 || math.IsInf(log, -1):
			continue // beyond the table the covariance counts as 0, and for τ = 0 it is 0
		}
		size := p[k] * math.Exp(log)
		if u < 1 {
			weights[0] += size
			continue
		}
		i := int(u)
		for j, w := range sample.CubicWeights(u - float64(i)) {
			weights[i-1+j] += w * size
		}
	}
	var sum float64
	for i, w := range weights {
		if w != 0 {
			sum += w * (2*arith.Inner(weights[:i], c.values[i][:i]) + w*c.values[i][i])
		}
	}
	return sum
}

// ruleFor returns the index of the quadrature rule for e^{−(su+(1−s)v)}. The rule has more nodes the more the
// values vary with s, unless they are all nearly 0.
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
func (c *Covariance) at(z float64) float64 {
	if c.values == nil || z == 0 {
		return 0
	}
	u := (math.Log(z) - c.low) / c.step
	switch last := len(c.values) - 1; {
	case math.IsNaN(u): // z is NaN, or the scales overflow
		return u
	case u < 1:
		return c.values[1] * math.Exp(4*(u-1)*c.step)
	case u >= float64(last-1):
		return 0
	}
	return cubic(c.values, u)
}

// cubic interpolates between values, which are given at the integers, at u, 1 ≤ u < len(values) − 2.
func cubic(values []float64, u float64) float64 {
	i := int(u)
	t := u - float64(i)
	a, b, c, d := values[i-1], values[i], values[i+1], values[i+2]
	return b + 0.5*t*(c-a+t*(2*a-5*b+4*c-d+t*(3*(b-c)+d-a)))
}

// A gaussianTable is a table of special.OrthogonalCovariance by log w.
type gaussianTable struct{ values []float64 }

const gaussianLow, gaussianStep = -12, 0.05 // the first log w, and the difference from one to the next

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
		return t.values[1] * math.Exp(2*(u-1)*gaussianStep) // about −w²/(d/2 + 1)
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
