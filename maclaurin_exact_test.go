// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// monomials returns the exponents of the monomials of degree n of d coordinates, in the order of columns:
// by the highest coordinate, and then as those of degree n − 1 that it multiplies.
func monomials(d, n int) (all [][]int) {
	if n == 0 {
		return [][]int{make([]int, d)}
	}
	for k := range d {
		for _, m := range monomials(k+1, n-1) {
			m = append(m, make([]int, d-k-1)...)
			m[k]++
			all = append(all, m)
		}
	}
	return all
}

// Exact columns are √(aₙ·n!/∏αᵢ!)·∏xᵢ^αᵢ, in this order, also behind a Project.
func TestExactDegrees(t *testing.T) {
	t.Parallel()
	s := NewSampler(3)
	for _, f := range []series.Series{
		series.Coefficients{2, 3, 0, 0.5, 0.25, 0}, series.Coefficients{0, 0, 7}, series.Coefficients{1, 0, 0, 0, 0, 1},
		series.Exp{Rate: 0.7}, series.Geometric{Ratio: 0.5}, series.SineDual{Rate: 1}, series.ReLUDual{},
	} {
		for _, d := range []int{1, 2, 3, 5} {
			for last := range 6 {
				a := mat.NewDense(d, 4, nil)
				s.FillNormal(a.RawMatrix().Data)
				x := make([]float64, 4)
				s.FillNormal(x)
				var image mat.VecDense
				image.MulVec(a, mat.NewVecDense(4, x))
				m, err := ExactDegreesOf(f, 4, last, a)
				if err != nil {
					t.Fatal(err)
				}
				var want []float64
				for n := range last + 1 {
					for _, alpha := range monomials(d, n) {
						v := f.Coeff(n) * math.Gamma(float64(n+1))
						power := 1.0
						for i, e := range alpha {
							v /= math.Gamma(float64(e + 1))
							power *= math.Pow(image.AtVec(i), float64(e))
						}
						if f.Coeff(n) > 0 {
							want = append(want, math.Sqrt(v)*power)
						}
					}
				}
				got := m.TransformVec(nil, x)
				if len(got) != len(want) {
					t.Fatalf("%v, d = %d, degrees to %d: %d columns, want %d", f, d, last, len(got), len(want))
				}
				for i, v := range want {
					if !(math.Abs(got[i]-v) <= 1e-13*(1+math.Abs(v))) {
						t.Errorf("%v, d = %d, degrees to %d: column %d is %v, want %v", f, d, last, i, got[i], v)
					}
				}
			}
		}
	}
}

// Multinomials beyond the range of a float64, with coefficients to match.
func TestExactDegreesWide(t *testing.T) {
	const n = 1200
	m, err := ExactDegreesOf(power.Scaled{C: 1e-200, F: series.HermiteDual{N: n}}, 2, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{0.9, 0.3}, []float64{0.8, 0.7}
	got := math.Log(testkit.DotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)))
	want := n*math.Log(testkit.DotOf(x, y)) - 200*math.Ln10
	if _, out := m.Dims(); out != n+1 || !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%d columns, logarithm %v, want %d and %v", out, got, n+1, want)
	}
}

// exactReads is reads for maps with some exact columns.
func exactReads(d, exact int) func(m FeatureMap, feature, coordinate int) bool {
	return func(m FeatureMap, feature, coordinate int) bool {
		degrees := m.(*Maclaurin).Degrees()
		n := degrees[feature]
		if feature < exact {
			return monomials(d, n)[feature-slices.Index(degrees, n)][coordinate] > 0
		}
		return n > 0
	}
}

