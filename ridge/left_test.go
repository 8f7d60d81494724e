// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// The noise and what landmarks leave are parts of the σ² that was fitted: with a given λ what is left has the prior's variance, NoiseVariance/λ, everywhere, for
// kernels whose k(x, x) differs and rows of any weight, whether their sums are of raw features or not. Batches, merged sums and files have the same parts.
func TestLeft(t *testing.T) {
	x, y := landmarkRows(400, 1)
	weights := make([]float64, 400)
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	for name, k := range map[string]featuremap.Kernel{
		"few that leave much": featuremap.Matern{Nu: 0.5, LengthScale: 1},
		"smooth":              featuremap.Gaussian{LengthScale: 2},
		"not stationary":      featuremap.Sum(featuremap.Linear{}, featuremap.Matern{Nu: 1.5, LengthScale: 2}),
	} {
		phi := must(featuremap.NewNystrom(k, x, 20, featuremap.NewSampler(1), nil))
		o := &Options{Lambda: 0.3, Weights: weights}
		m, plain := must(Fit(phi, x, y, o)), must(Fit(plainMap{phi}, x, y, o))
		sigma := plain.NoiseVariance()[0]
		left := make([]float64, 400)
		phi.RemainderTo(left, x, nil)
		var mean, total float64
		for i, w := range weights {
			mean += w * left[i]
			total += w
		}
		mean /= total
		over := freePart(t, phi, x, weights, 0.3) * mean / 0.3
		// The degrees of freedom are estimated by 64 random vectors: to some hundredths.
		if got, want := m.NoiseVariance()[0], sigma/(1+over); math.Abs(got-want) > 0.01*want {
			t.Errorf("%s: noise %v, want %v", name, got, want)
		}
		var all, alone mat.Dense
		posteriorOf(m).VarianceTo(&all, x)
		posteriorOf(plain).VarianceTo(&alone, x)
		for i, r := range left {
			if got, want := all.At(i, 0)-alone.At(i, 0), m.NoiseVariance()[0]*r/0.3; math.Abs(got-want) > 1e-7*sigma {
				t.Errorf("%s: row %d: what landmarks leave has the variance %v, want %v", name, i, got, want)
			}
		}

		first, second := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
		for lo, a := range map[int]*Accumulator{0: first, 200: second} {
			if err := a.AddWeighted(x.Slice(lo, lo+200, 0, 3), y.Slice(lo, lo+200, 0, 1), weights[lo:lo+200]); err != nil {
				t.Fatal(err)
			}
		}
		var file bytes.Buffer
		if _, err := second.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		again, err := ReadAccumulator(&file, phi)
		if err != nil {
			t.Fatal(err)
		}
		if err := first.Merge(again); err != nil {
			t.Fatal(err)
		}
		merged := must(first.Fit(&Options{Lambda: 0.3}))
		if got, want := merged.NoiseVariance()[0], m.NoiseVariance()[0]; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: noise of merged sums %v, want %v", name, got, want)
		}
		if _, err := merged.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		read := must(ReadModel(&file, nil))
		if got, want := posteriorOf(read).VarianceVec(nil, []float64{3, -2, 1})[0], posteriorOf(merged).VarianceVec(nil, []float64{3, -2, 1})[0]; got != want || read.NoiseVariance()[0] != merged.NoiseVariance()[0] {
			t.Errorf("%s: a model that was read has the variance %v, want %v", name, got, want)
		}
	}
}

// freePart returns the part of the degrees of freedom of weighted rows that a fit with an intercept leaves: 1 − (1 + Σμ/(μ + λ))/Σw, μ the
// eigenvalues of ΦᵀΦ of centered features.
func freePart(t *testing.T, phi featuremap.FeatureMap, x mat.Matrix, weights []float64, lambda float64) float64 {
	var z mat.Dense
	phi.TransformTo(&z, x)
	n, d := z.Dims()
	total, center := 0.0, mat.NewVecDense(d, nil)
	for i, w := range weights {
		total += w
		center.AddScaledVec(center, w, z.RowView(i))
	}
	center.ScaleVec(1/total, center)
	g := mat.NewSymDense(d, nil)
	for i := range n {
		row := mat.VecDenseCopyOf(z.RowView(i))
		row.SubVec(row, center)
		g.SymRankOne(g, weights[i], row)
	}
	var e mat.EigenSym
	if !e.Factorize(g, false) {
		t.Fatal("no eigenvalues")
	}
	free := total - 1
	for _, v := range e.Values(nil) {
		free -= v / (v + lambda)
	}
	return free / total
}

