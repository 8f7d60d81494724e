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
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// unlike returns points in the plane and targets that want very different λ: a product of waves nearly without noise, noise alone, a line with
// much noise, and waves of ten times the frequency.
func unlike(n int, seed uint64) (x, y, truth *mat.Dense) {
	s := featuremap.NewSampler(seed)
	x, y, truth = mat.NewDense(n, 2, nil), mat.NewDense(n, 4, nil), mat.NewDense(n, 4, nil)
	for i := range n {
		a, b := 4*s.Float64()-2, 4*s.Float64()-2
		x.SetRow(i, []float64{a, b})
		truth.SetRow(i, []float64{math.Sin(a) * math.Cos(b), 0, a / 2, 1000 * math.Sin(3*a)})
		for t, noise := range []float64{0.001, 1, 2, 1} {
			y.Set(i, t, truth.At(i, t)+noise*s.Normal())
		}
	}
	return x, y, truth
}

// column returns a column of a matrix.
func column(m *mat.Dense, t int) *mat.Dense {
	n, _ := m.Dims()
	return mat.DenseCopyOf(m.Slice(0, n, t, t+1))
}

// Each target has the λ, and all that follows from it, that it has alone, in the same bits: by all criteria, weighted, merged, in batches, in
// float32 and after saving. So it is predicted as well as alone, where one λ for all predicts some many times worse.
func TestLambdaOfEachTarget(t *testing.T) {
	const n = 400
	x, y, _ := unlike(n, 700)
	test, _, truth := unlike(200, 701)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 120, featuremap.NewSampler(1), nil))
	rmse := func(m *Model, t, of int) float64 {
		var p mat.Dense
		m.PredictTo(&p, test)
		var off mat.Dense
		off.Sub(column(&p, t), column(truth, of))
		return mat.Norm(&off, 2) / math.Sqrt(200)
	}
	for _, o := range []Options{{}, {Criterion: Evidence}, {Criterion: LeaveOneOut, NoIntercept: true}} {
		m := must(Fit(phi, x, y, &o))
		different := slices.Clone(m.Lambda())
		slices.Sort(different)
		if len(slices.Compact(different)) < 3 {
			t.Fatalf("λ = %v", m.Lambda())
		}
		one := o
		one.SharedLambda = true
		shared := must(Fit(phi, x, y, &one))
		worst, evidence := 0.0, 0.0
		for k := range 4 {
			name := fmt.Sprintf("%v, target %d", o.Criterion, k)
			alone := must(Fit(phi, x, column(y, k), &o))
			evidence += evidenceOf(alone)
			point := test.RawRowView(3)
			for what, of := range map[string][2][]float64{
				"λ":         {m.Lambda()[k : k+1], alone.Lambda()},
				"weights":   {column(m.Weights(), k).RawMatrix().Data, alone.Weights().RawMatrix().Data},
				"intercept": {m.Intercept()[k : k+1], alone.Intercept()},
				"noise":     {m.NoiseVariance()[k : k+1], alone.NoiseVariance()},
				"left out":  {leftOutOf(m)[k : k+1], leftOutOf(alone)},
				"variance":  {posteriorOf(m).VarianceVec(nil, point)[k : k+1], posteriorOf(alone).VarianceVec(nil, point)},
				"gradient":  {m.GradientVec(nil, point, k), alone.GradientVec(nil, point, 0)},
				"and its":   {posteriorOf(m).VarianceGradientVec(nil, point, k), posteriorOf(alone).VarianceGradientVec(nil, point, 0)},
			} {
				equal(t, name+": "+what, bits(of[0]), bits(of[1]))
			}
			if e, want := rmse(m, k, k), rmse(alone, 0, k); !(e <= 1.1*want) {
				t.Errorf("%s: RMSE %v, alone %v", name, e, want)
			} else {
				worst = max(worst, rmse(shared, k, k)/want)
			}
		}
		near(t, "evidence", evidenceOf(m), evidence, 1e-9*math.Abs(evidence))
		if !(worst > 2) {
			t.Errorf("%v: with one λ no target is predicted more than %v times as badly", o.Criterion, worst)
		}
		if text := m.String(); !strings.Contains(text, fmt.Sprintf("%.3g, %.3g", m.Lambda()[0], m.Lambda()[1])) {
			t.Error(text)
		}
		want := modelBits(m, test)
		equal(t, "FitBatches", modelBits(must(FitBatches(phi, inBatches(x, y, nil, 90), &o)), test), want)
		a := must(NewAccumulator(phi, 4))
		addBatches(t, a, x, y, 50)
		equal(t, "Accumulator", modelBits(must(a.Fit(&o)), test), want)
		file := written(m)
		read := must(ReadModel(bytes.NewReader(file), nil))
		equal(t, "read", modelBits(read, test), want)
		equal(t, "a sample", sampleBits(read, 5, test), sampleBits(m, 5, test))
		first := values(must(posteriorOf(m).Sample(featuremap.NewSampler(5))), test)
		equal(t, "its first target", bits(column(first, 0).RawMatrix().Data), sampleBits(must(Fit(phi, x, column(y, 0), &o)), 5, test))
		equal(t, "mean only", bits(predictions(read.MeanOnly(), test)), bits(predictions(m, test)))
		if got := must(m.Float32()).Lambda(); !slices.Equal(got, m.Lambda()) || read.String() != m.String() {
			t.Errorf("in float32 λ = %v, want %v; %v, want %v", got, m.Lambda(), read, m)
		}
		in32 := must(NewAccumulator32(must(featuremap.Float32(phi)), 4))
		if err := in32.Add(exactly(x), y); err != nil {
			t.Fatal(err)
		}
		if got := must(in32.Fit(&o)).Lambda(); len(slices.Compact(got)) < 3 {
			t.Errorf("sums of float32: λ = %v", got)
		}
		// Parts and weights.
		weights := weightsFrom(n, 3)
		px, py := slice(x, y, 0, 150)
		qx, qy := slice(x, y, 150, n)
		merged := weighted(phi, px, py, weights[:150], 40)
		if err := merged.Merge(weighted(phi, qx, qy, weights[150:], 90)); err != nil {
			t.Fatal(err)
		}
		o.Weights = weights
		got, with := must(merged.Fit(&Options{Criterion: o.Criterion, NoIntercept: o.NoIntercept})), must(Fit(phi, x, y, &o))
		for k := range 4 {
			near(t, "λ of merged parts", got.Lambda()[k], with.Lambda()[k], 1e-9*with.Lambda()[k])
			alone := must(Fit(phi, x, column(y, k), &o))
			equal(t, "weighted", bits(with.Lambda()[k:k+1]), bits(alone.Lambda()))
		}
	}
}