// Maclaurin maps with exact low degrees pass the conformance suite of maps.
func TestMaclaurinExactDegree(t *testing.T) {
	for j, c := range []struct {
		name   string
		kernel Kernel
		degree int
	}{
		{"ExpDot", ExpDot{LengthScale: 1.2}, 2},
		{"ExpDot", ExpDot{LengthScale: 1.2}, 3},
		{"Polynomial", Polynomial{Degree: 4, Gamma: 0.5, Offset: 1}, 3},
		{"sinh", Dot(series.SineDual{Rate: 2}), 2}, // even degrees have no columns
	} {
		for i, o := range maclaurinOptions(series.OptimalLaw{Norm: 0.9}) {
			o.ExactDegree = c.degree
			dims := []int{1, 3, 2}
			if !testkit.Long() {
				if i%3 != 0 || (i/3+j)%2 != 0 { // all sketches, and both numbers of coordinates, in turn
					continue
				}
				dims = dims[(i/6+j/2)%2:][:1]
			}
			for _, d := range dims {
				name := fmt.Sprintf("%s/%d/%s/%d", c.name, c.degree, maclaurinName(o), d)
				t.Run(name, func(t *testing.T) {
					m, err := ExactDegreesOf(SeriesOf(c.kernel), d, c.degree, nil)
					if err != nil {
						t.Fatal(err)
					}
					_, exact := m.Dims()
					// The exact columns are the same as without a rest, and first.
					whole := testkit.Must(NewMaclaurin(c.kernel, d, exact+8, NewSampler(1), &o))
					x := []float64{0.3, -0.7, 0.6}[:d]
					if !slices.Equal(m.TransformVec(nil, x), whole.TransformVec(nil, x)[:exact]) {
						t.Error("exact columns differ from those of exact features")
					}
					testkit.Map(t, testkit.MapCase{
						New: func(in, out int, s *Sampler) (FeatureMap, error) {
							return NewMaclaurin(c.kernel, in, out, s, &o)
						},
						Dims:       []int{d},
						Out:        func(int) int { return exact + 14 },
						Pairs:      func(d int) []testkit.Pair { return inBall(d, 0.8) },
						HeavyTails: true, // features are of degrees from 3 on
						Cancels:    true,
						Reads:      exactReads(d, exact),
					})
				})
			}
		}
	}
}

// The estimate has the predicted variance, with exact degrees below each.
func TestMaclaurinExactDegreeVariance(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	maps := testkit.Times(1000, 1000, 5000)
	x, y := []float64{0.5, -0.4, 0.6}, []float64{0.6, 0.3, 0.4}
	k := Polynomial{Degree: 4, Gamma: 1, Offset: 0.5}
	for from := range 5 {
		for i, o := range maclaurinOptions(series.OptimalLaw{}) {
			if o.ExactDegree == 1 || !testkit.Long() && (i+from)%3 != 0 {
				continue
			}
			exact := []int{0, 1, 4, 10, 20}[from]
			if o.Sketch == GaussianSketch && from > 2 {
				continue // the fourth moment of products of so many normal variates is out of reach
			}
			zScores(t, fmt.Sprintf("degrees below %d exact, %s", from, maclaurinName(o)), k, testkit.Must(NewMaclaurinFrom(k, 3, exact+12, from, NewSampler(0), o)), maps, x, y)
		}
	}
}

// zScores compares the mean and the variance of the estimates of many maps like the first with what it predicts.
func zScores(t *testing.T, name string, k Kernel, first *Maclaurin, maps int, x, y []float64) {
	t.Helper()
	e1, e2, e4 := testkit.ErrorMoments(k, maps, testkit.Redraws(first), x, y)
	want := first.Variance(x, y)
	if z := e1 / math.Sqrt(want/float64(maps)); !(math.Abs(z) <= 4) {
		t.Errorf("%s: bias %v, z = %.1f", name, e1, z)
	}
	if z := (e2 - want) / math.Sqrt((e4-e2*e2)/float64(maps)); !(math.Abs(z) <= 4.5) {
		t.Errorf("%s: variance %v, want %v, z = %.1f", name, e2, want, z)
	}
}

// If the drawn rest is tiny relative to the exact degrees, its variance is still right: nothing cancels by subtraction.
func TestMaclaurinVarianceOfTinyRest(t *testing.T) {
	t.Parallel()
	const out, terms = 1000, 60
	for _, f := range []series.Series{series.Exp{Rate: 1}, series.Geometric{Ratio: 0.4}, Polynomial{Degree: 8, Gamma: 1, Offset: 1}.Series(), series.ReLUDual{}} {
		for _, law := range []series.Law{nil, series.OptimalLaw{Norm: 0.6}} {
			for _, r := range []float64{0.01, 0.1, 0.3, 0.5} {
				for _, from := range []int{1, 2, 3, 4, 6} {
					for _, sign := range []float64{1, -1} {
						x, y := []float64{r, 0.2 * r}, []float64{sign * 0.8 * r, 0.4 * r}
						m, err := NewMaclaurinFrom(Dot(f), 2, out, from, NewSampler(1), MaclaurinOptions{Law: law})
						if err != nil {
							t.Fatal(err)
						}
						l := law
						if l == nil {
							l = series.GeometricLaw{}
						}
						tt := testkit.DotOf(x, y)
						moment := testkit.DotOf(x, x)*testkit.DotOf(y, y) + 2*(tt*tt-x[0]*x[0]*y[0]*y[0]-x[1]*x[1]*y[1]*y[1])
						var rest, total, second float64
						for n := from + terms; n >= from; n-- {
							q := l.Prob(f, n)
							if a := f.Coeff(n); a > 0 && q > 0 {
								rest += a * math.Pow(tt, float64(n))
								total += q
								second += a * a * math.Pow(moment, float64(n)) / q
							}
						}
						draws := out - slices.IndexFunc(m.Degrees(), func(n int) bool { return n >= from })
						want := (second*total - rest*rest) / float64(draws)
						if got := m.Variance(x, y); !(math.Abs(got/want-1) <= 1e-6) {
							t.Errorf("%v, law %v, degrees from %d at %v, %v: variance %v, want %v", f, law, from, x, y, got, want)
						}
					}
				}
			}
		}
	}
}

