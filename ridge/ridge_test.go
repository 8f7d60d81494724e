// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// must returns v, of a call that has no reason to fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noIntervals saves the time that intervals take, where they are not what is tested.
var noIntervals = &IntervalOptions{Off: true}

// posteriorOf returns the posterior of a model that has one.
func posteriorOf(m *Model) *Posterior { return must(m.Posterior()) }

// refused returns the text of the error of a model that has no posterior, with which its Predict and StdDevTo panic; "" if it has one, or they do
// otherwise.
func refused(m *Model) (text string) {
	if p, err := m.Posterior(); err == nil || p != nil {
		return ""
	} else {
		text = err.Error()
	}
	in, _ := m.Map().Dims()
	x := make([]float64, in)
	for _, f := range []func(){func() { m.Predict(x) }, func() { m.StdDevTo(new(mat.Dense), mat.NewDense(1, in, x)) }} {
		func() {
			defer func() {
				if recover() != text {
					text = ""
				}
			}()
			f()
		}()
	}
	return text
}

// evidenceOf returns the log evidence of a model, −Inf if it has none.
func evidenceOf(m *Model) float64 {
	v, _ := m.LogEvidence()
	return v
}

// conditionOf returns the condition of a model, NaN if it is not known.
func conditionOf(m *Model) float64 {
	if v, ok := m.Condition(); ok {
		return v
	}
	return math.NaN()
}

// leftOutOf returns the leave-one-out errors of a model, NaN for each target if it has none.
func leftOutOf(m interface {
	LeaveOneOutMSE() ([]float64, bool)
	NoiseVariance() []float64
}) []float64 {
	if v, ok := m.LeaveOneOutMSE(); ok {
		return v
	}
	return slices.Repeat([]float64{math.NaN()}, len(m.NoiseVariance()))
}

// fourier returns a map of a Gaussian kernel, of pairs if they fit.
func fourier(in, out int) featuremap.FeatureMap {
	o := &featuremap.FourierOptions{RandomPhase: out%2 == 1}
	return must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, in, out, featuremap.NewSampler(1), o))
}

// data returns points with normal coordinates, and targets: a smooth function of them and noise, different for each.
func data(n, in, targets int, seed uint64) (x, y *mat.Dense) {
	s := featuremap.NewSampler(seed)
	x, y = mat.NewDense(n, in, nil), mat.NewDense(n, targets, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		for t := range targets {
			row := x.RawRowView(i)
			y.Set(i, t, 3*float64(t)+math.Sin(row[0]+float64(t))+0.5*row[in-1]+0.1*float64(t+1)*s.Normal())
		}
	}
	return x, y
}

// bits returns the bits of some numbers, with one NaN for all.
func bits(v []float64) []uint64 {
	b := make([]uint64, len(v))
	for i, v := range v {
		if math.IsNaN(v) {
			v = math.NaN()
		}
		b[i] = math.Float64bits(v)
	}
	return b
}

// modelBits returns the bits of all numbers of a model, its variance and predictions at some points included.
func modelBits(m *Model, x mat.Matrix) []uint64 {
	var p, v mat.Dense
	m.PredictTo(&p, x)
	if p, err := m.Posterior(); err == nil {
		p.VarianceTo(&v, x)
	}
	var lo, hi mat.Dense
	if m.IntervalRows() > 0 {
		m.IntervalTo(&lo, &hi, x, 0.9)
	}
	return slices.Concat(
		bits(m.Weights().RawMatrix().Data), bits(m.Intercept()), bits(m.NoiseVariance()),
		bits(append(m.Lambda(), evidenceOf(m), conditionOf(m))),
		bits(p.RawMatrix().Data), bits(v.RawMatrix().Data), bits(lo.RawMatrix().Data), bits(hi.RawMatrix().Data))
}

// relative returns ‖got − want‖/‖want‖ in the Frobenius norm.
func relative(got, want mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(got, want)
	return mat.Norm(&d, 2) / mat.Norm(want, 2)
}

// features returns Φ, n×D.
func features(phi featuremap.FeatureMap, x mat.Matrix) *mat.Dense {
	var z mat.Dense
	phi.TransformTo(&z, x)
	return &z
}

// columnMeans returns the mean of each column.
func columnMeans(a *mat.Dense) []float64 {
	n, c := a.Dims()
	mean := make([]float64, c)
	for j := range mean {
		mean[j] = mat.Sum(a.ColView(j)) / float64(n)
	}
	return mean
}

// centered returns a less the given row.
func centered(a *mat.Dense, mean []float64) *mat.Dense {
	c := mat.DenseCopyOf(a)
	c.Apply(func(_, j int, v float64) float64 { return v - mean[j] }, c)
	return c
}

// Predictions equal gonum's, by its Cholesky solution of the same normal equations. With λ ≥ 1e-6·‖ΦᵀΦ‖ the condition
// number is at most 1e6, and either solution has a relative error of about 1e6·2⁻⁵³ times a small power of D: 1e-8 leaves
// room for a factor of 100.
func TestPredictionsEqualGonum(t *testing.T) {
	for _, c := range []struct{ n, in, out, targets int }{
		{1000, 3, 200, 1}, {300, 5, 64, 3}, {60, 2, 120, 2}, {40, 1, 40, 1},
	} {
		phi := fourier(c.in, c.out)
		x, y := data(c.n, c.in, c.targets, 2)
		test, _ := data(50, c.in, 1, 3)
		for _, noIntercept := range []bool{false, true} {
			z, tz := features(phi, x), features(phi, test)
			level := make([]float64, c.targets)
			yc := y
			if !noIntercept {
				level = columnMeans(y)
				yc = centered(y, level)
				mean := columnMeans(z)
				z, tz = centered(z, mean), centered(tz, mean)
			}
			var a, b mat.Dense
			a.Mul(z.T(), z)
			b.Mul(z.T(), yc)
			for _, ratio := range []float64{1e-6, 1e-3, 1} {
				lambda := ratio * mat.Norm(&a, 2)
				name := fmt.Sprintf("%+v, NoIntercept %v, λ = %v‖ΦᵀΦ‖", c, noIntercept, ratio)
				sym := mat.NewSymDense(c.out, nil)
				for i := range c.out {
					for j := i; j < c.out; j++ {
						sym.SetSym(i, j, a.At(i, j))
					}
					sym.SetSym(i, i, a.At(i, i)+lambda)
				}
				var chol mat.Cholesky
				if !chol.Factorize(sym) {
					t.Fatal(name)
				}
				var w, want, got mat.Dense
				if err := chol.SolveTo(&w, &b); err != nil {
					t.Fatal(name, err)
				}
				want.Mul(tz, &w)
				want.Apply(func(_, j int, v float64) float64 { return v + level[j] }, &want)
				m := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: noIntercept}))
				m.PredictTo(&got, test)
				if e := relative(&got, &want); !(e < 1e-8) {
					t.Errorf("%s: predictions are off by %.1e", name, e)
				}
				if e := relative(m.Weights(), &w); !(e < 1e-8) {
					t.Errorf("%s: weights are off by %.1e", name, e)
				}
			}
		}
	}
}
