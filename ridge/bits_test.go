// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// addBatches adds rows in batches of the given size.
func addBatches(t *testing.T, a *Accumulator, x, y *mat.Dense, size int) {
	t.Helper()
	n, in := x.Dims()
	_, targets := y.Dims()
	for lo := 0; lo < n; lo += size {
		hi := min(lo+size, n)
		if err := a.Add(x.Slice(lo, hi, 0, in), y.Slice(lo, hi, 0, targets)); err != nil {
			t.Fatal(err)
		}
	}
}

// encoded returns the bits of all sums.
func encoded(a *Accumulator) []byte { return written(a) }

// Sums and models have the same bits for any batches and any number of goroutines: few features and many rows, and the
// reverse, so that rows and tiles are shared out.
func TestBitsOfBatches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	type size struct{ n, in, out, targets int }
	sizes := []size{{10_300, 2, 8, 1}, {700, 3, 150, 2}}
	if testing.Short() {
		sizes = []size{{10_300, 2, 3, 1}, {520, 3, 90, 2}}
	}
	for _, c := range sizes {
		phi := fourier(c.in, c.out)
		x, y := data(c.n, c.in, c.targets, 20)
		test, _ := data(300, c.in, 1, 21)
		var want []byte
		var wantModel []uint64
		for i, batch := range []int{1, 7, 128, 10_000, c.n} {
			procs := 1 + i%4
			runtime.GOMAXPROCS(procs)
			name := fmt.Sprintf("%+v, batches of %d, %d goroutines", c, batch, procs)
			a := must(NewAccumulator(phi, c.targets))
			addBatches(t, a, x, y, batch)
			if a.Rows() != c.n {
				t.Fatalf("%s: %d rows", name, a.Rows())
			}
			got, model := encoded(a), modelBits(must(a.Fit(nil)), test)
			if want == nil {
				want, wantModel = got, model
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the sums have other bits", name)
			}
			equal(t, name, model, wantModel)
			if !bytes.Equal(encoded(a), want) {
				t.Errorf("%s: a fit changed the sums", name)
			}
		}
		// Of more rows than an accumulator keeps Fit leaves out others, too.
		o := &Options{Criterion: Evidence}
		if c.n <= 4096 {
			o = nil
		}
		a := must(NewAccumulator(phi, c.targets))
		addBatches(t, a, x, y, c.n)
		equal(t, "the function Fit", modelBits(must(Fit(phi, x, y, o)), test), modelBits(must(a.Fit(o)), test))
	}
}

// A prediction and a variance have the same bits for one row, and in batches.
func TestBitsOfRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, noIntercept := range []bool{false, true} {
		for _, out := range []int{1, 7, 8, 61, 130} {
			x, y := data(200, 3, 3, 22)
			m := must(Fit(fourier(3, out), x, y, &Options{Lambda: 0.1, NoIntercept: noIntercept}))
			test, _ := data(257, 3, 1, 23)
			var p, v mat.Dense
			for procs := 1; procs <= 4; procs++ {
				runtime.GOMAXPROCS(procs)
				m.PredictTo(&p, test)
				posteriorOf(m).VarianceTo(&v, test)
				for i := range 257 {
					row := test.RawRowView(i)
					equal(t, fmt.Sprintf("prediction %d", i), bits(p.RawRowView(i)), bits(m.PredictVec(nil, row)))
					equal(t, fmt.Sprintf("variance %d", i), bits(v.RawRowView(i)), bits(posteriorOf(m).VarianceVec(nil, row)))
				}
			}
		}
	}
}

// A fit can be continued: with more rows it has the bits of one fit of all.
func TestContinuedFit(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(900, 2, 2, 24)
	test, _ := data(20, 2, 1, 25)
	a := must(NewAccumulator(phi, 2))
	for _, c := range [][2]int{{0, 3}, {3, 144}, {144, 600}, {600, 900}} {
		if err := a.Add(x.Slice(c[0], c[1], 0, 2), y.Slice(c[0], c[1], 0, 2)); err != nil {
			t.Fatal(err)
		}
		for _, o := range []*Options{{Side: FeatureSide}, {Lambda: 1, Side: FeatureSide}, {NoIntercept: true, Side: FeatureSide}} {
			want := must(Fit(phi, x.Slice(0, c[1], 0, 2), y.Slice(0, c[1], 0, 2), o))
			equal(t, fmt.Sprintf("%v, %+v", c, o), modelBits(must(a.Fit(o)), test), modelBits(want, test))
		}
	}
}