// NewMaclaurin refuses exact degrees that are negative or take more columns than there are, and says how many they take.
func TestExactDegreeRefuses(t *testing.T) {
	t.Parallel()
	e := ExpDot{LengthScale: 1}
	for _, c := range []struct {
		k       Kernel
		in, out int
		o       MaclaurinOptions
		want    string
	}{
		{e, 1, 4, MaclaurinOptions{ExactDegree: -1}, "ExactDegree = -1"},
		{e, 3, 20, MaclaurinOptions{ExactDegree: 3}, "out = 20: ExactDegree = 3 takes 20 columns for the degrees 0 to 3"},
		{e, 3, 4, MaclaurinOptions{ExactDegree: 1}, "ExactDegree = 1 takes 4 columns for the degrees 0 and 1"},
		{e, 784, 1000, MaclaurinOptions{ExactDegree: 8}, "ExactDegree = 8 takes 3.7"},
		{e, 100_000, 1000, MaclaurinOptions{ExactDegree: 100}, "ExactDegree = 100 takes +Inf columns"},
		{e, 1, 1000, MaclaurinOptions{ExactDegree: math.MaxInt - 1}, "ExactDegree = "},
		{e, 1, 1000, MaclaurinOptions{ExactDegree: math.MaxInt}, "ExactDegree = "},
		{Polynomial{Degree: 3, Gamma: 1, Offset: 1}, 2, 100, MaclaurinOptions{ExactDegree: 3}, "no degree from 4 on"},
		{Polynomial{Degree: 3, Gamma: 1, Offset: 1}, 2, 100, MaclaurinOptions{ExactDegree: 7}, "no degree from 8 on"},
		{e, 2, 12, MaclaurinOptions{ExactDegree: 2, Complex: true, Law: series.TruncatedLaw{Degree: 2}}, "no degree from 3 on"},
		{e, 2, 13, MaclaurinOptions{ExactDegree: 2, Complex: true}, "out = 13: less 6 exact columns"},
		{Dot(series.Coefficients{1, 1, math.MaxFloat64, 1}), 2, 100, MaclaurinOptions{ExactDegree: 2}, "ExactDegree = 2: the coefficient"},
		{Dot(notPSD{-1}), 2, 100, MaclaurinOptions{ExactDegree: 2}, "degree 1"},
	} {
		s := NewSampler(1)
		_, err := NewMaclaurin(c.k, c.in, c.out, s, &c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v: error %v, want one with %q", c.k, c.o, err, c.want)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%v: the sampler was used", err)
		}
	}
}

// The bits of exact degrees, of sums of products, and of centered maps.
func TestGoldenMaclaurinColumns(t *testing.T) {
	var b strings.Builder
	x := testkit.F64s(40, func(i int) float64 { return float64(i%7) / 16 })
	s := NewSampler(12)
	for _, warp := range []string{"none", "Project", "ARD"} {
		for i, o := range append(maclaurinOptions(series.OptimalLaw{Norm: 0.5}), sumOptions()...) {
			if o.ExactDegree == 1 && !o.SumOfProducts {
				continue
			}
			o.ExactDegree = 0 // from says which degrees are
			k, of := centeredCase(warp, Polynomial{Degree: 4, Gamma: 0.5, Offset: 1}, 40, s)
			from, out := 2+i/2%2, 340
			for n := range from {
				out += len(monomials(len(of.c), n))
			}
			m, err := NewCentered(k, of, of.c, 40, out, from, NewSampler(11), o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s SumOfProducts=%v from degree %d %016x\n", warp, maclaurinName(o), o.SumOfProducts, from, golden.Fold(m.TransformVec(nil, x)))
		}
	}
	golden.Compare(t, "maclaurin_columns.golden", []byte(b.String()))
}
