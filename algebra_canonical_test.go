// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// An equivalence is ways of writing one kernel, and plain maps that New's is to be no worse than.
type equivalence struct {
	name    string
	in, out int
	ways    []Kernel

	plain []func(s *Sampler) (FeatureMap, error)
}

func equivalences() []equivalence {
	g, m, q, l := Gaussian{LengthScale: 1.3}, Matern{Nu: 1.5, LengthScale: 0.8}, RationalQuadratic{Alpha: 2, LengthScale: 1}, Laplacian{LengthScale: 2}
	lengths := []float64{0.5, 1, 2}
	w := testkit.Norm{Scale: 2} // can be compared
	one, zero := Constant{Value: 1}, Constant{Value: 0}
	id := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	pick := mat.NewDense(1, 3, []float64{0, 0, 1})
	f := WeightFunc(func(x []float64) float64 { return 1 + x[0]*x[0] })
	fourier := func(k Kernel, in, out int, d Design) func(s *Sampler) (FeatureMap, error) {
		return func(s *Sampler) (FeatureMap, error) { return NewFourier(k, in, out, s, &FourierOptions{Design: d}) }
	}
	maclaurin := func(k Kernel, in, out int, o MaclaurinOptions) func(s *Sampler) (FeatureMap, error) {
		return func(s *Sampler) (FeatureMap, error) { return NewMaclaurin(k, in, out, s, &o) }
	}
	low := MaclaurinOptions{Law: series.OptimalLaw{}, ExactDegree: 1}
	merged := Gaussian{LengthScale: 1 / math.Sqrt(1/1.69+1/4.0)}
	both := []float64{1 / math.Sqrt(1/1.69+4), 1 / math.Sqrt(1/1.69+1), 1 / math.Sqrt(1/1.69+0.25)}
	return []equivalence{
		{"radial sum", 3, 60,
			[]Kernel{Sum(g, m), Sum(m, g), Sum(&g, &m), Sum(g, Sum(m, zero)), Sum(Scale(1, g), Product(m, one)), Scale(2, Sum(Scale(0.5, m), Scale(0.5, g)))},
			[]func(s *Sampler) (FeatureMap, error){fourier(Sum(g, m), 3, 60, Orthogonal), fourier(Sum(g, m), 3, 60, Independent)}},
		{"scaled ARD", 3, 30,
			[]Kernel{Scale(2, ARD(lengths, g)), ARD(lengths, Scale(2, g)), Product(Constant{Value: 2}, ARD(lengths, g)), Product(ARD(lengths, &g), &Constant{Value: 2}),
				Compose(series.Coefficients{0, 2}, ARD(lengths, g)), ARD(lengths, Product(Scale(2, g), one)), Scale(4, Scale(0.5, ARD(lengths, g))), Sum(ARD(lengths, g), ARD(lengths, g)),
				Project(mat.NewDiagDense(3, []float64{2, 1, 0.5}), Scale(2, g)), Select([]int{0, 1, 2}, Scale(2, ARD(lengths, g)))},
			[]func(s *Sampler) (FeatureMap, error){fourier(ARD(lengths, Scale(2, g)), 3, 30, Orthogonal)}},
		{"ARD of a sum", 3, 60,
			[]Kernel{ARD(lengths, Sum(g, q)), Sum(ARD(lengths, g), ARD(lengths, q)), Sum(ARD(lengths, q), ARD(lengths, &g)), ARD(lengths, Sum(q, g, zero))},
			[]func(s *Sampler) (FeatureMap, error){fourier(ARD(lengths, Sum(g, q)), 3, 60, Orthogonal)}},
		{"product of radial kernels", 3, 30,
			[]Kernel{Product(g, m), Product(m, g), Product(g, Product(one, m)), Product(&g, &m, &one), Scale(2, Product(g, Scale(0.5, m)))},
			[]func(s *Sampler) (FeatureMap, error){fourier(Product(g, m), 3, 30, Orthogonal)}},
		{"ARD of a product", 3, 30,
			[]Kernel{ARD(lengths, Product(m, q)), Product(ARD(lengths, q), ARD(lengths, m))},
			[]func(s *Sampler) (FeatureMap, error){fourier(ARD(lengths, Product(m, q)), 3, 30, Orthogonal)}},
		{"Gaussian kernels are one", 3, 30,
			[]Kernel{merged, Product(g, Gaussian{LengthScale: 2}), Product(Gaussian{LengthScale: 2}, g), Product(Gaussian{LengthScale: 2}, &g, one)},
			[]func(s *Sampler) (FeatureMap, error){fourier(merged, 3, 30, Orthogonal)}},
		{"Gaussian kernels of different scales", 3, 30,
			[]Kernel{ARD(both, Gaussian{LengthScale: 1}), Product(g, ARD(lengths, Gaussian{LengthScale: 1})), Product(ARD(lengths, Gaussian{LengthScale: 1}), g)},
			[]func(s *Sampler) (FeatureMap, error){fourier(ARD(both, Gaussian{LengthScale: 1}), 3, 30, Orthogonal)}},
		{"Gaussian kernels of some columns", 3, 24,
			[]Kernel{Select([]int{0, 2}, g), Product(Select([]int{0}, g), Select([]int{2}, g)), Product(Select([]int{2}, g), Select([]int{0}, &g))},
			[]func(s *Sampler) (FeatureMap, error){fourier(Select([]int{0, 2}, g), 3, 24, Orthogonal)}},
		{"power of a kernel", 3, 30,
			[]Kernel{Compose(series.HermiteDual{N: 2}, m), Compose(&series.HermiteDual{N: 2}, m), Compose(series.Coefficients{0, 0, 1}, m), Scale(4, Compose(series.HermiteDual{N: 2}, Scale(0.5, m)))},
			[]func(s *Sampler) (FeatureMap, error){fourier(Compose(series.HermiteDual{N: 2}, m), 3, 30, Orthogonal)}},
		{"exponential", 3, 60,
			[]Kernel{ExpDot{LengthScale: 1}, &ExpDot{LengthScale: 1}, Compose(series.Exp{Rate: 1}, Linear{}), Compose(&series.Exp{Rate: 1}, &Linear{}), Dot(series.Exp{Rate: 1}), Dot(&series.Exp{Rate: 1}),
				Project(id, ExpDot{LengthScale: 1}), Select([]int{0, 1, 2}, ExpDot{LengthScale: 1}), Product(ExpDot{LengthScale: 1}, Dot(series.Coefficients{1}))},
			[]func(s *Sampler) (FeatureMap, error){maclaurin(ExpDot{LengthScale: 1}, 3, 60, low)}},
		{"identity", 3, 60,
			[]Kernel{Linear{}, &Linear{}, Compose(series.HermiteDual{N: 1}, Linear{}), Compose(&series.HermiteDual{N: 1}, Linear{}), Compose(series.Coefficients{0, 1}, Linear{}), Dot(&series.Coefficients{0, 1}), Scale(1, Linear{}),
				Sum(Linear{}, zero), Product(Linear{}, one), Polynomial{Degree: 1, Gamma: 1}, Scale(2, Scale(0.5, Linear{})), Compose(series.HermiteDual{N: 1}, Linear{})}, nil},
		{"constant", 3, 60,
			[]Kernel{Constant{Value: 2}, Scale(2, one), Scale(2, &Constant{Value: 1}), Sum(one, &one), Product(Constant{Value: 2}, one), Compose(&series.Coefficients{2}, g), Dot(series.Coefficients{2}),
				ARD(lengths, Constant{Value: 2}), Select([]int{1}, Constant{Value: 2}), Compose(series.Coefficients{1, 1}, one)}, nil},
		{"zero", 3, 60,
			[]Kernel{zero, Scale(0, g), Scale(0, ExpDot{LengthScale: 1}), Product(zero, m), Sum(Scale(0, g), zero), Scale(0, Sum(g, ExpDot{LengthScale: 1})), Compose(series.Coefficients{}, m)}, nil},
		{"circle", 3, 60,
			[]Kernel{Select([]int{2}, Scale(2, Circle{})), Scale(2, Select([]int{2}, &Circle{})), Project(pick, Scale(2, Circle{})), Product(Constant{Value: 2}, Select([]int{2}, Circle{})),
				Sum(Select([]int{2}, Circle{}), Select([]int{2}, Circle{}))}, nil},
		{"categories", 3, 60,
			[]Kernel{Select([]int{2}, Scale(3, Categories{N: 4})), Scale(3, Select([]int{2}, &Categories{N: 4})), Project(pick, Scale(3, Categories{N: 4}))}, nil},
		{"sum of an exact and a drawn term", 3, 60,
			[]Kernel{Sum(Linear{}, l), Sum(l, Linear{}), Sum(&l, &Linear{}, zero), Sum(Sum(l, Linear{}), Scale(0, g))}, nil},
		{"weight", 3, 30,
			[]Kernel{Weight(f, m), Weight(f, &m), Product(Weight(f, one), m), Product(m, Weight(f, one)), Scale(2, Weight(f, Scale(0.5, m)))}, nil},
		{"neurons", 3, 30,
			[]Kernel{Scale(2, ArcCosine{Order: 1}), Product(Constant{Value: 2}, &ArcCosine{Order: 1}), Sum(ArcCosine{Order: 1}, ArcCosine{Order: 1}), Compose(series.Coefficients{0, 2}, ArcCosine{Order: 1})},
			[]func(s *Sampler) (FeatureMap, error){func(s *Sampler) (FeatureMap, error) { return NewNeurons(Scale(2, ArcCosine{Order: 1}), 3, 30, s, nil) }}},
		{"product of a stationary and a dot product kernel", 3, 30,
			[]Kernel{Product(g, Linear{}), Product(Linear{}, g), Product(&Linear{}, one, &g), Scale(2, Product(Scale(0.5, g), Linear{}))}, nil},
		{"one times a sum", 3, 60,
			[]Kernel{Sum(g, l, Linear{}), Product(one, Sum(g, l, Linear{})), Product(Sum(g, l, Linear{}), one, one), Scale(2, Product(Constant{Value: 0.5}, Sum(g, l, Linear{})))}, nil},
		{"one times a sum with a constant", 3, 41,
			[]Kernel{Sum(g, Constant{Value: 100}), Product(one, Sum(g, Constant{Value: 100}))}, nil},
		{"a weight of all terms", 3, 40,
			[]Kernel{Weight(f, Product(Sum(g, m), l)), Product(Weight(f, Sum(g, m)), l), Product(l, Weight(f, Sum(m, g)))}, nil},
		{"a weight of all terms, written for each", 3, 40,
			[]Kernel{Weight(w, Product(Sum(Linear{}, one), ExpDot{LengthScale: 1})), Product(Sum(Weight(w, Linear{}), Weight(w, one)), ExpDot{LengthScale: 1})}, nil},
		{"like terms with a weight", 3, 40,
			[]Kernel{Weight(w, Scale(2, g)), Sum(Weight(w, g), Weight(w, g)), Weight(w, Sum(g, g))}, nil},
		{"series of an inner product", 3, 60,
			[]Kernel{Scale(2, ExpDot{LengthScale: 1}), Compose(SeriesOf(Scale(2, ExpDot{LengthScale: 1})), Linear{}), Compose(series.HermiteDual{N: 1}, Scale(2, ExpDot{LengthScale: 1}))}, nil},
		{"dual of an inner product", 3, 60,
			[]Kernel{Dot(series.SineDual{Rate: 1}), Compose(series.SineDual{Rate: 1}, Linear{}), Compose(series.SineDual{Rate: 1}, &Linear{})}, nil},
		{"dual of a scaled inner product", 3, 60,
			[]Kernel{Compose(series.ReLUDual{}, Scale(0.1, Linear{})), Compose(series.ReLUDual{}, Scale(0.2, Scale(0.5, Linear{}))), Compose(series.ReLUDual{}, Polynomial{Degree: 1, Gamma: 0.1})}, nil},
		{"diagonal matrix", 3, 40,
			[]Kernel{Product(ARD(lengths, Linear{}), ARD(lengths, ExpDot{LengthScale: 1})), Product(ARD(lengths, Linear{}), Project(mat.NewDense(3, 3, []float64{2, 0, 0, 0, 1, 0, 0, 0, 0.5}), ExpDot{LengthScale: 1}))}, nil},
		{"like kernels behind a matrix", 3, 40,
			[]Kernel{Product(ARD(lengths, Linear{}), ARD(lengths, ExpDot{LengthScale: 1})), ARD(lengths, Product(Sphere{}, ExpDot{LengthScale: 1}))}, nil},
		{"ARD of such a product", 3, 30,
			[]Kernel{ARD(lengths, Product(g, Linear{})), Product(ARD(lengths, g), ARD(lengths, Linear{})), Product(ARD(lengths, Linear{}), ARD(lengths, g))}, nil},
	}
}

