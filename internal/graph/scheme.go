// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"fmt"
	"math"
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// scheme says how random features ψ of a kernel are sampled: E ψ(x)·conj ψ(y) = k(x, y). It samples ψ/√mass,
// where mass is k(x, x) on the base space. (Where k(x, x) depends on x, as for ⟨x, y⟩, mass is the value at
// typical points; estimates are unbiased for any mass.)
type scheme interface {
	expr.Kernel

	mass() float64

	// Supremum returns sup|ψ|/√mass on n columns, +Inf if ψ is not bounded.
	Supremum(n int) float64

	// degree returns the mean number of base features in a sample.
	degree() float64

	// moments returns E|ψ(x)|²|ψ(y)|² and E Re (ψ(x)·conj ψ(y))², each divided by the square of the mass.
	moments(x, y []float64) (abs, sq float64)

	// check returns the index of a coordinate that is off the base space and what it should be, or ""
	// if there is no such coordinate.
	check(x []float64) (at int, what string)

	// drawer returns a drawer of features that read the given columns. It adds the drawer's letters to a.
	drawer(cols []int, a *alphabet) (drawer, error)
}

// SchemeOf returns the scheme of a term without weights, on the coordinates in front of its warp.
func SchemeOf(t form.Term) (s scheme, err error) {
	c := t.Scale
	t.Scale = 1
	switch b := t.Base.(type) {
	case form.Constant:
		s = stationaryScheme{Spectrum: spectrum.Constant(1)}
	case form.Stationary:
		s = stationaryScheme{Spectrum: b.Pulled(t.Warp)}
		if b.Angle && t.Warp.Identity() {
			s = circleScheme{Spectrum: b.Spectrum}
		}
	case form.Dot:
		s, err = newDotScheme(b.F, t)
	case form.Neuron:
		s = newNeuronScheme(b, t)
	case form.Box:
		s = newBoxScheme(b, t)
	case form.Mapped:
		s = newMapScheme(b, t)
	case form.Space, form.Categories:
		if s = spaceScheme(b); !t.Warp.Identity() {
			err = fmt.Errorf("%w: %v behind a matrix that does more than select columns", check.ErrNoMap, b.Expr())
		}
	default:
		err = noMapOf(b)
	}
	if err == nil && c != 1 {
		s = scaledScheme{s, c}
	}
	return s, err
}

// spaceScheme returns the scheme of a kernel on a base space of its own.
func spaceScheme(b form.Base) scheme {
	if c, ok := b.(form.Categories); ok {
		return categoriesScheme{Kernel: c.Leaf, n: c.N}
	}
	if s := b.(form.Space); s.Sphere {
		return sphereScheme{s.Leaf}
	}
	return binaryScheme{Kernel: b.Expr()}
}

// noMapOf returns the error for a kernel without a map. It tells the caller how to give it one.
func noMapOf(b form.Base) error {
	return fmt.Errorf("%w: nothing is known of %v but its values: implement Stationary or DotProduct, or give its features with BlackBox or FromMap", check.ErrNoMap, gosyntax.Of(b.Expr()))
}

// scaledScheme is the scheme of c·k.
type scaledScheme struct {
	scheme
	c float64
}

func (s scaledScheme) Eval(x, y []float64) float64 { return s.c * s.scheme.Eval(x, y) }
func (s scaledScheme) mass() float64               { return s.c * s.scheme.mass() }

// single is embedded by schemes of one column whose mass, supremum and degree are 1.
type single struct{}

func (single) mass() float64        { return 1 }
func (single) Supremum(int) float64 { return 1 }
func (single) degree() float64      { return 1 }
func (single) oneColumn()           {}

// everywhere is embedded by schemes whose base space is all of R^n.
type everywhere struct{}

func (everywhere) degree() float64 { return 1 }

func (everywhere) check(x []float64) (int, string) {
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return i, "finite"
		}
	}
	return 0, ""
}

