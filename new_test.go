// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// An expressionMaker makes random kernel expressions on R^in.
type expressionMaker struct {
	s *Sampler

	// What the expression has, for the limits of the test.
	gaussian, mixed bool // with both, orthogonal frequencies of another kernel than the Gaussian
	inexact         bool // so have these kernels
	heavy           bool // features that need not be bounded: few maps do not tell their variance
	unknown         bool // a black box
}

// leaf returns a kernel without parts, and what it says.
func (e *expressionMaker) leaf(in int) (Kernel, string) {
	l := 0.5 + 2*e.s.Float64()
	switch e.s.IntN(15) {
	case 0:
		e.gaussian = true
		return Gaussian{LengthScale: l}, "Gaussian"
	case 1:
		e.inexact = true
		return Matern{Nu: 1.5, LengthScale: l}, "Matern"
	case 2:
		return Laplacian{LengthScale: l}, "Laplacian"
	case 3:
		return Cauchy{LengthScale: l}, "Cauchy"
	case 4:
		e.inexact = true
		return RationalQuadratic{Alpha: 1.5, LengthScale: l}, "RationalQuadratic"
	case 5:
		return Constant{Value: l}, "Constant"
	case 6:
		return Linear{}, "Linear"
	case 7:
		e.heavy = true
		return Polynomial{Degree: 2, Gamma: 0.5, Offset: l}, "Polynomial"
	case 8:
		e.heavy = true
		return ExpDot{LengthScale: 1 + l}, "ExpDot"
	case 9:
		e.heavy = true
		return Dot(series.ErfDual{}), "Erf"
	case 10:
		e.heavy = true
		return ArcCosine{Order: e.s.IntN(3)}, "ArcCosine"
	case 11:
		a := mat.NewDiagDense(in, nil)
		for i := range in {
			a.SetDiag(i, math.Sqrt(1+float64(i)))
		}
		return Project(a, Linear{}), "Project(Linear)"
	case 12:
		m, err := NewFourier(Gaussian{LengthScale: l}, in, 4, e.s, nil)
		if err != nil {
			panic(err)
		}
		return FromMap(m), "FromMap"
	case 13:
		return Select([]int{in - 1}, Circle{}), "Select(Circle)"
	default:
		e.unknown = true
		return BlackBox{Of: Gaussian{LengthScale: l}, Draw: testkit.DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
			w := make([]float64, in)
			s.FillNormal(w)
			b := 2 * math.Pi * s.Float64()
			return func(x []float64) float64 { return math.Sqrt2 * math.Cos(floats.Dot(w, x)/l+b) }, nil
		})}, "BlackBox"
	}
}

// kernel returns an expression of some depth.
func (e *expressionMaker) kernel(in, depth int) (Kernel, string) {
	if depth == 0 {
		return e.leaf(in)
	}
	several := func(name string, of func(ks ...Kernel) Kernel) (Kernel, string) {
		var ks []Kernel
		var said []string
		for range 2 + e.s.IntN(2) {
			k, what := e.kernel(in, depth-1)
			ks, said = append(ks, k), append(said, what)
		}
		return of(ks...), name + "(" + strings.Join(said, ", ") + ")"
	}
	one := func(name string, in int, of func(k Kernel) Kernel) (Kernel, string) {
		k, what := e.kernel(in, depth-1)
		return of(k), name + "(" + what + ")"
	}
	switch e.s.IntN(8) {
	case 0:
		e.mixed = true
		return several("Sum", Sum)
	case 1:
		return several("Product", Product)
	case 2:
		return one("Scale", in, func(k Kernel) Kernel { return Scale(0.7, k) })
	case 3:
		return one("Weight", in, func(k Kernel) Kernel {
			return Weight(WeightFunc(func(x []float64) float64 { return 1 + 0.5*x[0] }), k)
		})
	case 4:
		a := mat.NewDense(2, in, nil)
		e.s.FillNormal(a.RawMatrix().Data)
		a.Scale(0.5, a)
		return one("Project", 2, func(k Kernel) Kernel { return Project(a, k) })
	case 5:
		p := max(in-1, 1)
		return one("Select", p, func(k Kernel) Kernel { return Select([]int{in - 1, 0, 1, 2}[:p], k) })
	case 6:
		e.mixed = true
		return one("Compose", in, func(k Kernel) Kernel { return Compose(series.Coefficients{0.2, 0.5, 0.3}, k) })
	default:
		return e.leaf(in)
	}
}

