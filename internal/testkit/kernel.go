// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package testkit

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A KernelCase is a kernel to be tested.
type KernelCase struct {
	Kernel featuremap.Kernel
	Dims   []int   // the dimensions to test it in: the first and the last, and with -long all
	Scale  float64 // the size of distances that matter
	Values []Value // what the kernel is, from another source
}

// A Value is a kernel's value at two points, to a relative error of 1e-13.
type Value struct {
	X, Y []float64
	Want float64
}

// Kernel runs the conformance suite of kernels: symmetry, a positive semi-definite Gram matrix,
// known values, shapes, concurrent use, and for stationary kernels the spectral measure.
func Kernel(t *testing.T, c KernelCase) {
	t.Run("values", func(t *testing.T) { kernelValues(t, c) })
	t.Run("shapes", func(t *testing.T) { kernelShapes(t, c) })
	for i, d := range c.Dims {
		if i > 0 && i < len(c.Dims)-1 && !Long() {
			continue
		}
		t.Run(fmt.Sprintf("d=%d", d), func(t *testing.T) {
			kernelMatrices(t, c, d)
			if i == 0 || Long() {
				kernelConcurrent(t, c, d)
			}
			if st, ok := c.Kernel.(featuremap.Stationary); ok {
				kernelStationary(t, c, st, d)
				spectralMeasure(t, c, st, d)
			}
		})
	}
}

func kernelValues(t *testing.T, c KernelCase) {
	if len(c.Values) == 0 {
		t.Error("no closed values to test against")
	}
	for _, v := range c.Values {
		for _, got := range []float64{c.Kernel.Eval(v.X, v.Y), c.Kernel.Eval(v.Y, v.X)} {
			if !(math.Abs(got-v.Want) <= 1e-13*math.Abs(v.Want)) {
				t.Errorf("k(%v, %v) = %.16g, want %.16g", v.X, v.Y, got, v.Want)
			}
		}
	}
}

func kernelShapes(t *testing.T, c KernelCase) {
	d := c.Dims[0]
	expectPanic(t, "Eval of different lengths", mat.ErrShape, func() {
		c.Kernel.Eval(make([]float64, d), make([]float64, d+1))
	})
	x, y := mat.NewDense(3, d, nil), mat.NewDense(2, d, nil)
	expectPanic(t, "Gram of no rows", mat.ErrZeroLength, func() {
		featuremap.Gram(new(mat.SymDense), c.Kernel, new(mat.Dense))
	})
	expectPanic(t, "Gram into another shape", mat.ErrShape, func() {
		featuremap.Gram(mat.NewSymDense(4, nil), c.Kernel, x)
	})
	expectPanic(t, "CrossGram of no rows", mat.ErrZeroLength, func() {
		featuremap.CrossGram(new(mat.Dense), c.Kernel, x, new(mat.Dense))
	})
	expectPanic(t, "CrossGram into another shape", mat.ErrShape, func() {
		featuremap.CrossGram(mat.NewDense(2, 3, nil), c.Kernel, x, y)
	})
	expectPanic(t, "CrossGram of different widths", mat.ErrShape, func() {
		featuremap.CrossGram(new(mat.Dense), c.Kernel, x, mat.NewDense(2, d+1, nil))
	})
	data := make([]float64, 9+3*d)
	expectOverlapPanic(t, "Gram over its argument", func() {
		featuremap.Gram(mat.NewSymDense(3, data[:9]), c.Kernel, mat.NewDense(3, d, data[8:8+3*d]))
	})
	over := mat.NewDense(3, d, data[5:5+3*d])
	expectOverlapPanic(t, "CrossGram over its first argument", func() {
		featuremap.CrossGram(mat.NewDense(3, 2, data[:6]), c.Kernel, over, y)
	})
	expectOverlapPanic(t, "CrossGram over its second argument", func() {
		featuremap.CrossGram(mat.NewDense(2, 3, data[:6]), c.Kernel, y, over)
	})
}

