// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// randomForm returns a form of fewer than n terms.
func randomForm(rnd *rand.Rand, in, n int) (f Form) {
	for range rnd.IntN(n) {
		f.Cols = append(f.Cols, uint32(rnd.IntN(in)))
		f.Weights = append(f.Weights, rnd.NormFloat64())
	}
	return f
}

// negative returns −f.
func negative(f Form) Form {
	f.Weights = slices.Clone(f.Weights)
	for i := range f.Weights {
		f.Weights[i] = -f.Weights[i]
	}
	return f
}

// boxVectors are vectors that random monomials share.
var boxVectors = []*Vector{
	{Len: 3, Of: func(dst, x []float64) { dst[0], dst[1], dst[2] = x[0]-2, x[len(x)-1], float64(x[0]*x[0]) }},
	{Len: 1, Cols: []uint32{0, 0}, Of: func(dst, x []float64) { dst[0] = x[0] + x[1] }},
	{Len: 400, Of: func(dst, x []float64) {
		for i := range dst {
			dst[i] = float64(i) + x[i%len(x)]
		}
	}},
}

func randomMonomial(rnd *rand.Rand, in int) Monomial {
	f := Monomial{Amplitude: rnd.NormFloat64()}
	for range rnd.IntN(4) {
		p := Factor{Re: randomForm(rnd, in, 5), Power: rnd.IntN(8)}
		if rnd.IntN(2) == 0 {
			p.Im = randomForm(rnd, in, 5)
		}
		f.Factors = append(f.Factors, p)
		if rnd.IntN(4) == 0 {
			p.Im = negative(p.Im)
			f.Factors = append(f.Factors, p)
		}
	}
	rnd.Shuffle(len(f.Factors), func(i, j int) { f.Factors[i], f.Factors[j] = f.Factors[j], f.Factors[i] })
	for range rnd.IntN(3) {
		b := Box{Of: func(x []float64) float64 { return 1 + float64(x[0]*x[len(x)-1]) }}
		if rnd.IntN(2) == 0 {
			b.Cols = []uint32{uint32(rnd.IntN(in)), uint32(rnd.IntN(in))}
		}
		if rnd.IntN(2) == 0 {
			v := boxVectors[rnd.IntN(len(boxVectors))]
			b = Box{Cols: v.Cols, Vector: v, Element: rnd.IntN(v.Len), Scale: rnd.NormFloat64()}
		}
		f.Boxes = append(f.Boxes, b)
	}
	if rnd.IntN(2) == 0 {
		f.Phase = randomForm(rnd, in, 4)
	}
	return f
}

// shareForms gives many of a monomial's forms the same columns, so that they are computed in tiles: all
// coordinates, or some out of order. A simple one has real factors of power 1 alone, and a phase.
func shareForms(rnd *rand.Rand, f Monomial, lists [][]uint32, simple, phase bool) Monomial {
	form := func() (f Form) {
		f.Cols = lists[rnd.IntN(len(lists))]
		for range f.Cols {
			f.Weights = append(f.Weights, rnd.NormFloat64())
		}
		return f
	}
	if simple {
		f = Monomial{Amplitude: f.Amplitude}
		for range rnd.IntN(4) {
			f.Factors = append(f.Factors, Factor{Re: form(), Power: 1})
		}
		if phase {
			f.Phase = form()
			f.Phase.Cols, f.Phase.Weights = lists[0], append(f.Phase.Weights, make([]float64, len(lists[0]))...)[:len(lists[0])]
		}
		return f
	}
	for i := range f.Factors {
		if p := &f.Factors[i]; rnd.IntN(2) == 0 {
			p.Re = form()
			if len(p.Im.Cols) > 0 && rnd.IntN(2) == 0 {
				p.Im = form()
			}
		}
	}
	if rnd.IntN(2) == 0 {
		f.Phase = form()
	}
	return f
}

// cmul is the product of complex numbers, rounded as specified.
func cmul(a, b [2]float64) [2]float64 {
	return [2]float64{float64(a[0]*b[0]) - float64(a[1]*b[1]), float64(a[0]*b[1]) + float64(a[1]*b[0])}
}

// cpow is z^n, n ≥ 1, by squaring, written by recursion.
func cpow(z [2]float64, n int) [2]float64 {
	if n == 1 {
		return z
	}
	p := cpow(z, n/2)
	p = cmul(p, p)
	if n%2 == 1 {
		p = cmul(p, z)
	}
	return p
}

