// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// λ of FitIterative, by rows and truths that took no part, compared with Fit.

package ridge_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// An iterativeCase is rows of functions with noise, and new rows without.
type iterativeCase struct {
	phi                featuremap.FeatureMap
	x, y, test, truths *mat.Dense
}

func wave(x []float64) float64 { return math.Sin(3*x[0])*math.Cos(2*x[1]) + 0.5*x[0] }

func nothing([]float64) float64 { return 0 }

// newIterativeCase draws n rows in [0, side]^in, a target of each function with normal noise of a deviation.
func newIterativeCase(n, in, features int, side, length float64, noise []float64, seed uint64, functions ...func([]float64) float64) *iterativeCase {
	s := featuremap.NewSampler(seed)
	draw := func(n int, noisy float64) (x, y *mat.Dense) {
		x, y = mat.NewDense(n, in, nil), mat.NewDense(n, len(functions), nil)
		for i := range n {
			row := x.RawRowView(i)
			for j := range row {
				row[j] = side * s.Float64()
			}
			for t, f := range functions {
				y.Set(i, t, f(row)+noisy*noise[t]*s.Normal())
			}
		}
		return x, y
	}
	c := new(iterativeCase)
	c.x, c.y = draw(n, 1)
	c.test, c.truths = draw(500, 0)
	c.phi = must(testkit.New(featuremap.Gaussian{LengthScale: length}, in, features, s))
	return c
}

// errors returns the root mean square error of a model for each target.
func (c *iterativeCase) errors(m *Model) []float64 {
	var p mat.Dense
	m.PredictTo(&p, c.test)
	p.Sub(&p, c.truths)
	n, targets := p.Dims()
	all := make([]float64, targets)
	for t := range all {
		all[t] = mat.Norm(p.ColView(t), 2) / math.Sqrt(float64(n))
	}
	return all
}

// Where the sample is all rows, λ is that of Fit, by the same criterion: with an intercept and without, with weights of rows and without, for each
// target and for all, of rows that are labels for all; and with a known noise.
func TestFitIterativeLambdaIsFits(t *testing.T) {
	t.Parallel()
	const n = 300
	for seed := range uint64(testkit.Times(1, 1, 4)) {
		c := newIterativeCase(n, 2, 60, 2, 0.5, []float64{0.3, 0.001, 1}, 20+seed, wave, wave, nothing)
		labels := mat.NewDense(n, 3, nil)
		labels.Apply(func(i, k int, _ float64) float64 {
			if int(2*c.x.At(i, 0)+float64(i%2))%3 == k {
				return 1
			}
			return -1
		}, labels)
		path := []float64{1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100}
		for _, o := range []Options{
			{}, {Path: path}, {NoIntercept: true}, {SharedLambda: true}, {Weights: weightsFrom(n, 3)},
			{NoiseVariance: []float64{0.04}}, {NoiseVariance: []float64{2}, Path: path}, {NoiseVariance: []float64{0.3}, Weights: weightsFrom(n, 2), NoIntercept: true},
		} {
			for _, y := range []*mat.Dense{c.y, labels} {
				name := fmt.Sprintf("seed %d, path %v, no intercept %v, weights %v, noise %v, labels %v", seed, o.Path, o.NoIntercept, o.Weights != nil, o.NoiseVariance, y == labels)
				fit := must(Fit(c.phi, c.x, y, &o))
				m := must(FitIterative(c.phi, inBatches(c.x, y, o.Weights, 100), &IterativeOptions{
					Path: o.Path, NoIntercept: o.NoIntercept, SharedLambda: o.SharedLambda, NoiseVariance: o.NoiseVariance, Tolerance: 1e-10,
				}))
				for k, l := range m.Lambda() {
					if want := fit.Lambda()[k]; !(math.Abs(l/want-1) < 1e-9) {
						t.Errorf("%s: λ = %.3g, of Fit %.3g", name, m.Lambda(), fit.Lambda())
						break
					}
				}
				for k, v := range m.NoiseVariance() {
					if want := fit.NoiseVariance()[k]; !(math.Abs(v/want-1) < 1e-5) {
						t.Errorf("%s: noise %v, of Fit %v", name, m.NoiseVariance(), fit.NoiseVariance())
						break
					}
				}
			}
		}
	}
}

