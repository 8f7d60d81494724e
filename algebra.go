// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
)

// Sum returns the kernel k₁ + k₂ + … of at least one kernel.
//
// It is stationary, or radial, or a dot product kernel if all of its terms are: spectral
// measures mix, and series add up. Otherwise those of its terms that are alike are put
// together, and the sum is an expression: New gives each of its terms features of its own.
//
// A constructor refuses the result if a kernel is nil or refused itself, or if there is none.
func Sum(ks ...Kernel) Kernel { return combine("Sum", opSum, ks) }

// Product returns the kernel k₁·k₂ ⋯ of at least one kernel.
//
// It is stationary, or radial, or a dot product kernel if all of its factors are: frequencies
// add up, so that there is one for each feature and no tensor product, and series multiply.
// Otherwise those of its factors that are alike are put together, and New takes random products
// of features of the rest. A constructor refuses it as it does a Sum.
func Product(ks ...Kernel) Kernel { return combine("Product", opProduct, ks) }

// combine returns a sum or a product in its simplest form.
func combine(name string, op operation, ks []Kernel) Kernel {
	if len(ks) == 0 {
		return refused{fmt.Errorf("featuremap: %s of no kernels", name)}
	}
	if i := slices.IndexFunc(ks, func(k Kernel) bool { return isNil(k) }); i >= 0 {
		return refused{fmt.Errorf("featuremap: %s kernel %d = nil", name, i)}
	}
	if len(ks) == 1 {
		return ks[0]
	}
	if r, ok := tooLarge(name, ks); ok {
		return r
	}
	var c combination
	c.add(op, ks)
	if op == opProduct && len(c.weights) > 0 {
		return Weight(productOf(c.weights), combine(name, op, c.terms(op)))
	}
	terms := c.terms(op)
	if len(terms) == 1 {
		return terms[0]
	}
	return newExpression(op, terms, nil)
}

// A combination is the terms or factors of a sum or a product, by their kind.
type combination struct {
	dots       []DotProduct
	stationary []Stationary
	constants  []Constant
	others     []Kernel
	weights    []func(x []float64) float64
}

// add adds kernels, and those that they are made of if they are themselves such sums or products.
func (c *combination) add(op operation, ks []Kernel) {
	for _, k := range ks {
		switch k := pointee(k).(type) {
		case expression:
			if k.op == op {
				c.add(op, k.ks)
				continue
			}
			c.others = append(c.others, k)
		case weighted:
			if op == opProduct {
				c.weights = append(c.weights, k.f)
				c.add(op, []Kernel{k.k})
				continue
			}
			c.others = append(c.others, k)
		case stationarySum:
			c.addTerms(op, k, k)
		case radialSum:
			c.addTerms(op, k, k.stationarySum)
		case Constant:
			c.constants = append(c.constants, k)
		case DotProduct:
			c.dots = append(c.dots, k)
		case Stationary:
			c.stationary = append(c.stationary, k)
		default:
			c.others = append(c.others, k)
		}
	}
}

// addTerms adds a sum of stationary kernels: its terms to a sum, itself to a product.
func (c *combination) addTerms(op operation, k Stationary, sum stationarySum) {
	if op != opSum {
		c.stationary = append(c.stationary, k)
		return
	}
	for _, k := range sum.ks {
		c.add(op, []Kernel{k})
	}
}

// fold makes one constant of several, unless one is refused or the result would be.
func (c *combination) fold(op operation) {
	if len(c.constants) < 2 {
		return
	}
	folded := c.constants[0]
	for i, k := range c.constants {
		switch {
		case k.validate(1) != nil:
			return
		case i == 0:
		case op == opSum:
			folded.Value += k.Value
		default:
			folded.Value *= k.Value
		}
	}
	if folded.validate(1) == nil {
		c.constants = []Constant{folded}
	}
}

