// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// New refuses kernels and sizes with an error that names what is wrong, returns no map, and leaves the sampler as it was.
func TestNewErrors(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	for _, c := range []struct {
		k       Kernel
		in, out int
		is      error
		want    string
	}{
		{nil, 2, 10, nil, "kernel k = nil"},
		{g, 0, 10, nil, "PlanOptions In"},
		{g, 2, 0, nil, "features = 0"},
		{Gaussian{}, 2, 10, nil, "LengthScale = 0"},
		{Sum(g, Gaussian{}), 2, 10, nil, "LengthScale = 0"},
		{Sum(g, nil), 2, 10, nil, "Sum kernel 1 = nil"},
		{Sum(), 2, 10, nil, "Sum of no kernels"},
		{testkit.UnknownKernel{}, 2, 10, ErrNoMap, "UnknownKernel"},
		{Sum(g, testkit.UnknownKernel{}), 2, 10, ErrNoMap, "UnknownKernel"},
		{Product(g, testkit.UnknownKernel{}), 2, 10, ErrNoMap, "UnknownKernel"},
		{Compose(series.StepDual{}, g), 2, 10, ErrNoMap, "f′(1) = +Inf"},
		{Project(testkit.Narrow, g), 2, 10, nil, "in = 2"},
		{Select([]int{2}, g), 2, 10, nil, "in = 2"},
		{Select([]int{1, 1}, g), 2, 10, nil, "twice"},
		{Select(nil, g), 2, 10, nil, "cols = []"},
		{Select([]int{-1}, g), 2, 10, nil, "column -1"},
		{Weight(nil, g), 2, 10, nil, "Weight w = nil"},
		{Weight(WeightFunc(func([]float64) float64 { return 1 }), nil), 2, 10, nil, "Weight kernel = nil"},
		{FromMap(nil), 2, 10, nil, "FromMap m = nil"},
		{FromMap(testkit.Must(NewFourier(g, 3, 2, NewSampler(1), nil))), 2, 10, nil, "in = 2"},
		{Circle{}, 2, 10, nil, "in = 2"},
		{Sum(Linear{}, Weight(WeightFunc(func([]float64) float64 { return 1 }), g), ArcCosine{Order: 1}), 2, 5, nil, "5 features are too few"},
		{Scale(-1, g), 2, 10, nil, "c = -1"},
	} {
		s := NewSampler(1)
		m, err := testkit.New(c.k, c.in, c.out, s)
		if err == nil || m != nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%q: the sampler was changed", c.want)
		}
	}
}

