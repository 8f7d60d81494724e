// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
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

// measured returns points in the plane, targets, and the variances of their errors, over a factor of 100.
func measured(n, targets int, seed uint64) (x, y *mat.Dense, variances []float64) {
	s := featuremap.NewSampler(seed)
	x, y, variances = mat.NewDense(n, 2, nil), mat.NewDense(n, targets, nil), make([]float64, n)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		variances[i] = 0.001 * math.Pow(100, s.Float64())
		for t := range targets {
			y.Set(i, t, 2+math.Sin(x.At(i, 0)+float64(t))+0.3*x.At(i, 1)+math.Sqrt(variances[i])*s.Normal())
		}
	}
	return x, y, variances
}

// A knownProcess is the Gaussian process of features of the prior variance tau, a flat intercept or none, and noise of known variances, of rows
// that count weights times, by the matrices of rows: what a model is to equal.
type knownProcess struct {
	phi        featuremap.FeatureMap
	x          *mat.Dense
	tau        float64
	flat       bool
	inverse    *mat.Dense // of the covariance K of the targets
	ones       float64    // 1ᵀK⁻¹1
	level      float64
	residual   *mat.VecDense // K⁻¹(y − level)
	likelihood float64
}

func newKnownProcess(t *testing.T, phi featuremap.FeatureMap, x, y *mat.Dense, variances, weights []float64, tau float64, flat bool) *knownProcess {
	t.Helper()
	n, _ := x.Dims()
	z := features(phi, x)
	k := mat.NewSymDense(n, nil)
	k.SymOuterK(tau, z)
	single := 0.0 // what rows that count w times add to one of variance s/w
	for i := range n {
		s, w := variances[i], 1.0
		if weights != nil {
			w = weights[i]
		}
		k.SetSym(i, i, k.At(i, i)+s/w)
		// w rows of variance s and the same number y have the density of one of s/w, times (2πs)^(−w/2)·(2πs/w)^½.
		single += -w/2*math.Log(2*math.Pi*s) + math.Log(2*math.Pi*s/w)/2
	}
	var c mat.Cholesky
	if !c.Factorize(k) {
		t.Fatal("no process")
	}
	p := &knownProcess{phi: phi, x: x, tau: tau, flat: flat, inverse: new(mat.Dense), residual: new(mat.VecDense)}
	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	if err := c.SolveTo(p.inverse, identity); err != nil {
		t.Fatal(err)
	}
	p.ones = mat.Sum(p.inverse)
	v := mat.VecDenseCopyOf(y.ColView(0))
	p.residual.MulVec(p.inverse, v)
	p.likelihood = -(c.LogDet()+float64(n)*math.Log(2*math.Pi))/2 + single
	if flat { // ∫ p(y | level) d level
		p.level = mat.Sum(p.residual) / p.ones
		for i := range n {
			v.SetVec(i, v.AtVec(i)-p.level)
		}
		p.residual.MulVec(p.inverse, v)
		p.likelihood += (math.Log(2*math.Pi) - math.Log(p.ones)) / 2
	}
	p.likelihood -= mat.Dot(v, p.residual) / 2
	return p
}

// at returns the mean and the variance at a point, without what its features leave.
func (p *knownProcess) at(x []float64) (mean, variance float64) {
	n, _ := p.x.Dims()
	z, own := features(p.phi, p.x), mat.NewVecDense(len(p.phi.TransformVec(nil, x)), p.phi.TransformVec(nil, x))
	k, solved := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	k.MulVec(z, own)
	k.ScaleVec(p.tau, k)
	solved.MulVec(p.inverse, k)
	variance = p.tau*mat.Dot(own, own) - mat.Dot(k, solved)
	if p.flat {
		rest := 1 - mat.Sum(solved)
		variance += rest * rest / p.ones
	}
	return p.level + mat.Dot(k, p.residual), variance
}

