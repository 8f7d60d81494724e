// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// hill is a Weighter with a gradient: 1 + x₀² + Σxᵢ/4.
type hill struct{}

func (hill) Weight(x []float64) float64 {
	w := 1 + float64(x[0]*x[0])
	for _, v := range x {
		w += v / 4
	}
	return w
}

func (hill) GradientTo(dst, x []float64) {
	for i := range x {
		dst[i] = 0.25
	}
	dst[0] += 2 * x[0]
}

// sumDerivatives are maps of sums, weights and exact features.
var sumDerivatives = testkit.Once(func(d int) (all []derivativeCase) {
	gaussian, lengths := Gaussian{LengthScale: 0.8}, testkit.F64s(d, func(i int) float64 { return 1 + float64(i%2) })
	a := testkit.NormalPoints(9, 2, d)
	one := mat.NewDense(1, d, testkit.F64s(d, func(i int) float64 { return 1 / float64(i+1) }))
	inner := testkit.Must(NewFourier(gaussian, d, 12, NewSampler(3), nil))
	kernels := []struct {
		k   Kernel
		out int
	}{
		{Sum(gaussian, ARD(lengths, Matern{Nu: 2.5, LengthScale: 1})), 60},
		{Sum(gaussian, Linear{}), 4*d + 8},
		{Sum(Scale(0.5, gaussian), Linear{}, Constant{Value: 2}), 4*d + 8},
		{Weight(hill{}, gaussian), 60},
		{Weight(hill{}, Sum(gaussian, Constant{Value: 1})), 61},
		{Sum(Weight(hill{}, ARD(lengths, gaussian)), Weight(hill{}, Weight(hill{}, gaussian))), 60},
		{Project(a, Weight(hill{}, gaussian)), 60},
		{ExpDot{LengthScale: 1.5}, 60},
		{Sum(ExpDot{LengthScale: 1.5}, gaussian), 80},
		{Project(one, Circle{}), 2},
		{Sum(Scale(2, Project(one, Circle{})), gaussian), 30},
		{Sum(FromMap(inner), gaussian), 50},
		{Sum(Scale(3, ARD(lengths, FromMap(inner))), gaussian), 50},
		{Sum(ArcCosine{Order: 1}, gaussian), 4*d + 90},
		{Select([]int{0}, Sum(Categories{N: 3}, gaussian)), 20},
	}
	if d <= 8 {
		kernels = append(kernels, struct {
			k   Kernel
			out int
		}{Polynomial{Degree: 3, Gamma: 1, Offset: 1}, 200}, struct {
			k   Kernel
			out int
		}{Sum(ARD(lengths, Polynomial{Degree: 2, Gamma: 1}), gaussian), 120})
	}
	for _, c := range kernels {
		name := fmt.Sprintf("d = %d: New(%v, %d)", d, c.k, c.out)
		all = append(all, derivativeCase{name, testkit.Must(testkit.New(c.k, d, c.out, NewSampler(3)))})
	}
	return all
})

func TestDerivativeSums(t *testing.T) {
	for _, d := range derivativeDims {
		if !testkit.Long() && d != 1 && d != 3 {
			continue // most of the time, for the same code
		}
		for i, c := range sumDerivatives(d) {
			if inTurn(i, d) {
				checkDerivative(t, c)
			}
		}
	}
}

// The other sides of exponentials have weights of the package's own.
func TestDerivativeOtherSides(t *testing.T) {
	for _, c := range []struct {
		k    Kernel
		side string
		x    *mat.Dense
	}{
		{Gaussian{LengthScale: 4}, "dot", testkit.ScaledNormals(2, 60, 3, 0.3)},
		{ExpDot{LengthScale: 1}, "stationary", testkit.ScaledNormals(2, 60, 8, 0.9)},
		{ExpDot{LengthScale: 2}, "centered", shifted(testkit.ScaledNormals(2, 60, 8, 0.1), 2)},
	} {

		p := testkit.Must(NewPlan(c.k, c.x, 64, nil))
		if chosen := strings.Split(p.String(), "\n")[2]; !strings.Contains(chosen, "weighted by an exponential") {
			t.Errorf("the plan has no other side: %s", chosen)
		}
		checkDerivative(t, derivativeCase{fmt.Sprintf("%v of %v", c.side, c.k), testkit.Must(p.Draw(NewSampler(1)))})
	}
}

// shifted adds v to all elements of x.
func shifted(x *mat.Dense, v float64) *mat.Dense {
	x.Apply(func(_, _ int, u float64) float64 { return u + v }, x)
	return x
}

// neuronsDerivatives are Neurons of all orders and designs.
var neuronsDerivatives = testkit.Once(func(d int) (all []derivativeCase) {
	lengths, a := testkit.F64s(d, func(i int) float64 { return 1 + float64(i%2) }), testkit.NormalPoints(9, 4, d)
	for order := range 3 {
		k := ArcCosine{Order: order}
		for _, design := range []Design{Independent, Orthogonal} {
			for _, k := range []Kernel{k, ARD(lengths, k), Project(a, k)} {
				for _, out := range []int{51, 60 + d*(d+1)} {
					m := testkit.Must(NewNeurons(k, d, out, NewSampler(2), &NeuronsOptions{Orthogonal: design == Orthogonal}))
					all = append(all, derivativeCase{fmt.Sprintf("d = %d: NewNeurons(%v, %d, %v)", d, k, out, design), m})
				}
			}
		}
	}
	return all
})

func TestDerivativeNeurons(t *testing.T) {
	for _, d := range derivativeDims {
		for i, c := range neuronsDerivatives(d) {
			if !inTurn(i, d) || d > 8 && strings.Contains(c.name, "4350") && !testkit.Long() {
				continue
			}
			checkDerivative(t, c)
		}
	}
}

