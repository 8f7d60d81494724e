// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// gappedRows returns rows on [0, 4] and [8, 12] in the first column, normal ones in others, and targets of a sine, which are the same
// but scaled for each target.
func gappedRows(n, in, targets int, noise float64) (x, y *mat.Dense) {
	s := featuremap.NewSampler(5)
	x, y = mat.NewDense(n, in, nil), mat.NewDense(n, targets, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		v := 8 * s.Float64()
		if v > 4 {
			v += 4
		}
		x.Set(i, 0, v)
		for t := range targets {
			y.Set(i, t, float64(t+1)*(math.Sin(v)+noise*s.Normal()))
		}
	}
	return x, y
}

// leavingModels are models whose maps leave something of their kernels, except one, with rows of the same width: landmarks whose part of the noise
// is known, is half of it, or is not known, as noise is known; at logarithms; fitted by iterations; maps planned for points, of one term
// and of two, with what is lost among the rows.
var leavingModels = sync.OnceValue(func() map[string]*Model {
	x, y := gappedRows(60, 1, 2, 0.1)
	m15 := featuremap.Matern{Nu: 1.5, LengthScale: 1}
	landmarks := func(k featuremap.Kernel, n int) featuremap.FeatureMap {
		return must(featuremap.NewNystrom(k, x, n, featuremap.NewSampler(2), nil))
	}
	log := func(k featuremap.Kernel) featuremap.Kernel { return featuremap.SymLog([]float64{3}, k) }
	gaussian := featuremap.Gaussian{LengthScale: 1}
	return map[string]*Model{
		"nothing left":        must(Fit(fourier(1, 20), x, y, &Options{Lambda: 0.1})),
		"landmarks":           must(Fit(landmarks(m15, 20), x, y, &Options{Lambda: 0.1})),
		"half of the noise":   must(Fit(landmarks(gaussian, 4), x, y, &Options{Lambda: 0.02})),
		"λ of each target":    must(Fit(landmarks(m15, 6), x, y, nil)),
		"known noise":         must(Fit(landmarks(gaussian, 12), x, y, &Options{NoiseVariance: []float64{0.01}})),
		"exact values":        must(Fit(landmarks(m15, 60), x, y, &Options{NoiseVariance: []float64{0}})),
		"without intercept":   must(Fit(landmarks(featuremap.Sum(featuremap.Scale(0.1, featuremap.Linear{}), m15), 10), x, y, &Options{NoIntercept: true, Lambda: 0.05})),
		"logarithms":          must(Fit(landmarks(log(m15), 8), x, y, &Options{Lambda: 0.02})),
		"iterations":          must(FitIterative(landmarks(m15, 8), inBatches(x, y, nil, 30), &IterativeOptions{Lambda: 0.02, Samples: 40, Tolerance: 1e-10})),
		"planned":             must(Fit(planned(gaussian, x, 60), x, y, &Options{Lambda: 0.01})),
		"planned, two terms":  must(Fit(planned(featuremap.Sum(featuremap.Scale(0.02, featuremap.Linear{}), gaussian, featuremap.Scale(2, featuremap.Gaussian{LengthScale: 3})), x, 120), x, y, &Options{Lambda: 0.01})),
		"planned, logarithms": must(Fit(planned(log(gaussian), x, 60), x, y, &Options{Lambda: 0.01})),
	}
})

// placesToDraw are among the rows, in the gap, where maps that were planned fade, and far out.
var placesToDraw = mat.NewDense(7, 1, []float64{1.03, 1.4, 5.1, 6, 12.9, 16, 30})