// New gives an unbiased map of any expression, or the error that names what has none; the
// variance is compared where it is exact and tails are moderate.
func TestNewExpressions(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	expressions, maps := testkit.Times(30, 30, 200), testkit.Times(25, 50, 250)
	s := NewSampler(2026)
	samplers := make([]*Sampler, expressions)
	for i := range samplers {
		samplers[i] = s.Split()
	}
	var mapped, compared atomic.Int32
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e := expressionMaker{s: samplers[i]}
			hasMap, tested := e.test(t, i, maps)
			mapped.Add(hasMap)
			compared.Add(tested)
		}
	}), expressions, 1)
	t.Logf("%d of %d expressions have a map, %d variances compared", mapped.Load(), expressions, compared.Load())
	if int(mapped.Load()) < expressions*9/10 || int(compared.Load()) < expressions/4 {
		t.Errorf("%d of %d expressions have a map, %d variances compared: too few", mapped.Load(), expressions, compared.Load())
	}
}

// Points of norm 10, on a line, off the axes: bias and variance by z-scores of at most 5, the
// variance by the sample's fourth moment. Where frequencies of a block depend on each other it may
// be below.
func TestNewFarPoints(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	maps := testkit.Times(600, 600, 4000)
	for _, c := range []struct {
		name  string
		k     Kernel
		x, y  []float64
		below bool
	}{
		{"product on a line", Product(Gaussian{LengthScale: 3}, Linear{}), []float64{10}, []float64{9}, false},
		{"neurons and ⟨x, y⟩", Sum(ArcCosine{Order: 1}, Linear{}), []float64{6, 0, 8}, []float64{0, 6, -8}, false},
		{"steps", ArcCosine{Order: 0}, []float64{7.07, 7.07}, []float64{10, 0}, false},
		{"Matern on the diagonal", Scale(3, Matern{Nu: 0.7, LengthScale: 1}), []float64{0.7, 0.7}, []float64{0, 0}, true},
		{"weight", Weight(WeightFunc(func(x []float64) float64 { return x[0] * x[0] }), Laplacian{LengthScale: 2}), []float64{3, -2}, []float64{-1, 2}, false},
		{"projection in a sum", Sum(Project(testkit.Narrow, Gaussian{LengthScale: 2}), Cauchy{LengthScale: 1}), []float64{0.7, 0.7, 1}, []float64{0, 0.2, 0.5}, false},
	} {
		p := testkit.Must(NewPlan(c.k, nil, 40, &PlanOptions{In: len(c.x)}))
		draw := func(seed int) FeatureMap { return testkit.Must(p.Draw(NewSampler(uint64(777_000 + seed)))) }
		e1, e2, e4 := testkit.ErrorMoments(c.k, maps, draw, c.x, c.y)
		v := draw(0).(Variancer).Variance(c.x, c.y)
		n := float64(maps)
		if z := e1 / math.Sqrt(e2/n); !(math.Abs(z) <= 5) {
			t.Errorf("%s: bias %v, z = %.1f", c.name, e1, z)
		}
		z := (e2 - v) / math.Sqrt((e4-e2*e2)/n)
		if !(math.Abs(z) <= 5) && !(c.below && z < 5) {
			t.Errorf("%s: variance %v, Variance %v, z = %.1f", c.name, e2, v, z)
		}
	}
}

// test makes expression i and tests maps of it. It returns how many have maps, and how many had
// their variance compared.
func (e *expressionMaker) test(t *testing.T, i, maps int) (mapped, compared int32) {
	const in = 4
	k, what := e.kernel(in, 1+i%3)
	out := 24 + 4*(i%5)
	x, y := make([]float64, in), make([]float64, in)
	testkit.Sphere(e.s, x)
	testkit.Sphere(e.s, y)
	want := k.Eval(x, y)
	var sum, squares, fourth, v, scale float64
	p, err := NewPlan(k, nil, out, &PlanOptions{In: in})
	if err != nil {
		if few := (*TooFewError)(nil); !errors.Is(err, ErrNoMap) && !errors.As(err, &few) {
			t.Errorf("%d: %s: %v", i, what, err)
		}
		return 0, 0
	}
	for j := range maps {
		m := testkit.Must(p.Draw(NewSampler(uint64(1000*i + j))))
		if j == 0 {
			if d, columns := m.Dims(); d != in || columns > out || columns < 1 {
				t.Errorf("%d: %s: %d columns, want at most %d", i, what, columns, out)
			}
			variancer, ok := m.(Variancer)
			if !ok && !e.unknown {
				t.Errorf("%d: %s: no Variancer", i, what)
			}
			if ok {
				v = variancer.Variance(x, y)
			}
			scale = math.Sqrt(m.Kernel().Eval(x, x) * m.Kernel().Eval(y, y))
		}
		d := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y)) - want
		sum += d
		squares += d * d
		fourth += d * d * d * d
	}
	n := float64(maps)
	mean, variance := sum/n, squares/n
	// 5 standard errors of a sample's own deviation: 200 expressions fail by chance with a
	// probability below 1e-3.
	if !(math.Abs(mean) <= 5*math.Sqrt(variance/n)+1e-9*scale) {
		t.Errorf("%d: %s: bias %v of %v, z = %.1f", i, what, mean, want, mean/math.Sqrt(variance/n))
	}
	// A sample's kurtosis below 5 is not that of heavy tails, whose variance would be off.
	if e.unknown || e.heavy && testing.Short() || v < 1e-12*scale*scale || math.IsInf(v, 1) || fourth/n > 5*variance*variance {
		return 1, 0
	}
	// Where the frequencies of blocks are not independent, the variance is below, or above it by
	// two percent.
	inexact := e.inexact || e.gaussian && e.mixed
	z := (variance - v) / math.Sqrt((fourth/n-variance*variance)/n)
	if !(math.Abs(z) <= 5) && !(inexact && z < 5) {
		t.Errorf("%d: %s: variance %v, Variance %v, z = %.1f", i, what, variance, v, z)
	}
	return 1, 1
}

