// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// What is learned explains the targets better than the given kernel, has the noise, and is the same on one core, of a pointer to
// the kernel too.
func TestKernel(t *testing.T) {
	fewFeatures(t)
	x, y := rowsFor(1, 300, 3, 1)
	gaussian := featuremap.Gaussian{LengthScale: 20}
	learn := func(k featuremap.Kernel) *Learned {
		got, err := Kernel(k, x, y, &KernelOptions{Seed: 1, Features: 64})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := learn(gaussian)
	// The noise is .01, the evidence of which is −½log(2πe·.01) = .88 at most. Targets differ by ½ + .01.
	if v := got.NoiseVariance[0]; !(v > 0.005 && v < 0.02) {
		t.Errorf("noise %v, want about .01", v)
	}
	if given := got.Stages[0].LogEvidence; !(got.LogEvidence > given+0.5 && got.LogEvidence < 1) {
		t.Errorf("evidence %v, of the given kernel %v", got.LogEvidence, given)
	}
	if len(got.Stages) != 4 {
		t.Errorf("stages %v", got.Stages)
	}
	for _, s := range got.Stages {
		if !(got.LogEvidence >= s.LogEvidence) {
			t.Errorf("%s has more evidence than the result, %v and %v", s.Name, s.LogEvidence, got.LogEvidence)
		}
	}
	if _, err := featuremap.NewPlan(got.Kernel, nil, 100, &featuremap.PlanOptions{In: 3}); err != nil {
		t.Error(err)
	}
	before := runtime.GOMAXPROCS(1)
	again := learn(&gaussian)
	runtime.GOMAXPROCS(before)
	if fmt.Sprint(again.Kernel) != fmt.Sprint(got.Kernel) || again.LogEvidence != got.LogEvidence || again.NoiseVariance[0] != got.NoiseVariance[0] {
		t.Error("another result on one core")
	}
}

// Hostile rows have a finite result, of no less evidence than the given kernel.
func TestOddRows(t *testing.T) {
	for _, c := range []struct {
		name       string
		n, d, many int
		change     func(x, y *mat.Dense)
	}{
		{"two rows", 2, 3, 1, nil},
		{"fewer rows than columns", 5, 12, 1, nil},
		{"more columns than a matrix takes", 40, 26, 1, nil},
		{"constant column", 50, 3, 1, func(x, _ *mat.Dense) {
			for i := range 50 {
				x.Set(i, 1, 0.1)
			}
		}},
		{"constant target", 50, 3, 2, func(_, y *mat.Dense) {
			for i := range 50 {
				y.Set(i, 1, 0.1)
			}
		}},
		{"no noise", 50, 1, 1, func(x, y *mat.Dense) { y.Copy(x) }},
		{"large and small", 50, 2, 1, func(x, y *mat.Dense) {
			for i := range 50 {
				x.Set(i, 0, 1e140*x.At(i, 0))
				x.Set(i, 1, 1e-140*x.At(i, 1))
			}
		}},
	} {
		x, y := rowsFor(3, c.n, c.d, c.many)
		if c.change != nil {
			c.change(x, y)
		}
		o := &KernelOptions{Features: 32}
		if c.change != nil {
			o.LengthScales = Isotropic
		}
		got, err := learnKernel(featuremap.Gaussian{LengthScale: 3}, x, y, featuremap.NewSampler(1), o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, v := range append(got.NoiseVariance, got.LogEvidence, featuremap.Parameters(got.Kernel)[0]) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %v in %+v", c.name, v, got)
			}
		}
		if given := got.Stages[0].LogEvidence; !(got.LogEvidence >= given) {
			t.Errorf("%s: evidence %v, of the given kernel %v", c.name, got.LogEvidence, given)
		}
		last := got.Stages[len(got.Stages)-1]
		if left := last.Skipped != ""; left != (c.d > mostMatrix || c.n < c.d*(c.d+1)/2) || left && (last.Kernel != nil || !math.IsInf(last.LogEvidence, -1)) {
			t.Errorf("%s: the matrix stage is %+v", c.name, last)
		}
	}
}