// Constructors return soon, with a map or an error that gives the reason. These cases would take
// from 13 seconds to forever without their limits.
func TestConstructorsEnd(t *testing.T) {
	t.Parallel()
	exp, g := series.Exp{Rate: 1}, Gaussian{LengthScale: 1}
	power := func(n, times int, k Kernel) Kernel {
		for range times {
			k = Compose(series.HermiteDual{N: n}, k)
		}
		return k
	}
	nested := func(times int, f series.Series, k Kernel) Kernel {
		for range times {
			k = Compose(f, k)
		}
		return k
	}
	var products []Kernel
	for range 40 {
		products = append(products, Polynomial{Degree: 1000, Gamma: 1e-3, Offset: 1})
	}
	kernels := []Kernel{
		Scale(0, ExpDot{LengthScale: 1}),
		Scale(1e-320, ExpDot{LengthScale: 1}),
		Sum(Scale(0, ExpDot{LengthScale: 1}), g),
		Sum(Scale(0, ExpDot{LengthScale: 1}), Linear{}),
		nested(3, exp, Linear{}),
		nested(3, series.Exp{Rate: 0.5, Shift: -1}, Linear{}),
		nested(4, series.Geometric{Ratio: 0.1}, Linear{}),
		nested(3, exp, g),
		nested(3, series.ExpDual(30), g),
		Compose(series.HermiteDual{N: 1 << 20}, Dot(series.HermiteDual{N: 1 << 10})),
		Compose(series.HermiteDual{N: 1 << 10}, Dot(series.HermiteDual{N: 1 << 10})),
		Compose(series.HermiteDual{N: 100}, Scale(2, Dot(series.HermiteDual{N: 100}))),
		power(1<<16, 4, Linear{}), // t^(2⁶⁴), of which an int has no idea
		power(1<<16, 4, g),
		power(1<<16, 2, Circle{}),
		power(1<<20, 1, Product(g, Linear{})),
		Dot(series.HermiteDual{N: 1 << 20}),
		Product(Dot(series.HermiteDual{N: 1 << 19}), Dot(series.HermiteDual{N: 1 << 19})),
		Product(Dot(series.HermiteDual{N: 1 << 19}), ExpDot{LengthScale: 1}),
		Product(Polynomial{Degree: 1_000_000_000, Gamma: 1e-9, Offset: 1}, Linear{}),
		Product(products...),
		Compose(series.Coefficients(make([]float64, 1<<20)), ExpDot{LengthScale: 1}),
		Compose(Polynomial{Degree: 1_000_000_000, Gamma: 1e-9, Offset: 1}.Series(), ExpDot{LengthScale: 1}),
		Compose(series.ExpDual(1e5), g),
		Compose(series.ExpDual(1e5), Sum(g, Linear{})),
		Compose(series.ReLUDual{}, Compose(series.ExpDual(1e4), Circle{})),
		Polynomial{Degree: 1 << 30, Gamma: 1, Offset: 1},
		Polynomial{Degree: 1 << 18, Gamma: 1, Offset: 1},
		Dot(series.Geometric{Ratio: 1e300}),
		ExpDot{LengthScale: 1e-3},
		Sum(Product(g, Linear{}), power(1<<12, 1, Sum(g, Linear{}))),
	}
	if testkit.Long() { // with limits, too, these take longest
		kernels = append(kernels, power(1<<13, 1, g), Matern{Nu: 1e-300, LengthScale: 1}, RationalQuadratic{Alpha: 1e-300, LengthScale: 1})
	}
	for _, k := range kernels {
		in := 2
		if strings.Contains(fmt.Sprint(k), "Circle") {
			in = 1
		}
		if m, err := testkit.New(k, in, 40, NewSampler(1)); err == nil {
			z := m.TransformVec(nil, make([]float64, in))
			if floats.HasNaN(z) {
				t.Errorf("%v: features are NaN", k)
			}
		} else if !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("%v: %v", k, err)
		}
	}
	for _, law := range []series.Law{
		series.TruncatedLaw{Degrees: []int{2, 1 << 30}}, series.TruncatedLaw{Degrees: []int{2, 1 << 18}}, series.TruncatedLaw{Degree: math.MaxInt},
		series.GeometricLaw{P: 1 + 1e-9}, series.OptimalLaw{Norm: 1e100}, &series.TruncatedLaw{Degrees: []int{2, 3}},
	} {
		for _, k := range []Kernel{ExpDot{LengthScale: 1}, Product(ExpDot{LengthScale: 1}, Linear{}), nested(3, exp, Linear{}), Dot(series.HermiteDual{N: 1 << 20})}[:testkit.Times(2, 2, 4)] {
			if _, err := NewMaclaurin(k, 2, 20, NewSampler(1), &MaclaurinOptions{Law: law}); err != nil && !strings.HasPrefix(err.Error(), "featuremap: ") {
				t.Errorf("%v with %v: %v", k, law, err)
			}
		}
	}
	// Errors give the actual reason.
	for want, k := range map[string]Kernel{
		"degree 1073741824": Compose(series.HermiteDual{N: 1 << 20}, Dot(series.HermiteDual{N: 1 << 10})),
		"at most 16384":     Dot(series.HermiteDual{N: 1 << 15}),
		"at most 1048576":   power(1<<16, 4, Linear{}),
	} {
		if _, err := NewMaclaurin(k, 2, 40, NewSampler(1), &MaclaurinOptions{Law: series.OptimalLaw{Norm: math.Pow(2, -0.25)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", k, err, want)
		}
	}
	// Points with a norm at which three nested exponentials are not large.
	k := nested(3, exp, Linear{})
	x, y := []float64{0.1, 0.2}, []float64{0.2, -0.1}
	m := testkit.Must(NewMaclaurin(k, 2, 40, NewSampler(1), &MaclaurinOptions{Law: series.OptimalLaw{Norm: 0.3}}))
	if v := m.Variance(x, y); !(v > 0 && v < 10) {
		t.Errorf("Variance of %v is %v", k, v)
	}
}

// Errors mention what the caller wrote, and what the caller can do.
func TestErrorsHelp(t *testing.T) {
	for _, c := range []struct {
		k          Kernel
		want, lack string
	}{
		{testkit.UnknownKernel{}, "implement Stationary or DotProduct, or give its features with BlackBox or FromMap", "node"},
		{Sum(testkit.UnknownKernel{}, Gaussian{LengthScale: 1}), "UnknownKernel", "node"},
		{Product(testkit.UnknownKernel{}, Linear{}), "implement Stationary", "scheme"},
		{Gaussian{LengthScale: -1}, "Gaussian LengthScale = -1", "RBF"},
		{Compose(series.StepDual{}, Gaussian{LengthScale: 1}), "f′(1) = +Inf for series.StepDual{}", "node"},
	} {
		_, err := testkit.New(c.k, 2, 10, NewSampler(1))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), c.lack) {
			t.Errorf("%v: error %v, want one with %q and without %q", c.k, err, c.want, c.lack)
		}
	}
	if _, err := testkit.New(testkit.UnknownKernel{}, 2, 10, NewSampler(1)); !errors.Is(err, ErrNoMap) {
		t.Errorf("error %v is not ErrNoMap", err)
	}
}

