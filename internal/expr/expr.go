// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package expr represents kernels as expressions. Their leaves describe what is known of a kernel. Kernel matrices,
// canonical forms and spectra evaluate, compare and print kernels by these descriptions, and never look at types.
//
// Begin with expr.go, which defines leaves and operations. compile.go translates an expression into a program of kernel
// matrices, and differences.go into a function of sparse differences.
package expr

import (
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Kernel is a function of two points of the same length.
type Kernel interface {
	Eval(x, y []float64) float64
}

// An Imager is a Kernel with parts that may be stationary. Its Eval is AtImages for a pair without linear
// maps.
type Imager interface {
	Kernel

	// AtImages returns the kernel at the images of a pair. It evaluates stationary parts at their
	// difference.
	AtImages(p *warp.Pair) float64
}

// A Leaf is a kernel that is not made of others, with everything known of it.
type Leaf struct {
	Kernel

	// Function returns the kernel as a function of one statistic of two points, which may need tables. ok is false if
	// there is no such function after all. It is nil if there never is one.
	Function func() (f matrix.Function, ok bool)

	// Features are features whose inner product is the kernel, for points of R^In; nil if none are
	// known.
	Features matrix.FeatureMap
	In       int

	Difference bool // the kernel is a function of x − y
	Alike      bool // it treats all coordinates alike, and depends only on those in which x and y differ

	// AtList is the kernel at a difference x − y that is given as a list; nil: use Eval.
	AtList func(delta rows.List) float64

	// Length is the length scale of a kernel that is a product of one function of each coordinate with a Fourier
	// series, exact or nearly exact up to some distance. Step is the step between its frequencies if the series is
	// exact, otherwise 0. A Length of 0 says that the kernel is not of this kind.
	Length, Step float64

	// As is the kernel that is evaluated instead of this one behind linear maps; nil: this one
	// itself.
	As Kernel
}

// AtImages returns the kernel at the images of a pair.
func (l *Leaf) AtImages(p *warp.Pair) float64 {
	switch {
	case l.Difference:
		return p.AtDifference(l.Eval)
	case l.As != nil:
		return At(l.As, p)
	}
	return l.Eval(p.Points())
}

// GoString returns the Go expression of the kernel.
func (l *Leaf) GoString() string { return gosyntax.Of(l.Kernel) }

// At returns a kernel at the images of a pair. It evaluates stationary parts at their difference.
func At(k Kernel, p *warp.Pair) float64 {
	if i, ok := k.(Imager); ok {
		return i.AtImages(p)
	}
	return k.Eval(p.Points())
}

// Constant is the kernel Value.
type Constant struct{ Value float64 }

func (k Constant) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	return k.Value
}

func (k Constant) AtImages(*warp.Pair) float64 { return k.Value }
func (k Constant) GoString() string            { return "Constant{Value: " + gosyntax.Of(k.Value) + "}" }

// Gaussian is the kernel exp(−‖x − y‖²/2ℓ²).
type Gaussian struct{ LengthScale float64 }

func (k Gaussian) Eval(x, y []float64) float64 {
	return math.Exp(-0.5 * arith.SquaredDistance(x, y, k.LengthScale))
}

func (k Gaussian) AtImages(p *warp.Pair) float64 { return p.AtDifference(k.Eval) }
func (k Gaussian) GoString() string {
	return "Gaussian{LengthScale: " + gosyntax.Of(k.LengthScale) + "}"
}

// pairwise returns the kernel as a function of distances.
func (k Gaussian) pairwise() matrix.Function {
	return matrix.OfDistance(k.LengthScale, func(rate float64) gram.Function { return gram.Exponential{Rate: -0.5 * rate} })
}

// Dot is the kernel F(⟨x, y⟩).
type Dot struct{ F series.Series }

func (k Dot) Eval(x, y []float64) float64 { return k.F.Eval(arith.Inner(x, y)) }
func (k Dot) GoString() string            { return power.KernelSource(k.F) }

// OfInner returns a function of ⟨x, y⟩, or ⟨x, y⟩ itself if f is nil.
func OfInner(f gram.Function) matrix.Function {
	if f == nil {
		f = gram.Identity{}
	}
	return matrix.Function{Measure: gram.Measure{Of: gram.Inner}, Function: f}
}

// Sum is the sum of kernels.
type Sum []Kernel

func (k Sum) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	var sum float64
	for _, t := range k {
		sum += t.Eval(x, y)
	}
	return sum
}

func (k Sum) AtImages(p *warp.Pair) float64 {
	var sum float64
	for _, t := range k {
		sum += At(t, p)
	}
	return sum
}

func (k Sum) GoString() string { return gosyntax.Call("Sum", gosyntax.Any(k)...) }

// Product is the product of kernels.
type Product []Kernel

func (k Product) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	v := 1.0
	for _, f := range k {
		v *= f.Eval(x, y)
	}
	return v
}

func (k Product) AtImages(p *warp.Pair) float64 {
	v := 1.0
	for _, f := range k {
		v *= At(f, p)
	}
	return v
}

func (k Product) GoString() string { return gosyntax.Call("Product", gosyntax.Any(k)...) }

// Scale is the kernel C·K.
type Scale struct {
	C float64
	K Kernel
}