// At 0 the derivatives of |t|, of a step and of max(t, 0) are 0.
func TestDerivativeKinks(t *testing.T) {
	for order := range 3 {
		m := testkit.Must(NewNeurons(ArcCosine{Order: order}, 3, 9, NewSampler(1), nil))
		var got mat.Dense
		testkit.Must(Derivative(m)).PullbackTo(&got, mat.NewDense(1, 3, nil), testkit.NormalPoints(1, 1, 9))
		for k, v := range got.RawRowView(0) {
			if v != 0 {
				t.Errorf("order %d: coordinate %d is %v at the origin", order, k, v)
			}
		}
	}
}

// maclaurinDerivatives are Maclaurin maps with all options.
var maclaurinDerivatives = testkit.Once(func(d int) (all []derivativeCase) {
	lengths, a := testkit.F64s(d, func(i int) float64 { return 1 + float64(i%2) }), testkit.NormalPoints(9, 2, d)
	var options []MaclaurinOptions
	for _, sketch := range []Sketch{RademacherSketch, GaussianSketch, TensorSRHT} {
		for _, complex := range []bool{false, true} {
			options = append(options, MaclaurinOptions{Sketch: sketch, Complex: complex},
				MaclaurinOptions{Sketch: sketch, Complex: complex, ExactDegree: 1})
		}
	}
	options = append(options, MaclaurinOptions{SumOfProducts: true}, MaclaurinOptions{SumOfProducts: true, Sketch: GaussianSketch})
	polynomial := Polynomial{Degree: 3, Gamma: 1, Offset: 1}
	for _, o := range options {
		kernels := []Kernel{polynomial, ARD(lengths, polynomial), Project(a, polynomial)}
		if !o.SumOfProducts {
			kernels = append(kernels, ExpDot{LengthScale: 1}, Dot(series.Geometric{Ratio: 0.1}))
		}
		for _, k := range kernels {
			m, err := NewMaclaurin(k, d, 180, NewSampler(2), &o)
			if err != nil { // the number of columns that are not exact is odd, and o.Complex
				m = testkit.Must(NewMaclaurin(k, d, 181, NewSampler(2), &o))
			}
			all = append(all, derivativeCase{fmt.Sprintf("d = %d: NewMaclaurin(%v, 180, %v)", d, k, o), m})
		}
	}
	if d == 65 { // with fast transforms
		for _, complex := range []bool{false, true} {
			o := MaclaurinOptions{Sketch: TensorSRHT, Complex: complex}
			m := testkit.Must(NewMaclaurin(polynomial, d, 600, NewSampler(2), &o))
			all = append(all, derivativeCase{fmt.Sprintf("d = %d: NewMaclaurin(%v, 600, %v)", d, polynomial, o), m})
		}
	}
	if d < 8 {
		m := testkit.Must(NewMaclaurin(ExpDot{LengthScale: 1}, d, 180, NewSampler(2), &MaclaurinOptions{ExactDegree: 3}))
		all = append(all, derivativeCase{fmt.Sprintf("d = %d: exact degrees", d), m})
	}
	return all
})

func TestDerivativeMaclaurin(t *testing.T) {
	for _, d := range derivativeDims {
		if !testkit.Long() && d != 1 && d != 3 {
			continue // some seconds; TestGoldenDerivative has their bits
		}
		for i, c := range maclaurinDerivatives(d) {
			if inTurn(i, d) {
				checkDerivative(t, c)
			}
		}
	}
}

// A DataDependent has a derivative if its base has one.
func TestDerivativeDataDependent(t *testing.T) {
	x := testkit.NormalPoints(1, 40, 3)
	base := testkit.Must(testkit.New(Sum(Gaussian{LengthScale: 1}, Linear{}), 3, 43, NewSampler(1)))
	for _, o := range []DataDependentOptions{{}, {Alpha: 1, Neighbors: 3}} {
		checkDerivative(t, derivativeCase{"DataDependent", testkit.Must(NewDataDependent(base, x, &o))})
		d, err := Derivative(testkit.Must(NewDataDependent(callersMap{base}, x, &o)))
		if err == nil || !strings.Contains(err.Error(), "base of a DataDependent: a featuremap_test.callersMap") && o.Alpha > 0 {
			t.Errorf("Derivative of a DataDependent without one: %v, %v", d, err)
		}
	}
}

// Parts without a derivative are named.
func TestDerivativeRefused(t *testing.T) {
	gaussian := Gaussian{LengthScale: 1}
	flat := WeightFunc(func(x []float64) float64 { return 1 + math.Abs(x[0]) })
	for _, c := range []struct {
		m    FeatureMap
		want []string
	}{
		{testkit.Must(testkit.New(Compose(series.ReLUDual{}, Product(gaussian, ArcCosine{Order: 1})), 3, 20, NewSampler(1))), []string{"Compositional"}},
		{testkit.Must(testkit.New(Weight(flat, gaussian), 3, 20, NewSampler(1))), []string{"WeightFunc", "WeightGradienter"}},
		{testkit.Must(testkit.New(Sum(gaussian, Weight(flat, gaussian)), 3, 20, NewSampler(1))), []string{"WeightFunc", "WeightGradienter"}},
		{testkit.Must(testkit.New(Sum(FromMap(callersMap{testkit.Must(NewFourier(gaussian, 3, 4, NewSampler(1), nil))}), gaussian), 3, 20, NewSampler(1))),
			[]string{"FromMap"}},
	} {
		d, err := Derivative(c.m)
		if err == nil || d != nil {
			t.Errorf("%v has a derivative", c.m)
			continue
		}
		for _, want := range c.want {
			if !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: should name %s", err, want)
			}
		}
		t.Log(err)
	}
}