// The conformance suite, for sums of exact and drawn terms.
func TestNewConformance(t *testing.T) {
	f := WeightFunc(func(x []float64) float64 { return 1 + 0.5*x[0] })
	for _, c := range []struct {
		name string
		k    func(d int) Kernel
	}{
		{"sum", func(int) Kernel {
			return Sum(Gaussian{LengthScale: 1.5}, Linear{}, Constant{Value: 0.5}, ArcCosine{Order: 1})
		}},
		{"weights", func(int) Kernel {
			return Sum(Weight(f, Laplacian{LengthScale: 2}), Weight(f, Linear{}), Product(Gaussian{LengthScale: 1}, Linear{}))
		}},
		{"map", func(d int) Kernel {
			return Sum(FromMap(testkit.Must(NewFourier(Gaussian{LengthScale: 1}, d, 4, NewSampler(9), nil))), Cauchy{LengthScale: 1})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.Map(t, testkit.MapCase{
				New:  func(in, _ int, s *Sampler) (FeatureMap, error) { return testkit.New(c.k(in), in, 60, s) },
				Dims: []int{2},
				Pairs: func(d int) []testkit.Pair {
					s := NewSampler(uint64(d))
					var pairs []testkit.Pair
					for i := range 5 {
						x, y := make([]float64, d), make([]float64, d)
						testkit.Ball(s, x)
						testkit.Ball(s, y)
						if i == 0 {
							copy(y, x)
						}
						pairs = append(pairs, testkit.Pair{Name: fmt.Sprint("pair ", i), X: x, Y: y})
					}
					return pairs
				},
				HeavyTails: true, // some terms; TestNewExpressions compares variances
				Cancels:    true,
				Reads: func(m FeatureMap, feature, coordinate int) bool {
					// Far out on one of the two sides every neuron that reads it fires.
					d, _ := m.Dims()
					x := []float64{0.1, 0.2, 0.15}[:d]
					before := m.TransformVec(nil, x)[feature]
					for _, v := range []float64{-1e4, 1e4} {
						x[coordinate] = v
						if m.TransformVec(nil, x)[feature] != before {
							return true
						}
					}
					return false
				},
			})
		})
	}
}

