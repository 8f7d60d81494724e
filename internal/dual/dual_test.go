// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dual

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// problem returns n points of three coordinates and two targets of them, of very different sizes, with weights.
func problem(n int) (x, y *mat.Dense, weights []float64) {
	s := featuremap.NewSampler(1)
	x, y = mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, s.Normal())
		}
		y.Set(i, 0, 5+math.Sin(2*x.At(i, 0))+0.1*s.Normal())
		y.Set(i, 1, 1e6*(x.At(i, 1)*x.At(i, 2)-3))
		weights = append(weights, 0.5+s.Float64())
	}
	return x, y, weights
}

// Each row is predicted by a fit to all others, from the normal equations of the matrix of coefficients and the
// intercept.
func TestLeaveOneOut(t *testing.T) {
	const n, lambda = 24, 0.03
	x, y, weights := problem(n)
	for _, w := range [][]float64{nil, weights} {
		for _, k := range []featuremap.Kernel{featuremap.Gaussian{LengthScale: 1}, featuremap.Laplacian{LengthScale: 2}, featuremap.Sum(featuremap.Linear{}, featuremap.Constant{Value: 7})} {
			var gram mat.SymDense
			featuremap.Gram(&gram, k, x)
			r := NewRows(y, w)
			r.SetKernel(gram.RawSymmetric())
			got := general(2, n)
			if err := r.LeaveOneOut(got, lambda); err != nil {
				t.Fatalf("%v: %v", k, err)
			}
			for out := range n {
				for target := range 2 {
					want := y.At(out, target) - predictedWithout(&gram, y, w, lambda, out, target)
					if e := got.Data[target*n+out]; math.Abs(e-want) > 1e-8*(1+math.Abs(y.At(out, target))) {
						t.Errorf("%v, weights %v, row %d, target %d: error %v, want %v", k, w != nil, out, target, e, want)
					}
				}
			}
		}
	}
}

// predictedWithout returns the prediction of a row by the kernel ridge regression of all others: of the coefficients a and the intercept b that
// solve Kₒa + Λa + b = y, Σaᵢ = 0 (the conditions of the least of Σwᵢ(yᵢ − f(xᵢ))² + λ‖f‖²), with λ/wᵢ in Λ.
func predictedWithout(gram *mat.SymDense, y *mat.Dense, weights []float64, lambda float64, out, target int) float64 {
	n, _ := y.Dims()
	var rest []int
	for i := range n {
		if i != out {
			rest = append(rest, i)
		}
	}
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for p, i := range rest {
		for q, j := range rest {
			a.Set(p, q, gram.At(i, j))
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		a.Set(p, p, a.At(p, p)+lambda/w)
		a.Set(p, n-1, 1)
		a.Set(n-1, p, 1)
		b.SetVec(p, y.At(i, target))
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil {
		return math.NaN()
	}
	f := c.AtVec(n - 1)
	for p, i := range rest {
		f += c.AtVec(p) * gram.At(out, i)
	}
	return f
}

// The leave-one-out error of rows that are equal is not a number without λ: it is refused rather
// than returned.
func TestSingular(t *testing.T) {
	r := NewRows(mat.NewDense(3, 1, []float64{1, 2, 3}), nil)
	r.SetKernel(blas64.Symmetric{N: 3, Stride: 3, Data: make([]float64, 9)})
	if err := r.LeaveOneOut(general(1, 3), 0); err == nil {
		t.Error("no error for a kernel of zeros and λ = 0")
	}
}

func BenchmarkLeaveOneOut(b *testing.B) {
	x, y, _ := problem(1000)
	var gram mat.SymDense
	featuremap.Gram(&gram, featuremap.Gaussian{LengthScale: 1}, x)
	r := NewRows(y, nil)
	dst := general(2, 1000)
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			featuremap.Gram(&gram, featuremap.Gaussian{LengthScale: 1}, x)
			r.SetKernel(gram.RawSymmetric())
		}
	})
	b.Run("λ", func(b *testing.B) {
		for b.Loop() {
			if err := r.LeaveOneOut(dst, 1e-3); err != nil {
				b.Fatal(err)
			}
		}
	})
}
