// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

var degreeLaws = []struct {
	name string
	law  series.Law
}{
	{"default", nil},
	{"Geometric3", series.GeometricLaw{P: 3}},
	{"Optimal", series.OptimalLaw{Norm: 0.7}},
}

// Laws that leave degrees out are biased by what Bias says.
func TestMaclaurinBias(t *testing.T) {
	t.Parallel()
	maps := testkit.Times(1000, 1000, 10_000)
	x, y := []float64{0.8, 0.3}, []float64{0.7, 0.5}
	k := ExpDot{LengthScale: 1}
	tt := testkit.DotOf(x, y)
	exp := func(n int) float64 { // the Taylor polynomial
		sum, term := 0.0, 1.0
		for i := range n + 1 {
			sum += term
			term *= tt / float64(i+1)
		}
		return sum
	}
	for _, c := range []struct {
		law   series.Law
		exact int
		want  float64
	}{
		{nil, 0, 0},
		{series.OptimalLaw{}, 1, 0},
		{series.TruncatedLaw{Degree: 2}, 0, exp(2) - math.Exp(tt)},
		{series.TruncatedLaw{Law: series.OptimalLaw{}, Degree: 3}, 1, exp(3) - math.Exp(tt)},
		// Σ_{n>3} 1/n! = e − 8/3 = 0.0516, and 0.2183 from n = 3 on.
		{series.TruncatedLaw{Error: 0.1, Norm: 1}, 0, exp(3) - math.Exp(tt)},
		{series.TruncatedLaw{Error: 0.0516, Norm: 1}, 0, exp(4) - math.Exp(tt)},
		{series.TruncatedLaw{Degrees: []int{3, 0}}, 0, 1 + tt*tt*tt/6 - math.Exp(tt)},
		{series.TruncatedLaw{Degrees: []int{2, 0}}, 1, exp(2) - math.Exp(tt)},
		{everyOther{}, 0, math.Cosh(tt) - math.Exp(tt)},
	} {
		o := MaclaurinOptions{Law: c.law, ExactDegree: c.exact}
		m := testkit.Must(NewMaclaurin(k, 2, 16, NewSampler(0), &o))
		sum, square, _ := testkit.ErrorMoments(k, maps, testkit.Redraws(m), x, y)
		bias := m.Bias(x, y)
		if !(math.Abs(bias-c.want) <= 1e-13) {
			t.Errorf("%v, ExactDegree %d: Bias = %v, want %v", c.law, c.exact, bias, c.want)
		}
		if z := (sum - bias) / math.Sqrt(m.Variance(x, y)/float64(maps)); !(math.Abs(z) <= 4) {
			t.Errorf("%v, ExactDegree %d: measured bias %v, want %v, z = %.1f", c.law, c.exact, sum, bias, z)
		}
		if v := square - sum*sum; !(math.Abs(v/m.Variance(x, y)-1) <= 0.2) {
			t.Errorf("%v, ExactDegree %d: measured variance %v, want %v", c.law, c.exact, v, m.Variance(x, y))
		}
	}
}

// everyOther is a caller's law, on even degrees: 2^{−n/2−1}.
type everyOther struct{}

func (everyOther) Prob(_ series.Series, n int) float64 {
	if n%2 == 1 {
		return 0
	}
	return math.Ldexp(1, -n/2-1)
}

// Prob of the package's laws, the plain definition, is the probability with which maps draw degrees: to the rounding of sums
// of some hundred terms, and of powers of as many factors.
func TestProbIsDrawn(t *testing.T) {
	t.Parallel()
	laws := []series.Law{
		series.GeometricLaw{}, series.GeometricLaw{P: 1.1}, &series.OptimalLaw{Norm: 0.7}, series.TruncatedLaw{Degree: 3}, series.TruncatedLaw{Law: series.OptimalLaw{Norm: 0.6}, Error: 1e-3, Norm: 0.8},
		series.TruncatedLaw{Law: series.TruncatedLaw{Degree: 5}, Degrees: []int{0, 1, 2, 3, 4, 4, 9}}, series.TruncatedLaw{Law: everyOther{}, Degree: 6},
		series.GeometricLaw{P: 1}, series.OptimalLaw{Norm: -1}, series.TruncatedLaw{Degrees: []int{}},
	}
	all := []series.Series{series.Exp{Rate: 2}, series.Geometric{Ratio: 0.5}, series.ReLUDual{}, series.SineDual{Rate: 3}, series.HermiteDual{N: 2}, series.Coefficients{1, 0, 2}}
	for _, k := range dotKernels {
		all = append(all, SeriesOf(k.kernel))
	}
	for _, f := range all {
		for _, l := range laws {
			for n := -1; n < 60; n++ {
				p, want := l.Prob(f, n), DrawnProbability(l, f, n)
				if same := math.IsNaN(p) && math.IsNaN(want) || math.Abs(p-want) <= 1e-13*(1+want); !same {
					t.Fatalf("%#v of %#v: Prob(%d) = %v, drawn with %v", l, f, n, p, want)
				}
			}
		}
	}
}

