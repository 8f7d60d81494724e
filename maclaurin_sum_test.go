// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// sumOptions are the options with which a feature is a sum of products.
func sumOptions() (all []MaclaurinOptions) {
	for _, sketch := range []Sketch{RademacherSketch, GaussianSketch} {
		for degree := range 3 {
			all = append(all, MaclaurinOptions{SumOfProducts: true, Sketch: sketch, ExactDegree: degree})
		}
	}
	return all
}

// Maps of sums of products pass the conformance suite of maps.
func TestSumOfProducts(t *testing.T) {
	for i, c := range []struct {
		name   string
		kernel Kernel
	}{
		{"Polynomial", Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}},
		{"HomogeneousPolynomial", Polynomial{Degree: 3, Gamma: 1}},
		{"gaps", Dot(power.Sum{F: series.HermiteDual{N: 1}, G: series.HermiteDual{N: 4}})},
	} {
		for j, o := range sumOptions() {
			dims := []int{1, 3, 2}
			if !testkit.Long() {
				dims = dims[(i+j)%2:][:1]
			}
			for _, d := range dims {
				t.Run(fmt.Sprintf("%s/%v/%d/%d", c.name, o.Sketch, o.ExactDegree, d), func(t *testing.T) {
					exact := 0
					if o.ExactDegree > 0 {
						m, err := ExactDegreesOf(SeriesOf(c.kernel), d, o.ExactDegree, nil)
						if err != nil {
							t.Fatal(err)
						}
						_, exact = m.Dims()
					}
					testkit.Map(t, testkit.MapCase{
						New: func(in, out int, s *Sampler) (FeatureMap, error) {
							return NewMaclaurin(c.kernel, in, out, s, &o)
						},
						Dims:       []int{d},
						Out:        func(int) int { return exact + 13 },
						Pairs:      func(d int) []testkit.Pair { return inBall(d, 0.8) },
						HeavyTails: o.Sketch == GaussianSketch || o.ExactDegree == 2,
						RareTails:  true,
						Cancels:    true,
						Reads:      exactReads(d, exact),
					})
				})
			}
		}
	}
}

// The variance of one feature against the enumeration of all of them. Normal coordinates have the moments
// up to the fifth of 0 and ±√3, with probabilities ⅔ and ⅙; a feature has four of a vector.
func TestSumOfProductsByEnumeration(t *testing.T) {
	s := NewSampler(9)
	for _, c := range []struct {
		sketch         Sketch
		values, chance []float64
		d              int
		a              series.Coefficients
	}{
		{RademacherSketch, []float64{-1, 1}, []float64{0.5, 0.5}, 2, series.Coefficients{0.7, 0.4, 0.9, 0.3}},
		{RademacherSketch, []float64{-1, 1}, []float64{0.5, 0.5}, 1, series.Coefficients{0, 2, 0, 0.3, 0.1}},
		{RademacherSketch, []float64{-1, 1}, []float64{0.5, 0.5}, 3, series.Coefficients{3, 1, 2}},
		{GaussianSketch, []float64{-math.Sqrt(3), 0, math.Sqrt(3)}, []float64{1. / 6, 2. / 3, 1. / 6}, 2, series.Coefficients{0.7, 0.4, 0.9}},
	} {
		x, y := make([]float64, c.d), make([]float64, c.d)
		s.FillNormal(x)
		s.FillNormal(y)
		for from := range len(c.a) {
			var mean, square float64
			vectors := len(c.a) * (len(c.a) - 1) / 2
			w := make([]float64, vectors*c.d)
			var walk func(i int, chance float64)
			walk = func(i int, chance float64) {
				if i < len(w) {
					for k, v := range c.values {
						w[i] = v
						walk(i+1, chance*c.chance[k])
					}
					return
				}
				var fx, fy float64
				rest := w
				for n, a := range c.a {
					px, py := math.Sqrt(a), math.Sqrt(a)
					for range n {
						px, py = px*testkit.DotOf(x, rest[:c.d]), py*testkit.DotOf(y, rest[:c.d])
						rest = rest[c.d:]
					}
					if n >= from {
						fx, fy = fx+px, fy+py
					}
				}
				mean += chance * fx * fy
				square += chance * fx * fy * fx * fy
			}
			walk(0, 1)
			k := Dot(c.a)
			exact := 0
			for n := range from {
				if c.a[n] > 0 {
					exact += len(monomials(c.d, n))
				}
			}
			m, err := NewMaclaurinFrom(k, c.d, exact+1, from, NewSampler(1), MaclaurinOptions{SumOfProducts: true, Sketch: c.sketch})
			if err != nil {
				t.Fatal(err)
			}
			want := square - mean*mean
			if got := m.Variance(x, y); !(math.Abs(got-want) <= 1e-11*(square+1)) {
				t.Errorf("%v, %v, degrees from %d, d = %d: variance %v, by enumeration %v", c.sketch, c.a, from, c.d, got, want)
			}
		}
	}
}