// FitIterative has the parts of Fit, with rows of any weight: of up to 2,048 rows, and nearly those of more.
func TestLeftOfIterative(t *testing.T) {
	for _, n := range []int{300, 5000} {
		x, y := landmarkRows(n, 1)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 0.5 + float64(i%3)
		}
		phi := must(featuremap.NewNystrom(featuremap.Matern{Nu: 1.5, LengthScale: 2}, x, 20, featuremap.NewSampler(1), nil))
		m := must(Fit(phi, x, y, &Options{Lambda: 3, Weights: weights}))
		got := must(FitIterative(phi, inBatches(x, y, weights, 500), &IterativeOptions{Lambda: 3, Tolerance: 1e-10, Samples: 4}))
		plain := must(FitIterative(plainMap{phi}, inBatches(x, y, weights, 500), &IterativeOptions{Lambda: 3, Tolerance: 1e-10, Samples: 4}))
		limit := 0.01 // degrees of freedom are estimates
		if n > 2048 {
			limit = 0.02 // the deviation of the mean of 2,048 is some hundredth
		}
		part := func(m *Model) float64 { return 1 - m.NoiseVariance()[0]/plain.NoiseVariance()[0] }
		if !(part(m) > 0.001 && math.Abs(part(got)/part(m)-1) <= limit) {
			t.Errorf("%d rows: landmarks leave %v of the noise, and by Fit %v", n, part(got), part(m))
		}
		left := make([]float64, n)
		phi.RemainderTo(left, x, nil)
		var variance, samples mat.Dense
		posteriorOf(got).VarianceTo(&variance, x)
		posteriorOf(plain).VarianceTo(&samples, x)
		for i, r := range left {
			if want := got.NoiseVariance()[0] * r / 3; math.Abs(variance.At(i, 0)-samples.At(i, 0)-want) > 1e-6*plain.NoiseVariance()[0] {
				t.Fatalf("%d rows: row %d: what landmarks leave has the variance %v, want %v", n, i, variance.At(i, 0)-samples.At(i, 0), want)
			}
		}
	}
}

// With few landmarks the likelihood of rows that took no part is above that of a noise which has all that landmarks leave, and above that of
// one which has it, too.
func TestLeftPredicts(t *testing.T) {
	x, y := landmarkRows(1000, 1)
	test, targets := landmarkRows(1000, 2)
	for _, landmarks := range []int{10, 20, 40} {
		phi := must(featuremap.NewNystrom(featuremap.Matern{Nu: 1.5, LengthScale: 1}, x, landmarks, featuremap.NewSampler(1), nil))
		m := must(Fit(phi, x, y, nil))
		plain := must(Fit(plainMap{phi}, x, y, &Options{Lambda: m.Lambda()[0]}))
		sigma, left := plain.NoiseVariance()[0], make([]float64, 1000)
		phi.RemainderTo(left, test, nil)
		var predicted, variance, posterior mat.Dense
		m.PredictTo(&predicted, test)
		posteriorOf(m).VarianceTo(&variance, test)
		posteriorOf(plain).VarianceTo(&posterior, test)
		nll := func(variance func(i int) float64) (sum float64) {
			for i := range left {
				e, v := targets.At(i, 0)-predicted.At(i, 0), variance(i)
				sum += 0.5 * (math.Log(2*math.Pi*v) + e*e/v) / 1000
			}
			return sum
		}
		got := nll(func(i int) float64 { return variance.At(i, 0) + m.NoiseVariance()[0] })
		none := nll(func(i int) float64 { return posterior.At(i, 0) + sigma })
		besides := nll(func(i int) float64 { return posterior.At(i, 0) + sigma + sigma*left[i]/m.Lambda()[0] })
		if !(got < none && got < besides) {
			t.Errorf("%d landmarks: negative log likelihood %v, with all in the noise %v, and besides %v", landmarks, got, none, besides)
		}
		t.Logf("%d landmarks: %.4f, %.4f, %.4f", landmarks, got, none, besides)
	}
}