// wantMonomial is the specification, written as in the doc comments.
func wantMonomial(f Monomial, x []float64) (re, im float64) {
	form := func(f Form) (v float64) {
		for k, c := range f.Cols {
			v = math.FMA(f.Weights[k], x[c], v)
		}
		return v
	}
	r := f.Amplitude
	var others [][2]float64
	taken := make([]bool, len(f.Factors))
	for i, p := range f.Factors {
		if p.Power == 0 || taken[i] {
			continue
		}
		if len(p.Im.Cols) == 0 {
			// Not cpow, in which the imaginary part 0 times infinity is NaN.
			v := form(p.Re)
			power := map[int]float64{1: v, 2: v * v, 3: v * v * v, 4: v * v * (v * v), 5: v * v * (v * v) * v,
				6: v * v * v * (v * v * v), 7: v * v * v * (v * v * v) * v}
			r *= power[p.Power]
			continue
		}
		z := cpow([2]float64{form(p.Re), form(p.Im)}, p.Power)
		pair := false
		for j := i + 1; j < len(f.Factors) && !pair; j++ {
			q := f.Factors[j]
			if !taken[j] && q.Power == p.Power && slices.Equal(q.Re.Cols, p.Re.Cols) && slices.Equal(q.Re.Weights, p.Re.Weights) &&
				slices.Equal(q.Im.Cols, p.Im.Cols) && slices.Equal(q.Im.Weights, negative(p.Im).Weights) {
				pair, taken[j] = true, true
			}
		}
		if pair {
			r *= float64(z[0]*z[0]) + float64(z[1]*z[1])
		} else {
			others = append(others, z)
		}
	}
	for _, b := range f.Boxes {
		y := x
		if b.Cols != nil {
			y = []float64{x[b.Cols[0]], x[b.Cols[1]]}
		}
		if b.Vector != nil {
			v := make([]float64, b.Vector.Len)
			b.Vector.Of(v, y)
			r *= float64(b.Scale * v[b.Element])
			continue
		}
		r *= b.Of(y)
	}
	if len(f.Phase.Cols) > 0 {
		cos, sin := wantCosSin(form(f.Phase), 1)
		others = append(others, [2]float64{cos, sin})
	}
	if len(others) == 0 {
		return r, 0
	}
	c := others[0]
	for _, z := range others[1:] {
		c = cmul(c, z)
	}
	return r * c[0], r * c[1]
}

// monomialProblem is a stack of a constant and monomials, with its specification.
func monomialProblem(rnd *rand.Rand, on tier.Tier, in, n int) (*Stack, func(x, _ []float64) []float64, int) {
	const at = 1
	features := make([]Monomial, n)
	all, some := make([]uint32, in), make([]uint32, 9)
	for i := range all {
		all[i] = uint32(i)
	}
	for i := range some {
		some[i] = uint32(rnd.IntN(in))
	}
	kind, phase := rnd.IntN(3), rnd.IntN(2) == 0
	for i := range features {
		features[i] = randomMonomial(rnd, in)
		if kind > 0 {
			features[i] = shareForms(rnd, features[i], [][]uint32{all, some}, kind == 1, phase)
		}
	}
	pairs := rnd.IntN(n + 1)
	out := at + n + pairs
	s := NewStack(in, out, newMonomialsIn(on, in, at, n, pairs, features), Constants{At: 0, Values: []float64{2.5}})
	return s, func(x, _ []float64) []float64 {
		z := make([]float64, out)
		z[0] = 2.5
		for i, f := range features {
			re, im := wantMonomial(f, x)
			z[at+i] = re
			if i < pairs {
				z[at+n+i] = im
			}
		}
		return z
	}, out
}

// Monomials in every tier equal the specification to the last bit.
func TestMonomialsEqualSpecification(t *testing.T) {
	for _, on := range tiers() {
		t.Run(on.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 9))
			for range 30 {
				rows, in, n := 1+rnd.IntN(20), 1+rnd.IntN(20), 1+rnd.IntN(150)
				s, want, out := monomialProblem(rnd, on, in, n)
				if err := checkTransform(rnd, s, want, rows, in, out); err != nil {
					t.Fatalf("%d rows of R^%d, %d features: %v", rows, in, n, err)
				}
			}
		})
	}
}