// Ways of writing a kernel are one kernel with one map: the same type, kind, design, columns and
// variance, and no more error than the plain constructors' maps have. (Terms are in the order in which
// they are written.)
func TestEquivalentKernels(t *testing.T) {
	t.Parallel()
	x, y := []float64{0.3, -0.6, 1}, []float64{0.5, 0.2, 2}
	x2, y2 := []float64{0.1, 0.4, 1}, []float64{-0.2, 0.5, 1}
	for _, e := range equivalences() {
		t.Run(e.name, func(t *testing.T) {
			first := testkit.Must(testkit.New(e.ways[0], e.in, e.out, NewSampler(1)))
			shape := slices.Sorted(slices.Values(PlanShape(testkit.Must(PlanOf(first)))))
			for i, k := range e.ways {
				if i > 1 && i < len(e.ways)-1 && !testkit.Long() {
					continue
				}
				m := testkit.Must(testkit.New(k, e.in, e.out, NewSampler(1)))
				if got := slices.Sorted(slices.Values(PlanShape(testkit.Must(PlanOf(m))))); fmt.Sprintf("%T", m) != fmt.Sprintf("%T", first) || !slices.Equal(got, shape) {
					t.Errorf("%v: a %T of %q, and %v has a %T of %q", k, m, got, e.ways[0], first, shape)
				}
				for _, p := range [][2][]float64{{x, y}, {x2, y2}, {x, x}} {
					v, want := m.(Variancer).Variance(p[0], p[1]), first.(Variancer).Variance(p[0], p[1])
					if !(math.Abs(v-want) <= 1e-9*math.Abs(want)+1e-15) {
						t.Errorf("%v: Variance %v, way %d has %v", k, v, 0, want)
					}
					if got, want := k.Eval(p[0], p[1]), e.ways[0].Eval(p[0], p[1]); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
						t.Errorf("way %d, %v: %v, want %v", i, k, got, want)
					}
				}
			}
			for i, draw := range e.plain {
				plain := testkit.Must(draw(NewSampler(1)))
				got := testkit.Must(PredictedRMSE(first.(Variancer), planningData(), 60, NewSampler(1)))
				want := testkit.Must(PredictedRMSE(plain.(Variancer), planningData(), 60, NewSampler(1)))
				if _, out := plain.Dims(); !(got <= 1.05*want) || out != e.out {
					t.Errorf("an error of %v, and that of plain map %d of %d features is %v", got, i, out, want)
				}
			}
		})
	}
}