// Functions drawn have the mean and the covariance of Joint, which has the variances of VarianceTo: for targets 0 and 1, and none between
// them. The draws of a map's rest are of new features each, and so heavy-tailed; scores are by the scatter of the draws themselves, with R
// draws (m̂ − m)/√(v̂/R) and (ĉ − c)/√(Var(f·g)/R), and exceed 5 with probability 6e-7 each, were they normal. With R = 100 a variance
// off by 71 in 100 is out, as for samples without the rest: a deviation of .65 for 1.46 is off by 80 in 100.
func TestSampleIsJoint(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	const limit = 5
	draws := testkit.Times(100, 100, 1200)
	n, _ := placesToDraw.Dims()
	for name, m := range leavingModels() {
		want, covariance := make([]float64, 2*n), mat.NewSymDense(2*n, nil)
		var variance mat.Dense
		posteriorOf(m).VarianceTo(&variance, placesToDraw)
		for target := range 2 {
			mean, c := posteriorOf(m).Joint(placesToDraw, target)
			for i := range n {
				want[target*n+i] = mean[i]
				if p := m.PredictVec(nil, placesToDraw.RawRowView(i))[target]; mean[i] != p {
					t.Errorf("%s: a mean of %v, predicted %v", name, mean[i], p)
				}
				if v := variance.At(i, target); !(math.Abs(c.At(i, i)-v) <= 1e-10*v) {
					t.Errorf("%s, target %d: at %v the variance %v of Joint, and %v of VarianceTo", name, target, placesToDraw.At(i, 0), c.At(i, i), v)
				}
				for j := i; j < n; j++ {
					covariance.SetSym(target*n+i, target*n+j, c.At(i, j))
				}
			}
		}
		sums, products, squares := make([]float64, 2*n), mat.NewSymDense(2*n, nil), mat.NewSymDense(2*n, nil)
		s := featuremap.NewSampler(11)
		for range draws {
			f := targetwise(values(must(posteriorOf(m).Sample(s)), placesToDraw))
			for i := range f {
				f[i] -= want[i]
				sums[i] += f[i]
				for j := range i + 1 {
					p := f[i] * f[j]
					products.SetSym(i, j, products.At(i, j)+p)
					squares.SetSym(i, j, squares.At(i, j)+p*p)
				}
			}
		}
		r := float64(draws)
		for i := range sums {
			if z := sums[i] / math.Sqrt(products.At(i, i)); !(math.Abs(z) < limit) {
				t.Errorf("%s: the mean of %d is off by a score of %.1f", name, i, z)
			}
			for j := range i + 1 {
				mean := products.At(i, j) / r
				deviation := math.Sqrt((squares.At(i, j)/r - mean*mean) / r)
				if z := (mean - covariance.At(i, j)) / deviation; !(math.Abs(z) < limit) {
					t.Errorf("%s: the covariance of %d and %d is %v, want %v: score %.1f", name, i, j, mean, covariance.At(i, j), z)
				}
			}
		}
	}
}

// Near landmarks of a smooth kernel, where these leave little, draws have the covariance of Joint too: random features would have a fraction of
// the variance in most draws, and hundreds of times it in a few. Draws are normal, so that scores are (v̂/v − 1)/√(2/R) and
// (ĉ − c)/√((v₁v₂ + c²)/R), R draws; with R = 200 a variance off by half is out, and with -long, 500, one off by a third.
func TestSampleOfSmoothKernels(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	const limit = 5
	draws := testkit.Times(200, 200, 500)
	for _, in := range []int{1, 2} {
		x, y := gappedRows(40, in, 1, 0)
		phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: float64(in)}, x, 40, featuremap.NewSampler(2), nil))
		m := must(Fit(phi, x, y, &Options{NoiseVariance: []float64{0}}))
		at := mat.NewDense(4, in, nil)
		for i, v := range []float64{5.1, 5.5, 6, 14} {
			at.Set(i, 0, v)
		}
		mean, c := posteriorOf(m).Joint(at, 0)
		products := mat.NewSymDense(4, nil)
		s := featuremap.NewSampler(1)
		for range draws {
			f := targetwise(values(must(posteriorOf(m).Sample(s)), at))
			for i := range f {
				f[i] -= mean[i]
			}
			products.SymRankOne(products, 1/float64(draws), mat.NewVecDense(4, f))
		}
		for i := range 4 {
			for j := range i + 1 {
				want := c.At(i, j)
				if z := (products.At(i, j) - want) / math.Sqrt((c.At(i, i)*c.At(j, j)+want*want)/float64(draws)); !(math.Abs(z) < limit) {
					t.Errorf("%d columns: covariance of %d and %d is %v, want %v: score %.1f", in, i, j, products.At(i, j), want, z)
				}
			}
		}
	}
}