// Where there is no length to learn, the scales of several terms are: a linear function needs no quadratic term.
func TestScalesAlone(t *testing.T) {
	x, _ := rowsFor(2, 200, 3, 1)
	y := mat.NewDense(200, 1, nil)
	for i, s := 0, featuremap.NewSampler(1); i < 200; i++ {
		y.Set(i, 0, 2*x.At(i, 0)+0.1*s.Normal()+5)
	}
	for _, k := range []featuremap.Kernel{
		featuremap.Sum(featuremap.Linear{}, featuremap.Polynomial{Degree: 2, Gamma: 1}),
		featuremap.Sum(featuremap.Linear{}, featuremap.Constant{Value: 1}),
		featuremap.Sum(featuremap.Constant{Value: 1}, featuremap.Constant{Value: 2}),
		featuremap.Linear{},
	} {
		got, err := Kernel(k, x, y, &KernelOptions{Seed: 1, Features: 32})
		if err != nil {
			t.Errorf("%v: %v", k, err)
			continue
		}
		single := fmt.Sprint(k) == "Linear{}"
		if last := got.Stages[len(got.Stages)-1].Name; last != "scales" && !single || last != "given" && single {
			t.Errorf("%v: the last stage is %q", k, last)
		}
		if given := got.Stages[0].LogEvidence; !(got.LogEvidence >= given) || math.IsNaN(got.NoiseVariance[0]) {
			t.Errorf("%v: evidence %v, given %v, noise %v", k, got.LogEvidence, given, got.NoiseVariance)
		}
		if strings.Contains(fmt.Sprint(k), "Polynomial") && !(got.LogEvidence > got.Stages[0].LogEvidence && got.NoiseVariance[0] > 0.005 && got.NoiseVariance[0] < 0.02) {
			t.Errorf("%v: evidence %v, given %v, noise %v", k, got.LogEvidence, got.Stages[0].LogEvidence, got.NoiseVariance)
		}
	}
}

// A label that few rows have takes no part if the rows to learn from, or to compare stages on, have none of it.
func TestRareLabel(t *testing.T) {
	x, _ := rowsFor(1, 300, 2, 1)
	class := make([]int, 300)
	for i := range class {
		if x.At(i, 0) > 0 {
			class[i] = 1
		}
	}
	class[7] = 2
	got, err := Kernel(featuremap.Gaussian{LengthScale: 5}, x, must(ridge.Labels(class, 3)), &KernelOptions{Seed: 1, Features: 32, Rows: 100, LengthScales: PerColumn})
	if err != nil {
		t.Fatal(err)
	}
	if noise := got.NoiseVariance; !(noise[0] > 0 && noise[0] < 0.2 && noise[1] > 0 && noise[1] < 0.2 && noise[2] == 0) {
		t.Errorf("noise %v", noise)
	}
	if got.Kernel == nil || !(got.LogEvidence > got.Stages[0].LogEvidence) {
		t.Errorf("%+v", got)
	}
}

// What cannot be learned from is refused by name, and leaves the sampler as it was.
func TestRefused(t *testing.T) {
	x, y := rowsFor(1, 20, 2, 1)
	g := featuremap.Gaussian{LengthScale: 1}
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.NaN())
	column := mat.DenseCopyOf(y)
	column.Set(7, 0, math.Inf(1))
	flat := mat.NewDense(20, 1, nil)
	for _, c := range []struct {
		k    featuremap.Kernel
		x, y mat.Matrix
		o    *KernelOptions
		want string
	}{
		{nil, x, y, nil, "kernel k = nil"},
		{g, nil, y, nil, "x = nil"},
		{g, x, nil, nil, "y = nil"},
		{g, bad, y, nil, "x(3, 1) = NaN"},
		{g, x, column, nil, "y(7, 0) = +Inf"},
		{g, x, flat, nil, "targets are constant"},
		{g, mat.NewDense(20, 2, nil), y, nil, "columns of x are constant"},
		{g, x.Slice(0, 1, 0, 2), y.Slice(0, 1, 0, 1), nil, "has 1 rows"},
		{g, x, y.Slice(0, 5, 0, 1), nil, "as many rows"},
		{featuremap.Gaussian{}, x, y, nil, "LengthScale"},
		{featuremap.ARD([]float64{1}, g), x, y, nil, "1 columns"},
		{featuremap.Sum(g, featuremap.Scale(0, g)), x, y, nil, "scale 0"},
		{g, x, y, &KernelOptions{LengthScales: 9}, "LengthScales = 9"},
		{g, x, y, &KernelOptions{Rows: 1}, "Rows = 1"},
		{g, x, y, &KernelOptions{Features: -1}, "Features = -1"},
		{g, x, y, &KernelOptions{Progress: func(string, int, float64) error { return io.EOF }}, "interrupted"},
	} {
		s := featuremap.NewSampler(1)
		got, err := learnKernel(c.k, c.x, c.y, s, c.o)
		if got != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if c.want == "interrupted" && !errors.Is(err, io.EOF) {
			t.Errorf("%v does not wrap the error of Progress", err)
		}
		if *s != *featuremap.NewSampler(1) {
			t.Errorf("%v: the sampler has changed", err)
		}
	}
}
