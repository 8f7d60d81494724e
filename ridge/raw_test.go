// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// landmarkRows returns points of R^3, and a smooth target with noise.
func landmarkRows(n int, seed uint64) (x, y *mat.Dense) {
	s := featuremap.NewSampler(seed)
	x, y = mat.NewDense(n, 3, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		r := x.RawRowView(i)
		y.Set(i, 0, math.Sin(2*r[0])+r[1]*r[2]+0.1*s.Normal())
	}
	return x, y
}

// A plainMap hides what a map is but its features.
type plainMap struct{ featuremap.FeatureMap }

// Fits that sum raw features of landmarks predict as those that solve for each row, to 1e-6 of the targets' deviation, for
// every λ of the path and every condition of k(S, S): near 1e5, 1e7, 1e10 and 1e13, and where landmarks depend on others.
func TestRawFeatures(t *testing.T) {
	x, y := landmarkRows(600, 1)
	test, _ := landmarkRows(100, 2)
	for _, c := range []struct {
		name string
		k    featuremap.Kernel
		o    featuremap.NystromOptions
		most float64
	}{
		{"1e4", featuremap.Matern{Nu: 1.5, LengthScale: 2}, featuremap.NystromOptions{}, 1e-6},
		{"1e7", featuremap.Gaussian{LengthScale: 0.8}, featuremap.NystromOptions{Landmarks: featuremap.RandomRows}, 1e-6},
		{"1e10", featuremap.Gaussian{LengthScale: 1.5}, featuremap.NystromOptions{}, 1e-6},
		{"1e13", featuremap.Gaussian{LengthScale: 3}, featuremap.NystromOptions{}, 1e-6},
		{"dependent", featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, featuremap.NystromOptions{Landmarks: featuremap.RandomRows}, 1e-6},
	} {
		phi, err := featuremap.NewNystrom(c.k, x, 64, featuremap.NewSampler(3), &c.o)
		if err != nil {
			t.Fatal(err)
		}
		features := plainMap{phi}
		scale := must(Fit(features, x, y, nil)).Lambda()[0]
		var most float64
		for power := -6; power <= 6; power += testkit.Times(3, 3, 1) {
			o := &Options{Lambda: scale * math.Pow(10, float64(power))}
			m, want := must(Fit(phi, x, y, o)), must(Fit(features, x, y, o))
			var got, by mat.Dense
			m.PredictTo(&got, test)
			want.PredictTo(&by, test)
			for i := range 100 {
				most = max(most, math.Abs(got.At(i, 0)-by.At(i, 0)))
				if v := m.PredictVec(nil, test.RawRowView(i)); v[0] != got.At(i, 0) {
					t.Fatalf("%s: predictions of a row and of a batch differ", c.name)
				}
			}
		}
		t.Logf("condition %s: predictions differ by %.2g", c.name, most)
		if !(most <= c.most) {
			t.Errorf("condition %s: predictions differ by %.3g", c.name, most)
		}
	}
}

// Rows that come in an order are fitted as any: of 200 rows of sin(2x) with noise of deviation .01 that is found. Its standard error
// is 1/√(2·70), 8 % of it, if 130 columns are fitted, and what λ takes off the function counts as noise: the limit is a half.
func TestLandmarksOfRowsInOrder(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, 0.05*float64(i))
		y.Set(i, 0, math.Sin(2*x.At(i, 0))+0.01*rnd.NormFloat64())
	}
	for _, k := range []featuremap.Kernel{
		featuremap.Gaussian{LengthScale: 1}, featuremap.RationalQuadratic{Alpha: 1, LengthScale: 1}, featuremap.Cauchy{LengthScale: 1}, featuremap.Matern{Nu: 2.5, LengthScale: 1},
	} {
		for _, columns := range []int{n, n / 2} {
			phi := must(featuremap.NewNystrom(k, x, columns, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows}))
			if noise := math.Sqrt(must(Fit(phi, x, y, nil)).NoiseVariance()[0]); !(noise >= 0.005 && noise <= 0.015) {
				t.Errorf("%v: noise of deviation %v, want .01", phi, noise)
			}
			// With next to no λ the mean of the function is that of least squares.
			if _, smooth := k.(featuremap.Gaussian); smooth {
				m := must(Fit(phi, x, y, &Options{Lambda: 1e-11}))
				for v := 0.; v < 9.95; v += 0.01 {
					// 28 columns that are not 0 of 200 rows: .01·√(28/200) = .0037 is the standard error in the mean over rows.
					if e := m.PredictVec(nil, []float64{v})[0] - math.Sin(2*v); !(math.Abs(e) <= 0.02) {
						t.Fatalf("%v, λ = 1e-11: the prediction at %v is off by %v", phi, v, e)
					}
				}
			}
		}
	}
}

