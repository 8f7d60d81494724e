// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
)

// SpectralMixture is the kernel whose spectral measure is a mixture of normal distributions (Wilson and Adams 2013,
// "Gaussian process kernels for pattern discovery and extrapolation"),
//
//	k(x, y) = Σᵢ wᵢ·exp(−½Σⱼ(σᵢⱼΔⱼ)²)·cos(Σⱼ μᵢⱼΔⱼ),  Δ = x − y.
//
// With enough components it approximates any stationary kernel. Means and Scales have a row for each component i and a
// column for each of the n coordinates. Frequencies are ±μᵢ + (σᵢⱼzⱼ) with z standard normal, a random sign, and
// component i with probability wᵢ/Σw. A component with μ = 0 is a Gaussian kernel of length scales 1/σᵢⱼ; one with σ =
// 0 is a cosine.
//
// Means and Scales are angular frequencies, in radians per unit of x. The paper and GPyTorch use cycles per unit:
// multiply both by 2π.
//
// Constructors copy the parameters, so a map does not change with them; the kernel does, and so does the Kernel of the
// map. There must be a component, Means and Scales must have the same shape, and as many rows as there are Weights.
// Numbers must be finite, scales and weights not negative (ErrNotPSD for weights), and weights add up to at most 1e150.
// The map's in must be n. Otherwise constructors refuse the kernel, and Eval is NaN, or panics with mat.ErrShape unless
// points have length n.
type SpectralMixture struct {
	Weights []float64  // wᵢ ≥ 0; their sum is the mass
	Means   mat.Matrix // μᵢⱼ
	Scales  mat.Matrix // σᵢⱼ ≥ 0, standard deviations
}

// dims returns the numbers of components n and coordinates d, or an error if the parameters disagree about them.
func (k SpectralMixture) dims() (n, d int, err error) {
	n = len(k.Weights)
	switch {
	case n == 0:
		return 0, 0, errors.New("featuremap: SpectralMixture Weights = []: must not be empty")
	case check.IsNil(k.Means):
		return 0, 0, errors.New("featuremap: SpectralMixture Means = nil")
	case check.IsNil(k.Scales):
		return 0, 0, errors.New("featuremap: SpectralMixture Scales = nil")
	}
	r, d := k.Means.Dims()
	if r != n || d < 1 {
		return 0, 0, fmt.Errorf("featuremap: SpectralMixture Means is %d×%d: must have a row for each of the %d weights, and columns", r, d, n)
	}
	if r, c := k.Scales.Dims(); r != n || c != d {
		return 0, 0, fmt.Errorf("featuremap: SpectralMixture Scales is %d×%d: must be %d×%d, as Means", r, c, n, d)
	}
	return n, d, nil
}

// Eval returns Σᵢ wᵢ·exp(−½Σⱼ(σᵢⱼΔⱼ)²)·cos(Σⱼ μᵢⱼΔⱼ).
func (k SpectralMixture) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	_, d, err := k.dims()
	if err != nil {
		return math.NaN()
	}
	if len(x) != d {
		panic(mat.ErrShape)
	}
	var sum float64
	for i, w := range k.Weights {
		c := component{weight: w}
		for j, v := range x {
			c.add(k.Scales.At(i, j), k.Means.At(i, j), v-y[j])
		}
		sum += c.value()
	}
	return sum
}

// atSome returns the value for a difference x − y that is a list.
func (k SpectralMixture) atSome(delta rows.List) (sum float64) {
	for i, w := range k.Weights {
		c := component{weight: w}
		for e, j := range delta.Columns {
			c.add(k.Scales.At(i, j), k.Means.At(i, j), delta.Values[e])
		}
		sum += c.value()
	}
	return sum
}

// A component is wᵢ with the sums Σⱼ(σᵢⱼΔⱼ)² and Σⱼ μᵢⱼΔⱼ over the coordinates of Δ that were added so far.
type component struct{ weight, square, phase float64 }

// add adds one coordinate, delta, to the sums.
func (c *component) add(scale, mean, delta float64) {
	u := scale * delta
	c.square += u * u
	c.phase += mean * delta
}