// With λ = 1/τ the mean, the variance and the evidence are those of the process whose noise is known, row by row, for weights that count
// rows too; NoiseVariance is n/Σ(1/s). All else is as the weights of rows have it: the largest evidence of a path is taken for each target.
func TestKnownNoise(t *testing.T) {
	const n = 60
	phi := fourier(2, 30)
	x, y, variances := measured(n, 2, 720)
	test, _ := data(5, 2, 1, 721)
	counts := make([]float64, n)
	for i := range counts {
		counts[i] = float64(1 + i%3)
	}
	path := []float64{1e-2, 0.1, 1, 10, 100}
	for _, weights := range [][]float64{nil, counts} {
		for _, flat := range []bool{true, false} {
			best := []int{0, 0}
			var likelihoods [2][]float64
			for i, lambda := range path {
				m := must(Fit(phi, x, y, &Options{Lambda: lambda, NoiseVariance: variances, Weights: weights, NoIntercept: !flat}))
				name := fmt.Sprintf("λ = %v, intercept %v, weights %v", lambda, flat, weights != nil)
				near(t, name+": λ", m.Lambda()[1], lambda, 1e-12*lambda)
				var count, inverse float64
				for i, s := range variances {
					w := 1.0
					if weights != nil {
						w = weights[i]
					}
					count, inverse = count+w, inverse+w/s
				}
				near(t, name+": noise", m.NoiseVariance()[0], count/inverse, 1e-12*count/inverse)
				var evidence float64
				for k := range 2 {
					p := newKnownProcess(t, phi, x, column(y, k), variances, weights, 1/lambda, flat)
					evidence += p.likelihood
					likelihoods[k] = append(likelihoods[k], p.likelihood)
					if p.likelihood > likelihoods[k][best[k]] {
						best[k] = i
					}
					for r := range 5 {
						mean, variance := p.at(test.RawRowView(r))
						near(t, name+": mean", m.PredictVec(nil, test.RawRowView(r))[k], mean, 1e-8)
						near(t, name+": variance", posteriorOf(m).VarianceVec(nil, test.RawRowView(r))[k], variance, 1e-6*variance+1e-10/lambda) // the process has τ times some roundings
					}
				}
				near(t, name+": evidence", evidenceOf(m), evidence, 1e-7*math.Abs(evidence))
			}
			m := must(Fit(phi, x, y, &Options{Path: path, NoiseVariance: variances, Weights: weights, NoIntercept: !flat}))
			for k, i := range best {
				near(t, "λ of the largest evidence", m.Lambda()[k], path[i], 1e-12*path[i])
			}
			if text := m.String(); !strings.Contains(text, "(by Evidence), noise variance given") || !math.IsNaN(leftOutOf(m)[0]) {
				t.Errorf("%s, left out %v", text, leftOutOf(m))
			}
			read := must(ReadModel(bytes.NewReader(written(m)), nil))
			equal(t, "read", modelBits(read, test), modelBits(m, test))
			if read.String() != m.String() || !slices.Equal(must(m.Float32()).Lambda(), m.Lambda()) {
				t.Errorf("read: %v, want %v", read, m)
			}
		}
	}
}

// A model tells that its features err by much more than the known noise, which no variance shows: 40 random features of a function that takes
// hundreds. It tells nothing where noise and kernel are right.
func TestKnownNoiseMisfit(t *testing.T) {
	const n = 300
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		s.FillNormal(x.RawRowView(i))
		y.Set(i, 0, math.Sin(5*x.At(i, 0))+math.Cos(4*x.At(i, 1)))
	}
	fits := func(phi featuremap.FeatureMap, noise float64) map[string]*Model {
		given := []float64{noise}
		a := must(NewAccumulator(phi, 2))
		must(0, a.Add(x, y))
		one := mat.DenseCopyOf(y.Slice(0, n, 0, 1)) // the other one is constant
		return map[string]*Model{
			"Fit":          must(Fit(phi, x, y, &Options{NoiseVariance: given, Intervals: noIntervals})),
			"rows":         must(Fit(phi, x, y, &Options{NoiseVariance: given, Side: RowSide, Intervals: noIntervals})),
			"each":         must(Fit(phi, x, y, &Options{NoiseVariance: append(slices.Repeat(given, n-1), 2*noise), Intervals: noIntervals})),
			"Accumulator":  must(a.Fit(&Options{NoiseVariance: given, Intervals: noIntervals})),
			"FitIterative": must(FitIterative(phi, Rows(x, one), &IterativeOptions{NoiseVariance: given})),
		}
	}
	const told = " times too small for the errors of this map)"
	few := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.3}, 2, 40, s, nil))
	enough := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.7}, 2, 700, s, nil))
	for _, noise := range []float64{1e-4, 1e-9, 0} { // the last two count as more, since λ must be large enough for float64
		for name, m := range fits(few, noise) {
			read := must(ReadModel(bytes.NewReader(written(m)), nil))
			if text := m.String(); !strings.Contains(text, told) || read.String() != text {
				t.Errorf("noise %v, %s: %v\nread: %v", noise, name, m, read)
			}
		}
		for name, m := range fits(enough, noise) {
			if text := m.String(); strings.Contains(text, told) {
				t.Errorf("noise %v, %s, with features enough: %v", noise, name, m)
			}
		}
	}
	// Functions of the prior, with their noise.
	for seed := range uint64(40) {
		s, n := featuremap.NewSampler(seed), []int{5, 20, 100}[seed%3]
		x, y, w := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil), mat.NewVecDense(60, nil)
		s.FillNormal(x.RawMatrix().Data)
		s.FillNormal(w.RawVector().Data)
		phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 60, s, nil))
		for i := range n {
			y.Set(i, 0, mat.Dot(w, mat.NewVecDense(60, phi.TransformVec(nil, x.RawRowView(i))))+0.3*s.Normal())
		}
		if m := must(Fit(phi, x, y, &Options{NoiseVariance: []float64{0.09}, Intervals: noIntervals})); strings.Contains(m.String(), told) {
			t.Errorf("seed %d, %d rows: %v", seed, n, m)
		}
	}
}

