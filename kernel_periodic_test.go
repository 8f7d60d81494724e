// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// periodicKernels have their values at pointX and pointY from mpmath 1.3.0 with 60 digits.
var periodicKernels = []struct {
	kernel Periodic
	value  float64
}{
	{Periodic{Period: 2.3, LengthScale: 0.8}, 0.0044444517091829564051},
	{Periodic{Period: 5, LengthScale: 0.3}, 2.8100522275230342774e-10},
	{Periodic{Period: 0.7, LengthScale: 3}, 0.76210470952818405747},
	{Periodic{Period: 2.3, LengthScale: 10}, 0.96593084910159108011},
}

// The periodic kernels pass the conformance suite of kernels, spectral measures included.
func TestPeriodic(t *testing.T) {
	for _, c := range periodicKernels {
		t.Run(c.kernel.String(), func(t *testing.T) {
			t.Parallel()
			testkit.Kernel(t, testkit.KernelCase{Kernel: c.kernel, Dims: []int{1, 2, 3, 17}, Scale: 1.7,
				Values: []testkit.Value{{X: pointX, Y: pointY, Want: c.value}}})
		})
	}
	if _, ok := Kernel(Periodic{}).(Radial); ok {
		t.Error("Periodic is Radial")
	}
}

// Values far out, near multiples of the period and halfway between them, from mpmath 1.3.0 with 60 digits, and
// with 700 for the last two.
func TestPeriodicFarOut(t *testing.T) {
	for _, c := range []struct{ p, l, x, y, want float64 }{
		{2.3, 0.8, 1e6, 0, 0.062377609412458742137},
		{2.3, 0.8, 1e15 + 1, 0, 0.07877471253766370658},
		{2.3, 0.01, 6.901, 0, 0.96337342368542578917},
		{2.3, 0.001, 2300.0001, 0, 0.96337340128001129136},
		{2.3, 0.8, 1.15, 0, 0.04393693362340743257},
		{0.1, 0.5, 1e300, 0, 0.9999006793267319027},
		{2.3, 0.8, 1.7e308, -1.7e308, 0.12336253598397774889},
	} {
		k := Periodic{Period: c.p, LengthScale: c.l}
		if got := k.Eval([]float64{c.x}, []float64{c.y}); !(math.Abs(got/c.want-1) <= 1e-12) {
			t.Errorf("%v at %v and %v: %.17g, want %.17g", k, c.x, c.y, got, c.want)
		}
	}
	k := Periodic{Period: 2.5, LengthScale: 1e-7}
	for _, n := range []float64{1, 3, 1e9, 1 << 50} {
		if got := k.Eval([]float64{2.5 * n}, []float64{0}); got != 1 {
			t.Errorf("after %v periods: %v, want 1", n, got)
		}
	}
	for _, near := range []float64{5e-324, 1e-300, 1e-160} {
		if got := k.Eval([]float64{near}, []float64{0}); got != 1 {
			t.Errorf("at a distance of %v: %v, want 1", near, got)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := k.Eval([]float64{v, 0}, []float64{0, 0}); !math.IsNaN(got) {
			t.Errorf("at %v: %v, want NaN", v, got)
		}
	}
}

// skellamWeights returns e^{−λ}·I_j(λ) for j = 0, 1, … as far as these matter, by Miller's backward recurrence
// I_{j−1} = I_{j+1} + (2j/λ)·I_j, normalized by I₀ + 2·ΣI_j = e^λ (Abramowitz and Stegun 1964, 9.6.26 and 9.6.37).
func skellamWeights(lambda float64) []float64 {
	w := make([]float64, int(40+20*math.Sqrt(lambda)))
	w[len(w)-1] = 1e-300
	for j := len(w) - 1; j > 0; j-- {
		next := 0.0
		if j+1 < len(w) {
			next = w[j+1]
		}
		w[j-1] = next + 2*float64(j)/lambda*w[j]
		if w[j-1] > 1e200 {
			for i := j - 1; i < len(w); i++ {
				w[i] *= 1e-200
			}
		}
	}
	sum := w[0]
	for _, v := range w[1:] {
		sum += 2 * v
	}
	for j := range w {
		w[j] /= sum
	}
	return w
}

// The weights against mpmath's besseli with 60 digits, and their sum with cosines against the kernel: the
// spectral measure that the doc comment states is the kernel's.
func TestPeriodicSpectralMeasure(t *testing.T) {
	for lambda, want := range map[float64][3]float64{ // j = 0, 1, 5
		0.3:  {0.757580625182547858, 0.112377560639838795, 4.70559854640402916e-7},
		4:    {0.207001921223986698, 0.178750839502435327, 0.00924434917312710173},
		30:   {0.0731459464822372939, 0.0719163305986475547, 0.047925203168721224},
		1000: {0.0126172404558912566, 0.0126109302569286295, 0.0124604289407688629},
	} {
		w := skellamWeights(lambda)
		for i, j := range []int{0, 1, 5} {
			if !(math.Abs(w[j]/want[i]-1) <= 1e-12) {
				t.Errorf("λ = %v, j = %d: weight %.16g, want %.16g", lambda, j, w[j], want[i])
			}
		}
		k := Periodic{Period: 2.3, LengthScale: 1 / math.Sqrt(lambda)}
		for _, delta := range []float64{0, 0.01, 0.3, 1, 1.15, 2, 17.7} {
			sum := w[0]
			for j, v := range w[1:] {
				sum += 2 * v * math.Cos(float64(j+1)*2*math.Pi*delta/k.Period)
			}
			if got := k.Eval([]float64{delta}, []float64{0}); !(math.Abs(got-sum) <= 1e-12) {
				t.Errorf("λ = %v, Δ = %v: kernel %.16g, sum of its spectral measure %.16g", lambda, delta, got, sum)
			}
		}
	}
}

// periodicDraws returns n draws of j from frequencies 2πj/p, after a check that they are multiples.
func periodicDraws(t *testing.T, k Periodic, n int) []float64 {
	t.Helper()
	j := make([]float64, n)
	k.Frequency(j, NewSampler(7))
	for i, w := range j {
		j[i] = math.Round(w * k.Period / (2 * math.Pi))
		if !(math.Abs(2*math.Pi*j[i]/k.Period-w) <= 1e-15*math.Abs(w)) {
			t.Fatalf("%v drew %v, no multiple of 2π/p", k, w)
		}
	}
	return j
}

// Drawn frequencies have the weights: chi-square tests of counts, with values of less than 20 expected draws
// together. 1/ℓ² = 12 is drawn event by event, 40 and more by Gamma variates.
func TestPeriodicFrequencies(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	n := testkit.Times(25_000, 25_000, 300_000)
	for _, lambda := range []float64{1e-3, 0.3, 1, 4, 12, 17, 40, 200, 1000, 30_000} {
		k := Periodic{Period: 0.7, LengthScale: 1 / math.Sqrt(lambda)}
		counts := make(map[float64]float64)
		for _, j := range periodicDraws(t, k, n) {
			counts[j]++
		}
		var statistic, restCount, restWant float64
		cells := -1
		add := func(count, want float64) {
			statistic += (count - want) * (count - want) / want
			cells++
		}
		restCount, restWant = float64(n), float64(n)
		for j, w := range skellamWeights(lambda) {
			want := w * float64(n)
			if want < 20 {
				break
			}
			for _, v := range []float64{float64(j), -float64(j)}[:min(j+1, 2)] {
				add(counts[v], want)
				restCount, restWant = restCount-counts[v], restWant-want
			}
		}
		if restWant > 5 {
			add(restCount, restWant)
		}
		if cells < 1 {
			t.Fatalf("1/ℓ² = %v: no cells to compare", lambda)
		}
		if p := mathext.GammaIncRegComp(float64(cells)/2, statistic/2); !(p >= leastP) {
			t.Errorf("1/ℓ² = %v: chi-square %.1f of %d degrees of freedom, p = %.2g", lambda, statistic, cells, p)
		}
	}
}

// For any 1/ℓ² allowed, j has mean 0, variance 1/ℓ², and Var j² = 2λ² + λ (its fourth cumulant is λ), is as
// often even as it should be, (1 + e^{−2λ})/2, and for large ones is as good as normal: by chi-square in cells.
func TestPeriodicFrequenciesOfSmallLengthScales(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	n := testkit.Times(10_000, 10_000, 100_000)
	for _, l := range []float64{100, 1, 0.1, 1e-2, 1e-3, 1e-5, 1e-7} {
		lambda := 1 / (l * l)
		var sum, squares, even float64
		cells := make([]int, 32)
		for _, j := range periodicDraws(t, Periodic{Period: 1.3, LengthScale: l}, n) {
			sum += j
			squares += j * j
			even += float64(1 - int64(math.Abs(j))%2)
			cells[min(int(32*distuv.UnitNormal.CDF(j*l)), 31)]++
		}
		N := float64(n)
		p := (1 + math.Exp(-2*lambda)) / 2
		for name, z := range map[string]float64{
			"mean":     sum / math.Sqrt(N*lambda),
			"square":   (squares - N*lambda) / math.Sqrt(N*(2*lambda*lambda+lambda)),
			"evenness": (even - N*p) / math.Sqrt(N*p*(1-p)),
		} {
			if !(math.Abs(z) <= 5) {
				t.Errorf("ℓ = %v: %s with z = %.1f", l, name, z)
			}
		}
		if p := chiSquare(cells); l <= 1e-5 && !(p >= leastP) {
			t.Errorf("ℓ = %v: not normal, p = %.2g", l, p)
		}
	}
}

// Frequency of a kernel that constructors refuse ends, with NaN.
func TestPeriodicRefusedFrequency(t *testing.T) {
	for _, l := range []float64{0, 1e-160, 1e-9, math.NaN()} {
		dst := []float64{1}
		Periodic{Period: 1, LengthScale: l}.Frequency(dst, NewSampler(1))
		if !math.IsNaN(dst[0]) {
			t.Errorf("ℓ = %v: frequency %v, want NaN", l, dst[0])
		}
	}
}

// Maps of periodic kernels, alone and in expressions, pass the conformance suite of maps.
func TestPeriodicMaps(t *testing.T) {
	p := Periodic{Period: 2.3, LengthScale: 0.8}
	for i, c := range []struct {
		name   string
		kernel Kernel
		dims   []int
	}{
		{"Periodic", p, []int{1, 2, 3}},
		{"narrow", Periodic{Period: 5, LengthScale: 0.3}, []int{1, 3}},
		{"ARD", ARD([]float64{0.5, 2, 3}, p), []int{3}},
		{"Project", Project(testkit.Narrow, p), []int{3}},
		{"Product", Product(p, Gaussian{LengthScale: 2}), []int{1, 2, 3}},
		{"Scale", Scale(2.5, p), []int{2}},
		{"Sum", Sum(Scale(0.5, p), Laplacian{LengthScale: 2}), []int{2}},
		{"Select", Product(Select([]int{1}, p), Select([]int{0}, Periodic{Period: 1, LengthScale: 1})), []int{2}},
	} {
		for j, o := range allOptions[:2] {
			if i > 0 && j != i%2 && !testkit.Long() {
				continue
			}
			t.Run(c.name+"/"+optionsName(o), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New: func(in, out int, s *Sampler) (FeatureMap, error) {
						return NewFourier(c.kernel, in, out, s, &o)
					},
					Dims:  c.dims,
					Out:   func(d int) int { return 4*d + 2 },
					Pairs: func(d int) []testkit.Pair { return testkit.Pairs(d, 1.7) },
				})
			})
		}
		t.Run(c.name+"/New", func(t *testing.T) {
			testkit.Map(t, testkit.MapCase{
				New:   func(in, out int, s *Sampler) (FeatureMap, error) { return testkit.New(c.kernel, in, 12, s) },
				Dims:  c.dims[:1],
				Pairs: func(d int) []testkit.Pair { return testkit.Pairs(d, 1.7) },
			})
		})
	}
}

