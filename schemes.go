// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
)

// single is what schemes of one column share: mass and norm 1.
type single struct{}

func (single) mass() float64     { return 1 }
func (single) bound(int) float64 { return 1 }

func (single) columns(n int) error {
	if n != 1 {
		return fmt.Errorf("featuremap: %d columns for a base of one", n)
	}
	return nil
}

// onSphere is what schemes for ⟨x, y⟩ on the sphere share.
type onSphere struct{}

func (onSphere) mass() float64     { return 1 }
func (onSphere) columns(int) error { return nil }

func (onSphere) check(x []float64) (int, string) {
	const tolerance = 1e-12
	if !(math.Abs(math.Sqrt(inner(x, x))-1) <= tolerance) {
		return 0, "the first coordinate of a unit vector"
	}
	return 0, ""
}

// everywhere is what schemes share that have no base space but R^n.
type everywhere struct{}

func (everywhere) columns(int) error { return nil }

func (everywhere) check(x []float64) (int, string) {
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return i, "finite"
		}
	}
	return 0, ""
}

type binaryScheme struct {
	Binary
	single
}

func (binaryScheme) moments(x, y []float64) (_, _ float64) { return 1, 1 }

func (binaryScheme) check(x []float64) (int, string) {
	if x[0] != 1 && x[0] != -1 {
		return 0, "−1 or +1"
	}
	return 0, ""
}

func (binaryScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	return letterDrawer(a.letter(letter{kind: binaryLetter, a: cols[0], gain: 1})), nil
}

type circleScheme struct {
	Circle
	single
}

func (circleScheme) check(x []float64) (int, string) { return everywhere{}.check(x) }

func (circleScheme) moments(x, y []float64) (abs, sq float64) {
	return 1, math.Cos(2 * (x[0] - y[0]))
}

func (circleScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	return signDrawer(a.letter(letter{kind: circleLetter, a: cols[0], gain: 1})), nil
}

type categoriesScheme struct {
	Categories
	single
}

func (k categoriesScheme) moments(x, y []float64) (abs, sq float64) {
	if math.Mod(2*(x[0]-y[0]), float64(k.N)) == 0 {
		return 1, 1
	}
	return 1, 0
}

func (k categoriesScheme) check(x []float64) (int, string) {
	if v := x[0]; !(v >= 0 && v < float64(k.N) && v == math.Trunc(v)) {
		return 0, fmt.Sprintf("one of 0 … %d", k.N-1)
	}
	return 0, ""
}

func (k categoriesScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	at := a.letter(letter{kind: categoryLetter, a: cols[0], n: k.N, gain: 1})
	return categoryDrawer{at, k.N}, nil
}

type sphereScheme struct {
	Sphere
	onSphere
}

func (sphereScheme) bound(n int) float64 { return math.Sqrt(max(float64(n)/2, 1)) }

func (sphereScheme) moments(x, y []float64) (abs, sq float64) {
	for i, a := range x {
		j := (i + 1) % len(x)
		b, c, e := x[j], y[i], y[j]
		abs += (a*a + b*b) * (c*c + e*e)
		sq += (a*a-b*b)*(c*c-e*e) + 4*a*b*c*e
	}
	d := float64(len(x))
	return d / 4 * abs, d / 4 * sq
}

func (sphereScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	d := len(cols)
	if d == 1 {
		return coordinateScheme{}.drawer(cols, a) // √½·(x ± ix)
	}
	var at letterPairDrawer
	for i, c := range cols {
		// x₂ ± ix₁ is ±i times the conjugate of x₁ ± ix₂: of two columns there is one pair.
		if d > 2 || i == 0 {
			at = append(at, a.pair(c, cols[(i+1)%d], math.Sqrt(float64(d)/2)))
		}
	}
	return at, nil
}

type coordinateScheme struct {
	SphereCoordinate
	onSphere
}

func (coordinateScheme) bound(n int) float64 { return math.Sqrt(float64(n)) }

func (coordinateScheme) moments(x, y []float64) (abs, sq float64) {
	m := float64(len(x)) * squares(x, y)
	return m, m
}

func (coordinateScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	var d lettersDrawer
	for _, c := range cols {
		d = append(d, a.letter(letter{kind: coordinateLetter, a: c, gain: math.Sqrt(float64(len(cols)))}))
	}
	return d, nil
}

type uniformScheme struct {
	SphereUniform
	onSphere
}

func (uniformScheme) bound(n int) float64 { return math.Sqrt(float64(n)) }

