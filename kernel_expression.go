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
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// An operation is what every expression records in addition to its arguments. The expression kernels embed it.
type operation struct {
	op    string      // the name of the function that made it
	size  int         // the number of kernels in the expression, itself included, at most maxSize+1
	err   error       // why its arguments are refused for points of any dimension, or nil
	value expr.Kernel // how it is evaluated, unless it is refused

	logarithms bool // whether there is a SymLog in it
}

// maxSize bounds the number of kernels in an expression. k = Sum(k, k), repeated forty times, is too large to walk.
const maxSize = 1 << 12

// newOperation returns an operation on parts, and its value. err says why the other arguments are refused; nil means
// that they are not.
func newOperation(op string, err error, value expr.Kernel, parts ...Kernel) operation {
	n := operation{op: op, size: 1, err: err, value: value}
	for i, k := range parts {
		switch {
		case n.err != nil:
		case check.IsNil(k) && n.flat():
			n.err = fmt.Errorf("featuremap: %s kernel %d = nil", op, i)
		case check.IsNil(k):
			n.err = fmt.Errorf("featuremap: %s kernel = nil", op)
		}
		n.size = min(n.size+sizeOf(k), maxSize+1)
		n.logarithms = n.logarithms || hasLogarithms(k)
	}
	if n.err == nil && n.logarithms && op != "Sum" && op != "Scale" {
		n.err = fmt.Errorf("featuremap: SymLog in a %s: must be outermost, or in front of a term of a Sum", op)
	}
	if n.err == nil && n.size > maxSize {
		n.err = fmt.Errorf("featuremap: %s of more than %d kernels", op, maxSize)
	}
	return n
}

func (o *operation) head() *operation { return o }

// Eval returns the kernel, or NaN if it is refused.
func (o *operation) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	if o.err != nil {
		return math.NaN()
	}
	return o.value.Eval(x, y)
}

// Op returns the name of the function that made the kernel.
func (o *operation) Op() string { return o.op }

// flat tells whether the operation is associative, so that one inside another of the same name may be merged with it.
func (o *operation) flat() bool { return o.op == "Sum" || o.op == "Product" }

// An ownExpression is an Expression of this package.
type ownExpression interface {
	Kernel
	head() *operation
}

// sizeOf returns the number of kernels in k.
func sizeOf(k Kernel) int {
	if e, ok := k.(ownExpression); ok {
		return e.head().size
	}
	return 1
}

// copyPart returns the kernel. If it is a pointer to something that the caller may change, copyPart returns its value
// or a copy.
func copyPart(k Kernel) Kernel {
	k = check.Value(plainKernel(k))
	if c, ok := k.(interface{ copied() Kernel }); ok && !check.IsNil(k) {
		return c.copied()
	}
	return k
}

// copyParts returns a new slice with copyPart of each part.
func copyParts(parts []Kernel) []Kernel {
	copies := make([]Kernel, len(parts))
	for i, k := range parts {
		copies[i] = copyPart(k)
	}
	return copies
}

// onePart returns the only element of parts. It panics with mat.ErrShape unless there is exactly one.
func onePart(parts []Kernel) Kernel {
	if len(parts) != 1 {
		panic(mat.ErrShape)
	}
	return parts[0]
}

type sumKernel struct {
	Terms []Kernel `save:",inline"`
	operation
}

// Sum returns the kernel k₁ + k₂ + … of at least one kernel. The Sum of one kernel is that kernel. Sum(Constant{1}, k)
// is k with an intercept, for which New has an exact feature.
//
// The result is stationary, radial or a dot product kernel if all terms are: spectral measures mix, and series add up.
// For terms of different kinds New puts the features of the terms side by side.
//
// A constructor refuses the result if there is no kernel, or if one is nil or refused itself. Then Eval is NaN.
func Sum(ks ...Kernel) Kernel {
	terms := copyParts(ks)
	if len(terms) == 1 && !check.IsNil(terms[0]) {
		return terms[0]
	}
	return &sumKernel{terms, newOperation("Sum", unlessSome("Sum", ks), expr.Sum(exprsOf(terms)), terms...)}
}

// unlessSome returns the error that refuses an operation on no kernels, or nil if there are some.
func unlessSome(op string, ks []Kernel) error {
	if len(ks) == 0 {
		return fmt.Errorf("featuremap: %s of no kernels", op)
	}
	return nil
}

func (k *sumKernel) Parts() []Kernel  { return slices.Clone(k.Terms) }
func (k *sumKernel) String() string   { return gosyntax.Of(k) }
func (k *sumKernel) GoString() string { return gosyntax.Call("Sum", gosyntax.Any(k.Terms)...) }

func (k *sumKernel) With(parts ...Kernel) Kernel {
	if len(parts) != len(k.Terms) {
		panic(mat.ErrShape)
	}
	return Sum(parts...)
}

type productKernel struct {
	Factors []Kernel `save:",inline"`
	operation
}

// Product returns the kernel k₁·k₂ ⋯ of at least one kernel. The Product of one kernel is that kernel.
//
// The result is stationary, radial or a dot product kernel if all factors are. Frequencies add up, so there is one for
// each feature and no tensor product; series multiply. For factors of different kinds New takes random products of
// their features. A constructor refuses a Product for the same reasons as a Sum.
func Product(ks ...Kernel) Kernel {
	factors := copyParts(ks)
	if len(factors) == 1 && !check.IsNil(factors[0]) {
		return factors[0]
	}
	return &productKernel{factors, newOperation("Product", unlessSome("Product", ks), expr.Product(exprsOf(factors)), factors...)}
}

