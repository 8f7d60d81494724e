// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Two points of R³ with Δ = (−0.7, −1.6, 0.5), at which the values below are given.
var pointX, pointY = []float64{0.3, -1.2, 2}, []float64{1, 0.4, 1.5}

// stationaryKernels are all the stationary kernels of the package, by name, with their
// values at pointX and pointY from mpmath 1.2.1 with 40 digits, by the formulas in the
// doc comments (besselk for the Matérn kernels).
var stationaryKernels = []struct {
	name   string
	kernel Kernel
	value  float64
	dims   []int // nil: any
}{
	{"Gaussian", Gaussian{LengthScale: 1.7}, 0.564997339862150286, nil},
	{"RBF", RBF(0.35), 0.315057536903413339, nil},
	{"Laplacian", Laplacian{LengthScale: 1.7}, 0.192615592773840115, nil},
	{"Cauchy", Cauchy{LengthScale: 1.7}, 0.417302203211026463, nil},
	{"Matern0.3", Matern{Nu: 0.3, LengthScale: 1.7}, 0.288890408221199225, nil},
	{"Matern1/2", Matern{Nu: 0.5, LengthScale: 1.7}, 0.343495084345093689, nil},
	{"Matern1", Matern{Nu: 1, LengthScale: 1.7}, 0.412501223188752416, nil},
	{"Matern3/2", Matern{Nu: 1.5, LengthScale: 1.7}, 0.447881873546237792, nil},
	{"Matern5/2", Matern{Nu: 2.5, LengthScale: 1.7}, 0.485233384572415068, nil},
	{"Matern4.2", Matern{Nu: 4.2, LengthScale: 1.7}, 0.513794682200755264, nil},
	{"Matern50", Matern{Nu: 50, LengthScale: 1.7}, 0.560398253800462862, nil},
	{"RationalQuadratic1/2", RationalQuadratic{Alpha: 0.5, LengthScale: 1.7}, 0.683287690399419666, nil},
	{"RationalQuadratic2", RationalQuadratic{Alpha: 2, LengthScale: 1.7}, 0.605170917798963498, nil},
	{"RationalQuadratic1000", RationalQuadratic{Alpha: 1000, LengthScale: 1.7}, 0.565089397266538137, nil},
	{"Constant", Constant{Value: 2.5}, 2.5, nil},
	{"ARDGaussian", ARD([]float64{0.5, 2, 3}, Gaussian{LengthScale: 1}), 0.26877279382912328, []int{3}},
	{"ProjectGaussian", Project(testkit.Narrow, Gaussian{LengthScale: 1}), 0.0000618220785012527043, []int{3}},
	{"ProjectLaplacian", Project(testkit.Narrow, Laplacian{LengthScale: 2}), 0.102796908435286386, []int{3}},
	{"ProjectMatern", Project(testkit.Narrow.T(), Matern{Nu: 1.5, LengthScale: 2}), math.NaN(), []int{2}},
}

// stationary returns a kernel as a Stationary, or nil.
func stationary(k Kernel) Stationary {
	s, ok := StationaryOf(k)
	if ok != (s != nil) {
		panic("StationaryOf disagrees with itself")
	}
	return s
}

// The stationary kernels pass the conformance suite of kernels, spectral measures included.
func TestKernels(t *testing.T) {
	for _, c := range stationaryKernels {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if stationary(c.kernel) == nil {
				t.Fatalf("%v is not stationary", c.kernel)
			}
			k := testkit.KernelCase{Kernel: c.kernel, Dims: c.dims, Scale: 1.7,
				Values: []testkit.Value{{X: pointX, Y: pointY, Want: c.value}}}
			if k.Dims == nil {
				k.Dims = []int{1, 2, 3, 17}
			}
			if k.Dims[0] == 2 {
				// Aᵀ(1, −1) = (0.5, 2, −2), of norm √8.25: (1 + z)e^{−z}, z = √3·√8.25/2.
				z := math.Sqrt(3*8.25) / 2
				k.Values = []testkit.Value{{X: []float64{1, 0}, Y: []float64{0, 1}, Want: (1 + z) * math.Exp(-z)}}
			}
			testkit.Kernel(t, k)
		})
	}
}

// The kernels that are functions of the distance are Radial, and no others.
func TestRadialKernels(t *testing.T) {
	for _, c := range stationaryKernels {
		_, got := stationary(c.kernel).(Radial)
		want := c.name != "Laplacian" && c.name != "Cauchy" && c.dims == nil
		if got != want {
			t.Errorf("%s: Radial = %v, want %v", c.name, got, want)
		}
	}
}