// What is exact is exact, and comes first; types of maps are those the doc of New says.
func TestNewExact(t *testing.T) {
	const in = 3
	x, y := []float64{0.3, -1, 2}, []float64{0.5, 0.25, -1}
	fourier := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, in, 6, NewSampler(1), nil))
	for _, c := range []struct {
		name string
		k    Kernel
		out  int // columns of the map
	}{
		{"constant", Constant{Value: 2}, 1},
		{"zero", Scale(0, Linear{}), 1},
		{"linear", Linear{}, 3},
		{"affine", Sum(Scale(2, Linear{}), Constant{Value: 1}), 4},
		{"polynomial", Polynomial{Degree: 1, Gamma: 2, Offset: 1}, 4},
		{"coefficients", Dot(series.Coefficients{0, 2, 0}), 3},
		{"projected", Project(testkit.Narrow, Linear{}), 2},
		{"selected", Select([]int{2}, Linear{}), 1},
		{"map", FromMap(fourier), 6},
		{"scaled map", Scale(3, FromMap(fourier)), 6},
		{"projected map", Project(mat.NewDense(3, 3, []float64{1, 2, 0, 0, 1, 0, 1, 0, 1}), FromMap(fourier)), 6},
		{"weighted", Weight(WeightFunc(func(x []float64) float64 { return x[1] }), Linear{}), 3},
		{"circle", Select([]int{1}, Circle{}), 2},
		{"sphere", Sphere{}, 3},
		{"sum", Sum(Linear{}, FromMap(fourier), Project(testkit.Narrow, Linear{})), 11},
	} {
		m, err := testkit.New(c.k, in, 20, NewSampler(1))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.name == "circle" { // behind a matrix it is a Fourier map
			if got := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y)); !(math.Abs(got-math.Cos(1.25)) <= 1e-14) {
				t.Errorf("%s: %v, want %v", c.name, got, math.Cos(1.25))
			}
			continue
		}
		want := c.k.Eval(x, y)
		got := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y))
		_, out := m.Dims()
		if !(math.Abs(got-want) <= 1e-14*max(1, math.Abs(want))) || out != c.out {
			t.Errorf("%s: %v in %d columns, want %v in %d", c.name, got, out, want, c.out)
		}
		if v := m.(Variancer).Variance(x, y); v != 0 {
			t.Errorf("%s: Variance %v of exact features", c.name, v)
		}
	}
	// Categories and angles by themselves.
	for _, c := range []struct {
		k   Kernel
		out int
	}{{Categories{N: 4}, 4}, {Circle{}, 2}, {Binary{}, 1}} {
		m := testkit.Must(testkit.New(c.k, 1, 4, NewSampler(1)))
		for _, p := range [][2]float64{{0, 0}, {1, 3}, {2, 2}, {1, 1}} {
			x, y := []float64{p[0]}, []float64{p[1]}
			got := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y))
			if _, out := m.Dims(); !(math.Abs(got-c.k.Eval(x, y)) <= 1e-15) || out != c.out {
				t.Errorf("%T at %v: %v in %d columns, want %v in %d", c.k, p, got, out, c.k.Eval(x, y), c.out)
			}
		}
	}
	// A sum reproduces its exact part exactly: columns 0 … 3 are √½ and x.
	m := testkit.Must(testkit.New(Sum(Gaussian{LengthScale: 1}, Linear{}, Constant{Value: 0.5}), in, 20, NewSampler(1)))
	z := m.TransformVec(nil, x)
	if z[0] != math.Sqrt(0.5) || z[1] != x[0] || z[2] != x[1] || z[3] != x[2] || len(z) != 20 {
		t.Errorf("features of a sum: %v", z)
	}
}

// A polynomial whose coefficients underflow is 0, in one column.
func TestPlanOfNothing(t *testing.T) {
	m := testkit.Must(testkit.New(Polynomial{Degree: 50, Gamma: 1.3e-9, Offset: 5.5e-128}, 2, 10, NewSampler(1)))
	if f := m.TransformVec(nil, []float64{1, 2}); len(f) != 1 || f[0] != 0 {
		t.Errorf("features %v", f)
	}
}

// New returns the types of maps that its documentation says, with at most the columns that are asked for and a known variance.
func TestNewTypes(t *testing.T) {
	sk := NewSkeleton(70)
	sk.Unit(series.ReLUDual{}, testkit.Each(sk, Circle{}, 3)...)
	for _, c := range []struct {
		k       Kernel
		in, out int
		want    string
	}{
		{Gaussian{LengthScale: 1}, 70, 11, "*featuremap.Fourier of 10"},
		{Gaussian{LengthScale: 1}, 70, 1, "*featuremap.Fourier of 1"},
		{Sum(Gaussian{LengthScale: 1}, Laplacian{LengthScale: 1}), 70, 11, "featuremap.variedMap of 10"},
		{ExpDot{LengthScale: 1}, 70, 200, "*featuremap.Maclaurin of 200"},
		{ExpDot{LengthScale: 1}, 70, 20, "*featuremap.Maclaurin of 20"},
		{Dot(series.Geometric{Ratio: 2}), 3, 20, "*featuremap.Maclaurin of 20"},
		{Linear{}, 70, 20, "*featuremap.Maclaurin of 20"}, // random projections
		{Sum(ExpDot{LengthScale: 1}, Constant{Value: 1}), 70, 200, "*featuremap.Maclaurin of 200"},
		{ArcCosine{Order: 1}, 70, 11, "*featuremap.Neurons of 11"},
		{testkit.KernelOf(t, sk), 70, 9, "*featuremap.Compositional"},
		{testkit.KernelOf(t, sk), 70, 2, "*featuremap.Compositional"},
		{Product(ExpDot{LengthScale: 1}, Gaussian{LengthScale: 1}), 70, 50, "*featuremap.Compositional"},
		{Compose(series.ReLUDual{}, testkit.KernelOf(t, sk)), 70, 50, "*featuremap.Compositional"},
	} {
		m, err := testkit.New(c.k, c.in, c.out, NewSampler(1))
		if err != nil {
			t.Errorf("%T: %v", c.k, err)
			continue
		}
		_, out := m.Dims()
		if got := fmt.Sprintf("%T of %d", m, out); !strings.HasPrefix(got, c.want) || out > c.out {
			t.Errorf("%T: %s, want %s", c.k, got, c.want)
		}
		if _, ok := m.(Variancer); !ok {
			t.Errorf("%T: no Variancer", c.k)
		}
	}
}
