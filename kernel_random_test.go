// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// This file makes random kernel expressions from bytes, each with what its text says by kernel_reference_test.go.

// fuzzSeries are the series that compositions and Dot take, each with its formula.
var fuzzSeries = []namedSeries{
	polynomialOf(0, 1),
	polynomialOf(0.25),
	polynomialOf(),
	polynomialOf(0, 0, 0),
	polynomialOf(0.5, 0.25),
	polynomialOf(0, 2, 0),
	polynomialOf(1, 0, 0.5),
	polynomialOf(0, 0, 0, 0.125),
	polynomialOf(0, 1e-200),
	{series.HermiteDual{N: 1}, func(t float64) float64 { return t }},
	{series.HermiteDual{}, func(float64) float64 { return 1 }},
	{series.HermiteDual{N: 1}, func(t float64) float64 { return t }},
	{series.HermiteDual{N: 3}, func(t float64) float64 { return t * t * t }},
	{series.Exp{Rate: 1}, math.Exp},
	{series.Exp{Rate: 0.5, Shift: -1}, func(t float64) float64 { return math.Exp(t/2 - 1) }},
	{series.Exp{}, func(float64) float64 { return 1 }},
	{series.Geometric{Ratio: 0.25}, beyond(4, func(t float64) float64 { return 1 / (1 - t/4) })},
	{series.Geometric{}, func(float64) float64 { return 1 }},
	{series.ReLUDual{}, beyond(1, func(t float64) float64 {
		return (math.Sqrt(1-t*t) + (math.Pi-math.Acos(t))*t) / math.Pi
	})},
	{series.StepDual{}, beyond(1, func(t float64) float64 { return 1 - math.Acos(t)/math.Pi })},
	{series.ErfDual{}, beyond(1.5, func(t float64) float64 { return math.Asin(t*2/3) / math.Asin(2.0/3) })},
	{series.SineDual{Rate: 0.5}, beyond(1e3, func(t float64) float64 { return math.Sinh(t/2) / math.Sinh(0.5) })},
	{series.CosineDual{Rate: 0.5}, beyond(1e3, func(t float64) float64 { return math.Cosh(t/2) / math.Cosh(0.5) })},
	{Polynomial{Degree: 2, Gamma: 0.5, Offset: 1}.Series(), func(t float64) float64 { return (t/2 + 1) * (t/2 + 1) }},
}

// Length scales, factors of matrices, scales of kernels and coordinates of points. The ordinary ones come first, and those
// whose squares or products overflow or underflow last.
var (
	fuzzLengths = []float64{1, 0.5, 2, 3, 1e-7, 1e-100, 1e100, 1e-150, 1e150, 1e8}
	fuzzFactors = []float64{0, 1, -1, 0.5, 2, -0.75, 0, 1e-8, 1e-160, 1e-200, 1e-300, 5e-324, 1e160, 1e200, 1e300, 1}
	fuzzScales  = []float64{1, 0.5, 2, 0, 1e-200, 5e-324, 3}
	fuzzPoints  = []float64{0, 1, -1, 0.5, -0.5, 0.25, 0.75, 2, 1e-3, -0.3, 1e-200, 1e200, -3}
)

// of returns the element of a list that the next byte chooses.
func of[T any](n *numbersFrom, from []T) T { return from[int(n.byte())%len(from)] }

// number returns one of a list, and only an ordinary one, which are the first few, unless extremes are wanted.
func number(n *numbersFrom, from []float64, extremes bool, ordinary int) float64 {
	if !extremes {
		from = from[:ordinary]
	}
	return of(n, from)
}

// A weightOf is the function 1 + x₀/c, which can be compared.
type weightOf struct{ c float64 }

func (w weightOf) Weight(x []float64) float64 { return 1 + x[0]/w.c }

// A kernelReader makes expressions of bytes.
type kernelReader struct {
	numbersFrom
	extremes bool
}

// length returns a length scale.
func (n *kernelReader) length() float64 { return number(&n.numbersFrom, fuzzLengths, n.extremes, 4) }

