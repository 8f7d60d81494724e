// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A prediction has the same bits for one row and in batches, and a NaN stays in its row.
func TestFloat32Predictions(t *testing.T) {
	for _, targets := range []int{1, 3} {
		x, y := data(300, 4, targets, 5)
		x32 := exactly(x)
		a := must(NewAccumulator32(must(featuremap.Float32(fourier(4, 70))), targets))
		add32(t, a, x32, y, 300)
		m := must(must(a.Fit(nil)).Float32())
		x32.Data[7*x32.Stride] = float32(math.NaN())
		x32.Data[9*x32.Stride+1] = float32(math.Inf(-1))
		x32.Data[11*x32.Stride] = 1e-42
		p := predicted(m, x32)
		var work sync.WaitGroup
		for range 3 {
			work.Add(1)
			go func() {
				defer work.Done()
				for i := range x32.Rows {
					for k, v := range m.PredictVec(nil, x32.Data[i*x32.Stride:][:4]) {
						got := p.Data[i*p.Stride+k]
						if isNaN := i == 7 || i == 9; isNaN != (got != got) || !isNaN && math.Float32bits(v) != math.Float32bits(got) {
							t.Errorf("row %d: %v alone, %v in a batch", i, v, got)
						}
					}
				}
			}()
		}
		work.Wait()
		if testkit.RaceEnabled {
			continue
		}
		dst, row := make([]float32, targets), x32.Data[:4]
		if n := testing.AllocsPerRun(100, func() { m.PredictVec(dst, row) }); n > 0 {
			t.Errorf("PredictVec allocates %v times", n)
		}
	}
}

// A model made for float32 predicts what the model in float64 does, up to the error of features.
func TestModelFloat32(t *testing.T) {
	x, y := data(400, 3, 2, 6)
	x32 := exactly(x)
	for _, phi := range []featuremap.FeatureMap{
		fourier(3, 90),
		must(testkit.New(featuremap.Sum(featuremap.Gaussian{LengthScale: 2}, featuremap.Linear{}), 3, 80, featuremap.NewSampler(2))),
	} {
		for _, m := range []*Model{must(Fit(phi, x, y, &Options{Intervals: &IntervalOptions{Off: true}})), must(Fit(phi, x, y, &Options{Lambda: 0.01, NoIntercept: true})).MeanOnly()} {
			in32 := must(m.Float32())
			if in32.Lambda()[0] != m.Lambda()[0] || in32.Map().Float64() != phi || !mat.Equal(in32.Weights(), m.Weights()) ||
				!strings.HasPrefix(in32.String(), m.String()) || !strings.HasSuffix(in32.String(), "in float32") {
				t.Errorf("%v of %v", in32, m)
			}
			equal(t, "noise", bits(in32.NoiseVariance()), bits(m.NoiseVariance()))
			equal(t, "intercept", bits(in32.Intercept()), bits(m.Intercept()))
			var want mat.Dense
			m.PredictTo(&want, x)
			limit := 2e-6 * (mat.Norm(m.Weights(), 2) + mat.Norm(&want, math.Inf(1)))
			for i, v := range predicted(in32, x32).Data {
				if off := math.Abs(float64(v) - want.At(i/2, i%2)); !(off <= limit) {
					t.Fatalf("%v: prediction %d is off by %v, limit %v", m, i, off, limit)
				}
			}
		}
	}
	_, err := new(Model).Float32()
	expectError(t, err, "ridge: the model is the zero value")
	_, err = must(Fit(must(testkit.New(featuremap.Polynomial{Degree: 2, Gamma: 1}, 3, 20, featuremap.NewSampler(1))), x, y, nil)).Float32()
	if err == nil || !strings.HasPrefix(err.Error(), "ridge: the model's map: featuremap: no float32 of ") {
		t.Errorf("a Maclaurin map: %v", err)
	}
}