type binaryScheme struct {
	expr.Kernel
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

// A circleScheme is the scheme of an angle: the features e^{ix} and e^{−ix}.
type circleScheme struct {
	spectrum.Spectrum
	single
}

func (circleScheme) check(x []float64) (int, string) { return everywhere{}.check(x) }

func (circleScheme) moments(x, y []float64) (abs, sq float64) {
	return 1, math.Cos(2 * (x[0] - y[0]))
}

func (k circleScheme) mass() float64 { return k.Spectrum.Mass }

func (circleScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	return signDrawer(a.letter(letter{kind: circleLetter, a: cols[0], gain: 1})), nil
}

type categoriesScheme struct {
	expr.Kernel
	n int
	single
}

func (k categoriesScheme) moments(x, y []float64) (abs, sq float64) {
	if math.Mod(2*(x[0]-y[0]), float64(k.n)) == 0 {
		return 1, 1
	}
	return 1, 0
}

func (k categoriesScheme) check(x []float64) (int, string) {
	if !arith.IsIndex(x[0], k.n) {
		return 0, fmt.Sprintf("one of 0 … %d", k.n-1)
	}
	return 0, ""
}

func (k categoriesScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	at := a.letter(letter{kind: categoryLetter, a: cols[0], n: k.n, gain: 1})
	return categoryDrawer{at, k.n}, nil
}

// A sphereScheme has the features √(d/2)·(xⱼ ± i·xⱼ₊₁).
type sphereScheme struct{ expr.Kernel }

func (sphereScheme) mass() float64   { return 1 }
func (sphereScheme) degree() float64 { return 1 }

func (sphereScheme) check(x []float64) (int, string) {
	const tolerance = 1e-12
	if !(math.Abs(math.Sqrt(arith.Inner(x, x))-1) <= tolerance) {
		return 0, "the first coordinate of a unit vector"
	}
	return 0, ""
}

func (sphereScheme) Supremum(n int) float64 { return math.Sqrt(max(float64(n)/2, 1)) }

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
	if d == 1 { // x has the inner products of √½·(x ± ix), and is real
		return lettersDrawer{a.letter(letter{kind: coordinateLetter, a: cols[0], gain: 1})}, nil
	}
	var at letterPairDrawer
	for i, c := range cols {
		// x₂ ± ix₁ is ±i times the conjugate of x₁ ± ix₂, so two columns have only one pair.
		if d > 2 || i == 0 {
			at = append(at, a.pair(c, cols[(i+1)%d], math.Sqrt(float64(d)/2)))
		}
	}
	return at, nil
}

// A stationaryScheme has the feature √mass·e^{iω·x} (Example 3, for any spectral measure).
type stationaryScheme struct {
	spectrum.Spectrum
	everywhere
}

func (k stationaryScheme) mass() float64      { return k.Spectrum.Mass }
func (stationaryScheme) Supremum(int) float64 { return 1 }

func (k stationaryScheme) moments(x, y []float64) (abs, sq float64) {
	m := k.mass()
	if m == 0 {
		return 1, 1
	}
	delta := make([]float64, len(x))
	for i, v := range x {
		delta[i] = 2 * (v - y[i])
	}
	return 1, k.At(delta) / m
}

func (k stationaryScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	if k.Constant {
		return lettersDrawer(nil), nil
	}
	return &phaseDrawer{spectrum: k.Spectrum, cols: indices(cols)}, nil
}

// isStationary tells whether a scheme is that of a stationary kernel.
func isStationary(s scheme) bool {
	switch s := s.(type) {
	case scaledScheme:
		return isStationary(s.scheme)
	case stationaryScheme, circleScheme:
		return true
	}
	return false
}