// leaf returns a kernel of points of R^in.
func (n *kernelReader) leaf(in int) expression {
	l := n.length()
	one := []func() expression{
		func() expression {
			return stationaryExpression(Circle{}, func(d []wideFloat) float64 { return math.Cos(d[0].float()) })
		},
		func() expression {
			return leafExpression(Binary{}, false, func(x, y []wideFloat) (v, size float64) {
				v = x[0].times(y[0]).float()
				return v, v
			})
		},
		func() expression {
			return steps(leafExpression(Categories{N: 3}, false, func(x, y []wideFloat) (v, size float64) {
				if c := x[0].float(); x[0] == y[0] && (c == 0 || c == 1 || c == 2) {
					return 1, 1
				}
				return 0, 0
			}))
		},
	}
	any := []func() expression{
		func() expression { return n.gaussian(in) },
		func() expression {
			return dotExpression(Linear{}, true, func(t float64) float64 { return t })
		},
		func() expression {
			c := number(&n.numbersFrom, fuzzScales, n.extremes, 3)
			return stationaryExpression(Constant{Value: c}, func([]wideFloat) float64 { return c })
		},
		func() expression {
			return stationaryExpression(Laplacian{LengthScale: l}, func(d []wideFloat) float64 {
				var sum wideFloat
				for _, v := range d {
					sum = sum.plus(v.over(widen(l)))
				}
				return math.Exp(-sum.float())
			})
		},
		func() expression {
			return stationaryExpression(Cauchy{LengthScale: l}, func(d []wideFloat) float64 {
				p := 1.0
				for _, v := range d {
					p /= 1 + square(v.over(widen(l)).float())
				}
				return p
			})
		},
		func() expression {
			return stationaryExpression(Matern{Nu: 0.5, LengthScale: l}, func(d []wideFloat) float64 { return math.Exp(-length(d).over(widen(l)).float()) })
		},
		func() expression {
			return stationaryExpression(Matern{Nu: 1.5, LengthScale: l}, func(d []wideFloat) float64 {
				z := math.Sqrt(3) * length(d).over(widen(l)).float()
				return math.Exp(-z) + math.Exp(math.Log(z)-z)
			})
		},
		func() expression {
			return stationaryExpression(RationalQuadratic{Alpha: 0.5, LengthScale: l}, func(d []wideFloat) float64 { return 1 / math.Hypot(1, length(d).over(widen(l)).float()) })
		},
		func() expression {
			p := n.length()
			l := max(l, 0.5)
			e := stationaryExpression(Periodic{Period: p, LengthScale: l}, func(d []wideFloat) float64 {
				var sum float64
				for _, v := range d {
					sum += square(math.Sin(math.Pi*v.over(widen(p)).float()) / l)
				}
				return math.Exp(-2 * sum)
			})
			return e.within(e.Kernel, func(r *reading, x, y []wideFloat) float64 {
				for i, v := range x { // further away rounding leaves nothing of the phase
					r.note(v.minus(y[i]).over(widen(p)).abs().float(), 1e6)
				}
				return e.at(r, x, y)
			})
		},
		func() expression {
			mean, scale := number(&n.numbersFrom, fuzzFactors, n.extremes, 6), math.Abs(number(&n.numbersFrom, fuzzFactors, n.extremes, 6))
			means, scales := make([]float64, in), make([]float64, in)
			means[0], scales[in-1] = mean, scale
			return stationaryExpression(SpectralMixture{Weights: []float64{0.5}, Means: mat.NewDense(1, in, means), Scales: mat.NewDense(1, in, scales)},
				func(d []wideFloat) float64 {
					e := math.Exp(-0.5 * square(d[in-1].times(widen(scale)).float()))
					if e == 0 {
						return 0
					}
					return 0.5 * e * math.Cos(d[0].times(widen(mean)).float())
				})
		},
		func() expression {
			return dotExpression(Polynomial{Degree: 3, Gamma: 0.5, Offset: 0.25}, true, func(t float64) float64 { return math.Pow(0.5*t+0.25, 3) })
		},
		func() expression {
			l := max(l, 1)
			return dotExpression(ExpDot{LengthScale: l}, true, func(t float64) float64 { return math.Exp(t / l / l) })
		},
		func() expression {
			return dotExpression(Dot(series.Geometric{Ratio: 0.25}), false, beyond(4, func(t float64) float64 { return 1 / (1 - t/4) }))
		},
		func() expression {
			f := of(&n.numbersFrom, fuzzSeries)
			return seriesExpression(Dot(f.f), false, f)
		},
		func() expression {
			order := int(n.byte()) % 3
			return steps(leafExpression(ArcCosine{Order: order}, true, func(x, y []wideFloat) (v, size float64) {
				v = arcCosineOf(order, x, y)
				return v, 10 * math.Pow(length(x).times(length(y)).float(), float64(order))
			}))
		},
		func() expression {
			return dotExpression(Sphere{}, false, func(t float64) float64 { return t })
		},
		func() expression { // a kernel of which only the values are known
			return stationaryExpression(halfDistance{}, func(d []wideFloat) float64 { return math.Exp(-math.Sqrt(length(d).float())) })
		},
		func() expression {
			return leafExpression(FromMap(fuzzMap{in}), true, func(x, y []wideFloat) (v, size float64) {
				v = 1
				for i := range x {
					v += square(x[i].float()) * square(y[i].float())
				}
				return v, v
			})
		},
	}
	if in == 1 {
		any = append(any, one...)
	}
	return of(&n.numbersFrom, any)()
}