// One number is known noise for every kind of fit, and as many equal ones are the same.
func TestKnownNoiseOfAll(t *testing.T) {
	const n, s = 80, 0.04
	phi := fourier(2, 24)
	x, y := data(n, 2, 2, 722)
	test, _ := data(5, 2, 1, 723)
	for _, o := range []Options{{}, {Lambda: 0.3, NoIntercept: true}, {Path: []float64{0.1, 1, 5}}, {SharedLambda: true}} {
		o.NoiseVariance = []float64{s}
		m := must(Fit(phi, x, y, &o))
		want := modelBits(m, test)
		equal(t, "noise", bits(m.NoiseVariance()), bits([]float64{s, s}))
		for k := range 2 {
			p := newKnownProcess(t, phi, x, column(y, k), slices.Repeat([]float64{s}, n), nil, 1/m.Lambda()[k], !o.NoIntercept)
			mean, variance := p.at(test.RawRowView(2))
			near(t, "mean", m.PredictVec(nil, test.RawRowView(2))[k], mean, 1e-8)
			near(t, "variance", posteriorOf(m).VarianceVec(nil, test.RawRowView(2))[k], variance, 1e-7*variance)
		}
		equal(t, "batches", modelBits(must(FitBatches(phi, inBatches(x, y, nil, 17), &o)), test), want)
		a := must(NewAccumulator(phi, 2))
		addBatches(t, a, x, y, 30)
		equal(t, "accumulator", modelBits(must(a.Fit(&o)), test), want)
		ax, ay := slice(x, y, 0, 33)
		bx, by := slice(x, y, 33, n)
		merged, b := must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2))
		addBatches(t, merged, ax, ay, 33)
		addBatches(t, b, bx, by, 20)
		if err := merged.Merge(b); err != nil {
			t.Fatal(err)
		}
		near(t, "merged", posteriorOf(must(merged.Fit(&o))).VarianceVec(nil, test.RawRowView(1))[0], posteriorOf(m).VarianceVec(nil, test.RawRowView(1))[0], 1e-9)
		in32 := must(NewAccumulator32(must(featuremap.Float32(phi)), 2))
		if err := in32.Add(exactly(mat.DenseCopyOf(x)), y); err != nil {
			t.Fatal(err)
		}
		got := must(in32.Fit(&o))
		near(t, "float32: λ", got.Lambda()[0], m.Lambda()[0], 1e-4*m.Lambda()[0])
		near(t, "float32: noise", got.NoiseVariance()[1], s, 0)
		o.NoiseVariance = slices.Repeat([]float64{s}, n)
		equal(t, fmt.Sprintf("equal numbers, %+v", o), modelBits(must(Fit(phi, x, y, &o)), test), want)
	}
	// Twice the noise and twice the prior are the same means, and twice the variances.
	one, two := must(Fit(phi, x, y, &Options{Lambda: 1, NoiseVariance: []float64{s}})), must(Fit(phi, x, y, &Options{Lambda: 0.5, NoiseVariance: []float64{2 * s}}))
	near(t, "mean", two.PredictVec(nil, []float64{1, 0})[0], one.PredictVec(nil, []float64{1, 0})[0], 1e-12)
	near(t, "variance", posteriorOf(two).VarianceVec(nil, []float64{1, 0})[0], 2*posteriorOf(one).VarianceVec(nil, []float64{1, 0})[0], 1e-12)
}

