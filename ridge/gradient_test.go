// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// checkGradient compares a gradient with central differences of the fourth order.
func checkGradient(t *testing.T, name string, f func(x []float64) float64, x, got []float64) {
	t.Helper()
	const h = 1e-3
	largest := 0.0
	for _, v := range got {
		largest = max(largest, math.Abs(v))
	}
	for k := range x {
		at := func(h float64) float64 {
			y := slices.Clone(x)
			y[k] += h
			return f(y)
		}
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		if !(math.Abs(got[k]-want) <= 1e-6*largest) {
			t.Errorf("%s: coordinate %d is %v, by differences %v", name, k, got[k], want)
		}
	}
}

// Gradients of predictions, of samples and of variances are those of differences, for each target.
func TestGradients(t *testing.T) {
	for _, in := range []int{1, 2, 5} {
		for _, o := range []Options{{}, {NoIntercept: true}, {Lambda: 0.3}} {
			x, y := data(80, in, 2, 3)
			m := must(Fit(fourier(in, 40), x, y, &o))
			sample := must(posteriorOf(m).Sample(featuremap.NewSampler(5)))
			for target := range 2 {
				for i := range 3 {
					point := slices.Clone(x.RawRowView(i))
					name := fmt.Sprintf("in = %d, %+v, target %d, row %d", in, o, target, i)
					mean := func(m *Model) func(x []float64) float64 {
						return func(x []float64) float64 { return m.PredictVec(nil, x)[target] }
					}
					checkGradient(t, name, mean(m), point, m.GradientVec(nil, point, target))
					checkGradient(t, name+", sample", func(x []float64) float64 { return sample.EvalVec(nil, x)[target] }, point, sample.GradientVec(nil, point, target))
					checkGradient(t, name+", MeanOnly", mean(m), point, m.MeanOnly().GradientVec(nil, point, target))
					variance := func(x []float64) float64 { return posteriorOf(m).VarianceVec(nil, x)[target] }
					checkGradient(t, name+", variance", variance, point, posteriorOf(m).VarianceGradientVec(nil, point, target))
				}
			}
		}
	}
}

// What has no gradient panics with the part that has none, and a NaN stays. Arguments that do not fit are refused.
func TestNoGradients(t *testing.T) {
	x, y := data(50, 2, 1, 4)
	m := must(Fit(fourier(2, 20), x, y, nil))
	opaque := must(Fit(callers{2, 2, func(dst, x []float64) { copy(dst, x) }}, x, y, nil))
	point := []float64{0.3, 0.2}
	_, err := featuremap.Derivative(opaque.Map())
	if err == nil {
		t.Fatal("a derivative of a map without")
	}
	function := must(posteriorOf(opaque).Sample(nil))
	for name, f := range map[string]func(dst, x []float64, target int) []float64{
		"GradientVec": opaque.GradientVec, "VarianceGradientVec": posteriorOf(opaque).VarianceGradientVec, "Function.GradientVec": function.GradientVec,
	} {
		for range 2 { // the second time it is kept
			expectPanic(t, name+" of a map without", "ridge: no gradient: "+err.Error(), func() { f(nil, point, 0) })
		}
	}
	if got := m.GradientVec(nil, []float64{math.NaN(), 0}, 0); !math.IsNaN(got[0]) || !math.IsNaN(got[1]) {
		t.Errorf("GradientVec at NaN is %v", got)
	}
	// Landmarks of a product have a derivative, and features of what they leave none.
	product := featuremap.Product(featuremap.Gaussian{LengthScale: 1}, featuremap.ArcCosine{Order: 1})
	left := must(Fit(must(featuremap.NewNystrom(product, x, 10, featuremap.NewSampler(1), nil)), x, y, nil))
	drawn := must(posteriorOf(left).Sample(nil))
	left.GradientVec(nil, point, 0)
	func() {
		defer func() {
			if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "ridge: no gradient: featuremap: no derivative of features of Product(") {
				t.Errorf("a function of what landmarks leave: panic %q", text)
			}
		}()
		drawn.GradientVec(nil, point, 0)
	}()
	dst := make([]float64, 2)
	for i, f := range []func(dst, x []float64, target int) []float64{m.GradientVec, posteriorOf(m).VarianceGradientVec} {
		if got := f(dst, point, 0); &got[0] != &dst[0] || !slices.Equal(got, f(nil, point, 0)) {
			t.Errorf("%d: dst %v", i, got)
		}
		for want, args := range map[any]func(){
			mat.ErrShape:                 func() { f(nil, point[:1], 0) },
			mat.ErrColAccess:             func() { f(nil, point, 1) },
			"mat: bad region: identical": func() { f(point, point, 0) },
		} {
			func() {
				defer func() {
					if got := recover(); got != want {
						t.Errorf("%d: panic %v, want %v", i, got, want)
					}
				}()
				args()
			}()
		}
		func() {
			defer func() {
				if got := recover(); got != mat.ErrShape {
					t.Errorf("%d: panic %v", i, got)
				}
			}()
			f(make([]float64, 3), point, 0)
		}()
	}
	func() {
		defer func() {
			if got := recover(); got != mat.ErrShape {
				t.Errorf("the zero value: panic %v", got)
			}
		}()
		new(Model).GradientVec(nil, nil, 0)
	}()
}

// A model may be asked by several goroutines at once, from the first call on, and after it was read from a file.
func TestGradientsConcurrently(t *testing.T) {
	x, y := data(50, 2, 1, 4)
	m := must(Fit(fourier(2, 20), x, y, nil))
	point := []float64{0.3, 0.2}
	want := must(Fit(fourier(2, 20), x, y, nil)).GradientVec(nil, point, 0)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if got := m.GradientVec(nil, point, 0); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		}()
	}
	wait.Wait()
	other := must(Fit(must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, 3, 10, featuremap.NewSampler(9), nil)),
		normalRows(30, 3), normalRows(30, 1), nil))
	three := []float64{0.1, 0.2, 0.3}
	wantOther := other.GradientVec(nil, three, 0)
	read := must(ReadModel(bytes.NewReader(written(other)), nil))
	if got := read.GradientVec(nil, three, 0); !slices.Equal(got, wantOther) {
		t.Errorf("a model that was read: %v, want %v", got, wantOther)
	}
}

// normalRows returns standard normal rows.
func normalRows(n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	featuremap.NewSampler(uint64(d)).FillNormal(x.RawMatrix().Data)
	return x
}

// The bits of gradients: see TestGolden.
func TestGoldenGradients(t *testing.T) {
	var b bytes.Buffer
	x, y := normalRows(70, 5), mat.NewDense(70, 2, nil)
	for i := range 70 {
		y.Set(i, 0, 1000+float64(x.At(i, 0)*x.At(i, 1)))
		y.Set(i, 1, x.At(i, 2))
	}
	m := must(Fit(fourier(5, 64), x, y, nil))
	for target := range 2 {
		for i := range 3 {
			point := x.RawRowView(i)
			fmt.Fprintf(&b, "%016x %016x\n", bits(m.GradientVec(nil, point, target)), bits(posteriorOf(m).VarianceGradientVec(nil, point, target)))
		}
	}
	path := filepath.Join("testdata", "gradients.golden")
	if golden.Update() {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := must(os.ReadFile(path)); !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got\n%swant\n%s", b.Bytes(), want)
	}
}