func (uniformScheme) moments(x, y []float64) (abs, sq float64) {
	t, d := inner(x, y), float64(len(x))
	m := d * (inner(x, x)*inner(y, y) + 2*t*t) / (d + 2)
	return m, m
}

func (uniformScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	if len(cols) == 1 {
		return coordinateScheme{}.drawer(cols, a) // ±x
	}
	return &formDrawer{cols: indices(cols), fill: func(w []float64, s *Sampler) {
		s.FillNormal(w)
		var square float64
		for _, v := range w {
			square += float64(v * v)
		}
		scale := math.Sqrt(float64(len(w)) / square)
		for i := range w {
			w[i] *= scale
		}
	}}, nil
}

// squares returns Σ xᵢ²yᵢ².
func squares(x, y []float64) float64 {
	var s float64
	for i, v := range x {
		s += v * v * y[i] * y[i]
	}
	return s
}

// A stationaryScheme has the feature √mass·e^{iω·x} (Example 3, for any spectral measure).
type stationaryScheme struct {
	Stationary
	everywhere
}

func (k stationaryScheme) mass() float64   { return k.Mass() }
func (stationaryScheme) bound(int) float64 { return 1 }

func (k stationaryScheme) moments(x, y []float64) (abs, sq float64) {
	m := k.Mass()
	if m == 0 {
		return 1, 1
	}
	delta, origin := make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		delta[i] = 2 * (v - y[i])
	}
	return 1, k.Eval(delta, origin) / m
}

// isConstant tells whether a kernel is a Constant, also of other coordinates.
func isConstant(k Kernel) bool {
	switch k := pointee(k).(type) {
	case Constant:
		return true
	case projector:
		_, inner := k.projection()
		return isConstant(inner)
	case selector:
		_, inner := k.selection()
		return isConstant(inner)
	}
	return false
}

func (k stationaryScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	if isConstant(k.Stationary) {
		return lettersDrawer(nil), nil
	}
	return &phaseDrawer{kernel: k.Stationary, cols: indices(cols)}, nil
}

// A functionScheme has random functions for features.
type functionScheme struct {
	Kernel
	everywhere
	warp *linear // of the points, before anything else; nil for the identity
	size float64 // k(x, x), where that means something
	sup  float64 // of the functions
	draw func(d int, s *Sampler) (func(x []float64) float64, error)

	// moment returns E w(x)²w(y)²; nil if that is not known.
	moment func(x, y []float64) float64
}

func (k *functionScheme) mass() float64     { return k.size }
func (k *functionScheme) bound(int) float64 { return k.sup / math.Sqrt(k.size) }

func (k *functionScheme) moments(x, y []float64) (abs, sq float64) {
	if k.moment == nil {
		return math.NaN(), math.NaN()
	}
	if k.warp != nil {
		x, y = k.warp.image(x), k.warp.image(y)
	}
	m := k.moment(x, y) / (k.size * k.size)
	return m, m
}

func (k *functionScheme) drawer(cols []int, _ *alphabet) (drawer, error) {
	d := boxDrawer{cols: indices(cols), scale: 1 / math.Sqrt(k.size)}
	d.of = func(s *Sampler) (func(x []float64) float64, error) {
		if k.warp == nil {
			return k.draw(len(cols), s)
		}
		w, err := k.draw(k.warp.p, s)
		if w != nil {
			w = k.warp.then(w)
		}
		return w, err
	}
	return d, nil
}

// rankOne is the kernel f(x)·f(y).
type rankOne struct {
	f func(x []float64) float64
}

func (k rankOne) Eval(x, y []float64) float64 { return k.f(x) * k.f(y) }