// Without noise the model passes through its values, and its error bars are those of a process of noise that is 1e-10 of the prior's: of zeros
// for all rows, of zeros among others, and of numbers so small that they are no more. The amplitude is found by itself.
func TestNoNoise(t *testing.T) {
	const n, tau = 14, 40.0
	s := featuremap.NewSampler(724)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.4}, 1, 60, s, nil))
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil)
	w := make([]float64, 60)
	s.FillNormal(w)
	for i := range n {
		x.Set(i, 0, 4*float64(i)/n+0.1*s.Float64())
		f := math.Sqrt(tau) * mat.Dot(mat.NewVecDense(60, w), mat.NewVecDense(60, phi.TransformVec(nil, x.RawRowView(i))))
		y.SetRow(i, []float64{5 + f, 1e-3 * f}) // of other units
	}
	center := columnMeans(features(phi, x))
	spread := mat.Norm(centered(features(phi, x), center), 2)
	spread *= spread / n
	for _, noise := range [][]float64{{0}, {1e-30}, make([]float64, n), slices.Repeat([]float64{1e-25}, n)} {
		name := fmt.Sprintf("%d of %v", len(noise), noise[0])
		m := must(Fit(phi, x, y, &Options{NoiseVariance: noise}))
		if noise[0] == 0 {
			near(t, name+": λ", m.Lambda()[0], 1e-10*spread, 1e-9*1e-10*spread)
		}
		for k, scale := range []float64{1, 1e-6} {
			prior := m.NoiseVariance()[k] / 1e-10 / spread // τ
			if !(prior > tau*scale/4 && prior < tau*scale*4) {
				t.Errorf("%s: a prior variance of %v, drawn from %v", name, prior, tau*scale)
			}
			p := newKnownProcess(t, phi, x, column(y, k), slices.Repeat([]float64{m.NoiseVariance()[k]}, n), nil, prior, true)
			for _, at := range [][]float64{{1.93}, {-0.5}, {9}} {
				mean, variance := p.at(at)
				near(t, name+": mean", m.PredictVec(nil, at)[k], mean, 1e-4*math.Sqrt(scale))
				near(t, name+": variance", posteriorOf(m).VarianceVec(nil, at)[k], variance, 1e-4*variance+1e-8*prior)
			}
		}
		for i := range n {
			near(t, name+": a value", m.PredictVec(nil, x.RawRowView(i))[0], y.At(i, 0), 1e-3)
			if v := posteriorOf(m).VarianceVec(nil, x.RawRowView(i))[0]; !(v >= 0 && v < 1e-8*tau) {
				t.Errorf("%s: variance %v at a row", name, v)
			}
		}
	}
	// Some rows without noise, others with: the model goes through the former.
	some := make([]float64, n)
	for i := range some {
		some[i] = 0.5 * float64(i%2)
	}
	m := must(Fit(phi, x, column(y, 0), &Options{NoiseVariance: some}))
	least := 1e-10 * spread / m.Lambda()[0]
	large := slices.Clone(some)
	for i := range large {
		large[i] = max(large[i], least)
	}
	p := newKnownProcess(t, phi, x, column(y, 0), large, nil, 1/m.Lambda()[0], true)
	for _, at := range [][]float64{{1.93}, {0.2}} {
		mean, variance := p.at(at)
		near(t, "some: mean", m.PredictVec(nil, at)[0], mean, 1e-4)
		near(t, "some: variance", posteriorOf(m).VarianceVec(nil, at)[0], variance, 1e-4*variance)
	}
	for i, s := range some {
		if v := posteriorOf(m).VarianceVec(nil, x.RawRowView(i))[0]; s == 0 && !(v < 1e-8/m.Lambda()[0]) || s > 0 && v > s {
			t.Errorf("row %d of noise %v: variance %v", i, s, v)
		}
		if s == 0 {
			near(t, "a value without noise", m.PredictVec(nil, x.RawRowView(i))[0], y.At(i, 0), 1e-3)
		}
	}
	one := must(Fit(phi, x, column(y, 0), &Options{NoiseVariance: append(make([]float64, n-1), 0.5)}))
	all := must(Fit(phi, x, column(y, 0), &Options{NoiseVariance: []float64{0}}))
	if ratio := one.Lambda()[0] * all.NoiseVariance()[0] / all.Lambda()[0]; !(ratio > 1./40 && ratio < 40) { // one has powers of ten
		t.Errorf("1/τ = %v, without noise at any row %v", one.Lambda()[0], all.Lambda()[0]/all.NoiseVariance()[0])
	}
	given := must(Fit(phi, x, column(y, 0), &Options{Lambda: 1 / tau, NoiseVariance: []float64{0}}))
	near(t, "the noise of a given λ", given.NoiseVariance()[0], 1e-10*spread*tau, 1e-18)
}