func (k *Scale) Eval(x, y []float64) float64   { return k.C * k.K.Eval(x, y) }
func (k *Scale) AtImages(p *warp.Pair) float64 { return k.C * At(k.K, p) }
func (k *Scale) GoString() string              { return gosyntax.Call("Scale", k.C, k.K) }

// Compose is the kernel F(K).
type Compose struct {
	F series.Series
	K Kernel
}

func (k *Compose) Eval(x, y []float64) float64   { return k.F.Eval(k.K.Eval(x, y)) }
func (k *Compose) AtImages(p *warp.Pair) float64 { return k.F.Eval(At(k.K, p)) }
func (k *Compose) GoString() string              { return gosyntax.Call("Compose", k.F, k.K) }

// A Weighter is a function of points.
type Weighter interface {
	Weight(x []float64) float64
}

// A Gradienter is a Weighter with a gradient.
type Gradienter interface {
	Weighter
	GradientTo(dst, x []float64)
}

// Weight is the kernel W(x)·K(x, y)·W(y).
type Weight struct {
	W Weighter
	K Kernel
}

func (k *Weight) Eval(x, y []float64) float64 {
	v := k.K.Eval(x, y)
	return v * (k.W.Weight(x) * k.W.Weight(y))
}

func (k *Weight) AtImages(p *warp.Pair) float64 {
	x, y := p.Points()
	return At(k.K, p) * (k.W.Weight(x) * k.W.Weight(y))
}

func (k *Weight) GoString() string { return gosyntax.Call("Weight", k.W, k.K) }

// Behind is the kernel K(Ax, Ay) for the linear map of a warp.
type Behind struct {
	Warp warp.Warp
	In   int // the number of coordinates of its points; 0: any number that includes the columns that the warp selects
	K    Kernel
}

// Eval returns K(Ax, Ay). It evaluates stationary parts of K at A(x − y).
func (k *Behind) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	k.validateDim(len(x))
	if k.Warp.Factorless() { // rounds nothing
		return k.K.Eval(k.Warp.Image(x), k.Warp.Image(y))
	}
	return k.at(nil, x, y)
}

func (k *Behind) AtImages(p *warp.Pair) float64 {
	k.validateDim(p.Dim())
	return k.at(p, nil, nil)
}

// at returns the kernel at the pair p, or at x and y if p is nil.
func (k *Behind) at(p *warp.Pair, x, y []float64) float64 {
	images := warp.NewPair(p, &k.Warp, x, y)
	v := At(k.K, images)
	images.Free(p)
	return v
}

// validateDim panics with mat.ErrShape if points have another number of coordinates than the warp takes.
func (k *Behind) validateDim(n int) {
	if k.In != 0 && n != k.In {
		panic(mat.ErrShape)
	}
}

func (k *Behind) GoString() string { return k.Warp.GoSyntax(gosyntax.Of(k.K)) }

// SymLog is the kernel K(s(x), s(y)), where s(x)ⱼ is the logarithm of xⱼ with scale j. Only sums and scales may be
// around it.
type SymLog struct {
	Scales []float64
	K      Kernel
}

// Eval returns K(s(x), s(y)).
func (k *SymLog) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	if len(x) != len(k.Scales) {
		panic(mat.ErrShape)
	}
	at := func(x []float64) []float64 {
		image := make([]float64, len(x))
		rows.LogarithmsVec(image, x, k.Scales)
		return image
	}
	return k.K.Eval(at(x), at(y))
}

func (k *SymLog) GoString() string { return gosyntax.Call("SymLog", k.Scales, k.K) }

// Scaled returns c·k.
func Scaled(c float64, k Kernel) Kernel {
	if c == 1 {
		return k
	}
	return &Scale{C: c, K: k}
}

// BehindWarp returns k(w(x), w(y)).
func BehindWarp(w warp.Warp, k Kernel) Kernel {
	if w.Identity() {
		return k
	}
	return &Behind{Warp: w, K: k}
}

// Equal tells whether two kernels are known to be the same.
func Equal(a, b Kernel) bool {
	all := func(a, b []Kernel) bool { return slices.EqualFunc(a, b, Equal) }
	switch a := a.(type) {
	case *Leaf:
		b, ok := b.(*Leaf)
		return ok && reflect.DeepEqual(a.Kernel, b.Kernel)
	case Sum:
		b, ok := b.(Sum)
		return ok && all(a, b)
	case Product:
		b, ok := b.(Product)
		return ok && all(a, b)
	case *Scale:
		b, ok := b.(*Scale)
		return ok && a.C == b.C && Equal(a.K, b.K)
	case *Compose:
		b, ok := b.(*Compose)
		return ok && reflect.DeepEqual(a.F, b.F) && Equal(a.K, b.K)
	case *Weight:
		b, ok := b.(*Weight)
		return ok && reflect.DeepEqual(a.W, b.W) && Equal(a.K, b.K)
	case *Behind:
		b, ok := b.(*Behind)
		return ok && a.In == b.In && a.Warp.Equal(b.Warp) && Equal(a.K, b.K)
	case *SymLog:
		b, ok := b.(*SymLog)
		return ok && slices.Equal(a.Scales, b.Scales) && Equal(a.K, b.K)
	}
	return reflect.DeepEqual(a, b)
}
