// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// mixture returns a mixture of three components on R^d, d ≤ 3: one without a mean, one without a scale in the
// first coordinate.
func mixture(d int) SpectralMixture {
	return SpectralMixture{
		Weights: []float64{0.7, 0.25, 1.5},
		Means:   mat.NewDense(3, 3, []float64{0.4, -1.1, 2, 1.3, 0.2, -0.5, 0, 0, 0}).Slice(0, 3, 0, d),
		Scales:  mat.NewDense(3, 3, []float64{0.5, 0.3, 1.2, 0, 0.8, 0.1, 0.6, 0.4, 0.2}).Slice(0, 3, 0, d),
	}
}

// The values at the first coordinates of pointX and pointY are from mpmath 1.3.0 with 60 digits.
func TestSpectralMixture(t *testing.T) {
	for i, want := range []float64{2.1595731431197170286, 1.2090681349367322677, 0.73672697825251233736} {
		d := i + 1
		k := mixture(d)
		for _, k := range []Kernel{k, &k} {
			t.Run(fmt.Sprintf("%T/%d", k, d), func(t *testing.T) {
				t.Parallel()
				testkit.Kernel(t, testkit.KernelCase{Kernel: k, Dims: []int{d}, Scale: 1.7,
					Values: []testkit.Value{{X: pointX[:d], Y: pointY[:d], Want: want}}})
			})
		}
	}
	if _, ok := Kernel(SpectralMixture{}).(Radial); ok {
		t.Error("SpectralMixture is Radial")
	}
}

// One component without a mean is a Gaussian kernel, one without a scale a cosine of any reach, and far out
// the others are 0.
func TestSpectralMixtureOfOne(t *testing.T) {
	zero := mat.NewDense(1, 3, nil)
	lengths := []float64{0.5, 2, 3}
	gaussian := SpectralMixture{[]float64{2}, zero, mat.NewDense(1, 3, []float64{2, 0.5, 1. / 3})}
	want := 2 * ARD(lengths, Gaussian{LengthScale: 1}).Eval(pointX, pointY)
	if got := gaussian.Eval(pointX, pointY); !(math.Abs(got/want-1) <= 1e-14) {
		t.Errorf("without a mean: %v, want %v", got, want)
	}
	cosine := SpectralMixture{[]float64{2}, mat.NewDense(1, 3, []float64{1, 2, -3}), zero}
	if got, want := cosine.Eval(pointX, pointY), 2*math.Cos(-0.7-3.2-1.5); !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("without a scale: %v, want %v", got, want)
	}
	for _, far := range []float64{1e9, 1e200, math.MaxFloat64} {
		if got := mixture(1).Eval([]float64{far}, []float64{-far}); !(math.Abs(got) <= 0.25) { // the second has no scale
			if !math.IsNaN(got) || far < math.MaxFloat64 {
				t.Errorf("at a distance of %v: %v", 2*far, got)
			}
		}
		if got := gaussian.Eval([]float64{far, 0, 0}, []float64{-far, 0, 0}); got != 0 {
			t.Errorf("without a mean, at a distance of %v: %v", 2*far, got)
		}
	}
	if got := mixture(1).Eval([]float64{math.NaN()}, []float64{0}); !math.IsNaN(got) {
		t.Errorf("at NaN: %v", got)
	}
}

// Second moments of frequencies, Σ wᵢ(μᵢμᵢᵀ + diag σᵢ²)/Σ w, by z-scores with the sample's own variances: means
// have their common sign, and scales their coordinate.
func TestSpectralMixtureFrequencies(t *testing.T) {
	n := testkit.Times(20_000, 20_000, 100_000)
	k := mixture(3)
	s := NewSampler(3)
	w := make([]float64, 3)
	var sums, squares [3][3]float64
	for range n {
		k.Frequency(w, s)
		for i, a := range w {
			for j, b := range w {
				sums[i][j] += a * b
				squares[i][j] += a * b * a * b
			}
		}
	}
	for i := range 3 {
		for j := range 3 {
			var want float64
			for c, weight := range k.Weights {
				m := k.Means.At(c, i) * k.Means.At(c, j)
				if i == j {
					m += k.Scales.At(c, i) * k.Scales.At(c, i)
				}
				want += weight / 2.45 * m
			}
			mean := sums[i][j] / float64(n)
			if se := math.Sqrt((squares[i][j]/float64(n) - mean*mean) / float64(n)); !(math.Abs(mean-want) <= 5*se) {
				t.Errorf("E ω%dω%d = %.4f ± %.4f, want %.4f", i, j, mean, se, want)
			}
		}
	}
	// A component of weight 0 is never drawn.
	k.Weights = []float64{0, 1, 0}
	for range 1000 {
		if k.Frequency(w, s); math.Abs(w[0]) != 1.3 {
			t.Fatalf("frequency %v of a component of weight 0", w)
		}
	}
	w = w[:2]
	if err := mat.Maybe(func() { k.Frequency(w, s) }); err == nil || err.Error() != mat.ErrShape.Error() {
		t.Errorf("a frequency of another length: %v, want mat.ErrShape", err)
	}
}

