// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package maclaurin

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// newSum returns the coefficients of a polynomial by degree, with 0 below a lowest degree, for features that sum
// over the other degrees: see Options.SumOfProducts.
func newSum(f series.Series, from int, o Options) (terms []float64, err error) {
	degree, polynomial := power.DegreeOf(f)
	switch {
	case o.Law != nil:
		return nil, fmt.Errorf("featuremap: SumOfProducts with Law = %s: must be nil, since no degrees are drawn", gosyntax.Of(o.Law))
	case o.Complex:
		return nil, fmt.Errorf("featuremap: SumOfProducts with Complex: must be one or the other")
	case o.Sketch == TensorSRHT:
		return nil, fmt.Errorf("featuremap: SumOfProducts with Sketch = %v: must be RademacherSketch or GaussianSketch", o.Sketch)
	case !polynomial:
		return nil, fmt.Errorf("featuremap: SumOfProducts of %s: must be a polynomial", gosyntax.Of(f))
	}
	if most := min(power.HighestDegree(f), maxFactors); degree > most {
		return nil, fmt.Errorf("featuremap: SumOfProducts of a polynomial of degree %d: must be at most %d", degree, most)
	}
	terms = make([]float64, from, max(from, degree+1))
	table := power.Table{F: f}
	for n := from; n <= degree; n++ {
		a := table.Coeff(n)
		if err := power.ValidateCoefficient(f, n, a); err != nil {
			return nil, err
		}
		if a > math.MaxFloat64 {
			return nil, fmt.Errorf("featuremap: SumOfProducts of %s, which has the coefficient %v at degree %d: must be finite", gosyntax.Of(f), a, n)
		}
		terms = append(terms, a)
	}
	for len(terms) > from && terms[len(terms)-1] == 0 {
		terms = terms[:len(terms)-1]
	}
	if len(terms) == from {
		return nil, fmt.Errorf("featuremap: SumOfProducts of %s has no degree from %d on to draw", gosyntax.Of(f), from)
	}
	return terms, nil
}

// sumDegrees returns the distribution of degrees for features that are sums: always the degree of the
// polynomial.
func sumDegrees(terms []float64) *power.Degrees {
	return power.OneDegree(len(terms) - 1)
}

// sumFactors returns the total number of factors, over all products, of a feature that is a sum.
func sumFactors(terms []float64) (factors float64) {
	for n, a := range terms {
		if a > 0 {
			factors += float64(n)
		}
	}
	return factors
}

// sums samples features that are sums of products, degree by degree.
func (c *compiler) sums() {
	if len(c.terms) == 1 {
		return // a constant: exactParts has added it
	}
	sum := projection.Sum{At: c.first + c.Exact(), Columns: c.Number()}
	for n, a := range c.terms {
		switch {
		case a > 0 && n == 0:
			sum.Constant = c.scale(0)
		case a > 0:
			degrees := slices.Repeat([]int{n}, c.Number())
			p := projection.NewProduct(c.In, 0, 0, degrees)
			c.fill(p, degrees)
			sum.Products = append(sum.Products, p)
		}
	}
	c.parts = append(c.parts, sum)
}

// sumVariance returns the variance of one feature that is a sum: see docs/theory/variance.md. It adds the
// contribution of each pair of terms of different degrees separately, not as part of f(‖x‖²)·f(‖y‖²), so that
// nothing cancels.
func (r *Recipe) sumVariance(p *sample.Pair) (v float64) {
	base := r.bases(p)[0]
	var fx, fy, ft float64 // f(‖x‖²), f(‖y‖²) and f(t), over the terms of lower degrees
	for n, a := range r.terms {
		power := func(base float64) float64 { return a * math.Pow(base, float64(n)) }
		if a == 0 {
			continue
		}
		x, y, t := power(p.A.Square), power(p.B.Square), power(p.T)
		v += x*fy + y*fx + 2*t*ft + a*(power(base)-power(p.T*p.T))
		fx, fy, ft = fx+x, fy+y, ft+t
	}
	return v
}
