// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// The variance of orthogonal frequencies in the plane, where a pair of frequencies has the covariance
//
//	(τ₁e^{−wτ₁} − τ₂e^{−wτ₂})/(τ₁ − τ₂) − e^{−w(τ₁+τ₂)},  w = ‖Δ‖²/2,
//
// for τ₁ ≠ τ₂. Scales far apart were off by 2 per cent.
func TestOrthogonalVarianceOfFarScales(t *testing.T) {
	const p1, tau1, tau2 = 0.1, 900.0, 1.0
	k := Compose(Coefficients{0, 1}, Sum(Scale(p1, Gaussian{LengthScale: 1. / 30}), Scale(1-p1, Gaussian{LengthScale: 1})))
	f := must(NewFourier(k, 2, 4, NewSampler(1), &FourierOptions{Design: Orthogonal}))
	for _, r := range []float64{0.03, 0.1, 0.3, 1} {
		w := r * r / 2
		same := func(tau float64) float64 { return (1-w*tau)*math.Exp(-w*tau) - math.Exp(-2*w*tau) }
		far := (tau1*math.Exp(-w*tau1)-tau2*math.Exp(-w*tau2))/(tau1-tau2) - math.Exp(-w*(tau1+tau2))
		covariance := p1*p1*same(tau1) + (1-p1)*(1-p1)*same(tau2) + 2*p1*(1-p1)*far
		x, zero := []float64{r, 0}, []float64{0, 0}
		k1, k2 := k.Eval(x, zero), k.Eval([]float64{2 * r, 0}, zero)
		want := (0.5*(1+k2)-k1*k1)/2 + covariance/2
		if got := f.Variance(x, zero); !(math.Abs(got-want) <= 3e-4*want) {
			t.Errorf("r = %v: Variance = %.6f, want %.6f", r, got, want)
		}
	}
}