// Ways of writing a kernel have one plan for points, too: the same maps and columns, of the same error. (With
// points there are more kinds of maps; see TestEquivalentKernels for plans without.)
func TestEquivalentPlans(t *testing.T) {
	t.Parallel()
	g, e := Gaussian{LengthScale: 1.3}, ExpDot{LengthScale: 1.5}
	both := func(a, b float64) float64 { return 1 / math.Sqrt(1/(a*a)+1/(b*b)) }
	quadratic := Polynomial{Degree: 2, Gamma: 0.5, Offset: 1}
	lengths := []float64{0.5, 1, 2}
	inverse := mat.NewDiagDense(3, []float64{2, 1, 0.5})
	f := WeightFunc(func(x []float64) float64 { return 1 + x[0]*x[0] })
	groups := []equivalence{
		{name: "product of exponentials", ways: []Kernel{
			ExpDot{LengthScale: both(1.5, 2)}, Product(e, ExpDot{LengthScale: 2}), Product(ExpDot{LengthScale: 2}, &e), Product(e, Constant{Value: 1}, ExpDot{LengthScale: 2}),
			Dot(series.Exp{Rate: 1/(1.5*1.5) + 0.25}), Product(Dot(series.Exp{Rate: 0.25}), e), Compose(series.Exp{Rate: 1/(1.5*1.5) + 0.25}, Linear{})}},
		{name: "scaled exponential", ways: []Kernel{
			Scale(2, e), Product(Constant{Value: 2}, e), Product(Scale(2, ExpDot{LengthScale: 1.5 * math.Sqrt2}), ExpDot{LengthScale: 1.5 * math.Sqrt2})}},
		{name: "Gaussian and polynomial", ways: []Kernel{
			Product(g, quadratic), Product(quadratic, g), Product(&quadratic, Constant{Value: 1}, &g), Scale(2, Product(quadratic, Scale(0.5, g)))}},
		{name: "Gaussian and ⟨x, y⟩", ways: []Kernel{Product(g, Linear{}), Product(Linear{}, g), Product(Linear{}, Gaussian{LengthScale: 2}, Gaussian{LengthScale: 1.3 * 2 / math.Sqrt(4-1.69)})}},
		{name: "Gaussian and exponential", ways: []Kernel{Product(g, e), Product(e, g), Product(Scale(2, e), Scale(0.5, g))}},
		{name: "Laplacian and exponential", ways: []Kernel{Product(Laplacian{LengthScale: 1}, e), Product(e, Laplacian{LengthScale: 1})}},
		{name: "exponential and ⟨x, y⟩", ways: []Kernel{Sum(e, Linear{}), Sum(Linear{}, e), Sum(Linear{}, &e, Constant{Value: 0})}},
		{name: "exponential and polynomial", ways: []Kernel{Sum(e, quadratic), Sum(quadratic, e), Sum(quadratic, Constant{Value: 0}, e)}},
		{name: "two exponentials", ways: []Kernel{Sum(e, ExpDot{LengthScale: 3}), Sum(ExpDot{LengthScale: 3}, e)}},
		{name: "diagonal matrix", ways: []Kernel{
			ARD(lengths, g), Project(inverse, g), Project(mat.DenseCopyOf(inverse), g), Product(ARD(lengths, g), Constant{Value: 1}), ARD(lengths, &g),
			Product(ARD(lengths, Gaussian{LengthScale: 1.3 * math.Sqrt2}), Project(inverse, Gaussian{LengthScale: 1.3 * math.Sqrt2}))}},
		{name: "exponential of a diagonal matrix", ways: []Kernel{ARD(lengths, e), Project(inverse, e), ARD(lengths, Product(ExpDot{LengthScale: 1.5 * math.Sqrt2}, ExpDot{LengthScale: 1.5 * math.Sqrt2}))}},
		{name: "weight", ways: []Kernel{Weight(f, Scale(2, g)), Scale(2, Weight(f, g)), Product(Weight(f, Constant{Value: 2}), g)}},
		{name: "polynomial", ways: []Kernel{
			Product(Polynomial{Degree: 2, Gamma: 1, Offset: 1}, Polynomial{Degree: 2, Gamma: 1, Offset: 1}), Polynomial{Degree: 4, Gamma: 1, Offset: 1},
			Compose(series.HermiteDual{N: 2}, Polynomial{Degree: 2, Gamma: 1, Offset: 1}), Dot(series.Coefficients{1, 4, 6, 4, 1})}},
		{name: "sum of Gaussian kernels", ways: []Kernel{
			Sum(g, Gaussian{LengthScale: 0.3}), Sum(Gaussian{LengthScale: 0.3}, g), Sum(Scale(0.5, g), Gaussian{LengthScale: 0.3}, Scale(0.5, g))}},
	}
	x := testkit.Cloud(25, 3, 2)
	for _, e := range groups {
		t.Run(e.name, func(t *testing.T) {
			if slices.Contains([]string{"scaled exponential", "Laplacian and exponential", "two exponentials", "exponential of a diagonal matrix"}, e.name) && !testkit.Long() {
				t.Skip("what others show as well")
			}
			for _, out := range []int{12, 24, 60} {
				if out != 24 && !testkit.Long() {
					continue
				}
				var first *Plan
				for i, k := range e.ways {
					if i > 1 && i < len(e.ways)-1 && !testkit.Long() {
						continue
					}
					p := testkit.Must(NewPlan(k, x, out, nil))
					if i == 0 {
						first = p
					}
					a, b := x.RawRowView(0), x.RawRowView(1)
					if got, want := k.Eval(a, b), e.ways[0].Eval(a, b); !(math.Abs(got/want-1) <= 1e-13) {
						t.Fatalf("way %d is another kernel: %v, want %v", i, got, want)
					}
					// Terms are in the order in which they are written.
					shape, want := slices.Sorted(slices.Values(PlanShape(p))), slices.Sorted(slices.Values(PlanShape(first)))
					if !slices.Equal(shape, want) {
						t.Errorf("%v: %q, and %v has %q", k, shape, e.ways[0], want)
					}
					if got, want := p.RMSE(), first.RMSE(); !(math.Abs(got-want) <= 1e-4*want) {
						t.Errorf("%v: an error of %v, and %v of %v", k, got, e.ways[0], want)
					}
					if got, want := p.Variance(a, b), first.Variance(a, b); !(math.Abs(got-want) <= 1e-3*want) {
						t.Errorf("%v: Variance %v, and %v has %v", k, got, e.ways[0], want)
					}
					if got, want := PlanMaxNorm(p), PlanMaxNorm(first); got != want && !(math.Abs(got-want) <= 1e-12*want) {
						t.Errorf("%v: MaxNorm %v, and %v has %v", k, got, e.ways[0], want)
					}
				}
			}
		})
	}
}