// Maps of several kinds, whose features have the same bits on every architecture.
var goldenMaps = []struct {
	name string
	phi  featuremap.FeatureMap
}{
	{"Gaussian by New", must(testkit.New(featuremap.Gaussian{LengthScale: 1.5}, 3, 40, featuremap.NewSampler(1)))},
	{"Linear and a constant", must(testkit.New(featuremap.Sum(featuremap.Linear{}, featuremap.Constant{Value: 2}), 3, 4, featuremap.NewSampler(1)))},
	{"neurons", must(featuremap.NewNeurons(featuremap.ArcCosine{Order: 1}, 3, 29, featuremap.NewSampler(2), nil))},
}

// The bits of models, which every architecture computes. The file is rewritten by
//
//	go test ./ridge -update
//
// which is right only when bits change on purpose.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	x, y := mat.NewDense(70, 3, nil), mat.NewDense(70, 2, nil)
	s := featuremap.NewSampler(30)
	s.FillNormal(x.RawMatrix().Data)
	for i := range 70 { // of sums and products that are rounded one by one
		y.Set(i, 0, 1000+float64(x.At(i, 0)*x.At(i, 1))+float64(0.1*s.Normal()))
		y.Set(i, 1, x.At(i, 2)+float64(0.3*s.Normal()))
	}
	variances := make([]float64, 70)
	for i := range variances {
		variances[i] = float64(1+i%7) / 16
	}
	for _, c := range goldenMaps {
		for _, o := range []Options{{SharedLambda: true}, {Lambda: 0.25}, {NoIntercept: true, Path: []float64{1e-4, 0.125, 3}, SharedLambda: true}, {}, {NoiseVariance: variances}} {
			m := must(Fit(c.phi, x, y, &o))
			fmt.Fprintf(&b, "%s, Lambda %v, NoIntercept %v, SharedLambda %v, known noise %v\n", c.name, o.Lambda, o.NoIntercept, o.SharedLambda, o.NoiseVariance != nil)
			line := func(name string, v ...float64) { fmt.Fprintf(&b, "%s %x\n", name, v) }
			line("weights", m.Weights().RawMatrix().Data...)
			line("intercept", m.Intercept()...)
			line("noise", m.NoiseVariance()...)
			line("λ, log evidence, condition", append(m.Lambda(), evidenceOf(m), conditionOf(m))...)
			line("prediction", m.PredictVec(nil, []float64{0.5, -0.25, 1})...)
			line("variance", posteriorOf(m).VarianceVec(nil, []float64{0.5, -0.25, 1})...)
			line("sample", must(posteriorOf(m).Sample(featuremap.NewSampler(5))).EvalVec(nil, []float64{0.5, -0.25, 1})...)
		}
	}
	golden.Compare(t, "models.golden", b.Bytes())
}

// A large mean of the targets costs no digits: with y = 1e9 + v the sums are those of v, up to the rounding of y itself,
// 2⁻²⁴, relative to deviations of about 1. So noise and weights agree to about 1e-7, where squares of 1e18 would leave no
// digit of a noise of .01.
func TestLargeMean(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(300, 2, 1, 29)
	far := mat.DenseCopyOf(y)
	far.Apply(func(_, _ int, v float64) float64 { return v + 1e9 }, far)
	m, f := must(Fit(phi, x, y, &Options{Lambda: 0.1})), must(Fit(phi, x, far, &Options{Lambda: 0.1}))
	near(t, "noise", f.NoiseVariance()[0], m.NoiseVariance()[0], 1e-6*m.NoiseVariance()[0])
	near(t, "evidence", evidenceOf(f), evidenceOf(m), 1e-4)
	if e := relative(f.Weights(), m.Weights()); !(e < 1e-6) {
		t.Errorf("weights are off by %.1e", e)
	}
	near(t, "prediction", f.PredictVec(nil, []float64{1, 1})[0]-1e9, m.PredictVec(nil, []float64{1, 1})[0], 1e-6)
	// And with a later part far from the first.
	a, b := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
	addBatches(t, a, x, far, 300)
	far.Apply(func(_, _ int, v float64) float64 { return v + 5 }, far)
	addBatches(t, b, x, far, 300)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	both, bothY := mat.NewDense(600, 2, nil), mat.NewDense(600, 1, nil)
	both.Stack(x, x)
	bothY.Slice(0, 300, 0, 1).(*mat.Dense).Copy(y)
	bothY.Slice(300, 600, 0, 1).(*mat.Dense).Apply(func(i, _ int, _ float64) float64 { return y.At(i, 0) + 5 }, y)
	want := must(Fit(phi, both, bothY, &Options{Lambda: 0.1}))
	near(t, "noise of merged parts", must(a.Fit(&Options{Lambda: 0.1})).NoiseVariance()[0], want.NoiseVariance()[0], 1e-6)
	if math.Abs(want.NoiseVariance()[0]-6.3) > 0.5 { // the deviations of ±2.5
		t.Errorf("a noise of %v", want.NoiseVariance()[0])
	}
}

