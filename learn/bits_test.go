// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// plainRows returns rows and targets that are computed without a function that differs by machine.
func plainRows(n int) (x, y *mat.Dense) {
	s := featuremap.NewSampler(5)
	x, y = mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		a, b := s.Float64(), s.Float64()
		x.SetRow(i, []float64{a, b})
		square := float64(a * a)
		y.Set(i, 0, float64(4*square)-float64(2*b)+float64(0.2*s.Float64()))
	}
	return x, y
}

// The result has the same bits in every tier and on every machine.
func TestGolden(t *testing.T) {
	x, y := plainRows(40) // few, as a 32-bit machine without fused multiply-add takes a minute for 150
	k := featuremap.Sum(featuremap.Gaussian{LengthScale: 1}, featuremap.Linear{})
	got, err := Kernel(k, x, y, &KernelOptions{Seed: 1, Features: 16})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("noise %x\n", math.Float64bits(got.NoiseVariance[0]))
	for _, s := range got.Stages {
		text += fmt.Sprintf("%s: %x %s\n", s.Name, math.Float64bits(s.LogEvidence), s.Skipped)
		if s.Kernel != nil {
			document, err := featuremap.KernelJSON{Kernel: s.Kernel}.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			text += string(document) + "\n"
		}
	}
	golden.Compare(t, "learned.golden", []byte(text))
}

// A learned kernel goes to JSON and back, to landmarks, and to plans.
func TestUses(t *testing.T) {
	x, y := plainRows(150)
	got, err := Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, &KernelOptions{Seed: 1, Features: 32})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Stages {
		if s.Kernel == nil {
			continue
		}
		document, err := featuremap.KernelJSON{Kernel: s.Kernel}.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var back featuremap.KernelJSON
		if err := back.UnmarshalJSON(document); err != nil {
			t.Fatal(err)
		}
		a, b := x.RawRowView(3), x.RawRowView(8)
		if u, v := back.Eval(a, b), s.Kernel.Eval(a, b); u != v {
			t.Errorf("%s: %v from JSON, want %v", s.Name, u, v)
		}
		// Features of as many landmarks as rows have the kernel of the rows, to the jitter of the factor.
		phi, err := featuremap.NewNystrom(s.Kernel, x, 150, featuremap.NewSampler(2), nil)
		if err != nil {
			t.Fatal(err)
		}
		var z mat.Dense
		phi.TransformTo(&z, x)
		v, scale := s.Kernel.Eval(a, b), s.Kernel.Eval(a, a)
		if u := mat.Dot(z.RowView(3), z.RowView(8)); !(math.Abs(u-v) <= 1e-3*scale) {
			t.Errorf("%s: landmarks have %v, the kernel %v of %v", s.Name, u, v, scale)
		}
		if _, err := featuremap.NewPlan(s.Kernel, nil, 64, &featuremap.PlanOptions{In: 2}); err != nil {
			t.Error(err)
		}
	}
}

// A copy of a matrix that is read element by element has the result of the matrix.
func TestOtherMatrices(t *testing.T) {
	x, y := plainRows(150)
	o := &KernelOptions{Features: 16, LengthScales: PerColumn}
	var want string
	for i, m := range []mat.Matrix{x, mat.DenseCopyOf(x.T()).T(), struct{ mat.Matrix }{x}} {
		got, err := learnKernel(featuremap.Gaussian{LengthScale: 1}, m, y, featuremap.NewSampler(1), o)
		if err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprint(got.Kernel, got.NoiseVariance, got.LogEvidence); i == 0 {
			want = s
		} else if s != want {
			t.Errorf("matrix %d: %s, want %s", i, s, want)
		}
	}
}