// kernelMatrices compares Gram and CrossGram with Eval, to the rounding of values and of their logarithms, which are
// sums. It also checks the eigenvalues of the Gram matrix.
func kernelMatrices(t *testing.T, c KernelCase, d int) {
	const n = 30
	s := featuremap.NewSampler(uint64(d))
	x := normalMatrix(s, n, d)
	x.Scale(c.Scale, x)
	x.SetRow(n-1, x.RawRowView(0)) // a point twice
	y := normalMatrix(s, 7, d)

	var gram mat.SymDense
	featuremap.Gram(&gram, c.Kernel, x)
	var cross mat.Dense
	featuremap.CrossGram(&cross, c.Kernel, x, y)
	var trace float64
	for i := range n {
		for j := range n {
			want := c.Kernel.Eval(x.RawRowView(i), x.RawRowView(j))
			if got := gram.At(i, j); !(math.Abs(got-want) <= matrixSlack(want)) {
				t.Fatalf("Gram(%d, %d) = %v, and Eval %v", i, j, got, want)
			}
		}
		for j := range 7 {
			want := c.Kernel.Eval(x.RawRowView(i), y.RawRowView(j))
			if got := cross.At(i, j); !(math.Abs(got-want) <= matrixSlack(want)) {
				t.Fatalf("CrossGram(%d, %d) = %v, and Eval %v", i, j, got, want)
			}
		}
		trace += gram.At(i, i)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(&gram, false) {
		t.Fatal("no eigenvalues")
	}
	// Rounding of the entries moves an eigenvalue by at most n times their error.
	if least := eigen.Values(nil)[0]; !(least >= -1e-14*n*max(trace/n, 1)) {
		t.Errorf("least eigenvalue of a Gram matrix = %v", least)
	}

	// Views that show their elements through At only, and destinations with a stride.
	var gramT mat.SymDense
	featuremap.Gram(&gramT, c.Kernel, mat.DenseCopyOf(x.T()).T())
	wide := mat.NewDense(n, 10, nil)
	inner := wide.Slice(0, n, 2, 9).(*mat.Dense)
	featuremap.CrossGram(inner, c.Kernel, mat.DenseCopyOf(x.T()).T(), mat.DenseCopyOf(y.T()).T())
	if !sameBits(gramT.RawSymmetric().Data, gram.RawSymmetric().Data) || !mat.Equal(inner, &cross) {
		t.Error("matrices of transposed views differ")
	}
	for i := range n {
		if wide.At(i, 1) != 0 || wide.At(i, 9) != 0 {
			t.Fatal("CrossGram wrote outside its destination")
		}
	}
}

// matrixSlack is the largest allowed difference between a value and another computation of it.
func matrixSlack(v float64) float64 {
	if v == 0 {
		return 0
	}
	return 1e-14 * math.Abs(v) * (1 + math.Abs(math.Log(math.Abs(v))))
}

func kernelConcurrent(t *testing.T, c KernelCase, d int) {
	x := normalMatrix(featuremap.NewSampler(5), 20, d)
	var want mat.SymDense
	featuremap.Gram(&want, c.Kernel, x)
	var wg sync.WaitGroup
	for range Times(2, 2, 4) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var got mat.SymDense
			featuremap.Gram(&got, c.Kernel, x)
			if !sameBits(got.RawSymmetric().Data, want.RawSymmetric().Data) {
				t.Error("concurrent Gram matrices differ")
			}
		}()
	}
	wg.Wait()
}

// kernelStationary tests the mass, symmetry and invariance under translation.
func kernelStationary(t *testing.T, c KernelCase, k featuremap.Stationary, d int) {
	for _, p := range Pairs(d, c.Scale) {
		if got := k.Eval(p.X, p.X); got != k.Mass() {
			t.Errorf("k(x, x) = %v, Mass = %v", got, k.Mass())
		}
		delta, zero := make([]float64, d), make([]float64, d)
		for i := range delta {
			delta[i] = p.X[i] - p.Y[i]
		}
		// 1e-10: Project rounds Ax and Ay, far from the origin by 1e4·2⁻⁵³ of the unit.
		got, want := k.Eval(p.X, p.Y), k.Eval(delta, zero)
		if !(math.Abs(got-want) <= 1e-10*k.Mass()) || got != k.Eval(p.Y, p.X) {
			t.Errorf("%s: k(x, y) = %v, k(y, x) = %v, k(x−y, 0) = %v", p.Name, got, k.Eval(p.Y, p.X), want)
		}
	}
}

// spectralMeasure tests that Mass·E cos(ω·Δ) = k(Δ) and E sin(ω·Δ) = 0, by z-scores with Var cos =
// ½(1 + κ(2Δ)) − κ(Δ)² and Var sin = ½(1 − κ(2Δ)). For radial kernels it tests that E exp(−τ‖Δ‖²/2)
// = κ(Δ), with the variance κ(√2·Δ) − κ(Δ)², unless κ is so small that a few samples dominate the
// mean.
func spectralMeasure(t *testing.T, c KernelCase, k featuremap.Stationary, d int) {
	draws := Times(4000, 4000, 10_000)
	n, mass := float64(draws), k.Mass()
	radial, isRadial := k.(featuremap.Radial)
	pairs := Pairs(d, c.Scale)
	deltas := make([][]float64, len(pairs))
	for i, p := range pairs {
		deltas[i] = make([]float64, d)
		for j := range deltas[i] {
			deltas[i][j] = p.X[j] - p.Y[j]
		}
	}
	// All pairs share the same samples.
	sums := make([]struct{ cos, sin, mix float64 }, len(pairs))
	s, w := featuremap.NewSampler(uint64(d)), make([]float64, d)
	for range draws {
		k.Frequency(w, s)
		var tau float64
		if isRadial {
			tau = radial.Mixture(s)
		}
		for i, delta := range deltas {
			sin, cos := math.Sincos(dot(w, delta))
			sums[i].cos += cos
			sums[i].sin += sin
			if isRadial {
				sums[i].mix += math.Exp(-tau * dot(delta, delta) / 2)
			}
		}
	}
	for i, p := range pairs {
		// at returns κ(c·Δ).
		at := func(c float64) float64 {
			v := make([]float64, d)
			for j := range v {
				v[j] = c * deltas[i][j]
			}
			return k.Eval(v, make([]float64, d)) / mass
		}
		kappa := at(1)
		check := func(what string, mean, want, variance float64) {
			// 1e-12 for rounding, where the variance is almost 0.
			if !(math.Abs(mean-want) <= zLimit*math.Sqrt(max(variance, 0)/n)+1e-12) {
				t.Errorf("%s: %s = %.5f, want %.5f: z = %.1f", p.Name, what, mean, want, (mean-want)/math.Sqrt(variance/n))
			}
		}
		check("E cos ω·Δ", sums[i].cos/n, kappa, 0.5*(1+at(2))-kappa*kappa)
		check("E sin ω·Δ", sums[i].sin/n, 0, 0.5*(1-at(2)))
		if isRadial && kappa > 0.01 {
			check("E exp(−τ‖Δ‖²/2)", sums[i].mix/n, kappa, at(math.Sqrt2)-kappa*kappa)
		}
	}
}