// Letters are read as well in float32, at any λ, and the same one is chosen: 2,500 rows to fit, and 1,000 to test; with -long 16,000 and 4,000.
func TestFloat32Letter(t *testing.T) {
	if testing.Short() && testkit.RaceEnabled {
		t.Skip("it takes long with the race detector")
	}
	x, class, err := dataset.Letter()
	if err != nil {
		t.Fatal(err)
	}
	n, d := x.Dims()
	fitted, features := 16_000, 256
	if !testkit.Long() {
		n, fitted = 3500, 2500
		x, class = mat.DenseCopyOf(x.Slice(0, n, 0, d)), class[:n]
	}
	tested := n - fitted
	y := mat.NewDense(n, 26, nil)
	for i, c := range class {
		for k := range 26 {
			y.Set(i, k, -1)
		}
		y.Set(i, c, 1)
	}
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 6}, d, features, featuremap.NewSampler(1), nil))
	x32 := exactly(x)
	a, a32 := must(NewAccumulator(phi, 26)), must(NewAccumulator32(must(featuremap.Float32(phi)), 26))
	if err := a.Add(x.Slice(0, fitted, 0, d), y.Slice(0, fitted, 0, 26)); err != nil {
		t.Fatal(err)
	}
	if err := a32.Add(part(x32, 0, fitted), y.Slice(0, fitted, 0, 26)); err != nil {
		t.Fatal(err)
	}
	right := func(p func(i, k int) float64) (count float64) {
		for i := fitted; i < n; i++ {
			best := 0
			for k := range 26 {
				if p(i-fitted, k) > p(i-fitted, best) {
					best = k
				}
			}
			if best == class[i] {
				count++
			}
		}
		return count
	}
	for _, o := range []*Options{nil, {Lambda: 1e-4}, {Lambda: 1}} {
		m, m32 := must(a.Fit(o)), must(must(a32.Fit(o)).Float32())
		if !(math.Abs(m32.Lambda()[0]/m.Lambda()[0]-1) < 1e-6) {
			t.Errorf("λ = %v, in float64 %v", m32.Lambda()[0], m.Lambda()[0])
		}
		var p mat.Dense
		m.PredictTo(&p, x.Slice(fitted, n, 0, d))
		q := predicted(m32, part(x32, fitted, n))
		want, got := right(p.At), right(func(i, k int) float64 { return float64(q.Data[i*q.Stride+k]) })
		t.Logf("λ = %v: %v of %d right, in float64 %v", m.Lambda()[0], got, tested, want)
		if 1000*math.Abs(got-want) > float64(tested) || 4*want < 3*float64(tested) {
			t.Errorf("λ = %v: %v of %d right, in float64 %v", m.Lambda()[0], got, tested, want)
		}
	}
}

// A zero value has nothing, and predictions of wrong shapes or overlapping memory panic.
func TestModel32Panics(t *testing.T) {
	zero := new(Model32)
	if zero.Map() != nil || zero.NoiseVariance() != nil || zero.Lambda() != nil || zero.Intercept() != nil || len(leftOutOf(zero)) != 0 || !zero.Weights().IsEmpty() || zero.String() == "" {
		t.Error("a zero value has numbers")
	}
	x, y := data(30, 2, 1, 9)
	x32 := exactly(x)
	m := must(must(Fit(fourier(2, 10), x, y, nil)).Float32())
	dst := blas32.General{Rows: 30, Cols: 1, Stride: 1, Data: make([]float32, 30)}
	short, empty := x32, x32
	short.Data, empty.Rows = short.Data[:20], 0
	overlapping := blas32.General{Rows: 30, Cols: 1, Stride: 1, Data: x32.Data[:30]}
	for name, c := range map[string]struct {
		want any
		f    func()
	}{
		"zero":      {mat.ErrShape, func() { zero.PredictTo(dst, x32) }},
		"zero row":  {mat.ErrShape, func() { zero.PredictVec(nil, x32.Data[:2]) }},
		"no rows":   {mat.ErrZeroLength, func() { m.PredictTo(dst, empty) }},
		"short":     {mat.ErrShape, func() { m.PredictTo(dst, short) }},
		"wide":      {mat.ErrShape, func() { m.PredictTo(x32, x32) }},
		"row":       {mat.ErrShape, func() { m.PredictVec(nil, x32.Data[:3]) }},
		"dst":       {mat.ErrShape, func() { m.PredictVec(make([]float32, 2), x32.Data[:2]) }},
		"same":      {"ridge: dst and x overlap", func() { m.PredictTo(overlapping, x32) }},
		"same rows": {"ridge: dst and x overlap", func() { m.PredictVec(x32.Data[1:2], x32.Data[:2]) }},
	} {
		expectPanic(t, name, c.want, c.f)
	}
}
