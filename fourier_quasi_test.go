// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Stratified radii and Sobol frequencies.

var quasiOptions = []FourierOptions{
	{Design: Orthogonal, Stratified: true},
	{Design: Orthogonal, RandomPhase: true, Stratified: true},
	{Design: Structured, Stratified: true},
	{Design: Sobol},
	{Design: Sobol, RandomPhase: true},
}

// callersRadial is a caller's kernel, of whose law nothing is known.
type callersRadial struct{ Radial }

// eye returns the identity.
func eye(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// turn returns a reflection of R^n at the plane across (1, 2, … n).
func turn(n int) *mat.Dense {
	m, square := eye(n), float64(n*(n+1)*(2*n+1))/6
	for i := range n {
		for j := range n {
			m.Set(i, j, m.At(i, j)-2*float64((i+1)*(j+1))/square)
		}
	}
	return m
}

// The kernels of which the law is known, with a product only one of whose factors is radial.
var quasiKernels = []struct {
	name   string
	kernel Kernel
	radial bool
}{
	{"Gaussian", Gaussian{LengthScale: 1.3}, true},
	{"Matern", Matern{Nu: 1.5, LengthScale: 1}, true},
	{"RationalQuadratic", RationalQuadratic{Alpha: 0.7, LengthScale: 1}, true},
	{"sum", Sum(Gaussian{LengthScale: 1}, Scale(0.5, Matern{Nu: 2.5, LengthScale: 2})), true},
	{"product", Product(Gaussian{LengthScale: 2}, Laplacian{LengthScale: 3}), false},
}

// The maps pass the conformance suite: its statistics test that means are unbiased. Their variances are tested below.
func TestQuasiFourier(t *testing.T) {
	for _, c := range quasiKernels {
		for _, o := range quasiOptions {
			if !c.radial && o.Design != Sobol || (c.name != "Gaussian" || o.Design == Structured) && !testkit.Long() {
				continue
			}
			t.Run(c.name+"/"+optionsName(o), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New:             func(in, out int, s *Sampler) (FeatureMap, error) { return NewFourier(c.kernel, in, out, s, &o) },
					Dims:            []int{1, 3},
					Out:             func(d int) int { return 4*d - 2 },
					Pairs:           func(d int) []testkit.Pair { return testkit.Pairs(d, 1.7) },
					InexactVariance: o.Design == Sobol, // an estimate
					RareTails:       true,
				})
			})
		}
	}
}

// The mean of the estimates of many maps is the kernel, and for stratified radii the mean of their squared errors is Variance,
// both to five standard errors. Of Sobol frequencies Variance is a mean over 16 scrambles, for which the limits are those of χ² with 16
// degrees of freedom at 1e-5: from a seventh to 3.5 times.
func TestQuasiVariance(t *testing.T) {
	t.Parallel()
	maps := testkit.Times(200, 200, 1000)
	for i, c := range quasiKernels {
		for _, o := range append(quasiOptions, FourierOptions{Design: Sobol, Axes: turn(3)}) {
			dim := 3
			if o.Design == Structured {
				dim = 65
			}
			if !c.radial && o.Design != Sobol || dim == 65 && c.name != "Gaussian" && !testkit.Long() {
				continue
			}
			for _, out := range []int{2, 16, 66} {
				if c.name != "Gaussian" && out != []int{2, 16}[i%2] && !testkit.Long() {
					continue
				}
				first := testkit.Must(NewFourier(c.kernel, dim, out, NewSampler(1), &o))
				x, y := make([]float64, dim), make([]float64, dim)
				x[0], x[1], y[2] = 0.9, -0.5, 0.8
				e1, e2, e4 := testkit.ErrorMoments(c.kernel, maps, testkit.Redraws(first), x, y)
				n, want := float64(maps), first.Variance(x, y)
				if z := e1 / math.Sqrt(e2/n); !(math.Abs(z) <= 5) {
					t.Errorf("%s/%s, %d columns: mean error %v, z = %.1f", c.name, optionsName(o), out, e1, z)
				}
				if o.Design == Sobol {
					if !(e2 > want/3.5 && e2 < 7*want) {
						t.Errorf("%s/%s, %d columns: variance %v, predicted %v", c.name, optionsName(o), out, e2, want)
					}
					continue
				}
				if z := (e2 - want) / math.Sqrt((e4-e2*e2)/n); !(math.Abs(z) <= 5) {
					t.Errorf("%s/%s, %d columns: variance %v, predicted %v, z = %.1f", c.name, optionsName(o), out, e2, want, z)
				}
			}
		}
	}
}

// Stratified radii and Sobol frequencies have less variance than orthogonal ones at a difference of which the
// first coordinates are the largest.
func TestQuasiGain(t *testing.T) {
	const d, out = 8, 1024
	k := Gaussian{LengthScale: 4}
	x, y := make([]float64, d), make([]float64, d)
	for i := range d {
		x[i] = 4 / math.Pow(2, float64(i)) // so that the first coordinates matter most
	}
	plain := testkit.Must(NewFourier(k, d, out, NewSampler(1), &FourierOptions{Design: Orthogonal})).Variance(x, y)
	for _, c := range []struct {
		o    FourierOptions
		most float64
	}{{FourierOptions{Design: Orthogonal, Stratified: true}, 0.85}, {FourierOptions{Design: Sobol}, 0.3}} {
		if v := testkit.Must(NewFourier(k, d, out, NewSampler(1), &c.o)).Variance(x, y); !(v > 0 && v <= c.most*plain) {
			t.Errorf("%v: %v of the variance of orthogonal frequencies, want at most %v", c.o, v/plain, c.most)
		}
	}
}

// Axes are copied, and printed with the options.
func TestAxesCopied(t *testing.T) {
	axes, k := turn(3), Gaussian{LengthScale: 1}
	o := FourierOptions{Design: Sobol, Axes: axes}
	p := testkit.Must(PlanOf(testkit.Must(NewFourier(k, 3, 32, NewSampler(1), &o))))
	draw := func(p *Plan) *mat.Dense { return testkit.Must(p.Draw(NewSampler(1))).(*Fourier).Frequencies() }
	want := mat.DenseCopyOf(draw(p))
	axes.Zero()
	if !mat.Equal(draw(p), want) {
		t.Error("a change of Axes changes the plan")
	}
	if s := (FourierOptions{Design: Sobol, Axes: eye(1)}).String(); !strings.Contains(s, "Axes: ") || strings.Contains(s, "Stratified") {
		t.Errorf("options print as %s", s)
	}
	other := testkit.Must(PlanOf(testkit.Must(NewFourier(k, 3, 32, NewSampler(1), &FourierOptions{Design: Sobol}))))
	if mat.Equal(draw(other), want) {
		t.Error("Axes change nothing")
	}
}
