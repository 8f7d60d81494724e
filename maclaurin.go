// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Maclaurin maps: products of random linear forms, for functions of ⟨x, y⟩ that are power series.

// A Sketch is the distribution of the random vectors w in a Maclaurin map, whose features are products of factors w·x.
// All sketches have E(w·x)(w·y) = ⟨x, y⟩.
type Sketch int

const (
	// RademacherSketch has independent random signs as coordinates (Kar and Karnick 2012).
	RademacherSketch Sketch = iota

	// GaussianSketch has standard normal coordinates. Its variance is higher than with signs.
	GaussianSketch

	// TensorSRHT has rows of signed Walsh-Hadamard matrices (Wacker, Kanagawa and Filippone 2022). Its variance is
	// usually lower than with independent signs, and p·log₂p additions replace p·d multiply-adds, where p is the number
	// of coordinates d padded to a power of two. Features of one degree come in blocks of p. Each factor of a block has
	// one diagonal of signs, and another row for each feature, drawn without replacement.
	TensorSRHT
)

// String returns the name of the sketch.
func (s Sketch) String() string {
	return maclaurin.Sketch(s).String()
}

// MaclaurinOptions are the options of NewMaclaurin. nil is the zero value, the algorithm of Kar and Karnick (2012).
type MaclaurinOptions struct {
	// Law is the distribution of the degrees; GeometricLaw{} if nil.
	Law series.Law

	// Sketch is the distribution of the factors; RademacherSketch if zero.
	Sketch Sketch

	// ExactDegree, if positive, makes all degrees up to this one exact. Where you can afford the columns, nothing
	// lowers the variance as much. They are the monomials of the in coordinates, in degree n times √(aₙ·n!/∏αᵢ!) with
	// exponents αᵢ. These are C(in+n, n) columns for the degrees up to n, fewer if coefficients are 0, and they count
	// among the out features. The other degrees are drawn. ExactDegree 1 has the columns √a₀ and √a₁·x, Kar and
	// Karnick's H0/1.
	ExactDegree int

	// Complex draws complex factors, with coordinates (±1 ± i)/√2 or complex normal, and returns the real and imaginary
	// parts of each product (complex-to-real sketches, Wacker, Ohana and Filippone 2022). There are half as many draws
	// for the same number of features, but each has less than half the variance, except for high degrees and nearly
	// parallel points.
	Complex bool

	// SumOfProducts is Kakade's scheme for polynomials (lecture notes, "Random features"). No degree is drawn: each of
	// q features is the sum over all degrees that are not exact,
	//
	//	Σ √(aₙ/q)·∏ⱼ wₙⱼ·x,
	//
	// with independent vectors for every factor of every degree. A feature of a polynomial of degree l takes up to
	// l(l+1)/2 vectors; a degree-n draw takes n. Its variance is often lower for as many features, but not for as
	// many vectors: see docs/theory/variance.md. Degrees returns the degree of the polynomial for these columns. Series
	// that are no polynomial, a Law, Complex and TensorSRHT are refused.
	SumOfProducts bool
}

// String returns the Go expression that makes the options.
func (o MaclaurinOptions) String() string { return gosyntax.Of(o) }

// engine returns the options in the form of the recipe.
func (o MaclaurinOptions) engine() maclaurin.Options {
	return maclaurin.Options{Law: o.Law, Sketch: maclaurin.Sketch(o.Sketch), Complex: o.Complex, SumOfProducts: o.SumOfProducts}
}

// Maclaurin is the map of random Maclaurin features (Kar and Karnick 2012, "Random feature maps for dot product
// kernels") for a kernel f(⟨x, y⟩), f(t) = Σ aₙtⁿ. Each of q draws takes a degree n with probability qₙ and n random
// vectors w, and has the feature
//
//	√(aₙ/(qₙ·q))·∏ⱼ wⱼ·x.
//
// ⟨φ(x), φ(y)⟩ is an unbiased estimate of the kernel unless the law leaves degrees out: see Bias. Low degrees may be
// exact (ExactDegree), and each feature of a polynomial may contain all degrees (SumOfProducts). Columns are sorted by
// degree: see Degrees. Outside the radius of convergence features estimate nothing.
//
// The zero value is no map (see FeatureMap): use NewMaclaurin.
type Maclaurin struct {
	compiled
	drawn *maclaurin.Draws
}

var (
	_ FeatureMap = (*Maclaurin)(nil)
	_ Variancer  = (*Maclaurin)(nil)
)

// NewMaclaurin returns a map R^in → R^out for the dot product kernel k, or a Project of one, with weights drawn from a
// Split of s. It draws about in numbers for each factor of each feature.
//
// It returns an error, and leaves s as it was, if k is nil, not a DotProduct (ErrNotDotProduct) or not positive
// semi-definite (ErrNotPSD), or if a parameter of k or of an option is refused. in and out must be at least 1, in must
// be the number of columns of the kernel's Project, and out must exceed the number of exact columns, with Complex by an
// even number. The law must have a degree to draw, and summable probabilities. Drawn degrees must be at most 2¹⁴, or
// 1000 with Complex. SumOfProducts takes only polynomials of such a degree, without the options that it excludes. The
// weights must fit in memory.
func NewMaclaurin(k Kernel, in, out int, s *Sampler, opts *MaclaurinOptions) (*Maclaurin, error) {
	return construct[*Maclaurin](k, in, out, s, func(f form.Form) (recipe.Recipe, error) {
		g, w, ok := f.Series()
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrNotDotProduct, gosyntax.Of(k))
		}
		var o MaclaurinOptions
		if opts != nil {
			o = *opts
		}
		from := 0
		switch {
		case o.ExactDegree < 0:
			return nil, fmt.Errorf("featuremap: ExactDegree = %d: must be at least 0", o.ExactDegree)
		case o.ExactDegree > 0:
			from = o.ExactDegree + 1
		}
		return maclaurin.New(g, w, in, out, from, power.MaxDegree, o.engine())
	})
}

// Degrees returns the degree of each column. Exact columns come first: the constant, x, the monomials of degree 2, and
// so on. Drawn columns follow in ascending order; a sum of products has the degree of the polynomial. With Complex all
// real parts precede all imaginary parts.
func (m *Maclaurin) Degrees() []int {
	if m.plan == nil {
		return nil
	}
	return m.drawn.Degrees()
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the randomness of the map. It is exact. With q draws (one for two
// columns with Complex) and t = ⟨x, y⟩ it is
//
//	(1/q)·[Σ aₙ²μₙ/qₙ − f(t)²],  μₙ = (‖x‖²‖y‖² + 2(t² − Σxᵢ²yᵢ²))ⁿ for RademacherSketch,
//
// where the sum and f are over the degrees that are drawn. It grows with the norms, and faster for high degrees.
//
// It is +Inf where the sum diverges (for GeometricLaw where p·M is beyond the square of the radius of convergence, with
// Mⁿ the larger power in μₙ) or does not converge within 2¹⁴ terms. Where terms cancel, the absolute error is about
// 1e-16 of the first sum. docs/theory/variance.md has μₙ for the other sketches and for Complex, the covariances of
// TensorSRHT, and the variance of SumOfProducts.
func (m *Maclaurin) Variance(x, y []float64) float64 { return m.drawnPlan().Variance(x, y) }

// Bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y) over the randomness of the map: minus the terms aₙtⁿ of the degrees
// that have probability 0 under the law. Without such degrees it is 0.
func (m *Maclaurin) Bias(x, y []float64) float64 { return m.drawnPlan().Bias(x, y) }