// Next to a target of noise a function with little noise keeps its λ: each has the error that it has alone. Samples are those of its own λ, also
// from a file.
func TestFitIterativeEachLambda(t *testing.T) {
	t.Parallel()
	const n, samples = 500, 100
	c := newIterativeCase(n, 2, 150, 3, 0.7, []float64{0.001, 1, 0.3}, 31, wave, nothing, wave)
	fitted := func(c *iterativeCase, o *IterativeOptions) *Model {
		return must(FitIterative(c.phi, inBatches(c.x, c.y, nil, n), o))
	}
	m := fitted(c, &IterativeOptions{Samples: samples})
	if l := m.Lambda(); !(l[0] < l[2] && l[2] < l[1]) {
		t.Errorf("λ = %v", l)
	}
	got := c.errors(m)
	var file bytes.Buffer
	must(m.WriteTo(&file))
	read := must(ReadModel(&file, nil))
	for k := range 3 {
		alone := *c
		alone.y, alone.truths = mat.DenseCopyOf(c.y.Slice(0, n, k, k+1)), mat.DenseCopyOf(c.truths.Slice(0, 500, k, k+1))
		if want := alone.errors(fitted(&alone, nil))[0]; !(got[k] <= 1.1*want) {
			t.Errorf("target %d: an error of %v, alone of %v", k, got[k], want)
		}
		exact := must(Fit(c.phi, c.x, alone.y, &Options{Lambda: m.Lambda()[k]}))
		for i := range 5 {
			x := c.test.RawRowView(i)
			v, want := posteriorOf(m).VarianceVec(nil, x)[k]/m.NoiseVariance()[k], posteriorOf(exact).VarianceVec(nil, x)[0]/exact.NoiseVariance()[0]
			// the mean of squares of so many normal numbers, five standard errors; samples are solved to 1e-2
			if !(math.Abs(v/want-1) <= 5*math.Sqrt(2./samples)+0.05) {
				t.Errorf("target %d, row %d: a variance of %v σ², exact %v", k, i, v, want)
			}
			if r := posteriorOf(read).VarianceVec(nil, x)[k]; r != posteriorOf(m).VarianceVec(nil, x)[k] {
				t.Errorf("target %d, row %d: a variance of %v from a file", k, i, r)
			}
		}
	}
	for k := range 3 {
		_, covariance := posteriorOf(m).Joint(c.test.Slice(0, 2, 0, 2), k)
		if v, want := covariance.At(1, 1), posteriorOf(m).VarianceVec(nil, c.test.RawRowView(1))[k]; !(math.Abs(v/want-1) < 1e-9) {
			t.Errorf("target %d: Joint has the variance %v, VarianceVec %v", k, v, want)
		}
	}
	// a draw has the deviation of its own target
	var squares [3]float64
	s, x := featuremap.NewSampler(3), c.test.RawRowView(0)
	mean := m.PredictVec(nil, x)
	const draws = 300
	for range draws {
		for k, v := range must(posteriorOf(m).Sample(s)).EvalVec(nil, x) {
			squares[k] += (v - mean[k]) * (v - mean[k]) / draws
		}
	}
	for k, v := range posteriorOf(m).VarianceVec(nil, x) {
		if !(math.Abs(squares[k]/v-1) <= 5*math.Sqrt(2./draws)) {
			t.Errorf("target %d: draws have the variance %v, the model %v", k, squares[k], v)
		}
	}
	stop := errors.New("stop")
	_, err := FitIterative(c.phi, inBatches(c.x, c.y, nil, n), &IterativeOptions{Progress: func(pass int, _ float64) error {
		if pass == 1 {
			return stop
		}
		return nil
	}})
	var i *InterruptedError
	if !errors.As(err, &i) {
		t.Fatal(err)
	}
	on := fitted(c, &IterativeOptions{Start: i.Model})
	if !slices.Equal(on.Lambda(), m.Lambda()) || !(c.errors(on)[0] <= 1.05*got[0]) {
		t.Errorf("a fit that goes on has λ = %v and an error of %v", on.Lambda(), c.errors(on))
	}
}

