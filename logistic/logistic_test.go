// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func fourier(in, out int) featuremap.FeatureMap {
	return must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, in, out, featuremap.NewSampler(7), nil))
}

// rings returns points of the plane and their classes, by the distance from the origin.
func rings(n int) (*mat.Dense, []int) {
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	featuremap.NewSampler(9).FillNormal(x.RawMatrix().Data)
	for i := range classes {
		r := float64(x.At(i, 0)*x.At(i, 0)) + float64(x.At(i, 1)*x.At(i, 1))
		switch {
		case i%10 == 0:
			classes[i] = i / 10 % 3
		case r > 2:
			classes[i] = 2
		case r > 0.7:
			classes[i] = 1
		}
	}
	return x, classes
}

// An identity map has the coordinates as features.
type identity struct{ d int }

func (m identity) Dims() (in, out int)                      { return m.d, m.d }
func (m identity) Kernel() featuremap.Kernel                { return featuremap.FromMap(m) }
func (m identity) TransformTo(dst *mat.Dense, x mat.Matrix) { dst.Copy(x) }
func (m identity) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(x))
	}
	copy(dst, x)
	return dst
}

// Coefficients equal scikit-learn's: see testdata/reference.py.
func TestOptimum(t *testing.T) {
	var cases []struct {
		Lam       float64
		X, Coef   [][]float64
		Y         []int
		Intercept []float64
	}
	if err := json.Unmarshal(must(os.ReadFile(filepath.Join("testdata", "reference.json"))), &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		x := mat.NewDense(len(c.X), len(c.X[0]), nil)
		for i, row := range c.X {
			x.SetRow(i, row)
		}
		m := must(Fit(identity{len(c.X[0])}, x, c.Y, &Options{Lambda: c.Lam, Tolerance: 1e-10}))
		w, b := m.Weights(), m.Intercept()
		var mean float64 // which is free
		for _, v := range b {
			mean += v / float64(len(b))
		}
		for k, want := range c.Coef {
			for j, v := range want {
				got := w.At(j, k)
				if len(c.Coef) == 1 {
					got = w.At(j, 1) - w.At(j, 0)
				}
				if !(math.Abs(got-v) <= 1e-4) {
					t.Errorf("%d classes: weight %d, %d = %v, want %v", len(b), j, k, got, v)
				}
			}
			got := b[k] - mean
			if len(c.Coef) == 1 {
				got = b[1] - b[0]
			}
			if !(math.Abs(got-c.Intercept[k]) <= 1e-4) {
				t.Errorf("%d classes: intercept %d = %v, want %v", len(b), k, got, c.Intercept[k])
			}
		}
	}
}

