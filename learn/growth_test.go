// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Up to 2,048 different rows are all landmarks, those that were held back too once all are fitted, and copies are one; with Features they are
// as many as it says.
func TestAllRowsAreLandmarks(t *testing.T) {
	fewFeatures(t)
	x, y := kinked(1, 90, 2)
	twice := mat.NewDense(180, 2, nil)
	targets := mat.NewDense(180, 1, nil)
	for i := range 180 {
		twice.SetRow(i, x.RawRowView(i%90))
		targets.Set(i, 0, y.At(i%90, 0)+0.01*float64(i/90))
	}
	for _, c := range []struct {
		x, y     *mat.Dense
		features int
		want     int
	}{{x, y, 0, 90}, {twice, targets, 0, 90}, {x, y, 40, 40}} {
		r := must(Regression(c.x, c.y, &Options{Features: c.features}))
		if _, out := r.Model.Map().Dims(); out != c.want {
			n, _ := c.x.Dims()
			t.Errorf("%d rows, Features %d: %d features, want %d", n, c.features, out, c.want)
		}
	}
}

// Twice the features are taken while they gain: of a function of one wave few, of one of many waves as many as there may be.
func TestGrown(t *testing.T) {
	defer func(n int) { allMarks = n }(allMarks)
	allMarks = 100
	s := featuremap.NewSampler(5)
	const n = 700
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, s.Float64())
	}
	for _, c := range []struct {
		waves       float64
		least, most int
	}{{1, 256, 256}, {90, 1024, 2048}} { // the least by default is 256
		y := mat.NewDense(n, 1, nil)
		for i := range n {
			y.Set(i, 0, math.Sin(2*math.Pi*c.waves*x.At(i, 0))+0.01*s.Normal())
		}
		study := testStudy(t, x, y, nil)
		p := &pilot{kernel: featuremap.Gaussian{LengthScale: 0.3 / c.waves}, way: drawn, lambda: []float64{1e-4}, leastLambda: 1e-8}
		z := must(study.grown(p))
		if z.features < c.least || z.features > c.most {
			t.Errorf("%v waves: %d features, want from %d to %d", c.waves, z.features, c.least, c.most)
		}
	}
}

// What a fit may take bounds the features: n·D² operations, 10¹² of them, and of classes 800·n·D·K, 10¹¹, up to 4,096.
func TestMostFeatures(t *testing.T) {
	for _, c := range []struct {
		rows, classes, want int
	}{{10_000, 0, 4096}, {250_000, 0, 2000}, {4_000_000, 0, 500}, {10_000, 10, 1250}, {5_000, 3, 4096}} {
		s := &study{all: make([]int, c.rows), count: c.classes}
		if c.classes > 0 {
			s.classes = make([]int, c.rows)
		}
		if got := s.mostFeatures(); got != c.want {
			t.Errorf("%d rows, %d classes: at most %d features, want %d", c.rows, c.classes, got, c.want)
		}
	}
}

// λ to choose from are half decades around those of targets, none below the least, and each once: 1e-3·√10 and 1e-2/√10 differ by rounding alone.
func TestAround(t *testing.T) {
	got := around([]float64{1e-3, 0, 1e-2}, 1, 5e-4)
	want := []float64{5e-4, 1e-3, math.Sqrt(10) * 1e-3, 1e-2, math.Sqrt(10) * 1e-2}
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := around(nil, 2, 1); got != nil {
		t.Errorf("%v of no λ, want nil", got)
	}
	if got := (&pilot{lambda: []float64{1e-6, 1e-4, 1e-5}, leastLambda: 1e-7}).path(); len(got) != pathDecades+2 {
		t.Errorf("%d λ of three targets two decades apart, want %d: %v", len(got), pathDecades+2, got)
	}
}

// With few features a rough kernel of the bank is left for the smooth one before it, where that loses less of rows that are left out.
func TestFewFeaturesOfRoughKernels(t *testing.T) {
	s := featuremap.NewSampler(6)
	const n = 400
	x, y := mat.NewDense(n, 3, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		y.Set(i, 0, math.Sin(x.At(i, 0))+x.At(i, 1)*x.At(i, 2)+0.01*s.Normal())
	}
	study := testStudy(t, x, y, &Options{Features: 60})
	smooth := &pilot{kernel: featuremap.Gaussian{LengthScale: 2}, way: drawn}
	rough := &pilot{kernel: featuremap.Laplacian{LengthScale: 1}, way: drawn, before: smooth}
	if z := must(study.grown(rough)); z.pilot != smooth {
		t.Error("the rough kernel is taken")
	}
	rough.before, smooth.before = nil, rough
	if z := must(study.grown(smooth)); z.pilot != smooth {
		t.Error("the rough kernel is taken where the smooth one was chosen")
	}
}

// The report says how large a file is whose variances take more than 16 MB, and what it is without them; of others nothing.
func TestReportOfLargeFile(t *testing.T) {
	for _, features := range []int{2040, 60} {
		x, y := kinked(1, 100, 1)
		phi := must(featuremap.NewFourier(featuremap.Laplacian{LengthScale: 0.1}, 1, features, nil, nil))
		s := testStudy(t, x, y, nil)
		s.report.ridge = must(ridge.Fit(phi, x, y, &ridge.Options{Lambda: 1, Side: ridge.FeatureSide}))
		s.noteFile()
		var names []string
		for _, c := range s.report.choices {
			names = append(names, c.Name)
		}
		want := []string{"17 MB, 0 without variances, by MeanOnly"}
		if features < 100 {
			want = nil
		}
		if !slices.Equal(names, want) {
			t.Errorf("%d features: %q, want %q", features, names, want)
		}
	}
}