// newFunctionScheme returns the scheme of a kernel whose features are functions, or nil.
func newFunctionScheme(k Kernel, base Kernel, warp *linear) scheme {
	f := &functionScheme{Kernel: k, warp: warp, size: 1, sup: math.Inf(1)}
	switch base := pointee(base).(type) {
	case BlackBox:
		if base.Bound > 0 {
			f.sup = base.Bound
		}
		f.draw = func(_ int, s *Sampler) (func(x []float64) float64, error) { return base.Draw(s) }
	case rankOne:
		f.draw = func(int, *Sampler) (func(x []float64) float64, error) { return base.f, nil }
		f.moment = func(x, y []float64) float64 { return square(base.f(x)) * square(base.f(y)) }
	case fromMap:
		_, out := base.m.Dims()
		f.draw = func(_ int, s *Sampler) (func(x []float64) float64, error) {
			root, i := math.Sqrt(float64(out)), s.IntN(out)
			return func(x []float64) float64 { return root * base.m.TransformVec(nil, x)[i] }, nil
		}
		f.moment = func(x, y []float64) float64 {
			return float64(out) * squares(base.m.TransformVec(nil, x), base.m.TransformVec(nil, y))
		}
	case ArcCosine:
		f.size = [3]float64{1, 1, 3}[base.Order] // of unit vectors
		f.draw = func(d int, s *Sampler) (func(x []float64) float64, error) {
			w := make([]float64, d)
			s.FillNormal(w)
			return func(x []float64) float64 { return base.neuron(chain(w, x)) }, nil
		}
		f.moment = base.neuronMoment
	default:
		return nil
	}
	return f
}

// chain returns Σ wᵢxᵢ, a chain of fused multiply-adds: the bits of features.
func chain(w, x []float64) float64 {
	var sum float64
	for i, v := range w {
		sum = math.FMA(v, x[i], sum)
	}
	return sum
}

// A dotScheme has random Maclaurin features for f(⟨Ax, Ay⟩): products of n Rademacher forms over
// √c, n with probability aₙcⁿ/f(c), for a c that is about ⟨Ax, Ay⟩ for typical points.
type dotScheme struct {
	Kernel
	everywhere
	f    Series
	warp *linear // A; nil for the identity
	c    float64
	mean float64 // of n
}

// newDotScheme takes c = 1, of unit vectors, or a power of ½ with which f(c) is finite and the mean
// of n is at most 64, as far as 2⁻⁶⁴ if there is one.
func newDotScheme(k Kernel, f Series, warp *linear) (*dotScheme, error) {
	if err := validateSeries(f); err != nil {
		return nil, err
	}
	const degrees, mass, most = 64, 1e150, 64
	d := &dotScheme{Kernel: k, f: f, warp: warp, c: 1}
	good := func(c float64) bool {
		mean, err := meanDegree(f, c)
		return err == nil && mean <= degrees && f.Eval(c) <= mass
	}
	for range most {
		if good(d.c) {
			break
		}
		d.c /= 2
	}
	if !good(d.c) && f.Radius() > 1 {
		d.c = 1 // as high a degree at any c
	}
	var err error
	d.mean, err = meanDegree(f, d.c)
	return d, err
}

func (k *dotScheme) mass() float64 { return k.f.Eval(k.c) }

func (k *dotScheme) columns(n int) error {
	if k.warp != nil && k.warp.n != n {
		return fmt.Errorf("featuremap: %d columns for a Project of %d", n, k.warp.n)
	}
	return nil
}

// bound is finite for a constant only: vectors are not.
func (k *dotScheme) bound(int) float64 {
	if k.f.Eval(k.c) == k.f.Coeff(0) {
		return 1
	}
	return math.Inf(1)
}

func (k *dotScheme) moments(x, y []float64) (abs, sq float64) {
	if k.warp != nil {
		x, y = k.warp.image(x), k.warp.image(y)
	}
	t := inner(x, y)
	second := inner(x, x)*inner(y, y) + 2*(t*t-squares(x, y))
	if k.mass() == 0 {
		return 1, 1
	}
	m := k.f.Eval(second/k.c) / k.mass()
	return m, m
}

func (k *dotScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	law, err := newDegreeDrawer(k.f, k.c)
	if err != nil {
		return nil, err
	}
	gain := 1 / math.Sqrt(k.c)
	if k.warp == nil && len(cols) == 1 {
		return powerDrawer{law, letterDrawer(a.letter(letter{kind: coordinateLetter, a: cols[0], gain: gain}))}, nil
	}
	form := &formDrawer{cols: indices(cols)}
	form.fill = func(w []float64, s *Sampler) {
		s.FillRademacher(w)
		for i := range w {
			w[i] *= gain
		}
	}
	if k.warp != nil {
		fill, signs := form.fill, make([]float64, k.warp.p)
		form.fill = func(w []float64, s *Sampler) {
			fill(signs, s)
			k.warp.pull(w, signs)
		}
	}
	return powerDrawer{law, form}, nil
}

// Conformance.
var _ = []scheme{
	binaryScheme{}, circleScheme{}, categoriesScheme{}, sphereScheme{}, coordinateScheme{}, uniformScheme{},
	stationaryScheme{}, (*functionScheme)(nil), (*dotScheme)(nil),
}