// functionScheme has features that are Go functions or elements of vectors: features of a BlackBox or a FromMap,
// neurons, and weights.
type functionScheme struct {
	expr.Kernel
	form.Term
	everywhere
	size float64 // k(x, x), or a nominal mass
	sup  float64 // the supremum of |w| over all functions w

	// draw samples a function of points of R^d, behind the term's warp. If it is nil, a feature is an element of
	// vector times its scale: a random one, with equal probabilities, if vector is a FeatureMap, otherwise the only
	// one.
	draw   func(d int, s random.Sampler) (func(x []float64) float64, error)
	vector vectorOf

	// moment returns E w(x)²w(y)² for points behind the warp; nil if it is not known.
	moment func(x, y []float64) float64
}

func (k *functionScheme) mass() float64        { return k.size }
func (k *functionScheme) Supremum(int) float64 { return k.sup / math.Sqrt(k.size) }

func (k *functionScheme) moments(x, y []float64) (abs, sq float64) {
	if k.moment == nil {
		return math.NaN(), math.NaN()
	}
	m := k.moment(k.Warp.Image(x), k.Warp.Image(y)) / (k.size * k.size)
	return m, m
}

// vectorOf is a function of points behind a warp that sets n elements. m is its FeatureMap, if it is one.
type vectorOf struct {
	at    func(dst, x []float64)
	n     int
	scale float64
	m     form.FeatureMap
}

func (k *functionScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	if f := k.vector; k.draw == nil {
		key := vectorKey{k, fmt.Sprint(cols)}
		if f.m != nil && k.Warp.Identity() && reflect.ValueOf(f.m).Comparable() {
			key.function = f.m // shared by all inputs with this map and these columns
		}
		v := a.vector(key, &projection.Vector{Cols: indices(cols), Len: f.n, Of: k.Warp.ThenVector(len(cols), f.at)})
		return vectorDrawer{vector: v, scale: f.scale, random: f.m != nil}, nil
	}
	d := boxDrawer{cols: indices(cols), scale: 1 / math.Sqrt(k.size)}
	d.draws = func(s random.Sampler) (func(x []float64) float64, error) {
		w, err := k.draw(k.Warp.Dim(len(cols)), s)
		if w != nil {
			w = k.Warp.Then(len(cols), w)
		}
		return w, err
	}
	return d, nil
}

// newBoxScheme returns the scheme of a BlackBox's features.
func newBoxScheme(k form.Box, t form.Term) *functionScheme {
	f := &functionScheme{Kernel: t.Expr(), Term: t, size: 1, sup: math.Inf(1)}
	if k.Bound > 0 {
		f.sup = k.Bound
	}
	f.draw = func(_ int, s random.Sampler) (func(x []float64) float64, error) { return k.Draw(s) }
	return f
}

// newMapScheme returns the scheme that samples one of a map's features.
func newMapScheme(k form.Mapped, t form.Term) *functionScheme {
	f := &functionScheme{Kernel: t.Expr(), Term: t, size: 1, sup: math.Inf(1)}
	_, out := k.M.Dims()
	f.vector = vectorOf{func(dst, x []float64) { k.M.TransformVec(dst, x) }, out, math.Sqrt(float64(out)), k.M}
	f.moment = func(x, y []float64) float64 {
		return float64(out) * arith.Squares(k.M.TransformVec(nil, x), k.M.TransformVec(nil, y))
	}
	return f
}

// newNeuronScheme returns the scheme of random neurons.
func newNeuronScheme(k form.Neuron, t form.Term) *functionScheme {
	f := &functionScheme{Kernel: t.Expr(), Term: t, sup: math.Inf(1), moment: k.Order.Moment}
	f.size = [3]float64{1, 1, 3}[k.Order] // k(x, x) for unit vectors x
	f.draw = func(d int, s random.Sampler) (func(x []float64) float64, error) {
		w := make([]float64, d)
		s.FillNormal(w)
		return func(x []float64) float64 { return k.Order.Neuron().At(arith.Chain(w, x)) }, nil
	}
	return f
}