// A Matérn kernel of ν = ½ in three dimensions at Δ = (1, 1, 1) is e^{−√3}, not the
// 0.050 = e^{−3} of a product over the coordinates.
func TestMaternIsNotAProduct(t *testing.T) {
	got := Matern{Nu: 0.5, LengthScale: 1}.Eval([]float64{1, 1, 1}, []float64{0, 0, 0})
	if want := math.Exp(-math.Sqrt(3)); math.Abs(got-want) > 1e-15 || math.Abs(got-0.177) > 5e-4 {
		t.Errorf("k = %v, want %v", got, want)
	}
}

// RBF takes γ of exp(−γ‖Δ‖²): the length scale is 1/√(2γ).
func TestRBFIsGaussian(t *testing.T) {
	if got, want := RBF(0.125).LengthScale, 2.0; math.Abs(got-want) > 1e-15 {
		t.Errorf("RBF(1/8) has length scale %v, want %v", got, want)
	}
}

// Stationary kernels vanish at distances that are large, infinite or overflow, and are 1 at those that are subnormal when they
// are squared.
func TestKernelExtremes(t *testing.T) {
	for _, c := range stationaryKernels {
		if c.dims != nil || c.name == "Constant" {
			continue
		}
		for _, far := range []float64{1e9, 1e200, math.MaxFloat64, math.Inf(1)} {
			if got := c.kernel.Eval([]float64{far, 0}, []float64{-far, 0}); !(got >= 0 && got < 1e-8) {
				t.Errorf("%s at a distance of %v: %v", c.name, 2*far, got)
			}
		}
		for _, near := range []float64{5e-324, 1e-300, 1e-160} {
			if got := c.kernel.Eval([]float64{near, 0}, []float64{0, 0}); !(got <= 1 && got > 1-1e-12) {
				t.Errorf("%s at a distance of %v: %v", c.name, near, got)
			}
		}
		if got := c.kernel.Eval([]float64{math.NaN(), 0}, []float64{0, 0}); !math.IsNaN(got) {
			t.Errorf("%s at NaN: %v", c.name, got)
		}
	}
}

// Matérn kernels where the square of the distance underflows, against mpmath 1.3.0 with 40 digits.
func TestMaternNear(t *testing.T) {
	for _, c := range []struct{ nu, r, want float64 }{
		{0.01, 1e-160, 0.9993946539963411114},
		{0.001, 1e-300, 0.7504254288606129903},
		{0.5, 1e-160, 1},
		{0.9, 1e-200, 1},
	} {
		k := Matern{Nu: c.nu, LengthScale: 1}
		if got := k.Eval([]float64{c.r, 0}, []float64{0, 0}); !(math.Abs(got-c.want) <= 1e-13) {
			t.Errorf("ν = %v, r = %v: %.17g, want %.17g", c.nu, c.r, got, c.want)
		}
		scaled := Matern{Nu: c.nu, LengthScale: 1e100}
		if c.r < 1e-200 {
			continue
		}
		if got := scaled.Eval([]float64{c.r * 1e100, 0}, []float64{0, 0}); !(math.Abs(got-c.want) <= 1e-13) {
			t.Errorf("ν = %v, r = %v, ℓ = 1e100: %.17g, want %.17g", c.nu, c.r, got, c.want)
		}
	}
	// Both ways meet.
	for _, nu := range []float64{0.01, 0.1, 0.5, 0.99} {
		k := Matern{Nu: nu, LengthScale: 1}
		a, b := k.Eval([]float64{1.4e-145}, []float64{0}), k.Eval([]float64{1.5e-145}, []float64{0})
		if !(math.Abs(a-b) <= 1e-12+2*nu*0.07*(1-a)) {
			t.Errorf("ν = %v: %v and %v on the two sides of a limit", nu, a, b)
		}
	}
}

// The rational quadratic of small α reaches far, where squares overflow: values from
// mpmath, (1 + r²/(2αℓ²))^(−α).
func TestRationalQuadraticFarOut(t *testing.T) {
	for _, c := range []struct{ alpha, l, r, want float64 }{
		{0.001, 1, 1e160, 0.475664817428996976},
		{0.01, 1e-150, 1e10, 0.000606750719437453708},
		{1e-310, 1, 1, 1},
	} {
		k := RationalQuadratic{Alpha: c.alpha, LengthScale: c.l}
		if got := k.Eval([]float64{c.r}, []float64{0}); !(math.Abs(got/c.want-1) <= 1e-13) {
			t.Errorf("%+v at r = %v: %.17g, want %.17g", k, c.r, got, c.want)
		}
	}
}