// Landmarks leave to each target what its own λ says, and rows beyond those that are left out exactly lead to the λ that a target has alone.
func TestLambdaOfEachTargetOfMany(t *testing.T) {
	x, y, _ := unlike(4700, 702)
	phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 40, featuremap.NewSampler(1), nil))
	m := must(Fit(phi, x, y, nil))
	point := []float64{0.3, -1.7}
	for k := range 4 {
		alone := must(Fit(phi, x, column(y, k), nil))
		name := fmt.Sprintf("target %d", k)
		near(t, name+": λ", m.Lambda()[k], alone.Lambda()[0], 0)
		near(t, name+": variance", posteriorOf(m).VarianceVec(nil, point)[k], posteriorOf(alone).VarianceVec(nil, point)[0], 0)
		near(t, name+": noise", m.NoiseVariance()[k], alone.NoiseVariance()[0], 0)
		near(t, name+": leave-one-out", leftOutOf(m)[k], leftOutOf(alone)[0], 1e-9*leftOutOf(alone)[0])
		equal(t, name+": gradient", bits(posteriorOf(m).VarianceGradientVec(nil, point, k)), bits(posteriorOf(alone).VarianceGradientVec(nil, point, 0)))
	}
}

// Labels share λ in Fit and in batches, also where rows of weight 0 are no labels; an accumulator is told. A row with two classes or none is no
// label.
func TestLambdaOfLabels(t *testing.T) {
	const n = 300
	x, _ := data(n, 2, 1, 703)
	classes := make([]int, n)
	for i := range n {
		switch {
		case x.At(i, 0) > 1:
			classes[i] = 1
		case x.At(i, 1) > 0.2*float64(i%5):
			classes[i] = 2
		}
	}
	phi := fourier(2, 60)
	y := must(Labels(classes, 3))
	shared := func(m *Model) bool { return len(slices.Compact(m.Lambda())) == 1 }
	want := must(Fit(phi, x, y, &Options{SharedLambda: true}))
	m := must(Fit(phi, x, y, nil))
	equal(t, "Fit", modelBits(m, x), modelBits(want, x))
	equal(t, "FitBatches", modelBits(must(FitBatches(phi, inBatches(x, y, nil, 41), nil)), x), modelBits(want, x))
	a := must(NewAccumulator(phi, 3))
	addBatches(t, a, x, y, n)
	equal(t, "Accumulator", modelBits(must(a.Fit(&Options{SharedLambda: true})), x), modelBits(want, x))
	if each := must(a.Fit(nil)); shared(each) {
		t.Fatalf("each class alone has the same λ: %v", each)
	}
	for name, row := range map[string][]float64{"two": {1, 1, -1}, "none": {-1, -1, -1}, "another": {1, -1, 0}} {
		other := mat.DenseCopyOf(y)
		other.SetRow(77, row)
		if m := must(Fit(phi, x, other, nil)); shared(m) {
			t.Errorf("%s: λ = %v", name, m.Lambda())
		}
		if m := must(FitBatches(phi, inBatches(x, other, nil, 41), nil)); shared(m) {
			t.Errorf("%s, batches: λ = %v", name, m.Lambda())
		}
		weights := slices.Repeat([]float64{1}, n)
		weights[77] = 0
		if m := must(Fit(phi, x, other, &Options{Weights: weights})); !shared(m) {
			t.Errorf("%s, of weight 0: λ = %v", name, m.Lambda())
		}
		if m := must(FitBatches(phi, inBatches(x, other, weights, 41), nil)); !shared(m) {
			t.Errorf("%s, batches, of weight 0: λ = %v", name, m.Lambda())
		}
	}
}