// What landmarks leave has the prior's variance where the noise is known, which has no part of it.
func TestKnownNoiseOfLandmarks(t *testing.T) {
	x, y, variances := measured(50, 1, 725)
	k := featuremap.Gaussian{LengthScale: 1}
	phi := must(featuremap.NewNystrom(k, x, 12, featuremap.NewSampler(1), nil))
	m := must(Fit(phi, x, y, &Options{NoiseVariance: variances}))
	tau := 1 / m.Lambda()[0]
	p := newKnownProcess(t, phi, x, y, variances, nil, tau, true)
	var inverse float64
	for _, s := range variances {
		inverse += 1 / s
	}
	near(t, "noise", m.NoiseVariance()[0], 50/inverse, 1e-12)
	for _, at := range [][]float64{{0.1, 0.2}, {2, -2}, {7, 7}} {
		z := mat.NewVecDense(12, phi.TransformVec(nil, at))
		left := 1 - mat.Dot(z, z)
		mean, variance := p.at(at)
		near(t, "mean", m.PredictVec(nil, at)[0], mean, 1e-7)
		near(t, "variance", posteriorOf(m).VarianceVec(nil, at)[0], variance+tau*left, 1e-6*(variance+tau*left))
	}
	expectGradient(t, m, []float64{0.3, 1.2})
}

// expectGradient compares the gradient of the variance with differences.
func expectGradient(t *testing.T, m *Model, at []float64) {
	t.Helper()
	g := posteriorOf(m).VarianceGradientVec(nil, at, 0)
	for j := range at {
		const h = 1e-5
		up, down := slices.Clone(at), slices.Clone(at)
		up[j], down[j] = up[j]+h, down[j]-h
		near(t, "gradient", g[j], (posteriorOf(m).VarianceVec(nil, up)[0]-posteriorOf(m).VarianceVec(nil, down)[0])/(2*h), 1e-5*(1+math.Abs(g[j])))
	}
}

// A noise that is known is taken as it is, also where targets scatter more than it and the map: a fit may not find a likelier one.
func TestKnownNoiseIsTaken(t *testing.T) {
	const n = 200
	x, y := data(n, 2, 1, 731) // of variance 1, or so
	s := featuremap.NewSampler(732)
	for i := range n {
		y.Set(i, 0, y.At(i, 0)+0.3*s.Normal())
	}
	phi := fourier(2, 60)
	for _, v := range []float64{0.01, 0.001} {
		noise := []float64{v}
		for name, m := range map[string]*Model{
			"Fit":          must(Fit(phi, x, y, &Options{NoiseVariance: noise})),
			"FitBatches":   must(FitBatches(phi, inBatches(x, y, nil, 50), &Options{NoiseVariance: noise})),
			"FitIterative": must(FitIterative(phi, inBatches(x, y, nil, 50), &IterativeOptions{NoiseVariance: noise})),
		} {
			near(t, name+": noise", m.NoiseVariance()[0], v, 1e-12)
		}
	}
}