// The covariance of Joint, on all rows as landmarks and on maps planned for rows, is the exact Gaussian process's: among the rows,
// in the gap and far out. For maps that were planned it is within 5 in 100 of the prior's variance.
func TestJointIsTheProcess(t *testing.T) {
	x, y := gappedRows(60, 1, 1, 0.1)
	k := featuremap.Gaussian{LengthScale: 1}
	const lambda = 0.01
	exact := newExactProcess(k, x, mat.Col(nil, 0, y), lambda)
	n, _ := placesToDraw.Dims()
	for _, c := range []struct {
		phi   featuremap.FeatureMap
		limit float64
	}{
		{must(featuremap.NewNystrom(k, x, 60, featuremap.NewSampler(1), nil)), 1e-5},
		{planned(k, x, 60), 0.05},
	} {
		m := must(Fit(c.phi, x, y, &Options{Lambda: lambda}))
		_, got := posteriorOf(m).Joint(placesToDraw, 0)
		for i := range n {
			for j := range i + 1 {
				// c(x, y) = k(x, y) − k(x, X)M⁻¹k(X, y) + (1 − 1ᵀM⁻¹k(X, x))·(1 − 1ᵀM⁻¹k(X, y))/1ᵀM⁻¹1, M = K + λI.
				want := exact.covariance(placesToDraw.RawRowView(i), placesToDraw.RawRowView(j)) * m.NoiseVariance()[0]
				if d := math.Abs(got.At(i, j) - want); !(d <= c.limit*m.NoiseVariance()[0]/lambda) {
					t.Errorf("%v: at %v and %v a covariance of %v, want %v", c.phi, placesToDraw.At(i, 0), placesToDraw.At(j, 0), got.At(i, j), want)
				}
			}
		}
	}
}

// covariance returns the covariance of f at two points, in units of σ².
func (p *exactProcess) covariance(x, y []float64) float64 {
	n := p.y.Len()
	kx, ky := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		kx.SetVec(i, p.k.Eval(x, p.x.RawRowView(i)))
		ky.SetVec(i, p.k.Eval(y, p.x.RawRowView(i)))
	}
	var solved, unit mat.VecDense
	_ = must(true, p.a.SolveVecTo(&solved, ky))
	_ = must(true, p.a.SolveVecTo(&unit, p.ones))
	rest := (1 - mat.Dot(&unit, kx)) * (1 - mat.Dot(&unit, ky)) / mat.Dot(p.ones, &unit)
	return (p.k.Eval(x, y) - mat.Dot(kx, &solved) + rest) / p.lambda
}

// For landmarks the covariance is the part of the features plus √(v(x)·v(y)/(r(x)·r(y)))·(k(x, y) − ⟨φ(x), φ(y)⟩), where v is what VarianceTo
// adds to the variance of the features: also where the part of the noise that is known stands for less than the prior's.
func TestJointOfLandmarks(t *testing.T) {
	x, y := gappedRows(60, 1, 1, 0.1)
	k := featuremap.Matern{Nu: 1.5, LengthScale: 1}
	phi := must(featuremap.NewNystrom(k, x, 12, featuremap.NewSampler(2), nil))
	for _, o := range []Options{{Path: []float64{0.01}}, {Lambda: 0.01}, {Lambda: 1, NoIntercept: true}} {
		m, plain := must(Fit(phi, x, y, &o)), must(Fit(plainMap{phi}, x, y, &o))
		const n = 12
		at := mat.NewDense(n, 1, nil)
		for i := range n {
			at.Set(i, 0, 3.5+0.4*float64(i))
		}
		z, left := features(phi, at), make([]float64, n)
		phi.RemainderTo(left, at, nil)
		_, got := posteriorOf(m).Joint(at, 0)
		_, alone := posteriorOf(plain).Joint(at, 0)
		deviation := func(i int) float64 {
			row := at.RawRowView(i)
			return math.Sqrt((posteriorOf(m).VarianceVec(nil, row)[0] - posteriorOf(plain).VarianceVec(nil, row)[0]) / left[i])
		}
		if o.Path != nil && !(deviation(6) > 1.2*deviation(1)) {
			t.Errorf("what is left has %v and %v of the prior's deviation: want others", deviation(1), deviation(6))
		}
		for i := range n {
			for j := range i + 1 {
				rest := k.Eval(at.RawRowView(i), at.RawRowView(j)) - mat.Dot(z.RowView(i), z.RowView(j))
				if want := alone.At(i, j) + deviation(i)*deviation(j)*rest; !(math.Abs(got.At(i, j)-want) <= 1e-6*got.At(i, i)) {
					t.Errorf("%+v: at %v and %v a covariance of %v, want %v", o, at.At(i, 0), at.At(j, 0), got.At(i, j), want)
				}
			}
		}
	}
}