func (c *component) value() float64 {
	e := math.Exp(-0.5 * c.square)
	if e == 0 {
		return 0 // for large differences the phase may be infinite
	}
	return c.weight * e * math.Cos(c.phase)
}

// Mass returns Σᵢ wᵢ.
func (k SpectralMixture) Mass() float64 {
	var sum float64
	for _, w := range k.Weights {
		sum += w
	}
	return sum
}

func (k SpectralMixture) components() int { return len(k.Weights) }

// Frequency draws ±μᵢ + (σᵢⱼzⱼ). It panics with mat.ErrShape unless dst has one element for each column.
func (k SpectralMixture) Frequency(dst []float64, s *Sampler) {
	_, d, err := k.dims()
	if err != nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	if len(dst) != d {
		panic(mat.ErrShape)
	}
	u, i := float64(s.Float64()*k.Mass()), 0
	for at, w := range k.Weights {
		if w > 0 {
			if i = at; u < w {
				break
			}
			u -= w
		}
	}
	sign := s.Rademacher()
	s.FillNormal(dst)
	for j, z := range dst {
		dst[j] = float64(sign*k.Means.At(i, j)) + float64(k.Scales.At(i, j)*z)
	}
}

// root returns √E ω² in one dimension. It is NaN in higher dimensions, where coordinates differ and depend on each
// other.
func (k SpectralMixture) root() float64 {
	if _, d, _ := k.dims(); d != 1 {
		return math.NaN()
	}
	var root float64
	mass := k.Mass()
	for i, w := range k.Weights {
		root = math.Hypot(root, math.Sqrt(w/mass)*math.Hypot(k.Means.At(i, 0), k.Scales.At(i, 0)))
	}
	return root
}

// copied returns the kernel with copies of its parameters, or unchanged if they are refused.
func (k SpectralMixture) copied() Kernel {
	if _, _, err := k.dims(); err != nil {
		return k
	}
	return SpectralMixture{slices.Clone(k.Weights), mat.DenseCopyOf(k.Means), mat.DenseCopyOf(k.Scales)}
}

func (k SpectralMixture) validate(in int) error {
	n, d, err := k.dims()
	if err != nil {
		return err
	}
	if in != 0 && in != d {
		return fmt.Errorf("featuremap: in = %d: the matrices of SpectralMixture have %d columns", in, d)
	}
	if size := 16 * float64(n) * float64(d); size > float64(memory.Limit())/2 {
		return fmt.Errorf("featuremap: SpectralMixture Means and Scales are %d×%d: take %.3g bytes", n, d, size)
	}
	for i, w := range k.Weights {
		if err := check.NonNegative("SpectralMixture", fmt.Sprintf("Weights[%d]", i), w); err != nil {
			return err
		}
	}
	if m := k.Mass(); m > check.MaxMass {
		return fmt.Errorf("featuremap: SpectralMixture Weights add up to %v: must be at most %v", m, check.MaxMass)
	}
	if err := check.Finite("SpectralMixture Means", k.Means, 0); err != nil {
		return err
	}
	if err := check.Finite("SpectralMixture Scales", k.Scales, 0); err != nil {
		return err
	}
	for i := range n {
		for j := range d {
			if v := k.Scales.At(i, j); v < 0 {
				return fmt.Errorf("featuremap: SpectralMixture Scales(%d, %d) = %v: must be at least 0", i, j, v)
			}
		}
	}
	return nil
}

// parameters returns the weights, then the means by rows, then the scales by rows.
func (k SpectralMixture) parameters() parameters {
	n, d, err := k.dims()
	if err != nil {
		return parameters{}
	}
	p := slices.Concat(k.Weights, mat.DenseCopyOf(k.Means).RawMatrix().Data, mat.DenseCopyOf(k.Scales).RawMatrix().Data)
	return parameters{p, func(p []float64) Kernel {
		return SpectralMixture{p[:n:n], mat.NewDense(n, d, p[n:n+n*d:n+n*d]), mat.NewDense(n, d, p[n+n*d:])}
	}}
}

// String returns the Go expression that makes the kernel.
func (k SpectralMixture) String() string { return gosyntax.Of(k) }

var _ Stationary = SpectralMixture{}