// With few landmarks, or few frequencies of a lattice, that leave far more than the noise, the bars of a small given λ are as long as errors are: for functions
// drawn from the process, of prior variance 1, the root mean square of error over deviation on new rows is near 1, and far out the deviation. (With σ²/λ for
// the prior's variance it is 3 to 290 far out of landmarks; here it is .7 to .95, and the ratio .78 to 1.15.)
func TestLeftAtSmallLambda(t *testing.T) {
	testkit.OnlyLong(t)
	t.Parallel()
	for _, c := range []struct {
		name     string
		in, out  int
		length   float64
		lattice  bool
		lambda   float64
		most     float64 // far out
		mostNear float64
	}{
		{"landmarks", 3, 20, 2, false, 1e-4, 1.3, 1.3},
		{"landmarks", 3, 100, 2, false, 1e-6, 1.3, 1.5},
		{"landmarks", 6, 50, 3, false, 1e-2, 1.3, 1.3},
		{"landmarks", 6, 50, 3, false, 1e-6, 1.3, 1.3},
		{"lattice", 2, 60, 1, true, 1e-2, 1.3, 1.3},
		{"lattice", 2, 150, 1, true, 1e-2, 1.3, 1.3},
	} {
		const n, fresh, seeds = 300, 150, 2
		k := featuremap.Gaussian{LengthScale: c.length}
		var squares, far float64
		for seed := range seeds {
			s := featuremap.NewSampler(uint64(10 + seed))
			all, z := mat.NewDense(n+fresh, c.in, nil), mat.NewVecDense(n+fresh, nil)
			for i := range n + fresh {
				for j := range c.in {
					if all.Set(i, j, 2*s.Normal()); c.lattice {
						all.Set(i, j, 10*s.Float64())
					}
				}
				z.SetVec(i, s.Normal())
			}
			var gram mat.SymDense
			featuremap.Gram(&gram, k, all)
			for i := range n + fresh {
				gram.SetSym(i, i, gram.At(i, i)+1e-9)
			}
			var factor mat.Cholesky
			if !factor.Factorize(&gram) {
				t.Fatal("the kernel matrix is singular")
			}
			var root mat.TriDense
			var f mat.VecDense
			factor.LTo(&root)
			f.MulVec(&root, z)
			x, y := mat.DenseCopyOf(all.Slice(0, n, 0, c.in)), mat.NewDense(n, 1, nil)
			for i := range n {
				y.Set(i, 0, f.AtVec(i)+math.Sqrt(c.lambda)*s.Normal())
			}
			var phi featuremap.FeatureMap = must(featuremap.NewNystrom(k, x, c.out, s, nil))
			if c.lattice {
				phi = planned(k, x, c.out)
			}
			m := must(Fit(phi, x, y, &Options{Lambda: c.lambda, Intervals: noIntervals}))
			for i := n; i < n+fresh; i++ {
				row := all.RawRowView(i)
				e := m.PredictVec(nil, row)[0] - f.AtVec(i)
				squares += e * e / posteriorOf(m).VarianceVec(nil, row)[0] / (fresh * seeds)
			}
			out := make([]float64, c.in)
			for j := range out {
				out[j] = 100
			}
			far += math.Sqrt(posteriorOf(m).VarianceVec(nil, out)[0]) / seeds
		}
		z := math.Sqrt(squares)
		if !(far > 0.6 && far < c.most) || !(z > 0.75 && z < c.mostNear) {
			t.Errorf("%d %s in %d coordinates, λ = %v: far out a deviation of %v, where the prior's is 1, and errors over deviations of %v", c.out, c.name, c.in, c.lambda, far, z)
		}
		t.Logf("%d %s in %d coordinates, λ = %v: %v, %v", c.out, c.name, c.in, c.lambda, far, z)
	}
}