// Constructors refuse kernels that cannot be sampled, and return soon for others. Without their limits these cases
// would take from four seconds to forever, be accepted, or panic. (The log shows how long each takes.)
func TestConstructorsRefuse(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	deep := func(n int, join func(k Kernel) Kernel) Kernel {
		k := Kernel(g)
		for range n {
			k = join(k)
		}
		return k
	}
	for name, build := range map[string]func() error{
		"frequencies of frequencies": func() error {
			_, err := testkit.New(Compose(series.ExpDual(1e4), Compose(series.ExpDual(1e4), g)), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a graph walked in vain": func() error {
			sk := NewSkeleton(1)
			n := sk.Unit(series.Coefficients{1}, sk.Input(Circle{}))
			for range 60 {
				n = sk.Product(n, n)
			}
			_, err := NewCompositional(sk, 10, NewSampler(1))
			return refused(err)
		},
		"shared terms": func() error {
			k := deep(9, func(k Kernel) Kernel { return Sum(Scale(0.5, Compose(series.ExpDual(1), k)), Scale(0.5, k)) })
			_, err := testkit.New(k, 2, 40, NewSampler(1))
			return err
		},
		"too many terms": func() error {
			ks := make([]Kernel, 20_000)
			for i := range ks {
				ks[i] = Gaussian{LengthScale: 1 + float64(i)}
			}
			_, err := testkit.New(Sum(ks...), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a series that is less than its terms": func() error {
			_, err := testkit.New(Product(g, Dot(hugeSeries{})), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a map without features": func() error {
			if _, err := testkit.New(FromMap(noFeatures{}), 2, 40, NewSampler(1)); err == nil {
				return errors.New("New accepted it")
			}
			_, err := NewDataDependent(noFeatures{}, mat.NewDense(3, 2, nil), nil)
			return refused(err)
		},
		"a matrix beyond memory": func() error {
			_, err := testkit.New(Project(testkit.Unread(math.MaxInt32, math.MaxInt32), g), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a kernel of negative mass": func() error {
			_, err := testkit.New(Compose(series.Exp{Rate: 1}, testkit.BadStationary(g, -1, 0)), 2, 40, NewSampler(1))
			return refused(err)
		},
		"constants that overflow": func() error {
			_, err := testkit.New(Product(Constant{Value: 1e150}, Constant{Value: 1e150}, Constant{Value: 1e150}), 2, 40, NewSampler(1))
			return refused(err)
		},
		"scales that overflow": func() error {
			_, err := testkit.New(Scale(1e200, Scale(1e200, Linear{})), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a skeleton of many columns": func() error {
			sk := NewSkeleton(1 << 22)
			sk.Input(Gaussian{LengthScale: 1})
			_, err := sk.Kernel()
			return err
		},
		"a series that underflows": func() error {
			_, err := testkit.New(Dot(series.Exp{Rate: 1, Shift: -1e9}), 2, 10, NewSampler(1))
			return refused(err)
		},
		"a law in itself": func() error {
			l := &series.TruncatedLaw{Degree: 3}
			l.Law = l
			_, err := NewMaclaurin(ExpDot{LengthScale: 1}, 2, 10, NewSampler(1), &MaclaurinOptions{Law: l})
			return refused(err)
		},
		"a part of the zero Sampler": func() error {
			_, err := NewFourier(g, 2, 4, new(Sampler).Split(), nil)
			return refused(err)
		},
	} {
		start := time.Now()
		if err := build(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v", name, time.Since(start))
	}
}

// Expressions that repeat a kernel again and again are refused: 60 sums or products of two of the kernel before make 2⁶⁰ of it.
func TestRepeatedExpressions(t *testing.T) {
	for _, base := range []Kernel{Circle{}, Linear{}, Product(Circle{}, Linear{}), FromMap(testkit.Must(NewNeurons(ArcCosine{}, 1, 1, NewSampler(1), nil)))} {
		for _, of := range []func(ks ...Kernel) Kernel{Sum, Product} {
			k := base
			for range 60 {
				k = of(k, k)
			}
			if _, err := testkit.New(k, 1, 10, NewSampler(1)); err == nil {
				t.Error("an expression of 2⁶⁰ kernels was not refused")
			}
		}
	}
}

// refused returns an error unless err is one of the package.
func refused(err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") {
		return fmt.Errorf("not refused: %v", err)
	}
	return nil
}

// hugeSeries is a caller's series whose coefficients have no sum, and that says a value all the same.
type hugeSeries struct{}

func (hugeSeries) Eval(float64) float64  { return 1e300 }
func (hugeSeries) Deriv(float64) float64 { return 1e300 }
func (hugeSeries) Coeff(int) float64     { return 1e300 }
func (hugeSeries) Radius() float64       { return 1e300 }

// noFeatures is a map of R² to nothing.
type noFeatures struct{ FeatureMap }

func (noFeatures) Dims() (in, out int) { return 2, 0 }
func (noFeatures) Kernel() Kernel      { return Gaussian{LengthScale: 1} }

// An error in sampling mentions what the caller wrote, and a plan that cannot know its error says why.
func TestErrorsOfDrawing(t *testing.T) {
	full := errors.New("disk full")
	box := BlackBox{Of: Linear{}, Draw: testkit.DrawFunc(func(*Sampler) (func(x []float64) float64, error) { return nil, full })}
	_, err := testkit.New(Product(Sum(box, Linear{}), Gaussian{LengthScale: 1}), 2, 40, NewSampler(1))
	if !errors.Is(err, full) || strings.Contains(err.Error(), "node") {
		t.Errorf("%v: speaks of a node of no skeleton", err)
	}
	nan := Weight(WeightFunc(func([]float64) float64 { return math.NaN() }), Gaussian{LengthScale: 1})
	_, err = NewPlan(nan, nil, 40, &PlanOptions{In: 2, RMSE: 0.1})
	if err == nil || !strings.Contains(err.Error(), "Weight") {
		t.Errorf("%v: does not name the Weight", err)
	}
}