// halfDistance is the kernel exp(−√‖x − y‖), of which the library knows the values only.
type halfDistance struct{}

func (halfDistance) Eval(x, y []float64) float64 {
	var r float64
	for i, v := range x {
		r = math.Hypot(r, v-y[i])
	}
	return math.Exp(-math.Sqrt(r))
}

// fuzzMap is the map to the squares of the coordinates, and a 1.
type fuzzMap struct{ in int }

func (m fuzzMap) Dims() (in, out int) { return m.in, m.in + 1 }
func (m fuzzMap) Kernel() Kernel      { return FromMap(m) }

func (m fuzzMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, m.in+1)
	}
	for i := range n {
		m.TransformVec(dst.RawRowView(i), mat.Row(nil, i, x))
	}
}

func (m fuzzMap) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, m.in+1)
	}
	for i, v := range x {
		dst[i] = v * v
	}
	dst[m.in] = 1
	return dst
}

// expression returns an expression of points of R^in, of parts that are made of others at most depth times.
func (n *kernelReader) expression(in, depth int) expression {
	if depth == 0 {
		return n.leaf(in)
	}
	part := func() expression { return n.expression(in, depth-1) }
	switch n.byte() % 11 {
	case 0, 1:
		return n.several(part, Sum, func(r *reading, a, b float64) float64 { return r.value(a+b, math.Abs(a)+math.Abs(b)) })
	case 2, 3:
		return n.several(part, Product, multiplied)
	case 4:
		c, e := number(&n.numbersFrom, fuzzScales, n.extremes, 3), n.expression(in, depth-1)
		return e.within(Scale(c, e.Kernel), func(r *reading, x, y []wideFloat) float64 {
			v := e.at(r, x, y)
			return r.value(c*v, c*v)
		})
	case 5:
		f, e := of(&n.numbersFrom, fuzzSeries), n.expression(in, depth-1)
		c := e.within(Compose(f.f, e.Kernel), func(r *reading, x, y []wideFloat) float64 {
			return f.at(r, e.at(r, x, y))
		})
		c.maps = false // not where its features have no mean degree, or heavy tails
		return c
	case 6:
		w, e := of(&n.numbersFrom, []weightOf{{2}, {-4}, {0.5}}), n.expression(in, depth-1)
		given := Weighter(w)
		if n.byte()%2 == 0 {
			given = WeightFunc(w.Weight)
		}
		return e.within(Weight(given, e.Kernel), func(r *reading, x, y []wideFloat) float64 {
			one, c := widen(1), widen(w.c)
			a, b := one.plus(x[0].over(c)).float(), one.plus(y[0].over(c)).float()
			r.note(max(math.Abs(a), math.Abs(b)), 1e50)
			v := e.at(r, x, y) * r.value(a, a) * r.value(b, b)
			return r.value(v, v)
		})
	case 7:
		return n.selected(in, depth)
	case 8:
		lengths, factors := make([]float64, in), make([]float64, in*in)
		for i := range lengths {
			lengths[i] = n.length()
			factors[i*in+i] = 1 / lengths[i]
		}
		e := n.expression(in, depth-1)
		return e.within(ARD(lengths, e.Kernel), behind(in, factors, e))
	case 9: // which is one Gaussian kernel
		return n.several(func() expression { return n.projected(in, n.gaussian) }, Product, multiplied)
	default:
		return n.projected(in, func(in int) expression { return n.expression(in, depth-1) })
	}
}