// Laws sum to 1 over the degrees of the series, and degrees are drawn from them.
func TestDegreeLaws(t *testing.T) {
	t.Parallel()
	for _, k := range dotKernels {
		f := SeriesOf(k.kernel)
		for _, law := range []series.Law{series.GeometricLaw{}, series.GeometricLaw{P: 1.5}, series.OptimalLaw{Norm: 0.7}, series.TruncatedLaw{Degree: 2}} {
			var sum float64
			for n := range 400 {
				p := law.Prob(f, n)
				if !(p >= 0) || f.Coeff(n) == 0 && p != 0 {
					t.Fatalf("%T for %s: Prob(%d) = %v", law, k.name, n, p)
				}
				sum += p
			}
			if !(math.Abs(sum-1) <= 1e-12) {
				t.Errorf("%T for %s: probabilities sum to %v", law, k.name, sum)
			}
			m, err := NewMaclaurin(k.kernel, 1, 20_000, NewSampler(3), &MaclaurinOptions{Law: law})
			if err != nil {
				t.Fatal(err)
			}
			counts := map[int]float64{}
			for _, n := range m.Degrees() {
				counts[n]++
			}
			for n := range 12 {
				p := law.Prob(f, n)
				sd := math.Sqrt(20_000 * p * (1 - p))
				if !(math.Abs(counts[n]-20_000*p) <= 4.5*sd) {
					t.Errorf("%T for %s: degree %d drawn %v times, want %v ± %v", law, k.name, n, counts[n], 20_000*p, sd)
				}
			}
		}
	}
	// The Poisson distribution of mean √2 (FORMULAS of the optimal law).
	if got, want := (series.OptimalLaw{}).Prob(series.Exp{Rate: 1}, 3), math.Exp(-math.Sqrt2)*math.Pow(math.Sqrt2, 3)/6; !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("OptimalLaw of exp: %v, want %v", got, want)
	}
	// Where Kar and Karnick's probabilities sum to 1/2: normalized (p − 1)/p^{n+1}.
	if got, want := (series.GeometricLaw{P: 3}).Prob(series.Exp{Rate: 1}, 2), 2.0/27; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("GeometricLaw{3}: %v, want %v", got, want)
	}
}

// Gaps between degrees, of a series, of a law.
func TestMaclaurinGaps(t *testing.T) {
	t.Parallel()
	x := []float64{1, 0}
	for name, c := range map[string]struct {
		k   Kernel
		law series.Law
	}{
		"composed":   {Compose(series.Exp{Rate: 1}, Polynomial{Degree: 300, Gamma: 1}), series.OptimalLaw{Norm: math.Pow(2, -0.25)}},
		"polynomial": {Sum(Dot(series.Coefficients{1}), Dot(series.HermiteDual{N: 300})), series.OptimalLaw{Norm: math.Pow(2, -0.25)}},
		"law":        {Sum(Dot(series.Coefficients{1}), Dot(series.HermiteDual{N: 300})), series.TruncatedLaw{Law: series.OptimalLaw{Norm: math.Pow(2, -0.25)}, Degrees: []int{300, 0}}},
	} {
		m, err := NewMaclaurin(c.k, 2, 1000, NewSampler(1), &MaclaurinOptions{Law: c.law})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		z := m.TransformVec(nil, x)
		if e := testkit.DotOf(z, z) - c.k.Eval(x, x); !(math.Abs(e) <= 5*math.Sqrt(m.Variance(x, x))+1e-9) || m.Degrees()[999] < 300 || m.Bias(x, x) > 1e-9 {
			t.Errorf("%s: error %v, Variance %v, Bias %v, highest degree %d", name, e, m.Variance(x, x), m.Bias(x, x), m.Degrees()[999])
		}
	}
}

// embedded is a caller's law, although it embeds one of the package.
type embedded struct{ series.GeometricLaw }

func (embedded) Prob(_ series.Series, n int) float64 {
	if n == 3 {
		return 1
	}
	return 0
}
