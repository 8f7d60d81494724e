// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// The Gaussian kernel of MedianLengthScale for standardized letters.
var letterKernel = Gaussian{LengthScale: 3.8}

// sobolPlan returns the plan of letterKernel without bias for rows of letter, which has Sobol frequencies.
func sobolPlan(t *testing.T, x *mat.Dense, out int) *Plan {
	t.Helper()
	p := testkit.Must(NewPlan(letterKernel, x, out, &PlanOptions{Unbiased: true}))
	if shape := strings.Join(PlanShape(p), ", "); !strings.Contains(shape, "Sobol") {
		t.Fatalf("%s, want Sobol frequencies", shape)
	}
	return p
}

// meanSquaredError returns the mean, over pairs of different rows of x and some maps of a plan, of the squared error.
func meanSquaredError(p *Plan, x *mat.Dense, maps int) (mean float64) {
	n, _ := x.Dims()
	var exact mat.SymDense
	Gram(&exact, p.Kernel(), x)
	for seed := range maps {
		var phi, got mat.Dense
		testkit.Must(p.Draw(NewSampler(uint64(seed)))).TransformTo(&phi, x)
		got.Mul(&phi, phi.T())
		for i := range n {
			for j := range i {
				mean += math.Pow(got.At(i, j)-exact.At(i, j), 2) / float64(maps*n*(n-1)/2)
			}
		}
	}
	return mean
}

// The estimate of a plan, with points instead of frequencies turned and quantiles between known ones, is that of its maps, by the
// same scrambles: to a thousandth.
func TestSobolEstimate(t *testing.T) {
	x := standardLetters(t, 60)
	p := sobolPlan(t, x, 1024)
	if ratio := square(p.RMSE()) / testkit.MeanSquare(p, x); !(math.Abs(ratio-1) < 1e-3) {
		t.Errorf("%v times the mean of the variances over pairs", ratio)
	}
}

// Quantiles between known ones are those of the normal law to 2e-4, and far out they are the same.
func TestNearQuantile(t *testing.T) {
	var most float64
	for i := range 100_000 {
		u := (float64(i) + 0.5) / 100_000
		got, want := NearQuantile(u), detmath.NormalQuantile(u)
		most = max(most, math.Abs(got-want))
		if (u < 0.003 || u > 0.997) && got != want {
			t.Fatalf("%v at %v, want %v", got, u, want)
		}
	}
	if !(most < 2e-4 && most > 0) {
		t.Errorf("off by %v", most)
	}
}

// Plans for points of few principal axes have Sobol frequencies, with less than two thirds of the variance of orthogonal
// ones, and what is estimated is what is measured: their mean squared errors to a quarter.
func TestPlanSobol(t *testing.T) {
	t.Parallel()
	x := standardLetters(t, 200)
	p := sobolPlan(t, x, 1024)
	plain := testkit.Must(PlanOf(testkit.Must(NewFourier(letterKernel, 16, 1024, NewSampler(1), &FourierOptions{Design: Orthogonal}))))
	if ratio := square(p.RMSE()) / testkit.MeanSquare(plain, x); !(ratio < 2.0/3) {
		t.Errorf("%v of the variance of orthogonal frequencies", ratio)
	}
	if ratio := meanSquaredError(p, x, 12) / square(p.RMSE()); !(math.Abs(ratio-1) < 0.25) {
		t.Errorf("the mean squared error is %v times what is predicted", ratio)
	}
	if s := p.String(); !strings.Contains(s, "Sobol frequencies in pairs, along axes (error estimated, by 16 scrambles)") {
		t.Errorf("does not say that the error is estimated:\n%s", s)
	}
	m := testkit.Must(p.Draw(NewSampler(1)))
	// The axes are saved with the map.
	var saved bytes.Buffer
	if err := Encode(&saved, m); err != nil {
		t.Fatal(err)
	}
	want := m.TransformVec(nil, x.RawRowView(3))
	for name, other := range map[string]FeatureMap{"the plan that was read": testkit.Must(savedPlan(t, p).Draw(NewSampler(1))), "the map that was read": testkit.Must(Decode(&saved, nil))} {
		if got := other.TransformVec(nil, x.RawRowView(3)); !equalFloats(got, want) {
			t.Errorf("%s has other features", name)
		}
	}
}