// A product of factors and their conjugates is real, whatever the order and the size.
func TestMonomialOfConjugatesIsReal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 9))
	const in = 5
	for range 200 {
		f := Monomial{Amplitude: rnd.NormFloat64()}
		for range 1 + rnd.IntN(3) {
			p := Factor{Re: randomForm(rnd, in, 5), Im: randomForm(rnd, in, 5), Power: rnd.IntN(6)}
			q := Factor{Re: p.Re, Im: negative(p.Im), Power: p.Power}
			f.Factors = append(f.Factors, p, q, Factor{Re: randomForm(rnd, in, 3), Power: rnd.IntN(3)})
		}
		rnd.Shuffle(len(f.Factors), func(i, j int) { f.Factors[i], f.Factors[j] = f.Factors[j], f.Factors[i] })
		s := NewStack(in, 2, NewMonomials(in, 0, 1, 1, []Monomial{f}))
		x := make([]float64, in)
		for i := range x {
			x[i] = math.Exp(40*rnd.NormFloat64()) * rnd.NormFloat64()
		}
		var z [2]float64
		s.TransformVec(z[:], x)
		if z[1] != 0 {
			t.Fatalf("%+v at %v: %v", f, x, z)
		}
	}
}

// The power of the conjugate is the conjugate of the power, to the last bit, and both are
// near the power itself.
func TestComplexPower(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 9))
	for n := 1; n < 20; n++ {
		for range 20 {
			sin, cos := math.Sincos(2 * math.Pi * rnd.Float64())
			re, im := complexPowerOf(cos, sin, n)
			if a, b := complexPowerOf(cos, -sin, n); a != re || b != -im {
				t.Fatalf("power %d of %v ± %vi: %v + %vi and %v + %vi", n, cos, sin, re, im, a, b)
			}
			// De Moivre. Each factor is within 2 ulp of the unit circle, each product adds
			// as much, and the angle is rounded to 2n ulp: 8n ulp are generous.
			angle := float64(n) * math.Atan2(sin, cos)
			if err := math.Hypot(re-math.Cos(angle), im-math.Sin(angle)); !(err <= float64(n)*8*0x1p-53) {
				t.Errorf("power %d of %v + %vi: error %v", n, cos, sin, err)
			}
		}
	}
}

// A panic in a box reaches the caller, whichever goroutine called the box.
func TestBoxPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	f := Monomial{Amplitude: 1, Boxes: []Box{{Of: func(x []float64) float64 {
		if x[0] == 70 {
			panic(fmt.Sprint("at ", x[0]))
		}
		return x[0]
	}}}}
	s := NewStack(1, 2000, NewMonomials(1, 0, 0, 0, slices.Repeat([]Monomial{f}, 2000)))
	x := mat.NewDense(100, 1, nil)
	for i := range 100 {
		x.Set(i, 0, float64(i))
	}
	z := mat.NewDense(100, 2000, nil)
	for name, call := range map[string]func(){
		"Transform":    func() { s.Transform(z, x) },
		"TransformVec": func() { s.TransformVec(z.RawRowView(0), x.RawRowView(70)) },
	} {
		func() {
			defer func() {
				if got := recover(); got != "at 70" {
					t.Errorf("%s: panic %v", name, got)
				}
			}()
			call()
		}()
	}
	s.TransformVec(z.RawRowView(0), x.RawRowView(9))
	if z.At(0, 1999) != 9 {
		t.Error("no use after a panic")
	}
}

func TestMonomialsRefuse(t *testing.T) {
	good, bad := Form{[]uint32{2}, []float64{1}}, Form{[]uint32{3}, []float64{1}}
	for name, f := range map[string]Monomial{
		"power":   {Factors: []Factor{{Re: good, Power: -1}}},
		"real":    {Factors: []Factor{{Re: bad, Power: 1}}},
		"imag":    {Factors: []Factor{{Im: bad, Power: 1}}},
		"phase":   {Phase: bad},
		"weights": {Phase: Form{Cols: []uint32{0}}},
		"box":     {Boxes: []Box{{Cols: []uint32{3}}}},
		"vector":  {Boxes: []Box{{Vector: &Vector{Cols: []uint32{3}, Len: 1}}}},
		"element": {Boxes: []Box{{Vector: &Vector{Len: 1}, Element: 1}}},
	} {
		if !panics(func() { NewMonomials(3, 0, 0, 0, []Monomial{f}) }) {
			t.Errorf("%s: no panic", name)
		}
	}
}