func (n *kernelReader) gaussian(int) expression {
	l := n.length()
	return stationaryExpression(Gaussian{LengthScale: l}, func(d []wideFloat) float64 { return math.Exp(-sumSquares(d, l) / 2) })
}

// several returns the sum or the product of some expressions.
func (n *kernelReader) several(part func() expression, make func(ks ...Kernel) Kernel, join func(r *reading, a, b float64) float64) expression {
	var ks []Kernel
	var es []expression
	all := expression{maps: true}
	for range 1 + n.byte()%3 {
		e := part()
		ks, es, all.maps = append(ks, e.Kernel), append(es, e), all.maps && e.maps
	}
	all.Kernel = make(ks...)
	all.at = func(r *reading, x, y []wideFloat) float64 {
		v := es[0].at(r, x, y)
		for _, e := range es[1:] {
			v = join(r, v, e.at(r, x, y))
		}
		return v
	}
	return all
}

// selected returns a Select of some coordinates.
func (n *kernelReader) selected(in, depth int) expression {
	var cols []int
	left := []int{0, 1, 2, 3, 4, 5}[:in]
	for range 1 + int(n.byte())%in {
		i := int(n.byte()) % len(left)
		cols, left = append(cols, left[i]), append(append([]int(nil), left[:i]...), left[i+1:]...)
	}
	e := n.expression(len(cols), depth-1)
	return e.within(Select(cols, e.Kernel), func(r *reading, x, y []wideFloat) float64 {
		u, v := make([]wideFloat, len(cols)), make([]wideFloat, len(cols))
		for i, c := range cols {
			u[i], v[i] = x[c], y[c]
		}
		return e.at(r, u, v)
	})
}

// projected returns a Project of any matrix: with zero rows, zero columns or nothing else, one that selects, a diagonal one, any.
func (n *kernelReader) projected(in int, of func(in int) expression) expression {
	p := 1 + int(n.byte())%3
	kind := n.byte() % 8
	if kind < 2 {
		p = in
	}
	a := make([]float64, p*in)
	for i := range p {
		for j := range in {
			v := number(&n.numbersFrom, fuzzFactors, n.extremes, 7)
			if kind < 2 && i != j || kind == 2 && i == 0 || kind == 3 && j == 0 || kind == 4 && (i+j)%in != 0 || kind == 5 {
				v = 0
			}
			if kind == 4 && v != 0 { // a selection, if not of a column twice
				v = 1
			}
			a[i*in+j] = v
		}
	}
	matrix := mat.Matrix(mat.NewDense(p, in, a))
	if kind == 0 {
		d := mat.NewDiagDense(in, nil)
		for i := range in {
			d.SetDiag(i, a[i*in+i])
		}
		matrix = d
	}
	e := of(p)
	return e.within(Project(matrix, e.Kernel), behind(in, a, e))
}