// A fit ends where the loss is above the optimum by Tolerance at most, a part of it, or of 2e-4 of what the frequencies lose: at any λ,
// with equal weights and with such that a hundredth of the rows have half of them, with features that rows do not tell apart, and of classes by
// chance and by a rule. The optimum is a fit to 1e-9.
func TestTolerance(t *testing.T) {
	lambdas, tolerances := []float64{1e-5, 0.1, 10}, []float64{0.1, 1e-2}
	if testkit.Long() {
		lambdas, tolerances = []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 1e3, 1e6}, []float64{0.3, 0.1, 1e-2, 1e-3, 1e-4}
	}
	n, features := 400, 80
	if !testkit.Long() {
		n, features = 200, 40
	}
	x, byRule := rings(n)
	space, byChance := drawn(n, 0.2, 0.6, 0.3, 0.1)
	uneven := make([]float64, n)
	for i := range uneven {
		uneven[i] = math.Exp(2.3 * math.Tan(1.5*math.Sin(float64(i*i))) / 10)
	}
	for _, c := range []struct {
		name    string
		phi     featuremap.FeatureMap
		x       *mat.Dense
		classes []int
		o       Options
	}{
		{"rings", fourier(2, features), x, byRule, Options{}},
		{"rings, weights", fourier(2, features), x, byRule, Options{Weights: uneven}},
		{"chance", fourier(3, features*3/4), space, byChance, Options{}},
		{"chance, weights, balanced", fourier(3, features*3/4), space, byChance, Options{Weights: uneven, Balanced: true}},
		{"coordinates", identity{3}, space, byChance, Options{}},
	} {
		w := weightsOf(c.classes, &c.o)
		sums, total, frequencies := make(map[int]float64), 0.0, 0.0
		for i, k := range c.classes {
			sums[k] += w[i]
			total += w[i]
		}
		for _, v := range sums {
			frequencies -= v / total * math.Log(v/total)
		}
		for _, lambda := range lambdas {
			o := c.o
			o.Lambda, o.Tolerance = lambda, 1e-9
			best := must(Fit(c.phi, c.x, c.classes, &o)).Loss()
			for _, tolerance := range tolerances {
				o.Tolerance = tolerance
				m := must(Fit(c.phi, c.x, c.classes, &o))
				above := (m.Loss() - best) / max(m.Loss(), 2e-4*frequencies)
				t.Logf("%s, λ = %v, to %v: %.2g above %.3g", c.name, lambda, tolerance, above, best)
				if !(above <= tolerance && above >= -1e-9) {
					t.Errorf("%s, λ = %v, tolerance %v: loss %v, optimum %v", c.name, lambda, tolerance, m.Loss(), best)
				}
			}
		}
	}
}

// batches cuts rows into batches.
func batches(x *mat.Dense, classes []int, weights []float64, size int) iter.Seq2[ridge.Batch, error] {
	n, d := x.Dims()
	return func(yield func(ridge.Batch, error) bool) {
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			y := mat.NewDense(hi-lo, 1, nil)
			for i := lo; i < hi; i++ {
				y.Set(i-lo, 0, float64(classes[i]))
			}
			var w []float64
			if weights != nil {
				w = weights[lo:hi]
			}
			if !yield(ridge.Batch{X: x.Slice(lo, hi, 0, d), Y: y, Weights: w}, nil) {
				return
			}
		}
	}
}

// A model has one set of bits: in batches, with features kept or not, on any number of goroutines. In long all sizes of batches meet all
// amounts of memory.
func TestBits(t *testing.T) {
	x, classes := rings(300)
	weights := make([]float64, 300)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 20, featuremap.NewSampler(3), nil))
	for k, phi := range []featuremap.FeatureMap{fourier(2, 46), landmarks} {
		for l, w := range [][]float64{nil, weights} {
			if k != l && !testkit.Long() {
				continue
			}
			want := written(must(Fit(phi, x, classes, &Options{Weights: w})))
			for i, size := range []int{1, 99, 300} {
				if size == 1 && testing.Short() {
					continue
				}
				for j, memory := range []int64{0, 1, 100 * 8 * 48, 1 << 50} { // of the third, features of some hundred rows fit
					if i != []int{2, 1, 1, 0}[j] && !testkit.Long() {
						continue
					}
					before := runtime.GOMAXPROCS(1 + size%4)
					m := must(FitBatches(phi, batches(x, classes, w, size), 3, &Options{Memory: memory}))
					runtime.GOMAXPROCS(before)
					if !bytes.Equal(written(m), want) {
						t.Errorf("%v: weights %v, batches of %d, memory %d: other bits", phi, w != nil, size, memory)
					}
				}
			}
			if m := must(Fit(phi, x, classes, &Options{Weights: w, Memory: 1})); !bytes.Equal(written(m), want) {
				t.Errorf("%v: weights %v, features not kept: other bits", phi, w != nil)
			}
		}
	}
}