// Rows that are left out by raw features have the errors of those left out by features, to 1e-6, for every condition of k(S, S). So have
// intervals, which the noise of rows scales: its regression sums raw features.
func TestRawFeaturesLeftOut(t *testing.T) {
	x, y := landmarkRows(4200, 8) // more than are kept, so that the error of the λ taken is computed anew from all
	moved := mat.DenseCopyOf(x)   // so that no row is a landmark, which would not be left out
	moved.Apply(func(_, _ int, v float64) float64 { return v + 1e-9 }, moved)
	for i, k := range []featuremap.Kernel{
		featuremap.Matern{Nu: 1.5, LengthScale: 2}, // 3e3
		featuremap.Gaussian{LengthScale: 1.5},      // 8e5
		featuremap.Gaussian{LengthScale: 3},        // 5e9
		featuremap.Gaussian{LengthScale: 10},       // 3e14
		featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1},
	} {
		phi, err := featuremap.NewNystrom(k, x, 64, featuremap.NewSampler(3), nil)
		if err != nil {
			t.Fatal(err)
		}
		for j, o := range []Options{{Path: []float64{1e-6}}, {Path: []float64{1e-2}}, {Path: []float64{1e2}, NoIntercept: true}} {
			if j > 0 && j != 1+i%2 && !testkit.Long() { // each kernel with the least λ, and one of the others
				continue
			}
			o.Intervals = &IntervalOptions{NoVariance: true}
			m, by := must(Fit(phi, moved, y, &o)), must(Fit(plainMap{phi}, moved, y, &o))
			if got, want := leftOutOf(m)[0], leftOutOf(by)[0]; !(math.Abs(got-want) <= 1e-6*want) {
				t.Errorf("%v, λ = %v: the error of rows left out is %v, want %v", k, o.Path[0], got, want)
			}
			var lo, hi, from, to mat.Dense
			m.IntervalTo(&lo, &hi, x.Slice(0, 100, 0, 3), 0.9)
			by.IntervalTo(&from, &to, x.Slice(0, 100, 0, 3), 0.9)
			for i := range 100 {
				width, want := hi.At(i, 0)-lo.At(i, 0), to.At(i, 0)-from.At(i, 0)
				if !(math.Abs(width-want) <= 1e-6*want) {
					t.Fatalf("%v, λ = %v: the interval of row %d has the length %v, want %v", k, o.Path[0], i, width, want)
				}
			}
		}
	}
}

// With all rows as landmarks a fit is the exact Gaussian process: its mean and, with what landmarks leave, its variance.
func TestLandmarksAreTheProcess(t *testing.T) {
	const lambda = 0.3
	x, y := landmarkRows(40, 4)
	k := featuremap.Matern{Nu: 2.5, LengthScale: 2}
	phi, err := featuremap.NewNystrom(k, x, 40, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: true}))
	var gram mat.SymDense
	featuremap.Gram(&gram, k, x)
	for i := range 40 {
		gram.SetSym(i, i, gram.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&gram) {
		t.Fatal("no factor")
	}
	test, _ := landmarkRows(20, 5)
	test.Scale(2, test) // far from the rows, too
	var cross, solved mat.Dense
	featuremap.CrossGram(&cross, k, x, test)
	if err := chol.SolveTo(&solved, &cross); err != nil {
		t.Fatal(err)
	}
	var variances mat.Dense
	posteriorOf(m).VarianceTo(&variances, test)
	for j := range 20 {
		mean := mat.Dot(solved.ColView(j), y.ColView(0))
		variance := m.NoiseVariance()[0] / lambda * (1 - mat.Dot(solved.ColView(j), cross.ColView(j)))
		p, v := m.PredictVec(nil, test.RawRowView(j))[0], posteriorOf(m).VarianceVec(nil, test.RawRowView(j))[0]
		if !(math.Abs(p-mean) <= 1e-9) || !(math.Abs(v-variance) <= 1e-9*variance) || v != variances.At(j, 0) {
			t.Errorf("point %d: %v ± %v, the process %v ± %v", j, p, v, mean, variance)
		}
	}
}