// Matrices in front of matrices, dense and diagonal, are one matrix, their product, and the kernel behind them stays radial.
func TestNestedProjections(t *testing.T) {
	l := []float64{0.5, 2, 4}
	inner := Gaussian{LengthScale: 3}
	diagonal := mat.NewDiagDense(3, []float64{1, -2, 0})
	for _, c := range []struct {
		name string
		got  Kernel
		want Kernel
	}{
		{"ARD of ARD", ARD(l, ARD([]float64{3, 3, 3}, inner)), ARD([]float64{1.5, 6, 12}, inner)},
		{"dense of ARD", Project(testkit.Narrow, ARD([]float64{0.5, 0.25}, inner)),
			Project(mat.NewDense(2, 3, []float64{2, 4, -2, 2, 0, 4}), inner)},
		{"ARD of dense", ARD(l, Project(testkit.Narrow, inner)),
			Project(mat.NewDense(2, 3, []float64{2, 1, -0.25, 1, 0, 0.25}), inner)},
		{"diagonal of dense", Project(diagonal, Project(testkit.Narrow, inner)),
			Project(mat.NewDense(2, 3, []float64{1, -4, 0, 0.5, 0, 0}), inner)},
		{"dense of dense", Project(testkit.Narrow.T(), Project(testkit.Narrow, inner)),
			Project(mat.NewDense(2, 2, []float64{6, -0.5, -0.5, 1.25}), inner)},
	} {
		x, y := pointX, pointY
		if c.name == "dense of dense" {
			x, y = x[:2], y[:2]
		}
		if got, want := c.got.Eval(x, y), c.want.Eval(x, y); !(math.Abs(got/want-1) <= 1e-13) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
		if _, err := NewFourier(c.got, len(x), 8, NewSampler(1), &FourierOptions{Design: Orthogonal}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Project copies its matrix, and ARD its length scales.
func TestProjectCopies(t *testing.T) {
	a := mat.DenseCopyOf(testkit.Narrow)
	l := []float64{1, 2, 3}
	p, d := Project(a, Gaussian{LengthScale: 3}), ARD(l, Gaussian{LengthScale: 3})
	wantP, wantD := p.Eval(pointX, pointY), d.Eval(pointX, pointY)
	a.Zero()
	clear(l)
	if p.Eval(pointX, pointY) != wantP || d.Eval(pointX, pointY) != wantD {
		t.Error("a kernel changed with what it was made from")
	}
}

// linearKernel is somebody's kernel, and not stationary.
type linearKernel struct{}

func (linearKernel) Eval(x, y []float64) float64 {
	return mat.Dot(mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y))
}

// Project of a kernel that is not stationary has its values, and no Fourier map.
func TestProjectOfAnyKernel(t *testing.T) {
	k := Project(testkit.Narrow, linearKernel{})
	// Ax = (−4.1, 2.15), Ay = (0.3, 2).
	if got, want := k.Eval(pointX, pointY), -4.1*0.3+2.15*2; !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("k = %v, want %v", got, want)
	}
	if stationary(k) != nil {
		t.Error("a projection of a kernel that is not stationary is Stationary")
	}
	if _, err := NewFourier(k, 3, 8, NewSampler(1), nil); !errors.Is(err, ErrNotStationary) {
		t.Errorf("NewFourier: %v, want ErrNotStationary", err)
	}
	var gram mat.SymDense
	Gram(&gram, k, mat.NewDense(1, 3, pointX))
	if got, want := gram.At(0, 0), 4.1*4.1+2.15*2.15; !(math.Abs(got-want) <= 1e-13) {
		t.Errorf("Gram = %v, want %v", got, want)
	}
}

// A matrix of another width than Project's panics before anything is sized.
func TestGramOfAnotherWidth(t *testing.T) {
	k := Project(testkit.Narrow, Gaussian{LengthScale: 1})
	x := mat.NewDense(2, 2, nil)
	var gram mat.SymDense
	var cross mat.Dense
	for name, f := range map[string]func(){
		"Gram":      func() { Gram(&gram, k, x) },
		"CrossGram": func() { CrossGram(&cross, k, x, x) },
	} {
		if err := mat.Maybe(f); err == nil || err.Error() != mat.ErrShape.Error() {
			t.Errorf("%s: %v, want mat.ErrShape", name, err)
		}
	}
	if !gram.IsEmpty() || !cross.IsEmpty() {
		t.Error("a destination was sized")
	}
}

// MedianLengthScale is the median distance over √2: of a few points exactly, of many within four standard errors of a median of
// pairs.
func TestMedianLengthScale(t *testing.T) {
	s := NewSampler(1)
	// On a line at 0, 1, 3 the distances are 1, 2, 3: the median is 2.
	if got, want := testkit.Must(MedianLengthScale(mat.NewDense(3, 1, []float64{0, 1, 3}), s)), math.Sqrt2; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("of three points: %v, want %v", got, want)
	}
	// With four points at 0, 1, 3, 7 they are 1, 2, 3, 4, 6, 7: between 3 and 4.
	if got, want := testkit.Must(MedianLengthScale(mat.NewDense(4, 1, []float64{0, 1, 3, 7}), s)), 3.5/math.Sqrt2; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("of four points: %v, want %v", got, want)
	}
	// Normal points of R²: ‖x−y‖²/2 is exponential with mean 2, so the median of ‖x−y‖/√2 is
	// √(2·ln 2). The median of N = 10,000 pairs has the standard error 1/(2f√N) with the
	// density f there, f = r/2 at that median: 0.0085, and the 2,000 points add about √2·0.5/√2000.
	x := mat.NewDense(2000, 2, nil)
	s.FillNormal(x.RawMatrix().Data)
	if got, want := testkit.Must(MedianLengthScale(x, s)), math.Sqrt(2*math.Ln2); !(math.Abs(got-want) <= 0.05) {
		t.Errorf("of normal points: %v, want %v", got, want)
	}
	// All rows are drawn alike. On a line at 0, 1, …, n−1 the median distance is
	// (1 − 1/√2)n, with a density 2(1 − r) of r = distance/n: the standard error of a
	// median of 10,000 is 1/(2·√2·100) = 0.0035.
	const n = 3000
	line := mat.NewDense(n, 1, nil)
	for i := range n {
		line.Set(i, 0, float64(i))
	}
	if got, want := testkit.Must(MedianLengthScale(line, s))*math.Sqrt2/n, 1-math.Sqrt2/2; !(math.Abs(got-want) <= 4*0.0035) {
		t.Errorf("on a line: %v, want %v", got, want)
	}
	nan, huge := mat.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6}), mat.NewDense(2, 1, []float64{0, 1e200})
	for _, c := range []struct {
		x    mat.Matrix
		s    *Sampler
		want string
	}{
		{nil, s, "x = nil"},
		{mat.NewDense(1, 2, nil), s, "x has 1 rows"},
		{new(mat.Dense), s, "x has 0 rows"},
		{x, new(Sampler), "zero value"},
		{nan, s, "x: row 1, column 1 = NaN"},
		{huge, s, "the median distance of two rows is +Inf"},
		{mat.NewDense(3, 2, nil), s, "the median distance of two rows is 0"},
	} {
		var before Sampler
		if c.s != nil {
			before = *c.s
		}
		if _, err := MedianLengthScale(c.x, c.s); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
		if c.s != nil && *c.s != before {
			t.Errorf("%q: the sampler was changed", c.want)
		}
	}
	a, b := NewSampler(3), NewSampler(3)
	testkit.Must(MedianLengthScale(x, a))
	b.Split()
	if a.Uint64() != b.Uint64() {
		t.Error("MedianLengthScale took something else than one Split")
	}
}