// Rows of several parts have the same bits on any number of goroutines, with features kept or not, and so have those of which only
// some are in the sums.
func TestBitsOfParts(t *testing.T) {
	x, classes := rings(4500)
	for _, features := range []int{512, 102} { // parts of 2016 rows; sums of 612 of all rows
		phi, weights := fourier(2, features), make([]float64, 4500)
		for i := range weights {
			weights[i] = float64(1+i%4) / 2
		}
		o := Options{Lambda: 0.1, Tolerance: 0.5, Weights: weights}
		want := written(must(Fit(phi, x, classes, &o)))
		for _, procs := range []int{1, 3} {
			before := runtime.GOMAXPROCS(procs)
			o, models := o, make(map[string]*Model)
			if procs > 1 || testkit.Long() {
				models["kept"] = must(Fit(phi, x, classes, &o))
			}
			o.Memory = 1
			models["computed again"] = must(Fit(phi, x, classes, &o))
			o.Weights = nil
			if procs > 1 || testkit.Long() {
				models["batches"] = must(FitBatches(phi, batches(x, classes, weights, 700), 3, &o))
			}
			runtime.GOMAXPROCS(before)
			for name, m := range models {
				if !bytes.Equal(written(m), want) {
					t.Errorf("%d features, %d goroutines, %s: other bits", features, procs, name)
				}
			}
		}
	}
}

// farthest returns the largest difference of probabilities.
func farthest(a, b *Model, x mat.Matrix) float64 {
	var p, q mat.Dense
	a.ProbabilityTo(&p, x)
	b.ProbabilityTo(&q, x)
	p.Sub(&p, &q)
	return max(mat.Max(&p), -mat.Min(&p))
}

// A weight of 2 is the row twice, 0 leaves it out, and Balanced is weights.
func TestWeights(t *testing.T) {
	x, classes := rings(200)
	var rows []float64
	var twice []int
	weights := make([]float64, 200)
	for i := range weights {
		weights[i] = float64(i % 3)
		for range i % 3 {
			rows, twice = append(rows, x.RawRowView(i)...), append(twice, classes[i])
		}
	}
	repeated := mat.NewDense(len(twice), 2, rows)
	for _, balanced := range []bool{false, true} {
		o := Options{Lambda: 0.1, Tolerance: 1e-12, Balanced: balanced}
		p := o
		p.Weights = weights
		// At a loss within 1e-12 of the optimum probabilities are within its root, times a condition.
		if d := farthest(must(Fit(fourier(2, 20), repeated, twice, &o)), must(Fit(fourier(2, 20), x, classes, &p)), x); !(d <= 1e-5) {
			t.Errorf("balanced %v: %v", balanced, d)
		}
	}
	if d := farthest(must(Fit(fourier(2, 20), x, classes, nil)), must(Fit(fourier(2, 20), x, classes, &Options{Balanced: true})), x); d < 1e-3 {
		t.Errorf("Balanced changes probabilities by %v at most", d)
	}
}

// Balanced is the weights that it stands for, n/(K·n_c) for each of the n_c rows of class c, to rounding; and batches without weights
// among those that have some have weights of 1.
func TestBalancedWeights(t *testing.T) {
	x, classes := rings(100)
	var counts [3]float64
	for _, c := range classes {
		counts[c]++
	}
	weights, ones := make([]float64, 100), make([]float64, 100)
	for i, c := range classes {
		weights[i], ones[i] = 100/counts[c]/3, 1
	}
	phi := fourier(2, 10)
	a, b := must(Fit(phi, x, classes, &Options{Balanced: true})), must(Fit(phi, x, classes, &Options{Weights: weights}))
	if !(math.Abs(a.Lambda()-b.Lambda()) <= 1e-9*b.Lambda() && math.Abs(a.Loss()-b.Loss()) <= 1e-9*b.Loss()) {
		t.Errorf("Balanced: λ = %v, loss %v; by weights %v, %v", a.Lambda(), a.Loss(), b.Lambda(), b.Loss())
	}
	mixed := func(yield func(ridge.Batch, error) bool) {
		turn := 0
		for b, err := range batches(x, classes, ones, 30) {
			if turn++; turn != 2 {
				b.Weights = nil
			}
			if !yield(b, err) {
				return
			}
		}
	}
	a, b = must(FitBatches(phi, mixed, 3, nil)), must(FitBatches(phi, batches(x, classes, ones, 30), 3, nil))
	if !bytes.Equal(written(a), written(b)) {
		t.Error("batches without weights among others: other bits than with weights of 1")
	}
}