// Maps of spectral mixtures, alone and in expressions, pass the conformance suite of maps.
func TestSpectralMixtureMaps(t *testing.T) {
	m := mixture(3)
	for i, c := range []struct {
		name   string
		kernel func(d int) Kernel
		dims   []int
	}{
		{"SpectralMixture", func(d int) Kernel { return mixture(d) }, []int{1, 2, 3}},
		{"pointer", func(int) Kernel { return &m }, []int{3}},
		{"ARD", func(int) Kernel { return ARD([]float64{0.5, 2, 3}, m) }, []int{3}},
		{"Select", func(int) Kernel { return Select([]int{2, 0}, mixture(2)) }, []int{3}},
		{"Product", func(d int) Kernel { return Product(mixture(d), Periodic{Period: 2, LengthScale: 1}) }, []int{2}},
		{"Scale", func(d int) Kernel { return Scale(0.4, mixture(d)) }, []int{2}},
		{"Sum", func(d int) Kernel { return Sum(mixture(d), Gaussian{LengthScale: 3}) }, []int{2}},
	} {
		for j, o := range allOptions[:2] {
			if i > 0 && j != i%2 && !testkit.Long() {
				continue
			}
			t.Run(c.name+"/"+optionsName(o), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New: func(in, out int, s *Sampler) (FeatureMap, error) {
						return NewFourier(c.kernel(in), in, out, s, &o)
					},
					Dims:  c.dims,
					Out:   func(d int) int { return 4*d + 2 },
					Pairs: func(d int) []testkit.Pair { return testkit.Pairs(d, 1.7) },
				})
			})
		}
		t.Run(c.name+"/New", func(t *testing.T) {
			testkit.Map(t, testkit.MapCase{
				New:   func(in, out int, s *Sampler) (FeatureMap, error) { return testkit.New(c.kernel(in), in, 12, s) },
				Dims:  c.dims[:1],
				Pairs: func(d int) []testkit.Pair { return testkit.Pairs(d, 1.7) },
			})
		})
	}
}

// Mixtures cannot be compared with ==. Like terms are found all the same, however their matrices are stored.
func TestSpectralMixtureLikeTerms(t *testing.T) {
	a, b := mixture(2), mixture(2)
	b.Means = mat.DenseCopyOf(b.Means.T()).T()
	p := testkit.Must(NewPlan(Sum(a, &b), nil, 40, &PlanOptions{In: 2}))
	if shape := PlanShape(p); len(shape) != 1 {
		t.Errorf("a sum of one kernel with itself has the terms %v", shape)
	}
	x, y := pointX[:2], pointY[:2]
	if got, want := p.Variance(x, y), testkit.Must(NewPlan(Scale(2, a), nil, 40, &PlanOptions{In: 2})).Variance(x, y); !(math.Abs(got/want-1) <= 1e-12) {
		t.Errorf("Variance = %v, of twice the kernel %v", got, want)
	}
	b.Weights[1]++
	if shape := PlanShape(testkit.Must(NewPlan(Sum(a, b), nil, 40, &PlanOptions{In: 2}))); len(shape) != 2 {
		t.Errorf("a sum of two kernels has the terms %v", shape)
	}
	w := WeightFunc(func(x []float64) float64 { return x[0] })
	testkit.Must(NewPlan(Sum(Weight(w, a), Weight(w, a), Product(a, Linear{})), nil, 200, &PlanOptions{In: 2}))
	sk := NewSkeleton(3)
	sk.Unit(series.ExpDual(1), sk.Input(Scale(1/2.45, a), 2, 0))
	if _, err := sk.Kernel(); err != nil {
		t.Errorf("in a skeleton: %v", err)
	}
}