// The diagonal of Joint equals VarianceTo where a map loses next to nothing of its kernel, and λ is small.
func TestJointOfSmallLosses(t *testing.T) {
	x, y := landmarkRows(100, 3)
	m := must(Fit(planned(featuremap.Gaussian{LengthScale: 3}, x, 200), x, y, &Options{Lambda: 1e-8}))
	var variance mat.Dense
	posteriorOf(m).VarianceTo(&variance, x)
	_, c := posteriorOf(m).Joint(x, 0)
	for i := range 100 {
		if v := variance.At(i, 0); !(math.Abs(c.At(i, i)-v) <= 1e-10*v) {
			t.Errorf("row %d: the variance %v of Joint, and %v of VarianceTo", i, c.At(i, i), v)
		}
	}
}

// Sampled functions have gradients, which agree with differences; values by row and in batches have the same bits, in any number of
// goroutines, and so has a function of a model that was read.
func TestFunction(t *testing.T) {
	x := mat.NewDense(120, 1, nil)
	for i := range 120 {
		x.Set(i, 0, -10+0.25*float64(i))
	}
	for name, m := range leavingModels() {
		f := must(posteriorOf(m).Sample(featuremap.NewSampler(3)))
		want := values(f, x)
		for i := range 120 {
			equal(t, name+": by row", bits(f.EvalVec(nil, x.RawRowView(i))), bits(want.RawRowView(i)))
		}
		equal(t, name+": rows that do not show their data", bits(values(f, shy{x}).RawMatrix().Data), bits(want.RawMatrix().Data))
		before := runtime.GOMAXPROCS(1)
		equal(t, name+": again, by one goroutine", sampleBits(m, 3, x), bits(want.RawMatrix().Data))
		runtime.GOMAXPROCS(before)
		read := must(ReadModel(bytes.NewReader(written(m)), nil))
		equal(t, name+": read", sampleBits(read, 3, x), bits(want.RawMatrix().Data))
		for _, at := range []float64{1.03, 2.2, 5.3, 6.1, 12.4, 15.7, 40} {
			for target := range 2 {
				got := f.GradientVec(nil, []float64{at}, target)[0]
				quotient := fd.Derivative(func(v float64) float64 { return f.EvalVec(nil, []float64{v})[target] }, at, &fd.Settings{Formula: fd.Central, Step: 1e-5})
				if !(math.Abs(got-quotient) <= 1e-5*(1+math.Abs(quotient))) {
					t.Errorf("%s: at %v the gradient %v, a quotient %v", name, at, got, quotient)
				}
			}
		}
		nan := math.NaN()
		got := values(f, mat.NewDense(3, 1, []float64{1, nan, 20}))
		if math.IsNaN(got.At(0, 0)) || !math.IsNaN(got.At(1, 0)) || math.IsNaN(got.At(2, 0)) {
			t.Errorf("%s: of a row of NaN %v", name, mat.Formatted(got))
		}
	}
}

// In more columns than one, gradients of samples with what is left agree with differences, too.
func TestFunctionGradients(t *testing.T) {
	x, y := landmarkRows(100, 3)
	k := featuremap.Matern{Nu: 2.5, LengthScale: 1}
	scales := []float64{0.5, 0, 2}
	for name, phi := range map[string]featuremap.FeatureMap{
		"landmarks":     must(featuremap.NewNystrom(k, x, 20, featuremap.NewSampler(1), nil)),
		"logarithms":    must(featuremap.NewNystrom(featuremap.SymLog(scales, k), x, 20, featuremap.NewSampler(1), nil)),
		"planned, logs": planned(featuremap.SymLog(scales, featuremap.Gaussian{LengthScale: 3}), x, 200),
		"planned":       planned(featuremap.Gaussian{LengthScale: 3}, x, 200),
	} {
		for _, lambda := range []float64{0.01, 10} {
			f := must(posteriorOf(must(Fit(phi, x, y, &Options{Lambda: lambda}))).Sample(featuremap.NewSampler(1)))
			for _, at := range [][]float64{{0.3, -0.2, 0.5}, {2, 1, -3}, {-6, 5, 3}} {
				got := f.GradientVec(nil, at, 0)
				for j, v := range fd.Gradient(nil, func(x []float64) float64 { return f.EvalVec(nil, x)[0] }, at, &fd.Settings{Formula: fd.Central, Step: 1e-5}) {
					if !(math.Abs(got[j]-v) <= 1e-5*(1+math.Abs(v))) {
						t.Errorf("%s, λ = %v: at %v the gradient %v, a quotient of %v for coordinate %d", name, lambda, at, got, v, j)
					}
				}
			}
		}
	}
}