// Accumulators of one set of landmarks merge, travel as files, and give the model of one accumulator; and a model of landmarks
// is saved and read with its bits.
func TestLandmarksTravel(t *testing.T) {
	x, y := landmarkRows(500, 6)
	for _, k := range []featuremap.Kernel{featuremap.Matern{Nu: 0.5, LengthScale: 2}, featuremap.Gaussian{LengthScale: 2}} {
		phi, err := featuremap.NewNystrom(k, x, 50, featuremap.NewSampler(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		one, a, b := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
		if err := one.Add(x, y); err != nil {
			t.Fatal(err)
		}
		if err := a.Add(x.Slice(0, 200, 0, 3), y.Slice(0, 200, 0, 1)); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(x.Slice(200, 500, 0, 3), y.Slice(200, 500, 0, 1)); err != nil {
			t.Fatal(err)
		}
		read := must(ReadAccumulator(bytes.NewReader(written(b)), phi))
		if err := a.Merge(read); err != nil {
			t.Fatal(err)
		}
		o := &Options{Lambda: 0.01}
		want, got := must(one.Fit(o)), must(a.Fit(o))
		at := x.RawRowView(7)
		if p, q := want.PredictVec(nil, at)[0], got.PredictVec(nil, at)[0]; !(math.Abs(p-q) <= 1e-7) {
			t.Errorf("%v: %v of one accumulator, %v of two", k, p, q)
		}
		var file bytes.Buffer
		if _, err := want.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		m := must(ReadModel(&file, nil))
		if !slices.Equal(m.PredictVec(nil, at), want.PredictVec(nil, at)) || !slices.Equal(posteriorOf(m).VarianceVec(nil, at), posteriorOf(want).VarianceVec(nil, at)) {
			t.Errorf("%v: a model that was read predicts %v ± %v, and did %v ± %v", k, m.PredictVec(nil, at), posteriorOf(m).VarianceVec(nil, at), want.PredictVec(nil, at), posteriorOf(want).VarianceVec(nil, at))
		}
		if s := must(posteriorOf(m).Sample(featuremap.NewSampler(1))); s.EvalVec(nil, at)[0] == m.PredictVec(nil, at)[0] {
			t.Error("a sample is the mean")
		}
	}
}

// Sums of raw features are not those of features: accumulators of one and the other do not merge.
func TestRawSumsAreApart(t *testing.T) {
	x, y := landmarkRows(100, 7)
	phi, err := featuremap.NewNystrom(featuremap.Matern{Nu: 0.5, LengthScale: 2}, x, 20, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, plain := must(NewAccumulator(phi, 1)), must(NewAccumulator(plainMap{phi}, 1))
	for _, a := range []*Accumulator{raw, plain} {
		if err := a.Add(x, y); err != nil {
			t.Fatal(err)
		}
	}
	if err := raw.Merge(plain); err == nil {
		t.Error("sums of features merge into those of raw features")
	}
	if err := plain.Merge(raw); err == nil {
		t.Error("sums of raw features merge into those of features")
	}
}

// A scaledLandmarks embeds a Nystrom, and has other features.
type scaledLandmarks struct{ *featuremap.Nystrom }

func (m scaledLandmarks) TransformTo(dst *mat.Dense, x mat.Matrix) {
	m.Nystrom.TransformTo(dst, x)
	dst.Scale(2, dst)
}

func (m scaledLandmarks) TransformVec(dst, x []float64) []float64 {
	dst = m.Nystrom.TransformVec(dst, x)
	for i := range dst {
		dst[i] *= 2
	}
	return dst
}

// Features of a caller's type that embeds a Nystrom are its own.
func TestEmbeddedLandmarks(t *testing.T) {
	x, y := landmarkRows(100, 7)
	phi, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 20, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, want := must(Fit(scaledLandmarks{phi}, x, y, &Options{Lambda: 0.4})), must(Fit(plainMap{scaledLandmarks{phi}}, x, y, &Options{Lambda: 0.4}))
	at := x.RawRowView(3)
	if got, want := m.PredictVec(nil, at), want.PredictVec(nil, at); !slices.Equal(got, want) {
		t.Errorf("predicts %v, want %v", got, want)
	}
	if got, want := posteriorOf(m).VarianceVec(nil, at), posteriorOf(want).VarianceVec(nil, at); !slices.Equal(got, want) {
		t.Errorf("variance %v, want %v", got, want)
	}
}

// Gradients of predictions and of variances on landmarks, with what these leave of the kernel, are those of differences.
func TestLandmarkGradients(t *testing.T) {
	x, y := landmarkRows(300, 9)
	gaussian := featuremap.Gaussian{LengthScale: 1.5}
	for _, k := range []featuremap.Kernel{gaussian, featuremap.Sum(gaussian, featuremap.Product(featuremap.Linear{}, featuremap.Matern{Nu: 2.5, LengthScale: 2}))} {
		phi := must(featuremap.NewNystrom(k, x, 32, featuremap.NewSampler(1), nil))
		m := must(Fit(phi, x, y, &Options{Lambda: 0.1}))
		at := []float64{0.3, -0.7, 1.1}
		mean, variance := m.GradientVec(nil, at, 0), posteriorOf(m).VarianceGradientVec(nil, at, 0)
		for c := range at {
			const h = 1e-4
			point := slices.Clone(at)
			differ := func(f func(dst, x []float64) []float64) float64 {
				var v [4]float64
				for i, s := range []float64{-2, -1, 1, 2} {
					point[c] = at[c] + s*h
					v[i] = f(nil, point)[0]
				}
				point[c] = at[c]
				return (8*(v[2]-v[1]) - (v[3] - v[0])) / (12 * h)
			}
			for _, g := range []struct{ got, want float64 }{{mean[c], differ(m.PredictVec)}, {variance[c], differ(posteriorOf(m).VarianceVec)}} {
				if !(math.Abs(g.got-g.want) <= 1e-6*max(math.Abs(g.want), 1e-3)) {
					t.Errorf("%v, coordinate %d: %v, by differences %v", k, c, g.got, g.want)
				}
			}
		}
	}
}