// A map keeps what the kernel was.
func TestSpectralMixtureIsCopied(t *testing.T) {
	k := SpectralMixture{[]float64{0.5}, mat.NewDense(1, 2, []float64{1, 2}), mat.NewDense(1, 2, []float64{0.5, 0.2})}
	e := Scale(2, k)
	x, y := pointX[:2], pointY[:2]
	f, g := testkit.Must(NewFourier(k, 2, 8, NewSampler(1), nil)), testkit.Must(NewFourier(e, 2, 8, NewSampler(1), nil))
	p := testkit.Must(NewPlan(k, nil, 8, &PlanOptions{In: 2}))
	frequencies := f.Frequencies()
	drawn := testkit.Must(p.Draw(NewSampler(1))).TransformVec(nil, x)
	vf, vg, ve := f.Variance(x, y), g.Variance(x, y), e.Eval(x, y)
	k.Weights[0] = 7
	k.Means.(*mat.Dense).Scale(3, k.Means)
	k.Scales.(*mat.Dense).Zero()
	if got := f.Variance(x, y); got != vf {
		t.Errorf("Variance = %v, was %v", got, vf)
	}
	if got := g.Variance(x, y); got != vg {
		t.Errorf("of an expression: Variance = %v, was %v", got, vg)
	}
	if got := e.Eval(x, y); got != ve {
		t.Errorf("an expression's value = %v, was %v", got, ve)
	}
	if !mat.Equal(f.Frequencies(), frequencies) {
		t.Error("Frequencies have changed")
	}
	if got := testkit.Must(p.Draw(NewSampler(1))).TransformVec(nil, x); p.Variance(x, y) != vf || !slices.Equal(got, drawn) {
		t.Errorf("a plan has changed: Variance = %v, was %v; features %v, were %v", p.Variance(x, y), vf, got, drawn)
	}
}

// A spectral mixture whose weights are all 0 is the kernel 0, and its features are 0.
func TestSpectralMixtureWithoutMass(t *testing.T) {
	k := mixture(2)
	k.Weights = make([]float64, 3)
	f := testkit.Must(NewFourier(k, 2, 8, NewSampler(1), nil))
	if got := f.TransformVec(nil, pointX[:2]); mat.Norm(mat.NewVecDense(8, got), 2) != 0 {
		t.Errorf("features of the kernel 0: %v", got)
	}
}

