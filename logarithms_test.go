// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// logarithmScales are scales of d coordinates, of which each third is taken as it is.
func logarithmScales(d int) []float64 {
	return testkit.F64s(d, func(i int) float64 { return 0.3 * float64((i+1)%3) })
}

func TestLogarithms(t *testing.T) {
	g := Gaussian{LengthScale: 1.5}
	testkit.Map(t, testkit.MapCase{
		New: func(in, out int, s *Sampler) (FeatureMap, error) {
			base, err := NewFourier(g, in, out, s, nil)
			if err != nil {
				return nil, err
			}
			return NewLogarithms(base, logarithmScales(in))
		},
		Dims:   []int{1, 2, 3, 17},
		Out:    func(int) int { return 20 },
		Pairs:  func(d int) []testkit.Pair { return testkit.Pairs(d, 1) },
		NoPlan: true,
	})
}

// The features are those of the base at logarithms by package math, and so is the kernel.
func TestLogarithmsOfPoints(t *testing.T) {
	const d = 5
	base := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, d, 12, NewSampler(1), nil))
	scales := []float64{0, 1, 1e-3, 40, 2}
	m := testkit.Must(NewLogarithms(base, scales))
	x := testkit.NormalPoints(3, 700, d)
	for i := range 700 {
		x.Set(i, 2, math.Exp(5*x.At(i, 2)))
	}
	var images, want, got mat.Dense
	LogarithmsTo(&images, x, scales)
	base.TransformTo(&want, &images)
	m.TransformTo(&got, x)
	if !mat.Equal(&got, &want) {
		t.Error("the features are not those of the base at LogarithmsTo")
	}
	for i := range 700 {
		for j, c := range scales {
			v := x.At(i, j)
			if c != 0 {
				v = math.Copysign(c*math.Log1p(math.Abs(v)/c), v)
			}
			if s := images.At(i, j); math.Abs(s-v) > 1e-14*math.Abs(v) {
				t.Fatalf("the logarithm of %v at scale %v is %v, want %v", x.At(i, j), c, s, v)
			}
		}
	}
	a, b := x.RawRowView(0), x.RawRowView(1)
	if k := m.Kernel().Eval(a, b); k != base.Kernel().Eval(images.RawRowView(0), images.RawRowView(1)) {
		t.Errorf("the kernel has %v at points, and that of the base another value at their logarithms", k)
	}
	in := mat.DenseCopyOf(x)
	LogarithmsTo(in, in, scales)
	if !mat.Equal(in, &images) {
		t.Error("in place LogarithmsTo is another function")
	}
	if m.Base() != FeatureMap(base) || fmt.Sprint(m.Scales()) != fmt.Sprint(scales) || !strings.Contains(m.String(), "logarithms of 4 of 5 coordinates") {
		t.Errorf("Base, Scales or String: %v", m)
	}
	if v := testkit.Must(NewLogarithms(callersMap{base}, scales)).Variance(a, b); !math.IsNaN(v) {
		t.Errorf("the variance over a map that knows none is %v", v)
	}
}

// Numbers at the ends of the range have logarithms, which are monotone and odd.
func TestLogarithmsOfExtremes(t *testing.T) {
	points := []float64{0, 5e-324, 1e-300, 1e-20, 1, 1e20, 1e300, math.MaxFloat64, math.Inf(1)}
	for _, c := range []float64{1e-100, 1e-3, 1, 1e100} {
		last := -1.0
		for _, v := range points {
			both := mat.NewDense(2, 1, []float64{v, -v})
			LogarithmsTo(both, both, []float64{c})
			s := both.At(0, 0)
			if s <= last && v > 5e-324 || math.IsInf(s, 0) != math.IsInf(v, 0) || both.At(1, 0) != -s || s > v {
				t.Errorf("scale %v: the logarithm of %v is %v, of its negative %v, of the one before %v", c, v, s, both.At(1, 0), last)
			}
			last = s
		}
	}
}

func TestDerivativeLogarithms(t *testing.T) {
	base := testkit.Must(testkit.New(Sum(Gaussian{LengthScale: 1}, Linear{}), 3, 43, NewSampler(1)))
	for _, scales := range [][]float64{{0, 0, 0}, {0.5, 0, 3}} {
		m := testkit.Must(NewLogarithms(base, scales))
		checkDerivative(t, derivativeCase{"Logarithms", m})
		checkDerivative(t, derivativeCase{"Logarithms twice", testkit.Must(NewLogarithms(m, []float64{1, 1, 0}))})
	}
	if d, err := Derivative(testkit.Must(NewLogarithms(callersMap{base}, []float64{1, 1, 1}))); err == nil || !strings.Contains(err.Error(), "base of a Logarithms: a featuremap_test.callersMap") {
		t.Errorf("Derivative of a Logarithms without one: %v, %v", d, err)
	}
}