// terms returns what is left of a sum or product: at most one dot product kernel and one
// stationary one. Constants, which are of both kinds, go to the former if there is one.
func (c *combination) terms(op operation) []Kernel {
	c.fold(op)
	var terms []Kernel
	stationary := slices.Clone(c.stationary)
	if len(c.dots) > 0 {
		var f Series
		add := func(g Series) {
			switch {
			case f == nil:
				f = g
			case op == opSum:
				f = sumSeries{f, g}
			default:
				f = productSeries{f, g}
			}
		}
		if len(c.dots) == 1 && len(c.constants) == 0 {
			terms = append(terms, c.dots[0])
		} else {
			for _, k := range c.dots {
				add(newCheckedSeries(k))
			}
			for _, k := range c.constants {
				add(checkedSeries{Coefficients{k.Value}, k, 1})
			}
			terms = append(terms, Dot(f))
		}
	} else {
		for _, k := range c.constants {
			stationary = append(stationary, k)
		}
	}
	switch {
	case len(stationary) == 1:
		terms = append(terms, stationary[0])
	case len(stationary) > 1 && op == opSum:
		terms = append(terms, newStationarySum(stationary))
	case len(stationary) > 1:
		terms = append(terms, newStationaryProduct(stationary))
	}
	return append(terms, c.others...)
}

// Scale returns the kernel c·k for c ≥ 0, stationary or a dot product kernel if k is. A
// constructor refuses it if c is negative or not finite, or above 1e150 for a stationary k, or if k
// is nil or refused itself.
func Scale(c float64, k Kernel) Kernel {
	if !(c >= 0 && c <= math.MaxFloat64) {
		return refused{fmt.Errorf("featuremap: Scale c = %v: must be finite and at least 0", c)}
	}
	switch k := k.(type) {
	case expression:
		switch k.op {
		case opSum:
			return k.with(func(k Kernel) Kernel { return Scale(c, k) })
		case opProduct:
			ks := slices.Clone(k.ks)
			ks[0] = Scale(c, ks[0])
			return newExpression(opProduct, ks, nil)
		}
	case weighted:
		return weighted{k.f, Scale(c, k.k)}
	case radialSum:
		return k.scaled(c)
	case stationarySum:
		return k.scaled(c)
	case Constant:
		if folded := (Constant{c * k.Value}); k.validate(1) == nil && folded.validate(1) == nil {
			return folded
		}
	}
	switch k := k.(type) {
	case DotProduct:
		if isNil(k) {
			break
		}
		return Dot(scaledSeries{c, newCheckedSeries(k)})
	case Stationary:
		if isNil(k) {
			break
		}
		return newStationaryProduct([]Stationary{Constant{c}, k})
	}
	if isNil(k) {
		return refused{fmt.Errorf("featuremap: Scale kernel = nil")}
	}
	return newExpression(opCompose, []Kernel{k}, Coefficients{0, c})
}

// Compose returns the kernel f(k(x, y)) for a series f (Kar and Karnick 2012, section 10).
//
// It is a dot product kernel if k is one and f is an Exp, a Geometric or a polynomial. It is
// stationary if k is and f and its derivative are finite at k's mass: the measure of kⁿ is that
// of the sum of n frequencies. Otherwise it is an expression, whose features are products of a
// random number of features of k: see Skeleton.
//
// A constructor refuses it if f or k is nil or refused itself, or if k is a dot product kernel
// whose value at 0 is not inside f's radius of convergence.
func Compose(f Series, k Kernel) Kernel {
	if err := validateSeries(f); err != nil {
		return refused{err}
	}
	if isNil(k) {
		return refused{fmt.Errorf("featuremap: Compose kernel = nil")}
	}
	f = own(f)
	switch k := pointee(k).(type) {
	case Constant:
		if folded := (Constant{f.Eval(k.Value)}); k.validate(1) == nil && folded.validate(1) == nil {
			return folded
		}
	case DotProduct:
		if composed, ok := compose(f, newCheckedSeries(k)); ok {
			return Dot(composed)
		}
	case Stationary:
		if law, err := newDegreeDrawer(f, k.Mass()); err == nil {
			return newStationaryComposition(f, k, law)
		}
	}
	return newExpression(opCompose, []Kernel{k}, f)
}

// Weight returns the kernel f(x)·k(x, y)·f(y) for any function f: its features are those of k
// times f(x). f must be safe for concurrent use, and may neither keep nor change its argument; New
// calls it at points of the unit sphere. A constructor refuses it if f or k is nil, or k refused
// itself. Eval panics with mat.ErrShape on points of different lengths.
func Weight(f func(x []float64) float64, k Kernel) Kernel {
	if f == nil {
		return refused{fmt.Errorf("featuremap: Weight f = nil")}
	}
	if isNil(k) {
		return refused{fmt.Errorf("featuremap: Weight kernel = nil")}
	}
	if w, ok := k.(weighted); ok {
		return weighted{productOf([]func(x []float64) float64{f, w.f}), w.k}
	}
	return weighted{f, k}
}