// A large mean of the features costs no digits: of a column whose mean is 10⁶ deviations, as of a time stamp, the fit is that
// of the column less its mean, up to the rounding of the column itself, 2⁻³³ of a deviation. (Squares of 10¹² would leave four
// digits of a variance, and a noise far from what it is.) Rows that are merged from another first row have it too.
func TestLargeMeanOfFeatures(t *testing.T) {
	phi := must(testkit.New(featuremap.Linear{}, 3, 3, featuremap.NewSampler(1)))
	for _, first := range []float64{0, 50} { // the first row may be far from the others: it is one of them
		x, _ := data(4000, 3, 1, 70)
		x.Set(0, 0, first)
		y := mat.NewDense(4000, 1, nil)
		s := featuremap.NewSampler(71)
		for i := range 4000 {
			y.Set(i, 0, 2*x.At(i, 0)-x.At(i, 1)+math.Sqrt(0.02)*s.Normal())
		}
		far := mat.DenseCopyOf(x)
		far.Apply(func(_, j int, v float64) float64 { return v + []float64{1e6, 0, -1e4}[j] }, far)
		a := must(NewAccumulator(phi, 1))
		addBatches(t, a, far, y, 1000)
		merged, rest := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
		ownX, ownY := slice(far, y, 0, 1300)
		moreX, moreY := slice(far, y, 1300, 4000)
		addBatches(t, merged, ownX, ownY, 1300)
		addBatches(t, rest, moreX, moreY, 2700)
		if err := merged.Merge(rest); err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {Criterion: Evidence}, {Path: []float64{0}}, {Lambda: 1}} {
			want := must(Fit(phi, x, y, &o))
			for name, m := range map[string]*Model{"added": must(a.Fit(&o)), "merged": must(merged.Fit(&o)), "Fit": must(Fit(phi, far, y, &o))} {
				name := fmt.Sprintf("%s, %+v, first row %v", name, o, first)
				near(t, name+": noise", m.NoiseVariance()[0], want.NoiseVariance()[0], 1e-7*want.NoiseVariance()[0])
				near(t, name+": noise", m.NoiseVariance()[0], 0.02, 0.002)
				if e := relative(m.Weights(), want.Weights()); !(e < 1e-7) {
					t.Errorf("%s: weights are off by %.1e", name, e)
				}
				near(t, name+": condition", conditionOf(m), conditionOf(want), 1e-6*conditionOf(want))
				if !math.IsInf(evidenceOf(want), -1) {
					near(t, name+": evidence", evidenceOf(m), evidenceOf(want), 1e-3)
				}
				for i := range 5 {
					near(t, name+": prediction", m.PredictVec(nil, far.RawRowView(i))[0], want.PredictVec(nil, x.RawRowView(i))[0], 1e-7)
					v := posteriorOf(want).VarianceVec(nil, x.RawRowView(i))[0]
					near(t, name+": variance", posteriorOf(m).VarianceVec(nil, far.RawRowView(i))[0], v, 1e-6*v)
				}
				if got, want := leftOutOf(m)[0], leftOutOf(want)[0]; name[:3] == "Fit" && !math.IsNaN(want) {
					near(t, name+": leave-one-out", got, want, 1e-7*want)
				}
			}
		}
	}
}

