// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// This file reads kernel expressions as they are written. It is a second evaluator, independent of the package's: it knows
// nothing of canonical forms, terms and warps. Where the two disagree, one of them has a wrong kernel.

// A wideFloat is m·2ᵉ, with any exponent: points go through matrices of any size without leaving its range.
type wideFloat struct {
	m float64
	e int
}

func widen(v float64) wideFloat {
	m, e := math.Frexp(v)
	if m == 0 {
		e = 0
	}
	return wideFloat{m, e}
}

func (a wideFloat) times(b wideFloat) wideFloat {
	c := widen(a.m * b.m)
	if c.m != 0 {
		c.e += a.e + b.e
	}
	return c
}

func (a wideFloat) plus(b wideFloat) wideFloat {
	switch {
	case a.m == 0:
		return b
	case b.m == 0:
		return a
	case a.e < b.e:
		a, b = b, a
	}
	c := widen(a.m + math.Ldexp(b.m, max(b.e-a.e, -200)))
	if c.m != 0 {
		c.e += a.e
	}
	return c
}

func (a wideFloat) minus(b wideFloat) wideFloat { return a.plus(wideFloat{-b.m, b.e}) }
func (a wideFloat) over(b wideFloat) wideFloat  { return a.times(wideFloat{1 / b.m, -b.e}) }
func (a wideFloat) abs() wideFloat              { return wideFloat{math.Abs(a.m), a.e} }

// float returns the number as a float64: ±Inf or 0 beyond its range.
func (a wideFloat) float() float64 { return math.Ldexp(a.m, min(max(a.e, -5000), 5000)) }

// A reading is one evaluation of an expression. Readings with a slip of ±1e-14 have that relative error in
// every step, and differ by about what rounding may do to the value.
type reading struct {
	slip float64
	tiny bool // the coordinate of an image is no 0, but nearly
	lost bool // a value or the coordinate of an image is NaN, or so large that another evaluator may be lost as well
}

// value notes a value on the way, with an error of slip times its size.
func (r *reading) value(v, size float64) float64 {
	r.note(math.Abs(v), 1e100)
	return v + r.slip*size
}

// note notes a magnitude that must be at most most.
func (r *reading) note(size, most float64) { r.lost = r.lost || !(size <= most) }

func underflows(v wideFloat) bool { return v.m != 0 && v.abs().float() < 1e-290 }

// steps returns an expression that is not continuous, so that it takes no coordinate for 0 that is not.
func steps(e expression) expression {
	return e.within(e.Kernel, func(r *reading, x, y []wideFloat) float64 {
		r.lost = r.lost || r.tiny
		return e.at(r, x, y)
	})
}

// An expression is a kernel, and the value that its text says at two points.
type expression struct {
	Kernel
	at   func(r *reading, x, y []wideFloat) float64
	maps bool // New has a map for it whose variance says how good it is
}

// leafExpression returns the expression of a kernel given by its formula of x and y.
func leafExpression(k Kernel, maps bool, of func(x, y []wideFloat) (v, size float64)) expression {
	return expression{k, func(r *reading, x, y []wideFloat) float64 {
		return r.value(of(x, y))
	}, maps}
}

// stationaryExpression returns the expression of a kernel given by its formula of |x − y|.
func stationaryExpression(k Kernel, of func(delta []wideFloat) float64) expression {
	return expression{k, func(r *reading, x, y []wideFloat) float64 {
		delta := make([]wideFloat, len(x))
		for i := range x {
			delta[i] = x[i].minus(y[i]).abs().times(widen(1 + r.slip))
		}
		v := of(delta)
		return r.value(v, v)
	}, true}
}

// dotExpression returns the expression of a kernel given by its formula of ⟨x, y⟩.
func dotExpression(k Kernel, maps bool, of func(t float64) float64) expression {
	return seriesExpression(k, maps, namedSeries{series.Exp{}, of})
}

func seriesExpression(k Kernel, maps bool, f namedSeries) expression {
	return expression{k, func(r *reading, x, y []wideFloat) float64 {
		var sum, size wideFloat
		for i := range x {
			p := x[i].times(y[i])
			sum, size = sum.plus(p), size.plus(p.abs())
		}
		return f.at(r, r.value(sum.float(), size.float()))
	}, maps}
}