// productOf returns the product of functions.
func productOf(fs []func(x []float64) float64) func(x []float64) float64 {
	if len(fs) == 1 {
		return fs[0]
	}
	return func(x []float64) float64 {
		p := 1.0
		for _, f := range fs {
			p *= f(x)
		}
		return p
	}
}

// weighted is the kernel f(x)·k(x, y)·f(y).
type weighted struct {
	f func(x []float64) float64
	k Kernel
}

func (w weighted) Eval(x, y []float64) float64 {
	sameLength(x, y)
	return w.f(x) * w.k.Eval(x, y) * w.f(y)
}

func (w weighted) validate(in int) error { return validateKernel(w.k, in) }

// FromMap returns the kernel ⟨m(x), m(y)⟩, whose exact map is m: that is how a map of your own
// enters the algebra. A constructor refuses it if m is nil, or if in is not m's.
func FromMap(m FeatureMap) Kernel {
	if isNil(m) {
		return refused{fmt.Errorf("featuremap: FromMap m = nil")}
	}
	return fromMap{m}
}

// fromMap is the kernel ⟨m(x), m(y)⟩.
type fromMap struct{ m FeatureMap }

func (k fromMap) Eval(x, y []float64) float64 {
	sameLength(x, y)
	return inner(k.m.TransformVec(nil, x), k.m.TransformVec(nil, y))
}

func (k fromMap) validate(in int) error {
	if d, _ := k.m.Dims(); in != d {
		return fmt.Errorf("featuremap: in = %d: the map of FromMap takes points of %d coordinates", in, d)
	}
	return nil
}

// A checkedSeries is the series of a kernel, whose parameters are checked with it.
type checkedSeries struct {
	Series
	of Kernel
	n  int // kernels in it
}

func newCheckedSeries(k DotProduct) checkedSeries {
	f := k.Series()
	return checkedSeries{f, k, 1 + sizeOf(f)}
}

func (s checkedSeries) size() int { return s.n }

func (s checkedSeries) validate() error {
	if _, ok := s.of.(dotKernel); !ok { // which has nothing but the series
		if err := validateKernel(s.of, 1); err != nil {
			return err
		}
	}
	return validateSeries(s.Series)
}

func (s checkedSeries) slow() bool                   { return highestDegree(s.Series) < maxDegree }
func (s checkedSeries) lastDegree() int              { return lastDegree(s.Series) }
func (s checkedSeries) coefficients(n int) []float64 { return coefficients(s.Series, n) }

// An expression is a sum, a product or a composition of kernels that is of no simpler form.
type expression struct {
	op operation
	ks []Kernel
	f  Series // of a composition
	n  int    // kernels in it
}

func newExpression(op operation, ks []Kernel, f Series) expression {
	return expression{op: op, ks: ks, f: f, n: 1 + sizes(ks)}
}

func (e expression) size() int { return e.n }

// with returns the expression of what f makes of its kernels.
func (e expression) with(f func(k Kernel) Kernel) expression {
	ks := make([]Kernel, len(e.ks))
	for i, k := range e.ks {
		ks[i] = f(k)
	}
	return newExpression(e.op, ks, e.f)
}

type operation int

const (
	opSum operation = iota
	opProduct
	opCompose
)

func (e expression) Eval(x, y []float64) float64 {
	v := e.ks[0].Eval(x, y)
	for _, k := range e.ks[1:] {
		if u := k.Eval(x, y); e.op == opSum {
			v += u
		} else {
			v *= u
		}
	}
	if e.op == opCompose {
		return e.f.Eval(v)
	}
	return v
}

func (e expression) validate(in int) error {
	for _, k := range e.ks {
		if err := validateKernel(k, in); err != nil {
			return err
		}
	}
	if e.op == opCompose {
		return validateSeries(e.f)
	}
	return nil
}

// refused is what an expression with a bad part becomes: a kernel that carries the
// error to the constructor that takes it.
type refused struct{ err error }

func (r refused) Eval(x, y []float64) float64 {
	sameLength(x, y)
	return math.NaN()
}

func (r refused) validate(int) error { return r.err }