// Features repeat with the period in every coordinate; by ARD, with its multiples.
func TestPeriodicFeaturesRepeat(t *testing.T) {
	p := Periodic{Period: 2.3, LengthScale: 0.1}
	for name, c := range map[string]struct {
		kernel Kernel
		period []float64
	}{
		"Periodic": {p, []float64{2.3, 2.3, 2.3}},
		"ARD":      {ARD([]float64{0.5, 2, 3}, p), []float64{1.15, 4.6, 6.9}},
	} {
		f := testkit.Must(NewFourier(c.kernel, 3, 64, NewSampler(3), nil))
		want := f.TransformVec(nil, pointX)
		for i, v := range c.period {
			x := append([]float64(nil), pointX...)
			x[i] -= 4 * v
			for j, got := range f.TransformVec(nil, x) {
				if !(math.Abs(got-want[j]) <= 1e-12) {
					t.Fatalf("%s: feature %d is %v, and four periods away in coordinate %d %v", name, j, want[j], i, got)
				}
			}
		}
	}
}

// A periodic kernel is refused if its period or length scale is not positive, not finite or too small or large, and so are
// designs for radial kernels.
func TestPeriodicIsRefused(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		kernel  Periodic
		options *FourierOptions
		want    string
		is      error
	}{
		{Periodic{LengthScale: 1}, nil, "Periodic Period = 0", nil},
		{Periodic{-1, 1}, nil, "Periodic Period = -1", nil},
		{Periodic{nan, 1}, nil, "Periodic Period = NaN", nil},
		{Periodic{inf, 1}, nil, "Periodic Period = +Inf", nil},
		{Periodic{1e-160, 1}, nil, "Periodic Period = 1e-160", nil},
		{Periodic{Period: 1}, nil, "Periodic LengthScale = 0", nil},
		{Periodic{1, -2}, nil, "Periodic LengthScale = -2", nil},
		{Periodic{1, nan}, nil, "Periodic LengthScale = NaN", nil},
		{Periodic{1, 1e151}, nil, "Periodic LengthScale = 1e+151", nil},
		{Periodic{1, 9e-8}, nil, "Periodic LengthScale = 9e-08: must be at least 1e-07", nil},
		{Periodic{1, 1}, &FourierOptions{Design: Orthogonal}, "Periodic{Period: 1, LengthScale: 1} (Design = Orthogonal)", ErrNotRadial},
	} {
		_, err := NewFourier(c.kernel, 1, 2, NewSampler(1), c.options)
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v: error %v, want one with %q", c.kernel, err, c.want)
		}
	}
	for _, k := range []Periodic{{1e-150, 1e-7}, {1e150, 1e150}} {
		if _, err := NewFourier(&k, 2, 20, NewSampler(1), nil); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}

// What bounds use of the spectral measure: Σ E ωᵢ² by the weights.
func TestPeriodicSpectrum(t *testing.T) {
	k := Periodic{Period: 2.3, LengthScale: 0.4}
	var v float64
	for j, w := range skellamWeights(1 / (0.4 * 0.4)) {
		v += 2 * w * math.Pow(float64(j)*2*math.Pi/2.3, 2)
	}
	mass, sigma, gradient, err := Slopes(k, 3)
	got, want := []float64{mass, sigma, gradient}, []float64{1, math.Sqrt(3 * v), math.Sqrt(v)}
	if err != nil || fmt.Sprintf("%.12g", got) != fmt.Sprintf("%.12g", want) {
		t.Errorf("%v, want %v, error %v", got, want, err)
	}
}