func sumSquares(v []wideFloat, l float64) float64 {
	var sum wideFloat
	for _, a := range v {
		a = a.over(widen(l))
		sum = sum.plus(a.times(a))
	}
	return sum.float()
}

// A namedSeries is a series and its formula, where that is finite.
type namedSeries struct {
	f  series.Series
	of func(t float64) float64
}

// at returns the value of the series at t. Those that are no polynomials have an absolute error.
func (f namedSeries) at(r *reading, t float64) float64 {
	v := f.of(t)
	if math.IsInf(f.f.Radius(), 1) {
		return r.value(v, v)
	}
	return r.value(v, 1+math.Abs(v))
}

func polynomialOf(a ...float64) namedSeries {
	return namedSeries{series.Coefficients(a), func(t float64) (v float64) {
		for n := len(a) - 1; n >= 0; n-- {
			v = v*t + a[n]
		}
		return v
	}}
}

// beyond returns f within [−r, r], and NaN, which is not compared, beyond.
func beyond(r float64, f func(t float64) float64) func(t float64) float64 {
	return func(t float64) float64 {
		if !(math.Abs(t) <= r) {
			return math.NaN()
		}
		return f(t)
	}
}

func square(v float64) float64 { return v * v }

// length returns ‖v‖.
func length(v []wideFloat) wideFloat {
	var sum wideFloat
	for _, a := range v {
		sum = sum.plus(a.times(a))
	}
	if sum.e%2 != 0 {
		sum.m, sum.e = 2*sum.m, sum.e-1
	}
	root := widen(math.Sqrt(sum.m))
	root.e += sum.e / 2
	return root
}

func arcCosineOf(order int, x, y []wideFloat) float64 {
	r, s := length(x), length(y)
	if r.m == 0 || s.m == 0 {
		return 0
	}
	difference, sum := make([]wideFloat, len(x)), make([]wideFloat, len(x))
	for i := range x {
		a, b := x[i].times(s), y[i].times(r)
		difference[i], sum[i] = a.minus(b), a.plus(b)
	}
	rs := r.times(s)
	opposite := 2 * math.Atan2(length(sum).over(rs).float(), length(difference).over(rs).float())
	sin, cos := math.Sin(opposite), -math.Cos(opposite)
	j := []float64{opposite, sin + opposite*cos, 3*sin*cos + opposite*(1+2*cos*cos)}[order]
	return math.Pow(rs.float(), float64(order)) * j / math.Pi
}

func multiplied(r *reading, a, b float64) float64 { return r.value(a*b, a*b) }

// within returns the expression of a kernel made of this one.
func (e expression) within(k Kernel, at func(r *reading, x, y []wideFloat) float64) expression {
	return expression{k, at, e.maps}
}

// behind returns the value of an expression at the images of points under a matrix of in columns. Images of two
// points have opposite errors, unless the matrix reads no coordinate that differs.
func behind(in int, a []float64, e expression) func(r *reading, x, y []wideFloat) float64 {
	return func(r *reading, x, y []wideFloat) float64 {
		u, v := make([]wideFloat, len(a)/in), make([]wideFloat, len(a)/in)
		for i := range u {
			var most, least wideFloat
			same := true
			for j, c := range a[i*in : (i+1)*in] {
				p, q := widen(c).times(x[j]), widen(c).times(y[j])
				u[i], v[i] = u[i].plus(p), v[i].plus(q)
				most, least = most.plus(p.abs()), least.plus(q.abs())
				same = same && p == q
			}
			r.note(most.float(), 1e300)
			r.tiny = r.tiny || underflows(u[i]) || underflows(v[i])
			r.note(least.float(), 1e300)
			// Coordinates that differ by rounding alone may be equal to another evaluator, and a value's peak is there.
			r.lost = r.lost || !same && u[i].minus(v[i]).abs().float() < 1e-14*most.plus(least).float()
			slip := 3 * r.slip // not that of differences, which it might undo
			u[i] = u[i].plus(most.times(widen(slip)))
			if !same {
				slip = -slip
			}
			v[i] = v[i].plus(least.times(widen(slip)))
		}
		return e.at(r, u, v)
	}
}