// Constant targets of known noise have a variance, and a level that is as sure as n rows make it.
func TestKnownNoiseOfConstantTargets(t *testing.T) {
	x, y, variances := measured(30, 2, 726)
	for i := range 30 {
		y.Set(i, 1, 7)
	}
	m := must(Fit(fourier(2, 20), x, y, &Options{NoiseVariance: variances}))
	var inverse float64
	for _, s := range variances {
		inverse += 1 / s
	}
	if v := posteriorOf(m).VarianceVec(nil, []float64{0, 0})[1]; !(v >= 1/inverse && v < 0.01) || m.NoiseVariance()[1] == 0 || math.IsInf(evidenceOf(m), 0) || strings.Contains(m.String(), "constant") {
		t.Errorf("variance %v, noise %v, evidence %v: %v", v, m.NoiseVariance(), evidenceOf(m), m)
	}
	// Fits by iterations take the same λ.
	one := must(Fit(fourier(2, 20), x, y, &Options{NoiseVariance: []float64{0.02}}))
	again := must(FitIterative(fourier(2, 20), inBatches(x, y, nil, 30), &IterativeOptions{NoiseVariance: []float64{0.02}}))
	for target, l := range one.Lambda() {
		near(t, "λ by iterations", again.Lambda()[target]/l, 1, 1e-6)
	}
	// Without noise a constant is one of which nothing is known.
	for _, o := range []Options{{NoiseVariance: []float64{0}}, {NoiseVariance: make([]float64, 30)}} {
		m = must(Fit(fourier(2, 20), x, column(y, 1), &o))
		if text := refused(m); !strings.Contains(text, "constant") || m.NoiseVariance()[0] != 0 || !math.IsInf(evidenceOf(m), -1) {
			t.Errorf("%q, noise %v, evidence %v", text, m.NoiseVariance(), evidenceOf(m))
		}
	}
	some := make([]float64, 30)
	some[3] = 1
	m = must(Fit(fourier(2, 20), x, column(y, 1), &Options{NoiseVariance: some}))
	near(t, "a constant, some rows without noise", m.PredictVec(nil, []float64{1, 1})[0], 7, 1e-9)
}

// Rows of so much noise that they tell nothing change nothing, however many there are, wherever they stand and whatever their targets; nor do they
// where others have no noise.
func TestKnownNoiseOfRowsThatTellNothing(t *testing.T) {
	const n = 60
	x, y, variances := measured(n, 1, 728)
	variances[0] = 0.01
	places := mat.NewDense(5, 2, []float64{0, 0, 1, -1, -1.5, 0.5, 0.3, 0.2, 0.5, 1})
	for _, phi := range []featuremap.FeatureMap{fourier(2, 40), must(testkit.New(featuremap.Linear{}, 2, 2, featuremap.NewSampler(1)))} {
		for _, exact := range []int{0, 1} {
			for i := range exact {
				variances[3*i] = 0
			}
			alone := must(Fit(phi, x, y, &Options{NoiseVariance: variances}))
			for _, more := range []int{1, 100} {
				var first *Model
				for _, at := range []int{0, 7, n} {
					s := featuremap.NewSampler(729)
					x1, y1, all := mat.NewDense(n+more, 2, nil), mat.NewDense(n+more, 1, nil), make([]float64, n+more)
					for i := range n + more {
						switch {
						case i >= at && i < at+more:
							x1.SetRow(i, []float64{1e3 * s.Normal(), s.Normal()})
							y1.Set(i, 0, 1e9*s.Normal())
							all[i] = 1e18
							continue
						case i >= at:
							copy(x1.RawRowView(i), x.RawRowView(i-more))
							y1.Set(i, 0, y.At(i-more, 0))
							all[i] = variances[i-more]
						default:
							copy(x1.RawRowView(i), x.RawRowView(i))
							y1.Set(i, 0, y.At(i, 0))
							all[i] = variances[i]
						}
					}
					m := must(Fit(phi, x1, y1, &Options{NoiseVariance: all}))
					if first == nil {
						first = m
					}
					near(t, "λ", m.Lambda()[0]/first.Lambda()[0], 1, 1e-6)
					near(t, "evidence", evidenceOf(m)/evidenceOf(first), 1, 1e-6)
					for i := range 5 { // τ is one of other powers of ten: less than a standard deviation's difference
						p := places.RawRowView(i)
						deviation := math.Sqrt(posteriorOf(alone).VarianceVec(nil, p)[0])
						near(t, "prediction", m.PredictVec(nil, p)[0], alone.PredictVec(nil, p)[0], 1e-6+deviation)
						near(t, "deviation", math.Sqrt(posteriorOf(m).VarianceVec(nil, p)[0])/deviation, 1, 0.5)
						near(t, "prediction by place", m.PredictVec(nil, p)[0], first.PredictVec(nil, p)[0], 1e-6)
					}
				}
			}
		}
	}
}