// Of landmarks there are raw features, and what they leave of the kernel, as of the base at logarithms; of other features neither.
func TestLogarithmsOfLandmarks(t *testing.T) {
	x, scales := testkit.NormalPoints(1, 40, 3), []float64{0.5, 0, 3}
	images := new(mat.Dense)
	LogarithmsTo(images, x, scales)
	g := Sum(Gaussian{LengthScale: 1}, Linear{})
	base := testkit.Must(NewNystrom(g, images, 12, NewSampler(1), nil))
	m := testkit.Must(NewLogarithms(base, scales))
	raw, u := m.Raw()
	baseRaw, baseU := base.Raw()
	var got, want mat.Dense
	raw.TransformTo(&got, x)
	baseRaw.TransformTo(&want, images)
	if !mat.Equal(&got, &want) || !mat.Equal(u, baseU) {
		t.Error("raw features differ from those of the base")
	}
	checkDerivative(t, derivativeCase{"raw features", raw})
	a, b, c, d := make([]float64, 40), make([]float64, 40), make([]float64, 40), make([]float64, 40)
	m.DiagonalTo(a, x)
	base.DiagonalTo(b, images)
	m.RemainderTo(c, x, nil)
	base.RemainderTo(d, images, nil)
	if !slices.Equal(a, b) || !slices.Equal(c, d) || c[0] == 0 {
		t.Error("DiagonalTo or RemainderTo differ from those of the base")
	}
	other := testkit.Must(NewLogarithms(testkit.Must(testkit.New(g, 3, 43, NewSampler(1))), scales))
	if raw, u := other.Raw(); raw != nil || u != nil {
		t.Error("random features have raw ones")
	}
	rest, diagonal := make([]float64, 40), make([]float64, 40)
	other.RemainderTo(rest, x, nil)
	other.DiagonalTo(diagonal, x)
	for i := range rest {
		if rest[i] != 0 || diagonal[i] != other.Kernel().Eval(x.RawRowView(i), x.RawRowView(i)) {
			t.Fatalf("row %d of random features leaves %v of %v", i, rest[i], diagonal[i])
		}
	}
	callers := testkit.Must(NewLogarithms(embeddedLandmarks{testkit.Must(NewNystrom(g, images, 12, NewSampler(1), nil))}, scales))
	if raw, _ := callers.Raw(); raw != nil {
		t.Error("a type that embeds a Nystrom has its raw features")
	}
}

// embeddedLandmarks is a type with all methods of a Nystrom.
type embeddedLandmarks struct{ *Nystrom }

func TestLogarithmsRefused(t *testing.T) {
	base := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 2, 4, NewSampler(1), nil))
	for want, err := range map[string]error{
		"base = nil":                      testkit.Second(NewLogarithms(nil, nil)),
		"zero value":                      testkit.Second(NewLogarithms(new(Fourier), nil)),
		"1 scales: base takes 2":          testkit.Second(NewLogarithms(base, []float64{1})),
		"scales[1] = -1":                  testkit.Second(NewLogarithms(base, []float64{0, -1})),
		"scales[0] = NaN":                 testkit.Second(NewLogarithms(base, []float64{math.NaN(), 1})),
		"scales[0] = +Inf":                testkit.Second(NewLogarithms(base, []float64{math.Inf(1), 1})),
		"must be 0 or from 1e-100":        testkit.Second(NewLogarithms(base, []float64{1e-101, 1})),
		"noKernel has Kernel = nil":       testkit.Second(NewLogarithms(noKernel{base}, []float64{1, 1})),
		"was drawn from no plan":          testkit.Second(PlanOf(testkit.Must(NewLogarithms(base, []float64{1, 1})))),
		"cannot be saved":                 testkit.Second(MarshalKernel(testkit.Must(NewLogarithms(base, []float64{1, 1})).Kernel())),
		"a featuremap_test.callersMap ca": Encode(io.Discard, testkit.Must(NewLogarithms(callersMap{base}, []float64{1, 1}))),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	for name, f := range map[string]func(){
		"Eval":                func() { testkit.Must(NewLogarithms(base, []float64{1, 1})).Kernel().Eval([]float64{1}, []float64{1}) },
		"Variance":            func() { testkit.Must(NewLogarithms(base, []float64{1, 1})).Variance([]float64{1, 2}, []float64{1}) },
		"LogarithmsTo":        func() { LogarithmsTo(new(mat.Dense), mat.NewDense(1, 2, nil), []float64{1}) },
		"LogarithmsTo in dst": func() { LogarithmsTo(mat.NewDense(1, 1, nil), mat.NewDense(1, 2, nil), []float64{1, 1}) },
	} {
		func() {
			defer func() {
				if p := recover(); p != mat.ErrShape {
					t.Errorf("%s: panic %v, want %v", name, p, mat.ErrShape)
				}
			}()
			f()
		}()
	}
}