// Without an intercept the equations are those of the features as they are, in whatever order and parts rows come.
func TestNoInterceptFarFromZero(t *testing.T) {
	phi := callers{2, 4, func(dst, x []float64) { copy(dst, []float64{x[0] + 30, x[1] - 5, x[0] * x[1], 7}) }}
	x, y := data(500, 2, 2, 72)
	var a, b, w mat.Dense
	z := features(phi, x)
	a.Mul(z.T(), z)
	for j := range 4 {
		a.Set(j, j, a.At(j, j)+0.5)
	}
	b.Mul(z.T(), y)
	if err := w.Solve(&a, &b); err != nil {
		t.Fatal(err)
	}
	one, other := must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2))
	ownX, ownY := slice(x, y, 0, 123)
	moreX, moreY := slice(x, y, 123, 500)
	addBatches(t, one, ownX, ownY, 50)
	addBatches(t, other, moreX, moreY, 200)
	if err := one.Merge(other); err != nil {
		t.Fatal(err)
	}
	o := &Options{Lambda: 0.5, NoIntercept: true}
	for name, m := range map[string]*Model{"Fit": must(Fit(phi, x, y, o)), "merged": must(one.Fit(o))} {
		if e := relative(m.Weights(), &w); !(e < 1e-10) {
			t.Errorf("%s: weights are off by %.1e", name, e)
		}
		var p mat.Dense
		m.PredictTo(&p, x)
		for target := range 2 { // yᵀy − bᵀw over the rows
			square := mat.Dot(y.ColView(target), y.ColView(target)) - mat.Dot(b.ColView(target), w.ColView(target))
			near(t, name, m.NoiseVariance()[target], square/500, 1e-9)
		}
	}
}

// Squares that underflow are told, of targets and of all features; 10¹⁰ times as large, nothing underflows.
func TestUnderflow(t *testing.T) {
	x, y := data(40, 2, 2, 73)
	phi := fourier(2, 8)
	scaled := func(m *mat.Dense, factor float64) *mat.Dense {
		m = mat.DenseCopyOf(m)
		m.Apply(func(_, j int, v float64) float64 {
			if j == 1 || factor == 0 {
				return v * factor
			}
			return v
		}, m)
		return m
	}
	want := must(Fit(phi, x, y, &Options{Lambda: 1}))
	for c := GuardedEvidence; c <= LeaveOneOut; c++ {
		for _, noIntercept := range []bool{false, true} {
			o := &Options{Criterion: c, NoIntercept: noIntercept}
			if _, err := Fit(phi, x, scaled(y, 1e-160), o); err == nil || !strings.Contains(err.Error(), "ridge: y: column 1: squares of numbers within") {
				t.Errorf("targets of 1e-160: %v", err)
			}
			if _, err := Fit(phi, x, scaled(y, 0), o); err != nil {
				t.Error(err)
			}
		}
	}
	small := must(Fit(phi, x, scaled(y, 1e-140), &Options{Lambda: 1}))
	near(t, "noise of targets of 1e-140", small.NoiseVariance()[1]*1e140*1e140, want.NoiseVariance()[1], 1e-9*want.NoiseVariance()[1])
	// Symmetric targets, whose sum is 0.
	two := mat.NewVecDense(4, []float64{0, 1e-170, -1e-170, 0})
	if _, err := Fit(phi, x.Slice(0, 4, 0, 2), two, nil); err == nil {
		t.Error("symmetric targets of 1e-170 are taken for constant")
	}
	tiny := callers{2, 2, func(dst, x []float64) { dst[0], dst[1] = 1e-170*x[0], 1e-180*x[1] }}
	_, err := Fit(tiny, x, y, nil)
	if err == nil || !strings.Contains(err.Error(), "ridge: x: squares of all features underflow, such as of feature 0") {
		t.Errorf("features of 1e-170: %v", err)
	}
}

// readBytes returns the accumulator of a file, or the error: never both.
func readBytes(t testing.TB, data []byte, phi featuremap.FeatureMap) (*Accumulator, error) {
	t.Helper()
	a, err := ReadAccumulator(bytes.NewReader(data), phi)
	if (a == nil) != (err != nil) {
		t.Errorf("an accumulator: %v, and the error %v", a != nil, err)
	}
	return a, err
}

// written returns what WriteTo writes.
func written(w io.WriterTo) []byte {
	var b bytes.Buffer
	must(w.WriteTo(&b))
	return b.Bytes()
}