// A λ that was chosen may be far below the noise over the prior variance, which the mean square of the target bounds: what a map misses is then a
// small part of σ², and NoiseVariance the noise. The limit is three standard errors of a variance of 900 rows.
func TestNoiseBesideLeft(t *testing.T) {
	testkit.OnlyLong(t)
	const n, noise = 1000, 0.1
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, s.Normal())
		y.Set(i, 0, 0.1*math.Sin(2*x.At(i, 0))+noise*s.Normal())
	}
	marks := func(rule featuremap.LandmarkChoice) featuremap.FeatureMap {
		return must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 0.1}, x, 100, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: rule}))
	}
	for _, c := range []struct {
		name string
		phi  featuremap.FeatureMap
	}{
		{"random rows", marks(featuremap.RandomRows)},
		{"k-means", marks(featuremap.KMeans)},
		{"planned", must(featuremap.New(featuremap.Gaussian{LengthScale: 0.1}, x, 40, featuremap.NewSampler(1)))},
	} {
		check := func(name string, m *Model) {
			m = must(ReadModel(bytes.NewReader(written(m)), nil))
			if got, want := m.NoiseVariance()[0], noise*noise; !(math.Abs(got/want-1) <= 3*math.Sqrt(2./900)) {
				t.Errorf("%s of %s, λ = %v: noise variance %v, want about %v", name, c.name, m.Lambda(), got, want)
			}
		}
		for _, lambda := range []float64{1e-1, 1e-2, 1e-3} {
			check("Fit", must(Fit(c.phi, x, y, &Options{Path: []float64{lambda}, Intervals: noIntervals})))
			check("Fit without intercept", must(Fit(c.phi, x, y, &Options{Path: []float64{lambda}, NoIntercept: true, Intervals: noIntervals})))
		}
		check("the rows' side", must(Fit(c.phi, x, y, &Options{Path: []float64{1e-3}, Side: RowSide, Intervals: noIntervals})))
		check("FitIterative", must(FitIterative(c.phi, Rows(x, y), &IterativeOptions{Path: []float64{1e-3}})))

		if c.name == "planned" { // where what is missing at the rows bounds the deviation too
			continue
		}
		// Without an intercept the process has the mean of the target too.
		far := mat.DenseCopyOf(y)
		far.Apply(func(_, _ int, v float64) float64 { return v + 5 }, far)
		m := must(Fit(c.phi, x, far, &Options{Path: []float64{1e-3}, NoIntercept: true}))
		if got := math.Sqrt(posteriorOf(m).VarianceVec(nil, []float64{50})[0]); !(got > 2) {
			t.Errorf("%s: far from all rows a deviation of %v, where the target is 5 from 0", c.name, got)
		}
	}
}

// Landmarks, and a map that is planned for the rows, miss most of a smooth kernel at a few outer rows, which the features fit: that is no half of
// the noise.
func TestNoiseWhereFewRowsAreMissed(t *testing.T) {
	const n, noise = 500, 0.01
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		row := x.RawRowView(i)
		s.FillNormal(row)
		y.Set(i, 0, math.Sin(row[0]+0.5*row[1])+noise*s.Normal())
		y.Set(i, 1, 1e6*(math.Cos(row[1])+noise*s.Normal()))
	}
	kernel := featuremap.Gaussian{LengthScale: 1.5}
	for _, c := range []struct {
		name string
		phi  featuremap.FeatureMap
	}{
		{"random rows", must(featuremap.NewNystrom(kernel, x, 60, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows}))},
		{"planned", must(featuremap.New(kernel, x, 60, featuremap.NewSampler(1)))},
	} {
		path := []float64{1e-4}
		for name, m := range map[string]*Model{
			"Fit":            must(Fit(c.phi, x, y, &Options{Path: path})),
			"the rows' side": must(Fit(c.phi, x, y, &Options{Path: path, Side: RowSide})),
			"FitIterative":   must(FitIterative(c.phi, Rows(x, y), &IterativeOptions{Path: path})),
		} {
			read := must(ReadModel(bytes.NewReader(written(m)), nil))
			for k, v := range read.NoiseVariance() {
				if want := []float64{noise * noise, 1e12 * noise * noise}[k]; !(math.Abs(v/want-1) <= 0.3) || v != m.NoiseVariance()[k] {
					t.Errorf("%s of %s: noise variance %v, %v before it was written, want about %v", name, c.name, v, m.NoiseVariance()[k], want)
				}
			}
		}
	}
}

// Where landmarks miss far more than a known noise, the prior variance that explains the rows has no bound. What they miss has one: at most four
// times the mean square of the target over the mean of k(x, x), both about the mean.
func TestKnownNoiseBelowLeft(t *testing.T) {
	const n = 300
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		s.FillNormal(x.RawRowView(i))
		y.Set(i, 0, math.Sin(5*x.At(i, 0))+math.Cos(4*x.At(i, 1)))
	}
	phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 0.3}, x, 60, featuremap.NewSampler(1), nil))
	for _, noise := range []float64{1e-6, 0} {
		for name, m := range map[string]*Model{
			"Fit":          must(Fit(phi, x, y, &Options{NoiseVariance: []float64{noise}})),
			"FitIterative": must(FitIterative(phi, Rows(x, y), &IterativeOptions{NoiseVariance: []float64{noise}, Samples: 32})),
		} {
			m = must(ReadModel(bytes.NewReader(written(m)), nil))
			var v mat.Dense
			posteriorOf(m).VarianceTo(&v, x)
			if got := mat.Max(&v); !(got < 10) {
				t.Errorf("%s, noise %v: a variance of the function of %v, where the target's is 1", name, noise, got)
			}
		}
	}
}