// Constructors end, and refuse what cannot be drawn: before, these took from four seconds to for ever, or were
// accepted, or panicked. (How long each takes now is in the log.)
func TestMoreConstructorsEnd(t *testing.T) {
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
			_, err := New(Compose(ExpDual(1e4), Compose(ExpDual(1e4), g)), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a graph walked in vain": func() error {
			sk := NewSkeleton(1)
			n := sk.Unit(Coefficients{1}, sk.Input(Circle{}))
			for range 60 {
				n = sk.Product(n, n)
			}
			_, err := NewCompositional(sk, 10, NewSampler(1), nil)
			return refused(err)
		},
		"shared terms": func() error {
			k := deep(9, func(k Kernel) Kernel { return Sum(Scale(0.5, Compose(ExpDual(1), k)), Scale(0.5, k)) })
			_, err := New(k, 2, 40, NewSampler(1))
			return err
		},
		"too many terms": func() error {
			ks := make([]Kernel, 20_000)
			for i := range ks {
				ks[i] = Gaussian{LengthScale: 1 + float64(i)}
			}
			_, err := New(Sum(ks...), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a series that is less than its terms": func() error {
			_, err := New(Product(g, Dot(hugeSeries{})), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a map without features": func() error {
			if _, err := New(FromMap(noFeatures{}), 2, 40, NewSampler(1)); err == nil {
				return errors.New("New accepted it")
			}
			_, err := NewDataDependent(noFeatures{}, mat.NewDense(3, 2, nil), nil)
			return refused(err)
		},
		"a matrix beyond memory": func() error {
			_, err := New(Project(lazy{math.MaxInt32, math.MaxInt32}, g), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a kernel of negative mass": func() error {
			_, err := New(Compose(Exp{Rate: 1}, negativeMass{g}), 2, 40, NewSampler(1))
			return refused(err)
		},
		"constants that overflow": func() error {
			_, err := New(Product(Constant{Value: 1e150}, Constant{Value: 1e150}, Constant{Value: 1e150}), 2, 40, NewSampler(1))
			return refused(err)
		},
		"scales that overflow": func() error {
			_, err := New(Scale(1e200, Scale(1e200, Linear{})), 2, 40, NewSampler(1))
			return refused(err)
		},
		"a skeleton of many columns": func() error {
			sk := NewSkeleton(1 << 22)
			sk.Input(Gaussian{LengthScale: 1})
			_, err := sk.Kernel()
			return err
		},
		"a series that underflows": func() error {
			_, err := New(Dot(Exp{Rate: 1, Shift: -1e9}), 2, 10, NewSampler(1))
			return refused(err)
		},
		"a law in itself": func() error {
			l := &TruncatedLaw{Degree: 3}
			l.Law = l
			_, err := NewMaclaurin(ExpDot{LengthScale: 1}, 2, 10, NewSampler(1), &MaclaurinOptions{Law: l})
			return refused(err)
		},
		"zero values": func() error {
			if s := fmt.Sprint(new(Fourier), new(Plan)); strings.Contains(s, "PANIC") {
				return errors.New(s)
			}
			if _, err := New(FromMap(new(Fourier)), 2, 4, NewSampler(1)); err == nil {
				return errors.New("a map of a zero value")
			}
			if p, err := PlanOf(new(Fourier)); err == nil || p != nil {
				return errors.New("a plan of a zero value")
			}
			_, err := new(Plan).Draw(NewSampler(1))
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

// refused returns an error unless err is one of the package.
func refused(err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") {
		return fmt.Errorf("not refused: %v", err)
	}
	return nil
}

type hugeSeries struct{}

func (hugeSeries) Eval(float64) float64  { return 1e300 }
func (hugeSeries) Deriv(float64) float64 { return 1e300 }
func (hugeSeries) Coeff(int) float64     { return 1e300 }
func (hugeSeries) Radius() float64       { return 1e300 }

type noFeatures struct{ FeatureMap }

func (noFeatures) Dims() (in, out int) { return 2, 0 }
func (noFeatures) Kernel() Kernel      { return Gaussian{LengthScale: 1} }

type lazy struct{ r, c int }

func (m lazy) Dims() (r, c int)  { return m.r, m.c }
func (lazy) At(i, j int) float64 { return 1 }
func (m lazy) T() mat.Matrix     { return mat.Transpose{Matrix: m} }

type negativeMass struct{ Gaussian }

func (negativeMass) Mass() float64 { return -1 }

// An error in drawing speaks of what the caller wrote, and a plan that cannot know its error says why.
func TestErrorsOfDrawing(t *testing.T) {
	full := errors.New("disk full")
	box := BlackBox{Of: Linear{}, Draw: DrawFunc(func(*Sampler) (func(x []float64) float64, error) { return nil, full })}
	_, err := New(Product(Sum(box, Linear{}), Gaussian{LengthScale: 1}), 2, 40, NewSampler(1))
	if !errors.Is(err, full) || strings.Contains(err.Error(), "node") {
		t.Errorf("%v: speaks of a node of no skeleton", err)
	}
	nan := Weight(WeightFunc(func([]float64) float64 { return math.NaN() }), Gaussian{LengthScale: 1})
	_, err = NewPlan(nan, 2, 40, &PlanOptions{RMSE: 0.1})
	if err == nil || !strings.Contains(err.Error(), "Weight") {
		t.Errorf("%v: does not name the Weight", err)
	}
}

// What cannot be saved fails, and no generator's state is printed.
func TestNothingLeaks(t *testing.T) {
	k := Sum(Gaussian{LengthScale: 1}, ExpDot{LengthScale: 1})
	own := must(New(Sum(k, oneSided{Gaussian{LengthScale: 1}}), 2, 40, NewSampler(1)))
	for _, v := range []any{must(PlanOf(own)), own, struct{ P *Plan }{must(PlanOf(own))}} {
		if _, err := json.Marshal(v); err == nil || !strings.Contains(err.Error(), "featuremap_test.oneSided") {
			t.Errorf("%T: %v, want an error that names the kernel's type", v, err)
		}
	}
	if b, err := json.Marshal(NewSampler(1)); err == nil || !strings.Contains(err.Error(), "MarshalBinary") {
		t.Errorf("a Sampler marshals as %s, %v, want an error that says how to save it", b, err)
	}
	for _, v := range []any{NewSampler(1), Sum(sampling{Gaussian{LengthScale: 1}, NewSampler(5)}, k)} {
		if s := fmt.Sprint(v); strings.Contains(s, "PCG") || !strings.Contains(s, "NewSampler(…)") {
			t.Errorf("prints as %s", s)
		}
	}
}

type sampling struct {
	Gaussian
	S *Sampler
}

// Series of the algebra, and terms of plans, print as Go expressions of what is exported.
func TestMorePrinting(t *testing.T) {
	series := func(k Kernel) Series { return k.(DotProduct).Series() }
	e, g := ExpDot{LengthScale: 1}, Gaussian{LengthScale: 1}
	for _, c := range []struct {
		k    fmt.Stringer
		want string
	}{
		{Compose(Polynomial{Degree: 3, Scale: 0.5, Offset: 1}.Series(), ArcCosine{Order: 1}).(fmt.Stringer),
			"Compose(Polynomial{Degree: 3, Scale: 0.5, Offset: 1}.Series(), ArcCosine{Order: 1})"},
		{Compose(series(Sum(e, Scale(2, Dot(ReLUDual{})))), ArcCosine{Order: 1}).(fmt.Stringer),
			"Compose(Sum(Dot(Exp{Rate: 1, Shift: 0}), Scale(2, Dot(ReLUDual{}))).(DotProduct).Series(), ArcCosine{Order: 1})"},
		{must(NewPlan(Sum(Linear{}, Select([]int{1}, Weight(norm{2}, g))), 2, 40, nil)),
			"Product(Select([]int{1}, Weight(featuremap_test.norm{Scale: 2}, Constant{Value: 1})), Select([]int{1}, Gaussian{LengthScale: 1}))"},
		{must(NewPlan(Sum(Project(mat.NewDiagDense(2, []float64{1, 0}), g), Linear{}), 2, 40, nil)),
			"Project(mat.NewDiagDense(2, []float64{1, 0}), Gaussian{LengthScale: 1})"},
	} {
		if got := c.k.String(); !strings.Contains(got, c.want) {
			t.Errorf("prints as %s\nwant %s", got, c.want)
		}
	}
}

// norm is a Weighter that can be compared.
type norm struct{ Scale float64 }

func (w norm) Weight(x []float64) float64 { return w.Scale + x[0]*x[0] }

// Variances are not negative where rounding is all there is, and +Inf where they overflow.
func TestVarianceAtTheEdges(t *testing.T) {
	f := must(NewFourier(Matern{Nu: 1.5, LengthScale: 1}, 3, 14, NewSampler(1), &FourierOptions{Design: Orthogonal}))
	x := []float64{-1.0372995993699632e-9, 1.4676208415547992e-8, 1.2968594210989885e-8}
	y := []float64{6.472525394353897e-9, -1.6608248193573379e-10, -5.046666064009114e-9}
	if v := f.Variance(x, y); !(v >= 0) {
		t.Errorf("Fourier: Variance = %v", v)
	}
	for order := range 3 {
		n := must(NewNeurons(ArcCosine{Order: order}, 3, 10, NewSampler(1), nil))
		if v := n.Variance([]float64{-5.8e159, -2.8e160, 2e160}, []float64{-2.4e159, 8e159, 6.8e158}); math.IsNaN(v) {
			t.Errorf("Neurons of order %d: Variance = %v", order, v)
		}
	}
}
