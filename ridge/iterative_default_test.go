// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What FitIterative does by default, compared with Fit: its error to the truth at new points, and its passes.

package ridge

import (
	"errors"
	"iter"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// friedman is the function of Friedman, Multivariate adaptive regression splines, 1991, of five coordinates in [0, 1].
func friedman(x []float64) float64 {
	return 10*math.Sin(math.Pi*x[0]*x[1]) + 20*(x[2]-0.5)*(x[2]-0.5) + 10*x[3] + 5*x[4]
}

func wave(x []float64) float64 { return math.Sin(9*x[0])*math.Cos(6*x[1]) + 1.5*x[0] }

// A defaultCase is rows of functions of uniform coordinates with normal noise, and new rows without.
type defaultCase struct {
	name               string
	phi                featuremap.FeatureMap
	x, y, test, truths *mat.Dense
}

const newRows = 500

// newDefaultCase draws n rows, with a target of each function. Without features the map is landmarks.
func newDefaultCase(t *testing.T, name string, n, in, features int, length, noise float64, seed uint64, functions ...func([]float64) float64) *defaultCase {
	s := featuremap.NewSampler(seed)
	draw := func(n int, noise float64) (x, y *mat.Dense) {
		x, y = mat.NewDense(n, in, nil), mat.NewDense(n, len(functions), nil)
		for i := range n {
			row := x.RawRowView(i)
			for j := range row {
				row[j] = s.Float64()
			}
			for k, f := range functions {
				y.Set(i, k, f(row)+noise*s.Normal())
				noise /= 50 // of the next target
			}
			noise *= math.Pow(50, float64(len(functions)))
		}
		return x, y
	}
	c := &defaultCase{name: name}
	c.x, c.y = draw(n, noise)
	c.test, c.truths = draw(newRows, 0)
	k := featuremap.Gaussian{LengthScale: length}
	var err error
	if features > 0 {
		c.phi, err = testkit.New(k, in, features, s)
	} else {
		c.phi, err = featuremap.NewNystrom(k, c.x, 200, s, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// alone returns the case of a target by itself.
func (c *defaultCase) alone(k int) *defaultCase {
	n, _ := c.y.Dims()
	d := *c
	d.y, d.truths = mat.DenseCopyOf(c.y.Slice(0, n, k, k+1)), mat.DenseCopyOf(c.truths.Slice(0, newRows, k, k+1))
	return &d
}

// errors returns the root mean square error of a model for each target.
func (c *defaultCase) errors(m *Model) []float64 {
	var p mat.Dense
	m.PredictTo(&p, c.test)
	p.Sub(&p, c.truths)
	_, targets := p.Dims()
	all := make([]float64, targets)
	for t := range all {
		all[t] = mat.Norm(p.ColView(t), 2) / math.Sqrt(newRows)
	}
	return all
}

func (c *defaultCase) rows() iter.Seq2[Batch, error] {
	return Rows(c.x, c.y)
}

// needed returns the passes after which a fit of the only target at λ comes within 1.03 of an error.
func (c *defaultCase) needed(t *testing.T, lambda, want float64) (passes int) {
	enough := errors.New("enough")
	o := &IterativeOptions{Lambda: lambda, Tolerance: 1e-12, Passes: 100, Memory: 1 << 28}
	f := newIteration(c.phi, newRowsFrom(c.rows(), c.phi), o)
	o.Progress = func(pass int, _ float64) error {
		passes = pass
		if pass > 0 && c.errors(newModel(c.phi, f.numbers()))[0] <= 1.03*want {
			return enough
		}
		return nil
	}
	if err := f.run(); !errors.Is(err, enough) {
		t.Fatalf("%s: %v after %d passes", c.name, err, passes)
	}
	return passes
}

// Degrees of freedom and determinants of all rows are those of the sample and a part that half of it tells, within 2 %: the sample alone has up to 6 %
// fewer, and takes a λ too small for them.
func TestSampleTraces(t *testing.T) {
	t.Parallel()
	const n, out = 3000, 150
	c := newDefaultCase(t, "", n, 5, out, 0.5, 1, 6, friedman)
	f := newIteration(c.phi, newRowsFrom(c.rows(), c.phi), &IterativeOptions{Passes: 100})
	f.mostFew = 0
	if err := f.firstPass(); err != nil {
		t.Fatal(err)
	}
	if err := f.begin(); err != nil {
		t.Fatal(err)
	}
	var z mat.Dense
	c.phi.TransformTo(&z, c.x)
	z.Apply(func(_, j int, v float64) float64 { return v - f.mean[j] }, &z)
	var g mat.SymDense
	g.SymOuterK(1, z.T())
	var e mat.EigenSym
	e.Factorize(&g, false)
	lambdas := []float64{1e-4 * f.scale, 1e-2 * f.scale, f.scale}
	var before [2]float64
	for j, l := range lambdas {
		freedom, determinant := 1.0, 0.0
		for _, v := range e.Values(nil) {
			freedom += v / (v + l)
			determinant += math.Log1p(v / l)
		}
		got, sample := f.trace(l), f.pilot.trace(l, n, true)
		if !(math.Abs(got.freedom/freedom-1) < 0.02) || math.Abs(sample.freedom-freedom) < math.Abs(got.freedom-freedom) {
			t.Errorf("λ = %v: %v degrees of freedom, %v by the sample alone, exact %v", l, got.freedom, sample.freedom, freedom)
		}
		if j > 0 { // they also have a number that is the same for all λ
			if change, want := got.determinant-before[0], determinant-before[1]; !(math.Abs(change/want-1) < 0.02) {
				t.Errorf("λ = %v: log|I + G/λ| changes by %v, exact %v", l, change, want)
			}
		}
		before = [2]float64{got.determinant, determinant}
	}
}

// By default the error to the truth is within 1.05 of Fit's, and passes are at most 1.5 times those that each target by itself, at Fit's λ,
// needs to come within 1.03 of it. (Where a path was tried pass by pass, λ was 10 to 1e4 times larger, and the error of some of these 2 to 8 times
// Fit's.)
func TestFitIterativeDefault(t *testing.T) {
	least, few := leastSample, 700
	defer SetLeastSample(least)()
	if testkit.Long() {
		few = 1200
	}
	cases := []*defaultCase{
		newDefaultCase(t, "no noise", few, 2, 200, 0.3, 0, 3, wave),
		newDefaultCase(t, "landmarks", 1200, 5, 0, 1, 1, 4, friedman),
		newDefaultCase(t, "two targets", few, 2, 200, 0.3, 0.5, 5, wave, wave),
	}
	if testkit.Long() {
		cases = append(cases,
			newDefaultCase(t, "Friedman", 1500, 5, 300, 1, 1, 1, friedman), // landmarks have that function, too
			// With 1,024 rows 10 times Fit's λ is best, with 1.08 times its error: TestSampleLevels has its errors.
			newDefaultCase(t, "few rows", 2500, 8, 600, 1.5, 0.1, 903, friedman),
			newDefaultCase(t, "little noise", 1500, 2, 300, 0.3, 0.01, 2, wave), // between some and none
			// The sample of 1,024 rows would take 1,000 times Fit's λ, with 1.4 times its error: TestFitIterativeUndecided has its λ.
			newDefaultCase(t, "undecided", 4000, 2, 120, 0.3, 0.3, 305, wave),
		)
	}
	for _, c := range cases {
		n, targets := c.y.Dims()
		leastSample = min(n-100, least) // always fewer than the rows
		fit, err := Fit(c.phi, c.x, c.y, &Options{Intervals: &IntervalOptions{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := FitIterative(c.phi, c.rows(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, got, needed := c.errors(fit), c.errors(m), 0
		for k := range targets {
			needed = max(needed, c.alone(k).needed(t, fit.lambda(k), want[k]))
			if !(got[k] <= 1.05*want[k]) {
				t.Errorf("%s: target %d has an error of %v, of Fit %v", c.name, k, got[k], want[k])
			}
		}
		t.Logf("%s: errors %.4g, of Fit %.4g, λ %.2g and %.2g, %d passes, %d needed", c.name, got, want, m.Lambda(), fit.Lambda(), m.Passes(), needed)
		if 2*m.Passes() > 3*needed {
			t.Errorf("%s: %d passes, where %d are needed", c.name, m.Passes(), needed)
		}
		if s := m.String(); strings.Contains(s, "too few") {
			t.Errorf("%s: %s", c.name, s)
		}
	}
}

// While all rows decide a fit may be stopped, with the λ of the sample, and go on from there; samples of the posterior are those of the λ that is taken.
func TestFitIterativeUndecided(t *testing.T) {
	testkit.OnlyLong(t)
	defer SetLeastSample(leastSample)() // also where features are few
	c := newDefaultCase(t, "", 4000, 2, 120, 0.3, 0.3, 305, wave)
	const samples = 60
	m, err := FitIterative(c.phi, c.rows(), &IterativeOptions{Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
	fit, err := Fit(c.phi, c.x, c.y, &Options{Intervals: &IntervalOptions{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.lambda(0), fit.lambda(0); !(math.Abs(a/b-1) < 0.1) {
		t.Errorf("λ = %v, of Fit %v", a, b)
	}
	for i := range 5 {
		x := c.test.RawRowView(i)
		// five standard errors of a mean of squares of normal numbers, and the residual of samples
		if v, want := m.varianceVec(nil, x)[0], fit.varianceVec(nil, x)[0]; !(math.Abs(v/want-1) < 5*math.Sqrt(2./samples)+0.05) {
			t.Errorf("row %d: a variance of %v, of Fit %v", i, v, want)
		}
	}
	stop := errors.New("stop")
	_, err = FitIterative(c.phi, c.rows(), &IterativeOptions{Progress: func(pass int, _ float64) error {
		if pass == 1 {
			return stop
		}
		return nil
	}})
	var i *InterruptedError
	if !errors.As(err, &i) {
		t.Fatal(err)
	}
	on, err := FitIterative(c.phi, c.rows(), &IterativeOptions{Start: i.Model})
	if err != nil {
		t.Fatal(err)
	}
	at, err := Fit(c.phi, c.x, c.y, &Options{Lambda: on.lambda(0), Intervals: &IntervalOptions{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := on.lambda(0), i.Model.lambda(0); a != b || !(a > 100*m.lambda(0)) || !(c.errors(on)[0] < 1.05*c.errors(at)[0]) {
		t.Errorf("a fit that goes on has λ = %v, of the sample %v, and an error of %v, exact %v", a, b, c.errors(on), c.errors(at))
	}
}

// Where features are few for the kernel, what remains of the solution must be less than what distinguishes two λ: with 2.5 times the error
// from noise the errors were 1.38 times those of Fit.
func TestFitIterativeFewFeatures(t *testing.T) {
	testkit.OnlyLong(t)
	t.Parallel()
	f := func(x []float64) float64 { return math.Sin(2*x[0]) + x[1]*x[2] }
	for seed := range uint64(2) {
		s := featuremap.NewSampler(seed)
		draw := func(n int, noise float64) (x, y *mat.Dense) {
			x, y = mat.NewDense(n, 3, nil), mat.NewDense(n, 1, nil)
			for i := range n {
				s.FillNormal(x.RawRowView(i))
				y.Set(i, 0, math.FMA(noise, s.Normal(), f(x.RawRowView(i))))
			}
			return x, y
		}
		c := &defaultCase{}
		c.x, c.y = draw(10_000, 1)
		c.test, c.truths = draw(2000, 0)
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.4}, 3, 600, featuremap.NewSampler(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := FitIterative(phi, Rows(c.x, c.y), nil)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := Fit(phi, c.x, c.y, &Options{Intervals: &IntervalOptions{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := c.errors(m)[0], c.errors(fit)[0]; !(got < 1.2*want) {
			t.Errorf("seed %d: an error of %.3f with λ = %v, of Fit %.3f with %v", seed, got, m.Lambda(), want, fit.Lambda())
		}
	}
}

// A target of noise alone takes the largest λ, as by Fit, and no pass, with an intercept and without: the error that weights of 0 make is small compared with the one
// of a single degree of freedom, which the intercept alone has.
func TestFitIterativeNoise(t *testing.T) {
	t.Parallel()
	c := newDefaultCase(t, "", 600, 3, 50, 0.5, 1, 15, func([]float64) float64 { return 0 })
	for _, without := range []bool{false, true} {
		m, err := FitIterative(c.phi, c.rows(), &IterativeOptions{NoIntercept: without})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := Fit(c.phi, c.x, c.y, &Options{NoIntercept: without})
		if err != nil {
			t.Fatal(err)
		}
		near := c.errors(m)[0] <= c.errors(fit)[0]+1e-4 // by Fit .055, and 1e-6 without an intercept
		if m.Passes() != 0 || !near || !(math.Abs(m.lambda(0)/fit.lambda(0)-1) < 1e-9) {
			t.Errorf("without an intercept %v: %v, an error of %v, of Fit %v, %v", without, m, c.errors(m), c.errors(fit), fit)
		}
	}
}