// newWeightScheme returns the scheme of the weights of a term. Its only feature is their product.
func newWeightScheme(t form.Term) *functionScheme {
	t.Scale, t.Warp, t.Base = 1, warp.Warp{}, form.Constant{}
	f := &functionScheme{Kernel: t.Expr(), Term: t, size: 1, sup: math.Inf(1)}
	f.vector = vectorOf{func(dst, x []float64) { dst[0] = f.Weight(x) }, 1, 1, nil}
	f.moment = func(x, y []float64) float64 { return arith.Square(f.Weight(x)) * arith.Square(f.Weight(y)) }
	return f
}

// dotScheme has random Maclaurin features for f(⟨Ax, Ay⟩): products of n Rademacher forms over √c. n
// has the probability aₙcⁿ/f(c), for a c near ⟨Ax, Ay⟩ for typical points.
type dotScheme struct {
	expr.Kernel
	form.Term
	everywhere
	f    series.Series
	c    float64
	mean float64 // the mean degree n
}

// newDotScheme takes c = 1, as for unit vectors. If f(c) is above 1e150 or the mean degree above 64, it
// takes the largest power of ½, down to 2⁻⁶⁴, for which they are not.
func newDotScheme(f series.Series, t form.Term) (*dotScheme, error) {
	const degrees, mass, most = 64, 1e150, 64
	d := &dotScheme{Kernel: t.Expr(), Term: t, f: f, c: 1}
	good := func(c float64) bool {
		mean, err := power.MeanDegree(f, c)
		return err == nil && mean <= degrees && f.Eval(c) <= mass
	}
	for range most {
		if good(d.c) {
			break
		}
		d.c /= 2
	}
	if !good(d.c) && f.Radius() > 1 {
		d.c = 1 // no smaller c has a mean degree that is low enough
	}
	var err error
	d.mean, err = power.MeanDegree(f, d.c)
	return d, err
}

func (k *dotScheme) mass() float64   { return k.f.Eval(k.c) }
func (k *dotScheme) degree() float64 { return k.mean }

// Supremum is finite only for a constant, because points are not bounded.
func (k *dotScheme) Supremum(int) float64 {
	if k.f.Eval(k.c) == k.f.Coeff(0) {
		return 1
	}
	return math.Inf(1)
}

func (k *dotScheme) moments(x, y []float64) (abs, sq float64) {
	x, y = k.Warp.Image(x), k.Warp.Image(y)
	return k.momentsOf(arith.Inner(x, y), arith.Inner(x, x)*arith.Inner(y, y), arith.Squares(x, y))
}

// momentsOf returns the moments at points behind the warp with ⟨x, y⟩ = t, ‖x‖²‖y‖² = n and Σxᵢ²yᵢ² = s.
func (k *dotScheme) momentsOf(t, n, s float64) (abs, sq float64) {
	if k.mass() == 0 {
		return 1, 1
	}
	m := k.f.Eval((n+2*(t*t-s))/k.c) / k.mass()
	return m, m
}

func (k *dotScheme) drawer(cols []int, a *alphabet) (drawer, error) {
	law, err := power.NewDrawer(k.f, k.c)
	if err != nil {
		return nil, err
	}
	gain := 1 / math.Sqrt(k.c)
	if k.Warp.Identity() && len(cols) == 1 {
		return powerDrawer{law: law, factor: letterDrawer(a.letter(letter{kind: coordinateLetter, a: cols[0], gain: gain}))}, nil
	}
	form := &formDrawer{cols: indices(cols)}
	form.fill = func(w []float64, s random.Sampler) {
		s.FillRademacher(w)
		for i := range w {
			w[i] *= gain
		}
	}
	if !k.Warp.Identity() {
		fill, signs := form.fill, make([]float64, k.Warp.Dim(len(cols)))
		form.fill = func(w []float64, s random.Sampler) {
			fill(signs, s)
			k.Warp.Pull(w, signs)
		}
	}
	return powerDrawer{law: law, factor: form}, nil
}

// These are all schemes.
var _ = []scheme{
	binaryScheme{}, circleScheme{}, categoriesScheme{}, sphereScheme{},
	stationaryScheme{}, (*functionScheme)(nil), (*dotScheme)(nil), scaledScheme{},
}