func equalFloats(a, b []float64) bool {
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// Without points, above 64 coordinates as the kernel sees them, and for kernels of whose frequencies no factor is known by
// quantiles plans have no Sobol frequencies; behind a Project to a few they have.
func TestPlanWithoutSobol(t *testing.T) {
	t.Parallel()
	few, many := mat.NewDense(3, 70, nil), testkit.NormalPoints(1, 40, 70)
	for i := range 3 {
		few.Set(i, i, 2)
	}
	for _, c := range []struct {
		name string
		k    Kernel
		in   int
		x    mat.Matrix
		want bool
	}{
		{"letter", letterKernel, 16, standardLetters(t, 60), true},
		{"no points", letterKernel, 16, nil, false},
		{"70 coordinates", Gaussian{LengthScale: 20}, 70, many, false},
		{"Project", Project(few, Matern{Nu: 1.5, LengthScale: 4}), 70, many, true},
		{"Laplacian", Laplacian{LengthScale: 30}, 16, standardLetters(t, 60), false},
	} {
		found := false
		for _, o := range PlannedChoices(c.k, c.in, 256, c.x, 40) {
			found = found || strings.Contains(o.Name, "Sobol")
		}
		if found != c.want {
			t.Errorf("%s: a candidate with Sobol frequencies: %v, want %v", c.name, found, c.want)
		}
	}
}

// The axes are those of the points as the kernel sees them: of columns in other units, behind an ARD that makes up for it, the features are
// the same.
func TestPlanSobolBehindARD(t *testing.T) {
	t.Parallel()
	x := standardLetters(t, 120)
	scaled, lengths := mat.DenseCopyOf(x), make([]float64, 16)
	for j := range lengths {
		lengths[j] = math.Pow(2, float64(j%5-2)) // so that divisions are exact
		for i := range 120 {
			scaled.Set(i, j, x.At(i, j)*lengths[j])
		}
	}
	p := sobolPlan(t, x, 512)
	q := testkit.Must(NewPlan(ARD(lengths, letterKernel), scaled, 512, &PlanOptions{Unbiased: true}))
	want := testkit.Must(p.Draw(NewSampler(3))).TransformVec(nil, x.RawRowView(5))
	got := testkit.Must(q.Draw(NewSampler(3))).TransformVec(nil, scaled.RawRowView(5))
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", PlanShape(q), PlanShape(p))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-12) {
			t.Fatalf("feature %d is %v, want %v", i, got[i], v)
		}
	}
}

// Plans have stratified radii where they have less variance, with and without points, and the error that is predicted is what is
// measured, to a tenth.
func TestPlanStratified(t *testing.T) {
	t.Parallel()
	x := testkit.NormalPoints(1, 60, 5)
	for _, c := range []struct {
		k      Kernel
		points mat.Matrix
	}{{Gaussian{LengthScale: 2.5}, nil}, {Matern{Nu: 1.5, LengthScale: 2.5}, nil}, {RationalQuadratic{Alpha: 1.5, LengthScale: 2}, x}} {
		p := testkit.Must(NewPlan(c.k, c.points, 70, &PlanOptions{In: 5, Unbiased: true}))
		if shape := strings.Join(PlanShape(p), ", "); !strings.Contains(shape, "stratified radii") {
			t.Errorf("%v: %s", c.k, shape)
		}
		at := PlanPoints(p)
		if ratio := math.Sqrt(meanSquaredError(p, at, 200)) / p.RMSE(); !(math.Abs(ratio-1) < 0.1) {
			t.Errorf("%v: the error is %v times what is predicted", c.k, ratio)
		}
		plain := testkit.Must(PlanOf(testkit.Must(NewFourier(c.k, 5, 70, NewSampler(1), &FourierOptions{Design: Orthogonal}))))
		if ratio := square(p.RMSE()) / testkit.MeanSquare(plain, at); !(ratio < 0.95) {
			t.Errorf("%v: %v of the variance of random radii", c.k, ratio)
		}
	}
}