// Weights say what rows are to one another, and λ what it is to them: λ and weights together in any unit lead to the same model, and so do
// weights alone where λ is chosen, but that it is in their unit. They need not add up to more than 1.
func TestUnitOfWeights(t *testing.T) {
	x, classes := rings(200)
	phi := fourier(2, 20)
	weights := make([]float64, 200)
	for i := range weights {
		weights[i] = float64(1 + i%4)
	}
	for _, lambda := range []float64{0, 0.2} {
		for _, balanced := range []bool{false, true} {
			want := must(Fit(phi, x, classes, &Options{Weights: weights, Lambda: lambda, Balanced: balanced}))
			for i, unit := range []float64{1. / 500, 1. / 1000, 1e-200, 1e-300, 1e200, 1e300} {
				if balanced == (i%2 == 0) && !testkit.Long() {
					continue
				}
				other := make([]float64, 200)
				for i, w := range weights {
					other[i] = w * unit
				}
				m, err := Fit(phi, x, classes, &Options{Weights: other, Lambda: lambda * unit, Balanced: balanced})
				if err != nil {
					t.Errorf("λ = %v, weights in units of %v: %v", lambda, unit, err)
					continue
				}
				if r := m.Lambda() / unit / want.Lambda(); !(math.Abs(r-1) <= 1e-9) {
					t.Errorf("λ = %v, weights in units of %v: λ is %v times that in units of 1", lambda, unit, r)
				}
				if d := farthest(m, want, x); !(d <= 1e-6) {
					t.Errorf("λ = %v, weights in units of %v: probabilities differ by %v", lambda, unit, d)
				}
			}
		}
	}
	weights[0] = 1e300
	if _, err := Fit(phi, x, classes, &Options{Weights: weights, Lambda: 1e-200}); err == nil || !strings.Contains(err.Error(), "Lambda = 1e-200") {
		t.Errorf("λ that is nothing to the weights: %v", err)
	}
}

