// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A degreeDrawer draws degrees n with probability aₙcⁿ/f(c) for a series f and a c.
type degreeDrawer interface {
	draw(s *Sampler) int
}

// newDegreeDrawer returns the one of f and c ≥ 0, or an error if f(c) or f′(c) is not finite or
// a coefficient is refused. It draws by the way the series is made: from a sum's terms in
// proportion to their values, from a product's factors one degree each, from a composition as
// many inner degrees as the outer one. So the tails of all series of the package are exact.
func newDegreeDrawer(f Series, c float64) (degreeDrawer, error) {
	if v := f.Eval(c); !(v >= 0 && v <= math.MaxFloat64) {
		return nil, fmt.Errorf("featuremap: f(%v) = %v for %s: must be finite", c, v, describeSeries(f))
	}
	if v := times(c, f.Deriv(c)); !(v >= 0 && v <= math.MaxFloat64) {
		return nil, fmt.Errorf("featuremap: f′(%v) = %v for %s: the expected degree must be finite", c, f.Deriv(c), describeSeries(f))
	}
	switch f := f.(type) {
	case checkedSeries:
		return newDegreeDrawer(f.Series, c)
	case scaledSeries:
		return newDegreeDrawer(f.f, c)
	case sumSeries:
		u, v, err := newDegreeDrawers(f.f, c, f.g, c)
		w := f.f.Eval(c)
		return sumDegrees{u, v, w / (w + f.g.Eval(c))}, err
	case productSeries:
		u, v, err := newDegreeDrawers(f.f, c, f.g, c)
		return productDegrees{u, v}, err
	case composedSeries:
		u, v, err := newDegreeDrawers(f.f, f.g.Eval(c), f.g, c)
		return composedDegrees{u, v}, err
	case ReLUDual:
		return newReLUDegrees(c), nil
	}
	return newTableDegrees(f, c)
}

func newDegreeDrawers(f Series, c float64, g Series, d float64) (u, v degreeDrawer, err error) {
	if u, err = newDegreeDrawer(f, c); err == nil {
		v, err = newDegreeDrawer(g, d)
	}
	return u, v, err
}

// sumDegrees draws from the first with a probability p, else from the second.
type sumDegrees struct {
	f, g degreeDrawer
	p    float64
}

func (d sumDegrees) draw(s *Sampler) int {
	if s.Float64() < d.p {
		return d.f.draw(s)
	}
	return d.g.draw(s)
}

// productDegrees adds the degrees of two factors.
type productDegrees struct{ f, g degreeDrawer }

func (d productDegrees) draw(s *Sampler) int { return d.f.draw(s) + d.g.draw(s) }

// composedDegrees adds as many degrees of g as a degree of f says.
type composedDegrees struct{ f, g degreeDrawer }

func (d composedDegrees) draw(s *Sampler) (n int) {
	for range d.f.draw(s) {
		n += d.g.draw(s)
	}
	return n
}

// tableDegrees draws by inverse CDF.
type tableDegrees struct {
	cum []float64 // sums of the weights
}

// maxTableDegree bounds the degrees of a table. What a series of a caller's has beyond it is
// not drawn.
const maxTableDegree = 1 << 20

// newTableDegrees sums aₙcⁿ until what is left of f(c) is no more than rounding, and at least
// up to the degree of a polynomial.
func newTableDegrees(f Series, c float64) (*tableDegrees, error) {
	d := new(tableDegrees)
	terms, value, last := growing{f: dilate(f, c)}, f.Eval(c), lastDegree(f)
	var sum float64
	for n, still := 0, 0; n <= last || still < 64 && n <= maxTableDegree; n++ {
		w := terms.coeff(n)
		if err := validateCoefficient(f, n, w); err != nil {
			return nil, err
		}
		sum += w
		d.cum = append(d.cum, sum)
		if still++; sum < value*(1-0x1p-50) || d.cum[n] > d.cum[max(n-1, 0)] {
			still = 0 // there is more to come
		}
	}
	if !(sum <= math.MaxFloat64) {
		return nil, fmt.Errorf("featuremap: the coefficients of %s have the sum %v at %v: must be finite", describeSeries(f), sum, c)
	}
	// Degrees at the end without weight are never drawn.
	for n := len(d.cum) - 1; n > 0 && d.cum[n-1] == sum; n-- {
		d.cum = d.cum[:n]
	}
	return d, nil
}

func (d *tableDegrees) draw(s *Sampler) int {
	return d.find(float64(s.Float64() * d.cum[len(d.cum)-1]))
}

// find returns the first degree whose sum is above u, and the last one if rounding has put u at
// the end.
func (d *tableDegrees) find(u float64) int {
	const near = 8 // most are small
	for n, c := range d.cum[:min(near, len(d.cum))] {
		if u < c {
			return n
		}
	}
	n := sort.Search(len(d.cum), func(n int) bool { return u < d.cum[n] })
	return min(n, len(d.cum)-1)
}

// reluDegrees draws degrees of ReLUDual, whose probabilities at c = 1 fall as n^{−5/2}: the
// first ones from a table, the others n = 2k + 2 ≥ 2K + 2 by rejection. Candidates are
// ⌊K·U^{−2/3}⌋ for a uniform U, which have probabilities proportional to
//
//	k^{−3/2} − (k + 1)^{−3/2} = (3k² + 3k + 1)/((k(k + 1))^{3/2}·(k^{3/2} + (k + 1)^{3/2})).
//
// The ratio of a_{2k+2} to that increases with k towards 1/(6√π), and for c < 1 another
// factor cⁿ thins them out.
type reluDegrees struct {
	table tableDegrees
	c     float64
	tail  float64 // the sum of aₙ beyond the table, times c to the power of the first n there
}

// reluTable is K.
const reluTable = 512

func newReLUDegrees(c float64) *reluDegrees {
	d := &reluDegrees{c: c}
	var sum, ones float64
	power := 1.0
	for n := range 2*reluTable + 2 {
		a := ReLUDual{}.Coeff(n)
		ones += a
		sum += float64(a * power)
		d.table.cum = append(d.table.cum, sum)
		power *= c
	}
	d.tail = float64((1 - ones) * power)
	return d
}

func (d *reluDegrees) draw(s *Sampler) int {
	sum := d.table.cum[len(d.table.cum)-1]
	for {
		u := float64(s.Float64() * (sum + d.tail))
		if u < sum {
			return d.table.find(u)
		}
		n := reluTail(s)
		if d.c >= 1 || s.Float64() < powInt(d.c, n-2*reluTable-2) {
			return n
		}
	}
}

// reluTail draws a degree beyond the table with probability proportional to aₙ.
func reluTail(s *Sampler) int {
	for {
		k := math.Floor(reluTable * detmath.Exp(-2.0/3*detmath.Log(s.open())))
		k = max(k, reluTable) // rounding
		n := int(2*k + 2)
		low, high := float64(k*math.Sqrt(k)), float64((k+1)*math.Sqrt(k+1))
		ratio := ReLUDual{}.Coeff(n) * (low * high) * (low + high) / (float64(3*float64(k*k)) + (float64(3*k) + 1))
		if float64(s.Float64()*(1/(6*math.Sqrt(math.Pi)))) < ratio {
			return n
		}
	}
}