// blackBox is a kernel without a map.
type blackBox struct{ featuremap.Kernel }

// refuses draws no features.
type refuses struct{}

var errRefused = errors.New("refused")

func (refuses) Draw(*featuremap.Sampler) (func(x []float64) float64, error) { return nil, errRefused }

// What cannot be drawn is an error, and leaves the sampler as it was; a model of constant targets, of means alone or of iterations without samples has no posterior,
// and Predict and StdDevTo panic with its error.
func TestSampleErrors(t *testing.T) {
	x, y := landmarkRows(40, 3)
	phi := must(featuremap.NewNystrom(blackBox{featuremap.Gaussian{LengthScale: 1}}, x, 10, featuremap.NewSampler(1), nil))
	m := must(Fit(phi, x, y, &Options{Lambda: 0.1}))
	s := featuremap.NewSampler(1)
	if _, err := posteriorOf(m).Sample(s); !errors.Is(err, featuremap.ErrNoMap) {
		t.Errorf("a kernel without a map: %v", err)
	}
	moved := s.Uint64()
	fails := featuremap.BlackBox{Of: featuremap.Gaussian{LengthScale: 1}, Draw: refuses{}}
	if _, err := posteriorOf(must(Fit(must(featuremap.NewNystrom(fails, x, 10, featuremap.NewSampler(1), nil)), x, y, nil))).Sample(s); !errors.Is(err, errRefused) {
		t.Errorf("features that cannot be drawn: %v", err)
	}
	if want := featuremap.NewSampler(1); want.Uint64() != moved || s.Uint64() != want.Uint64() {
		t.Error("the sampler has moved")
	}
	if _, c := posteriorOf(m).Joint(x, 0); !(c.At(0, 0) > 0) || !(math.Abs(c.At(3, 3)-posteriorOf(m).VarianceVec(nil, x.RawRowView(3))[0]) <= 1e-9*c.At(3, 3)) {
		t.Errorf("Joint of a kernel without a map: variance %v", c.At(3, 3))
	}
	plain := must(Fit(fourier(3, 10), x, y, nil))
	if _, err := posteriorOf(plain).Sample(new(featuremap.Sampler)); err == nil {
		t.Error("no error for the zero value of a sampler")
	}
	at := []float64{9, 9, 9}
	if got, want := must(posteriorOf(plain).Sample(nil)).EvalVec(nil, at), must(posteriorOf(plain).Sample(featuremap.NewSampler(0))).EvalVec(nil, at); got[0] != want[0] {
		t.Errorf("of nil %v, of NewSampler(0) %v", got, want)
	}
	if refused(must(plain.Float32()).Float64()) == "" {
		t.Error("no error for a model in float32, which has no posterior")
	}
	constant, both := mat.NewDense(40, 1, nil), mat.NewDense(40, 2, nil)
	for i := range 40 {
		constant.Set(i, 0, 7)
		both.SetRow(i, []float64{y.At(i, 0), 7})
	}
	_ = must(posteriorOf(must(Fit(phi, x, y, &Options{Path: []float64{0}}))).Sample(s))
	for name, c := range map[string]struct {
		m    *Model
		text string
	}{
		"MeanOnly":       {m.MeanOnly(), "of MeanOnly or float32"},
		"constant":       {must(Fit(phi, x, constant, nil)), "constant target varies (target 0)"},
		"one constant":   {must(Fit(phi, x, both, nil)), "constant target varies (target 1)"},
		"iterations":     {must(FitIterative(phi, inBatches(x, y, nil, 20), &IterativeOptions{Lambda: 1})), "set IterativeOptions.Samples"},
		"their MeanOnly": {must(FitIterative(phi, inBatches(x, y, nil, 20), &IterativeOptions{Lambda: 1, Samples: 2})).MeanOnly(), "set IterativeOptions.Samples"},
	} {
		if got := refused(c.m); !strings.Contains(got, c.text) {
			t.Errorf("%s: %q, want %q", name, got, c.text)
		}
	}
	expectPanic(t, "no rows", mat.ErrZeroLength, func() { posteriorOf(m).Joint(&mat.Dense{}, 0) })
	expectPanic(t, "no such width", mat.ErrShape, func() { posteriorOf(m).Joint(mat.NewDense(1, 2, nil), 0) })
	for _, target := range []int{-1, 1} {
		expectPanic(t, fmt.Sprint("target ", target), mat.ErrColAccess, func() { posteriorOf(m).Joint(x, target) })
	}
}