// A batch that is refused ends the fit, and nothing of it is kept: no more batches are asked for.
func TestRefusedBatch(t *testing.T) {
	x, classes := rings(90)
	phi := fourier(2, 8)
	for want, spoil := range map[string]func(x, y *mat.Dense, weights []float64){
		"row 34: class 7: must be a whole number from 0 to 2":   func(_, y *mat.Dense, _ []float64) { y.Set(4, 0, 7) },
		"row 34: class -1: must be a whole number from 0 to 2":  func(_, y *mat.Dense, _ []float64) { y.Set(4, 0, -1) },
		"row 34: class 0.5: must be a whole number from 0 to 2": func(_, y *mat.Dense, _ []float64) { y.Set(4, 0, 0.5) },
		"row 34: class NaN: must be a whole number from 0 to 2": func(_, y *mat.Dense, _ []float64) { y.Set(4, 0, math.NaN()) },
		"row 34, column 1 = +Inf: must be finite":               func(x, _ *mat.Dense, _ []float64) { x.Set(4, 1, math.Inf(1)) },
		"row 34: weight -2: must be finite and at least 0":      func(_, _ *mat.Dense, w []float64) { w[4] = -2 },
	} {
		rows := func(yield func(ridge.Batch, error) bool) {
			for lo := 0; lo < 90; lo += 30 {
				points, y, weights := mat.DenseCopyOf(x.Slice(lo, lo+30, 0, 2)), mat.NewDense(30, 1, nil), make([]float64, 30)
				for i := range weights {
					y.Set(i, 0, float64(classes[lo+i]))
					weights[i] = 1
				}
				if lo == 30 {
					spoil(points, y, weights)
				}
				if yield(ridge.Batch{X: points, Y: y, Weights: weights}, nil) == (lo == 30) {
					t.Errorf("%s: the batch from row %d on: more are wanted: %v", want, lo, lo == 30)
				}
				if lo == 30 {
					return
				}
			}
		}
		for _, memory := range []int64{0, 1} {
			if m, err := FitBatches(phi, rows, 3, &Options{Memory: memory}); m != nil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
}

// whitened has the features of landmarks, but not their raw ones.
type whitened struct{ *featuremap.Nystrom }

// Landmarks by their metric are as by features; the optimum is the one of centered features, whatever their level.
func TestInvariance(t *testing.T) {
	x, classes := rings(300)
	phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 15, featuremap.NewSampler(3), nil))
	o := &Options{Lambda: 0.01, Tolerance: 1e-11}
	if d := farthest(must(Fit(phi, x, classes, o)), must(Fit(whitened{phi}, x, classes, o)), x); !(d <= 1e-4) {
		t.Errorf("features of landmarks by their metric: probabilities differ by %v", d)
	}
	moved := mat.DenseCopyOf(x)
	for i := range 300 {
		moved.Set(i, 0, moved.At(i, 0)+1e6)
	}
	a, b := must(Fit(identity{2}, x, classes, o)), must(Fit(identity{2}, moved, classes, o))
	for i := range 300 {
		p, q := a.ProbabilityVec(nil, x.RawRowView(i)), b.ProbabilityVec(nil, moved.RawRowView(i))
		for k := range p {
			if !(math.Abs(p[k]-q[k]) <= 1e-4) {
				t.Fatalf("features moved by 1e6: row %d has %v, before %v", i, q, p)
			}
		}
	}
}