// Rows outside of the domain of a planned map are counted, and too many of them refused, as Fit does.
func TestFitIterativeBeyond(t *testing.T) {
	t.Parallel()
	const n = 300
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, 10*float64(i)/n)
		y.Set(i, 0, math.Sin(x.At(i, 0)))
	}
	phi := planned(featuremap.Gaussian{LengthScale: 0.3}, mat.DenseCopyOf(x.Slice(0, 30, 0, 1)), 60)
	var want *BeyondError
	if _, err := Fit(phi, x, y, nil); !errors.As(err, &want) {
		t.Fatal(err)
	}
	all := map[string]func(o *IterativeOptions) (*Model, error){
		"FitIterative": func(o *IterativeOptions) (*Model, error) { return FitIterative(phi, inBatches(x, y, nil, 77), o) },
		"FitPasses": func(o *IterativeOptions) (*Model, error) {
			return FitPasses(phi, (&divided{phi: phi, x: x, y: y, part: 130, batch: 50, write: 70, far: true}).sum, 1, o)
		},
	}
	for name, fit := range all {
		var got *BeyondError
		if _, err := fit(nil); !errors.As(err, &got) || *got != *want {
			t.Errorf("%s: %v, of Fit %v", name, err, want)
		}
		m := must(fit(&IterativeOptions{Beyond: true, Passes: 3}))
		if s := m.String(); !strings.Contains(s, fmt.Sprintf("%d rows outside of the map's domain", want.Rows)) {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// With one known noise the error bars of f hold: 90 % intervals of functions that the map's process has drawn cover 90 %, within five standard
// errors over draws, where bars by samples are right to 1/√(2·Samples); and σ² is what was given, 0 for a deterministic function.
func TestFitIterativeKnownNoise(t *testing.T) {
	t.Parallel()
	const n, out, draws, at, sigma = 60, 40, 60, 10, 0.2
	s := featuremap.NewSampler(41)
	phi := fourier(2, out)
	var shares []float64
	for range draws {
		x, test, w := mat.NewDense(n, 2, nil), mat.NewDense(at, 2, nil), mat.NewDense(out, 1, nil)
		for _, v := range []*mat.Dense{x, test, w} {
			s.FillNormal(v.RawMatrix().Data)
		}
		var features, z, y, truths mat.Dense
		phi.TransformTo(&features, x)
		z.Mul(&features, w)
		y.CloneFrom(&z)
		for i := range n {
			y.Set(i, 0, y.At(i, 0)+sigma*s.Normal())
		}
		features.Reset()
		phi.TransformTo(&features, test)
		truths.Mul(&features, w)
		m := must(FitIterative(phi, inBatches(x, &y, nil, n), &IterativeOptions{NoiseVariance: []float64{sigma * sigma}, Samples: 100, Tolerance: 1e-6}))
		if v := m.NoiseVariance()[0]; !(math.Abs(v/(sigma*sigma)-1) < 1e-12) {
			t.Fatalf("noise %v, %v", v, m)
		}
		var inside float64
		for i := range at {
			p, v := m.PredictVec(nil, test.RawRowView(i))[0], posteriorOf(m).VarianceVec(nil, test.RawRowView(i))[0]
			if math.Abs(p-truths.At(i, 0)) <= 1.645*math.Sqrt(v) {
				inside++
			}
		}
		shares = append(shares, inside/at)
		if given := must(FitIterative(phi, inBatches(x, &y, nil, n), &IterativeOptions{NoiseVariance: []float64{sigma * sigma}, Lambda: m.Lambda()[0], Tolerance: 1e-6})); math.Abs(given.PredictVec(nil, test.RawRowView(0))[0]-m.PredictVec(nil, test.RawRowView(0))[0]) > 1e-4 {
			t.Error("λ that is given has other predictions than the same λ chosen")
		}
	}
	mean, squares := 0.0, 0.0
	for _, v := range shares {
		mean += v / draws
	}
	for _, v := range shares {
		squares += (v - mean) * (v - mean)
	}
	if limit := 5 * math.Sqrt(squares/(draws-1)/draws); !(math.Abs(mean-0.9) <= limit) {
		t.Errorf("intervals of 90 %% cover %v, not within %v", mean, limit)
	} else {
		t.Logf("intervals of 90 %% cover %v ± %v", mean, limit/5)
	}
	x, y := data(n, 2, 1, 42)
	for i := range n {
		y.Set(i, 0, wave(x.RawRowView(i)))
	}
	zero := []float64{0}
	m := must(FitIterative(phi, inBatches(x, y, nil, n), &IterativeOptions{NoiseVariance: zero, Tolerance: 1e-13, Passes: 400}))
	fit := must(Fit(phi, x, y, &Options{NoiseVariance: zero}))
	if a, b := m.NoiseVariance()[0], fit.NoiseVariance()[0]; !(math.Abs(a/b-1) < 1e-3) || !(math.Abs(m.Lambda()[0]/fit.Lambda()[0]-1) < 1e-3) {
		t.Errorf("noise %v, λ = %v; of Fit %v, %v", a, m.Lambda(), b, fit.Lambda())
	}
}