func (k *productKernel) Parts() []Kernel { return slices.Clone(k.Factors) }
func (k *productKernel) String() string  { return gosyntax.Of(k) }
func (k *productKernel) GoString() string {
	return gosyntax.Call("Product", gosyntax.Any(k.Factors)...)
}

func (k *productKernel) With(parts ...Kernel) Kernel {
	if len(parts) != len(k.Factors) {
		panic(mat.ErrShape)
	}
	return Product(parts...)
}

type scaleKernel struct {
	C float64 `save:"c,required"`
	K Kernel  `save:"k,required"`
	operation
}

// Scale returns the kernel c·k for c ≥ 0. It is stationary, radial or a dot product kernel if k is. A constructor
// refuses it if c is negative or not finite (then Eval is NaN), if k is nil or refused, or if the mass of a stationary
// c·k is above 1e150.
func Scale(c float64, k Kernel) Kernel {
	var err error
	if !(c >= 0 && c <= math.MaxFloat64) {
		err = fmt.Errorf("featuremap: Scale c = %v: must be finite and at least 0", c)
	}
	k = copyPart(k)
	return &scaleKernel{c, k, newOperation("Scale", err, &expr.Scale{C: c, K: exprOf(k)}, k)}
}

func (k *scaleKernel) Parts() []Kernel             { return []Kernel{k.K} }
func (k *scaleKernel) With(parts ...Kernel) Kernel { return Scale(k.C, onePart(parts)) }
func (k *scaleKernel) String() string              { return gosyntax.Of(k) }
func (k *scaleKernel) GoString() string            { return gosyntax.Call("Scale", k.C, k.K) }

func (k *scaleKernel) parameters() parameters {
	return oneParameter(k.C, func(c float64) Kernel { return Scale(c, k.K) })
}

type composeKernel struct {
	F series.Series `save:"f,required"`
	K Kernel        `save:"k,required"`
	operation
}

// Compose returns the kernel f(k(x, y)) for a series f (Kar and Karnick 2012, section 10).
//
// The result is a dot product kernel if k is one and f is an Exp, a Geometric or a polynomial. If k is a multiple of
// ⟨x, y⟩, constructors of dot product maps accept any f. The result is stationary if k is, and f and its derivative
// are finite at the mass of k: frequencies of kⁿ are sums of n frequencies of k. For other kernels New takes products
// of a random number of features of k: see Skeleton.
//
// A constructor refuses the result if f or k is nil or refused itself, or if k is a dot product kernel whose value at 0
// is not inside the radius of convergence of f.
func Compose(f series.Series, k Kernel) Kernel {
	err := power.Validate(f)
	if !check.IsNil(f) {
		f = power.Copy(f)
	}
	k = copyPart(k)
	return &composeKernel{f, k, newOperation("Compose", err, &expr.Compose{F: f, K: exprOf(k)}, k)}
}

func (k *composeKernel) Parts() []Kernel             { return []Kernel{k.K} }
func (k *composeKernel) With(parts ...Kernel) Kernel { return Compose(k.F, onePart(parts)) }
func (k *composeKernel) String() string              { return gosyntax.Of(k) }
func (k *composeKernel) GoString() string            { return gosyntax.Call("Compose", k.F, k.K) }

// A Weighter is a function w(x) of points, for Weight. It must be safe for concurrent use, and must not keep or change
// its argument.
type Weighter interface {
	// Weight returns w(x).
	Weight(x []float64) float64
}

// A WeightGradienter is a Weighter with a gradient, so that maps of its kernel have a Derivative.
type WeightGradienter interface {
	Weighter

	// GradientTo sets dst to the gradient of Weight at x, which has the same length. It must be safe for concurrent
	// use, and must not keep its arguments or change x.
	GradientTo(dst, x []float64)
}

// A WeightFunc is a Weighter made from a Go function. Maps with a WeightFunc cannot be saved: see Encode.
type WeightFunc func(x []float64) float64

// Weight returns f(x).
func (f WeightFunc) Weight(x []float64) float64 { return f(x) }

type weightKernel struct {
	W Weighter `save:"w,required"`
	K Kernel   `save:"k,required"`
	operation
}

// Weight returns the kernel w(x)·k(x, y)·w(y) for any function w. Its features are w(x) times the features of k.
// Planning calls w at the points of the plan. A constructor refuses the kernel if w or k is nil, or if k is refused
// itself.
func Weight(w Weighter, k Kernel) Kernel {
	var err error
	if check.IsNil(w) {
		err = errors.New("featuremap: Weight w = nil")
	}
	k = copyPart(k)
	return &weightKernel{w, k, newOperation("Weight", err, &expr.Weight{W: w, K: exprOf(k)}, k)}
}

func (k *weightKernel) Parts() []Kernel             { return []Kernel{k.K} }
func (k *weightKernel) With(parts ...Kernel) Kernel { return Weight(k.W, onePart(parts)) }
func (k *weightKernel) String() string              { return gosyntax.Of(k) }
func (k *weightKernel) GoString() string            { return gosyntax.Call("Weight", k.W, k.K) }

var (
	_ Expression = (*sumKernel)(nil)
	_ Expression = (*productKernel)(nil)
	_ Expression = (*scaleKernel)(nil)
	_ Expression = (*composeKernel)(nil)
	_ Expression = (*weightKernel)(nil)
)
