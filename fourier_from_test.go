// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// The features of scikit-learn's RBFSampler, with its random_weights_ as columns and its random_offset_.
// testdata/rbfsampler.py made the file.
func TestNewFourierFromRBFSampler(t *testing.T) {
	data, err := os.ReadFile("testdata/rbfsampler.json")
	if err != nil {
		t.Fatal(err)
	}
	var of struct {
		Gamma                float64
		X, Weights, Features [][]float64
		Offset               []float64
	}
	if err := json.Unmarshal(data, &of); err != nil {
		t.Fatal(err)
	}
	x, weights, want := denseOf(of.X), denseOf(of.Weights), denseOf(of.Features)
	if r, c := want.Dims(); r != 5 || c != 8 {
		t.Fatalf("the file has %d×%d features, want 5×8", r, c)
	}
	f, err := NewFourierFrom(RBF(of.Gamma), weights.T(), of.Offset)
	if err != nil {
		t.Fatal(err)
	}
	var z mat.Dense
	f.TransformTo(&z, x)
	if !mat.EqualApprox(&z, want, 1e-12) {
		t.Errorf("features\n%.15v\nwant\n%.15v", mat.Formatted(&z), mat.Formatted(want))
	}
}

func denseOf(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

// With the frequencies and phases of a map the features are that map's, for every design and kernel.
func TestNewFourierFromFourier(t *testing.T) {
	for name, k := range map[string]Kernel{
		"Gaussian":        Gaussian{LengthScale: 0.8},
		"Constant":        Constant{Value: 4},
		"Project":         Scale(2, Project(testkit.Narrow, RationalQuadratic{Alpha: 1, LengthScale: 2})),
		"ARD":             ARD([]float64{1, 2, 3}, Matern{Nu: 1.5, LengthScale: 1}),
		"Periodic":        Periodic{Period: 2, LengthScale: 0.5},
		"SpectralMixture": mixture(3),
		"Sum":             Sum(Laplacian{LengthScale: 2}, Select([]int{1}, Gaussian{LengthScale: 1}), Constant{Value: 2}),
	} {
		_, radial := stationary(k).(Radial)
		for _, o := range append(allOptions[:len(allOptions):len(allOptions)], structuredOptions...) {
			if o.Design != Independent && !radial && name != "Project" && name != "ARD" {
				continue
			}
			f := testkit.Must(NewFourier(k, 3, 22, NewSampler(5), &o))
			g, err := NewFourierFrom(k, f.Frequencies(), f.Phases())
			if err != nil {
				t.Errorf("%s, %s: %v", name, optionsName(o), err)
				continue
			}
			if in, out := g.Dims(); in != 3 || out != 22 {
				t.Errorf("%s, %s: R^%d → R^%d", name, optionsName(o), in, out)
				continue
			}
			for _, x := range [][]float64{pointX, pointY, {0, 0, 0}} {
				want := f.TransformVec(nil, x)
				for i, v := range g.TransformVec(nil, x) {
					if !(math.Abs(v-want[i]) <= 1e-12) {
						t.Fatalf("%s, %s: feature %d of %v is %v, want %v", name, optionsName(o), i, x, v, want[i])
					}
				}
			}
		}
	}
	// In 100 coordinates structured frequencies are drawn as such.
	f := testkit.Must(NewFourier(Gaussian{LengthScale: 5}, 100, 300, NewSampler(5), &FourierOptions{Design: Structured}))
	g := testkit.Must(NewFourierFrom(f.Kernel(), f.Frequencies(), f.Phases()))
	x := make([]float64, 100)
	NewSampler(1).FillNormal(x)
	want := f.TransformVec(nil, x)
	for i, v := range g.TransformVec(nil, x) {
		if !(math.Abs(v-want[i]) <= 1e-12) {
			t.Fatalf("structured: feature %d is %v, want %v", i, v, want[i])
		}
	}
}

// The conformance suite, for frequencies drawn from the spectral measure by somebody else.
func TestNewFourierFromSuite(t *testing.T) {
	k := Scale(2, Gaussian{LengthScale: 1.7})
	for _, o := range allOptions[:2] {
		t.Run(optionsName(o), func(t *testing.T) {
			testkit.Map(t, testkit.MapCase{
				New: func(in, out int, s *Sampler) (FeatureMap, error) {
					f, err := NewFourier(k, in, out, s, &o)
					if err != nil {
						return nil, err
					}
					return NewFourierFrom(k, f.Frequencies(), f.Phases())
				},
				Dims:            []int{1, 2, 3, 17},
				Out:             func(d int) int { return 4*d - 2 },
				Pairs:           func(d int) []testkit.Pair { return testkit.Pairs(d, 1.7) },
				UnknownVariance: true,
				NoPlan:          true,
			})
		})
	}
}

// What was given comes back, copied; and nothing is claimed of the error.
func TestNewFourierFromKeeps(t *testing.T) {
	w := mat.NewDense(2, 3, []float64{1, 2, 3, -4, 5e10, 0.1})
	b := []float64{-7, 1e3}
	k := Gaussian{LengthScale: 1}
	phases, pairs := testkit.Must(NewFourierFrom(k, w, b)), testkit.Must(NewFourierFrom(&k, w.T(), nil))
	want := phases.TransformVec(nil, pointX)
	wantW := mat.DenseCopyOf(w)
	w.Zero()
	b[0] = 0
	if got := phases.TransformVec(nil, pointX); !slices.Equal(got, want) {
		t.Errorf("features changed with the arguments: %v, want %v", got, want)
	}
	phases.Frequencies().Zero()
	phases.Phases()[0] = 0
	if !mat.Equal(phases.Frequencies(), wantW) || !slices.Equal(phases.Phases(), []float64{-7, 1e3}) {
		t.Errorf("frequencies %v and phases %v", phases.Frequencies(), phases.Phases())
	}
	if !mat.Equal(pairs.Frequencies(), wantW.T()) || pairs.Phases() != nil {
		t.Errorf("of pairs: frequencies %v and phases %v", pairs.Frequencies(), pairs.Phases())
	}
	for want, f := range map[string]*Fourier{
		"Gaussian{LengthScale: 1}: R^3 → R^2, Fourier, given frequencies with given phases": phases,
		"&Gaussian{LengthScale: 1}: R^2 → R^6, Fourier, given frequencies in pairs":         pairs,
	} {
		if got := f.String(); got != want {
			t.Errorf("prints as %q, want %q", got, want)
		}
		in, _ := f.Dims()
		x, y := pointX[:in], pointY[:in]
		if v := f.Variance(x, y); !math.IsNaN(v) {
			t.Errorf("Variance = %v, want NaN", v)
		}
		if p, err := PlanOf(f); err == nil || p != nil || !strings.Contains(err.Error(), "drawn from no plan") {
			t.Errorf("PlanOf: %v, error %v", p, err)
		}
		points := mat.NewDense(2, in, slices.Concat(x, y))
		if e, err := PredictedRMSE(f, points, 10, NewSampler(1)); err != nil || !math.IsNaN(e) {
			t.Errorf("RMSE = %v, error %v, want NaN", e, err)
		}
		// As a kernel of its own it is exact.
		m := testkit.Must(testkit.New(FromMap(f), in, 10, NewSampler(1)))
		if got, want := m.TransformVec(nil, x), f.TransformVec(nil, x); !slices.Equal(got, want) {
			t.Errorf("features %v by FromMap, want %v", got, want)
		}
	}
}

// Variance is NaN whatever the kernel's own points are: here it reads two coordinates of three.
func TestNewFourierFromOfSelected(t *testing.T) {
	f := testkit.Must(NewFourierFrom(Select([]int{2, 0}, mixture(2)), mat.NewDense(1, 3, []float64{1, 2, 3}), nil))
	if v := f.Variance(pointX, pointY); !math.IsNaN(v) {
		t.Errorf("Variance = %v, want NaN", v)
	}
}

// The lengths of an ARD are not applied to given frequencies, only its mass is taken.
func TestNewFourierFromAppliesNoWarp(t *testing.T) {
	w := mat.NewDense(1, 2, []float64{0.5, -2})
	f := testkit.Must(NewFourierFrom(Scale(3, ARD([]float64{10, 20}, Gaussian{LengthScale: 1})), w, []float64{0.25}))
	want := math.Sqrt(6) * math.Cos(0.5*0.3-2*-1.2+0.25)
	if got := f.TransformVec(nil, pointX[:2])[0]; !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("feature %v, want %v", got, want)
	}
}