// embedsGaussian has the Mixture of a Gaussian kernel, and frequencies of its own.
type embedsGaussian struct{ Gaussian }

func (embedsGaussian) Eval(x, y []float64) float64 { return Laplacian{LengthScale: 1}.Eval(x, y) }

func (embedsGaussian) Frequency(dst []float64, s *Sampler) {
	Laplacian{LengthScale: 1}.Frequency(dst, s)
}

// embedsCoefficients is exp(t), and says by what it embeds that it is 1 + t.
type embedsCoefficients struct{ series.Coefficients }

func (embedsCoefficients) Eval(t float64) float64  { return series.Exp{Rate: 1}.Eval(t) }
func (embedsCoefficients) Deriv(t float64) float64 { return series.Exp{Rate: 1}.Eval(t) }
func (embedsCoefficients) Coeff(n int) float64     { return series.Exp{Rate: 1}.Coeff(n) }

// What callers' types embed is not taken for theirs.
func TestNewEmbedded(t *testing.T) {
	t.Parallel()
	f := testkit.Must(testkit.New(embedsGaussian{Gaussian{LengthScale: 1}}, 2, 20, NewSampler(1))).(*Fourier)
	x, y := []float64{0.5, 0.1}, []float64{0, 0.4}
	if want := testkit.Must(NewFourier(Laplacian{LengthScale: 1}, 2, 20, NewSampler(1), nil)).Variance(x, y); f.Variance(x, y) != want {
		t.Errorf("Variance = %v, want that of independent frequencies %v", f.Variance(x, y), want)
	}
	w := f.Frequencies()
	blocks := 0.0
	for i := 0; i+1 < 10; i += 2 {
		blocks += math.Abs(mat.Dot(w.RowView(i), w.RowView(i+1)))
	}
	if blocks < 1e-6 {
		t.Error("frequencies are orthogonal by a promoted Mixture")
	}
	m := testkit.Must(testkit.New(Dot(embedsCoefficients{series.Coefficients{1, 1}}), 3, 40, NewSampler(1)))
	if v := m.(Variancer).Variance([]float64{1, 0, 0}, []float64{0.6, 0.8, 0}); !(v > 0) {
		t.Errorf("Variance = %v of a series that embeds 1 + t", v)
	}
	// Series whose values underflow are not taken for constants.
	for _, s := range []series.Series{series.ExpDual(2000), series.SineDual{Rate: 2000}, series.CosineDual{Rate: 1500}} {
		if m, err := testkit.New(Dot(s), 3, 40, NewSampler(1)); err == nil {
			if _, out := m.Dims(); out != 40 {
				t.Errorf("%v: %d columns", s, out)
			}
		}
	}
}

// Constants are one column, whatever they are made by.
func TestNewConstants(t *testing.T) {
	c := Constant{Value: 2}
	for _, k := range []Kernel{
		Scale(2, c), Product(c, c), Sum(c, c), Sum(c, Scale(3, c), &c), Compose(series.Coefficients{0, 2}, c), Scale(2, Sum(c, c)),
	} {
		m := testkit.Must(testkit.New(k, 2, 10, NewSampler(1)))
		if _, out := m.Dims(); out != 1 {
			t.Errorf("%v: %d columns of a constant", k, out)
		}
	}
	m := testkit.Must(testkit.New(Scale(2, Sum(Gaussian{LengthScale: 1}, Constant{Value: 100})), 2, 41, NewSampler(1)))
	if v := m.(Variancer).Variance([]float64{1, 0}, []float64{0, 1}); !(v < 1) {
		t.Errorf("Variance = %v: the constant is drawn", v)
	}
	if _, err := testkit.New(Product(Constant{Value: -1}, Constant{Value: -1}), 2, 10, NewSampler(1)); err == nil {
		t.Error("a product of negative constants was not refused")
	}
}