// A spectral mixture is refused, by value, by pointer and in a sum, if its weights or matrices are missing, of other shapes,
// negative or not finite.
func TestSpectralMixtureIsRefused(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	one := []float64{1}
	m := func(v ...float64) mat.Matrix { return mat.NewDense(1, len(v), v) }
	var none *mat.Dense
	for _, c := range []struct {
		kernel SpectralMixture
		want   string
		is     error
	}{
		{SpectralMixture{}, "SpectralMixture Weights = []", nil},
		{SpectralMixture{one, nil, m(1)}, "SpectralMixture Means = nil", nil},
		{SpectralMixture{one, none, m(1)}, "SpectralMixture Means = nil", nil},
		{SpectralMixture{one, m(1), nil}, "SpectralMixture Scales = nil", nil},
		{SpectralMixture{one, m(1), none}, "SpectralMixture Scales = nil", nil},
		{SpectralMixture{[]float64{1, 2}, m(1), m(1)}, "SpectralMixture Means is 1×1: must have a row for each of the 2 weights", nil},
		{SpectralMixture{one, new(mat.Dense), m(1)}, "SpectralMixture Means is 0×0", nil},
		{SpectralMixture{one, m(1), m(1, 2)}, "SpectralMixture Scales is 1×2: must be 1×1", nil},
		{SpectralMixture{one, m(1), new(mat.Dense)}, "SpectralMixture Scales is 0×0", nil},
		{SpectralMixture{one, m(1, 2), m(1, 2)}, "in = 1: the matrices of SpectralMixture have 2 columns", nil},
		{SpectralMixture{[]float64{-1}, m(1), m(1)}, "SpectralMixture Weights[0] = -1", ErrNotPSD},
		{SpectralMixture{[]float64{nan}, m(1), m(1)}, "SpectralMixture Weights[0] = NaN", nil},
		{SpectralMixture{[]float64{inf}, m(1), m(1)}, "SpectralMixture Weights[0] = +Inf", nil},
		{SpectralMixture{[]float64{1e160}, m(1), m(1)}, "SpectralMixture Weights add up to 1e+160", nil},
		{SpectralMixture{one, m(nan), m(1)}, "SpectralMixture Means: row 0, column 0 = NaN", nil},
		{SpectralMixture{one, m(inf), m(1)}, "SpectralMixture Means: row 0, column 0 = +Inf", nil},
		{SpectralMixture{one, m(1), m(nan)}, "SpectralMixture Scales: row 0, column 0 = NaN", nil},
		{SpectralMixture{one, m(1), m(inf)}, "SpectralMixture Scales: row 0, column 0 = +Inf", nil},
		{SpectralMixture{one, m(1), m(-0.5)}, "SpectralMixture Scales(0, 0) = -0.5", nil},
	} {
		for _, k := range []Kernel{c.kernel, &c.kernel, Sum(c.kernel, Gaussian{LengthScale: 1})} {
			f, err := NewFourier(k, 1, 2, NewSampler(1), nil)
			if err == nil || f != nil || !strings.HasPrefix(err.Error(), "featuremap: ") || strings.Count(err.Error(), "featuremap: ") != 1 ||
				!strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		}
	}
	in := int(min(1<<40, uint64(math.MaxInt)))
	huge := testkit.Unread(1, in)
	if _, err := (FourierBound{Kernel: SpectralMixture{one, huge, huge}, In: in}).Tail(); err == nil || !strings.Contains(err.Error(), "SpectralMixture Means and Scales are 1×") {
		t.Errorf("matrices that fit in no memory: error %v", err)
	}
	// What has no shape has no values, and prints.
	for _, k := range []SpectralMixture{{}, {Weights: one, Means: none, Scales: m(1)}, {[]float64{1, 2}, m(1), m(1)}} {
		w := []float64{1}
		if k.Frequency(w, NewSampler(1)); !math.IsNaN(k.Eval(one, one)) || !math.IsNaN(w[0]) {
			t.Errorf("%v: value %v, frequency %v, want NaN", k, k.Eval(one, one), w)
		}
	}
	k := SpectralMixture{one, m(1, 2), m(3, 4)}
	if err := mat.Maybe(func() { k.Eval(one, one) }); err == nil || err.Error() != mat.ErrShape.Error() {
		t.Errorf("a point of another length: %v, want mat.ErrShape", err)
	}
	const want = "SpectralMixture{Weights: []float64{1}, Means: mat.NewDense(1, 2, []float64{1, 2}), Scales: mat.NewDense(1, 2, []float64{3, 4})}"
	if got := k.String(); got != want {
		t.Errorf("prints as %s, want %s", got, want)
	}
	if got, want := (SpectralMixture{one, none, nil}).String(), "SpectralMixture{Weights: []float64{1}, Means: nil, Scales: nil}"; got != want {
		t.Errorf("prints as %s, want %s", got, want)
	}
}

// The second moment that bounds use is known in one dimension, where it is one number.
func TestSpectralMixtureSpectrum(t *testing.T) {
	k := mixture(1)
	v := (0.7*(0.4*0.4+0.5*0.5) + 0.25*1.3*1.3 + 1.5*0.6*0.6) / 2.45
	mass, sigma, gradient, err := Slopes(k, 1)
	if err != nil || !(math.Abs(mass-2.45) <= 1e-15 && math.Abs(sigma/math.Sqrt(v)-1) <= 1e-14 && gradient == sigma) {
		t.Errorf("mass %v, σ = %v, g = %v, want σ = %v, error %v", mass, sigma, gradient, math.Sqrt(v), err)
	}
	if _, err := (FourierBound{Kernel: mixture(2), In: 2, Diameter: 1}).Tail(); err == nil || !strings.Contains(err.Error(), "not known") {
		t.Errorf("in two dimensions: %v, want an error", err)
	}
}