// NewFourierFrom refuses kernels without features, frequencies and phases that are missing, not finite or of another number,
// and matrices that fit in no memory.
func TestNewFourierFromRefuses(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	g := Gaussian{LengthScale: 1}
	w := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	m := func(v ...float64) mat.Matrix { return mat.NewDense(2, 2, v) }
	var none *mat.Dense
	huge := testkit.Unread(1, int(min(1<<40, uint64(math.MaxInt))))
	for _, c := range []struct {
		kernel      Kernel
		frequencies mat.Matrix
		phases      []float64
		want        string
		is          error
	}{
		{nil, w, nil, "kernel k = nil", nil},
		{Gaussian{}, w, nil, "Gaussian LengthScale = 0", nil},
		{linearKernel{}, w, nil, "linearKernel", ErrNotStationary},
		{Linear{}, w, nil, "Linear{}", ErrNotStationary},
		{testkit.BadStationary(g, nan, 1), w, nil, "Mass = NaN", nil},
		{ARD([]float64{1, 2, 3}, g), w, nil, "in = 2: the matrix of ARD has 3 columns", nil},
		{mixture(3), w, nil, "in = 2: the matrices of SpectralMixture have 3 columns", nil},
		{g, nil, nil, "frequencies = nil", nil},
		{g, none, nil, "frequencies = nil", nil},
		{g, new(mat.Dense), nil, "frequencies is 0×0: must not be empty", nil},
		{g, m(1, 2, nan, 4), nil, "frequencies: row 1, column 0 = NaN: must be finite", nil},
		{g, m(1, -inf, 3, 4), []float64{1, 2}, "frequencies: row 0, column 1 = -Inf: must be finite", nil},
		{g, w, []float64{1}, "phases has length 1: must have one for each of the 2 frequencies", nil},
		{g, w, []float64{}, "phases has length 0: must have one for each of the 2 frequencies", nil},
		{g, w, []float64{1, inf}, "phases[1] = +Inf: must be finite", nil},
		{g, w, []float64{nan, 1}, "phases[0] = NaN: must be finite", nil},
		{g, huge.T(), nil, "the weights take", nil},
		{g, huge, []float64{1}, "the weights take", nil},
	} {
		f, err := NewFourierFrom(c.kernel, c.frequencies, c.phases)
		if err == nil || f != nil {
			t.Errorf("no error, want one with %q", c.want)
			continue
		}
		if msg := err.Error(); strings.Count(msg, "featuremap: ") != 1 || !strings.HasPrefix(msg, "featuremap: ") ||
			!strings.Contains(msg, c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("error %q, want one with %q", msg, c.want)
		}
	}
}