// The estimate has the predicted mean and variance.
func TestSumOfProductsVariance(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	maps := testkit.Times(400, 400, 5000)
	x, y := []float64{0.5, -0.4, 0.6}, []float64{0.6, 0.3, 0.4}
	for i, k := range []Polynomial{{Degree: 3, Gamma: 1, Offset: 0.5}, {Degree: 6, Gamma: 0.5, Offset: 1}} {
		for j, o := range sumOptions() {
			if (i+j)%2 == 1 && !testkit.Long() {
				continue
			}
			zScores(t, fmt.Sprintf("%+v, %+v", k, o), k, testkit.Must(NewMaclaurin(k, 3, 30, NewSampler(0), &o)), maps, x, y)
		}
	}
}

// If a term is tiny relative to the others, the variance is still right.
func TestSumOfProductsSmallTerms(t *testing.T) {
	const a, r = 1e-12, 0.01
	m := testkit.Must(NewMaclaurin(Dot(series.Coefficients{1, a}), 2, 1, NewSampler(1), &MaclaurinOptions{SumOfProducts: true}))
	x, y := []float64{r, 0}, []float64{0, r}
	// √1 + √a·w·x at x and y: a(‖x‖² + ‖y‖² + 2t) and a²(μ₁ − t²).
	want := a*2*r*r + a*a*r*r*r*r
	if got := m.Variance(x, y); !(math.Abs(got/want-1) <= 1e-12) {
		t.Errorf("variance %v, want %v", got, want)
	}
}

// NewMaclaurin refuses SumOfProducts of series that are no polynomials, and with the options that it excludes.
func TestSumOfProductsRefuses(t *testing.T) {
	t.Parallel()
	p := Polynomial{Degree: 3, Gamma: 1, Offset: 1}
	for _, c := range []struct {
		k       Kernel
		in, out int
		o       MaclaurinOptions
		want    string
	}{
		{p, 2, 8, MaclaurinOptions{Law: series.OptimalLaw{}}, "SumOfProducts with Law = series.OptimalLaw"},
		{p, 2, 8, MaclaurinOptions{Complex: true}, "SumOfProducts with Complex"},
		{p, 2, 8, MaclaurinOptions{Sketch: TensorSRHT}, "SumOfProducts with Sketch = TensorSRHT"},
		{ExpDot{LengthScale: 1}, 2, 8, MaclaurinOptions{}, "must be a polynomial"},
		{Dot(notPSD{1}), 2, 8, MaclaurinOptions{}, "must be a polynomial"}, // it does not say so
		{Polynomial{Degree: 1 << 15, Gamma: 1e-9, Offset: 1}, 2, 8, MaclaurinOptions{}, "degree 32768"},
		{p, 2, 30, MaclaurinOptions{ExactDegree: 3}, "no degree from 4 on"},
		{p, 2, 6, MaclaurinOptions{ExactDegree: 2}, "ExactDegree = 2 takes 6 columns"},
		{Dot(series.Coefficients{1, math.Inf(1)}), 2, 8, MaclaurinOptions{}, "+Inf"},
		{Dot(series.Coefficients{0, 0}), 2, 8, MaclaurinOptions{}, "no degree from 0 on"},
		{Polynomial{Degree: 1 << 14, Gamma: 1e-4, Offset: 1}, 1000, 1 << 20, MaclaurinOptions{}, "1048576 features"},
	} {
		c.o.SumOfProducts = true
		s := NewSampler(1)
		_, err := NewMaclaurin(c.k, c.in, c.out, s, &c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %+v: error %v, want one with %q", c.k, c.o, err, c.want)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%v: the sampler was used", err)
		}
	}
}

// Sums of products of a constant alone, which is exact, of one degree alone, which is a product sketch, and of a degree of hundreds.
func TestSumOfProductsExtremes(t *testing.T) {
	x, y := []float64{0.6, 0.3}, []float64{0.5, -0.2}
	o := MaclaurinOptions{SumOfProducts: true}
	m := testkit.Must(NewMaclaurin(Dot(series.Coefficients{3}), 2, 5, NewSampler(1), &o))
	if got := testkit.DotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)); !(math.Abs(got-3) <= 1e-15) || m.Variance(x, y) != 0 {
		t.Errorf("a constant 3: estimate %v, variance %v", got, m.Variance(x, y))
	}
	power := Dot(series.Coefficients{0, 0, 0, 1})
	m = testkit.Must(NewMaclaurin(power, 2, 5, NewSampler(1), &o))
	want := testkit.Must(NewMaclaurin(power, 2, 5, NewSampler(1), nil)).Variance(x, y)
	if got := m.Variance(x, y); !(math.Abs(got/want-1) <= 1e-12) {
		t.Errorf("a power: variance %v, want that of a product sketch, %v", got, want)
	}
	for _, n := range m.Degrees() {
		if n != 3 {
			t.Errorf("degrees %v of t³", m.Degrees())
		}
	}
	m = testkit.Must(NewMaclaurin(Polynomial{Degree: 300, Gamma: 1e-3, Offset: 1}, 2, 4, NewSampler(1), &o))
	if v := m.Variance(x, y); !(v > 0 && v < 1) || math.IsNaN(m.TransformVec(nil, x)[0]) {
		t.Errorf("degree 300: variance %v, features %v", v, m.TransformVec(nil, x))
	}
}