// Targets of other scales, or constant, do not spoil another one if some rows have no noise: neither its predictions nor its λ, which a
// noise too small for it makes 1e7 to 1e195 times larger with three rows, since these alone weigh anything then.
func TestKnownNoiseOfScales(t *testing.T) {
	const n = 60
	x, y, variances := measured(n, 1, 730)
	phi := fourier(2, 40)
	for _, exact := range []int{1, 3, 20} {
		for i := range exact {
			variances[3*i] = 0
			y.Set(3*i, 0, 2+math.Sin(x.At(3*i, 0))+0.3*x.At(3*i, 1))
		}
		alone := must(Fit(phi, x, y, &Options{NoiseVariance: variances}))
		for _, scale := range []float64{0, 1e-100, 1e-12, 1e-6, 1, 1e3} {
			both := mat.NewDense(n, 2, nil)
			for i := range n {
				both.SetRow(i, []float64{y.At(i, 0), scale * math.Cos(x.At(i, 0))})
			}
			m := must(Fit(phi, x, both, &Options{NoiseVariance: variances}))
			for _, p := range [][]float64{{0, 0}, {1, -1}, {-1.5, 0.5}} {
				near(t, fmt.Sprintf("%d exact, beside %v", exact, scale), m.PredictVec(nil, p)[0], alone.PredictVec(nil, p)[0], 0.05)
			}
			near(t, fmt.Sprintf("λ, %d exact, beside %v", exact, scale), math.Log10(m.Lambda()[0]/alone.Lambda()[0]), 0, 1) // a power of ten of the path
		}
	}
}

// Intervals of 90 % hold where errors are known over a factor of 100, for functions of a process whose amplitude is not known: at
// least .78 of 5 rows, .84 of 10, and .86 to .93 from 20 on. With the errors as weights they hold a fifth to a third.
func TestKnownNoiseCovers(t *testing.T) {
	kinds, reps := []string{"features"}, 150 // a repetition's share has a deviation of .3 of five rows, and .15 of many
	if testkit.Long() {
		kinds, reps = []string{"features", "no intercept", "landmarks"}, 250
	}
	for d := 1; d <= 3; d++ {
		if d > 1 && !testkit.Long() {
			break
		}
		length := []float64{0.15, 0.4, 0.6}[d-1]
		phi := must(testkit.New(featuremap.Gaussian{LengthScale: length}, d, []int{40, 120, 160}[d-1], featuremap.NewSampler(7)))
		for _, kind := range kinds {
			for _, n := range []int{5, 10, 20, 60, 200} {
				if n == 200 && !testkit.Long() {
					break
				}
				s := featuremap.NewSampler(uint64(1000*d + n))
				count := reps
				if n >= 20 {
					count /= 4
				}
				var inside, byWeights, all float64
				for r := range count {
					w, m, plain := covering(phi, length, d, n, r%2 == 0, kind, s)
					for range 20 {
						p := make([]float64, d)
						for j := range p {
							p[j] = s.Float64()
						}
						f := w(p)
						in := func(m *Model) float64 {
							if math.Abs(m.PredictVec(nil, p)[0]-f) < 1.6449*math.Sqrt(posteriorOf(m).VarianceVec(nil, p)[0]) {
								return 1
							}
							return 0
						}
						inside, all = inside+in(m), all+1
						if plain != nil {
							byWeights += in(plain)
						}
					}
				}
				share := inside / all
				t.Logf("%d columns, %s, %d rows: %.3f inside, by weights %.3f", d, kind, n, share, byWeights/all)
				least, most := 0.86, 0.93
				switch n {
				case 5:
					least, most = 0.78, 1
				case 10:
					least, most = 0.84, 1
				}
				// Two deviations of the mean over so many draws.
				slack := 2 * []float64{0.3, 0.15}[min(n/20, 1)] / math.Sqrt(float64(count))
				if !(share >= least-slack && share <= most+slack) || byWeights/all > 0.5 {
					t.Errorf("%d columns, %s, %d rows: %.3f inside, want %v to %v; by weights %.3f", d, kind, n, share, least, most, byWeights/all)
				}
			}
		}
	}
}