// Rows that a feature separates, fewer rows than features, two rows, equal rows, features that are constant.
func TestEdges(t *testing.T) {
	separable := mat.NewDense(40, 1, nil)
	classes := make([]int, 40)
	for i := range classes {
		classes[i] = i / 20
		separable.Set(i, 0, float64(classes[i])+float64(i%20)/100)
	}
	for name, c := range map[string]struct {
		phi     featuremap.FeatureMap
		x       *mat.Dense
		classes []int
		right   bool
	}{
		"separable":     {identity{1}, separable, classes, true},
		"D > n":         {fourier(1, 200), separable, classes, true},
		"two rows":      {fourier(1, 8), mat.NewDense(2, 1, []float64{0, 1}), []int{0, 1}, true},
		"equal rows":    {fourier(1, 8), mat.NewDense(4, 1, nil), []int{0, 1, 0, 1}, false},
		"three classes": {fourier(1, 30), separable.Slice(0, 3, 0, 1).(*mat.Dense), []int{2, 0, 1}, false},
	} {
		m, err := Fit(c.phi, c.x, c.classes, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var p mat.Dense
		m.ProbabilityTo(&p, c.x)
		for i, k := range m.Classify(c.x) {
			if c.right && k != c.classes[i] || !(math.Abs(mat.Sum(p.RowView(i))-1) <= 1e-14) {
				t.Errorf("%s: row %d: class %d, want %d, probabilities %v", name, i, k, c.classes[i], p.RawRowView(i))
			}
		}
	}
}

// Predict has the class of Classify and the bits of ProbabilityVec: also where the probabilities of two classes are rounded to one, and at a NaN.
func TestPredict(t *testing.T) {
	x, classes := rings(60)
	m := must(Fit(fourier(2, 40), x, classes, nil))
	for i, want := range m.Classify(x) {
		row := x.RawRowView(i)
		class, p := m.Predict(row)
		if class != want || !slices.Equal(p, m.ProbabilityVec(nil, row)) {
			t.Errorf("row %d: class %d, probabilities %v; want %d, %v", i, class, p, want, m.ProbabilityVec(nil, row))
		}
	}
	if class, p := m.Predict([]float64{math.NaN(), 0}); class != -1 || !math.IsNaN(p[0]) {
		t.Errorf("at a NaN: class %d, probabilities %v", class, p)
	}
	near := must(Fit(identity{1}, mat.NewDense(2, 1, []float64{-1, 1}), []int{0, 1}, nil))
	for at := 1e-40; at < 1; at *= 10 {
		for _, v := range []float64{at, -at} {
			class, p := near.Predict([]float64{v})
			if want := near.Classify(mat.NewDense(1, 1, []float64{v}))[0]; class != want {
				t.Errorf("%v: class %d of probabilities %v, want %d", v, class, p, want)
			}
		}
	}
	for name, f := range map[string]func(){"the zero value": func() { new(Model).Predict(nil) }, "a length": func() { m.Predict([]float64{1}) }} {
		func() {
			defer func() {
				if got := recover(); got != mat.ErrShape {
					t.Errorf("%s: panic %v", name, got)
				}
			}()
			f()
		}()
	}
}

// changing returns batches of seven rows that from the second reading on differ in a row, if that is not 0, and are more or
// fewer by so many.
func changing(x *mat.Dense, classes []int, row, more int) iter.Seq2[ridge.Batch, error] {
	times := 0
	return func(yield func(ridge.Batch, error) bool) {
		times++
		n, d := x.Dims()
		if times > 1 {
			n += more
		}
		y, c := mat.NewDense(n, d, nil), make([]int, n)
		y.Copy(x)
		copy(c, classes)
		if times > 1 && row > 0 {
			y.Set(row, 0, float64(times))
		}
		batches(y, c, nil, 7)(yield)
	}
}

// Errors name what is wrong, and where.
func TestRefused(t *testing.T) {
	x, classes := rings(30)
	bad := mat.DenseCopyOf(x)
	bad.Set(4, 1, math.NaN())
	with := func(i, class int) []int {
		c := append([]int(nil), classes...)
		c[i] = class
		return c
	}
	weights := make([]float64, 30)
	weights[3] = -1
	notNumber := make([]float64, 30)
	notNumber[12] = math.NaN()
	scaled := func(x *mat.Dense, c float64) *mat.Dense {
		var dst mat.Dense
		dst.Scale(c, x)
		return &dst
	}
	equal := func(w float64) []float64 {
		weights := make([]float64, 30)
		for i := range weights {
			weights[i] = w
		}
		return weights
	}
	stop := errors.New("enough")
	phi := fourier(2, 8)
	for want, fit := range map[string]func() (*Model, error){
		"phi = nil":                     func() (*Model, error) { return Fit(nil, x, classes, nil) },
		"x = nil":                       func() (*Model, error) { return Fit(phi, nil, classes, nil) },
		"row 4, column 1 = NaN":         func() (*Model, error) { return Fit(phi, bad, classes, nil) },
		"x has 30 rows, for 29 classes": func() (*Model, error) { return Fit(phi, x, classes[1:], nil) },
		"row 7: class -1":               func() (*Model, error) { return Fit(phi, x, with(7, -1), nil) },
		"class 3 has no row":            func() (*Model, error) { return Fit(phi, x, with(7, 4), nil) },
		"of 1000000000 classes":         func() (*Model, error) { return Fit(phi, x, with(7, 999999999), nil) },
		"λ = +Inf: must be positive": func() (*Model, error) {
			return Fit(identity{2}, scaled(x, 1e100), classes, &Options{Weights: equal(1e200)})
		},
		"λ = 0: must be positive": func() (*Model, error) {
			return Fit(identity{2}, scaled(x, 1e-100), classes, &Options{Weights: equal(1e-200)})
		},
		"class 3 has no row, of 9223":           func() (*Model, error) { return Fit(phi, x, with(7, math.MaxInt), nil) },
		"must be at least 2 classes":            func() (*Model, error) { return Fit(phi, x, make([]int, 30), nil) },
		"row 3: weight -1":                      func() (*Model, error) { return Fit(phi, x, classes, &Options{Weights: weights}) },
		"row 12: weight NaN":                    func() (*Model, error) { return FitBatches(phi, batches(x, classes, notNumber, 9), 3, nil) },
		"Weights 29 elements":                   func() (*Model, error) { return Fit(phi, x, classes, &Options{Weights: weights[1:]}) },
		"Lambda = -1":                           func() (*Model, error) { return Fit(phi, x, classes, &Options{Lambda: -1}) },
		"Tolerance = NaN":                       func() (*Model, error) { return Fit(phi, x, classes, &Options{Tolerance: math.NaN()}) },
		"Memory = -1":                           func() (*Model, error) { return Fit(phi, x, classes, &Options{Memory: -1}) },
		"row 2: class 2: must be a whole":       func() (*Model, error) { return FitBatches(phi, batches(x, with(2, 2), nil, 9), 2, nil) },
		"class 3 has no row of positive weight": func() (*Model, error) { return FitBatches(phi, batches(x, classes, nil, 9), 4, nil) },
		"interrupted by Progress: enough": func() (*Model, error) {
			return Fit(phi, x, classes, &Options{Progress: func(pass int, _ float64) error {
				if pass == 2 {
					return stop
				}
				return nil
			}})
		},
		"row 20 or one after it has changed": func() (*Model, error) {
			return FitBatches(phi, changing(x, classes, 20, 0), 3, &Options{Memory: 1, Lambda: 1})
		},
		"changed, or is missing": func() (*Model, error) {
			return FitBatches(phi, changing(x, classes, 0, -2), 3, &Options{Memory: 1, Lambda: 1})
		},
		"the rows are not the same each time": func() (*Model, error) {
			return FitBatches(phi, changing(x.Slice(0, 28, 0, 2).(*mat.Dense), classes[:28], 0, 2), 3, &Options{Memory: 1, Lambda: 1})
		},
	} {
		if m, err := fit(); m != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "logistic: ") {
			t.Errorf("error %v, want %q", err, want)
		} else if strings.Contains(want, "enough") && !errors.Is(err, stop) {
			t.Errorf("%v does not wrap the error of Progress", err)
		}
	}
	weights[3] = 0
	for i, c := range classes {
		if c != 1 {
			weights[i] = 1
		}
	}
	if _, err := Fit(phi, x, classes, &Options{Weights: weights}); err == nil || !strings.Contains(err.Error(), "class 1 has no row") {
		t.Errorf("a class without weight: %v", err)
	}
}

// Held-back digits: fewer errors than one in thirty, and probabilities with the log loss of a calibrated classifier.
func TestDigits(t *testing.T) {
	x, classes, err := dataset.Digits()
	if err != nil {
		t.Fatal(err)
	}
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 30}, 64, 256, featuremap.NewSampler(1), nil))
	m := must(Fit(phi, x.Slice(0, 1200, 0, 64), classes[:1200], nil))
	var p mat.Dense
	m.ProbabilityTo(&p, x.Slice(1200, 1797, 0, 64))
	var loss float64
	wrong := 0
	for i, k := range m.Classify(x.Slice(1200, 1797, 0, 64)) {
		if c := classes[1200+i]; k != c {
			wrong++
		}
		loss -= math.Log(p.At(i, classes[1200+i])) / 597
	}
	// The linear model on pixels has about 8 % and .3 on these rows, by other writers than the first 1200.
	if t.Logf("%d wrong, log loss %.4f", wrong, loss); !(float64(wrong)/597 <= 0.06 && loss <= 0.25) {
		t.Errorf("%d of 597 wrong, log loss %v", wrong, loss)
	}
}