// Length scales go into weights, so their bits are part of the promise.
func TestGoldenMedianLengthScale(t *testing.T) {
	var b bytes.Buffer
	for seed := range uint64(40) {
		for _, n := range []int{50, 200} {
			x := mat.NewDense(n, 8, nil)
			s := NewSampler(seed)
			s.FillNormal(x.RawMatrix().Data)
			fmt.Fprintf(&b, "%x\n", testkit.Must(MedianLengthScale(x, s)))
		}
	}
	golden.Compare(t, "median.golden", b.Bytes())
}

// Eval of a polynomial kernel multiplies, and its series takes powers: they are the same up to rounding, of which there is
// some for each factor.
func TestPolynomialPowers(t *testing.T) {
	x := []float64{1}
	for degree := range 70 {
		k := Polynomial{Degree: degree, Gamma: 0.75, Offset: 0.25}
		for _, u := range []float64{0, 0.5, -0.5, 1, -1.75, 3.3, -1e3, 1e200, math.Inf(1), math.NaN()} {
			got, want := k.Eval(x, []float64{u}), k.Series().Eval(u)
			if got != want && !(math.Abs(got-want) <= 1e-15*float64(degree)*math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("degree %d at %v: %v, want %v", degree, u, got, want)
			}
		}
	}
}