// covering returns a function of the process, and models of measurements of it: of known noise, and with the errors as weights, nil if these
// add up to too little. Errors vary by a factor of 100, or their variances do.
func covering(phi featuremap.FeatureMap, length float64, d, n int, factor bool, kind string, s *featuremap.Sampler) (func(x []float64) float64, *Model, *Model) {
	_, out := phi.Dims()
	root := math.Exp(2 * s.Normal())
	w := make([]float64, out)
	s.FillNormal(w)
	level := 3 * s.Normal()
	if kind == "no intercept" {
		level = 0
	}
	f := func(x []float64) float64 {
		return level + root*mat.Dot(mat.NewVecDense(out, w), mat.NewVecDense(out, phi.TransformVec(nil, x)))
	}
	x, y, variances, weights := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = s.Float64()
		}
		e := math.Pow(100, s.Float64()-0.75)
		if !factor {
			e = math.Sqrt(e)
		}
		e *= root / 2
		variances[i], weights[i] = e*e, 1/(e*e)
		y.Set(i, 0, f(row)+e*s.Normal())
	}
	fitted := phi
	if kind == "landmarks" {
		fitted = must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: length}, x, min(n, 30), s, nil))
	}
	o := Options{NoIntercept: kind == "no intercept", NoiseVariance: variances}
	m := must(Fit(fitted, x, y, &o))
	o.NoiseVariance, o.Weights = nil, weights
	plain, err := Fit(fitted, x, y, &o)
	if err != nil {
		plain = nil
	}
	return f, m, plain
}

// Numbers that are refused are named; those of rows of weight 0 are nobody's.
func TestKnownNoiseRefused(t *testing.T) {
	phi := fourier(2, 12)
	x, y := data(20, 2, 1, 727)
	fit := func(o Options) error { _, err := Fit(phi, x, y, &o); return err }
	with := func(row int, v float64) []float64 {
		s := slices.Repeat([]float64{1}, 20)
		s[row] = v
		return s
	}
	for _, v := range []float64{-1, math.NaN(), 0x1p968, math.Inf(1)} {
		expectError(t, fit(Options{NoiseVariance: with(7, v)}), fmt.Sprintf("ridge: NoiseVariance: row 7 = %v: must be at least 0 and less than 2^968", v))
		if err := fit(Options{NoiseVariance: with(7, v), Weights: with(7, 0)}); err != nil {
			t.Error(err)
		}
	}
	_, err := Fit(nil, x, y, &Options{NoiseVariance: with(0, 2)})
	expectError(t, err, "ridge: phi = nil")
	_, err = Fit(fourier(3, 12), x, y, &Options{NoiseVariance: with(0, 2)})
	expectError(t, err, "ridge: x has 2 columns, phi takes 3: must be as many")
	expectError(t, fit(Options{NoiseVariance: with(0, 2), Weights: make([]float64, 20)}), "ridge: no rows: must be at least 1")
	expectError(t, fit(Options{NoiseVariance: []float64{1, 2}}), "ridge: x has 20 rows, NoiseVariance 2: must be as many, or one")
	expectError(t, fit(Options{NoiseVariance: []float64{}}), "ridge: NoiseVariance is empty: must be nil or have a number")
	expectError(t, fit(Options{NoiseVariance: []float64{1}, Criterion: LeaveOneOut}), "ridge: NoiseVariance and the Criterion LeaveOneOut: λ is that of the largest evidence where the noise is known")
	expectError(t, fit(Options{NoiseVariance: []float64{1}, Path: []float64{1, 0}}), "ridge: NoiseVariance and a λ of 0 in Path, which has no evidence: must be positive")
	expectError(t, fit(Options{NoiseVariance: []float64{0}, Path: []float64{1}}), "ridge: NoiseVariance = 0 and a Path: must be one of them, as λ follows from the noise")
	const each = "ridge: NoiseVariance has 20 numbers: must be one for all rows; the function Fit takes one for each"
	_, err = FitBatches(phi, inBatches(x, y, nil, 9), &Options{NoiseVariance: with(0, 2)})
	expectError(t, err, each)
	a := must(NewAccumulator(phi, 1))
	addBatches(t, a, x, y, 20)
	_, err = a.Fit(&Options{NoiseVariance: with(0, 2)})
	expectError(t, err, each)
	m := must(a.Fit(&Options{NoiseVariance: []float64{1}, Lambda: 1}))
	_, err = FitIterative(phi, inBatches(x, y, nil, 20), &IterativeOptions{Start: m})
	expectError(t, err, "ridge: Start and NoiseVariance: the noise must be known of both, or of none")
}
